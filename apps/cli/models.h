/// Finds the networks that ship with Amble by name, for all verbs.
#ifndef AMBLE_CLI_MODELS_H
#define AMBLE_CLI_MODELS_H

#include "cli.h"

/// The path of models/NAME in the working folder, else of the one that ships. False when it is in neither.
bool cli_model_find(char *out, size_t size, const char *name);

/// The shipped network that predicts facings for a database: the one of its data set (`salsa` has
/// direction_salsa.amnet), else direction.amnet. *out is NULL when none ships.
am_result cli_direction_open(am_model **out, const char *database_name, am_error *err);

#endif

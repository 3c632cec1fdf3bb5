/// Finds configs, networks, motion capture, the page and caches from the location of this program, so that a clone
/// and an installed tree both work wherever they are moved. For all verbs.
#ifndef AMBLE_CLI_PLACES_H
#define AMBLE_CLI_PLACES_H

#include "cli.h"

/// What ships beside the command.
typedef enum cli_place { CLI_CONFIGS, CLI_MODELS, CLI_WEB, CLI_WASM } cli_place;

/// The folder of it: in the source tree that holds the build, in PREFIX/share/amble of an installed command, else in
/// the working folder's tree.
void cli_place_folder(char *out, size_t size, cli_place place);
/// The path of a file in it. The working folder's own configs/ and models/ come first. False when it is in neither.
bool cli_place_file(char *out, size_t size, cli_place place, const char *name);

/// A path below the source tree; false for an installed command, which has none.
bool cli_source_path(char *out, size_t size, const char *below);

/// The folder for what can be made again ("databases", "studio"), which need not exist yet: below build/ of the
/// working folder or the source tree; for an installed command below the user's cache, as ~/.cache/amble.
void cli_cache_folder(char *out, size_t size, const char *name);

/// What a config is for. Each kind has a folder below configs/.
typedef enum cli_config { CLI_DATABASE, CLI_RECIPE, CLI_RUN } cli_config;

/// The path of the config that a person means: a file as it is; else a name ("locomotion", "curve") among the
/// configs of that kind, first below configs/ of the working folder, then among those that ship. A miss names the
/// nearest and lists the others.
am_result cli_config_find(char *out, size_t size, cli_config kind, const char *word, am_error *err);

/// The path of models/NAME in the working folder, else of the one that ships. False when it is in neither.
bool cli_model_find(char *out, size_t size, const char *name);

/// The shipped network that predicts facings for a database: the one of its data set (`salsa` has
/// direction_salsa.amnet), else direction.amnet. *out is NULL when none ships.
am_result cli_direction_open(am_model **out, const char *database_name, am_error *err);

/// The folder of an unpacked set ("locomotion"): in AMBLE_DATA alone when it is set, else in build/data of the
/// working folder and of the source tree, then in ../shared/data from the source tree. False when there is none.
bool cli_data_find(char *out, size_t size, const char *set);
/// The same in the form of am_build_def's find_set.
bool cli_find_set(void *unused, const char *set, char *out, size_t size);

bool cli_is_file(const char *path);

#endif

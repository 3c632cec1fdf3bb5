/// The verbs of the lab.
#ifndef AMBLE_LAB_H
#define AMBLE_LAB_H

#include "cli.h"

int lab_eval(const cli_verb *verb, int argc, char **argv);
int lab_bench(const cli_verb *verb, int argc, char **argv);

#endif

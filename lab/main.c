// amble-lab: evaluations and benchmarks. Not installed; `amble eval` and `amble bench` start it.
#include "lab.h"

#include <stdio.h>
#include <string.h>

static const cli_verb verbs[] = {
    { "eval", "NAME", "measure how good a method is, in tables with bounds", lab_eval },
    { "bench", "NAME", "measure speed against peers in the same run", lab_bench },
};

int main(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < CLI_COUNT(verbs); i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) {
            return cli_finish(verbs[i].run(&verbs[i], argc - 2, argv + 2));
        }
    }
    fputs("usage: amble eval NAME ... or amble bench NAME ...\n", stderr);
    return CLI_USAGE;
}

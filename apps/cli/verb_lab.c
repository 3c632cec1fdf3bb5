// amble eval and amble bench: start amble-lab, the program that measures, which is built beside this one and not
// installed.
#include "cli.h"
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int verb_lab(const cli_verb *verb, int argc, char **argv)
{
    char program[4096];
    am_error err = cli_error(AM_ERR_SUPPORT, NULL,
                             "amble %s needs amble-lab, which is not installed with this command; clone the source, "
                             "run ./run build and use build/amble %s",
                             verb->name, verb->name);
    if (!cli_program_beside(program, sizeof program, "amble-lab")) {
        return cli_fail(&err);
    }
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words) {
        err = cli_error(AM_ERR_MEMORY, NULL, "out of memory");
        return cli_fail(&err);
    }
    words[0] = program;
    words[1] = (char *)(uintptr_t)verb->name;
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    execv(program, words);
    err = cli_error(AM_ERR_CHILD, program, "cannot be started: %s", strerror(errno));
    free(words);
    return cli_fail(&err);
}

// amble eval and amble bench: start amble-lab, which does the measuring. It is built next to this program and not
// installed.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

int verb_lab(const cli_verb *verb, int argc, char **argv)
{
    char program[4096];
    if (!am_program_beside(program, sizeof program, "amble-lab")) {
        return cli_stop(NULL,
                        "amble %s needs amble-lab, which is not installed with this command; clone the source, run "
                        "./run build and use build/amble %s",
                        verb->name, verb->name);
    }
    const char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words) {
        return cli_stop(NULL, "out of memory");
    }
    words[0] = program;
    words[1] = verb->name;
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    am_program_become(words);
    free(words);
    return cli_stop(program, "cannot be started; build it again with ./run build");
}

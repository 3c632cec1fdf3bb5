// amble: the command. Each verb has a file of its own; this one only picks it.
#include "cli.h"

#include <stdio.h>
#include <string.h>

// The runner's own list: a verb appears here when it works.
static const cli_verb verbs[] = {
    { "import", "FILE...", "the doctor: says what motion files are and what is wrong; --fix writes clean clips",
      verb_import },
    { "build", "CONFIG -o X.amdb", "clips to one database; --report OUT.html shows what it holds and lacks",
      verb_build },
    { "info", "FILE", "what is inside a motion, database, network or schema file", verb_info },
    { "run", "RUN.json -o OUT.bvh", "any controller, headless, from scripted input, the same every time", verb_run },
    { "export", "FILE -o OUT", "motion to other tools: .bvh, .glb, .npz, .csv", verb_export },
    { "synth", "KIND -o DIR", "procedural motion with known ground truth: contacts, phase, speed", verb_synth },
    { "train", "RECIPE -o X.amnet", "networks from a recipe; checkpoints on the way, mpirun for several processes",
      verb_train },
    { "eval", "NAME", "tables of how good a method is, beside the bounds it should keep", verb_lab },
    { "studio", "[X.amdb...]", "the page: a character to steer, on a port of this machine", verb_studio },
    { "bench", "NAME", "speed against peers in the same run", verb_lab },
};

enum { verb_count = sizeof verbs / sizeof verbs[0] };

static void print_overview(FILE *out)
{
    fprintf(out, "amble %s: from motion capture to a character that a person steers\n\nusage: amble VERB ...\n\n",
            am_version());
    for (int i = 0; i < verb_count; i++) {
        fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
    }
    fprintf(out,
            "\namble VERB --help shows a verb's options. CONFIG, RECIPE and RUN.json are files, or names of configs\n"
            "that ship: amble build synth, amble run curve.\n");
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("amble %s\n", am_version());
        return CLI_DONE;
    }
    const char *names[verb_count];
    for (int i = 0; i < verb_count; i++) {
        names[i] = verbs[i].name;
        if (strcmp(argv[1], names[i]) == 0) {
            return verbs[i].run(&verbs[i], argc - 2, argv + 2);
        }
    }
    const char *near = am_nearest_name(argv[1], names, verb_count);
    return cli_usage("unknown verb '%s'%s%s%s; see amble --help", argv[1], near ? "; did you mean '" : "",
                     near ? near : "", near ? "'?" : "");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        am_path_tidy(argv[i]); // most words are paths, and no other has a backslash
    }
    return cli_finish(run(argc, argv));
}

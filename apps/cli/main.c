// amble: the command. Each verb has a file of its own; this one dispatches to it.
#include "cli.h"

#include <stdio.h>
#include <string.h>

// The list of verbs.
static const cli_verb verbs[] = {
    { "import", "FILE...", "check motion files and report what is wrong; --fix writes clean clips", verb_import },
    { "build", "CONFIG -o X.amdb", "build a database from clips; --report OUT.html shows what it holds and lacks",
      verb_build },
    { "info", "FILE", "show what is inside a motion, database, network or schema file", verb_info },
    { "studio", "[X.amdb...]", "serve a page on this machine where you steer a character", verb_studio },
    { "run", "RUN.json [-o OUT.bvh]",
      "play scripted input with any controller, without a screen, the same every time", verb_run },
    { "strip", "RUN.json -o OUT.png", "draw the body at moments of a run: side, front, above; .png or .svg",
      verb_strip },
    { "train", "RECIPE -o X.amnet", "train networks from a recipe, with checkpoints; mpirun uses several processes",
      verb_train },
    { "export", "FILE -o OUT", "convert motion to .bvh, .glb, .npz or .csv, networks to .npz, .onnx or .amnet",
      verb_export },
    { "synth", "KIND -o DIR", "make procedural motion with known contacts, phase and speed", verb_synth },
    { "eval", "NAME", "measure how good a method is, in tables with bounds", verb_lab },
    { "bench", "NAME", "measure speed against peers in the same run", verb_lab },
};

enum { verb_count = sizeof verbs / sizeof verbs[0] };

static void print_overview(FILE *out)
{
    fprintf(out, "amble %s: from motion capture to a character that you steer\n\nusage: amble VERB ...\n\n",
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
    return cli_usage("unknown verb '%s'%s; see amble --help", argv[1], cli_nearest(argv[1], names, verb_count).text);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        am_path_tidy(argv[i]); // most words are paths, and no other has a backslash
    }
    return cli_finish(run(argc, argv));
}

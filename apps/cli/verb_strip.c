// amble strip RUN.json: the body at moments of a run, as one picture.
#include "cli.h"
#include "script.h"

#include <stdio.h>
#include <string.h>

/// "corners, long-horizon": the script's name and how it is played.
static void make_title(char *out, size_t size, const cli_script *source)
{
    const char *slash = strrchr(source->path, '/');
    const char *name = slash ? slash + 1 : source->path;
    am_method method = source->script.options.settings.method;
    snprintf(out, size, "%.*s, %s", (int)strcspn(name, "."), name, am_method_name(method));
}

/// Plays the script and draws it.
static am_result draw(const char *out, cli_script *source, am_strip_def def, am_error *err)
{
    am_strip *strip = NULL;
    am_bytes picture = { 0 };
    char title[256];
    am_result result = cli_script_open(source, err);
    if (result == AM_OK) {
        make_title(title, sizeof title, source);
        def.title = title;
        def.run = source->run;
        result = am_strip_create(&strip, &def, err);
    }
    if (result == AM_OK) {
        am_progress progress = cli_progress();
        am_run_observer observer = am_strip_observer(strip);
        result = am_run_play(source->run, &observer, 1, &progress, err);
        cli_progress_end();
    }
    result = result == AM_OK ? am_strip_write(&picture, strip, cli_ends_with(out, ".svg"), err) : result;
    result = cli_write(out, &picture, result, err);
    am_strip_destroy(strip);
    return result;
}

int verb_strip(const cli_verb *verb, int argc, char **argv)
{
    cli_script source = { 0 };
    am_strip_def def = am_strip_def_default();
    const char *out = NULL;
    double from = 0.0, every = 0.2;
    const cli_option options[] = {
        { "-o,--output", "OUT.png", "the picture: .png or .svg", .text = &out },
        { "--from", "S", "moment of the first figure, in seconds (default 0)", .number = &from },
        { "--every", "S", "seconds between figures (default 0.2)", .number = &every },
        { "--count", "N", "number of figures (default 12)", .integer = &def.count },
        { "--database", "X.amdb", "play with this database instead of the script's", .text = &source.database },
        { "--model", "X.amnet", "play with these networks instead; with --database, both", .text = &source.model },
    };
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands != 1 || !out) {
        return cli_usage("strip needs one RUN.json and -o OUT.png; see amble strip --help");
    }
    if (!cli_ends_with(out, ".svg") && !cli_ends_with(out, ".png")) {
        return cli_usage("strip writes .png and .svg, not %s", out);
    }
    if (!(from >= 0.0) || !(every > 0.0) || def.count < 1 || def.count > AM_MAX_STRIP_FIGURES) {
        return cli_usage("--from is at least 0, --every more than 0, --count 1 to %d", AM_MAX_STRIP_FIGURES);
    }
    if (cli_check_outputs(&out, 1) != CLI_DONE) {
        return CLI_FAILED;
    }
    source.path = argv[0];
    def.from_s = (float)from;
    def.every_s = (float)every;
    am_error err = { 0 };
    am_result result = draw(out, &source, def, &err);
    cli_script_close(&source);
    if (result != AM_OK) {
        return cli_fail(&err);
    }
    if (!call.common.json) {
        return CLI_DONE;
    }
    am_json_writer *w = cli_json_begin(2);
    am_json_string(w, "file", out);
    return cli_json_end(w);
}

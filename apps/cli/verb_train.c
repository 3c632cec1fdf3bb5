// amble train RECIPE -o X.amnet: trains networks by a recipe and writes checkpoints, previews and loss curves.
#include "cli.h"

#include <stdio.h>
#include <string.h>

#if !defined(AMBLE_HAS_TRAIN)

int verb_train(const cli_verb *verb, int argc, char **argv)
{
    (void)verb, (void)argc, (void)argv;
    return cli_stop(NULL, "this build has no training code; build Amble with training");
}

#else

#include "places.h"
#include "database.h"

#include <amble/tools/arrays.h>
#include <amble/train.h>

static am_result load(void *user, am_train_array *out, const char *path, const char *name, am_error *err)
{
    const am_array *array = NULL;
    const am_result result = am_array_files_find(user, &array, path, name, err);
    if (result == AM_OK) {
        *out = (am_train_array){ array->data, array->rows, array->columns };
    }
    return result;
}

/// A line that is overwritten on a terminal; otherwise one line every ten seconds and at the end of a stage.
typedef struct reporter {
    bool terminal, quiet;
    double next;
    int64_t seen;
} reporter;

static void write_time(char *out, size_t size, double seconds)
{
    if (seconds < 90.0) {
        snprintf(out, size, "%.0f s", seconds);
    } else if (seconds < 5400.0) {
        snprintf(out, size, "%.1f min", seconds / 60.0);
    } else {
        snprintf(out, size, "%.1f h", seconds / 3600.0);
    }
}

static bool report(void *user, const am_train_progress *p)
{
    reporter *r = user;
    const bool last = p->iteration == p->iterations;
    r->next -= 0.5;
    if (!r->quiet && (r->terminal || last || r->next <= 0.0)) {
        char left[32];
        write_time(left, sizeof left, p->seconds_left);
        fprintf(stderr, "%s%d/%d %s: %lld of %lld, loss %.6g%s%s%s, %.1f iterations/s, %s left%s",
                r->terminal ? "\r" : "", p->stage_number + 1, p->stage_count, p->stage, (long long)p->iteration,
                (long long)p->iterations, p->loss, p->terms[0] ? " (" : "", p->terms, p->terms[0] ? ")" : "", p->rate,
                left, r->terminal && !last ? "   " : "\n");
        r->next = 10.0;
    }
    return !cli_interrupted();
}

static int print_result(const cli_common *common, const am_train_summary *s, const char *output)
{
    if (!common->json) {
        printf("%s: %d stages, %lld iterations in %.1f s, loss %.6g to %.6g, hash %016llx\n", output, s->stage_count,
               (long long)s->iterations, s->seconds, s->first_loss, s->last_loss, (unsigned long long)s->hash);
        return CLI_DONE;
    }
    am_json_writer *w = cli_json_begin(2);
    am_json_string(w, "file", output);
    am_json_integer(w, "stages", s->stage_count);
    am_json_integer(w, "iterations", s->iterations);
    am_json_number(w, "seconds", s->seconds);
    am_json_number(w, "first_loss", s->first_loss);
    am_json_number(w, "last_loss", s->last_loss);
    am_json_hash(w, "hash", s->hash);
    return cli_json_end(w);
}

/// Adds how to make the database that is missing.
static void advise(am_error *err, const char *recipe, const char *database)
{
    am_json_doc *doc = NULL;
    am_error unread = { 0 };
    if (database || am_json_parse_file(&doc, recipe, NULL, &unread) != AM_OK) {
        cli_database_advise(err, database ? database : "", "");
        return;
    }
    const am_json *stages = am_json_get(am_json_root(doc), "stages");
    char path[2048] = "";
    for (const am_json *stage = stages ? stages->first : NULL; stage && !path[0]; stage = stage->next) {
        const char *name = NULL;
        if (am_json_read_string(doc, stage, "database", true, &name, &unread) == AM_OK) {
            am_path_beside(path, sizeof path, recipe, name);
        }
        if (!strstr(err->text, path)) {
            path[0] = '\0'; // the error is not about this one
        }
    }
    cli_database_advise(err, path, ", or give your own with --database X.amdb");
    am_json_free(doc);
}

static int run(const cli_common *common, am_train_def def)
{
    am_array_files files = { 0 };
    am_train_group group;
    const bool shared = am_train_mpi(&group);
    reporter r = { .terminal = am_stderr_is_terminal(), .quiet = shared && group.rank > 0 };
    (void)cli_progress(); // from here on Ctrl-C is a request, not the end
    def.threads = common->threads > 0 ? common->threads : shared ? 1 : 0;
    def.load = load;
    def.load_user = &files;
    def.report = report;
    def.report_user = &r;
    def.group = shared ? &group : NULL;
    am_train_summary summary;
    am_error err = { 0 };
    const am_result result = am_train_run(&summary, &def, &err);
    am_array_files_free(&files);
    int status = CLI_DONE;
    if (result == AM_OK && !r.quiet) {
        status = print_result(common, &summary, def.output);
    } else if (result != AM_OK) {
        if (result == AM_ERR_OPEN) {
            advise(&err, def.recipe, def.database);
        }
        // When all processes stopped together, one reports it.
        status = r.quiet && result == AM_ERR_CANCELLED ? CLI_FAILED : cli_fail(&err);
    }
    am_train_mpi_end(&group, status != CLI_DONE && result != AM_ERR_CANCELLED);
    return status;
}

int verb_train(const cli_verb *verb, int argc, char **argv)
{
    am_train_def def;
    am_train_def_init(&def);
    const cli_option options[] = {
        { "-o,--output", "X.amnet", "file for the networks; checkpoint, preview and losses go beside it",
          .text = &def.output },
        { "--database", "X.amdb", "train on this database instead of the recipe's", .text = &def.database },
        { "--resume", NULL, "continue from the checkpoint of an earlier run", .flag = &def.resume },
    };
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands != 1 || !def.output) {
        return cli_usage("train needs one recipe and -o X.amnet; see amble train --help");
    }
    if (cli_check_outputs(&def.output, 1) != CLI_DONE) {
        return CLI_FAILED;
    }
    char recipe[1024];
    am_error err = { 0 };
    if (cli_config_find(recipe, sizeof recipe, CLI_RECIPE, argv[0], &err) != AM_OK) {
        return cli_fail(&err);
    }
    def.recipe = recipe;
    return run(&call.common, def);
}

#endif

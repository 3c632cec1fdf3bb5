// The part of `amble bench train` about Learned Motion Matching: iterations of the real stages, with their data,
// kinematic losses, windows and searches, as a recipe runs them.
#include "bench.h"
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(AMBLE_HAS_TRAIN)

#include <amble/train.h>
#include <amble/tools/database.h>

#include "base/tasks.h"
#include "base/os.h"

enum { stage_count = 3, most_spans = 64 };

/// Times between reports, divided by the iterations in between.
typedef struct lmm_times {
    double us[stage_count][most_spans];
    int count[stage_count];
    double last_us[stage_count];
    int64_t last_at[stage_count];
    double loss[stage_count];
} lmm_times;

static bool note_time(void *user, const am_train_progress *p)
{
    lmm_times *t = user;
    const int s = p->stage_number;
    const double now = bench_now_us();
    if (t->last_at[s] > 0 && p->iteration > t->last_at[s] && t->count[s] < most_spans) {
        t->us[s][t->count[s]++] = (now - t->last_us[s]) / (double)(p->iteration - t->last_at[s]);
    }
    t->last_us[s] = now;
    t->last_at[s] = p->iteration;
    t->loss[s] = p->loss;
    return !cli_interrupted();
}

/// Without previews and checkpoints, which a real run writes some twenty times: in a run of seconds they would be
/// most of its time.
static am_result write_recipe(const char *path, const char *database, bool full, am_error *err)
{
    static const struct {
        const char *kind;
        int iterations;
    } stages[stage_count] = { { "decompressor", 800 }, { "stepper", 250 }, { "projector", 1000 } };
    char text[3200];
    size_t at = (size_t)snprintf(text, sizeof text, "{ \"stages\": [");
    for (int s = 0; s < stage_count && at < sizeof text; s++) {
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "%s{ \"kind\": \"%s\", \"database\": \"%s\", \"iterations\": %d,"
                               " \"preview_every\": 1000000, \"checkpoint_every\": 1000000 }",
                               s ? ", " : " ", stages[s].kind, database, stages[s].iterations * (full ? 5 : 1));
    }
    if (at + 4 > sizeof text) {
        cli_error(err, AM_ERR_LIMIT, database, "the path is too long for the bench");
        return AM_ERR_LIMIT;
    }
    memcpy(text + at, " ] }", 5);
    return am_file_write(path, text, at + 4, err);
}

static void add_rows(bench *b, lmm_times *t, const char *set)
{
    static const struct {
        const char *subject;
        double public_ms;
    } rows[stage_count] = { { "train lmm decompressor batch=32", 24.0 },
                            { "train lmm stepper batch=32", 28.0 },
                            { "train lmm projector batch=32", 156.0 } };
    for (int s = 0; s < stage_count; s++) {
        uint64_t bits = 0;
        memcpy(&bits, &t->loss[s], sizeof bits);
        if (t->count[s] > 0) {
            bench_row(b, rows[s].subject, "amble", 32, set, t->us[s], t->count[s], bits);
            const double least = bench_least_us(b, rows[s].subject, "amble", 32, set);
            bench_note(
                b, "%s: the public scripts take %.0f ms per iteration here (measured once, not in this run): %.1fx",
                rows[s].subject, rows[s].public_ms, 1000.0 * rows[s].public_ms / least);
        }
    }
}

int bench_train_lmm(bench *b)
{
    static lmm_times times; // some kilobytes, and only one bench runs
    const char *config = bench_config(b)                             ? bench_config(b)
                         : cli_database_has_data("locomotion_gaits") ? "locomotion_gaits"
                                                                     : "synth";
    char folder[512], recipe[600], output[600], database[600];
    am_error err = { 0 };
    am_db *db = NULL;
    am_tasks serial = ami_tasks_serial();
    am_progress quiet = cli_quiet_progress();
    am_result result = cli_database_open(&db, config, &serial, &quiet, &err);
    if (!ami_folder_make_temporary(folder, sizeof folder, "amble-bench") && result == AM_OK) {
        cli_error(&err, AM_ERR_WRITE, folder, "cannot create a folder for the bench; set TMPDIR");
        result = AM_ERR_WRITE;
    }
    snprintf(recipe, sizeof recipe, "%s/recipe.json", folder);
    snprintf(output, sizeof output, "%s/out.amnet", folder);
    snprintf(database, sizeof database, "%s/db.amdb", folder);
    if (result == AM_OK) {
        result = am_db_write(db, database, &err);
    }
    if (result == AM_OK) {
        result = write_recipe(recipe, database, bench_full(b), &err);
    }
    memset(&times, 0, sizeof times);
    if (result == AM_OK) {
        am_train_def def;
        am_train_def_init(&def);
        am_train_summary summary;
        def.recipe = recipe;
        def.output = output;
        def.threads = 2;
        def.report = note_time;
        def.report_user = &times;
        result = am_train_run(&summary, &def, &err);
    }
    if (result == AM_OK) {
        bench_note(b, "lmm: %s, %d frames, %d joints, %d features", config, db->frame_count, db->joint_count,
                   db->features.count);
        add_rows(b, &times, "2 threads");
    }
    am_db_close(db);
    ami_folder_remove(folder);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}

#else

int bench_train_lmm(bench *b)
{
    (void)b;
    return CLI_DONE;
}

#endif

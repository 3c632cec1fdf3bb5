// The part of amble bench load that goes from a database file to the first pose: asset, an actor that follows paths,
// one step. Variants: amble (facts, filters and index are sections of the file), measured (the same frames in a file
// without these sections, as written before version 2).
#include "bench.h"

#include "database.h"
#include <amble/actor.h>
#include <amble/tools/database.h>
#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { usual_rounds = 15, most_rounds = 100 };

/// Microseconds from `path` to the first pose, or a negative number; the checksum is of the actor.
static double time_first_pose(const char *path, uint64_t *checksum, am_error *err)
{
    am_asset *asset = NULL;
    am_actor *actor = NULL;
    am_asset_file file = { .name = path };
    double begun = bench_now_us();
    am_result result = am_asset_open(&asset, &file, 1, NULL, err);
    if (result == AM_OK) {
        am_actor_def def;
        am_actor_def_init(&def, asset);
        def.path_points = 64;
        result = am_actor_create(&actor, &def, err);
    }
    double us = -1.0;
    if (result == AM_OK) {
        am_intent intent;
        am_actor_steer(actor, &intent, &(am_stick){ .y = 1.0f });
        am_actor_step(actor, &intent, 1.0f / 60.0f);
        us = bench_now_us() - begun;
        *checksum = am_actor_hash(actor);
    }
    am_actor_destroy(actor);
    am_asset_close(asset);
    return us;
}

/// Writes the database once as it is and once without what follows from its frames.
static am_result write_both(char paths[2][640], const char *folder, const am_db *db, am_error *err)
{
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.amdb", folder, i);
    }
    am_db *plain = NULL;
    am_db_copy_def def = am_db_copy_def_default();
    def.db = db;
    def.contacts = db->contacts; // given from outside, so that the copy leaves out what was measured with others
    am_result result = am_db_copy(&plain, &def, err);
    result = result == AM_OK ? am_db_write(db, paths[0], err) : result;
    result = result == AM_OK ? am_db_write(plain, paths[1], err) : result;
    am_db_close(plain);
    return result;
}

int bench_open(bench *b)
{
    static const char *const variants[2] = { "amble", "measured" };
    const char *config = cli_database_has_data("locomotion") ? "locomotion" : "synth";
    am_db *db = NULL;
    am_error err = { 0 };
    am_progress progress = cli_progress();
    am_result result = cli_database_open(&db, config, NULL, &progress, &err);
    cli_progress_end();
    char paths[2][640] = { "", "" }, folder[512] = "";
    if (result == AM_OK && !ami_folder_make_temporary(folder, sizeof folder, "amble-bench")) {
        result = cli_error(&err, AM_ERR_WRITE, NULL, "cannot create a temporary folder; set TMPDIR");
    }
    result = result == AM_OK ? write_both(paths, folder, db, &err) : result;
    int rounds = bench_rounds(b, usual_rounds, most_rounds);
    double us[2][most_rounds] = { { 0.0 } };
    uint64_t checksum[2] = { 0, 0 };
    // Round -1 warms caches and is not counted.
    for (int round = -1; result == AM_OK && round < rounds; round++) {
        for (int v = 0; v < 2; v++) {
            double took = time_first_pose(paths[v], &checksum[v], &err);
            us[v][round < 0 ? 0 : round] = took;
            result = took < 0.0 ? err.code : result;
        }
    }
    for (int v = 0; v < 2; v++) {
        if (result == AM_OK) {
            bench_row(b, "file to first pose", variants[v], db->frame_count, config, us[v], rounds, checksum[v]);
        }
    }
    ami_folder_remove(folder);
    am_db_close(db);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}

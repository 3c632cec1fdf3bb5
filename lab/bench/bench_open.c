// A part of amble bench load: from a database's file to the first pose of a character. Open, index, source, character
// that follows paths, one step. Variants: amble (facts, filters and index are sections of the file), measured (the
// same frames in a file without these sections, as versions before 2 wrote it).
#include "bench.h"

#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { usual_rounds = 15, most_rounds = 100 };

/// Microseconds from `path` to the first pose, or a negative number; the checksum is of the character.
static double time_first_pose(const char *path, uint64_t *checksum, am_error *err)
{
    am_db *db = NULL;
    am_index *index = NULL;
    am_source *source = NULL;
    am_character *character = NULL;
    double begun = bench_now_us();
    am_result result = am_db_open(&db, path, NULL, err);
    if (result == AM_OK) {
        am_index_def def = am_index_def_default();
        def.db = db;
        result = am_index_create(&index, &def, err);
    }
    if (result == AM_OK) {
        am_match_def def = am_match_def_default();
        def.db = db;
        def.index = index;
        result = am_match_create(&source, &def, err);
    }
    if (result == AM_OK) {
        am_character_def def = am_character_def_default();
        def.source = source;
        def.path_points = 64;
        result = am_character_create(&character, &def, err);
    }
    double us = -1.0;
    if (result == AM_OK) {
        am_intent intent = { .velocity = am_v3(0.0f, 0.0f, am_intent_def_of(db).walk_mps) };
        am_character_step(character, &intent, 1.0f / 60.0f);
        us = bench_now_us() - begun;
        *checksum = am_character_hash(character);
    }
    am_character_destroy(character);
    am_source_destroy(source);
    am_index_destroy(index);
    am_db_close(db);
    return us;
}

/// Writes the database once as it is and once without what follows from its frames.
static am_result write_both(char paths[2][640], const am_db *db, am_error *err)
{
    const char *temporary = getenv("TMPDIR");
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%.500s/amble-bench-%ld-%d.amdb", temporary ? temporary : "/tmp",
                 (long)getpid(), i);
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
    char paths[2][640] = { "", "" };
    result = result == AM_OK ? write_both(paths, db, &err) : result;
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
        remove(paths[v]);
    }
    am_db_close(db);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}

// Kept databases: opened as they are while nothing that they are made of has changed, built anew when something has;
// and clips and pieces, which import and build name alike.
#include "support/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <utime.h>

#define CONFIG "{\"clips\": {\"folders\": [\"clips\"]}, \"tags\": \"tags.csv\", " FEATURES "}"

static bool built; // what the progress hook saw since it was last set to false

static bool see(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)user;
    (void)stage;
    (void)done;
    (void)total;
    built = true;
    return true;
}

/// Opens the kept database of a folder; `built` says whether that took a build.
static uint64_t open_kept(const char *folder)
{
    char config[1200];
    char file[1200];
    snprintf(config, sizeof config, "%s/config.json", folder);
    snprintf(file, sizeof file, "%s/kept.amdb", folder);
    am_progress progress = { NULL, see };
    am_build_def def = am_build_def_default();
    def.config_path = config;
    def.progress = &progress;
    am_db *db = NULL;
    am_error err = { 0 };
    built = false;
    check_ok(am_build_open(&db, &def, file, &err), &err);
    assert_true(am_build_is_fresh(&def, file));
    uint64_t hash = db->hash;
    am_db_close(db);
    return hash;
}

static void replace(const char *folder, const char *name, const char *text)
{
    char path[1200];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_ok(am_file_write(path, text, strlen(text), &err), &err);
}

static void only_what_changed_is_built_again(void **state)
{
    (void)state;
    const char *folder = make_folder("cache", CONFIG);
    replace(folder, "tags.csv", "walk, one, 0, 9\n");
    uint64_t first = open_kept(folder);
    assert_true(built);
    assert_true(open_kept(folder) == first);
    assert_false(built);
    replace(folder, "kept.amdb", "");
    assert_true(open_kept(folder) == first); // a stamp without its database is no database
    assert_true(built);
    replace(folder, "tags.csv", "walk, one, 0, 8\n");
    uint64_t second = open_kept(folder);
    assert_true(built && second != first);
    replace(folder, "config.json", CONFIG " ");
    open_kept(folder);
    assert_true(built);
}

static void clips_are_known_by_their_bytes(void **state)
{
    (void)state;
    const char *folder = make_folder("cache_clips", CONFIG);
    replace(folder, "tags.csv", "walk, one, 0, 9\n");
    uint64_t first = open_kept(folder);
    char path[1200];
    snprintf(path, sizeof path, "%s/clips/walk.bvh", folder);
    const struct utimbuf old = { 1000, 1000 };
    assert_int_equal(utime(path, &old), 0); // another time, the same bytes
    assert_true(open_kept(folder) == first);
    assert_false(built);
    size_t size = 0;
    char *text = test_read_file(path, &size);
    char *digit = strrchr(text, '.') + 1;
    *digit = *digit == '1' ? '2' : '1'; // another number, the same size
    am_error err = { 0 };
    check_ok(am_file_write(path, text, size, &err), &err);
    open_kept(folder);
    assert_true(built);
    // Edits within one second, and the same size.
    struct timespec times[2] = { { 2000, 1000000 }, { 2000, 1000000 } };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    open_kept(folder);
    *digit = *digit == '3' ? '4' : '3';
    check_ok(am_file_write(path, text, size, &err), &err);
    free(text);
    times[1].tv_nsec = 2000000;
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    open_kept(folder);
    assert_true(built);
    assert_int_equal(remove(path), 0);
    replace(folder, "tags.csv", "curve, one, 0, 9\n");
    open_kept(folder);
    assert_true(built);
}

static void a_damaged_or_foreign_file_is_built_again(void **state)
{
    (void)state;
    const char *folder = make_folder("cache_damage", CONFIG);
    replace(folder, "tags.csv", "walk, one, 0, 9\n");
    uint64_t first = open_kept(folder);
    static const char *const names[] = { "kept.amdb", "kept.stamp", "kept.stamp" };
    static const char *const texts[] = { "no database", "no stamp", "" };
    for (int i = 0; i < 3; i++) {
        replace(folder, names[i], texts[i]);
        assert_true(open_kept(folder) == first);
        assert_true(built);
    }
}

static void a_config_without_clips_gets_procedural_motion(void **state)
{
    (void)state;
    const char *folder = make_folder("cache_synth", "{" FEATURES "}");
    uint64_t first = open_kept(folder);
    assert_true(built);
    assert_true(open_kept(folder) == first);
    assert_false(built);
}

static void missing_motion_is_told(void **state)
{
    (void)state;
    const char *folder = make_folder("cache_missing", "{\"clips\": {\"sets\": [\"nowhere\"]}, " FEATURES "}");
    char config[1200];
    snprintf(config, sizeof config, "%s/config.json", folder);
    am_build_def def = am_build_def_default();
    def.config_path = config;
    am_db *db = NULL;
    am_error err = { 0 };
    assert_false(am_build_has_clips(&def));
    check_refused(am_build_open(&db, &def, "kept.amdb", &err), AM_ERR_OPEN);
    assert_null(db);
}

static void piece_names_count_on_behind_z(void **state)
{
    (void)state;
    char name[64];
    am_piece_name(name, sizeof name, "walk", 0, 1);
    assert_string_equal(name, "walk");
    am_piece_name(name, sizeof name, "walk", 25, 27);
    assert_string_equal(name, "walk-z");
    am_piece_name(name, sizeof name, "walk", 26, 27);
    assert_string_equal(name, "walk-a1");
    am_piece_name(name, sizeof name, "a_name_of_more_than_the_forty_eight_bytes_that_there_are_for_it", 1, 2);
    assert_string_equal(name, "a_name_of_more_than_the_forty_eight_bytes_that_t-b");
}

/// A GLB of two clips in a folder of its own.
static void write_two(const char *folder)
{
    am_synth synths[2] = { 0 };
    am_error err = { 0 };
    for (int i = 0; i < 2; i++) {
        am_synth_def def = am_synth_def_default();
        def.kind = i ? AM_SYNTH_RUN : AM_SYNTH_WALK;
        check_ok(am_synth_make(&synths[i], &def, &err), &err);
    }
    const am_clip *clips[2] = { synths[0].clip, synths[1].clip };
    am_write_def write = am_write_def_default();
    am_bytes bytes = { 0 };
    check_ok(am_glb_write(&bytes, clips, 2, &write, &err), &err);
    char path[1300];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/two.glb", folder);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_synth_free(&synths[0]);
    am_synth_free(&synths[1]);
}

static void import_and_build_name_clips_alike(void **state)
{
    (void)state;
    char folder[1200];
    char config[1200];
    const char *home = make_folder("cache_names", "{" FEATURES "}");
    snprintf(folder, sizeof folder, "%s/two", home);
    snprintf(config, sizeof config, "%s/config.json", home);
    write_two(folder);
    am_error err = { 0 };
    am_import import = am_import_begin(NULL);
    check_ok(am_import_add(&import, folder, &err), &err);
    check_ok(am_import_read(&import, &err), &err);
    assert_int_equal(import.count, 2);
    assert_int_equal(import.clips[1].file, 0); // one file, read once
    am_build_def def = am_build_def_default();
    def.config_path = config;
    def.clips_dir = folder;
    am_db *db = NULL;
    check_ok(am_build(&db, NULL, &def, &err), &err);
    assert_int_equal(db->range_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(import.clips[i].name, "two#", 4);
        assert_string_equal(db->ranges[i].name, import.clips[i].name);
    }
    am_db_close(db);
    am_import_free(&import);
}

TEST_SUITE(build_cache)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_changed_is_built_again),
        cmocka_unit_test(clips_are_known_by_their_bytes),
        cmocka_unit_test(a_damaged_or_foreign_file_is_built_again),
        cmocka_unit_test(a_config_without_clips_gets_procedural_motion),
        cmocka_unit_test(missing_motion_is_told),
        cmocka_unit_test(piece_names_count_on_behind_z),
        cmocka_unit_test(import_and_build_name_clips_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

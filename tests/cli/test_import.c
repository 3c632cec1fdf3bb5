// amble import as a user calls it: files, folders, unreadable files, --fix, --json, wrong usage.
#include "support/alter.h"
#include "support/motion.h"

static char text[1 << 20];

/// Parses stdout of --json and gives its list of files.
static const am_json *files_of(am_json_doc **doc)
{
    am_error err = { 0 };
    check_ok(am_json_parse(doc, text, strlen(text), "stdout", NULL, &err), &err);
    const am_json *files = am_json_get(am_json_root(*doc), "files");
    assert_non_null(files);
    assert_int_equal(files->type, AM_JSON_ARRAY);
    return files;
}

static const char *string_of(const am_json *object, const char *key)
{
    const am_json *value = am_json_get(object, key);
    assert_non_null(value);
    assert_int_equal(value->type, AM_JSON_STRING);
    return value->string;
}

static void json_has_the_promised_keys(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("import-json");
    char path[1200];
    snprintf(path, sizeof path, "%s/walk.bvh", dir);
    alter_write_walker(path, true);
    assert_int_equal(test_shell(text, sizeof text, "%s import --json '%s' 2>/dev/null", test_command(), path), 0);
    am_json_doc *doc = NULL;
    const am_json *files = files_of(&doc);
    assert_int_equal(files->count, 1);
    const am_json *file = files->first;
    assert_string_equal(string_of(file, "file"), path);
    check_near(am_json_get(file, "fps")->number, 60.0, 0.01);
    check_near(am_json_get(file, "fps_true")->number, 60.0, 0.01);
    check_near(am_json_get(file, "frames")->number, 300.0, 0.0);
    check_near(am_json_get(file, "unit_m")->number, 0.01, 1e-9);
    assert_string_equal(string_of(file, "up"), "+z");
    assert_string_equal(string_of(file, "facing"), "-y");
    const am_json *joints = am_json_get(file, "joints");
    assert_string_equal(string_of(joints, "hips"), "Hips");
    assert_string_equal(string_of(joints, "left_foot"), "LeftFoot");
    assert_string_equal(string_of(joints, "right_toe"), "RightToeBase");
    const am_json *warnings = am_json_get(file, "warnings");
    bool found = false;
    for (const am_json *w = warnings->first; w; w = w->next) {
        bool there = am_json_get(w, "frame")->number == 140.0;
        found = found || (strcmp(string_of(w, "code"), "range") == 0 && there && strlen(string_of(w, "text")) > 10);
    }
    assert_true(found);
    am_json_free(doc);
}

static void folders_are_walked_and_one_bad_file_does_not_stop_the_rest(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("import-folder");
    char path[1300];
    assert_int_equal(test_shell(NULL, 0, "mkdir -p '%s/deep/er'", dir), 0);
    snprintf(path, sizeof path, "%s/deep/er/b.bvh", dir);
    alter_write_walker(path, false);
    snprintf(path, sizeof path, "%s/a.bvh", dir);
    alter_write_walker(path, false);
    assert_int_equal(
        test_shell(NULL, 0, "echo HIERARCHY nonsense > '%s/deep/broken.bvh'; echo hello > '%s/notes.txt'", dir, dir),
        0);
    int status =
        test_shell(text, sizeof text, "%s import --json --threads 2 '%s' 2>'%s/err'", test_command(), dir, dir);
    assert_int_equal(status, 1);
    am_json_doc *doc = NULL;
    const am_json *files = files_of(&doc);
    assert_int_equal(files->count, 3); // in name order
    assert_non_null(strstr(string_of(files->first, "file"), "a.bvh"));
    assert_non_null(am_json_get(files->first->next, "error"));
    assert_null(am_json_get(files->first->next, "fps"));
    const am_json *last = files->first->next->next;
    assert_string_equal(string_of(last, "up"), "+z");
    bool duplicate = false;
    for (const am_json *w = am_json_get(last, "warnings")->first; w; w = w->next) {
        duplicate = duplicate || strcmp(string_of(w, "code"), "duplicate") == 0;
    }
    assert_true(duplicate);
    am_json_free(doc);
    snprintf(path, sizeof path, "%s/err", dir);
    char *err = test_read_file(path, NULL);
    assert_non_null(strstr(err, "amble: "));
    assert_non_null(strstr(err, "broken.bvh"));
    free(err);
}

static void fix_writes_clean_clips_that_need_no_doctor(void **state)
{
    (void)state;
    char dir[1024];
    snprintf(dir, sizeof dir, "%s", test_temp_dir("import-fix"));
    char path[1200];
    snprintf(path, sizeof path, "%s/walk.bvh", dir);
    alter_write_walker(path, true);
    assert_int_equal(
        test_shell(text, sizeof text, "%s import '%s' --fix -o '%s/clean' 2>/dev/null", test_command(), path, dir),
        0);
    assert_non_null(strstr(text, "range"));
    assert_int_equal(test_shell(text, sizeof text, "ls '%s/clean'", dir), 0);
    assert_string_equal(text, "walk-a.bvh\nwalk-b.bvh\n");
    assert_int_equal(test_shell(text, sizeof text, "%s import --json '%s/clean' 2>/dev/null", test_command(), dir),
                     0);
    am_json_doc *doc = NULL;
    for (const am_json *file = files_of(&doc)->first; file; file = file->next) {
        check_near(am_json_get(file, "unit_m")->number, 1.0, 0.0);
        assert_string_equal(string_of(file, "up"), "+y");
        assert_string_equal(string_of(file, "facing"), "+z");
        assert_int_equal(am_json_get(file, "warnings")->count, 0);
    }
    am_json_free(doc);
}

static void a_full_disk_behind_stdout_is_a_failure(void **state)
{
    (void)state;
    assert_int_equal(test_shell(NULL, 0, "%s --help >/dev/full 2>/dev/null", test_command()), 1);
}

static void every_animation_of_a_glb_is_an_entry_of_its_own(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("import-glb");
    am_clip *walks = test_walker(120);
    am_clip *stands = test_walker(1);
    const am_clip *clips[2] = { walks, stands };
    am_bytes bytes = { 0 };
    am_write_def def = am_write_def_default();
    am_error err = { 0 };
    char path[1200];
    snprintf(path, sizeof path, "%s/two.glb", dir);
    check_ok(am_glb_write(&bytes, clips, 2, &def, &err), &err);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_clip_destroy(walks);
    am_clip_destroy(stands);
    snprintf(path, sizeof path, "%s/walk.bvh", dir);
    alter_write_walker(path, false);
    assert_int_equal(test_shell(text, sizeof text, "%s import --json '%s' 2>/dev/null", test_command(), dir), 0);
    am_json_doc *doc = NULL;
    const am_json *files = files_of(&doc);
    assert_int_equal(files->count, 3);
    assert_non_null(strstr(string_of(files->first, "file"), "two.glb"));
    assert_non_null(strstr(string_of(files->first->next, "file"), "two.glb"));
    assert_non_null(strstr(string_of(files->first->next->next, "file"), "walk.bvh"));
    assert_non_null(am_json_get(files->first, "clip"));
    assert_true(am_json_get(files->first, "frames")->number > am_json_get(files->first->next, "frames")->number);
    am_json_free(doc);
}

static void what_is_told_on_the_command_line_is_believed(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("import-told");
    char path[1200];
    snprintf(path, sizeof path, "%s/walk.bvh", dir);
    alter_write_walker(path, false);
    assert_int_equal(test_shell(text, sizeof text,
                                "%s import --json --unit 0.02 --fps 50 --up +z --facing +x '%s' 2>/dev/null",
                                test_command(), path),
                     0);
    am_json_doc *doc = NULL;
    const am_json *file = files_of(&doc)->first;
    check_near(am_json_get(file, "unit_m")->number, 0.02, 1e-7);
    check_near(am_json_get(file, "fps_true")->number, 50.0, 0.0);
    assert_string_equal(string_of(file, "facing"), "+x");
    am_json_free(doc);
}

static void wrong_usage_is_told_apart_from_failure(void **state)
{
    (void)state;
    static const struct {
        const char *arguments;
        int status;
    } cases[] = {
        { "import", 2 },
        { "import --fix x.bvh", 2 },
        { "import -o somewhere x.bvh", 2 },
        { "import --up y x.bvh", 2 },
        { "import --unit -1 x.bvh", 2 },
        { "import --unit nan x.bvh", 2 },
        { "import --fps nan x.bvh", 2 },
        { "import --unitt 1 x.bvh", 2 },
        { "import --fix -o /proc/nothing/here x.bvh", 2 },
        { "import no-such-file.bvh", 1 },
        { "import --help", 0 },
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        int status = test_shell(NULL, 0, "%s %s >/dev/null 2>&1", test_command(), cases[i].arguments);
        if (status != cases[i].status) {
            fail_msg("'%s' gave %d, wanted %d", cases[i].arguments, status, cases[i].status);
        }
    }
    const char *dir = test_temp_dir("import-empty");
    assert_int_equal(test_shell(NULL, 0, "%s import '%s' 2>/dev/null", test_command(), dir), 1);
}

TEST_SUITE(import)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_promised_keys),
        cmocka_unit_test(folders_are_walked_and_one_bad_file_does_not_stop_the_rest),
        cmocka_unit_test(fix_writes_clean_clips_that_need_no_doctor),
        cmocka_unit_test(a_full_disk_behind_stdout_is_a_failure),
        cmocka_unit_test(every_animation_of_a_glb_is_an_entry_of_its_own),
        cmocka_unit_test(what_is_told_on_the_command_line_is_believed),
        cmocka_unit_test(wrong_usage_is_told_apart_from_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

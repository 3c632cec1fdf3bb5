// amble export: from any motion file to BVH, GLB, NPZ and CSV, and what it says when it cannot.
#include "support/check.h"
#include "support/motion.h"

static char folder[1000];

static int make_files(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_temp_dir("export"));
    am_clip *clips[2] = { test_random_clip(5, 8, 30, 60.0f), test_random_clip(5, 8, 12, 60.0f) };
    am_clip *named[2];
    const char *const names[2] = { "walk", "run" };
    am_error err = { 0 };
    for (int i = 0; i < 2; i++) {
        am_clip_def def = am_clip_def_like(clips[i]);
        def.frame_count = clips[i]->frame_count;
        def.rotations = clips[i]->rotations;
        def.translations = clips[i]->translations;
        def.name = names[i];
        check_ok(am_clip_create(&named[i], &def, &err), &err);
        am_clip_destroy(clips[i]);
    }
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    char path[1100];
    check_ok(am_glb_write(&bytes, (const am_clip *const *)named, 2, &def, &err), &err);
    snprintf(path, sizeof path, "%s/two.glb", folder);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_clip_destroy(named[0]);
    am_clip_destroy(named[1]);
    return 0;
}

static int run(char *out, size_t size, const char *arguments)
{
    return test_shell(out, size, "cd '%s' && '%s' %s 2>&1", folder, test_command(), arguments);
}

static am_clips load(const char *name)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    am_read_def def = am_read_def_default();
    am_clips clips;
    am_error err = { 0 };
    check_ok(am_motion_read_file(&clips, path, &def, &err), &err);
    return clips;
}

static void check_close(const am_clip *a, const am_clip *b, float scale, float tolerance)
{
    assert_int_equal(a->frame_count, b->frame_count);
    for (int f = 0; f < a->frame_count; f++) {
        for (int j = 0; j < a->skeleton->joint_count; j++) {
            int k = am_skeleton_find(b->skeleton, a->skeleton->names[j]);
            assert_true(k >= 0);
            am_vec3 gap = am_v3_sub(am_v3_scale(test_position(a, f, j), scale), test_position(b, f, k));
            assert_true(am_v3_length(gap) <= tolerance);
        }
    }
}

static void every_format_carries_the_motion_on(void **state)
{
    (void)state;
    char out[4000];
    assert_int_equal(run(out, sizeof out, "export two.glb -o all.npz"), 0);
    assert_non_null(strstr(out, "walk: 30 frames at 60 Hz, 8 joints"));
    assert_int_equal(run(out, sizeof out, "export all.npz -o again.glb"), 0);
    assert_int_equal(run(out, sizeof out, "export two.glb --clip run -o run.bvh"), 0);
    assert_int_equal(run(out, sizeof out, "export two.glb --clip 1 -o run.csv"), 0);
    am_clips first = load("two.glb"), again = load("again.glb"), bvh = load("run.bvh");
    assert_int_equal(again.count, 2);
    assert_true(am_clip_hash(first.items[0]) == am_clip_hash(again.items[0]));
    assert_true(am_clip_hash(first.items[1]) == am_clip_hash(again.items[1]));
    assert_string_equal(again.items[1]->name, "run");
    check_close(first.items[1], bvh.items[0], 1.0f, 1e-4f);
    char path[1100];
    snprintf(path, sizeof path, "%s/run.csv", folder);
    char *csv = test_read_file(path, NULL);
    int lines = 0;
    for (const char *at = csv; *at; at++) {
        lines += *at == '\n';
    }
    assert_int_equal(lines, 13);
    free(csv);
    am_clips_free(&first);
    am_clips_free(&again);
    am_clips_free(&bvh);
}

static void a_unit_turns_lengths_into_metres(void **state)
{
    (void)state;
    char out[4000];
    assert_int_equal(run(out, sizeof out, "export two.glb --unit-m 0.01 --clip walk -o small.glb"), 0);
    am_clips first = load("two.glb"), small = load("small.glb");
    check_close(first.items[0], small.items[0], 0.01f, 1e-6f);
    am_clips_free(&first);
    am_clips_free(&small);
}

static void json_names_what_was_written(void **state)
{
    (void)state;
    char out[4000];
    assert_int_equal(run(out, sizeof out, "export two.glb -o x.glb --json"), 0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, out, strlen(out), "stdout", NULL, &err), &err);
    const am_json *root = am_json_root(doc);
    assert_string_equal(am_json_get(root, "output")->string, "x.glb");
    assert_true(am_json_get(root, "bytes")->number > 1000);
    const am_json *clips = am_json_get(root, "clips");
    assert_int_equal(clips->count, 2);
    assert_string_equal(am_json_get(clips->first, "name")->string, "walk");
    am_json_free(doc);
}

static void contacts_of_a_walker_are_written(void **state)
{
    (void)state;
    am_clip *clip = test_walker(120);
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_glb_write(&bytes, (const am_clip *const *)&clip, 1, &def, &err), &err);
    char path[1100], out[4000];
    snprintf(path, sizeof path, "%s/walker.glb", folder);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
    assert_int_equal(run(out, sizeof out, "export walker.glb --contacts -o walker.csv"), 0);
    snprintf(path, sizeof path, "%s/walker.csv", folder);
    char *csv = test_read_file(path, NULL);
    assert_non_null(strstr(csv, ",left_contact,right_contact\n"));
    free(csv);
    // A made-up tree has no feet: that is said, not guessed.
    assert_int_equal(run(out, sizeof out, "export two.glb --contacts --clip 0 -o none.csv"), 1);
    assert_non_null(strstr(out, "two.glb"));
}

static void mistakes_are_told(void **state)
{
    (void)state;
    const struct {
        const char *arguments, *word;
        int status;
    } cases[] = { { "export two.glb", "-o OUT", 2 },
                  { "export -o x.glb", "one FILE", 2 },
                  { "export two.glb -o x.fbx", ".bvh, .glb, .npz or .csv", 2 },
                  { "export two.glb -o x", ".bvh, .glb, .npz or .csv", 2 },
                  { "export two.glb -o x.bvh", "choose with --clip: walk, run", 2 },
                  { "export two.glb --clip jump -o x.bvh", "it has: walk, run", 2 },
                  { "export two.glb --clip 2 -o x.bvh", "it has: walk, run", 2 },
                  { "export two.glb --unit-m -3 -o x.glb", "above 0", 2 },
                  { "export two.glb --clp 2 -o x.bvh", "--clip", 2 },
                  { "export missing.glb -o x.bvh", "missing.glb", 1 },
                  { "export two.glb --clip 0 -o nowhere/x.bvh", "nowhere/x.bvh", 1 },
                  { "export --help", "usage: amble export FILE", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[4000];
        int status = run(out, sizeof out, cases[i].arguments);
        if (status != cases[i].status || !strstr(out, cases[i].word)) {
            fail_msg("%s: status %d, %s", cases[i].arguments, status, out);
        }
    }
}

TEST_SUITE(export)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_carries_the_motion_on),
        cmocka_unit_test(a_unit_turns_lengths_into_metres),
        cmocka_unit_test(json_names_what_was_written),
        cmocka_unit_test(contacts_of_a_walker_are_written),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, make_files, NULL);
}

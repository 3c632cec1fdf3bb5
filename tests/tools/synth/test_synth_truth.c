// Synthetic motion: the same bits again, what is refused, the whole set, and truth written as text.
#include "tools/synth/synth_subject.h"
#include "support/refuse.h"

static uint64_t hash_of(const am_synth_def *def)
{
    subject s = make(def);
    uint64_t hash = am_clip_hash(s.synth.clip);
    for (int f = 0; f < s.frames; f++) {
        uint8_t contacts = s.synth.truth[f].contacts;
        hash = am_hash64(&contacts, 1, hash);
    }
    destroy(&s);
    return hash;
}

static void the_same_seed_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < case_count; i++) {
        am_synth_def def = def_of(i);
        assert_true(hash_of(&def) == hash_of(&def));
    }
    am_synth_def a = am_synth_def_default(), b = a;
    a.kind = b.kind = AM_SYNTH_WANDER;
    b.seed = 2;
    assert_true(hash_of(&a) != hash_of(&b));
}

static void the_rate_does_not_change_the_motion(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_START_STOP;
    def.seconds = 4.0f;
    subject fine = make(&def);
    def.fps = 30.0f;
    subject coarse = make(&def);
    for (int f = 0; f < coarse.frames; f++) {
        for (int j = 0; j < joints; j++) {
            assert_true(am_v3_distance(place(&coarse, f, j), place(&fine, 2 * f, j)) < 1e-5f);
        }
    }
    destroy(&fine);
    destroy(&coarse);
}

static void a_def_out_of_range_is_refused(void **state)
{
    (void)state;
    am_synth out;
    am_error err = { 0 };
    const am_synth_def good = am_synth_def_default();
    check_refused(am_synth_make(&out, NULL, &err), AM_ERR_DEF);
    am_synth_def def = good;
    def.cookie = 0;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_DEF);
    def = good;
    def.kind = AM_SYNTH_KIND_COUNT;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_DEF);
    static const float bad[] = { -1.0f, 1e9f, NAN };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        float *const fields[] = { &def.fps, &def.seconds, &def.speed, &def.turn, &def.side };
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
            def = good;
            *fields[k] = fields[k] == &def.side ? 0.5f * bad[i] : bad[i];
            check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
            assert_null(out.clip);
        }
    }
    def = good;
    def.kind = AM_SYNTH_STRAFE;
    def.speed = 3.0f;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
    def.kind = AM_SYNTH_CROUCH;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
    def.kind = AM_SYNTH_CURVE;
    def.turn = 2.0f;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
    am_synth_free(&out); // a refused one is empty
}

static am_result make_and_write(void *user, const am_alloc *alloc)
{
    am_synth_def def = am_synth_def_default();
    def.alloc = alloc;
    def.kind = *(const am_synth_kind *)user;
    def.seconds = 20.0f;
    am_synth out;
    am_error err = { 0 };
    am_bytes bytes = { 0 };
    am_result result = am_synth_make(&out, &def, &err);
    if (result == AM_OK) {
        result = am_synth_truth_csv(&bytes, &out, alloc, &err);
        am_bytes_free(&bytes);
    }
    if (result == AM_OK) {
        result = am_synth_tags_csv(&bytes, &out, alloc, &err);
        am_bytes_free(&bytes);
    }
    am_synth_free(&out);
    return refuse_checked(result, &err);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    am_synth_kind kinds[] = { AM_SYNTH_START_STOP, AM_SYNTH_JUMP, AM_SYNTH_SIT, AM_SYNTH_WANDER };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        assert_true(refuse_allocations(make_and_write, &kinds[k]) > 3);
    }
}

static void kinds_and_tags_have_names(void **state)
{
    (void)state;
    assert_string_equal(am_synth_kind_name(AM_SYNTH_STAND), "stand");
    assert_string_equal(am_synth_kind_name(AM_SYNTH_CORNER), "corner");
    assert_string_equal(am_synth_kind_name(AM_SYNTH_KIND_COUNT), "none");
    assert_string_equal(am_synth_tag_name(AM_SYNTH_TAG_CREEP), "creep");
    assert_string_equal(am_synth_tag_name(AM_SYNTH_TAG_COUNT), "none");
}

/// Minutes of the whole set, and whether every tag of it occurs.
static void the_set_covers_every_tag_in_a_few_minutes(void **state)
{
    (void)state;
    double seconds = 0.0;
    int seen[AM_SYNTH_TAG_COUNT] = { 0 };
    for (int i = 0; i < am_synth_all_count(); i++) {
        am_synth_def def = am_synth_all_item(i, 1);
        subject s = make(&def);
        assert_string_equal(s.synth.clip->name, def.name);
        assert_true(toe_slide(&s) < 1e-4f);
        seconds += (double)s.frames / 60.0;
        for (int f = 0; f < s.frames; f++) {
            seen[s.synth.truth[f].tag]++;
        }
        destroy(&s);
    }
    assert_true(seconds > 180.0 && seconds < 420.0);
    for (int t = 0; t < AM_SYNTH_TAG_COUNT; t++) {
        assert_true(seen[t] > 120); // two seconds
    }
    am_synth_def none = am_synth_all_item(-1, 1);
    assert_null(none.name);
}

static void truth_and_tags_are_written_as_text(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_CURVE;
    def.seconds = 1.0f;
    def.name = "bend";
    subject s = make(&def);
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_synth_truth_csv(&bytes, &s.synth, NULL, &err), &err);
    int lines = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        lines += bytes.data[i] == '\n';
    }
    assert_int_equal(lines, s.frames + 1);
    assert_memory_equal(bytes.data, "frame,left_toe,right_toe,", 25);
    am_bytes_free(&bytes);
    check_ok(am_synth_tags_csv(&bytes, &s.synth, NULL, &err), &err);
    assert_int_equal(bytes.size, strlen("bend, curve, 0, 60\nbend, walk, 0, 60\n"));
    assert_memory_equal(bytes.data, "bend, curve, 0, 60\nbend, walk, 0, 60\n", bytes.size);
    am_tag_sheet sheet;
    check_ok(am_tag_sheet_read(&sheet, (const char *)bytes.data, bytes.size, "tags.csv", NULL, &err), &err);
    assert_int_equal(sheet.row_count, 2);
    am_tag_sheet_free(&sheet);
    am_bytes_free(&bytes);
    destroy(&s);
}

static void a_clip_is_written_with_its_truth_and_tags(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_WALK;
    def.seconds = 1.0f;
    subject s = make(&def);
    am_bytes tags = { 0 };
    am_error err = { 0 };
    char dir[600], path[700];
    snprintf(dir, sizeof dir, "%s/", test_temp_dir("synth.write"));
    check_ok(am_synth_write(&s.synth, dir, am_motion_format_find(".npz"), &tags, &err), &err);
    check_ok(am_synth_write(&s.synth, dir, am_motion_format_find(".bvh"), &tags, &err), &err);
    assert_int_equal(tags.size, 2 * strlen("walk, walk, 0, 60\n"));
    am_bytes_free(&tags);
    static const char *const names[] = { "walk.npz", "walk.bvh" };
    for (int i = 0; i < 2; i++) {
        am_read_def read = am_read_def_default();
        am_clips clips;
        snprintf(path, sizeof path, "%s%s", dir, names[i]);
        check_ok(am_motion_read_file(&clips, path, &read, &err), &err);
        assert_int_equal(clips.items[0]->frame_count, s.frames);
        am_clips_free(&clips);
    }
    snprintf(path, sizeof path, "%swalk.truth.csv", dir);
    free(test_read_file(path, NULL));
    check_refused(am_synth_write(&s.synth, "/proc/none", am_motion_format_find(".bvh"), &tags, &err), AM_ERR_WRITE);
    am_bytes_free(&tags);
    destroy(&s);
}

TEST_SUITE(synth_truth)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(the_rate_does_not_change_the_motion),
        cmocka_unit_test(a_def_out_of_range_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(kinds_and_tags_have_names),
        cmocka_unit_test(the_set_covers_every_tag_in_a_few_minutes),
        cmocka_unit_test(truth_and_tags_are_written_as_text),
        cmocka_unit_test(a_clip_is_written_with_its_truth_and_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

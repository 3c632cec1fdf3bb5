// CSV: a header that names every column, one row a frame, numbers that read back as they were.
#include "support/check.h"
#include "support/motion.h"
#include "base/budget.h"

static char *write_csv(const am_clip *clip, const uint8_t *contacts)
{
    am_write_def def = am_write_def_default();
    def.contacts = contacts;
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_csv_write(&bytes, clip, &def, &err), &err);
    char *text = malloc(bytes.size + 1);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    am_bytes_free(&bytes);
    return text;
}

static void rows_hold_model_positions_and_local_rotations(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(3, 5, 4, 60.0f);
    const uint8_t contacts[4] = { 0, 1, 2, 3 };
    char *text = write_csv(clip, contacts);
    char *line = strtok(text, "\n");
    assert_non_null(
        strstr(line, "time,joint0.px,joint0.py,joint0.pz,joint0.qx,joint0.qy,joint0.qz,joint0.qw,joint1.px"));
    assert_non_null(strstr(line, "joint4.qw,left_contact,right_contact"));
    for (int f = 0; f < 4; f++) {
        line = strtok(NULL, "\n");
        assert_non_null(line);
        char *at = line;
        check_near(strtod(at, &at), f / 60.0, 1e-6);
        for (int j = 0; j < 5; j++) {
            am_vec3 p = test_position(clip, f, j);
            am_quat q = clip->rotations[f * 5 + j];
            const float wanted[7] = { p.x, p.y, p.z, q.x, q.y, q.z, q.w };
            for (int i = 0; i < 7; i++) {
                assert_int_equal(*at, ',');
                assert_true(strtof(at + 1, &at) == wanted[i]); // the same float again
            }
        }
        char marks[16];
        snprintf(marks, sizeof marks, ",%d,%d", f & 1, f >> 1 & 1);
        assert_string_equal(at, marks);
    }
    assert_null(strtok(NULL, "\n"));
    free(text);
    am_clip_destroy(clip);
}

static void awkward_names_are_quoted(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(3, 2, 1, 60.0f);
    am_clip_def def = am_clip_def_like(clip);
    const char *const names[2] = { "hips, lower", "the \"neck\"" };
    def.names = names;
    def.frame_count = 1;
    am_clip *named = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&named, &def, &err), &err);
    char *text = write_csv(named, NULL);
    assert_non_null(strstr(text, "time,\"hips, lower.px\",\"hips, lower.py\""));
    assert_non_null(strstr(text, ",\"the \"\"neck\"\".qw\"\n"));
    free(text);
    am_clip_destroy(named);
    am_clip_destroy(clip);
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(3, 40, 30, 60.0f);
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    def.cookie = 0;
    check_refused(am_csv_write(&bytes, clip, &def, &err), AM_ERR_DEF);
    size_t total = 0;
    for (size_t fail_at = 0; fail_at == 0 || fail_at <= total; fail_at++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = fail_at;
        am_alloc alloc = ami_budget_alloc(&budget);
        def = am_write_def_default();
        def.alloc = &alloc;
        check_refused(am_csv_write(&bytes, clip, &def, &err), fail_at == 0 ? AM_OK : AM_ERR_MEMORY);
        am_bytes_free(&bytes);
        total = fail_at == 0 ? budget.total_count : total;
        assert_int_equal(budget.live_count, 0);
    }
    assert_true(total > 3);
    clip->rotations[3].x = INFINITY;
    def = am_write_def_default();
    check_refused(am_csv_write(&bytes, clip, &def, &err), AM_ERR_NUMBER);
    am_clip_destroy(clip);
}

TEST_SUITE(csv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold_model_positions_and_local_rotations),
        cmocka_unit_test(awkward_names_are_quoted),
        cmocka_unit_test(what_cannot_be_written_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Plain arrays from an .npz.
#include "support/refuse.h"

#include <amble/tools/arrays.h>

/// An .npz of a synthetic walk: positions (frames, joints, 3) and more, names as text.
static char *make_file(size_t *size)
{
    const char *dir = test_temp_dir("arrays");
    char path[600];
    assert_int_equal(
        test_shell(NULL, 0, "%s synth walk -o %s --format npz --seconds 0.5 >/dev/null 2>&1", test_command(), dir),
        0);
    assert_int_equal(test_shell(NULL, 0, "mv \"$(ls %s/*.npz | head -n 1)\" %s/x.npz", dir, dir), 0);
    snprintf(path, sizeof path, "%s/x.npz", dir);
    return test_read_file(path, size);
}

static void arrays_have_rows_and_columns(void **state)
{
    (void)state;
    size_t size = 0;
    char *bytes = make_file(&size);
    am_arrays *arrays = NULL;
    am_error err = { 0 };
    check_ok(am_arrays_read(&arrays, bytes, size, "x.npz", NULL, &err), &err);
    const am_array *positions = am_arrays_find(arrays, "positions"), *rotations = am_arrays_find(arrays, "rotations");
    assert_non_null(positions);
    assert_non_null(rotations);
    assert_true(positions->rows >= 20 && positions->rows == rotations->rows);
    assert_int_equal(positions->columns % 3, 0);
    assert_int_equal(rotations->columns / 4, positions->columns / 3);
    double length = 0.0; // the first quaternion
    for (int i = 0; i < 4; i++) {
        length += (double)rotations->data[i] * (double)rotations->data[i];
    }
    check_near(length, 1.0, 1e-5);
    assert_null(am_arrays_find(arrays, "names")); // text
    assert_null(am_arrays_find(arrays, "position"));
    am_arrays_free(arrays);
    free(bytes);
}

static am_result read(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_arrays *arrays = NULL;
    am_error err = { 0 };
    const am_result result = am_arrays_read(&arrays, data, size, "x.npz", alloc, &err);
    am_arrays_free(arrays);
    return refuse_checked(result, &err);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    size_t size = 0;
    char *bytes = make_file(&size);
    const refuse_options options = { .truncations = 300, .flips = 300 };
    const refuse_counts counts = refuse_loop(read, NULL, bytes, size, &options);
    assert_true(counts.refused_truncations > 100 && counts.failed_allocations >= 2);
    free(bytes);
}

TEST_SUITE(arrays)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_rows_and_columns),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

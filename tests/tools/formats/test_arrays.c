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

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    const float a[6] = { 1.0f, -2.5f, 3e-20f, 4.0f, 5.0f, 6.0f }, b[2] = { 7.0f, 8.0f };
    const am_array items[2] = { { "asked", 2, 3, a }, { "b", 2, 1, b } };
    am_bytes bytes = { 0 };
    am_arrays *arrays = NULL;
    am_error err = { 0 };
    check_ok(am_arrays_write(&bytes, items, 2, &err), &err);
    check_ok(am_arrays_read(&arrays, bytes.data, bytes.size, "x.npz", NULL, &err), &err);
    assert_int_equal(arrays->count, 2);
    const am_array *asked = am_arrays_find(arrays, "asked"), *other = am_arrays_find(arrays, "b");
    assert_true(asked && asked->rows == 2 && asked->columns == 3);
    assert_memory_equal(asked->data, a, sizeof a);
    assert_true(other && other->rows == 2 && other->columns == 1);
    assert_memory_equal(other->data, b, sizeof b);
    am_arrays_free(arrays);
    am_bytes_free(&bytes);
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

static void files_are_read_once_and_a_miss_lists_their_arrays(void **state)
{
    (void)state;
    size_t size = 0;
    const char *dir = test_temp_dir("arrays");
    char path[600], copy[600];
    snprintf(path, sizeof path, "%s/x.npz", dir);
    snprintf(copy, sizeof copy, "%s/y.npz", dir);
    free(make_file(&size)); // in this folder
    assert_int_equal(test_shell(NULL, 0, "cp %s %s", path, copy), 0);
    am_array_files files = { 0 };
    am_error err = { 0 };
    const am_array *first = NULL, *other = NULL, *again = NULL;
    check_ok(am_array_files_find(&files, &first, path, "positions", &err), &err);
    check_ok(am_array_files_find(&files, &other, copy, "positions", &err), &err);
    remove(path); // it is not read again
    check_ok(am_array_files_find(&files, &again, path, "positions", &err), &err);
    assert_ptr_equal(first, again);
    assert_ptr_not_equal(first, other);
    assert_int_equal(first->rows, other->rows);
    check_refused(am_array_files_find(&files, &again, path, "position", &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "positions, rotations"));
    assert_string_equal(err.file, path);
    check_refused(am_array_files_find(&files, &again, "none.npz", "positions", &err), AM_ERR_OPEN);
    assert_null(again);
    am_array_files_free(&files);
    assert_int_equal(files.count, 0);
}

TEST_SUITE(arrays)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(arrays_have_rows_and_columns),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(files_are_read_once_and_a_miss_lists_their_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

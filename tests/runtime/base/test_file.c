// Files: mapped or read, written all or nothing, and what is said when that does not work.
#include "base/file_root.h"
#include "base/os.h"

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", test_temp_dir("base.file"));
    return 0;
}

static void check_content(const char *name, const void *data, size_t size)
{
    am_file file;
    am_error err = { 0 };
    check_ok(am_file_open(&file, name, &err), &err);
    assert_int_equal(file.size, size);
    assert_memory_equal(file.data, data, size);
    am_file_close(&file);
    assert_null(file.data);
    am_file_close(&file); // twice is fine
}

static void what_is_written_is_mapped_back(void **state)
{
    (void)state;
    enum { size = 100000 };
    char *data = malloc(size);
    assert_non_null(data);
    for (int i = 0; i < size; i++) {
        data[i] = (char)(i * 7);
    }
    am_error err = { 0 };
    check_ok(am_file_write(in_root("a.bin"), data, size, &err), &err);
    check_content(in_root("a.bin"), data, size);
    am_file file;
    check_ok(am_file_open(&file, in_root("a.bin"), &err), &err);
    assert_true(file.mapped);
    am_file_close(&file);
    check_ok(am_file_write(in_root("a.bin"), "short", 5, &err), &err); // replaces
    check_content(in_root("a.bin"), "short", 5);
    assert_int_equal(files_in_root(), 1);
    remove(in_root("a.bin"));
    free(data);
}

static void empty_files_are_fine(void **state)
{
    (void)state;
    am_error err = { 0 };
    check_ok(am_file_write(in_root("empty"), NULL, 0, &err), &err);
    am_file file;
    check_ok(am_file_open(&file, in_root("empty"), &err), &err);
    assert_int_equal(file.size, 0);
    assert_non_null(file.data);
    am_file_close(&file);
    am_file_close(NULL);
    remove(in_root("empty"));
}

static void a_file_that_cannot_be_opened_says_what_to_do(void **state)
{
    (void)state;
    am_file file;
    am_error err = { 0 };
    check_refused(am_file_open(&file, in_root("missing.bvh"), &err), AM_ERR_OPEN);
    assert_int_equal(err.code, AM_ERR_OPEN);
    assert_non_null(strstr(err.file, "missing.bvh"));
    assert_non_null(strstr(err.text, "check the name"));
    assert_null(file.data);
    check_refused(am_file_open(&file, root, &err), AM_ERR_OPEN);
    assert_non_null(strstr(err.text, "folder"));
    check_refused(am_file_open(&file, in_root("missing.bvh"), NULL), AM_ERR_OPEN);
    check_ok(am_file_write(in_root("plain"), "x", 1, &err), &err);
    check_refused(am_file_open(&file, in_root("plain/below"), &err), AM_ERR_OPEN);
    assert_non_null(strstr(err.text, "not a folder"));
    remove(in_root("plain"));
    char longer[600];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    check_refused(am_file_open(&file, longer, &err), AM_ERR_OPEN);
    assert_non_null(strstr(err.text, "too long"));
}

static void a_place_that_cannot_be_written_says_so(void **state)
{
    (void)state;
    am_error err = { 0 };
    check_refused(am_file_write(in_root("no/such/folder.txt"), "x", 1, &err), AM_ERR_WRITE);
    assert_non_null(strstr(err.text, "no such file or folder"));
    assert_non_null(strstr(err.file, "folder.txt"));
    check_refused(am_file_write(root, "x", 1, &err), AM_ERR_WRITE);
    assert_non_null(strstr(err.text, "it is a folder"));
    assert_int_equal(files_in_root(), 0);
}

static void an_output_is_checked_before_it_is_written(void **state)
{
    (void)state;
    am_error err = { 0 };
    check_ok(am_file_check_output(in_root("later.bin"), &err), &err);
    check_ok(am_file_check_output("later.bin", &err), &err); // of the working folder
    assert_int_equal(am_path_look(NULL, in_root("later.bin")), AM_PATH_NONE);
    check_refused(am_file_check_output(root, &err), AM_ERR_WRITE);
    assert_non_null(strstr(err.text, "is a folder"));
    check_refused(am_file_check_output(in_root("none/later.bin"), &err), AM_ERR_WRITE);
    assert_non_null(strstr(err.text, "does not exist"));
    assert_string_equal(err.file, in_root("none/later.bin"));
}

static void pieces_appear_only_when_committed(void **state)
{
    (void)state;
    am_error err = { 0 };
    check_ok(am_file_write(in_root("out"), "old", 3, &err), &err);
    am_outfile *file;
    check_ok(am_outfile_begin(&file, in_root("out"), &err), &err);
    check_ok(am_outfile_put(file, "new ", 4, &err), &err);
    check_ok(am_outfile_put(file, NULL, 0, &err), &err);
    check_content(in_root("out"), "old", 3);
    check_ok(am_outfile_put(file, "text", 4, &err), &err);
    check_ok(am_outfile_commit(file, &err), &err);
    check_content(in_root("out"), "new text", 8);
    assert_int_equal(files_in_root(), 1);
    remove(in_root("out"));
}

static void abort_leaves_nothing(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_outfile *file;
    check_ok(am_outfile_begin(&file, in_root("out"), &err), &err);
    check_ok(am_outfile_put(file, "half", 4, &err), &err);
    am_outfile_abort(file);
    assert_int_equal(files_in_root(), 0);
    am_outfile_abort(NULL);
}

static void two_writers_of_one_name_do_not_mix(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_outfile *a;
    am_outfile *b;
    check_ok(am_outfile_begin(&a, in_root("out"), &err), &err);
    check_ok(am_outfile_begin(&b, in_root("out"), &err), &err);
    check_ok(am_outfile_put(a, "aaaa", 4, &err), &err);
    check_ok(am_outfile_put(b, "bbbb", 4, &err), &err);
    check_ok(am_outfile_commit(a, &err), &err);
    check_content(in_root("out"), "aaaa", 4);
    check_ok(am_outfile_commit(b, &err), &err);
    check_content(in_root("out"), "bbbb", 4);
    assert_int_equal(files_in_root(), 1);
    remove(in_root("out"));
}

static void a_commit_that_cannot_rename_removes_its_bytes(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_outfile *file;
    check_ok(am_outfile_begin(&file, in_root("out"), &err), &err);
    check_ok(am_outfile_put(file, "x", 1, &err), &err);
    assert_true(am_folder_make(in_root("out"))); // the name is taken meanwhile
    check_refused(am_outfile_commit(file, &err), AM_ERR_WRITE);
    assert_int_equal(files_in_root(), 1);
    ami_folder_remove(in_root("out"));
}

static void the_version_has_three_parts(void **state)
{
    (void)state;
    int major, minor, patch;
    assert_int_equal(sscanf(am_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

TEST_SUITE(file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_mapped_back),
        cmocka_unit_test(empty_files_are_fine),
        cmocka_unit_test(a_file_that_cannot_be_opened_says_what_to_do),
        cmocka_unit_test(a_place_that_cannot_be_written_says_so),
        cmocka_unit_test(an_output_is_checked_before_it_is_written),
        cmocka_unit_test(pieces_appear_only_when_committed),
        cmocka_unit_test(abort_leaves_nothing),
        cmocka_unit_test(two_writers_of_one_name_do_not_mix),
        cmocka_unit_test(a_commit_that_cannot_rename_removes_its_bytes),
        cmocka_unit_test(the_version_has_three_parts),
    };
    return cmocka_run_group_tests(tests, make_root, NULL);
}

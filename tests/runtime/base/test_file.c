// Files: mapped or read, written all or nothing, and what is said when that does not work.
#include "support/check.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[512];
static char path[700];

static const char *in_root(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", test_temp_dir("base.file"));
    return 0;
}

static int files_in_root(void)
{
    DIR *dir = opendir(root);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        count += entry->d_name[0] != '.';
    }
    closedir(dir);
    return count;
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
    struct stat info;
    assert_int_equal(stat(in_root("a.bin"), &info), 0);
    assert_true(info.st_mode & S_IRUSR);
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

static void *feed(void *argument)
{
    FILE *pipe = fopen(argument, "wb");
    for (int i = 0; pipe && i < 30000; i++) {
        fputc(i % 251, pipe);
    }
    if (pipe) {
        fclose(pipe);
    }
    return NULL;
}

static void pipes_are_read_into_memory(void **state)
{
    (void)state;
    char name[700];
    snprintf(name, sizeof name, "%s", in_root("pipe"));
    assert_int_equal(mkfifo(name, 0600), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, feed, name), 0);
    am_file file;
    am_error err = { 0 };
    am_result result = am_file_open(&file, name, &err);
    pthread_join(writer, NULL);
    check_ok(result, &err);
    assert_false(file.mapped);
    assert_int_equal(file.size, 30000);
    for (int i = 0; i < 30000; i++) {
        assert_int_equal(file.data[i], i % 251);
    }
    am_file_close(&file);
    remove(name);
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
    assert_int_equal(mkdir(in_root("locked"), 0500), 0);
    if (geteuid() != 0) { // nothing is locked for root
        check_refused(am_file_write(in_root("locked/x"), "x", 1, &err), AM_ERR_WRITE);
        assert_non_null(strstr(err.text, "permission"));
    }
    rmdir(in_root("locked"));
    assert_int_equal(files_in_root(), 0);
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

static void a_program_that_ends_in_the_middle_leaves_nothing(void **state)
{
    (void)state;
    char name[700] = "";
    snprintf(name, sizeof name, "%s", in_root("cut/short.bin"));
    assert_int_equal(mkdir(in_root("cut"), 0700), 0);
    pid_t child = fork();
    if (child == 0) {
        static am_outfile *file; // stays reachable: the end is meant to be rude, not a leak
        am_error err = { 0 };
        am_outfile_begin(&file, name, &err);
        am_outfile_put(file, name, sizeof name, &err);
        _exit(130); // as the second Ctrl-C does
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(WEXITSTATUS(status), 130);
#ifdef __linux__
    assert_int_equal(rmdir(in_root("cut")), 0); // only an empty folder can be removed
#endif
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
    assert_int_equal(mkdir(in_root("out"), 0700), 0); // the name is taken meanwhile
    check_refused(am_outfile_commit(file, &err), AM_ERR_WRITE);
    assert_int_equal(files_in_root(), 1);
    rmdir(in_root("out"));
}

static void devices_are_written_straight_through(void **state)
{
    (void)state;
    am_error err = { 0 };
    struct stat info;
    check_ok(am_file_write("/dev/null", "x", 1, &err), &err);
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode)); // not replaced by a file
    am_outfile *file;
    check_ok(am_outfile_begin(&file, "/dev/null", &err), &err);
    am_outfile_abort(file);
    assert_int_equal(stat("/dev/null", &info), 0);
    if (stat("/dev/full", &info) == 0) {
        check_refused(am_file_write("/dev/full", "x", 1, &err), AM_ERR_WRITE);
        assert_non_null(strstr(err.text, "disk is full"));
        static const char large[100000]; // more than a stream buffers: the put fails, not only the commit
        check_refused(am_file_write("/dev/full", large, sizeof large, &err), AM_ERR_WRITE);
    }
}

// In a child, since the limit on file sizes holds for the whole process.
static void a_disk_that_fills_up_leaves_nothing(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = { 4096, 4096 };
        setrlimit(RLIMIT_FSIZE, &limit);
        static char data[1 << 20];
        am_error err = { 0 };
        bool good = am_file_write(in_root("big"), data, sizeof data, &err) == AM_ERR_WRITE;
        am_outfile *file;
        good = good && am_outfile_begin(&file, in_root("big"), &err) == AM_OK;
        if (good) { // a caller that only looks at the commit
            am_outfile_put(file, data, sizeof data, NULL);
            good = am_outfile_commit(file, &err) == AM_ERR_WRITE;
        }
        _exit(good && strlen(err.text) > 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(files_in_root(), 0);
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
        cmocka_unit_test(pipes_are_read_into_memory),
        cmocka_unit_test(a_file_that_cannot_be_opened_says_what_to_do),
        cmocka_unit_test(a_place_that_cannot_be_written_says_so),
        cmocka_unit_test(pieces_appear_only_when_committed),
        cmocka_unit_test(abort_leaves_nothing),
        cmocka_unit_test(a_program_that_ends_in_the_middle_leaves_nothing),
        cmocka_unit_test(two_writers_of_one_name_do_not_mix),
        cmocka_unit_test(a_commit_that_cannot_rename_removes_its_bytes),
        cmocka_unit_test(devices_are_written_straight_through),
        cmocka_unit_test(a_disk_that_fills_up_leaves_nothing),
        cmocka_unit_test(the_version_has_three_parts),
    };
    return cmocka_run_group_tests(tests, make_root, NULL);
}

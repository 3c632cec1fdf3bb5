// Files where POSIX has more than other systems: pipes, devices, permissions, programs and disks that end early.
#include "base/file_root.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", test_temp_dir("base.file_posix"));
    return 0;
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

static void a_locked_folder_says_so(void **state)
{
    (void)state;
    am_error err = { 0 };
    assert_int_equal(mkdir(in_root("locked"), 0500), 0);
    if (geteuid() != 0) { // nothing is locked for root
        check_refused(am_file_write(in_root("locked/x"), "x", 1, &err), AM_ERR_WRITE);
        assert_non_null(strstr(err.text, "permission"));
    }
    rmdir(in_root("locked"));
}

static void a_new_file_may_be_read_by_its_owner(void **state)
{
    (void)state;
    am_error err = { 0 };
    struct stat info;
    check_ok(am_file_write(in_root("mode"), "x", 1, &err), &err);
    assert_int_equal(stat(in_root("mode"), &info), 0);
    assert_true(info.st_mode & S_IRUSR);
    remove(in_root("mode"));
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

TEST_SUITE(file_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes_are_read_into_memory),
        cmocka_unit_test(a_locked_folder_says_so),
        cmocka_unit_test(a_new_file_may_be_read_by_its_owner),
        cmocka_unit_test(a_program_that_ends_in_the_middle_leaves_nothing),
        cmocka_unit_test(devices_are_written_straight_through),
        cmocka_unit_test(a_disk_that_fills_up_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_root, NULL);
}

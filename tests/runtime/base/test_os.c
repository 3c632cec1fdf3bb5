// The system as base shows it: paths, folders, clocks, locks, threads, the running program.
#include "support/check.h"

#include "base/thread.h"
#include "base/os.h"

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
    snprintf(root, sizeof root, "%s", test_temp_dir("base.os"));
    return 0;
}

static void write_file(const char *name, const char *text)
{
    am_error err = { 0 };
    check_ok(am_file_write(in_root(name), text, strlen(text), &err), &err);
}

static void a_path_says_what_it_leads_to(void **state)
{
    (void)state;
    am_path_info file, other;
    write_file("file", "12345");
    write_file("other", "1");
    assert_int_equal(am_path_look(&file, in_root("file")), AM_PATH_FILE);
    assert_int_equal(file.size, 5);
    assert_true(file.changed_ns / 1000000000 > 1600000000); // 2020: no clock of 1601 or 1970
    assert_int_equal(am_path_look(&other, in_root("other")), AM_PATH_FILE);
    assert_memory_not_equal(file.identity, other.identity, sizeof file.identity);
    assert_int_equal(am_path_look(&other, in_root("../base.os/file")), AM_PATH_FILE);
    assert_memory_equal(file.identity, other.identity, sizeof file.identity);
    assert_int_equal(am_path_look(NULL, root), AM_PATH_FOLDER);
    assert_int_equal(am_path_look(&other, in_root("none")), AM_PATH_NONE);
    assert_int_equal(other.kind, AM_PATH_NONE);
    assert_int_equal(other.size, 0);
    assert_true(am_path_is_absolute("/x"));
    assert_false(am_path_is_absolute("x/y"));
    assert_false(am_path_is_absolute(""));
    remove(in_root("file"));
    remove(in_root("other"));
}

static void paths_inside_a_file_are_relative_to_it(void **state)
{
    (void)state;
    char out[1024], file[600], small[4];
    assert_true(am_path_beside(out, sizeof out, "a/b/run.json", "../x.amdb"));
    assert_string_equal(out, "a/b/../x.amdb");
    assert_true(am_path_beside(out, sizeof out, "run.json", "x.amdb"));
    assert_string_equal(out, "x.amdb");
    assert_true(am_path_beside(out, sizeof out, "a/run.json", "/x.amdb"));
    assert_string_equal(out, "/x.amdb");
    assert_false(am_path_beside(small, sizeof small, "a/run.json", "x.amdb"));
    assert_true(am_folder_make(in_root("run")));
    assert_true(am_folder_make(in_root("runs")));
    write_file("runs/x.amdb", "");
    static const char *const cases[][2] = { { "run/r.json", "../runs/x.amdb" },
                                            { "runs/r.json", "x.amdb" },
                                            { "r.json", "runs/x.amdb" } };
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s/%s", root, cases[i][0]);
        assert_true(am_path_relative(out, sizeof out, file, in_root("run/../runs/x.amdb")));
        assert_string_equal(out, cases[i][1]);
    }
    assert_true(am_path_relative(out, sizeof out, "/r.json", in_root("runs/x.amdb")));
    assert_true(out[0] != '/' && strstr(out, "runs/x.amdb"));
    assert_false(am_path_relative(out, sizeof out, "r.json", in_root("none")));
    assert_string_equal(out, in_root("none"));
    remove(in_root("runs/x.amdb"));
}

static void names_outside_ascii_work(void **state)
{
    (void)state;
    am_folder_names names;
    assert_true(am_folder_make(in_root("gr\xc3\xbc\xc3\x9f")));
    write_file("gr\xc3\xbc\xc3\x9f/\xe6\xad\xa9.txt", "walk");
    assert_true(am_folder_list(&names, in_root("gr\xc3\xbc\xc3\x9f")));
    assert_int_equal(names.count, 1);
    assert_string_equal(names.items[0], "\xe6\xad\xa9.txt");
    am_folder_names_free(&names);
    ami_folder_remove(in_root("gr\xc3\xbc\xc3\x9f"));
    assert_int_equal(am_path_look(NULL, in_root("gr\xc3\xbc\xc3\x9f")), AM_PATH_NONE);
}

static void folders_are_made_listed_and_removed(void **state)
{
    (void)state;
    am_folder_names names;
    assert_false(am_folder_make(in_root("a/b")));
    assert_true(am_folder_make(in_root("a")));
    assert_true(am_folder_make(in_root("a"))); // it is there
    assert_true(am_folder_is_writable(in_root("a")));
    assert_false(am_folder_is_writable(in_root("b")));
    char name[32];
    for (int i = 99; i >= 0; i--) {
        snprintf(name, sizeof name, "a/%02d", i);
        write_file(name, "x");
    }
    write_file("a/.hidden", "x");
    assert_true(am_folder_list(&names, in_root("a")));
    assert_int_equal(names.count, 100);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "%02d", i);
        assert_string_equal(names.items[i], name);
    }
    am_folder_names_free(&names);
    assert_null(names.items);
    assert_false(am_folder_make(in_root("a/00"))); // a file has the name
    assert_true(am_folder_make_all(in_root("a/b/c")));
    assert_true(am_folder_make_all(in_root("a/b/c/d/")));
    assert_int_equal(am_path_look(NULL, in_root("a/b/c/d")), AM_PATH_FOLDER);
    assert_false(am_folder_make_all(in_root("a/00/b")));
    ami_folder_remove(in_root("a/b/c/d"));
    ami_folder_remove(in_root("a/b/c"));
    ami_folder_remove(in_root("a/b"));
    remove(in_root("a/.hidden"));
    ami_folder_remove(in_root("a"));
    assert_int_equal(am_path_look(NULL, in_root("a")), AM_PATH_NONE);
    assert_false(am_folder_list(&names, in_root("a")));
    assert_int_equal(names.count, 0);
    ami_folder_remove("");
}

static void temporary_folders_are_new(void **state)
{
    (void)state;
    char a[512], b[512], small[8];
    assert_true(ami_folder_make_temporary(a, sizeof a, "amble-test"));
    assert_true(ami_folder_make_temporary(b, sizeof b, "amble-test"));
    assert_string_not_equal(a, b);
    assert_int_equal(am_path_look(NULL, a), AM_PATH_FOLDER);
    assert_true(am_path_is_absolute(a));
    ami_folder_remove(a);
    ami_folder_remove(b);
    assert_int_equal(am_path_look(NULL, a), AM_PATH_NONE);
    assert_false(ami_folder_make_temporary(small, sizeof small, "amble-test"));
    assert_string_equal(small, "");
}

static void the_program_knows_its_place(void **state)
{
    (void)state;
    char program[1024], beside[1024], small[4];
    assert_true(am_program_path(program, sizeof program));
    assert_non_null(strstr(program, "/test_base"));
    assert_int_equal(am_path_look(NULL, program), AM_PATH_FILE);
    assert_true(am_program_beside(beside, sizeof beside, "test_base"));
    assert_string_equal(beside, program);
    assert_false(am_program_beside(beside, sizeof beside, "no_such_program"));
    assert_false(am_program_path(small, sizeof small));
}

static void clocks_go_on(void **state)
{
    (void)state;
    const double begun = am_clock_us(), begun_thread = am_clock_thread_us();
    am_sleep_us(20000.0);
    const double slept = am_clock_us() - begun;
    assert_true(slept >= 19000.0);
    assert_true(am_clock_thread_us() - begun_thread < slept);                     // asleep is not computing
    while (am_clock_thread_us() == begun_thread && am_clock_us() - begun < 5e6) { // may tick in steps of 16 ms
    }
    assert_true(am_clock_thread_us() > begun_thread);
    assert_true(am_processor_count() >= 1);
}

typedef struct counting {
    am_lock *lock;
    int count;
} counting;

static void count_up(void *user)
{
    counting *c = user;
    for (int i = 0; i < 20000; i++) {
        am_lock_take(c->lock);
        c->count++;
        am_lock_give(c->lock);
    }
}

static void a_lock_lets_one_thread_in(void **state)
{
    (void)state;
    counting c = { NULL, 0 };
    am_error err = { 0 };
    check_ok(am_lock_create(&c.lock, &err), &err);
    ami_thread threads[4];
    for (int i = 0; i < 4; i++) {
        assert_true(ami_thread_start(&threads[i], count_up, &c));
    }
    for (int i = 0; i < 4; i++) {
        ami_thread_join(&threads[i]);
    }
    assert_int_equal(c.count, 80000);
    am_lock_destroy(c.lock);
    am_lock_destroy(NULL);
}

TEST_SUITE(os)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_says_what_it_leads_to),
        cmocka_unit_test(paths_inside_a_file_are_relative_to_it),
        cmocka_unit_test(names_outside_ascii_work),
        cmocka_unit_test(folders_are_made_listed_and_removed),
        cmocka_unit_test(temporary_folders_are_new),
        cmocka_unit_test(the_program_knows_its_place),
        cmocka_unit_test(clocks_go_on),
        cmocka_unit_test(a_lock_lets_one_thread_in),
    };
    return cmocka_run_group_tests(tests, make_root, NULL);
}

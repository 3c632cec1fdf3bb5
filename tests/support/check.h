/// What every test includes: cmocka with what it needs, and a few comparisons of our own.
#ifndef AMBLE_TEST_CHECK_H
#define AMBLE_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <amble/tools/tools.h>

/// The tests of one file, which is called test_NAME.c: the body of this function runs them. A folder's files make one
/// program; its first argument says which of them run (main.c.in).
#define TEST_SUITE(name)                                                                                             \
    int suite_##name(int argc, char **argv);                                                                         \
    int suite_##name(int argc __attribute__((unused)), char **argv __attribute__((unused)))

/// |a - b| <= tolerance, naming both when it fails.
#define check_near(a, b, tolerance)                                                                                  \
    ami_check_near((double)(a), (double)(b), (double)(tolerance), #a, __FILE__, __LINE__)
void ami_check_near(double a, double b, double tolerance, const char *what, const char *file, int line);

/// result == AM_OK, printing the error when it is not.
#define check_ok(result, err) ami_check_ok((result), (err), __FILE__, __LINE__)
void ami_check_ok(am_result result, const am_error *err, const char *file, int line);

/// result == code, printing both names when it is not.
#define check_refused(result, code) ami_check_refused((result), (code), __FILE__, __LINE__)
void ami_check_refused(am_result result, am_result code, const char *file, int line);

/// Folder with the unpacked set ("locomotion", "accad_male1", ...), or NULL after saying on stdout that the
/// test is skipped because the real data is not here. Call skip() then.
const char *test_data_dir(const char *set);
/// The same as am_build_def's find_set.
bool test_find_set(void *user, const char *set, char *out, size_t size);
/// True when only what is quick is wanted (AMBLE_QUICK is set): ./run test without arguments, coverage, valgrind.
/// What takes long is skipped then, or runs on less; ./run test all has it whole.
bool test_quick(void);
/// An empty folder for this test's files below the build folder.
const char *test_temp_dir(const char *name);
/// The built command beside the tests.
const char *test_command(void);
/// Runs a shell command line; returns its exit status, and its stdout in out (terminated) when out is not NULL.
int test_shell(char *out, size_t size, const char *format, ...) AM_PRINTF(3, 4);
/// Memory aligned to 64, as a mapped file is; fails the test when there is none.
void *test_aligned(size_t size);
void test_aligned_free(void *block);
/// A whole file as terminated text, malloc'ed; fails the test when it cannot be read.
char *test_read_file(const char *path, size_t *size);

#endif

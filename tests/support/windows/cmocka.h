/// The part of cmocka that our tests use, for Windows, where Debian has no cmocka: the same names, one process, the
/// first failure ends a test.
#ifndef AMBLE_TEST_CMOCKA_H
#define AMBLE_TEST_CMOCKA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
};

#define cmocka_unit_test(fn)                                                                                         \
    {                                                                                                                \
#fn, fn, NULL, NULL                                                                                          \
    }
#define cmocka_unit_test_setup_teardown(fn, before, after)                                                           \
    {                                                                                                                \
#fn, fn, before, after                                                                                       \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                                               \
    shim_run(tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

int shim_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **), int (*teardown)(void **));
/// Ends the test that runs.
_Noreturn void _fail(const char *file, int line);
_Noreturn void shim_skip(void);
void shim_check(bool holds, const char *what, const char *file, int line);
void shim_check_equal(intmax_t a, intmax_t b, bool equal, const char *what, const char *file, int line);
void shim_check_text(const char *a, const char *b, bool equal, const char *what, const char *file, int line);

#define skip() shim_skip()
#define test_malloc(size) malloc(size) // without a look for leaks
#define test_free(block) free(block)
#define fail() _fail(__FILE__, __LINE__)
#define fail_msg(...) (printf(__VA_ARGS__), putchar('\n'), _fail(__FILE__, __LINE__))
#define print_error(...) printf(__VA_ARGS__)
#define print_message(...) printf(__VA_ARGS__)

#define assert_true(c) shim_check(!!(c), #c, __FILE__, __LINE__)
#define assert_false(c) shim_check(!(c), "!(" #c ")", __FILE__, __LINE__)
#define assert_null(p) shim_check((p) == NULL, #p " == NULL", __FILE__, __LINE__)
#define assert_non_null(p) shim_check((p) != NULL, #p " != NULL", __FILE__, __LINE__)
#define assert_ptr_equal(a, b) shim_check((const void *)(a) == (const void *)(b), #a " == " #b, __FILE__, __LINE__)
#define assert_ptr_not_equal(a, b)                                                                                   \
    shim_check((const void *)(a) != (const void *)(b), #a " != " #b, __FILE__, __LINE__)
#define assert_int_equal(a, b) shim_check_equal((intmax_t)(a), (intmax_t)(b), true, #a " == " #b, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)                                                                                   \
    shim_check_equal((intmax_t)(a), (intmax_t)(b), false, #a " != " #b, __FILE__, __LINE__)
#define assert_in_range(v, low, high)                                                                                \
    shim_check((uintmax_t)(v) >= (uintmax_t)(low) && (uintmax_t)(v) <= (uintmax_t)(high), #v, __FILE__, __LINE__)
#define assert_float_equal(a, b, eps)                                                                                \
    shim_check((a) - (b) <= (eps) && (b) - (a) <= (eps), #a " == " #b, __FILE__, __LINE__)
#define assert_string_equal(a, b) shim_check_text(a, b, true, #a " == " #b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) shim_check_text(a, b, false, #a " != " #b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) shim_check(memcmp(a, b, size) == 0, #a " == " #b, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) shim_check(memcmp(a, b, size) != 0, #a " != " #b, __FILE__, __LINE__)

#endif

// Runs the tests of a file and ends each at its first failure.
#include <cmocka.h>

#include <setjmp.h>

enum { passed, failed, skipped };

static jmp_buf out; // of the test that runs

_Noreturn void _fail(const char *file, int line)
{
    printf("%s:%d: failed\n", file, line);
    longjmp(out, failed);
}

_Noreturn void shim_skip(void) { longjmp(out, skipped); }

void shim_check(bool holds, const char *what, const char *file, int line)
{
    if (!holds) {
        printf("%s does not hold\n", what);
        _fail(file, line);
    }
}

void shim_check_equal(intmax_t a, intmax_t b, bool equal, const char *what, const char *file, int line)
{
    if ((a == b) != equal) {
        printf("%s: %jd, %jd\n", what, a, b);
        _fail(file, line);
    }
}

void shim_check_text(const char *a, const char *b, bool equal, const char *what, const char *file, int line)
{
    if ((strcmp(a, b) == 0) != equal) {
        printf("%s: \"%s\", \"%s\"\n", what, a, b);
        _fail(file, line);
    }
}

static int run_one(const struct CMUnitTest *test, void **state)
{
    const int result = setjmp(out);
    if (result == passed) {
        if (test->setup && test->setup(state) != 0) {
            _fail(test->name, 0);
        }
        test->test(state);
    }
    if (test->teardown && test->teardown(state) != 0) {
        return failed;
    }
    return result;
}

int shim_run(const struct CMUnitTest *tests, size_t count, int (*setup)(void **), int (*teardown)(void **))
{
    static const char *const words[] = { "OK", "FAILED", "SKIPPED" };
    int failures = 0;
    void *state = NULL;
    if (setup && setup(&state) != 0) {
        printf("the setup failed\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        const int result = run_one(&tests[i], &state);
        printf("[ %8s ] %s\n", words[result], tests[i].name);
        fflush(stdout);
        failures += result == failed;
    }
    if (teardown && teardown(&state) != 0) {
        failures++;
    }
    return failures;
}

// AM_ASSERT, and planted faults that the refusal loop must catch. Both end the process or the test, so they run in a
// child whose end is looked at.
#include "support/refuse.h"

#undef NDEBUG // alive in this file whatever the build
#include "base/assert.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs fn in a quiet child; gives its exit status, or 128 + the signal that ended it.
static int in_child(int (*fn)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int quiet = open("/dev/null", O_WRONLY);
        dup2(quiet, 1);
        dup2(quiet, 2);
        signal(SIGABRT, SIG_DFL);
        _exit(fn());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int asserts(bool condition)
{
    AM_ASSERT(condition);
    return 7;
}
static int assert_that_holds(void) { return asserts(true); }
static int assert_that_fails(void) { return asserts(false); }

static void a_failed_assert_aborts(void **state)
{
    (void)state;
    assert_int_equal(in_child(assert_that_holds), 7);
    assert_int_equal(in_child(assert_that_fails), 128 + SIGABRT);
}

// ---------------------------------------------------------------------------------------------
// A tiny format: "AB", a length byte, that many bytes, and a '!'. Its reader can be told to misbehave.

enum fault { none, leak_on_failure, accept_anything, hide_failed_allocation, wrong_result, silent_error };

static am_result read_tiny(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    enum fault fault = *(const enum fault *)user;
    uint8_t *copy = alloc->alloc(alloc->user, size + 1, 16);
    if (!copy) {
        return fault == hide_failed_allocation ? AM_OK : AM_ERR_MEMORY;
    }
    bool good = size >= 4 && data[0] == 'A' && data[1] == 'B' && data[2] == size - 4 && data[size - 1] == '!';
    if (good || fault != leak_on_failure) {
        alloc->release(alloc->user, copy, size + 1);
    }
    if (!good && fault == wrong_result) {
        return AM_ERR_COUNT;
    }
    am_error err = { .code = good ? AM_OK : AM_ERR_FORMAT, .text = "not a tiny file" };
    if (fault == silent_error) {
        err.text[0] = '\0';
    }
    return refuse_checked(good || fault == accept_anything ? AM_OK : AM_ERR_FORMAT, &err);
}

static enum fault planted; // of the child that is running

static void refuse_tiny(void **state)
{
    (void)state;
    refuse_counts counts = refuse_loop(read_tiny, &planted, "AB\003xyz!", 7, NULL);
    assert_int_equal(counts.refused_truncations, 7);
    assert_int_equal(counts.failed_allocations, 1);
}

static int run_refuse_tiny(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(refuse_tiny) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void the_refusal_loop_catches_planted_faults(void **state)
{
    (void)state;
    for (int fault = none; fault <= silent_error; fault++) {
        planted = (enum fault)fault;
        int status = in_child(run_refuse_tiny);
        if ((status == 0) != (fault == none)) {
            fail_msg("fault %d: the loop ended with %d", fault, status);
        }
    }
}

TEST_SUITE(assert)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_assert_aborts),
        cmocka_unit_test(the_refusal_loop_catches_planted_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

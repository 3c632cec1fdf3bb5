// The serial runner and the thread pool: every item once, any number of threads, nested jobs, jobs from many threads.
#include "support/check.h"

#include "base/batch.h"
#include "base/thread.h"
#include "base/budget.h"
#include "base/tasks.h"

#include <stdatomic.h>

enum { items = 5000 };

typedef struct tally {
    atomic_int seen[items];
    const am_tasks *tasks;
    int inner;
} tally;

static void count_item(void *context, int item)
{
    tally *t = context;
    atomic_fetch_add(&t->seen[item], 1);
}

static void check_once(tally *t, int count, int times)
{
    for (int i = 0; i < items; i++) {
        assert_int_equal(atomic_load(&t->seen[i]), i < count ? times : 0);
    }
}

static tally *make_tally(void)
{
    tally *t = calloc(1, sizeof *t);
    assert_non_null(t);
    return t;
}

static void serial_runs_in_order(void **state)
{
    (void)state;
    am_tasks tasks = ami_tasks_serial();
    assert_int_equal(tasks.threads, 1);
    tally *t = make_tally();
    tasks.run(tasks.user, items, count_item, t);
    check_once(t, items, 1);
    tasks.run(tasks.user, 0, count_item, t);
    check_once(t, items, 1);
    free(t);
}

static void a_pool_runs_every_item_once(void **state)
{
    (void)state;
    const int threads[] = { 1, 2, 8 };
    const int counts[] = { 0, 1, 2, 7, items };
    for (int i = 0; i < 3; i++) {
        am_pool *pool;
        am_error err = { 0 };
        check_ok(am_pool_create(&pool, threads[i], NULL, &err), &err);
        am_tasks tasks = *am_pool_tasks(pool);
        assert_int_equal(tasks.threads, threads[i]);
        for (int k = 0; k < 5; k++) {
            tally *t = make_tally();
            for (int round = 1; round <= 20; round++) {
                tasks.run(tasks.user, counts[k], count_item, t);
                check_once(t, counts[k], round);
            }
            free(t);
        }
        am_pool_destroy(pool);
    }
}

static void run_inner(void *context, int item)
{
    tally *outer = context;
    tally *t = make_tally();
    outer->tasks->run(outer->tasks->user, outer->inner, count_item, t);
    check_once(t, outer->inner, 1);
    free(t);
    count_item(context, item);
}

static void run_middle(void *context, int item)
{
    tally *outer = context;
    tally *t = make_tally();
    t->tasks = outer->tasks;
    t->inner = 10;
    outer->tasks->run(outer->tasks->user, 6, run_inner, t);
    check_once(t, 6, 1);
    free(t);
    count_item(context, item);
}

static void nested_jobs_do_not_deadlock(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads *= 2) {
        am_pool *pool;
        check_ok(am_pool_create(&pool, threads, NULL, NULL), NULL);
        am_tasks tasks = *am_pool_tasks(pool);
        tally *t = make_tally();
        t->tasks = &tasks;
        tasks.run(tasks.user, 30, run_middle, t);
        check_once(t, 30, 1);
        free(t);
        am_pool_destroy(pool);
    }
}

typedef struct caller {
    const am_tasks *tasks;
    bool all; // its items ran as often as they should
} caller;

static void call(void *argument)
{
    caller *c = argument;
    tally *t = make_tally();
    for (int i = 0; i < 50; i++) {
        c->tasks->run(c->tasks->user, 100, count_item, t);
    }
    c->all = true;
    for (int i = 0; i < 100; i++) {
        c->all = c->all && atomic_load(&t->seen[i]) == 50;
    }
    free(t);
}

static void several_threads_may_share_a_pool(void **state)
{
    (void)state;
    am_pool *pool;
    check_ok(am_pool_create(&pool, 3, NULL, NULL), NULL);
    am_tasks tasks = *am_pool_tasks(pool);
    ami_thread threads[4];
    caller callers[4] = { 0 };
    for (int i = 0; i < 4; i++) {
        callers[i].tasks = &tasks;
        assert_true(ami_thread_start(&threads[i], call, &callers[i]));
    }
    for (int i = 0; i < 4; i++) {
        ami_thread_join(&threads[i]);
        assert_true(callers[i].all);
    }
    am_pool_destroy(pool);
}

typedef struct meeting {
    atomic_int here;
    atomic_int met;
} meeting;

static void wait_for_the_other(void *context, int item)
{
    (void)item;
    meeting *m = context;
    atomic_fetch_add(&m->here, 1);
    for (int i = 0; i < 5000 && atomic_load(&m->here) < 2; i++) {
        am_sleep_us(1000.0);
    }
    atomic_fetch_add(&m->met, atomic_load(&m->here) >= 2);
}

static void items_really_run_at_the_same_time(void **state)
{
    (void)state;
    am_pool *pool;
    check_ok(am_pool_create(&pool, 2, NULL, NULL), NULL);
    am_tasks tasks = *am_pool_tasks(pool);
    meeting m = { 0 };
    tasks.run(tasks.user, 2, wait_for_the_other, &m);
    assert_int_equal(atomic_load(&m.met), 2);
    am_pool_destroy(pool);
}

static void no_number_means_one_thread_for_each_core(void **state)
{
    (void)state;
    am_pool *pool;
    check_ok(am_pool_create(&pool, 0, NULL, NULL), NULL);
    assert_int_equal(am_pool_tasks(pool)->threads, am_processor_count());
    am_pool_destroy(pool);
    check_ok(am_pool_create(&pool, 100000, NULL, NULL), NULL); // capped, not refused
    assert_true(am_pool_tasks(pool)->threads <= 256);
    am_pool_destroy(pool);
    am_pool_destroy(NULL);
}

static void a_pool_takes_its_memory_from_the_allocator(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    am_pool *pool;
    check_ok(am_pool_create(&pool, 4, &alloc, NULL), NULL);
    assert_true(budget.live_count > 0);
    am_pool_destroy(pool);
    assert_int_equal(budget.live_count, 0);
    budget.fail_at = budget.total_count + 1;
    am_error err = { 0 };
    check_refused(am_pool_create(&pool, 4, &alloc, &err), AM_ERR_MEMORY);
    assert_null(pool);
    assert_int_equal(err.code, AM_ERR_MEMORY);
}

typedef struct reports {
    int calls;
    int cancel_at; // the call that says stop
    int64_t last;
    int64_t total;
} reports;

static bool report(void *user, const char *stage, int64_t done, int64_t total)
{
    reports *r = user;
    assert_string_equal(stage, "reading");
    assert_true(done >= r->last && done <= total);
    r->last = done;
    r->total = total;
    return ++r->calls != r->cancel_at;
}

static void batches_run_every_item_and_report_on_the_way(void **state)
{
    (void)state;
    am_pool *pool;
    check_ok(am_pool_create(&pool, 2, NULL, NULL), NULL);
    am_tasks tasks = *am_pool_tasks(pool);
    reports r = { 0 };
    am_progress progress = { &r, report };
    tally *t = make_tally();
    check_ok(ami_run_batches(&tasks, &progress, "reading", 1000, count_item, t, NULL), NULL);
    check_once(t, 1000, 1);
    assert_true(r.calls > 10);
    assert_int_equal(r.last, 1000);
    assert_int_equal(r.total, 1000);
    check_ok(ami_run_batches(&tasks, NULL, "reading", 1000, count_item, t, NULL), NULL);
    check_once(t, 1000, 2);
    free(t);
    am_pool_destroy(pool);
}

static void batches_stop_when_told(void **state)
{
    (void)state;
    am_tasks tasks = ami_tasks_serial();
    for (int cancel_at = 1; cancel_at <= 4; cancel_at++) { // 20 items in batches of 8, and a last call at the end
        reports r = { .cancel_at = cancel_at };
        am_progress progress = { &r, report };
        tally *t = make_tally();
        am_error err = { 0 };
        check_refused(ami_run_batches(&tasks, &progress, "reading", 20, count_item, t, &err), AM_ERR_CANCELLED);
        assert_int_equal(err.code, AM_ERR_CANCELLED);
        check_once(t, (int)r.last, 1); // what was reported done is done, and nothing more
        free(t);
    }
}

TEST_SUITE(tasks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serial_runs_in_order),
        cmocka_unit_test(a_pool_runs_every_item_once),
        cmocka_unit_test(nested_jobs_do_not_deadlock),
        cmocka_unit_test(several_threads_may_share_a_pool),
        cmocka_unit_test(items_really_run_at_the_same_time),
        cmocka_unit_test(no_number_means_one_thread_for_each_core),
        cmocka_unit_test(a_pool_takes_its_memory_from_the_allocator),
        cmocka_unit_test(batches_run_every_item_and_report_on_the_way),
        cmocka_unit_test(batches_stop_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

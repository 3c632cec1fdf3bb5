// Queries made ahead by helpers equal those that each pass makes for itself, from the first iteration or from a late
// one.
#include "support/check.h"
#include "support/synth_db.h"

#include "train/neighbours.h"
#include "base/rng.h"

#include <time.h>
#include <unistd.h>

enum { batch = 32, most_features = 64 };

static am_db *db;
static int *first;

static int make_db(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make(false, &err);
    assert_non_null(db);
    first = calloc((size_t)db->frame_count, sizeof *first);
    for (int f = 0; f < db->frame_count; f++) {
        first[f] = f;
    }
    return 0;
}

static int free_db(void **state)
{
    (void)state;
    free(first);
    am_db_close(db);
    return 0;
}

static ami_neighbours *make(int helpers)
{
    ami_neighbours *made = NULL;
    am_error err = { 0 };
    const ami_neighbours_def def = { .alloc = ami_alloc_or_default(NULL),
                                     .db = db,
                                     .first = first,
                                     .first_count = db->frame_count,
                                     .noise = 1.0f,
                                     .swap = 0.5f,
                                     .rng = ami_rng_make(3),
                                     .batch = batch,
                                     .blocks = 1,
                                     .helpers = helpers };
    check_ok(ami_neighbours_create(&made, &def, &err), &err);
    return made;
}

/// Some iterations from one on against queries made alone.
static void compare(ami_neighbours *helped, ami_neighbours *alone, uint64_t begun, int iterations)
{
    float x[2][most_features * batch] = { { 0 } };
    int frames[2][batch];
    for (int i = 0; i < iterations; i++, begun += batch) {
        ami_neighbours_take(helped, 0, begun, begun, batch, x[1], frames[1], batch);
        ami_neighbours_take(alone, 0, begun, begun, batch, x[0], frames[0], batch);
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        assert_memory_equal(frames[0], frames[1], sizeof frames[0]);
    }
}

static void helpers_make_the_same_queries(void **state)
{
    (void)state;
    ami_neighbours *alone = make(0), *helped = make(2);
    compare(helped, alone, 0, 40);
    ami_neighbours_destroy(alone);
    ami_neighbours_destroy(helped);
}

/// Helpers that had begun with the first groups would write these into cells that already hold later ones.
static void a_resumed_run_finds_its_own_queries(void **state)
{
    (void)state;
    ami_neighbours *alone = make(0);
    alarm(60); // before this was fixed, it waited forever
    for (uint64_t i = 0; i < 60; i++) {
        ami_neighbours *helped = make(2);
        const struct timespec a_while = { 0, (long)(i * 37 % 40) * 8000 };
        nanosleep(&a_while, NULL); // loading the checkpoint
        compare(helped, alone, batch * (1000 + i), 2);
        ami_neighbours_destroy(helped);
    }
    alarm(0);
    ami_neighbours_destroy(alone);
}

TEST_SUITE(neighbours)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpers_make_the_same_queries),
        cmocka_unit_test(a_resumed_run_finds_its_own_queries),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

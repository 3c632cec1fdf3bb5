/// The refusal loop that every reader of outside bytes goes through: damage a good input in every way that is cheap
/// to enumerate, and check that the reader neither crashes (run it under ASan), nor leaks, nor claims nonsense.
///
/// Usage, in any tests/FOLDER/test_X.c:
///
///     static am_result read(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
///     {
///         am_thing *thing = NULL;
///         am_error err = { 0 };
///         am_result result = am_thing_read(&thing, data, size, alloc, &err);
///         am_thing_free(thing);
///         return refuse_checked(result, &err);
///     }
///     ...
///     refuse_loop(read, NULL, good, good_size, NULL);
///
/// The bytes handed over are a malloc'ed copy of exactly `size`, so that ASan sees a read one past the end.
#ifndef AMBLE_TEST_REFUSE_H
#define AMBLE_TEST_REFUSE_H

#include "support/check.h"

/// Reads the bytes and frees whatever it made, all through `alloc`.
typedef am_result (*refuse_read)(void *user, const uint8_t *data, size_t size, const am_alloc *alloc);

/// How hard to try. All zero (or NULL in refuse_loop) means the defaults.
typedef struct refuse_options {
    int truncations;  ///< most lengths tried, evenly spread, plus the first and last 64; 0 means 2000
    int flips;        ///< inputs with one to four damaged bytes; 0 means 2000
    int failures;     ///< most failing allocations tried, evenly spread; 0 means 500
    size_t max_bytes; ///< live bytes that a damaged input may make the reader ask for; 0 means 256 MB
    uint64_t seed;    ///< of the damage
    bool any_prefix;  ///< truncated inputs may also be accepted (formats without an end mark)
} refuse_options;

/// What the loop did, for tests that want to know that it did something.
typedef struct refuse_counts {
    int runs;
    int refused_truncations;
    int refused_flips;
    int failed_allocations;
} refuse_counts;

/// Runs everything below on one good input and fails the test at the first fault:
/// - the input itself is accepted, with nothing left allocated;
/// - truncations: refused, unless any_prefix or nothing but blank space was cut off, with nothing left allocated;
/// - flipped bytes: accepted or refused, with nothing left allocated;
/// - the n-th allocation fails, for each n: AM_ERR_MEMORY, with nothing left allocated.
refuse_counts refuse_loop(refuse_read read, void *user, const void *good, size_t size, const refuse_options *options);

/// Does something and undoes it, with all memory from `alloc`.
typedef am_result (*refuse_work)(void *user, const am_alloc *alloc);

/// The last part of that loop for anything that allocates: does it with the n-th allocation failing, for each n,
/// until it comes through. Fails the test when a failure is not AM_ERR_MEMORY or something is left; gives how many
/// failed.
int refuse_allocations(refuse_work work, void *user);

/// Checks that a result and its error agree: the same code, a text that says something, place not negative. Fails the
/// test otherwise; returns result.
am_result refuse_checked(am_result result, const am_error *err);

#endif

// The 8-bit bounds of 16 boxes: every version against the reference, and the reference against the true distance.
#include "support/check.h"

#include "kernel/kernel.h"
#include "base/rng.h"

enum { most_pairs = 40 };

static uint8_t draw(am_rng *rng) { return (uint8_t)am_rng_below(rng, 256); }

static void fill(uint8_t *block, uint8_t *query, uint16_t *factors, size_t pairs, am_rng *rng)
{
    for (size_t p = 0; p < pairs; p++) {
        for (size_t i = 0; i < 32; i++) {
            uint8_t a = draw(rng), b = draw(rng);
            block[p * 64 + i] = a < b ? a : b;
            block[p * 64 + 32 + i] = a < b ? b : a;
        }
        uint8_t down[2] = { draw(rng), draw(rng) };
        for (size_t i = 0; i < 32; i++) {
            uint8_t d = down[i % 2];
            query[p * 64 + 32 + i] = d;
            query[p * 64 + i] = d < 255 ? (uint8_t)(d + am_rng_below(rng, 2)) : d;
        }
        for (size_t i = 0; i < 32; i++) {
            factors[p * 64 + i] = (uint16_t)(am_rng_below(rng, 4) ? am_rng_below(rng, 65536) : 65535);
            factors[p * 64 + 32 + i] = (uint16_t)(am_rng_below(rng, 4) ? 0 : am_rng_below(rng, 65536));
        }
    }
}

/// The same boxes within the limit, and the same keys where there are any.
static void check_versions(const uint8_t *block, const uint8_t *query, const uint16_t *factors, size_t pairs,
                           uint16_t limit)
{
    uint16_t want[2][AMI_BOUNDS_LANES];
    unsigned within[2] = { ami_kernels_reference.bounds(want[0], block, query, pairs, limit),
                           ami_kernels_reference.bounds_weighted(want[1], block, query, factors, pairs, limit) };
    for (int i = 0; i < 2 * AMI_BOUNDS_LANES; i++) {
        assert_int_equal(within[i / AMI_BOUNDS_LANES] >> i % AMI_BOUNDS_LANES & 1,
                         want[i / AMI_BOUNDS_LANES][i % AMI_BOUNDS_LANES] <= limit);
    }
    for (size_t v = 0; ami_kernels_at(v); v++) {
        uint16_t got[AMI_BOUNDS_LANES];
        assert_int_equal(ami_kernels_at(v)->bounds(got, block, query, pairs, limit), within[0]);
        if (within[0]) {
            assert_memory_equal(got, want[0], sizeof got);
        }
        assert_int_equal(ami_kernels_at(v)->bounds_weighted(got, block, query, factors, pairs, limit), within[1]);
        if (within[1]) {
            assert_memory_equal(got, want[1], sizeof got);
        }
    }
}

static void every_version_gives_the_reference_bits(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(5);
    static uint8_t block[most_pairs * 64], query[most_pairs * 64];
    static uint16_t factors[most_pairs * 64];
    for (int round = 0; round < 400; round++) {
        size_t pairs = am_rng_below(&rng, most_pairs + 1);
        fill(block, query, factors, pairs, &rng);
        const uint16_t limits[3] = { 65535, (uint16_t)am_rng_below(&rng, 65536), (uint16_t)am_rng_below(&rng, 3000) };
        for (int l = 0; l < 3; l++) {
            check_versions(block, query, factors, pairs, limits[l]);
        }
    }
}

static void a_bound_is_never_above_the_distance(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(6);
    static uint8_t block[most_pairs * 64], query[most_pairs * 64];
    static uint16_t factors[most_pairs * 64];
    for (int round = 0; round < 200; round++) {
        size_t pairs = 1 + am_rng_below(&rng, 14);
        fill(block, query, factors, pairs, &rng);
        uint16_t got[AMI_BOUNDS_LANES];
        ami_kernels_reference.bounds(got, block, query, pairs, 65535);
        for (size_t lane = 0; lane < AMI_BOUNDS_LANES; lane++) {
            double sum = 0.0;
            for (size_t d = 0; d < pairs * 2; d++) {
                size_t at = d / 2 * 64 + lane * 2 + d % 2;
                double t = 0.5 * (query[at] + query[at + 32]); // what was rounded up and down
                double out = t < block[at] ? block[at] - t : t > block[at + 32] ? t - block[at + 32] : 0.0;
                sum += out * out;
            }
            assert_true((double)got[lane] <= sum);
        }
    }
}

TEST_SUITE(bounds)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_gives_the_reference_bits),
        cmocka_unit_test(a_bound_is_never_above_the_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

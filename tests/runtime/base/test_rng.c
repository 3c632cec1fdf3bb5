// Hash against published values; random streams: statistics, forks, and pinned first values.
#include "support/check.h"
#include "base/rng.h"

#include <math.h>

static void hash_agrees_with_the_published_vectors(void **state)
{
    (void)state;
    assert_true(am_hash64("", 0, 0) == 0xEF46DB3751D8E999u);
    assert_true(am_hash64(NULL, 0, 0) == 0xEF46DB3751D8E999u);
    assert_true(am_hash64("a", 1, 0) == 0xD24EC4F1A98C6E5Bu);
    assert_true(am_hash64("abc", 3, 0) == 0x44BC2CF5AD770999u);
    // 39 bytes: all of the four-lane loop and each of the tails.
    const char *text = "Nobody inspects the spammish repetition";
    assert_true(am_hash64(text, strlen(text), 0) == 0xFBCEA83C8A378BF1u);
}

static void hash_depends_on_seed_every_byte_and_no_alignment(void **state)
{
    (void)state;
    uint8_t data[80] = { 0 };
    uint64_t plain = am_hash64(data, 72, 0);
    assert_true(am_hash64(data, 72, 1) != plain);
    assert_true(am_hash64(data, 71, 0) != plain);
    assert_true(am_hash64(data + 5, 72, 0) == plain);
    for (int i = 0; i < 72; i++) {
        data[i] ^= 1;
        assert_true(am_hash64(data, 72, 0) != plain);
        data[i] ^= 1;
    }
}

static void the_first_values_are_pinned(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(1);
    assert_true(rng.state[0] == 0x910A2DEC89025CC1u); // splitmix64 of seed 1, as published
    assert_true(rng.state[1] == 0xBEEB8DA1658EEC67u);
    am_rng fork = ami_rng_fork(&rng, 7);
    uint64_t first = am_rng_u64(&rng);
    uint64_t second = am_rng_u64(&rng);
    uint64_t forked = am_rng_u64(&fork);
    uint32_t below = am_rng_below(&rng, 1000);
    float uniform = am_rng_float(&rng);
    float range = am_rng_range(&rng, -2.0f, 3.0f);
    float normal[3];
    for (int i = 0; i < 3; i++) {
        normal[i] = am_rng_normal(&rng);
    }
    // Fixed since the first release: stored seeds rely on them.
    assert_true(first == 0x08260B0F1B52FCACu);
    assert_true(second == 0x5D9320F71CE29FF1u);
    assert_true(forked == 0x6057A1476B3FF724u);
    assert_int_equal(below, 156);
    assert_true(uniform == 0x1.64ece4p-2f);
    assert_true(range == -0x1.c790e8p-1f);
    assert_true(normal[0] == 0x1.c1307p+0f);
    assert_true(normal[1] == 0x1.a7bb88p-1f);
    assert_true(normal[2] == 0x1.b2253cp-2f);
}

static void the_state_is_never_stuck(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        am_rng rng = ami_rng_make(seed);
        assert_true(rng.state[0] != 0 || rng.state[1] != 0);
    }
    am_rng rng = ami_rng_make(0u - 0x9E3779B97F4A7C15u); // the first word becomes zero
    assert_true(rng.state[0] == 0 && rng.state[1] != 0);
    uint64_t a = am_rng_u64(&rng);
    assert_true(a != am_rng_u64(&rng));
}

static void uniform_floats_fill_the_unit_interval(void **state)
{
    (void)state;
    enum { n = 200000, bins = 20 };
    am_rng rng = ami_rng_make(3);
    int count[bins] = { 0 };
    double sum = 0.0, sum2 = 0.0;
    for (int i = 0; i < n; i++) {
        float x = am_rng_float(&rng);
        assert_true(x >= 0.0f && x < 1.0f);
        count[(int)(x * bins)]++;
        sum += (double)x;
        sum2 += (double)x * (double)x;
    }
    check_near(sum / n, 0.5, 4 * 0.2887 / sqrt(n)); // four standard errors
    check_near(sum2 / n, 1.0 / 3.0, 4 * 0.298 / sqrt(n));
    double chi2 = 0.0;
    for (int i = 0; i < bins; i++) {
        double d = count[i] - (double)n / bins;
        chi2 += d * d / ((double)n / bins);
    }
    assert_true(chi2 < 43.8); // 19 degrees of freedom, one in a thousand
}

static void ranges_stay_below_their_end(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(4);
    for (int i = 0; i < 100000; i++) {
        float x =
            am_rng_range(&rng, 1.0f, 1.0000002f); // two steps wide: rounding would reach the end half of the time
        assert_true(x >= 1.0f && x < 1.0000002f);
        x = am_rng_range(&rng, -5.0f, 5.0f);
        assert_true(x >= -5.0f && x < 5.0f);
    }
    assert_true(am_rng_range(&rng, 2.0f, 2.0f) == 2.0f);
}

static void below_is_uniform_for_awkward_counts(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(5);
    enum { n = 70000 };
    int count[7] = { 0 };
    for (int i = 0; i < n; i++) {
        count[am_rng_below(&rng, 7)]++;
    }
    for (int i = 0; i < 7; i++) {
        check_near(count[i], n / 7.0, 4.5 * sqrt(n / 7.0));
    }
    assert_int_equal(am_rng_below(&rng, 1), 0);
    // Three quarters of the range: a plain remainder would favour the lower third twofold.
    int low = 0;
    for (int i = 0; i < n; i++) {
        uint32_t x = am_rng_below(&rng, 3u << 30);
        assert_true(x < 3u << 30);
        low += x < 1u << 30;
    }
    check_near(low, n / 3.0, 4.5 * sqrt(n * 2.0 / 9.0));
}

static void normals_have_the_right_moments_and_tails(void **state)
{
    (void)state;
    enum { n = 400000 };
    am_rng rng = ami_rng_make(6);
    double m1 = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0;
    int beyond[5] = { 0 };
    for (int i = 0; i < n; i++) {
        double x = (double)am_rng_normal(&rng);
        assert_true(fabs(x) < 9.0);
        m1 += x;
        m2 += x * x;
        m3 += x * x * x;
        m4 += x * x * x * x;
        for (int k = 0; k < 5; k++) {
            beyond[k] += x > k;
        }
    }
    double error = 4.5 / sqrt(n);
    check_near(m1 / n, 0.0, error);
    check_near(m2 / n, 1.0, error * sqrt(2.0));
    check_near(m3 / n, 0.0, error * sqrt(15.0));
    check_near(m4 / n, 3.0, error * sqrt(96.0));
    const double share[5] = { 0.5, 0.158655, 0.0227501, 0.00134990, 3.16712e-5 };
    for (int k = 0; k < 5; k++) { // the tail too: a sum of uniforms would not reach it
        check_near(beyond[k], n * share[k], 4.5 * sqrt(n * share[k]));
    }
}

static void normals_use_an_accurate_logarithm(void **state)
{
    (void)state;
    // The polar method again with libm: the two may differ in the last bit of a float at most.
    am_rng rng = ami_rng_make(8);
    for (int i = 0; i < 20000; i++) {
        am_rng copy = rng;
        float ours = am_rng_normal(&rng);
        double u, v, s;
        do {
            u = (double)(int64_t)(am_rng_u64(&copy) >> 11) * 0x1p-52 - 1.0;
            v = (double)(int64_t)(am_rng_u64(&copy) >> 11) * 0x1p-52 - 1.0;
            s = u * u + v * v;
        } while (!(s > 0.0 && s < 1.0));
        double wanted = u * sqrt(-2.0 * log(s) / s);
        check_near(ours, wanted, fabs(wanted) * 6.1e-8);
    }
}

static double correlation(am_rng a, am_rng b)
{
    enum { n = 4000 };
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += ((double)am_rng_float(&a) - 0.5) * ((double)am_rng_float(&b) - 0.5);
    }
    return sum / n * 12.0;
}

static void forks_are_repeatable_distinct_and_uncorrelated(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(9);
    am_rng before = rng;
    am_rng zero = ami_rng_fork(&rng, 0);
    am_rng again = ami_rng_fork(&rng, 0);
    assert_memory_equal(&zero, &again, sizeof zero);
    assert_memory_equal(&rng, &before, sizeof rng); // the parent does not move
    assert_memory_not_equal(&zero, &rng, sizeof rng);
    for (uint64_t item = 0; item < 50; item++) {
        am_rng a = ami_rng_fork(&rng, item);
        am_rng b = ami_rng_fork(&rng, item + 1);
        am_rng c = ami_rng_fork(&a, item);
        double limit = 4.5 / sqrt(4000);
        check_near(correlation(a, b), 0.0, limit);
        check_near(correlation(a, rng), 0.0, limit);
        check_near(correlation(a, c), 0.0, limit);
    }
}

TEST_SUITE(rng)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_agrees_with_the_published_vectors),
        cmocka_unit_test(hash_depends_on_seed_every_byte_and_no_alignment),
        cmocka_unit_test(the_first_values_are_pinned),
        cmocka_unit_test(the_state_is_never_stuck),
        cmocka_unit_test(uniform_floats_fill_the_unit_interval),
        cmocka_unit_test(ranges_stay_below_their_end),
        cmocka_unit_test(below_is_uniform_for_awkward_counts),
        cmocka_unit_test(normals_have_the_right_moments_and_tails),
        cmocka_unit_test(normals_use_an_accurate_logarithm),
        cmocka_unit_test(forks_are_repeatable_distinct_and_uncorrelated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

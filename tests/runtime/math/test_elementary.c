// The elementary functions against the C library's double ones: dense sweeps over all floats, and the odd arguments.
#include "support/check.h"

#include <math.h>

/// Every 1009th float: a prime, so that all low mantissa bits are met. About four million a function.
enum { sweep_step = 1009 };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// Distance of the float after |x| from it.
static double ulp_at(double x)
{
    float f = (float)fabs(x);
    return (double)nextafterf(f, INFINITY) - (double)f;
}

typedef struct largest {
    double ulp, absolute;
} largest;

/// The largest error of `mine` over the floats of both signs with lo <= |x| <= hi.
static largest sweep(float (*mine)(float), double (*exact)(double), float lo, float hi)
{
    uint32_t first, last;
    memcpy(&first, &lo, sizeof first);
    memcpy(&last, &hi, sizeof last);
    largest worst = { 0.0, 0.0 };
    for (uint32_t bits = first; bits <= last; bits += sweep_step) {
        for (int sign = 0; sign < 2; sign++) {
            float x = sign ? -float_of(bits) : float_of(bits);
            double want = exact((double)x);
            double error = fabs((double)mine(x) - want);
            worst.absolute = fmax(worst.absolute, error);
            worst.ulp = fmax(worst.ulp, error / ulp_at(want));
        }
    }
    return worst;
}

static void check_within(largest got, double ulp, double absolute, const char *name)
{
    printf("%s: %.3f ulp, %.3g absolute\n", name, got.ulp, got.absolute);
    if (!(got.ulp <= ulp) || !(got.absolute <= absolute)) {
        fail_msg("%s is off by %.3f ulp (allowed %.3f), %.3g absolute (%.3g)", name, got.ulp, ulp, got.absolute,
                 absolute);
    }
}

// Up to where the C library's own functions are right.
#if defined(_WIN32)
#define LARGEST_ANGLE 1e5f // the processor's sine, which it calls, knows pi to 66 bits
#else
#define LARGEST_ANGLE 3.4e38f
#endif

static void sine_and_cosine_keep_their_error(void **unused)
{
    (void)unused;
    check_within(sweep(am_sin, sin, 0.0f, AM_PI), 1.5, 7.8e-8, "sin");
    check_within(sweep(am_sin, sin, AM_PI, 6433.0f), 2.4, 8.4e-8, "sin to 6433");
    check_within(sweep(am_sin, sin, 6433.0f, LARGEST_ANGLE), 1.6, 7.9e-8, "sin of large angles");
    check_within(sweep(am_cos, cos, 0.0f, AM_PI), 1.5, 7.8e-8, "cos");
    check_within(sweep(am_cos, cos, AM_PI, 6433.0f), 2.4, 8.4e-8, "cos to 6433");
    check_within(sweep(am_cos, cos, 6433.0f, LARGEST_ANGLE), 1.6, 7.9e-8, "cos of large angles");
    check_within(sweep(am_tan, tan, 0.0f, LARGEST_ANGLE), 3.4, INFINITY, "tan");
}

static void inverse_functions_round_once(void **unused)
{
    (void)unused;
    check_within(sweep(am_asin, asin, 0.0f, 1.0f), 0.501, 6e-8, "asin");
    check_within(sweep(am_acos, acos, 0.0f, 1.0f), 0.501, 1.2e-7, "acos");
}

static double exp_of_minus(double x) { return exp(-fabs(x)); }
static float am_exp_of_minus(float x) { return am_exp(-am_abs(x)); }
static double log_of_abs(double x) { return log(fabs(x)); }
static float am_log_of_abs(float x) { return am_log(am_abs(x)); }

static void exponentials_keep_their_error(void **unused)
{
    (void)unused;
    check_within(sweep(am_exp, exp, 0.0f, 88.7f), 1.0, INFINITY, "exp");
    check_within(sweep(am_exp_of_minus, exp_of_minus, 87.0f, 103.9f), 1.0, 2e-45, "exp to subnormals");
    check_within(sweep(am_log_of_abs, log_of_abs, 1e-45f, 3.4e38f), 0.501, 3.9e-6, "log");
    check_within(sweep(am_tanh, tanh, 0.0f, 3.4e38f), 1.4, 7.9e-8, "tanh");
}

static void arc_tangent_of_two_rounds_once(void **unused)
{
    (void)unused;
    double worst = 0.0;
    for (uint32_t i = 0; i < 4000; i++) {
        for (uint32_t j = 0; j < 500; j++) {
            // All magnitudes and both signs, in a pattern that repeats nowhere.
            float y = float_of(i * 1073741u + j * 7919u);
            float x = float_of(j * 8589935u + i * 104729u);
            double want = atan2((double)y, (double)x);
            if (want == want) {
                worst = fmax(worst, fabs((double)am_atan2(y, x) - want) / ulp_at(want));
            }
        }
    }
    printf("atan2: %.3f ulp\n", worst);
    assert_true(worst <= 0.501);
}

static void check_bits(float got, float want)
{
    if (memcmp(&got, &want, sizeof got) != 0) {
        fail_msg("got %.9g, want %.9g", (double)got, (double)want);
    }
}

static void arc_tangent_knows_its_quadrants(void **unused)
{
    (void)unused;
    const float inf = INFINITY;
    check_bits(am_atan2(0.0f, 1.0f), 0.0f);
    check_bits(am_atan2(-0.0f, 1.0f), -0.0f);
    check_bits(am_atan2(0.0f, 0.0f), 0.0f);
    check_bits(am_atan2(-0.0f, 0.0f), -0.0f);
    check_bits(am_atan2(0.0f, -0.0f), AM_PI);
    check_bits(am_atan2(-0.0f, -1.0f), -AM_PI);
    check_bits(am_atan2(2.0f, 0.0f), AM_PI / 2.0f);
    check_bits(am_atan2(-2.0f, -0.0f), -AM_PI / 2.0f);
    check_bits(am_atan2(inf, inf), AM_PI / 4.0f);
    check_bits(am_atan2(-inf, -inf), (float)(-0.75 * 3.14159265358979323846));
    check_bits(am_atan2(1.0f, inf), 0.0f);
    check_bits(am_atan2(1.0f, -inf), AM_PI);
    assert_true(isnan(am_atan2(NAN, 1.0f)) && isnan(am_atan2(1.0f, NAN)));
}

static void odd_arguments_give_sane_results(void **unused)
{
    (void)unused;
    assert_true(isnan(am_sin(NAN)) && isnan(am_cos(INFINITY)) && isnan(am_sin(-INFINITY)) && isnan(am_tan(NAN)));
    assert_true(isnan(am_acos(NAN)) && isnan(am_asin(NAN)) && isnan(am_exp(NAN)) && isnan(am_tanh(NAN)));
    assert_true(isnan(am_log(NAN)) && isnan(am_log(-1.0f)) && isnan(am_wrap_angle(INFINITY)));
    check_bits(am_acos(1.5f), 0.0f);
    check_bits(am_acos(-1.5f), AM_PI);
    check_bits(am_asin(2.0f), AM_PI / 2.0f);
    check_bits(am_asin(-INFINITY), -AM_PI / 2.0f);
    check_bits(am_exp(0.0f), 1.0f);
    check_bits(am_exp(-INFINITY), 0.0f);
    check_bits(am_exp(INFINITY), INFINITY);
    check_bits(am_exp(89.0f), INFINITY);
    check_bits(am_exp(-104.0f), 0.0f);
    check_bits(am_exp(88.7228394f), INFINITY);
    assert_true(am_exp(88.7228317f) < INFINITY && am_exp(-103.9f) > 0.0f);
    check_bits(am_log(1.0f), 0.0f);
    check_bits(am_log(0.0f), -INFINITY);
    check_bits(am_log(INFINITY), INFINITY);
    check_bits(am_tanh(INFINITY), 1.0f);
    check_bits(am_tanh(-50.0f), -1.0f);
    check_bits(am_cos(0.0f), 1.0f);
    check_bits(am_sin(1e-40f), 1e-40f);
}

static void pieces_meet_without_a_step(void **unused)
{
    (void)unused;
    // Both rise everywhere: where two formulas meet, the next float's value may fall behind by one unit in the last
    // place (the stated error), not more.
    const float seams[] = { AM_PI / 4.0f, 0.3465736f, 0.625f, 1.0397208f, 9.1f };
    for (size_t s = 0; s < sizeof seams / sizeof seams[0]; s++) {
        float x = seams[s] * 0.999f;
        for (int i = 0; i < 40000; i++) {
            float next = nextafterf(x, INFINITY);
            assert_true(am_exp(next) >= nextafterf(am_exp(x), 0.0f));
            assert_true(am_tanh(next) >= nextafterf(am_tanh(x), 0.0f));
            x = next;
        }
    }
}

static void angles_wrap_into_one_turn(void **unused)
{
    (void)unused;
    check_bits(am_wrap_angle(1.0f), 1.0f);
    check_bits(am_wrap_angle(-AM_PI), AM_PI);
    check_bits(am_wrap_angle(AM_PI), AM_PI);
    check_near(am_wrap_angle(AM_PI + 0.1f), -AM_PI + 0.1, 5e-7);
    check_near(am_wrap_angle(-7.0f), -7.0 + 2.0 * 3.14159265358979, 5e-7);
    for (uint32_t bits = 0; bits < 0x7F800000u; bits += 100003) {
        for (int sign = 0; sign < 2; sign++) {
            float x = sign ? -float_of(bits) : float_of(bits);
            float w = am_wrap_angle(x);
            assert_true(w > -AM_PI && w <= AM_PI);
            if (am_abs(x) > LARGEST_ANGLE) {
                continue;
            }
            check_near(sin((double)w), sin((double)x), 3e-7);
            check_near(cos((double)w), cos((double)x), 3e-7);
        }
    }
}

TEST_SUITE(elementary)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_keep_their_error), cmocka_unit_test(inverse_functions_round_once),
        cmocka_unit_test(exponentials_keep_their_error),    cmocka_unit_test(arc_tangent_of_two_rounds_once),
        cmocka_unit_test(arc_tangent_knows_its_quadrants),  cmocka_unit_test(odd_arguments_give_sane_results),
        cmocka_unit_test(pieces_meet_without_a_step),       cmocka_unit_test(angles_wrap_into_one_turn),
    };
    return cmocka_run_group_tests_name("elementary", tests, NULL, NULL);
}

// The library's own elementary functions, with the same bits on every machine: glibc, Emscripten and others differ in
// the last bit. sin, cos, exp and tanh compute in float, so that the vector kernels can repeat their steps; the
// others compute in double and round once.
#include <amble/math.h>

#include <string.h>

#include "base/coefficients.h"

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float not_a_number(void) { return float_of(0x7FC00000u); }
static float infinity(void) { return float_of(0x7F800000u); }
static bool is_negative(float x) { return (bits_of(x) & 0x80000000u) != 0; }
static bool is_finite(float x) { return (bits_of(x) & 0x7F800000u) != 0x7F800000u; }
static float with_sign_of(float magnitude, float sign)
{
    return float_of((bits_of(magnitude) & 0x7FFFFFFFu) | (bits_of(sign) & 0x80000000u));
}

static const double pi = 3.14159265358979323846;

// ---------------------------------------------------------------------------------------------
// Reduction of large angles

/// Payne-Hanek: the remainder of a large finite x after whole quarter turns, in [-pi/4, pi/4], exact to double.
/// x = m 2^e with a 24-bit m; bits of 2/pi whose product with 2^e is a multiple of four quarters are skipped, and
/// the next 96 are multiplied by m.
static double reduce_large(float x, uint32_t *quarter)
{
    // 2/pi after 32 zero bits, which let the window begin before the point.
    static const uint32_t two_over_pi[8] = { 0,           0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                             0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu };
    uint32_t bits = bits_of(x);
    uint64_t m = (bits & 0x7FFFFFu) | 0x800000u;
    int e = (int)(bits >> 23 & 0xFF) - 150;
    int skip = e - 2 + 32;
    int word = skip / 32;
    int shift = skip % 32;
    uint32_t window[3];
    for (int i = 0; i < 3; i++) {
        uint64_t pair = (uint64_t)two_over_pi[word + i] << 32 | two_over_pi[word + i + 1];
        window[i] = (uint32_t)(pair << shift >> 32);
    }
    uint64_t high = (uint64_t)window[0] << 32 | window[1];
    // Top 64 of 96 bits; the first two are the quarter, the rest its fraction.
    uint64_t product = m * high + (m * window[2] >> 32);
    uint64_t nearest = (product + (1ull << 61)) >> 62;
    double r = (double)(int64_t)(product - (nearest << 62)) * (pi / 2.0 / 4611686018427387904.0);
    bool negative = is_negative(x);
    *quarter = negative ? (uint32_t)(4 - nearest) : (uint32_t)nearest;
    return negative ? -r : r;
}

// ---------------------------------------------------------------------------------------------
// Sine and cosine
//
// Largest error of sin and cos, measured on every 7th float: 1.5 ulp (7.8e-8 absolute) within half a turn, 2.4 ulp
// (8.4e-8) up to the limit of the reduction, 1.6 ulp (7.9e-8) beyond; tan: 3.4 ulp.

/// sin and cos of r + quarter * pi/2 for |r| <= pi/4. The kernels repeat these steps.
static void sincos_reduced(float r, uint32_t quarter, float *sin_out, float *cos_out)
{
    float z = r * r;
    float s = r + r * z * ((AMI_SIN_2 * z + AMI_SIN_1) * z + AMI_SIN_0);
    float c = 1.0f - (0.5f * z - z * z * ((AMI_COS_2 * z + AMI_COS_1) * z + AMI_COS_0));
    bool swap = (quarter & 1u) != 0;
    float sine = swap ? c : s;
    float cosine = swap ? s : c;
    *sin_out = float_of(bits_of(sine) ^ (quarter << 30 & 0x80000000u));
    *cos_out = float_of(bits_of(cosine) ^ ((quarter << 30 ^ quarter << 31) & 0x80000000u));
}

void am_sincos(float x, float *sin_out, float *cos_out)
{
    if (am_abs(x) < AMI_SINCOS_LIMIT) {
        float sum = x * AMI_TWO_OVER_PI + AMI_ROUND;
        float k = sum - AMI_ROUND;
        float r = x - k * AMI_HALF_PI_1 - k * AMI_HALF_PI_2 - k * AMI_HALF_PI_3 - k * AMI_HALF_PI_4;
        sincos_reduced(r, bits_of(sum), sin_out, cos_out);
    } else if (is_finite(x)) {
        uint32_t quarter;
        float r = (float)reduce_large(x, &quarter);
        sincos_reduced(r, quarter, sin_out, cos_out);
    } else {
        *sin_out = not_a_number();
        *cos_out = not_a_number();
    }
}

float am_sin(float x)
{
    float s, c;
    am_sincos(x, &s, &c);
    return s;
}

float am_cos(float x)
{
    float s, c;
    am_sincos(x, &s, &c);
    return c;
}

float am_tan(float x)
{
    float s, c;
    am_sincos(x, &s, &c);
    return s / c;
}

float am_wrap_angle(float angle)
{
    if (am_abs(angle) <= AM_PI) {
        return angle == -AM_PI ? AM_PI : angle;
    }
    if (!is_finite(angle)) {
        return not_a_number();
    }
    double wrapped;
    if (am_abs(angle) < AMI_SINCOS_LIMIT) {
        const double round = 6755399441055744.0; // 1.5 * 2^52: rounds to the nearest integer
        double turns = (double)angle * (0.5 / pi) + round - round;
        wrapped = (double)angle - turns * (2.0 * pi);
    } else {
        uint32_t quarter;
        wrapped = reduce_large(angle, &quarter);
        quarter &= 3u;
        wrapped += quarter * (pi / 2.0);
        wrapped = wrapped > pi ? wrapped - 2.0 * pi : wrapped;
    }
    float result = (float)wrapped;
    // -pi, and anything that rounds to it, is the same angle as pi.
    return result <= -AM_PI ? AM_PI : result;
}

// ---------------------------------------------------------------------------------------------
// Inverse functions (double inside)
//
// Largest error, on every 7th float: asin 0.501 ulp (6.0e-8 absolute), acos 0.501 ulp (1.2e-7); on twenty million
// pairs: atan2 0.501 ulp (1.2e-7).

/// asin x for |x| <= 1/2, relative error of the fit 1.0e-12.
static double asin_small(double x)
{
    double z = x * x;
    double p = 0.032911810971325353;
    p = p * z + 0.0019790830471146936;
    p = p * z + 0.020646358527910962;
    p = p * z + 0.021865727276015847;
    p = p * z + 0.030426521663762935;
    p = p * z + 0.044640707921938527;
    p = p * z + 0.075000049817362913;
    p = p * z + 0.16666666627333909;
    return x + x * z * p;
}

float am_acos(float x)
{
    if (x != x) {
        return x;
    }
    double d = am_clamp(x, -1.0f, 1.0f);
    if (d > 0.5) {
        return (float)(2.0 * asin_small(sqrt((1.0 - d) * 0.5)));
    }
    if (d < -0.5) {
        return (float)(pi - 2.0 * asin_small(sqrt((1.0 + d) * 0.5)));
    }
    return (float)(pi / 2.0 - asin_small(d));
}

float am_asin(float x)
{
    if (x != x) {
        return x;
    }
    double d = am_clamp(x, -1.0f, 1.0f);
    if (d > 0.5) {
        return (float)(pi / 2.0 - 2.0 * asin_small(sqrt((1.0 - d) * 0.5)));
    }
    if (d < -0.5) {
        return (float)(2.0 * asin_small(sqrt((1.0 + d) * 0.5)) - pi / 2.0);
    }
    return (float)asin_small(d);
}

/// atan t for 0 <= t <= 1: a fit (7.9e-13) up to tan(pi/8), beyond it about pi/4.
static double atan_unit(double t)
{
    double base = 0.0;
    if (t > 0.41421356237309503) {
        base = pi / 4.0;
        t = (t - 1.0) / (t + 1.0);
    }
    double z = t * t;
    double p = -0.037922698541938506;
    p = p * z + 0.069911271748182985;
    p = p * z - 0.089968204798089979;
    p = p * z + 0.11104001773550336;
    p = p * z - 0.14285423509205905;
    p = p * z + 0.19999994323573525;
    p = p * z - 0.33333333295703776;
    return base + (t + t * z * p);
}

float am_atan2(float y, float x)
{
    if (x != x || y != y) {
        return x + y;
    }
    double ay = am_abs(y);
    double ax = am_abs(x);
    double large = ax > ay ? ax : ay;
    double small = ax > ay ? ay : ax;
    // Equality also covers two infinities, whose quotient is not a number.
    double angle = large == 0.0 ? 0.0 : atan_unit(small == large ? 1.0 : small / large);
    angle = ay > ax ? pi / 2.0 - angle : angle;
    angle = is_negative(x) ? pi - angle : angle;
    return with_sign_of((float)angle, y);
}

// ---------------------------------------------------------------------------------------------
// Exponential, logarithm, hyperbolic tangent
//
// Largest error, on every 7th float: exp 1.0 ulp, log 0.501 ulp (3.8e-6 absolute), tanh 1.4 ulp (7.9e-8).

float am_exp(float x)
{
    if (!(x < AMI_EXP_MAX)) {
        return x != x ? x : infinity();
    }
    if (x < AMI_EXP_MIN) {
        return 0.0f;
    }
    float k = x * AMI_LOG2_E + AMI_ROUND - AMI_ROUND;
    float r = x - k * AMI_LN2_1 - k * AMI_LN2_2;
    float p = (((AMI_EXP_4 * r + AMI_EXP_3) * r + AMI_EXP_2) * r + AMI_EXP_1) * r + AMI_EXP_0;
    float e = 1.0f + (r + r * r * p);
    // 2^k in two factors, since 2^128 and 2^-150 are not normal floats.
    int whole = (int)k;
    int half = whole >> 1;
    return e * float_of((uint32_t)(half + 127) << 23) * float_of((uint32_t)(whole - half + 127) << 23);
}

float am_log(float x)
{
    if (!(x > 0.0f)) {
        return x == 0.0f ? -infinity() : not_a_number();
    }
    if (!is_finite(x)) {
        return x;
    }
    double d = x; // a subnormal float is a normal double
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    // Exponent so that the mantissa lies in [sqrt(1/2), sqrt(2)).
    int64_t exponent = (int64_t)(bits - 0x3FE6A09E667F3BCDull) >> 52;
    bits -= (uint64_t)exponent << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    // log m = 2 atanh s; fit 4.8e-12
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s;
    double p = ((0.23581613592615555 * z + 0.28537339973497111) * z + 0.40000334636769597) * z + 0.66666665648233081;
    return (float)((double)exponent * 0.69314718055994531 + (2.0 * s + s * z * p));
}

float am_tanh(float x)
{
    float a = am_abs(x);
    if (a < AMI_TANH_SMALL) {
        float z = x * x;
        float p = (((AMI_TANH_4 * z + AMI_TANH_3) * z + AMI_TANH_2) * z + AMI_TANH_1) * z + AMI_TANH_0;
        return x + x * z * p;
    }
    if (!(a < AMI_TANH_ONE)) {
        return x != x ? x : with_sign_of(1.0f, x);
    }
    return with_sign_of(1.0f - 2.0f / (am_exp(2.0f * a) + 1.0f), x);
}

// Random streams: xoroshiro128++ (Blackman and Vigna 2019), seeded through splitmix64 (Steele et al. 2014). They use
// only integer arithmetic and IEEE + - * / sqrt, so that every machine draws the same numbers.
#include <amble/base.h>

#include "base/rng.h"

#include <math.h>
#include <string.h>

static uint64_t rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

// The output function of splitmix64: a bijection whose every output bit depends on every input bit.
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static const uint64_t golden = 0x9E3779B97F4A7C15u; // 2^64 / golden ratio: splitmix64's step

am_rng ami_rng_make(uint64_t seed)
{
    // mix is a bijection, so the two words cannot both be zero, the one state that never moves.
    am_rng rng = { { mix(seed + golden), mix(seed + 2 * golden) } };
    return rng;
}

am_rng ami_rng_fork(const am_rng *rng, uint64_t item)
{
    // Each word goes through its own mix before they meet, so that neither swapped words nor neighbouring items
    // give related streams. The parent does not move: the same fork can be taken again.
    uint64_t key = mix(rng->state[0] + golden) ^ rotate(mix(rng->state[1] + 3 * golden), 32);
    return ami_rng_make(mix(key + golden * item) ^ key);
}

void am_rng_init(am_rng *out, uint64_t seed) { *out = ami_rng_make(seed); }

uint64_t am_rng_u64(am_rng *rng)
{
    uint64_t a = rng->state[0];
    uint64_t b = rng->state[1];
    uint64_t result = rotate(a + b, 17) + a;
    b ^= a;
    rng->state[0] = rotate(a, 49) ^ b ^ (b << 21);
    rng->state[1] = rotate(b, 28);
    return result;
}

float am_rng_float(am_rng *rng) { return (float)(am_rng_u64(rng) >> 40) * 0x1p-24f; }

float am_rng_range(am_rng *rng, float lo, float hi)
{
    float x = lo + (hi - lo) * am_rng_float(rng);
    return x < hi ? x : lo; // rounding may reach hi, which is not in the range
}

uint32_t am_rng_below(am_rng *rng, uint32_t n)
{
    // Lemire 2019: the upper half of a 32x32 product is uniform once the few surplus values are thrown away.
    uint64_t product = (am_rng_u64(rng) >> 32) * n;
    if ((uint32_t)product < n) {
        uint32_t surplus = (0u - n) % n;
        while ((uint32_t)product < surplus) {
            product = (am_rng_u64(rng) >> 32) * n;
        }
    }
    return (uint32_t)(product >> 32);
}

// Natural logarithm of a normal x in (0, 1]. x = m * 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(t),
// t = (m - 1) / (m + 1), |t| < 0.1716: ten terms of its series leave less than 1e-16.
static double log_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    double t = (m - 1.0) / (m + 1.0);
    double t2 = t * t;
    double sum = 0.0;
    for (int k = 19; k >= 1; k -= 2) {
        sum = sum * t2 + 1.0 / k;
    }
    return 2.0 * t * sum + exponent * 0.6931471805599453;
}

float am_rng_normal(am_rng *rng)
{
    // Marsaglia's polar method. The second value is dropped: keeping it would make the stream's state bigger
    // than its two words and forks depend on how many were drawn.
    for (;;) {
        double u = (double)(int64_t)(am_rng_u64(rng) >> 11) * 0x1p-52 - 1.0;
        double v = (double)(int64_t)(am_rng_u64(rng) >> 11) * 0x1p-52 - 1.0;
        double s = u * u + v * v;
        if (s > 0.0 && s < 1.0) {
            return (float)(u * sqrt(-2.0 * log_of(s) / s));
        }
    }
}

/// What the subjects of the bits program share: a growing hash of numbers, and numbers to begin with.
#ifndef AMBLE_TESTS_BITS_H
#define AMBLE_TESTS_BITS_H

#include <amble/tools/tools.h>

#include "kernel/kernel.h"

#include <stdio.h>
#include <string.h>

/// A growing hash of numbers. The payload of a NaN is not fixed between machines, so that all count as one.
typedef struct digest {
    uint64_t value;
} digest;

static inline void put(digest *d, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = x != x ? 0x7FC00000u : bits;
    uint8_t bytes[4] = { (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24) };
    d->value = am_hash64(bytes, sizeof bytes, d->value);
}

static inline void put_all(digest *d, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(d, x[i]);
    }
}

static inline void put_double(digest *d, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(bits >> 8 * i);
    }
    d->value = am_hash64(bytes, sizeof bytes, d->value);
}

static inline void put_v3(digest *d, am_vec3 v) { put_all(d, &v.x, 3); }
static inline void put_quat(digest *d, am_quat q) { put_all(d, &q.x, 4); }

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline float uniform(uint32_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)next_random(state) / 16777216.0f;
}

static inline am_vec3 random_v3(uint32_t *state)
{
    float x = uniform(state, -3.0f, 3.0f), y = uniform(state, -3.0f, 3.0f), z = uniform(state, -3.0f, 3.0f);
    return am_v3(x, y, z);
}

static inline void put_u64(digest *d, uint64_t x)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(x >> 8 * i);
    }
    d->value = am_hash64(bytes, sizeof bytes, d->value);
}

// bits_math.c
void bits_sin(digest *d);
void bits_cos(digest *d);
void bits_tan(digest *d);
void bits_acos(digest *d);
void bits_asin(digest *d);
void bits_exp(digest *d);
void bits_log(digest *d);
void bits_tanh(digest *d);
void bits_wrap_angle(digest *d);
void bits_atan2(digest *d);
void bits_rng(digest *d);
void bits_quat(digest *d);
void bits_springs(digest *d);
// bits_motion.c
void bits_clips(digest *d);
void bits_ground(digest *d);
void bits_retarget(digest *d);
void bits_synth(digest *d);
// bits_character.c
void bits_character(digest *d);
void bits_character_high(digest *d);
void bits_field(digest *d);
void bits_learned(digest *d);
void bits_direction(digest *d);
void bits_flow(digest *d);
void bits_networks(digest *d);
// bits_kernels.c: every version of a kernel from the same numbers
enum { bits_rows = 203, bits_stride = 40, bits_cells = bits_rows * bits_stride };

typedef struct bits_numbers {
    float a[bits_cells], b[bits_cells], out[bits_cells];
    double sum[bits_stride], squares[bits_stride];
    am_quat quats[bits_rows], others[bits_rows];
    ami_euler_order orders[bits_rows];
} bits_numbers;
void bits_kernel_fill(bits_numbers *n);
void bits_kernel_distances(const ami_kernels *k, bits_numbers *n, digest *d);
void bits_kernel_bounds(const ami_kernels *k, bits_numbers *n, digest *d);
void bits_kernel_products(const ami_kernels *k, bits_numbers *n, digest *d);
void bits_kernel_columns(const ami_kernels *k, bits_numbers *n, digest *d);
void bits_kernel_angles(const ami_kernels *k, bits_numbers *n, digest *d);
void bits_kernel_quats(const ami_kernels *k, bits_numbers *n, digest *d);

#endif

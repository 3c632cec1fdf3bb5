// Eight lanes in two 128-bit values of WebAssembly SIMD.
#include "kernel/kernel.h"

#if defined(AMI_HAS_WASM)
#include <wasm_simd128.h>

typedef struct v8 {
    v128_t lo, hi;
} v8;
typedef struct d8 {
    v128_t part[4];
} d8;

static v8 v8_make(v128_t lo, v128_t hi)
{
    v8 r = { lo, hi };
    return r;
}
static v8 v8_load(const float *p) { return v8_make(wasm_v128_load(p), wasm_v128_load(p + 4)); }
static void v8_store(float *p, v8 a)
{
    wasm_v128_store(p, a.lo);
    wasm_v128_store(p + 4, a.hi);
}
static v8 v8_set(float x) { return v8_make(wasm_f32x4_splat(x), wasm_f32x4_splat(x)); }
static v8 v8_add(v8 a, v8 b) { return v8_make(wasm_f32x4_add(a.lo, b.lo), wasm_f32x4_add(a.hi, b.hi)); }
static v8 v8_sub(v8 a, v8 b) { return v8_make(wasm_f32x4_sub(a.lo, b.lo), wasm_f32x4_sub(a.hi, b.hi)); }
static v8 v8_mul(v8 a, v8 b) { return v8_make(wasm_f32x4_mul(a.lo, b.lo), wasm_f32x4_mul(a.hi, b.hi)); }
static v8 v8_div(v8 a, v8 b) { return v8_make(wasm_f32x4_div(a.lo, b.lo), wasm_f32x4_div(a.hi, b.hi)); }
static v8 v8_sqrt(v8 a) { return v8_make(wasm_f32x4_sqrt(a.lo), wasm_f32x4_sqrt(a.hi)); }
// pmin(x, y) is y < x ? y : x and pmax(x, y) is x < y ? y : x: the arguments change places.
static v8 v8_min(v8 a, v8 b) { return v8_make(wasm_f32x4_pmin(b.lo, a.lo), wasm_f32x4_pmin(b.hi, a.hi)); }
static v8 v8_max(v8 a, v8 b) { return v8_make(wasm_f32x4_pmax(b.lo, a.lo), wasm_f32x4_pmax(b.hi, a.hi)); }
static v8 v8_less(v8 a, v8 b) { return v8_make(wasm_f32x4_lt(a.lo, b.lo), wasm_f32x4_lt(a.hi, b.hi)); }
static v8 v8_select(v8 mask, v8 a, v8 b)
{
    return v8_make(wasm_v128_bitselect(a.lo, b.lo, mask.lo), wasm_v128_bitselect(a.hi, b.hi, mask.hi));
}
static v8 v8_and(v8 a, v8 b) { return v8_make(wasm_v128_and(a.lo, b.lo), wasm_v128_and(a.hi, b.hi)); }
static v8 v8_xor(v8 a, v8 b) { return v8_make(wasm_v128_xor(a.lo, b.lo), wasm_v128_xor(a.hi, b.hi)); }
static v8 v8_shift30(v8 a) { return v8_make(wasm_i32x4_shl(a.lo, 30), wasm_i32x4_shl(a.hi, 30)); }
static v8 v8_shift31(v8 a) { return v8_make(wasm_i32x4_shl(a.lo, 31), wasm_i32x4_shl(a.hi, 31)); }
static v8 v8_spread(v8 a) { return v8_make(wasm_i32x4_shr(a.lo, 31), wasm_i32x4_shr(a.hi, 31)); }
static bool v8_all(v8 mask) { return wasm_i32x4_all_true(wasm_v128_and(mask.lo, mask.hi)); }

static float v8_fold(v8 a)
{
    v128_t four = wasm_f32x4_add(a.lo, a.hi);
    v128_t two = wasm_f32x4_add(four, wasm_i32x4_shuffle(four, four, 2, 3, 2, 3));
    return wasm_f32x4_extract_lane(two, 0) + wasm_f32x4_extract_lane(two, 1);
}

static void transpose(v128_t r[4])
{
    v128_t a = wasm_i32x4_shuffle(r[0], r[1], 0, 4, 1, 5);
    v128_t b = wasm_i32x4_shuffle(r[0], r[1], 2, 6, 3, 7);
    v128_t c = wasm_i32x4_shuffle(r[2], r[3], 0, 4, 1, 5);
    v128_t d = wasm_i32x4_shuffle(r[2], r[3], 2, 6, 3, 7);
    r[0] = wasm_i32x4_shuffle(a, c, 0, 1, 4, 5);
    r[1] = wasm_i32x4_shuffle(a, c, 2, 3, 6, 7);
    r[2] = wasm_i32x4_shuffle(b, d, 0, 1, 4, 5);
    r[3] = wasm_i32x4_shuffle(b, d, 2, 3, 6, 7);
}

static void v8_fold4(float *out, v8 a, v8 b, v8 c, v8 d)
{
    v128_t t[4] = { wasm_f32x4_add(a.lo, a.hi), wasm_f32x4_add(b.lo, b.hi), wasm_f32x4_add(c.lo, c.hi),
                    wasm_f32x4_add(d.lo, d.hi) };
    transpose(t);
    wasm_v128_store(out, wasm_f32x4_add(wasm_f32x4_add(t[0], t[2]), wasm_f32x4_add(t[1], t[3])));
}

static void v8_load_quats(v8 *x, v8 *y, v8 *z, v8 *w, const float *p)
{
    v128_t lo[4], hi[4];
    for (int i = 0; i < 4; i++) {
        lo[i] = wasm_v128_load(p + 4 * i);
        hi[i] = wasm_v128_load(p + 4 * i + 16);
    }
    transpose(lo);
    transpose(hi);
    *x = v8_make(lo[0], hi[0]);
    *y = v8_make(lo[1], hi[1]);
    *z = v8_make(lo[2], hi[2]);
    *w = v8_make(lo[3], hi[3]);
}

static void v8_store_quats(float *p, v8 x, v8 y, v8 z, v8 w)
{
    v128_t lo[4] = { x.lo, y.lo, z.lo, w.lo };
    v128_t hi[4] = { x.hi, y.hi, z.hi, w.hi };
    transpose(lo);
    transpose(hi);
    for (int i = 0; i < 4; i++) {
        wasm_v128_store(p + 4 * i, lo[i]);
        wasm_v128_store(p + 4 * i + 16, hi[i]);
    }
}

static void load_triples4(v128_t *a, v128_t *b, v128_t *c, const float *p)
{
    v128_t r0 = wasm_v128_load(p), r1 = wasm_v128_load(p + 4), r2 = wasm_v128_load(p + 8);
    v128_t a2b2a3b3 = wasm_i32x4_shuffle(r1, r2, 2, 3, 5, 6);
    v128_t b0c0b1c1 = wasm_i32x4_shuffle(r0, r1, 1, 2, 4, 5);
    *a = wasm_i32x4_shuffle(r0, a2b2a3b3, 0, 3, 4, 6);
    *b = wasm_i32x4_shuffle(b0c0b1c1, a2b2a3b3, 0, 2, 5, 7);
    *c = wasm_i32x4_shuffle(b0c0b1c1, r2, 1, 3, 4, 7);
}

static void v8_load_triples(v8 *a, v8 *b, v8 *c, const float *p)
{
    load_triples4(&a->lo, &b->lo, &c->lo, p);
    load_triples4(&a->hi, &b->hi, &c->hi, p + 12);
}

static d8 d8_zero(void)
{
    v128_t zero = wasm_f64x2_splat(0.0);
    d8 r = { { zero, zero, zero, zero } };
    return r;
}
static d8 d8_load(const double *p)
{
    d8 r = { { wasm_v128_load(p), wasm_v128_load(p + 2), wasm_v128_load(p + 4), wasm_v128_load(p + 6) } };
    return r;
}
static void d8_store(double *p, d8 a)
{
    for (int i = 0; i < 4; i++) {
        wasm_v128_store(p + 2 * i, a.part[i]);
    }
}
static d8 d8_from(v8 a)
{
    d8 r = { { wasm_f64x2_promote_low_f32x4(a.lo),
               wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a.lo, a.lo, 2, 3, 2, 3)),
               wasm_f64x2_promote_low_f32x4(a.hi),
               wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a.hi, a.hi, 2, 3, 2, 3)) } };
    return r;
}
static d8 d8_add(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = wasm_f64x2_add(a.part[i], b.part[i]);
    }
    return a;
}
static d8 d8_sub(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = wasm_f64x2_sub(a.part[i], b.part[i]);
    }
    return a;
}
static d8 d8_mul(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = wasm_f64x2_mul(a.part[i], b.part[i]);
    }
    return a;
}

typedef v8 b32;
typedef v8 w16;
static b32 b32_load(const uint8_t *p) { return v8_make(wasm_v128_load(p), wasm_v128_load(p + 16)); }
static b32 b32_subs(b32 a, b32 b) { return v8_make(wasm_u8x16_sub_sat(a.lo, b.lo), wasm_u8x16_sub_sat(a.hi, b.hi)); }
static b32 b32_or(b32 a, b32 b) { return v8_make(wasm_v128_or(a.lo, b.lo), wasm_v128_or(a.hi, b.hi)); }
static w16 w16_zero(void) { return v8_make(wasm_i16x8_splat(0), wasm_i16x8_splat(0)); }
static w16 w16_load(const uint16_t *p) { return v8_make(wasm_v128_load(p), wasm_v128_load(p + 8)); }
static void w16_store(uint16_t *p, w16 a)
{
    wasm_v128_store(p, a.lo);
    wasm_v128_store(p + 8, a.hi);
}
static w16 w16_adds(w16 a, w16 b) { return v8_make(wasm_u16x8_add_sat(a.lo, b.lo), wasm_u16x8_add_sat(a.hi, b.hi)); }
static w16 w16_mul(w16 a, w16 b) { return v8_make(wasm_i16x8_mul(a.lo, b.lo), wasm_i16x8_mul(a.hi, b.hi)); }
static v128_t mulhi(v128_t a, v128_t b)
{
    v128_t low = wasm_u32x4_shr(wasm_u32x4_extmul_low_u16x8(a, b), 16);
    v128_t high = wasm_u32x4_shr(wasm_u32x4_extmul_high_u16x8(a, b), 16);
    return wasm_u16x8_narrow_i32x4(low, high);
}
static w16 w16_mulhi(w16 a, w16 b) { return v8_make(mulhi(a.lo, b.lo), mulhi(a.hi, b.hi)); }
static w16 w16_set(uint16_t a) { return v8_make(wasm_i16x8_splat((short)a), wasm_i16x8_splat((short)a)); }
static w16 w16_times256(w16 a) { return v8_make(wasm_i16x8_shl(a.lo, 8), wasm_i16x8_shl(a.hi, 8)); }
static unsigned w16_within(w16 a, w16 b)
{
    return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(wasm_u16x8_le(a.lo, b.lo), wasm_u16x8_le(a.hi, b.hi)));
}
static w16 w16_even(b32 a)
{
    v128_t mask = wasm_i16x8_splat(255);
    return v8_make(wasm_v128_and(a.lo, mask), wasm_v128_and(a.hi, mask));
}
static w16 w16_odd(b32 a) { return v8_make(wasm_u16x8_shr(a.lo, 8), wasm_u16x8_shr(a.hi, 8)); }
static w16 w16_pair_squares(b32 a)
{
    v128_t cap = wasm_i8x16_splat(127);
    b32 capped = v8_make(wasm_u8x16_min(a.lo, cap), wasm_u8x16_min(a.hi, cap));
    w16 even = w16_even(capped);
    w16 odd = w16_odd(capped);
    return w16_adds(w16_mul(even, even), w16_mul(odd, odd));
}

#define KERNEL_NAME "wasm"
#define KERNEL_TABLE ami_kernels_wasm
#include "kernel/body.h"
#endif

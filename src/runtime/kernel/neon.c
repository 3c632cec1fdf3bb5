// Eight lanes in two 128-bit registers of AArch64. Multiplications and additions stay separate: vfma would round only
// once.
#include "kernel/kernel.h"

#if defined(AMI_HAS_NEON)
#include <arm_neon.h>

typedef struct v8 {
    float32x4_t lo, hi;
} v8;
typedef struct d8 {
    float64x2_t part[4];
} d8;

static v8 v8_make(float32x4_t lo, float32x4_t hi)
{
    v8 r = { lo, hi };
    return r;
}
static v8 v8_load(const float *p) { return v8_make(vld1q_f32(p), vld1q_f32(p + 4)); }
static void v8_store(float *p, v8 a)
{
    vst1q_f32(p, a.lo);
    vst1q_f32(p + 4, a.hi);
}
static v8 v8_set(float x) { return v8_make(vdupq_n_f32(x), vdupq_n_f32(x)); }
static v8 v8_add(v8 a, v8 b) { return v8_make(vaddq_f32(a.lo, b.lo), vaddq_f32(a.hi, b.hi)); }
static v8 v8_sub(v8 a, v8 b) { return v8_make(vsubq_f32(a.lo, b.lo), vsubq_f32(a.hi, b.hi)); }
static v8 v8_mul(v8 a, v8 b) { return v8_make(vmulq_f32(a.lo, b.lo), vmulq_f32(a.hi, b.hi)); }
static v8 v8_div(v8 a, v8 b) { return v8_make(vdivq_f32(a.lo, b.lo), vdivq_f32(a.hi, b.hi)); }
static v8 v8_sqrt(v8 a) { return v8_make(vsqrtq_f32(a.lo), vsqrtq_f32(a.hi)); }

static float32x4_t select4(uint32x4_t mask, float32x4_t a, float32x4_t b) { return vbslq_f32(mask, a, b); }
static float32x4_t less4(float32x4_t a, float32x4_t b) { return vreinterpretq_f32_u32(vcltq_f32(a, b)); }
// Compare and select: vminq and vmaxq hand on NaN and order the two zeros.
static v8 v8_min(v8 a, v8 b)
{
    return v8_make(select4(vcltq_f32(a.lo, b.lo), a.lo, b.lo), select4(vcltq_f32(a.hi, b.hi), a.hi, b.hi));
}
static v8 v8_max(v8 a, v8 b)
{
    return v8_make(select4(vcgtq_f32(a.lo, b.lo), a.lo, b.lo), select4(vcgtq_f32(a.hi, b.hi), a.hi, b.hi));
}
static v8 v8_less(v8 a, v8 b) { return v8_make(less4(a.lo, b.lo), less4(a.hi, b.hi)); }
static uint32x4_t bits4(float32x4_t a) { return vreinterpretq_u32_f32(a); }
static float32x4_t floats4(uint32x4_t a) { return vreinterpretq_f32_u32(a); }
static v8 v8_select(v8 mask, v8 a, v8 b)
{
    return v8_make(select4(bits4(mask.lo), a.lo, b.lo), select4(bits4(mask.hi), a.hi, b.hi));
}
static v8 v8_and(v8 a, v8 b)
{
    return v8_make(floats4(vandq_u32(bits4(a.lo), bits4(b.lo))), floats4(vandq_u32(bits4(a.hi), bits4(b.hi))));
}
static v8 v8_xor(v8 a, v8 b)
{
    return v8_make(floats4(veorq_u32(bits4(a.lo), bits4(b.lo))), floats4(veorq_u32(bits4(a.hi), bits4(b.hi))));
}
static v8 v8_shift30(v8 a)
{
    return v8_make(floats4(vshlq_n_u32(bits4(a.lo), 30)), floats4(vshlq_n_u32(bits4(a.hi), 30)));
}
static v8 v8_shift31(v8 a)
{
    return v8_make(floats4(vshlq_n_u32(bits4(a.lo), 31)), floats4(vshlq_n_u32(bits4(a.hi), 31)));
}
static float32x4_t spread4(float32x4_t a) { return vreinterpretq_f32_s32(vshrq_n_s32(vreinterpretq_s32_f32(a), 31)); }
static v8 v8_spread(v8 a) { return v8_make(spread4(a.lo), spread4(a.hi)); }
static bool v8_all(v8 mask) { return vminvq_u32(vandq_u32(bits4(mask.lo), bits4(mask.hi))) == 0xFFFFFFFFu; }

static float v8_fold(v8 a)
{
    float32x4_t four = vaddq_f32(a.lo, a.hi);
    float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
}

static void v8_fold4(float *out, v8 a, v8 b, v8 c, v8 d)
{
    float lanes[16];
    vst1q_f32(lanes, vaddq_f32(a.lo, a.hi));
    vst1q_f32(lanes + 4, vaddq_f32(b.lo, b.hi));
    vst1q_f32(lanes + 8, vaddq_f32(c.lo, c.hi));
    vst1q_f32(lanes + 12, vaddq_f32(d.lo, d.hi));
    float32x4x4_t t = vld4q_f32(lanes);
    vst1q_f32(out, vaddq_f32(vaddq_f32(t.val[0], t.val[2]), vaddq_f32(t.val[1], t.val[3])));
}

static void v8_load_quats(v8 *x, v8 *y, v8 *z, v8 *w, const float *p)
{
    float32x4x4_t lo = vld4q_f32(p);
    float32x4x4_t hi = vld4q_f32(p + 16);
    *x = v8_make(lo.val[0], hi.val[0]);
    *y = v8_make(lo.val[1], hi.val[1]);
    *z = v8_make(lo.val[2], hi.val[2]);
    *w = v8_make(lo.val[3], hi.val[3]);
}

static void v8_store_quats(float *p, v8 x, v8 y, v8 z, v8 w)
{
    float32x4x4_t lo = { { x.lo, y.lo, z.lo, w.lo } };
    float32x4x4_t hi = { { x.hi, y.hi, z.hi, w.hi } };
    vst4q_f32(p, lo);
    vst4q_f32(p + 16, hi);
}

static void v8_load_triples(v8 *a, v8 *b, v8 *c, const float *p)
{
    float32x4x3_t lo = vld3q_f32(p);
    float32x4x3_t hi = vld3q_f32(p + 12);
    *a = v8_make(lo.val[0], hi.val[0]);
    *b = v8_make(lo.val[1], hi.val[1]);
    *c = v8_make(lo.val[2], hi.val[2]);
}

static d8 d8_zero(void)
{
    float64x2_t zero = vdupq_n_f64(0.0);
    d8 r = { { zero, zero, zero, zero } };
    return r;
}
static d8 d8_load(const double *p)
{
    d8 r = { { vld1q_f64(p), vld1q_f64(p + 2), vld1q_f64(p + 4), vld1q_f64(p + 6) } };
    return r;
}
static void d8_store(double *p, d8 a)
{
    for (int i = 0; i < 4; i++) {
        vst1q_f64(p + 2 * i, a.part[i]);
    }
}
static d8 d8_from(v8 a)
{
    d8 r = { { vcvt_f64_f32(vget_low_f32(a.lo)), vcvt_high_f64_f32(a.lo), vcvt_f64_f32(vget_low_f32(a.hi)),
               vcvt_high_f64_f32(a.hi) } };
    return r;
}
static d8 d8_add(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = vaddq_f64(a.part[i], b.part[i]);
    }
    return a;
}
static d8 d8_sub(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = vsubq_f64(a.part[i], b.part[i]);
    }
    return a;
}
static d8 d8_mul(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = vmulq_f64(a.part[i], b.part[i]);
    }
    return a;
}

typedef struct b32 {
    uint8x16_t lo, hi;
} b32;
typedef struct w16 {
    uint16x8_t lo, hi;
} w16;
static b32 b32_make(uint8x16_t lo, uint8x16_t hi)
{
    b32 r = { lo, hi };
    return r;
}
static w16 w16_make(uint16x8_t lo, uint16x8_t hi)
{
    w16 r = { lo, hi };
    return r;
}
static b32 b32_load(const uint8_t *p) { return b32_make(vld1q_u8(p), vld1q_u8(p + 16)); }
static b32 b32_subs(b32 a, b32 b) { return b32_make(vqsubq_u8(a.lo, b.lo), vqsubq_u8(a.hi, b.hi)); }
static b32 b32_or(b32 a, b32 b) { return b32_make(vorrq_u8(a.lo, b.lo), vorrq_u8(a.hi, b.hi)); }
static w16 w16_zero(void) { return w16_make(vdupq_n_u16(0), vdupq_n_u16(0)); }
static w16 w16_load(const uint16_t *p) { return w16_make(vld1q_u16(p), vld1q_u16(p + 8)); }
static void w16_store(uint16_t *p, w16 a)
{
    vst1q_u16(p, a.lo);
    vst1q_u16(p + 8, a.hi);
}
static w16 w16_adds(w16 a, w16 b) { return w16_make(vqaddq_u16(a.lo, b.lo), vqaddq_u16(a.hi, b.hi)); }
static w16 w16_mul(w16 a, w16 b) { return w16_make(vmulq_u16(a.lo, b.lo), vmulq_u16(a.hi, b.hi)); }
static uint16x8_t mulhi(uint16x8_t a, uint16x8_t b)
{
    uint32x4_t low = vmull_u16(vget_low_u16(a), vget_low_u16(b));
    uint32x4_t high = vmull_high_u16(a, b);
    return vcombine_u16(vshrn_n_u32(low, 16), vshrn_n_u32(high, 16));
}
static w16 w16_mulhi(w16 a, w16 b) { return w16_make(mulhi(a.lo, b.lo), mulhi(a.hi, b.hi)); }
static w16 w16_set(uint16_t a) { return w16_make(vdupq_n_u16(a), vdupq_n_u16(a)); }
static w16 w16_times256(w16 a) { return w16_make(vshlq_n_u16(a.lo, 8), vshlq_n_u16(a.hi, 8)); }
static unsigned w16_within(w16 a, w16 b)
{
    static const uint16_t bits[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
    uint16x8_t lanes = vld1q_u16(bits);
    unsigned lo = vaddvq_u16(vandq_u16(vcleq_u16(a.lo, b.lo), lanes));
    unsigned hi = vaddvq_u16(vandq_u16(vcleq_u16(a.hi, b.hi), lanes));
    return lo | hi << 8;
}
static w16 w16_even(b32 a)
{
    uint16x8_t mask = vdupq_n_u16(255);
    return w16_make(vandq_u16(vreinterpretq_u16_u8(a.lo), mask), vandq_u16(vreinterpretq_u16_u8(a.hi), mask));
}
static w16 w16_odd(b32 a)
{
    return w16_make(vshrq_n_u16(vreinterpretq_u16_u8(a.lo), 8), vshrq_n_u16(vreinterpretq_u16_u8(a.hi), 8));
}
static w16 w16_pair_squares(b32 a)
{
    uint8x16_t cap = vdupq_n_u8(127);
    b32 capped = b32_make(vminq_u8(a.lo, cap), vminq_u8(a.hi, cap));
    w16 even = w16_even(capped);
    w16 odd = w16_odd(capped);
    return w16_adds(w16_mul(even, even), w16_mul(odd, odd));
}

#define KERNEL_NAME "neon"
#define KERNEL_TABLE ami_kernels_neon
#include "kernel/body.h"
#endif

// Sixteen lanes in four 128-bit registers of NEON. Included by the exact and the fused version.
#include <arm_neon.h>

#define GEMV_PANELS 4
#define TILE_ITEMS 4
#define TILE_PANELS 1

typedef float32x4_t q4;
typedef int32x4_t n4;
static inline q4 q4_load(const float *p) { return vld1q_f32(p); }
static inline void q4_store(float *p, q4 a) { vst1q_f32(p, a); }
static inline q4 q4_set(float x) { return vdupq_n_f32(x); }
static inline q4 q4_add(q4 a, q4 b) { return vaddq_f32(a, b); }
static inline q4 q4_sub(q4 a, q4 b) { return vsubq_f32(a, b); }
static inline q4 q4_mul(q4 a, q4 b) { return vmulq_f32(a, b); }
static inline q4 q4_div(q4 a, q4 b) { return vdivq_f32(a, b); }
static inline q4 q4_min(q4 a, q4 b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
static inline q4 q4_max(q4 a, q4 b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
static inline q4 q4_abs(q4 a) { return vabsq_f32(a); }
static inline q4 q4_half(const uint16_t *p) { return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))); }
#if LAYERS_FUSED
static inline q4 q4_madd(q4 a, q4 b, q4 c) { return vfmaq_f32(c, a, b); }
#else
static inline q4 q4_madd(q4 a, q4 b, q4 c) { return vaddq_f32(c, vmulq_f32(a, b)); }
#endif
static inline q4 q4_pick_less(q4 a, q4 b, q4 x, q4 y) { return vbslq_f32(vcltq_f32(a, b), x, y); }
static inline q4 q4_power(q4 sum)
{
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vreinterpretq_s32_f32(sum), vdupq_n_s32(127)), 23));
}
static inline unsigned q4_nonzero(q4 a)
{
    const uint32x4_t place = { 1, 2, 4, 8 };
    return vaddvq_u32(vbicq_u32(place, vceqzq_f32(a)));
}
static inline n4 n4_set(int32_t x) { return vdupq_n_s32(x); }
static inline q4 n4_float(n4 a) { return vcvtq_f32_s32(a); }
static inline n4 q4_int(q4 a) { return vcvtq_s32_f32(a); }
static inline void n4_store16(int16_t *p, n4 a) { vst1_s16(p, vqmovn_s32(a)); }
static inline n4 madd8(n4 sum, int16x8_t w, int16x8_t x)
{
    int32x4_t low = vmull_s16(vget_low_s16(w), vget_low_s16(x));
    int32x4_t high = vmull_s16(vget_high_s16(w), vget_high_s16(x));
    return vaddq_s32(sum, vpaddq_s32(low, high));
}
static inline void n4_madd(n4 *low, n4 *high, n4 sum_low, n4 sum_high, const int8_t *w, n4 x)
{
    int8x16_t bytes = vld1q_s8(w);
    int16x8_t all = vreinterpretq_s16_s32(x);
    *low = madd8(sum_low, vmovl_s8(vget_low_s8(bytes)), all);
    *high = madd8(sum_high, vmovl_s8(vget_high_s8(bytes)), all);
}

#include "kernel/layers_quad.h"

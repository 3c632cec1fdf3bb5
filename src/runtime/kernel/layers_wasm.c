// Layers of networks with WebAssembly SIMD, with the bits of the reference.
#include "kernel/layers.h"

#if defined(AMI_HAS_WASM)
#include <wasm_simd128.h>

#define LAYERS_FUSED 0
#define LAYERS_NAME "wasm"
#define LAYERS_TABLE ami_layers_wasm
#define GEMV_PANELS 2
#define TILE_ITEMS 2
#define TILE_PANELS 1

typedef v128_t q4;
typedef v128_t n4;
static inline q4 q4_load(const float *p) { return wasm_v128_load(p); }
static inline void q4_store(float *p, q4 a) { wasm_v128_store(p, a); }
static inline q4 q4_set(float x) { return wasm_f32x4_splat(x); }
static inline q4 q4_add(q4 a, q4 b) { return wasm_f32x4_add(a, b); }
static inline q4 q4_sub(q4 a, q4 b) { return wasm_f32x4_sub(a, b); }
static inline q4 q4_mul(q4 a, q4 b) { return wasm_f32x4_mul(a, b); }
static inline q4 q4_div(q4 a, q4 b) { return wasm_f32x4_div(a, b); }
// pmin(x, y) is y < x ? y : x and pmax(x, y) is x < y ? y : x: the arguments change places.
static inline q4 q4_min(q4 a, q4 b) { return wasm_f32x4_pmin(b, a); }
static inline q4 q4_max(q4 a, q4 b) { return wasm_f32x4_pmax(b, a); }
static inline q4 q4_abs(q4 a) { return wasm_f32x4_abs(a); }
static inline q4 q4_madd(q4 a, q4 b, q4 c) { return wasm_f32x4_add(c, wasm_f32x4_mul(a, b)); }
static inline q4 q4_half(const uint16_t *p)
{
    v128_t h = wasm_u32x4_load16x4(p);
    v128_t size = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_splat(0x7FFF)), 13);
    v128_t sign = wasm_i32x4_shl(wasm_v128_and(h, wasm_i32x4_splat(0x8000)), 16);
    return wasm_v128_or(wasm_f32x4_mul(size, wasm_f32x4_splat(5.192296858534828e33f)), sign);
}
static inline q4 q4_pick_less(q4 a, q4 b, q4 x, q4 y) { return wasm_v128_bitselect(x, y, wasm_f32x4_lt(a, b)); }
static inline q4 q4_power(q4 sum) { return wasm_i32x4_shl(wasm_i32x4_add(sum, wasm_i32x4_splat(127)), 23); }
static inline unsigned q4_nonzero(q4 a)
{
    return (unsigned)wasm_i32x4_bitmask(wasm_f32x4_ne(a, wasm_f32x4_splat(0.0f)));
}
static inline n4 n4_set(int32_t x) { return wasm_i32x4_splat(x); }
static inline q4 n4_float(n4 a) { return wasm_f32x4_convert_i32x4(a); }
static inline n4 q4_int(q4 a) { return wasm_i32x4_trunc_sat_f32x4(a); }
static inline void n4_store16(int16_t *p, n4 a) { wasm_v128_store64_lane(p, wasm_i16x8_narrow_i32x4(a, a), 0); }
static inline void n4_madd(n4 *low, n4 *high, n4 sum_low, n4 sum_high, const int8_t *w, n4 x)
{
    v128_t bytes = wasm_v128_load(w);
    *low = wasm_i32x4_add(sum_low, wasm_i32x4_dot_i16x8(wasm_i16x8_extend_low_i8x16(bytes), x));
    *high = wasm_i32x4_add(sum_high, wasm_i32x4_dot_i16x8(wasm_i16x8_extend_high_i8x16(bytes), x));
}

#include "kernel/layers_quad.h"

#include "kernel/layers_body.h"
#endif

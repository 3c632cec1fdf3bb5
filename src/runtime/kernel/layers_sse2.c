// Layers of networks with SSE2, with the bits of the reference.
#include "kernel/layers.h"

#if defined(AMI_HAS_X86)
#include <emmintrin.h>

#include <string.h>

#define LAYERS_FUSED 0
#define LAYERS_NAME "sse2"
#define LAYERS_TABLE ami_layers_sse2
#define GEMV_PANELS 2
#define TILE_ITEMS 2
#define TILE_PANELS 1

typedef __m128 q4;
typedef __m128i n4;
static inline q4 q4_load(const float *p) { return _mm_loadu_ps(p); }
static inline void q4_store(float *p, q4 a) { _mm_storeu_ps(p, a); }
static inline q4 q4_set(float x) { return _mm_set1_ps(x); }
static inline q4 q4_add(q4 a, q4 b) { return _mm_add_ps(a, b); }
static inline q4 q4_sub(q4 a, q4 b) { return _mm_sub_ps(a, b); }
static inline q4 q4_mul(q4 a, q4 b) { return _mm_mul_ps(a, b); }
static inline q4 q4_div(q4 a, q4 b) { return _mm_div_ps(a, b); }
static inline q4 q4_min(q4 a, q4 b) { return _mm_min_ps(a, b); }
static inline q4 q4_max(q4 a, q4 b) { return _mm_max_ps(a, b); }
static inline q4 q4_abs(q4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline q4 q4_madd(q4 a, q4 b, q4 c) { return _mm_add_ps(c, _mm_mul_ps(a, b)); }
static inline q4 q4_half(const uint16_t *p)
{
    __m128i h = _mm_unpacklo_epi16(_mm_loadl_epi64((const void *)p), _mm_setzero_si128());
    __m128i size = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x7FFF)), 13);
    __m128i sign = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x8000)), 16);
    return _mm_or_ps(_mm_mul_ps(_mm_castsi128_ps(size), _mm_set1_ps(5.192296858534828e33f)), _mm_castsi128_ps(sign));
}
static inline q4 q4_pick_less(q4 a, q4 b, q4 x, q4 y)
{
    q4 mask = _mm_cmplt_ps(a, b);
    return _mm_or_ps(_mm_and_ps(mask, x), _mm_andnot_ps(mask, y));
}
static inline q4 q4_power(q4 sum)
{
    return _mm_castsi128_ps(_mm_slli_epi32(_mm_add_epi32(_mm_castps_si128(sum), _mm_set1_epi32(127)), 23));
}
static inline unsigned q4_nonzero(q4 a) { return (unsigned)_mm_movemask_ps(_mm_cmpneq_ps(a, _mm_setzero_ps())); }
static inline n4 n4_set(int32_t x) { return _mm_set1_epi32(x); }
static inline q4 n4_float(n4 a) { return _mm_cvtepi32_ps(a); }
static inline n4 q4_int(q4 a) { return _mm_cvttps_epi32(a); }
static inline void n4_store16(int16_t *p, n4 a) { _mm_storel_epi64((void *)p, _mm_packs_epi32(a, a)); }
static inline void n4_madd(n4 *low, n4 *high, n4 sum_low, n4 sum_high, const int8_t *w, n4 x)
{
    __m128i bytes = _mm_loadu_si128((const void *)w);
    // Each byte into the upper half of 16 bits, then shifted down with its sign.
    __m128i first = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
    __m128i second = _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8);
    *low = _mm_add_epi32(sum_low, _mm_madd_epi16(first, x));
    *high = _mm_add_epi32(sum_high, _mm_madd_epi16(second, x));
}

#include "kernel/layers_quad.h"

#include "kernel/layers_body.h"
#endif

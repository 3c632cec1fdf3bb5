// Sixteen lanes in one 512-bit register. Included by the exact and the fused version.
#include <immintrin.h>

#define GEMV_PANELS 8 // eight sums hide the latency of an addition
#define TILE_ITEMS 12
#define TILE_PANELS 2

typedef __m512 v16;
typedef __m512i i16;

static inline v16 v16_load(const float *p) { return _mm512_loadu_ps(p); }
static inline void v16_store(float *p, v16 a) { _mm512_storeu_ps(p, a); }
static inline v16 v16_set(float x) { return _mm512_set1_ps(x); }
static inline v16 v16_add(v16 a, v16 b) { return _mm512_add_ps(a, b); }
static inline v16 v16_sub(v16 a, v16 b) { return _mm512_sub_ps(a, b); }
static inline v16 v16_mul(v16 a, v16 b) { return _mm512_mul_ps(a, b); }
static inline v16 v16_div(v16 a, v16 b) { return _mm512_div_ps(a, b); }
static inline v16 v16_min(v16 a, v16 b) { return _mm512_min_ps(a, b); }
static inline v16 v16_max(v16 a, v16 b) { return _mm512_max_ps(a, b); }
static inline v16 v16_abs(v16 a) { return _mm512_abs_ps(a); }
static inline v16 v16_half(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p)); }
#if LAYERS_FUSED
static inline v16 v16_madd(v16 a, v16 b, v16 c) { return _mm512_fmadd_ps(a, b, c); }
#else
static inline v16 v16_madd(v16 a, v16 b, v16 c) { return _mm512_add_ps(c, _mm512_mul_ps(a, b)); }
#endif
static inline v16 v16_pick_less(v16 a, v16 b, v16 x, v16 y)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), y, x);
}
static inline v16 v16_power(v16 sum)
{
    __m512i bits = _mm512_add_epi32(_mm512_castps_si512(sum), _mm512_set1_epi32(127));
    return _mm512_castsi512_ps(_mm512_slli_epi32(bits, 23));
}
static inline unsigned v16_nonzero(v16 a) { return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_NEQ_UQ); }
#define LAYERS_PLACES
static inline void places(uint32_t *out, unsigned mask, uint32_t first)
{
    __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i at = _mm512_add_epi32(lane, _mm512_set1_epi32((int)first));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((__mmask16)mask, at));
}
static inline float v16_fold(v16 a)
{
    __m256 high = _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1));
    __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a), high);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_shuffle_ps(two, two, 1));
}

static inline i16 i16_zero(void) { return _mm512_setzero_si512(); }
static inline v16 i16_float(i16 a) { return _mm512_cvtepi32_ps(a); }
static inline i16 i16_madd(i16 sum, const int8_t *w, int32_t x)
{
    __m512i wide = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const void *)w));
    return _mm512_add_epi32(sum, _mm512_madd_epi16(wide, _mm512_set1_epi32(x)));
}
static inline void v16_to_i16(int16_t *q, v16 a)
{
    _mm256_storeu_si256((void *)q, _mm512_cvtepi32_epi16(_mm512_cvttps_epi32(a)));
}

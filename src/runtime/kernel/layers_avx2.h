// Sixteen lanes in two 256-bit registers. Included by the exact and the fused version.
#include <immintrin.h>

#define GEMV_PANELS 4 // eight sums hide the latency of an addition
#define TILE_ITEMS 6
#define TILE_PANELS 1

typedef struct v16 {
    __m256 a, b;
} v16;
typedef struct i16 {
    __m256i a, b;
} i16;

#define EACH(expr_a, expr_b)                                                                                         \
    return (v16) { (expr_a), (expr_b) }
static inline v16 v16_load(const float *p) { EACH(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)); }
static inline void v16_store(float *p, v16 x)
{
    _mm256_storeu_ps(p, x.a);
    _mm256_storeu_ps(p + 8, x.b);
}
static inline v16 v16_set(float x)
{
    __m256 all = _mm256_set1_ps(x);
    EACH(all, all);
}
static inline v16 v16_add(v16 x, v16 y) { EACH(_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)); }
static inline v16 v16_sub(v16 x, v16 y) { EACH(_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)); }
static inline v16 v16_mul(v16 x, v16 y) { EACH(_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)); }
static inline v16 v16_div(v16 x, v16 y) { EACH(_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)); }
static inline v16 v16_min(v16 x, v16 y) { EACH(_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)); }
static inline v16 v16_max(v16 x, v16 y) { EACH(_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)); }
static inline v16 v16_abs(v16 x)
{
    __m256 sign = _mm256_set1_ps(-0.0f);
    EACH(_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b));
}
static inline v16 v16_half(const uint16_t *p)
{
    EACH(_mm256_cvtph_ps(_mm_loadu_si128((const void *)p)), _mm256_cvtph_ps(_mm_loadu_si128((const void *)(p + 8))));
}
#if LAYERS_FUSED
static inline v16 v16_madd(v16 x, v16 y, v16 c)
{
    EACH(_mm256_fmadd_ps(x.a, y.a, c.a), _mm256_fmadd_ps(x.b, y.b, c.b));
}
#else
static inline v16 v16_madd(v16 x, v16 y, v16 c) { return v16_add(c, v16_mul(x, y)); }
#endif
static inline v16 v16_pick_less(v16 p, v16 q, v16 x, v16 y)
{
    EACH(_mm256_blendv_ps(y.a, x.a, _mm256_cmp_ps(p.a, q.a, _CMP_LT_OQ)),
         _mm256_blendv_ps(y.b, x.b, _mm256_cmp_ps(p.b, q.b, _CMP_LT_OQ)));
}
static inline __m256 power8(__m256 sum)
{
    __m256i bits = _mm256_add_epi32(_mm256_castps_si256(sum), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 23));
}
static inline v16 v16_power(v16 sum) { EACH(power8(sum.a), power8(sum.b)); }
static inline unsigned v16_nonzero(v16 x)
{
    __m256 zero = _mm256_setzero_ps();
    unsigned low = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x.a, zero, _CMP_NEQ_UQ));
    return low | (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(x.b, zero, _CMP_NEQ_UQ)) << 8;
}
static inline float v16_fold(v16 x)
{
    __m256 eight = _mm256_add_ps(x.a, x.b);
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_shuffle_ps(two, two, 1));
}

static inline i16 i16_zero(void) { return (i16){ _mm256_setzero_si256(), _mm256_setzero_si256() }; }
static inline v16 i16_float(i16 x) { EACH(_mm256_cvtepi32_ps(x.a), _mm256_cvtepi32_ps(x.b)); }
static inline i16 i16_madd(i16 sum, const int8_t *w, int32_t x)
{
    __m256i all = _mm256_set1_epi32(x);
    __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)w));
    __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)(w + 16)));
    return (i16){ _mm256_add_epi32(sum.a, _mm256_madd_epi16(low, all)),
                  _mm256_add_epi32(sum.b, _mm256_madd_epi16(high, all)) };
}
static inline void v16_to_i16(int16_t *q, v16 x)
{
    __m256i both = _mm256_packs_epi32(_mm256_cvttps_epi32(x.a), _mm256_cvttps_epi32(x.b));
    _mm256_storeu_si256((void *)q, _mm256_permute4x64_epi64(both, 0xD8));
}

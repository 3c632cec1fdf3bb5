// Eight lanes in one 256-bit register. Compiled with -mavx2 but never with FMA: it would round once where the others
// round twice.
#include "kernel/kernel.h"

#if defined(AMI_HAS_X86)
#include <immintrin.h>

typedef __m256 v8;
typedef struct d8 {
    __m256d lo, hi;
} d8;

static v8 v8_load(const float *p) { return _mm256_loadu_ps(p); }
static void v8_store(float *p, v8 a) { _mm256_storeu_ps(p, a); }
static v8 v8_set(float x) { return _mm256_set1_ps(x); }
static v8 v8_add(v8 a, v8 b) { return _mm256_add_ps(a, b); }
static v8 v8_sub(v8 a, v8 b) { return _mm256_sub_ps(a, b); }
static v8 v8_mul(v8 a, v8 b) { return _mm256_mul_ps(a, b); }
static v8 v8_div(v8 a, v8 b) { return _mm256_div_ps(a, b); }
static v8 v8_sqrt(v8 a) { return _mm256_sqrt_ps(a); }
static v8 v8_min(v8 a, v8 b) { return _mm256_min_ps(a, b); } // a < b ? a : b, as the processor defines it
static v8 v8_max(v8 a, v8 b) { return _mm256_max_ps(a, b); }
static v8 v8_less(v8 a, v8 b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static v8 v8_select(v8 mask, v8 a, v8 b) { return _mm256_blendv_ps(b, a, mask); }
static v8 v8_and(v8 a, v8 b) { return _mm256_and_ps(a, b); }
static v8 v8_xor(v8 a, v8 b) { return _mm256_xor_ps(a, b); }
static v8 v8_shift30(v8 a) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), 30)); }
static v8 v8_shift31(v8 a) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), 31)); }
static v8 v8_spread(v8 a) { return _mm256_castsi256_ps(_mm256_srai_epi32(_mm256_castps_si256(a), 31)); }
static bool v8_all(v8 mask) { return _mm256_movemask_ps(mask) == 0xFF; }

static __m128 halves(v8 a) { return _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)); }

static float v8_fold(v8 a)
{
    __m128 four = halves(a);
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

static void v8_fold4(float *out, v8 a, v8 b, v8 c, v8 d)
{
    __m128 t0 = halves(a), t1 = halves(b), t2 = halves(c), t3 = halves(d);
    _MM_TRANSPOSE4_PS(t0, t1, t2, t3);
    _mm_storeu_ps(out, _mm_add_ps(_mm_add_ps(t0, t2), _mm_add_ps(t1, t3)));
}

/// The 4 x 4 transpose within both halves.
static void transpose(v8 r[4])
{
    v8 a = _mm256_unpacklo_ps(r[0], r[1]);
    v8 b = _mm256_unpackhi_ps(r[0], r[1]);
    v8 c = _mm256_unpacklo_ps(r[2], r[3]);
    v8 d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(a, c, 0x44);
    r[1] = _mm256_shuffle_ps(a, c, 0xEE);
    r[2] = _mm256_shuffle_ps(b, d, 0x44);
    r[3] = _mm256_shuffle_ps(b, d, 0xEE);
}

static void v8_load_quats(v8 *x, v8 *y, v8 *z, v8 *w, const float *p)
{
    v8 r[4];
    for (int i = 0; i < 4; i++) { // quaternion i below, i + 4 above
        r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p + 4 * i)), _mm_loadu_ps(p + 4 * i + 16), 1);
    }
    transpose(r);
    *x = r[0];
    *y = r[1];
    *z = r[2];
    *w = r[3];
}

static void v8_store_quats(float *p, v8 x, v8 y, v8 z, v8 w)
{
    v8 r[4] = { x, y, z, w };
    transpose(r);
    for (int i = 0; i < 4; i++) {
        _mm_storeu_ps(p + 4 * i, _mm256_castps256_ps128(r[i]));
        _mm_storeu_ps(p + 4 * i + 16, _mm256_extractf128_ps(r[i], 1));
    }
}

/// Lane i of the three results are items 3 i, 3 i + 1 and 3 i + 2 of 24.
static void v8_load_triples(v8 *a, v8 *b, v8 *c, const float *p)
{
    v8 r0 = v8_load(p), r1 = v8_load(p + 8), r2 = v8_load(p + 16);
    // Each result's items sit in different lanes of the three registers: blended into one, then put in order.
    v8 mix_a = _mm256_blend_ps(_mm256_blend_ps(r0, r1, 0x92), r2, 0x24);
    v8 mix_b = _mm256_blend_ps(_mm256_blend_ps(r0, r1, 0x24), r2, 0x49);
    v8 mix_c = _mm256_blend_ps(_mm256_blend_ps(r0, r1, 0x49), r2, 0x92);
    *a = _mm256_permutevar8x32_ps(mix_a, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    *b = _mm256_permutevar8x32_ps(mix_b, _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6));
    *c = _mm256_permutevar8x32_ps(mix_c, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
}

static d8 d8_make(__m256d lo, __m256d hi)
{
    d8 r = { lo, hi };
    return r;
}
static d8 d8_zero(void) { return d8_make(_mm256_setzero_pd(), _mm256_setzero_pd()); }
static d8 d8_load(const double *p) { return d8_make(_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)); }
static void d8_store(double *p, d8 a)
{
    _mm256_storeu_pd(p, a.lo);
    _mm256_storeu_pd(p + 4, a.hi);
}
static d8 d8_from(v8 a)
{
    return d8_make(_mm256_cvtps_pd(_mm256_castps256_ps128(a)), _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)));
}
static d8 d8_add(d8 a, d8 b) { return d8_make(_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)); }
static d8 d8_sub(d8 a, d8 b) { return d8_make(_mm256_sub_pd(a.lo, b.lo), _mm256_sub_pd(a.hi, b.hi)); }
static d8 d8_mul(d8 a, d8 b) { return d8_make(_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)); }

typedef __m256i b32;
typedef __m256i w16;
static b32 b32_load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static b32 b32_subs(b32 a, b32 b) { return _mm256_subs_epu8(a, b); }
static b32 b32_or(b32 a, b32 b) { return _mm256_or_si256(a, b); }
static w16 w16_zero(void) { return _mm256_setzero_si256(); }
static w16 w16_load(const uint16_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static void w16_store(uint16_t *p, w16 a) { _mm256_storeu_si256((__m256i *)p, a); }
static w16 w16_adds(w16 a, w16 b) { return _mm256_adds_epu16(a, b); }
static w16 w16_mul(w16 a, w16 b) { return _mm256_mullo_epi16(a, b); }
static w16 w16_mulhi(w16 a, w16 b) { return _mm256_mulhi_epu16(a, b); }
static w16 w16_set(uint16_t a) { return _mm256_set1_epi16((short)a); }
static w16 w16_times256(w16 a) { return _mm256_slli_epi16(a, 8); }
static unsigned w16_within(w16 a, w16 b)
{
    __m256i mask = _mm256_cmpeq_epi16(_mm256_subs_epu16(a, b), _mm256_setzero_si256());
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(mask), _mm256_extracti128_si256(mask, 1));
    return (unsigned)_mm_movemask_epi8(bytes);
}
static w16 w16_even(b32 a) { return _mm256_and_si256(a, _mm256_set1_epi16(255)); }
static w16 w16_odd(b32 a) { return _mm256_srli_epi16(a, 8); }
static w16 w16_pair_squares(b32 a)
{
    b32 capped = _mm256_min_epu8(a, _mm256_set1_epi8(127)); // the second factor is read as signed
    return _mm256_maddubs_epi16(capped, capped);
}

#define KERNEL_NAME "avx2"
#define KERNEL_TABLE ami_kernels_avx2
#include "kernel/body.h"
#endif

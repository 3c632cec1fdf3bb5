// Eight lanes in two 128-bit registers: what every x86-64 has.
#include "kernel/kernel.h"

#if defined(AMI_HAS_X86)
#include <emmintrin.h>

typedef struct v8 {
    __m128 lo, hi;
} v8;
typedef struct d8 {
    __m128d part[4];
} d8;

static v8 v8_make(__m128 lo, __m128 hi)
{
    v8 r = { lo, hi };
    return r;
}
static v8 v8_load(const float *p) { return v8_make(_mm_loadu_ps(p), _mm_loadu_ps(p + 4)); }
static void v8_store(float *p, v8 a)
{
    _mm_storeu_ps(p, a.lo);
    _mm_storeu_ps(p + 4, a.hi);
}
static v8 v8_set(float x) { return v8_make(_mm_set1_ps(x), _mm_set1_ps(x)); }
static v8 v8_add(v8 a, v8 b) { return v8_make(_mm_add_ps(a.lo, b.lo), _mm_add_ps(a.hi, b.hi)); }
static v8 v8_sub(v8 a, v8 b) { return v8_make(_mm_sub_ps(a.lo, b.lo), _mm_sub_ps(a.hi, b.hi)); }
static v8 v8_mul(v8 a, v8 b) { return v8_make(_mm_mul_ps(a.lo, b.lo), _mm_mul_ps(a.hi, b.hi)); }
static v8 v8_div(v8 a, v8 b) { return v8_make(_mm_div_ps(a.lo, b.lo), _mm_div_ps(a.hi, b.hi)); }
static v8 v8_sqrt(v8 a) { return v8_make(_mm_sqrt_ps(a.lo), _mm_sqrt_ps(a.hi)); }
// a < b ? a : b, as the processor defines it.
static v8 v8_min(v8 a, v8 b) { return v8_make(_mm_min_ps(a.lo, b.lo), _mm_min_ps(a.hi, b.hi)); }
static v8 v8_max(v8 a, v8 b) { return v8_make(_mm_max_ps(a.lo, b.lo), _mm_max_ps(a.hi, b.hi)); }
static v8 v8_less(v8 a, v8 b) { return v8_make(_mm_cmplt_ps(a.lo, b.lo), _mm_cmplt_ps(a.hi, b.hi)); }
static v8 v8_and(v8 a, v8 b) { return v8_make(_mm_and_ps(a.lo, b.lo), _mm_and_ps(a.hi, b.hi)); }
static v8 v8_xor(v8 a, v8 b) { return v8_make(_mm_xor_ps(a.lo, b.lo), _mm_xor_ps(a.hi, b.hi)); }

static __m128 select4(__m128 mask, __m128 a, __m128 b)
{
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
}
static v8 v8_select(v8 mask, v8 a, v8 b)
{
    return v8_make(select4(mask.lo, a.lo, b.lo), select4(mask.hi, a.hi, b.hi));
}

static __m128 shift4(__m128 a, int bits) { return _mm_castsi128_ps(_mm_slli_epi32(_mm_castps_si128(a), bits)); }
static v8 v8_shift30(v8 a) { return v8_make(shift4(a.lo, 30), shift4(a.hi, 30)); }
static v8 v8_shift31(v8 a) { return v8_make(shift4(a.lo, 31), shift4(a.hi, 31)); }
static __m128 spread4(__m128 a) { return _mm_castsi128_ps(_mm_srai_epi32(_mm_castps_si128(a), 31)); }
static v8 v8_spread(v8 a) { return v8_make(spread4(a.lo), spread4(a.hi)); }
static bool v8_all(v8 mask) { return (_mm_movemask_ps(mask.lo) & _mm_movemask_ps(mask.hi)) == 0xF; }

static float v8_fold(v8 a)
{
    __m128 four = _mm_add_ps(a.lo, a.hi);
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}

static void v8_fold4(float *out, v8 a, v8 b, v8 c, v8 d)
{
    __m128 t0 = _mm_add_ps(a.lo, a.hi), t1 = _mm_add_ps(b.lo, b.hi);
    __m128 t2 = _mm_add_ps(c.lo, c.hi), t3 = _mm_add_ps(d.lo, d.hi);
    _MM_TRANSPOSE4_PS(t0, t1, t2, t3);
    _mm_storeu_ps(out, _mm_add_ps(_mm_add_ps(t0, t2), _mm_add_ps(t1, t3)));
}

static void v8_load_quats(v8 *x, v8 *y, v8 *z, v8 *w, const float *p)
{
    v8 a = v8_make(_mm_loadu_ps(p), _mm_loadu_ps(p + 16));
    v8 b = v8_make(_mm_loadu_ps(p + 4), _mm_loadu_ps(p + 20));
    v8 c = v8_make(_mm_loadu_ps(p + 8), _mm_loadu_ps(p + 24));
    v8 d = v8_make(_mm_loadu_ps(p + 12), _mm_loadu_ps(p + 28));
    _MM_TRANSPOSE4_PS(a.lo, b.lo, c.lo, d.lo);
    _MM_TRANSPOSE4_PS(a.hi, b.hi, c.hi, d.hi);
    *x = a;
    *y = b;
    *z = c;
    *w = d;
}

static void v8_store_quats(float *p, v8 x, v8 y, v8 z, v8 w)
{
    _MM_TRANSPOSE4_PS(x.lo, y.lo, z.lo, w.lo);
    _MM_TRANSPOSE4_PS(x.hi, y.hi, z.hi, w.hi);
    v8_store(p, v8_make(x.lo, y.lo));
    v8_store(p + 8, v8_make(z.lo, w.lo));
    v8_store(p + 16, v8_make(x.hi, y.hi));
    v8_store(p + 24, v8_make(z.hi, w.hi));
}

static void load_triples4(__m128 *a, __m128 *b, __m128 *c, const float *p)
{
    __m128 r0 = _mm_loadu_ps(p), r1 = _mm_loadu_ps(p + 4), r2 = _mm_loadu_ps(p + 8);
    __m128 a2b2a3b3 = _mm_shuffle_ps(r1, r2, _MM_SHUFFLE(2, 1, 3, 2));
    __m128 b0c0b1c1 = _mm_shuffle_ps(r0, r1, _MM_SHUFFLE(1, 0, 2, 1));
    *a = _mm_shuffle_ps(r0, a2b2a3b3, _MM_SHUFFLE(2, 0, 3, 0));
    *b = _mm_shuffle_ps(b0c0b1c1, a2b2a3b3, _MM_SHUFFLE(3, 1, 2, 0));
    *c = _mm_shuffle_ps(b0c0b1c1, r2, _MM_SHUFFLE(3, 0, 3, 1));
}

static void v8_load_triples(v8 *a, v8 *b, v8 *c, const float *p)
{
    load_triples4(&a->lo, &b->lo, &c->lo, p);
    load_triples4(&a->hi, &b->hi, &c->hi, p + 12);
}

static d8 d8_zero(void)
{
    d8 r = { { _mm_setzero_pd(), _mm_setzero_pd(), _mm_setzero_pd(), _mm_setzero_pd() } };
    return r;
}
static d8 d8_load(const double *p)
{
    d8 r = { { _mm_loadu_pd(p), _mm_loadu_pd(p + 2), _mm_loadu_pd(p + 4), _mm_loadu_pd(p + 6) } };
    return r;
}
static void d8_store(double *p, d8 a)
{
    for (int i = 0; i < 4; i++) {
        _mm_storeu_pd(p + 2 * i, a.part[i]);
    }
}
static d8 d8_from(v8 a)
{
    d8 r = { { _mm_cvtps_pd(a.lo), _mm_cvtps_pd(_mm_movehl_ps(a.lo, a.lo)), _mm_cvtps_pd(a.hi),
               _mm_cvtps_pd(_mm_movehl_ps(a.hi, a.hi)) } };
    return r;
}
static d8 d8_add(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = _mm_add_pd(a.part[i], b.part[i]);
    }
    return a;
}
static d8 d8_sub(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = _mm_sub_pd(a.part[i], b.part[i]);
    }
    return a;
}
static d8 d8_mul(d8 a, d8 b)
{
    for (int i = 0; i < 4; i++) {
        a.part[i] = _mm_mul_pd(a.part[i], b.part[i]);
    }
    return a;
}

typedef struct b32 {
    __m128i lo, hi;
} b32;
typedef b32 w16;
static b32 b32_make(__m128i lo, __m128i hi)
{
    b32 r = { lo, hi };
    return r;
}
static b32 b32_load(const uint8_t *p)
{
    return b32_make(_mm_loadu_si128((const __m128i *)p), _mm_loadu_si128((const __m128i *)(p + 16)));
}
static b32 b32_subs(b32 a, b32 b) { return b32_make(_mm_subs_epu8(a.lo, b.lo), _mm_subs_epu8(a.hi, b.hi)); }
static b32 b32_or(b32 a, b32 b) { return b32_make(_mm_or_si128(a.lo, b.lo), _mm_or_si128(a.hi, b.hi)); }
static w16 w16_zero(void) { return b32_make(_mm_setzero_si128(), _mm_setzero_si128()); }
static w16 w16_load(const uint16_t *p)
{
    return b32_make(_mm_loadu_si128((const __m128i *)p), _mm_loadu_si128((const __m128i *)(p + 8)));
}
static void w16_store(uint16_t *p, w16 a)
{
    _mm_storeu_si128((__m128i *)p, a.lo);
    _mm_storeu_si128((__m128i *)(p + 8), a.hi);
}
static w16 w16_adds(w16 a, w16 b) { return b32_make(_mm_adds_epu16(a.lo, b.lo), _mm_adds_epu16(a.hi, b.hi)); }
static w16 w16_mul(w16 a, w16 b) { return b32_make(_mm_mullo_epi16(a.lo, b.lo), _mm_mullo_epi16(a.hi, b.hi)); }
static w16 w16_mulhi(w16 a, w16 b) { return b32_make(_mm_mulhi_epu16(a.lo, b.lo), _mm_mulhi_epu16(a.hi, b.hi)); }
static w16 w16_set(uint16_t a) { return b32_make(_mm_set1_epi16((short)a), _mm_set1_epi16((short)a)); }
static w16 w16_times256(w16 a) { return b32_make(_mm_slli_epi16(a.lo, 8), _mm_slli_epi16(a.hi, 8)); }
static unsigned w16_within(w16 a, w16 b)
{
    __m128i zero = _mm_setzero_si128();
    __m128i lo = _mm_cmpeq_epi16(_mm_subs_epu16(a.lo, b.lo), zero);
    __m128i hi = _mm_cmpeq_epi16(_mm_subs_epu16(a.hi, b.hi), zero);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(lo, hi));
}
static w16 w16_even(b32 a)
{
    __m128i mask = _mm_set1_epi16(255);
    return b32_make(_mm_and_si128(a.lo, mask), _mm_and_si128(a.hi, mask));
}
static w16 w16_odd(b32 a) { return b32_make(_mm_srli_epi16(a.lo, 8), _mm_srli_epi16(a.hi, 8)); }
static w16 w16_pair_squares(b32 a)
{
    __m128i cap = _mm_set1_epi8(127);
    b32 capped = b32_make(_mm_min_epu8(a.lo, cap), _mm_min_epu8(a.hi, cap));
    w16 even = w16_even(capped);
    w16 odd = w16_odd(capped);
    return w16_adds(w16_mul(even, even), w16_mul(odd, odd));
}

#define KERNEL_NAME "sse2"
#define KERNEL_TABLE ami_kernels_sse2
#include "kernel/body.h"
#endif

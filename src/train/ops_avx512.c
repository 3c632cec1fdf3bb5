// The arithmetic of training in float, compiled for avx512 with fused multiply-add.
#include "train/ops.h"

#define real float
#define REAL_IS_DOUBLE 0
#define VEC_BYTES 64
#define TILE_ROWS 8
#define SQRT_OF sqrtf
#define TABLE ami_ops_avx512
#define TABLE_TYPE ami_ops_f32
#define ISA "avx512"
#if defined(__x86_64__) && defined(__AVX512F__)
#include <immintrin.h>

/// 1 / (sqrt v + eps), where division and root would take most of a step's time: first guesses by the machine, one
/// Newton step each, relative error 1e-6. Roots below 1e-15 count as that, far under any eps.
static inline __m512 inverse_of_root(__m512 v, float eps)
{
    const __m512 x = _mm512_max_ps(v, _mm512_set1_ps(1e-30f));
    __m512 r = _mm512_rsqrt14_ps(x);
    r = r * (1.5f - 0.5f * x * r * r);
    const __m512 d = x * r + eps;
    const __m512 q = _mm512_rcp14_ps(d);
    return q * (2.0f - d * q);
}
/// to(16, 16) = from(16, 16)^T in registers: pairs, fours, then quarters of the registers change places.
static inline void transpose_16(float *to, ptrdiff_t ld_to, const float *from, ptrdiff_t ld_from)
{
    __m512 a[16], b[16];
    for (int i = 0; i < 16; i++) {
        a[i] = _mm512_loadu_ps(from + i * ld_from);
    }
    for (int i = 0; i < 16; i += 2) {
        b[i] = _mm512_unpacklo_ps(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_ps(a[i], a[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        for (int j = 0; j < 2; j++) { // a[i + c]: columns c, 4 + c, 8 + c, 12 + c of rows i .. i + 3
            const __m512d low = _mm512_castps_pd(b[i + j]), high = _mm512_castps_pd(b[i + j + 2]);
            a[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            a[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    }
    for (int c = 0; c < 4; c++) {
        for (int half = 0; half < 16; half += 8) {
            b[half + c] = _mm512_shuffle_f32x4(a[half + c], a[half + 4 + c], 0x88);
            b[half + 4 + c] = _mm512_shuffle_f32x4(a[half + c], a[half + 4 + c], 0xdd);
        }
    }
    for (int c = 0; c < 8; c++) {
        _mm512_storeu_ps(to + c * ld_to, _mm512_shuffle_f32x4(b[c], b[8 + c], 0x88));
        _mm512_storeu_ps(to + (8 + c) * ld_to, _mm512_shuffle_f32x4(b[c], b[8 + c], 0xdd));
    }
}
#define TRANSPOSE_16(to, ld_to, from, ld_from) transpose_16(to, ld_to, from, ld_from)
#define INVERSE_OF_ROOT(v, eps) inverse_of_root((__m512)(v), eps)
#include "train/ops_body.h"
#else
typedef int ami_ops_avx512_is_left_out;
#endif

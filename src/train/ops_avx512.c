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
#define INVERSE_OF_ROOT(v, eps) inverse_of_root((__m512)(v), eps)
#include "train/ops_body.h"
#else
typedef int ami_ops_avx512_is_left_out;
#endif

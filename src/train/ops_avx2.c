// The arithmetic of training in float, compiled for avx2 with fused multiply-add.
#include "train/ops.h"

#define real float
#define REAL_IS_DOUBLE 0
#define VEC_BYTES 32
#define TILE_ROWS 6
#define SQRT_OF sqrtf
#define TABLE ami_ops_avx2
#define TABLE_TYPE ami_ops_f32
#define ISA "avx2"
#if defined(__x86_64__) && defined(__AVX2__)
#include <immintrin.h>

/// 1 / (sqrt v + eps), where division and root would take most of a step's time: first guesses by the machine, one
/// Newton step each, relative error 1e-6. Roots below 1e-15 count as that, far under any eps.
static inline __m256 inverse_of_root(__m256 v, float eps)
{
    const __m256 x = _mm256_max_ps(v, _mm256_set1_ps(1e-30f));
    __m256 r = _mm256_rsqrt_ps(x);
    r = r * (1.5f - 0.5f * x * r * r);
    const __m256 d = x * r + eps;
    const __m256 q = _mm256_rcp_ps(d);
    return q * (2.0f - d * q);
}
#define INVERSE_OF_ROOT(v, eps) inverse_of_root((__m256)(v), eps)
#include "train/ops_body.h"
#else
typedef int ami_ops_avx2_is_left_out;
#endif

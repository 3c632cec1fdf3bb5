// The arithmetic of training in float, compiled for avx512 with fused multiply-add.
#define real float
#define REAL_IS_DOUBLE 0
#define VEC_BYTES 64
#define TILE_ROWS 8
#define SQRT_OF sqrtf
#define TABLE ami_ops_avx512
#define TABLE_TYPE ami_ops_f32
#define ISA "avx512"
#if defined(__x86_64__) && defined(__AVX512F__)
#include "train/ops_body.h"
#else
typedef int ami_ops_avx512_is_left_out;
#endif

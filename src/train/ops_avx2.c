// The arithmetic of training in float, compiled for avx2 with fused multiply-add.
#define real float
#define REAL_IS_DOUBLE 0
#define VEC_BYTES 32
#define TILE_ROWS 6
#define SQRT_OF sqrtf
#define TABLE ami_ops_avx2
#define TABLE_TYPE ami_ops_f32
#define ISA "avx2"
#if defined(__x86_64__) && defined(__AVX2__)
#include "train/ops_body.h"
#else
typedef int ami_ops_avx2_is_left_out;
#endif

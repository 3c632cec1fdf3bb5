// Kinematics of training in float, compiled for avx512 with fused multiply-add.
#include "train/poses.h"

#define real float
#define ROOT sqrtf
#define POSES_TYPE ami_poses_f32
#define POSES_TABLE ami_poses_avx512
#define ISA "avx512"
#if defined(__x86_64__) && defined(__AVX512F__)
#include "train/poses_body.h"
#else
typedef int ami_poses_avx512_is_left_out;
#endif

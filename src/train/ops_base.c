// The arithmetic of training in float, for any machine.
#include "train/ops.h"

#define real float
#define REAL_IS_DOUBLE 0
#define VEC_BYTES 16
#define TILE_ROWS 4
#define SQRT_OF sqrtf
#define TABLE ami_ops_base
#define TABLE_TYPE ami_ops_f32
#define ISA "base"
#include "train/ops_body.h"

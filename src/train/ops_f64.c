// The arithmetic of training in double, for comparing analytic gradients with finite differences.
#include "train/ops.h"

#define real double
#define REAL_IS_DOUBLE 1
#define VEC_BYTES 16
#define TILE_ROWS 4
#define SQRT_OF sqrt
#define TABLE ami_ops_double
#define TABLE_TYPE ami_ops_f64
#define ISA "double"
#include "train/ops_body.h"

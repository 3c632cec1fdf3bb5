// The arithmetic of training in double: what analytic gradients are held against finite differences in.
#include "in_double.h"

#define real double
#define REAL_IS_DOUBLE 1
#define VEC_BYTES 16
#define TILE_ROWS 4
#define SQRT_OF sqrt
#define TABLE ami_ops_double
#define TABLE_TYPE ami_ops_f64
#define ISA "double"
#include "train/ops_body.h"

// Plans in double.
#include "in_double.h"

#define real double
#define PLAN ami_plan_f64
#define OPS ami_ops_f64
#define NAME(x) ami_plan_##x##_f64
#include "train/plan_body.h"

// Plans in float.
#include "train/plan.h"

#define real float
#define PLAN ami_plan_f32
#define OPS ami_ops_f32
#define NAME(x) ami_plan_##x##_f32
#include "train/plan_body.h"

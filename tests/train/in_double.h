/// The arithmetic of training in double, compiled for the tests alone: what gradients are held against finite
/// differences in.
#ifndef AMBLE_TEST_IN_DOUBLE_H
#define AMBLE_TEST_IN_DOUBLE_H

#include "train/plan.h"
#include "train/poses.h"

#define real double
#define OPS ami_ops_f64
#include "train/ops_table.h"
#define PLAN ami_plan_f64
#define NAME(x) ami_plan_##x##_f64
#include "train/plan_table.h"
#define POSES ami_poses_f64
#include "train/poses_table.h"
#undef real
#undef OPS
#undef PLAN
#undef NAME
#undef POSES

extern const ami_ops_f64 ami_ops_double;
extern const ami_poses_f64 ami_poses_double;

#endif

// Kinematics of training in double: what gradients are held against finite differences in.
#include "in_double.h"

#define real double
#define ROOT sqrt
#define POSES_TYPE ami_poses_f64
#define POSES_TABLE ami_poses_double
#define ISA "double"
#include "train/poses_body.h"

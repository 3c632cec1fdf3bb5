// Kinematics of training in float, for any processor.
#include "train/poses.h"

#define real float
#define ROOT sqrtf
#define POSES_TYPE ami_poses_f32
#define POSES_TABLE ami_poses_base
#define ISA "base"
#include "train/poses_body.h"

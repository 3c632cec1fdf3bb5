// Gradients through rotations as two axes and through forward kinematics, sample by sample of a block. The body is
// kinematics_body.h, which the tests also compile in double.
#include <amble/train.h>

#define real float
#define KINEMATICS(name) am_##name
#define ROOT sqrtf
#include "train/kinematics_body.h"

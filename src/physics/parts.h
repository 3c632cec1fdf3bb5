/// The parts of a body, for evaluations and tests.
#ifndef AMI_PHYSICS_PARTS_H
#define AMI_PHYSICS_PARTS_H

#include <amble/physics.h>

/// A rigid part of the body.
typedef struct ami_physics_part {
    int joint;     ///< that moves it
    int parent;    ///< part, -1 for the first
    float mass_kg; ///< all parts together have the body's
    float length_m, radius_m;
} ami_physics_part;
int ami_physics_part_count(const am_physics *physics);
ami_physics_part ami_physics_get_part(const am_physics *physics, int part);

#endif

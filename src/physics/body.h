/// Internals of a body of rigid parts in Open Dynamics Engine.
#ifndef AMI_PHYSICS_BODY_H
#define AMI_PHYSICS_BODY_H

#include <amble/physics.h>

#include <ode/ode.h>

enum { ami_most_parts = 16 };

/// One rigid part: a capsule along its bone, tied to its parent by a ball joint and a motor that acts as spring.
typedef struct ami_body_part {
    int joint, parent;
    am_vec3 centre; ///< of mass, in the joint's frame
    am_vec3 axis;   ///< of the capsule, unit, in the joint's frame
    float length, radius, mass;
    float spread; ///< share of a force on it that the whole body takes, each part by its mass
    dReal spring; ///< N m / rad
    int leg;      ///< 0 left, 1 right, -1: no part of one
    dBodyID body;
    dJointID ball, motor; ///< to the parent; the first part has none
    dQuaternion rest;     ///< of this solve: inverse of parent's rotation, times own
} ami_body_part;

struct am_physics {
    am_alloc alloc;
    const am_skeleton *skeleton;
    am_push_solver solver;
    dWorldID world;
    dThreadingImplementationID threading; ///< of the world alone; NULL for WebAssembly
    int part_count;
    ami_body_part parts[ami_most_parts];
    int16_t *part_of;   ///< [joint]
    am_transform *pose; ///< [joint] scratch: the body in the world
    int foot[2];        ///< parts of left and right leg, -1 without
    dReal mass;         ///< of all parts
    dReal twist;        ///< N m / rad, of a shank about the vertical over a pinned foot
    dReal damping_s;    ///< dampers in springs
    dReal brace;        ///< of this solve: factor of the springs in legs
    int substeps;
    size_t block_size;
};

/// body.c: parts, lengths and masses, before the engine is used.
am_result ami_body_plan(am_physics *physics, const am_physics_def *def, am_error *err);
/// solve.c: the solver's function.
bool ami_body_solve(void *user, am_transform *local, am_transform *before, const am_push_query *query);

#endif

/// Pushes (Fields section 5): forces on any part of a body, answered by a solver that simulates the body's dynamics
/// and blended with whatever moves the character.
///
/// The library only defines the interface of a solver. am_physics (amble/physics.h) implements it with Open Dynamics
/// Engine, in a library of its own; a game may use its own engine.
#ifndef AMBLE_PUSH_H
#define AMBLE_PUSH_H

#include <amble/db.h>
#include <amble/options.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_PUSH_FPS 30.0f ///< frames a second of the simulation and of the blend
#define AM_PUSH_WINDOW 20 ///< frames of the blend after a push (eq. 15: k = 20, 2/3 s)
#define AM_MAX_PUSHES 8   ///< forces that act together
#define AM_PUSH_MOST_N 1e5f

/// A force on the part of the body that a joint moves.
typedef struct am_push {
    int32_t joint;
    float seconds; ///< duration, > 0
    am_vec3 force; ///< N, world axes
} am_push;

/// D(x, 0, i) of eq. 15: what becomes of a pose at rest under forces.
typedef struct am_push_query {
    const am_transform *local; ///< [joint] the pose x; joint 0 (hips) in the world
    const am_push *pushes;     ///< [push_count] acting from the beginning
    int push_count;
    uint8_t contacts; ///< AM_CONTACT_* bits of the feet that are pinned to the ground
    int frames;       ///< i: frames of 1 / AM_PUSH_FPS, 1 to AM_PUSH_WINDOW
} am_push_query;

/// A push solver. The same input gives the same bits in the same build, whatever came before.
typedef struct am_push_solver {
    void *user;
    const am_skeleton *skeleton; ///< of the poses that it takes; borrowed
    /// local(joint_count): the pose after the frames, joint 0 in the world; before(joint_count): one frame earlier.
    /// False when it has no answer: the pose then stays as it is.
    bool (*solve)(void *user, am_transform *local, am_transform *before, const am_push_query *query);
} am_push_solver;

/// A factory of solvers, for runs that know their skeleton only after opening their data: am_physics_engine.
typedef struct am_push_engine {
    void *user;
    am_result (*create)(void *user, const am_push_solver **out, const am_skeleton *skeleton, const am_roles *roles,
                        const am_alloc *alloc, am_error *err);
    void (*destroy)(void *user, const am_push_solver *solver);
} am_push_engine;

#ifdef __cplusplus
}
#endif
#endif

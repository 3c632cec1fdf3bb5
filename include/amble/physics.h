/// A body with masses that can be pushed: the solver of amble/input.h, by Open Dynamics Engine. A library of its own
/// (amble_physics), built where ODE is installed.
///
/// The body is made from any skeleton by its roles: a rigid part for hips, spine, chest, head, and for each upper and
/// lower limb, hand and foot; joints in between belong to the part that they hang from. Parts are capsules along
/// their bone, tied by ball joints without limits, each with a spring and a damper to the pose that it began with
/// (the tone of muscles). Masses follow from segment lengths: height = (thigh + shank) / 0.491 (Drillis and Contini
/// 1966), mass = 22 kg/m^2 height^2, divided by the shares of Winter (2009, table 4.1).
///
/// As in the paper: no gravity, no velocity at the beginning, and feet in contact are pinned to the ground: the leg
/// hangs from a ball joint at the ankle, the foot itself stays. So a body without forces does not move, and a
/// pushed one tips about its feet.
///
/// Beyond the paper: a push on a limb moves the whole body. The body takes a share of a force on an arm or a leg,
/// each part by its mass; and a pushed leg stiffens with the other, unless both feet are planted.
#ifndef AMBLE_PHYSICS_H
#define AMBLE_PHYSICS_H

#include <amble/input.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_physics am_physics;

/// How a body is made. Begin with am_physics_def_init().
typedef struct am_physics_def {
    const am_alloc *alloc;       ///< NULL means malloc/free; ODE itself has its own
    const am_skeleton *skeleton; ///< borrowed; must outlive the body; metres
    const am_roles *roles;       ///< read during create; hips are needed
    float mass_kg;               ///< of the whole body; 0 means by its lengths
    float tone;                  ///< factor of all springs and dampers, >= 0 (default 1); 0: limp
    int substeps;                ///< steps of the engine in a frame, 1 to 16 (default 2)
    uint32_t cookie;
} am_physics_def;
AM_API void am_physics_def_init(am_physics_def *def);

/// One body serves any number of characters of that skeleton, one thread at a time.
AM_API am_result am_physics_create(am_physics **out, const am_physics_def *def, am_error *err);
AM_API void am_physics_destroy(am_physics *physics);
/// Its solver; lives as long as the body.
AM_API const am_push_solver *am_physics_solver(const am_physics *physics);

/// Makes bodies by the default def, for am_run_def. Constant: never free it.
AM_API const am_push_engine *am_physics_engine(void);

#ifdef __cplusplus
}
#endif
#endif

// Inertialisation: at a transition the difference between the old and the new motion becomes an offset that fades
// out, by critically damped springs or by the quintic of the Responsive paper (eq. 21-24). Only one motion is ever
// read.
#include "actor/post.h"

#include <string.h>

/// The remaining offset of a rotation, in the parent's space.
typedef struct turn_offset {
    am_vec3 x;    ///< spring: scaled axis of the offset
    am_vec3 v;    ///< spring: its rate of change
    float slower; ///< spring: half-life as a multiple of the def's, 1 to SLOWEST; 0 before the first transition
    am_vec3 axis; ///< quintic: direction, kept
    ami_quintic quintic;
} turn_offset;

/// The same for translations and for the root's velocities.
typedef struct shift_offset {
    am_vec3 x, v;
    am_vec3 axis;
    ami_quintic quintic;
} shift_offset;

enum { root_linear_item, root_angular_item, fixed_shifts };

struct ami_inertia {
    int32_t joint_count, moving_count;
    float t; ///< seconds since the last transition
    int32_t reserved;
    // turn_offset[joint_count], then shift_offset[fixed_shifts + moving_count]
};

// Largest multiple of the def's half-life: an arm that takes half a second to come down is late enough.
#define SLOWEST 3.0f
#define SLOWER 1.1f // from one try to the next
// 2 ln 2, as am_decay_f: stiffness of a spring times its half-life.
#define STIFFNESS 1.38629436f

ami_inertia_def ami_inertia_def_default(void)
{
    // 0.1 s: the half-life of LMM's public demonstrations; 0.35 s: 20 frames at 60 Hz, the longest blend that games
    // use.
    ami_inertia_def def = { .mode = AM_INERTIALISE_SPRING, .halflife = 0.1f, .seconds = 0.35f, .cookie = AM_COOKIE };
    return def;
}

size_t ami_inertia_size(const ami_inertia_def *def)
{
    size_t size = sizeof(ami_inertia) + (size_t)def->joint_count * sizeof(turn_offset) +
                  ((size_t)def->moving_count + fixed_shifts) * sizeof(shift_offset);
    return (size + 15) / 16 * 16;
}

static turn_offset *turns(ami_inertia *state) { return (turn_offset *)(void *)(state + 1); }

static shift_offset *shifts(ami_inertia *state)
{
    return (shift_offset *)(void *)(turns(state) + state->joint_count);
}

void ami_inertia_reset(ami_inertia *state, const ami_inertia_def *def)
{
    memset(state, 0, ami_inertia_size(def));
    state->joint_count = def->joint_count;
    state->moving_count = def->moving_count;
}

// ---------------------------------------------------------------------------------------------
// One offset

// A spring on rotations works on the scaled axis of the offset, whose rate of change is not the angular velocity once
// the offset is large. These two convert one into the other (the left Jacobian of the rotation group and its
// inverse); without them a transition of 90 degrees snaps the velocity by half.

static am_vec3 rate_of_spin(am_vec3 turn, am_vec3 spin)
{
    float angle2 = am_v3_length2(turn);
    float angle = sqrtf(angle2);
    am_vec3 once = am_v3_cross(turn, spin);
    float s, c;
    am_sincos(angle, &s, &c);
    float k = angle > 1e-2f ? 1.0f / angle2 - (1.0f + c) / (2.0f * angle * s) : 1.0f / 12.0f;
    return am_v3_add(am_v3_sub(spin, am_v3_scale(once, 0.5f)), am_v3_scale(am_v3_cross(turn, once), k));
}

static am_vec3 spin_of_rate(am_vec3 turn, am_vec3 rate)
{
    float angle2 = am_v3_length2(turn);
    float angle = sqrtf(angle2);
    am_vec3 once = am_v3_cross(turn, rate);
    float s, c;
    am_sincos(angle, &s, &c);
    float a = angle > 1e-2f ? (1.0f - c) / angle2 : 0.5f;
    float b = angle > 1e-2f ? (angle - s) / (angle2 * angle) : 1.0f / 6.0f;
    return am_v3_add(am_v3_add(rate, am_v3_scale(once, a)), am_v3_scale(am_v3_cross(turn, once), b));
}

/// The offset t seconds after the transition, and its velocity when v is not NULL.
static void turn_now(const turn_offset *offset, am_inertialise mode, float t, am_vec3 *v, am_quat *x)
{
    if (mode == AM_INERTIALISE_QUINTIC) {
        float speed = 0.0f;
        float angle = ami_quintic_at(&offset->quintic, t, &speed);
        *x = am_quat_from_axis_angle(offset->axis, angle);
        if (v) {
            *v = am_v3_scale(offset->axis, speed);
        }
    } else {
        *x = am_quat_from_scaled_axis(offset->x);
        if (v) {
            *v = spin_of_rate(offset->x, offset->v);
        }
    }
}

static void shift_now(const shift_offset *offset, am_inertialise mode, float t, am_vec3 *x, am_vec3 *v)
{
    if (mode == AM_INERTIALISE_QUINTIC) {
        float speed = 0.0f;
        float length = ami_quintic_at(&offset->quintic, t, &speed);
        *x = am_v3_scale(offset->axis, length);
        *v = am_v3_scale(offset->axis, speed);
    } else {
        *x = offset->x;
        *v = offset->v;
    }
}

/// How much longer than the def's half-life an offset must last to start gently. A critically damped spring of
/// stiffness y starts with the acceleration y^2 x + 2 y v, in rad/s^2; at the reach of the joint that is a length,
/// which a viewer sees as a pop.
static float slow_down(const ami_inertia_def *def, const turn_offset *offset, float reach)
{
    float slower = 1.0f;
    float most = def->bend_mps2 / am_max(reach, 1e-3f);
    while (def->bend_mps2 > 0.0f && slower < SLOWEST) {
        float y = STIFFNESS / (def->halflife * slower);
        am_vec3 bend = am_v3_scale(am_v3_add(am_v3_scale(offset->x, y), am_v3_scale(offset->v, 2.0f)), y);
        if (!(am_v3_length2(bend) > most * most)) {
            break;
        }
        slower *= SLOWER;
    }
    return slower;
}

static void turn_begin(turn_offset *offset, const ami_inertia_def *def, am_quat x, am_vec3 v, float reach)
{
    am_vec3 turn = am_quat_to_scaled_axis(am_quat_abs(x));
    offset->x = turn;
    // Near half a turn neither way is shorter: the rate is unbounded there, and the velocity is dropped.
    offset->v = am_v3_length2(turn) < 9.0f ? rate_of_spin(turn, v) : am_v3_zero();
    offset->slower = slow_down(def, offset, reach);
    if (def->mode == AM_INERTIALISE_QUINTIC) {
        float angle = am_v3_length(turn);
        offset->axis = am_v3_normalize_or(turn, am_v3(1.0f, 0.0f, 0.0f));
        offset->quintic = ami_quintic_make(angle > 1e-6f ? angle : 0.0f, am_v3_dot(v, offset->axis), def->seconds);
    }
}

static void shift_begin(shift_offset *offset, const ami_inertia_def *def, am_vec3 x, am_vec3 v)
{
    offset->x = x;
    offset->v = v;
    if (def->mode == AM_INERTIALISE_QUINTIC) {
        float length = am_v3_length(x);
        offset->axis = am_v3_normalize_or(x, am_v3(1.0f, 0.0f, 0.0f));
        offset->quintic = ami_quintic_make(length > 1e-6f ? length : 0.0f, am_v3_dot(v, offset->axis), def->seconds);
    }
}

// ---------------------------------------------------------------------------------------------
// All of them

void ami_inertia_transition(ami_inertia *state, const ami_inertia_def *def, const ami_inertia_pose *from,
                            const ami_inertia_pose *to)
{
    if (def->mode == AM_INERTIALISE_OFF) {
        return;
    }
    for (int j = 0; j < def->joint_count; j++) {
        am_quat x;
        am_vec3 v;
        turn_now(&turns(state)[j], def->mode, state->t, &v, &x);
        // The joint's velocity is that of its offset plus that of the underlying motion rotated by the offset. The
        // rotation matters little for small offsets, and a lot for arms that change from up to down.
        am_vec3 spin = am_v3_add(v, am_quat_rotate(x, from->velocity[j].angular));
        x = am_quat_mul(am_quat_mul(x, from->local[j].rotation), am_quat_inv(to->local[j].rotation));
        x = am_quat_normalize(x);
        am_vec3 rest = am_v3_sub(spin, am_quat_rotate(x, to->velocity[j].angular));
        turn_begin(&turns(state)[j], def, x, rest, def->reach ? def->reach[j] : 0.0f);
    }
    for (int m = 0; m < def->moving_count; m++) {
        int j = def->moving[m];
        shift_offset *offset = &shifts(state)[fixed_shifts + m];
        am_vec3 x, v;
        shift_now(offset, def->mode, state->t, &x, &v);
        x = am_v3_add(x, am_v3_sub(from->local[j].translation, to->local[j].translation));
        v = am_v3_add(v, am_v3_sub(from->velocity[j].linear, to->velocity[j].linear));
        shift_begin(offset, def, x, v);
    }
    const am_vec3 was[fixed_shifts] = { from->root_linear, from->root_angular };
    const am_vec3 is[fixed_shifts] = { to->root_linear, to->root_angular };
    for (int i = 0; i < fixed_shifts; i++) {
        am_vec3 x, v;
        shift_now(&shifts(state)[i], def->mode, state->t, &x, &v);
        shift_begin(&shifts(state)[i], def, am_v3_add(x, am_v3_sub(was[i], is[i])), v);
    }
    state->t = 0.0f;
}

/// One step of a pose's springs: all but the slowed ones share half-life and time, and therefore the exponential.
typedef struct step_spring {
    float y, e, dt;
} step_spring;

static step_spring step_make(float halflife, float dt)
{
    step_spring spring = { STIFFNESS / am_max(halflife, 1e-5f), 0.0f, dt };
    spring.e = am_exp(-spring.y * dt);
    return spring;
}

static void decay(am_vec3 *x, am_vec3 *v, step_spring s)
{
    am_vec3 j = am_v3_add(*v, am_v3_scale(*x, s.y));
    *x = am_v3_scale(am_v3_add(*x, am_v3_scale(j, s.dt)), s.e);
    *v = am_v3_scale(am_v3_sub(*v, am_v3_scale(j, s.y * s.dt)), s.e);
}

/// True when the rest of a turn is invisible (a millionth of a radian); a spring is then set to rest.
static bool is_spent(turn_offset *offset, am_inertialise mode, float t)
{
    if (mode == AM_INERTIALISE_QUINTIC) {
        return !(t < offset->quintic.t1);
    }
    if (am_v3_length2(offset->x) < 1e-12f && am_v3_length2(offset->v) < 1e-10f) {
        offset->x = am_v3_zero();
        offset->v = am_v3_zero();
        offset->slower = 1.0f;
        return true;
    }
    return false;
}

static am_vec3 shift_apply(shift_offset *offset, const ami_inertia_def *def, float t, step_spring spring, am_vec3 *v)
{
    am_vec3 x;
    if (def->mode == AM_INERTIALISE_SPRING) {
        decay(&offset->x, &offset->v, spring);
    }
    shift_now(offset, def->mode, t, &x, v);
    return x;
}

void ami_inertia_apply(ami_inertia *state, const ami_inertia_def *def, am_transform *local, am_velocity *velocity,
                       am_vec3 *root_linear, am_vec3 *root_angular, float dt)
{
    if (def->mode == AM_INERTIALISE_OFF) {
        return;
    }
    state->t += dt;
    step_spring spring = step_make(def->halflife, dt);
    for (int j = 0; j < def->joint_count; j++) {
        turn_offset *offset = &turns(state)[j];
        if (def->mode == AM_INERTIALISE_SPRING) {
            bool slow = offset->slower > 1.0f;
            decay(&offset->x, &offset->v, slow ? step_make(def->halflife * offset->slower, dt) : spring);
        }
        if (is_spent(offset, def->mode, state->t)) {
            continue;
        }
        am_quat x;
        am_vec3 v;
        turn_now(offset, def->mode, state->t, velocity ? &v : NULL, &x);
        local[j].rotation = am_quat_mul(x, local[j].rotation);
        if (velocity) {
            velocity[j].angular = am_v3_add(am_quat_rotate(x, velocity[j].angular), v);
        }
    }
    for (int m = 0; m < def->moving_count; m++) {
        am_vec3 v;
        am_vec3 x = shift_apply(&shifts(state)[fixed_shifts + m], def, state->t, spring, &v);
        int j = def->moving[m];
        local[j].translation = am_v3_add(local[j].translation, x);
        if (velocity) {
            velocity[j].linear = am_v3_add(velocity[j].linear, v);
        }
    }
    am_vec3 unused;
    shift_offset *roots = shifts(state);
    *root_linear = am_v3_add(*root_linear, shift_apply(&roots[root_linear_item], def, state->t, spring, &unused));
    *root_angular = am_v3_add(*root_angular, shift_apply(&roots[root_angular_item], def, state->t, spring, &unused));
}

/// Vectors, quaternions, springs and the library's own elementary functions.
///
/// Units and axes: metres, seconds, radians; y up, right-handed, +z forward, +x the character's left; quaternions x y
/// z w, unit length unless said otherwise; a rotation by q of v is q v q*; a(b) composes as am_quat_mul(a, b): first
/// b, then a.
///
/// Everything here gives the same bits on every machine: no fused multiply-add, no libm except
/// sqrtf, which IEEE 754 fixes. Values pass by value.
#ifndef AMBLE_MATH_H
#define AMBLE_MATH_H

#include <amble/base.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_PI 3.14159265358979323846f
#define AM_DEG (AM_PI / 180.0f) ///< one degree in radians

typedef struct am_vec3 {
    float x, y, z;
} am_vec3;

typedef struct am_quat {
    float x, y, z, w;
} am_quat;

/// A rigid transform: rotate, then translate.
typedef struct am_transform {
    am_quat rotation;
    am_vec3 translation;
} am_transform;

// ---------------------------------------------------------------------------------------------
// Elementary functions (src/runtime/math/elementary.c states the largest error of each; a test checks it)

AM_API float am_sin(float x);
AM_API float am_cos(float x);
AM_API void am_sincos(float x, float *sin_out, float *cos_out);
AM_API float am_tan(float x);
/// Arguments outside [-1, 1] are clamped.
AM_API float am_acos(float x);
/// Arguments outside [-1, 1] are clamped.
AM_API float am_asin(float x);
AM_API float am_atan2(float y, float x);
AM_API float am_exp(float x);
/// Natural logarithm; x > 0.
AM_API float am_log(float x);
AM_API float am_tanh(float x);

static inline float am_min(float a, float b) { return a < b ? a : b; }
static inline float am_max(float a, float b) { return a > b ? a : b; }
static inline float am_clamp(float x, float lo, float hi) { return am_min(am_max(x, lo), hi); }
static inline float am_lerp(float a, float b, float t) { return a + (b - a) * t; }
static inline float am_abs(float x) { return x < 0.0f ? -x : x; }

/// An angle wrapped to (-pi, pi].
AM_API float am_wrap_angle(float angle);

// ---------------------------------------------------------------------------------------------
// Vectors

static inline am_vec3 am_v3(float x, float y, float z)
{
    am_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
static inline am_vec3 am_v3_zero(void) { return am_v3(0.0f, 0.0f, 0.0f); }
static inline am_vec3 am_v3_add(am_vec3 a, am_vec3 b) { return am_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline am_vec3 am_v3_sub(am_vec3 a, am_vec3 b) { return am_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline am_vec3 am_v3_scale(am_vec3 a, float s) { return am_v3(a.x * s, a.y * s, a.z * s); }
static inline am_vec3 am_v3_neg(am_vec3 a) { return am_v3(-a.x, -a.y, -a.z); }
static inline float am_v3_dot(am_vec3 a, am_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline am_vec3 am_v3_cross(am_vec3 a, am_vec3 b)
{
    return am_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float am_v3_length2(am_vec3 a) { return am_v3_dot(a, a); }
static inline float am_v3_length(am_vec3 a) { return sqrtf(am_v3_dot(a, a)); }
static inline float am_v3_distance(am_vec3 a, am_vec3 b) { return am_v3_length(am_v3_sub(a, b)); }
static inline am_vec3 am_v3_lerp(am_vec3 a, am_vec3 b, float t)
{
    return am_v3_add(a, am_v3_scale(am_v3_sub(b, a), t));
}
/// Unit vector along a, or `fallback` when a is shorter than 1e-8.
static inline am_vec3 am_v3_normalize_or(am_vec3 a, am_vec3 fallback)
{
    float length = am_v3_length(a);
    return length > 1e-8f ? am_v3_scale(a, 1.0f / length) : fallback;
}
/// The part of a on the ground (y = 0).
static inline am_vec3 am_v3_ground(am_vec3 a) { return am_v3(a.x, 0.0f, a.z); }

// ---------------------------------------------------------------------------------------------
// Quaternions

static inline am_quat am_q(float x, float y, float z, float w)
{
    am_quat q;
    q.x = x;
    q.y = y;
    q.z = z;
    q.w = w;
    return q;
}
static inline am_quat am_quat_identity(void) { return am_q(0.0f, 0.0f, 0.0f, 1.0f); }
/// The inverse of a unit quaternion.
static inline am_quat am_quat_inv(am_quat q) { return am_q(-q.x, -q.y, -q.z, q.w); }
static inline float am_quat_dot(am_quat a, am_quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
static inline am_quat am_quat_neg(am_quat q) { return am_q(-q.x, -q.y, -q.z, -q.w); }
/// First b, then a.
static inline am_quat am_quat_mul(am_quat a, am_quat b)
{
    return am_q(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}
static inline am_vec3 am_quat_rotate(am_quat q, am_vec3 v)
{
    am_vec3 u = am_v3(q.x, q.y, q.z);
    am_vec3 t = am_v3_scale(am_v3_cross(u, v), 2.0f);
    return am_v3_add(am_v3_add(v, am_v3_scale(t, q.w)), am_v3_cross(u, t));
}
static inline am_vec3 am_quat_unrotate(am_quat q, am_vec3 v) { return am_quat_rotate(am_quat_inv(q), v); }
/// Unit length; the identity when q is shorter than 1e-8 or holds a NaN.
static inline am_quat am_quat_normalize(am_quat q)
{
    float length = sqrtf(am_quat_dot(q, q));
    if (!(length > 1e-8f)) {
        return am_quat_identity();
    }
    float s = 1.0f / length;
    return am_q(q.x * s, q.y * s, q.z * s, q.w * s);
}
/// The one of q and -q with w >= 0.
static inline am_quat am_quat_abs(am_quat q) { return q.w < 0.0f ? am_quat_neg(q) : q; }
/// The one of q and -q nearer to `to`.
static inline am_quat am_quat_nearest(am_quat q, am_quat to)
{
    return am_quat_dot(q, to) < 0.0f ? am_quat_neg(q) : q;
}

/// Rotation by `angle` about the unit vector `axis`.
AM_API am_quat am_quat_from_axis_angle(am_vec3 axis, float angle);
/// Rotation about +y: heading 0 faces +z, positive turns towards +x (the left).
AM_API am_quat am_quat_from_heading(float heading);
/// Heading of the rotated +z axis on the ground; 0 when it points straight up or down.
AM_API float am_quat_heading(am_quat q);
/// exp of a half-angle axis: am_quat_exp(v) rotates by 2|v| about v.
AM_API am_quat am_quat_exp(am_vec3 v);
/// Inverse of am_quat_exp: half-angle axis of q (pass am_quat_abs(q) for the shorter rotation).
AM_API am_vec3 am_quat_log(am_quat q);
/// Scaled angle axis (radians): rotates by |v| about v. The inverse gives the shorter rotation, |v| <= pi.
AM_API am_quat am_quat_from_scaled_axis(am_vec3 v);
AM_API am_vec3 am_quat_to_scaled_axis(am_quat q);
/// Angular velocity (rad/s, in the outer space) that takes a to b in dt seconds, the shorter way.
AM_API am_vec3 am_quat_velocity(am_quat from, am_quat to, float dt);
/// Angle of the rotation from a to b in radians, [0, pi].
AM_API float am_quat_angle(am_quat a, am_quat b);
/// Shortest rotation that takes unit vector a to unit vector b; any perpendicular axis when opposed.
AM_API am_quat am_quat_between(am_vec3 a, am_vec3 b);
AM_API am_quat am_quat_slerp(am_quat a, am_quat b, float t);
/// Normalised linear interpolation, the shorter way.
AM_API am_quat am_quat_nlerp(am_quat a, am_quat b, float t);
/// First two columns of the rotation matrix (x axis, then y axis): the two-axis form of Zhang et
/// al. 2018 that networks read and write.
AM_API void am_quat_to_two_axis(am_quat q, float out[6]);
/// Nearest rotation by Gram-Schmidt (x first); the identity for degenerate input.
AM_API am_quat am_quat_from_two_axis(const float in[6]);
/// Rotation whose matrix has the given orthonormal columns.
AM_API am_quat am_quat_from_columns(am_vec3 x, am_vec3 y, am_vec3 z);
/// q = swing * twist with twist about the unit vector `axis` and swing about a perpendicular one.
AM_API void am_quat_swing_twist(am_quat *swing, am_quat *twist, am_quat q, am_vec3 axis);
/// Intrinsic rotations in the order of `axes`, e.g. "zyx" gives Rz(a) * Ry(b) * Rx(c), radians.
AM_API am_quat am_quat_from_euler(const char axes[3], float a, float b, float c);
/// Inverse of am_quat_from_euler: fills out[3] in that order, the outer angles in (-pi, pi], the middle one in
/// [-pi/2, pi/2] for three different axes or [0, pi] when the last is the first again ("zxz"). In gimbal lock
/// the last angle is 0.
AM_API void am_quat_to_euler(float out[3], am_quat q, const char axes[3]);

static inline am_transform am_transform_identity(void)
{
    am_transform t;
    t.rotation = am_quat_identity();
    t.translation = am_v3_zero();
    return t;
}
static inline am_vec3 am_transform_point(am_transform t, am_vec3 p)
{
    return am_v3_add(am_quat_rotate(t.rotation, p), t.translation);
}
/// First b, then a.
static inline am_transform am_transform_mul(am_transform a, am_transform b)
{
    am_transform t;
    t.rotation = am_quat_mul(a.rotation, b.rotation);
    t.translation = am_transform_point(a, b.translation);
    return t;
}
static inline am_transform am_transform_inv(am_transform a)
{
    am_transform t;
    t.rotation = am_quat_inv(a.rotation);
    t.translation = am_v3_neg(am_quat_rotate(t.rotation, a.translation));
    return t;
}

// ---------------------------------------------------------------------------------------------
// Springs: critically damped, closed form, so that two half steps equal one whole step.
// Half-lives are in seconds; from rest, 60 % of the way is left after one half-life, 24 % after two.

/// Lets an offset x with velocity v fade out.
AM_API void am_decay_f(float *x, float *v, float halflife, float dt);
AM_API void am_decay_v3(am_vec3 *x, am_vec3 *v, float halflife, float dt);
/// The same for a rotation offset x (near the identity) with angular velocity v (rad/s).
AM_API void am_decay_quat(am_quat *x, am_vec3 *v, float halflife, float dt);
/// Moves x with velocity v towards `goal`.
AM_API void am_spring_f(float *x, float *v, float goal, float halflife, float dt);
AM_API void am_spring_v3(am_vec3 *x, am_vec3 *v, am_vec3 goal, float halflife, float dt);
AM_API void am_spring_quat(am_quat *x, am_vec3 *v, am_quat goal, float halflife, float dt);
/// Towards a goal that itself moves at goal_velocity (Responsive eq. 10 with its erratum).
AM_API void am_spring_moving_f(float *x, float *v, float goal, float goal_velocity, float halflife, float dt);
AM_API void am_spring_moving_v3(am_vec3 *x, am_vec3 *v, am_vec3 goal, am_vec3 goal_velocity, float halflife,
                                float dt);
/// A character's position x, velocity v and acceleration a when its velocity is driven to v_goal
/// (Responsive eq. 10-11: the spring acts on the velocity, the position is its integral).
AM_API void am_spring_character_f(float *x, float *v, float *a, float v_goal, float halflife, float dt);
AM_API void am_spring_character_v3(am_vec3 *x, am_vec3 *v, am_vec3 *a, am_vec3 v_goal, float halflife, float dt);

#ifdef __cplusplus
}
#endif
#endif

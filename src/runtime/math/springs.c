// Critically damped springs in closed form (Responsive eq. 9-11, with the erratum of eq. 10: the rest point with
// a velocity goal is x_goal + 4 v_goal / d). The field's half-life convention: damping d = 4 ln 2 / half-life, and
// the rate is y = d / 2.
#include <amble/math.h>

#define TWO_LN2 1.38629436f
// Shorter half-lives than this act like it: a step of any practical length then lands on the goal.
#define HALFLIFE_MIN 1e-5f

typedef struct spring {
    float y;  ///< rate, 1/s
    float e;  ///< exp(-y dt)
    float dt; ///< s
} spring;

static spring spring_make(float halflife, float dt)
{
    spring s;
    s.y = TWO_LN2 / am_max(halflife, HALFLIFE_MIN);
    s.e = am_exp(-s.y * dt);
    s.dt = dt;
    return s;
}

/// x(t) = (j0 + j1 t) exp(-y t) with j0 = x, j1 = v + y x, and its derivative.
static void step_f(spring s, float *x, float *v)
{
    float j1 = *v + *x * s.y;
    *x = s.e * (*x + j1 * s.dt);
    *v = s.e * (*v - j1 * s.y * s.dt);
}

static void step_v3(spring s, am_vec3 *x, am_vec3 *v)
{
    step_f(s, &x->x, &v->x);
    step_f(s, &x->y, &v->y);
    step_f(s, &x->z, &v->z);
}

void am_decay_f(float *x, float *v, float halflife, float dt) { step_f(spring_make(halflife, dt), x, v); }

void am_decay_v3(am_vec3 *x, am_vec3 *v, float halflife, float dt) { step_v3(spring_make(halflife, dt), x, v); }

void am_decay_quat(am_quat *x, am_vec3 *v, float halflife, float dt)
{
    am_vec3 axis = am_quat_to_scaled_axis(*x);
    step_v3(spring_make(halflife, dt), &axis, v);
    *x = am_quat_from_scaled_axis(axis);
}

void am_spring_f(float *x, float *v, float goal, float halflife, float dt)
{
    float offset = *x - goal;
    step_f(spring_make(halflife, dt), &offset, v);
    *x = offset + goal;
}

void am_spring_v3(am_vec3 *x, am_vec3 *v, am_vec3 goal, float halflife, float dt)
{
    am_vec3 offset = am_v3_sub(*x, goal);
    step_v3(spring_make(halflife, dt), &offset, v);
    *x = am_v3_add(offset, goal);
}

void am_spring_quat(am_quat *x, am_vec3 *v, am_quat goal, float halflife, float dt)
{
    am_quat offset = am_quat_mul(*x, am_quat_inv(goal));
    am_decay_quat(&offset, v, halflife, dt);
    *x = am_quat_normalize(am_quat_mul(offset, goal));
}

/// 4 / d = 2 / y: how far ahead of the goal the rest point lies for each m/s of goal velocity.
static float lead_time(spring s) { return 2.0f / s.y; }

void am_spring_moving_f(float *x, float *v, float goal, float goal_velocity, float halflife, float dt)
{
    spring s = spring_make(halflife, dt);
    float rest = goal + goal_velocity * lead_time(s);
    float offset = *x - rest;
    step_f(s, &offset, v);
    *x = offset + rest;
}

void am_spring_moving_v3(am_vec3 *x, am_vec3 *v, am_vec3 goal, am_vec3 goal_velocity, float halflife, float dt)
{
    spring s = spring_make(halflife, dt);
    am_vec3 rest = am_v3_add(goal, am_v3_scale(goal_velocity, lead_time(s)));
    am_vec3 offset = am_v3_sub(*x, rest);
    step_v3(s, &offset, v);
    *x = am_v3_add(offset, rest);
}

/// Integrals of exp(-u s) and s exp(-u s) over s in [0, 1]. The closed forms lose all digits for small u (long
/// half-lives), so that a series takes over below 1: ten terms leave 3e-8.
static void integrals(float u, float e, float *first, float *second)
{
    if (u >= 1.0f) {
        *first = (1.0f - e) / u;
        *second = (1.0f - (1.0f + u) * e) / (u * u);
        return;
    }
    *first = 0.0f;
    *second = 0.0f;
    float power = 1.0f; // (-u)^k / k!
    for (int k = 0; k < 10; k++) {
        *first += power / (float)(k + 1);
        *second += power / (float)(k + 2);
        power *= -u / (float)(k + 1);
    }
}

void am_spring_character_f(float *x, float *v, float *a, float v_goal, float halflife, float dt)
{
    spring s = spring_make(halflife, dt);
    float first, second;
    integrals(s.y * dt, s.e, &first, &second);
    float j0 = *v - v_goal;
    float j1 = *a + j0 * s.y;
    // The integral of v_goal + (j0 + j1 t) exp(-y t); terms that fade with the half-life stay finite.
    *x += (v_goal + j0 * first + j1 * dt * second) * dt;
    *v = s.e * (j0 + j1 * dt) + v_goal;
    *a = s.e * (*a - j1 * s.y * dt);
}

void am_spring_character_v3(am_vec3 *x, am_vec3 *v, am_vec3 *a, am_vec3 v_goal, float halflife, float dt)
{
    am_spring_character_f(&x->x, &v->x, &a->x, v_goal.x, halflife, dt);
    am_spring_character_f(&x->y, &v->y, &a->y, v_goal.y, halflife, dt);
    am_spring_character_f(&x->z, &v->z, &a->z, v_goal.z, halflife, dt);
}

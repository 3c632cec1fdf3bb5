// Balance after a push. The centre of mass is that of a linear inverted pendulum: the feet can bring it back as long
// as the centre extrapolated by its velocity lies over them (Hof 2008); otherwise a foot steps to where that point
// will be when it lands, the capture point (Pratt and others, "Capture point: a step toward humanoid push recovery",
// 2006), and the other follows. A motion that walks has steps of its own: they land farther along the push.
#include "actor/capture.h"

// s: people who are pushed land within 0.3 to 0.45 s. The foot that follows has no hurry.
#define CATCH_S 0.34f
#define JOIN_S 0.40f
#define JOIN_AFTER_S 0.14f
// The sole is wider and longer than the line from heel to toe joint.
#define SOLE_M 0.03f
// Beyond by less, a step is not worth it yet.
#define CLEAR_M 0.02f
// How firmly the point of pressure brings the body back: the extrapolated centre returns with this rate of omega.
#define FIRM 0.8f
// A step goes this much farther than the capture point, so that the body stops short of the foot, and at most so far.
#define BEYOND 1.15f
#define LONGEST_M 0.55f
// Feet do not cross: ankles stay this far apart sideways.
#define APART_M 0.13f
// A foot that is this near its place needs no step.
#define NEAR_M 0.04f
#define LIFT_M 0.10f
// Walking: how fast the velocity of a push dies out before a foot lands and how fast the body settles over it then,
// and how fast a swinging foot goes where it should land.
#define FALL_HALFLIFE_S 0.6f
#define WALK_HALFLIFE_S 0.2f
#define WALK_FOOT_HALFLIFE_S 0.06f
#define SETTLE_HALFLIFE_S 0.12f
#define FASTEST_MPS 1.2f
#define FARTHEST_M 0.4f
#define LN2 0.69314718f
#define LONGEST_STEP_S (1.0f / 60.0f)

enum { caught = 4 }; // of ami_capture.swung

static float smooth(float t)
{
    t = am_clamp(t, 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

am_vec3 ami_capture_foot(const ami_capture *k, int side)
{
    am_vec3 at = k->foot[side];
    if (k->swing == side + 1) {
        // Up first, then along: a foot that moves before it has left the ground slides.
        float t = k->swing_s / k->whole_s;
        at = am_v3_lerp(k->from, k->to, smooth((t - 0.24f) / 0.70f));
        at.y = LIFT_M * smooth(t / 0.32f) * (1.0f - smooth((t - 0.5f) / 0.5f));
    }
    return at;
}

/// The ground that the feet enclose, as toes and heels. A foot that steps counts where it lifted: people swing their
/// weight over the other one first, which this model leaves out.
static void find_support(am_vec3 *points, const ami_capture *k, const ami_stance *stance)
{
    for (int side = 0; side < 2; side++) {
        points[2 * side] = am_v3_ground(am_v3_add(stance->toe[side], k->foot[side]));
        points[2 * side + 1] = am_v3_ground(am_v3_add(points[2 * side], stance->heel[side]));
    }
}

/// Nearest point of the support, soles included.
static am_vec3 clamp_to_support(const ami_capture *k, const ami_stance *stance, am_vec3 at)
{
    am_vec3 points[4];
    find_support(points, k, stance);
    am_vec3 edge = ami_hull_nearest(points, 4, at);
    am_vec3 beyond = am_v3_sub(am_v3_ground(at), edge);
    float far = am_v3_length(beyond);
    return far > SOLE_M ? am_v3_add(edge, am_v3_scale(beyond, SOLE_M / far)) : am_v3_ground(at);
}

/// The extrapolated centre of mass, as an offset.
static am_vec3 extrapolate(const ami_capture *k, float omega)
{
    return am_v3_add(k->x, am_v3_scale(k->v, 1.0f / omega));
}

/// Offset of the point of pressure that brings the body back, as far as the feet can.
static am_vec3 find_pressure(const ami_capture *k, const ami_stance *stance)
{
    am_vec3 point = extrapolate(k, stance->omega);
    am_vec3 wanted = am_v3_add(point, am_v3_scale(am_v3_sub(point, k->goal), FIRM));
    // The motion's own centre of mass may lie beyond its feet a little; that alone must not move it.
    am_vec3 rest = clamp_to_support(k, stance, am_v3_add(stance->centre, k->goal));
    am_vec3 at = clamp_to_support(k, stance, am_v3_add(stance->centre, wanted));
    return am_v3_add(am_v3_sub(at, rest), k->goal);
}

static float outside(const ami_capture *k, const ami_stance *stance, am_vec3 offset)
{
    am_vec3 at = am_v3_ground(am_v3_add(stance->centre, offset));
    return am_v3_distance(at, clamp_to_support(k, stance, at));
}

/// The extrapolated centre of mass is beyond the feet, and farther than the motion's own.
static bool falls(const ami_capture *k, const ami_stance *stance)
{
    return outside(k, stance, extrapolate(k, stance->omega)) > outside(k, stance, k->goal) + CLEAR_M;
}

/// Where the extrapolated centre of mass will be after `seconds`.
static am_vec3 foresee(const ami_capture *k, const ami_stance *stance, float seconds)
{
    am_vec3 pressure = find_pressure(k, stance);
    am_vec3 away = am_v3_sub(extrapolate(k, stance->omega), pressure);
    return am_v3_add(pressure, am_v3_scale(away, am_exp(stance->omega * am_max(seconds, 0.0f))));
}

/// Keeps a step within reach and on its own side of the other foot.
static am_vec3 limit_step(const ami_capture *k, const ami_stance *stance, int side, am_vec3 to)
{
    int other = 1 - side;
    am_vec3 way = am_v3_sub(to, k->foot[other]);
    float far = am_v3_length(way);
    to = far > LONGEST_M ? am_v3_add(k->foot[other], am_v3_scale(way, LONGEST_M / far)) : to;
    float own = side == 0 ? -1.0f : 1.0f;
    am_vec3 apart = am_v3_sub(stance->toe[side], stance->toe[other]);
    float usual = own * am_v3_dot(apart, stance->right);
    float now = usual + own * am_v3_dot(am_v3_sub(to, k->foot[other]), stance->right);
    float lack = am_min(APART_M, am_max(usual, 0.0f)) - now;
    return lack > 0.0f ? am_v3_add(to, am_v3_scale(stance->right, own * lack)) : to;
}

/// The foot on the side of the fall; where it falls straight ahead or back, the one that is behind.
static int choose_foot(const ami_capture *k, const ami_stance *stance)
{
    am_vec3 middle = am_v3_lerp(k->foot[0], k->foot[1], 0.5f);
    am_vec3 way = am_v3_normalize_or(am_v3_sub(extrapolate(k, stance->omega), middle), stance->right);
    float aside = am_v3_dot(way, stance->right);
    am_vec3 from_left = am_v3_sub(am_v3_add(stance->toe[1], k->foot[1]), am_v3_add(stance->toe[0], k->foot[0]));
    float ahead = am_v3_dot(am_v3_ground(from_left), way); // of the right foot
    bool straight = am_abs(aside) < 0.35f && am_abs(ahead) > 0.05f;
    return straight ? (ahead < 0.0f ? 1 : 0) : (aside > 0.0f ? 1 : 0);
}

static void begin_step(ami_capture *k, int side, am_vec3 to, float seconds)
{
    k->swing = side + 1;
    k->swing_s = 0.0f;
    k->whole_s = seconds;
    k->from = k->foot[side];
    k->to = to;
}

static void aim(ami_capture *k, const ami_stance *stance)
{
    int side = k->swing - 1;
    am_vec3 base = k->foot[1 - side];
    am_vec3 point = foresee(k, stance, CATCH_S - k->swing_s);
    k->to = am_v3_add(base, am_v3_scale(am_v3_sub(point, base), BEYOND));
    k->to = limit_step(k, stance, side, k->to);
}

/// Lets the step that is under way go on, or begins one.
static void take_steps(ami_capture *k, const ami_stance *stance, float dt)
{
    if (k->swing > 0) {
        bool joins = k->whole_s > CATCH_S;
        k->swing_s += dt;
        if (!joins && k->swing_s < 0.6f * CATCH_S) {
            aim(k, stance);
        }
        if (k->swing_s >= k->whole_s) {
            k->foot[k->swing - 1] = k->goal = k->to;
            k->swing = 0;
            k->stepped = 1;
            k->waited_s = 0.0f;
        }
        return;
    }
    k->waited_s += dt;
    if (falls(k, stance)) {
        int side = choose_foot(k, stance);
        begin_step(k, side, k->foot[side], CATCH_S);
        aim(k, stance);
        return;
    }
    for (int side = 0; side < 2 && k->swing == 0 && k->stepped; side++) {
        if (am_v3_distance(k->foot[side], k->goal) > NEAR_M && k->waited_s > JOIN_AFTER_S) {
            begin_step(k, side, k->goal, JOIN_S);
        }
    }
}

static void approach(am_vec3 *at, am_vec3 to, float halflife, float dt)
{
    *at = am_v3_lerp(*at, to, 1.0f - am_exp(-LN2 * dt / halflife));
}

/// Notes which feet of a walk swing and whether one has landed since the push.
static void watch_walk(ami_capture *k, const ami_stance *stance)
{
    for (int side = 0; side < 2; side++) {
        int bit = 1 << side;
        bool lands = (k->swung & bit) != 0 && !stance->swings[side];
        k->swung = (k->swung & ~bit) | (stance->swings[side] ? bit : 0);
        if (lands) {
            k->goal = (k->swung & caught) != 0 ? k->goal : k->foot[side];
            k->swung |= caught;
        }
    }
}

/// A walk goes on. Feet that swing land where the body is falling to; then it settles over the first that did.
static void walk_on(ami_capture *k, const ami_stance *stance, float dt)
{
    if ((k->swung & caught) == 0) {
        k->x = am_v3_add(k->x, am_v3_scale(k->v, dt));
        k->v = am_v3_scale(k->v, am_exp(-LN2 * dt / FALL_HALFLIFE_S));
        am_vec3 point = extrapolate(k, stance->omega);
        k->goal = am_v3_add(k->x, am_v3_scale(am_v3_sub(point, k->x), BEYOND));
    } else {
        am_vec3 away = am_v3_sub(k->x, k->goal);
        am_decay_v3(&away, &k->v, WALK_HALFLIFE_S, dt);
        k->x = am_v3_add(k->goal, away);
    }
    for (int side = 0; side < 2; side++) {
        if (stance->swings[side] && k->swing != side + 1) {
            approach(&k->foot[side], limit_step(k, stance, side, k->goal), WALK_FOOT_HALFLIFE_S, dt);
        }
    }
}

static void stand_on(ami_capture *k, const ami_stance *stance, float dt)
{
    am_vec3 pull = am_v3_sub(k->x, find_pressure(k, stance));
    k->v = am_v3_add(k->v, am_v3_scale(pull, stance->omega * stance->omega * dt));
    k->x = am_v3_add(k->x, am_v3_scale(k->v, dt));
}

/// A body that no step can catch any more is kept within reach of its feet: it must not run away from them.
static void keep_near(ami_capture *k)
{
    am_vec3 middle = am_v3_lerp(k->foot[0], k->foot[1], 0.5f);
    am_vec3 away = am_v3_sub(k->x, middle);
    float far = am_v3_length(away);
    if (far > FARTHEST_M) {
        am_vec3 way = am_v3_scale(away, 1.0f / far);
        k->x = am_v3_add(middle, am_v3_scale(way, FARTHEST_M));
        k->v = am_v3_sub(k->v, am_v3_scale(way, am_max(am_v3_dot(k->v, way), 0.0f)));
    }
}

void ami_capture_advance(ami_capture *k, const ami_stance *stance, am_vec3 push, float dt)
{
    watch_walk(k, stance);
    int parts = 1 + (int)(dt / (1.01f * LONGEST_STEP_S));
    float part = dt / (float)parts;
    for (int i = 0; i < parts; i++) {
        k->v = am_v3_add(k->v, am_v3_scale(push, part));
        float speed = am_v3_length(k->v);
        k->v = speed > FASTEST_MPS ? am_v3_scale(k->v, FASTEST_MPS / speed) : k->v;
        if (stance->stands) {
            stand_on(k, stance, part);
        } else {
            walk_on(k, stance, part);
        }
        keep_near(k);
    }
    if (stance->stands || k->swing > 0) {
        take_steps(k, stance, dt);
    }
    for (int side = 0; side < 2; side++) {
        bool near = am_v3_distance(k->foot[side], k->goal) < NEAR_M;
        if (k->swing != side + 1 && (near || (stance->stands && stance->moves[side]))) {
            approach(&k->foot[side], k->goal, SETTLE_HALFLIFE_S, dt); // the foot lock keeps it where it is
        }
    }
}

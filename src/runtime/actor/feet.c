// The foot lock: a toe in contact stays where it touched down until the animation releases it or moves too far away;
// then the difference fades out. Hip and knee follow by analytic IK, the foot turns so that the toe is where it
// should be, and neither toe nor heel goes below the floor.
#include "actor/post.h"
#include "data/kinematics.h"

#include <string.h>

/// The joints of one leg, and its heel.
typedef struct leg {
    int upper, middle, ankle, toe;
    am_vec3 heel; ///< in the ankle's space
} leg;

static const am_role leg_roles[2][4] = {
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE },
};

// A foot that touches down comes to rest within a few frames of 60 Hz, after 1.6 cm at most.
#define TOUCH_HALFLIFE_S 0.018f
#define LANDING_MPS 1.2f
#define LANDING_M 0.08f
#define LIFT_S 0.1f
// A knee less than this far from the line between hip and ankle does not show which way it bends.
#define STRAIGHT_M 0.06f
#define MOVED_M 0.03f
// A stretched leg keeps half of the animation's distance to full stretch, at most this much: the knee moves by the
// square root of it, so a leg that is completely straight pops when its foot comes closer.
#define KEPT_M 0.004f
// A moved foot gives way this much before full stretch, even where the animation's own leg is straight.
#define GIVES_M 0.006f
// A foot that was left behind catches up with a step, in the middle of which it is lifted by this share of the
// distance. It may be planted again when only this much distance is left.
#define STEP_HEIGHT 0.25f
#define CAUGHT_UP_M 0.02f
// The foot that alone carries the body stays for longer, this many times as far: catching up would be a hop.
#define ALONE 1.4f
// A swinging foot is lifted to its height in the motion, at most this far above the floor, with this half-life: the
// rest of a transition would otherwise drag it over the floor.
#define SWING_M 0.05f
#define SWING_HALFLIFE_S 0.04f

ami_feet_def ami_feet_def_default(void)
{
    ami_feet_def def = { .unlock_radius_m = 0.2f,
                         .blend_out_s = 0.2f,
                         .floor_m = 0.0f,
                         .heel_m = 0.0f,
                         .soften_m = 0.03f,
                         .cookie = AM_COOKIE };
    return def;
}

static am_transform rest_of(const am_skeleton *skeleton, int joint)
{
    am_transform rest = am_transform_identity();
    for (int j = joint; j >= 0; j = skeleton->parents[j]) {
        am_transform local = { skeleton->rests[j], skeleton->offsets[j] };
        rest = am_transform_mul(local, rest);
    }
    return rest;
}

am_vec3 ami_heel_offset(const am_skeleton *skeleton, int ankle, int toe)
{
    am_transform rest = rest_of(skeleton, ankle);
    am_vec3 down = am_v3(0.0f, rest_of(skeleton, toe).translation.y - rest.translation.y, 0.0f);
    return am_quat_unrotate(rest.rotation, down);
}

void ami_feet_reset(ami_feet *feet) { memset(feet, 0, sizeof *feet); }

void ami_feet_swing(ami_feet *feet, float left_m, float right_m)
{
    feet->foot[0].swing_m = left_m;
    feet->foot[1].swing_m = right_m;
    feet->foot[0].told = feet->foot[1].told = 1;
}

/// False when the rig lacks a joint of the leg.
static bool find_leg(leg *out, const ami_feet_def *def, int side)
{
    const int16_t *joint = def->roles->joint;
    const am_role *roles = leg_roles[side];
    *out = (leg){ joint[roles[0]], joint[roles[1]], joint[roles[2]], joint[roles[3]], def->heel_offset[side] };
    return out->upper >= 0 && out->middle >= 0 && out->ankle >= 0 && out->toe >= 0;
}

/// A toe that is marked as planted while a transition still swings it through the air is not stopped there.
static bool is_landing(const ami_foot *foot, const ami_feet_def *def)
{
    return am_v3_length(am_v3_ground(foot->velocity)) < LANDING_MPS && foot->position.y < def->floor_m + LANDING_M;
}

/// How high a foot that catches up is lifted: an arc that leaves and meets the ground so gently that a straight knee,
/// which moves by the square root of the lift, does not jump.
static float step_height(const ami_foot *foot)
{
    if (foot->locked || !(foot->left_m > 0.0f)) {
        return 0.0f;
    }
    float left = am_clamp(am_v3_length(am_v3_ground(foot->offset)) / foot->left_m, 0.0f, 1.0f);
    float arc = 4.0f * left * (1.0f - left);
    return arc * arc * STEP_HEIGHT * foot->left_m;
}

/// How far a foot in the air is lifted beyond the animation, whose toe is at height y.
static float rise(ami_foot *foot, const ami_feet_def *def, float y, bool contact, float dt)
{
    float wanted = am_min(foot->swing_m, def->floor_m + SWING_M);
    float lack = contact || foot->locked || !foot->told ? 0.0f : am_max(wanted - y, 0.0f);
    foot->rise_m += (lack - foot->rise_m) * (1.0f - am_exp(-0.69314718f * dt / SWING_HALFLIFE_S));
    return foot->rise_m;
}

/// What the animation says of a foot.
typedef struct footing {
    am_vec3 toe;
    bool contact, alone; ///< alone: no other foot is in contact
} footing;

/// Where the toe should be, given where the animation has it; keeps the foot's state.
static am_vec3 follow(ami_foot *foot, const ami_feet_def *def, const footing *is, bool first, float dt)
{
    am_vec3 toe = is->toe;
    bool contact = is->contact;
    am_vec3 grounded = am_v3(toe.x, am_max(toe.y, def->floor_m), toe.z);
    if (first) {
        ami_foot fresh = { .position = grounded, .swing_m = foot->swing_m, .told = foot->told };
        *foot = fresh;
        foot->animated = toe;
    }
    am_vec3 before = foot->animated;
    am_vec3 toe_velocity = am_v3_scale(am_v3_sub(toe, before), 1.0f / dt);
    foot->animated = toe;
    float radius = def->unlock_radius_m * (is->alone ? ALONE : 1.0f);
    bool far = am_v3_length(am_v3_ground(am_v3_sub(toe, foot->lock_point))) > radius;
    if (foot->locked && (!contact || far)) {
        // Released: back to the animation, from its position and with its velocity.
        foot->locked = false;
        am_vec3 gap = am_v3_sub(foot->position, before);
        foot->offset = am_v3(gap.x, foot->offset.y, gap.z);
        foot->offset_velocity = am_v3_ground(am_v3_sub(foot->velocity, toe_velocity));
        foot->barred = contact; // left behind: it may be planted again once it has caught up
        foot->left_m = contact ? am_v3_length(am_v3_ground(foot->offset)) : 0.0f;
    } else if (contact && !foot->locked && !foot->barred && is_landing(foot, def)) {
        // The foot comes to rest a little ahead, where its velocity carries it: a spring that starts with v at the
        // distance v / y (y = 2 ln 2 / half-life) runs out without a turn.
        foot->locked = true;
        foot->offset_velocity = am_v3_ground(foot->velocity);
        am_vec3 ahead = am_v3_scale(foot->offset_velocity, TOUCH_HALFLIFE_S / 1.3862944f);
        foot->lock_point = am_v3_add(foot->position, ahead);
        foot->offset = am_v3(-ahead.x, foot->offset.y, -ahead.z);
    }
    foot->barred = foot->barred && contact && am_v3_length(am_v3_ground(foot->offset)) > CAUGHT_UP_M;
    // A quarter of the blend time as half-life leaves 3 % at its end. A foot that was left behind has farther to go
    // and takes twice as long; otherwise it would be flung after the body.
    float halflife = foot->locked ? TOUCH_HALFLIFE_S : def->blend_out_s * (foot->barred ? 0.5f : 0.25f);
    float lift = am_max(foot->offset.y * am_exp(-dt / LIFT_S), def->floor_m - toe.y);
    am_decay_v3(&foot->offset, &foot->offset_velocity, halflife, dt);
    am_vec3 base = foot->locked ? foot->lock_point : toe;
    am_vec3 position = am_v3_add(base, foot->offset);
    // Only the position on the ground is locked; the height is the animation's as long as it is above the floor. A
    // lift out of the floor acts at once but is taken back slowly; otherwise a toe that flutters around the floor
    // shakes the knee.
    foot->offset.y = lift > 1e-5f ? lift : 0.0f;
    foot->offset_velocity.y = 0.0f;
    position.y = toe.y + foot->offset.y + step_height(foot) + rise(foot, def, toe.y, contact, dt);
    foot->velocity = am_v3_scale(am_v3_sub(position, foot->position), 1.0f / dt);
    foot->position = position;
    return position;
}

/// Model-space transforms of one joint and all below it, from `local`.
static void refresh(am_transform *world, const am_transform *local, const am_skeleton *skeleton, int from)
{
    for (int j = from; j < skeleton->joint_count; j++) {
        int p = skeleton->parents[j];
        if (p >= 0) {
            world[j] = am_transform_mul(world[p], local[j]);
        }
    }
}

/// Turns a joint in the world.
static void turn_world(am_transform *local, const am_transform *world, const am_skeleton *skeleton, int joint,
                       am_quat turn)
{
    int parent = skeleton->parents[joint];
    am_quat outer = parent >= 0 ? world[parent].rotation : am_quat_identity();
    am_quat turned = am_quat_mul(turn, world[joint].rotation);
    local[joint].rotation = am_quat_normalize(am_quat_mul(am_quat_inv(outer), turned));
}

/// Distance of the knee from the line between hip and ankle, and its forward direction, perpendicular to that line.
static am_vec3 knee_bend(const leg *l, const am_skeleton *skeleton, const am_transform *world, am_vec3 *forwards)
{
    am_vec3 hip = world[l->upper].translation;
    am_vec3 along = am_v3_normalize_or(am_v3_sub(world[l->ankle].translation, hip), am_v3_zero());
    am_vec3 knee = am_v3_sub(world[l->middle].translation, hip);
    am_quat turned = am_quat_mul(world[l->upper].rotation, am_quat_inv(rest_of(skeleton, l->upper).rotation));
    am_vec3 ahead = am_quat_rotate(turned, am_v3(0.0f, 0.0f, 1.0f));
    ahead = am_v3_sub(ahead, am_v3_scale(along, am_v3_dot(ahead, along)));
    *forwards = am_v3_normalize_or(ahead, am_v3_zero());
    return am_v3_sub(knee, am_v3_scale(along, am_v3_dot(knee, along)));
}

/// Transitions between fast legs can bend a knee the wrong way.
static bool bends_backwards(const leg *l, const am_skeleton *skeleton, const am_transform *world)
{
    am_vec3 forwards;
    am_vec3 bend = knee_bend(l, skeleton, world, &forwards);
    return am_v3_dot(bend, forwards) < 0.0f;
}

/// The direction in which the knee bends: its present direction, blended toward the thigh's forward direction as the
/// leg gets straighter. The direction of an almost straight knee is noise, and following it makes the knee jump from
/// side to side. A foot that hardly moves keeps its knee; a knee that is bent backward is flipped, which is invisible
/// on a straight leg.
static am_vec3 knee_way(const leg *l, const am_skeleton *skeleton, const am_transform *world, float moved)
{
    am_vec3 forwards;
    am_vec3 bend = knee_bend(l, skeleton, world, &forwards);
    float ahead = am_v3_dot(bend, forwards);
    if (ahead < 0.0f) {
        bend = am_v3_sub(bend, am_v3_scale(forwards, 2.0f * ahead));
    }
    float lack = (STRAIGHT_M - am_v3_length(bend)) * am_min(moved / MOVED_M, 1.0f);
    return lack > 0.0f ? am_v3_add(bend, am_v3_scale(forwards, lack)) : bend;
}

/// Where the ankle should be instead of `goal`, so that the leg stretches gently: beyond the animation's own stretch,
/// or from soften_m before full stretch, it gives way progressively. *kept is the distance that remains to full
/// stretch.
static am_vec3 stretch(const leg *l, const ami_feet_def *def, const am_transform *world, am_vec3 goal, float moved,
                       float *kept)
{
    am_vec3 hip = world[l->upper].translation;
    am_vec3 knee = world[l->middle].translation;
    am_vec3 ankle = world[l->ankle].translation;
    float longest = am_v3_distance(hip, knee) + am_v3_distance(knee, ankle);
    float spare = am_clamp(longest - am_v3_distance(hip, ankle), 0.0f, def->soften_m);
    float start = longest - am_max(spare, am_min(moved / MOVED_M, 1.0f) * am_min(GIVES_M, def->soften_m));
    *kept = am_min(0.5f * (longest - start), KEPT_M);
    float room = longest - *kept - start;
    am_vec3 way = am_v3_sub(goal, hip);
    float wanted = am_v3_length(way);
    if (!(wanted > start)) {
        return goal;
    }
    float eased = room > 1e-6f ? start + room * (1.0f - am_exp((start - wanted) / room)) : start;
    return am_v3_add(hip, am_v3_scale(way, eased / wanted));
}

/// Brings the toe to `target`: the ankle follows, no lower than the heel allows, then the foot points at the toe.
static void reach(const leg *l, const ami_feet_def *def, am_transform *local, am_transform *world, am_vec3 target)
{
    const am_skeleton *skeleton = def->skeleton;
    am_vec3 ankle = world[l->ankle].translation;
    am_vec3 toe = world[l->toe].translation;
    am_vec3 goal = am_v3_add(ankle, am_v3_sub(target, toe));
    // The heel moves with the ankle; if it is below the floor, the ankle rises by that much and the foot tips onto
    // its toe.
    float heel = goal.y + am_quat_rotate(world[l->ankle].rotation, l->heel).y;
    goal.y += am_max(def->heel_m - heel, 0.0f);
    am_quat foot_rotation = world[l->ankle].rotation;
    am_quat toe_rotation = world[l->toe].rotation;
    ami_ik_chain chain = { local, world, l->upper, l->middle, l->ankle };
    float kept = 0.0f;
    float moved = am_v3_distance(target, toe);
    goal = stretch(l, def, world, goal, moved, &kept);
    ami_ik_two_bone(&chain, goal, knee_way(l, skeleton, world, moved), kept);
    refresh(world, local, skeleton, l->upper);
    // The foot keeps its orientation, then turns by the smallest rotation that brings the toe to its target.
    turn_world(local, world, skeleton, l->ankle, am_quat_mul(foot_rotation, am_quat_inv(world[l->ankle].rotation)));
    refresh(world, local, skeleton, l->ankle);
    am_vec3 up = am_v3(0.0f, 1.0f, 0.0f);
    am_vec3 points = am_v3_normalize_or(am_v3_sub(world[l->toe].translation, world[l->ankle].translation), up);
    am_vec3 should = am_v3_normalize_or(am_v3_sub(target, world[l->ankle].translation), up);
    turn_world(local, world, skeleton, l->ankle, am_quat_between(points, should));
    refresh(world, local, skeleton, l->ankle);
    turn_world(local, world, skeleton, l->toe, am_quat_mul(toe_rotation, am_quat_inv(world[l->toe].rotation)));
    refresh(world, local, skeleton, l->toe);
}

uint8_t ami_feet_apply(ami_feet *feet, const ami_feet_def *def, am_transform *local, am_transform *world,
                       am_transform root, uint8_t contacts, float dt)
{
    const am_skeleton *skeleton = def->skeleton;
    world[0] = am_transform_mul(root, local[0]);
    refresh(world, local, skeleton, 1);
    uint8_t locked = 0;
    for (int side = 0; side < 2; side++) {
        leg l;
        if (!find_leg(&l, def, side)) {
            continue;
        }
        uint8_t bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        ami_foot *foot = &feet->foot[side];
        footing is = { am_v3_add(world[l.toe].translation, def->shift[side]), (contacts & bit) != 0,
                       contacts == bit };
        am_vec3 target = follow(foot, def, &is, !feet->begun, dt);
        bool moved = am_v3_distance(target, world[l.toe].translation) > 1e-6f ||
                     am_transform_point(world[l.ankle], l.heel).y < def->heel_m ||
                     bends_backwards(&l, skeleton, world);
        if (moved) {
            reach(&l, def, local, world, target);
        }
        locked |= foot->locked ? bit : 0;
    }
    feet->begun = 1;
    return locked;
}

// Standing: the root is held, the ankles stay where they are in the world, and trunk, head, arms and hips sway a
// little. A body that comes to rest in a posture unlike captured standing steps into one like it, one foot after the
// other.
#include "actor/stand.h"

#include "actor/actor.h"
#include "actor/push.h"
#include "data/index.h"
#include "data/kinematics.h"
#include "method/latent.h"

#include <math.h>
#include <string.h>

// A slower root has come to rest.
#define REST_MPS 0.15f
#define REST_RADPS 0.6f
// Networks that draw each pose may glide in a stand forever. Below this speed they are stopped after this time, and
// at once at a goal, where one step does it.
#define GLIDE_MPS 0.6f
#define GLIDE_S 0.7f
// Postures beyond these are no stand: in leg lengths and radians, a little within 99 % of captured standing.
#define ANKLES_LEGS 0.36f
#define STRIDE_LEGS 0.28f
#define KNEE_RAD (33.0f * AM_DEG)
#define HIPS_LEGS 0.97f
#define LEAN_RAD (10.0f * AM_DEG)
// A foot that is farther than this from its place in the stance, or turned by more, steps there.
#define STEP_M 0.05f
#define STEP_RAD (14.0f * AM_DEG)
#define STEP_S 0.32f // a step takes
// The root goes along so that one foot can stay, but no faster than a body at rest.
#define SHIFT_S 0.8f
#define SHIFT_M 0.02f
#define LIFT 0.2f          // of its length, and
#define LIFT_LEAST_M 0.02f // at least
#define STRETCH 0.995f     // of a leg's length: hips that are higher sink
// The springs of transitions carry a root on by its velocity times this much of their half-life.
#define CARRIES 1.442695f
#define LIFE_IN_S 1.5f // small movements fade in

static const am_role legs[2][4] = {
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_TOE },
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE },
};

static bool has_legs(const am_source *source)
{
    bool all = source->roles->joint[AM_ROLE_HIPS] >= 0;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 4; i++) {
            all = all && source->roles->joint[legs[side][i]] >= 0;
        }
    }
    return all;
}

static int leg_joint(const am_source *source, int side, int part) { return source->roles->joint[legs[side][part]]; }

/// From 0 to 1, at rest at both ends.
static float ease(float t)
{
    t = am_clamp(t, 0.0f, 1.0f);
    return t * t * t * (t * (6.0f * t - 15.0f) + 10.0f);
}

// ---------------------------------------------------------------------------------------------
// Posture

typedef struct posture {
    float ankles, stride; ///< how far apart the ankles are on the ground, and how much of it forward, in leg lengths
    float knee, lean;     ///< rad
    float hips;           ///< height of the hip sockets above the ankles' height in a stand, in leg lengths
    float lifted;         ///< height of the higher ankle above the lower one, in leg lengths
    float hands;          ///< mean height of the hands above the hips, in leg lengths
} posture;

static float mean_height(const am_transform *world, int a, int b)
{
    return 0.5f * (world[a].translation.y + world[b].translation.y);
}

static posture posture_of(const am_source *source, const am_transform *local)
{
    am_transform world[AM_MAX_JOINTS];
    am_fk(world, local, source->skeleton->parents, source->skeleton->joint_count);
    const int16_t *role = source->roles->joint;
    const am_vec3 up = am_v3(0.0f, 1.0f, 0.0f);
    posture p = { 0 };
    float leg = 0.0f;
    for (int side = 0; side < 2; side++) {
        am_vec3 hip = world[leg_joint(source, side, 0)].translation;
        am_vec3 knee = world[leg_joint(source, side, 1)].translation;
        am_vec3 ankle = world[leg_joint(source, side, 2)].translation;
        leg += 0.5f * (am_v3_distance(hip, knee) + am_v3_distance(knee, ankle));
        am_vec3 thigh = am_v3_normalize_or(am_v3_sub(hip, knee), up);
        am_vec3 shin = am_v3_normalize_or(am_v3_sub(knee, ankle), up);
        p.knee = am_max(p.knee, am_acos(am_clamp(am_v3_dot(thigh, shin), -1.0f, 1.0f)));
    }
    am_vec3 left = world[leg_joint(source, 0, 2)].translation;
    am_vec3 right = world[leg_joint(source, 1, 2)].translation;
    am_vec3 apart = am_v3_sub(left, right);
    leg = am_max(leg, 1e-3f);
    p.ankles = am_v3_length(am_v3_ground(apart)) / leg;
    p.stride = am_abs(apart.z) / leg;
    p.lifted = am_abs(apart.y) / leg;
    p.hips = (mean_height(world, leg_joint(source, 0, 0), leg_joint(source, 1, 0)) - am_min(left.y, right.y)) / leg;
    int neck = role[AM_ROLE_NECK] >= 0 ? role[AM_ROLE_NECK] : role[AM_ROLE_HEAD];
    am_vec3 hips = world[role[AM_ROLE_HIPS]].translation;
    am_vec3 trunk = neck >= 0 ? am_v3_normalize_or(am_v3_sub(world[neck].translation, hips), up) : up;
    p.lean = am_acos(am_clamp(trunk.y, -1.0f, 1.0f));
    if (role[AM_ROLE_LEFT_HAND] >= 0 && role[AM_ROLE_RIGHT_HAND] >= 0) {
        p.hands = (mean_height(world, role[AM_ROLE_LEFT_HAND], role[AM_ROLE_RIGHT_HAND]) - hips.y) / leg;
    }
    return p;
}

static bool is_stand(const posture *p)
{
    return p->ankles < ANKLES_LEGS && p->stride < STRIDE_LEGS && p->knee < KNEE_RAD && p->lean < LEAN_RAD &&
           p->hips > HIPS_LEGS - 0.06f && p->lifted < 0.05f;
}

/// How unlike an easy stand a posture is: feet under the hips, straight legs and trunk, hanging arms.
static float unease(const posture *p)
{
    return 2.0f * p->stride + am_abs(p->ankles - 0.2f) + 0.5f * p->knee + p->lean + 5.0f * p->lifted +
           am_max(p->hands, 0.0f);
}

void ami_stand_prepare(ami_prepared *prepared)
{
    enum { most_samples = 2048 };
    const am_source *source = prepared->source;
    prepared->stance = -1;
    if (!source->db || !source->db->has_poses || !has_legs(source)) {
        return;
    }
    float best = 0.0f;
    int stride = source->db->frame_count / most_samples + 1;
    const am_filter *filter = prepared->filters[AM_ACTIVITY_STAND];
    for (int f = 0; f < source->db->frame_count; f++) {
        // A source without an index has a few start states only; those of other activities are no easier stands.
        bool asked = filter ? (filter->frames[f >> 6] >> (f & 63) & 1) != 0 : f % stride == 0;
        if (!asked) {
            continue;
        }
        am_transform pose[AM_MAX_JOINTS];
        am_db_pose(source->db, f, pose);
        posture p = posture_of(source, pose);
        float worse = unease(&p);
        if (worse * 0.0f == 0.0f && (prepared->stance < 0 || worse < best)) {
            prepared->stance = f;
            best = worse;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Coming to rest

/// Where an ankle of a pose is when the ground root is at `root`.
static am_transform ankle_of(const am_actor *c, const am_transform *local, am_transform root, int side)
{
    const am_source *source = c->prepared->source;
    return am_transform_mul(root, ami_joint_place(source->skeleton, local, leg_joint(source, side, 2)));
}

static bool must_step(const ami_stand_foot *foot)
{
    am_vec3 way = am_v3_sub(foot->to.translation, foot->from.translation);
    return am_v3_length(way) > STEP_M || am_quat_angle(foot->from.rotation, foot->to.rotation) > STEP_RAD;
}

/// The foot that bears the body: the one that stands flatter.
static int bearing_foot(const ami_stand *stand)
{
    float angle[2];
    for (int side = 0; side < 2; side++) {
        const ami_stand_foot *foot = &stand->foot[side];
        float above = am_max(foot->from.translation.y - foot->to.translation.y, 0.0f);
        angle[side] = am_quat_angle(foot->from.rotation, foot->to.rotation) + 10.0f * above;
    }
    return angle[1] < angle[0];
}

static am_vec3 limited(am_vec3 v, float most)
{
    float length = am_v3_length(v);
    return am_v3_scale(v, length > most ? most / length : 1.0f);
}

/// Plans the steps from where the feet are to where the pose has them. The root goes along, so that the bearing foot
/// can stay.
/// `arrival`, or NULL: the root goes to that goal instead.
static void plan_steps(am_actor *c, const am_transform *pose, const ami_arrival *arrival)
{
    ami_stand *stand = c->stand;
    am_transform root = c->state->root;
    am_vec3 carried = am_v3_scale(c->recent->root_linear, CARRIES * c->settings.inertialise_halflife);
    root.translation = am_v3_add(root.translation, am_v3_ground(am_quat_rotate(root.rotation, carried)));
    bool goes = arrival && c->settings.root != AM_ROOT_SIMULATION;
    if (goes) {
        float on = CARRIES * c->settings.inertialise_halflife * c->recent->root_angular.y;
        root.rotation = am_quat_mul(root.rotation, am_quat_from_heading(on));
        stand->shift = limited(am_v3_ground(am_v3_sub(arrival->point, root.translation)), AMI_ARRIVAL_M);
        float turn = arrival->faces ? am_wrap_angle(arrival->heading - am_quat_heading(root.rotation)) : 0.0f;
        stand->turn = am_clamp(turn, -AMI_ARRIVAL_RAD, AMI_ARRIVAL_RAD);
        root.rotation = am_quat_mul(root.rotation, am_quat_from_heading(stand->turn));
    }
    for (int side = 0; side < 2; side++) {
        stand->foot[side].from = c->world[leg_joint(c->prepared->source, side, 2)];
        stand->foot[side].to = ankle_of(c, pose, root, side);
        stand->foot[side].begin_s = -1.0f;
    }
    int bears = bearing_foot(stand);
    am_vec3 gap = am_v3_sub(stand->foot[bears].from.translation, stand->foot[bears].to.translation);
    float most = c->settings.root == AM_ROOT_SIMULATION ? 0.0f : SHIFT_M;
    stand->shift = goes ? stand->shift : limited(am_v3_ground(gap), most);
    float begin_s = 0.0f;
    for (int i = 0; i < 2; i++) {
        ami_stand_foot *foot = &stand->foot[i == 0 ? !bears : bears];
        foot->to.translation = am_v3_add(foot->to.translation, stand->shift);
        if (must_step(foot)) {
            foot->begin_s = begin_s;
            begin_s += STEP_S;
        }
    }
}

static uint32_t seed_of(const am_actor *c)
{
    const ami_state *s = c->state;
    uint64_t hash = am_hash64(&s->rng, sizeof s->rng, s->steps);
    return (uint32_t)am_hash64(&s->root, sizeof s->root, hash);
}

/// The source's pose, or the stance where that is no stand, becomes the pose in which the character stands.
static void hold(am_actor *c, const ami_arrival *arrival)
{
    const am_source *source = c->prepared->source;
    size_t size = (size_t)c->joint_count * sizeof(am_transform);
    posture p = posture_of(source, c->source_local);
    memcpy(c->stand_pose, c->source_local, size);
    if (!is_stand(&p) && c->prepared->stance >= 0) {
        // The hips stay over the same point of the ground: the body has stopped, only its feet still move.
        am_db_pose(source->db, c->prepared->stance, c->stand_pose);
        c->stand_pose[0].translation.x = c->source_local[0].translation.x;
        c->stand_pose[0].translation.z = c->source_local[0].translation.z;
    }
    *c->stand = (ami_stand){ .on = 1, .seed = seed_of(c) };
    plan_steps(c, c->stand_pose, arrival);
    ami_find_velocities(c, c);
    ami_inertia_reset(c->inertia, &c->inertia_def);
    memset(c->output.landed.velocity, 0, (size_t)c->joint_count * sizeof *c->output.landed.velocity);
    ami_inertia_pose from = { c->local, c->arrival, c->recent->root_linear, c->recent->root_angular };
    ami_inertia_pose to = { c->stand_pose, c->output.landed.velocity, am_v3_zero(), am_v3_zero() };
    ami_inertia_transition(c->inertia, &c->inertia_def, &from, &to);
    // From here on the displayed feet are those of the stand.
    ami_feet_reset(&c->state->feet);
}

/// The source takes over from the body as it is now.
static void let_go(am_actor *c)
{
    c->stand->on = 0;
    ami_find_velocities(c, c);
    ami_inertia_reset(c->inertia, &c->inertia_def);
    const am_source *source = c->prepared->source;
    c->state->arriving = !source->interface->ticks;
    if (source->interface->ticks) {
        // A flow that is put to a still body often stays there: it goes on from its own state instead.
        source->interface->pose(source, c->source_state, &c->output, c->work);
        memset(c->output.landed.velocity, 0, (size_t)c->joint_count * sizeof *c->output.landed.velocity);
        ami_inertia_pose from = { c->local_raw, c->arrival, am_v3_zero(), am_v3_zero() };
        ami_inertia_pose to = { c->source_local, c->output.landed.velocity, am_v3_zero(), am_v3_zero() };
        ami_inertia_transition(c->inertia, &c->inertia_def, &from, &to);
    }
}

static bool is_pushed(const ami_stand *stand) { return stand->on == 2; }

/// A standing character that is pushed keeps standing: steps answer for it, and the source is not asked. One that
/// still steps into its stance lets go.
static bool may_be_pushed(const am_actor *c)
{
    const ami_stand *stand = c->stand;
    return !ami_push_answered(c) ||
           (ami_push_steps(c) && stand->on && (is_pushed(stand) || stand->since_s > 2.0f * STEP_S));
}

static bool may_stand(const am_actor *c, const ami_step *step)
{
    return step->plan.stand && !step->on_path && !ami_path_active(c) && may_be_pushed(c) && !c->state->arriving &&
           c->settings.method != AM_METHOD_OWN && has_legs(c->prepared->source) &&
           !(c->settings.method == AM_METHOD_FIELD && c->settings.policy == AM_FIELD_PASSIVE);
}

static bool has_come_to_rest(const am_actor *c, const ami_step *step)
{
    bool rests = c->state->speed < REST_MPS && am_abs(c->recent->root_angular.y) < REST_RADPS;
    bool glides = ami_is_latent(c->prepared->source) && c->state->speed < GLIDE_MPS &&
                  (step->arrives || c->state->activity_s > GLIDE_S);
    return rests || glides;
}

// ---------------------------------------------------------------------------------------------
// Life

/// A slow, never repeating wave between -1 and 1, of its own for each n.
static float wave(const ami_stand *stand, uint32_t n, float hertz)
{
    uint32_t words[2] = { stand->seed, n };
    uint64_t hash = am_hash64(words, sizeof words, 0);
    float first = (float)(hash & 0xffffu) / 65536.0f;
    float second = (float)(hash >> 16 & 0xffffu) / 65536.0f;
    float t = hertz * stand->since_s;
    // Whole turns are taken off: the sine of a large number is coarse.
    float a = first + t;
    float b = second + 0.618034f * t;
    a -= (float)(int)a;
    b -= (float)(int)b;
    return 0.6f * am_sin(6.2831853f * a) + 0.4f * am_sin(6.2831853f * b);
}

/// Turns a joint about axes of the root.
static void sway_joint(am_transform *pose, const am_source *source, am_role role, am_vec3 turn)
{
    int joint = source->roles->joint[role];
    if (joint < 0) {
        return;
    }
    am_quat outer = am_quat_identity();
    for (int p = source->skeleton->parents[joint]; p >= 0; p = source->skeleton->parents[p]) {
        outer = am_quat_mul(pose[p].rotation, outer);
    }
    am_quat world = am_quat_from_scaled_axis(turn);
    am_quat local = am_quat_mul(am_quat_mul(am_quat_inv(outer), world), outer);
    pose[joint].rotation = am_quat_normalize(am_quat_mul(local, pose[joint].rotation));
}

/// Breathing, weight that shifts from foot to foot, a head that looks about, and arms that hang loose.
static void live(const am_actor *c, am_transform *pose)
{
    const ami_stand *stand = c->stand;
    const am_source *source = c->prepared->source;
    float much = ease(stand->since_s / LIFE_IN_S);
    float size = c->prepared->facts.hip_m; // larger bodies move farther
    float aside = wave(stand, 0, 0.23f) * much;
    float ahead = wave(stand, 1, 0.29f) * much;
    float breath = wave(stand, 2, 0.27f) * much;
    pose[0].translation = am_v3_add(pose[0].translation, am_v3(0.011f * size * aside, 0.0f, 0.006f * size * ahead));
    // The trunk leans against the hips' sway, in two joints.
    am_vec3 lean = am_v3(-0.018f * ahead + 0.004f * breath, 0.008f * wave(stand, 3, 0.17f) * much, 0.022f * aside);
    sway_joint(pose, source, AM_ROLE_SPINE, lean);
    sway_joint(pose, source, AM_ROLE_CHEST, lean);
    am_vec3 look = am_v3(0.02f * wave(stand, 4, 0.21f), 0.05f * wave(stand, 5, 0.13f), 0.0f);
    sway_joint(pose, source, AM_ROLE_HEAD, am_v3_scale(look, much));
    static const am_role arms[2][2] = { { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM },
                                        { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM } };
    for (uint32_t side = 0; side < 2; side++) {
        float swing = wave(stand, 6 + side, 0.31f) * much;
        float out = wave(stand, 8 + side, 0.26f) * much + 0.3f * breath;
        sway_joint(pose, source, arms[side][0], am_v3(0.026f * swing, 0.0f, 0.016f * out));
        sway_joint(pose, source, arms[side][1], am_v3(0.02f * wave(stand, 10 + side, 0.24f) * much, 0.0f, 0.0f));
    }
}

// ---------------------------------------------------------------------------------------------
// Steps

bool ami_stand_begin(am_actor *c, const ami_step *step)
{
    ami_stand *stand = c->stand;
    bool may = may_stand(c, step);
    if (stand->on && !may) {
        let_go(c);
    } else if (!stand->on && may && has_come_to_rest(c, step)) {
        hold(c, step->arrives ? &step->arrival : NULL);
    }
    if (!stand->on) {
        return false;
    }
    const bool pushed = ami_push_answered(c);
    if (is_pushed(stand) && !pushed) { // it stands where the steps have brought it
        memcpy(c->source_local, c->stand_pose, (size_t)c->joint_count * sizeof *c->source_local);
        hold(c, NULL);
    }
    stand->on = pushed ? 2 : 1;
    stand->since_s += pushed ? 0.0f : step->dt;
    memcpy(c->source_local, c->stand_pose, (size_t)c->joint_count * sizeof *c->source_local);
    live(c, c->source_local);
    am_source_output *out = &c->output;
    out->transition = out->searched = out->ended = out->fell_back = false;
    out->root_linear = out->root_angular = am_v3_zero();
    out->candidate_count = out->searches = 0;
    out->turned = out->turned_by_motion = 0.0f;
    out->contacts = AM_CONTACT_LEFT | AM_CONTACT_RIGHT;
    for (int side = 0; side < 2; side++) {
        float t = stand->since_s - stand->foot[side].begin_s;
        bool steps = stand->foot[side].begin_s >= 0.0f && t < STEP_S;
        uint8_t bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        out->contacts &= (uint8_t) ~(steps && t > 0.0f ? bit : 0);
    }
    return true;
}

/// The part of shift and turn that passes in this step.
static float passes(const ami_stand *stand, float dt)
{
    return stand->on ? ease(stand->since_s / SHIFT_S) - ease((stand->since_s - dt) / SHIFT_S) : 0.0f;
}

am_vec3 ami_stand_shift(const am_actor *c, float dt) { return am_v3_scale(c->stand->shift, passes(c->stand, dt)); }

float ami_stand_turn(const am_actor *c, float dt) { return c->stand->turn * passes(c->stand, dt); }

/// Where an ankle is now.
static am_transform ankle_now(const ami_stand *stand, int side)
{
    const ami_stand_foot *foot = &stand->foot[side];
    if (foot->begin_s < 0.0f) {
        return foot->from;
    }
    float t = ease((stand->since_s - foot->begin_s) / STEP_S);
    am_vec3 way = am_v3_sub(foot->to.translation, foot->from.translation);
    am_transform now = { am_quat_nlerp(foot->from.rotation, am_quat_nearest(foot->to.rotation, foot->from.rotation),
                                       t),
                         am_v3_add(foot->from.translation, am_v3_scale(way, t)) };
    float arc = 4.0f * t * (1.0f - t);
    now.translation.y += arc * (LIFT_LEAST_M + LIFT * am_v3_length(am_v3_ground(way)));
    return now;
}

/// How far the hips must sink for a leg to reach.
static float sinks(const am_transform *world, const am_source *source, int side, am_vec3 ankle)
{
    am_vec3 hip = world[leg_joint(source, side, 0)].translation;
    am_vec3 knee = world[leg_joint(source, side, 1)].translation;
    am_vec3 foot = world[leg_joint(source, side, 2)].translation;
    float longest = STRETCH * (am_v3_distance(hip, knee) + am_v3_distance(knee, foot));
    float aside = am_v3_length(am_v3_ground(am_v3_sub(ankle, hip)));
    float height = sqrtf(am_max(longest * longest - aside * aside, 0.0f));
    return am_max(hip.y - ankle.y - height, 0.0f);
}

/// Where a knee points in the pose: away from the line between hip and ankle. It may lie behind the line to where the
/// ankle is to be.
static am_vec3 knee_points(const am_transform *world, const am_source *source, int side)
{
    am_vec3 hip = world[leg_joint(source, side, 0)].translation;
    am_vec3 knee = am_v3_sub(world[leg_joint(source, side, 1)].translation, hip);
    am_vec3 along = am_v3_sub(world[leg_joint(source, side, 2)].translation, hip);
    along = am_v3_normalize_or(along, am_v3_zero());
    return am_v3_sub(knee, am_v3_scale(along, am_v3_dot(knee, along)));
}

void ami_stand_legs(am_actor *c)
{
    const ami_stand *stand = c->stand;
    if (!stand->on || is_pushed(stand)) { // steps that answer a push place the feet
        return;
    }
    const am_source *source = c->prepared->source;
    am_transform world[AM_MAX_JOINTS];
    am_transform root = c->state->root;
    am_fk(world, c->local_raw, source->skeleton->parents, c->joint_count);
    am_transform inverse = am_transform_inv(root);
    am_transform goal[2];
    float down = 0.0f;
    for (int side = 0; side < 2; side++) {
        goal[side] = am_transform_mul(inverse, ankle_now(stand, side));
        down = am_max(down, sinks(world, source, side, goal[side].translation));
    }
    c->local_raw[0].translation.y -= down;
    for (int side = 0; side < 2; side++) {
        int ankle = leg_joint(source, side, 2);
        am_fk(world, c->local_raw, source->skeleton->parents, c->joint_count);
        ami_ik_chain chain = { c->local_raw, world, leg_joint(source, side, 0), leg_joint(source, side, 1), ankle };
        ami_ik_two_bone(&chain, goal[side].translation, knee_points(world, source, side), 0.0f);
        world[ankle].rotation = goal[side].rotation;
        ami_ik_keep_rotation(c->local_raw, world, source->skeleton->parents, ankle);
    }
}

void ami_stand_move(am_actor *c, am_transform moved)
{
    ami_stand *stand = c->stand;
    stand->shift = am_quat_rotate(moved.rotation, stand->shift);
    for (int side = 0; side < 2; side++) {
        stand->foot[side].from = am_transform_mul(moved, stand->foot[side].from);
        stand->foot[side].to = am_transform_mul(moved, stand->foot[side].to);
    }
}

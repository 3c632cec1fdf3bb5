// One frame's pose: the pelvis follows its tracks, the chest turns against it, the head stays steady over both, the
// legs reach their feet by inverse kinematics, and the arms swing with the opposite legs.
#include "synth/synth.h"
#include "data/kinematics.h"

#include <amble/tools/clip.h>

/// What the parts of the body have in common at one moment.
typedef struct moment {
    double t;
    synth_state s;
    synth_gait gait;
    synth_pelvis pelvis;
    am_quat chest; ///< world rotation
    float bend, sit, active, yaw, chest_pitch;
} moment;

static am_quat about_x(float angle) { return am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), angle); }
static am_quat about_y(float angle) { return am_quat_from_axis_angle(am_v3(0.0f, 1.0f, 0.0f), angle); }
static am_quat about_z(float angle) { return am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), angle); }

static am_quat share(am_quat q, float part)
{
    return am_quat_from_scaled_axis(am_v3_scale(am_quat_to_scaled_axis(am_quat_abs(q)), part));
}

/// Slow wave number `which` of the body at rest, -1 to 1.
static float wave(const synth_scene *scene, int which, float hz, double t)
{
    double cycles = t * (double)hz + (double)scene->idle.phase[which];
    return am_sin(2.0f * AM_PI * (float)(cycles - (double)(int64_t)cycles));
}

/// How far the heading will turn within `ahead` seconds.
static float heading_ahead(const synth_scene *scene, const moment *m, double ahead)
{
    return ami_synth_state(&scene->path, m->t + ahead).heading - m->s.heading;
}

/// Brings x softly into (-most, most).
static float soft_limit(float x, float most) { return x / sqrtf(1.0f + x * x / (most * most)); }

// ---------------------------------------------------------------------------------------------
// Trunk and head

static void pose_trunk(am_transform *local, const synth_scene *scene, moment *m)
{
    float breath = wave(scene, 0, 0.26f, m->t);
    float quiet = 1.0f - m->active;
    float list = ami_synth_track_at(&scene->tracks.list, m->t);
    float lead = soft_limit(0.5f * heading_ahead(scene, m, 0.22), 25.0f * AM_DEG);
    m->chest_pitch = (1.5f + 5.5f * m->gait.effort + 27.0f * m->s.crouch - 0.9f * breath) * AM_DEG + m->bend;
    // Against the pelvis: turned the other way, nearly level, and the shoulders dip a little over the standing leg.
    float turn = lead - 0.75f * m->yaw + 1.2f * quiet * AM_DEG * wave(scene, 1, 0.09f, m->t);
    float roll = -0.25f * list;
    am_quat upright = am_quat_mul(m->pelvis.facing, m->pelvis.lean);
    m->chest = am_quat_mul(upright, am_quat_from_euler("yxz", turn, m->chest_pitch, roll));
    am_quat third = share(am_quat_mul(am_quat_inv(m->pelvis.rotation), m->chest), 1.0f / 3.0f);
    for (int j = J_SPINE; j <= J_SPINE2; j++) {
        local[j].rotation = third;
    }
    float look = soft_limit(0.75f * heading_ahead(scene, m, 0.45), 50.0f * AM_DEG);
    look += quiet * AM_DEG * (6.0f * wave(scene, 2, 0.11f, m->t) + 3.0f * wave(scene, 3, 0.23f, m->t));
    float gaze = (3.0f + 2.0f * m->gait.effort + 5.0f * m->s.crouch) * AM_DEG + 0.35f * m->bend;
    gaze += quiet * AM_DEG * 1.5f * wave(scene, 4, 0.17f, m->t);
    am_quat head = am_quat_mul(m->pelvis.facing, share(m->pelvis.lean, 0.35f));
    head = am_quat_mul(head, am_quat_from_euler("yxz", look, gaze, 0.1f * roll));
    am_quat carried = am_quat_mul(am_quat_inv(m->chest), head);
    local[J_NECK].rotation = share(carried, 0.45f);
    local[J_HEAD].rotation = am_quat_normalize(am_quat_mul(am_quat_inv(local[J_NECK].rotation), carried));
}

// ---------------------------------------------------------------------------------------------
// Arms

/// Angles of one arm out of hanging straight down: forward, outward, turned inward about itself; elbow bent.
typedef struct arm {
    float flex, abduct, twist, elbow;
} arm;

static void pose_arm(am_transform *local, int side, arm a, float shrug)
{
    float sign = side == LEFT ? 1.0f : -1.0f;
    int shoulder = side == LEFT ? J_LEFT_SHOULDER : J_RIGHT_SHOULDER;
    // The collar bone follows a fifth of the arm: forward with it and up with it.
    float raise = shrug + 0.12f * am_max(a.flex, 0.0f);
    local[shoulder].rotation = am_quat_mul(about_y(-sign * 0.12f * a.flex), about_z(sign * (raise - 3.0f * AM_DEG)));
    am_quat hang = about_z(-sign * (0.5f * AM_PI - a.abduct));
    local[shoulder + 1].rotation = am_quat_mul(about_x(-a.flex), am_quat_mul(hang, about_x(a.twist)));
    local[shoulder + 2].rotation = about_y(-sign * a.elbow);
    // Hands hang on in the forearm's line, a little bent inwards as relaxed ones are.
    local[shoulder + 3].rotation = am_quat_mul(about_z(-sign * 6.0f * AM_DEG), about_y(-sign * 5.0f * AM_DEG));
}

static arm arm_at(const synth_scene *scene, const moment *m, int side)
{
    float run = m->gait.effort, crouch = m->s.crouch, aside = am_min(am_abs(m->s.left), 1.0f);
    float sign = side == LEFT ? 1.0f : -1.0f;
    // The forearm trails the upper arm by a few hundredths of a second.
    float swing = sign * ami_synth_track_at(&scene->tracks.arms, m->t);
    float trail = sign * ami_synth_track_at(&scene->tracks.arms, m->t - 0.045);
    float both = ami_synth_track_at(&scene->tracks.both_arms, m->t);
    arm a;
    a.flex = swing + both + am_lerp(-4.0f, -9.0f, run) * AM_DEG + 10.0f * crouch * AM_DEG;
    // The chest carries the arms with its pitch; hanging arms swing back to the plumb line.
    a.flex += am_lerp(0.85f, 0.3f, run) * m->chest_pitch;
    a.abduct = (8.5f + 5.0f * run + 7.0f * crouch + 6.0f * aside) * AM_DEG + 0.08f * am_abs(both);
    a.twist = (10.0f + 2.0f * run + 10.0f * crouch) * AM_DEG;
    a.elbow = am_lerp(17.0f, 88.0f, run) * AM_DEG + (34.0f * crouch + 16.0f * aside) * AM_DEG;
    a.elbow += am_lerp(0.40f, 0.30f, run) * trail + 0.12f * am_abs(both);
    a.elbow = am_max(a.elbow, 4.0f * AM_DEG);
    return a;
}

static void pose_arms(am_transform *local, const synth_scene *scene, const moment *m)
{
    float shrug = 0.7f * AM_DEG * wave(scene, 0, 0.26f, m->t - 0.2);
    for (int side = LEFT; side <= RIGHT; side++) {
        pose_arm(local, side, arm_at(scene, m, side), shrug);
    }
}

// ---------------------------------------------------------------------------------------------
// Legs

/// Keeps a free foot within the ankle's range: 25 degrees up, 45 down.
static am_quat ease_ankle(am_quat local, float free)
{
    float angles[3];
    am_quat_to_euler(angles, local, "xzy");
    float off = angles[0] - 10.0f * AM_DEG, over = am_max(am_abs(off) - 25.0f * AM_DEG, 0.0f);
    float back = (over - soft_limit(over, 10.0f * AM_DEG)) * free;
    return am_quat_mul(about_x(off > 0.0f ? -back : back), local);
}

static void pose_leg(am_transform *local, am_transform *model, const synth_scene *scene, const moment *m, int side)
{
    int hip = side == LEFT ? J_LEFT_UP_LEG : J_RIGHT_UP_LEG;
    synth_foot foot = ami_synth_foot_at(&scene->steps, side, m->t);
    local[hip].rotation = am_quat_identity();
    local[hip + 1].rotation = about_x(0.7f); // bent, so that the solver knows the knee's hinge
    local[hip + 2].rotation = am_quat_identity();
    model[hip] = am_transform_mul(model[J_HIPS], local[hip]);
    model[hip + 1] = am_transform_mul(model[hip], local[hip + 1]);
    model[hip + 2] = am_transform_mul(model[hip + 1], local[hip + 2]);
    // Knees point between pelvis and foot, a touch outward.
    am_vec3 up = am_v3(0.0f, 1.0f, 0.0f), ahead = am_v3(0.0f, 0.0f, 1.0f);
    am_vec3 across = am_quat_rotate(foot.rotation, am_v3(1.0f, 0.0f, 0.0f));
    am_vec3 pole = am_v3_add(am_v3_cross(across, up), am_quat_rotate(m->pelvis.facing, ahead));
    pole = am_v3_add(pole, am_v3_scale(across, side == LEFT ? 0.12f : -0.12f));
    ami_ik_chain chain = { local, model, hip, hip + 1, hip + 2 };
    // Standing legs end 0.45 % short of full stretch (BODY_REACH_M): the softening never moves a planted foot. A
    // swinging leg is eased long before: its foot is free to come a little short.
    ami_ik_two_bone(&chain, foot.ankle, pole, am_lerp(0.0044f, 0.018f, foot.swing) * BODY_LEG_M);
    model[hip] = am_transform_mul(model[J_HIPS], local[hip]);
    model[hip + 1] = am_transform_mul(model[hip], local[hip + 1]);
    local[hip + 2].rotation = am_quat_normalize(am_quat_mul(am_quat_inv(model[hip + 1].rotation), foot.rotation));
    local[hip + 2].rotation = ease_ankle(local[hip + 2].rotation, foot.free);
    local[hip + 3].rotation = about_x(-foot.toe);
}

/// Hands on the thighs, as far as the body sits.
static void rest_hands(am_transform *local, am_transform *model, const int16_t *parents, float sit)
{
    am_fk(model, local, parents, J_COUNT);
    for (int side = LEFT; side <= RIGHT; side++) {
        int upper = side == LEFT ? J_LEFT_ARM : J_RIGHT_ARM, hip = side == LEFT ? J_LEFT_UP_LEG : J_RIGHT_UP_LEG;
        am_quat was[3] = { local[upper].rotation, local[upper + 1].rotation, local[upper + 2].rotation };
        am_vec3 thigh = am_v3_lerp(model[hip].translation, model[hip + 1].translation, 0.62f);
        am_vec3 target = am_v3_add(thigh, am_v3(0.0f, 0.085f, 0.0f));
        am_vec3 out = am_quat_rotate(model[J_SPINE2].rotation, am_v3(side == LEFT ? 0.8f : -0.8f, -0.3f, -1.0f));
        ami_ik_chain chain = { local, model, upper, upper + 1, upper + 2 };
        ami_ik_two_bone(&chain, target, out, 0.01f);
        // The palm comes down along the thigh.
        am_quat above =
            am_quat_mul(model[upper - 1].rotation, am_quat_mul(local[upper].rotation, local[upper + 1].rotation));
        am_vec3 along = am_v3_sub(model[hip + 1].translation, model[hip].translation);
        along = am_quat_unrotate(above, am_v3_normalize_or(along, am_v3(0.0f, 0.0f, 1.0f)));
        am_vec3 fingers = am_v3(side == LEFT ? 1.0f : -1.0f, 0.0f, 0.0f);
        local[upper + 2].rotation = share(am_quat_between(fingers, along), 0.7f);
        for (int k = 0; k < 3; k++) {
            local[upper + k].rotation = am_quat_slerp(was[k], local[upper + k].rotation, sit);
        }
    }
}

void ami_synth_pose(am_transform *local, const synth_scene *scene, double t)
{
    am_clip_def body = am_clip_def_default();
    ami_synth_figure(&body);
    moment m = { .t = t, .s = ami_synth_state(&scene->path, t) };
    m.gait = ami_synth_gait(&m.s);
    m.pelvis = ami_synth_pelvis_at(&scene->path, &scene->tracks, t, true);
    m.bend = ami_synth_track_at(&scene->tracks.bend, t);
    m.sit = ami_synth_track_at(&scene->tracks.sit, t);
    m.yaw = ami_synth_track_at(&scene->tracks.yaw, t);
    m.active = ami_synth_track_at(&scene->tracks.active, t);
    for (int j = 0; j < J_COUNT; j++) {
        local[j].translation = body.offsets[j];
        local[j].rotation = am_quat_identity();
    }
    local[J_HIPS].translation = m.pelvis.position;
    local[J_HIPS].rotation = am_quat_normalize(m.pelvis.rotation);
    am_transform model[J_COUNT];
    model[J_HIPS] = local[J_HIPS];
    pose_trunk(local, scene, &m);
    pose_arms(local, scene, &m);
    pose_leg(local, model, scene, &m, LEFT);
    pose_leg(local, model, scene, &m, RIGHT);
    if (m.sit > 0.0f) {
        rest_hands(local, model, body.parents, m.sit);
    }
}

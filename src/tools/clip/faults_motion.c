// Faults that show from frame to frame: jumps, flips and frozen stretches.
#include "clip/faults.h"

#include <string.h>

// Second differences that a body does not reach: a term of acceleration and one of measuring noise, so that the
// limit fits any rate. At 60 Hz they are 12 cm for a joint and 3.8 cm for the hips; the largest honest ones in
// 759 good files are 12.1 cm (a heel strike) and 3.5 cm (a landing).
static const float joint_mps2 = 360.0f;
static const float joint_noise_m = 0.02f;
static const float hips_mps2 = 108.0f;
static const float hips_noise_m = 0.008f;

// No joint turns by more in one frame; the fastest honest one (a foot at 60 Hz) makes 70 degrees.
static const float flip_angle = 100.0f * AM_DEG;

static am_vec3 at(const ami_fault_scan *scan, int frame, int joint)
{
    return scan->positions[(size_t)frame * (size_t)scan->joints + (size_t)joint];
}

static am_quat turn(const ami_fault_scan *scan, int frame, int joint)
{
    return scan->clip->rotations[(size_t)frame * (size_t)scan->joints + (size_t)joint];
}

/// The joint that jumps farthest beyond its limit in frame f; -1 when none does. *jump gets its distance (m).
static int worst_jump(const ami_fault_scan *scan, int f, float hips_limit, float joint_limit, float *jump)
{
    int worst = -1;
    float excess = 0.0f;
    for (int j = 0; j < scan->joints; j++) {
        bool hand = j == scan->roles->joint[AM_ROLE_LEFT_HAND] || j == scan->roles->joint[AM_ROLE_RIGHT_HAND];
        if (!scan->body[j] || hand) {
            continue; // hands move fast and are poorly tracked: a jump there does no harm
        }
        am_vec3 sum = am_v3_add(at(scan, f - 1, j), at(scan, f + 1, j));
        float way = am_v3_length(am_v3_sub(sum, am_v3_scale(at(scan, f, j), 2.0f)));
        float beyond = way / (j == 0 ? hips_limit : joint_limit);
        if (beyond > 1.0f && beyond > excess) {
            excess = beyond;
            worst = j;
            *jump = way;
        }
    }
    return worst;
}

void ami_faults_step(ami_fault_scan *scan)
{
    float dt = 1.0f / scan->clip->fps;
    float joint_limit = joint_mps2 * dt * dt + joint_noise_m;
    float hips_limit = hips_mps2 * dt * dt + hips_noise_m;
    float *joints = scan->values + scan->frames;
    memset(scan->marks, 0, (size_t)scan->frames);
    memset(scan->values, 0, (size_t)scan->frames * sizeof(float));
    for (int f = 1; f + 1 < scan->frames; f++) {
        float jump = 0.0f;
        int joint = ami_fault_fit(scan, f - 1, f + 1) ? worst_jump(scan, f, hips_limit, joint_limit, &jump) : -1;
        if (joint >= 0) {
            scan->marks[f - 1] = scan->marks[f] = scan->marks[f + 1] = 1;
            scan->values[f] = jump;
            joints[f] = (float)joint;
        }
    }
    int before = scan->count;
    ami_fault_add_marked(scan, AM_FAULT_STEP, 0, ami_fault_bridgeable(scan->clip->fps));
    for (int i = before; i < scan->count && i < scan->capacity; i++) {
        am_fault *fault = &scan->out[i];
        for (int f = fault->first; f <= fault->last; f++) {
            if (scan->values[f] == fault->amount) {
                fault->joint = (int)joints[f];
            }
        }
    }
}

void ami_faults_flip(ami_fault_scan *scan)
{
    for (int j = 0; j < scan->joints; j++) {
        if (!scan->body[j]) {
            continue;
        }
        memset(scan->marks, 0, (size_t)scan->frames);
        memset(scan->values, 0, (size_t)scan->frames * sizeof(float));
        for (int f = 1; f < scan->frames; f++) {
            float angle =
                ami_fault_fit(scan, f - 1, f) ? am_quat_angle(turn(scan, f - 1, j), turn(scan, f, j)) : 0.0f;
            if (angle > flip_angle) {
                scan->marks[f - 1] = scan->marks[f] = 1;
                scan->values[f] = angle;
            }
        }
        int before = scan->count;
        ami_fault_add_marked(scan, AM_FAULT_FLIP, j, (int)(0.5f * scan->clip->fps)); // flips come in swarms
        for (int i = before; i < scan->count && i < scan->capacity; i++) {
            scan->out[i].serious = !scan->fine[j];
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Frozen

/// The pose of `joint` is the same in frames f-1 and f, more exactly than any sensor could repeat it.
static bool same_turn(const ami_fault_scan *scan, int f, int joint)
{
    return am_quat_angle(turn(scan, f - 1, joint), turn(scan, f, joint)) < 1e-4f;
}

static bool same_pose(const ami_fault_scan *scan, int f)
{
    if (am_v3_distance(at(scan, f - 1, 0), at(scan, f, 0)) > 1e-5f) {
        return false;
    }
    for (int j = 0; j < scan->joints; j++) {
        if (scan->body[j] && !same_turn(scan, f, j)) {
            return false;
        }
    }
    return true;
}

/// The fastest body joint (m/s) between frames f-1 and f.
static float top_speed(const ami_fault_scan *scan, int f)
{
    float top = 0.0f;
    for (int j = 0; f > 0 && f < scan->frames && j < scan->joints; j++) {
        if (scan->body[j]) {
            top = am_max(top, am_v3_distance(at(scan, f - 1, j), at(scan, f, j)));
        }
    }
    return top * scan->clip->fps;
}

/// A whole body that is frozen, next to motion.
static void frozen_body(ami_fault_scan *scan)
{
    int first = 0;
    for (int f = 1; f <= scan->frames; f++) {
        if (f < scan->frames && ami_fault_fit(scan, f - 1, f) && same_pose(scan, f)) {
            continue;
        }
        int last = f - 1; // frames first..last are one pose
        float near = 0.0f;
        for (int k = 0; k < 4; k++) { // a capture that is cut off slows down over a frame or two
            near = am_max(near, am_max(top_speed(scan, first - k), top_speed(scan, last + 1 + k)));
        }
        if (last - first >= 3 && near > 0.5f) {
            ami_fault_add(scan, (am_fault){ AM_FAULT_FROZEN, first, last, -1, (float)(last - first + 1), true });
        }
        first = f;
    }
}

/// How fast (rad/s) the limb turns within two frames before `first` or after `last`.
static float turn_speed_around(const ami_fault_scan *scan, const int16_t *limb, int first, int last)
{
    float top = 0.0f;
    for (int k = 0; k < 2; k++) {
        int frames[2] = { first - k, last + 1 + k };
        for (int i = 0; i < 6; i++) {
            int f = frames[i % 2];
            if (f > 0 && f < scan->frames && ami_fault_fit(scan, f - 1, f)) {
                top = am_max(top, am_quat_angle(turn(scan, f - 1, limb[i / 2]), turn(scan, f, limb[i / 2])));
            }
        }
    }
    return top * scan->clip->fps;
}

/// True when the limb's pose over first..last was lost rather than held: the body keeps moving, and the limb stops or
/// starts with a jerk. A limb that never moves in the clip was not captured at all, which is not a fault.
static bool limb_was_lost(const ami_fault_scan *scan, const int16_t *limb, int first, int last)
{
    int least = (int)(0.4f * scan->clip->fps);
    if (last - first < least || (first == 0 && last == scan->frames - 1)) {
        return false;
    }
    float path = 0.0f;
    for (int f = first + 1; f <= last; f++) {
        path += am_v3_distance(at(scan, f - 1, limb[0]), at(scan, f, limb[0]));
    }
    float speed = path * scan->clip->fps / (float)(last - first);
    return speed > 0.1f && turn_speed_around(scan, limb, first, last) > 0.5f;
}

/// A limb that keeps its pose while the body keeps moving: its markers were lost.
static void frozen_limb(ami_fault_scan *scan, const int16_t *limb)
{
    if (limb[0] < 0 || limb[1] < 0 || limb[2] < 0) {
        return;
    }
    int first = 0;
    for (int f = 1; f <= scan->frames; f++) {
        bool same = f < scan->frames && ami_fault_fit(scan, f - 1, f);
        for (int i = 0; same && i < 3; i++) {
            same = same_turn(scan, f, limb[i]);
        }
        if (same) {
            continue;
        }
        if (limb_was_lost(scan, limb, first, f - 1)) {
            ami_fault_add(scan, (am_fault){ AM_FAULT_FROZEN, first, f - 1, limb[0], (float)(f - first), true });
        }
        first = f;
    }
}

void ami_faults_frozen(ami_fault_scan *scan)
{
    const int16_t *r = scan->roles->joint;
    frozen_body(scan);
    frozen_limb(scan, r + AM_ROLE_LEFT_ARM);
    frozen_limb(scan, r + AM_ROLE_RIGHT_ARM);
    frozen_limb(scan, r + AM_ROLE_LEFT_UP_LEG);
    frozen_limb(scan, r + AM_ROLE_RIGHT_UP_LEG);
}

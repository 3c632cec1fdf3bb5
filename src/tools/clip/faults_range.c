// Faults that show in single poses: joints beyond their range, and a floor that moves.
#include "clip/faults.h"

#include "data/filter.h"

#include <string.h>

// Largest angle from a standing rest pose, in degrees. Set above everything that 759 good captured files reach
// (dance, crawling, cartwheels, sitting on the floor) and below what 23 bad ones do.
typedef struct range_limit {
    am_role from, to; // joints on the way from one role to the other
    float angle_deg;
} range_limit;

static const range_limit limits[] = {
    { AM_ROLE_NECK, AM_ROLE_HEAD, 95.0f },                // honest: 75 for one of two neck joints
    { AM_ROLE_SPINE, AM_ROLE_CHEST, 105.0f },             // honest: 101 for a lower back that does all the bending
    { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_UP_LEG, 150.0f }, // honest: 147 from legs splayed by 20
    { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_UP_LEG, 150.0f },
    { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_LEG, 170.0f }, // honest: 164, sitting on the heels
    { AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_LEG, 170.0f },
    { AM_ROLE_LEFT_FOOT, AM_ROLE_LEFT_FOOT, 115.0f }, // honest: 103
    { AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_FOOT, 115.0f },
    { AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_FOREARM, 170.0f }, // honest: 155
    { AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_FOREARM, 170.0f },
};

static am_vec3 rest_position(const am_skeleton *s, int joint)
{
    am_vec3 p = am_v3_zero();
    for (int j = joint; j > 0; j = s->parents[j]) {
        p = am_v3_add(s->offsets[j], am_quat_rotate(s->rests[j], p));
    }
    return am_quat_rotate(s->rests[0], p);
}

/// Cosine of the angle between the line from joint a to joint b in the rest pose and `direction`.
static float rest_cosine(const am_skeleton *s, int a, int b, am_vec3 direction)
{
    am_vec3 way = am_v3_sub(rest_position(s, b), rest_position(s, a));
    return am_v3_dot(am_v3_normalize_or(way, am_v3_zero()), direction);
}

bool ami_rest_is_stance(const am_skeleton *s, const am_roles *roles)
{
    const int16_t *r = roles->joint;
    const am_vec3 up = am_v3(0.0f, 1.0f, 0.0f);
    const am_vec3 down = am_v3(0.0f, -1.0f, 0.0f);
    for (int i = AM_ROLE_LEFT_UP_LEG; i <= AM_ROLE_RIGHT_FOOT; i++) {
        if (i != AM_ROLE_LEFT_TOE && r[i] < 0) {
            return false;
        }
    }
    static const am_role legs[2] = { AM_ROLE_LEFT_UP_LEG, AM_ROLE_RIGHT_UP_LEG };
    for (int side = 0; side < 2; side++) {
        const int16_t *leg = r + legs[side];
        // 45 degrees: CMU's zero pose has the legs splayed by 20.
        if (rest_cosine(s, leg[0], leg[1], down) < 0.707f || rest_cosine(s, leg[1], leg[2], down) < 0.707f) {
            return false;
        }
    }
    int top = r[AM_ROLE_HEAD] >= 0 ? r[AM_ROLE_HEAD] : r[AM_ROLE_CHEST];
    if (top >= 0 && rest_cosine(s, r[AM_ROLE_HIPS] >= 0 ? r[AM_ROLE_HIPS] : 0, top, up) < 0.8f) {
        return false;
    }
    return rest_cosine(s, r[AM_ROLE_RIGHT_UP_LEG], r[AM_ROLE_LEFT_UP_LEG], am_v3(1.0f, 0.0f, 0.0f)) > 0.707f;
}

static void range_of(ami_fault_scan *scan, int joint, float limit)
{
    const am_clip *clip = scan->clip;
    memset(scan->marks, 0, (size_t)scan->frames);
    for (int f = 0; f < scan->frames; f++) {
        am_quat q = clip->rotations[(size_t)f * (size_t)scan->joints + (size_t)joint];
        float angle = scan->bad[f] ? 0.0f : am_quat_angle(clip->skeleton->rests[joint], q);
        scan->marks[f] = angle > limit;
        scan->values[f] = angle;
    }
    ami_fault_add_marked(scan, AM_FAULT_RANGE, joint, ami_fault_bridgeable(clip->fps));
}

void ami_faults_range(ami_fault_scan *scan)
{
    if (!ami_rest_is_stance(scan->clip->skeleton, scan->roles)) {
        return;
    }
    for (int i = 0; i < (int)(sizeof limits / sizeof limits[0]); i++) {
        int to = scan->roles->joint[limits[i].to];
        int from = scan->roles->joint[limits[i].from];
        from = from < 0 || from > to ? to : from;
        for (int j = to; j >= from && j > 0; j = scan->clip->skeleton->parents[j]) {
            range_of(scan, j, limits[i].angle_deg * AM_DEG);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Floor

/// Height of the lowest foot that stands still in [first, last), or NAN when none does.
static float stance_height(const ami_fault_scan *scan, const int16_t *feet, int first, int last)
{
    float lowest = NAN;
    float step = 0.25f * 2.0f / scan->clip->fps; // 0.25 m/s over two frames
    for (int f = first > 0 ? first : 1; f < last && f + 1 < scan->frames; f++) {
        if (!ami_fault_fit(scan, f - 1, f + 1)) {
            continue;
        }
        for (int i = 0; i < 2; i++) {
            const am_vec3 *p = scan->positions + (size_t)f * (size_t)scan->joints + feet[i];
            am_vec3 before = *(p - scan->joints);
            am_vec3 after = *(p + scan->joints);
            if (am_v3_distance(before, after) < step && !(p->y >= lowest)) {
                lowest = p->y;
            }
        }
    }
    return lowest;
}

static float mean_of(const float *x, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum += x[i];
    }
    return sum / (float)count;
}

static float spread_of(const float *x, int count, float mean)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum += am_abs(x[i] - mean);
    }
    return sum / (float)count;
}

/// Two stable levels far apart: stairs, or a calibration that slipped. The user must check.
static void floor_levels(ami_fault_scan *scan, const float *level, const float *start, int count)
{
    float best = 0.0f;
    int cut = 0;
    for (int k = 3; k + 3 <= count; k++) {
        float before = mean_of(level, k);
        float after = mean_of(level + k, count - k);
        float calm = am_max(spread_of(level, k, before), spread_of(level + k, count - k, after));
        if (calm < 0.02f && am_abs(after - before) > am_abs(best)) {
            best = after - before;
            cut = k;
        }
    }
    if (am_abs(best) > 0.06f) { // heel-to-toe gaits alone make 5 cm
        ami_fault_add(scan, (am_fault){ AM_FAULT_FLOOR, (int)start[cut], scan->frames - 1, -1, best, false });
    }
}

/// Feet that sink 5 cm or more below where they usually stand.
static void feet_below(ami_fault_scan *scan, const int16_t *feet, float level)
{
    int deep = 0;
    for (int f = 0; f < scan->frames; f++) {
        const am_vec3 *row = scan->positions + (size_t)f * (size_t)scan->joints;
        float depth = level - am_min(row[feet[0]].y, row[feet[1]].y);
        scan->marks[f] = !scan->bad[f] && depth > 0.05f;
        scan->values[f] = scan->marks[f] ? depth : 0.0f;
        deep += scan->marks[f];
    }
    int before = scan->count;
    if (deep >= 3 && deep * 3 < scan->frames) { // more often: the floor is elsewhere, or the person lies down
        ami_fault_add_marked(scan, AM_FAULT_FLOOR, -1, (int)(0.5f * scan->clip->fps));
    }
    for (int i = before; i < scan->count && i < scan->capacity; i++) {
        scan->out[i].amount = -scan->out[i].amount;
        scan->out[i].serious = false; // it may be a step down
    }
}

/// The floor according to the feet, in blocks of half a second.
void ami_faults_floor(ami_fault_scan *scan)
{
    const int16_t *r = scan->roles->joint;
    int16_t feet[2] = { r[AM_ROLE_LEFT_TOE] >= 0 ? r[AM_ROLE_LEFT_TOE] : r[AM_ROLE_LEFT_FOOT],
                        r[AM_ROLE_RIGHT_TOE] >= 0 ? r[AM_ROLE_RIGHT_TOE] : r[AM_ROLE_RIGHT_FOOT] };
    int block = (int)(0.5f * scan->clip->fps);
    if (feet[0] < 0 || feet[1] < 0 || block < 1) {
        return;
    }
    float *level = scan->values;
    float *start = scan->values + scan->frames;
    int count = 0;
    for (int f = 0; f < scan->frames; f += block) {
        float height = stance_height(scan, feet, f, f + block);
        if (height == height) {
            level[count] = height;
            start[count++] = (float)f;
        }
    }
    if (count > 0) {
        floor_levels(scan, level, start, count);
        ami_sort_floats(level, count);
        feet_below(scan, feet, level[count / 2]);
    }
}

// Standing: does the character stay in place, does it move a little, and is its posture within captured standing?
#include "report/body.h"

#define SETTLE_S 1.0f      ///< after the body came to rest
#define WINDOW_S 2.0f      ///< of deviations
#define SHIFT_S 8.0f       ///< shifts of weight even out over this time
#define REST_LATEST_S 2.0f ///< a body that never rests is taken to stand from here on
#define SHORTEST_S 0.5f
#define STOOD_MPS 0.05f ///< a slower target means: stand

/// Height of the hip sockets' middle above the floor: rigs put the hips' own joint at different heights.
static float hip_height(const am_motion *m, int frame)
{
    float left = ami_point(m, frame, AM_POINT_LEFT_THIGH).y;
    float right = ami_point(m, frame, AM_POINT_RIGHT_THIGH).y;
    return 0.5f * (left + right) - m->floor.toe_m;
}

static am_vec3 feet_middle(const am_motion *m, int frame)
{
    return am_v3_ground(
        am_v3_lerp(ami_point(m, frame, AM_POINT_LEFT_ANKLE), ami_point(m, frame, AM_POINT_RIGHT_ANKLE), 0.5f));
}

/// Where the feet point.
static am_vec3 feet_direction(const am_motion *m, int frame)
{
    am_vec3 sum = am_v3_zero();
    for (int side = 0; side < 2; side++) {
        am_vec3 foot =
            am_v3_sub(ami_point(m, frame, AM_POINT_LEFT_TOE + side), ami_point(m, frame, AM_POINT_LEFT_ANKLE + side));
        sum = am_v3_add(sum, am_v3_normalize_or(am_v3_ground(foot), am_v3_zero()));
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// Stands

int am_stands_find(am_stand_span *out, int capacity, const am_motion *m, const am_vec3 *targets)
{
    int count = 0;
    for (int f = 0; f < m->frames;) {
        if (am_v3_length(targets[f]) >= STOOD_MPS) {
            f++;
            continue;
        }
        int first = f;
        while (f < m->frames && am_v3_length(targets[f]) < STOOD_MPS) {
            f++;
        }
        int latest = first + ami_frames(m, REST_LATEST_S);
        int rest = first;
        while (rest < f && rest < latest && ami_speed(m, rest) >= AMI_STAND_MPS) {
            rest++;
        }
        if (rest < f) {
            am_stand_span stand = { rest, f - 1, first > 0 && ami_speed(m, first) > AMI_MOVE_MPS };
            if (count < capacity) {
                out[count] = stand;
            }
            count++;
        }
    }
    return count;
}

int am_stand_rest(const am_motion *m, const am_stand_span *stand)
{
    if (stand->last - stand->first < ami_frames(m, SHORTEST_S)) {
        return -1;
    }
    int frame = stand->first + ami_frames(m, SETTLE_S);
    return frame < stand->last ? frame : stand->last;
}

// ---------------------------------------------------------------------------------------------
// Life

typedef am_vec3 (*place_of)(const am_motion *m, int frame, int point);

static am_vec3 over_hips(const am_motion *m, int frame, int point)
{
    return am_v3_sub(ami_point(m, frame, point), ami_point(m, frame, AM_POINT_HIPS));
}

static am_vec3 hips_over_feet(const am_motion *m, int frame, int point)
{
    return am_v3_sub(am_v3_ground(ami_point(m, frame, point)), feet_middle(m, frame));
}

static am_vec3 height_alone(const am_motion *m, int frame, int point)
{
    (void)point;
    return am_v3(0.0f, hip_height(m, frame), 0.0f);
}

/// Root mean square deviation of a place from its mean.
static double deviation(const am_motion *m, int first, int count, place_of place, int point)
{
    am_vec3 mean = am_v3_zero();
    for (int f = first; f < first + count; f++) {
        mean = am_v3_add(mean, am_v3_scale(place(m, f, point), 1.0f / (float)count));
    }
    double sum = 0.0;
    for (int f = first; f < first + count; f++) {
        sum += (double)am_v3_length2(am_v3_sub(place(m, f, point), mean));
    }
    return sqrt(sum / count);
}

ami_life ami_life_measure(const am_motion *m, int first, int count)
{
    ami_life life = {
        .bob = deviation(m, first, count, height_alone, AM_POINT_HIPS),
        .head = deviation(m, first, count, over_hips, AM_POINT_HEAD),
        .sway = deviation(m, first, count, hips_over_feet, AM_POINT_HIPS),
    };
    double left = deviation(m, first, count, over_hips, AM_POINT_LEFT_HAND);
    double right = deviation(m, first, count, over_hips, AM_POINT_RIGHT_HAND);
    life.hands = 0.5 * (left + right);
    return life;
}

static void add_life(ami_life *sum, ami_life life, double weight)
{
    sum->bob += weight * life.bob;
    sum->hands += weight * life.hands;
    sum->head += weight * life.head;
    sum->sway += weight * life.sway;
}

/// Way on the ground and turn from one to another.
static void add_drift(am_standing *out, am_vec3 place, am_vec3 at, am_vec3 direction, am_vec3 faces)
{
    float turn = am_atan2(faces.x, faces.z) - am_atan2(direction.x, direction.z);
    out->drift_m = am_max(out->drift_m, am_v3_distance(place, at));
    out->turn_deg = am_max(out->turn_deg, am_abs(am_wrap_angle(turn)) / AM_DEG);
}

/// Mean place and facing of the hips: a standing character may shift its weight.
static void mean_hips(am_vec3 *place, am_vec3 *facing, const am_motion *m, int first, int count)
{
    *place = *facing = am_v3_zero();
    for (int f = first; f < first + count; f++) {
        am_vec3 hips = am_v3_ground(ami_point(m, f, AM_POINT_HIPS));
        *place = am_v3_add(*place, am_v3_scale(hips, 1.0f / (float)count));
        *facing = am_v3_add(*facing, ami_facing(m->points + (size_t)f * AM_POINT_COUNT, m->body.has));
    }
}

static void add_stand(am_standing *out, const am_motion *m, int first, int last)
{
    am_vec3 place = feet_middle(m, first);
    am_vec3 direction = feet_direction(m, first);
    for (int f = first; f <= last; f++) {
        add_drift(out, place, feet_middle(m, f), direction, feet_direction(m, f));
    }
    int window = ami_frames(m, SHIFT_S);
    if (first + window > last + 1) {
        return;
    }
    mean_hips(&place, &direction, m, first, window);
    for (int f = first; f + window <= last + 1; f += window / 4) {
        am_vec3 at, faces;
        mean_hips(&at, &faces, m, f, window);
        add_drift(out, place, at, direction, faces);
    }
}

am_standing am_standing_measure(const am_motion *m, const am_stand_span *stands, int count)
{
    am_standing out = { 0 };
    ami_life sum = { 0 };
    double windows = 0.0;
    int settle = ami_frames(m, SETTLE_S);
    int most = ami_frames(m, WINDOW_S);
    for (int i = 0; i < count; i++) {
        int first = stands[i].first + settle;
        int frames = stands[i].last - first + 1;
        if (frames < settle) {
            continue;
        }
        add_stand(&out, m, first, stands[i].last);
        out.seconds += (float)frames / m->fps;
        int window = frames < most ? frames : most;
        for (int f = first; f + window <= stands[i].last + 1; f += most / 2) {
            add_life(&sum, ami_life_measure(m, f, window), 1.0);
            windows += 1.0;
        }
    }
    double scale = windows > 0.0 ? 100.0 / windows : 0.0;
    out.bob_cm = (float)(sum.bob * scale);
    out.hands_cm = (float)(sum.hands * scale);
    out.head_cm = (float)(sum.head * scale);
    out.sway_cm = (float)(sum.sway * scale);
    return out;
}

// ---------------------------------------------------------------------------------------------
// Posture

ami_posture ami_posture_of(const am_motion *m, int frame)
{
    ami_posture p = { .hips = hip_height(m, frame) / m->body.leg_m, .trunk_deg = ami_trunk_lean(m, frame) / AM_DEG };
    am_vec3 apart = am_v3_sub(ami_point(m, frame, AM_POINT_LEFT_ANKLE), ami_point(m, frame, AM_POINT_RIGHT_ANKLE));
    p.ankles = am_v3_length(am_v3_ground(apart)) / m->body.leg_m;
    am_vec3 up = am_v3(0.0f, 1.0f, 0.0f);
    for (int side = 0; side < 2; side++) {
        am_vec3 knee = ami_point(m, frame, AM_POINT_LEFT_KNEE + side);
        am_vec3 thigh = am_v3_normalize_or(am_v3_sub(ami_point(m, frame, AM_POINT_LEFT_THIGH + side), knee), up);
        am_vec3 shin = am_v3_normalize_or(am_v3_sub(knee, ami_point(m, frame, AM_POINT_LEFT_ANKLE + side)), up);
        p.knee_deg = am_max(p.knee_deg, am_acos(am_v3_dot(thigh, shin)) / AM_DEG);
    }
    return p;
}

uint32_t am_posture_check(const am_motion *m, int frame, const am_standing_limits *limits)
{
    ami_posture p = ami_posture_of(m, frame);
    return (p.ankles > limits->ankles ? AM_BAD_ANKLES : 0u) | (p.knee_deg > limits->knee_deg ? AM_BAD_KNEES : 0u) |
           (p.hips < limits->hips ? AM_BAD_HIPS : 0u) | (p.trunk_deg > limits->trunk_deg ? AM_BAD_TRUNK : 0u);
}

// How rough it is to land on a frame of the capture. Captures have flicks: a hand, a knee or a toe leaves its path
// for a frame or two. If a transition lands on such a frame, both bends add up visibly.
#include "method/match.h"

#include "data/format.h"

#include <string.h>

static void joint_places(const am_db *db, am_vec3 *out, int frame)
{
    am_transform local[AM_MAX_JOINTS];
    am_transform world[AM_MAX_JOINTS];
    am_db_pose(db, frame, local);
    local[0] = am_transform_mul(ami_db_root(db, frame), local[0]);
    am_fk(world, local, db->skeleton->parents, db->joint_count);
    for (int j = 0; j < db->joint_count; j++) {
        out[j] = world[j].translation;
    }
}

/// The largest squared second difference of any joint over three frames.
static float largest_bend(const am_db *db, const am_vec3 *now, const am_vec3 *last, const am_vec3 *before)
{
    float largest = 0.0f;
    for (int j = 0; j < db->joint_count; j++) {
        am_vec3 bend = am_v3_sub(am_v3_sub(now[j], last[j]), am_v3_sub(last[j], before[j]));
        largest = am_max(largest, am_v3_length2(bend));
    }
    return largest;
}

float ami_roughness(const am_db *db, int frame)
{
    const float *known = db->own ? db->own->derived.roughness : NULL;
    if (known) {
        return known[frame];
    }
    am_vec3 places[3][AM_MAX_JOINTS];
    float largest = 0.0f;
    for (int f = 0; f < 4; f++) {
        am_vec3 *now = places[f % 3];
        joint_places(db, now, ami_db_clamp(db, frame, f));
        const am_vec3 *last = places[(f + 2) % 3];
        const am_vec3 *before = places[(f + 1) % 3];
        largest = f > 1 ? am_max(largest, largest_bend(db, now, last, before)) : largest;
    }
    return sqrtf(largest);
}

void ami_roughness_range(const am_db *db, float *out, const am_db_range *range)
{
    // Squared second differences that end at the last two frames; beyond the range's end its last frame stays.
    am_vec3 places[3][AM_MAX_JOINTS];
    float before = 0.0f;
    int last = range->stop - 1;
    for (int f = range->start; f <= last + 3; f++) {
        if (f <= last) {
            joint_places(db, places[f % 3], f);
        } else {
            memcpy(places[f % 3], places[(f + 2) % 3], sizeof places[0]);
        }
        float bend =
            f > range->start + 1 ? largest_bend(db, places[f % 3], places[(f + 2) % 3], places[(f + 1) % 3]) : 0.0f;
        if (f > range->start + 2) {
            out[f - 3] = sqrtf(am_max(before, bend));
        }
        before = bend;
    }
}

// Coverage: how often a database moves at each speed, in each direction, with each turn.
#include <amble/tools/report.h>

#include "data/database.h"

#include <string.h>

// About half a walking step, so that the sway of the hips within a step does not count as turning.
#define WINDOW_S 0.25f
#define MOVING_MPS 0.25f

typedef struct moment {
    float speed; ///< m/s
    float turn;  ///< rad/s, positive to the left
    float way;   ///< direction of movement against the facing, radians, positive to the left
} moment;

static moment measure(const am_db *db, int frame, int half)
{
    int a = ami_db_clamp(db, frame, -half);
    int b = ami_db_clamp(db, frame, half);
    float seconds = b > a ? (float)(b - a) / db->fps : 1.0f;
    am_vec3 step = am_v3_sub(db->root_positions[b], db->root_positions[a]);
    am_vec3 local = am_quat_unrotate(db->root_rotations[frame], step);
    float heading = am_quat_heading(db->root_rotations[b]) - am_quat_heading(db->root_rotations[a]);
    moment m = { am_v3_length(step) / seconds, am_wrap_angle(heading) / seconds, am_atan2(local.x, local.z) };
    return m;
}

static int clamp_bin(float at, int count)
{
    int bin = (int)floorf(at);
    return bin < 0 ? 0 : bin >= count ? count - 1 : bin;
}

void am_coverage_measure(am_coverage *out, const am_db *db)
{
    memset(out, 0, sizeof *out);
    int half = (int)(WINDOW_S * 0.5f * db->fps + 0.5f);
    half = half < 1 ? 1 : half;
    for (int f = 0; f < db->frame_count; f++) {
        moment m = measure(db, f, half);
        int speed = clamp_bin(m.speed / 0.5f, AM_SPEED_BINS);
        int turn = clamp_bin((m.turn / AM_DEG + 270.0f) / 60.0f, AM_TURN_BINS);
        int way = (int)floorf((m.way / AM_DEG + 22.5f + 360.0f) / 45.0f) % AM_WAY_BINS;
        out->total++;
        out->speed[speed]++;
        out->turn[turn]++;
        out->speed_turn[speed][turn]++;
        if (m.speed >= MOVING_MPS) {
            out->speed_way[speed][way]++;
            out->cells[speed][way][turn]++;
        }
    }
}

// What a database can do on a path: its own speeds and accelerations, as percentiles of the frames that move.
#include <amble/actor.h>

#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"
#include "actor/intent.h"
#include "actor/path_def.h"
#include "data/facts.h"

enum { most_samples = 16384 };

// Half of the time over which a movement is judged: a step of a walk takes half a second.
#define HALF_S 0.2f
// Slower frames count as standing.
#define MOVING_MPS 0.3f
// A dance step is sharper than any path that could be walked: m/s^2.
#define MOST_ACROSS 4.0f
#define MOST_ALONG 3.0f

typedef struct samples {
    float *speed, *lateral, *faster, *slower; ///< [most_samples] each
    int moving, faster_count, slower_count;
} samples;

/// Speed and accelerations about one frame.
static void take_frame(samples *s, const am_db *db, int frame, int half)
{
    am_vec3 before = db->root_positions[frame - half];
    am_vec3 now = db->root_positions[frame];
    am_vec3 after = db->root_positions[frame + half];
    float rate = db->fps / (float)half;
    am_vec3 v = am_v3_ground(am_v3_scale(am_v3_sub(after, before), 0.5f * rate));
    am_vec3 bend = am_v3_add(am_v3_sub(after, now), am_v3_sub(before, now));
    am_vec3 a = am_v3_ground(am_v3_scale(bend, rate * rate));
    float speed = am_v3_length(v);
    if (!(speed > MOVING_MPS) || !(am_v3_length(a) * 0.0f == 0.0f)) {
        return;
    }
    float along = am_v3_dot(a, v) / speed;
    s->speed[s->moving] = speed;
    s->lateral[s->moving++] = am_abs(a.x * v.z - a.z * v.x) / speed;
    if (along > 0.0f) {
        s->faster[s->faster_count++] = along;
    } else {
        s->slower[s->slower_count++] = -along;
    }
}

static float percentile(float *values, int count, float share, float fallback)
{
    ami_sort_floats(values, count);
    return count > 0 ? ami_quantile(values, count, share) : fallback;
}

am_result ami_path_limits_of(ami_path_limits *out, const am_db *db, const am_alloc *allocator, am_error *err)
{
    if (db->facts) {
        const am_facts *f = db->facts;
        *out = (ami_path_limits){ f->v_max, f->v_least, f->v_run, f->lateral, f->faster_mps2, f->slower_mps2 };
        return AM_OK;
    }
    am_alloc alloc = ami_alloc_or_default(allocator);
    size_t size = 4 * (size_t)most_samples * sizeof(float);
    float *room = ami_alloc_zero(&alloc, size);
    if (!room) {
        return ami_fail_memory(err, size);
    }
    samples s = { room, room + most_samples, room + 2 * most_samples, room + 3 * most_samples, 0, 0, 0 };
    int half = (int)(am_max(HALF_S * db->fps, 1.0f) + 0.5f);
    int stride = (db->frame_count + most_samples - 1) / most_samples;
    for (int r = 0; r < db->range_count; r++) {
        for (int f = db->ranges[r].start + half; f + half < db->ranges[r].stop; f++) {
            if (f % stride == 0) {
                take_frame(&s, db, f, half);
            }
        }
    }
    // Typical values of people, for a set that hardly moves.
    out->v_max = am_max(percentile(s.speed, s.moving, 0.98f, 1.5f), 0.5f);
    out->v_least = am_clamp(percentile(s.speed, s.moving, 0.2f, 0.5f), 0.4f, 0.65f);
    out->v_run = am_min(ami_intent_def_of(db).sprint_mps, out->v_max);
    out->lateral = am_clamp(percentile(s.lateral, s.moving, 0.99f, 1.0f), 0.5f, MOST_ACROSS);
    out->faster_mps2 = am_clamp(percentile(s.faster, s.faster_count, 0.99f, 1.0f), 0.5f, MOST_ALONG);
    out->slower_mps2 = am_clamp(percentile(s.slower, s.slower_count, 0.99f, 1.0f), 0.5f, MOST_ALONG);
    ami_release(&alloc, room, size);
    return AM_OK;
}

// Response times, found on the track of the hips: turns, starts and stops.
#include <amble/tools/metrics.h>

am_response_def am_response_def_default(void)
{
    am_response_def def = { .window_s = 0.2f,
                            .tolerance_rad = 15.0f * AM_DEG,
                            .stay_s = 0.3f,
                            .least_turn_rad = 20.0f * AM_DEG,
                            .least_mps = 0.05f,
                            .still_mps = 0.1f,
                            .cookie = AM_COOKIE };
    return def;
}

/// What one search through a track needs.
typedef struct judge {
    const am_track *track;
    const am_vec3 *targets;
    const am_response_def *def;
    int window, stay; ///< frames
} judge;

static int frames_of(float seconds, float dt)
{
    int frames = (int)(seconds / dt + 0.5f);
    return frames > 1 ? frames : 1;
}

/// Velocity on the ground over the window that ends at frame f.
static am_vec3 movement(const judge *j, int f)
{
    int from = f > j->window ? f - j->window : 0;
    if (from == f) {
        return am_v3_zero();
    }
    am_vec3 way = am_v3_ground(am_v3_sub(j->track->places[f], j->track->places[from]));
    return am_v3_scale(way, 1.0f / ((float)(f - from) * j->track->dt));
}

static float angle_between(am_vec3 a, am_vec3 b)
{
    return am_abs(am_wrap_angle(am_atan2(a.x, a.z) - am_atan2(b.x, b.z)));
}

static bool is_target(const judge *j, am_vec3 target)
{
    return am_v3_length(am_v3_ground(target)) > j->def->least_mps;
}

static bool answers(const judge *j, int f, bool stop)
{
    am_vec3 velocity = movement(j, f);
    float speed = am_v3_length(velocity);
    if (stop) {
        return speed < j->def->still_mps;
    }
    return speed >= j->def->still_mps && angle_between(velocity, j->targets[f]) <= j->def->tolerance_rad;
}

/// Seconds from frame `first` until the response begins and lasts; the target is held until before `next`.
static float wait_for(const judge *j, int first, int next, bool stop)
{
    int run = 0;
    for (int f = first; f < next; f++) {
        run = answers(j, f, stop) ? run + 1 : 0;
        if (run > j->stay) {
            // The target of frame f led from place f - 1 to place f: at that place no time has passed yet.
            return (float)(f - j->stay - first + 1) * j->track->dt;
        }
    }
    return INFINITY;
}

static bool changes(const judge *j, am_vec3 was, am_vec3 is, float *turn)
{
    *turn = 0.0f;
    if (is_target(j, was) != is_target(j, is)) {
        return true;
    }
    if (!is_target(j, is)) {
        return false;
    }
    *turn = angle_between(was, is);
    return *turn >= j->def->least_turn_rad;
}

static am_response judge_one(const judge *j, int at, int next, float turn)
{
    bool stop = !is_target(j, j->targets[at]);
    am_response response = {
        .kind = stop          ? AM_RESPONSE_STOP
                : turn > 0.0f ? AM_RESPONSE_TURN
                              : AM_RESPONSE_START,
        .t = (float)at * j->track->dt,
        .turn_rad = turn,
        .speed_mps = am_v3_length(movement(j, at > 0 ? at - 1 : 0)),
        .seconds = wait_for(j, at, next, stop),
    };
    return response;
}

int am_responses_find(am_response *out, int capacity, const am_track *track, const am_vec3 *targets,
                      const am_response_def *def)
{
    judge j = { track, targets, def, frames_of(def->window_s, track->dt), frames_of(def->stay_s, track->dt) };
    int count = 0;
    int at = -1; // the change that is being judged
    float turn = 0.0f;
    am_vec3 was = track->count > 0 ? targets[0] : am_v3_zero();
    for (int f = 1; f <= track->count; f++) {
        float next_turn = 0.0f;
        bool over = f == track->count;
        if (!over && !changes(&j, was, targets[f], &next_turn)) {
            continue;
        }
        if (at >= 0 && count++ < capacity) {
            out[count - 1] = judge_one(&j, at, f, turn);
        }
        at = f;
        turn = next_turn;
        was = over ? was : targets[f];
    }
    return count;
}

double am_direction_error(const am_track *track, const am_vec3 *targets, float settle_s, const am_response_def *def)
{
    judge j = { track, targets, def, frames_of(def->window_s, track->dt), frames_of(def->stay_s, track->dt) };
    int settle = frames_of(settle_s, track->dt);
    int since = settle;
    int64_t count = 0;
    double sum = 0.0;
    for (int f = 1; f < track->count; f++) {
        float turn;
        // Any change counts, not only those that call for a response.
        bool changed = changes(&j, targets[f - 1], targets[f], &turn) || turn > 1e-3f;
        since = changed ? 0 : since + 1;
        am_vec3 velocity = movement(&j, f);
        if (since >= settle && is_target(&j, targets[f]) && am_v3_length(velocity) >= def->still_mps) {
            sum += (double)angle_between(velocity, targets[f]);
            count++;
        }
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

float am_responses_median(const am_response *responses, int count, am_response_kind kind, float low, float high)
{
    // The middle one by counting: lists are short, and a copy would need memory. Infinite ones count as the longest.
    int chosen = 0;
    for (int i = 0; i < count; i++) {
        chosen += responses[i].kind == kind && responses[i].turn_rad >= low && responses[i].turn_rad <= high;
    }
    for (int i = 0; i < count; i++) {
        const am_response *r = &responses[i];
        int below = 0;
        int equal = 0;
        for (int k = 0; k < count && r->kind == kind; k++) {
            const am_response *other = &responses[k];
            if (other->kind == kind && other->turn_rad >= low && other->turn_rad <= high) {
                below += other->seconds < r->seconds;
                equal += other->seconds == r->seconds;
            }
        }
        // Of an even number the later of the two in the middle: no mean with an infinite one.
        bool inside = r->kind == kind && r->turn_rad >= low && r->turn_rad <= high;
        if (inside && below <= chosen / 2 && chosen / 2 < below + equal) {
            return r->seconds;
        }
    }
    return NAN;
}

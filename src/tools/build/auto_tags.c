// Finds automatic tags from speeds, heights and contacts of one stretch. Wind-ups, landings and crouched starts are
// phases of other activities: a walk that is looked for by features alone would enter through them.
#include <amble/tools/tags.h>

#include <amble/tools/clip.h>

// Speeds are taken over this time, about half a walking step, so that the sway within a step does not flicker.
#define WINDOW_S 0.25f
#define IDLE_MPS 0.25f
#define RUN_MPS 2.0f // where people change from walking to running (Froude number about 0.5)
#define IDLE_RADPS (30.0f * AM_DEG)
#define TURN_RADPS (60.0f * AM_DEG)
#define CREEP_RATIO 0.9f // of the hips' height in upright walks; 95 % of CMU locomotion lies above 0.95
#define FLIGHT_S 0.2f    // both toes of a running step are this high for 0.15 s at most
#define FLIGHT_M 0.04f   // contacts alone are not enough: a fast foot strike may have none
#define AROUND_S 0.2f    // take-off and landing belong to the jump
// A wind-up, a landing: the hips sink below LOW of their upright height; they begin and end at RISEN.
#define LOW_RATIO 0.93f
#define RISEN_RATIO 0.97f
#define SINK_S 0.5f   // between the lowest hips and the flight, at most
#define PHASE_S 1.2f  // longest wind-up or landing
#define SLOW_MPS 1.5f // captured runs sink as low

static uint64_t bit(am_auto_tag tag) { return (uint64_t)1 << tag; }

static void tag_speeds(uint64_t *tags, const am_auto_tag_input *in)
{
    int half = (int)(WINDOW_S * 0.5f * in->fps + 0.5f);
    half = half < 1 ? 1 : half;
    for (int f = 0; f < in->frame_count; f++) {
        int a = f - half < 0 ? 0 : f - half;
        int b = f + half >= in->frame_count ? in->frame_count - 1 : f + half;
        float seconds = b > a ? (float)(b - a) / in->fps : 1.0f;
        float speed = am_v3_distance(in->root_positions[a], in->root_positions[b]) / seconds;
        float turn = am_quat_angle(in->root_rotations[a], in->root_rotations[b]) / seconds;
        if (speed < SLOW_MPS && in->hip_heights[f] < LOW_RATIO * in->upright_m) {
            tags[f] |= bit(AM_TAG_WINDUP);
        }
        if (speed >= RUN_MPS) {
            tags[f] |= bit(AM_TAG_RUN);
        } else if (speed >= IDLE_MPS) {
            tags[f] |= bit(AM_TAG_WALK);
        } else if (turn < IDLE_RADPS) {
            tags[f] |= bit(AM_TAG_IDLE);
        }
        if (turn >= TURN_RADPS) {
            tags[f] |= bit(AM_TAG_TURN);
        }
        if (in->hip_heights[f] < CREEP_RATIO * in->upright_m) {
            tags[f] |= bit(AM_TAG_CREEP);
        }
    }
}

/// The end of a wind-up (step -1, from its take-off) or of a landing (step 1, from its touch-down): where the hips
/// are up again after their lowest point. `at` itself where they do not sink.
static int phase_end(const am_auto_tag_input *in, int at, int step)
{
    int lowest = at;
    int f = at;
    for (int i = 0; i < (int)(SINK_S * in->fps) && f >= 0 && f < in->frame_count; i++, f += step) {
        lowest = in->hip_heights[f] < in->hip_heights[lowest] ? f : lowest;
    }
    if (!(in->hip_heights[lowest] < LOW_RATIO * in->upright_m)) {
        return at;
    }
    int most = (int)(PHASE_S * in->fps);
    f = lowest;
    while (f + step >= 0 && f + step < in->frame_count && (f - at) * step < most &&
           in->hip_heights[f] < RISEN_RATIO * in->upright_m) {
        f += step;
    }
    return f;
}

/// The way into and out of a low stretch belongs to it.
static void widen_windups(uint64_t *tags, const am_auto_tag_input *in)
{
    int most = (int)(PHASE_S * in->fps);
    for (int step = -1; step <= 1; step += 2) {
        int since = most;
        for (int i = 0; i < in->frame_count; i++) {
            int f = step > 0 ? i : in->frame_count - 1 - i;
            bool low = in->hip_heights[f] < LOW_RATIO * in->upright_m && (tags[f] & bit(AM_TAG_WINDUP)) != 0;
            bool risen = !(in->hip_heights[f] < RISEN_RATIO * in->upright_m) || (tags[f] & bit(AM_TAG_RUN)) != 0;
            since = low ? 0 : risen ? most : since + 1;
            tags[f] |= since < most ? bit(AM_TAG_WINDUP) : 0;
        }
    }
}

static bool flies(const am_auto_tag_input *in, int frame)
{
    return !in->contacts[frame] && in->toe_heights[frame] >= FLIGHT_M;
}

/// Sets a tag in frames first .. stop - 1, as far as there are any.
static void mark(uint64_t *tags, const am_auto_tag_input *in, am_auto_tag tag, int first, int stop)
{
    for (int i = first < 0 ? 0 : first; i < stop && i < in->frame_count; i++) {
        tags[i] |= bit(tag);
    }
}

static void tag_jumps(uint64_t *tags, const am_auto_tag_input *in)
{
    int around = (int)(AROUND_S * in->fps + 0.5f);
    int f = 0;
    while (f < in->frame_count) {
        int first = f;
        while (f < in->frame_count && flies(in, f)) {
            f++;
        }
        if ((float)(f - first) >= FLIGHT_S * in->fps) {
            int a = phase_end(in, first, -1);
            int b = phase_end(in, f - 1, 1) + 1;
            a = a < first - around ? a : first - around;
            b = b > f + around ? b : f + around;
            mark(tags, in, AM_TAG_JUMP, a, b);
        }
        f += f == first;
    }
}

void am_auto_tags(uint64_t *tags, const am_auto_tag_input *input)
{
    tag_speeds(tags, input);
    widen_windups(tags, input);
    if (input->contacts) {
        tag_jumps(tags, input);
    }
}

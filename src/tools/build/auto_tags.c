// Finds automatic tags from speeds, heights and contacts of one stretch.
#include <amble/tools/tags.h>

#include <amble/tools/clip.h>

// Speeds are taken over this time, about half a walking step, so that the sway within a step does not flicker.
#define WINDOW_S 0.25f
#define IDLE_MPS 0.25f
#define RUN_MPS 2.0f // where people change from walking to running (Froude number about 0.5)
#define IDLE_RADPS (30.0f * AM_DEG)
#define TURN_RADPS (60.0f * AM_DEG)
#define CREEP_RATIO 0.98f // hips height over thigh + shin; 95 % of CMU locomotion lies above 1.05
#define FLIGHT_S 0.2f     // both toes of a running step are this high for 0.15 s at most
#define FLIGHT_M 0.04f    // contacts alone are not enough: a fast foot strike may have none
#define AROUND_S 0.2f     // take-off and landing belong to the jump

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
        if (in->hip_heights[f] < CREEP_RATIO * in->leg_length) {
            tags[f] |= bit(AM_TAG_CREEP);
        }
    }
}

static bool flies(const am_auto_tag_input *in, int frame)
{
    return !in->contacts[frame] && in->toe_heights[frame] >= FLIGHT_M;
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
            int a = first - around < 0 ? 0 : first - around;
            int b = f + around > in->frame_count ? in->frame_count : f + around;
            for (int i = a; i < b; i++) {
                tags[i] |= bit(AM_TAG_JUMP);
            }
        }
        f += f == first;
    }
}

void am_auto_tags(uint64_t *tags, const am_auto_tag_input *input)
{
    tag_speeds(tags, input);
    if (input->contacts) {
        tag_jumps(tags, input);
    }
}

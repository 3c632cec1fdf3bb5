// Starts, stops, turns and jumps: does the body go through frames of another activity? Judged by motion alone: hips
// that drop as in a wind-up or a landing, feet that leave the ground at a walk, a trunk that leans and a speed as of
// a sprint.
#include "report/body.h"

#define JUDGED_S 1.0f ///< after the change
#define BEFORE_S 0.3f ///< the hips' height before it is their mean over this time
#define WALK_MPS 2.0f ///< below this there is no flight
#define FLIGHT_S 0.1f ///< shorter ones are steps of uneven height
#define JUMP_S 0.12f  ///< shorter flights are no jump
#define JUMP_WITHIN_S 2.0f
#define AFTER_JUMP_S 0.8f
#define WIND_UP 0.05f   ///< legs that the hips sink before a jump, at least
#define HALT_SHARE 0.3f ///< slower than this part of the target is a halt
// Legs that the hips may drop by, and how far (degrees) the trunk may lean, walking and running. Of 90 captured
// starts of the CMU locomotion set at a walk 99 % stay within 0.128, and 95 % within 16 degrees; jumps sink by 0.18
// and more.
#define DROP_WALK 0.13f
#define DROP_RUN 0.2f
#define LEAN_WALK_DEG 25.0f
#define LEAN_RUN_DEG 50.0f
// A body may be faster than asked by this part and this much: steps are not even.
#define LUNGE_SHARE 1.5f
#define LUNGE_MPS 0.5f
// Speed that the hips may gain in 0.2 s. In 32 minutes of captured locomotion 999 of 1000 frames gain less than 0.85
// m/s, and the quickest start of a run 1.6.
#define GAIN_WALK_MPS 1.0f
#define GAIN_RUN_MPS 1.7f
#define GAIN_S 0.2f

static float hip_height(const am_motion *m, int frame)
{
    return 0.5f * (ami_point(m, frame, AM_POINT_LEFT_THIGH).y + ami_point(m, frame, AM_POINT_RIGHT_THIGH).y);
}

static float mean_height(const am_motion *m, int first, int last)
{
    float sum = 0.0f;
    for (int f = first; f <= last; f++) {
        sum += hip_height(m, f);
    }
    return last >= first ? sum / (float)(last - first + 1) : 0.0f;
}

/// Height of the hips before a frame.
static float height_before(const am_motion *m, int frame)
{
    int first = frame - ami_frames(m, BEFORE_S);
    return mean_height(m, first < 0 ? 0 : first, frame);
}

/// The first frame of a flight of at least `seconds` in first..last, or -1; *end is the frame after it.
static int find_flight(const am_motion *m, int first, int last, float seconds, int *end)
{
    int run = 0;
    for (int f = first; f <= last; f++) {
        run = ami_in_flight(m, f) ? run + 1 : 0;
        if (run >= ami_frames(m, seconds)) {
            int begin = f - run + 1;
            while (f < m->frames && ami_in_flight(m, f)) {
                f++;
            }
            *end = f;
            return begin;
        }
    }
    return -1;
}

/// What the speed of the hips gains around a frame.
static float gain(const am_motion *m, int frame)
{
    int half = ami_frames(m, 0.5f * GAIN_S);
    int from = frame - half < 0 ? 0 : frame - half;
    int to = frame + half >= m->frames ? m->frames - 1 : frame + half;
    return am_v3_length(ami_point_velocity(m, to, AM_POINT_HIPS, 0.1f)) -
           am_v3_length(ami_point_velocity(m, from, AM_POINT_HIPS, 0.1f));
}

uint32_t am_moment_check(const am_motion *m, const am_moment *moment)
{
    int first = ami_frame_at(m, moment->t);
    int last = ami_frame_at(m, am_min(moment->t + JUDGED_S, moment->until_s));
    // A runner who is asked to walk still runs for a while.
    float speed = am_max(moment->speed_mps, ami_speed(m, first));
    bool walks = speed < WALK_MPS;
    float before = height_before(m, first);
    uint32_t odd = 0;
    for (int f = first; f <= last; f++) {
        float drop = (before - hip_height(m, f)) / m->body.leg_m;
        odd |= drop > (walks ? DROP_WALK : DROP_RUN) ? AM_ODD_CROUCH : 0u;
        odd |= ami_trunk_lean(m, f) / AM_DEG > (walks ? LEAN_WALK_DEG : LEAN_RUN_DEG) ? AM_ODD_LEAN : 0u;
        odd |= ami_speed(m, f) > LUNGE_SHARE * speed + LUNGE_MPS ? AM_ODD_LUNGE : 0u;
        odd |= gain(m, f) > (walks ? GAIN_WALK_MPS : GAIN_RUN_MPS) ? AM_ODD_LUNGE : 0u;
    }
    int end = 0;
    odd |= walks && find_flight(m, first, last, FLIGHT_S, &end) >= 0 ? AM_ODD_FLIGHT : 0u;
    return odd;
}

uint32_t am_jump_check(const am_motion *m, const am_moment *moment)
{
    int first = ami_frame_at(m, moment->t);
    int land = 0;
    int flight = find_flight(m, first, ami_frame_at(m, moment->t + JUMP_WITHIN_S), JUMP_S, &land);
    if (flight < 0) {
        return AM_ODD_NO_FLIGHT;
    }
    float before = height_before(m, first);
    float lowest = before;
    for (int f = first; f < flight; f++) {
        lowest = am_min(lowest, hip_height(m, f));
    }
    uint32_t odd = before - lowest < WIND_UP * m->body.leg_m ? AM_ODD_NO_WIND_UP : 0u;
    int last = land + ami_frames(m, AFTER_JUMP_S);
    bool moves_on = moment->speed_mps > AMI_MOVE_MPS && ami_frame_at(m, moment->until_s) >= last;
    for (int f = land; moves_on && f <= last && f < m->frames; f++) {
        odd |= ami_speed(m, f) < HALT_SHARE * moment->speed_mps ? AM_ODD_HALT : 0u;
    }
    return odd;
}

const char *am_odd_name(uint32_t odd)
{
    static const char *const names[] = { "crouch", "flight", "lunge", "lean", "no flight", "no wind-up", "halt" };
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        if ((odd >> i & 1) != 0) {
            return names[i];
        }
    }
    return NULL;
}

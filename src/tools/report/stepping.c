// Steps: feet that land in turn, as far from one another as captured ones do at that speed, and never glide.
#include "report/body.h"

#include "data/filter.h"

#define NEW_PLACE_M 0.06f ///< a landing is not where the foot stood before
#define LIFT_M 0.015f     ///< nor reached without leaving the ground
#define STRIDE_S 1.2f     ///< landings further apart are no stride
#define GLIDE_S 0.15f
enum { fewest_steps = 20, most_ratios = 1024 };

int ami_walker_step(ami_walker *w, const am_motion *m, int frame)
{
    int needed = ami_frames(m, AMI_PLANTED_S);
    bool planted[2] = { ami_foot_planted(m, frame, 0), ami_foot_planted(m, frame, 1) };
    bool lands[2] = { false, false };
    for (int side = 0; side < 2; side++) {
        if (!planted[side]) {
            bool begins = w->planted[side] > 0;
            w->swing[side] = begins ? 1 : w->swing[side] + 1;
            w->supported[side] = (begins ? 0 : w->supported[side]) + planted[1 - side];
            w->planted[side] = 0;
            w->lift[side] = am_max(w->lift[side], ami_foot_height(m, frame, side));
        } else if (++w->planted[side] == needed) {
            am_vec3 place = am_v3_ground(ami_point(m, frame, AM_POINT_LEFT_ANKLE + side));
            bool moved = am_v3_distance(place, w->place[side]) > NEW_PLACE_M;
            lands[side] = !w->landed[side] || (moved && w->lift[side] > LIFT_M);
            w->place[side] = place;
            w->landed[side] = true;
            w->lift[side] = 0.0f;
        }
    }
    return lands[0] && lands[1] ? 2 : lands[0] ? 0 : lands[1] ? 1 : -1;
}

int ami_step_bin(float speed_mps)
{
    int bin = (int)((speed_mps - AMI_MOVE_MPS) / AM_STEP_BIN_MPS);
    return speed_mps < AMI_MOVE_MPS ? -1 : bin < AM_STEP_BINS ? bin : AM_STEP_BINS - 1;
}

void ami_steps_walk(const am_motion *m, ami_step_hook hook, void *user)
{
    ami_walker walker = { 0 };
    int last_side = -1;
    int last_frame = -1;
    for (int f = 0; f < m->frames; f++) {
        int landed = ami_walker_step(&walker, m, f);
        if (landed < 0) {
            continue;
        }
        float speed = ami_speed(m, f);
        bool stride = last_frame >= 0 && f - last_frame <= ami_frames(m, STRIDE_S);
        if (landed < 2 && stride && speed > AMI_MOVE_MPS) {
            ami_step step = { landed, last_side == landed, am_v3_distance(walker.place[0], walker.place[1]), speed };
            hook(user, &step);
        }
        last_side = landed;
        last_frame = f;
    }
}

/// What the steps of one motion add up to.
typedef struct judge {
    am_stepping *out;
    const am_step_limits *limits;
    float leg_m;
    float ratios[most_ratios];
    int ratio_count;
} judge;

static void judge_step(void *user, const ami_step *step)
{
    judge *j = user;
    j->out->steps++;
    j->out->steps_repeated += step->repeated;
    int bin = ami_step_bin(step->speed_mps);
    if (step->repeated || !j->limits || bin < 0 || j->limits[bin].count < fewest_steps) {
        return;
    }
    const am_step_limits *usual = &j->limits[bin];
    float length = step->length_m / j->leg_m;
    j->out->steps_odd += length < usual->low || length > usual->high;
    if (j->ratio_count < most_ratios && usual->median > 0.0f) {
        j->ratios[j->ratio_count++] = length / usual->median;
    }
}

/// On the ground and moving, but on no planted foot.
static bool glides(const am_motion *m, int frame)
{
    return ami_speed(m, frame) > AMI_MOVE_MPS && !ami_in_flight(m, frame) && !ami_foot_planted(m, frame, 0) &&
           !ami_foot_planted(m, frame, 1);
}

static void find_glides(am_stepping *out, const am_motion *m)
{
    int run = 0;
    for (int f = 0; f <= m->frames; f++) {
        if (f < m->frames && glides(m, f)) {
            run++;
            continue;
        }
        float seconds = (float)run / m->fps;
        out->glides += seconds > GLIDE_S;
        out->glide_s = am_max(out->glide_s, seconds);
        run = 0;
    }
}

am_stepping am_stepping_measure(const am_motion *m, const am_step_limits *limits)
{
    am_stepping out = { .step_ratio = NAN };
    judge j = { .out = &out, .limits = limits, .leg_m = m->body.leg_m };
    ami_steps_walk(m, judge_step, &j);
    find_glides(&out, m);
    if (j.ratio_count > 0) {
        ami_sort_floats(j.ratios, j.ratio_count);
        out.step_ratio = ami_quantile(j.ratios, j.ratio_count, 0.5f);
    }
    return out;
}

// The pelvis rides on the footsteps. In walks it is an inverted pendulum, high over the standing leg and low
// between the steps; in runs a spring in stance and free fall in flight, with gravity's own acceleration. Sway,
// turn and list are locked to the steps, and so are the arms.
#include "synth/synth.h"

#define STAND_M (BODY_ANKLE_M + 0.992f * BODY_LEG_M + BODY_HIP_DROP_M)
#define CROUCH_M 0.22f // the hips give up when fully crouched
#define SEAT_M 0.560f  // hips over the floor when sitting: a stool of 46 cm
#define STRIDE_BACK_M 0.39f

/// Shared state of the functions here.
typedef struct build {
    synth_tracks *tracks;
    const synth_plan *plan;
    const synth_path *path;
    const synth_steps *steps;
    am_rng *rng;
    float *drop; ///< [step] what the height after it gives up for the legs to reach
    bool failed;
} build;

static void knot(build *b, synth_track *track, double t, float x, float v, float a)
{
    if (!ami_synth_knot(b->plan->arena, track, t, x, v, a)) {
        b->failed = true;
    }
}

static void rest_knot(build *b, synth_track *track, double t, float x) { knot(b, track, t, x, 0.0f, 0.0f); }

// ---------------------------------------------------------------------------------------------
// Locked to the steps

/// Signs and sizes of one step's swings.
typedef struct swings {
    float sway, yaw, list, arms;
} swings;

static swings swings_of(const synth_step *step)
{
    const synth_state *s = &step->state;
    float run = step->gait.run, pace = am_clamp(s->forward / 1.3f, -1.0f, 1.0f);
    float side = step->foot == LEFT ? -1.0f : 1.0f; // the left foot swings: weight to the right
    float aside = am_min(am_abs(s->left), 1.0f), busy = am_min(s->speed + 0.5f * am_abs(s->turn), 1.0f);
    swings w;
    w.sway = am_lerp(am_lerp(0.030f, 0.019f, ami_synth_step(0.3f, 1.4f, s->speed)), 0.008f, run);
    w.sway = side * (w.sway + 0.012f * s->crouch) * (1.0f - 0.7f * aside);
    w.yaw = side * pace * am_lerp(5.0f, 7.5f, run) * AM_DEG;
    w.list = side * am_lerp(1.2f, am_lerp(3.8f, 4.5f, run), busy) * AM_DEG;
    float swing = am_lerp(18.0f * pace, 24.0f + 3.2f * s->speed, run);
    swing *= (s->forward < 0.0f ? 0.6f : 1.0f) * (1.0f - 0.5f * s->crouch);
    // Sideways and on the spot they only give with the shift of weight.
    w.arms = side * (swing + 4.0f * am_min(aside + 0.5f * am_abs(s->turn), 1.0f)) * AM_DEG;
    return w;
}

static void quiet(build *b, double t)
{
    synth_tracks *k = b->tracks;
    synth_track *const all[] = { &k->sway, &k->yaw, &k->list, &k->arms };
    for (int i = 0; i < 4; i++) {
        rest_knot(b, all[i], t, 0.0f);
    }
}

/// Steps first..last of one stretch; `before` and `after` are the seconds of standing around it.
static void stepping(build *b, int first, int last, double before, double after)
{
    synth_tracks *k = b->tracks;
    const synth_step *steps = b->steps->steps;
    double begin = steps[first].lift - (before < 0.7 ? 0.5 * before : 0.35);
    double end = steps[last].down + (after < 0.8 ? 0.45 * after : 0.4);
    quiet(b, begin);
    rest_knot(b, &k->active, begin, 0.0f);
    rest_knot(b, &k->active, steps[first].lift + 0.3, 1.0f);
    for (int i = first; i <= last; i++) {
        swings w = swings_of(&steps[i]);
        double swing = steps[i].down - steps[i].lift;
        rest_knot(b, &k->sway, steps[i].lift + 0.5 * swing, w.sway);
        rest_knot(b, &k->list, steps[i].lift + 0.35 * swing, w.list);
        // About when the foot lands; not at the landing itself, whose rhythm stumbles between walk and run.
        double reach = steps[i].lift + 0.43 / (double)steps[i].gait.frequency;
        rest_knot(b, &k->yaw, reach - 0.03, w.yaw);
        rest_knot(b, &k->arms, reach, w.arms);
    }
    rest_knot(b, &k->active, steps[last].down - 0.1, 1.0f);
    rest_knot(b, &k->active, end, 0.0f);
    quiet(b, end);
}

/// Small shifts of weight while nothing else happens.
static void standing(build *b, double from, double to)
{
    float side = am_rng_below(b->rng, 2) ? 1.0f : -1.0f;
    double t = from + 1.0;
    while (t < to - 1.0 && !b->failed) {
        float size = am_rng_range(b->rng, 0.6f, 1.0f) * side;
        rest_knot(b, &b->tracks->sway, t, 0.030f * size);
        rest_knot(b, &b->tracks->list, t, 2.2f * AM_DEG * size);
        rest_knot(b, &b->tracks->yaw, t, 2.0f * AM_DEG * size);
        double hold = (double)am_rng_range(b->rng, 0.6f, 1.8f);
        rest_knot(b, &b->tracks->sway, t + hold, 0.028f * size);
        rest_knot(b, &b->tracks->list, t + hold, 2.0f * AM_DEG * size);
        rest_knot(b, &b->tracks->yaw, t + hold, 1.6f * AM_DEG * size);
        t += hold + (double)am_rng_range(b->rng, 1.0f, 1.6f);
        side = -side;
    }
    quiet(b, to - 0.4);
}

// ---------------------------------------------------------------------------------------------
// Jumping and sitting

static void jumping(build *b, const synth_act *what)
{
    synth_tracks *k = b->tracks;
    synth_jump jump = ami_synth_jump(what);
    double t = what->t, air = jump.down - jump.off;
    float far = what->distance > 0.0f ? 1.0f : 0.0f;
    quiet(b, t);
    const struct {
        synth_track *track;
        double t;
        float x;
    } table[] = {
        { &k->back, t, 0.0f },
        { &k->back, t + jump.low, 0.13f },
        { &k->back, t + jump.off, 0.01f },
        { &k->back, t + jump.down, 0.03f + 0.04f * far },
        { &k->back, t + jump.absorbed, 0.12f },
        { &k->back, t + jump.end, 0.0f },
        { &k->bend, t, 0.0f },
        { &k->bend, t + jump.low - 0.06, 40.0f * AM_DEG },
        { &k->bend, t + jump.off + 0.08, (2.0f + 8.0f * far) * AM_DEG },
        { &k->bend, t + jump.off + 0.6 * air, 5.0f * AM_DEG },
        { &k->bend, t + jump.down, 14.0f * AM_DEG },
        { &k->bend, t + jump.absorbed + 0.04, 38.0f * AM_DEG },
        { &k->bend, t + jump.end, 0.0f },
        { &k->both_arms, t + 0.05, 0.0f },
        { &k->both_arms, t + jump.low - 0.07, -45.0f * AM_DEG },
        { &k->both_arms, t + jump.off + 0.13, 115.0f * AM_DEG },
        { &k->both_arms, t + jump.off + 0.13 + 0.3 * air, 105.0f * AM_DEG },
        { &k->both_arms, t + jump.absorbed - 0.03, 22.0f * AM_DEG },
        { &k->both_arms, t + jump.end + 0.05, 0.0f },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        rest_knot(b, table[i].track, table[i].t, table[i].x);
    }
}

static void sitting(build *b, const synth_act *what)
{
    synth_tracks *k = b->tracks;
    double t = what->t, up = t + SYNTH_SIT_DOWN_S + (double)what->seconds, end = up + SYNTH_SIT_UP_S;
    quiet(b, t);
    const struct {
        synth_track *track;
        double t;
        float x;
    } table[] = {
        { &k->back, t + 0.10, 0.0f },
        { &k->back, t + 1.30, STRIDE_BACK_M },
        { &k->back, up + 0.15, STRIDE_BACK_M },
        { &k->back, up + 1.15, 0.0f },
        { &k->bend, t, 0.0f },
        { &k->bend, t + 0.80, 44.0f * AM_DEG },
        { &k->bend, t + 1.75, 1.0f * AM_DEG },
        { &k->bend, up - 0.35, 1.0f * AM_DEG },
        { &k->bend, up + 0.38, 46.0f * AM_DEG },
        { &k->bend, end, 0.0f },
        { &k->sit, t + 0.25, 0.0f },
        { &k->sit, t + 1.05, 1.0f },
        { &k->sit, up - 0.10, 1.0f },
        { &k->sit, up + 1.10, 0.0f },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        rest_knot(b, table[i].track, table[i].t, table[i].x);
    }
}

// ---------------------------------------------------------------------------------------------
// Where the pelvis is

static float base_height(const synth_state *s) { return STAND_M - CROUCH_M * s->crouch; }

/// Lean of the body into its acceleration as a scaled axis in the facing frame, 25 degrees at most.
static am_vec3 lean_axis(const synth_state *s)
{
    float sine, cosine;
    am_sincos(s->heading, &sine, &cosine);
    float forward = s->ax * sine + s->az * cosine, left = s->ax * cosine - s->az * sine;
    am_vec3 axis = am_v3_scale(am_v3(forward, 0.0f, -left), 0.75f / AM_SYNTH_GRAVITY);
    float angle = am_v3_length(axis), most = 25.0f * AM_DEG;
    return am_v3_scale(axis, 1.0f / sqrtf(1.0f + angle * angle / (most * most)));
}

synth_pelvis ami_synth_pelvis_at(const synth_path *path, const synth_tracks *tracks, double t, bool with_height)
{
    synth_state s = ami_synth_state(path, t);
    synth_gait gait = ami_synth_gait(&s);
    synth_pelvis p;
    p.facing = am_quat_from_heading(s.heading);
    am_vec3 lean = lean_axis(&s);
    p.lean = am_quat_from_scaled_axis(lean);
    am_vec3 off = am_v3(ami_synth_track_at(&tracks->sway, t), 0.0f, -ami_synth_track_at(&tracks->back, t));
    off.z -= 0.12f * s.crouch; // knees go forward, hips back
    off = am_quat_rotate(p.facing, off);
    p.position = am_v3((float)(s.x + (double)off.x), 0.0f, (float)(s.z + (double)off.z));
    if (with_height) {
        double at = t * SYNTH_RATE;
        int i = at <= 0.0 ? 0 : at >= path->count - 1 ? path->count - 2 : (int)at;
        float lower = am_lerp(tracks->lower[i], tracks->lower[i + 1], am_clamp((float)(at - i), 0.0f, 1.0f));
        p.position.y = base_height(&s) + ami_synth_track_at(&tracks->height, t) + lower;
    }
    float bend = ami_synth_track_at(&tracks->bend, t), sit = ami_synth_track_at(&tracks->sit, t);
    float tilt = (3.0f + 4.0f * gait.effort + 14.0f * s.crouch - 10.0f * sit) * AM_DEG + 0.45f * bend;
    am_quat turn =
        am_quat_from_euler("yzx", ami_synth_track_at(&tracks->yaw, t), ami_synth_track_at(&tracks->list, t), tilt);
    am_quat half = am_quat_from_scaled_axis(am_v3_scale(lean, 0.5f));
    p.rotation = am_quat_mul(p.facing, am_quat_mul(half, turn));
    return p;
}

/// Greatest height of the hips at which every foot on the floor is within `reach` of its hip joint.
static float reach_height(const build *b, double t, float reach)
{
    synth_pelvis p = ami_synth_pelvis_at(b->path, b->tracks, t, false);
    float highest = 2.0f;
    for (int foot = LEFT; foot <= RIGHT; foot++) {
        synth_foot f = ami_synth_foot_at(b->steps, foot, t);
        if (!f.ball_fixed && !f.heel_fixed) {
            continue;
        }
        float side = foot == LEFT ? BODY_HIP_SIDE_M : -BODY_HIP_SIDE_M;
        am_vec3 hip = am_quat_rotate(p.rotation, am_v3(side, -BODY_HIP_DROP_M, 0.0f));
        am_vec3 flat = am_v3_ground(am_v3_sub(am_v3_add(p.position, hip), f.ankle));
        // Where the hip approaches a landing foot or leaves a lifting one, the knee must not be at its limit, or it
        // would start or stop with a jerk.
        float most = f.reaching ? am_min(reach, 0.985f * BODY_LEG_M) : reach;
        float up = sqrtf(am_max(most * most - am_v3_length2(flat), 0.04f));
        highest = am_min(highest, f.ankle.y + up - hip.y);
    }
    return highest;
}

// ---------------------------------------------------------------------------------------------
// Height

/// Two knots around a flight, heights over the base, such that the way between is free fall.
static void flight(build *b, double off, double down, float top_off, float top_down)
{
    float seconds = (float)(down - off), g = AM_SYNTH_GRAVITY;
    float climb = am_clamp(top_down - top_off, -0.2f * seconds, 0.2f * seconds);
    float from = am_min(top_off, top_down - climb);
    float speed = climb / seconds + 0.5f * g * seconds;
    knot(b, &b->tracks->height, off, from, speed, -g);
    knot(b, &b->tracks->height, down, from + climb, speed - g * seconds, -g);
}

/// Height over the base at time t: `wanted`, or less where the legs do not reach.
static float reachable(const build *b, double t, float wanted, float reach)
{
    synth_state s = ami_synth_state(b->path, t);
    return am_min(wanted, reach_height(b, t, reach) - base_height(&s));
}

/// Rise and fall of a walk (half the whole way) and the acceleration at its ends.
typedef struct bounce {
    float half, pull;
} bounce;

static bounce bounce_of(const synth_step *step)
{
    bounce w;
    float pace = am_max(am_abs(step->state.forward), 0.5f * step->state.speed);
    w.half = (0.004f + 0.0125f * pace) * (1.0f - 0.4f * step->state.crouch);
    float omega = 4.0f * AM_PI * step->gait.frequency;
    w.pull = w.half * omega * omega;
    return w;
}

/// Highest the hips come in a walk: the faster, the more the standing knee stays bent.
static float walk_top(const synth_step *step)
{
    return -0.004f - 0.024f * ami_synth_step(0.4f, 1.5f, step->state.forward);
}

/// The knots between step i, which lands, and the next one, which lifts.
static void between_steps(build *b, int i)
{
    const synth_step *landing = &b->steps->steps[i], *lifting = landing + 1;
    if (landing->down > lifting->lift) {
        float wanted = -0.035f - 0.006f * am_max(landing->state.speed - 2.0f, 0.0f), drop = b->drop[i];
        float off = 0.982f - 0.003f * landing->state.speed; // the faster, the sooner the knee folds again
        // The stance between dips from these heights and must not need more; a landing knee is bent already.
        flight(b, lifting->lift, landing->down, reachable(b, lifting->lift, wanted, off * BODY_LEG_M) - drop,
               reachable(b, landing->down, wanted, 0.965f * BODY_LEG_M) - drop);
        return;
    }
    bounce w = bounce_of(landing);
    double t = 0.5 * (landing->down + lifting->lift);
    float wanted = walk_top(landing) - 2.0f * w.half;
    knot(b, &b->tracks->height, t, reachable(b, t, wanted, BODY_REACH_M) - b->drop[i], 0.0f, w.pull);
}

static void walk_height(build *b, int first, int last, double before, double after)
{
    const synth_step *steps = b->steps->steps;
    rest_knot(b, &b->tracks->height, steps[first].lift - (before < 0.6 ? 0.5 * before : 0.3), 0.0f);
    for (int i = first; i <= last; i++) {
        bool flying_in = i > first && steps[i - 1].down > steps[i].lift;
        bool flying_out = i < last && steps[i].down > steps[i + 1].lift;
        if (!flying_in && !flying_out) {
            bounce w = bounce_of(&steps[i]);
            double t = 0.5 * (steps[i].lift + steps[i].down);
            float high = reachable(b, t, walk_top(&steps[i]), BODY_REACH_M);
            knot(b, &b->tracks->height, t, high, 0.0f, i > first && i < last ? -w.pull : 0.0f);
        }
        if (i < last) {
            between_steps(b, i);
        }
    }
    rest_knot(b, &b->tracks->height, steps[last].down + (after < 0.7 ? 0.45 * after : 0.35), 0.0f);
}

static void jump_height(build *b, const synth_act *what)
{
    synth_track *height = &b->tracks->height;
    synth_jump jump = ami_synth_jump(what);
    double t = what->t;
    float off = reachable(b, t + jump.off, 0.2f, 0.945f * BODY_LEG_M);
    float top = am_min(off, reachable(b, t + jump.down, 0.2f, 0.945f * BODY_LEG_M));
    rest_knot(b, height, t, 0.0f);
    knot(b, height, t + jump.low, -0.27f, 0.0f, 14.0f);
    flight(b, t + jump.off, t + jump.down, top, top);
    knot(b, height, t + jump.absorbed, -0.24f, 0.0f, 10.0f);
    rest_knot(b, height, t + jump.end, 0.0f);
}

static void sit_height(build *b, const synth_act *what)
{
    synth_track *height = &b->tracks->height;
    double t = what->t, up = t + SYNTH_SIT_DOWN_S + (double)what->seconds;
    rest_knot(b, height, t + 0.20, 0.0f);
    rest_knot(b, height, t + 1.45, SEAT_M - STAND_M);
    rest_knot(b, height, up + 0.25, SEAT_M - STAND_M);
    rest_knot(b, height, up + SYNTH_SIT_UP_S, 0.0f);
}

/// Gives up height between the steps so that the stances around need no lowering of their own: one that reached
/// into a flight would bend the free fall.
static void drop_between(build *b, const float *need)
{
    for (int i = 0; i + 1 < b->steps->step_count; i++) {
        const synth_step *landing = &b->steps->steps[i];
        int middle = (int)(0.5 * (landing->down + landing[1].lift) * SYNTH_RATE);
        float most = 0.0f;
        for (int k = middle - SYNTH_RATE / 5; k <= middle + SYNTH_RATE / 5; k++) {
            float wants = k >= 0 && k < b->path->count ? -need[k] : 0.0f;
            most = am_max(most, wants);
        }
        b->drop[i] += most;
    }
}

/// How far each grid point's height is above what the standing legs reach, as a number of at most 0.
static void fill_need(build *b, float *need)
{
    for (int i = 0; i < b->path->count; i++) {
        double t = (double)i / SYNTH_RATE;
        synth_state s = ami_synth_state(b->path, t);
        float height = base_height(&s) + ami_synth_track_at(&b->tracks->height, t);
        need[i] = am_min(reach_height(b, t, BODY_REACH_M) - height, 0.0f);
    }
}

/// Fills tracks->lower: how far the hips must come down so that no standing leg is overstretched. A sliding
/// minimum widens each need by a tenth of a second, three boxes within that tenth smooth it: never too little.
static void fill_lower(build *b, const float *need, float *sums)
{
    enum { half = 8, wide = 3 * half };
    int count = b->path->count;
    float *lower = b->tracks->lower;
    for (int i = 0; i < count; i++) {
        lower[i] = 0.0f;
        for (int k = i > wide ? i - wide : 0; k <= i + wide && k < count; k++) {
            lower[i] = am_min(lower[i], need[k]);
        }
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < count; i++) {
            float sum = 0.0f;
            for (int k = i - half; k <= i + half; k++) {
                sum += lower[k < 0 ? 0 : k >= count ? count - 1 : k];
            }
            sums[i] = sum / (float)(2 * half + 1);
        }
        for (int i = 0; i < count; i++) {
            lower[i] = sums[i];
        }
    }
}

// ---------------------------------------------------------------------------------------------

/// Goes through stretches of stepping and acts in the order of time: once for all tracks but the height, once
/// for the height, which needs the others.
static void walk_through(build *b, bool heights)
{
    const synth_step *steps = b->steps->steps;
    int count = b->steps->step_count, acts = 0;
    double rested = 0.0;
    for (int i = 0; (i < count || acts < b->plan->act_count) && !b->failed;) {
        const synth_act *what = acts < b->plan->act_count ? &b->plan->acts[acts] : NULL;
        double lift = i < count ? steps[i].lift : 1e9;
        if (what && what->t < lift) {
            bool jump = what->kind == ACT_JUMP;
            if (heights) {
                (jump ? jump_height : sit_height)(b, what);
            } else {
                standing(b, rested, what->t);
                (jump ? jumping : sitting)(b, what);
            }
            rested = what->t + (jump ? ami_synth_jump(what).end : SYNTH_SIT_DOWN_S + (double)what->seconds + 1.4);
            i += jump ? 2 : 0;
            acts++;
            continue;
        }
        int last = i;
        while (!steps[last].last) {
            last++;
        }
        double next = last + 1 < count ? steps[last + 1].lift : 1e9;
        next = what && what->t < next ? what->t : next;
        if (heights) {
            walk_height(b, i, last, lift - rested, next - steps[last].down);
        } else {
            standing(b, rested, lift);
            stepping(b, i, last, lift - rested, next - steps[last].down);
        }
        rested = steps[last].down;
        i = last + 1;
    }
    if (!heights) {
        standing(b, rested, b->plan->seconds + 5.0);
    }
}

bool ami_synth_tracks(synth_tracks *out, const synth_plan *plan, const synth_path *path, const synth_steps *steps,
                      am_rng *rng)
{
    build b = { .tracks = out, .plan = plan, .path = path, .steps = steps, .rng = rng };
    size_t count = (size_t)path->count;
    out->lower = ami_arena_get(plan->arena, count * sizeof(float));
    float *need = ami_arena_get(plan->arena, count * sizeof(float));
    float *sums = ami_arena_get(plan->arena, count * sizeof(float));
    b.drop = ami_arena_get(plan->arena, ((size_t)steps->step_count + 1) * sizeof(float));
    if (!out->lower || !need || !sums || !b.drop) {
        return false;
    }
    walk_through(&b, false);
    for (int pass = 0; pass < 3; pass++) {
        out->height.count = 0;
        walk_through(&b, true);
        fill_need(&b, need);
        drop_between(&b, need);
    }
    fill_lower(&b, need, sums);
    return !b.failed;
}

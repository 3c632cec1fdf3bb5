// Footsteps: the gait's phase runs along the path at a frequency fit for the speed; each crossing of a half is a
// lift, and a footprint lies where the path will be in the middle of that foot's stance. The whole path is known
// beforehand, so feet look ahead as people do.
#include "synth/synth.h"

// Slower than this a body stands: what is left of a smoothed stop is a shift of weight.
#define STILL_MPS 0.05f
#define STILL_RADPS 0.15f
#define MERGE_S 0.35 // a shorter rest does not count: the stepping continues

synth_gait ami_synth_gait(const synth_state *s)
{
    synth_gait gait;
    float speed = s->speed, aside = am_abs(s->left);
    float in_place = 1.0f - ami_synth_step(0.2f, 1.0f, speed);
    gait.run = ami_synth_step(1.8f, 2.15f, s->forward);
    gait.effort = ami_synth_step(1.5f, 2.9f, s->forward);
    // Step rates of adults: 0.98 strides per second at 1.4 m/s, 1.37 at 2.5, 1.52 at 5.
    gait.frequency = am_lerp(0.56f + 0.30f * speed, 1.22f + 0.06f * speed, gait.run);
    gait.frequency *= 1.0f + 0.15f * am_clamp(-s->forward, 0.0f, 1.0f) + 0.2f * s->crouch;
    // Turning, a step takes 40 degrees at most, or the legs would cross.
    float slow = 1.0f - ami_synth_step(0.8f, 2.0f, speed);
    gait.frequency = am_max(gait.frequency, am_abs(s->turn) / 1.4f * slow);
    gait.width = am_lerp(am_lerp(0.095f, 0.060f, ami_synth_step(0.0f, 1.3f, speed)), 0.035f, gait.run);
    gait.width = am_max(gait.width, 0.07f + 0.11f * am_min(aside, 1.0f)) + 0.03f * s->crouch;
    // Sideways the trailing foot must not cross the leading one: a stride is at most four widths less a shoe.
    gait.frequency = am_max(gait.frequency, aside / (4.0f * gait.width - 0.13f));
    // Share of the stride on the floor: 0.62 at 1.4 m/s, 0.35 at 3 m/s, 0.29 at 5 m/s.
    float walking = 0.69f - 0.05f * speed - 0.07f * in_place * am_min(am_abs(s->turn), 1.0f);
    gait.duty = am_lerp(walking, 0.44f - 0.03f * speed, gait.run);
    return gait;
}

// ---------------------------------------------------------------------------------------------
// Footprints

/// Where `foot` stands when the middle of its stance is at this state of the path.
static void place_foot(synth_stance *stance, const synth_state *s, const synth_gait *gait, int foot)
{
    float side = foot == LEFT ? 1.0f : -1.0f;
    float sine, cosine;
    am_sincos(s->heading, &sine, &cosine);
    // A body that accelerates leans: its feet push from where gravity and acceleration together point.
    float pull = sqrtf(s->ax * s->ax + s->az * s->az);
    float lean = 0.6f * BODY_REST_M / AM_SYNTH_GRAVITY / sqrtf(1.0f + pull * pull / 9.0f);
    // The hips pass over a point a little ahead of the ankle, in runs more so.
    float across = side * gait->width, along = -0.035f - 0.016f * gait->run * s->speed;
    double x = s->x + (double)(across * cosine + along * sine - lean * s->ax);
    double z = s->z + (double)(along * cosine - across * sine - lean * s->az);
    stance->yaw = s->heading + side * am_lerp(7.0f, 4.0f, gait->run) * AM_DEG;
    am_sincos(stance->yaw, &sine, &cosine);
    stance->x = x + (double)(BODY_BALL_M * sine);
    stance->z = z + (double)(BODY_BALL_M * cosine);
}

/// Sideways and on the spot a foot comes down beside the other one, never across it.
static void keep_beside(synth_stance *stance, const synth_stance *other, const synth_state *s, int foot)
{
    float least = 0.10f * (1.0f - ami_synth_step(0.3f, 0.9f, am_abs(s->forward)));
    float side = foot == LEFT ? 1.0f : -1.0f, sine, cosine;
    am_sincos(s->heading, &sine, &cosine);
    float apart = side * ((float)(stance->x - other->x) * cosine - (float)(stance->z - other->z) * sine);
    float push = am_clamp(least - apart, 0.0f, 0.06f) * side; // more would leave the leg behind
    stance->x += (double)(push * cosine);
    stance->z -= (double)(push * sine);
}

/// How a foot comes down, by how it moves: heel first forward, ball first backward and on the spot.
static void begin_stance(synth_stance *stance, const synth_step *step)
{
    float forward = step->state.forward;
    float stand_s = step->gait.duty / step->gait.frequency;
    float heel = am_lerp(17.0f, 9.0f, step->gait.run) * (1.0f - 0.4f * step->state.crouch);
    float pitch = am_lerp(-6.0f, heel, ami_synth_step(0.1f, 0.9f, forward));
    pitch = am_lerp(pitch, -17.0f, ami_synth_step(0.0f, 0.6f, -forward));
    pitch = am_abs(pitch) < 3.0f ? -3.0f : pitch; // too little to see, too slow to call it a landing
    float roll_s = pitch > 0.0f ? am_min(0.0048f * pitch, 0.2f * stand_s) : 0.22f * stand_s;
    stance->down = step->down;
    stance->flat = step->down + (double)roll_s;
    stance->pitch_down = pitch * AM_DEG;
    stance->rise = stance->lift = 1e9;
    float lift = am_lerp(0.045f + 0.005f * step->state.speed, 0.09f + 0.045f * step->state.speed, step->gait.run);
    stance->swing_height = lift;
    stance->toes_up = 14.0f * AM_DEG * ami_synth_step(0.0f, 0.6f, -forward);
    // A runner's foot still flies a little when the floor stops it.
    float strike = am_lerp(0.25f, 0.28f, step->gait.run);
    float drop = pitch > 0.0f ? am_lerp(-0.15f, -0.5f, step->gait.run) : -0.5f;
    stance->strike = am_v3(strike * step->state.vx, drop, strike * step->state.vz);
}

/// How a foot leaves the floor: over the ball, in one piece when it goes backward.
static void end_stance(synth_stance *stance, const synth_step *step)
{
    float forward = step->state.forward;
    float stand_s = step->gait.duty / step->gait.frequency;
    float pitch = am_lerp(am_lerp(-24.0f, -55.0f, ami_synth_step(0.0f, 1.3f, forward)), -57.0f, step->gait.run);
    pitch = am_lerp(pitch, -3.0f, ami_synth_step(0.0f, 0.6f, -forward));
    float share = am_lerp(am_lerp(0.44f, 0.58f, ami_synth_step(0.0f, 1.3f, forward)), 0.64f, step->gait.run);
    share += 0.34f * step->state.crouch; // bent knees bring the heel up early
    stance->lift = step->lift;
    stance->rise = step->lift - (double)(share * stand_s);
    stance->pitch_lift = pitch * AM_DEG;
    if (stance->rise < stance->flat) {
        stance->rise = stance->flat;
    }
}

static bool add_stance(synth_steps *steps, ami_arena *arena, int foot, const synth_stance *stance)
{
    void *items = steps->stances[foot];
    if (!ami_synth_room(arena, &items, steps->stance_count[foot], &steps->stance_capacity[foot], sizeof *stance)) {
        return false;
    }
    steps->stances[foot] = items;
    steps->stances[foot][steps->stance_count[foot]++] = *stance;
    return true;
}

/// Ends the foot's stance, begins its next one around `middle`, and notes the step.
static bool add_step(synth_steps *steps, ami_arena *arena, const synth_step *step, const synth_state *middle)
{
    synth_stance next = { 0 };
    synth_gait gait = ami_synth_gait(middle);
    end_stance(&steps->stances[step->foot][steps->stance_count[step->foot] - 1], step);
    int other = step->foot == LEFT ? RIGHT : LEFT;
    place_foot(&next, middle, &gait, step->foot);
    keep_beside(&next, &steps->stances[other][steps->stance_count[other] - 1], middle, step->foot);
    begin_stance(&next, step);
    void *items = steps->steps;
    if (!ami_synth_room(arena, &items, steps->step_count, &steps->step_capacity, sizeof *step)) {
        return false;
    }
    steps->steps = items;
    steps->steps[steps->step_count++] = *step;
    return add_stance(steps, arena, step->foot, &next);
}

// ---------------------------------------------------------------------------------------------
// Stretches of stepping

/// Grid points first..last of stepping; rest: the middle of the standing after it.
typedef struct stretch {
    int first, last;
    double rest;
    double *strides; ///< [grid point] phase since `first`
} stretch;

static bool is_moving(const synth_state *s)
{
    return am_abs(s->forward) + am_abs(s->left) > STILL_MPS || am_abs(s->turn) > STILL_RADPS;
}

/// The next stretch at or after grid point `from`; false when there is none.
static bool next_stretch(stretch *out, const synth_path *path, int from)
{
    int i = from;
    while (i < path->count && !is_moving(&path->grid[i])) {
        i++;
    }
    if (i == path->count) {
        return false;
    }
    out->first = i;
    int still = 0;
    for (out->last = i; i < path->count && still < (int)(MERGE_S * SYNTH_RATE); i++) {
        still = is_moving(&path->grid[i]) ? 0 : still + 1;
        out->last = still ? out->last : i;
    }
    int next = out->last + 1;
    while (next < path->count && !is_moving(&path->grid[next])) {
        next++;
    }
    out->rest = 0.5 * (double)(out->last + next) / SYNTH_RATE;
    return true;
}

/// When the phase of a stretch reaches `strides`.
static double time_of(const stretch *s, double strides)
{
    int low = s->first, high = s->last;
    if (strides >= s->strides[high]) {
        return (double)high / SYNTH_RATE;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->strides[middle] <= strides) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double share = (strides - s->strides[low]) / (s->strides[high] - s->strides[low]);
    return ((double)low + share) / SYNTH_RATE;
}

/// Strides a second at a grid point. A walker about to be fast, or just after, already takes quick steps: a slow step
/// would leave the foot far behind.
static float pace_at(const synth_path *path, int i)
{
    float now = ami_synth_gait(&path->grid[i]).frequency, near = now;
    for (int k = i - SYNTH_RATE / 4; k <= i + SYNTH_RATE / 2; k += SYNTH_RATE / 16) {
        int at = k < 0 ? 0 : k >= path->count ? path->count - 1 : k;
        near = am_max(near, ami_synth_gait(&path->grid[at]).frequency);
    }
    return am_lerp(now, near, 0.7f);
}

/// Runs the phase along the stretch so that its last step lands exactly at its end. Returns how many steps.
static int run_phase(stretch *s, const synth_path *path, double last_swing)
{
    double sum = 0.0;
    for (int i = s->first; i <= s->last; i++) {
        s->strides[i] = sum;
        sum += (double)pace_at(path, i) / SYNTH_RATE;
    }
    double whole = s->strides[s->last];
    int count = (int)(2.0 * (whole - last_swing) + 1.5);
    count = count < 2 ? 2 : count;
    double scale = (0.5 * (count - 1) + last_swing) / (whole > 1e-6 ? whole : 1e-6);
    for (int i = s->first; i <= s->last; i++) {
        s->strides[i] *= scale;
    }
    return count;
}

/// Which foot starts: the one on the side of the movement or turn, otherwise either.
static int first_foot(const synth_path *path, const stretch *s, am_rng *rng)
{
    float left = 0.0f;
    for (int i = s->first; i <= s->last && i < s->first + SYNTH_RATE; i++) {
        left += 3.0f * path->grid[i].left + path->grid[i].turn;
    }
    int drawn = am_rng_below(rng, 2) ? LEFT : RIGHT;
    return left > 20.0f ? LEFT : left < -20.0f ? RIGHT : drawn;
}

static bool step_along(synth_steps *steps, ami_arena *arena, const synth_path *path, stretch *s, int foot)
{
    const double last_swing = 0.36; // share of the last, slow stride in the air
    int count = run_phase(s, path, last_swing);
    double offset = foot == LEFT ? 0.0 : 0.5;
    for (int i = s->first; i <= s->last; i++) {
        steps->phase[i] = (float)(s->strides[i] + offset);
    }
    for (int i = 0; i < count; i++) {
        synth_step step = { .foot = (foot + i) % 2, .first = i == 0, .last = i == count - 1 };
        double lift = 0.5 * i;
        step.state = ami_synth_state(path, time_of(s, lift + 0.2));
        step.gait = ami_synth_gait(&step.state);
        // How long it will stand is a matter of the speed then.
        synth_state then = ami_synth_state(path, time_of(s, lift + 0.7));
        step.gait.duty = ami_synth_gait(&then).duty;
        double swing = step.last ? last_swing : 1.0 - (double)step.gait.duty;
        step.lift = time_of(s, lift);
        step.gait.frequency = (float)(0.5 / (time_of(s, lift + 0.5) - step.lift + 1e-3));
        step.down = time_of(s, lift + swing);
        // A foot that does not lift again stands where the body comes to rest.
        bool stays = i + 2 >= count;
        double middle = stays ? s->rest : time_of(s, lift + 0.5 * (swing + 1.0));
        synth_state at = ami_synth_state(path, middle);
        if (!stays) {
            // Even reach before and behind also while the body speeds up or slows down.
            synth_state on = ami_synth_state(path, step.down), off = ami_synth_state(path, time_of(s, lift + 1.0));
            at.x = 0.5 * (on.x + off.x);
            at.z = 0.5 * (on.z + off.z);
        }
        if (!add_step(steps, arena, &step, &at)) {
            return false;
        }
    }
    return true;
}

/// Both feet leave and land together.
static bool jump_up(synth_steps *steps, ami_arena *arena, const synth_path *path, const synth_act *what)
{
    synth_jump jump = ami_synth_jump(what);
    for (int foot = LEFT; foot <= RIGHT; foot++) {
        synth_step step = { .foot = foot, .both = true, .first = true, .last = true };
        step.lift = what->t + jump.off;
        step.down = what->t + jump.down;
        step.state = ami_synth_state(path, 0.5 * (step.lift + step.down));
        step.gait = ami_synth_gait(&step.state);
        synth_state rest = ami_synth_state(path, what->t + jump.end);
        if (!add_step(steps, arena, &step, &rest)) {
            return false;
        }
        synth_stance *off = &steps->stances[foot][steps->stance_count[foot] - 2];
        off->rise = step.lift - 0.20;
        off->pitch_lift = (what->distance > 0.0f ? -34.0f : -44.0f) * AM_DEG;
        synth_stance *down = off + 1;
        down->flat = step.down + 0.13;
        down->pitch_down = -38.0f * AM_DEG;
        down->swing_height = what->height + 0.04f;
        down->even_swing = true;
        down->strike = am_v3(0.0f, -1.3f, 0.0f);
    }
    return true;
}

/// Fills the phase of standing with the last one before it.
static void hold_phase(synth_steps *steps, int from, int to)
{
    for (int i = from; i < to; i++) {
        steps->phase[i] = i > 0 ? steps->phase[i - 1] : 0.0f;
    }
}

bool ami_synth_steps(synth_steps *out, const synth_plan *plan, const synth_path *path, am_rng *rng)
{
    stretch s = { 0 };
    s.strides = ami_arena_get(plan->arena, (size_t)path->count * sizeof(double));
    out->phase = ami_arena_get(plan->arena, (size_t)path->count * sizeof(float));
    if (!s.strides || !out->phase) {
        return false;
    }
    for (int foot = LEFT; foot <= RIGHT; foot++) {
        synth_stance stand = { .down = -1e9, .flat = -1e9, .rise = 1e9, .lift = 1e9 };
        synth_gait gait = ami_synth_gait(&path->grid[0]);
        place_foot(&stand, &path->grid[0], &gait, foot);
        if (!add_stance(out, plan->arena, foot, &stand)) {
            return false;
        }
    }
    int from = 0, acts = 0;
    for (bool more = true; more;) {
        more = next_stretch(&s, path, from);
        double until = more ? (double)s.first / SYNTH_RATE : 1e9;
        for (; acts < plan->act_count && plan->acts[acts].t < until; acts++) {
            if (plan->acts[acts].kind == ACT_JUMP && !jump_up(out, plan->arena, path, &plan->acts[acts])) {
                return false;
            }
        }
        hold_phase(out, from, more ? s.first : path->count);
        if (acts < plan->act_count && plan->acts[acts].t < s.rest) {
            s.rest = plan->acts[acts].t; // a jump takes the resting place with it
        }
        if (more && !step_along(out, plan->arena, path, &s, first_foot(path, &s, rng))) {
            return false;
        }
        from = more ? s.last + 1 : from;
    }
    return true;
}

// The root's path: commands smoothed by a cubic B-spline kernel, so that velocity and acceleration are continuous and
// standing is exactly still, then integrated on a fine grid.
#include "synth/synth.h"

// Three boxes of a quarter second: the kernel is 0.75 s wide, about one step.
#define BOX_POINTS 61

/// One command signal on the grid while it is being smoothed.
typedef struct signal {
    double *values, *sums;
    int count;
} signal;

/// values[i] = mean of the BOX_POINTS around i, the ends extended.
static void box_filter(signal *s)
{
    int half = BOX_POINTS / 2;
    s->sums[0] = 0.0;
    for (int i = 0; i < s->count; i++) {
        s->sums[i + 1] = s->sums[i] + s->values[i];
    }
    double first = s->values[0], last = s->values[s->count - 1];
    for (int i = 0; i < s->count; i++) {
        int lo = i - half, hi = i + half + 1;
        double sum = s->sums[hi < s->count ? hi : s->count] - s->sums[lo > 0 ? lo : 0];
        sum += lo < 0 ? first * -lo : 0.0;
        sum += hi > s->count ? last * (hi - s->count) : 0.0;
        s->values[i] = sum / BOX_POINTS;
    }
    // Where all nearby values are zero, the running sum must be exactly zero, or a standing body would creep.
    for (int i = 0; i < s->count; i++) {
        if (s->values[i] < 1e-9 && s->values[i] > -1e-9) {
            s->values[i] = 0.0;
        }
    }
}

static float command(const synth_move *move, int which)
{
    const float values[] = { move->forward, move->left, move->turn, move->crouch };
    return values[which];
}

/// Ramps and holds of one command on the grid.
static void fill_signal(signal *s, const synth_plan *plan, int which)
{
    int index = 0;
    double begun = 0.0;
    float from = 0.0f;
    for (int i = 0; i < s->count; i++) {
        double t = (double)i / SYNTH_RATE;
        while (index + 1 < plan->move_count &&
               t >= begun + (double)(plan->moves[index].ramp + plan->moves[index].hold)) {
            begun += (double)(plan->moves[index].ramp + plan->moves[index].hold);
            from = command(&plan->moves[index], which);
            index++;
        }
        const synth_move *move = &plan->moves[index];
        float u = move->ramp > 0.0f ? am_min((float)(t - begun) / move->ramp, 1.0f) : 1.0f;
        s->values[i] = (double)am_lerp(from, command(move, which), u);
    }
}

static void store_signal(synth_path *path, const signal *s, int which)
{
    for (int i = 0; i < s->count; i++) {
        synth_state *state = &path->grid[i];
        float *const targets[] = { &state->forward, &state->left, &state->turn, &state->crouch };
        *targets[which] = (float)s->values[i];
    }
}

/// Heading, world velocity and position by the trapezoid rule.
static void integrate(synth_path *path)
{
    double heading = 0.0, x = 0.0, z = 0.0;
    const double dt = 1.0 / SYNTH_RATE;
    for (int i = 0; i < path->count; i++) {
        synth_state *s = &path->grid[i];
        const synth_state *before = i ? s - 1 : s;
        heading += i ? 0.5 * dt * ((double)s->turn + (double)before->turn) : 0.0;
        float sine, cosine;
        am_sincos((float)heading, &sine, &cosine);
        s->heading = (float)heading;
        s->vx = s->forward * sine + s->left * cosine;
        s->vz = s->forward * cosine - s->left * sine;
        s->speed = sqrtf(s->forward * s->forward + s->left * s->left);
        x += i ? 0.5 * dt * ((double)s->vx + (double)before->vx) : 0.0;
        z += i ? 0.5 * dt * ((double)s->vz + (double)before->vz) : 0.0;
        s->x = x;
        s->z = z;
    }
}

/// A forward jump: speeds up while pushing off, keeps its speed in the air, slows down while landing.
static void add_jump(synth_path *path, const synth_act *what)
{
    synth_jump jump = ami_synth_jump(what);
    // Even acceleration in between: half the speed on average while pushing off and while landing.
    double begin = jump.low - 0.1, air = jump.down - jump.off;
    double speed =
        (double)what->distance / (air + 0.5 * (jump.off - begin) + 0.5 * (jump.absorbed + 0.1 - jump.down));
    synth_track track = { 0 };
    synth_knot knots[4] = { { begin, { 0.0f, 0.0f, 0.0f } },
                            { jump.off, { 0.0f, (float)speed, 0.0f } },
                            { jump.down, { 0.0f, (float)speed, 0.0f } },
                            { jump.absorbed + 0.1, { what->distance, 0.0f, 0.0f } } };
    knots[1].end.x = (float)(0.5 * speed * (jump.off - begin));
    knots[2].end.x = knots[1].end.x + (float)(speed * air);
    track.knots = knots;
    track.count = 4;
    float way = 0.0f, pace = 0.0f;
    for (int i = 0; i < path->count; i++) {
        synth_state *s = &path->grid[i];
        float sine, cosine;
        am_sincos(s->heading, &sine, &cosine);
        float now = ami_synth_track_at(&track, (double)i / SYNTH_RATE - what->t);
        if (now > 0.0f && way < what->distance) {
            pace = (now - way) * SYNTH_RATE;
            s->vx += pace * sine;
            s->vz += pace * cosine;
            s->speed = pace;
        }
        way = now;
        s->x += (double)(now * sine);
        s->z += (double)(now * cosine);
    }
}

static void differentiate(synth_path *path)
{
    for (int i = 0; i < path->count; i++) {
        int before = i > 0 ? i - 1 : 0, after = i + 1 < path->count ? i + 1 : i;
        float scale = (float)SYNTH_RATE / (float)(after - before);
        path->grid[i].ax = (path->grid[after].vx - path->grid[before].vx) * scale;
        path->grid[i].az = (path->grid[after].vz - path->grid[before].vz) * scale;
    }
}

/// Puts the origin and the facing where the clip begins.
static void centre(synth_path *path, double begin)
{
    synth_state o = ami_synth_state(path, begin);
    float sine, cosine;
    am_sincos(-o.heading, &sine, &cosine);
    for (int i = 0; i < path->count; i++) {
        synth_state *s = &path->grid[i];
        double x = s->x - o.x, z = s->z - o.z;
        s->x = x * (double)cosine + z * (double)sine;
        s->z = z * (double)cosine - x * (double)sine;
        float vx = s->vx, ax = s->ax;
        s->vx = vx * cosine + s->vz * sine;
        s->vz = s->vz * cosine - vx * sine;
        s->ax = ax * cosine + s->az * sine;
        s->az = s->az * cosine - ax * sine;
        s->heading -= o.heading;
    }
}

bool ami_synth_path(synth_path *out, const synth_plan *plan)
{
    out->count = (int)(plan->seconds * SYNTH_RATE) + 2;
    signal s = { NULL, NULL, out->count };
    out->grid = ami_arena_get(plan->arena, (size_t)out->count * sizeof(synth_state));
    s.values = ami_arena_get(plan->arena, (size_t)out->count * sizeof(double));
    s.sums = ami_arena_get(plan->arena, ((size_t)out->count + 1) * sizeof(double));
    if (!out->grid || !s.values || !s.sums) {
        return false;
    }
    for (int which = 0; which < 4; which++) {
        fill_signal(&s, plan, which);
        for (int i = 0; i < 3; i++) {
            box_filter(&s);
        }
        store_signal(out, &s, which);
    }
    integrate(out);
    for (int i = 0; i < plan->act_count; i++) {
        if (plan->acts[i].kind == ACT_JUMP && plan->acts[i].distance > 0.0f) {
            add_jump(out, &plan->acts[i]);
        }
    }
    differentiate(out);
    centre(out, plan->begin);
    return true;
}

synth_state ami_synth_state(const synth_path *path, double t)
{
    double at = t * SYNTH_RATE;
    int last = path->count - 1;
    int i = at <= 0.0 ? 0 : at >= last ? last - 1 : (int)at;
    const synth_state *a = &path->grid[i], *b = a + 1;
    float u = am_clamp((float)(at - i), 0.0f, 1.0f);
    synth_state s;
    // Positions by the cubic through both ends and their velocities; the rest is smooth enough for a line.
    float dt = 1.0f / SYNTH_RATE, h = u * u * (3.0f - 2.0f * u);
    float h0 = u * (1.0f - u) * (1.0f - u) * dt, h1 = u * u * (u - 1.0f) * dt;
    s.x = a->x + (b->x - a->x) * (double)h + (double)(h0 * a->vx + h1 * b->vx);
    s.z = a->z + (b->z - a->z) * (double)h + (double)(h0 * a->vz + h1 * b->vz);
    s.vx = am_lerp(a->vx, b->vx, u);
    s.vz = am_lerp(a->vz, b->vz, u);
    s.ax = am_lerp(a->ax, b->ax, u);
    s.az = am_lerp(a->az, b->az, u);
    s.heading = am_lerp(a->heading, b->heading, u);
    s.turn = am_lerp(a->turn, b->turn, u);
    s.crouch = am_lerp(a->crouch, b->crouch, u);
    s.forward = am_lerp(a->forward, b->forward, u);
    s.left = am_lerp(a->left, b->left, u);
    s.speed = am_lerp(a->speed, b->speed, u);
    return s;
}

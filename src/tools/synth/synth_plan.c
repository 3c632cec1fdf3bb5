// What each kind of clip does: commands over time that begin and end with standing; the clip shows a part of them.
#include "synth/synth.h"

#define COMFORT_MPS2 2.2f // a brisk but unhurried change of speed
#define CORNER_MPS 0.3f   // in the middle of a sharp turn

static void add_move(synth_plan *plan, synth_move move)
{
    void *items = plan->moves;
    if (plan->failed ||
        !ami_synth_room(plan->arena, &items, plan->move_count, &plan->move_capacity, sizeof(synth_move))) {
        plan->failed = true;
        return;
    }
    plan->moves = items;
    plan->moves[plan->move_count++] = move;
    plan->seconds += (double)(move.ramp + move.hold);
}

/// Changes to new velocities at a comfortable rate and holds them.
static void go(synth_plan *plan, float hold, float forward, float left, float turn, float crouch)
{
    synth_move last = { 0 };
    if (plan->move_count) {
        last = plan->moves[plan->move_count - 1];
    }
    float change = am_max(am_abs(forward - last.forward), am_abs(left - last.left)) / COMFORT_MPS2;
    change = am_max(change, am_abs(turn - last.turn) / 6.0f);
    change = am_max(change, am_abs(crouch - last.crouch) * 0.5f);
    // The smoothing of the path brings a third of a second of its own.
    synth_move move = { am_max(change - 0.3f, 0.0f), hold, forward, left, turn, crouch };
    add_move(plan, move);
}

static void stand(synth_plan *plan, float hold) { go(plan, hold, 0.0f, 0.0f, 0.0f, 0.0f); }

static void act(synth_plan *plan, synth_act what)
{
    void *items = plan->acts;
    if (plan->failed ||
        !ami_synth_room(plan->arena, &items, plan->act_count, &plan->act_capacity, sizeof(synth_act))) {
        plan->failed = true;
        return;
    }
    plan->acts = items;
    stand(plan, 0.45f); // the last velocities have died out by then
    what.t = plan->seconds;
    plan->acts[plan->act_count++] = what;
    double seconds =
        what.kind == ACT_JUMP ? ami_synth_jump(&what).end : SYNTH_SIT_DOWN_S + (double)what.seconds + SYNTH_SIT_UP_S;
    stand(plan, (float)seconds + 0.45f);
}

synth_jump ami_synth_jump(const synth_act *what)
{
    synth_jump jump;
    jump.speed_up = sqrtf(2.0f * AM_SYNTH_GRAVITY * what->height);
    jump.low = 0.50;
    jump.off = jump.low + 0.26;
    jump.down = jump.off + (double)(2.0f * jump.speed_up / AM_SYNTH_GRAVITY);
    jump.absorbed = jump.down + 0.24;
    jump.end = jump.absorbed + 0.75;
    return jump;
}

// ---------------------------------------------------------------------------------------------
// The kinds

static void plan_steady(synth_plan *plan, float forward, float turn, float crouch)
{
    stand(plan, 0.6f);
    go(plan, 1.2f, forward, 0.0f, turn, crouch);
    plan->begin = plan->seconds;
    go(plan, (float)plan->length + 0.6f, forward, 0.0f, turn, crouch);
    stand(plan, 1.2f);
}

static void plan_turn(synth_plan *plan, float turn, float side)
{
    static const float quarters[] = { 1.0f, -1.0f, 2.0f, -2.0f, 1.0f, 1.0f, -3.0f, 1.0f };
    stand(plan, 0.8f);
    for (int i = 0; plan->seconds < plan->begin + plan->length && !plan->failed; i++) {
        float angle = side * quarters[i % 8] * 0.5f * AM_PI;
        float rate = angle < 0.0f ? -turn : turn;
        // The ramps in and out turn half their length; the smoothing adds nothing to the angle.
        float ramp = am_max(turn / 6.0f - 0.3f, 0.0f);
        go(plan, am_max(am_abs(angle) / turn - ramp, 0.05f), 0.0f, 0.0f, rate, 0.0f);
        stand(plan, 0.9f);
    }
}

static void plan_strafe(synth_plan *plan, float speed, float side)
{
    stand(plan, 0.9f);
    while (plan->seconds < plan->begin + plan->length && !plan->failed) {
        go(plan, 3.2f, 0.0f, side * speed, 0.0f, 0.0f);
        stand(plan, 0.8f);
    }
}

static void plan_backward(synth_plan *plan, float speed)
{
    stand(plan, 0.9f);
    while (plan->seconds < plan->begin + plan->length && !plan->failed) {
        go(plan, 4.0f, -speed, 0.0f, 0.0f, 0.0f);
        stand(plan, 0.8f);
    }
}

static void plan_start_stop(synth_plan *plan, float speed)
{
    stand(plan, 0.9f);
    for (int i = 0; plan->seconds < plan->begin + plan->length && !plan->failed; i++) {
        go(plan, i % 2 ? 1.2f : 2.4f, speed, 0.0f, 0.0f, 0.0f);
        stand(plan, i % 2 ? 0.5f : 1.0f);
    }
}

/// Walks, slows down into a sharp turn and walks on: what a corner of a drawn path asks for.
static void plan_corner(synth_plan *plan, float speed, float turn, float side)
{
    static const float degrees[] = { 90.0f, -120.0f, 150.0f, -90.0f, 180.0f, -60.0f, 135.0f, -165.0f };
    stand(plan, 0.9f);
    for (int i = 0; plan->seconds < plan->begin + plan->length && !plan->failed; i++) {
        float angle = side * degrees[i % 8] * AM_DEG;
        go(plan, 1.1f, speed, 0.0f, 0.0f, 0.0f);
        go(plan, am_abs(angle) / turn, CORNER_MPS, 0.0f, angle < 0.0f ? -turn : turn, 0.0f);
    }
}

static void plan_jump(synth_plan *plan)
{
    stand(plan, 0.5f);
    for (int i = 0; plan->seconds < plan->begin + plan->length && !plan->failed; i++) {
        synth_act jump = { .kind = ACT_JUMP, .height = i % 3 == 1 ? 0.22f : 0.30f, .distance = i % 3 ? 0.75f : 0.0f };
        act(plan, jump);
    }
}

static void plan_crouch(synth_plan *plan, float speed)
{
    stand(plan, 0.9f);
    while (plan->seconds < plan->begin + plan->length && !plan->failed) {
        go(plan, 0.5f, 0.0f, 0.0f, 0.0f, 1.0f);
        go(plan, 3.0f, speed, 0.0f, 0.0f, 1.0f);
        go(plan, 2.0f, speed, 0.0f, 0.5f, 1.0f);
        go(plan, 2.0f, speed, 0.0f, -0.5f, 1.0f);
        go(plan, 0.8f, 0.0f, 0.0f, 0.0f, 1.0f);
        stand(plan, 0.8f);
    }
}

static void plan_sit(synth_plan *plan)
{
    stand(plan, 0.6f);
    float pause = am_max((float)plan->length - 5.6f, 2.0f);
    synth_act sit = { .kind = ACT_SIT, .seconds = am_min(pause, 6.0f) };
    while (plan->seconds < plan->begin + plan->length && !plan->failed) {
        act(plan, sit);
        stand(plan, 0.6f);
    }
}

// ---------------------------------------------------------------------------------------------
// Wandering: one leg after another, drawn so that no pair of legs is impossible for a human

/// Walks upright for a moment: people do not run bent down, so crouching begins and ends in a walk.
static void change_over(synth_plan *plan)
{
    const synth_move *last = &plan->moves[plan->move_count - 1];
    if (!plan->failed && (last->crouch > 0.0f || last->forward > 1.2f)) {
        go(plan, 0.7f, 1.0f, 0.0f, 0.0f, 0.0f);
    }
}

static bool is_crouched(const synth_plan *plan)
{
    return !plan->failed && plan->moves[plan->move_count - 1].crouch > 0.0f;
}

static void wander_forward(synth_plan *plan, am_rng *rng, float lo, float hi)
{
    float speed = am_rng_range(rng, lo, hi);
    // Sideways acceleration within 2.4 m/s^2, a firm lean.
    float most = am_min(1.3f, 2.4f / speed);
    int legs = 1 + (int)am_rng_below(rng, 3);
    for (int i = 0; i < legs; i++) {
        float turn = am_rng_below(rng, 3) == 0 ? 0.0f : am_rng_range(rng, -most, most);
        go(plan, am_rng_range(rng, 1.2f, 2.8f), speed, 0.0f, turn, 0.0f);
    }
}

/// Slows down into a sharp turn of 80 to 200 degrees and goes on.
static void wander_about(synth_plan *plan, am_rng *rng, float side)
{
    float before = am_rng_range(rng, 1.0f, 2.8f), after = am_rng_range(rng, 1.0f, 2.8f);
    float angle = am_rng_range(rng, 1.4f, 3.5f), rate = am_rng_range(rng, 1.8f, 2.4f);
    go(plan, 0.8f, before, 0.0f, 0.0f, 0.0f);
    go(plan, angle / rate, 0.5f, 0.0f, side * rate, 0.0f);
    go(plan, 1.2f, after, 0.0f, 0.0f, 0.0f);
}

// One draw per statement: C leaves the order within an argument list to the compiler.
static void wander_on_foot(synth_plan *plan, am_rng *rng)
{
    float side = am_rng_below(rng, 2) ? 1.0f : -1.0f;
    if (is_crouched(plan)) {
        change_over(plan);
    }
    switch (am_rng_below(rng, 12)) {
    case 0:
    case 1:
    case 2:
        wander_forward(plan, rng, 0.6f, 1.8f);
        break;
    case 3:
    case 4:
        wander_forward(plan, rng, 2.2f, 4.5f);
        break;
    case 5: {
        float speed = am_rng_range(rng, 0.4f, 1.0f);
        go(plan, am_rng_range(rng, 1.5f, 2.5f), 0.0f, side * speed, 0.0f, 0.0f);
        break;
    }
    case 6: {
        float speed = am_rng_range(rng, 0.5f, 1.1f), turn = am_rng_range(rng, -0.4f, 0.4f);
        go(plan, am_rng_range(rng, 1.5f, 2.5f), -speed, 0.0f, turn, 0.0f);
        break;
    }
    case 7: {
        float turn = side * am_rng_range(rng, 1.2f, 2.2f);
        stand(plan, 0.5f);
        go(plan, am_rng_range(rng, 0.6f, 1.8f), 0.0f, 0.0f, turn, 0.0f);
        stand(plan, 0.4f);
        break;
    }
    case 8: {
        float speed = am_rng_range(rng, 0.5f, 1.0f), turn = am_rng_range(rng, -0.6f, 0.6f);
        change_over(plan);
        go(plan, am_rng_range(rng, 2.0f, 3.0f), speed, 0.0f, turn, 1.0f);
        break;
    }
    case 9:
        stand(plan, am_rng_range(rng, 0.8f, 2.2f));
        break;
    default:
        wander_about(plan, rng, side);
        break;
    }
}

static void plan_wander(synth_plan *plan, am_rng *rng)
{
    stand(plan, 1.0f);
    for (int i = 1; plan->seconds < plan->begin + plan->length && !plan->failed; i++) {
        wander_on_foot(plan, rng);
        if (i % 9 == 0) {
            synth_act jump = { .kind = ACT_JUMP, .height = am_rng_range(rng, 0.18f, 0.32f) };
            jump.distance = am_rng_range(rng, 0.0f, 0.8f);
            act(plan, jump);
        }
    }
}

static float or_default(float value, float fallback) { return value > 0.0f ? value : fallback; }

/// Seconds, speed (m/s) and turn (rad/s) that a kind has when the def names none.
static const struct {
    float seconds, speed, turn;
} defaults[AM_SYNTH_KIND_COUNT] = {
    [AM_SYNTH_STAND] = { 10.0f, 0.0f, 0.0f },      [AM_SYNTH_WALK] = { 8.0f, 1.35f, 0.0f },
    [AM_SYNTH_JOG] = { 8.0f, 2.5f, 0.0f },         [AM_SYNTH_RUN] = { 8.0f, 3.8f, 0.0f },
    [AM_SYNTH_TURN] = { 12.0f, 0.0f, 1.6f },       [AM_SYNTH_CURVE] = { 8.0f, 1.3f, 0.6f },
    [AM_SYNTH_STRAFE] = { 8.0f, 0.8f, 0.0f },      [AM_SYNTH_BACKWARD] = { 8.0f, 0.9f, 0.0f },
    [AM_SYNTH_START_STOP] = { 12.0f, 1.4f, 0.0f }, [AM_SYNTH_JUMP] = { 9.0f, 0.0f, 0.0f },
    [AM_SYNTH_CROUCH] = { 12.0f, 0.8f, 0.0f },     [AM_SYNTH_SIT] = { 8.5f, 0.0f, 0.0f },
    [AM_SYNTH_WANDER] = { 60.0f, 0.0f, 0.0f },     [AM_SYNTH_CORNER] = { 16.0f, 1.3f, 3.5f },
};

void ami_synth_plan(synth_plan *plan, const am_synth_def *def, am_rng *rng)
{
    float speed = or_default(def->speed, defaults[def->kind].speed);
    float turn = or_default(def->turn, defaults[def->kind].turn);
    float side = def->side < 0.0f ? -1.0f : 1.0f;
    plan->length = (double)or_default(def->seconds, defaults[def->kind].seconds);
    plan->begin = 0.5;
    switch (def->kind) {
    case AM_SYNTH_WALK:
    case AM_SYNTH_JOG:
    case AM_SYNTH_RUN:
        plan_steady(plan, speed, 0.0f, 0.0f);
        break;
    case AM_SYNTH_CURVE:
        plan_steady(plan, speed, side * turn, 0.0f);
        break;
    case AM_SYNTH_TURN:
        plan_turn(plan, turn, side);
        break;
    case AM_SYNTH_STRAFE:
        plan_strafe(plan, speed, side);
        break;
    case AM_SYNTH_BACKWARD:
        plan_backward(plan, speed);
        break;
    case AM_SYNTH_START_STOP:
        plan_start_stop(plan, speed);
        break;
    case AM_SYNTH_CORNER:
        plan_corner(plan, speed, turn, side);
        break;
    case AM_SYNTH_JUMP:
        plan_jump(plan);
        break;
    case AM_SYNTH_CROUCH:
        plan_crouch(plan, speed);
        break;
    case AM_SYNTH_SIT:
        plan_sit(plan);
        break;
    case AM_SYNTH_WANDER:
        plan_wander(plan, rng);
        break;
    default:
        stand(plan, (float)plan->length + 0.5f);
        break;
    }
    stand(plan, 1.5f); // whatever still moves comes to rest inside the plan
}

// ---------------------------------------------------------------------------------------------
// The balanced set

static const struct {
    const char *name;
    float seconds, speed, turn, side;
    am_synth_kind kind;
} all[] = {
    { "stand", 12.0f, 0.0f, 0.0f, 1.0f, AM_SYNTH_STAND },
    { "walk_05", 7.0f, 0.5f, 0.0f, 1.0f, AM_SYNTH_WALK },
    { "walk_08", 7.0f, 0.8f, 0.0f, 1.0f, AM_SYNTH_WALK },
    { "walk_11", 7.0f, 1.1f, 0.0f, 1.0f, AM_SYNTH_WALK },
    { "walk_14", 7.0f, 1.4f, 0.0f, 1.0f, AM_SYNTH_WALK },
    { "walk_17", 7.0f, 1.7f, 0.0f, 1.0f, AM_SYNTH_WALK },
    { "jog_23", 6.0f, 2.3f, 0.0f, 1.0f, AM_SYNTH_JOG },
    { "jog_27", 6.0f, 2.7f, 0.0f, 1.0f, AM_SYNTH_JOG },
    { "run_33", 6.0f, 3.3f, 0.0f, 1.0f, AM_SYNTH_RUN },
    { "run_40", 6.0f, 4.0f, 0.0f, 1.0f, AM_SYNTH_RUN },
    { "run_50", 6.0f, 5.0f, 0.0f, 1.0f, AM_SYNTH_RUN },
    { "curve_walk_wide_left", 6.0f, 1.2f, 0.4f, 1.0f, AM_SYNTH_CURVE },
    { "curve_walk_wide_right", 6.0f, 1.2f, 0.4f, -1.0f, AM_SYNTH_CURVE },
    { "curve_walk_tight_left", 6.0f, 1.1f, 1.1f, 1.0f, AM_SYNTH_CURVE },
    { "curve_walk_tight_right", 6.0f, 1.1f, 1.1f, -1.0f, AM_SYNTH_CURVE },
    { "curve_run_left", 6.0f, 3.0f, 0.6f, 1.0f, AM_SYNTH_CURVE },
    { "curve_run_right", 6.0f, 3.0f, 0.6f, -1.0f, AM_SYNTH_CURVE },
    { "turn_left", 9.0f, 0.0f, 1.3f, 1.0f, AM_SYNTH_TURN },
    { "turn_right", 9.0f, 0.0f, 1.9f, -1.0f, AM_SYNTH_TURN },
    { "strafe_left_slow", 5.0f, 0.5f, 0.0f, 1.0f, AM_SYNTH_STRAFE },
    { "strafe_right_slow", 5.0f, 0.5f, 0.0f, -1.0f, AM_SYNTH_STRAFE },
    { "strafe_left", 5.0f, 1.0f, 0.0f, 1.0f, AM_SYNTH_STRAFE },
    { "strafe_right", 5.0f, 1.0f, 0.0f, -1.0f, AM_SYNTH_STRAFE },
    { "backward_slow", 6.0f, 0.6f, 0.0f, 1.0f, AM_SYNTH_BACKWARD },
    { "backward", 6.0f, 1.1f, 0.0f, 1.0f, AM_SYNTH_BACKWARD },
    { "start_stop_walk", 12.0f, 1.4f, 0.0f, 1.0f, AM_SYNTH_START_STOP },
    { "start_stop_run", 12.0f, 3.2f, 0.0f, 1.0f, AM_SYNTH_START_STOP },
    { "jump", 9.0f, 0.0f, 0.0f, 1.0f, AM_SYNTH_JUMP },
    { "crouch_slow", 12.0f, 0.5f, 0.0f, 1.0f, AM_SYNTH_CROUCH },
    { "crouch", 12.0f, 0.9f, 0.0f, 1.0f, AM_SYNTH_CROUCH },
    { "sit", 8.5f, 0.0f, 0.0f, 1.0f, AM_SYNTH_SIT },
    { "wander_a", 40.0f, 0.0f, 0.0f, 1.0f, AM_SYNTH_WANDER },
    { "wander_b", 40.0f, 0.0f, 0.0f, 1.0f, AM_SYNTH_WANDER },
    { "wander_c", 40.0f, 0.0f, 0.0f, 1.0f, AM_SYNTH_WANDER },
    { "corner_walk_left", 24.0f, 1.2f, 3.5f, 1.0f, AM_SYNTH_CORNER },
    { "corner_walk_right", 24.0f, 1.5f, 4.0f, -1.0f, AM_SYNTH_CORNER },
};

int am_synth_all_count(void) { return (int)(sizeof all / sizeof all[0]); }

am_synth_def am_synth_all_item(int index, uint64_t seed)
{
    am_synth_def def = am_synth_def_default();
    if (index < 0 || index >= am_synth_all_count()) {
        return def;
    }
    def.name = all[index].name;
    def.kind = all[index].kind;
    def.seconds = all[index].seconds;
    def.speed = all[index].speed;
    def.turn = all[index].turn;
    def.side = all[index].side;
    def.seed = seed * 1000u + (uint64_t)index;
    return def;
}

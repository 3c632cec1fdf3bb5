// Jumping onto a spot, sitting down on chairs and getting up again, and reaching for objects.
#include "behaviours.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

static const float dt = 1.0f / 60.0f;
#define STAND_S 0.5f ///< before anything is asked
#define JUMP_S 4.0f
#define AIR_M 0.05f ///< both toes this far above where they stand: in the air
#define SIT_S 6.0f
#define UP_S 4.0f
#define SEAT_M 0.1f      ///< hips above the place of a chair (configs/controls/sit.json)
#define STOOD_LEGS 0.85f ///< hips higher than this many leg lengths stand
#define REACH_S 5.0f

/// What one character is asked.
typedef struct object_goal {
    am_vec3 place, facing;
    const char *hand; ///< NULL: both
} object_goal;

typedef struct object_ask {
    const behaviour_parts *parts;
    object_goal *goals; ///< [character]
} object_ask;

static void ask_object(void *user, int character, float t, am_transform root, am_control *control)
{
    const object_ask *a = user;
    const object_goal *g = &a->goals[character];
    (void)root;
    ask_place(control, a->parts->place, g->place);
    if (a->parts->faced) {
        ask_place(control, a->parts->facing, g->facing);
    }
    if (g->hand && a->parts->extra[0]) {
        (void)am_control_choose(control, a->parts->extra, g->hand, NULL);
    }
    (void)t;
}

/// Sits for SIT_S, then gets up towards the same side.
static void ask_chair(void *user, int character, float t, am_transform root, am_control *control)
{
    const object_ask *a = user;
    if (t < SIT_S || !a->parts->extra[0]) {
        ask_object(user, character, t, root, control);
    } else {
        ask_place(control, a->parts->extra, a->goals[character].facing);
    }
}

static am_vec3 on_ground(float way, float metres) { return am_v3(metres * am_sin(way), 0.0f, metres * am_cos(way)); }

// ---------------------------------------------------------------------------------------------
// Measures

static bool in_air(const crowd *c, int who, int frame)
{
    const float left = crowd_point(c, who, frame, AM_POINT_LEFT_TOE).y;
    const float right = crowd_point(c, who, frame, AM_POINT_RIGHT_TOE).y;
    return am_min(left, right) > c->b->floor.toe_m + AIR_M;
}

/// The frame in which a character lands from its longest flight; -1 when it never leaves the ground for a tenth of a
/// second.
static int landing(const crowd *c, int who)
{
    int best = -1, most = 6, since = 0;
    for (int f = 0; f < c->frames; f++) {
        since = in_air(c, who, f) ? since + 1 : 0;
        if (since > most) {
            most = since;
            best = f + 1 < c->frames ? f + 1 : f;
        }
    }
    return best;
}

static void measure_jumps(const crowd *c, const object_ask *a, behaviour_row *row, float *away, float *times)
{
    int within = 0, jumped = 0;
    for (int i = 0; i < c->count; i++) {
        const int f = landing(c, i), last = f >= 0 ? f : c->frames - 1;
        away[i] = am_v3_distance(am_v3_ground(crowd_root(c, i, last).translation), a->goals[i].place);
        if (f >= 0) {
            times[jumped++] = (float)f * dt;
        }
        within += f >= 0 && away[i] < 0.25f;
    }
    row->within_25 = (double)within / c->count;
    row->done = (double)jumped / c->count;
    row->median_m = sorted_part(away, c->count, 0.5);
    row->time_s = sorted_part(times, jumped, 0.5);
}

static void measure_chairs(const crowd *c, const object_ask *a, behaviour_row *row, float *away, float *turns)
{
    const int seated = (int)(SIT_S / dt) - 1;
    int within = 0, well = 0, up = 0;
    for (int i = 0; i < c->count; i++) {
        const object_goal *g = &a->goals[i];
        const am_vec3 hips = crowd_point(c, i, seated, AM_POINT_HIPS);
        const float own = am_quat_heading(crowd_root(c, i, seated).rotation);
        away[i] = am_v3_distance(hips, am_v3_add(g->place, am_v3(0.0f, SEAT_M, 0.0f)));
        turns[i] = am_abs(am_wrap_angle(own - am_atan2(g->facing.x, g->facing.z))) / AM_DEG;
        within += away[i] < 0.25f;
        well += away[i] < 0.05f && turns[i] < 5.0f;
        const bool sat = hips.y < STOOD_LEGS * c->b->body.leg_m;
        up += sat && crowd_point(c, i, c->frames - 1, AM_POINT_HIPS).y > STOOD_LEGS * c->b->body.leg_m;
    }
    row->within_25 = (double)within / c->count;
    row->within_15 = (double)up / c->count; // a row of its own takes this over
    row->done = (double)well / c->count;
    row->median_m = sorted_part(away, c->count, 0.5);
    row->facing_deg = sorted_part(turns, c->count, 0.5);
}

/// How near the hand comes to its object, or the middle of both hands.
static void measure_reaches(const crowd *c, const object_ask *a, behaviour_row *row, float *away, float *times)
{
    int within = 0, well = 0;
    for (int i = 0; i < c->count; i++) {
        const object_goal *g = &a->goals[i];
        int when = 0;
        away[i] = INFINITY;
        for (int f = 0; f < c->frames; f++) {
            const am_vec3 left = crowd_point(c, i, f, AM_POINT_LEFT_HAND);
            const am_vec3 right = crowd_point(c, i, f, AM_POINT_RIGHT_HAND);
            const am_vec3 hand = !g->hand ? am_v3_lerp(left, right, 0.5f) : g->hand[0] == 'l' ? left : right;
            const float metres = am_v3_distance(hand, g->place);
            when = metres < away[i] ? f : when;
            away[i] = am_min(away[i], metres);
        }
        within += away[i] < 0.25f;
        well += away[i] < 0.05f;
        times[i] = (float)when * dt;
    }
    row->within_25 = (double)within / c->count;
    row->done = (double)well / c->count;
    row->median_m = sorted_part(away, c->count, 0.5);
    row->time_s = sorted_part(times, c->count, 0.5);
}

// ---------------------------------------------------------------------------------------------
// Rows

typedef void goal_draw(object_goal *out, int character, am_rng *rng);
typedef void goal_measure(const crowd *c, const object_ask *a, behaviour_row *row, float *away, float *more);

/// One to one and a half metres ahead, a little to the side.
static void draw_spot(object_goal *g, int character, am_rng *rng)
{
    (void)character;
    const float way = am_rng_range(rng, -20.0f, 20.0f) * AM_DEG;
    g->place = on_ground(way, am_rng_range(rng, 0.7f, 1.5f));
}

/// Behind a character that has its back to it, as far off as people come to stand: its facing is within 20 degrees
/// of the character's, its seat 30 to 50 cm behind and 45 to 60 cm high.
static void draw_chair(object_goal *g, int character, am_rng *rng)
{
    (void)character;
    const float way = am_rng_range(rng, -20.0f, 20.0f) * AM_DEG, aside = am_rng_range(rng, -0.1f, 0.1f);
    g->place = am_v3(aside, am_rng_range(rng, 0.45f, 0.6f), -am_rng_range(rng, 0.3f, 0.5f));
    g->facing = on_ground(way, 1.0f);
}

/// A metre or two ahead, as high as the data's box; every other one for one hand.
static void draw_object(object_goal *g, int character, am_rng *rng)
{
    static const char *const hands[4] = { NULL, "left", NULL, "right" };
    g->place = on_ground(am_rng_range(rng, -15.0f, 15.0f) * AM_DEG, am_rng_range(rng, 0.5f, 1.8f));
    g->place.y = am_rng_range(rng, 0.42f, 0.54f);
    g->hand = hands[character % 4];
}

static am_result play_objects(behaviours *b, behaviour kind, const char *name, float seconds, goal_draw *draw,
                              goal_measure *measure, behaviour_row *row, am_error *err)
{
    const int count = b->e->quick ? 20 : 100;
    object_ask a = { .parts = &b->parts[kind] };
    const am_rng seed = ami_rng_make(51 + (uint64_t)kind);
    float *values = calloc((size_t)count * 2, sizeof *values);
    a.goals = calloc((size_t)count, sizeof *a.goals);
    if (!values || !a.goals) {
        free(values);
        free(a.goals);
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for objects");
    }
    for (int i = 0; i < count; i++) {
        am_rng rng = ami_rng_fork(&seed, (uint64_t)i);
        draw(&a.goals[i], i, &rng);
    }
    row->name = name;
    row->trials = count;
    crowd c;
    am_result result = crowd_open(&c, b, count, seconds, true, 52, err);
    result =
        result == AM_OK ? crowd_play(&c, seconds, kind == BEHAVIOUR_SIT ? ask_chair : ask_object, &a, err) : result;
    if (result == AM_OK) {
        const crowd_quality q = crowd_measure(&c, 0.5f);
        measure(&c, &a, row, values, values + count);
        behaviour_row rest = behaviour_row_of("get up", count);
        if (kind == BEHAVIOUR_SIT) {
            rest.done = row->within_15;
            rest.done_bound = 0.9;
            row->within_15 = (double)NAN;
        }
        behaviour_row_put(b, row, &q);
        if (kind == BEHAVIOUR_SIT) {
            behaviour_row_put(b, &rest, &q);
        }
    }
    crowd_close(&c);
    free(values);
    free(a.goals);
    return result;
}

am_result behaviours_objects(behaviours *b, am_error *err)
{
    am_result result = AM_OK;
    behaviour_row row = behaviour_row_of("", 0);
    if (b->parts[BEHAVIOUR_JUMP].has) {
        row.within_25_bound = 0.9;
        result = play_objects(b, BEHAVIOUR_JUMP, "jump", JUMP_S, draw_spot, measure_jumps, &row, err);
    }
    row = behaviour_row_of("", 0);
    row.done_bound = 0.9;
    if (result == AM_OK && b->parts[BEHAVIOUR_SIT].has) {
        result = play_objects(b, BEHAVIOUR_SIT, "sit", SIT_S + UP_S, draw_chair, measure_chairs, &row, err);
    }
    row = behaviour_row_of("", 0);
    row.done_bound = 0.9;
    if (result == AM_OK && b->parts[BEHAVIOUR_PICK_UP].has) {
        result = play_objects(b, BEHAVIOUR_PICK_UP, "pick up", REACH_S, draw_object, measure_reaches, &row, err);
    }
    return result;
}

// Moving to random targets, by the network alone and with the arrival plan.
#include "behaviours.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

static const float dt = 1.0f / 60.0f;
// Long enough for five metres behind one's back at a slow walk.
#define GOAL_S 8.0f
#define MOST_M 5.0f
enum { goals = 5 }; ///< of each character, one after another

typedef struct goal {
    am_vec3 place, facing; ///< zero: none
    bool given;
    am_vec3 from;
} goal;

typedef struct goal_ask {
    const behaviour_parts *parts;
    goal *goals; ///< [character][goals]
    am_rng *rngs;
    am_intent *intents; ///< that ask instead of the controls, or NULL
    bool faced;
} goal_ask;

/// Anywhere within five metres, every spot of the ground alike; every other one with a facing.
static void draw_goal(goal *g, am_rng *rng, am_transform root, bool faced)
{
    const float away = MOST_M * sqrtf(am_rng_float(rng)), way = am_rng_range(rng, -AM_PI, AM_PI);
    const float faces = am_rng_range(rng, -AM_PI, AM_PI);
    g->from = am_v3_ground(root.translation);
    g->place = am_v3_add(g->from, am_v3(away * am_sin(way), 0.0f, away * am_cos(way)));
    g->facing = faced ? am_v3(am_sin(faces), 0.0f, am_cos(faces)) : am_v3_zero();
    g->given = true;
}

static void ask_goal(void *user, int character, float t, am_transform root, am_control *control)
{
    const goal_ask *a = user;
    const int turn = (int)((t + 0.5f * dt) / GOAL_S);
    goal *g = &a->goals[character * goals + (turn < goals ? turn : goals - 1)];
    if (!g->given) {
        draw_goal(g, &a->rngs[character], root, a->faced && (character + turn) % 2 == 0);
    }
    if (a->intents) {
        a->intents[character] = (am_intent){ .has_point = true, .point = g->place, .facing = g->facing };
        return;
    }
    ask_place(control, a->parts->place, g->place);
    if (am_v3_length(g->facing) > 0.5f) {
        ask_place(control, a->parts->facing, g->facing);
    }
}

/// When a character was within a distance of its goal for good; infinite when it never was.
static float time_of(const crowd *c, int character, int first, int frames, const goal *g, float metres)
{
    int since = frames;
    while (since > 0) {
        const am_vec3 at = crowd_root(c, character, first + since - 1).translation;
        if (!(am_v3_length(am_v3_ground(am_v3_sub(at, g->place))) < metres)) {
            break;
        }
        since--;
    }
    return since < frames ? (float)since * dt : INFINITY;
}

static void measure_goals(const crowd *c, const goal_ask *a, behaviour_row *row, float *values)
{
    const int hold = (int)(GOAL_S / dt + 0.5f), count = c->count * goals;
    float *away = values, *turns = values + count, *times = values + (ptrdiff_t)2 * count;
    int faced = 0, within_25 = 0, within_15 = 0, arrived = 0, faced_well = 0;
    for (int i = 0; i < count; i++) {
        const int who = i / goals, first = i % goals * hold;
        const goal *g = &a->goals[i];
        const am_transform end = crowd_root(c, who, first + hold - 1);
        away[i] = am_v3_length(am_v3_ground(am_v3_sub(end.translation, g->place)));
        within_25 += away[i] < 0.25f;
        within_15 += away[i] < 0.15f;
        if (am_v3_length(g->facing) > 0.5f) {
            const float own = am_quat_heading(end.rotation);
            turns[faced] = am_abs(am_wrap_angle(own - am_atan2(g->facing.x, g->facing.z)) / AM_DEG);
            faced_well += turns[faced++] < 5.0f;
        }
        const float t = time_of(c, who, first, hold, g, 0.25f);
        if (t < GOAL_S) {
            times[arrived++] = t;
        }
    }
    row->within_25 = (double)within_25 / count;
    row->within_15 = (double)within_15 / count;
    row->median_m = sorted_part(away, count, 0.5);
    row->facing_deg = sorted_part(turns, faced, 0.5);
    row->done = faced > 0 ? (double)faced_well / faced : (double)NAN;
    row->time_s = sorted_part(times, arrived, 0.5);
}

/// How a target is asked for.
typedef enum goal_way {
    GOAL_ALONE, ///< by the network alone
    GOAL_PLAN,  ///< with the arrival plan
    GOAL_POINT, ///< a schema without a target: the runtime controls follow the plan to the intent's point
} goal_way;

static behaviour_row row_of(goal_way way, int trials)
{
    static const char *const names[] = { "target, network alone", "target, plan", "point, plan" };
    behaviour_row row = behaviour_row_of(names[way], trials);
    if (way == GOAL_ALONE) {
        row.within_25_bound = 0.90;
        row.median_bound = 0.15;
        row.facing_bound = 10.0;
    } else {
        row.within_15_bound = row.done_bound = 0.98;
    }
    return row;
}

static am_result play_goals(behaviours *b, goal_way way, goal_ask *a, int count, float *values, am_error *err)
{
    crowd c;
    const am_rng seed = ami_rng_make(21);
    for (int i = 0; i < count; i++) {
        a->rngs[i] = ami_rng_fork(&seed, (uint64_t)i);
    }
    am_result result = crowd_open(&c, b, count, goals * GOAL_S, way != GOAL_ALONE, 22, err);
    a->intents = way == GOAL_POINT ? c.intents : NULL;
    result = result == AM_OK ? crowd_play(&c, goals * GOAL_S, ask_goal, a, err) : result;
    if (result == AM_OK) {
        behaviour_row row = row_of(way, count * goals);
        const crowd_quality q = crowd_measure(&c, 1.0f);
        measure_goals(&c, a, &row, values);
        if (way == GOAL_ALONE) {
            b->usual_p95[BEHAVIOUR_TARGET] = q.novelty_p95;
        }
        behaviour_row_put(b, &row, &q);
    }
    crowd_close(&c);
    return result;
}

static am_result targets(behaviours *b, goal_way way, am_error *err)
{
    const int count = b->e->quick ? 8 : 40;
    goal_ask a = { .parts = &b->parts[BEHAVIOUR_TARGET] };
    float *values = calloc((size_t)count * goals * 3, sizeof *values);
    a.goals = calloc((size_t)count * goals, sizeof *a.goals);
    a.rngs = calloc((size_t)count, sizeof *a.rngs);
    a.faced = way == GOAL_POINT || a.parts->faced;
    const am_result result = values && a.goals && a.rngs
                                 ? play_goals(b, way, &a, count, values, err)
                                 : cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for targets");
    free(values);
    free(a.goals);
    free(a.rngs);
    return result;
}

am_result behaviours_goals(behaviours *b, am_error *err)
{
    if (!b->parts[BEHAVIOUR_TARGET].has) {
        return b->follows ? targets(b, GOAL_POINT, err) : AM_OK;
    }
    const am_result result = targets(b, GOAL_ALONE, err);
    return result == AM_OK ? targets(b, GOAL_PLAN, err) : result;
}

// Controls that nothing in the data answers, and standing: a character must neither float, freeze, fly off nor shake.
#include "behaviours_courses.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_characters = 12 };
#define BEYOND_S 10.0f
#define FAR_M 50.0f
#define JUMP_M 5.0f
#define STAND_S 20.0f

static void put(behaviours *b, const char *name, behaviour kind, const crowd *c)
{
    ami_tables *t = b->e->tables;
    const crowd_quality q = crowd_measure(c, 0.5f);
    const double usual = b->usual_p95[kind];
    ami_tables_row(t);
    ami_tables_text(t, name);
    ami_tables_number(t, c->count);
    ami_tables_number(t, q.novelty_median);
    ami_tables_number(t, q.novelty_p95);
    ami_tables_bounded(t, usual > 0.0 ? q.novelty_p95 / usual : (double)NAN, 1.5);
    ami_tables_number(t, 100.0 * q.frozen);
    ami_tables_bounded(t, 100.0 * q.floats, 0.5);
    ami_tables_number(t, q.fastest);
    ami_tables_number(t, (double)b->facts.v_max);
}

static am_result play(behaviours *b, const char *name, behaviour kind, crowd_ask *ask, void *user, am_error *err)
{
    crowd c;
    am_result result = crowd_open(&c, b, b->e->quick ? course_count : most_characters, BEYOND_S, false, 31, err);
    result = result == AM_OK ? crowd_play(&c, BEYOND_S, ask, user, err) : result;
    if (result == AM_OK) {
        put(b, name, kind, &c);
    }
    crowd_close(&c);
    return result;
}

static am_result courses_beyond(behaviours *b, behaviour kind, crowd_ask *ask, const course *fast,
                                const course *usual, am_error *err)
{
    char name[60];
    const behaviour_parts *p = &b->parts[kind];
    course_ask quick = { .parts = p, .courses = fast, .items = p->count, .every_s = WAY_POINT_S };
    course_ask jumps = { .parts = p, .courses = usual, .items = p->count, .every_s = WAY_POINT_S, .jump_m = JUMP_M };
    snprintf(name, sizeof name, "%s, three times too fast", behaviour_name(kind));
    am_result result = play(b, name, kind, ask, &quick, err);
    snprintf(name, sizeof name, "%s that jumps %.0f m", behaviour_name(kind), (double)JUMP_M);
    return result == AM_OK ? play(b, name, kind, ask, &jumps, err) : result;
}

/// One way or velocity for each character.
typedef struct far_ask {
    const behaviour_parts *parts;
    float length;
} far_ask;

static void ask_far(void *user, int character, float t, am_transform root, am_control *control)
{
    const far_ask *a = user;
    const float way = 2.0f * AM_PI * (float)character / (float)most_characters;
    (void)t;
    (void)root;
    ask_place(control, a->parts->place, am_v3(a->length * am_sin(way), 0.0f, a->length * am_cos(way)));
}

/// A name that the schema does not have must be refused, by its word and by its number.
static void unknown_style(behaviours *b, am_error *err)
{
    const behaviour_parts *p = &b->parts[BEHAVIOUR_STYLED];
    am_control *control = NULL;
    am_error own = { 0 };
    if (am_control_create(&control, b->schema, NULL, err) == AM_OK) {
        const float beyond = (float)p->names->name_count;
        const bool refused = am_control_choose(control, p->extra, "no_such_style", &own) == AM_ERR_KEY &&
                             am_control_set(control, p->extra, &beyond, 1, &own) == AM_ERR_RANGE;
        ami_tables_note(b->e->tables, "an unknown style is %s", refused ? "refused" : "taken, which is a mistake!");
    }
    am_control_destroy(control);
}

static am_result beyond(behaviours *b, const course *fast, const course *usual, am_error *err)
{
    am_result result = AM_OK;
    if (b->parts[BEHAVIOUR_TRAJECTORY].has) {
        result = courses_beyond(b, BEHAVIOUR_TRAJECTORY, ask_trajectory, fast, usual, err);
    }
    if (result == AM_OK && b->parts[BEHAVIOUR_PATH].has) {
        result = courses_beyond(b, BEHAVIOUR_PATH, ask_path, fast, usual, err);
    }
    if (result == AM_OK && b->parts[BEHAVIOUR_VELOCITY].has) {
        far_ask a = { &b->parts[BEHAVIOUR_VELOCITY], 3.0f * b->facts.v_max };
        result = play(b, "velocity, three times too fast", BEHAVIOUR_VELOCITY, ask_far, &a, err);
    }
    if (result == AM_OK && b->parts[BEHAVIOUR_TARGET].has) {
        far_ask a = { &b->parts[BEHAVIOUR_TARGET], FAR_M };
        result = play(b, "target 50 m away", BEHAVIOUR_TARGET, ask_far, &a, err);
    }
    if (result == AM_OK && b->parts[BEHAVIOUR_STYLED].has) {
        unknown_style(b, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Standing

/// What asks a character to stand where it is after two seconds of walking.
typedef struct stand_ask {
    const behaviour_parts *parts;
    behaviour kind;
    am_vec3 places[most_characters], facings[most_characters]; ///< where they are to stand
} stand_ask;
#define WALK_S 2.0f
#define REST_S 4.0f ///< to come to rest

static void ask_stand(void *user, int character, float t, am_transform root, am_control *control)
{
    stand_ask *a = user;
    const behaviour_parts *p = a->parts;
    const bool stands = t >= WALK_S;
    const am_vec3 ahead = am_quat_rotate(root.rotation, am_v3(0.0f, 0.0f, 1.0f));
    if (!stands) { // half a metre beyond: where it can stop
        a->places[character] = am_v3_add(am_v3_ground(root.translation), am_v3_scale(ahead, 0.5f));
        a->facings[character] = ahead;
    }
    if (a->kind == BEHAVIOUR_VELOCITY) {
        ask_place(control, p->place, am_v3_scale(ahead, stands ? 0.0f : 1.0f));
    } else if (a->kind == BEHAVIOUR_TARGET) {
        const am_vec3 on = am_v3_add(a->places[character], am_v3_scale(ahead, 1.0f));
        ask_place(control, p->place, stands ? a->places[character] : on);
    } else {
        for (int i = 0; i < p->count; i++) {
            const float way = 1.1f * (a->kind == BEHAVIOUR_PATH ? WAY_POINT_S * (float)(i + 1) : p->times[i]);
            const am_vec3 on = am_v3_add(am_v3_ground(root.translation), am_v3_scale(ahead, way));
            ask_item(control, p->place, i, p->item, stands ? a->places[character] : on);
            if (p->faced && a->kind == BEHAVIOUR_TRAJECTORY) {
                ask_item(control, p->place, i, ".facing", a->facings[character]);
            }
        }
    }
}

static am_result stand(behaviours *b, behaviour kind, am_error *err)
{
    const int count = b->e->quick ? 4 : most_characters;
    const float seconds = WALK_S + REST_S + STAND_S;
    stand_ask a = { .parts = &b->parts[kind], .kind = kind };
    crowd c;
    am_result result = crowd_open(&c, b, count, seconds, true, 41, err);
    result = result == AM_OK ? crowd_play(&c, seconds, ask_stand, &a, err) : result;
    if (result != AM_OK) {
        crowd_close(&c);
        return result;
    }
    const am_standing_limits *limits = am_reference_standing(b->reference);
    const double scale = 100.0 * (double)b->body.leg_m;
    am_standing all = { 0 };
    int walking = 0;
    for (int i = 0; i < count; i++) {
        const am_motion motion = crowd_motion(&c, i);
        // Measured from a second after the span begins: 20 s.
        const am_stand_span span = { c.frames - (int)((STAND_S + 1.0f) * 60.0f), c.frames - 1, true };
        const am_standing s = am_standing_measure(&motion, &span, 1);
        const am_vec3 begun = crowd_point(&c, i, span.first + 60, AM_POINT_HIPS);
        const am_vec3 ended = crowd_point(&c, i, span.last, AM_POINT_HIPS);
        walking += am_v3_length(am_v3_ground(am_v3_sub(ended, begun))) > 1.0f;
        all.seconds += s.seconds / (float)count;
        all.drift_m = am_max(all.drift_m, s.drift_m);
        all.turn_deg = am_max(all.turn_deg, s.turn_deg);
        all.bob_cm += s.bob_cm / (float)count;
        all.hands_cm += s.hands_cm / (float)count;
        all.head_cm += s.head_cm / (float)count;
        all.sway_cm += s.sway_cm / (float)count;
    }
    ami_tables *t = b->e->tables;
    ami_tables_row(t);
    ami_tables_text(t, behaviour_name(kind));
    ami_tables_number(t, count);
    ami_tables_bounded(t, walking, 0.0);
    ami_tables_number(t, (double)all.seconds);
    ami_tables_bounded(t, 100.0 * (double)all.drift_m, 1.0);
    ami_tables_number(t, (double)all.turn_deg);
    ami_tables_bounded(t, (double)all.bob_cm, scale * (double)limits->bob);
    ami_tables_bounded(t, (double)all.hands_cm, scale * (double)limits->hands);
    ami_tables_bounded(t, (double)all.head_cm, scale * (double)limits->head);
    ami_tables_bounded(t, (double)all.sway_cm, scale * (double)limits->sway);
    crowd_close(&c);
    return AM_OK;
}

static am_result stands(behaviours *b, am_error *err)
{
    static const ami_column columns[] = { { "standing", -1 }, { "characters", 0 }, { "walk away", 0 },
                                          { "seconds", 1 },   { "drift cm", 2 },   { "turn deg", 2 },
                                          { "bob cm", 3 },    { "hands cm", 2 },   { "head cm", 2 },
                                          { "sway cm", 2 } };
    const am_standing_limits *s = am_reference_standing(b->reference);
    const double scale = 100.0 * (double)b->body.leg_m, no = (double)NAN;
    const double captured[] = { no,
                                no,
                                no,
                                no,
                                no,
                                scale * (double)s->bob,
                                scale * (double)s->hands,
                                scale * (double)s->head,
                                scale * (double)s->sway };
    am_result result = AM_OK;
    ami_tables_begin(b->e->tables, "standing", "20 s of standing where the character is, after a walk");
    ami_tables_columns(b->e->tables, columns, CLI_COUNT(columns));
    ami_tables_row(b->e->tables);
    ami_tables_text(b->e->tables, "captured");
    for (int i = 0; i < CLI_COUNT(captured); i++) {
        ami_tables_number(b->e->tables, captured[i]);
    }
    for (int kind = BEHAVIOUR_TRAJECTORY; kind <= BEHAVIOUR_TARGET && result == AM_OK; kind++) {
        result = b->parts[kind].has ? stand(b, (behaviour)kind, err) : AM_OK;
    }
    return result;
}

am_result behaviours_beyond(behaviours *b, am_error *err)
{
    static const ami_column columns[] = {
        { "asked", -1 },         { "characters", 0 },  { "novelty median cm", 2 },
        { "novelty p95 cm", 2 }, { "x usual p95", 2 }, { "frozen %", 1 },
        { "floats %", 2 },       { "fastest m/s", 2 }, { "data's fastest m/s", 2 }
    };
    course *courses = calloc((size_t)2 * course_count, sizeof *courses);
    if (!courses) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for courses");
    }
    courses_make(courses, 1.0f);
    courses_make(courses + course_count, 3.0f * b->facts.v_max / COURSE_MPS);
    ami_tables_begin(b->e->tables, "beyond", "controls that nothing in the data answers, 10 s each");
    ami_tables_columns(b->e->tables, columns, CLI_COUNT(columns));
    am_result result = beyond(b, courses + course_count, courses, err);
    free(courses);
    return result == AM_OK ? stands(b, err) : result;
}

// amble eval motion: what an animator would see (docs/run.md), of every method beside captured motion: the keys of a
// newcomer, random starts, random stops, and a minute of standing.
#include "places.h"
#include "database.h"
#include "eval.h"
#include "base/rng.h"
#include <amble/tools/metrics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bounds, in the units of the columns. Novelty of another actor's captured walks is 9.1 cm in the median: a rig that
// is not the reference's gets as much more as its captured clips have.
#define NOVELTY_CM 8.0
#define NOVELTY_P95_CM 14.0
#define NOVELTY_MAX_CM 20.0
#define DRIFT_M 0.01
#define TURN_DEG 1.0
#define LIFE_LEAST 0.3 // of captured standing' movements
#define LIFE_MOST 3.0

/// A method on its data.
typedef struct player {
    const char *name, *method;
    const char *config; ///< database; NULL: networks alone
    const char *model;  ///< of models/, or NULL
    const char *task;   ///< of a field
} player;

// The first three are played with --quick, too.
static const player captured_players[] = {
    { "match", "match", "studio_cmu", NULL, NULL },
    { "long-horizon", "long-horizon", "studio_cmu", NULL, NULL },
    { "learned, everyday", "learned", NULL, "everyday.amnet", NULL },
    { "learned, locomotion", "learned", NULL, "locomotion.amnet", NULL },
    { "field", "field", "fields_play", "fields_page.amnet", "speed" },
};
static const player plain_players[] = {
    { "match", "match", "synth", NULL, NULL },
    { "long-horizon", "long-horizon", "synth", NULL, NULL },
    { "learned, everyday", "learned", NULL, "everyday.amnet", NULL },
};
enum { most_players = sizeof captured_players / sizeof captured_players[0], most_keys = 256 };

typedef enum course { TEN_SECONDS, STARTS, STOPS, STAND, course_count } course;

/// What the keys are down from a time on.
typedef struct keys {
    am_key_event events[most_keys];
    int count;
    float seconds;
} keys;

typedef struct outcome {
    am_metrics m;
    int odd[4]; ///< starts: crouch, flight, lunge, lean
    float start_s;
} outcome;

typedef struct job {
    eval *e;
    const player *players;
    int player_count;
    am_db *reference_db;
    am_reference *reference; ///< of the player's body
    am_db_measures own;      ///< of its data
    keys courses[course_count];
    outcome outcomes[most_players][course_count];
    am_standing_limits standing;
    float leg_m;
} job;

// ---------------------------------------------------------------------------------------------
// Courses

static void press(keys *k, float t, uint32_t down)
{
    if (k->count < most_keys) {
        k->events[k->count++] = (am_key_event){ t, down };
    }
}

/// One of eight directions; every third time sprinting.
static uint32_t direction(am_rng *rng, int turn)
{
    static const uint32_t ways[8] = { AM_KEY_W, AM_KEY_W | AM_KEY_A, AM_KEY_A, AM_KEY_A | AM_KEY_S,
                                      AM_KEY_S, AM_KEY_S | AM_KEY_D, AM_KEY_D, AM_KEY_D | AM_KEY_W };
    int way = (int)(am_rng_float(rng) * 8.0f) & 7;
    return ways[way] | (turn % 3 == 2 ? AM_KEY_SHIFT : 0u);
}

/// Moves for `move` seconds and stands for `stand`, again and again.
static void make_moves(keys *k, int count, const float move[2], const float stand[2], uint64_t seed)
{
    am_rng rng = ami_rng_make(seed);
    float t = 2.0f;
    press(k, 0.0f, 0);
    for (int i = 0; i < count; i++) {
        press(k, t, direction(&rng, i));
        t += am_rng_range(&rng, move[0], move[1]);
        press(k, t, 0);
        t += am_rng_range(&rng, stand[0], stand[1]);
    }
    k->seconds = t;
}

static am_result make_courses(job *j, am_error *err)
{
    char path[1024];
    am_run_script script = { 0 };
    am_result result = cli_config_find(path, sizeof path, CLI_RUN, "ten_seconds", err);
    result = result == AM_OK ? am_run_read(&script, path, NULL, err) : result;
    if (result != AM_OK) {
        return result;
    }
    keys *ten = &j->courses[TEN_SECONDS];
    for (int i = 0; i < script.actors[0].key_count; i++) {
        press(ten, script.actors[0].keys[i].t, script.actors[0].keys[i].down);
    }
    ten->seconds = script.seconds;
    am_run_script_free(&script);
    make_moves(&j->courses[STARTS], j->e->quick ? 4 : 50, (float[]){ 1.3f, 2.2f }, (float[]){ 2.5f, 4.0f }, 7);
    make_moves(&j->courses[STOPS], j->e->quick ? 6 : 100, (float[]){ 1.5f, 3.0f }, (float[]){ 3.0f, 3.0f }, 11);
    keys *stand = &j->courses[STAND];
    press(stand, 0.0f, 0);
    press(stand, 1.0f, AM_KEY_W);
    press(stand, 3.0f, 0);
    stand->seconds = j->e->quick ? 10.0f : 65.0f;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Playing

static am_result make_script(am_run_script *out, const player *p, am_error *err)
{
    char text[400];
    snprintf(text, sizeof text,
             "{ \"controller\": \"%s\", \"database\": \"-\", \"model\": \"-\", \"fps\": 60, \"seconds\": 1, "
             "\"options\": { \"walk_mps\": 1.2%s%s%s }, \"characters\": [ { \"keys\": [] } ] }",
             p->method, p->task ? ", \"task\": \"" : "", p->task ? p->task : "", p->task ? "\"" : "");
    return am_run_parse(out, text, strlen(text), "eval motion", NULL, err);
}

static void take(outcome *out, am_run_meter *meter)
{
    out->m = am_run_meter_result(meter, 0);
    static const uint32_t kinds[4] = { AM_ODD_CROUCH, AM_ODD_FLIGHT, AM_ODD_LUNGE, AM_ODD_LEAN };
    for (int i = 0; i < out->m.response_count; i++) {
        const am_response *r = &out->m.responses[i];
        for (int o = 0; o < 4 && r->kind == AM_RESPONSE_START; o++) {
            out->odd[o] += (r->odd & kinds[o]) != 0;
        }
    }
    out->start_s = am_responses_median(out->m.responses, out->m.response_count, AM_RESPONSE_START, 0.0f, AM_PI);
    out->m.responses = NULL; // the meter's, which ends
}

/// What all courses of a player share: the reference for its body, and the measures of its data.
static am_result prepare(job *j, const am_run *run, am_error *err)
{
    if (j->reference) {
        return AM_OK;
    }
    const am_db *own = am_run_db(run);
    am_body body = am_body_find(own->skeleton, &own->roles);
    am_reference_def def = am_reference_def_default();
    def.db = j->reference_db;
    def.body = &body;
    am_result result = am_run_measure(&j->own, run, NULL, err);
    result = result == AM_OK ? am_reference_create(&j->reference, &def, err) : result;
    if (result == AM_OK) {
        j->standing = *am_reference_standing(j->reference);
        j->leg_m = body.leg_m;
    }
    return result;
}

static am_result measure(job *j, am_run_meter **meter, const am_run *run, am_error *err)
{
    am_result result = prepare(j, run, err);
    if (result == AM_OK) {
        am_run_meter_def def = am_run_meter_def_default();
        def.run = run;
        def.own = &j->own;
        def.reference = j->reference;
        result = am_run_meter_create(meter, &def, err);
    }
    return result;
}

static am_result play(job *j, const player *p, course c, const am_db *db, const am_model *model, am_error *err)
{
    outcome *out = &j->outcomes[p - j->players][c];
    am_run_script script = { 0 };
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    am_result result = make_script(&script, p, err);
    if (result != AM_OK) {
        return result;
    }
    am_run_actor actor = script.actors[0];
    const am_run_actor *parsed = script.actors;
    actor.keys = j->courses[c].events;
    actor.key_count = j->courses[c].count;
    script.actors = &actor;
    script.seconds = j->courses[c].seconds;
    script.database = NULL;
    script.model_count = 0;
    am_run_def def = am_run_def_default();
    def.script = &script;
    def.db = db;
    def.models = &model;
    def.model_count = model ? 1 : 0;
    result = am_run_create(&run, &def, err);
    result = result == AM_OK ? measure(j, &meter, run, err) : result;
    if (result == AM_OK) {
        am_run_observer observer = am_run_meter_observer(meter);
        am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, &observer, 1, &quiet, err);
    }
    if (result == AM_OK) {
        take(out, meter);
    }
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    script.actors = parsed;
    am_run_script_free(&script);
    return result;
}

static am_result play_all(job *j, const player *p, am_error *err)
{
    char path[1024];
    am_db *db = NULL;
    am_model *model = NULL;
    const char *file = j->e->model && strcmp(p->method, "learned") == 0 ? j->e->model : p->model;
    am_result result = AM_OK;
    if (p->config) {
        result = cli_database_open(&db, p->config, j->e->tasks, j->e->progress, err);
    }
    if (result == AM_OK && file) {
        bool found = file == j->e->model || cli_model_find(path, sizeof path, file);
        result = found ? am_model_open(&model, file == j->e->model ? file : path, NULL, err)
                       : cli_error(err, AM_ERR_OPEN, NULL, "models/%s was not found", file);
    }
    for (int c = 0; c < course_count && result == AM_OK; c++) {
        result = play(j, p, (course)c, db, model, err);
    }
    am_reference_destroy(j->reference);
    j->reference = NULL;
    am_model_close(model);
    am_db_close(db);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Tables

static void list_ten(const job *j)
{
    static const ami_column columns[] = { { "ten_seconds", -1 },   { "novelty_cm", 1 },  { "novelty_p95_cm", 1 },
                                          { "novelty_max_cm", 1 }, { "steps", 0 },       { "steps_repeated", 0 },
                                          { "steps_odd", 0 },      { "glides", 0 },      { "glide_s", 2 },
                                          { "starts_odd", 0 },     { "turns_odd", 0 },   { "stops_odd", 0 },
                                          { "foot_slide_cm", 4 },  { "skate_share", 3 }, { "jitter_cm", 3 },
                                          { "response_s", 2 } };
    ami_tables *t = j->e->tables;
    ami_tables_begin(t, "ten_seconds", "the keys of configs/runs/ten_seconds.json");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int p = 0; p < j->player_count; p++) {
        const am_metrics *m = &j->outcomes[p][TEN_SECONDS].m;
        const am_motion_metrics *o = &m->motion;
        ami_tables_row(t);
        ami_tables_text(t, j->players[p].name);
        ami_tables_bounded(t, (double)o->novelty.median_cm, NOVELTY_CM);
        ami_tables_bounded(t, (double)o->novelty.p95_cm, NOVELTY_P95_CM);
        ami_tables_bounded(t, (double)o->novelty.max_cm, NOVELTY_MAX_CM);
        ami_tables_number(t, o->stepping.steps);
        ami_tables_number(t, o->stepping.steps_repeated);
        ami_tables_number(t, o->stepping.steps_odd);
        ami_tables_number(t, o->stepping.glides);
        ami_tables_number(t, (double)o->stepping.glide_s);
        ami_tables_bounded(t, o->starts_odd, 0.0);
        ami_tables_number(t, o->turns_odd);
        ami_tables_number(t, o->stops_odd);
        ami_tables_number(t, m->final.foot_slide_cm);
        ami_tables_number(t, m->final.skate_share);
        ami_tables_number(t, m->final.jitter_cm);
        ami_tables_number(t, (double)m->response_s);
    }
}

static void list_starts(const job *j)
{
    static const ami_column columns[] = { { "starts", -1 },       { "count", 0 },   { "starts_odd", 0 },
                                          { "crouch", 0 },        { "flight", 0 },  { "lunge", 0 },
                                          { "lean", 0 },          { "start_s", 2 }, { "novelty_p95_cm", 1 },
                                          { "novelty_max_cm", 1 } };
    ami_tables *t = j->e->tables;
    ami_tables_begin(t, "starts", "starts in random directions, every third of a sprint");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int p = 0; p < j->player_count; p++) {
        const outcome *o = &j->outcomes[p][STARTS];
        ami_tables_row(t);
        ami_tables_text(t, j->players[p].name);
        ami_tables_number(t, o->m.motion.starts);
        ami_tables_bounded(t, o->m.motion.starts_odd, 0.0);
        for (int i = 0; i < 4; i++) {
            ami_tables_number(t, o->odd[i]);
        }
        ami_tables_number(t, (double)o->start_s);
        ami_tables_number(t, (double)o->m.motion.novelty.p95_cm);
        ami_tables_number(t, (double)o->m.motion.novelty.max_cm);
    }
}

static void list_stops(const job *j)
{
    static const ami_column columns[] = { { "stops", -1 },       { "count", 0 },          { "stops_bad", 0 },
                                          { "stop_s", 2 },       { "glides", 0 },         { "glide_s", 2 },
                                          { "starts_odd", 0 },   { "novelty_p95_cm", 1 }, { "novelty_max_cm", 1 },
                                          { "foot_slide_cm", 4 } };
    ami_tables *t = j->e->tables;
    ami_tables_begin(t, "stops", "stops out of random directions, every third out of a sprint");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int p = 0; p < j->player_count; p++) {
        const am_metrics *m = &j->outcomes[p][STOPS].m;
        ami_tables_row(t);
        ami_tables_text(t, j->players[p].name);
        ami_tables_number(t, m->motion.stops);
        ami_tables_bounded(t, m->motion.stops_bad, 0.0);
        ami_tables_number(t, (double)m->stop_s);
        ami_tables_number(t, m->motion.stepping.glides);
        ami_tables_number(t, (double)m->motion.stepping.glide_s);
        ami_tables_number(t, m->motion.starts_odd);
        ami_tables_number(t, (double)m->motion.novelty.p95_cm);
        ami_tables_number(t, (double)m->motion.novelty.max_cm);
        ami_tables_number(t, m->final.foot_slide_cm);
    }
}

/// A movement of a standing character, marked when it is not within 0.3 and 3 times the captured one.
static void put_life(ami_tables *t, double cm, double captured_cm)
{
    bool within = cm >= LIFE_LEAST * captured_cm && cm <= LIFE_MOST * captured_cm;
    ami_tables_bounded(t, cm, within ? cm : -1.0);
}

static void list_stand(const job *j)
{
    static const ami_column columns[] = { { "standing", -1 }, { "seconds", 0 },  { "drift_m", 4 }, { "turn_deg", 2 },
                                          { "bob_cm", 3 },    { "hands_cm", 2 }, { "head_cm", 2 }, { "sway_cm", 2 } };
    ami_tables *t = j->e->tables;
    ami_tables_begin(t, "stand", "standing for a minute after a walk; beside captured standing");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    const am_standing_limits *s = &j->standing;
    double scale = (double)j->leg_m * 100.0;
    ami_tables_row(t);
    ami_tables_text(t, "captured");
    ami_tables_number(t, NAN);
    ami_tables_number(t, NAN);
    ami_tables_number(t, NAN);
    ami_tables_number(t, (double)s->bob * scale);
    ami_tables_number(t, (double)s->hands * scale);
    ami_tables_number(t, (double)s->head * scale);
    ami_tables_number(t, (double)s->sway * scale);
    for (int p = 0; p < j->player_count; p++) {
        const am_standing *o = &j->outcomes[p][STAND].m.motion.standing;
        ami_tables_row(t);
        ami_tables_text(t, j->players[p].name);
        ami_tables_number(t, (double)o->seconds);
        ami_tables_bounded(t, (double)o->drift_m, DRIFT_M);
        ami_tables_bounded(t, (double)o->turn_deg, TURN_DEG);
        ami_tables_bounded(t, (double)o->bob_cm, LIFE_MOST * (double)s->bob * scale);
        put_life(t, (double)o->hands_cm, (double)s->hands * scale);
        put_life(t, (double)o->head_cm, (double)s->head * scale);
        put_life(t, (double)o->sway_cm, (double)s->sway * scale);
    }
}

am_result eval_motion(eval *e, am_error *err)
{
    bool real = cli_database_has_data("studio_cmu") && cli_database_has_data("locomotion") &&
                (e->quick || cli_database_has_data("fields_play"));
    job *j = calloc(1, sizeof *j);
    if (!j) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the measures of motion");
    }
    j->e = e;
    j->players = real ? captured_players : plain_players;
    j->player_count = real && !e->quick ? (int)CLI_COUNT(captured_players) : (int)CLI_COUNT(plain_players);
    const char *reference = real ? "locomotion" : "synth";
    snprintf(e->title, sizeof e->title, "Motion, as an animator would see it");
    if (!real) {
        eval_without_capture(e, "Procedural motion (amble synth) and the networks that ship");
    }
    am_result result = cli_database_open(&j->reference_db, reference, e->tasks, e->progress, err);
    result = result == AM_OK ? make_courses(j, err) : result;
    for (int p = 0; p < j->player_count && result == AM_OK; p++) {
        result = play_all(j, &j->players[p], err);
    }
    if (result == AM_OK) {
        list_ten(j);
        list_starts(j);
        list_stops(j);
        list_stand(j);
        snprintf(e->about, sizeof e->about, "Measured against %s; %d values beyond their bound (marked !).",
                 reference, ami_tables_bad_count(e->tables));
    }
    am_db_close(j->reference_db);
    free(j);
    return result;
}

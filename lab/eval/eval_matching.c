// amble eval matching: fixed courses of keys and sticks over a database, every measure beside the database's own and
// its bound; then the same with one part of the method removed at a time.
#include "places.h"
#include "database.h"
#include "eval.h"
#include <amble/tools/metrics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const courses[] = { "straight", "turns_90", "turns_180", "zigzag",
                                       "stops",    "sprint",   "strafe",    "random" };
static const char *const quick_courses[] = { "turns_90", "stops", "random" };

enum { most_courses = sizeof courses / sizeof courses[0], most_answers = 512 };

/// A change of the settings, and where it should show.
typedef struct variant {
    const char *name;
    void (*change)(am_run_options *options);
    const char *worse; ///< column in which the ablation must lose, NULL for mere alternatives
} variant;

static void no_change(am_run_options *o) { (void)o; }
static void no_inertia(am_run_options *o) { o->settings.inertialise = AM_INERTIALISE_OFF; }
static void quintic(am_run_options *o) { o->settings.inertialise = AM_INERTIALISE_QUINTIC; }
static void no_springs(am_run_options *o) { o->settings.springs = false; }
static void no_ik(am_run_options *o) { o->settings.ik = false; }
static void root_animation(am_run_options *o) { o->settings.root = AM_ROOT_ANIMATION; }
static void root_simulation(am_run_options *o) { o->settings.root = AM_ROOT_SIMULATION; }
static void weighted(am_run_options *o)
{
    o->settings.trajectory_weight = 0.8f;
    o->settings.pose_weight = 0.2f;
}
static void animation_weighted(am_run_options *o)
{
    root_animation(o);
    weighted(o);
}
static void biased(am_run_options *o) { o->settings.stay_bias = 0.5f; }
static void seldom(am_run_options *o) { o->settings.search_every_s = 0.5f; }
static void slow_start(am_run_options *o) { o->settings.sharp_mps = o->settings.sharp_rad = 1e3f; }

// The first is what the others are compared with. Weights are judged where the animation alone moves the root: there
// nothing else keeps the character on course (Responsive 4.2.2).
static const variant variants[] = {
    { "as it is", no_change, NULL },
    { "no inertialisation", no_inertia, "transition_bend_cm" },
    { "quintic, not springs", quintic, NULL },
    { "no springs", no_springs, "point_bend_cm" },
    { "weights 0.8 / 0.2", weighted, NULL },
    { "no foot lock", no_ik, "foot_slide_cm" },
    { "root: simulated point", root_simulation, "skate_share_raw" },
    { "root: animation, 0.8 / 0.2", animation_weighted, NULL },
    { "root: animation, unweighted", root_animation, "direction_error_deg" },
    { "bias to stay 0.5", biased, NULL },
    { "search every 0.5 s", seldom, NULL },
    { "no search at sharp changes", slow_start, NULL },
};

enum { most_variants = sizeof variants / sizeof variants[0], quick_variants = 4, compared_with_weighted = 7 };

// ---------------------------------------------------------------------------------------------
// Running

/// The result of one course, or of several together.
typedef struct score {
    am_quality final, raw, played;
    double direction_error_deg, point_bend_cm, transitions_per_s, frame_us, search_us;
    int64_t fallback_frames;
    am_response answers[most_answers];
    int answer_count;
    am_vec3 *places; ///< [place_count], of one course; free() it
    int place_count;
    float dt;
    am_result result;
    am_error err;
} score;

/// All runs of one database.
typedef struct field {
    const eval *e;
    const am_db *db;
    am_db_measures own;
    const char *const *courses;
    int course_count, variant_count;
    score *scores; ///< [variant][course]
} field;

static void take_metrics(score *s, am_run_meter *meter)
{
    am_metrics m = am_run_meter_result(meter, 0);
    am_track track = am_run_meter_track(meter, 0);
    s->final = m.final;
    s->raw = m.raw;
    s->played = m.played;
    s->direction_error_deg = m.direction_error_deg;
    s->point_bend_cm = m.point_bend_cm;
    s->transitions_per_s = m.transitions_per_s;
    s->frame_us = m.frame_us;
    s->search_us = m.search_us;
    s->fallback_frames = m.fallback_frames;
    s->answer_count = m.response_count < most_answers ? m.response_count : most_answers;
    memcpy(s->answers, m.responses, (size_t)s->answer_count * sizeof *s->answers);
    s->places = malloc((size_t)track.count * sizeof *s->places);
    s->place_count = s->places ? track.count : 0;
    s->dt = track.dt;
    if (s->places) {
        memcpy(s->places, track.places, (size_t)s->place_count * sizeof *s->places);
    }
}

static am_result play(const field *f, score *s, am_run_script *script, const variant *v, am_error *err)
{
    am_clock clock = { NULL, cli_now_us };
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    v->change(&script->options);
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = f->db;
    def.clock = &clock;
    am_result result = am_run_create(&run, &def, err);
    if (result == AM_OK) {
        am_run_meter_def meter_def = am_run_meter_def_default();
        meter_def.run = run;
        meter_def.own = &f->own;
        result = am_run_meter_create(&meter, &meter_def, err);
    }
    if (result == AM_OK) {
        am_run_observer observer = am_run_meter_observer(meter);
        am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, &observer, 1, &quiet, err);
    }
    if (result == AM_OK) {
        take_metrics(s, meter);
    }
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    return result;
}

/// One course with one variant; items are independent, so that any number of threads gives the same tables.
static void run_item(void *context, int item)
{
    field *f = context;
    score *s = &f->scores[item];
    if (cli_interrupted()) { // creating a run takes seconds on a large database
        cli_error(&s->err, AM_ERR_CANCELLED, NULL, "stopped");
        s->result = AM_ERR_CANCELLED;
        return;
    }
    char path[1024];
    am_run_script script = { 0 };
    s->result = cli_config_find(path, sizeof path, CLI_RUN, f->courses[item % f->course_count], &s->err);
    s->result = s->result == AM_OK ? am_run_read(&script, path, NULL, &s->err) : s->result;
    if (s->result == AM_OK) {
        s->result = play(f, s, &script, &variants[item / f->course_count], &s->err);
    }
    am_run_script_free(&script);
}

/// Several courses as one: means of means, maxima of maxima, all responses together.
static void combine(score *out, const score *scores, int count)
{
    memset(out, 0, sizeof *out);
    int directed = 0; // courses with a desired direction
    for (int i = 0; i < count; i++) {
        const score *s = &scores[i];
        am_quality *to[] = { &out->final, &out->raw, &out->played };
        const am_quality *from[] = { &s->final, &s->raw, &s->played };
        for (int k = 0; k < 3; k++) {
            to[k]->foot_slide_cm += from[k]->foot_slide_cm / count;
            to[k]->skate_share += from[k]->skate_share / count;
            to[k]->jitter_cm += from[k]->jitter_cm / count;
            to[k]->penetration_cm += from[k]->penetration_cm / count;
            to[k]->joint_travel_cm = fmax(to[k]->joint_travel_cm, from[k]->joint_travel_cm);
            to[k]->transition_bend_cm = fmax(to[k]->transition_bend_cm, from[k]->transition_bend_cm);
            to[k]->transition_bend_share += from[k]->transition_bend_share / count;
        }
        bool has_direction = s->direction_error_deg >= 0.0; // else NaN
        out->direction_error_deg += has_direction ? s->direction_error_deg : 0.0;
        directed += has_direction;
        out->point_bend_cm = fmax(out->point_bend_cm, s->point_bend_cm);
        out->transitions_per_s += s->transitions_per_s / count;
        out->frame_us += s->frame_us / count;
        out->search_us += s->search_us / count;
        out->fallback_frames += s->fallback_frames;
        for (int a = 0; a < s->answer_count && out->answer_count < most_answers; a++) {
            out->answers[out->answer_count++] = s->answers[a];
        }
    }
    out->direction_error_deg = directed > 0 ? out->direction_error_deg / directed : (double)NAN;
}

// ---------------------------------------------------------------------------------------------
// Columns

/// One column: where its value is, and what it must keep.
typedef struct column {
    const char *name;
    int digits;
    double (*value)(const score *s);
    double (*own)(const am_db_measures *own); ///< NULL when a database has no such value
    double factor;                            ///< bound = factor x own, or the bound itself without an own
} column;

static float stop_worst(const score *s)
{
    float worst = NAN;
    for (int i = 0; i < s->answer_count; i++) {
        const am_response *a = &s->answers[i];
        bool walk = a->kind == AM_RESPONSE_STOP && a->speed_mps > 0.5f && a->speed_mps < 2.0f;
        worst = walk && !(worst >= a->seconds) ? a->seconds : worst;
    }
    return worst;
}

static double final_slide(const score *s) { return s->final.foot_slide_cm; }
static double raw_slide(const score *s) { return s->raw.foot_slide_cm; }
static double final_skate(const score *s) { return s->final.skate_share; }
static double raw_skate(const score *s) { return s->raw.skate_share; }
static double final_jitter(const score *s) { return s->final.jitter_cm; }
static double raw_jitter(const score *s) { return s->raw.jitter_cm; }
static double played_jitter(const score *s) { return s->played.jitter_cm; }
static double final_depth(const score *s) { return s->final.penetration_cm; }
static double raw_depth(const score *s) { return s->raw.penetration_cm; }
static double final_travel(const score *s) { return s->final.joint_travel_cm; }
static double final_bend(const score *s) { return s->final.transition_bend_cm; }
static double raw_bend(const score *s) { return s->raw.transition_bend_cm; }
static double point_bend(const score *s) { return s->point_bend_cm; }
static double direction(const score *s) { return s->direction_error_deg; }
static double transitions(const score *s) { return s->transitions_per_s; }
static double fallbacks(const score *s) { return (double)s->fallback_frames; }
static double frame_us(const score *s) { return s->frame_us; }
static double search_us(const score *s) { return s->search_us; }
static double stop(const score *s) { return (double)stop_worst(s); }
static double turn_within(const score *s, float low, float high)
{
    return (double)am_responses_median(s->answers, s->answer_count, AM_RESPONSE_TURN, low * AM_DEG, high * AM_DEG);
}
static double turn_90(const score *s) { return turn_within(s, 80.0f, 100.0f); }
static double turn_180(const score *s) { return turn_within(s, 150.0f, 180.1f); }

static double own_slide(const am_db_measures *o) { return o->quality.foot_slide_cm; }
static double own_skate(const am_db_measures *o) { return o->quality.skate_share; }
static double own_jitter(const am_db_measures *o) { return o->quality.jitter_cm; }
static double own_depth(const am_db_measures *o) { return o->quality.penetration_cm; }
static double own_travel(const am_db_measures *o) { return o->quality.joint_travel_cm; }
static double own_bend(const am_db_measures *o) { return o->bend_p999_cm; }

static const column columns[] = {
    { "foot_slide_cm", 3, final_slide, own_slide, 0.5 },
    { "foot_slide_cm_raw", 3, raw_slide, own_slide, 0.0 },
    { "skate_share", 3, final_skate, own_skate, 1.1 },
    { "skate_share_raw", 3, raw_skate, own_skate, 0.0 },
    { "jitter_cm", 3, final_jitter, own_jitter, 1.3 },
    { "jitter_cm_raw", 3, raw_jitter, own_jitter, 0.0 },
    { "jitter_cm_played", 3, played_jitter, own_jitter, 0.0 },
    { "penetration_cm", 4, final_depth, NULL, 0.1 },
    { "penetration_cm_raw", 4, raw_depth, own_depth, 0.0 },
    { "joint_travel_cm", 2, final_travel, own_travel, 1.0 },
    { "transition_bend_cm", 2, final_bend, own_bend, 1.0 },
    { "transition_bend_cm_raw", 2, raw_bend, own_bend, 0.0 },
    { "turn_90_s", 3, turn_90, NULL, 0.9 },
    { "turn_180_s", 3, turn_180, NULL, 0.0 },
    { "stop_s", 3, stop, NULL, 1.0 },
    { "direction_error_deg", 2, direction, NULL, 0.0 },
    { "point_bend_cm", 3, point_bend, NULL, 0.0 },
    { "transitions_per_s", 2, transitions, NULL, 0.0 },
    { "fallback_frames", 0, fallbacks, NULL, 0.0 },
    { "frame_us", 1, frame_us, NULL, 0.0 },
    { "search_us", 1, search_us, NULL, 0.0 },
};

enum { most_columns = sizeof columns / sizeof columns[0], timing_columns = 2 };

static int columns_of(const eval *e) { return e->timings ? most_columns : most_columns - timing_columns; }

static double bound_of(const column *c, const am_db_measures *own, double turn_bound)
{
    if (c->factor == 0.0) {
        return (double)INFINITY;
    }
    return c->value == turn_90 ? turn_bound : c->own ? c->factor * c->own(own) : c->factor;
}

static void begin_columns(const eval *e, const char *first)
{
    ami_tables_column(e->tables, first, -1);
    for (int c = 0; c < columns_of(e); c++) {
        ami_tables_column(e->tables, columns[c].name, columns[c].digits);
    }
}

typedef enum strictness {
    STRICT,    ///< the bounds as given
    OF_COURSE, ///< jitter also by the frames that were played
    UNBOUNDED
} strictness;

/// A row of scores. Running jitters more than the database's mean: a single course may also be measured by the frames
/// that it played.
static void add_row(const field *f, const char *name, const score *s, double turn_bound, strictness how)
{
    const eval *e = f->e;
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, name);
    for (int c = 0; c < columns_of(e); c++) {
        double bound = bound_of(&columns[c], &f->own, turn_bound);
        if (how == OF_COURSE && columns[c].value == final_jitter) {
            bound = fmax(bound, columns[c].factor * s->played.jitter_cm);
        }
        double value = columns[c].value(s);
        if (isinf(bound) || how == UNBOUNDED) {
            ami_tables_number(e->tables, value);
        } else {
            ami_tables_bounded(e->tables, value, bound);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Tables

static void add_own_rows(const field *f, double turn_bound)
{
    const eval *e = f->e;
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, "the database's own");
    for (int c = 0; c < columns_of(e); c++) {
        ami_tables_number(e->tables, columns[c].own ? columns[c].own(&f->own) : (double)NAN);
    }
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, "bound");
    for (int c = 0; c < columns_of(e); c++) {
        double bound = bound_of(&columns[c], &f->own, turn_bound);
        ami_tables_number(e->tables, isinf(bound) ? (double)NAN : bound);
    }
}

static void add_courses(const field *f, const char *config, double turn_bound)
{
    const eval *e = f->e;
    char name[64];
    char about[200];
    snprintf(name, sizeof name, "courses %s", config);
    snprintf(about, sizeof about, "a minute each on %s: %d frames, %d joints, %d features", config,
             f->db->frame_count, f->db->joint_count, f->db->features.count);
    ami_tables_begin(e->tables, name, about);
    begin_columns(e, "course");
    add_own_rows(f, turn_bound);
    for (int c = 0; c < f->course_count; c++) {
        add_row(f, f->courses[c], &f->scores[c], turn_bound, OF_COURSE);
    }
    score *all = malloc(sizeof *all);
    if (all) {
        combine(all, f->scores, f->course_count);
        add_row(f, "all", all, turn_bound, STRICT);
        free(all);
    }
    ami_tables_note(e->tables,
                    "Lengths for frames of 1/60 s. A single course's jitter may also be 1.3 times that of the "
                    "frames it played (jitter_cm_played); that of all courses may not. "
                    "transition_bend_cm has the 99.9th percentile as its own, joint_travel_cm the largest.");
    ami_tables_note(e->tables,
                    "turn_90_s and turn_180_s are medians until the movement over 0.2 s is within 15 degrees of "
                    "the target and stays for 0.3 s; stop_s is the slowest stop from a walk (below 0.1 m/s).");
    ami_tables_plot(e->tables, "foot_slide_cm", 0);
    ami_tables_plot(e->tables, "skate_share", 0);
    ami_tables_plot(e->tables, "jitter_cm", 0);
    ami_tables_plot(e->tables, "turn_90_s", 1);
    for (int c = 0; c < f->course_count; c++) {
        am_track track = { f->scores[c].places, f->scores[c].place_count, f->scores[c].dt };
        ami_tables_track(e->tables, f->courses[c], &track);
    }
}

static const column *find_column(const char *name)
{
    for (int c = 0; c < most_columns; c++) {
        if (strcmp(columns[c].name, name) == 0) {
            return &columns[c];
        }
    }
    return NULL;
}

/// How much worse a variant is in its column, for example 3.1 times.
static double times_worse(const variant *v, const score *s, const score *reference)
{
    const column *c = v->worse ? find_column(v->worse) : NULL;
    return c ? c->value(s) / fmax(c->value(reference), 1e-9) : (double)NAN;
}

static void add_ablations(const field *f, const char *config)
{
    const eval *e = f->e;
    score *rows = calloc((size_t)f->variant_count, sizeof *rows);
    if (!rows) {
        return;
    }
    char about[200];
    snprintf(about, sizeof about, "the same %d courses on %s together, with one thing changed at a time",
             f->course_count, config);
    ami_tables_begin(e->tables, "ablations", about);
    begin_columns(e, "variant");
    ami_tables_column(e->tables, "worse in", -1);
    ami_tables_column(e->tables, "times", 2);
    for (int v = 0; v < f->variant_count; v++) {
        combine(&rows[v], &f->scores[v * f->course_count], f->course_count);
    }
    for (int v = 0; v < f->variant_count; v++) {
        // The variant without weights is compared with the one with weights, everything else with the default.
        int reference = variants[v].change == root_animation ? compared_with_weighted : 0;
        double times = times_worse(&variants[v], &rows[v], &rows[reference]);
        add_row(f, variants[v].name, &rows[v], 0.0, UNBOUNDED);
        ami_tables_text(e->tables, variants[v].worse ? variants[v].worse : "");
        ami_tables_at_least(e->tables, times, 1.0);
    }
    ami_tables_note(
        e->tables,
        "'worse in' says where a part that was left out is missed, 'times' how much, against the first row; "
        "'root: animation, unweighted' is compared with the row above it.");
    ami_tables_plot(e->tables, "transition_bend_cm", 0);
    ami_tables_plot(e->tables, "foot_slide_cm", 0);
    ami_tables_plot(e->tables, "direction_error_deg", 0);
    ami_tables_plot(e->tables, "point_bend_cm", 0);
    free(rows);
}

// ---------------------------------------------------------------------------------------------

static am_result first_failure(const field *f, am_error *err)
{
    for (int i = 0; i < f->course_count * f->variant_count; i++) {
        if (f->scores[i].result != AM_OK) {
            *err = f->scores[i].err;
            return f->scores[i].result;
        }
    }
    return AM_OK;
}

static void free_field(field *f)
{
    for (int i = 0; f->scores && i < f->course_count * f->variant_count; i++) {
        free(f->scores[i].places);
    }
    free(f->scores);
}

/// All courses on one database; with the ablations too where they are asked for.
static am_result run_field(eval *e, const char *config, double turn_bound, bool ablations, am_error *err)
{
    field f = { .e = e, .courses = e->quick ? quick_courses : courses };
    f.course_count = e->quick ? (int)(sizeof quick_courses / sizeof quick_courses[0]) : most_courses;
    f.variant_count = !ablations ? 1 : e->quick ? quick_variants : most_variants;
    am_db *db = NULL;
    am_result result = cli_database_open(&db, config, e->tasks, e->progress, err);
    f.db = db;
    if (result == AM_OK) {
        result = am_db_measure(&f.own, db, NULL, err);
    }
    f.scores = calloc((size_t)f.course_count * (size_t)f.variant_count, sizeof *f.scores);
    if (result == AM_OK && !f.scores) {
        err->code = result = AM_ERR_MEMORY;
        snprintf(err->text, sizeof err->text, "out of memory for the scores");
    }
    if (result == AM_OK) {
        e->tasks->run(e->tasks->user, f.course_count * f.variant_count, run_item, &f);
        result = first_failure(&f, err);
    }
    if (result == AM_OK) {
        add_courses(&f, config, turn_bound);
    }
    if (result == AM_OK && ablations) {
        add_ablations(&f, config);
    }
    free_field(&f);
    am_db_close(db);
    return result;
}

/// 0.9 s on walks alone; 0.6 s where the data hold quick turns.
static double turn_bound_of(const char *config) { return strcmp(config, "agile") == 0 ? 0.6 : 0.9; }

am_result eval_matching(eval *e, am_error *err)
{
    snprintf(e->title, sizeof e->title, "Motion matching on fixed courses");
    if (e->config) {
        am_result result = run_field(e, e->config, turn_bound_of(e->config), true, err);
        snprintf(e->about, sizeof e->about, "%d values beyond their bound (marked !).",
                 result == AM_OK ? ami_tables_bad_count(e->tables) : 0);
        return result;
    }
    bool real = cli_database_has_data("locomotion");
    bool agile = real && cli_database_has_data("agile");
    if (!real) {
        eval_without_capture(e, "Procedural motion (amble synth)");
    }
    am_result result = run_field(e, real ? "locomotion" : "synth", turn_bound_of(""), true, err);
    if (result == AM_OK && agile) {
        result = run_field(e, "agile", turn_bound_of("agile"), false, err);
    }
    snprintf(e->about, sizeof e->about, "%s%d values beyond their bound (marked !).",
             agile  ? ""
             : real ? "Without basketball and ACCAD: their sets were not found. "
                    : "The bounds were made for motion capture. ",
             result == AM_OK ? ami_tables_bad_count(e->tables) : 0);
    return result;
}

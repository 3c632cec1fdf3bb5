// amble eval fields, tables `pushes`, `push_sizes` and `push_ways`: 200 random pushes on each of the data sets of
// Fields section 6.2, on motion fields, and as a reaction of matching and of networks.
#include "eval_fields.h"

#include "database.h"
#include "places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(AMBLE_HAS_PHYSICS)

am_result fields_pushes(const fields *f, am_error *err)
{
    (void)err;
    fprintf(stderr, "eval: this build has no Open Dynamics Engine, so the push tables are left out; install "
                    "libode-dev and build again\n");
    (void)f;
    return AM_OK;
}

#else

#include <amble/physics.h>

#include "method/sources.h"
#include "physics/parts.h"

// Bounds: back within 3 s, no joint farther out, the chest this close to the direction of the push.
static const double most_deg = 10.0;
static const double most_off_deg = 30.0;
static const double most_depth_cm = 1.0;
// A chest that moves by less is moved as much by the motion itself, which changes after any push.
static const double moved_cm = 2.0;

enum {
    trial_count = 200,
    quick_count = 16,
    most_rows = 8,
    most_steps = 2 * most_rows + 5, // both answers of each, and the methods of the page
    group_count = 3,                // trunk and head, arms, legs
    size_count = 2,                 // small and large pushes
};
enum { page_every = 5 };             // ticks between the anchors of the page's values of the speed
static const float page_mps = 1.2f;  // the page's walk
static const double large_n = 200.0; // a large push: 20 N s, which gives a body of 70 kg 0.3 m/s

/// Pushes on one part of the body.
typedef struct group {
    int count, off, slight_off, end_off, last_off, stance_off, moved, moved_off;
} group;

/// Pushes of one size.
typedef struct size {
    int count, late, beyond;
    double back_s, farthest;
} size;

/// A row of the tables.
typedef struct summary {
    const char *set, *controller;
    int count;
    double back_mean, back_max, usual_back, depth_cm, excess_deg, usual_deg, reach, farthest, end_far, apart;
    int late, never, usual_late, beyond, beyond_alone;
    group groups[group_count];
    size sizes[size_count];
} summary;

/// All pushed data sets.
typedef struct pushing {
    const fields *f;
    int count;
    summary rows[most_rows];
    fields_steps steps[most_steps];
    int step_count;
} pushing;

static int group_of(const am_roles *roles, int joint)
{
    static const struct {
        am_role role;
        int group;
    } limbs[] = { { AM_ROLE_LEFT_ARM, 1 },     { AM_ROLE_LEFT_FOREARM, 1 },  { AM_ROLE_LEFT_HAND, 1 },
                  { AM_ROLE_RIGHT_ARM, 1 },    { AM_ROLE_RIGHT_FOREARM, 1 }, { AM_ROLE_RIGHT_HAND, 1 },
                  { AM_ROLE_LEFT_UP_LEG, 2 },  { AM_ROLE_LEFT_LEG, 2 },      { AM_ROLE_LEFT_FOOT, 2 },
                  { AM_ROLE_RIGHT_UP_LEG, 2 }, { AM_ROLE_RIGHT_LEG, 2 },     { AM_ROLE_RIGHT_FOOT, 2 } };
    for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++) {
        if (roles->joint[limbs[i].role] == joint) {
            return limbs[i].group;
        }
    }
    return 0;
}

static double degrees(float angle) { return (double)angle / (double)AM_DEG; }

static void add_way(group *g, const lab_push_trial *t)
{
    bool off = degrees(t->off) > most_off_deg;
    bool moved = 100.0 * (double)t->moved_m > moved_cm;
    g->count++;
    g->off += off;
    g->slight_off += degrees(t->off_slight) > most_off_deg;
    g->end_off += degrees(t->off_end) > most_off_deg;
    g->last_off += degrees(t->off_last) > most_off_deg;
    g->stance_off += degrees(t->off_stance) > most_off_deg;
    g->moved += moved;
    g->moved_off += moved && off;
}

/// Small and large pushes apart: s->apart is known.
static void sum_up_sizes(summary *s, const lab_push_trial *trials, int count)
{
    for (int i = 0; i < count; i++) {
        const lab_push_trial *t = &trials[i];
        size *of = &s->sizes[(double)t->newton >= large_n];
        of->count++;
        of->late += t->back_s >= 3.0f;
        of->beyond += (double)t->farthest > s->apart;
        of->back_s += (double)t->back_s;
        of->farthest += (double)t->farthest;
    }
    for (int i = 0; i < size_count; i++) {
        s->sizes[i].back_s /= s->sizes[i].count > 0 ? s->sizes[i].count : 1;
        s->sizes[i].farthest /= s->sizes[i].count > 0 ? s->sizes[i].count : 1;
    }
}

static void sum_up(summary *s, const lab_push_trial *trials, int count, const am_roles *roles)
{
    s->count = count;
    for (int i = 0; i < count; i++) {
        const lab_push_trial *t = &trials[i];
        double excess = degrees(t->excess);
        s->back_mean += (double)t->back_s / count;
        s->usual_back += (double)t->usual_back_s / count;
        s->back_max = fmax(s->back_max, (double)t->back_s);
        s->depth_cm = fmax(s->depth_cm, 100.0 * (double)t->depth_m);
        s->excess_deg = fmax(s->excess_deg, excess);
        s->usual_deg = fmax(s->usual_deg, degrees(t->usual_excess));
        s->farthest = fmax(s->farthest, (double)t->farthest);
        s->end_far = fmax(s->end_far, (double)t->end_far);
        s->late += t->back_s >= 3.0f;
        s->never += !t->returns;
        s->usual_late += t->usual_back_s >= 3.0f;
        s->beyond += excess > most_deg;
        s->beyond_alone += excess > most_deg && degrees(t->usual_excess) <= most_deg;
        add_way(&s->groups[group_of(roles, t->joint)], t);
    }
}

// ---------------------------------------------------------------------------------------------
// The characters to push

/// Pushes on chest and hips, answered by steps or by the blend.
static am_result push_answer(pushing *p, const summary *row, lab_push_trials_def def, bool stepped, am_error *err)
{
    fields_steps *out = &p->steps[p->step_count++];
    float reach = 0.0f;
    *out = (fields_steps){ row->set, row->controller, calloc((size_t)def.count, sizeof *out->trials), def.count,
                           stepped };
    def.trunk = true;
    def.least_n = 100.0f;
    def.blend = stepped ? AM_PUSH_STEPPED : AM_PUSH_ADDED;
    return out->trials ? lab_push_trials(out->trials, &reach, &def, err)
                       : cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d pushes", def.count);
}

static am_result push_source(pushing *p, summary row, const am_source *source, const ami_field *field,
                             am_push_blend blend, am_error *err)
{
    const fields *f = p->f;
    int count = f->e->quick ? quick_count : trial_count;
    lab_push_trial *trials = calloc((size_t)count, sizeof *trials);
    if (!trials) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d pushes", count);
    }
    const am_push_engine *engine = am_physics_engine();
    lab_push_trials_def def = lab_push_trials_def_default();
    def.source = source;
    def.field = field;
    def.engine = engine;
    def.tasks = f->e->tasks;
    def.count = count;
    def.blend = blend;
    float reach = 0.0f;
    double mean = 0.0;
    am_result result = fields_apart(field, &mean, &row.apart, err);
    result = result == AM_OK ? lab_push_trials(trials, &reach, &def, err) : result;
    if (result == AM_OK) {
        sum_up(&row, trials, count, source->roles);
        sum_up_sizes(&row, trials, count);
        row.reach = (double)reach;
        p->rows[p->count++] = row;
        for (int stepped = 0; stepped < 2 && blend == AM_PUSH_ADDED && result == AM_OK; stepped++) {
            result = push_answer(p, &row, def, stepped != 0, err);
        }
    }
    free(trials);
    return result;
}

static am_result push_passive(pushing *p, const char *set, const ami_field *field, bool printed, am_error *err)
{
    ami_field_source_def def = ami_field_source_def_default();
    def.field = field;
    def.policy = AM_FIELD_PASSIVE;
    am_source *source = NULL;
    summary row = { .set = set, .controller = "field, passive" };
    summary as_printed = { .set = set, .controller = "field, passive, eq. 15 as printed" };
    am_result result = ami_field_source_create(&source, &def, err);
    result = result == AM_OK ? push_source(p, row, source, field, AM_PUSH_ADDED, err) : result;
    if (result == AM_OK && printed) {
        result = push_source(p, as_printed, source, field, AM_PUSH_PRINTED, err);
    }
    ami_source_destroy(source);
    return result;
}

static am_result push_match(pushing *p, const char *set, const ami_field *field, am_error *err)
{
    ami_index_def index_def = ami_index_def_default();
    ami_match_def def = ami_match_def_default();
    am_index *index = NULL;
    am_source *source = NULL;
    summary row = { .set = set, .controller = "match" };
    index_def.db = field->db;
    am_result result = ami_index_create(&index, &index_def, err);
    def.db = field->db;
    def.index = index;
    result = result == AM_OK ? ami_match_create(&source, &def, err) : result;
    result = result == AM_OK ? push_source(p, row, source, field, AM_PUSH_ADDED, err) : result;
    ami_source_destroy(source);
    ami_index_destroy(index);
    return result;
}

/// Networks alone, beside the data that they learnt.
static am_result push_learned(pushing *p, const char *set, const ami_field *field, const char *path, am_error *err)
{
    am_model *model = NULL;
    am_source *source = NULL;
    ami_learned_def def = ami_learned_def_default();
    summary row = { .set = set, .controller = "learned" };
    am_result result = am_model_open(&model, path, NULL, err);
    def.model = model;
    result = result == AM_OK ? ami_learned_create(&source, &def, err) : result;
    result = result == AM_OK ? push_source(p, row, source, field, AM_PUSH_ADDED, err) : result;
    ami_source_destroy(source);
    am_model_close(model);
    return result;
}

/// What is pushed on a data set besides the passive field.
typedef struct extras {
    bool passive, printed, match;
    const char *model; ///< path of networks, NULL without
} extras;

static am_result push_set(pushing *p, const char *set, extras with, am_error *err)
{
    const fields *f = p->f;
    am_db *db = NULL;
    ami_field *field = NULL;
    ami_field_def def = ami_field_def_default();
    am_result result = cli_database_open(&db, set, f->e->tasks, f->e->progress, err);
    def.db = db;
    def.tasks = f->e->tasks;
    result = result == AM_OK ? ami_field_create(&field, &def, err) : result;
    result = result == AM_OK && with.passive ? push_passive(p, set, field, with.printed, err) : result;
    result = result == AM_OK && with.match ? push_match(p, set, field, err) : result;
    result = result == AM_OK && with.model ? push_learned(p, set, field, with.model, err) : result;
    ami_field_destroy(field);
    am_db_close(db);
    return result;
}

/// The field of the other tables, by its value function of the direction task.
static am_result push_controlled(pushing *p, am_error *err)
{
    const fields *f = p->f;
    fields_source s;
    summary row = { .set = f->config, .controller = "field, controlled" };
    am_result result = fields_source_make(&s, f, "direction", fields_finest(f), err);
    result = result == AM_OK ? push_source(p, row, s.source, f->field, AM_PUSH_ADDED, err) : result;
    fields_source_free(&s);
    return result;
}

// ---------------------------------------------------------------------------------------------
// The methods of the page, which answer by steps

static am_result push_page_source(pushing *p, const char *set, const char *controller, const am_source *source,
                                  const ami_field *field, am_error *err)
{
    lab_push_trials_def def = lab_push_trials_def_default();
    def.source = source;
    def.field = field;
    def.engine = am_physics_engine();
    def.tasks = p->f->e->tasks;
    def.count = trial_count;
    def.walk_mps = page_mps;
    const summary row = { .set = set, .controller = controller };
    return push_answer(p, &row, def, true, err);
}

/// Matching and long-horizon, then the networks that ship, on the data of the page.
static am_result push_page_matching(pushing *p, const ami_field *field, am_error *err)
{
    static const char set[] = "studio_cmu";
    static const char *const models[2] = { "everyday", "locomotion" };
    ami_index_def index_def = ami_index_def_default();
    ami_long_horizon_def def = ami_long_horizon_def_default();
    am_index *index = NULL;
    am_source *sources[2] = { NULL, NULL };
    index_def.db = field->db;
    am_result result = ami_index_create(&index, &index_def, err);
    def.match.db = field->db;
    def.match.index = index;
    result = result == AM_OK ? ami_match_create(&sources[0], &def.match, err) : result;
    result = result == AM_OK ? ami_long_horizon_create(&sources[1], &def, err) : result;
    result = result == AM_OK ? push_page_source(p, set, "match", sources[0], field, err) : result;
    result = result == AM_OK ? push_page_source(p, set, "long-horizon", sources[1], field, err) : result;
    ami_source_destroy(sources[1]);
    ami_source_destroy(sources[0]);
    ami_index_destroy(index);
    for (int i = 0; i < 2 && result == AM_OK; i++) {
        char file[32], path[1024];
        am_model *model = NULL;
        am_source *source = NULL;
        ami_learned_def learned = ami_learned_def_default();
        snprintf(file, sizeof file, "%s.amnet", models[i]);
        if (!cli_model_find(path, sizeof path, file)) {
            continue;
        }
        result = am_model_open(&model, path, NULL, err);
        learned.model = model;
        result = result == AM_OK ? ami_learned_create(&source, &learned, err) : result;
        result = result == AM_OK ? push_page_source(p, models[i], "learned", source, field, err) : result;
        ami_source_destroy(source);
        am_model_close(model);
    }
    return result;
}

/// The field of the page, by the values that ship.
static am_result push_page_field(pushing *p, const am_db *db, am_error *err)
{
    char path[1024];
    am_model *model = NULL;
    ami_field *field = NULL;
    fields_source s = { 0 };
    ami_field_def def = ami_field_def_default();
    if (!cli_model_find(path, sizeof path, "fields_page.amnet")) {
        return AM_OK;
    }
    am_result result = am_model_open(&model, path, NULL, err);
    def.db = db;
    def.tasks = p->f->e->tasks;
    if (result == AM_OK) {
        ami_field_value_field(&def, model);
        result = ami_field_create(&field, &def, err);
    }
    const fields own = { .e = p->f->e, .field = field, .model = model };
    result = result == AM_OK ? fields_source_make(&s, &own, "speed", page_every, err) : result;
    result = result == AM_OK ? push_page_source(p, "fields_play", "field", s.source, field, err) : result;
    fields_source_free(&s);
    ami_field_destroy(field);
    am_model_close(model);
    return result;
}

static am_result push_page(pushing *p, am_error *err)
{
    static const char *const sets[2] = { "studio_cmu", "fields_play" };
    am_result result = AM_OK;
    for (int i = 0; i < 2 && result == AM_OK; i++) {
        am_db *db = NULL;
        ami_field *field = NULL;
        ami_field_def def = ami_field_def_default();
        if (!cli_database_has_data(sets[i])) {
            continue;
        }
        result = cli_database_open(&db, sets[i], p->f->e->tasks, p->f->e->progress, err);
        def.db = db;
        def.tasks = p->f->e->tasks;
        if (i == 0) {
            result = result == AM_OK ? ami_field_create(&field, &def, err) : result;
            result = result == AM_OK ? push_page_matching(p, field, err) : result;
        } else {
            result = result == AM_OK ? push_page_field(p, db, err) : result;
        }
        ami_field_destroy(field);
        am_db_close(db);
    }
    return result;
}

static am_result push_all(pushing *p, am_error *err)
{
    const fields *f = p->f;
    static const char *const sets[] = { "fields_walks", "fields_walks_recovery", "fields_walks_recovery_pairs",
                                        "fields_walks_turns" };
    am_result result = AM_OK;
    int count = !f->real ? 0 : f->e->quick ? 1 : 4;
    for (int i = 0; i < count && result == AM_OK; i++) {
        extras with = { .passive = true, .printed = i == 0, .match = i == 1 };
        result = push_set(p, sets[i], with, err);
    }
    if (!f->real) {
        result = push_passive(p, f->config, f->field, true, err);
    }
    result = result == AM_OK && f->model ? push_controlled(p, err) : result;
    char path[1024];
    if (result == AM_OK && count == 4 && cli_database_has_data("locomotion") &&
        cli_model_find(path, sizeof path, "locomotion.amnet")) {
        extras with = { .model = path };
        result = push_set(p, "locomotion", with, err);
    }
    return result == AM_OK && count == 4 ? push_page(p, err) : result;
}

// ---------------------------------------------------------------------------------------------
// The tables

/// A number with a bound where the data are those that it was made for.
static void add_bounded(const fields *f, double value, double bound)
{
    f->real ? ami_tables_bounded(f->e->tables, value, bound) : ami_tables_number(f->e->tables, value);
}

static void begin_row(ami_tables *t, const summary *s)
{
    ami_tables_row(t);
    ami_tables_text(t, s->set);
    ami_tables_text(t, s->controller);
    ami_tables_number(t, s->count);
}

static void add_returns(const pushing *p)
{
    static const ami_column columns[] = { { "data", -1 },        { "controller", -1 },     { "pushes", 0 },
                                          { "back_s", 2 },       { "back_max_s", 2 },      { "late", 0 },
                                          { "never", 0 },        { "unpushed_back_s", 2 }, { "unpushed_late", 0 },
                                          { "depth_cm", 2 },     { "joint_deg", 1 },       { "beyond", 0 },
                                          { "beyond_alone", 0 }, { "unpushed_deg", 1 },    { "reach", 2 },
                                          { "farthest", 2 },     { "end_far", 2 },         { "apart", 2 } };
    ami_tables *t = p->f->e->tables;
    ami_tables_begin(t, "pushes",
                     "random pushes of 10 to 400 N for 0.1 s on every part of the body, standing and walking");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int i = 0; i < p->count; i++) {
        const summary *s = &p->rows[i];
        begin_row(t, s);
        ami_tables_number(t, s->back_mean);
        ami_tables_number(t, s->back_max);
        add_bounded(p->f, s->late, 0.0);
        add_bounded(p->f, s->never, 0.0);
        ami_tables_number(t, s->usual_back);
        ami_tables_number(t, s->usual_late);
        add_bounded(p->f, s->depth_cm, most_depth_cm);
        add_bounded(p->f, s->excess_deg, most_deg);
        ami_tables_number(t, s->beyond);
        add_bounded(p->f, s->beyond_alone, 0.0);
        ami_tables_number(t, s->usual_deg);
        ami_tables_number(t, s->reach);
        ami_tables_number(t, s->farthest);
        add_bounded(p->f, s->end_far, s->apart);
        ami_tables_number(t, s->apart);
    }
    ami_tables_note(
        t, "back_s: until the distance from the data stays what it is in 99 %% of the ticks without pushes "
           "(reach); late: not 0.3 s before the end of 3 s; never: not even for 0.3 s at some time after the "
           "window of the push; unpushed_back_s and unpushed_late: the same of the "
           "motion without the push, which is beyond reach in 1 %% of its ticks.");
    ami_tables_note(t, "farthest: largest distance from the data in 3 s; end_far: in the last 0.3 s of them, at most "
                       "what the data's own states are apart from the nearest of another time (apart).");
    ami_tables_note(
        t, "depth_cm: feet below the floor. joint_deg: most that a joint is beyond the data's 0.1 to 99.9 "
           "percentiles; beyond: pushes with more than 10 degrees; beyond_alone: of them those where the same "
           "motion without the push has less; unpushed_deg: most without pushes.");
}

/// Small and large pushes on data with and without pushed motion (Fields 6.2).
static void add_sizes(const pushing *p)
{
    static const ami_column columns[] = { { "data", -1 },        { "controller", -1 },    { "small", 0 },
                                          { "small_back_s", 2 }, { "small_late", 0 },     { "small_farthest", 2 },
                                          { "small_beyond", 0 }, { "large", 0 },          { "large_back_s", 2 },
                                          { "large_late", 0 },   { "large_farthest", 2 }, { "large_beyond", 0 },
                                          { "reach", 2 },        { "apart", 2 } };
    ami_tables *t = p->f->e->tables;
    ami_tables_begin(t, "push_sizes", "the same pushes, those below 200 N and the others");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int i = 0; i < p->count; i++) {
        const summary *s = &p->rows[i];
        ami_tables_row(t);
        ami_tables_text(t, s->set);
        ami_tables_text(t, s->controller);
        for (int k = 0; k < size_count; k++) {
            ami_tables_number(t, s->sizes[k].count);
            ami_tables_number(t, s->sizes[k].back_s);
            ami_tables_number(t, s->sizes[k].late);
            ami_tables_number(t, s->sizes[k].farthest);
            ami_tables_number(t, s->sizes[k].beyond);
        }
        ami_tables_number(t, s->reach);
        ami_tables_number(t, s->apart);
    }
    ami_tables_note(t, "fields_walks_recovery is fields_walks with pushed motion, fields_walks_recovery_pairs walks "
                       "and pushed motion, fields_walks_turns without any. back_s, late, reach and apart: as above; "
                       "farthest: mean of the largest distances from the data; beyond: pushes after which it is "
                       "farther than the data's own states are apart.");
}

static const ami_column way_columns[] = {
    { "data", -1 },
    { "controller", -1 },
    { "pushes", 0 },
    { "trunk", 0 },
    { "trunk_off", 0 },
    { "trunk_slight_off", 0 },
    { "trunk_end_off", 0 },
    { "trunk_moved_off", 0 },
    { "arms", 0 },
    { "arms_off", 0 },
    { "arms_slight_off", 0 },
    { "arms_end_off", 0 },
    { "arms_moved_off", 0 },
    { "legs", 0 },
    { "legs_off", 0 },
    { "legs_slight_off", 0 },
    { "legs_end_off", 0 },
    { "legs_moved", 0 },
    { "legs_moved_off", 0 },
    { "legs_stance_off", 0 },
    { "last_off", 0 },
};

static void add_ways(const pushing *p)
{
    ami_tables *t = p->f->e->tables;
    ami_tables_begin(t, "push_ways", "direction of the chest relative to the feet within 0.3 s of the same pushes");
    ami_tables_columns(t, way_columns, CLI_COUNT(way_columns));
    for (int i = 0; i < p->count; i++) {
        const summary *s = &p->rows[i];
        begin_row(t, s);
        for (int k = 0; k < group_count; k++) {
            const group *g = &s->groups[k];
            ami_tables_number(t, g->count);
            add_bounded(p->f, g->off, 0.0);
            ami_tables_number(t, g->slight_off);
            add_bounded(p->f, g->end_off, 0.0);
            if (k == 2) {
                ami_tables_number(t, g->moved);
            }
            ami_tables_number(t, g->moved_off);
        }
        ami_tables_number(t, s->groups[2].stance_off);
        add_bounded(p->f, s->groups[0].last_off + s->groups[1].last_off + s->groups[2].last_off, 0.0);
    }
    ami_tables_note(t, "off: the chest never moves within 30 degrees of the push (by 5 mm or more), relative to the "
                       "middle of the feet and to the same motion without the push. slight_off: the same by 1 mm or "
                       "more. end_off: like off, but 0.3 s after the push instead of at any tick until then. "
                       "last_off: over all parts, at the moment when the chest has moved farthest along the push.");
    ami_tables_note(t,
                    "moved_off: among pushes that move it by %.0f cm or more in any direction. trunk: includes the "
                    "head. legs_stance_off: relative to the feet that were planted when the push began.",
                    moved_cm);
}

// ---------------------------------------------------------------------------------------------
// The engine

enum { rounds = 40 };

/// Least time of the frames of dynamics for a body, in microseconds.
static double time_frames(const am_push_solver *solver, const am_push_query *query, am_transform *out)
{
    double least = (double)INFINITY;
    am_transform before[AM_MAX_JOINTS];
    for (int i = 0; i < rounds; i++) {
        double from = cli_now_us(NULL);
        bool solved = solver->solve(solver->user, out, before, query);
        least = solved ? fmin(least, cli_now_us(NULL) - from) : least;
    }
    return least;
}

static am_result add_costs(const pushing *p, am_error *err)
{
    static const ami_column columns[] = {
        { "bodies", -1 }, { "parts", 0 }, { "step_us", 0 }, { "first_tick_us", 0 }, { "last_tick_us", 0 }
    };
    const am_db *db = p->f->db;
    ami_tables *t = p->f->e->tables;
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS];
    am_physics *body = NULL;
    am_physics_def def;
    am_physics_def_init(&def);
    def.skeleton = db->skeleton;
    def.roles = &db->roles;
    am_result result = am_physics_create(&body, &def, err);
    if (result != AM_OK) {
        return result;
    }
    am_db_pose(db, db->frame_count / 2, x);
    am_push push = { ami_physics_get_part(body, 2).joint, 0.1f, { 200.0f, 0.0f, 0.0f } };
    am_push_query query = { x, &push, 1, AM_CONTACT_LEFT, 1 };
    double first = time_frames(am_physics_solver(body), &query, out);
    query.frames = AM_PUSH_WINDOW - 1;
    double last = time_frames(am_physics_solver(body), &query, out);
    ami_tables_begin(t, "push_costs", "microseconds of Open Dynamics Engine while a push acts, one core");
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    ami_tables_row(t);
    ami_tables_text(t, p->f->config);
    ami_tables_number(t, ami_physics_part_count(body));
    ami_tables_number(t, (last - first) / ((AM_PUSH_WINDOW - 2) * def.substeps));
    ami_tables_number(t, first);
    ami_tables_number(t, last);
    ami_tables_note(t,
                    "step_us: one step of the engine; a frame of dynamics has %d of them. The first tick of a push "
                    "needs one frame, the last %d. Best of %d.",
                    def.substeps, AM_PUSH_WINDOW - 1, rounds);
    am_physics_destroy(body);
    return AM_OK;
}

am_result fields_pushes(const fields *f, am_error *err)
{
    pushing p = { .f = f };
    am_result result = push_all(&p, err);
    if (result == AM_OK) {
        add_returns(&p);
        add_sizes(&p);
        add_ways(&p);
        result = fields_steps_add(f, p.steps, p.step_count, err);
    }
    for (int i = 0; i < p.step_count; i++) {
        free(p.steps[i].trials);
    }
    if (result == AM_OK) {
        result = f->e->timings ? add_costs(&p, err) : AM_OK;
    }
    return result;
}

#endif

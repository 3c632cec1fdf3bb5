// amble eval fields, table `pushes`: 200 random pushes on each of the data sets of Fields section 6.2, on motion
// fields, and as a reaction of matching and of networks.
#include "eval_fields.h"

#include "database.h"

#include <stdio.h>
#include <stdlib.h>

#if !defined(AMBLE_HAS_PHYSICS)

am_result fields_pushes(const fields *f, am_error *err)
{
    (void)err;
    fprintf(stderr, "eval: this build is without Open Dynamics Engine, so nothing is pushed\n");
    (void)f;
    return AM_OK;
}

#else

#include <amble/physics.h>

// What the issue asks for: back within 3 s, no joint further out, the chest that near the push's way.
static const double most_deg = 10.0;
static const double most_off_deg = 30.0;
static const double most_depth_cm = 1.0;

enum { trial_count = 200, quick_count = 16 };

/// What a row of the table tells.
typedef struct summary {
    double back_mean, back_max, depth_cm, excess_deg, usual_deg, off_worst;
    int late, beyond, upper, upper_off, upper_last;
} summary;

static bool is_upper(const am_roles *roles, int joint)
{
    static const am_role lower[] = { AM_ROLE_LEFT_UP_LEG,  AM_ROLE_LEFT_LEG,  AM_ROLE_LEFT_FOOT,
                                     AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT };
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
        if (roles->joint[lower[i]] == joint) {
            return false;
        }
    }
    return true;
}

static double larger(double a, double b) { return a > b ? a : b; }

static summary sum_up(const am_push_trial *trials, int count, const am_roles *roles)
{
    summary s = { 0 };
    for (int i = 0; i < count; i++) {
        const am_push_trial *t = &trials[i];
        double excess = (double)t->excess / (double)AM_DEG;
        double off = (double)t->off / (double)AM_DEG;
        s.back_mean += (double)t->back_s / count;
        s.back_max = larger(s.back_max, (double)t->back_s);
        s.depth_cm = larger(s.depth_cm, 100.0 * (double)t->depth_m);
        s.excess_deg = larger(s.excess_deg, excess);
        s.usual_deg = larger(s.usual_deg, (double)t->usual_excess / (double)AM_DEG);
        s.late += t->back_s >= 3.0f;
        s.beyond += excess > most_deg;
        if (is_upper(roles, t->joint)) {
            s.upper++;
            s.upper_off += off > most_off_deg;
            s.upper_last += t->off_last > (float)most_off_deg * AM_DEG;
            s.off_worst = larger(s.off_worst, off);
        }
    }
    return s;
}

/// A number with a bound where the data are those that it was made for.
static void add_bounded(const fields *f, double value, double bound)
{
    f->real ? am_tables_bounded(f->e->tables, value, bound) : am_tables_number(f->e->tables, value);
}

static void add_row(const fields *f, const char *set, const char *controller, const summary *s, int count,
                    float reach)
{
    am_tables *t = f->e->tables;
    am_tables_row(t);
    am_tables_text(t, set);
    am_tables_text(t, controller);
    am_tables_number(t, count);
    am_tables_number(t, s->back_mean);
    am_tables_number(t, s->back_max);
    add_bounded(f, s->late, 0.0);
    add_bounded(f, s->depth_cm, most_depth_cm);
    add_bounded(f, s->excess_deg, most_deg);
    am_tables_number(t, s->beyond);
    am_tables_number(t, s->usual_deg);
    add_bounded(f, 100.0 * s->upper_off / (s->upper > 0 ? s->upper : 1), 0.0);
    am_tables_number(t, 100.0 * s->upper_last / (s->upper > 0 ? s->upper : 1));
    am_tables_number(t, (double)reach);
}

static am_result push_source(const fields *f, const char *set, const char *controller, const am_source *source,
                             const am_field *field, am_error *err)
{
    int count = f->e->quick ? quick_count : trial_count;
    am_push_trial *trials = calloc((size_t)count, sizeof *trials);
    if (!trials) {
        *err = cli_error(AM_ERR_MEMORY, NULL, "no memory for %d pushes", count);
        return err->code;
    }
    am_push_engine engine = am_physics_engine();
    am_push_trials_def def = am_push_trials_def_default();
    def.source = source;
    def.field = field;
    def.engine = &engine;
    def.tasks = f->e->tasks;
    def.count = count;
    float reach = 0.0f;
    am_result result = am_push_trials(trials, &reach, &def, err);
    if (result == AM_OK) {
        summary s = sum_up(trials, count, source->roles);
        add_row(f, set, controller, &s, count, reach);
    }
    free(trials);
    return result;
}

static am_result push_passive(const fields *f, const char *set, const am_field *field, am_error *err)
{
    am_field_source_def def = am_field_source_def_default();
    def.field = field;
    def.policy = AM_FIELD_PASSIVE;
    am_source *source = NULL;
    am_result result = am_field_source_create(&source, &def, err);
    result = result == AM_OK ? push_source(f, set, "field, passive", source, field, err) : result;
    am_source_destroy(source);
    return result;
}

static am_result push_match(const fields *f, const char *set, const am_field *field, am_error *err)
{
    am_index_def index_def = am_index_def_default();
    am_match_def def = am_match_def_default();
    am_index *index = NULL;
    am_source *source = NULL;
    index_def.db = field->db;
    am_result result = am_index_create(&index, &index_def, err);
    def.db = field->db;
    def.index = index;
    result = result == AM_OK ? am_match_create(&source, &def, err) : result;
    result = result == AM_OK ? push_source(f, set, "match", source, field, err) : result;
    am_source_destroy(source);
    am_index_destroy(index);
    return result;
}

static am_result push_set(const fields *f, const char *set, bool match, am_error *err)
{
    am_db *db = NULL;
    am_field *field = NULL;
    am_field_def def = am_field_def_default();
    am_result result = cli_database_open(&db, set, f->e->tasks, f->e->progress, err);
    def.db = db;
    def.tasks = f->e->tasks;
    result = result == AM_OK ? am_field_create(&field, &def, err) : result;
    result = result == AM_OK ? push_passive(f, set, field, err) : result;
    result = result == AM_OK && match ? push_match(f, set, field, err) : result;
    am_field_destroy(field);
    am_db_close(db);
    return result;
}

/// The field of the other tables, by its value function of the direction task.
static am_result push_controlled(const fields *f, am_error *err)
{
    fields_source s;
    am_result result = fields_source_make(&s, f, "direction", fields_finest(f), err);
    result = result == AM_OK ? push_source(f, f->config, "field, controlled", s.source, f->field, err) : result;
    fields_source_free(&s);
    return result;
}

static void begin_table(am_tables *t)
{
    static const struct {
        const char *name;
        int digits;
    } columns[] = { { "data", -1 },      { "controller", -1 },  { "pushes", 0 },      { "back_s", 2 },
                    { "back_max_s", 2 }, { "late", 0 },         { "depth_cm", 2 },    { "joint_deg", 1 },
                    { "beyond", 0 },     { "unpushed_deg", 1 }, { "off_percent", 1 }, { "off_last_percent", 1 },
                    { "reach", 2 } };
    am_tables_begin(t, "pushes",
                    "random pushes of 10 to 400 N for 0.1 s on every part of the body, standing and walking");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        am_tables_column(t, columns[i].name, columns[i].digits);
    }
}

am_result fields_pushes(const fields *f, am_error *err)
{
    static const char *const sets[] = { "fields/walks", "fields/walks_recovery", "fields/walks_recovery_pairs",
                                        "fields/walks_turns" };
    begin_table(f->e->tables);
    am_result result = AM_OK;
    int count = !f->real ? 0 : f->e->quick ? 1 : 4;
    for (int i = 0; i < count && result == AM_OK; i++) {
        result = push_set(f, sets[i], i == 1, err);
    }
    if (!f->real) {
        result = push_passive(f, f->config, f->field, err);
    }
    result = result == AM_OK && f->model ? push_controlled(f, err) : result;
    am_tables_note(
        f->e->tables,
        "back_s: until the distance from the data is again what it is at most without pushes (reach) and "
        "stays so for 0.3 s; late: not within 3 s. depth_cm: feet below the floor. joint_deg: most that a "
        "joint is beyond the data's 0.1 to 99.9 percentiles, beyond: pushes with more than 10 degrees, "
        "unpushed_deg: the same motion without pushes. off_percent: pushes on trunk, head and arms whose chest "
        "does not go within 30 degrees of them, relative to the feet, within 0.3 s.");
    return result;
}

#endif

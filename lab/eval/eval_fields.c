// amble eval fields: how quickly motion fields respond, beside a graph-based controller on the same data (Fields
// tables 1 and 2, figure 7), the cost of their value functions, ten minutes of play, and the cost of a frame.
#include "eval_fields.h"

#include "database.h"

#include "method/sources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Where a row's value functions come from.
typedef enum steering { BY_RECIPE, WITHOUT, AS_BENDS } steering;

/// A row of the paper's tables: minimum, average, maximum in seconds of both tasks, and KB of the direction's values.
typedef struct paper_row {
    const char *name;
    int every; ///< 0 for the graph
    double seconds[2][3];
    double kb;
    steering steering;
} paper_row;

#define NOWHERE (double)NAN // not in the paper
#define NO_SECONDS                                                                                                   \
    {                                                                                                                \
        { NOWHERE, NOWHERE, NOWHERE }, { NOWHERE, NOWHERE, NOWHERE }                                                 \
    }

// First what the paper has: its own actions, without steering.
static const paper_row paper[] = {
    { "graph-based", 0, { { 0.31, 0.94, 2.36 }, { 0.47, 1.30, 2.19 } }, 14.0, BY_RECIPE },
    { "motion field", 1, { { 0.21, 0.40, 1.01 }, { 0.30, 0.57, 1.26 } }, 320.0, WITHOUT },
    { "motion field x10", 10, { { 0.21, 0.49, 1.23 }, { 0.30, 0.68, 1.42 } }, 35.0, WITHOUT },
    { "motion field x20", 20, { { 0.25, 0.66, 1.19 }, { 0.42, 0.91, 2.51 } }, 19.0, WITHOUT },
    { "motion field x30", 30, { { 0.38, 0.78, 1.93 }, { 0.55, 1.45, 3.56 } }, 13.0, WITHOUT },
    { "steering as the graph's bends", 1, NO_SECONDS, NOWHERE, AS_BENDS },
    { "with steering", 1, NO_SECONDS, NOWHERE, BY_RECIPE },
    { "with steering x10", 10, NO_SECONDS, NOWHERE, BY_RECIPE },
    { "with steering x20", 20, NO_SECONDS, NOWHERE, BY_RECIPE },
    { "with steering x30", 30, NO_SECONDS, NOWHERE, BY_RECIPE },
};

enum { row_count = sizeof paper / sizeof paper[0] };

static const char *const tasks[2] = { "direction", "line" };
// Bounds of the averages: of the graph, so that it is a fair peer, and of the field without steering and with it; and
// how many times as fast the field with steering must be.
static const double graph_bound = 1.3;
static const double plain_bounds[2] = { 1.0, 0.0 };
static const double steered_bounds[2] = { 0.393, 0.604 };
static const double times_bound = 1.8;

int fields_every(int i)
{
    static const int every[fields_kinds] = { 1, 10, 20, 30 };
    return every[i];
}

// ---------------------------------------------------------------------------------------------
// Sources

static am_result make_graph(fields_source *out, const fields *f, const ami_field_task *task, am_error *err)
{
    lab_motion_graph_source_def def = lab_motion_graph_source_def_default();
    def.graph = f->graph;
    def.tasks = f->e->tasks;
    def.task = task;
    am_result result = lab_motion_graph_source_create(&out->source, &def, err);
    out->bytes = result == AM_OK ? lab_motion_graph_source_value_bytes(out->source) : 0;
    return result;
}

static am_result make_field(fields_source *out, const fields *f, const am_model *model, const char *task, int every,
                            am_error *err)
{
    ami_field_value_def value = ami_field_value_def_default();
    ami_field_source_def def = ami_field_source_def_default();
    value.model = model;
    value.field = f->field;
    value.task = task;
    value.every = every;
    am_result result = ami_field_value_create(&out->value, &value, err);
    if (result == AM_OK) {
        const ami_field_value_head *head = &out->value->head;
        size_t number = head->numbers == AM_NET_FP16 ? 2 : 4;
        out->bytes =
            sizeof *head + (size_t)head->cells * sizeof(float) + (size_t)head->anchors * (size_t)head->cells * number;
        def.field = f->field;
        def.value = out->value;
        result = ami_field_source_create(&out->source, &def, err);
    }
    return result;
}

am_result fields_source_make(fields_source *out, const fields *f, const char *task, int every, am_error *err)
{
    *out = (fields_source){ 0 };
    ami_field_task rules;
    if (!ami_field_task_find(&rules, task)) {
        return cli_error(err, AM_ERR_KEY, NULL, "there is no task '%s'", task);
    }
    am_result result = every == 0 ? make_graph(out, f, &rules, err) : make_field(out, f, f->model, task, every, err);
    if (result != AM_OK) {
        fields_source_free(out);
    }
    return result;
}

void fields_source_free(fields_source *s)
{
    ami_source_destroy(s->source);
    ami_field_value_destroy(s->value);
    *s = (fields_source){ 0 };
}

// ---------------------------------------------------------------------------------------------
// Tables 1 and 2

int fields_finest(const fields *f) { return f->e->quick ? 30 : 1; }

bool fields_measures(const fields *f, const char *task, int every)
{
    bool few = f->e->quick || f->e->pushes;
    return !few || (every == fields_finest(f) && strcmp(task, tasks[0]) == 0);
}

/// The value functions of a row, NULL when there are none.
static const am_model *model_of(const fields *f, int row)
{
    const am_model *models[] = { [BY_RECIPE] = f->model, [WITHOUT] = f->plain, [AS_BENDS] = f->bent };
    return models[paper[row].steering];
}

/// Rows that can be measured: the fields need a model.
static bool has_row(const fields *f, int row, int task)
{
    return paper[row].every == 0 || (model_of(f, row) && fields_measures(f, tasks[task], paper[row].every));
}

/// What the graph's bends are at most: those of its shortest clip.
static double bends_deg_s(void)
{
    return (double)(lab_motion_graph_source_def_default().warp / AM_DEG / lab_motion_graph_def_default().least_s);
}

/// The rows with other steering, to separate its effect.
static am_result open_steerings(fields *f, am_error *err)
{
    if (!f->model || f->e->quick) {
        return AM_OK;
    }
    const fields_values plain = { .name = "plain", .lines = true, .steer_deg_s = 0.0 };
    const fields_values bent = { .name = "bent", .finest = true, .lines = true, .steer_deg_s = bends_deg_s() };
    am_result result = fields_train(f, &f->plain, &plain, err);
    return result == AM_OK ? fields_train(f, &f->bent, &bent, err) : result;
}

static am_result measure_source(const fields *f, const am_source *source, const char *stage, bool line,
                                lab_agility *out, am_error *err)
{
    lab_agility_def def = lab_agility_def_default();
    def.source = source;
    def.tasks = f->e->tasks;
    def.progress = f->e->progress;
    def.stage = stage;
    def.line = line;
    def.starts = f->e->quick ? 3 : def.starts;
    def.changes = f->e->quick ? 12 : def.changes;
    return lab_agility_measure(out, &def, err);
}

static am_result measure_row(const fields *f, int row, int task, lab_agility *out, size_t *bytes, am_error *err)
{
    fields_source s = { 0 };
    const int every = paper[row].every;
    am_result result = every == 0 ? fields_source_make(&s, f, tasks[task], 0, err)
                                  : make_field(&s, f, model_of(f, row), tasks[task], every, err);
    if (result == AM_OK) {
        result = measure_source(f, s.source, paper[row].name, task == 1, out, err);
        *bytes = s.bytes;
    }
    fields_source_free(&s);
    return result;
}

static void begin_table(ami_tables *t, int task)
{
    static const char *const abouts[2] = {
        "table 1: seconds until the character faces within 5 degrees of a new direction and stays so for 0.3 s",
        "table 2: the same, and within 0.1 m of a new line that may lie up to 0.5 m aside"
    };
    static const ami_column columns[] = { { "representation", -1 }, { "minimum", 2 },        { "average", 3 },
                                          { "maximum", 2 },         { "median", 2 },         { "late_percent", 2 },
                                          { "by_motion", 2 },       { "times_as_fast", 2 },  { "sparser_adds", 3 },
                                          { "values_kb", 1 },       { "paper_minimum", 2 },  { "paper_average", 2 },
                                          { "paper_maximum", 2 },   { "paper_values_kb", 0 } };
    ami_tables_begin(t, tasks[task], abouts[task]);
    ami_tables_columns(t, columns, CLI_COUNT(columns));
}

/// A number with a bound (0: none) where the data are those that it was made for.
static void add_at_most(const fields *f, double value, double bound)
{
    f->real &&bound > 0.0 ? ami_tables_bounded(f->e->tables, value, bound) : ami_tables_number(f->e->tables, value);
}

/// The same for one that has to be above.
static void add_above(const fields *f, double value, bool bounded, double bound)
{
    f->real &&bounded ? ami_tables_at_least(f->e->tables, value, bound) : ami_tables_number(f->e->tables, value);
}

/// The row compared with the graph and with the row of the next denser anchors: in the paper each step costs time.
static void add_beside(const fields *f, int row, const lab_agility *rows)
{
    const paper_row *p = &paper[row];
    const double own = (double)rows[row].average, graph = (double)rows[0].average;
    const bool sparser = p->every > 1 && rows[row - 1].trials > 0;
    add_above(f, p->every > 0 && own > 0.0 ? graph / own : (double)NAN, p->every == 1 && p->steering == BY_RECIPE,
              times_bound);
    add_above(f, sparser ? own - (double)rows[row - 1].average : (double)NAN, sparser && p->steering == WITHOUT, 0.0);
}

static void add_row(const fields *f, int row, int task, const lab_agility *rows, size_t bytes)
{
    ami_tables *t = f->e->tables;
    const paper_row *p = &paper[row];
    const lab_agility *a = &rows[row];
    const bool steered = p->every > 0 && p->steering == BY_RECIPE;
    const bool plain = p->steering == WITHOUT;
    double bound = p->every == 0 ? graph_bound : 0.0;
    if (p->every == 1) {
        bound = steered ? steered_bounds[task] : plain ? plain_bounds[task] : 0.0;
    }
    double kb = (double)bytes / 1024.0;
    ami_tables_row(t);
    ami_tables_text(t, p->name);
    ami_tables_number(t, (double)a->minimum);
    add_at_most(f, (double)a->average, bound);
    ami_tables_number(t, (double)a->maximum);
    ami_tables_number(t, (double)a->median);
    double late = 100.0 * a->late / a->trials;
    f->real &&steered ? ami_tables_bounded(t, late, 0.0) : ami_tables_number(t, late);
    ami_tables_number(t, p->every > 0 ? (double)a->by_motion : (double)NAN);
    add_beside(f, row, rows);
    add_at_most(f, kb, task == 0 && plain ? 0.5 * p->kb : 0.0);
    for (int i = 0; i < 3; i++) {
        ami_tables_number(t, p->seconds[task][i]);
    }
    ami_tables_number(t, task == 0 ? p->kb : (double)NAN);
}

static am_result add_responses(const fields *f, int task, am_error *err)
{
    ami_tables *t = f->e->tables;
    lab_agility rows[row_count] = { { 0 } };
    size_t bytes[row_count];
    am_result result = AM_OK;
    for (int r = 0; r < row_count && result == AM_OK; r++) {
        result = has_row(f, r, task) ? measure_row(f, r, task, &rows[r], &bytes[r], err) : AM_OK;
    }
    if (result != AM_OK) {
        return result;
    }
    begin_table(t, task);
    for (int r = 0; r < row_count; r++) {
        if (has_row(f, r, task)) {
            add_row(f, r, task, rows, bytes[r]);
        }
    }
    ami_tables_plot(t, "average", 0);
    ami_tables_note(
        t,
        "%d changes of the target in each row: up to +-180 degrees in equal steps without 0, from moments all over "
        "the data. late_percent: responses later than 3 s, which count as 3 s. Values have 16 bits.",
        rows[0].trials);
    if (f->trained_s > 0.0 && task == 0) {
        ami_tables_note(t, "All value functions were trained in %.0f s.", f->trained_s);
    }
    if (has_row(f, 1, task) && rows[1].average > 0.0f) {
        ami_tables_note(t, "The motion field responds %.2f times as fast as the graph (paper: %.2f).",
                        (double)rows[0].average / (double)rows[1].average,
                        paper[0].seconds[task][1] / paper[1].seconds[task][1]);
    }
    if (f->bent && f->plain) {
        ami_tables_note(
            t,
            "The first rows are the paper's field: it turns by motion alone. In the others each action "
            "may turn the root more or less than the motion does: by as much as the graph bends its "
            "shortest clip, %.0f degrees per second, and by what the recipe says. by_motion: the share of "
            "the turn until the response that is the motion's own.",
            bends_deg_s());
    }
    ami_tables_note(
        t, "times_as_fast: compared with the graph. sparser_adds: seconds more than with the next denser anchors.");
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// 16-bit values beside 32-bit ones

/// Average response and bytes of the direction with the values of a model.
static am_result measure_numbers(const fields *f, const am_model *model, int every, double *average, double *kb,
                                 am_error *err)
{
    fields_source s = { 0 };
    lab_agility a = { 0 };
    am_result result = make_field(&s, f, model, tasks[0], every, err);
    result = result == AM_OK ? measure_source(f, s.source, "32-bit values", false, &a, err) : result;
    *average = (double)a.average;
    *kb = (double)s.bytes / 1024.0;
    fields_source_free(&s);
    return result;
}

static am_result add_numbers(fields *f, am_error *err)
{
    ami_tables *t = f->e->tables;
    double average[2][fields_kinds], kb[2][fields_kinds];
    am_result result = AM_OK;
    if (f->model && !f->e->quick) {
        result =
            fields_train(f, &f->full, &(fields_values){ .name = "full", .full = true, .steer_deg_s = -1.0 }, err);
    }
    if (result != AM_OK || !f->full) {
        return result;
    }
    for (int i = 0; i < 2 * fields_kinds && result == AM_OK; i++) {
        const int kind = i / 2, full = i % 2;
        result = measure_numbers(f, full ? f->full : f->model, fields_every(kind), &average[full][kind],
                                 &kb[full][kind], err);
    }
    if (result != AM_OK) {
        return result;
    }
    ami_tables_begin(t, "numbers", "mean seconds to a direction, with 16-bit and with 32-bit values");
    static const ami_column columns[] = {
        { "representation", -1 }, { "fp16_average", 5 }, { "fp32_average", 5 }, { "fp16_kb", 1 }, { "fp32_kb", 1 }
    };
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (int kind = 0; kind < fields_kinds; kind++) {
        ami_tables_row(t);
        ami_tables_text(t, paper[kind + 1].name);
        add_at_most(f, average[0][kind], average[1][kind]); // half the bytes, no slower
        ami_tables_number(t, average[1][kind]);
        ami_tables_number(t, kb[0][kind]);
        ami_tables_number(t, kb[1][kind]);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Figure 7

#define CURVE_S 4.23f
static const lab_agility_turn turns[3] = { { 0.0f, 90.0f * AM_DEG },
                                           { 1.41f, -120.0f * AM_DEG },
                                           { 2.82f, 150.0f * AM_DEG } };

enum { most_points = 160 };

static void desired_curve(double *y, int count, float dt)
{
    for (int i = 0; i < count; i++) {
        y[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            y[i] += turns[k].t <= (float)i * dt + 1e-4f ? (double)(turns[k].angle / AM_DEG) : 0.0;
        }
    }
}

static am_result add_turns(const fields *f, am_error *err)
{
    ami_tables *t = f->e->tables;
    double x[most_points], y[3][most_points];
    float facing[2][most_points];
    ami_curve curves[3] = { { "target", x, y[0], NULL, 0 },
                            { "graph-based", x, y[1], NULL, 0 },
                            { "motion field", x, y[2], NULL, 0 } };
    int sources = f->model ? 2 : 1;
    lab_agility_def def = lab_agility_def_default();
    int count = (int)(CURVE_S / def.dt + 0.5f);
    for (int s = 0; s < sources; s++) {
        fields_source source;
        am_result result = fields_source_make(&source, f, "direction", s == 0 ? 0 : fields_finest(f), err);
        def.source = source.source;
        result = result == AM_OK ? lab_agility_curve(&def, facing[s], count, turns, 3, err) : result;
        fields_source_free(&source);
        if (result != AM_OK) {
            return result;
        }
    }
    ami_tables_begin(t, "turns",
                     "figure 7: three changes of the direction within 4.23 s, seconds until within 5 degrees for "
                     "0.3 s before the next");
    static const char *const columns[] = { "first_s", "second_s", "third_s" };
    ami_tables_column(t, "representation", -1);
    for (int i = 0; i < 3; i++) {
        ami_tables_column(t, columns[i], 2);
    }
    desired_curve(y[0], count, def.dt);
    for (int s = 0; s < sources; s++) {
        ami_tables_row(t);
        ami_tables_text(t, curves[s + 1].name);
        float answers[3];
        lab_agility_answers(&def, answers, facing[s], count, turns, 3);
        for (int i = 0; i < 3; i++) {
            ami_tables_number(t, (double)answers[i]);
        }
        for (int i = 0; i < count; i++) {
            x[i] = (double)(i + 1) * (double)def.dt;
            y[s + 1][i] = (double)(facing[s][i] / AM_DEG);
        }
    }
    for (int c = 0; c < 3; c++) {
        curves[c].count = count;
    }
    ami_tables_lines(t, "the facing while the target direction changes", "seconds", "degrees", curves, sources + 1);
    ami_tables_note(t, "The target direction changes by 90, -120 and 150 degrees, 1.41 s apart.");
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// All of it

static am_result open_all(fields *f, am_error *err)
{
    am_result result = cli_database_open(&f->db, f->config, f->e->tasks, f->e->progress, err);
    if (result == AM_OK) {
        ami_field_def def = ami_field_def_default();
        def.db = f->db;
        def.tasks = f->e->tasks;
        def.k = fields_k;
        result = ami_field_create(&f->field, &def, err);
    }
    if (result == AM_OK) {
        lab_motion_graph_def def = lab_motion_graph_def_default();
        def.field = f->field;
        def.tasks = f->e->tasks;
        result = lab_motion_graph_create(&f->graph, &def, err);
    }
    return result == AM_OK ? fields_open_values(f, err) : result;
}

static void close_all(fields *f)
{
    am_model_close(f->bent);
    am_model_close(f->plain);
    am_model_close(f->full);
    am_model_close(f->model);
    fields_close_values(f);
    lab_motion_graph_destroy(f->graph);
    ami_field_destroy(f->field);
    am_db_close(f->db);
}

/// All tables but those of pushes.
static am_result add_control(fields *f, am_error *err)
{
    am_result result = open_steerings(f, err);
    for (int task = 0; task < 2 && result == AM_OK; task++) {
        result = add_responses(f, task, err);
    }
    result = result == AM_OK ? add_numbers(f, err) : result;
    result = result == AM_OK ? add_turns(f, err) : result;
    result = result == AM_OK ? fields_settings(f, err) : result;
    result = result == AM_OK ? fields_endurance(f, err) : result;
    result = result == AM_OK ? fields_rates(f, err) : result;
    return result;
}

am_result eval_fields(eval *e, am_error *err)
{
    static const char own[] = "fields_locomotion";
    fields f = { .e = e, .config = e->config };
    f.real = !e->config && cli_database_has_data(own);
    f.config = f.config ? f.config : f.real ? own : "synth";
    snprintf(e->title, sizeof e->title, "Motion fields and a graph on the same data");
    if (!f.real && !e->config) {
        eval_without_capture(e, "Procedural motion (amble synth)");
    }
    am_result result = open_all(&f, err);
    result = result == AM_OK && !e->pushes ? add_control(&f, err) : result;
    result = result == AM_OK ? fields_pushes(&f, err) : result;
    if (result == AM_OK) {
        snprintf(e->about, sizeof e->about,
                 "%s: %d states at %.0f Hz; graph of %d clips of %.2f s on average (%d left out), %.1f followers "
                 "each.%s %d values beyond their bound (marked !).",
                 f.config, f.field->state_count, (double)f.field->fps, f.graph->clip_count, (double)f.graph->mean_s,
                 f.graph->pruned, (double)f.graph->edge_count / f.graph->clip_count,
                 f.model ? "" : " No value functions: this build has no training and no --model was given.",
                 ami_tables_bad_count(e->tables));
    }
    close_all(&f);
    return result;
}

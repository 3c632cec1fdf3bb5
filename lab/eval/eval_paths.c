// amble eval paths: long-horizon matching along drawn paths (LHMM tables 1 and 2, figures 7 and 9), with the paper's
// own figures beside ours, and what Amble adds to it.
#include "eval_paths.h"

#include "database.h"

#include "actor/path_def.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { path_count = 4, figure_count = 2, most_rows = 16 };

static const char *const four[path_count] = { "curve", "crossing", "spiral", "corners" };
static const char *const figures[path_count] = { "figure_a", "figure_b" };

/// What is played: rows on paths, all at once.
typedef struct grid {
    const am_db *db;
    const am_db_measures *own;
    const path_row *rows;
    int row_count, column_count;
    am_path_sample *samples[path_count];
    int counts[path_count];
    path_score *scores; ///< [row][column]
} grid;

static void play_item(void *context, int item)
{
    grid *g = context;
    int column = item % g->column_count;
    path_play(&g->scores[item], g->db, g->own, &g->rows[item / g->column_count], g->samples[column],
              g->counts[column]);
}

static void grid_free(grid *g)
{
    for (int i = 0; g->scores && i < g->row_count * g->column_count; i++) {
        path_score_free(&g->scores[i]);
    }
    for (int i = 0; i < path_count; i++) {
        free(g->samples[i]);
    }
    free(g->scores);
}

/// Plays all rows on all paths. In order, one at a time, when times are measured.
static am_result grid_play(grid *g, const eval *e, const char *const *names, bool timed, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < g->column_count; i++) {
        result = path_read(&g->samples[i], &g->counts[i], names[i], err);
    }
    g->scores = calloc((size_t)g->row_count * (size_t)g->column_count, sizeof *g->scores);
    if (result == AM_OK && !g->scores) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the scores");
        result = AM_ERR_MEMORY;
    }
    if (result != AM_OK) {
        return result;
    }
    int count = g->row_count * g->column_count;
    for (int i = 0; timed && i < count; i++) {
        play_item(g, i);
    }
    if (!timed) {
        e->tasks->run(e->tasks->user, count, play_item, g);
    }
    for (int i = 0; result == AM_OK && i < count; i++) {
        result = g->scores[i].result;
        *err = result != AM_OK ? g->scores[i].err : *err;
    }
    return result;
}

static void add_track(eval *e, const char *caption, const path_score *s)
{
    am_track track = { s->places, s->place_count, s->dt };
    am_polyline line = { .points = s->line, .count = s->line_count };
    ami_tables_path(e->tables, caption, &track, &line);
}

/// The databases of one motion: with Amble's features, the paper's, and the paper's longer ones.
typedef struct motions {
    const am_db *own, *paper, *longer; ///< longer may be NULL
    const am_db_measures *measures;
} motions;

static path_row paper_row(const motions *m, const char *name, int k, int l)
{
    path_row row = {
        .name = name, .db = m->paper, .method = ami_path_method_paper(), .k = k, .l = l, .own_root = true
    };
    return row;
}

static path_row amble_row(const char *name)
{
    path_row row = { .name = name, .method = ami_path_method_default(), .k = 3, .l = 3 };
    return row;
}

// ---------------------------------------------------------------------------------------------
// Table 1 and figure 7

/// One line of table 1: ours from the first path, the paper's beside it.
static void add_cost(eval *e, const path_score *s, const path_row *row, double basic_us, double paper_s, int tree)
{
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, row->name);
    ami_tables_number(e->tables, s->search_us * 1e-6);
    ami_tables_number(e->tables, paper_s);
    ami_tables_number(e->tables, tree);
    ami_tables_number(e->tables, s->searches);
    double bound = tree == 13 ? 8.0 : tree == 111 ? 70.0 : (double)INFINITY;
    ami_tables_bounded(e->tables, s->search_us / basic_us, bound);
}

static void add_figure_row(eval *e, const path_row *row, const path_score *scores)
{
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, row->name);
    for (int p = 0; p < figure_count; p++) {
        ami_tables_number(e->tables, scores[p].error_mean);
        ami_tables_number(e->tables, scores[p].oscillation);
        ami_tables_number(e->tables, scores[p].completed);
    }
}

static void add_methods(eval *e, const grid *g, const double *paper_s, const int *trees)
{
    ami_tables_begin(e->tables, "table 1",
                     "one top-level call on path A: time and searches, with the paper's figures");
    static const ami_column columns[] = { { "configuration", -1 },  { "avg. time (s)", 7 }, { "paper's time (s)", 3 },
                                          { "# of knn_search", 0 }, { "searches made", 2 }, { "basic searches", 2 } };
    ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
    for (int r = 0; r < g->row_count; r++) {
        add_cost(e, &g->scores[r * figure_count], &g->rows[r], g->scores[figure_count].search_us, paper_s[r],
                 trees[r]);
    }
    ami_tables_note(e->tables,
                    "'basic searches' is the time divided by that of bmm, with bounds 8 and 70. Branches that can "
                    "no longer win are skipped, so there are fewer searches than the tree has nodes.");
    ami_tables_begin(e->tables, "figure 7", "two smooth paths, five starts each: as in the paper, and by Amble");
    ami_tables_column(e->tables, "configuration", -1);
    static const char *const of[] = { "path a", "path a oscillation", "path a completed",
                                      "path b", "path b oscillation", "path b completed" };
    for (int c = 0; c < (int)CLI_COUNT(of); c++) {
        ami_tables_column(e->tables, of[c], c % 3 == 2 ? 0 : 4);
    }
    for (int r = 0; r < g->row_count; r++) {
        add_figure_row(e, &g->rows[r], &g->scores[r * figure_count]);
    }
    ami_tables_note(e->tables, "Mean distance of the hips from the path in m, and oscillation: the root mean square "
                               "of the signed distance smoothed over 0.5 s, about its mean.");
    ami_tables_plot(e->tables, "path a", 0);
    ami_tables_plot(e->tables, "path a oscillation", 0);
    for (int i = 0; i < 2 * figure_count; i++) {
        char caption[96];
        snprintf(caption, sizeof caption, "path %c: %s", 'a' + i % figure_count, g->rows[i / figure_count].name);
        add_track(e, caption, &g->scores[i]);
    }
}

static am_result compare_methods(eval *e, const motions *m, am_error *err)
{
    path_row rows[] = {
        paper_row(m, "lhmm (k = 3, l = 3)", 3, 3),         paper_row(m, "bmm (k = 1, l = 1)", 1, 1),
        paper_row(m, "lhmm (3, 3), squares summed", 3, 3), amble_row("amble (k = 3, l = 3)"),
        paper_row(m, "lhmm (k = 10, l = 3)", 10, 3),       paper_row(m, "bmm with longer queries", 1, 1)
    };
    static const double paper_s[] = { 0.019, 0.003, 0.019, 0.019, 0.115, 0.009 };
    static const int trees[] = { 13, 1, 13, 13, 111, 1 };
    int shorter = e->quick ? 4 : 5; // ten branches take as long as all the others
    rows[2].method.squares = true;
    rows[5].db = m->longer;
    grid g = { .db = m->own, .own = m->measures, .rows = rows, .row_count = shorter, .column_count = figure_count };
    g.row_count += !e->quick && m->longer;
    am_result result = grid_play(&g, e, figures, true, err);
    if (result == AM_OK) {
        add_methods(e, &g, paper_s, trees);
    }
    grid_free(&g);
    return result == AM_OK ? path_table_smooth(e, m->own, m->measures, rows, shorter, err) : result;
}

// ---------------------------------------------------------------------------------------------
// Table 2

static const double paper_full[] = { 0.1431, 0.1471, 0.0850, 0.1468 };
static const double paper_rough[] = { 0.1861, 0.1239, 0.0887, 0.1724 };
static const double paper_frame[] = { 1.1468, 0.5228, 0.995, 0.3267 };
static const double paper_nearest[] = { 0.1726, -1.0, -1.0, -1.0 };
static const double paper_fast[] = { 0.4485, 0.3279, 0.42, 0.204 };
static const double paper_corners[] = { 0.1431, 0.1471, 0.0850, -1.0 };
static const double paper_raw[] = { 1.045, 0.562, 1.43, 0.328 };

static int make_rows(path_row *rows, const motions *m)
{
    static const struct {
        const char *name;
        const double *paper;
    } names[] = { { "proposed (full)", paper_full },
                  { "no input path smoothing", paper_rough },
                  { "no desired position comp. (current frame path point)", paper_frame },
                  { "no desired position comp. (nearest path point)", paper_nearest },
                  { "no speed limit", paper_fast },
                  { "no modification for sharp corners", paper_corners },
                  { "raw future query", paper_raw },
                  { "full, squares summed", NULL },
                  { "full, Amble's features", NULL } };
    for (int i = 0; i < (int)CLI_COUNT(names); i++) {
        rows[i] = paper_row(m, names[i].name, 3, 3);
        rows[i].paper = names[i].paper;
    }
    rows[1].method.smooth = rows[6].method.smooth = false;
    rows[2].method.desired = rows[6].method.desired = AM_PATH_DESIRED_FRAME;
    rows[3].method.desired = AM_PATH_DESIRED_NEAREST;
    rows[4].method.speed_limit = rows[6].method.speed_limit = false;
    rows[5].method.corners = rows[6].method.corners = false;
    rows[7].method.squares = true;
    rows[8].db = m->own;
    rows[CLI_COUNT(names)] = amble_row("amble");
    return (int)CLI_COUNT(names) + 1;
}

static int make_own_rows(path_row *rows)
{
    static const char *const names[] = { "amble (all)",      "without retiming", "without a moving target",
                                         "without steering", "without weights",  "without planting",
                                         "basic matching" };
    for (int i = 0; i < (int)CLI_COUNT(names); i++) {
        rows[i] = amble_row(names[i]);
    }
    rows[1].method.retime = false;
    rows[1].method.corners = true;
    rows[2].method.lead = false;
    rows[3].method.steer = false;
    rows[4].method.weigh = false;
    rows[5].method.plant = false;
    rows[6].k = rows[6].l = 1;
    return (int)CLI_COUNT(names);
}

static void add_distance(eval *e, double value, bool fails)
{
    if (fails) {
        ami_tables_text(e->tables, "(fail)");
    } else {
        ami_tables_number(e->tables, value);
    }
}

static void add_ablations(eval *e, const grid *g)
{
    ami_tables_begin(e->tables, "table 2",
                     "the paper's method and each part of it left out: mean distance in m, with the paper's figures");
    ami_tables_column(e->tables, "configuration", -1);
    for (int p = 0; p < path_count; p++) {
        char name[32];
        snprintf(name, sizeof name, "path %d", p + 1);
        ami_tables_column(e->tables, name, 4);
        snprintf(name, sizeof name, "paper's path %d", p + 1);
        ami_tables_column(e->tables, name, 4);
    }
    for (int r = 0; r < g->row_count; r++) {
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, g->rows[r].name);
        for (int p = 0; p < path_count; p++) {
            const path_score *s = &g->scores[r * path_count + p];
            add_distance(e, s->error_mean, s->completed < path_starts);
            const double *paper = g->rows[r].paper;
            if (paper) {
                add_distance(e, paper[p], paper[p] < 0.0);
            } else {
                ami_tables_text(e->tables, "-");
            }
        }
    }
    ami_tables_note(e->tables, "Paths 1 to 4 are configs/runs/curve, crossing, spiral and corners, not the paper's "
                               "own. Means over five starts; (fail): at least one start did not complete the path.");
    ami_tables_note(e->tables,
                    "Distances are to the drawing. Smoothing moves the path to the inside of its bends, which is "
                    "only a part of why it is farther off here; the rest is not explained. Path 4 crosses itself "
                    "nowhere, so that the nearest point does not lead astray.");
    ami_tables_plot(e->tables, "path 1", 0);
    ami_tables_plot(e->tables, "path 4", 0);
    for (int p = 0; p < path_count; p++) {
        char caption[96];
        snprintf(caption, sizeof caption, "path %d: the paper's method", p + 1);
        add_track(e, caption, &g->scores[p]);
    }
    add_track(e, "path 4: no modification for sharp corners", &g->scores[5 * path_count + 3]);
    add_track(e, "path 2: nearest path point", &g->scores[3 * path_count + 1]);
}

static void add_own(eval *e, const grid *g, const am_db_measures *own, const char *name, const char *about)
{
    ami_tables_begin(e->tables, name, about);
    static const ami_column columns[] = { { "configuration", -1 },  { "path", -1 },         { "drawn_mps", 2 },
                                          { "path_error_m", 3 },    { "path_cover_m", 3 },  { "path_cover_max_m", 3 },
                                          { "path_time_ratio", 2 }, { "path_end_m", 3 },    { "completed", 0 },
                                          { "recoveries", 0 },      { "foot_slide_cm", 3 }, { "jitter_cm", 3 },
                                          { "skate_share", 3 } };
    ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
    for (int i = 0; i < g->row_count * path_count; i++) {
        const path_score *s = &g->scores[i];
        bool bound = i < path_count; // only all together has bounds
        double none = (double)INFINITY;
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, g->rows[i / path_count].name);
        ami_tables_text(e->tables, four[i % path_count]);
        ami_tables_number(e->tables, (double)s->drawn_mps);
        ami_tables_bounded(e->tables, s->error, bound ? 0.05 : none);
        ami_tables_bounded(e->tables, s->cover, bound ? 0.05 : none);
        ami_tables_bounded(e->tables, s->cover_max, bound ? 0.35 : none);
        ami_tables_bounded(e->tables, s->ratio, bound ? path_ratio_bound(s) : none);
        ami_tables_number(e->tables, s->end);
        ami_tables_at_least(e->tables, s->completed, bound ? path_starts - 1 : -1);
        ami_tables_number(e->tables, s->recoveries);
        ami_tables_bounded(e->tables, s->slide, bound ? 0.5 * own->quality.foot_slide_cm : none);
        ami_tables_bounded(e->tables, s->jitter, bound ? 1.3 * fmax(own->quality.jitter_cm, s->played_jitter) : none);
        ami_tables_bounded(e->tables, s->skate, bound ? 1.1 * own->quality.skate_share : none);
    }
    ami_tables_note(e->tables, "The worst of five starts, 4 cm and 10 degrees apart. Jitter may be 1.3 times the "
                               "database's or that of the frames played: running shakes more than walking.");
    for (int p = 0; p < path_count; p++) {
        add_track(e, four[p], &g->scores[p]);
    }
}

static am_result ablate(eval *e, const motions *m, am_error *err)
{
    path_row rows[most_rows];
    grid g = { .db = m->own, .own = m->measures, .rows = rows, .column_count = path_count };
    g.row_count = make_rows(rows, m);
    am_result result = grid_play(&g, e, four, false, err);
    if (result == AM_OK) {
        add_ablations(e, &g);
    }
    grid_free(&g);
    if (result != AM_OK) {
        return result;
    }
    grid a = { .db = m->own, .own = m->measures, .rows = rows, .column_count = path_count };
    a.row_count = make_own_rows(rows);
    a.row_count = e->quick ? 1 : a.row_count;
    result = grid_play(&a, e, four, false, err);
    if (result == AM_OK) {
        add_own(e, &a, m->measures, "amble", "what Amble adds to the paper's method, and each part of it left out");
    }
    grid_free(&a);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Figure 9

static am_result sweep_speed(eval *e, const motions *m, am_error *err)
{
    static const float limits[] = { 1.0f, 2.0f, 3.0f, 9.0f };
    static const char *const circle[path_count] = { "speed_circle" };
    enum { limit_count = sizeof limits / sizeof limits[0] };
    path_row rows[2 * limit_count];
    for (int i = 0; i < limit_count; i++) {
        rows[i] = paper_row(m, "as in the paper", 3, 3);
        rows[limit_count + i] = amble_row("amble");
        rows[i].v_max = rows[limit_count + i].v_max = limits[i];
    }
    grid g = { .db = m->own, .own = m->measures, .rows = rows, .row_count = 2 * limit_count, .column_count = 1 };
    am_result result = grid_play(&g, e, circle, false, err);
    if (result == AM_OK) {
        ami_tables_begin(e->tables, "figure 9",
                         "one and a half laps of a circle, drawn from 0 to 9 m/s, with four speed limits");
        static const ami_column columns[] = { { "configuration", -1 }, { "v_max", 0 },
                                              { "mean speed", 2 },     { "largest speed", 2 },
                                              { "path_error_m", 3 },   { "path_cover_max_m", 3 },
                                              { "completed", 0 } };
        ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
        for (int r = 0; r < g.row_count; r++) {
            const path_score *s = &g.scores[r];
            ami_tables_row(e->tables);
            ami_tables_text(e->tables, rows[r].name);
            ami_tables_number(e->tables, (double)rows[r].v_max);
            ami_tables_number(e->tables, s->speed);
            ami_tables_number(e->tables, s->speed_most);
            ami_tables_number(e->tables, s->error);
            ami_tables_number(e->tables, s->cover_max);
            ami_tables_number(e->tables, s->completed);
        }
        for (int r = 0; r < g.row_count; r++) {
            char caption[96];
            snprintf(caption, sizeof caption, "%s, v_max %.0f m/s", rows[r].name, (double)rows[r].v_max);
            add_track(e, caption, &g.scores[r]);
        }
    }
    grid_free(&g);
    return result;
}

// ---------------------------------------------------------------------------------------------

/// The paper's other data sets: what a dance makes of the same paths.
static am_result other_sets(eval *e, am_error *err)
{
    static const char *const sets[] = { "salsa", "indian_dance", "basketball" };
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < (int)CLI_COUNT(sets); i++) {
        if (!cli_database_has_data(sets[i])) {
            continue;
        }
        am_db *db = NULL;
        am_db_measures own;
        result = cli_database_open(&db, sets[i], e->tasks, e->progress, err);
        result = result == AM_OK ? am_db_measure(&own, db, NULL, err) : result;
        path_row row = amble_row(sets[i]);
        grid g = { .db = db, .own = &own, .rows = &row, .row_count = 1, .column_count = path_count };
        result = result == AM_OK ? grid_play(&g, e, four, false, err) : result;
        if (result == AM_OK) {
            ami_tables_begin(e->tables, sets[i], "the same paths with another style of motion");
            static const ami_column columns[] = { { "path", -1 },        { "path_error_m", 3 },
                                                  { "path_cover_m", 3 }, { "path_time_ratio", 2 },
                                                  { "completed", 0 },    { "recoveries", 0 },
                                                  { "foot_slide_cm", 3 } };
            ami_tables_columns(e->tables, columns, CLI_COUNT(columns));
            for (int p = 0; p < path_count; p++) {
                const path_score *s = &g.scores[p];
                ami_tables_row(e->tables);
                ami_tables_text(e->tables, four[p]);
                ami_tables_number(e->tables, s->error);
                ami_tables_number(e->tables, s->cover);
                ami_tables_number(e->tables, s->ratio);
                ami_tables_number(e->tables, s->completed);
                ami_tables_number(e->tables, s->recoveries);
                ami_tables_number(e->tables, s->slide);
                add_track(e, four[p], s);
            }
        }
        grid_free(&g);
        am_db_close(db);
    }
    return result;
}

am_result eval_paths(eval *e, am_error *err)
{
    bool real = cli_database_has_data("locomotion");
    const char *config = e->config ? e->config : real ? "locomotion" : "synth";
    snprintf(e->title, sizeof e->title, "Drawn paths, followed");
    am_db *db = NULL;
    am_db *paper = NULL;
    am_db *longer = NULL;
    am_db_measures own;
    if (!real && !e->config) {
        eval_without_capture(e, "Procedural motion (amble synth)");
    }
    bool captured = strcmp(config, "locomotion") == 0;
    am_result result = cli_database_open(&db, config, e->tasks, e->progress, err);
    if (result == AM_OK && captured) {
        result = cli_database_open(&paper, "locomotion_lhmm", e->tasks, e->progress, err);
    }
    if (result == AM_OK && captured && !e->quick) {
        result = cli_database_open(&longer, "locomotion_long", e->tasks, e->progress, err);
    }
    result = result == AM_OK ? am_db_measure(&own, db, NULL, err) : result;
    // Elsewhere there is one schema for both.
    motions m = { db, paper ? paper : db, longer, &own };
    result = result == AM_OK ? compare_methods(e, &m, err) : result;
    result = result == AM_OK ? ablate(e, &m, err) : result;
    if (result == AM_OK && !e->quick) {
        result = sweep_speed(e, &m, err);
    }
    result = result == AM_OK ? path_table_new(e, db, &own, err) : result;
    result = result == AM_OK ? path_table_direction(e, db, config, err) : result;
    if (result == AM_OK && !e->config && !e->quick) {
        result = other_sets(e, err);
    }
    snprintf(e->about, sizeof e->about, "On %s; %d values beyond their bound (marked !).", config,
             result == AM_OK ? ami_tables_bad_count(e->tables) : 0);
    am_db_close(db);
    am_db_close(paper);
    am_db_close(longer);
    return result;
}

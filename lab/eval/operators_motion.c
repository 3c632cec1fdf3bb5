// Operators tables 1 and 2, and figures 8 and 14: raw roll-outs of a flow network and of its ablations.
#include "operators_tables.h"

#include <amble/tools/network.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Networks of table 1 and what the paper has for them, as multiples of its data; 0: nothing.
typedef struct ablation {
    const char *file, *name;
    double paper_slide[2], paper_jitter[2]; ///< of the internal data, of 100STYLE
} ablation;

static const ablation ablations[] = {
    { "flow", "flow", { 2.74, 3.31 }, { 1.98, 3.07 } },
    { "no_layer_norm", "w/o layer norm", { 3.13, 4.45 }, { 2.63, 4.85 } },
    { "no_skips", "w/o skips", { 5.85, 7.47 }, { 5.46, 6.83 } },
    { "no_latent", "w/o latent", { 10.55, 2.98 }, { 16.72, 2.51 } },
    { "no_latent_large", "w/o latent, 10 x 1024", { 0.0, 0.0 }, { 0.0, 0.0 } },
};

void operators_quality(ami_tables *t, const rollouts_quality *q, const rollouts_quality *captured)
{
    ami_tables_number(t, q->slide);
    ami_tables_number(t, q->slide / captured->slide);
    ami_tables_number(t, q->jitter);
    ami_tables_number(t, q->jitter / captured->jitter);
    ami_tables_number(t, q->toe);
    ami_tables_number(t, 100.0 * q->toe_share);
    ami_tables_number(t, q->heel);
    ami_tables_number(t, 100.0 * q->heel_share);
    ami_tables_number(t, 100.0 * q->stand_share);
    ami_tables_number(t, q->longest_stand_s);
}

static rollouts_def def_of(const operators_shelf *s, const am_model *model)
{
    rollouts_def def = rollouts_def_default();
    def.db = s->db;
    def.model = model;
    def.starts = s->e->quick ? 4 : 10;
    def.runs = s->e->quick ? 2 : 4;
    def.seconds = s->e->quick ? 4.0f : 20.0f;
    return def;
}

static double zero_to_empty(double x) { return x > 0.0 ? x : (double)NAN; }

// ---------------------------------------------------------------------------------------------
// Table 1

static void motion_cells(ami_tables *t, const rollouts_result *r)
{
    ami_tables_number(t, r->novelty_median);
    ami_tables_number(t, r->novelty_p95);
    ami_tables_number(t, r->apart_m);
}

/// Rows of all networks by one kind of noise: full and new in each frame, as printed, or the networks' own.
static am_result quality_table(const operators_shelf *s, const char *name, const char *about, bool full,
                               am_error *err)
{
    static const ami_column columns[] = { { "system", -1 },           OPERATORS_QUALITY,
                                          { "novelty median cm", 2 }, { "novelty p95 cm", 2 },
                                          { "ends apart m", 2 },      { "paper x slide", 2 },
                                          { "paper x jitter", 2 },    { "100STYLE x slide", 2 },
                                          { "100STYLE x jitter", 2 } };
    ami_tables *t = s->e->tables;
    am_result result = AM_OK;
    bool first = true;
    ami_tables_begin(t, name, about);
    ami_tables_columns(t, columns, CLI_COUNT(columns));
    for (size_t i = 0; i < CLI_COUNT(ablations) && result == AM_OK; i++) {
        const ablation *a = &ablations[i];
        am_model *model = NULL;
        rollouts_result r = { 0 };
        result = operators_open(s, a->file, &model, err);
        if (result != AM_OK || !model) {
            continue;
        }
        rollouts_def def = def_of(s, model);
        def.noise = full ? 1.0f : -1.0f;
        def.memory = full ? 0.0f : -1.0f;
        result = rollouts_run(&r, &def, err);
        if (result == AM_OK && first) {
            ami_tables_row(t);
            ami_tables_text(t, "ground truth");
            operators_quality(t, &r.captured, &r.captured);
            first = false;
        }
        if (result == AM_OK) {
            ami_tables_row(t);
            ami_tables_text(t, a->name);
            operators_quality(t, &r.out, &r.captured);
            motion_cells(t, &r);
            for (int d = 0; d < 2; d++) {
                ami_tables_number(t, zero_to_empty(a->paper_slide[d]));
                ami_tables_number(t, zero_to_empty(a->paper_jitter[d]));
            }
        }
        am_model_close(model);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Table 2

typedef struct steps_row {
    int steps;
    double paper_slide, paper_jitter; ///< multiples of table 1's ground truth
} steps_row;

static const steps_row step_rows[] = { { 1, 5.03, 6.71 }, { 2, 2.98, 2.51 },  { 4, 2.75, 2.20 },
                                       { 8, 2.82, 2.18 }, { 16, 2.86, 2.20 }, { 32, 3.19, 2.87 } };

static am_result steps_of(const operators_shelf *s, const char *file, const char *name, am_error *err)
{
    ami_tables *t = s->e->tables;
    am_model *model = NULL;
    am_result result = operators_open(s, file, &model, err);
    for (size_t i = 0; i < CLI_COUNT(step_rows) && result == AM_OK && model; i++) {
        rollouts_def def = def_of(s, model);
        rollouts_result r = { 0 };
        def.seconds = s->e->quick ? def.seconds : 10.0f;
        def.steps = step_rows[i].steps;
        def.noise = 1.0f;
        def.memory = 0.0f;
        result = rollouts_run(&r, &def, err);
        if (result == AM_OK) {
            ami_tables_row(t);
            ami_tables_text(t, name);
            ami_tables_number(t, def.steps);
            ami_tables_number(t, r.out.slide);
            ami_tables_number(t, r.out.slide / r.captured.slide);
            ami_tables_number(t, r.out.jitter);
            ami_tables_number(t, r.out.jitter / r.captured.jitter);
            motion_cells(t, &r);
            ami_tables_number(t, step_rows[i].paper_slide);
            ami_tables_number(t, step_rows[i].paper_jitter);
        }
    }
    am_model_close(model);
    return result;
}

static am_result table_2(const operators_shelf *s, am_error *err)
{
    static const ami_column columns[] = { { "network", -1 },          { "S", 0 },
                                          { "foot slide cm", 3 },     { "x captured", 2 },
                                          { "jitter cm/f2", 3 },      { "x captured jitter", 2 },
                                          { "novelty median cm", 2 }, { "novelty p95 cm", 2 },
                                          { "ends apart m", 2 },      { "paper x slide", 2 },
                                          { "paper x jitter", 2 } };
    ami_tables_begin(s->e->tables, "table 2", "Euler steps S of a frame, full noise, without procedural fixes");
    ami_tables_columns(s->e->tables, columns, CLI_COUNT(columns));
    am_result result = steps_of(s, "flow", "times 0, 1/4, 2/4, 3/4", err);
    return result == AM_OK ? steps_of(s, "continuous", "any time", err) : result;
}

// ---------------------------------------------------------------------------------------------
// Figures 8 and 14: where roots go from one start

enum { fan_runs = AM_MAX_CURVES, fan_every = 10, fan_most = 20 * 60 / fan_every + 1 };

/// Tracks of the first start, a point every ten frames.
static void draw_fan(ami_tables *t, const char *name, const rollouts_def *def)
{
    static double x[fan_runs][fan_most], z[fan_runs][fan_most];
    ami_curve curves[fan_runs];
    char caption[120], names[fan_runs][8];
    const int frames = rollouts_frames(def);
    for (int r = 0; r < def->runs; r++) {
        int count = 0;
        for (int f = 0; f < frames && count < fan_most; f += fan_every, count++) {
            const am_vec3 at = def->tracks[(ptrdiff_t)r * frames + f];
            x[r][count] = (double)at.x;
            z[r][count] = (double)at.z;
        }
        snprintf(names[r], sizeof names[r], "%d", r + 1);
        curves[r] = (ami_curve){ .name = names[r], .x = x[r], .y = z[r], .count = count };
    }
    snprintf(caption, sizeof caption, "%s: %d roll-outs from one frame (figure 8)", name, def->runs);
    ami_tables_lines(t, caption, "x m", "z m", curves, def->runs);
}

static am_result fan(const operators_shelf *s, const ablation *a, am_error *err)
{
    ami_tables *t = s->e->tables;
    am_model *model = NULL;
    am_result result = operators_open(s, a->file, &model, err);
    if (result != AM_OK || !model) {
        return result;
    }
    rollouts_def def = def_of(s, model);
    rollouts_result r = { 0 };
    def.starts = s->e->quick ? 2 : 4;
    def.runs = s->e->quick ? 4 : fan_runs;
    def.novelty_every_s = 0.0f;
    def.noise = 1.0f;
    def.memory = 0.0f;
    def.tracks = calloc((size_t)def.starts * (size_t)def.runs * (size_t)rollouts_frames(&def), sizeof *def.tracks);
    if (def.tracks) {
        result = rollouts_run(&r, &def, err);
    } else {
        result = cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for tracks");
    }
    if (result == AM_OK && def.tracks) {
        ami_tables_row(t);
        ami_tables_text(t, a->name);
        ami_tables_number(t, r.apart_m);
        ami_tables_number(t, r.apart_least_m);
        ami_tables_number(t, 100.0 * r.out.stand_share);
        ami_tables_number(t, 100.0 * r.died);
        draw_fan(t, a->name, &def);
    }
    free(def.tracks);
    am_model_close(model);
    return result;
}

static am_result diversity(const operators_shelf *s, am_error *err)
{
    static const ami_column columns[] = { { "system", -1 },
                                          { "ends apart m", 2 },
                                          { "of the closest start m", 2 },
                                          { "stands %", 1 },
                                          { "stands in the end %", 1 } };
    am_result result = AM_OK;
    ami_tables_begin(s->e->tables, "root diversity", "roots of roll-outs from the same frames (figures 8 and 14)");
    ami_tables_columns(s->e->tables, columns, CLI_COUNT(columns));
    for (size_t i = 0; i < CLI_COUNT(ablations) && result == AM_OK; i++) {
        result = fan(s, &ablations[i], err);
    }
    return result;
}

am_result operators_motion(const operators_shelf *s, am_error *err)
{
    am_result result =
        quality_table(s, "table 1", "full noise, new in each frame, without procedural fixes", true, err);
    if (result == AM_OK) {
        result =
            quality_table(s, "table 1, own noise", "the same by the noise that each network plays with", false, err);
    }
    if (result == AM_OK) {
        const rollouts_def def = def_of(s, NULL);
        ami_tables_note(s->e->tables,
                        "%d captured frames, %d roll-outs of %.0f s from each; the paper has 100 and 20", def.starts,
                        def.runs, (double)def.seconds);
    }
    result = result == AM_OK ? table_2(s, err) : result;
    return result == AM_OK ? diversity(s, err) : result;
}

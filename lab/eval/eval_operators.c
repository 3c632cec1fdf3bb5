// Operators section 6: the auto-encoder on held-out clips, and raw roll-outs of a flow network as in table 1.
#include "behaviours.h"
#include "database.h"
#include "operators_tables.h"

#include <amble/tools/files.h>
#include <amble/tools/network.h>

#include "method/flow_file.h"

#include <math.h>
#include <stdio.h>

static am_result reproductions(eval *e, const rollouts_def *def, am_error *err)
{
    enum { held_out = 10 };
    static const ami_column columns[] = {
        { "motion", -1 }, OPERATORS_QUALITY, { "joints cm", 3 }, { "worst joint cm", 3 }
    };
    rollouts_result r;
    const am_result result = rollouts_reproduce(&r, def, held_out, err);
    if (result != AM_OK) {
        return result;
    }
    ami_tables_begin(e->tables, "auto-encoder", "every 10th source clip through the pose encoder and back");
    ami_tables_columns(e->tables, columns, sizeof columns / sizeof columns[0]);
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, "captured");
    operators_quality(e->tables, &r.captured, &r.captured);
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, "reproduced");
    operators_quality(e->tables, &r.out, &r.captured);
    ami_tables_bounded(e->tables, r.joint_cm, 0.25);
    ami_tables_number(e->tables, r.worst_joint_cm);
    ami_tables_note(e->tables, "the paper's is below 1 cm");
    return AM_OK;
}

/// One row of raw roll-outs.
static am_result roll(eval *e, const char *name, rollouts_def def, bool first, am_error *err)
{
    rollouts_result r;
    const am_result result = rollouts_run(&r, &def, err);
    if (result != AM_OK) {
        return result;
    }
    if (first) {
        ami_tables_row(e->tables);
        ami_tables_text(e->tables, "ground truth");
        operators_quality(e->tables, &r.captured, &r.captured);
    }
    ami_tables_row(e->tables);
    ami_tables_text(e->tables, name);
    operators_quality(e->tables, &r.out, &r.captured);
    ami_tables_bounded(e->tables, r.novelty_median, 5.0);
    ami_tables_bounded(e->tables, r.novelty_p95, 8.0);
    ami_tables_at_least(e->tables, r.apart_m, 6.0);
    ami_tables_bounded(e->tables, r.dead, 0.0);
    return AM_OK;
}

static am_result raw(eval *e, const rollouts_def *def, am_error *err)
{
    static const ami_column columns[] = { { "system", -1 },        OPERATORS_QUALITY,     { "novelty median cm", 2 },
                                          { "novelty p95 cm", 2 }, { "ends apart m", 2 }, { "dead", 0 } };
    rollouts_def full = *def;
    full.noise = 1.0f;
    full.memory = 0.0f;
    ami_tables_begin(e->tables, "raw", "roll-outs without procedural fixes, as in table 1");
    ami_tables_columns(e->tables, columns, sizeof columns / sizeof columns[0]);
    am_result result = roll(e, "flow", *def, true, err);
    result = result == AM_OK ? roll(e, "flow, full noise", full, false, err) : result;
    ami_tables_note(e->tables,
                    "%d captured frames, %d roll-outs of %.0f s from each; a run is dead that stands longer than any "
                    "captured clip; the paper's LAFM has 2.7 times the slide and 2.0 times the jitter of its data",
                    def->starts, def->runs, (double)def->seconds);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Behaviours

static void list_missing(const behaviours *b)
{
    char text[300] = "";
    size_t used = 0;
    for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
        if (!b->parts[i].has) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     behaviour_name((behaviour)i));
        }
    }
    if (used > 0) {
        ami_tables_note(b->e->tables, "this model cannot be asked for: %s", text);
    }
}

static am_result behaved(eval *e, const am_db *db, const am_model *model, am_error *err)
{
    behaviours b;
    am_result result = behaviours_open(&b, e, db, model, err);
    if (result == AM_OK) {
        behaviours_table(&b);
        result = behaviours_courses(&b, err);
        result = result == AM_OK ? behaviours_goals(&b, err) : result;
        result = result == AM_OK ? behaviours_styles(&b, err) : result;
        result = result == AM_OK ? behaviours_objects(&b, err) : result;
        list_missing(&b);
        ami_tables_note(e->tables, "off m: from where the course is at that time; facings are means over a course, "
                                   "medians at targets; done: target: facings within 5 degrees; styled: recognised; "
                                   "jump: in the air; sit: within 5 cm and 5 degrees; pick up: within 5 cm");
        result = result == AM_OK ? behaviours_beyond(&b, err) : result;
    }
    behaviours_close(&b);
    return result;
}

static am_result evaluate_model(eval *e, const am_db *db, const am_model *model, am_error *err)
{
    rollouts_def def = rollouts_def_default();
    def.db = db;
    def.model = model;
    def.starts = e->quick ? 8 : 100;
    def.runs = e->quick ? 2 : 20;
    def.seconds = e->quick ? 4.0f : 20.0f;
    ami_flow_latents latents;
    am_result result = ami_flow_latents_read(&latents, model, err);
    result = result == AM_OK ? reproductions(e, &def, err) : result;
    if (result == AM_OK && latents.head.vector_count == 0) {
        return raw(e, &def, err);
    }
    return result == AM_OK ? behaved(e, db, model, err) : result;
}

// ---------------------------------------------------------------------------------------------
// A folder of networks

am_result operators_open(const operators_shelf *s, const char *name, am_model **out, am_error *err)
{
    char path[1024];
    *out = NULL;
    snprintf(path, sizeof path, "%s/%s.amnet", s->e->networks, name);
    if (am_path_look(NULL, path) == AM_PATH_NONE) {
        ami_tables_note(s->e->tables, "absent: %s.amnet (configs/recipes/operators/%s.json)", name, name);
        return AM_OK;
    }
    const am_result result = am_model_open(out, path, NULL, err);
    if (result == AM_OK && s->db && (*out)->database_hash != s->db->hash) {
        ami_tables_note(s->e->tables, "left out: %s.amnet is of another database than %s", name, s->db->name);
        am_model_close(*out);
        *out = NULL;
    }
    return result;
}

static am_result evaluate_folder(eval *e, const am_db *db, am_error *err)
{
    const operators_shelf shelf = { .e = e, .db = db };
    am_result result = operators_motion(&shelf, err);
    result = result == AM_OK ? operators_costs(&shelf, err) : result;
    result = result == AM_OK ? operators_encoder(&shelf, err) : result;
    return result == AM_OK ? operators_transfer(&shelf, err) : result;
}

am_result eval_operators(eval *e, am_error *err)
{
    am_model *model = NULL;
    am_db *db = NULL;
    if (!e->model && !e->networks) {
        cli_error(err, AM_ERR_DEF, NULL,
                  "name the network to evaluate, --model X.amnet, or a folder of them, --networks DIR/");
        return AM_ERR_DEF;
    }
    if (e->networks && am_path_look(NULL, e->networks) != AM_PATH_FOLDER) {
        return cli_error(err, AM_ERR_OPEN, NULL,
                         "%s is no folder of networks; docs/results/operators-tables.md says "
                         "how to train them",
                         e->networks);
    }
    am_result result = e->model ? am_model_open(&model, e->model, NULL, err) : AM_OK;
    result = result == AM_OK
                 ? cli_database_open(&db, e->config ? e->config : "locomotion", e->tasks, e->progress, err)
                 : result;
    result = result == AM_OK && model ? evaluate_model(e, db, model, err) : result;
    result = result == AM_OK && model && e->keep ? eval_keep(e, model, db, err) : result;
    result = result == AM_OK && e->networks ? evaluate_folder(e, db, err) : result;
    if (result == AM_OK) {
        snprintf(e->about, sizeof e->about, "Measured against %s; %d values beyond their bound (marked !).", db->name,
                 ami_tables_bad_count(e->tables));
    }
    am_db_close(db);
    am_model_close(model);
    return result;
}

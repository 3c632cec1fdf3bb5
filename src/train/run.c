// am_train_run: a recipe from its first stage to the written model.
#include "train/run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

am_train_def am_train_def_default(void) { return (am_train_def){ .cookie = AM_COOKIE }; }

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---------------------------------------------------------------------------------------------
// Reading the recipe

static am_result read_text(ami_run *run, am_error *err)
{
    am_file file;
    am_result result = am_file_open(&file, run->def->recipe, err);
    if (result != AM_OK) {
        return result;
    }
    run->text_size = file.size + 1;
    run->text = ami_alloc_zero(&run->alloc, run->text_size);
    if (run->text) {
        memcpy(run->text, file.data, file.size);
        run->recipe_hash = am_hash64(file.data, file.size, 0);
        result = am_json_parse(&run->doc, run->text, file.size, run->def->recipe, &run->alloc, err);
    } else {
        result = ami_fail_memory(err, run->text_size);
    }
    am_file_close(&file);
    return result;
}

static const ami_kind *find_kind(const ami_run *run, const am_json *stage, am_error *err)
{
    const char *names[16];
    int which = 0;
    for (int i = 0; i < ami_kind_count; i++) {
        names[i] = ami_kinds[i]->name;
    }
    return am_json_read_choice(run->doc, stage, "kind", true, &which, names, ami_kind_count, err) == AM_OK
               ? ami_kinds[which]
               : NULL;
}

/// Fills what a stage is before its kind builds it.
static am_result prepare(ami_run *run, ami_stage *stage, int number, am_error *err)
{
    *stage = (ami_stage){ .doc = run->doc,
                          .json = run->stages[number],
                          .def = run->def,
                          .folder = run->folder,
                          .alloc = run->alloc,
                          .seed = run->seed + (uint64_t)number };
    stage->kind = find_kind(run, stage->json, err);
    return stage->kind ? ami_stage_read(stage, err) : err->code;
}

static am_result read_recipe(ami_run *run, am_error *err)
{
    static const char *const keys[] = { "seed", "stages", "about" };
    am_result result = read_text(run, err);
    if (result != AM_OK) {
        return result;
    }
    const am_json *root = am_json_root(run->doc);
    int seed = 1;
    result = am_json_only(run->doc, root, keys, 3, err);
    if (result == AM_OK) {
        result = am_json_read_int(run->doc, root, "seed", false, &seed, 0, 1 << 30, err);
    }
    if (result != AM_OK) {
        return result;
    }
    run->seed = (uint64_t)seed;
    const am_json *stages = am_json_get(root, "stages");
    if (!stages || stages->type != AM_JSON_ARRAY || stages->count < 1 || stages->count > AMI_MOST_STAGES) {
        return am_json_fail(run->doc, stages ? stages : root, AM_ERR_KEY, err,
                            "a recipe needs 'stages': a list of 1 to %d stages", (int)AMI_MOST_STAGES);
    }
    // All stages are read before the first is trained: a misspelt key must not show after hours.
    for (const am_json *item = stages->first; item && result == AM_OK; item = item->next) {
        ami_stage stage;
        run->stages[run->stage_count] = item;
        result = prepare(run, &stage, run->stage_count++, err);
    }
    return result;
}

/// X.amnet -> X.checkpoint and so on; the recipe's folder.
static am_result name_files(ami_run *run, am_error *err)
{
    const char *recipe = run->def->recipe, *output = run->def->output;
    const char *slash = strrchr(recipe, '/');
    size_t stem = strlen(output);
    if (stem > 6 && strcmp(output + stem - 6, ".amnet") == 0) {
        stem -= 6;
    }
    if (stem > 1000 || strlen(recipe) > 1000) {
        return ami_fail(err, AM_ERR_LIMIT, "the path of the recipe or of the output is too long");
    }
    snprintf(run->folder, sizeof run->folder, "%.*s", slash ? (int)(slash - recipe) : 0, recipe);
    snprintf(run->checkpoint, sizeof run->checkpoint, "%.*s.checkpoint", (int)stem, output);
    snprintf(run->preview, sizeof run->preview, "%.*s.preview.amnet", (int)stem, output);
    snprintf(run->csv, sizeof run->csv, "%.*s.losses.csv", (int)stem, output);
    snprintf(run->html, sizeof run->html, "%.*s.losses.html", (int)stem, output);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Stages

bool ami_run_add_point(ami_run *run, const ami_point *point)
{
    if (run->point_count == run->point_room) {
        const int room = run->point_room ? 2 * run->point_room : 256;
        ami_point *grown = ami_alloc_array(&run->alloc, (size_t)room, sizeof *grown);
        if (!grown) {
            return false;
        }
        if (run->points) {
            memcpy(grown, run->points, (size_t)run->point_count * sizeof *grown);
        }
        ami_release(&run->alloc, run->points, (size_t)run->point_room * sizeof *grown);
        run->points = grown;
        run->point_room = room;
    }
    run->points[run->point_count++] = *point;
    return true;
}

static void end_stage(ami_run *run)
{
    am_trainer_destroy(run->trainer);
    run->trainer = NULL;
    for (int g = 0; g < run->now.graph_count; g++) {
        am_graph_destroy(run->now.graphs[g]);
    }
    if (run->now.kind) {
        run->now.kind->destroy(&run->now);
    }
    memset(&run->now, 0, sizeof run->now);
}

void ami_run_keep_graphs(ami_run *run)
{
    for (int g = 0; g < run->now.graph_count && run->graph_count < AM_NET_MOST_PARTS; g++) {
        run->graphs[run->graph_count] = run->now.graphs[g];
        run->weights[run->graph_count++] = run->now.weights;
    }
    run->data_hash ^= run->now.data_hash;
    run->database_hash = run->now.database_hash ? run->now.database_hash : run->database_hash;
    run->now.graph_count = 0;
    end_stage(run);
}

static am_result begin_stage(ami_run *run, am_error *err)
{
    am_result result = prepare(run, &run->now, run->stage, err);
    if (result == AM_OK) {
        result = run->now.kind->create(&run->now, err);
    }
    if (result != AM_OK) {
        return result;
    }
    am_trainer_def def = am_trainer_def_default();
    def.alloc = &run->alloc;
    def.graphs = run->now.graphs;
    def.graph_count = run->now.graph_count;
    def.batch = run->now.batch;
    def.slots = run->now.slots;
    def.threads = run->def->threads;
    def.input_grads = run->now.input_grads;
    def.scratch = run->now.scratch;
    def.optimiser = run->now.optimiser;
    def.group = run->def->group;
    return am_trainer_create(&run->trainer, &def, err);
}

/// Adds a loss to the curve: a thousand points a stage.
static bool note_loss(ami_run *run, double loss)
{
    const int64_t done = am_trainer_iteration(run->trainer);
    const int64_t every = run->now.iterations > 1000 ? run->now.iterations / 1000 : 1;
    run->sum += loss;
    run->sum_count++;
    if (done % every != 0 && done != run->now.iterations) {
        return true;
    }
    const ami_point point = { run->stage, run->sum_count, done, run->sum / run->sum_count,
                              am_optimiser_rate(&run->now.optimiser, done - 1) };
    run->sum = 0.0;
    run->sum_count = 0;
    return ami_run_add_point(run, &point);
}

/// Tells the caller how far it is, about twice a second. False when it wants to stop.
static bool report(ami_run *run, double loss)
{
    const int64_t done = am_trainer_iteration(run->trainer);
    const double time = now();
    run->reported_sum += loss;
    if (!run->def->report || (time - run->reported < 0.5 && done < run->now.iterations)) {
        return true;
    }
    const double rate = (double)(done - run->stage_first) / (time - run->stage_begun + 1e-9);
    const am_train_progress progress = { .stage = run->now.name,
                                         .stage_number = run->stage,
                                         .stage_count = run->stage_count,
                                         .iteration = done,
                                         .iterations = run->now.iterations,
                                         .loss = run->reported_sum / (double)(done - run->reported_at),
                                         .rate = rate,
                                         .seconds_left = (double)(run->now.iterations - done) / rate };
    run->reported = time;
    run->reported_at = done;
    run->reported_sum = 0.0;
    return run->def->report(run->def->report_user, &progress);
}

/// With several processes all must stop at the same iteration: one that wants to is enough.
static bool all_go_on(const ami_run *run, bool go_on)
{
    const am_train_group *group = run->def->group;
    return group && group->size > 1 ? group->sum(group->user, go_on ? 0.0 : 1.0) == 0.0 : go_on;
}

/// What is due after an iteration: preview and checkpoint.
static am_result write_due(ami_run *run, am_error *err)
{
    const int64_t done = am_trainer_iteration(run->trainer);
    am_result result = AM_OK;
    if (done % run->now.checkpoint_every == 0) {
        result = ami_run_write_checkpoint(run, err);
        if (result == AM_OK) {
            result = ami_run_write_curves(run, err);
        }
    }
    if (result == AM_OK && done % run->now.preview_every == 0 && done < run->now.iterations) {
        uint64_t hash = 0;
        result = ami_run_write_model(run, run->preview, true, &hash, err);
    }
    return result;
}

static am_result train_stage(ami_run *run, am_error *err)
{
    am_result result = AM_OK;
    run->stage_begun = now();
    run->stage_first = run->reported_at = am_trainer_iteration(run->trainer);
    run->reported_sum = 0.0;
    while (result == AM_OK && am_trainer_iteration(run->trainer) < run->now.iterations) {
        double loss = 0.0;
        result = am_trainer_step(run->trainer, run->now.kind->pass, run->now.state, &loss, err);
        if (result == AM_OK && !note_loss(run, loss)) {
            result = ami_fail_memory(err, sizeof(ami_point));
        }
        if (result == AM_OK && !all_go_on(run, report(run, loss))) {
            result = ami_run_write_checkpoint(run, err);
            if (result == AM_OK) {
                result = ami_fail(err, AM_ERR_CANCELLED, "stopped at iteration %lld; --resume goes on from there",
                                  (long long)am_trainer_iteration(run->trainer));
            }
        } else if (result == AM_OK) {
            result = write_due(run, err);
        }
    }
    return result;
}

static am_result train_all(ami_run *run, am_error *err)
{
    bool found = false;
    am_result result = run->def->resume ? ami_run_read_checkpoint(run, &found, begin_stage, err) : AM_OK;
    while (result == AM_OK && run->stage < run->stage_count) {
        if (!found) {
            result = begin_stage(run, err);
        }
        found = false;
        if (result == AM_OK) {
            result = train_stage(run, err);
        }
        if (result == AM_OK) {
            ami_run_keep_graphs(run);
            run->stage++;
        }
    }
    return result;
}

static void summarise(am_train_summary *out, const ami_run *run)
{
    *out = (am_train_summary){ .stage_count = run->stage_count, .seconds = now() - run->begun };
    int first = run->point_count;
    for (int i = run->point_count - 1; i >= 0 && run->points[i].stage == run->stage_count - 1; i--) {
        first = i;
    }
    const int count = run->point_count - first, part = count / 100 > 0 ? count / 100 : 1;
    for (int i = 0; i < part && count > 0; i++) {
        out->first_loss += run->points[first + i].loss / part;
        out->last_loss += run->points[run->point_count - 1 - i].loss / part;
    }
    for (int i = 0; i < run->point_count; i++) {
        out->iterations += run->points[i].count;
    }
}

static void free_run(ami_run *run)
{
    end_stage(run);
    for (int g = 0; g < run->graph_count; g++) {
        am_graph_destroy(run->graphs[g]);
    }
    ami_release(&run->alloc, run->points, (size_t)run->point_room * sizeof *run->points);
    am_json_free(run->doc);
    ami_release(&run->alloc, run->text, run->text_size);
}

am_result am_train_run(am_train_summary *out, const am_train_def *def, am_error *err)
{
    am_error own = { 0 };
    err = err ? err : &own;
    memset(out, 0, sizeof *out);
    if (def->cookie != AM_COOKIE || !def->recipe || !def->output) {
        return ami_fail(err, AM_ERR_DEF, "a training run needs a recipe and a place for what it makes");
    }
    const am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_run *run = ami_alloc_zero(&alloc, sizeof *run);
    if (!run) {
        return ami_fail_memory(err, sizeof *run);
    }
    run->def = def;
    run->alloc = alloc;
    run->begun = now();
    am_result result = name_files(run, err);
    if (result == AM_OK) {
        result = read_recipe(run, err);
    }
    if (result == AM_OK) {
        result = train_all(run, err);
    }
    if (result == AM_OK) {
        result = ami_run_write_model(run, def->output, false, &out->hash, err);
    }
    if (result == AM_OK) {
        result = ami_run_write_curves(run, err);
    }
    if (result == AM_OK) {
        const uint64_t hash = out->hash;
        summarise(out, run);
        out->hash = hash;
        if (!def->group || def->group->rank == 0) { // what was only for the way
            remove(run->checkpoint);
            remove(run->preview);
        }
    }
    free_run(run);
    ami_release(&alloc, run, sizeof *run);
    return result;
}

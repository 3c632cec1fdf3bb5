// Runs the stages: one after another, or several in parallel.
//
// Lanes share only the files that the run writes: for these, one lane holds the others at the end of their iteration.
// So each lane gives the same result as it would alone, and a checkpoint may be taken at any time.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "train/run.h"
#include "train/trainer.h"

bool ami_curve_add(ami_loss_curve *curve, const ami_point *point, const am_alloc *alloc)
{
    if (curve->count == curve->room) {
        const int room = curve->room ? 2 * curve->room : 2048; // a stage has at most 2000 points
        ami_point *grown = ami_alloc_array(alloc, (size_t)room, sizeof *grown);
        if (!grown) {
            return false;
        }
        if (curve->points) {
            memcpy(grown, curve->points, (size_t)curve->count * sizeof *grown);
        }
        ami_release(alloc, curve->points, (size_t)curve->room * sizeof *grown);
        curve->points = grown;
        curve->room = room;
    }
    curve->points[curve->count++] = *point;
    return true;
}

// ---------------------------------------------------------------------------------------------
// Begin and end

int ami_stage_threads_count(const ami_recipe_run *run)
{
    const bool alone = !run->def->group || run->def->group->size == 1; // several processes sum one thing at a time
    int count = 1;
    while (alone && count < AMI_MOST_BESIDE && run->stage + count < run->stage_count &&
           run->beside[run->stage + count]) {
        count++;
    }
    return count;
}

int64_t ami_lane_iteration(const ami_stage_thread *lane)
{
    return lane->trainer ? ami_trainer_iteration(lane->trainer) : lane->stage.iteration;
}

static size_t term_bytes(const ami_stage_thread *lane)
{
    return lane->trainer ? (size_t)lane->trainer->block_count * (size_t)lane->stage.term_count * sizeof(double) : 0;
}

static void end_lane(ami_stage_thread *lane)
{
    const am_alloc *alloc = &lane->run->alloc;
    ami_release(alloc, lane->stage.terms, term_bytes(lane));
    ami_trainer_destroy(lane->trainer);
    for (int g = 0; g < lane->stage.graph_count; g++) {
        am_net_graph_destroy(lane->stage.graphs[g]);
    }
    for (int i = 0; i < lane->stage.blob_count; i++) {
        am_bytes_free(&lane->stage.blobs[i].bytes);
    }
    if (lane->stage.kind) {
        lane->stage.kind->destroy(&lane->stage);
    }
    memset(lane, 0, sizeof *lane);
}

void ami_stage_threads_end(ami_recipe_run *run)
{
    for (int i = 0; i < run->lane_count; i++) {
        end_lane(&run->lanes[i]);
    }
    run->lane_count = 0;
}

void ami_recipe_run_take_blob(ami_recipe_run *run, ami_stage_blob *blob)
{
    int at = 0;
    while (at < run->blob_count && strcmp(run->blobs[at].name, blob->name) != 0) {
        at++;
    }
    if (at < AM_NET_MOST_ATTACHMENTS) {
        am_bytes_free(&run->blobs[at].bytes); // of a place without one: nothing
        run->blobs[at] = *blob;
        run->blob_count += at == run->blob_count;
    } else {
        am_bytes_free(&blob->bytes);
    }
    memset(blob, 0, sizeof *blob);
}

void ami_stage_threads_keep(ami_recipe_run *run)
{
    for (int i = 0; i < run->lane_count; i++) {
        ami_stage *stage = &run->lanes[i].stage;
        for (int g = 0; g < stage->graph_count; g++) {
            run->graphs[run->graph_count] = stage->graphs[g];
            run->hidden[run->graph_count] = stage->hidden >> g & 1u;
            run->weights[run->graph_count++] = stage->weights;
        }
        run->data_hash ^= run->data_hash != stage->data_hash ? stage->data_hash : 0; // the same database but once
        run->database_hash = stage->database_hash ? stage->database_hash : run->database_hash;
        if (stage->database[0]) {
            memcpy(run->database, stage->database, sizeof run->database);
        }
        stage->graph_count = 0;
        for (int b = 0; b < stage->blob_count; b++) {
            ami_recipe_run_take_blob(run, &stage->blobs[b]);
        }
    }
    run->stage += run->lane_count;
    ami_stage_threads_end(run);
}

static am_result create_trainer(ami_stage_thread *lane, am_error *err)
{
    const ami_recipe_run *run = lane->run;
    const ami_stage *stage = &lane->stage;
    ami_trainer_def def = ami_trainer_def_default();
    def.alloc = &run->alloc;
    def.graphs = stage->graphs;
    def.graph_count = stage->graph_count;
    def.batch = stage->batch * stage->columns_each;
    def.slots = stage->slots;
    def.threads = stage->threads;
    def.input_grads = stage->input_grads;
    def.fixed_inputs = stage->fixed_inputs;
    def.scratch = stage->scratch;
    def.optimiser = stage->optimiser;
    def.group = run->def->group;
    return ami_trainer_create(&lane->trainer, &def, err);
}

static am_result begin_lane(ami_stage_thread *lane, int lanes, am_error *err)
{
    ami_recipe_run *run = lane->run;
    am_result result = ami_recipe_run_prepare(run, &lane->stage, lane->number, err);
    if (result == AM_OK && lanes > 1) {
        const int all = run->def->threads > 0 ? run->def->threads : ami_team_most();
        lane->stage.threads = all / lanes > 0 ? all / lanes : 1;
    }
    if (result == AM_OK) {
        result = lane->stage.kind->create(&lane->stage, err);
    }
    if (result == AM_OK) {
        result = ami_stage_begin_from(&lane->stage, err);
    }
    if (result == AM_OK && run->graph_count + lane->stage.graph_count > AM_NET_MOST_PARTS) {
        result = ami_fail(err, AM_ERR_LIMIT, "a recipe may train at most %d networks", AM_NET_MOST_PARTS);
    }
    if (result == AM_OK && lane->stage.kind->pass) {
        result = create_trainer(lane, err);
    }
    if (result == AM_OK && lane->stage.term_count > 0) {
        lane->stage.terms = ami_alloc_zero(&run->alloc, term_bytes(lane));
        result = lane->stage.terms ? AM_OK : ami_fail_memory(err, term_bytes(lane));
    }
    return result;
}

am_result ami_stage_threads_begin(ami_recipe_run *run, am_error *err)
{
    const int lanes = ami_stage_threads_count(run);
    am_result result = AM_OK;
    for (int i = 0; i < lanes && result == AM_OK; i++) {
        run->lanes[i] = (ami_stage_thread){ .run = run, .number = run->stage + i };
        run->lane_count = i + 1;
        result = begin_lane(&run->lanes[i], lanes, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// One iteration after another

/// Adds a loss to the curve: a thousand points per stage.
static bool note_loss(ami_stage_thread *lane, double loss)
{
    ami_loss_curve *curve = &lane->run->curves[lane->number];
    const int64_t done = ami_lane_iteration(lane);
    const int64_t every = lane->stage.iterations > 1000 ? lane->stage.iterations / 1000 : 1;
    curve->sum += loss;
    curve->sum_count++;
    curve->seconds = lane->before + ami_recipe_run_now() - lane->begun;
    if (done % every != 0 && done != lane->stage.iterations) {
        return true;
    }
    const ami_point point = { done, curve->sum_count, curve->sum / (double)curve->sum_count,
                              ami_optimiser_rate(&lane->stage.optimiser, done - 1) };
    curve->sum = 0.0;
    curve->sum_count = 0;
    ami_mutex_lock(&lane->run->lock);
    const bool added = ami_curve_add(curve, &point, &lane->run->alloc);
    ami_mutex_unlock(&lane->run->lock);
    return added;
}

/// Adds the terms of the last iteration, block after block.
static void note_terms(ami_stage_thread *lane)
{
    const int count = lane->stage.term_count;
    for (int b = 0; lane->stage.terms && b < lane->trainer->block_count; b++) {
        for (int i = 0; i < count; i++) {
            lane->term_sums[i] += lane->stage.terms[b * count + i];
        }
    }
}

/// "loc 0.31, chr 0.29" of the sums since the last report, which are reset.
static void write_terms(ami_stage_thread *lane, double count)
{
    size_t at = 0;
    lane->terms[0] = '\0';
    for (int i = 0; i < lane->stage.term_count && at < sizeof lane->terms; i++) {
        const int written = snprintf(lane->terms + at, sizeof lane->terms - at, "%s%s %.4g", i ? ", " : "",
                                     lane->stage.term_names[i], lane->term_sums[i] / count);
        at += written > 0 ? (size_t)written : 0;
    }
    memset(lane->term_sums, 0, sizeof lane->term_sums);
}

/// Reports progress to the caller about twice per second. False when the caller wants to stop.
static bool report(ami_stage_thread *lane, double loss)
{
    const am_train_def *def = lane->run->def;
    const int64_t done = ami_lane_iteration(lane);
    const double time = ami_recipe_run_now();
    lane->reported_sum += loss;
    note_terms(lane);
    if (time - lane->reported < 0.5 && done < lane->stage.iterations) {
        return true;
    }
    const double since = done > lane->reported_at ? (double)(done - lane->reported_at) : 1.0;
    write_terms(lane, since);
    const double rate = (double)(done - lane->first) / (time - lane->begun + 1e-9);
    const am_train_progress progress = { .stage = lane->stage.name,
                                         .stage_number = lane->number,
                                         .stage_count = lane->run->stage_count,
                                         .iteration = done,
                                         .iterations = lane->stage.iterations,
                                         .loss = lane->reported_sum / since,
                                         .rate = rate,
                                         .seconds_left =
                                             rate > 0.0 ? (double)(lane->stage.iterations - done) / rate : 0.0,
                                         .terms = lane->terms };
    lane->reported = time;
    lane->reported_at = done;
    lane->reported_sum = 0.0;
    if (!def->report) {
        return true;
    }
    ami_mutex_lock(&lane->run->lock);
    const bool go_on = def->report(def->report_user, &progress);
    ami_mutex_unlock(&lane->run->lock);
    return go_on;
}

/// With several processes all must stop at the same iteration: one that wants to is enough.
static bool all_go_on(const ami_recipe_run *run, bool go_on)
{
    const am_train_group *group = run->def->group;
    return group && group->size > 1 ? group->sum(group->user, go_on ? 0.0 : 1.0) == 0.0 : go_on;
}

/// Waits while another lane writes files.
static void park(ami_recipe_run *run)
{
    if (!atomic_load_explicit(&run->held, memory_order_acquire)) {
        return;
    }
    ami_mutex_lock(&run->lock);
    run->parked++;
    ami_condition_wake_all(&run->moved);
    while (run->hold) {
        ami_condition_wait(&run->moved, &run->lock);
    }
    run->parked--;
    ami_mutex_unlock(&run->lock);
}

/// The lanes' networks have their averages in place of their weights, or their weights again.
static void swap_averages(ami_recipe_run *run)
{
    for (int i = 0; i < run->lane_count; i++) {
        if (run->lanes[i].trainer) {
            ami_trainer_swap_average(run->lanes[i].trainer);
        }
    }
}

/// Writes what is due after an iteration, while no lane trains: preview and checkpoint.
static am_result write_files(ami_recipe_run *run, bool checkpoint, bool preview, am_error *err)
{
    am_result result = AM_OK;
    if (checkpoint) {
        result = ami_recipe_run_write_checkpoint(run, err);
        if (result == AM_OK) {
            result = ami_recipe_run_write_curves(run, err);
        }
    }
    if (result == AM_OK && preview) {
        uint64_t hash = 0;
        swap_averages(run);
        result = ami_recipe_run_write_model(run, run->preview, true, &hash, err);
        swap_averages(run);
    }
    return result;
}

static am_result write_due(ami_stage_thread *lane, am_error *err)
{
    ami_recipe_run *run = lane->run;
    const int64_t done = ami_lane_iteration(lane);
    const bool checkpoint = done % lane->stage.checkpoint_every == 0;
    const bool preview = done % lane->stage.preview_every == 0 && done < lane->stage.iterations;
    if (!checkpoint && !preview) {
        return AM_OK;
    }
    ami_mutex_lock(&run->lock);
    while (run->hold) { // another lane writes: this one waits as well
        run->parked++;
        ami_condition_wake_all(&run->moved);
        while (run->hold) {
            ami_condition_wait(&run->moved, &run->lock);
        }
        run->parked--;
    }
    run->hold = true;
    atomic_store_explicit(&run->held, true, memory_order_release);
    while (run->parked < run->active - 1) {
        ami_condition_wait(&run->moved, &run->lock);
    }
    const am_result result = write_files(run, checkpoint, preview, err);
    run->hold = false;
    atomic_store_explicit(&run->held, false, memory_order_release);
    ami_condition_wake_all(&run->moved);
    ami_mutex_unlock(&run->lock);
    return result;
}

static void leave(ami_recipe_run *run)
{
    ami_mutex_lock(&run->lock);
    run->active--;
    ami_condition_wake_all(&run->moved);
    ami_mutex_unlock(&run->lock);
}

/// One iteration of either sort of kind. *counted is false when it was only a preparation.
static am_result iterate(ami_stage_thread *lane, double *loss, bool *counted)
{
    const ami_kind *kind = lane->stage.kind;
    const int64_t before = ami_lane_iteration(lane);
    const am_result result = kind->pass
                                 ? ami_trainer_step(lane->trainer, kind->pass, lane->stage.state, loss, &lane->err)
                                 : kind->iterate(&lane->stage, loss, &lane->err);
    *counted = ami_lane_iteration(lane) > before;
    return result;
}

static void train_lane(void *user)
{
    ami_stage_thread *lane = user;
    ami_recipe_run *run = lane->run;
    am_result result = AM_OK;
    lane->begun = ami_recipe_run_now();
    lane->before = run->curves[lane->number].seconds;
    lane->first = lane->reported_at = ami_lane_iteration(lane);
    while (result == AM_OK && ami_lane_iteration(lane) < lane->stage.iterations && !atomic_load(&run->stop)) {
        double loss = 0.0;
        bool counted = false;
        result = iterate(lane, &loss, &counted);
        if (result == AM_OK && counted && !note_loss(lane, loss)) {
            result = ami_fail_memory(&lane->err, sizeof(ami_point));
        }
        if (result == AM_OK && !all_go_on(run, report(lane, loss))) {
            atomic_store(&run->stop, true);
        } else if (result == AM_OK && counted) {
            park(run);
            result = write_due(lane, &lane->err);
        }
    }
    if (result != AM_OK) {
        atomic_store(&run->stop, true);
    }
    lane->err.code = result;
    leave(run);
}

am_result ami_stage_threads_train(ami_recipe_run *run, am_error *err)
{
    run->active = run->lane_count;
    for (int i = 1; i < run->lane_count; i++) {
        run->lanes[i].threaded = ami_thread_start(&run->lanes[i].thread, train_lane, &run->lanes[i]);
        run->active -= !run->lanes[i].threaded; // such a lane has its turn after the others
    }
    train_lane(&run->lanes[0]);
    for (int i = 1; i < run->lane_count; i++) {
        if (run->lanes[i].threaded) {
            ami_thread_join(&run->lanes[i].thread);
        } else {
            run->active++;
            train_lane(&run->lanes[i]);
        }
    }
    for (int i = 0; i < run->lane_count; i++) {
        if (run->lanes[i].err.code != AM_OK) {
            *err = run->lanes[i].err;
            return err->code;
        }
    }
    am_result result = AM_OK;
    if (!atomic_load(&run->stop)) {
        swap_averages(run);
        for (int i = 0; i < run->lane_count && result == AM_OK; i++) {
            const ami_kind *kind = run->lanes[i].stage.kind;
            result = kind->finish ? kind->finish(&run->lanes[i].stage, err) : AM_OK;
        }
        return result;
    }
    result = ami_recipe_run_write_checkpoint(run, err);
    return result == AM_OK
               ? ami_fail(err, AM_ERR_CANCELLED, "stopped at iteration %lld; --resume continues from there",
                          (long long)ami_lane_iteration(&run->lanes[0]))
               : result;
}

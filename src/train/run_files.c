// The files of a run: checkpoints, models, loss curves.
#include "train/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/os.h"
#include "train/lmm.h"
#include "net/build.h"

static const char magic[8] = { 'A', 'M', 'C', 'H', 'E', 'C', 'K', '2' };
enum { point_bytes = 32 };

// ---------------------------------------------------------------------------------------------
// Checkpoint: magic, recipe's hash, stage, points, weights of finished graphs, the trainer's state, hash of all that

static bool put_curve_points(am_bytes *out, const ami_loss_curve *curve)
{
    bool ok = ami_put_u64(out, (uint64_t)curve->count);
    for (int i = 0; i < curve->count && ok; i++) {
        const ami_point *p = &curve->points[i];
        ok = ami_put_u64(out, (uint64_t)p->iteration) && ami_put_u64(out, (uint64_t)p->count) &&
             ami_put(out, &p->loss, 8) && ami_put(out, &p->rate, 8);
    }
    return ok && ami_put(out, &curve->sum, 8) && ami_put_u64(out, (uint64_t)curve->sum_count) &&
           ami_put(out, &curve->seconds, 8);
}

static bool put_points(am_bytes *out, const ami_recipe_run *run)
{
    bool ok = true;
    for (int s = 0; s < run->stage_count && ok; s++) {
        ok = put_curve_points(out, &run->curves[s]);
    }
    return ok;
}

static bool put_graphs(am_bytes *out, const ami_recipe_run *run)
{
    bool ok = ami_put_u64(out, (uint64_t)run->graph_count);
    for (int g = 0; g < run->graph_count && ok; g++) {
        ok = ami_put_u64(out, run->graphs[g]->weight_count) &&
             ami_put(out, run->graphs[g]->weights, run->graphs[g]->weight_count * sizeof(float));
    }
    return ok;
}

static am_result put_lanes(am_bytes *out, const ami_recipe_run *run, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < run->lane_count && result == AM_OK; i++) {
        am_bytes state = { 0 };
        const ami_stage *stage = &run->lanes[i].stage;
        result = stage->kind->pass ? ami_trainer_save(run->lanes[i].trainer, &state, err)
                                   : stage->kind->save(stage, &state, err);
        if (result == AM_OK && !(ami_put_u64(out, state.size) && ami_put(out, state.data, state.size))) {
            result = ami_fail_memory(err, state.size);
        }
        am_bytes_free(&state);
    }
    for (int i = 0; i < run->lane_count && result == AM_OK; i++) {
        result = ami_put_u64(out, run->lanes[i].stage.data_hash) ? AM_OK : ami_fail_memory(err, out->size);
    }
    return result;
}

/// Attachments of finished stages; nothing where there are none, as ever.
static bool put_blobs(am_bytes *out, const ami_recipe_run *run)
{
    bool ok = run->blob_count == 0 || ami_put_u64(out, (uint64_t)run->blob_count);
    for (int b = 0; b < run->blob_count && ok; b++) {
        const ami_stage_blob *blob = &run->blobs[b];
        ok = ami_put(out, blob->name, sizeof blob->name) && ami_put_u64(out, blob->bytes.size) &&
             ami_put(out, blob->bytes.data, blob->bytes.size);
    }
    return ok;
}

am_result ami_recipe_run_write_checkpoint(ami_recipe_run *run, am_error *err)
{
    if (run->def->group && run->def->group->rank > 0) {
        return AM_OK; // all processes hold the same: the first writes it
    }
    am_bytes out = ami_bytes_make(&run->alloc);
    bool ok = ami_put(&out, magic, sizeof magic) && ami_put_u64(&out, run->recipe_hash) &&
              ami_put_u64(&out, (uint64_t)run->stage) && ami_put_u64(&out, (uint64_t)run->lane_count) &&
              put_points(&out, run) && put_graphs(&out, run);
    am_result result = ok ? put_lanes(&out, run, err) : ami_fail_memory(err, out.size);
    if (result == AM_OK) {
        ok = put_blobs(&out, run) && ami_put_u64(&out, am_hash64(out.data, out.size, 0));
        result = ok ? am_file_write(run->checkpoint, out.data, out.size, err) : ami_fail_memory(err, out.size);
    }
    am_bytes_free(&out);
    return result;
}

static am_result too_short(const ami_recipe_run *run, const ami_reader *in, am_error *err)
{
    return ami_fail_at(err, AM_ERR_TRUNCATED, run->checkpoint, (int64_t)in->at, "the checkpoint ends too early");
}

static am_result read_curve(ami_recipe_run *run, ami_loss_curve *curve, ami_reader *in, am_error *err)
{
    const uint64_t count = ami_read_u64(in);
    if (in->failed || count > (in->size - in->at) / point_bytes) {
        return too_short(run, in, err);
    }
    for (uint64_t i = 0; i < count; i++) {
        ami_point p = { (int64_t)ami_read_u64(in), (int64_t)ami_read_u64(in), 0.0, 0.0 };
        memcpy(&p.loss, ami_read_bytes(in, 8), 8);
        memcpy(&p.rate, ami_read_bytes(in, 8), 8);
        if (!ami_curve_add(curve, &p, &run->alloc)) {
            return ami_fail_memory(err, sizeof p);
        }
    }
    const uint8_t *sum = ami_read_bytes(in, 8);
    curve->sum_count = (int64_t)ami_read_u64(in);
    const uint8_t *seconds = ami_read_bytes(in, 8);
    if (in->failed) {
        return too_short(run, in, err);
    }
    memcpy(&curve->sum, sum, 8);
    memcpy(&curve->seconds, seconds, 8);
    return AM_OK;
}

/// Weights of the graphs from `first` on.
static am_result read_weights(ami_recipe_run *run, ami_reader *in, int first, am_error *err)
{
    for (int g = first; g < run->graph_count; g++) {
        const uint64_t floats = ami_read_u64(in);
        const uint8_t *weights = floats == run->graphs[g]->weight_count ? ami_read_bytes(in, floats * 4) : NULL;
        if (!weights) {
            return ami_fail_at(err, AM_ERR_FORMAT, run->checkpoint, (int64_t)in->at,
                               "the checkpoint's network %d is not the recipe's", g);
        }
        memcpy(run->graphs[g]->weights, weights, floats * 4);
    }
    return AM_OK;
}

/// Builds the stages before those that ran, for their graphs, and gives these their weights: one after another, since
/// later ones may look at what earlier ones have learnt.
static am_result read_graphs(ami_recipe_run *run, ami_reader *in, int stage, am_error *err)
{
    const uint64_t count = ami_read_u64(in);
    am_result result = AM_OK;
    run->stage = 0;
    while (run->stage < stage && result == AM_OK) {
        const int first = run->graph_count;
        result = ami_stage_threads_begin(run, err);
        if (result == AM_OK) {
            ami_stage_threads_keep(run);
            result = read_weights(run, in, first, err);
        }
    }
    if (result == AM_OK && (run->stage != stage || count != (uint64_t)run->graph_count)) {
        result = ami_fail_at(err, AM_ERR_FORMAT, run->checkpoint, (int64_t)in->at,
                             "the checkpoint holds %llu finished networks, the recipe trains %d",
                             (unsigned long long)count, run->graph_count);
    }
    return result;
}

static am_result read_lanes(ami_recipe_run *run, ami_reader *in, am_error *err)
{
    am_result result = ami_stage_threads_begin(run, err);
    for (int i = 0; i < run->lane_count && result == AM_OK; i++) {
        const uint64_t size = ami_read_u64(in);
        const uint8_t *state = ami_read_bytes(in, size);
        if (!state) {
            return too_short(run, in, err);
        }
        ami_stage *stage = &run->lanes[i].stage;
        result = stage->kind->pass ? ami_trainer_load(run->lanes[i].trainer, state, size, err)
                                   : stage->kind->load(stage, state, size, err);
        if (result != AM_OK) {
            ami_error_file(err, run->checkpoint);
        }
    }
    for (int i = 0; i < run->lane_count && result == AM_OK && in->size - in->at > 8; i++) { // earlier ones end here
        if (ami_read_u64(in) != run->lanes[i].stage.data_hash) {
            return ami_fail_at(err, AM_ERR_FORMAT, run->checkpoint, (int64_t)in->at,
                               "the data of stage '%s' have changed since the checkpoint was written; restore them, "
                               "or remove the checkpoint to start over",
                               run->lanes[i].stage.name);
        }
    }
    return result;
}

static am_result read_blobs(ami_recipe_run *run, ami_reader *in, am_error *err)
{
    const uint64_t count = in->size - in->at > 8 ? ami_read_u64(in) : 0;
    if (count > AM_NET_MOST_ATTACHMENTS) {
        return ami_fail_at(err, AM_ERR_FORMAT, run->checkpoint, (int64_t)in->at, "the checkpoint has too many parts");
    }
    for (uint64_t b = 0; b < count; b++) {
        const uint8_t *name = ami_read_bytes(in, AM_NET_NAME_SIZE);
        const uint64_t size = ami_read_u64(in);
        const uint8_t *data = ami_read_bytes(in, size);
        if (!name || !data) {
            return too_short(run, in, err);
        }
        ami_stage_blob blob = { .bytes = ami_bytes_make(&run->alloc) };
        memcpy(blob.name, name, sizeof blob.name - 1);
        if (!ami_put(&blob.bytes, data, size)) {
            return ami_fail_memory(err, size);
        }
        ami_recipe_run_take_blob(run, &blob);
    }
    return AM_OK;
}

static am_result check_body(const ami_recipe_run *run, const am_file *file, am_error *err)
{
    if (file->size < sizeof magic || memcmp(file->data, magic, sizeof magic) != 0) {
        return ami_fail_at(err, AM_ERR_FORMAT, run->checkpoint, 0, "this is not a checkpoint of amble train");
    }
    uint64_t sum = 0;
    if (file->size >= 40) {
        ami_reader tail = ami_reader_make(file->data, file->size);
        ami_reader_seek(&tail, file->size - 8);
        sum = ami_read_u64(&tail);
    }
    if (file->size < 40 || sum != am_hash64(file->data, file->size - 8, 0)) {
        return ami_fail_at(err, AM_ERR_CHECKSUM, run->checkpoint, (int64_t)file->size,
                           "the checkpoint is damaged or cut off; remove it to start over");
    }
    return AM_OK;
}

static am_result read_body(ami_recipe_run *run, const am_file *file, am_error *err)
{
    am_result result = check_body(run, file, err);
    if (result != AM_OK) {
        return result;
    }
    ami_reader in = ami_reader_make(file->data, file->size);
    ami_read_bytes(&in, sizeof magic);
    const uint64_t recipe = ami_read_u64(&in), stage = ami_read_u64(&in), lanes = ami_read_u64(&in);
    run->stage = stage < (uint64_t)run->stage_count ? (int)stage : 0;
    if (recipe != run->recipe_hash || stage >= (uint64_t)run->stage_count ||
        lanes != (uint64_t)ami_stage_threads_count(run)) {
        return ami_fail_at(
            err, AM_ERR_FORMAT, run->checkpoint, 8,
            "the checkpoint belongs to another recipe; use the recipe it was started with, or remove it");
    }
    for (int s = 0; s < run->stage_count && result == AM_OK; s++) {
        result = read_curve(run, &run->curves[s], &in, err);
    }
    if (result == AM_OK) {
        result = read_graphs(run, &in, (int)stage, err);
    }
    result = result == AM_OK ? read_lanes(run, &in, err) : result;
    return result == AM_OK ? read_blobs(run, &in, err) : result;
}

am_result ami_recipe_run_read_checkpoint(ami_recipe_run *run, bool *found, am_error *err)
{
    *found = am_path_look(NULL, run->checkpoint) != AM_PATH_NONE;
    if (!*found) {
        return AM_OK;
    }
    am_file file;
    am_result result = am_file_open(&file, run->checkpoint, err);
    if (result == AM_OK) {
        result = read_body(run, &file, err);
        am_file_close(&file);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Model

static am_result provenance_of(const ami_recipe_run *run, am_json_writer **out, am_error *err)
{
    const am_result result = am_json_writer_create(out, 0, &run->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_json_begin_object(*out, NULL);
    am_json_string(*out, "amble", am_version());
    if (run->def->database) { // the recipe above names another
        am_json_string(*out, "database", run->def->database);
    }
    am_json_begin_array(*out, "losses");
    for (int i = 0; i < run->stage_count; i++) {
        if (run->curves[i].count > 0) {
            const ami_point *last = &run->curves[i].points[run->curves[i].count - 1];
            am_json_begin_object(*out, NULL);
            am_json_integer(*out, "stage", i);
            am_json_integer(*out, "iterations", last->iteration);
            am_json_number(*out, "loss", last->loss);
            am_json_end_object(*out);
        }
    }
    am_json_end_array(*out);
    am_json_end_object(*out);
    return AM_OK;
}

/// Whether the graphs are a character's: Decompressor, Stepper and Projector.
static bool is_character(const ami_recipe_run *run, const am_net_graph *const *graphs, int count)
{
    static const char *const names[] = { "decompressor", "stepper", "projector" };
    int found = 0;
    for (int n = 0; n < 3; n++) {
        for (int g = 0; g < count; g++) {
            found += strcmp(graphs[g]->name, names[n]) == 0;
        }
    }
    return run->database[0] && found == 3;
}

static void replace(am_model **model, am_model *by)
{
    am_model_close(*model);
    *model = by;
}

/// A character of fp32 gets its start states and facts, and then the weights that the recipe asks for: those of 8
/// bits as `amble export` fits them.
static am_result pack(const ami_recipe_run *run, am_model **model, const am_net_weights *weights, int count,
                      am_error *err)
{
    am_db *db = NULL;
    am_model *packed = NULL;
    bool smaller = false;
    am_result result = am_db_open(&db, run->database, &run->alloc, err);
    if (result == AM_OK) {
        result = ami_learned_pack(&packed, *model, db, &run->alloc, err);
    }
    if (result == AM_OK) {
        replace(model, packed);
    }
    am_db_close(db);
    for (int p = 0; p < count; p++) {
        smaller |= weights[p] != AM_NET_FP32;
    }
    if (result == AM_OK && smaller) {
        result = am_learned_weights(&packed, *model, weights, &run->alloc, err);
    }
    if (result == AM_OK && smaller) {
        replace(model, packed);
    }
    return result;
}

/// Adds a part, or puts it in the place of one of the same name: a later stage may train it on.
static void list_part(const am_net_graph **graphs, am_net_weights *weights, int *count, const am_net_graph *graph,
                      am_net_weights kept)
{
    int at = 0;
    while (at < *count && strcmp(graphs[at]->name, graph->name) != 0) {
        at++;
    }
    graphs[at] = graph;
    weights[at] = kept;
    *count += at == *count;
}

/// Adds an attachment, or puts it in the place of one of the same name.
static void list_blob(am_model_blob *out, int *count, const ami_stage_blob *blob)
{
    int at = 0;
    while (at < *count && strcmp(out[at].name, blob->name) != 0) {
        at++;
    }
    if (at < AM_NET_MOST_ATTACHMENTS) {
        out[at] = (am_model_blob){ blob->name, blob->bytes.data, blob->bytes.size };
        *count += at == *count;
    }
}

/// Attachments of finished stages, and with `preview` of those that run.
static int list_blobs(am_model_blob *out, const ami_recipe_run *run, bool preview)
{
    int count = 0;
    for (int b = 0; b < run->blob_count; b++) {
        list_blob(out, &count, &run->blobs[b]);
    }
    for (int i = 0; preview && i < run->lane_count; i++) {
        for (int b = 0; b < run->lanes[i].stage.blob_count; b++) {
            list_blob(out, &count, &run->lanes[i].stage.blobs[b]);
        }
    }
    return count;
}

am_result ami_recipe_run_write_model(ami_recipe_run *run, const char *path, bool preview, uint64_t *hash,
                                     am_error *err)
{
    if (run->def->group && run->def->group->rank > 0) {
        return AM_OK;
    }
    const am_net_graph *graphs[AM_NET_MOST_PARTS];
    am_net_weights weights[AM_NET_MOST_PARTS];
    uint64_t data_hash = run->data_hash, database_hash = run->database_hash;
    int count = 0;
    for (int g = 0; g < run->graph_count; g++) {
        if (!run->hidden[g]) {
            list_part(graphs, weights, &count, run->graphs[g], run->weights[g]);
        }
    }
    for (int i = 0; preview && i < run->lane_count; i++) {
        const ami_stage *stage = &run->lanes[i].stage;
        for (int g = 0; g < stage->graph_count; g++) {
            if (!(stage->hidden >> g & 1u)) {
                list_part(graphs, weights, &count, stage->graphs[g], stage->weights);
            }
        }
        data_hash ^= data_hash != stage->data_hash ? stage->data_hash : 0;
        database_hash = database_hash ? database_hash : stage->database_hash;
    }
    am_model_blob blobs[AM_NET_MOST_ATTACHMENTS];
    const int blob_count = list_blobs(blobs, run, preview);
    if (preview && count == 0 && blob_count == 0) {
        return AM_OK; // nothing to show yet
    }
    uint64_t latent_key = 0;
    for (int g = 0; g < run->graph_count + (preview ? run->lane_count : 0); g++) {
        const am_net_graph *graph =
            g < run->graph_count ? run->graphs[g] : run->lanes[g - run->graph_count].stage.graphs[0];
        const bool compressor = graph && strcmp(graph->name, "compressor") == 0;
        latent_key = compressor ? ami_lmm_latent_key(graph) : latent_key;
    }
    am_json_writer *provenance = NULL;
    am_model *model = NULL;
    am_result result = provenance_of(run, &provenance, err);
    const bool character = is_character(run, graphs, count);
    if (result == AM_OK) {
        am_model_def def = ami_model_def_default();
        def.alloc = &run->alloc;
        def.graphs = graphs;
        def.weights = character ? NULL : weights;
        def.graph_count = count;
        def.attachments = blobs;
        def.attachment_count = blob_count;
        def.recipe = run->text;
        def.provenance = am_json_text(provenance, NULL);
        def.data_hash = data_hash;
        def.database_hash = database_hash;
        def.latent_key = latent_key;
        def.seed = run->seed;
        result = am_model_create(&model, &def, err);
    }
    if (result == AM_OK && character) {
        result = pack(run, &model, weights, count, err);
    }
    if (result == AM_OK) {
        result = am_model_write(model, path, err);
        *hash = model->hash;
    }
    am_json_writer_destroy(provenance);
    am_model_close(model);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Loss curves

static bool put_csv(am_bytes *out, const ami_recipe_run *run)
{
    bool ok = ami_put_text(out, "stage,iteration,loss,rate\n");
    for (int stage = 0; stage < run->stage_count; stage++) {
        for (int i = 0; i < run->curves[stage].count && ok; i++) {
            const ami_point *p = &run->curves[stage].points[i];
            ok = ami_put_format(out, "%d,%lld,%.9g,%.9g\n", stage, (long long)p->iteration, p->loss, p->rate);
        }
    }
    return ok;
}

/// One curve as SVG: iterations to the right, the loss on a scale of decades upwards.
static bool put_curve(am_bytes *out, const ami_loss_curve *curve, int stage)
{
    double low = 1e30, high = -1e30, last = 1.0;
    for (int i = 0; i < curve->count; i++) {
        const ami_point *p = &curve->points[i];
        if (p->loss > 0.0) {
            const double y = log10(p->loss);
            low = y < low ? y : low;
            high = y > high ? y : high;
            last = (double)p->iteration;
        }
    }
    if (!(high >= low)) {
        return true;
    }
    const double extent = high - low > 0.1 ? high - low : 0.1;
    bool ok = ami_put_format(out,
                             "<h2>Stage %d</h2><svg viewBox=\"0 0 640 260\" width=\"640\"><rect x=\"0\" y=\"0\" "
                             "width=\"640\" height=\"260\" fill=\"#f6f6f4\"/><polyline fill=\"none\" "
                             "stroke=\"#b5482a\" stroke-width=\"1.5\" points=\"",
                             stage);
    for (int i = 0; i < curve->count && ok; i++) {
        const ami_point *p = &curve->points[i];
        if (p->loss > 0.0) {
            ok = ami_put_format(out, "%.1f,%.1f ", 20.0 + 600.0 * (double)p->iteration / last,
                                240.0 - 220.0 * (log10(p->loss) - low) / extent);
        }
    }
    ok = ok && ami_put_text(out, "\"/></svg><table>");
    for (int i = 0; i < curve->count && ok; i += curve->count > 1 ? curve->count - 1 : 1) { // the first and the last
        ok = ami_put_format(out, "<tr><td>iteration %lld</td><td>loss %.6g</td></tr>",
                            (long long)curve->points[i].iteration, curve->points[i].loss);
    }
    return ok && ami_put_text(out, "</table>");
}

/// How long each stage has taken: not in the model, whose bytes must not depend on it.
static am_result write_times(const ami_recipe_run *run, am_error *err)
{
    am_json_writer *w = NULL;
    am_result result = am_json_writer_create(&w, 1, &run->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_json_begin_object(w, NULL);
    am_json_begin_array(w, "stages");
    for (int i = 0; i < run->stage_count; i++) {
        const ami_loss_curve *curve = &run->curves[i];
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", run->names[i]);
        am_json_integer(w, "iterations", curve->count > 0 ? curve->points[curve->count - 1].iteration : 0);
        am_json_number(w, "seconds", curve->seconds);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_end_object(w);
    size_t size = 0;
    const char *text = am_json_text(w, &size);
    result = text ? am_file_write(run->times, text, size, err) : ami_fail_memory(err, size);
    am_json_writer_destroy(w);
    return result;
}

am_result ami_recipe_run_write_curves(const ami_recipe_run *run, am_error *err)
{
    if (run->def->group && run->def->group->rank > 0) {
        return AM_OK;
    }
    am_bytes csv = ami_bytes_make(&run->alloc), html = ami_bytes_make(&run->alloc);
    bool ok = put_csv(&csv, run) &&
              ami_put_text(&html, "<!doctype html><meta charset=\"utf-8\"><title>Losses</title><style>body{font:14px "
                                  "sans-serif;margin:2em}td{padding-right:2em}</style><h1>Losses</h1>");
    for (int s = 0; s < run->stage_count && ok; s++) {
        ok = put_curve(&html, &run->curves[s], s);
    }
    am_result result = ok ? am_file_write(run->csv, csv.data, csv.size, err) : ami_fail_memory(err, csv.size);
    if (result == AM_OK) {
        result = am_file_write(run->html, html.data, html.size, err);
    }
    if (result == AM_OK) {
        result = write_times(run, err);
    }
    am_bytes_free(&csv);
    am_bytes_free(&html);
    return result;
}

// Networks in the command: `amble info` of one, and export of its weights.
#include "network.h"
#include <amble/train.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool network_is(const char *path) { return cli_is_kind(path, "AMNT", ".amnet"); }

// ---------------------------------------------------------------------------------------------
// Info

static int print_json(const am_model *model, bool verified)
{
    am_error err = { 0 };
    am_json_writer *writer = cli_json_begin(2);
    am_result result = am_model_describe(writer, model, &err);
    am_json_bool(writer, "verified", verified);
    if (result != AM_OK) {
        am_json_writer_destroy(writer);
        return cli_fail(&err);
    }
    return cli_json_end(writer);
}

static void print_part(const am_model *model, int p)
{
    const am_model_part *part = &model->parts[p];
    printf("  part '%s': %llu parameters, %s, %.1f kB\n", part->name, (unsigned long long)part->parameters,
           am_net_weights_name((am_net_weights)part->weights), (double)part->bytes / 1e3);
    if (part->weights != AM_NET_FP32) {
        printf("    output error against fp32 on %d inputs: RMS %.2g, largest %.2g of the output's RMS\n",
               part->error_samples, (double)part->error_rms, (double)part->error_max);
    }
    am_net_graph *graph = NULL;
    am_error err = { 0 };
    if (am_model_graph(model, p, &graph, NULL, &err) != AM_OK) {
        return;
    }
    for (int v = 0; v < graph->value_count; v++) {
        const am_net_value *value = &graph->values[v];
        if (value->name[0]) {
            const char *role = value->role == AM_NET_INPUT   ? "input"
                               : value->role == AM_NET_STATE ? "state"
                                                             : "output";
            printf("    %s %s: ", role, value->name);
            value->rows > 1 ? printf("%d x %d\n", value->rows, value->width) : printf("%d\n", value->width);
        }
    }
    for (int i = 0; i < graph->op_count; i++) {
        const am_net_op *op = &graph->ops[i];
        printf("    %3d %-12s -> %d\n", i, am_net_kind_name(op->kind), graph->values[op->out].width);
    }
    am_net_graph_destroy(graph);
}

static void print_value(const am_model_attachment *attachment, const am_model_value *head)
{
    printf("  part 'value' of task %s: %d anchors of %d states (every %d), grid", head->task, head->anchors,
           head->states, head->every);
    for (int a = 0; a < head->axes; a++) {
        printf("%s%d", a ? " x " : " ", head->samples[a]);
    }
    printf(", %s, %.1f kB\n", am_net_weights_name(head->weights), (double)attachment->size / 1e3);
    printf("    gamma %g, weight %g, steering %.0f degrees/s, k %d; within %.2g of the fixed point after %d sweeps\n",
           (double)head->gamma, (double)head->weight, (double)(head->steer_rad_s / AM_DEG), head->k,
           (double)head->bound, head->iterations);
}

/// One row of what was measured: its texts, then its numbers by name.
static void print_row(const am_json *row)
{
    for (const am_json *cell = row->first; cell; cell = cell->next) {
        if (cell->type == AM_JSON_STRING) {
            printf(" %s", cell->string);
        } else if (cell->type == AM_JSON_NUMBER) {
            printf("%s %s %.4g", cell == row->first ? "" : ",", cell->key, cell->number);
        }
    }
    printf("\n");
}

/// What `amble eval learned --keep` measured, where it did.
static void print_quality(const am_model *model)
{
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    if (am_json_parse(&doc, model->provenance, strlen(model->provenance), "provenance", NULL, &err) != AM_OK) {
        return;
    }
    const am_json *quality = am_json_get(am_json_root(doc), "quality");
    const am_json *database = quality ? am_json_get(quality, "database") : NULL;
    if (quality) {
        printf("  measured on '%s':\n",
               database && database->type == AM_JSON_STRING ? database->string : "an unknown database");
    }
    for (const am_json *table = quality ? quality->first : NULL; table; table = table->next) {
        for (const am_json *row = table->type == AM_JSON_ARRAY ? table->first : NULL; row; row = row->next) {
            printf("    %s:", table->key);
            print_row(row);
        }
    }
    am_json_free(doc);
}

static void print_text(const char *path, const am_model *model, bool verified)
{
    am_model_value head;
    int parts = model->part_count;
    for (int i = 0; i < model->attachment_count; i++) {
        parts += am_model_get_value(model, i, &head);
    }
    printf("%s: network of %d part%s, %.1f kB, hash %016llx%s\n", path, parts, parts == 1 ? "" : "s",
           (double)model->image_size / 1e3, (unsigned long long)model->hash, verified ? ", all checksums match" : "");
    for (int p = 0; p < model->part_count; p++) {
        print_part(model, p);
    }
    for (int i = 0; i < model->attachment_count; i++) {
        if (am_model_get_value(model, i, &head)) {
            print_value(&model->attachments[i], &head);
        }
    }
    if (model->database_hash) {
        printf("  belongs to database %016llx\n", (unsigned long long)model->database_hash);
    }
    if (model->recipe[0]) {
        printf("  recipe: %s\n", model->recipe);
    }
    if (model->provenance[0]) {
        printf("  provenance: %s\n", model->provenance);
        print_quality(model);
    }
}

int network_info(const char *path, bool verify, bool json)
{
    am_model *model = NULL;
    am_error err = { 0 };
    am_result result = am_model_open(&model, path, NULL, &err);
    result = result == AM_OK && verify ? am_model_verify(model, &err) : result;
    int status = CLI_DONE;
    if (result != AM_OK) {
        status = cli_fail_in(&err, path);
    } else if (json) {
        status = print_json(model, verify);
    } else {
        print_text(path, model, verify);
    }
    am_model_close(model);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Export

typedef struct writing {
    const network_export *job;
    am_model *model;
    am_net_graph *graphs[AM_NET_MOST_PARTS];
    am_net_weights weights[AM_NET_MOST_PARTS];
    am_net_weights type; ///< that job->type names
    int count;
    size_t bytes;
} writing;

static am_result load_graphs(writing *w, am_error *err)
{
    am_result result = am_model_open(&w->model, w->job->input, NULL, err);
    for (int p = 0; result == AM_OK && p < w->model->part_count; p++) {
        if (w->job->part && strcmp(w->job->part, w->model->parts[p].name) != 0) {
            continue;
        }
        w->weights[w->count] = (am_net_weights)w->model->parts[p].weights;
        result = am_model_graph(w->model, p, &w->graphs[w->count], NULL, err);
        w->count += result == AM_OK;
    }
    if (result == AM_OK && w->count == 0) {
        result = cli_error(err, AM_ERR_KEY, w->job->input, "there is no part '%s'; see amble info", w->job->part);
    }
    return result;
}

static am_result take_weights(writing *w, am_error *err)
{
    am_file file;
    am_result result = am_file_open(&file, w->job->weights, err);
    if (result == AM_OK) {
        result = am_net_npz_read(w->graphs, w->count, file.data, file.size, w->job->weights, NULL, err);
        am_file_close(&file);
    }
    return result;
}

/// Networks with the attachments of a learned character, all of them as they were trained. Flow and segment
/// characters have such attachments, too, but no Projector: their weights are rounded one by one.
static bool is_character(const writing *w)
{
    size_t size;
    return !w->job->part && !w->job->weights && am_model_attached(w->model, AM_LEARNED_CHARACTER, &size) &&
           am_model_find(w->model, "projector") >= 0;
}

/// A learned character's weights are rounded for the inputs that its networks meet in play, which is part of
/// training.
static am_result round_character(am_model **out, const writing *w, am_error *err)
{
#if defined(AMBLE_HAS_TRAIN)
    return am_learned_weights(out, w->model, w->weights, NULL, err);
#else
    *out = NULL;
    return cli_error(
        err, AM_ERR_SUPPORT, w->job->input,
        "this build has no training code, which converts the weights of a learned character; build Amble with "
        "training");
#endif
}

static am_result write_model(writing *w, am_error *err)
{
    am_model_def def;
    am_model_def_init(&def, w->model);
    const am_net_graph *graphs[AM_NET_MOST_PARTS];
    for (int g = 0; g < w->count; g++) {
        graphs[g] = w->graphs[g];
        w->weights[g] = w->job->type ? w->type : w->weights[g];
    }
    def.graphs = graphs;
    def.graph_count = w->count;
    def.weights = w->weights;
    am_model_blob blobs[AM_NET_MOST_ATTACHMENTS];
    for (int i = 0; i < w->model->attachment_count; i++) {
        blobs[i].name = w->model->attachments[i].name;
        blobs[i].data = am_model_attached(w->model, blobs[i].name, &blobs[i].size);
    }
    def.attachments = blobs;
    def.attachment_count = w->model->attachment_count;
    am_model *made = NULL;
    am_result result = is_character(w) ? round_character(&made, w, err) : am_model_create(&made, &def, err);
    result = result == AM_OK ? am_model_write(made, w->job->output, err) : result;
    w->bytes = made ? made->image_size : 0;
    am_model_close(made);
    return result;
}

static am_result write_bytes(writing *w, am_error *err)
{
    am_bytes bytes = { 0 };
    am_result result = AM_OK;
    if (cli_ends_with(w->job->output, ".npz")) {
        result = am_net_npz_write(&bytes, (const am_net_graph *const *)w->graphs, w->count, NULL, err);
    } else if (w->count == 1) {
        result = am_onnx_write(&bytes, w->graphs[0], NULL, err);
    } else {
        result = cli_error(err, AM_ERR_KEY, w->job->input, "an .onnx holds one network; choose a part with --part");
    }
    w->bytes = bytes.size;
    return cli_write(w->job->output, &bytes, result, err);
}

static int report(const writing *w, bool json)
{
    if (!json) {
        printf("wrote %s (%zu bytes, %d part%s)\n", w->job->output, w->bytes, w->count, w->count == 1 ? "" : "s");
        return CLI_DONE;
    }
    am_json_writer *writer = cli_json_begin(2);
    am_json_string(writer, "file", w->job->input);
    am_json_string(writer, "output", w->job->output);
    am_json_integer(writer, "bytes", (int64_t)w->bytes);
    am_json_begin_array(writer, "parts");
    for (int g = 0; g < w->count; g++) {
        am_json_string(writer, NULL, w->graphs[g]->name);
    }
    am_json_end_array(writer);
    return cli_json_end(writer);
}

int network_write(const network_export *job, bool json)
{
    bool model = cli_ends_with(job->output, ".amnet");
    if (!model && !cli_ends_with(job->output, ".npz") && !cli_ends_with(job->output, ".onnx")) {
        return cli_usage("a network can be exported to .npz, .onnx or .amnet, not to '%s'", job->output);
    }
    static const char *const types[] = { [AM_NET_FP32] = "fp32", [AM_NET_FP16] = "fp16", [AM_NET_INT8] = "int8" };
    const int type = job->type ? cli_find_word(types, CLI_COUNT(types), job->type) : AM_NET_FP32;
    if (type < 0) {
        return cli_usage("--type must be fp32, fp16 or int8, not '%s'", job->type);
    }
    writing w = { .job = job, .type = (am_net_weights)type };
    am_error err = { 0 };
    am_result result = load_graphs(&w, &err);
    result = result == AM_OK && job->weights ? take_weights(&w, &err) : result;
    result = result != AM_OK ? result : model ? write_model(&w, &err) : write_bytes(&w, &err);
    int status = result == AM_OK ? report(&w, json) : cli_fail_in(&err, job->input);
    for (int g = 0; g < w.count; g++) {
        am_net_graph_destroy(w.graphs[g]);
    }
    am_model_close(w.model);
    return status;
}

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
        printf("%s: network of %.1f kB, hash %016llx%s\n", path, (double)model->image_size / 1e3,
               (unsigned long long)model->hash, verify ? ", all checksums match" : "");
        am_model_print(stdout, model);
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

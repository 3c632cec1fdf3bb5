// What all kinds of stages share: keys, data, and layers written as lists of words.
#include "train/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"
#include "net/build.h"
#include "net/layer.h"

static const char *const common_keys[] = { "kind",    "name", "batch", "iterations",       "optimiser",
                                           "rate",    "clip", "decay", "schedule",         "seed",
                                           "weights", "data", "beta1", "checkpoint_every", "preview_every",
                                           "beta2",   "eps",  "from",  "beside",           "average" };
enum { common_count = sizeof common_keys / sizeof common_keys[0], most_keys = 64 };

static am_result read_schedule(ami_stage *s, am_error *err)
{
    static const char *const keys[] = { "kind", "factor", "every" };
    static const char *const kinds[] = { "constant", "step", "linear", "exponential" };
    ami_optimiser *o = &s->optimiser;
    const am_json *json = am_json_get(s->json, "schedule");
    if (!json) {
        return AM_OK;
    }
    am_result result = am_json_only(s->doc, json, keys, 3, err);
    int kind = 0;
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, json, "kind", true, &kind, kinds, 4, err);
    }
    o->schedule = (ami_schedule_kind)kind;
    o->factor = kind == AMI_RATE_LINEAR ? 0.0f : 0.99f;
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, json, "factor", false, &o->factor, 0.0f, 1.0f, err);
    }
    return result == AM_OK ? am_json_read_int(s->doc, json, "every", false, &o->every, 1, 1 << 30, err) : result;
}

static am_result read_optimiser(ami_stage *s, am_error *err)
{
    static const char *const kinds[] = { "adam", "radam" };
    ami_optimiser *o = &s->optimiser;
    int kind = (int)o->kind;
    am_result result = am_json_read_choice(s->doc, s->json, "optimiser", false, &kind, kinds, 2, err);
    o->kind = (ami_optimiser_kind)kind;
    const struct {
        const char *key;
        float *to;
        float lo, hi;
    } numbers[] = {
        { "rate", &o->rate, 0.0f, 10.0f },          { "clip", &o->clip, 0.0f, 1e9f },
        { "decay", &o->decay, 0.0f, 1.0f },         { "beta1", &o->beta1, 0.0f, 0.9999f },
        { "beta2", &o->beta2, 0.0f, 0.99999f },     { "eps", &o->eps, 1e-20f, 1.0f },
        { "average", &o->average, 0.0f, 0.99999f },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && result == AM_OK; i++) {
        result = am_json_read_float(s->doc, s->json, numbers[i].key, false, numbers[i].to, numbers[i].lo,
                                    numbers[i].hi, err);
    }
    return result == AM_OK ? read_schedule(s, err) : result;
}

am_result ami_stage_read(ami_stage *s, am_error *err)
{
    const char *keys[most_keys];
    int count = 0;
    for (int i = 0; i < common_count; i++) {
        keys[count++] = common_keys[i];
    }
    for (int i = 0; i < s->kind->key_count && count < most_keys; i++) {
        keys[count++] = s->kind->keys[i];
    }
    static const char *const weights[] = { "fp32", "fp16", "int8" };
    s->optimiser = ami_optimiser_default();
    s->name = s->kind->name;
    s->batch = 32;
    s->slots = 1;
    s->columns_each = 1;
    int seed = (int)s->seed, kept = 0;
    am_result result = am_json_only(s->doc, s->json, keys, count, err);
    if (result == AM_OK) {
        result = am_json_read_string(s->doc, s->json, "name", false, &s->name, err);
    }
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "batch", false, &s->batch, 1, AM_NET_MOST_BATCH, err);
    }
    if (result == AM_OK) {
        result = am_json_read_string(s->doc, s->json, "from", false, &s->from, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(s->doc, s->json, "beside", false, &s->beside, err);
    }
    if (result == AM_OK) { // a stage that starts from another run's networks may leave them unchanged
        result = am_json_read_int(s->doc, s->json, "iterations", s->kind->pass != NULL, &s->iterations,
                                  s->from || s->kind->may_rest ? 0 : 1, 1 << 30, err);
    }
    s->checkpoint_every = s->preview_every = s->iterations / 20 > 0 ? s->iterations / 20 : 1;
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "checkpoint_every", false, &s->checkpoint_every, 1, 1 << 30, err);
    }
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "preview_every", false, &s->preview_every, 1, 1 << 30, err);
    }
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "seed", false, &seed, 0, 1 << 30, err);
    }
    if (result == AM_OK) {
        result = am_json_read_choice(s->doc, s->json, "weights", false, &kept, weights, 3, err);
    }
    s->seed = (uint64_t)seed;
    s->weights = (am_net_weights)kept;
    s->optimiser.iterations = s->iterations;
    return result == AM_OK ? read_optimiser(s, err) : result;
}

am_result ami_stage_path(const ami_stage *s, const char *path, char *out, size_t size, am_error *err)
{
    const int written = am_path_is_absolute(path) || !s->folder[0] ? snprintf(out, size, "%s", path)
                                                                   : snprintf(out, size, "%s/%s", s->folder, path);
    return written < (int)size ? AM_OK : ami_fail(err, AM_ERR_LIMIT, "the path '%s' is too long", path);
}

am_result ami_stage_database(ami_stage *s, am_db **out, am_error *err)
{
    const char *name = NULL, *given = s->def->database;
    am_result result = am_json_read_string(s->doc, s->json, "database", true, &name, err);
    if (result == AM_OK && given && strlen(given) >= sizeof s->database) {
        result = ami_fail(err, AM_ERR_LIMIT, "the path '%s' is too long", given);
    } else if (result == AM_OK && given) {
        snprintf(s->database, sizeof s->database, "%s", given);
    } else if (result == AM_OK) {
        result = ami_stage_path(s, name, s->database, sizeof s->database, err);
    }
    result = result == AM_OK ? am_db_open(out, s->database, &s->alloc, err) : result;
    if (result == AM_ERR_OPEN && !given) {
        *err = (am_error){ 0 };
        return am_json_fail(s->doc, am_json_get(s->json, "database"), AM_ERR_OPEN, err,
                            "the database '%s' was not found", s->database);
    }
    return result;
}

static bool same_tensors(const am_net_graph *a, const am_net_graph *b)
{
    bool same = a->tensor_count == b->tensor_count && a->weight_count == b->weight_count;
    for (int t = 0; same && t < a->tensor_count; t++) {
        same = a->tensors[t].rows == b->tensors[t].rows && a->tensors[t].columns == b->tensors[t].columns;
    }
    return same;
}

am_result ami_stage_take_part(const am_model *model, am_net_graph *graph, const am_alloc *alloc, am_error *err)
{
    const int part = am_model_find(model, graph->name);
    if (part < 0) {
        return ami_fail(err, AM_ERR_KEY, "the model has no part '%s'", graph->name);
    }
    am_net_graph *from = NULL;
    am_result result = am_model_graph(model, part, &from, alloc, err);
    if (result == AM_OK && !same_tensors(from, graph)) {
        result =
            ami_fail(err, AM_ERR_FORMAT, "the model's part '%s' has other layers than the recipe's", graph->name);
    }
    if (result == AM_OK) {
        memcpy(graph->weights, from->weights, graph->weight_count * sizeof(float));
    }
    am_net_graph_destroy(from);
    return result;
}

am_result ami_stage_begin_from(ami_stage *s, am_error *err)
{
    char path[1024];
    am_model *model = NULL;
    am_result result = s->from ? ami_stage_path(s, s->from, path, sizeof path, err) : AM_OK;
    if (s->from && result == AM_OK) {
        result = am_model_open(&model, path, &s->alloc, err);
    }
    if (model && s->kind->begin) {
        result = s->kind->begin(s, model, err);
    }
    for (int g = 0; model && !s->kind->begin && g < s->graph_count && result == AM_OK; g++) {
        result = ami_stage_take_part(model, s->graphs[g], &s->alloc, err);
    }
    if (model && result != AM_OK) {
        ami_error_file(err, path);
    }
    am_model_close(model);
    return result;
}

am_result ami_stage_weights(const ami_stage *s, const char *const *names, int count, const float *usual, float *out,
                            am_error *err)
{
    const am_json *json = am_json_get(s->json, "loss_weights");
    memcpy(out, usual, (size_t)count * sizeof *out);
    am_result result = json ? am_json_only(s->doc, json, names, count, err) : AM_OK;
    for (int i = 0; i < count && json && result == AM_OK; i++) {
        result = am_json_read_float(s->doc, json, names[i], false, &out[i], 0.0f, 1e6f, err);
    }
    return result;
}

am_result ami_stage_array(ami_stage *s, const char *key, const char *usual, am_train_array *out, am_error *err)
{
    const char *data = NULL, *name = usual;
    char path[1024];
    am_result result = am_json_read_string(s->doc, s->json, "data", true, &data, err);
    if (result == AM_OK) {
        result = am_json_read_string(s->doc, s->json, key, false, &name, err);
    }
    if (result == AM_OK) {
        result = ami_stage_path(s, data, path, sizeof path, err);
    }
    if (result == AM_OK && !s->def->load) {
        result = ami_fail(err, AM_ERR_DEF, "a stage needs '%s', but the run has no function that loads data", path);
    }
    if (result == AM_OK && s->def->load) {
        result = s->def->load(s->def->load_user, out, path, name, err);
    }
    if (result != AM_OK) {
        return result;
    }
    if (out->rows < 1 || out->columns < 1 || out->columns > AM_NET_MOST_WIDTH || out->rows > INT32_MAX) {
        return ami_fail(err, AM_ERR_RANGE, "array '%s' of %s is %lld x %lld; it needs 1 to %d columns", name, path,
                        (long long)out->rows, (long long)out->columns, AM_NET_MOST_WIDTH);
    }
    for (int64_t i = 0; i < out->rows * out->columns; i++) {
        if (!isfinite(out->data[i])) {
            result = ami_fail(err, AM_ERR_NUMBER,
                              "array '%s' holds a number that is not finite at row %lld, column "
                              "%lld (from 0); remove or correct the row",
                              name, (long long)(i / out->columns), (long long)(i % out->columns));
            ami_error_file(err, path);
            return result;
        }
    }
    s->data_hash = am_hash64(out->data, (size_t)(out->rows * out->columns) * sizeof(float), s->data_hash);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Layers

/// The value behind a layer of the table of kinds: "NAME", or "NAME WIDTH". -1 when the words are none.
static int add_kind(am_net_graph *g, const char *words, int x)
{
    for (int kind = 0; kind < AM_NET_KIND_COUNT; kind++) {
        const ami_net_layer *layer = ami_net_layer_of(kind);
        const size_t length = strlen(layer->name);
        if (!layer->build || strncmp(words, layer->name, length) != 0) {
            continue;
        }
        char *end = NULL;
        if (!layer->sized && words[length] == '\0') {
            return layer->build(g, (am_net_kind)kind, x, 1);
        }
        if (layer->sized && words[length] == ' ') {
            const long width = strtol(words + length + 1, &end, 10);
            const bool fits = *end == '\0' && width > 0 && width <= AM_NET_MOST_WIDTH;
            return fits ? layer->build(g, (am_net_kind)kind, x, (int)width) : -1;
        }
    }
    return -1;
}

/// The value after one layer, or -1 when the words name no layer.
static int add_layer(am_net_graph *g, const char *words, int start, int *kept, int x)
{
    if (strcmp(words, "skip") == 0) {
        return ami_net_graph_concat(g, (int[]){ x, start }, 2);
    }
    if (strcmp(words, "residual") == 0 && g->values[*kept].width == g->values[x].width) {
        *kept = ami_net_graph_add(g, *kept, x);
        return *kept;
    }
    return add_kind(g, words, x);
}

/// The words that recipes know: "linear WIDTH", relu, ...
static void list_words(char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (int kind = 0; kind < AM_NET_KIND_COUNT; kind++) {
        const ami_net_layer *layer = ami_net_layer_of(kind);
        if (layer->build && at < size) {
            const char *quote = layer->sized || strchr(layer->name, ' ') ? "\"" : "";
            at += (size_t)snprintf(out + at, size - at, "%s%s%s%s, ", quote, layer->name,
                                   layer->sized ? " WIDTH" : "", quote);
        }
    }
}

am_result ami_stage_layers(const ami_stage *s, const char *key, am_net_graph *graph, int x, int *out, am_error *err)
{
    const am_json *list = am_json_get(s->json, key);
    if (!list || list->type != AM_JSON_ARRAY) {
        return am_json_fail(s->doc, list ? list : s->json, AM_ERR_TYPE, err,
                            "'%s' must be a list of layers such as [\"linear 512\", \"relu\"]", key);
    }
    const int start = x;
    int kept = x;
    for (const am_json *item = list->first; item; item = item->next) {
        const int next = item->type == AM_JSON_STRING ? add_layer(graph, item->string, start, &kept, x) : -1;
        if (next < 0 && graph->failed != AM_OK) {
            return ami_fail(err, graph->failed, "%s", graph->reason);
        }
        if (next < 0) {
            char words[160];
            list_words(words, sizeof words);
            return am_json_fail(s->doc, item, AM_ERR_RANGE, err,
                                "'%s' is not a layer that fits here; layers are %sskip, and residual between equal "
                                "widths",
                                item->type == AM_JSON_STRING ? item->string : "this", words);
        }
        x = next;
    }
    *out = x;
    return AM_OK;
}

void ami_column_scales(float *mean, float *deviation, const am_train_array *data)
{
    for (int64_t c = 0; c < data->columns; c++) {
        double sum = 0.0, squares = 0.0;
        for (int64_t r = 0; r < data->rows; r++) {
            sum += (double)data->data[r * data->columns + c];
        }
        const double middle = sum / (double)data->rows;
        for (int64_t r = 0; r < data->rows; r++) {
            const double d = (double)data->data[r * data->columns + c] - middle;
            squares += d * d;
        }
        const double spread = sqrt(squares / (double)data->rows);
        mean[c] = (float)middle;
        deviation[c] = spread > 1e-6 ? (float)spread : 1.0f;
    }
}

void ami_set_scales(am_net_graph *graph, int value, const float *mean, const float *deviation)
{
    const int width = graph->values[value].width;
    float *to_mean = ami_net_graph_tensor(graph, value, 0), *to_scale = ami_net_graph_tensor(graph, value, 1);
    bool inverse = false;
    for (int o = 0; o < graph->op_count; o++) {
        inverse |= graph->ops[o].out == value && graph->ops[o].kind == AM_NET_NORMALISE;
    }
    for (int i = 0; i < width; i++) {
        to_mean[i] = mean[i];
        to_scale[i] = inverse ? 1.0f / deviation[i] : deviation[i];
    }
}

// Making a model: graphs and packed weights in one image, with their errors measured.
#include "net/format.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/graph.h"
#include "net/pack.h"
#include "net/build.h"

#include <string.h>

const ami_container_kind ami_net_file_kind = { "AMNT", AMI_NET_VERSION, "network", "make it again with amble train" };

const char *ami_net_letters(int section)
{
    static const char *const letters[AMI_NET_SECTIONS] = { "info", "part", "valu", "oper", "tens",
                                                           "weig", "reci", "prov", "attn", "attb" };
    return letters[section];
}

am_model_def ami_model_def_default(void)
{
    am_model_def def = { .sample_count = 256, .cookie = AM_COOKIE };
    return def;
}

void am_model_def_init(am_model_def *def, const am_model *model)
{
    *def = ami_model_def_default();
    if (model) {
        def->recipe = model->recipe;
        def->provenance = model->provenance;
        def->data_hash = model->data_hash;
        def->database_hash = model->database_hash;
        def->skeleton_hash = model->skeleton_hash;
        def->latent_key = model->latent_key;
        def->seed = model->seed;
    }
}

/// A model in the making.
typedef struct making {
    const am_model_def *def;
    am_alloc alloc;
    am_error *err;
    const am_net_graph *graphs[AM_NET_MOST_PARTS]; ///< the def's, or rounded ones
    am_net_graph *rounded[AM_NET_MOST_PARTS];      ///< our own, NULL where packing does the rounding
    am_model_part parts[AM_NET_MOST_PARTS];
    ami_net_info info;
    am_model_attachment attached[AM_NET_MOST_ATTACHMENTS];
    ami_section table[AMI_NET_SECTIONS];
    uint8_t *image;
    uint64_t image_size;
} making;

static am_net_weights weights_of(const am_model_def *def, int g)
{
    return def->weights ? def->weights[g] : AM_NET_FP32;
}

static am_result check_numbers(const am_net_graph *graph, am_net_weights weights, am_error *err)
{
    for (int t = 0; t < graph->tensor_count; t++) {
        const am_net_tensor *tensor = &graph->tensors[t];
        const float *data = graph->weights + tensor->offset;
        bool half = weights == AM_NET_FP16 && (tensor->flags & AM_NET_MATRIX);
        for (size_t i = 0; i < ami_net_tensor_count(tensor); i++) {
            if (!(data[i] - data[i] == 0.0f)) {
                return ami_fail(err, AM_ERR_NUMBER, "network '%s': number %zu of tensor '%s' is not finite",
                                graph->name, i, tensor->name);
            }
            if (half && !(data[i] >= -65504.0f && data[i] <= 65504.0f)) {
                return ami_fail(err, AM_ERR_RANGE,
                                "network '%s': weight %zu of tensor '%s' is %g, too large for fp16", graph->name, i,
                                tensor->name, (double)data[i]);
            }
        }
    }
    return AM_OK;
}

static am_result check_graph(const am_model_def *def, int g, am_error *err)
{
    const am_net_graph *graph = def->graphs[g];
    if (!graph || !graph->weights || graph->failed != AM_OK) {
        return ami_fail(err, AM_ERR_DEF, "graph %d is not finished", g);
    }
    for (int other = 0; other < g; other++) {
        const am_net_graph *earlier = def->graphs[other];
        if (earlier && strcmp(earlier->name, graph->name) == 0) {
            return ami_fail(err, AM_ERR_DEF, "two parts are called '%s'", graph->name);
        }
    }
    am_net_weights weights = weights_of(def, g);
    if ((int)weights < AM_NET_FP32 || weights > AM_NET_INT8) {
        return ami_fail(err, AM_ERR_DEF, "weights of part '%s' are neither fp32, fp16 nor int8", graph->name);
    }
    return check_numbers(graph, weights, err);
}

static am_result check_def(const am_model_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->graphs || def->sample_count < 1 || def->sample_count > 4096) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the model def with am_model_def_init(); it needs graphs and a sample_count of 1 to 4096");
    }
    const int least = def->attachment_count > 0 ? 0 : 1; // value functions are attachments alone
    if (def->graph_count < least || def->graph_count > AM_NET_MOST_PARTS) {
        return ami_fail(err, AM_ERR_LIMIT, "a model has 1 to %d parts, not %d", AM_NET_MOST_PARTS, def->graph_count);
    }
    am_result result = ami_attach_check(def->attachments, def->attachment_count, err);
    for (int g = 0; g < def->graph_count && result == AM_OK; g++) {
        result = check_graph(def, g, err);
    }
    return result;
}

/// Counts of all parts and the bytes of their weights.
static uint64_t count_parts(making *m)
{
    uint64_t body = 0;
    m->info.part_count = m->def->graph_count;
    for (int g = 0; g < m->def->graph_count; g++) {
        const am_net_graph *graph = m->def->graphs[g];
        am_model_part *part = &m->parts[g];
        memcpy(part->name, graph->name, sizeof part->name);
        part->weights = (int32_t)weights_of(m->def, g);
        part->value_first = m->info.value_count;
        part->value_count = graph->value_count;
        part->op_first = m->info.op_count;
        part->op_count = graph->op_count;
        part->tensor_first = m->info.tensor_count;
        part->tensor_count = graph->tensor_count;
        part->parameters = graph->parameter_count;
        for (int t = 0; t < graph->tensor_count; t++) {
            uint64_t size = ami_net_stored_size(&graph->tensors[t], (am_net_weights)part->weights);
            part->bytes += (size + 63) / 64 * 64;
        }
        body += part->bytes;
        m->info.value_count += graph->value_count;
        m->info.op_count += graph->op_count;
        m->info.tensor_count += graph->tensor_count;
    }
    return body ? body : 64;
}

static void set_section(making *m, int section, uint64_t size)
{
    m->table[section].id = size ? ami_section_id(ami_net_letters(section)) : 0;
    m->table[section].size = size;
}

static void place_sections(making *m)
{
    uint64_t body = count_parts(m);
    const char *recipe = m->def->recipe ? m->def->recipe : "";
    const char *provenance = m->def->provenance ? m->def->provenance : "";
    set_section(m, AMI_NET_INFO, sizeof m->info);
    set_section(m, AMI_NET_PARTS, (uint64_t)m->info.part_count * sizeof(am_model_part));
    set_section(m, AMI_NET_VALUES, (uint64_t)m->info.value_count * sizeof(am_net_value));
    set_section(m, AMI_NET_OPS, (uint64_t)m->info.op_count * sizeof(am_net_op));
    set_section(m, AMI_NET_TENSORS, (uint64_t)m->info.tensor_count * sizeof(am_net_tensor));
    set_section(m, AMI_NET_BODY, body);
    set_section(m, AMI_NET_RECIPE, strlen(recipe) + 1);
    set_section(m, AMI_NET_PROVENANCE, strlen(provenance) + 1);
    uint64_t attached = ami_attach_place(m->attached, m->def->attachments, m->def->attachment_count);
    set_section(m, AMI_NET_ATTACHED, (uint64_t)m->def->attachment_count * sizeof m->attached[0]);
    set_section(m, AMI_NET_ATTACHED_BODY, attached);
    m->image_size = ami_container_place(m->table, AMI_NET_SECTIONS);
}

static void *section_at(const making *m, int section) { return m->image + m->table[section].offset; }

static void put_graph(making *m, int g, uint64_t *at)
{
    const am_net_graph *graph = m->graphs[g];
    const am_model_part *part = &m->parts[g];
    am_net_value *values = (am_net_value *)section_at(m, AMI_NET_VALUES) + part->value_first;
    am_net_op *ops = (am_net_op *)section_at(m, AMI_NET_OPS) + part->op_first;
    memcpy(values, graph->values, (size_t)graph->value_count * sizeof *values);
    memcpy(ops, graph->ops, (size_t)graph->op_count * sizeof *ops);
    for (int t = 0; t < graph->tensor_count; t++) {
        am_net_tensor *tensor = (am_net_tensor *)section_at(m, AMI_NET_TENSORS) + part->tensor_first + t;
        *tensor = graph->tensors[t];
        tensor->flags &= ~AM_NET_FROZEN;
        tensor->offset = *at;
        ami_net_pack((uint8_t *)section_at(m, AMI_NET_BODY) + *at, tensor, graph->weights + graph->tensors[t].offset,
                     (am_net_weights)part->weights);
        *at += (ami_net_stored_size(tensor, (am_net_weights)part->weights) + 63) / 64 * 64;
    }
}

/// The content hash leaves out where a network came from.
static bool is_content(int section) { return section != AMI_NET_RECIPE && section != AMI_NET_PROVENANCE; }

void ami_model_seal(uint8_t *image, uint64_t size, ami_section *table)
{
    for (int s = 0; s < AMI_NET_SECTIONS; s++) {
        if (table[s].id) {
            table[s].checksum = am_hash64(image + table[s].offset, (size_t)table[s].size, table[s].id);
        }
    }
    ami_container_seal(image, size, table, AMI_NET_SECTIONS, &ami_net_file_kind, is_content);
}

static void fill_image(making *m)
{
    const am_model_def *def = m->def;
    m->info.data_hash = def->data_hash;
    m->info.database_hash = def->database_hash;
    m->info.skeleton_hash = def->skeleton_hash;
    m->info.seed = def->seed;
    m->info.latent_key = def->latent_key;
    memcpy(section_at(m, AMI_NET_INFO), &m->info, sizeof m->info);
    memcpy(section_at(m, AMI_NET_PARTS), m->parts, (size_t)m->info.part_count * sizeof m->parts[0]);
    uint64_t at = 0;
    for (int g = 0; g < def->graph_count; g++) {
        put_graph(m, g, &at);
    }
    if (def->recipe) {
        memcpy(section_at(m, AMI_NET_RECIPE), def->recipe, strlen(def->recipe));
    }
    if (def->provenance) {
        memcpy(section_at(m, AMI_NET_PROVENANCE), def->provenance, strlen(def->provenance));
    }
    if (def->attachment_count > 0) {
        memcpy(section_at(m, AMI_NET_ATTACHED), m->attached, (size_t)m->table[AMI_NET_ATTACHED].size);
        ami_attach_put(section_at(m, AMI_NET_ATTACHED_BODY), m->attached, def->attachments, def->attachment_count);
    }
    ami_model_seal(m->image, m->image_size, m->table);
}

/// Rounds the parts of 8 bits that there are samples for.
static am_result round_parts(making *m)
{
    const am_model_def *def = m->def;
    am_result result = AM_OK;
    for (int g = 0; g < def->graph_count && result == AM_OK; g++) {
        if (def->samples && def->samples[g] && weights_of(def, g) == AM_NET_INT8) {
            result = ami_net_calibrate(&m->rounded[g], def->graphs[g], def->samples[g], def->sample_count, &m->alloc,
                                       m->err);
            m->graphs[g] = m->rounded[g];
        }
    }
    return result;
}

static am_result measure_parts(making *m)
{
    const am_model_def *def = m->def;
    am_result result = AM_OK;
    for (int g = 0; g < def->graph_count && result == AM_OK; g++) {
        if (weights_of(def, g) != AM_NET_FP32) {
            const float *samples = def->samples ? def->samples[g] : NULL;
            m->parts[g].weights = (int32_t)weights_of(def, g);
            result = ami_net_measure(&m->parts[g], def->graphs[g], m->graphs[g], samples, def->sample_count,
                                     &m->alloc, m->err);
        }
    }
    return result;
}

am_result ami_model_pack(am_model **out, const am_model_def *def, bool measured, am_error *err)
{
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    making *m = ami_alloc_zero(&alloc, sizeof *m);
    if (!m) {
        return ami_fail_memory(err, sizeof *m);
    }
    m->def = def;
    m->alloc = alloc;
    m->err = err;
    memcpy(m->graphs, def->graphs, (size_t)def->graph_count * sizeof m->graphs[0]);
    am_result result = measured ? round_parts(m) : AM_OK;
    result = result == AM_OK && measured ? measure_parts(m) : result;
    if (result == AM_OK) {
        place_sections(m);
        m->image = ami_alloc_zero(&alloc, (size_t)m->image_size);
        result = m->image ? AM_OK : ami_fail_memory(err, (size_t)m->image_size);
    }
    if (result == AM_OK) {
        fill_image(m);
        struct am_model_own own = { .alloc = alloc, .image = m->image, .image_size = (size_t)m->image_size };
        result = ami_model_view(out, m->image, (size_t)m->image_size, NULL, &own, err);
    }
    if (result != AM_OK) {
        ami_release(&alloc, m->image, (size_t)m->image_size);
    }
    for (int g = 0; g < def->graph_count; g++) {
        am_net_graph_destroy(m->rounded[g]);
    }
    ami_release(&alloc, m, sizeof *m);
    return result;
}

am_result am_model_create(am_model **out, const am_model_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    return result == AM_OK ? ami_model_pack(out, def, true, err) : result;
}

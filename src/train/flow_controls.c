// Controls of training samples: what a schema's training controls draw from the clips, in the character's frame.
#include "train/flow_controls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "control/training.h"
#include "net/build.h"

enum { most_numbers = AMI_FLOW_MOST_VECTOR, probes = 8192, tries = 64 };

/// A file in memory.
typedef struct text_file {
    char *text;
    size_t size;
    char path[1024];
} text_file;

struct ami_flow_controls {
    am_alloc alloc;
    const am_db *db;
    text_file schema_file, controls_file;
    am_control_schema *schema;
    am_json_doc *doc;
    ami_training_controls *training;
    bool *allowed;    ///< [frame] may be learned from
    float *low;       ///< [2][vector_count]
    float *probe;     ///< [probes][vector_count] while the encoder's scales are not known
    float noise;      ///< on numbers, in deviations of the probes
    float *deviation; ///< [vector_count]
};

static am_result read_file(text_file *out, const ami_stage *s, const char *key, am_error *err)
{
    const char *name = NULL;
    am_file file;
    am_result result = am_json_read_string(s->doc, s->json, key, true, &name, err);
    result = result == AM_OK ? ami_stage_path(s, name, out->path, sizeof out->path, err) : result;
    result = result == AM_OK ? am_file_open(&file, out->path, err) : result;
    if (result != AM_OK) {
        return result;
    }
    out->size = file.size;
    out->text = ami_alloc_zero(&s->alloc, file.size + 1);
    if (out->text) {
        memcpy(out->text, file.data, file.size);
    } else {
        result = ami_fail_memory(err, file.size);
    }
    am_file_close(&file);
    return result;
}

static am_result read_controls(ami_flow_controls *c, ami_stage *s, const char *key, am_error *err)
{
    am_result result = read_file(&c->controls_file, s, key, err);
    if (result == AM_OK) {
        result = am_json_parse(&c->doc, c->controls_file.text, c->controls_file.size, c->controls_file.path,
                               &c->alloc, err);
    }
    if (result == AM_OK) {
        result =
            ami_training_controls_read(&c->training, c->schema, c->doc, am_json_root(c->doc), c->db, &c->alloc, err);
    }
    if (result == AM_OK) {
        s->data_hash = am_hash64(c->schema_file.text, c->schema_file.size, s->data_hash);
        s->data_hash = am_hash64(c->controls_file.text, c->controls_file.size, s->data_hash);
    }
    return result;
}

static bool is_spatial(ami_operator kind) { return kind == AMI_OP_LOCATION || kind == AMI_OP_VELOCITY; }

/// Marks the numbers of locations and velocities in a vector, those of every item of sets.
static void mark_places(bool *marks, const am_control_schema *schema, int node, int shift)
{
    const ami_control_node *n = &schema->nodes[node];
    for (int i = 0; i < 3 && is_spatial(n->kind); i++) {
        marks[n->vector + shift + i] = true;
    }
    const int items = n->kind == AMI_OP_SET ? n->most : 1;
    const int item = n->kind == AMI_OP_SET && n->most > 0 ? (n->vector_count - 1) / n->most : 0;
    for (int i = 0; i < items; i++) {
        for (int p = 0; p < n->count; p++) {
            mark_places(marks, schema, n->first + p, shift + i * item);
        }
    }
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// Range, mean and deviation of number k. Of places and velocities the outer drawn ones are no part of the range:
/// what is asked for at its end was then seen in training some times, not once. Where a part is absent its numbers
/// are 0: these are in the range, but say nothing of how far it goes.
static void measure_number(ami_flow_controls *c, size_t k, bool place, float *sorted)
{
    const size_t count = (size_t)c->schema->vector_count;
    size_t there = 0;
    double sum = 0.0, square = 0.0;
    for (size_t i = 0; i < probes; i++) {
        const float v = c->probe[i * count + k];
        sorted[there] = v;
        there += v != 0.0f;
        sum += (double)v / probes;
        square += (double)v * (double)v / probes;
    }
    const size_t outer = place ? there / 200 : 0;
    qsort(sorted, there, sizeof *sorted, compare);
    const double variance = square - sum * sum;
    const float low = there > 0 ? sorted[outer] : 0.0f, high = there > 0 ? sorted[there - 1 - outer] : 0.0f;
    const bool absent = there < probes;
    c->low[k] = absent && low > 0.0f ? 0.0f : low;
    c->low[count + k] = absent && high < 0.0f ? 0.0f : high;
    c->deviation[k] = variance > 0.0 ? (float)sqrt(variance) : 0.0f;
}

static am_result measure_numbers(ami_flow_controls *c, am_error *err)
{
    const size_t count = (size_t)c->schema->vector_count;
    bool places[AMI_FLOW_MOST_VECTOR] = { false };
    float *sorted = ami_alloc_array(&c->alloc, probes, sizeof *sorted);
    if (!sorted) {
        return ami_fail_memory(err, probes * sizeof *sorted);
    }
    mark_places(places, c->schema, 0, 0);
    for (size_t k = 0; k < count; k++) {
        measure_number(c, k, places[k], sorted);
    }
    ami_release(&c->alloc, sorted, probes * sizeof *sorted);
    return AM_OK;
}

/// What is drawn: the encoder's scales and the limits of controls in play come from it.
static am_result probe(ami_flow_controls *c, ami_stage *s, am_error *err)
{
    const size_t count = (size_t)c->schema->vector_count;
    c->probe = ami_alloc_array(&c->alloc, probes * count, sizeof *c->probe);
    c->low = ami_alloc_array(&c->alloc, 3 * count, sizeof *c->low);
    if (!c->probe || !c->low) {
        return ami_fail_memory(err, probes * count * sizeof *c->probe);
    }
    c->deviation = c->low + 2 * count;
    const am_rng rng = ami_rng_make(s->seed ^ 0x636f6e74u);
    for (size_t i = 0; i < probes; i++) {
        am_rng stream = ami_rng_fork(&rng, i);
        int frame;
        if (!ami_flow_controls_draw(c, c->probe + i * count, &frame, &stream)) {
            return am_json_fail(s->doc, am_json_get(s->json, "controls"), AM_ERR_EMPTY, err,
                                "of the frames that may be learned from none has these controls");
        }
    }
    return measure_numbers(c, err);
}

am_result ami_flow_controls_open(ami_flow_controls **out, ami_stage *s, ami_flow_controls_keys keys, const am_db *db,
                                 const int *frames, int count, am_error *err)
{
    *out = NULL;
    if (!am_json_get(s->json, keys.schema)) {
        return am_json_get(s->json, keys.controls)
                   ? am_json_fail(s->doc, am_json_get(s->json, keys.controls), AM_ERR_KEY, err, "'%s' need a '%s'",
                                  keys.controls, keys.schema)
                   : AM_OK;
    }
    ami_flow_controls *c = ami_alloc_zero(&s->alloc, sizeof *c);
    if (!c) {
        return ami_fail_memory(err, sizeof *c);
    }
    c->alloc = s->alloc;
    c->db = db;
    am_result result = read_file(&c->schema_file, s, keys.schema, err);
    if (result == AM_OK) {
        result = am_control_schema_read(&c->schema, c->schema_file.text, c->schema_file.size, c->schema_file.path,
                                        &c->alloc, err);
    }
    if (result == AM_OK && c->schema->width == 0) {
        ami_flow_controls_close(c); // as without: nothing is asked
        return AM_OK;
    }
    if (result == AM_OK && (c->schema->vector_count > most_numbers || c->schema->value_count > most_numbers)) {
        result = ami_fail(err, AM_ERR_LIMIT, "the schema has %d numbers; flows learn from at most %d",
                          c->schema->vector_count, (int)most_numbers);
        ami_error_file(err, c->schema_file.path);
    }
    if (result == AM_OK) {
        c->allowed = ami_alloc_zero(&c->alloc, (size_t)db->frame_count);
        result = c->allowed ? AM_OK : ami_fail_memory(err, (size_t)db->frame_count);
    }
    for (int i = 0; c->allowed && i < count && result == AM_OK; i++) {
        c->allowed[frames[i]] = true;
    }
    result = result == AM_OK ? am_json_read_float(s->doc, s->json, "control_noise", false, &c->noise, 0.0f, 1.0f, err)
                             : result;
    result = result == AM_OK ? read_controls(c, s, keys.controls, err) : result;
    const float noise = c->noise;
    c->noise = 0.0f;
    result = result == AM_OK ? probe(c, s, err) : result;
    c->noise = noise;
    if (result != AM_OK) {
        ami_flow_controls_close(c);
        return result;
    }
    *out = c;
    return AM_OK;
}

void ami_flow_controls_close(ami_flow_controls *c)
{
    if (!c) {
        return;
    }
    const am_alloc alloc = c->alloc;
    const size_t count = c->schema ? (size_t)c->schema->vector_count : 0;
    ami_release(&alloc, c->probe, probes * count * sizeof *c->probe);
    ami_release(&alloc, c->low, 3 * count * sizeof *c->low);
    ami_release(&alloc, c->allowed, (size_t)c->db->frame_count);
    ami_training_controls_destroy(c->training);
    am_json_free(c->doc);
    am_control_schema_destroy(c->schema);
    ami_release(&alloc, c->schema_file.text, c->schema_file.size + 1);
    ami_release(&alloc, c->controls_file.text, c->controls_file.size + 1);
    ami_release(&alloc, c, sizeof *c);
}

int ami_flow_controls_vector(const ami_flow_controls *c) { return c->schema->vector_count; }
int ami_flow_controls_encoding(const ami_flow_controls *c) { return c->schema->width; }
const float *ami_flow_controls_low(const ami_flow_controls *c) { return c->low; }
const float *ami_flow_controls_high(const ami_flow_controls *c) { return c->low + c->schema->vector_count; }
const am_control_schema *ami_flow_controls_schema(const ami_flow_controls *c) { return c->schema; }

/// A value in the character's frame.
static void flatten(const ami_flow_controls *c, float *vector, const float *value, int frame)
{
    am_transform root = { 0 };
    root.translation = c->db->root_positions[frame];
    root.rotation = c->db->root_rotations[frame];
    ami_control_flatten(c->schema, vector, value, &root);
}

bool ami_flow_controls_at(const ami_flow_controls *c, float *vector, int frame, am_rng *rng)
{
    float value[most_numbers];
    if (!ami_training_controls_draw(c->training, value, frame, rng)) {
        return false;
    }
    flatten(c, vector, value, frame);
    return true;
}

void ami_flow_controls_shake(const ami_flow_controls *c, float *vector, am_rng *rng)
{
    for (int k = 0; k < c->schema->vector_count && c->noise > 0.0f; k++) {
        vector[k] += c->noise * c->deviation[k] * am_rng_normal(rng);
    }
}

bool ami_flow_controls_draw(const ami_flow_controls *c, float *vector, int *frame, am_rng *rng)
{
    float value[most_numbers];
    for (int i = 0; i < tries; i++) {
        if (!ami_training_controls_sample(c->training, value, frame, rng)) {
            return false;
        }
        if (c->allowed[*frame]) {
            flatten(c, vector, value, *frame);
            ami_flow_controls_shake(c, vector, rng);
            return true;
        }
    }
    return false;
}

am_result ami_flow_controls_matching(ami_matching **out, const ami_flow_controls *c, am_error *err)
{
    return ami_matching_read(out, c->schema, c->doc, am_json_root(c->doc), &c->alloc, err);
}

am_result ami_flow_controls_graph(am_net_graph **out, const ami_flow_controls *c, uint64_t seed,
                                  const am_alloc *alloc, am_error *err)
{
    am_result result = ami_net_graph_create(out, "control_encoder", alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_net_graph *g = *out;
    const int x = ami_net_graph_input(g, "vector", c->schema->vector_count);
    ami_net_graph_output(g, "encoding", ami_control_encoder(g, c->schema, x));
    result = ami_net_graph_finish(g, err);
    if (result == AM_OK) {
        ami_net_graph_randomise(g, seed);
        ami_control_encoder_scales(g, c->schema, c->probe, probes);
    }
    return result;
}

const char *ami_flow_controls_schema_text(const ami_flow_controls *c, size_t *size)
{
    *size = c->schema_file.size;
    return c->schema_file.text;
}

const char *ami_flow_controls_text(const ami_flow_controls *c, size_t *size)
{
    *size = c->controls_file.size;
    return c->controls_file.text;
}

// What the stages over a flow network share: samples, graphs, attachments.
#include "train/flow.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/rng.h"
#include "data/database.h"
#include "method/decoder.h"
#include "method/sources.h"
#include "net/build.h"
#include "train/starts.h"

#define STAND_MPS 0.15f

// ---------------------------------------------------------------------------------------------
// Samples

static am_result read_play(const ami_stage *s, ami_flow_data *d, am_error *err)
{
    static const char *const keys[] = { "noise", "memory", "guidance", "pose_noise" };
    const am_json *play = am_json_get(s->json, "play");
    d->play_noise = 0.6f; // with memory: quiet, and still of many ways
    d->play_memory = 0.9f;
    d->play_guidance = 1.0f;
    d->play_pose_noise = 0.05f;
    if (!play) {
        return AM_OK;
    }
    float *const to[] = { &d->play_noise, &d->play_memory, &d->play_guidance, &d->play_pose_noise };
    const float most[] = { 2.0f, 0.9999f, 10.0f, 1.0f };
    am_result result = am_json_only(s->doc, play, keys, 4, err);
    for (int i = 0; i < 4 && result == AM_OK; i++) {
        result = am_json_read_float(s->doc, play, keys[i], false, to[i], 0.0f, most[i], err);
    }
    return result;
}

static am_result read_keys(const ami_stage *s, ami_flow_data *d, am_error *err)
{
    d->pose_noise = 0.4f;
    d->pose_noise_power = 2.0f; // mostly little noise, seldom much
    am_result result = am_json_read_float(s->doc, s->json, "pose_noise", false, &d->pose_noise, 0.0f, 10.0f, err);
    d->pose_noise_end = d->pose_noise;
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "pose_noise_end", false, &d->pose_noise_end, 0.0f, 10.0f, err);
    }
    if (result == AM_OK) {
        result =
            am_json_read_float(s->doc, s->json, "pose_noise_power", false, &d->pose_noise_power, 0.0f, 8.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "uncontrolled", false, &d->uncontrolled, 0.0f, 1.0f, err);
    }
    return result == AM_OK ? read_play(s, d, err) : result;
}

static bool stands(const am_db *db, int frame)
{
    return am_v3_length(ami_db_root_velocity(db, frame).linear) < STAND_MPS;
}

/// Of each stand the first and the last `seconds` are kept; of one that its clip ends with the first alone. Without
/// controls a stand that is left late is one that hardly ever ends: all its frames look the same.
static void shorten_stands(ami_codes *c, float seconds)
{
    const am_db *db = c->db;
    const int few = (int)(seconds * db->fps);
    int kept = 0;
    for (int r = 0, i = 0; r < db->range_count; r++) {
        const int stop = db->ranges[r].stop;
        int first = -1, last = -1; // of the stand at hand
        for (; i < c->first_count && c->first[i] < stop; i++) {
            const int f = c->first[i];
            if (f > last && stands(db, f)) {
                first = last = f;
                while (last + 1 < stop && stands(db, last + 1)) {
                    last++;
                }
            }
            const bool in_stand = f <= last && f >= first;
            if (!in_stand || f < first + few || (last + 1 < stop && f > last - few)) {
                c->first[kept++] = f;
            }
        }
    }
    c->first_count = kept;
}

am_result ami_flow_data_open(ami_flow_data *d, ami_stage *s, int frames, am_error *err)
{
    *d = (ami_flow_data){ .steps = 4, .rng = ami_rng_make(s->seed ^ 0x666c6f77u) };
    am_result result = read_keys(s, d, err);
    float stand = -1.0f;
    if (result == AM_OK) {
        result = am_json_read_float(s->doc, s->json, "stand_s", false, &stand, 0.0f, 1e6f, err);
    }
    result = result == AM_OK ? ami_codes_make(&d->codes, s, frames, err) : result;
    if (result == AM_OK && stand >= 0.0f) {
        shorten_stands(&d->codes, stand);
        result = d->codes.first_count > 0 ? AM_OK
                                          : am_json_fail(s->doc, am_json_get(s->json, "stand_s"), AM_ERR_EMPTY, err,
                                                         "nothing moves in the database; leave 'stand_s' out");
    }
    result = result == AM_OK
                 ? ami_flow_controls_open(&d->controls, s, (ami_flow_controls_keys){ "schema", "controls" },
                                          d->codes.db, d->codes.first, d->codes.first_count, err)
                 : result;
    if (result == AM_OK && d->controls) {
        d->vector = ami_flow_controls_vector(d->controls);
        d->encoding = ami_flow_controls_encoding(d->controls);
    }
    return result;
}

void ami_flow_data_close(ami_flow_data *d, const am_alloc *alloc)
{
    (void)alloc;
    ami_flow_controls_close(d->controls);
    ami_codes_free(&d->codes);
}

/// A frame with its control, or one that is left without.
static void draw_control(const ami_flow_data *d, ami_flow_sample *out, float *vector, ptrdiff_t stride)
{
    float numbers[AMI_FLOW_MOST_VECTOR];
    const bool found = ami_flow_controls_draw(d->controls, numbers, &out->frame, &out->rng);
    out->controlled = found && am_rng_float(&out->rng) >= d->uncontrolled;
    for (ptrdiff_t i = 0; i < d->vector; i++) {
        vector[i * stride] = out->controlled ? numbers[i] : 0.0f;
    }
}

void ami_flow_draw(const ami_flow_data *d, const ami_stage *s, const ami_train_block *block, int c,
                   ami_flow_sample *out, float *previous, float *vector, ptrdiff_t stride)
{
    const uint64_t item = ami_block_item(block, c);
    out->rng = ami_rng_fork(&d->rng, item);
    out->frame = d->codes.first[am_rng_below(&out->rng, (uint32_t)d->codes.first_count)];
    out->controlled = false;
    if (d->controls) {
        draw_control(d, out, vector, stride);
    }
    const double all = s->iterations > 1 ? (double)s->iterations : 1.0;
    const uint64_t iteration = item / (uint64_t)ami_block_batch(block);
    const float done = (float)((double)iteration / all);
    const float most = d->pose_noise + (d->pose_noise_end - d->pose_noise) * am_clamp(done, 0.0f, 1.0f);
    out->noise = most * powf(am_rng_float(&out->rng), d->pose_noise_power);
    const float *z = d->codes.z + (size_t)out->frame * (size_t)d->codes.width;
    for (ptrdiff_t i = 0; i < d->codes.width; i++) {
        previous[i * stride] = z[i] + out->noise * d->codes.deviation[i] * am_rng_normal(&out->rng);
    }
}

void ami_flow_weights(float *weights, const ami_codes *c, float power)
{
    double sum = 0.0;
    for (int i = 0; i < c->width; i++) {
        sum += (double)powf(c->raw[i], power) / c->width;
    }
    for (int i = 0; i < c->width; i++) {
        weights[i] = (float)((double)powf(c->raw[i], power) / sum) / (c->deviation[i] * c->deviation[i]);
    }
}

// ---------------------------------------------------------------------------------------------
// The network

ami_flow_values ami_flow_find(const am_net_graph *g)
{
    return (ami_flow_values){ .x = ami_net_graph_find(g, "x"),
                              .previous = ami_net_graph_find(g, "previous"),
                              .control = ami_net_graph_find(g, "control"),
                              .time = ami_net_graph_find(g, "time"),
                              .noise = ami_net_graph_find(g, "noise"),
                              .out = ami_net_graph_find(g, "latent") };
}

/// The layers from the scaled inputs x on; gives the last value.
static int add_layers(am_net_graph *g, const ami_flow_shape *shape, int x, int width)
{
    int h = ami_net_graph_activation(g, ami_net_graph_linear(g, x, shape->units), AM_NET_GELU);
    for (int i = 1; i <= shape->hidden; i++) {
        int in = h;
        if (shape->skip == AMI_FLOW_CONCAT) {
            const int both[2] = { h, x };
            in = ami_net_graph_concat(g, both, 2);
        }
        in = shape->norm ? ami_net_graph_layer_norm(g, in) : in;
        if (i == shape->hidden) {
            return ami_net_graph_linear(g, in, width);
        }
        const int next = ami_net_graph_activation(g, ami_net_graph_linear(g, in, shape->units), AM_NET_GELU);
        h = shape->skip == AMI_FLOW_RESIDUAL ? ami_net_graph_add(g, h, next) : next;
    }
    return h;
}

am_result ami_flow_graph(am_net_graph **out, const ami_flow_data *d, const ami_flow_shape *shape, uint64_t seed,
                         const am_alloc *alloc, am_error *err)
{
    const int z = d->codes.width;
    am_result result = ami_net_graph_create(out, "flow", alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_net_graph *g = *out;
    int in[5], count = 0;
    in[count++] = ami_net_graph_input(g, "x", z);
    in[count++] = ami_net_graph_input(g, "previous", z);
    if (d->encoding > 0) {
        in[count++] = ami_net_graph_input(g, "control", d->encoding);
    }
    in[count++] = ami_net_graph_input(g, "time", 1);
    if (shape->told) {
        in[count++] = ami_net_graph_input(g, "noise", 1);
    }
    const int scaled = ami_net_graph_normalise(g, ami_net_graph_concat(g, in, count));
    const int last = ami_net_graph_restore(g, add_layers(g, shape, scaled, z));
    ami_net_graph_output(g, "latent", last);
    result = ami_net_graph_finish(g, err);
    if (result != AM_OK) {
        return result;
    }
    ami_net_graph_randomise(g, seed);
    float *mean = ami_net_graph_tensor(g, scaled, 0), *scale = ami_net_graph_tensor(g, scaled, 1);
    float *size = ami_net_graph_tensor(g, last, 1);
    for (int i = 0; i < z; i++) {
        scale[i] = scale[z + i] = 1.0f / d->codes.deviation[i];
        size[i] = d->codes.deviation[i]; // as in the authors' reference: small latents need small answers
    }
    const int time = 2 * z + d->encoding;
    mean[time] = 0.5f;
    scale[time] = 3.0f;
    if (shape->told) {
        mean[time + 1] = 0.3f * d->pose_noise;
        scale[time + 1] = d->pose_noise > 0.0f ? 3.0f / d->pose_noise : 1.0f;
    }
    return AM_OK;
}

/// Where the columns of the control lie in tensors that have all inputs side by side, after `before` others.
typedef struct control_gap {
    int inputs, before, count;
} control_gap;

static control_gap gap_of(const am_net_graph *g)
{
    const ami_flow_values at = ami_flow_find(g);
    const int ends = (at.time >= 0) + (at.noise >= 0);
    control_gap gap = { 0 };
    if (at.x >= 0 && at.previous >= 0) {
        gap.before = g->values[at.x].width + g->values[at.previous].width;
        gap.count = at.control >= 0 ? g->values[at.control].width : 0;
        gap.inputs = gap.before + gap.count + ends;
    }
    return gap;
}

/// A tensor takes another one's columns; those of the control stay as they begin, and are zero in matrices.
static void take_columns(am_net_graph *g, control_gap to, const am_net_graph *from, control_gap at, int tensor)
{
    const am_net_tensor *t = &g->tensors[tensor], *old = &from->tensors[tensor];
    const ptrdiff_t gap = t->columns - to.inputs + to.before, rest = (ptrdiff_t)to.inputs - to.before - to.count;
    for (ptrdiff_t r = 0; r < t->rows; r++) {
        float *row = g->weights + t->offset + r * t->columns;
        const float *old_row = from->weights + old->offset + r * old->columns;
        memcpy(row, old_row, (size_t)gap * sizeof *row);
        memcpy(row + gap + to.count, old_row + gap + at.count, (size_t)rest * sizeof *row);
        if ((t->flags & AM_NET_MATRIX) != 0) {
            memset(row + gap, 0, (size_t)to.count * sizeof *row);
        }
    }
}

static void take_tensor(am_net_graph *g, const am_net_graph *from, int tensor)
{
    const am_net_tensor *t = &g->tensors[tensor];
    memcpy(g->weights + t->offset, from->weights + from->tensors[tensor].offset,
           (size_t)t->rows * (size_t)t->columns * sizeof *g->weights);
}

/// Whether a value, made before operation `op`, is all inputs side by side, or ends with them.
static bool ends_with_inputs(const am_net_graph *g, int value, int op)
{
    const ami_flow_values at = ami_flow_find(g);
    while (op-- > 0) {
        const am_net_op *o = &g->ops[op];
        int last = 0;
        if (o->out != value) {
            continue;
        }
        if (o->kind != AM_NET_CONCAT && o->kind != AM_NET_NORMALISE && o->kind != AM_NET_LAYER_NORM) {
            return false;
        }
        while (o->kind == AM_NET_CONCAT && last + 1 < AM_NET_MOST_IN && o->in[last + 1] >= 0) {
            last++;
        }
        value = o->in[last];
    }
    return value == (at.noise >= 0 ? at.noise : at.time);
}

/// Whether a tensor has a column of every input, beside what is hidden. Its number of columns does not tell: there
/// may be as many units as inputs.
static bool has_inputs(const am_net_graph *g, int tensor)
{
    for (int i = 0; i < g->op_count; i++) {
        const am_net_op *o = &g->ops[i];
        const bool both = o->kind == AM_NET_NORMALISE || o->kind == AM_NET_LAYER_NORM;
        if ((o->tensor[0] == tensor && (both || o->kind == AM_NET_LINEAR)) || (both && o->tensor[1] == tensor)) {
            return ends_with_inputs(g, o->in[0], i);
        }
    }
    return false;
}

am_result ami_flow_begin(am_net_graph *graph, const am_model *model, bool controlled, const am_alloc *alloc,
                         am_error *err)
{
    const int part = am_model_find(model, "flow");
    if (part < 0) {
        return ami_fail(err, AM_ERR_KEY, "the model has no part 'flow'");
    }
    am_net_graph *from = NULL;
    const am_result result = am_model_graph(model, part, &from, alloc, err);
    if (result != AM_OK) {
        return result;
    }
    const control_gap to = gap_of(graph), at = gap_of(from);
    const int tensors = graph->tensor_count;
    bool fits = to.inputs > 0 && at.inputs - at.count == to.inputs - to.count && from->tensor_count == tensors;
    for (int t = 0; fits && t < tensors; t++) {
        const am_net_tensor *a = &graph->tensors[t], *b = &from->tensors[t];
        const bool wide = has_inputs(graph, t);
        fits = wide == has_inputs(from, t) && a->rows == b->rows &&
               a->columns - (wide ? to.count : 0) == b->columns - (wide ? at.count : 0);
    }
    for (int t = 0; fits && t < tensors; t++) {
        if (has_inputs(graph, t) && !(controlled && to.count == at.count)) {
            take_columns(graph, to, from, at, t);
        } else {
            take_tensor(graph, from, t);
        }
    }
    am_net_graph_destroy(from);
    return fits ? AM_OK : ami_fail(err, AM_ERR_FORMAT, "the model's part 'flow' has other layers than the recipe's");
}

// ---------------------------------------------------------------------------------------------
// Attachments

static am_result add_blob(ami_stage *s, const char *name, const void *data, size_t size, am_error *err)
{
    ami_stage_blob *blob = &s->blobs[s->blob_count];
    blob->bytes = ami_bytes_make(&s->alloc);
    strncpy(blob->name, name, sizeof blob->name - 1);
    s->blob_count++;
    return ami_put(&blob->bytes, data, size) ? AM_OK : ami_fail_memory(err, size);
}

static am_result attach_character(ami_stage *s, const ami_flow_data *d, const ami_starts *starts, am_error *err)
{
    const am_db *db = d->codes.db;
    const ami_pose_layout l = ami_pose_layout_of(db->joint_count, db->moving_count);
    const size_t width = (size_t)l.count + (size_t)d->codes.event_count, latent = (size_t)d->codes.width;
    float *z = ami_alloc_array(&s->alloc, AMI_MOST_STARTS * (latent + width), sizeof(float));
    am_transform *poses = ami_alloc_array(&s->alloc, AMI_MOST_STARTS * (size_t)db->joint_count, sizeof *poses);
    uint8_t contacts[AMI_MOST_STARTS];
    am_db *states = NULL;
    am_result result = z && poses ? AM_OK : ami_fail_memory(err, AMI_MOST_STARTS * (latent + width) * sizeof(float));
    for (int i = 0; i < starts->count && z && result == AM_OK; i++) {
        memcpy(z + (size_t)i * latent, d->codes.z + (size_t)starts->frames[i] * latent, latent * sizeof *z);
    }
    float *y = z ? z + AMI_MOST_STARTS * latent : NULL;
    if (result == AM_OK) {
        result = ami_graph_rows(d->codes.decoder, y, z, starts->count, &s->alloc, err);
    }
    for (int i = 0; i < starts->count && result == AM_OK; i++) {
        ami_pose pose = { .local = poses + (size_t)i * (size_t)db->joint_count };
        ami_pose_read(&pose, &l, y + (size_t)i * width, db->skeleton, db->moving);
        contacts[i] = ami_contacts_from(&l, y + (size_t)i * width);
    }
    if (result == AM_OK) {
        am_db_copy_def def = am_db_copy_def_default();
        def.alloc = &s->alloc;
        def.db = db;
        def.frames = starts->frames;
        def.frame_count = starts->count;
        def.names = starts->names;
        def.poses = poses;
        def.contacts = contacts;
        def.config = "{}";
        result = am_db_copy(&states, &def, err);
    }
    if (result == AM_OK) {
        result = add_blob(s, AM_LEARNED_CHARACTER, states->image, states->image_size, err);
    }
    am_db_close(states);
    ami_release(&s->alloc, z, AMI_MOST_STARTS * (latent + width) * sizeof(float));
    ami_release(&s->alloc, poses, AMI_MOST_STARTS * (size_t)db->joint_count * sizeof *poses);
    return result;
}

/// The schema of a character that nothing can be asked of.
static const char null_schema[] = "{ \"control\": \"null\" }";

static am_result schema_hash(uint64_t *out, const ami_flow_data *d, const am_alloc *alloc, am_error *err)
{
    if (d->controls) {
        *out = ami_flow_controls_schema(d->controls)->hash;
        return AM_OK;
    }
    am_control_schema *schema = NULL;
    const am_result result = am_control_schema_read(&schema, null_schema, sizeof null_schema - 1, "null", alloc, err);
    *out = result == AM_OK ? schema->hash : 0;
    am_control_schema_destroy(schema);
    return result;
}

static am_result attach_latents(ami_stage *s, const ami_flow_data *d, const ami_starts *starts, uint32_t flags,
                                int frames, am_error *err)
{
    uint64_t hash;
    am_result result = schema_hash(&hash, d, &s->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    const ami_codes *c = &d->codes;
    const size_t latent = (size_t)c->width;
    float *z = ami_alloc_array(&s->alloc, AMI_MOST_STARTS * latent, sizeof *z);
    if (!z) {
        return ami_fail_memory(err, AMI_MOST_STARTS * latent * sizeof *z);
    }
    for (int i = 0; i < starts->count; i++) {
        memcpy(z + (size_t)i * latent, c->z + (size_t)starts->frames[i] * latent, latent * sizeof *z);
    }
    const ami_flow_latents latents = {
        .head = { .version = AMI_FLOW_VERSION,
                  .flags = flags | (d->uncontrolled > 0.0f && d->controls ? AMI_FLOW_GUIDED : 0u),
                  .latent_count = c->width,
                  .frames = frames,
                  .extras = c->event_count,
                  .vector_count = d->vector,
                  .control_count = d->encoding,
                  .start_count = starts->count,
                  .steps = d->steps,
                  .fps = c->db->fps,
                  .noise = d->play_noise,
                  .noise_memory = d->play_memory,
                  .guidance = d->play_guidance,
                  .pose_noise = d->play_pose_noise,
                  .schema_hash = hash },
        .deviation = c->deviation,
        .low = c->low,
        .high = c->high,
        .control_low = d->controls ? ami_flow_controls_low(d->controls) : NULL,
        .control_high = d->controls ? ami_flow_controls_high(d->controls) : NULL,
        .starts = z,
    };
    const size_t size = ami_flow_latents_size(&latents.head);
    void *bytes = ami_alloc_zero(&s->alloc, size);
    if (bytes) {
        ami_flow_latents_write(bytes, &latents);
        result = add_blob(s, AMI_FLOW_LATENTS, bytes, size, err);
        ami_release(&s->alloc, bytes, size);
    }
    ami_release(&s->alloc, z, AMI_MOST_STARTS * latent * sizeof *z);
    return bytes ? result : ami_fail_memory(err, size);
}

am_result ami_flow_attach(ami_stage *s, const ami_flow_data *d, uint32_t flags, int frames, am_error *err)
{
    ami_starts starts;
    am_result result = ami_starts_find(&starts, d->codes.db, &s->alloc, err);
    result = result == AM_OK ? attach_character(s, d, &starts, err) : result;
    result = result == AM_OK ? add_blob(s, AMI_LEARNED_FACTS, &starts.facts, sizeof starts.facts, err) : result;
    result = result == AM_OK ? attach_latents(s, d, &starts, flags, frames, err) : result;
    size_t size = 0;
    const char *text = d->controls ? ami_flow_controls_schema_text(d->controls, &size) : null_schema;
    size = d->controls ? size : strlen(text);
    result = result == AM_OK ? add_blob(s, AMI_FLOW_SCHEMA, text, size, err) : result;
    if (result == AM_OK && d->controls) {
        text = ami_flow_controls_text(d->controls, &size);
        result = add_blob(s, AMI_FLOW_CONTROLS, text, size, err);
    }
    return result;
}

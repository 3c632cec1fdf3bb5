// Draws samples of training controls, and measures what they have in common.
#include "control/samples.h"

#include "base/error.h"
#include "control/exclude.h"

#include <stdio.h>
#include <string.h>

enum { most_listed = 1000, most_measured = 10000000, accepted_tries = 5000 };

// ---------------------------------------------------------------------------------------------
// Parts of a value

int ami_shown_count(const ami_control_node *n)
{
    switch (n->kind) {
    case AMI_OP_NUMBER:
    case AMI_OP_INDEX:
    case AMI_OP_ROTATION:   // its heading
    case AMI_OP_SET:        // its items
    case AMI_OP_HEIGHT_MAP: // their mean
        return 1;
    case AMI_OP_LOCATION:
    case AMI_OP_SCALE:
    case AMI_OP_DIRECTION:
    case AMI_OP_VELOCITY:
        return 3;
    default:
        return 0;
    }
}

static void show_vector(float *out, am_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static float mean_of(const float *numbers, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (double)numbers[i];
    }
    return (float)(sum / count);
}

static void show(ami_shown_part *part, const am_transform *root)
{
    const float *v = part->value;
    am_vec3 vector = part->n->value_count >= 3 ? am_v3(v[0], v[1], v[2]) : am_v3_zero();
    bool world = part->n->world;
    part->shown_count = ami_shown_count(part->n);
    switch (part->n->kind) {
    case AMI_OP_LOCATION:
        vector = world ? am_quat_unrotate(root->rotation, am_v3_sub(vector, root->translation)) : vector;
        show_vector(part->shown, vector);
        break;
    case AMI_OP_DIRECTION:
    case AMI_OP_VELOCITY:
        show_vector(part->shown, world ? am_quat_unrotate(root->rotation, vector) : vector);
        break;
    case AMI_OP_SCALE:
        show_vector(part->shown, vector);
        break;
    case AMI_OP_ROTATION: {
        am_quat q = am_q(v[0], v[1], v[2], v[3]);
        q = world ? am_quat_mul(am_quat_inv(root->rotation), q) : q;
        part->shown[0] = am_quat_heading(q) / AM_DEG;
        break;
    }
    case AMI_OP_HEIGHT_MAP:
        part->shown[0] = mean_of(v, part->n->value_count) - (world ? root->translation.y : 0.0f);
        break;
    default:
        part->shown[0] = v[0];
        break;
    }
}

typedef struct visitor {
    const am_control_schema *schema;
    const am_transform *root;
    ami_visit_part visit;
    void *user;
} visitor;

/// `value`: the node's own numbers.
static void visit_node(const visitor *v, int node, int item, const float *value)
{
    const ami_control_node *n = &v->schema->nodes[node], *first = &v->schema->nodes[n->first];
    ami_shown_part part = { .node = node, .n = n, .item = item, .value = value };
    if (ami_control_is_typed(n->kind) || n->kind == AMI_OP_OR || n->kind == AMI_OP_SET) {
        show(&part, v->root);
        v->visit(v->user, &part);
    }
    if (n->kind == AMI_OP_OR) {
        int branch = ami_control_index(value[0], n->count);
        visit_node(v, n->first + branch, item, value + (first[branch].value - n->value));
    } else if (n->kind == AMI_OP_SET) {
        int count = ami_control_index(value[0], n->most + 1);
        for (int i = 0; i < count; i++) {
            visit_node(v, n->first, i, value + (first->value - n->value) + (ptrdiff_t)i * first->value_count);
        }
    } else {
        for (int i = 0; i < n->count; i++) {
            visit_node(v, n->first + i, item, value + (first[i].value - n->value));
        }
    }
}

void ami_visit_parts(const am_control_schema *schema, const float *value, const am_transform *root,
                     ami_visit_part visit, void *user)
{
    const visitor v = { schema, root, visit, user };
    visit_node(&v, 0, -1, value);
}

void ami_shown_path(const am_control_schema *schema, int node, int item, char *out, size_t size)
{
    char path[300], number[16];
    ami_control_path(schema, node, path, sizeof path);
    char *star = strstr(path, "[*]");
    if (!star || item < 0) {
        snprintf(out, size, "%s", path);
        return;
    }
    snprintf(number, sizeof number, "[%d]", item);
    snprintf(out, size, "%.*s%s%s", (int)(star - path), path, number, star + 3);
}

// ---------------------------------------------------------------------------------------------
// Statistics

static void measure_names(ami_part_stats *stats, const ami_shown_part *part)
{
    const ami_control_node *n = part->n;
    if (n->kind == AMI_OP_SOME_OF) {
        for (int i = 0; i < n->name_count; i++) {
            stats->names[i] += part->value[i] >= 0.5f;
        }
    } else {
        int count = n->kind == AMI_OP_ONE_OF ? n->name_count : n->kind == AMI_OP_OR ? n->count : 2;
        stats->names[ami_control_index(part->value[0], count)]++;
    }
}

static void measure_part(void *user, const ami_shown_part *part)
{
    ami_part_stats *stats = (ami_part_stats *)user + part->node;
    for (int i = 0; i < part->shown_count; i++) {
        float x = part->shown[i];
        stats->sum[i] += (double)x;
        stats->square[i] += (double)x * (double)x;
        stats->least[i] = stats->there == 0 ? x : am_min(stats->least[i], x);
        stats->most[i] = stats->there == 0 ? x : am_max(stats->most[i], x);
    }
    if (stats->names) {
        measure_names(stats, part);
    }
    stats->there++;
}

static am_result make_stats(am_control_samples *s, am_error *err)
{
    size_t nodes = (size_t)s->schema->node_count;
    s->parts = ami_arena_get(&s->arena, nodes * sizeof *s->parts);
    for (size_t i = 0; i < nodes && s->parts; i++) {
        const ami_control_node *n = &s->schema->nodes[i];
        int names = n->name_count ? n->name_count : n->kind == AMI_OP_OR ? n->count : n->kind == AMI_OP_BOOL ? 2 : 0;
        s->parts[i].names = names ? ami_arena_get(&s->arena, (size_t)names * sizeof *s->parts[i].names) : NULL;
        if (names && !s->parts[i].names) {
            return ami_fail_memory(err, (size_t)names * sizeof *s->parts[i].names);
        }
    }
    return s->parts ? AM_OK : ami_fail_memory(err, nodes * sizeof *s->parts);
}

// ---------------------------------------------------------------------------------------------
// Drawing

static am_control_sample describe_draw(const am_db *db, int frame, const ami_training_draw *seen)
{
    const am_db_range *range = &db->ranges[am_db_range_of(db, frame)];
    return (am_control_sample){ .clip = range->name,
                                .now_s = seen->now,
                                .earliest_s = seen->earliest,
                                .latest_s = seen->latest,
                                .frame = frame,
                                .file_frame = ami_source_frame(db, range, frame) };
}

/// How many of the frames that may be drawn give a value.
static float measure_accepted(const ami_training_controls *controls, float *value, am_rng *rng)
{
    int count, good = 0;
    const int *frames = ami_training_controls_frames(controls, &count);
    for (int i = 0; i < accepted_tries; i++) {
        int frame = frames[am_rng_below(rng, (uint32_t)count)];
        good += ami_training_controls_draw(controls, value, frame, rng);
    }
    return (float)good / accepted_tries;
}

static am_result draw_all(am_control_samples *s, const ami_training_controls *controls, am_error *err)
{
    size_t numbers = (size_t)s->schema->value_count;
    float *value = ami_arena_get(&s->arena, numbers * sizeof *value);
    s->values = ami_arena_get(&s->arena, numbers * (size_t)s->count * sizeof *value);
    s->list = ami_arena_get(&s->arena, (size_t)s->count * sizeof *s->list);
    if (!value || !s->values || !s->list) {
        return ami_fail_memory(err, numbers * (size_t)s->count * sizeof *value);
    }
    am_rng rng;
    am_rng_init(&rng, s->seed);
    int most = s->measured > s->count ? s->measured : s->count;
    for (int i = 0; i < most; i++) {
        ami_training_draw seen;
        int frame;
        if (!ami_training_controls_watch_sample(controls, value, &frame, &rng, &seen)) {
            return ami_fail(err, AM_ERR_EMPTY, "%s: 1000 frames in a row gave no value", s->file);
        }
        if (i < s->measured) {
            const am_transform root = ami_db_root(s->db, frame);
            ami_visit_parts(s->schema, value, &root, measure_part, s->parts);
        }
        if (i < s->count) {
            s->list[i] = describe_draw(s->db, frame, &seen);
            memcpy(s->values + (size_t)i * numbers, value, numbers * sizeof *value);
        }
    }
    s->accepted = measure_accepted(controls, value, &rng);
    ami_training_controls_frames(controls, &s->frame_count);
    return AM_OK;
}

void am_control_samples_def_init(am_control_samples_def *def)
{
    *def = (am_control_samples_def){ .count = 20, .measured = 10000, .seed = 1, .cookie = AM_COOKIE };
}

am_result am_control_samples_create(am_control_samples **out, const am_control_samples_def *def, am_error *err)
{
    *out = NULL;
    if (def->cookie != AM_COOKIE || !def->schema || !def->db || !def->controls || def->count < 0 ||
        def->count > most_listed || def->measured < 1 || def->measured > most_measured) {
        return ami_fail(err, AM_ERR_DEF, "samples need a schema, a database, controls, and 0 to %d samples to list",
                        most_listed);
    }
    am_alloc own = ami_alloc_or_default(def->alloc);
    am_control_samples *s = ami_alloc_zero(&own, sizeof *s);
    if (!s) {
        return ami_fail_memory(err, sizeof *s);
    }
    *s = (am_control_samples){ .alloc = own,
                               .arena = ami_arena_make(&own),
                               .schema = def->schema,
                               .db = def->db,
                               .file = def->file ? def->file : "controls",
                               .seed = def->seed,
                               .measured = def->measured,
                               .count = def->count };
    am_json_doc *doc = NULL;
    ami_training_controls *controls = NULL;
    am_result result = am_json_parse(&doc, def->controls, def->controls_size, s->file, &own, err);
    if (result == AM_OK) {
        result = ami_training_controls_read(&controls, s->schema, doc, am_json_root(doc), s->db, &own, err);
    }
    result = result == AM_OK ? make_stats(s, err) : result;
    result = result == AM_OK ? draw_all(s, controls, err) : result;
    ami_training_controls_destroy(controls);
    am_json_free(doc);
    if (result != AM_OK) {
        am_control_samples_destroy(s);
        return result;
    }
    *out = s;
    return AM_OK;
}

void am_control_samples_destroy(am_control_samples *s)
{
    if (s) {
        am_alloc alloc = s->alloc;
        ami_arena_free(&s->arena);
        ami_release(&alloc, s, sizeof *s);
    }
}

bool am_control_samples_get(const am_control_samples *s, int i, am_control_sample *out)
{
    if (i < 0 || i >= s->count) {
        return false;
    }
    *out = s->list[i];
    return true;
}

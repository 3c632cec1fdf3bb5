// Stage "value": value functions of a motion field by fitted value iteration (Fields 4.2): one task, one function for
// each distance between anchors. Gives the attachments `value.TASK` and `value.TASK.xEVERY` (method/field_value.h).
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "method/field.h"
#include "train/stage.h"
#include "train/value_cache.h"
#include "method/field_value.h"

enum { most_parts = 8, slab_rows = 512, usual_sweeps = 2000 };

typedef struct value_stage {
    am_db *db;
    ami_field *field; ///< made with the first iteration, like all below
    am_pool *pool;
    const am_tasks *tasks;
    ami_value_cache cache;
    ami_value value;
    int slabs; ///< of the cache still to be filled, the same on all processes; -1: not begun
    ami_field_task task;
    ami_field_def def;
    float gamma, steer_deg_s, bound;
    float steer; ///< rad per tick
    float steer_cost;
    int settle;
    int sweeps;            ///< most of one part
    int every[most_parts]; ///< [parts]
    int parts, part;
    float *resumed; ///< values of a checkpoint, [resumed_count]
    size_t resumed_count;
    int resumed_sweeps;
} value_stage;

static const char *const keys[] = { "database",    "task",       "every", "gamma",       "weight",
                                    "k",           "delta",      "fps",   "root_weight", "turn_weight",
                                    "steer_deg_s", "steer_cost", "bound", "settle",      "thin" };

// ---------------------------------------------------------------------------------------------
// Keys

static am_result read_every(ami_stage *s, value_stage *v, am_error *err)
{
    const am_json *json = am_json_get(s->json, "every");
    v->parts = 1;
    v->every[0] = 1;
    if (!json || json->type != AM_JSON_ARRAY) {
        return am_json_read_int(s->doc, s->json, "every", false, &v->every[0], 1, AMI_FIELD_MAX_EVERY, err);
    }
    v->parts = 0;
    for (const am_json *item = json->first; item; item = item->next) {
        const double every = item->type == AM_JSON_NUMBER ? item->number : 0.0;
        if (!(every >= 1.0 && every <= AMI_FIELD_MAX_EVERY) || every != floor(every) || v->parts == most_parts) {
            return am_json_fail(s->doc, item, AM_ERR_RANGE, err,
                                "'every' must be up to %d whole numbers from 1 to %d", (int)most_parts,
                                AMI_FIELD_MAX_EVERY);
        }
        v->every[v->parts++] = (int)every;
    }
    return v->parts > 0 ? AM_OK : am_json_fail(s->doc, json, AM_ERR_RANGE, err, "'every' names no anchors");
}

static am_result read_task(ami_stage *s, value_stage *v, am_error *err)
{
    const char *names[8];
    int count = 0, which = 0;
    while (count < 8 && ami_field_task_name(count)) {
        names[count] = ami_field_task_name(count);
        count++;
    }
    const am_result result = am_json_read_choice(s->doc, s->json, "task", true, &which, names, count, err);
    if (result == AM_OK) {
        ami_field_task_find(&v->task, names[which]);
    }
    return result;
}

static am_result read_keys(ami_stage *s, value_stage *v, am_error *err)
{
    am_result result = read_task(s, v, err);
    if (result == AM_OK) {
        result = read_every(s, v, err);
    }
    const struct {
        const char *key;
        float *to;
        float lo, hi;
    } numbers[] = {
        { "gamma", &v->gamma, 0.0f, 0.9999f },
        { "weight", &v->task.weight, 0.0f, 1e5f },
        { "delta", &v->def.delta, 0.0f, 0.99f },
        { "fps", &v->def.fps, 1.0f, 1000.0f },
        { "root_weight", &v->def.root_weight, 0.0f, 1e5f },
        { "turn_weight", &v->def.turn_weight, 0.0f, 1e5f },
        { "thin", &v->def.thin, 0.0f, 1e3f },
        { "steer_deg_s", &v->steer_deg_s, 0.0f, 720.0f },
        { "steer_cost", &v->steer_cost, 0.0f, 1e5f },
        { "bound", &v->bound, 1e-4f, 1e3f },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && result == AM_OK; i++) {
        result = am_json_read_float(s->doc, s->json, numbers[i].key, false, numbers[i].to, numbers[i].lo,
                                    numbers[i].hi, err);
    }
    if (result == AM_OK) {
        result = am_json_read_int(s->doc, s->json, "k", false, &v->def.k, 1, AMI_FIELD_MAX_K, err);
    }
    return result == AM_OK ? am_json_read_int(s->doc, s->json, "settle", false, &v->settle, 0, 1000, err) : result;
}

static void destroy(ami_stage *s)
{
    value_stage *v = s->state;
    if (v) {
        ami_value_free(&v->value);
        ami_value_cache_free(&v->cache);
        ami_field_destroy(v->field);
        am_pool_destroy(v->pool);
        am_db_close(v->db);
        ami_release(&s->alloc, v->resumed, v->resumed_count * sizeof(float));
        ami_release(&s->alloc, v, sizeof *v);
        s->state = NULL;
    }
}

/// Steering in a tick of the field, whose rate comes from the database's.
static am_result read_rate(ami_stage *s, value_stage *v, am_error *err)
{
    const float fps = v->db->fps / (float)ami_field_tick_frames(v->db, v->def.fps);
    v->task.fps = fps;
    v->steer = v->steer_deg_s * AM_DEG / fps;
    if (v->steer < AMI_FIELD_MAX_STEER) {
        return AM_OK;
    }
    return am_json_fail(s->doc, am_json_get(s->json, "steer_deg_s"), AM_ERR_RANGE, err,
                        "'steer_deg_s' is %g, but at %g ticks per second it must be below %.0f",
                        (double)v->steer_deg_s, (double)fps, (double)(AMI_FIELD_MAX_STEER * fps / AM_DEG));
}

static am_result create(ami_stage *s, am_error *err)
{
    value_stage *v = ami_alloc_zero(&s->alloc, sizeof *v);
    if (!v) {
        return ami_fail_memory(err, sizeof *v);
    }
    s->state = v;
    v->def = ami_field_def_default();
    v->gamma = 0.99f;
    v->bound = 0.05f;
    v->settle = 20;
    v->slabs = -1;
    am_result result = read_keys(s, v, err);
    if (result == AM_OK) {
        result = ami_stage_database(s, &v->db, err);
    }
    if (result == AM_OK) {
        result = read_rate(s, v, err);
    }
    if (result != AM_OK) {
        return result;
    }
    if (!am_json_get(s->json, "weights")) {
        s->weights = AM_NET_FP16; // no slower than fp32 and half of it
    }
    v->sweeps = s->iterations > 0 ? s->iterations : usual_sweeps;
    s->iterations = v->sweeps * v->parts;
    s->checkpoint_every = am_json_get(s->json, "checkpoint_every") ? s->checkpoint_every : 50;
    s->preview_every = s->iterations;
    s->data_hash = s->database_hash = v->db->hash;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Preparations: the field, then one cache for each part, slab by slab

static am_result make_field(ami_stage *s, value_stage *v, am_error *err)
{
    am_result result = am_pool_create(&v->pool, s->threads, &s->alloc, err);
    if (result == AM_OK) {
        v->tasks = am_pool_tasks(v->pool);
        v->def.alloc = &s->alloc;
        v->def.tasks = v->tasks;
        v->def.db = v->db;
        result = ami_field_create(&v->field, &v->def, err);
    }
    return result;
}

static am_result begin_part(ami_stage *s, value_stage *v, am_error *err)
{
    const am_train_group *group = s->def->group;
    const am_result result =
        ami_value_cache_create(&v->cache, v->field, v->every[v->part], v->tasks, group, &s->alloc, err);
    if (result == AM_OK) { // equal for all processes, though one may have a row fewer: all must meet afterwards
        const int size = group ? group->size : 1, most = (v->cache.rows + size - 1) / size;
        v->slabs = (most + slab_rows - 1) / slab_rows;
    }
    return result;
}

static am_result begin_sweeps(ami_stage *s, value_stage *v, am_error *err)
{
    ami_value_problem problem = ami_value_cache_problem(&v->cache, &v->task, v->gamma, v->steer);
    problem.steer_cost = v->steer_cost;
    const am_result result = ami_value_create(&v->value, &problem, v->tasks, s->def->group, &s->alloc, err);
    if (result != AM_OK || !v->resumed) {
        return result;
    }
    const size_t count = (size_t)v->value.problem.rows * (size_t)v->value.cells;
    if (count != v->resumed_count) {
        return ami_fail(err, AM_ERR_FORMAT, "the checkpoint's value function has another size than the recipe's");
    }
    ami_value_set(&v->value, v->resumed);
    v->value.iterations = v->resumed_sweeps;
    ami_release(&s->alloc, v->resumed, v->resumed_count * sizeof(float));
    v->resumed = NULL;
    v->resumed_count = 0;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Iterations

/// Packs the finished function and moves to the next part.
static am_result end_part(ami_stage *s, value_stage *v, am_error *err)
{
    const size_t count = (size_t)v->value.problem.rows * (size_t)v->value.cells;
    float *values = ami_alloc_array(&s->alloc, count, sizeof *values);
    if (!values) {
        return ami_fail_memory(err, count * sizeof *values);
    }
    ami_value_get(&v->value, values);
    const ami_field_value_head head = { .numbers = (uint32_t)s->weights,
                                        .gamma = v->gamma,
                                        .every = v->every[v->part],
                                        .iterations = v->value.iterations,
                                        .bound = (float)v->value.bound,
                                        .steer = v->value.problem.steer,
                                        .steer_cost = v->value.problem.steer_cost,
                                        .field_fps = v->def.fps,
                                        .field_delta = v->def.delta,
                                        .field_root = v->def.root_weight,
                                        .field_turn = v->def.turn_weight,
                                        .field_thin = v->def.thin };
    ami_stage_blob *blob = &s->blobs[s->blob_count];
    const am_result result = ami_field_value_pack(&blob->bytes, &head, &v->task, v->field, values, &s->alloc, err);
    ami_release(&s->alloc, values, count * sizeof *values);
    if (result != AM_OK) {
        return result;
    }
    ami_field_value_name(blob->name, v->task.name, head.every);
    s->blob_count++;
    ami_value_free(&v->value);
    ami_value_cache_free(&v->cache);
    v->slabs = -1;
    v->part++;
    if (v->part == v->parts) {
        s->iterations = (int)s->iteration;
    }
    return AM_OK;
}

static am_result iterate(ami_stage *s, double *loss, am_error *err)
{
    value_stage *v = s->state;
    am_result result = v->field ? AM_OK : make_field(s, v, err);
    if (result == AM_OK && v->slabs < 0) {
        result = begin_part(s, v, err);
    }
    if (result != AM_OK) {
        return result;
    }
    if (v->slabs > 0) {
        ami_value_cache_fill(&v->cache, slab_rows);
        v->slabs--;
        return AM_OK;
    }
    if (!v->value.values) {
        result = begin_sweeps(s, v, err);
        if (result != AM_OK) {
            return result;
        }
    }
    ami_value_sweep(&v->value);
    s->iteration++;
    *loss = v->value.bound;
    if (v->value.bound <= (double)v->bound || v->value.iterations >= v->sweeps) {
        return end_part(s, v, err);
    }
    ami_value_settle(&v->value, v->settle);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Checkpoints: iteration, finished parts, sweeps and values of the one under way

static am_result save(const ami_stage *s, am_bytes *out, am_error *err)
{
    const value_stage *v = s->state;
    const size_t count = v->value.values ? (size_t)v->value.problem.rows * (size_t)v->value.cells : 0;
    float *values = ami_alloc_array(&s->alloc, count, sizeof *values);
    *out = ami_bytes_make(&s->alloc);
    if (!values) {
        return ami_fail_memory(err, count * sizeof *values);
    }
    if (count > 0) {
        ami_value_get(&v->value, values);
    }
    bool ok = ami_put_u64(out, (uint64_t)s->iteration) && ami_put_u64(out, (uint64_t)s->blob_count);
    for (int b = 0; b < s->blob_count && ok; b++) {
        const ami_stage_blob *blob = &s->blobs[b];
        ok = ami_put(out, blob->name, sizeof blob->name) && ami_put_u64(out, blob->bytes.size) &&
             ami_put(out, blob->bytes.data, blob->bytes.size);
    }
    ok = ok && ami_put_u64(out, (uint64_t)v->value.iterations) && ami_put_u64(out, count) &&
         ami_put(out, values, count * sizeof *values);
    ami_release(&s->alloc, values, count * sizeof *values);
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(err, count * sizeof *values);
    }
    return AM_OK;
}

static am_result too_short(am_error *err)
{
    return ami_fail(err, AM_ERR_TRUNCATED, "the checkpoint's value functions end too early");
}

static am_result load_blobs(ami_stage *s, value_stage *v, ami_reader *in, am_error *err)
{
    const uint64_t blobs = ami_read_u64(in);
    if (blobs > (uint64_t)v->parts) {
        return ami_fail(err, AM_ERR_FORMAT, "the checkpoint has more value functions than the recipe");
    }
    for (uint64_t b = 0; b < blobs; b++) {
        ami_stage_blob *blob = &s->blobs[s->blob_count];
        const uint8_t *name = ami_read_bytes(in, sizeof blob->name);
        const uint64_t size = ami_read_u64(in);
        const uint8_t *bytes = ami_read_bytes(in, size);
        if (!name || !bytes) {
            return too_short(err);
        }
        memcpy(blob->name, name, sizeof blob->name);
        blob->bytes = ami_bytes_make(&s->alloc);
        if (!ami_put(&blob->bytes, bytes, size)) {
            return ami_fail_memory(err, size);
        }
        s->blob_count++;
    }
    v->part = (int)blobs;
    if (v->part == v->parts) { // stopped with its last report
        s->iterations = (int)s->iteration;
    }
    return AM_OK;
}

static am_result load(ami_stage *s, const void *data, size_t size, am_error *err)
{
    value_stage *v = s->state;
    ami_reader in = ami_reader_make(data, size);
    s->iteration = (int64_t)ami_read_u64(&in);
    const am_result result = load_blobs(s, v, &in, err);
    if (result != AM_OK) {
        return result;
    }
    v->resumed_sweeps = (int)ami_read_u64(&in);
    const uint64_t count = ami_read_u64(&in);
    const uint8_t *values = count <= size / sizeof(float) ? ami_read_bytes(&in, count * sizeof(float)) : NULL;
    if (in.failed || !values) {
        return too_short(err);
    }
    if (count > 0) {
        v->resumed = ami_alloc_array(&s->alloc, count, sizeof(float));
        if (!v->resumed) {
            return ami_fail_memory(err, count * sizeof(float));
        }
        v->resumed_count = count;
        memcpy(v->resumed, values, count * sizeof(float));
    }
    return AM_OK;
}

const ami_kind ami_kind_value = {
    .name = "value",
    .keys = keys,
    .key_count = sizeof keys / sizeof keys[0],
    .create = create,
    .iterate = iterate,
    .save = save,
    .load = load,
    .destroy = destroy,
};

// Value functions as attachments of a network: written, recognised, checked and opened.

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/format.h"
#include "method/field_value.h"

static const char prefix[] = "value.";
_Static_assert(sizeof(ami_field_value_head) == 192, "the head of a value function in a file");

void ami_field_value_name(char *name, const char *task, int every)
{
    if (every == 1) {
        snprintf(name, AM_NET_NAME_SIZE, "%s%.15s", prefix, task);
    } else {
        snprintf(name, AM_NET_NAME_SIZE, "%s%.15s.x%d", prefix, task, every);
    }
}

static size_t number_size(uint32_t numbers) { return numbers == AM_NET_FP16 ? sizeof(uint16_t) : sizeof(float); }

// ---------------------------------------------------------------------------------------------
// Making

static am_result check_values(const float *values, const float *mean, size_t count, size_t cells, bool half,
                              am_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] - values[i] == 0.0f)) {
            return ami_fail(err, AM_ERR_NUMBER, "value %zu of anchor %zu is not finite", i % cells, i / cells);
        }
    }
    for (size_t i = 0; half && i < count; i++) {
        if (!(am_abs(values[i] - mean[i % cells]) < 65504.0f)) {
            return ami_fail(err, AM_ERR_RANGE, "value %zu of anchor %zu is too large for 16 bits; store fp32",
                            i % cells, i / cells);
        }
    }
    return AM_OK;
}

/// mean(cells) for 16-bit values, zeros for 32-bit ones: these need none.
static void find_mean(float *mean, const float *values, int anchors, int cells, bool half)
{
    for (int c = 0; c < cells; c++) {
        double sum = 0.0;
        for (int a = 0; half && a < anchors; a++) {
            sum += (double)values[(size_t)a * (size_t)cells + (size_t)c];
        }
        mean[c] = (float)(sum / (double)anchors);
    }
}

static bool put_values(am_bytes *out, const float *values, const float *mean, size_t anchors, size_t cells, bool half)
{
    bool ok = ami_put(out, mean, cells * sizeof *mean);
    for (size_t i = 0; i < anchors * cells && ok; i++) {
        ok = half ? ami_put_u16(out, ami_half_from(values[i] - mean[i % cells])) : ami_put_f32(out, values[i]);
    }
    return ok;
}

am_result ami_field_value_pack(am_bytes *out, const ami_field_value_head *head, const ami_field_task *task,
                               const ami_field *field, const float *values, const am_alloc *alloc, am_error *err)
{
    const am_alloc from = ami_alloc_or_default(alloc);
    *out = ami_bytes_make(&from);
    ami_field_value_head full = *head;
    full.cells = ami_field_task_cells(task);
    if (full.cells < 1 || full.every < 1 || full.every > AMI_FIELD_MAX_EVERY ||
        (full.numbers != AM_NET_FP32 && full.numbers != AM_NET_FP16)) {
        return ami_fail(err, AM_ERR_DEF, "a value function needs a grid, anchors and fp32 or fp16 numbers");
    }
    full.version = AMI_FIELD_VALUE_VERSION;
    memset(full.task, 0, sizeof full.task);
    snprintf(full.task, sizeof full.task, "%s", task->name);
    full.axes = task->axes;
    memcpy(full.axis, task->axis, sizeof full.axis);
    full.weight = task->weight;
    full.fps = task->fps;
    full.states = field->state_count;
    full.anchors = ami_field_anchors(field, full.every, NULL, NULL, NULL);
    full.k = field->k;
    full.database_hash = field->db->hash;
    full.field_hash = field->hash;
    memset(full.reserved, 0, sizeof full.reserved);
    const bool half = full.numbers == AM_NET_FP16;
    float mean[AMI_FIELD_MAX_CELLS] = { 0 };
    find_mean(mean, values, full.anchors, full.cells, half);
    const size_t anchors = (size_t)full.anchors, cells = (size_t)full.cells;
    const am_result result = check_values(values, mean, anchors * cells, cells, half, err);
    if (result == AM_OK &&
        !(ami_put(out, &full, sizeof full) && put_values(out, values, mean, anchors, cells, half))) {
        am_bytes_free(out);
        return ami_fail_memory(err, anchors * cells * number_size(full.numbers));
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Opening

struct ami_field_value_own {
    am_alloc alloc;
    int32_t *anchor;
    float *share;
};

bool ami_field_value_peek(ami_field_value_head *out, const am_model *model, int i)
{
    const am_model_attachment *attachment = &model->attachments[i];
    size_t size = 0;
    if (strncmp(attachment->name, prefix, sizeof prefix - 1) != 0 || attachment->size < sizeof *out) {
        return false;
    }
    memcpy(out, am_model_attached(model, attachment->name, &size), sizeof *out);
    return memchr(out->task, 0, sizeof out->task) != NULL;
}

bool am_model_get_value(const am_model *model, int i, am_model_value *out)
{
    ami_field_value_head head;
    if (!ami_field_value_peek(&head, model, i)) {
        return false;
    }
    *out = (am_model_value){ .weights = (am_net_weights)head.numbers,
                             .every = head.every,
                             .states = head.states,
                             .anchors = head.anchors,
                             .cells = head.cells,
                             .axes = head.axes >= 0 && head.axes <= AMI_FIELD_MAX_AXES ? head.axes : 0,
                             .k = head.k,
                             .iterations = head.iterations,
                             .gamma = head.gamma,
                             .weight = head.weight,
                             .steer_rad_s = head.steer * head.fps,
                             .steer_cost = head.steer_cost,
                             .bound = head.bound,
                             .database_hash = head.database_hash };
    memcpy(out->task, head.task, sizeof out->task);
    for (int a = 0; a < out->axes; a++) {
        out->samples[a] = head.axis[a].samples;
    }
    return true;
}

bool ami_field_value_has(const am_model *model, const char *task)
{
    ami_field_value_head head;
    for (int i = 0; i < model->attachment_count; i++) {
        if (ami_field_value_peek(&head, model, i) && strcmp(head.task, task) == 0) {
            return true;
        }
    }
    return false;
}

bool ami_field_value_field(ami_field_def *def, const am_model *model)
{
    ami_field_value_head head;
    for (int i = 0; i < model->attachment_count; i++) {
        if (ami_field_value_peek(&head, model, i)) {
            def->fps = head.field_fps;
            def->k = head.k;
            def->delta = head.field_delta;
            def->root_weight = head.field_root;
            def->turn_weight = head.field_turn;
            def->thin = head.field_thin;
            return true;
        }
    }
    return false;
}

/// Checks everything in the head that determines the sizes of the rest.
static am_result check_head(const ami_field_value_head *head, ami_field_task *task, size_t size, const char *name,
                            am_error *err)
{
    if (head->version != AMI_FIELD_VALUE_VERSION) {
        return ami_fail(err, AM_ERR_VERSION, "'%s' has version %u; this build reads %u: update Amble", name,
                        head->version, AMI_FIELD_VALUE_VERSION);
    }
    if (!ami_field_task_find(task, head->task)) {
        return ami_fail(err, AM_ERR_KEY, "'%s' is for the task '%s', which this build does not know", name,
                        head->task);
    }
    if (head->axes != task->axes) {
        return ami_fail(err, AM_ERR_FORMAT, "'%s' does not have as many parameters as its task", name);
    }
    memcpy(task->axis, head->axis, sizeof task->axis);
    task->weight = head->weight;
    task->fps = head->fps;
    const bool sane = (head->numbers == AM_NET_FP32 || head->numbers == AM_NET_FP16) && head->cells > 0 &&
                      head->cells == ami_field_task_cells(task) && head->anchors > 0 &&
                      head->anchors <= head->states && head->every >= 1 && head->every <= AMI_FIELD_MAX_EVERY &&
                      head->gamma >= 0.0f && head->gamma < 1.0f && head->weight >= 0.0f && head->weight < 1e6f &&
                      head->fps > 0.0f && head->fps < 1e4f && head->steer >= 0.0f &&
                      head->steer < AMI_FIELD_MAX_STEER && head->steer_cost >= 0.0f && head->steer_cost < 1e6f;
    if (!sane) {
        return ami_fail(err, AM_ERR_FORMAT, "the header of '%s' is damaged; train it again", name);
    }
    const uint64_t wanted = sizeof *head + (uint64_t)head->cells * sizeof(float) +
                            (uint64_t)head->anchors * (uint64_t)head->cells * number_size(head->numbers);
    if (size < wanted) {
        return ami_fail(err, AM_ERR_TRUNCATED, "'%s' has %zu bytes instead of %llu", name, size,
                        (unsigned long long)wanted);
    }
    return size == wanted ? AM_OK : ami_fail(err, AM_ERR_FORMAT, "'%s' has bytes after its end", name);
}

static am_result check_field(const ami_field_value_head *head, const ami_field *field, const char *name,
                             am_error *err)
{
    if (head->database_hash != field->db->hash) {
        return ami_fail(
            err, AM_ERR_FORMAT,
            "'%s' was trained on database %016llx, not on %016llx; use that database, or train again on this one",
            name, (unsigned long long)head->database_hash, (unsigned long long)field->db->hash);
    }
    if (head->field_hash != field->hash || head->states != field->state_count ||
        head->anchors != ami_field_anchors(field, head->every, NULL, NULL, NULL)) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "'%s' was trained for a field with other settings (rate, k, weights) on the same database; "
                        "train it again",
                        name);
    }
    return AM_OK;
}

/// A NaN would silently win or lose every comparison.
static am_result check_numbers(const ami_field_value *value, const char *name, am_error *err)
{
    const size_t count = (size_t)value->head.anchors * (size_t)value->head.cells;
    for (int c = 0; c < value->head.cells; c++) {
        if (!(value->mean[c] - value->mean[c] == 0.0f)) {
            return ami_fail(err, AM_ERR_NUMBER, "'%s' holds a mean that is not finite; train it again", name);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const float v = value->head.numbers == AM_NET_FP16 ? ami_half_to(((const uint16_t *)value->values)[i])
                                                           : ((const float *)value->values)[i];
        if (!(v - v == 0.0f)) {
            return ami_fail(err, AM_ERR_NUMBER, "'%s' holds a value that is not finite; train it again", name);
        }
    }
    return AM_OK;
}

/// The attachment's name: the requested one, or the task's with the fewest ticks between anchors.
static bool find_name(char *name, const ami_field_value_def *def)
{
    size_t size = 0;
    int least = 0;
    if (def->every > 0) {
        ami_field_value_name(name, def->task, def->every);
        return am_model_attached(def->model, name, &size) != NULL;
    }
    for (int i = 0; i < def->model->attachment_count; i++) {
        ami_field_value_head head;
        if (ami_field_value_peek(&head, def->model, i) && strcmp(head.task, def->task) == 0 &&
            (least == 0 || head.every < least)) {
            least = head.every;
            memcpy(name, def->model->attachments[i].name, AM_NET_NAME_SIZE);
        }
    }
    return least > 0;
}

ami_field_value_def ami_field_value_def_default(void) { return (ami_field_value_def){ .cookie = AM_COOKIE }; }

void ami_field_value_destroy(ami_field_value *value)
{
    if (!value) {
        return;
    }
    struct ami_field_value_own *own = value->own;
    const am_alloc alloc = own->alloc;
    const size_t states = (size_t)value->head.states;
    ami_release(&alloc, own->anchor, states * sizeof *own->anchor);
    ami_release(&alloc, own->share, states * sizeof *own->share);
    ami_release(&alloc, own, sizeof *own);
    ami_release(&alloc, value, sizeof *value);
}

/// The object over bytes that were checked.
static am_result build(ami_field_value **out, const ami_field_value *like, const ami_field_value_def *def,
                       am_error *err)
{
    const am_alloc alloc = ami_alloc_or_default(def->alloc);
    const size_t states = (size_t)like->head.states;
    ami_field_value *value = ami_alloc_zero(&alloc, sizeof *value);
    struct ami_field_value_own *own = ami_alloc_zero(&alloc, sizeof *own);
    if (!value || !own) {
        ami_release(&alloc, value, sizeof *value);
        ami_release(&alloc, own, sizeof *own);
        return ami_fail_memory(err, sizeof *value);
    }
    *value = *like;
    value->own = own;
    own->alloc = alloc;
    own->anchor = ami_alloc_array(&alloc, states, sizeof *own->anchor);
    own->share = ami_alloc_array(&alloc, states, sizeof *own->share);
    if (!own->anchor || !own->share) {
        ami_field_value_destroy(value);
        return ami_fail_memory(err, states * sizeof *own->anchor);
    }
    ami_field_anchors(def->field, like->head.every, own->anchor, own->share, NULL);
    value->anchor = own->anchor;
    value->share = own->share;
    *out = value;
    return AM_OK;
}

am_result ami_field_value_create(ami_field_value **out, const ami_field_value_def *def, am_error *err)
{
    *out = NULL;
    char name[AM_NET_NAME_SIZE];
    if (!def || def->cookie != AM_COOKIE || !def->model || !def->field || !def->task || def->every < 0 ||
        def->every > AMI_FIELD_MAX_EVERY) {
        return ami_fail(err, AM_ERR_DEF, "a value function needs a model, a field and a task");
    }
    if (!find_name(name, def)) {
        return ami_fail(err, AM_ERR_KEY, "the network holds no value function for the task '%s'%s; see amble info",
                        def->task, def->every > 0 ? " with such anchors" : "");
    }
    size_t size = 0;
    const uint8_t *bytes = am_model_attached(def->model, name, &size);
    ami_field_value value = { 0 };
    if (size < sizeof value.head) {
        return ami_fail(err, AM_ERR_TRUNCATED, "'%s' ends within its header", name);
    }
    memcpy(&value.head, bytes, sizeof value.head);
    value.head.task[sizeof value.head.task - 1] = '\0';
    value.mean = (const float *)(const void *)(bytes + sizeof value.head);
    am_result result = check_head(&value.head, &value.task, size, name, err);
    if (result == AM_OK) {
        value.values = value.mean + value.head.cells;
        result = check_field(&value.head, def->field, name, err);
    }
    result = result == AM_OK ? check_numbers(&value, name, err) : result;
    return result == AM_OK ? build(out, &value, def, err) : result;
}

// Motion fields on the page: field, value functions, where characters are sent, and what a tick chose among.
#include "fields.h"

#include <stdlib.h>
#include <string.h>

// A place this near is reached.
#define NEAR_M 0.4f
// Strolls keep within this of the start, so that a crowd stays one.
#define STROLL_M 6.0f
#define LONGEST_REST_S 3.0f
#define REST_SHARE 0.3f

/// The field of a database, with the numbers that the model's value functions were made with, where there is one.
static am_result make_field(web_fields *fields, const am_db *db, am_error *err)
{
    if (fields->field) {
        return AM_OK;
    }
    am_field_def def = am_field_def_default();
    if (fields->model) {
        am_field_value_field(&def, fields->model);
    }
    def.db = db;
    return am_field_create(&fields->field, &def, err);
}

static void drop_values(web_fields *fields)
{
    for (int t = 0; t < WEB_TASK_COUNT; t++) {
        am_field_value_destroy(fields->values[t]);
        fields->values[t] = NULL;
    }
    am_model_close(fields->model);
    free(fields->bytes);
    fields->model = NULL;
    fields->bytes = NULL;
}

am_result web_fields_take(web_fields *fields, const am_db *db, void *bytes, size_t size, am_error *err)
{
    web_fields_close(fields);
    fields->bytes = bytes;
    am_result result = am_model_from_memory(&fields->model, bytes, size, "values", NULL, err);
    result = result == AM_OK ? make_field(fields, db, err) : result;
    for (int t = 0; t < WEB_TASK_COUNT && result == AM_OK; t++) {
        am_field_value_def def = am_field_value_def_default();
        def.model = fields->model;
        def.field = fields->field;
        def.task = am_field_task_name(t);
        if (am_field_value_has(fields->model, def.task)) {
            result = am_field_value_create(&fields->values[t], &def, err);
        }
    }
    if (result != AM_OK) {
        drop_values(fields);
    }
    return result;
}

am_result web_fields_source(am_source **out, web_fields *fields, const am_db *db, int task, am_field_policy policy,
                            am_error *err)
{
    am_result result = make_field(fields, db, err);
    if (result != AM_OK) {
        return result;
    }
    am_field_source_def def = am_field_source_def_default();
    def.field = fields->field;
    def.value = policy == AM_FIELD_LOOKAHEAD ? fields->values[task] : NULL;
    // Without a value function for the task, the greedy policy takes its place.
    def.policy = policy == AM_FIELD_LOOKAHEAD && !def.value ? AM_FIELD_GREEDY : policy;
    def.wander_s = AM_FIELD_WANDER_S;
    am_field_task_find(&def.task, am_field_task_name(task));
    return am_field_source_create(out, &def, err);
}

void web_fields_close(web_fields *fields)
{
    drop_values(fields);
    am_field_destroy(fields->field);
    fields->field = NULL;
}

void web_fields_describe(am_json_writer *w, const web_fields *fields)
{
    if (!fields->field) {
        am_json_null(w, "field");
        return;
    }
    am_json_begin_object(w, "field");
    am_json_integer(w, "states", fields->field->state_count);
    am_json_integer(w, "k", fields->field->k);
    am_json_integer(w, "bytes", (int64_t)fields->field->bytes);
    am_json_integer(w, "valueBytes", fields->model ? (int64_t)fields->model->image_size : 0);
    am_json_begin_array(w, "values");
    for (int t = 0; t < WEB_TASK_COUNT; t++) {
        am_json_integer(w, NULL, fields->values[t] ? fields->values[t]->head.every : 0);
    }
    am_json_end_array(w);
    am_json_end_object(w);
}

// ---------------------------------------------------------------------------------------------

/// The state of a frame.
static int state_of(const am_field *field, int frame)
{
    int lo = 0;
    int hi = field->state_count - 1;
    while (lo < hi) {
        int middle = (lo + hi + 1) / 2;
        bool after = field->frames[middle] > frame;
        lo = after ? lo : middle;
        hi = after ? middle - 1 : hi;
    }
    return lo;
}

int web_fields_near(float *out, const web_fields *fields, const am_source_output *tick)
{
    float d2[AM_MAX_CANDIDATES];
    float weight[AM_MAX_CANDIDATES];
    int count = fields->field ? tick->candidate_count : 0;
    for (int i = 0; i < count; i++) {
        d2[i] = tick->candidates[i].cost;
    }
    am_field_weights(weight, d2, count);
    for (int i = 0; i < count; i++) {
        const float *y = am_field_y(fields->field, state_of(fields->field, tick->candidates[i].frame));
        am_field_step step = am_field_velocity_step(y);
        const float numbers[WEB_FIELD_NUMBERS] = { weight[i], step.x, step.z, step.turn };
        memcpy(out + i * WEB_FIELD_NUMBERS, numbers, sizeof numbers);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Going somewhere

am_intent web_point_target(const web_target *target, am_transform root, float mps)
{
    am_intent intent = am_intent_to_point(root, target->point, mps);
    if (target->kind == WEB_LINE) {
        intent.velocity = am_v3_scale(target->way, mps);
        intent.facing = target->way;
    }
    return intent;
}

web_stroll web_stroll_make(uint64_t seed, am_vec3 from)
{
    web_stroll stroll = { .rng = am_rng_make(seed), .to = from };
    return stroll;
}

am_intent web_stroll_target(web_stroll *stroll, am_transform root, float mps, float dt)
{
    am_intent target = { 0 };
    stroll->rest_s = am_max(stroll->rest_s - dt, 0.0f);
    am_vec3 gap = am_v3_ground(am_v3_sub(stroll->to, root.translation));
    if (am_v3_length(gap) < NEAR_M && stroll->rest_s <= 0.0f) {
        float angle = 2.0f * AM_PI * am_rng_float(&stroll->rng);
        float far = STROLL_M * sqrtf(am_rng_float(&stroll->rng));
        stroll->to = am_v3(far * am_sin(angle), 0.0f, far * am_cos(angle));
        bool rests = am_rng_float(&stroll->rng) < REST_SHARE;
        stroll->rest_s = rests ? LONGEST_REST_S * am_rng_float(&stroll->rng) : 0.0f;
        gap = am_v3_sub(stroll->to, am_v3_ground(root.translation));
    }
    if (!(stroll->rest_s > 0.0f)) {
        target.velocity = am_v3_scale(am_v3_normalize_or(gap, am_v3_zero()), mps);
    }
    target.point = stroll->to;
    target.has_point = true;
    return target;
}

// Fuzzes the value functions of motion fields: the bytes of an attachment; functions that pass are queried.
#include "method/field_value.h"
#include "net/build.h"

#include <stdlib.h>
#include <string.h>

enum { states = 24 };

/// A field of two ranges, with the numbers that the attachment claims, so that the checks behind them are reached.
static void pretend(ami_field *field, am_db *db, int32_t *ranges, const ami_field_value_head *head)
{
    for (int s = 0; s < states; s++) {
        ranges[s] = s / 15;
    }
    db->hash = head->database_hash;
    *field = (ami_field){ .db = db, .state_count = states, .k = 3, .ranges = ranges, .hash = head->field_hash };
}

/// Every state, on the grid, between and far off it: two of the numbers each.
static void look_up(const ami_field_value *value)
{
    static const float numbers[] = { 0.0f, 0.3f, -2.0f, 4.0f, 1e30f, -1e9f };
    float sum = 0.0f;
    for (int s = 0; s < states; s++) {
        const ami_field_neighbours near = { .count = 2, .state = { s, states - 1 - s }, .weight = { 0.75f, 0.25f } };
        for (int n = 2 * s; n < 2 * s + 2; n++) {
            const int i = n % 6;
            const float theta[AMI_FIELD_MAX_AXES] = { numbers[i], numbers[5 - i], numbers[(i + 2) % 6] };
            ami_field_step step = { 0.01f, 0.03f, numbers[i] };
            sum += ami_field_value_at(value, &near, theta);
            if (ami_field_choose(&value->task, value, theta, &step, &near, 1, NULL) > 0) {
                abort();
            }
        }
    }
    if (sum == 1.2345f) { // so that nothing is left out
        abort();
    }
}

static void try(const am_model *model, const char *task)
{
    ami_field_value_head head;
    int32_t ranges[states];
    am_db db = { 0 };
    ami_field field;
    ami_field_value *value = NULL;
    am_error err = { 0 };
    if (!ami_field_value_peek(&head, model, 0)) {
        return;
    }
    pretend(&field, &db, ranges, &head);
    ami_field_value_def def = ami_field_value_def_default();
    def.model = model;
    def.field = &field;
    def.task = task;
    const am_result result = ami_field_value_create(&value, &def, &err);
    if (result == AM_OK) {
        look_up(value);
    } else if (value || err.code != result || !err.text[0]) {
        abort();
    }
    ami_field_value_destroy(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size >= 1 << 18) {
        return 0;
    }
    // One model serves for every task: which task an attachment is of stands in its bytes, not in its name.
    const am_net_graph *none[1] = { NULL };
    char name[AM_NET_NAME_SIZE];
    ami_field_value_name(name, ami_field_task_name(0), 1);
    const am_model_blob blob = { name, data, size };
    am_model_def def = ami_model_def_default();
    am_model *model = NULL;
    am_error err = { 0 };
    def.graphs = none;
    def.attachments = &blob;
    def.attachment_count = 1;
    if (am_model_create(&model, &def, &err) == AM_OK) {
        for (int t = 0; ami_field_task_name(t); t++) {
            try(model, ami_field_task_name(t));
        }
    }
    am_model_close(model);
    return 0;
}

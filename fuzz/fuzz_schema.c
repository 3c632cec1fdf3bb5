// Fuzzes control schemas: what is read keeps its promises, and values go through it. A path follows the schema's text
// behind a zero byte.
#include "operators/control.h"

#include <stdlib.h>
#include <string.h>

static void check_places(const am_control_schema *schema)
{
    for (int i = 0; i < schema->node_count; i++) {
        const ami_control_node *n = &schema->nodes[i];
        char path[200];
        ami_control_path(schema, i, path, sizeof path);
        if (n->parent >= i || n->value < 0 || n->value + n->value_count > schema->value_count || n->vector < 0 ||
            n->vector + n->vector_count > schema->vector_count || n->out < 0 ||
            n->first + n->count > schema->node_count) {
            abort();
        }
    }
}

static void use(const am_control_schema *schema, const char *path)
{
    static const float numbers[4] = { 1.0f, 0.5f, 2.0f, 1.0f };
    static float vector[AM_NET_MOST_WIDTH];
    am_control *control = NULL;
    am_error err = { 0 };
    if (am_control_create(&control, schema, NULL, &err) != AM_OK) {
        return;
    }
    for (int count = 0; count <= 4; count++) {
        am_control_set(control, path, numbers, count, &err);
    }
    am_control_choose(control, path, "a", &err);
    const am_transform root = am_transform_identity();
    ami_control_flatten(schema, vector, control->numbers, &root);
    for (int i = 0; i < schema->vector_count; i++) {
        if (!(vector[i] - vector[i] == 0.0f)) {
            abort();
        }
    }
    am_control_drop(control, path, &err);
    am_control_destroy(control);
}

static void count(void *user, const am_error *err)
{
    int *mistakes = user;
    ++*mistakes;
    if (err->code == AM_OK || !err->text[0]) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    am_control_schema *schema = NULL;
    am_error err = { 0 };
    int mistakes = 0;
    am_result result = am_control_schema_read(&schema, (const char *)data, length, "fuzz.json", NULL, &err);
    int found = ami_control_schema_check((const char *)data, length, "fuzz.json", NULL, count, &mistakes);
    if (found != mistakes || (found > 0) != (result != AM_OK)) {
        abort();
    }
    if (result == AM_OK) {
        char path[256] = "";
        size_t rest = zero ? size - length - 1 : 0;
        memcpy(path, zero ? zero + 1 : data, rest < sizeof path - 1 ? rest : sizeof path - 1);
        check_places(schema);
        use(schema, path);
        am_control_schema_destroy(schema);
    } else if (err.code != result || !err.text[0]) {
        abort();
    }
    return 0;
}

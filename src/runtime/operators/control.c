// Values of a schema: set, chosen and dropped by path.
#include "operators/control.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

am_result am_control_create(am_control **out, const am_control_schema *schema, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc use = ami_alloc_or_default(alloc);
    size_t bytes = sizeof(am_control) + (size_t)schema->value_count * sizeof(float);
    am_control *control = ami_alloc_zero(&use, bytes);
    if (!control) {
        return ami_fail_memory(err, bytes);
    }
    control->alloc = use;
    control->schema = schema;
    control->numbers = (float *)(control + 1);
    *out = control;
    return AM_OK;
}

void am_control_destroy(am_control *control)
{
    if (control) {
        am_alloc alloc = control->alloc;
        ami_release(&alloc, control, sizeof *control + (size_t)control->schema->value_count * sizeof(float));
    }
}

void am_control_clear(am_control *control)
{
    memset(control->numbers, 0, (size_t)control->schema->value_count * sizeof(float));
}

// ---------------------------------------------------------------------------------------------
// Paths

static const char *article(const char *word) { return strchr("aeiou", word[0]) ? "an" : "a"; }

/// The path of the whole schema is "".
static const char *shown(const char *path) { return path[0] ? path : "the control"; }

/// A part of one item, or of none.
static am_result find(const am_control *control, const char *path, int *node, int *place, am_error *err)
{
    am_error own = { 0 };
    err = err ? err : &own; // it has the code
    if (strstr(path, "[*]")) {
        return ami_fail(err, AM_ERR_KEY, "%s: name one item, as in [0]", path);
    }
    *node = ami_control_find(control->schema, path, place, err);
    return *node >= 0 ? AM_OK : err->code;
}

/// From what a path names to what it is about, with its place.
static const ami_control_node *inside(const am_control *control, int *node, int *place)
{
    const ami_control_node *nodes = control->schema->nodes;
    int within = ami_control_inside(control->schema, *node);
    *place += nodes[within].value - nodes[*node].value;
    *node = within;
    return &nodes[within];
}

// ---------------------------------------------------------------------------------------------
// Numbers

/// What a kind does not take; NULL when all is well.
static const char *refuse(const ami_control_node *n, const float *numbers)
{
    float x = numbers[0];
    bool whole = x >= 0.0f && x < 1e7f && x == (float)(int)x;
    switch (n->kind) {
    case AMI_OP_INDEX:
        return whole && x <= (float)n->most ? NULL : "an index is a whole number from 0 to its n";
    case AMI_OP_ONE_OF:
        return whole && x < (float)n->name_count ? NULL : "a choice is the number of one of its names, from 0 on";
    case AMI_OP_SCALE:
        return numbers[0] > 0.0f && numbers[1] > 0.0f && numbers[2] > 0.0f ? NULL : "a scale is above 0";
    case AMI_OP_ROTATION: {
        am_quat q = am_q(numbers[0], numbers[1], numbers[2], numbers[3]);
        return am_quat_dot(q, q) > 1e-6f ? NULL : "a rotation is a quaternion x y z w, not four zeros";
    }
    default:
        return NULL;
    }
}

am_result am_control_set(am_control *control, const char *path, const float *numbers, int count, am_error *err)
{
    int place = 0, node = -1;
    am_result result = find(control, path, &node, &place, err);
    if (result != AM_OK) {
        return result;
    }
    const ami_control_node *n = inside(control, &node, &place);
    int want = ami_control_is_typed(n->kind) ? n->value_count : 0;
    if (count != want && want == 0) {
        return ami_fail(err, AM_ERR_TYPE, "%s: %s %s has no numbers of its own; set its parts", shown(path),
                        article(n->word), n->word);
    }
    if (count != want) {
        return ami_fail(err, AM_ERR_TYPE, "%s: %s %s has %d number%s, not %d", shown(path), article(n->word), n->word,
                        want, want == 1 ? "" : "s", count);
    }
    for (int i = 0; i < count; i++) {
        if (!(numbers[i] - numbers[i] == 0.0f)) {
            return ami_fail(err, AM_ERR_NUMBER, "%s: number %d is not finite", shown(path), i);
        }
    }
    const char *wrong = count ? refuse(n, numbers) : NULL;
    if (wrong) {
        return ami_fail(err, AM_ERR_RANGE, "%s: %s", shown(path), wrong);
    }
    ami_control_mark(control->schema, control->numbers, node, place);
    if (count) {
        memcpy(control->numbers + place, numbers, (size_t)count * sizeof *numbers);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Choices

static am_result fail_choice(const am_control *control, const ami_control_node *n, const char *path, const char *name,
                             am_error *err)
{
    const char *names[AMI_CONTROL_MOST_NAMES];
    int count = 0;
    for (int i = 0; i < n->name_count; i++) {
        names[count++] = n->names[i];
    }
    for (int i = 0; i < n->count; i++) {
        names[count++] = control->schema->nodes[n->first + i].name;
    }
    const char *near = am_nearest_name(name, names, count);
    return ami_fail(err, AM_ERR_KEY, "%s: there is no \"%.60s\"; did you mean \"%s\"?", shown(path), name,
                    near ? near : names[0]);
}

am_result am_control_choose(am_control *control, const char *path, const char *name, am_error *err)
{
    int place = 0, node = -1;
    am_result result = find(control, path, &node, &place, err);
    if (result != AM_OK) {
        return result;
    }
    const ami_control_node *n = inside(control, &node, &place), *nodes = control->schema->nodes;
    if (n->kind != AMI_OP_OR && n->kind != AMI_OP_ONE_OF && n->kind != AMI_OP_SOME_OF) {
        return ami_fail(err, AM_ERR_TYPE, "%s: %s %s offers no choice", shown(path), article(n->word), n->word);
    }
    int count = n->kind == AMI_OP_OR ? n->count : n->name_count, i = 0;
    while (i < count && strcmp(n->kind == AMI_OP_OR ? nodes[n->first + i].name : n->names[i], name) != 0) {
        i++;
    }
    if (i == count) {
        return fail_choice(control, n, path, name, err);
    }
    ami_control_mark(control->schema, control->numbers, node, place);
    if (n->kind == AMI_OP_SOME_OF) {
        control->numbers[place + i] = 1.0f;
    } else {
        control->numbers[place] = (float)i;
    }
    return AM_OK;
}

am_result am_control_drop(am_control *control, const char *path, am_error *err)
{
    int place = 0, node = -1;
    am_result result = find(control, path, &node, &place, err);
    if (result != AM_OK) {
        return result;
    }
    const ami_control_node *nodes = control->schema->nodes;
    while (nodes[node].kind == AMI_OP_ENCODE) {
        place += nodes[nodes[node].first].value - nodes[node].value;
        node = nodes[node].first;
    }
    const ami_control_node *n = &nodes[node];
    if (!n->optional && n->kind != AMI_OP_SET && n->kind != AMI_OP_SOME_OF) {
        return ami_fail(err, AM_ERR_TYPE,
                        "%s: %s %s is always there; only an optional, a set and flags can be dropped", shown(path),
                        article(n->word), n->word);
    }
    memset(control->numbers + place, 0, (size_t)n->value_count * sizeof(float));
    return AM_OK;
}

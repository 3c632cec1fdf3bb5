// Which behaviours a schema offers, and by which of its parts.
#include "behaviours.h"

#include <amble/tools/json.h>

#include "base/memory.h"
#include "method/flow_file.h"

#include <stdio.h>
#include <string.h>

static const char *const names[BEHAVIOUR_COUNT] = { "trajectory", "path", "velocity", "target",
                                                    "styled",     "jump", "sit",      "pick_up" };

const char *behaviour_name(behaviour b) { return names[b]; }

static const ami_control_node *at(const am_control_schema *s, int node) { return &s->nodes[node]; }

/// The part of a node with this name; -1: none.
static int part_of(const am_control_schema *s, int node, const char *name)
{
    node = ami_control_inside(s, node);
    for (int i = 0; i < at(s, node)->count; i++) {
        if (strcmp(at(s, at(s, node)->first + i)->name, name) == 0) {
            return at(s, node)->first + i;
        }
    }
    return -1;
}

static bool is_kind(const am_control_schema *s, int node, ami_operator kind)
{
    return node >= 0 && at(s, ami_control_inside(s, node))->kind == kind;
}

/// Items of arrays and the body's own features are not asked for by themselves.
static bool stands_alone(const am_control_schema *s, int node)
{
    for (; node >= 0; node = at(s, node)->parent) {
        const int above = at(s, node)->parent;
        if (strcmp(at(s, node)->name, "pose") == 0 ||
            (above >= 0 && (at(s, above)->kind == AMI_OP_SET || at(s, above)->numbered))) {
            return false;
        }
    }
    return true;
}

/// The nearest part above with names, through optionals and encodes; -1 at the root.
static int above(const am_control_schema *s, int node)
{
    do {
        node = at(s, node)->parent;
    } while (node >= 0 && (at(s, node)->optional || at(s, node)->kind == AMI_OP_ENCODE));
    return node;
}

static void put_path(const am_control_schema *s, char out[behaviour_path], int node)
{
    out[0] = '\0';
    if (node >= 0) {
        ami_control_path(s, node, out, behaviour_path);
    }
}

/// A place with what lies beside it: `facing`, and a part called `extra`.
static void take_place(behaviour_parts *p, const am_control_schema *s, int node, const char *extra)
{
    const int all = above(s, node);
    const int facing = all >= 0 ? part_of(s, all, "facing") : -1;
    const int other = all >= 0 && extra ? part_of(s, all, extra) : -1;
    if (p->has) {
        return;
    }
    p->has = true;
    put_path(s, p->place, node);
    p->faced = is_kind(s, facing, AMI_OP_DIRECTION);
    put_path(s, p->facing, p->faced ? facing : -1);
    if (extra) {
        put_path(s, p->extra, other);
    }
    if (is_kind(s, other, AMI_OP_ONE_OF)) {
        p->names = at(s, ami_control_inside(s, other));
    }
}

static void take_array(behaviour_parts *parts, const am_control_schema *s, int node)
{
    const ami_control_node *n = at(s, node);
    const bool fixed = n->kind == AMI_OP_AND && n->numbered;
    if ((!fixed && n->kind != AMI_OP_SET) || n->count == 0) {
        return;
    }
    const int item = n->first, position = part_of(s, item, "position");
    const bool plain = is_kind(s, item, AMI_OP_LOCATION), inner = is_kind(s, position, AMI_OP_LOCATION);
    const int all = above(s, node);
    const int style = all >= 0 ? part_of(s, all, "style") : -1;
    const behaviour b = !fixed                             ? BEHAVIOUR_PATH
                        : is_kind(s, style, AMI_OP_ONE_OF) ? BEHAVIOUR_STYLED
                                                           : BEHAVIOUR_TRAJECTORY;
    behaviour_parts *p = &parts[b];
    const int count = fixed ? n->count : n->most;
    if (p->has || (!plain && !inner) || (fixed && count > behaviour_items)) {
        return;
    }
    p->has = true;
    p->count = count < behaviour_items ? count : behaviour_items;
    p->item = plain ? "" : ".position";
    p->faced = inner && is_kind(s, part_of(s, item, "facing"), AMI_OP_DIRECTION);
    put_path(s, p->place, node);
    if (b == BEHAVIOUR_STYLED) {
        put_path(s, p->extra, style);
        p->names = at(s, ami_control_inside(s, style));
    }
    for (int i = 0; i < p->count; i++) {
        static const float usual[4] = { 0.2f, 0.4f, 0.7f, 1.0f }; // configs/controls/trajectory.json
        p->times[i] = p->count == 4 ? usual[i] : (float)(i + 1) / (float)p->count;
    }
}

static void take_node(behaviour_parts *parts, const am_control_schema *s, int node)
{
    const char *name = at(s, node)->name;
    const bool place = is_kind(s, node, AMI_OP_LOCATION);
    take_array(parts, s, node);
    if (is_kind(s, node, AMI_OP_VELOCITY) && strcmp(name, "velocity") == 0) {
        take_place(&parts[BEHAVIOUR_VELOCITY], s, node, NULL);
    } else if (place && strcmp(name, "target") == 0) {
        take_place(&parts[BEHAVIOUR_TARGET], s, node, NULL);
    } else if (place && strcmp(name, "spot") == 0) {
        take_place(&parts[BEHAVIOUR_JUMP], s, node, "time");
    } else if (place && strcmp(name, "object") == 0) {
        take_place(&parts[BEHAVIOUR_PICK_UP], s, node, "hand");
    } else if (place && strcmp(name, "chair") == 0) {
        take_place(&parts[BEHAVIOUR_SIT], s, node, NULL);
    } else if (is_kind(s, node, AMI_OP_DIRECTION) && strcmp(name, "get_up") == 0) {
        put_path(s, parts[BEHAVIOUR_SIT].extra, node);
    }
}

/// Where a trajectory that goes one metre a second is asked to be: that is, when.
static void find_times(behaviour_parts *p, const am_control_schema *s, const ami_runtime_controls *controls,
                       float *value)
{
    am_query_point line[2] = { { .time = 0.0f }, { .time = 10.0f, .position = { 10.0f, 0.0f, 0.0f } } };
    const ami_control_world world = { .root = am_transform_identity(), .trajectory = line, .trajectory_count = 2 };
    float times[behaviour_items] = { 0 };
    ami_runtime_controls_fill(controls, value, &world);
    for (int i = 0; i < p->count; i++) {
        char path[behaviour_path + 32];
        int place = 0;
        snprintf(path, sizeof path, "%s[%d]%s", p->place, i, p->item);
        if (ami_control_find(s, path, &place, NULL) < 0) {
            return;
        }
        times[i] = value[place];
        if (!(times[i] > (i > 0 ? times[i - 1] : 0.0f))) {
            return; // the runtime controls ask for something else
        }
    }
    memcpy(p->times, times, (size_t)p->count * sizeof times[0]);
}

am_result behaviours_find(behaviour_parts parts[BEHAVIOUR_COUNT], const am_control_schema *s, const am_model *model,
                          am_error *err)
{
    memset(parts, 0, BEHAVIOUR_COUNT * sizeof *parts);
    for (int node = 0; node < s->node_count; node++) {
        if (stands_alone(s, node)) {
            take_node(parts, s, node);
        }
    }
    size_t size = 0;
    const char *text = model ? am_model_attached(model, AMI_FLOW_CONTROLS, &size) : NULL;
    if (!text || !(parts[BEHAVIOUR_TRAJECTORY].has || parts[BEHAVIOUR_STYLED].has)) {
        return AM_OK;
    }
    am_error none = { 0 }; // controls without a section for play are no mistake
    ami_runtime_controls *controls = NULL;
    am_control *value = NULL;
    am_result result = am_control_create(&value, s, NULL, err);
    if (result == AM_OK &&
        ami_runtime_controls_read(&controls, s, text, size, AMI_FLOW_CONTROLS, NULL, &none) == AM_OK) {
        for (int b = 0; b < BEHAVIOUR_COUNT; b++) {
            if (parts[b].has && (b == BEHAVIOUR_TRAJECTORY || b == BEHAVIOUR_STYLED)) {
                am_control_clear(value);
                find_times(&parts[b], s, controls, value->numbers);
            }
        }
    }
    ami_runtime_controls_destroy(controls);
    am_control_destroy(value);
    return result;
}

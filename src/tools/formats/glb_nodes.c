// The nodes of a GLB as a tree: transforms split into rotation, translation and uniform scale; parents, depths, and
// an order with parents first. Trees from outside may be deep, so nothing here recurses or costs nodes x depth.
#include "formats/glb.h"

#include "base/error.h"

// Scale components further apart than this are not a uniform scale; on a bone of a metre that is 0.1 mm.
#define EVEN_SCALE 1e-4f
// Cosine between two matrix columns above which the matrix shears.
#define SHEAR 1e-3f

// ---------------------------------------------------------------------------------------------
// Transforms

static am_result read_floats(const ami_glb *glb, const am_json *node, const char *key, int wanted, float *out,
                             bool *found, am_error *err)
{
    int count = 0;
    *found = am_json_get(node, key) != NULL;
    am_result result = am_json_read_floats(glb->doc, node, key, false, out, wanted, &count, err);
    if (result == AM_OK && *found && count != wanted) {
        return am_json_fail(glb->doc, node, AM_ERR_RANGE, err, "'%s' has %d numbers; it needs %d", key, count,
                            wanted);
    }
    return result;
}

static void set_scale(ami_glb_node *node, am_vec3 s)
{
    float largest = am_max(s.x, am_max(s.y, s.z));
    float smallest = am_min(s.x, am_min(s.y, s.z));
    if (!(smallest > 0.0f)) {
        node->fault = AMI_GLB_NEGATIVE;
    } else if (largest - smallest > EVEN_SCALE * largest) {
        node->fault = AMI_GLB_UNEVEN;
    }
    node->scale = largest == smallest ? largest : (s.x + s.y + s.z) / 3.0f;
}

/// Splits a matrix (columns) into translation, rotation and uniform scale, or notes why that is not possible.
static void split_matrix(ami_glb_node *node, const float m[16])
{
    am_vec3 x = am_v3(m[0], m[1], m[2]);
    am_vec3 y = am_v3(m[4], m[5], m[6]);
    am_vec3 z = am_v3(m[8], m[9], m[10]);
    node->local.translation = am_v3(m[12], m[13], m[14]);
    am_vec3 scale = am_v3(am_v3_length(x), am_v3_length(y), am_v3_length(z));
    set_scale(node, scale);
    if (node->fault == AMI_GLB_NEGATIVE) {
        return; // a column of no length
    }
    x = am_v3_scale(x, 1.0f / scale.x);
    y = am_v3_scale(y, 1.0f / scale.y);
    z = am_v3_scale(z, 1.0f / scale.z);
    if (am_v3_dot(am_v3_cross(x, y), z) < 0.0f) {
        node->fault = AMI_GLB_NEGATIVE;
        return;
    }
    if (am_abs(am_v3_dot(x, y)) > SHEAR || am_abs(am_v3_dot(y, z)) > SHEAR || am_abs(am_v3_dot(z, x)) > SHEAR) {
        node->fault = AMI_GLB_SHEAR;
    }
    node->local.rotation = am_quat_normalize(am_quat_from_columns(x, y, z));
}

static am_result read_transform(ami_glb_node *node, const ami_glb *glb, am_error *err)
{
    float m[16], t[3] = { 0 }, r[4] = { 0, 0, 0, 1 }, s[3] = { 1, 1, 1 };
    bool has_matrix, has;
    am_result result = read_floats(glb, node->json, "matrix", 16, m, &has_matrix, err);
    if (result == AM_OK) {
        result = read_floats(glb, node->json, "translation", 3, t, &has, err);
    }
    if (result == AM_OK) {
        result = read_floats(glb, node->json, "rotation", 4, r, &has, err);
    }
    if (result == AM_OK) {
        result = read_floats(glb, node->json, "scale", 3, s, &has, err);
    }
    if (result != AM_OK) {
        return result;
    }
    node->local = am_transform_identity();
    if (has_matrix) {
        split_matrix(node, m);
    } else {
        node->local.translation = am_v3(t[0], t[1], t[2]);
        node->local.rotation = ami_unit_quat(am_q(r[0], r[1], r[2], r[3]));
        set_scale(node, am_v3(s[0], s[1], s[2]));
    }
    const am_json *extras = am_json_get(node->json, "extras");
    const am_json *end = extras && extras->type == AM_JSON_OBJECT ? am_json_get(extras, AMI_GLB_END_KEY) : NULL;
    node->end = end && end->type == AM_JSON_BOOL && end->boolean;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// The tree

am_result ami_glb_check_node(const ami_glb *glb, const am_json *item, const char *what, am_error *err)
{
    int count = glb->nodes.count;
    if (item->type != AM_JSON_NUMBER) {
        return am_json_fail(glb->doc, item, AM_ERR_TYPE, err, "%s must be node numbers", what);
    }
    if (!(item->number >= 0.0) || !(item->number < (double)count) || item->number != (double)(int)item->number) {
        return am_json_fail(glb->doc, item, AM_ERR_RANGE, err, "%s name node %g, but there are %d nodes", what,
                            item->number, count);
    }
    return AM_OK;
}

am_result ami_glb_node_list(const am_json **out, const ami_glb *glb, const am_json *owner, const char *key,
                            am_error *err)
{
    const am_json *array = am_json_get(owner, key);
    *out = NULL;
    if (array && array->type != AM_JSON_ARRAY) {
        return am_json_fail(glb->doc, array, AM_ERR_TYPE, err, "'%s' must be an array of node numbers", key);
    }
    for (const am_json *item = array ? array->first : NULL; item; item = item->next) {
        am_result result = ami_glb_check_node(glb, item, key, err);
        if (result != AM_OK) {
            return result;
        }
    }
    *out = array ? array->first : NULL;
    return AM_OK;
}

static am_result link_children(ami_glb_rig *rig, const ami_glb *glb, am_error *err)
{
    for (int n = 0; n < rig->node_count; n++) {
        const am_json *child = NULL;
        am_result result = ami_glb_node_list(&child, glb, rig->nodes[n].json, "children", err);
        if (result != AM_OK) {
            return result;
        }
        rig->nodes[n].has_children = child != NULL;
        for (; child; child = child->next) {
            int c = (int)child->number;
            if (rig->nodes[c].parent >= 0 || c == n) {
                return am_json_fail(glb->doc, child, AM_ERR_SKELETON, err, "node %d has two parents", c);
            }
            rig->nodes[c].parent = n;
        }
    }
    return AM_OK;
}

/// Depths by walking up; a walk longer than the node count is a cycle. Known depths end a walk, so that a chain of
/// n nodes does not cost n^2.
static am_result find_depths(ami_glb_rig *rig, const ami_glb *glb, am_error *err)
{
    for (int n = 0; n < rig->node_count; n++) {
        rig->nodes[n].depth = -1;
    }
    for (int n = 0; n < rig->node_count; n++) {
        int steps = 0;
        int at = n;
        while (at >= 0 && rig->nodes[at].depth < 0) {
            at = rig->nodes[at].parent;
            if (++steps > rig->node_count) {
                return am_json_fail(glb->doc, rig->nodes[n].json, AM_ERR_SKELETON, err, "node %d is its own ancestor",
                                    n);
            }
        }
        int depth = (at >= 0 ? rig->nodes[at].depth : -1) + steps;
        for (int up = n; up != at; up = rig->nodes[up].parent) {
            rig->nodes[up].depth = depth--;
        }
    }
    return AM_OK;
}

/// Sorts nodes by depth (counting sort, stable), so that parents come before children, and names each one's root.
static am_result order_nodes(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    size_t size = ((size_t)rig->node_count + 1) * sizeof(int);
    int *starts = ami_arena_get(&glb->arena, size);
    rig->order = ami_arena_get(&glb->arena, size);
    if (!starts || !rig->order) {
        return ami_fail_memory(err, size);
    }
    for (int n = 0; n < rig->node_count; n++) {
        starts[rig->nodes[n].depth + 1]++;
    }
    for (int d = 1; d <= rig->node_count; d++) {
        starts[d] += starts[d - 1];
    }
    for (int n = 0; n < rig->node_count; n++) {
        rig->order[starts[rig->nodes[n].depth]++] = n;
    }
    for (int i = 0; i < rig->node_count; i++) {
        ami_glb_node *node = &rig->nodes[rig->order[i]];
        node->root = node->parent >= 0 ? rig->nodes[node->parent].root : rig->order[i];
    }
    return AM_OK;
}

am_result ami_glb_nodes_read(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    rig->node_count = glb->nodes.count;
    if (rig->node_count == 0) {
        return ami_fail_at(err, AM_ERR_EMPTY, glb->def->file, 0,
                           "the file has no nodes, so there is no skeleton in it");
    }
    size_t size = (size_t)rig->node_count * sizeof *rig->nodes;
    rig->nodes = ami_arena_get(&glb->arena, size);
    if (!rig->nodes) {
        return ami_fail_memory(err, size);
    }
    for (int n = 0; n < rig->node_count; n++) {
        rig->nodes[n].json = glb->nodes.items[n];
        rig->nodes[n].parent = -1;
        rig->nodes[n].slot = -1;
        am_result result = read_transform(&rig->nodes[n], glb, err);
        if (result != AM_OK) {
            return result;
        }
    }
    am_result result = link_children(rig, glb, err);
    if (result == AM_OK) {
        result = find_depths(rig, glb, err);
    }
    return result == AM_OK ? order_nodes(rig, glb, err) : result;
}

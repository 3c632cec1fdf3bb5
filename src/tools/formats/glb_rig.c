// The part of a GLB's node tree that is the skeleton: the joints of the first skin with all that lies between them,
// or, without a skin, what the animations move. Uniform scale is baked into the lengths.
#include "formats/glb.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Which nodes are joints

/// Marks the joints of one skin, unless `touching` and none of them is marked yet.
static am_result mark_skin(ami_glb_rig *rig, const ami_glb *glb, const am_json *skin, bool touching, am_error *err)
{
    const am_json *first = NULL;
    am_result result = ami_glb_node_list(&first, glb, skin, "joints", err);
    if (result != AM_OK) {
        return result;
    }
    bool take = !touching;
    for (const am_json *item = first; item && !take; item = item->next) {
        take = rig->nodes[(int)item->number].marked;
    }
    for (const am_json *item = first; item && take; item = item->next) {
        rig->nodes[(int)item->number].marked = true;
    }
    return AM_OK;
}

/// The first skin, and every later one that shares a joint with those before: body and clothes on one armature.
static am_result mark_skins(ami_glb_rig *rig, const ami_glb *glb, am_error *err)
{
    for (int i = 0; i < glb->skins.count; i++) {
        am_result result = mark_skin(rig, glb, glb->skins.items[i], i > 0, err);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

static am_result note_animated(ami_glb_rig *rig, const ami_glb *glb, am_error *err)
{
    for (int a = 0; a < glb->animations.count; a++) {
        const am_json *channels = am_json_get(glb->animations.items[a], "channels");
        for (const am_json *c = channels ? channels->first : NULL; c; c = c->next) {
            const am_json *target = c->type == AM_JSON_OBJECT ? am_json_get(c, "target") : NULL;
            const am_json *node = target && target->type == AM_JSON_OBJECT ? am_json_get(target, "node") : NULL;
            if (node) {
                am_result result = ami_glb_check_node(glb, node, "animation targets", err);
                if (result != AM_OK) {
                    return result;
                }
                rig->nodes[(int)node->number].animated = true;
            }
        }
    }
    return AM_OK;
}

/// The lowest node above all nodes with weight 1 (or it is one of them), or -1 when they hang on different roots.
/// Sums the weights up the tree in place.
static int lowest_above(const ami_glb_rig *rig, int *weights)
{
    int total = 0;
    for (int n = 0; n < rig->node_count; n++) {
        total += weights[n];
    }
    for (int i = rig->node_count - 1; i >= 0; i--) {
        int n = rig->order[i];
        if (weights[n] == total) {
            return n;
        }
        if (rig->nodes[n].parent >= 0) {
            weights[rig->nodes[n].parent] += weights[n];
        }
    }
    return -1;
}

/// The root of the tree with the most animated nodes or, with no animation, the most nodes.
static int busiest_root(const ami_glb_rig *rig, int *votes, bool any_animated)
{
    int best = rig->nodes[0].root;
    for (int n = 0; n < rig->node_count; n++) {
        int root = rig->nodes[n].root;
        votes[root] += any_animated ? rig->nodes[n].animated : 1;
        best = votes[root] > votes[best] ? root : best;
    }
    return best;
}

/// Without a skin: the busiest tree, from the lowest node above all animated ones down. Leaves that stand still and
/// only hold a mesh or a camera are left out.
static am_result mark_tree(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    size_t size = (size_t)rig->node_count * sizeof(int);
    int *votes = ami_arena_get(&glb->arena, size);
    int *weights = ami_arena_get(&glb->arena, size);
    if (!votes || !weights) {
        return ami_fail_memory(err, size);
    }
    bool any = false;
    for (int n = 0; n < rig->node_count; n++) {
        any = any || rig->nodes[n].animated;
    }
    int top = busiest_root(rig, votes, any);
    if (any) {
        for (int n = 0; n < rig->node_count; n++) {
            weights[n] = rig->nodes[n].animated && rig->nodes[n].root == top;
        }
        top = lowest_above(rig, weights);
    }
    for (int i = 0; i < rig->node_count; i++) {
        ami_glb_node *node = &rig->nodes[rig->order[i]];
        bool attachment = !node->has_children && !node->animated &&
                          (am_json_get(node->json, "mesh") || am_json_get(node->json, "camera"));
        bool below = node->parent >= 0 && rig->nodes[node->parent].marked;
        node->marked = rig->order[i] == top || (below && !attachment);
    }
    return AM_OK;
}

/// Finds the lowest node above all marked ones, which becomes joint 0, and marks all that lies between.
static am_result close_marks(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    size_t size = (size_t)rig->node_count * sizeof(int);
    int *weights = ami_arena_get(&glb->arena, size);
    if (!weights) {
        return ami_fail_memory(err, size);
    }
    bool any = false;
    for (int n = 0; n < rig->node_count; n++) {
        weights[n] = rig->nodes[n].marked;
        any = any || rig->nodes[n].marked;
    }
    if (!any) {
        return ami_fail_at(err, AM_ERR_EMPTY, glb->def->file, 0, "the skin names no joints, so there is no skeleton");
    }
    rig->root = lowest_above(rig, weights);
    if (rig->root < 0) {
        return ami_fail_at(err, AM_ERR_SKELETON, glb->def->file, 0,
                           "the skin's joints have different roots; put them under one node");
    }
    rig->nodes[rig->root].marked = true;
    for (int i = rig->node_count - 1; i >= 0; i--) {
        int n = rig->order[i];
        if (rig->nodes[n].marked && n != rig->root) {
            rig->nodes[rig->nodes[n].parent].marked = true;
        }
    }
    return AM_OK;
}

/// End sites are not joints: they are unmarked, unless they have children.
static void unmark_ends(ami_glb_rig *rig)
{
    for (int n = 0; n < rig->node_count; n++) {
        ami_glb_node *node = &rig->nodes[n];
        node->end = node->end && !node->has_children && node->parent >= 0 && !node->animated;
        node->marked = node->marked && !node->end;
    }
}

static am_result mark_joints(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    am_result result = note_animated(rig, glb, err);
    if (result == AM_OK) {
        result = glb->skins.count > 0 ? mark_skins(rig, glb, err) : mark_tree(rig, glb, err);
    }
    if (result == AM_OK) {
        unmark_ends(rig);
        result = close_marks(rig, glb, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Laying them out as a skeleton

bool ami_glb_scale_matters(const ami_glb_rig *rig, int node)
{
    if (rig->nodes[node].marked) {
        return rig->nodes[node].has_children; // on a leaf it only swells the mesh
    }
    return true; // above joint 0
}

/// Refuses scale that cannot be baked into lengths.
static am_result check_scale(const ami_glb_rig *rig, const ami_glb *glb, int node, am_error *err)
{
    static const char *const why[] = { "", "a scale that differs by axis", "a zero or mirroring scale", "a shear" };
    const ami_glb_node *n = &rig->nodes[node];
    if (n->fault == AMI_GLB_FINE || !ami_glb_scale_matters(rig, node)) {
        return AM_OK;
    }
    return am_json_fail(glb->doc, n->json, AM_ERR_SUPPORT, err,
                        "node %d has %s, which a skeleton of rotations cannot keep; apply scale before exporting",
                        node, why[n->fault]);
}

/// Depth-first places for marked nodes: each subtree takes as many places as it has joints.
static void order_depth_first(const ami_glb_rig *rig, int *sizes, int *places)
{
    for (int i = rig->node_count - 1; i >= 0; i--) {
        int n = rig->order[i];
        sizes[n] += rig->nodes[n].marked;
        if (rig->nodes[n].marked && n != rig->root) {
            sizes[rig->nodes[n].parent] += sizes[n];
        }
    }
    for (int i = 0; i < rig->node_count; i++) {
        int n = rig->order[i];
        if (!rig->nodes[n].marked) {
            continue;
        }
        int at = 0;
        if (n != rig->root) {
            at = places[rig->nodes[n].parent];
            places[rig->nodes[n].parent] += sizes[n];
        }
        rig->joint_nodes[at] = n;
        rig->node_joints[n] = (int16_t)at;
        places[n] = at + 1; // where its first child goes
    }
}

/// File order when that already has parents first (so that order survives a round trip), else depth first.
static am_result order_joints(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    bool ascending = true;
    for (int n = 0; n < rig->node_count; n++) {
        ascending = ascending && (!rig->nodes[n].marked || n == rig->root || rig->nodes[n].parent < n);
        rig->node_joints[n] = -1;
    }
    if (!ascending) {
        size_t size = (size_t)rig->node_count * sizeof(int);
        int *sizes = ami_arena_get(&glb->arena, size);
        int *places = ami_arena_get(&glb->arena, size);
        if (!sizes || !places) {
            return ami_fail_memory(err, size);
        }
        order_depth_first(rig, sizes, places);
        return AM_OK;
    }
    int count = 0;
    for (int n = 0; n < rig->node_count; n++) {
        if (rig->nodes[n].marked) {
            rig->joint_nodes[count] = n;
            rig->node_joints[n] = (int16_t)count++;
        }
    }
    return AM_OK;
}

static am_result allocate(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    size_t joints = (size_t)rig->joint_count;
    size_t ends = (size_t)rig->end_count;
    size_t nodes = (size_t)rig->node_count;
    rig->joint_nodes = ami_arena_get(&glb->arena, joints * sizeof(int));
    rig->node_joints = ami_arena_get(&glb->arena, nodes * sizeof(int16_t));
    rig->joint_scales = ami_arena_get(&glb->arena, joints * sizeof(float));
    rig->parents = ami_arena_get(&glb->arena, joints * sizeof(int16_t));
    rig->offsets = ami_arena_get(&glb->arena, joints * sizeof(am_vec3));
    rig->rests = ami_arena_get(&glb->arena, joints * sizeof(am_quat));
    rig->names = ami_arena_get(&glb->arena, joints * sizeof(char *));
    rig->end_joints = ami_arena_get(&glb->arena, ends * sizeof(int16_t));
    rig->end_offsets = ami_arena_get(&glb->arena, ends * sizeof(am_vec3));
    size_t chain = (size_t)rig->nodes[rig->root].depth + 1;
    rig->chain = ami_arena_get(&glb->arena, chain * sizeof(int));
    rig->chain_scales = ami_arena_get(&glb->arena, chain * sizeof(float));
    bool all = rig->joint_nodes && rig->node_joints && rig->joint_scales && rig->parents && rig->offsets &&
               rig->rests && rig->names && rig->end_joints && rig->end_offsets && rig->chain && rig->chain_scales;
    return all ? AM_OK : ami_fail_memory(err, nodes * sizeof(int));
}

enum { max_chain = 1024 }; // nodes above joint 0, all evaluated in every frame; real files have one or two

/// The nodes above joint 0: their rest transform becomes part of joint 0, their scale of all lengths.
static am_result bake_chain(ami_glb_rig *rig, const ami_glb *glb, float *scale, am_error *err)
{
    rig->chain_count = rig->nodes[rig->root].depth;
    if (rig->chain_count > max_chain) {
        return ami_fail_at(err, AM_ERR_LIMIT, glb->def->file, 0,
                           "the skeleton lies below %d nodes; at most %d are read", rig->chain_count, (int)max_chain);
    }
    int at = rig->nodes[rig->root].parent;
    for (int i = rig->chain_count - 1; i >= 0; i--) {
        rig->chain[i] = at;
        rig->nodes[at].slot = rig->joint_count + i;
        at = rig->nodes[at].parent;
    }
    rig->above = am_transform_identity();
    for (int i = 0; i < rig->chain_count; i++) {
        am_result result = check_scale(rig, glb, rig->chain[i], err);
        if (result != AM_OK) {
            return result;
        }
        am_transform local = rig->nodes[rig->chain[i]].local;
        local.translation = am_v3_scale(local.translation, *scale);
        rig->above = am_transform_mul(rig->above, local);
        rig->chain_scales[i] = *scale;
        *scale *= rig->nodes[rig->chain[i]].scale;
    }
    return AM_OK;
}

static am_result fill_joints(ami_glb_rig *rig, const ami_glb *glb, am_error *err)
{
    float scale = 1.0f;
    am_result result = bake_chain(rig, glb, &scale, err);
    for (int j = 0; j < rig->joint_count && result == AM_OK; j++) {
        ami_glb_node *node = &rig->nodes[rig->joint_nodes[j]];
        int parent = j == 0 ? -1 : rig->node_joints[node->parent];
        float outer = j == 0 ? scale : rig->joint_scales[parent] * rig->nodes[node->parent].scale;
        am_transform local = node->local;
        local.translation = am_v3_scale(local.translation, outer);
        if (j == 0 && rig->chain_count > 0) {
            local = am_transform_mul(rig->above, local);
            local.rotation = ami_unit_quat(local.rotation);
        }
        if (!ami_is_rigid(local)) {
            return am_json_fail(glb->doc, node->json, AM_ERR_NUMBER, err,
                                "node %d has a transform that floats cannot hold", rig->joint_nodes[j]);
        }
        node->slot = j;
        rig->parents[j] = (int16_t)parent;
        rig->joint_scales[j] = outer;
        rig->offsets[j] = local.translation;
        rig->rests[j] = local.rotation;
        result = check_scale(rig, glb, rig->joint_nodes[j], err);
    }
    return result;
}

static void fill_ends(ami_glb_rig *rig)
{
    int count = 0;
    for (int n = 0; n < rig->node_count; n++) {
        const ami_glb_node *node = &rig->nodes[n];
        if (!node->end || !rig->nodes[node->parent].marked) {
            continue;
        }
        int joint = rig->node_joints[node->parent];
        float outer = rig->joint_scales[joint] * rig->nodes[node->parent].scale;
        rig->end_joints[count] = (int16_t)joint;
        rig->end_offsets[count++] = am_v3_scale(node->local.translation, outer);
    }
}

static bool name_taken(const ami_glb_rig *rig, const char *name, int before)
{
    for (int j = 0; j < before; j++) {
        if (strcmp(rig->names[j], name) == 0) {
            return true;
        }
    }
    return false;
}

enum { max_name = 200 }; // bytes kept of a name, so that telling names apart stays cheap

/// Bytes of a name to keep: all, or as many whole UTF-8 characters as fit.
static int kept_length(const char *name)
{
    size_t length = strlen(name);
    length = length < max_name ? length : max_name;
    while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80) {
        length--;
    }
    return (int)length;
}

/// The node's own name; a number is added to one that is taken, and made up where there is none.
static am_result fill_names(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    for (int j = 0; j < rig->joint_count; j++) {
        const am_json *name = am_json_get(rig->nodes[rig->joint_nodes[j]].json, "name");
        const char *given = name && name->type == AM_JSON_STRING ? name->string : "";
        char made[32] = "";
        if (given[0] == '\0') {
            snprintf(made, sizeof made, "node_%d", rig->joint_nodes[j]);
            given = made;
        }
        int length = kept_length(given);
        size_t room = (size_t)length + 16;
        char *text = ami_arena_get(&glb->arena, room);
        if (!text) {
            return ami_fail_memory(err, room);
        }
        snprintf(text, room, "%.*s", length, given);
        for (int copy = 2; name_taken(rig, text, j); copy++) {
            snprintf(text, room, "%.*s_%d", length, given, copy);
        }
        rig->names[j] = text;
    }
    return AM_OK;
}

am_result ami_glb_rig_build(ami_glb_rig *rig, ami_glb *glb, am_error *err)
{
    am_result result = mark_joints(rig, glb, err);
    if (result != AM_OK) {
        return result;
    }
    for (int n = 0; n < rig->node_count; n++) {
        const ami_glb_node *node = &rig->nodes[n];
        rig->joint_count += node->marked;
        rig->end_count += node->end && rig->nodes[node->parent].marked;
    }
    if (rig->joint_count > glb->def->max_joints) {
        return ami_fail_at(err, AM_ERR_LIMIT, glb->def->file, 0, "the skeleton has %d joints; at most %d are read",
                           rig->joint_count, glb->def->max_joints);
    }
    result = allocate(rig, glb, err);
    if (result == AM_OK) {
        result = order_joints(rig, glb, err);
    }
    if (result == AM_OK) {
        result = fill_joints(rig, glb, err);
    }
    if (result == AM_OK) {
        fill_ends(rig);
        result = fill_names(rig, glb, err);
    }
    return result;
}

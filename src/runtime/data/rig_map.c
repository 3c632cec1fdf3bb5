// A pose of one skeleton on another: each joint turns away from its rest pose as its partner does, in model space,
// and the hip sockets travel in proportion to leg length. Retargeting of whole clips uses the same mapping.
#include "data/rig_map.h"

#include "base/error.h"
#include "base/memory.h"

/// How far the source's trunk has turned from its rest pose over one reference joint's part of the trunk.
static am_quat trunk_turn(const ami_retarget *r, int row, const am_quat *source_model)
{
    am_quat sum = am_q(0.0f, 0.0f, 0.0f, 0.0f);
    am_quat first = am_quat_identity();
    for (int k = 0; k < r->source_trunk_count; k++) {
        int joint = r->source_trunk[k];
        float share = r->trunk_share[row][k];
        am_quat turn = am_quat_mul(source_model[joint], am_quat_inv(r->source_rest[joint].rotation));
        first = k == 0 ? turn : first;
        turn = am_quat_nearest(turn, first);
        sum = am_q(sum.x + share * turn.x, sum.y + share * turn.y, sum.z + share * turn.z, sum.w + share * turn.w);
    }
    return am_quat_normalize(sum);
}

void ami_retarget_rotations(am_quat *out, const ami_retarget *r, const am_quat *from)
{
    am_quat source[AM_MAX_JOINTS];
    am_quat model[AM_MAX_JOINTS];
    for (int j = 0; j < r->source->joint_count; j++) {
        source[j] = j == 0 ? from[0] : am_quat_mul(source[r->source->parents[j]], from[j]);
    }
    for (int j = 0; j < r->reference->joint_count; j++) {
        int p = r->reference->parents[j];
        am_quat above = p < 0 ? am_quat_identity() : model[p];
        if (r->trunk_row[j] >= 0) {
            model[j] = am_quat_mul(trunk_turn(r, r->trunk_row[j], source), r->after[j]);
        } else if (r->pair[j] >= 0) {
            model[j] = am_quat_normalize(am_quat_mul(source[r->pair[j]], r->after[j]));
        } else {
            model[j] = am_quat_mul(above, r->reference->rests[j]);
        }
        out[j] = r->copied[j] ? from[r->pair[j]] : am_quat_normalize(am_quat_mul(am_quat_inv(above), model[j]));
    }
}

// ---------------------------------------------------------------------------------------------
// For programs

struct am_rig_map {
    am_alloc alloc;
    am_roles from_roles, to_roles;
    ami_retarget r;
};

void am_rig_map_def_init(am_rig_map_def *def) { *def = (am_rig_map_def){ .cookie = AM_COOKIE }; }

static bool roles_fit(const am_roles *roles, const am_skeleton *skeleton)
{
    bool fit = true;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        fit &= roles->joint[r] < skeleton->joint_count;
    }
    return fit;
}

am_result am_rig_map_create(am_rig_map **out, const am_rig_map_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->from || !def->to || !def->from_roles || !def->to_roles ||
        !roles_fit(def->from_roles, def->from) || !roles_fit(def->to_roles, def->to)) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the rig map def with am_rig_map_def_init() and give it two skeletons with their roles");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    am_rig_map *map = ami_alloc_zero(&alloc, sizeof *map);
    if (!map) {
        return ami_fail_memory(err, sizeof *map);
    }
    map->alloc = alloc;
    map->from_roles = *def->from_roles;
    map->to_roles = *def->to_roles;
    map->r.source = def->from;
    map->r.reference = def->to;
    map->r.source_roles = &map->from_roles;
    map->r.reference_roles = &map->to_roles;
    ami_retarget_prepare(&map->r);
    *out = map;
    return AM_OK;
}

void am_rig_map_destroy(am_rig_map *map)
{
    if (map) {
        am_alloc alloc = map->alloc;
        ami_release(&alloc, map, sizeof *map);
    }
}

float am_rig_map_scale(const am_rig_map *map) { return map->r.scale; }

/// Middle of the hip sockets, or the hips themselves where a rig names none.
static am_vec3 sockets(const am_skeleton *skeleton, const am_roles *roles, const am_transform *local)
{
    am_transform model[AM_MAX_JOINTS];
    int left = roles->joint[AM_ROLE_LEFT_UP_LEG];
    int right = roles->joint[AM_ROLE_RIGHT_UP_LEG];
    int hips = roles->joint[AM_ROLE_HIPS] >= 0 ? roles->joint[AM_ROLE_HIPS] : 0;
    am_fk(model, local, skeleton->parents, skeleton->joint_count);
    bool both = left >= 0 && right >= 0;
    return both ? am_v3_lerp(model[left].translation, model[right].translation, 0.5f) : model[hips].translation;
}

void am_rig_map_apply(const am_rig_map *map, am_transform *to, const am_transform *from)
{
    const ami_retarget *r = &map->r;
    am_quat source[AM_MAX_JOINTS], made[AM_MAX_JOINTS];
    for (int j = 0; j < r->source->joint_count; j++) {
        source[j] = from[j].rotation;
    }
    ami_retarget_rotations(made, r, source);
    for (int j = 0; j < r->reference->joint_count; j++) {
        to[j].rotation = made[j];
        to[j].translation = j > 0 ? r->reference->offsets[j] : am_v3_zero();
    }
    am_vec3 at = am_v3_scale(sockets(r->source, r->source_roles, from), r->scale);
    to[0].translation = am_v3_sub(at, sockets(r->reference, r->reference_roles, to));
}

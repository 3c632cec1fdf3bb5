// Poses relative to the ground root, and raw features, of one clip.
#include "build/bake.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/feature_kinds.h"
#include "data/format.h"

#include <string.h>

/// World transforms of the joints that features need, and footprints; one block.
typedef struct workspace {
    am_transform *world; ///< [frame][slot]
    am_vec3 *prints;     ///< [2 * frame]
    am_transform *pose;  ///< [joint]
} workspace;

static workspace lay_out(ami_layout *layout, const am_clip *clip, int slots, bool prints)
{
    workspace w;
    size_t frames = (size_t)clip->frame_count;
    w.world = ami_layout_take(layout, frames * (size_t)slots, sizeof(am_transform));
    w.prints = ami_layout_take(layout, prints ? 2 * frames : 0, sizeof(am_vec3));
    w.pose = ami_layout_take(layout, (size_t)clip->skeleton->joint_count, sizeof(am_transform));
    return w;
}

static void choose_slots(ami_bake *bake, int16_t *joints, const am_schema *schema, const am_roles *roles)
{
    bool needed[AM_ROLE_COUNT];
    ami_schema_roles(schema, needed);
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        bake->slots[r] = -1;
        if (needed[r]) {
            joints[bake->slot_count] = roles->joint[r];
            bake->slots[r] = bake->slot_count++;
        }
    }
}

static am_quat rest_in_model(const am_skeleton *s, int joint)
{
    am_quat q = am_quat_identity();
    for (int j = joint; j >= 0; j = s->parents[j]) {
        q = am_quat_mul(s->rests[j], q);
    }
    return q;
}

static void fill_world(am_transform *world, am_transform *pose, const am_clip *clip, const int16_t *joints, int slots)
{
    for (int f = 0; f < clip->frame_count; f++) {
        am_clip_local(clip, f, pose);
        am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
        for (int s = 0; s < slots; s++) {
            world[(size_t)f * (size_t)slots + (size_t)s] = pose[joints[s]];
        }
    }
}

static void find_prints(ami_bake *bake, am_vec3 *prints, const uint8_t *contacts)
{
    for (int f = 0; f < bake->frame_count && contacts; f++) {
        if (contacts[f] & AM_CONTACT_LEFT) {
            prints[bake->print_count++] = ami_bake_joint(bake, f, AM_ROLE_LEFT_TOE).translation;
        }
        if (contacts[f] & AM_CONTACT_RIGHT) {
            prints[bake->print_count++] = ami_bake_joint(bake, f, AM_ROLE_RIGHT_TOE).translation;
        }
    }
    bake->prints = prints;
}

static bool has_terrain(const am_schema *schema)
{
    for (int c = 0; c < schema->channel_count; c++) {
        if (schema->channels[c].kind == AM_FEATURE_TERRAIN) {
            return true;
        }
    }
    return false;
}

static am_result bake_features(const ami_bake_target *target, const am_db_clip *in, const ami_bake_setup *setup,
                               const am_alloc *alloc, am_error *err)
{
    const am_clip *clip = in->clip;
    ami_bake bake = {
        .fps = clip->fps,
        .frame_count = clip->frame_count,
        .root_positions = in->root_positions,
        .root_rotations = in->root_rotations,
        .tags = in->tags,
        .custom = in->custom,
        .custom_count = setup->schema->custom_count,
        .mirrored = in->mirrored,
        .toe_floor = setup->toe_floor,
    };
    int16_t joints[AM_ROLE_COUNT];
    choose_slots(&bake, joints, setup->schema, &setup->roles);
    bool terrain = has_terrain(setup->schema);
    ami_layout measure = { 0 };
    lay_out(&measure, clip, bake.slot_count, terrain);
    ami_layout place = ami_layout_room(&measure, alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    workspace w = lay_out(&place, clip, bake.slot_count, terrain);
    fill_world(w.world, w.pose, clip, joints, bake.slot_count);
    bake.world = w.world;
    for (int s = 0; s < bake.slot_count; s++) {
        bake.rests[s] = rest_in_model(clip->skeleton, joints[s]);
    }
    if (terrain) {
        find_prints(&bake, w.prints, in->contacts);
    }
    for (int f = 0; f < clip->frame_count; f++) {
        ami_bake_frame(target->rows + (size_t)f * target->row_stride, setup->schema, &bake, f);
    }
    ami_release(alloc, place.base, measure.size);
    return AM_OK;
}

/// One frame, hips relative to the root. Signs follow the frame before, so that neighbouring frames can be blended
/// directly.
static void put_pose(const ami_bake_target *target, const am_db_clip *in, const ami_bake_setup *setup, int frame,
                     const am_transform *pose, am_quat *before)
{
    int joints = in->clip->skeleton->joint_count;
    for (int j = 0; j < joints; j++) {
        am_quat q = frame == 0 ? am_quat_abs(pose[j].rotation) : am_quat_nearest(pose[j].rotation, before[j]);
        before[j] = q;
        size_t at = (size_t)frame * (size_t)joints + (size_t)j;
        if (target->rotations) {
            target->rotations[at] = q;
        } else {
            ami_pack_quat(target->packed_rotations + 3 * at, q);
        }
    }
    for (int m = 0; m < setup->moving_count; m++) {
        target->translations[(size_t)frame * (size_t)setup->moving_count + (size_t)m] =
            pose[setup->moving[m]].translation;
    }
}

static void bake_poses(const ami_bake_target *target, const am_db_clip *in, const ami_bake_setup *setup)
{
    am_transform pose[AM_MAX_JOINTS];
    am_quat before[AM_MAX_JOINTS];
    for (int f = 0; f < in->clip->frame_count; f++) {
        am_transform root = { in->root_rotations[f], in->root_positions[f] };
        am_clip_local(in->clip, f, pose);
        pose[0] = am_transform_mul(am_transform_inv(root), pose[0]);
        put_pose(target, in, setup, f, pose, before);
        target->root_positions[f] = in->root_positions[f];
        target->root_rotations[f] = in->root_rotations[f];
        target->contacts[f] = in->contacts ? in->contacts[f] : 0;
        target->tags[f] = in->tags ? in->tags[f] : 0;
    }
}

am_result ami_bake_clip(const ami_bake_target *target, const am_db_clip *clip, const ami_bake_setup *setup,
                        const am_alloc *alloc, am_error *err)
{
    bake_poses(target, clip, setup);
    return bake_features(target, clip, setup, alloc, err);
}

// Retargeting: the motion of one skeleton on another. Each joint of the reference turns away from its rest pose
// as its partner does, in model space; where the rest poses point limbs differently, the reference's limb is
// first laid along the source's. For two skeletons of one rig this is the same as copying local rotations, so
// these are copied. The hip sockets travel in proportion to leg length.
#include "clip/clip.h"
#include "clip/contacts.h"
#include "data/filter.h"
#include "data/rig_map.h"
#include "clip/plant.h"
#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"

am_retarget_def am_retarget_def_default(void)
{
    am_retarget_def def = { .floor_m = NAN, .reference_floor_m = 0.02f, .ik = true, .cookie = AM_COOKIE };
    return def;
}

// ---------------------------------------------------------------------------------------------
// Frames

/// Middle of the hip sockets, or the hips themselves where a rig names none.
static am_vec3 socket_middle(const am_clip *clip, int frame, const am_roles *roles)
{
    int left = roles->joint[AM_ROLE_LEFT_UP_LEG];
    int right = roles->joint[AM_ROLE_RIGHT_UP_LEG];
    if (left < 0 || right < 0) {
        int hips = roles->joint[AM_ROLE_HIPS] >= 0 ? roles->joint[AM_ROLE_HIPS] : 0;
        return ami_joint_model(clip, frame, hips).translation;
    }
    return am_v3_scale(
        am_v3_add(ami_joint_model(clip, frame, left).translation, ami_joint_model(clip, frame, right).translation),
        0.5f);
}

static void transfer_frames(am_clip *made, const ami_retarget *r, const am_clip *clip, float floor_m,
                            float reference_floor_m)
{
    for (int f = 0; f < clip->frame_count; f++) {
        const am_quat *from = clip->rotations + (size_t)f * (size_t)r->source->joint_count;
        ami_retarget_rotations(made->rotations + (size_t)f * (size_t)r->reference->joint_count, r, from);
        am_vec3 at = socket_middle(clip, f, r->source_roles);
        at.y -= floor_m;
        at = am_v3_scale(at, r->scale);
        at.y += reference_floor_m;
        am_vec3 *root = &made->translations[f];
        *root = am_v3_zero();
        *root = am_v3_sub(at, socket_middle(made, f, r->reference_roles));
    }
}

/// Median height of the toes in contact; false without contacts.
static bool stance_height(float *out, const am_clip *clip, const int toes[2], const uint8_t *contacts, float *heights,
                          am_vec3 *positions)
{
    int count = 0;
    for (int side = 0; side < 2; side++) {
        ami_joint_positions(positions, clip, toes[side]);
        for (int f = 0; f < clip->frame_count; f++) {
            if (contacts[f] & (side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT)) {
                heights[count++] = positions[f].y;
            }
        }
    }
    if (count == 0) {
        return false;
    }
    ami_sort_floats(heights, count);
    *out = ami_quantile(heights, count, 0.5f);
    return true;
}

/// Moves the whole clip so that toes in contact stand at the reference's floor.
static am_result settle(am_clip *made, const am_retarget_def *def, const uint8_t *contacts, const am_alloc *alloc,
                        am_error *err)
{
    int toes[2];
    am_result result = ami_check_toes(toes, made, def->reference_roles, err);
    if (result != AM_OK) {
        return result;
    }
    size_t frames = (size_t)made->frame_count;
    size_t size = frames * (sizeof(am_vec3) + 2 * sizeof(float));
    am_vec3 *positions = ami_alloc_zero(alloc, size);
    if (!positions) {
        return ami_fail_memory(err, size);
    }
    float height = 0.0f;
    if (stance_height(&height, made, toes, contacts, (float *)(void *)(positions + frames), positions)) {
        for (size_t f = 0; f < frames; f++) {
            made->translations[f].y += def->reference_floor_m - height;
        }
    }
    ami_release(alloc, positions, size);
    return AM_OK;
}

static am_result find_contacts(uint8_t *contacts, float *floor_m, const am_clip *clip, const am_retarget_def *def,
                               const am_alloc *alloc, am_error *err)
{
    am_result result = AM_OK;
    *floor_m = def->floor_m;
    if (!(*floor_m == *floor_m)) {
        result = am_floor_find(floor_m, clip, def->roles, alloc, err);
    }
    am_contact_def contact = am_contact_def_default();
    contact.floor_m = *floor_m;
    return result == AM_OK ? am_contacts_find(contacts, clip, def->roles, &contact, alloc, err) : result;
}

static am_result fill(am_clip *made, const ami_retarget *r, const am_clip *clip, const am_retarget_def *def,
                      const am_alloc *alloc, am_error *err)
{
    size_t frames = (size_t)clip->frame_count;
    uint8_t *contacts = ami_alloc_zero(alloc, frames);
    if (!contacts) {
        return ami_fail_memory(err, frames);
    }
    float floor_m = 0.0f;
    am_result result = find_contacts(contacts, &floor_m, clip, def, alloc, err);
    if (result == AM_OK) {
        transfer_frames(made, r, clip, floor_m, def->reference_floor_m);
        result = settle(made, def, contacts, alloc, err);
    }
    if (result == AM_OK && def->ik) {
        ami_plant plant = { .made = made,
                            .source = clip,
                            .made_roles = def->reference_roles,
                            .source_roles = def->roles,
                            .contacts = contacts,
                            .scale = r->scale,
                            .floor_m = def->reference_floor_m };
        result = ami_plant_feet(&plant, alloc, err);
    }
    ami_release(alloc, contacts, frames);
    return result;
}

// ---------------------------------------------------------------------------------------------

static am_result check_roles(const am_roles *roles, const am_skeleton *skeleton, am_error *err)
{
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (roles->joint[r] >= skeleton->joint_count) {
            return ami_fail(err, AM_ERR_ROLE, "role '%s' names joint %d, but the skeleton has %d joints",
                            am_role_name((am_role)r), roles->joint[r], skeleton->joint_count);
        }
    }
    return AM_OK;
}

static am_result check_def(const am_clip *clip, const am_retarget_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->reference || !def->reference_roles || !def->roles ||
        !(am_abs(def->reference_floor_m) < 1e6f)) {
        return ami_fail(err, AM_ERR_DEF,
                        "retarget def: initialise it from its default; it needs the reference skeleton, both roles "
                        "and a finite floor");
    }
    if (clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "clip '%s' has no frames", clip->name);
    }
    am_result result = check_roles(def->roles, clip->skeleton, err);
    return result == AM_OK ? check_roles(def->reference_roles, def->reference, err) : result;
}

static am_clip_def describe(const am_skeleton *s, const am_clip *clip, const int16_t *moving, const am_alloc *alloc)
{
    am_clip_def def = ami_clip_def_of(s);
    def.alloc = alloc;
    def.frame_count = clip->frame_count;
    def.moving_count = 1;
    def.fps = clip->fps;
    def.moving = moving;
    def.name = clip->name;
    return def;
}

am_result am_clip_retarget(am_clip **out, const am_clip *clip, const am_retarget_def *def, const am_alloc *alloc,
                           am_error *err)
{
    *out = NULL;
    am_result result = check_def(clip, def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    ami_retarget *r = ami_alloc_zero(&a, sizeof *r);
    if (!r) {
        return ami_fail_memory(err, sizeof *r);
    }
    r->source = clip->skeleton;
    r->reference = def->reference;
    r->source_roles = def->roles;
    r->reference_roles = def->reference_roles;
    ami_retarget_prepare(r);
    static const int16_t moving[1] = { 0 };
    am_clip_def made_def = describe(def->reference, clip, moving, &a);
    am_clip *made = NULL;
    result = am_clip_create(&made, &made_def, err);
    if (result == AM_OK) {
        result = fill(made, r, clip, def, &a, err);
    }
    if (result != AM_OK) {
        am_clip_destroy(made);
        made = NULL;
    }
    ami_release(&a, r, sizeof *r);
    *out = made;
    return result;
}

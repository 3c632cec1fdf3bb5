// Clips: one block each, built once, read by everything.
#include "clip/clip.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

am_clip_def am_clip_def_default(void)
{
    am_clip_def def = { .fps = 60.0f, .cookie = AM_COOKIE };
    return def;
}

am_clip_def ami_clip_def_of(const am_skeleton *s)
{
    am_clip_def def = am_clip_def_default();
    def.joint_count = s->joint_count;
    def.end_count = s->end_count;
    def.parents = s->parents;
    def.offsets = s->offsets;
    def.rests = s->rests;
    def.names = s->names;
    def.end_joints = s->end_joints;
    def.end_offsets = s->end_offsets;
    return def;
}

am_clip_def am_clip_def_like(const am_clip *like)
{
    am_clip_def def = ami_clip_def_of(like->skeleton);
    def.moving_count = like->moving_count;
    def.fps = like->fps;
    def.moving = like->moving;
    def.name = like->name;
    return def;
}

static am_result check_hierarchy(const am_clip_def *def, am_error *err)
{
    for (int j = 0; j < def->joint_count; j++) {
        int parent = def->parents[j];
        if (j == 0 ? parent != -1 : (parent < 0 || parent >= j)) {
            return ami_fail(err, AM_ERR_SKELETON, "joint %d has parent %d; parents must come before their children",
                            j, parent);
        }
        if (!def->names[j]) {
            return ami_fail(err, AM_ERR_DEF, "joint %d has no name", j);
        }
    }
    for (int e = 0; e < def->end_count; e++) {
        if (def->end_joints[e] < 0 || def->end_joints[e] >= def->joint_count) {
            return ami_fail(err, AM_ERR_SKELETON, "end site %d belongs to joint %d, but there are %d joints", e,
                            def->end_joints[e], def->joint_count);
        }
    }
    for (int m = 0; m < def->moving_count; m++) {
        int joint = def->moving[m];
        if (joint < 0 || joint >= def->joint_count || (m > 0 && joint <= def->moving[m - 1])) {
            return ami_fail(err, AM_ERR_DEF, "moving joints must ascend within the skeleton; item %d is %d", m,
                            joint);
        }
    }
    return AM_OK;
}

static am_result check_def(const am_clip_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE) {
        return ami_fail(err, AM_ERR_DEF, "initialise the clip def with am_clip_def_default()");
    }
    if (def->joint_count < 1 || def->joint_count > AM_MAX_JOINTS) {
        return ami_fail(err, AM_ERR_LIMIT, "%d joints; a clip has 1 to %d", def->joint_count, AM_MAX_JOINTS);
    }
    if (def->frame_count < 0 || def->frame_count > AM_MAX_FRAMES) {
        return ami_fail(err, AM_ERR_LIMIT, "%d frames; a clip has at most %d", def->frame_count, AM_MAX_FRAMES);
    }
    if (!(def->fps > 0.0f) || !(def->fps <= 100000.0f)) {
        return ami_fail(err, AM_ERR_DEF, "the rate is %g frames per second; it must be above 0", (double)def->fps);
    }
    if (!def->parents || !def->offsets || !def->names || def->end_count < 0 ||
        (def->end_count > 0 && (!def->end_joints || !def->end_offsets)) || def->moving_count < 0 ||
        def->moving_count > def->joint_count || (def->moving_count > 0 && !def->moving)) {
        return ami_fail(err, AM_ERR_DEF, "the clip def is missing an array");
    }
    return check_hierarchy(def, err);
}

/// Places (or, with base NULL, measures) all arrays of a clip in one block.
static am_clip *lay_out(ami_layout *layout, const am_clip_def *def, size_t text_size, char **text)
{
    size_t joints = (size_t)def->joint_count;
    size_t ends = (size_t)def->end_count;
    size_t frames = (size_t)def->frame_count;
    am_clip *clip = ami_layout_take(layout, 1, sizeof(am_clip));
    am_skeleton *skeleton = ami_layout_take(layout, 1, sizeof(am_skeleton));
    int16_t *parents = ami_layout_take(layout, joints, sizeof(int16_t));
    am_vec3 *offsets = ami_layout_take(layout, joints, sizeof(am_vec3));
    am_quat *rests = ami_layout_take(layout, joints, sizeof(am_quat));
    const char **names = ami_layout_take(layout, joints, sizeof(char *));
    int16_t *end_joints = ami_layout_take(layout, ends, sizeof(int16_t));
    am_vec3 *end_offsets = ami_layout_take(layout, ends, sizeof(am_vec3));
    int16_t *moving = ami_layout_take(layout, (size_t)def->moving_count, sizeof(int16_t));
    *text = ami_layout_take(layout, text_size, 1);
    // A frame is the item: frames times joints alone can wrap where size_t has 32 bits.
    am_quat *rotations = ami_layout_take(layout, frames, joints * sizeof(am_quat));
    am_vec3 *translations = ami_layout_take(layout, frames, (size_t)def->moving_count * sizeof(am_vec3));
    if (clip) {
        *skeleton = (am_skeleton){ def->joint_count, def->end_count, parents, offsets, rests, names,
                                   end_joints,       end_offsets };
        clip->skeleton = skeleton;
        clip->moving = moving;
        clip->rotations = rotations;
        clip->translations = translations;
    }
    return clip;
}

static void copy(const void *to, const void *from, size_t count, size_t size)
{
    // The skeleton's arrays are const for readers; only the create writes them.
    if (count) {
        memcpy((void *)to, from, count * size);
    }
}

static char *copy_text(char **text, const char *from)
{
    size_t size = strlen(from) + 1;
    char *at = *text;
    memcpy(at, from, size);
    *text += size;
    return at;
}

static void fill_frames(am_clip *clip, const am_clip_def *def)
{
    size_t joints = (size_t)def->joint_count;
    size_t rotations = (size_t)def->frame_count * joints;
    if (def->rotations) {
        copy(clip->rotations, def->rotations, rotations, sizeof(am_quat));
    } else {
        for (size_t i = 0; i < rotations; i++) {
            clip->rotations[i] = am_quat_identity();
        }
    }
    size_t moving = (size_t)def->moving_count;
    size_t translations = (size_t)def->frame_count * moving;
    if (def->translations) {
        copy(clip->translations, def->translations, translations, sizeof(am_vec3));
    } else {
        for (size_t i = 0; i < translations; i++) {
            clip->translations[i] = def->offsets[def->moving[i % moving]];
        }
    }
}

am_result am_clip_create(am_clip **out, const am_clip_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    const char *name = def->name ? def->name : "";
    size_t text_size = strlen(name) + 1;
    for (int j = 0; j < def->joint_count; j++) {
        text_size += strlen(def->names[j]) + 1;
    }
    ami_layout measure = { 0 };
    char *text = NULL;
    lay_out(&measure, def, text_size, &text);
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_layout place = ami_layout_room(&measure, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    am_clip *clip = lay_out(&place, def, text_size, &text);
    const am_skeleton *s = clip->skeleton;
    clip->frame_count = def->frame_count;
    clip->moving_count = def->moving_count;
    clip->fps = def->fps;
    clip->alloc = alloc;
    clip->block_size = measure.size;
    clip->name = copy_text(&text, name);
    size_t joints = (size_t)def->joint_count;
    copy(s->parents, def->parents, joints, sizeof(int16_t));
    copy(s->offsets, def->offsets, joints, sizeof(am_vec3));
    copy(s->end_joints, def->end_joints, (size_t)def->end_count, sizeof(int16_t));
    copy(s->end_offsets, def->end_offsets, (size_t)def->end_count, sizeof(am_vec3));
    copy(clip->moving, def->moving, (size_t)def->moving_count, sizeof(int16_t));
    for (size_t j = 0; j < joints; j++) {
        am_quat rest = def->rests ? def->rests[j] : am_quat_identity();
        copy(&s->rests[j], &rest, 1, sizeof rest);
        s->names[j] = copy_text(&text, def->names[j]);
    }
    fill_frames(clip, def);
    *out = clip;
    return AM_OK;
}

void am_clip_destroy(am_clip *clip)
{
    if (clip) {
        am_alloc alloc = clip->alloc;
        ami_release(&alloc, clip, clip->block_size);
    }
}

void am_clip_local(const am_clip *clip, int frame, am_transform *out)
{
    const am_skeleton *s = clip->skeleton;
    const am_quat *rotations = clip->rotations + (size_t)frame * (size_t)s->joint_count;
    const am_vec3 *translations = clip->translations + (size_t)frame * (size_t)clip->moving_count;
    for (int j = 0; j < s->joint_count; j++) {
        out[j].rotation = rotations[j];
        out[j].translation = s->offsets[j];
    }
    for (int m = 0; m < clip->moving_count; m++) {
        out[clip->moving[m]].translation = translations[m];
    }
}

uint64_t am_clip_hash(const am_clip *clip)
{
    const am_skeleton *s = clip->skeleton;
    size_t joints = (size_t)s->joint_count;
    size_t frames = (size_t)clip->frame_count;
    int32_t head[4] = { s->joint_count, s->end_count, clip->frame_count, clip->moving_count };
    uint64_t hash = am_hash64(head, sizeof head, 0);
    hash = am_hash64(&clip->fps, sizeof clip->fps, hash);
    hash = am_hash64(s->parents, joints * sizeof(int16_t), hash);
    hash = am_hash64(s->offsets, joints * sizeof(am_vec3), hash);
    hash = am_hash64(s->rests, joints * sizeof(am_quat), hash);
    for (size_t j = 0; j < joints; j++) {
        hash = am_hash64(s->names[j], strlen(s->names[j]), hash);
    }
    hash = am_hash64(s->end_joints, (size_t)s->end_count * sizeof(int16_t), hash);
    hash = am_hash64(s->end_offsets, (size_t)s->end_count * sizeof(am_vec3), hash);
    hash = am_hash64(clip->moving, (size_t)clip->moving_count * sizeof(int16_t), hash);
    hash = am_hash64(clip->rotations, frames * joints * sizeof(am_quat), hash);
    return am_hash64(clip->translations, frames * (size_t)clip->moving_count * sizeof(am_vec3), hash);
}

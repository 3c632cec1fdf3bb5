// Turns a range of a database back into a clip.
#include <amble/tools/database.h>

#include "base/error.h"
#include "base/memory.h"
#include "clip/clip.h"
#include "data/database.h"

static am_result clip_of(const am_db *db, int range, am_clip **out, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (range < 0 || range >= db->range_count) {
        return ami_fail(err, AM_ERR_RANGE, "there is no range %d; the database has %d", range, db->range_count);
    }
    const am_db_range *r = &db->ranges[range];
    am_clip_def def = ami_clip_def_of(db->skeleton);
    def.alloc = alloc;
    def.frame_count = r->stop - r->start;
    def.moving_count = db->moving_count;
    def.fps = db->fps;
    def.moving = db->moving;
    def.name = r->name;
    am_result result = am_clip_create(out, &def, err);
    if (result != AM_OK) {
        return result;
    }
    am_clip *clip = *out;
    size_t joints = (size_t)db->joint_count;
    for (int f = 0; f < clip->frame_count; f++) {
        am_transform pose[AM_MAX_JOINTS];
        am_db_pose(db, r->start + f, pose);
        pose[0] = am_transform_mul(ami_db_root(db, r->start + f), pose[0]);
        for (size_t j = 0; j < joints; j++) {
            clip->rotations[(size_t)f * joints + j] = pose[j].rotation;
        }
        for (int m = 0; m < db->moving_count; m++) {
            clip->translations[(size_t)f * (size_t)db->moving_count + (size_t)m] = pose[db->moving[m]].translation;
        }
    }
    return AM_OK;
}

am_result am_db_clips_of(const am_db *db, int first, int count, am_clips *out, const am_alloc *alloc, am_error *err)
{
    *out = (am_clips){ .alloc = ami_alloc_or_default(alloc) };
    out->items = ami_alloc_array(&out->alloc, (size_t)count, sizeof(am_clip *));
    if (!out->items) {
        return ami_fail_memory(err, (size_t)count * sizeof(am_clip *));
    }
    out->count = count;
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < count; i++) {
        result = clip_of(db, first + i, &out->items[i], alloc, err);
    }
    if (result != AM_OK) {
        am_clips_free(out);
    }
    return result;
}

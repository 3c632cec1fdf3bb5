// What a database may be made of: clips of one skeleton and one rate, with root tracks, within the limits of the
// file.
#include "build/create_check.h"

#include "base/error.h"

#include <string.h>

static am_result check_clip(const am_db_def *def, int c, am_error *err)
{
    const am_db_clip *in = &def->clips[c];
    const char *name = in->clip && in->clip->name ? in->clip->name : "?";
    if (!in->clip || !in->root_positions || !in->root_rotations || in->clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "clip %d (%s) has no frames or no root track", c, name);
    }
    const am_clip *first = def->clips[0].clip;
    if (in->clip->fps != first->fps) {
        return ami_fail(err, AM_ERR_DEF, "clip '%s' has %g frames per second, the first one %g; resample it", name,
                        (double)in->clip->fps, (double)first->fps);
    }
    size_t joints = (size_t)first->skeleton->joint_count;
    if (!am_skeleton_same_shape(in->clip->skeleton, first->skeleton) ||
        memcmp(in->clip->skeleton->offsets + 1, first->skeleton->offsets + 1, (joints - 1) * sizeof(am_vec3)) != 0) {
        return ami_fail(err, AM_ERR_SKELETON, "clip '%s' and '%s' have different skeletons; retarget it", name,
                        first->name);
    }
    return AM_OK;
}

am_result ami_db_def_check(const am_db_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->schema) {
        return ami_fail(err, AM_ERR_DEF, "initialise the database def with am_db_def_default() and give it a schema");
    }
    if (!def->clips || def->clip_count < 1) {
        return ami_fail(err, AM_ERR_EMPTY, "a database needs at least one clip");
    }
    if (def->clip_count > AM_MAX_RANGES || def->tag_count < 0 || def->tag_count > AM_MAX_TAGS) {
        return ami_fail(err, AM_ERR_LIMIT, "%d ranges and %d tags; at most %d and %d are allowed", def->clip_count,
                        def->tag_count, AM_MAX_RANGES, AM_MAX_TAGS);
    }
    for (int t = 0; t < def->tag_count; t++) {
        if (strlen(def->tag_names[t]) >= AM_NAME_SIZE) {
            return ami_fail(err, AM_ERR_LIMIT, "the tag '%s' has more than %d bytes", def->tag_names[t],
                            AM_NAME_SIZE - 1);
        }
    }
    for (int c = 0; c < def->clip_count; c++) {
        am_result result = check_clip(def, c, err);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

// am_bvh_read: the head of the file, then a clip of the right size, then the rows straight into it.
#include "formats/bvh.h"

#include "base/error.h"
#include "formats/defs.h"

static am_result make_clip(am_clip **out, const ami_bvh *bvh, const am_alloc *alloc, const char *file, am_error *err)
{
    char name[256];
    ami_file_stem(name, sizeof name, file);
    am_clip_def def = am_clip_def_default();
    def.name = name;
    def.alloc = alloc;
    def.joint_count = bvh->joint_count;
    def.end_count = bvh->end_count;
    def.frame_count = bvh->frame_count;
    def.moving_count = bvh->moving_count;
    def.fps = bvh->fps;
    def.parents = bvh->parents;
    def.offsets = bvh->offsets;
    def.names = bvh->names;
    def.end_joints = bvh->end_joints;
    def.end_offsets = bvh->end_offsets;
    def.moving = bvh->moving;
    return am_clip_create(out, &def, err);
}

static am_result read(am_clip **out, const void *data, size_t size, const am_read_def *def, bool plain, am_error *err)
{
    *out = NULL;
    am_result result = ami_read_def_check(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_bvh *bvh = ami_alloc_zero(&alloc, sizeof *bvh);
    if (!bvh) {
        return ami_fail_memory(err, sizeof *bvh);
    }
    bvh->texts = ami_arena_make(&alloc);
    const char *at = size ? data : "";
    ami_text text = { at, at + size, at, 1, def->file };
    am_clip *clip = NULL;
    result = ami_bvh_read_head(bvh, &text, def, err);
    if (result == AM_OK) {
        result = make_clip(&clip, bvh, &alloc, def->file, err);
    }
    if (result == AM_OK) {
        result = ami_bvh_read_rows(clip, bvh, &text, plain, err);
    }
    ami_arena_free(&bvh->texts);
    ami_release(&alloc, bvh, sizeof *bvh);
    if (result != AM_OK) {
        ami_error_file(err, def->file);
        am_clip_destroy(clip);
        return result;
    }
    *out = clip;
    return AM_OK;
}

am_result am_bvh_read(am_clip **out, const void *data, size_t size, const am_read_def *def, am_error *err)
{
    return read(out, data, size, def, false, err);
}

am_result ami_bvh_read_plain(am_clip **out, const void *data, size_t size, const am_read_def *def, am_error *err)
{
    return read(out, data, size, def, true, err);
}

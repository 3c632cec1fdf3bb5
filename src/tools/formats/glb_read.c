// Reads a GLB: one skeleton, and one clip for each of its animations.
#include "formats/glb.h"

#include "base/error.h"
#include "formats/defs.h"

#include <string.h>

/// glTF is in metres. A file may give another unit, or 0 for unknown, in its extras: ours do when the motion comes
/// from another format.
static float find_unit(const ami_glb *glb)
{
    const am_json *asset = am_json_get(am_json_root(glb->doc), "asset");
    const am_json *extras = asset && asset->type == AM_JSON_OBJECT ? am_json_get(asset, "extras") : NULL;
    const am_json *unit = extras && extras->type == AM_JSON_OBJECT ? am_json_get(extras, AMI_GLB_UNIT_KEY) : NULL;
    bool good = unit && unit->type == AM_JSON_NUMBER && unit->number >= 0.0 && unit->number < 1e6;
    return good ? (float)unit->number : 1.0f;
}

static am_result read_clips(am_clips *out, ami_glb *glb, am_error *err)
{
    ami_glb_rig rig = { 0 };
    am_result result = ami_glb_nodes_read(&rig, glb, err);
    if (result == AM_OK) {
        result = ami_glb_rig_build(&rig, glb, err);
    }
    if (result != AM_OK) {
        return result;
    }
    out->unit_m = find_unit(glb);
    int count = glb->animations.count > 0 ? glb->animations.count : 1;
    out->items = ami_alloc_array(&out->alloc, (size_t)count, sizeof *out->items);
    if (!out->items) {
        return ami_fail_memory(err, (size_t)count * sizeof *out->items);
    }
    out->count = count;
    for (int i = 0; i < count && result == AM_OK; i++) {
        const am_json *animation = glb->animations.count > 0 ? glb->animations.items[i] : NULL;
        result = ami_glb_clip(&out->items[i], glb, &rig, animation, i, err);
        ami_glb_forget(glb);
    }
    return result;
}

am_result am_glb_read(am_clips *out, const void *data, size_t size, const am_read_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_read_def_check(def, err);
    if (result != AM_OK) {
        return result;
    }
    out->alloc = ami_alloc_or_default(def->alloc);
    ami_glb glb;
    result = ami_glb_open(&glb, data, size, def, err);
    if (result == AM_OK) {
        result = read_clips(out, &glb, err);
    }
    ami_glb_close(&glb);
    if (result != AM_OK) {
        am_clips_free(out);
        ami_error_file(err, def->file);
    }
    return result;
}

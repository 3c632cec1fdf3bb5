// One animation of a GLB as a clip: its channels as tracks, sampled at the rate of their key times. Interpolation as
// glTF 2.0, appendix C: LINEAR (spherical for rotations), STEP, CUBICSPLINE.
#include "formats/glb.h"

#include "base/error.h"
#include "formats/defs.h"
#include "formats/rate.h"

#include <stdio.h>
#include <string.h>

typedef enum interpolation {
    INTERPOLATE_LINEAR,
    INTERPOLATE_STEP,
    INTERPOLATE_CUBIC,
} interpolation;

/// The keys of one property of one node. No keys (count 0): the property keeps its rest value.
typedef struct track {
    const float *times;  // [count]
    const float *values; // [count][width], or [count][3][width]: in-tangent, value, out-tangent
    int count;
    int width;
    interpolation mode;
    int cursor; // the key at or before the frame that is being sampled
} track;

/// All tracks of an animation, by slot (see ami_glb_node).
typedef struct tracks {
    track *translations, *rotations; // [slot_count]
    int slot_count;
    bool smooth; // some track has curves between its keys
} tracks;

// ---------------------------------------------------------------------------------------------
// Reading channels

static am_result check_keys(const track *t, const ami_glb *glb, const am_json *sampler, int value_count,
                            am_error *err)
{
    int wanted = t->mode == INTERPOLATE_CUBIC ? 3 : 1;
    if (value_count / wanted != t->count || value_count % wanted != 0) {
        return am_json_fail(glb->doc, sampler, AM_ERR_FORMAT, err,
                            "a sampler has %d times and %d values, which do not match", t->count, value_count);
    }
    for (int i = 1; i < t->count; i++) {
        if (!(t->times[i] >= t->times[i - 1])) {
            return am_json_fail(glb->doc, sampler, AM_ERR_FORMAT, err, "key times of a sampler go back at key %d", i);
        }
    }
    return AM_OK;
}

static am_result read_track(track *out, ami_glb *glb, const am_json *sampler, int width, am_error *err)
{
    static const char *const modes[] = { "LINEAR", "STEP", "CUBICSPLINE" };
    int mode = INTERPOLATE_LINEAR;
    ami_glb_array times, values;
    am_result result = am_json_read_choice(glb->doc, sampler, "interpolation", false, &mode, modes, 3, err);
    if (result == AM_OK) {
        result = ami_glb_floats(&times, glb, sampler, "input", 1, err);
    }
    if (result == AM_OK) {
        result = ami_glb_floats(&values, glb, sampler, "output", width, err);
    }
    if (result != AM_OK) {
        return result;
    }
    *out = (track){ times.values, values.values, times.count, width, (interpolation)mode, 0 };
    return check_keys(out, glb, sampler, values.count, err);
}

/// A scale that changes cannot be kept; one that only repeats the rest scale is harmless, and common.
static am_result check_scale_track(ami_glb *glb, const ami_glb_rig *rig, const am_json *sampler, int node,
                                   am_error *err)
{
    if (!ami_glb_scale_matters(rig, node)) {
        return AM_OK;
    }
    track t;
    am_result result = read_track(&t, glb, sampler, 3, err);
    if (result != AM_OK) {
        return result;
    }
    float rest = rig->nodes[node].scale;
    int step = t.mode == INTERPOLATE_CUBIC ? 9 : 3;
    for (int i = 0; i < t.count * 3; i++) {
        float value = t.values[i / 3 * step + i % 3 + (step == 9 ? 3 : 0)];
        if (!(am_abs(value - rest) <= 1e-3f * rest)) {
            return am_json_fail(glb->doc, sampler, AM_ERR_SUPPORT, err,
                                "the scale of node %d is animated (%g, at rest %g); bake it before exporting", node,
                                (double)value, (double)rest);
        }
    }
    return AM_OK;
}

static am_result read_channel(tracks *all, ami_glb *glb, const ami_glb_rig *rig, const am_json *channel,
                              const ami_glb_list *samplers, am_error *err)
{
    const am_json *target = am_json_get(channel, "target");
    if (!target || target->type != AM_JSON_OBJECT) {
        return am_json_fail(glb->doc, channel, AM_ERR_KEY, err, "an animation channel has no target");
    }
    const am_json *node = am_json_get(target, "node"); // was checked when the rig was built
    const char *path = "";
    int sampler = 0;
    am_result result = am_json_read_string(glb->doc, target, "path", true, &path, err);
    if (result == AM_OK) {
        result = am_json_read_int(glb->doc, channel, "sampler", true, &sampler, 0, samplers->count - 1, err);
    }
    int slot = node ? rig->nodes[(int)node->number].slot : -1;
    if (result != AM_OK || slot < 0 || !samplers->items) {
        return result; // not a joint: a camera, a light, a prop
    }
    const am_json *source = samplers->items[sampler];
    if (strcmp(path, "scale") == 0) {
        return check_scale_track(glb, rig, source, (int)node->number, err);
    }
    bool rotation = strcmp(path, "rotation") == 0;
    if (!rotation && strcmp(path, "translation") != 0) {
        return AM_OK; // "weights" shape the mesh
    }
    track *t = rotation ? &all->rotations[slot] : &all->translations[slot];
    if (t->count > 0) {
        return am_json_fail(glb->doc, channel, AM_ERR_FORMAT, err, "two channels for the %s of node %d", path,
                            (int)node->number);
    }
    result = read_track(t, glb, source, rotation ? 4 : 3, err);
    all->smooth = all->smooth || t->mode == INTERPOLATE_CUBIC;
    return result;
}

static am_result list_objects(ami_glb_list *out, ami_glb *glb, const am_json *animation, const char *key,
                              am_error *err)
{
    const am_json *array = am_json_get(animation, key);
    if (!array || array->type != AM_JSON_ARRAY) {
        return am_json_fail(glb->doc, animation, AM_ERR_KEY, err, "an animation has no array '%s'", key);
    }
    return ami_glb_list_objects(out, glb, array, &glb->scratch, err);
}

static am_result read_tracks(tracks *all, ami_glb *glb, const ami_glb_rig *rig, const am_json *animation,
                             am_error *err)
{
    *all = (tracks){ .slot_count = rig->joint_count + rig->chain_count };
    size_t size = (size_t)all->slot_count * sizeof(track);
    all->translations = ami_arena_get(&glb->scratch, size);
    all->rotations = ami_arena_get(&glb->scratch, size);
    if (!all->translations || !all->rotations) {
        return ami_fail_memory(err, size);
    }
    ami_glb_list channels = { 0 }, samplers = { 0 };
    am_result result = list_objects(&channels, glb, animation, "channels", err);
    if (result == AM_OK) {
        result = list_objects(&samplers, glb, animation, "samplers", err);
    }
    for (int c = 0; c < channels.count && result == AM_OK; c++) {
        result = read_channel(all, glb, rig, channels.items[c], &samplers, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Sampling

static void interpolate_cubic(const track *t, float span, float u, float *out)
{
    size_t width = (size_t)t->width;
    const float *a = t->values + (size_t)t->cursor * 3 * width; // in-tangent, value, out-tangent
    const float *b = a + 3 * width;
    float u2 = u * u, u3 = u2 * u;
    for (size_t i = 0; i < width; i++) {
        float from = a[width + i], leave = a[2 * width + i];
        float to = b[width + i], arrive = b[i];
        out[i] = (2.0f * u3 - 3.0f * u2 + 1.0f) * from + span * (u3 - 2.0f * u2 + u) * leave +
                 (-2.0f * u3 + 3.0f * u2) * to + span * (u3 - u2) * arrive;
    }
}

static void interpolate_linear(const track *t, float u, float *out)
{
    const float *a = t->values + (size_t)t->cursor * (size_t)t->width;
    const float *b = a + t->width;
    if (t->width == 4) {
        am_quat from = ami_unit_quat(am_q(a[0], a[1], a[2], a[3]));
        am_quat to = ami_unit_quat(am_q(b[0], b[1], b[2], b[3]));
        am_quat q = am_quat_slerp(from, to, u);
        memcpy(out, &q, sizeof q);
        return;
    }
    for (int i = 0; i < t->width; i++) {
        out[i] = am_lerp(a[i], b[i], u);
    }
}

/// The track's value at a time, which must not go back from call to call. A key within `slack` seconds is the value.
static void sample(track *t, double time, double slack, float *out)
{
    while (t->cursor + 1 < t->count && (double)t->times[t->cursor + 1] <= time + slack) {
        t->cursor++;
    }
    double from = (double)t->times[t->cursor];
    if (time <= from + slack || t->cursor + 1 == t->count || t->mode == INTERPOLATE_STEP) {
        size_t at = t->mode == INTERPOLATE_CUBIC ? (size_t)t->cursor * 3 + 1 : (size_t)t->cursor;
        memcpy(out, t->values + at * (size_t)t->width, (size_t)t->width * sizeof(float));
        return;
    }
    double span = (double)t->times[t->cursor + 1] - from;
    float u = (float)((time - from) / span);
    if (t->mode == INTERPOLATE_CUBIC) {
        interpolate_cubic(t, (float)span, u, out);
    } else {
        interpolate_linear(t, u, out);
    }
}

/// A node's local transform at a time, lengths multiplied by `scale`.
static am_transform sample_node(tracks *all, const ami_glb_node *node, float scale, double time, double slack)
{
    am_transform local = node->local;
    track *rotation = &all->rotations[node->slot];
    track *translation = &all->translations[node->slot];
    float values[4];
    if (rotation->count > 0) {
        sample(rotation, time, slack, values);
        local.rotation = ami_unit_quat(am_q(values[0], values[1], values[2], values[3]));
    }
    if (translation->count > 0) {
        sample(translation, time, slack, values);
        local.translation = am_v3(values[0], values[1], values[2]);
    }
    local.translation = am_v3_scale(local.translation, scale);
    return local;
}

static bool chain_is_animated(const tracks *all, const ami_glb_rig *rig)
{
    for (int slot = rig->joint_count; slot < all->slot_count; slot++) {
        if (all->translations[slot].count > 0 || all->rotations[slot].count > 0) {
            return true;
        }
    }
    return false;
}

/// True when a joint's translation leaves its offset by more than a millionth of the skeleton's longest bone: many
/// exporters key every translation.
static bool joint_moves(const track *t, am_vec3 rest, float tolerance)
{
    if (t->mode == INTERPOLATE_CUBIC) {
        return t->count > 0;
    }
    for (int i = 0; i < t->count; i++) {
        am_vec3 at = am_v3(t->values[3 * i], t->values[3 * i + 1], t->values[3 * i + 2]);
        if (!(am_v3_length(am_v3_sub(at, rest)) <= tolerance)) {
            return true;
        }
    }
    return false;
}

static int find_moving(int16_t *moving, const tracks *all, const ami_glb_rig *rig)
{
    float longest = 0.0f;
    for (int j = 1; j < rig->joint_count; j++) {
        longest = am_max(longest, am_v3_length(rig->nodes[rig->joint_nodes[j]].local.translation));
    }
    int count = 0;
    if (all->translations[0].count > 0 || chain_is_animated(all, rig)) {
        moving[count++] = 0;
    }
    for (int j = 1; j < rig->joint_count; j++) {
        if (joint_moves(&all->translations[j], rig->nodes[rig->joint_nodes[j]].local.translation, 1e-6f * longest)) {
            moving[count++] = (int16_t)j;
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// The clip

/// Joint 0 carries the nodes above it.
static am_transform sample_root(tracks *all, const ami_glb_rig *rig, double time, double slack, bool chain_moves)
{
    am_transform local = sample_node(all, &rig->nodes[rig->root], rig->joint_scales[0], time, slack);
    if (rig->chain_count == 0) {
        return local;
    }
    am_transform above = rig->above;
    for (int i = 0; chain_moves && i < rig->chain_count; i++) {
        am_transform next = sample_node(all, &rig->nodes[rig->chain[i]], rig->chain_scales[i], time, slack);
        above = i == 0 ? next : am_transform_mul(above, next);
    }
    local = am_transform_mul(above, local);
    local.rotation = ami_unit_quat(local.rotation);
    return local;
}

static am_result fill_frames(am_clip *clip, tracks *all, const ami_glb_rig *rig, const ami_rate *rate, am_error *err)
{
    bool chain_moves = chain_is_animated(all, rig);
    double slack = AMI_RATE_SLACK / (double)rate->fps;
    for (int f = 0; f < clip->frame_count; f++) {
        double time = rate->first + (double)f / (double)rate->fps;
        am_quat *rotations = clip->rotations + (size_t)f * (size_t)rig->joint_count;
        am_vec3 *translations = clip->translations + (size_t)f * (size_t)clip->moving_count;
        int m = 0;
        for (int j = 0; j < rig->joint_count; j++) {
            am_transform local =
                j == 0 ? sample_root(all, rig, time, slack, chain_moves)
                       : sample_node(all, &rig->nodes[rig->joint_nodes[j]], rig->joint_scales[j], time, slack);
            if (!ami_is_rigid(local)) {
                return ami_fail(err, AM_ERR_NUMBER, "joint %s has no finite rotation or position at %g s",
                                rig->names[j], time);
            }
            rotations[j] = local.rotation;
            if (m < clip->moving_count && clip->moving[m] == j) {
                translations[m++] = local.translation;
            }
        }
    }
    return AM_OK;
}

static am_result find_rate(ami_rate *out, ami_glb *glb, const tracks *all, const am_json *animation, am_error *err)
{
    size_t size = 2 * (size_t)all->slot_count * sizeof(ami_keys);
    ami_keys *keys = ami_arena_get(&glb->scratch, size);
    if (!keys) {
        return ami_fail_memory(err, size);
    }
    int count = 0;
    for (int s = 0; s < all->slot_count; s++) {
        keys[count++] = (ami_keys){ all->translations[s].times, all->translations[s].count };
        keys[count++] = (ami_keys){ all->rotations[s].times, all->rotations[s].count };
    }
    const am_json *extras = am_json_get(animation, "extras");
    const am_json *fps = extras && extras->type == AM_JSON_OBJECT ? am_json_get(extras, AMI_GLB_FPS_KEY) : NULL;
    float stated = fps && fps->type == AM_JSON_NUMBER && fps->number < 1e6 ? (float)fps->number : 0.0f;
    *out = ami_rate_find(keys, count, stated, all->smooth);
    if (!(out->frames <= (double)glb->def->max_frames)) {
        return am_json_fail(glb->doc, animation, AM_ERR_LIMIT, err, "%g s at %g Hz are more than %d frames",
                            out->last - out->first, (double)out->fps, glb->def->max_frames);
    }
    return AM_OK;
}

static void name_clip(char *out, size_t size, const ami_glb *glb, const am_json *animation, int index)
{
    const am_json *name = animation ? am_json_get(animation, "name") : NULL;
    if (name && name->type == AM_JSON_STRING && name->string[0]) {
        snprintf(out, size, "%s", name->string);
        return;
    }
    char stem[192];
    ami_file_stem(stem, sizeof stem, glb->def->file);
    if (glb->animations.count > 1) {
        snprintf(out, size, "%s_%d", stem, index);
    } else {
        snprintf(out, size, "%s", stem);
    }
}

static am_clip_def describe(const ami_glb *glb, const ami_glb_rig *rig)
{
    am_clip_def def = am_clip_def_default();
    def.alloc = glb->def->alloc;
    def.joint_count = rig->joint_count;
    def.end_count = rig->end_count;
    def.parents = rig->parents;
    def.offsets = rig->offsets;
    def.rests = rig->rests;
    def.names = rig->names;
    def.end_joints = rig->end_joints;
    def.end_offsets = rig->end_offsets;
    return def;
}

am_result ami_glb_clip(am_clip **out, ami_glb *glb, const ami_glb_rig *rig, const am_json *animation, int index,
                       am_error *err)
{
    char name[256];
    name_clip(name, sizeof name, glb, animation, index);
    am_clip_def def = describe(glb, rig);
    def.name = name;
    *out = NULL;
    if (!animation) {
        return am_clip_create(out, &def, err);
    }
    tracks all;
    ami_rate rate = { 0 };
    int16_t moving[AM_MAX_JOINTS];
    am_result result = read_tracks(&all, glb, rig, animation, err);
    if (result == AM_OK) {
        result = find_rate(&rate, glb, &all, animation, err);
    }
    if (result != AM_OK) {
        return result;
    }
    def.frame_count = (int)rate.frames;
    def.fps = rate.fps;
    def.moving_count = find_moving(moving, &all, rig);
    def.moving = moving;
    result = am_clip_create(out, &def, err);
    if (result == AM_OK) {
        result = fill_frames(*out, &all, rig, &rate, err);
    }
    if (result != AM_OK) {
        am_clip_destroy(*out);
        *out = NULL;
    }
    return result;
}

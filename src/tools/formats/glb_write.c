// Writes clips as one GLB: the skeleton as nodes and a skin, a figure to look at, one animation for each clip.
//
// The file: header, JSON chunk, binary chunk. Buffer views, in order: inverse bind matrices; positions, normals,
// joints and weights of the figure; then all animation data. Node j is joint j; end sites follow as leaf bones that
// carry a mark in `extras`, then the node that holds the mesh.
#include "formats/glb.h"

#include "base/bytes.h"
#include "base/error.h"
#include "formats/defs.h"
#include "formats/glb_mesh.h"

#include <stdio.h>
#include <string.h>

enum { FLOAT = 5126, UBYTE = 5121, USHORT = 5123, ARRAY_BUFFER = 34962 };
enum { VIEW_BINDS, VIEW_POSITIONS, VIEW_NORMALS, VIEW_JOINTS, VIEW_WEIGHTS, VIEW_ANIMATION, VIEW_COUNT };

/// One item of the JSON's "accessors".
typedef struct accessor {
    int view;
    size_t at; // within the view
    int component;
    int count;
    const char *type;
    int bounds; // how many components of min and max to write
    float min[3], max[3];
} accessor;

/// One channel of an animation, with the sampler it alone uses.
typedef struct channel {
    int input, output; // accessors
    int node;
    bool translation;
} channel;

typedef struct writer {
    const am_clip *const *clips;
    int clip_count;
    const am_skeleton *skeleton;
    am_alloc alloc;
    ami_arena arena;
    am_bytes bin;
    size_t view_at[VIEW_COUNT + 1];
    accessor *accessors;
    int accessor_count;
    channel *channels;
    int *channel_starts; // [clip + 1]
    am_transform *rest;  // model space
    float unit_m;
    am_error *err;
    bool failed; // an allocation did
} writer;

// ---------------------------------------------------------------------------------------------
// Binary data

static int add_accessor(writer *w, int view, int component, int count, const char *type)
{
    w->accessors[w->accessor_count] = (accessor){
        .view = view, .at = w->bin.size - w->view_at[view], .component = component, .count = count, .type = type
    };
    return w->accessor_count++;
}

static void put_floats(writer *w, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        w->failed = !ami_put_f32(&w->bin, values[i]) || w->failed;
    }
}

static void begin_view(writer *w, int view)
{
    w->failed = !ami_put_align(&w->bin, 4) || w->failed;
    w->view_at[view] = w->bin.size;
}

/// Inverse of the model-space rest transform of each bone, as a matrix in columns.
static void put_bind(writer *w, am_transform rest)
{
    am_transform inverse = am_transform_inv(rest);
    am_vec3 columns[4] = { am_quat_rotate(inverse.rotation, am_v3(1.0f, 0.0f, 0.0f)),
                           am_quat_rotate(inverse.rotation, am_v3(0.0f, 1.0f, 0.0f)),
                           am_quat_rotate(inverse.rotation, am_v3(0.0f, 0.0f, 1.0f)), inverse.translation };
    for (int c = 0; c < 4; c++) {
        float column[4] = { columns[c].x, columns[c].y, columns[c].z, c == 3 ? 1.0f : 0.0f };
        put_floats(w, column, 4);
    }
}

static void put_binds(writer *w)
{
    const am_skeleton *s = w->skeleton;
    begin_view(w, VIEW_BINDS);
    add_accessor(w, VIEW_BINDS, FLOAT, s->joint_count + s->end_count, "MAT4");
    for (int j = 0; j < s->joint_count; j++) {
        put_bind(w, w->rest[j]);
    }
    for (int e = 0; e < s->end_count; e++) {
        am_transform tip = w->rest[s->end_joints[e]];
        tip.translation = am_transform_point(tip, s->end_offsets[e]);
        put_bind(w, tip);
    }
}

static void put_mesh(writer *w, const ami_glb_mesh *mesh)
{
    int n = mesh->corner_count;
    begin_view(w, VIEW_POSITIONS);
    accessor *positions = &w->accessors[add_accessor(w, VIEW_POSITIONS, FLOAT, n, "VEC3")];
    positions->bounds = 3;
    memcpy(positions->min, &mesh->min, sizeof mesh->min);
    memcpy(positions->max, &mesh->max, sizeof mesh->max);
    put_floats(w, &mesh->positions[0].x, (size_t)n * 3);
    begin_view(w, VIEW_NORMALS);
    add_accessor(w, VIEW_NORMALS, FLOAT, n, "VEC3");
    put_floats(w, &mesh->normals[0].x, (size_t)n * 3);
    bool wide = w->skeleton->joint_count > 256;
    begin_view(w, VIEW_JOINTS);
    add_accessor(w, VIEW_JOINTS, wide ? USHORT : UBYTE, n, "VEC4");
    for (int i = 0; i < n; i++) {
        uint16_t joint = (uint16_t)mesh->joints[i];
        bool ok = wide ? ami_put_u16(&w->bin, joint) && ami_put_zeros(&w->bin, 6)
                       : ami_put_u8(&w->bin, (uint8_t)joint) && ami_put_zeros(&w->bin, 3);
        w->failed = !ok || w->failed;
    }
    begin_view(w, VIEW_WEIGHTS);
    add_accessor(w, VIEW_WEIGHTS, UBYTE, n, "VEC4");
    for (int i = 0; i < n; i++) {
        w->failed = !ami_put_u32(&w->bin, 255) || w->failed; // all of the weight on the one joint
    }
}

// ---------------------------------------------------------------------------------------------
// Animation data

static int put_times(writer *w, const am_clip *clip, int count)
{
    int index = add_accessor(w, VIEW_ANIMATION, FLOAT, count, "SCALAR");
    float last = 0.0f;
    for (int f = 0; f < count; f++) {
        last = (float)((double)f / (double)clip->fps);
        put_floats(w, &last, 1);
    }
    w->accessors[index].bounds = 1;
    w->accessors[index].max[0] = last;
    return index;
}

static void add_channel(writer *w, int clip, int input, int output, int node, bool translation)
{
    int at = w->channel_starts[clip + 1]++;
    w->channels[at] = (channel){ input, output, node, translation };
}

/// Values that are not rotations are written as the identity: glTF requires a rotation.
static am_quat written_quat(am_quat q)
{
    q = ami_unit_quat(q);
    return ami_is_unit(q) ? q : am_quat_identity();
}

static bool same_quat(am_quat a, am_quat b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
static bool same_v3(am_vec3 a, am_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool rotation_stands(const am_clip *clip, int joint)
{
    size_t joints = (size_t)clip->skeleton->joint_count;
    for (int f = 1; f < clip->frame_count; f++) {
        if (!same_quat(clip->rotations[(size_t)f * joints + (size_t)joint], clip->rotations[joint])) {
            return false;
        }
    }
    return true;
}

/// Rotations of one joint. A joint that stands still gets one key, and none when that is its rest rotation; joint 0
/// always gets all of them, so that the number of frames survives.
static void put_rotations(writer *w, int index, int joint, int times, int *one_time)
{
    const am_clip *clip = w->clips[index];
    bool stands = joint > 0 && rotation_stands(clip, joint);
    if (stands && same_quat(clip->rotations[joint], w->skeleton->rests[joint])) {
        return;
    }
    if (stands && *one_time < 0) {
        *one_time = put_times(w, clip, 1);
    }
    int count = stands ? 1 : clip->frame_count;
    int output = add_accessor(w, VIEW_ANIMATION, FLOAT, count, "VEC4");
    size_t joints = (size_t)clip->skeleton->joint_count;
    for (int f = 0; f < count; f++) {
        am_quat q = written_quat(clip->rotations[(size_t)f * joints + (size_t)joint]);
        put_floats(w, (const float[4]){ q.x, q.y, q.z, q.w }, 4);
    }
    add_channel(w, index, stands ? *one_time : times, output, joint, false);
}

static void put_moving(writer *w, int index, int moving, int times)
{
    const am_clip *clip = w->clips[index];
    int output = add_accessor(w, VIEW_ANIMATION, FLOAT, clip->frame_count, "VEC3");
    for (int f = 0; f < clip->frame_count; f++) {
        put_floats(w, &clip->translations[(size_t)f * (size_t)clip->moving_count + (size_t)moving].x, 3);
    }
    add_channel(w, index, times, output, clip->moving[moving], true);
}

/// A clip whose own bones differ from the first clip's says so with one key.
static void put_offset(writer *w, int index, int joint, int *one_time)
{
    const am_clip *clip = w->clips[index];
    if (same_v3(clip->skeleton->offsets[joint], w->skeleton->offsets[joint])) {
        return;
    }
    if (*one_time < 0) {
        *one_time = put_times(w, clip, 1);
    }
    int output = add_accessor(w, VIEW_ANIMATION, FLOAT, 1, "VEC3");
    put_floats(w, &clip->skeleton->offsets[joint].x, 3);
    add_channel(w, index, *one_time, output, joint, true);
}

static void put_animations(writer *w)
{
    begin_view(w, VIEW_ANIMATION);
    for (int c = 0; c < w->clip_count; c++) {
        const am_clip *clip = w->clips[c];
        w->channel_starts[c + 1] = w->channel_starts[c];
        if (clip->frame_count == 0) {
            continue;
        }
        int one_time = -1;
        int times = put_times(w, clip, clip->frame_count);
        int m = 0;
        for (int j = 0; j < w->skeleton->joint_count; j++) {
            put_rotations(w, c, j, times, &one_time);
            if (m < clip->moving_count && clip->moving[m] == j) {
                put_moving(w, c, m++, times);
            } else {
                put_offset(w, c, j, &one_time);
            }
        }
    }
    w->view_at[VIEW_COUNT] = w->bin.size;
}

// ---------------------------------------------------------------------------------------------
// JSON

static void json_numbers(am_json_writer *json, const char *key, const float *values, int count)
{
    am_json_begin_array(json, key);
    for (int i = 0; i < count; i++) {
        am_json_number(json, NULL, (double)values[i]);
    }
    am_json_end_array(json);
}

static void json_children(am_json_writer *json, const am_skeleton *s, int joint)
{
    bool open = false;
    int total = s->joint_count + s->end_count;
    for (int n = joint + 1; n < total; n++) {
        int parent = n < s->joint_count ? s->parents[n] : s->end_joints[n - s->joint_count];
        if (parent == joint) {
            if (!open) {
                am_json_begin_array(json, "children");
                open = true;
            }
            am_json_integer(json, NULL, n);
        }
    }
    if (open) {
        am_json_end_array(json);
    }
}

static void json_joint(am_json_writer *json, const am_skeleton *s, int j)
{
    am_json_begin_object(json, NULL);
    am_json_string(json, "name", s->names[j]);
    if (!same_v3(s->offsets[j], am_v3_zero())) {
        json_numbers(json, "translation", &s->offsets[j].x, 3);
    }
    if (!same_quat(s->rests[j], am_quat_identity())) {
        am_quat rest = written_quat(s->rests[j]);
        json_numbers(json, "rotation", (const float[4]){ rest.x, rest.y, rest.z, rest.w }, 4);
    }
    json_children(json, s, j);
    am_json_end_object(json);
}

static void json_nodes(am_json_writer *json, const am_skeleton *s)
{
    am_json_begin_array(json, "nodes");
    for (int j = 0; j < s->joint_count; j++) {
        json_joint(json, s, j);
    }
    for (int e = 0; e < s->end_count; e++) {
        char name[256];
        snprintf(name, sizeof name, "%.200s_end%d", s->names[s->end_joints[e]], e);
        am_json_begin_object(json, NULL);
        am_json_string(json, "name", name);
        json_numbers(json, "translation", &s->end_offsets[e].x, 3);
        am_json_begin_object(json, "extras");
        am_json_bool(json, AMI_GLB_END_KEY, true);
        am_json_end_object(json);
        am_json_end_object(json);
    }
    am_json_begin_object(json, NULL);
    am_json_string(json, "name", "figure");
    am_json_integer(json, "mesh", 0);
    am_json_integer(json, "skin", 0);
    am_json_end_object(json);
    am_json_end_array(json);
}

static void json_head(am_json_writer *json, const am_skeleton *s, float unit_m)
{
    am_json_begin_object(json, "asset");
    am_json_string(json, "version", "2.0");
    am_json_string(json, "generator", "Amble");
    if (unit_m != 0.0f) {
        am_json_begin_object(json, "extras");
        am_json_number(json, AMI_GLB_UNIT_KEY, unit_m > 0.0f ? (double)unit_m : 0.0);
        am_json_end_object(json);
    }
    am_json_end_object(json);
    am_json_integer(json, "scene", 0);
    am_json_begin_array(json, "scenes");
    am_json_begin_object(json, NULL);
    am_json_begin_array(json, "nodes");
    am_json_integer(json, NULL, 0);
    am_json_integer(json, NULL, s->joint_count + s->end_count);
    am_json_end_array(json);
    am_json_end_object(json);
    am_json_end_array(json);
}

static void json_figure(am_json_writer *json, const am_skeleton *s)
{
    static const float colour[4] = { 0.85f, 0.62f, 0.32f, 1.0f };
    am_json_begin_array(json, "skins");
    am_json_begin_object(json, NULL);
    am_json_integer(json, "inverseBindMatrices", 0);
    am_json_integer(json, "skeleton", 0);
    am_json_begin_array(json, "joints");
    for (int n = 0; n < s->joint_count + s->end_count; n++) {
        am_json_integer(json, NULL, n);
    }
    am_json_end_array(json);
    am_json_end_object(json);
    am_json_end_array(json);
    am_json_begin_array(json, "materials");
    am_json_begin_object(json, NULL);
    am_json_string(json, "name", "bones");
    am_json_begin_object(json, "pbrMetallicRoughness");
    json_numbers(json, "baseColorFactor", colour, 4);
    am_json_number(json, "metallicFactor", 0.0);
    am_json_number(json, "roughnessFactor", 0.75);
    am_json_end_object(json);
    am_json_end_object(json);
    am_json_end_array(json);
    am_json_begin_array(json, "meshes");
    am_json_begin_object(json, NULL);
    am_json_string(json, "name", "figure");
    am_json_begin_array(json, "primitives");
    am_json_begin_object(json, NULL);
    am_json_begin_object(json, "attributes");
    am_json_integer(json, "POSITION", 1);
    am_json_integer(json, "NORMAL", 2);
    am_json_integer(json, "JOINTS_0", 3);
    am_json_integer(json, "WEIGHTS_0", 4);
    am_json_end_object(json);
    am_json_integer(json, "material", 0);
    am_json_end_object(json);
    am_json_end_array(json);
    am_json_end_object(json);
    am_json_end_array(json);
}

static void json_animation(am_json_writer *json, const writer *w, int clip)
{
    int first = w->channel_starts[clip];
    int end = w->channel_starts[clip + 1];
    am_json_begin_object(json, NULL);
    if (w->clips[clip]->name[0]) {
        am_json_string(json, "name", w->clips[clip]->name);
    }
    am_json_begin_array(json, "samplers");
    for (int c = first; c < end; c++) {
        am_json_begin_object(json, NULL);
        am_json_integer(json, "input", w->channels[c].input);
        am_json_integer(json, "output", w->channels[c].output);
        am_json_end_object(json);
    }
    am_json_end_array(json);
    am_json_begin_array(json, "channels");
    for (int c = first; c < end; c++) {
        am_json_begin_object(json, NULL);
        am_json_integer(json, "sampler", c - first);
        am_json_begin_object(json, "target");
        am_json_integer(json, "node", w->channels[c].node);
        am_json_string(json, "path", w->channels[c].translation ? "translation" : "rotation");
        am_json_end_object(json);
        am_json_end_object(json);
    }
    am_json_end_array(json);
    am_json_begin_object(json, "extras");
    am_json_number(json, AMI_GLB_FPS_KEY, (double)w->clips[clip]->fps);
    am_json_end_object(json);
    am_json_end_object(json);
}

static void json_animations(am_json_writer *json, const writer *w)
{
    if (w->channel_starts[w->clip_count] == 0) {
        return; // a skeleton alone; glTF has no empty arrays
    }
    am_json_begin_array(json, "animations");
    for (int c = 0; c < w->clip_count; c++) {
        if (w->channel_starts[c + 1] > w->channel_starts[c]) {
            json_animation(json, w, c);
        }
    }
    am_json_end_array(json);
}

static void json_accessors(am_json_writer *json, const writer *w)
{
    am_json_begin_array(json, "accessors");
    for (int i = 0; i < w->accessor_count; i++) {
        const accessor *a = &w->accessors[i];
        am_json_begin_object(json, NULL);
        am_json_integer(json, "bufferView", a->view);
        if (a->at > 0) {
            am_json_integer(json, "byteOffset", (int64_t)a->at);
        }
        am_json_integer(json, "componentType", a->component);
        if (a->view == VIEW_WEIGHTS) {
            am_json_bool(json, "normalized", true);
        }
        am_json_integer(json, "count", a->count);
        am_json_string(json, "type", a->type);
        if (a->bounds) {
            json_numbers(json, "min", a->min, a->bounds);
            json_numbers(json, "max", a->max, a->bounds);
        }
        am_json_end_object(json);
    }
    am_json_end_array(json);
}

static void json_buffers(am_json_writer *json, const writer *w)
{
    am_json_begin_array(json, "bufferViews");
    for (int v = 0; v < VIEW_COUNT; v++) {
        size_t size = w->view_at[v + 1] - w->view_at[v];
        if (size == 0) {
            continue; // no animation: the last view is left out
        }
        am_json_begin_object(json, NULL);
        am_json_integer(json, "buffer", 0);
        am_json_integer(json, "byteOffset", (int64_t)w->view_at[v]);
        am_json_integer(json, "byteLength", (int64_t)size);
        if (v >= VIEW_POSITIONS && v <= VIEW_WEIGHTS) {
            am_json_integer(json, "target", ARRAY_BUFFER);
        }
        am_json_end_object(json);
    }
    am_json_end_array(json);
    am_json_begin_array(json, "buffers");
    am_json_begin_object(json, NULL);
    am_json_integer(json, "byteLength", (int64_t)w->bin.size);
    am_json_end_object(json);
    am_json_end_array(json);
}

// ---------------------------------------------------------------------------------------------
// The file

static am_result assemble(am_bytes *out, const writer *w, const char *text, size_t text_size)
{
    size_t json_size = (text_size + 3) / 4 * 4;
    size_t bin_size = (w->bin.size + 3) / 4 * 4;
    size_t total = 12 + 8 + json_size + 8 + bin_size;
    if (total > UINT32_MAX) {
        return ami_fail(w->err, AM_ERR_LIMIT,
                        "a GLB file holds at most 4 GB, but these clips need %zu bytes; write fewer clips", total);
    }
    *out = ami_bytes_make(&w->alloc);
    bool ok = ami_bytes_reserve(out, total) && ami_put_u32(out, AMI_GLB_MAGIC) && ami_put_u32(out, 2) &&
              ami_put_u32(out, (uint32_t)total) && ami_put_u32(out, (uint32_t)json_size) &&
              ami_put_u32(out, AMI_GLB_JSON) && ami_put(out, text, text_size) &&
              ami_put(out, "   ", json_size - text_size) && ami_put_u32(out, (uint32_t)bin_size) &&
              ami_put_u32(out, AMI_GLB_BIN) && ami_put(out, w->bin.data, w->bin.size) &&
              ami_put_zeros(out, bin_size - w->bin.size);
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(w->err, total);
    }
    return AM_OK;
}

static am_result write_json(am_bytes *out, const writer *w)
{
    am_json_writer *json = NULL;
    am_result result = am_json_writer_create(&json, 0, &w->alloc, w->err);
    if (result != AM_OK) {
        return result;
    }
    am_json_begin_object(json, NULL);
    json_head(json, w->skeleton, w->unit_m);
    json_nodes(json, w->skeleton);
    json_figure(json, w->skeleton);
    json_animations(json, w);
    json_accessors(json, w);
    json_buffers(json, w);
    am_json_end_object(json);
    size_t size = 0;
    const char *text = am_json_text(json, &size);
    result = text ? assemble(out, w, text, size) : ami_fail_memory(w->err, w->bin.size);
    am_json_writer_destroy(json);
    return result;
}

static am_result prepare(writer *w)
{
    const am_skeleton *s = w->skeleton;
    size_t joints = (size_t)s->joint_count;
    size_t clips = (size_t)w->clip_count;
    // A clip has times twice and at most a rotation and a translation for each joint.
    w->accessors = ami_arena_get(&w->arena, (5 + clips * (2 + 2 * joints)) * sizeof(accessor));
    w->channels = ami_arena_get(&w->arena, clips * 2 * joints * sizeof(channel));
    w->channel_starts = ami_arena_get(&w->arena, (clips + 1) * sizeof(int));
    w->rest = ami_arena_get(&w->arena, joints * sizeof(am_transform));
    if (!w->accessors || !w->channels || !w->channel_starts || !w->rest) {
        return ami_fail_memory(w->err, clips * joints * sizeof(accessor));
    }
    for (size_t j = 0; j < joints; j++) {
        w->rest[j].rotation = written_quat(s->rests[j]);
        w->rest[j].translation = s->offsets[j];
    }
    am_fk(w->rest, w->rest, s->parents, s->joint_count);
    return AM_OK;
}

static am_result write_clips(am_bytes *out, writer *w)
{
    am_result result = prepare(w);
    if (result != AM_OK) {
        return result;
    }
    ami_glb_mesh mesh;
    if (!ami_glb_mesh_make(&mesh, w->skeleton, w->rest, &w->alloc)) {
        return ami_fail_memory(w->err, mesh.block_size);
    }
    put_binds(w);
    put_mesh(w, &mesh);
    ami_glb_mesh_free(&mesh, &w->alloc);
    put_animations(w);
    return w->failed ? ami_fail_memory(w->err, w->bin.size) : write_json(out, w);
}

am_result am_glb_write(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_write_def_check(def, err);
    if (result == AM_OK) {
        result = ami_clips_check(clips, count, err);
    }
    if (result != AM_OK) {
        return result;
    }
    writer w = {
        .clips = clips, .clip_count = count, .skeleton = clips[0]->skeleton, .unit_m = def->unit_m, .err = err
    };
    w.alloc = ami_alloc_or_default(def->alloc);
    w.arena = ami_arena_make(&w.alloc);
    w.bin = ami_bytes_make(&w.alloc);
    result = write_clips(out, &w);
    am_bytes_free(&w.bin);
    ami_arena_free(&w.arena);
    return result;
}

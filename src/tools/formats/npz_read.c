// Reads clips from an .npz: `rotations` and `parents`, and `positions` or `offsets`, are required; names, ranges,
// rate, rest rotations and end sites have defaults. Other arrays are ignored.
#include <amble/tools/formats.h>

#include "base/error.h"
#include "base/utf8.h"
#include "formats/clips.h"
#include "formats/defs.h"
#include "formats/npy.h"
#include "formats/zip.h"

#include <stdio.h>
#include <string.h>

enum { max_ranges = 1 << 16, max_text = 200 };

typedef struct npz {
    const am_read_def *def;
    ami_arena arena;
    ami_zip zip;
    ami_npy positions, rotations; // positions.data is NULL when there are none
    size_t frames, joints;
    am_clip_def clip; // what all ranges share
    int16_t *moving;
    bool *moves; // [joint]
} npz;

// ---------------------------------------------------------------------------------------------
// Arrays

/// Loads an array, which must have `dims` dimensions of the sizes in `shape` (0: any). A missing one that is not
/// `required` leaves out->data NULL.
static am_result load(ami_npy *out, npz *in, const char *name, bool required, int dims, const size_t *shape,
                      am_error *err)
{
    char file[48];
    snprintf(file, sizeof file, "%s.npy", name);
    memset(out, 0, sizeof *out);
    const ami_zip_entry *entry = ami_zip_find(&in->zip, file);
    if (!entry) {
        return required ? ami_fail_at(err, AM_ERR_KEY, in->def->file, 0, "there is no array '%s' in the file", name)
                        : AM_OK;
    }
    const uint8_t *data = NULL;
    am_result result = ami_zip_extract(&data, &in->zip, entry, &in->arena, err);
    if (result == AM_OK) {
        result = ami_npy_parse(out, data, entry->size, name, err);
    }
    if (result != AM_OK) {
        return result;
    }
    bool fits = out->dims == dims;
    for (int d = 0; d < dims && fits; d++) {
        fits = shape[d] == 0 || shape[d] == out->shape[d];
    }
    if (!fits) {
        return ami_fail_at(err, AM_ERR_RANGE, in->def->file, (int64_t)entry->at,
                           "array '%s' has %d dimensions (%zu, %zu, %zu), which does not fit the others", name,
                           out->dims, out->shape[0], out->shape[1], out->shape[2]);
    }
    return AM_OK;
}

/// The same for numbers.
static am_result load_numbers(ami_npy *out, npz *in, const char *name, bool required, int dims, const size_t *shape,
                              am_error *err)
{
    am_result result = load(out, in, name, required, dims, shape, err);
    if (result == AM_OK && out->data && out->kind == 'U') {
        return ami_fail_at(err, AM_ERR_TYPE, in->def->file, 0, "array '%s' holds text where numbers are needed",
                           name);
    }
    return result;
}

static void *room(npz *in, size_t count, size_t size, am_result *result, am_error *err)
{
    void *block = count <= SIZE_MAX / 64 ? ami_arena_get(&in->arena, count * size) : NULL;
    if (!block && *result == AM_OK) {
        *result = ami_fail_memory(err, count * size);
    }
    return block;
}

static am_vec3 get_v3(const ami_npy *array, size_t i)
{
    return am_v3((float)ami_npy_number(array, 3 * i), (float)ami_npy_number(array, 3 * i + 1),
                 (float)ami_npy_number(array, 3 * i + 2));
}

/// Stored w x y z.
static am_quat get_quat(const ami_npy *array, size_t i)
{
    return ami_unit_quat(am_q((float)ami_npy_number(array, 4 * i + 1), (float)ami_npy_number(array, 4 * i + 2),
                              (float)ami_npy_number(array, 4 * i + 3), (float)ami_npy_number(array, 4 * i)));
}

static bool is_finite_v3(am_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/// A whole number in [lo, hi] of an array.
static am_result get_index(int *out, const npz *in, const ami_npy *array, const char *name, size_t i, int lo, int hi,
                           am_error *err)
{
    double value = ami_npy_number(array, i);
    if (!(value >= (double)lo) || !(value <= (double)hi)) {
        return ami_fail_at(err, AM_ERR_RANGE, in->def->file, 0, "item %zu of '%s' is %g; it must lie in %d to %d", i,
                           name, value, lo, hi);
    }
    *out = (int)value;
    return AM_OK;
}

/// Item i of a text array as UTF-8, cut to max_text bytes.
static char *get_text(npz *in, const ami_npy *array, size_t i, am_result *result, am_error *err)
{
    char *text = room(in, max_text + 20, 1, result, err); // and room for a number behind it
    size_t size = 0;
    for (size_t k = 0; text && size + 4 <= max_text; k++) {
        uint32_t c = ami_npy_char(array, i, k);
        if (c == 0) {
            break;
        }
        bool valid = c < 0xD800 || (c > 0xDFFF && c <= 0x10FFFF);
        size += (size_t)ami_utf8_encode(text + size, valid ? c : 0xFFFD);
    }
    return text;
}

// ---------------------------------------------------------------------------------------------
// The skeleton

static am_result read_parents(npz *in, am_error *err)
{
    ami_npy array;
    am_result result = load_numbers(&array, in, "parents", true, 1, (size_t[]){ in->joints }, err);
    int16_t *parents = result == AM_OK ? room(in, in->joints, sizeof *parents, &result, err) : NULL;
    for (size_t j = 0; j < in->joints && result == AM_OK; j++) {
        int parent = -1;
        result = get_index(&parent, in, &array, "parents", j, -1, (int)j - 1, err);
        parents[j] = (int16_t)parent;
    }
    in->clip.parents = parents;
    return result;
}

static bool is_taken(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static am_result read_names(npz *in, am_error *err)
{
    ami_npy array;
    am_result result = load(&array, in, "names", false, 1, (size_t[]){ in->joints }, err);
    if (result == AM_OK && array.data && array.kind != 'U') {
        return ami_fail_at(err, AM_ERR_TYPE, in->def->file, 0,
                           "'names' does not hold text; save it as an array of str");
    }
    const char **names = result == AM_OK ? room(in, in->joints, sizeof *names, &result, err) : NULL;
    for (size_t j = 0; j < in->joints && result == AM_OK; j++) {
        char *name = get_text(in, &array, j, &result, err);
        if (!name) {
            break;
        }
        size_t length = strlen(name);
        if (length == 0) {
            length = (size_t)snprintf(name, max_text, "joint_%zu", j);
        }
        for (int copy = 2; is_taken(names, j, name); copy++) {
            snprintf(name + length, 20, "_%d", copy);
        }
        names[j] = name;
    }
    in->clip.names = names;
    return result;
}

/// Offsets, or where there are none the first frame's positions.
static am_result read_offsets(npz *in, am_error *err)
{
    ami_npy array;
    am_result result = load_numbers(&array, in, "offsets", false, 2, (size_t[]){ in->joints, 3 }, err);
    if (result != AM_OK) {
        return result;
    }
    if (!array.data && (!in->positions.data || in->frames == 0)) {
        return ami_fail_at(err, AM_ERR_KEY, in->def->file, 0, "there is neither an array 'positions' nor 'offsets'");
    }
    am_vec3 *offsets = room(in, in->joints, sizeof *offsets, &result, err);
    for (size_t j = 0; j < in->joints && result == AM_OK; j++) {
        offsets[j] = get_v3(array.data ? &array : &in->positions, j);
        if (!is_finite_v3(offsets[j])) {
            return ami_fail_at(err, AM_ERR_NUMBER, in->def->file, 0, "the offset of joint %zu is not finite", j);
        }
    }
    in->clip.offsets = offsets;
    return result;
}

static am_result read_rests(npz *in, am_error *err)
{
    ami_npy array;
    am_result result = load_numbers(&array, in, "rests", false, 2, (size_t[]){ in->joints, 4 }, err);
    if (result != AM_OK || !array.data) {
        return result;
    }
    am_quat *rests = room(in, in->joints, sizeof *rests, &result, err);
    for (size_t j = 0; j < in->joints && result == AM_OK; j++) {
        rests[j] = get_quat(&array, j);
        if (!ami_is_unit(rests[j])) {
            return ami_fail_at(err, AM_ERR_NUMBER, in->def->file, 0,
                               "the rest rotation of joint %zu is not a rotation", j);
        }
    }
    in->clip.rests = rests;
    return result;
}

static am_result read_ends(npz *in, am_error *err)
{
    ami_npy joints, offsets;
    am_result result = load_numbers(&joints, in, "end_joints", false, 1, (size_t[]){ 0 }, err);
    if (result != AM_OK || !joints.data) {
        return result;
    }
    size_t count = joints.count;
    result = load_numbers(&offsets, in, "end_offsets", true, 2, (size_t[]){ 0, 3 }, err);
    if (result == AM_OK && (offsets.shape[0] != count || count > AM_MAX_JOINTS * 4)) {
        return ami_fail_at(err, AM_ERR_RANGE, in->def->file, 0, "%zu end sites but %zu offsets", count,
                           offsets.shape[0]);
    }
    int16_t *end_joints = result == AM_OK ? room(in, count, sizeof *end_joints, &result, err) : NULL;
    am_vec3 *end_offsets = result == AM_OK ? room(in, count, sizeof *end_offsets, &result, err) : NULL;
    for (size_t e = 0; e < count && result == AM_OK; e++) {
        int joint = 0;
        result = get_index(&joint, in, &joints, "end_joints", e, 0, (int)in->joints - 1, err);
        end_joints[e] = (int16_t)joint;
        end_offsets[e] = get_v3(&offsets, e);
        if (result == AM_OK && !is_finite_v3(end_offsets[e])) {
            return ami_fail_at(err, AM_ERR_NUMBER, in->def->file, 0, "the offset of end site %zu is not finite", e);
        }
    }
    in->clip.end_count = (int)count;
    in->clip.end_joints = end_joints;
    in->clip.end_offsets = end_offsets;
    return result;
}

static am_result read_fps(npz *in, am_error *err)
{
    const ami_zip_entry *entry = ami_zip_find(&in->zip, "fps.npy");
    if (!entry) {
        return AM_OK;
    }
    const uint8_t *data = NULL;
    ami_npy array;
    am_result result = ami_zip_extract(&data, &in->zip, entry, &in->arena, err);
    if (result == AM_OK) {
        result = ami_npy_parse(&array, data, entry->size, "fps", err);
    }
    if (result != AM_OK) {
        return result;
    }
    double fps = array.count == 1 && array.kind != 'U' ? ami_npy_number(&array, 0) : 0.0;
    if (!(fps > 0.0) || !(fps <= 100000.0)) {
        return ami_fail_at(err, AM_ERR_RANGE, in->def->file, (int64_t)entry->at, "'fps' must be one number above 0");
    }
    in->clip.fps = (float)fps;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Frames

static am_result read_shape(npz *in, am_error *err)
{
    am_result result = load_numbers(&in->rotations, in, "rotations", true, 3, (size_t[]){ 0, 0, 4 }, err);
    if (result != AM_OK) {
        return result;
    }
    in->frames = in->rotations.shape[0];
    in->joints = in->rotations.shape[1];
    if (in->joints < 1 || in->joints > (size_t)in->def->max_joints || in->frames > (size_t)in->def->max_frames) {
        return ami_fail_at(err, AM_ERR_LIMIT, in->def->file, 0, "%zu frames of %zu joints; at most %d of %d are read",
                           in->frames, in->joints, in->def->max_frames, in->def->max_joints);
    }
    return load_numbers(&in->positions, in, "positions", false, 3, (size_t[]){ in->frames, in->joints, 3 }, err);
}

/// Joint 0, and every joint whose position ever leaves its offset, has translations of its own.
static int find_moving(npz *in, size_t first, size_t stop)
{
    if (!in->positions.data) {
        return 0;
    }
    memset(in->moves, 0, in->joints * sizeof *in->moves);
    in->moves[0] = true;
    for (size_t f = first; f < stop; f++) {
        for (size_t j = 1; j < in->joints; j++) {
            am_vec3 p = get_v3(&in->positions, f * in->joints + j);
            am_vec3 o = in->clip.offsets[j];
            in->moves[j] = in->moves[j] || p.x != o.x || p.y != o.y || p.z != o.z;
        }
    }
    int count = 0;
    for (size_t j = 0; j < in->joints; j++) {
        if (in->moves[j]) {
            in->moving[count++] = (int16_t)j;
        }
    }
    return count;
}

static am_result fill(am_clip *clip, const npz *in, size_t first, am_error *err)
{
    size_t frames = (size_t)clip->frame_count;
    size_t moving = (size_t)clip->moving_count;
    for (size_t f = 0; f < frames; f++) {
        for (size_t j = 0; j < in->joints; j++) {
            am_quat q = get_quat(&in->rotations, (first + f) * in->joints + j);
            if (!ami_is_unit(q)) {
                return ami_fail_at(err, AM_ERR_NUMBER, in->def->file, 0,
                                   "the rotation of joint %zu in frame %zu is not a rotation", j, first + f);
            }
            clip->rotations[f * in->joints + j] = q;
        }
        for (size_t m = 0; m < moving; m++) {
            am_vec3 p = get_v3(&in->positions, (first + f) * in->joints + (size_t)clip->moving[m]);
            if (!is_finite_v3(p)) {
                return ami_fail_at(err, AM_ERR_NUMBER, in->def->file, 0,
                                   "the position of joint %d in frame %zu is not finite", clip->moving[m], first + f);
            }
            clip->translations[f * moving + m] = p;
        }
    }
    return AM_OK;
}

static am_result make_clip(am_clip **out, npz *in, size_t first, size_t stop, const char *name, am_error *err)
{
    am_clip_def def = in->clip;
    def.frame_count = (int)(stop - first);
    def.moving_count = find_moving(in, first, stop);
    def.moving = in->moving;
    def.name = name;
    am_result result = am_clip_create(out, &def, err);
    if (result == AM_OK) {
        result = fill(*out, in, first, err);
    }
    return result; // an unfinished clip is freed with the others
}

/// Where the clips lie; one for all frames when the file does not say.
typedef struct ranges {
    ami_npy starts, stops, names;
    size_t count;
    size_t taken; // frames of all ranges so far
} ranges;

static am_result read_ranges(ranges *out, npz *in, am_error *err)
{
    am_result result = load_numbers(&out->starts, in, "range_starts", false, 1, (size_t[]){ 0 }, err);
    out->count = out->starts.data ? out->starts.count : 1;
    if (result == AM_OK && out->starts.data) {
        result = load_numbers(&out->stops, in, "range_stops", true, 1, (size_t[]){ out->count }, err);
    }
    if (result == AM_OK) {
        result = load(&out->names, in, "range_names", false, 1, (size_t[]){ 0 }, err);
    }
    if (result != AM_OK) {
        return result;
    }
    if (out->count < 1 || out->count > max_ranges || out->stops.count != (out->starts.data ? out->count : 0)) {
        return ami_fail_at(err, AM_ERR_RANGE, in->def->file, 0, "%zu range_starts but %zu range_stops", out->count,
                           out->stops.count);
    }
    if (out->names.kind != 'U' || out->names.count != out->count) {
        out->names.data = NULL; // names are optional
    }
    return AM_OK;
}

static am_result read_range(am_clip **out, npz *in, ranges *all, size_t i, am_error *err)
{
    int first = 0, stop = (int)in->frames;
    am_result result = AM_OK;
    if (all->starts.data) {
        result = get_index(&first, in, &all->starts, "range_starts", i, 0, (int)in->frames, err);
        if (result == AM_OK) {
            result = get_index(&stop, in, &all->stops, "range_stops", i, first, (int)in->frames, err);
        }
    }
    // Ranges may overlap, but not so that a small file asks for any amount of memory.
    all->taken += (size_t)(stop - first);
    if (result == AM_OK && all->taken > 4 * in->frames) {
        return ami_fail_at(err, AM_ERR_LIMIT, in->def->file, 0,
                           "the ranges cover the frames more than four times over");
    }
    char stem[192];
    ami_file_stem(stem, sizeof stem, in->def->file);
    const char *name = all->names.data ? get_text(in, &all->names, i, &result, err) : stem;
    return result == AM_OK ? make_clip(out, in, (size_t)first, (size_t)stop, name, err) : result;
}

static am_result read_skeleton(npz *in, am_error *err)
{
    typedef am_result (*part_reader)(npz *, am_error *);
    static const part_reader parts[] = { read_shape, read_parents, read_names, read_offsets,
                                         read_rests, read_ends,    read_fps };
    in->clip = am_clip_def_default();
    in->clip.alloc = in->def->alloc;
    am_result result = AM_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && result == AM_OK; i++) {
        result = parts[i](in, err);
    }
    if (result == AM_OK) {
        in->clip.joint_count = (int)in->joints;
        in->moving = room(in, in->joints, sizeof *in->moving, &result, err);
        in->moves = room(in, in->joints, sizeof *in->moves, &result, err);
    }
    return result;
}

static am_result read_clips(am_clips *out, npz *in, am_error *err)
{
    ranges all = { 0 };
    am_result result = read_skeleton(in, err);
    if (result == AM_OK) {
        result = read_ranges(&all, in, err);
    }
    if (result != AM_OK) {
        return result;
    }
    out->items = ami_alloc_array(&out->alloc, all.count, sizeof *out->items);
    if (!out->items) {
        return ami_fail_memory(err, all.count * sizeof *out->items);
    }
    out->count = (int)all.count;
    for (size_t i = 0; i < all.count && result == AM_OK; i++) {
        result = read_range(&out->items[i], in, &all, i, err);
    }
    return result;
}

am_result am_npz_read(am_clips *out, const void *data, size_t size, const am_read_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_read_def_check(def, err);
    if (result != AM_OK) {
        return result;
    }
    out->alloc = ami_alloc_or_default(def->alloc);
    npz in = { .def = def, .arena = ami_arena_make(def->alloc) };
    result = ami_zip_open(&in.zip, data, size, def->file, &in.arena, err);
    if (result == AM_OK) {
        result = read_clips(out, &in, err);
    }
    ami_arena_free(&in.arena);
    if (result != AM_OK) {
        am_clips_free(out);
        ami_error_file(err, def->file);
    }
    return result;
}

// Writes clips as one .npz: all frames concatenated, with ranges, as is common in research code.
#include <amble/tools/formats.h>
#include <amble/tools/clip.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "formats/clips.h"
#include "formats/defs.h"
#include "formats/npy.h"
#include "formats/zip.h"

#include <string.h>

typedef struct npz {
    ami_zip_writer zip;
    am_bytes array; // the one that is being made
    bool failed;
    const am_clip *const *clips;
    int clip_count;
    const am_skeleton *skeleton;
    size_t frames, joints;
} npz;

static void begin(npz *out, const char *descr, const size_t *shape, int dims)
{
    out->array.size = 0; // keeps its room
    out->failed = out->failed || !ami_npy_begin(&out->array, descr, shape, dims);
}

static void end(npz *out, const char *name)
{
    if (!out->failed) {
        ami_zip_add(&out->zip, name, &out->array);
    }
}

static void put_f32(npz *out, float v) { out->failed = out->failed || !ami_put_f32(&out->array, v); }
static void put_i32(npz *out, int v) { out->failed = out->failed || !ami_put_u32(&out->array, (uint32_t)v); }

static void put_v3(npz *out, am_vec3 v)
{
    put_f32(out, v.x);
    put_f32(out, v.y);
    put_f32(out, v.z);
}

/// w first, as research code has it.
static void put_quat(npz *out, am_quat q)
{
    put_f32(out, q.w);
    put_f32(out, q.x);
    put_f32(out, q.y);
    put_f32(out, q.z);
}

// ---------------------------------------------------------------------------------------------
// Text

/// The next character; a byte that is not UTF-8 becomes U+FFFD.
static uint32_t next_char(const char **at)
{
    const char *end_of = *at + strlen(*at);
    int length = ami_utf8_length(*at, end_of);
    const unsigned char *p = (const unsigned char *)*at;
    *at += length > 0 ? length : 1;
    switch (length) {
    case 1:
        return p[0];
    case 2:
        return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
    case 3:
        return (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    case 4:
        return (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
    default:
        return 0xFFFD;
    }
}

static size_t count_chars(const char *text)
{
    size_t count = 0;
    for (const char *at = text; *at; count++) {
        next_char(&at);
    }
    return count;
}

/// texts[count] as fixed-width UTF-32.
static void put_texts(npz *out, const char *name, const char *const *texts, size_t count)
{
    size_t width = 1;
    for (size_t i = 0; i < count; i++) {
        size_t chars = count_chars(texts[i]);
        width = chars > width ? chars : width;
    }
    char descr[32] = "<U";
    am_bytes digits = ami_bytes_make(&out->array.alloc);
    out->failed = out->failed || !ami_put_format(&digits, "<U%zu", width) || digits.size >= sizeof descr;
    if (!out->failed) {
        memcpy(descr, digits.data, digits.size);
    }
    am_bytes_free(&digits);
    begin(out, descr, &count, 1);
    for (size_t i = 0; i < count; i++) {
        const char *at = texts[i];
        for (size_t k = 0; k < width; k++) {
            uint32_t c = *at ? next_char(&at) : 0;
            out->failed = out->failed || !ami_put_u32(&out->array, c);
        }
    }
    end(out, name);
}

// ---------------------------------------------------------------------------------------------
// Arrays

static void put_positions(npz *out)
{
    begin(out, "<f4", (size_t[]){ out->frames, out->joints, 3 }, 3);
    for (int c = 0; c < out->clip_count; c++) {
        const am_clip *clip = out->clips[c];
        for (int f = 0; f < clip->frame_count; f++) {
            const am_vec3 *moving = clip->translations + (size_t)f * (size_t)clip->moving_count;
            int m = 0;
            for (int j = 0; j < clip->skeleton->joint_count; j++) {
                bool moves = m < clip->moving_count && clip->moving[m] == j;
                put_v3(out, moves ? moving[m] : clip->skeleton->offsets[j]);
                m += moves;
            }
        }
    }
    end(out, "positions.npy");
}

static void put_rotations(npz *out)
{
    begin(out, "<f4", (size_t[]){ out->frames, out->joints, 4 }, 3);
    for (int c = 0; c < out->clip_count; c++) {
        size_t count = (size_t)out->clips[c]->frame_count * out->joints;
        for (size_t i = 0; i < count; i++) {
            put_quat(out, out->clips[c]->rotations[i]);
        }
    }
    end(out, "rotations.npy");
}

static void put_skeleton(npz *out)
{
    const am_skeleton *s = out->skeleton;
    size_t ends = (size_t)s->end_count;
    begin(out, "<i4", &out->joints, 1);
    for (size_t j = 0; j < out->joints; j++) {
        put_i32(out, s->parents[j]);
    }
    end(out, "parents.npy");
    put_texts(out, "names.npy", s->names, out->joints);
    begin(out, "<f4", (size_t[]){ out->joints, 3 }, 2);
    for (size_t j = 0; j < out->joints; j++) {
        put_v3(out, s->offsets[j]);
    }
    end(out, "offsets.npy");
    begin(out, "<f4", (size_t[]){ out->joints, 4 }, 2);
    for (size_t j = 0; j < out->joints; j++) {
        put_quat(out, s->rests[j]);
    }
    end(out, "rests.npy");
    begin(out, "<i4", &ends, 1);
    for (size_t e = 0; e < ends; e++) {
        put_i32(out, s->end_joints[e]);
    }
    end(out, "end_joints.npy");
    begin(out, "<f4", (size_t[]){ ends, 3 }, 2);
    for (size_t e = 0; e < ends; e++) {
        put_v3(out, s->end_offsets[e]);
    }
    end(out, "end_offsets.npy");
}

static void put_ranges(npz *out)
{
    size_t count = (size_t)out->clip_count;
    int at = 0;
    begin(out, "<i4", &count, 1);
    for (int c = 0; c < out->clip_count; c++) {
        put_i32(out, at);
        at += out->clips[c]->frame_count;
    }
    end(out, "range_starts.npy");
    at = 0;
    begin(out, "<i4", &count, 1);
    for (int c = 0; c < out->clip_count; c++) {
        at += out->clips[c]->frame_count;
        put_i32(out, at);
    }
    end(out, "range_stops.npy");
}

static am_result put_range_names(npz *out, am_error *err)
{
    size_t size = (size_t)out->clip_count * sizeof(char *);
    const char **names = ami_alloc_zero(&out->array.alloc, size);
    if (!names) {
        return ami_fail_memory(err, size);
    }
    for (int c = 0; c < out->clip_count; c++) {
        names[c] = out->clips[c]->name;
    }
    put_texts(out, "range_names.npy", names, (size_t)out->clip_count);
    ami_release(&out->array.alloc, names, size);
    return AM_OK;
}

static void put_contacts(npz *out, const uint8_t *contacts)
{
    begin(out, "|u1", (size_t[]){ out->frames, 2 }, 2);
    for (size_t f = 0; f < out->frames; f++) {
        uint8_t pair[2] = { (contacts[f] & AM_CONTACT_LEFT) != 0, (contacts[f] & AM_CONTACT_RIGHT) != 0 };
        out->failed = out->failed || !ami_put(&out->array, pair, 2);
    }
    end(out, "contacts.npy");
}

static am_result put_all(npz *out, const am_write_def *def, am_error *err)
{
    put_positions(out);
    put_rotations(out);
    put_skeleton(out);
    put_ranges(out);
    am_result result = put_range_names(out, err);
    if (def->contacts) {
        put_contacts(out, def->contacts);
    }
    begin(out, "<f4", NULL, 0);
    put_f32(out, out->clips[0]->fps);
    end(out, "fps.npy");
    return result;
}

static am_result check_rates(npz *out, am_error *err)
{
    for (int c = 0; c < out->clip_count; c++) {
        out->frames += (size_t)out->clips[c]->frame_count;
        if (out->clips[c]->fps != out->clips[0]->fps) {
            return ami_fail(
                err, AM_ERR_RANGE, "clip '%s' has %g frames per second, '%s' has %g; an .npz has one rate",
                out->clips[c]->name, (double)out->clips[c]->fps, out->clips[0]->name, (double)out->clips[0]->fps);
        }
    }
    if (out->frames > AM_MAX_FRAMES) {
        return ami_fail(err, AM_ERR_LIMIT, "%zu frames in all; at most %d are written", out->frames, AM_MAX_FRAMES);
    }
    return AM_OK;
}

am_result am_npz_write(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_write_def_check(def, err);
    if (result == AM_OK) {
        result = ami_clips_check(clips, count, err);
    }
    if (result != AM_OK) {
        return result;
    }
    npz all = { .clips = clips, .clip_count = count, .skeleton = clips[0]->skeleton };
    all.joints = (size_t)all.skeleton->joint_count;
    all.zip.out = ami_bytes_make(def->alloc);
    all.array = ami_bytes_make(def->alloc);
    result = check_rates(&all, err);
    if (result == AM_OK) {
        result = put_all(&all, def, err);
    }
    if (result == AM_OK && (all.failed || !ami_zip_end(&all.zip))) {
        result = ami_fail_memory(err, all.zip.out.size + all.array.size);
    }
    am_bytes_free(&all.array);
    if (result != AM_OK) {
        am_bytes_free(&all.zip.out);
        return result;
    }
    *out = all.zip.out;
    return AM_OK;
}

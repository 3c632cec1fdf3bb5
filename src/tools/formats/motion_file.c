// Picks the reader of a motion file, by its first bytes where they identify it, otherwise by its extension; and the
// writer, by the extension.
#include "formats/assimp.h"
#include "formats/defs.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef enum motion_format { FORMAT_BVH, FORMAT_GLB, FORMAT_NPZ, FORMAT_OTHER } motion_format;

static bool begins_with(const am_file *file, const char *magic)
{
    size_t size = strlen(magic);
    return file->size >= size && memcmp(file->data, magic, size) == 0;
}

static motion_format find_format(const am_file *file, const char *path)
{
    if (begins_with(file, "glTF")) {
        return FORMAT_GLB;
    }
    if (begins_with(file, "PK\x03\x04") || begins_with(file, "PK\x05\x06")) {
        return FORMAT_NPZ;
    }
    if (begins_with(file, "HIERARCHY") || ami_file_has_extension(path, ".bvh")) {
        return FORMAT_BVH;
    }
    // A foreign or damaged file with one of our extensions: its own reader says what is wrong with it.
    if (ami_file_has_extension(path, ".glb")) {
        return FORMAT_GLB;
    }
    return ami_file_has_extension(path, ".npz") ? FORMAT_NPZ : FORMAT_OTHER;
}

static am_result read_bvh(am_clips *out, const am_file *file, const am_read_def *def, am_error *err)
{
    am_clip **items = ami_alloc_array(&out->alloc, 1, sizeof *items);
    if (!items) {
        return ami_fail_memory(err, sizeof *items);
    }
    am_result result = am_bvh_read(&items[0], file->data, file->size, def, err);
    if (result != AM_OK) {
        ami_release(&out->alloc, items, sizeof *items);
        return result;
    }
    out->items = items;
    out->count = 1;
    return AM_OK;
}

am_result am_motion_read_file(am_clips *out, const char *path, const am_read_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_read_def_check(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_read_def named = *def;
    named.file = def->file ? def->file : path;
    out->alloc = ami_alloc_or_default(def->alloc);
    am_file file;
    result = am_file_open(&file, path, err);
    if (result != AM_OK) {
        return result;
    }
    motion_format format = find_format(&file, path);
    if (format == FORMAT_BVH) {
        result = read_bvh(out, &file, &named, err);
    } else if (format == FORMAT_GLB) {
        result = am_glb_read(out, file.data, file.size, &named, err);
    } else if (format == FORMAT_NPZ) {
        result = am_npz_read(out, file.data, file.size, &named, err);
    }
    am_file_close(&file);
    if (format == FORMAT_OTHER) {
        result = ami_assimp_read(out, path, &named, err);
    } else if (format == FORMAT_GLB && result == AM_ERR_SUPPORT) {
        // Well-formed, but with a feature that our reader leaves to Assimp; if Assimp cannot either, our own message
        // about the feature is more useful.
        am_error second = { 0 };
        if (ami_assimp_read(out, path, &named, &second) == AM_OK) {
            result = AM_OK;
        }
    }
    if (result != AM_OK) {
        ami_error_file(err, named.file);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Writers

static am_result write_bvh(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def,
                           am_error *err)
{
    (void)count;
    return am_bvh_write(out, clips[0], def, err);
}

static am_result write_csv(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def,
                           am_error *err)
{
    (void)count;
    return am_csv_write(out, clips[0], def, err);
}

const am_motion_format *am_motion_format_find(const char *path)
{
    static const am_motion_format formats[] = {
        { ".bvh", true, write_bvh },
        { ".glb", false, am_glb_write },
        { ".npz", false, am_npz_write },
        { ".csv", true, write_csv },
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(dot, formats[i].extension) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

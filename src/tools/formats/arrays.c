// Reads plain arrays from an .npz, and writes them.
#include <amble/tools/arrays.h>
#include <amble/tools/files.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/npy.h"
#include "formats/zip.h"

#include <stdio.h>
#include <string.h>

struct am_arrays_own {
    am_alloc alloc;
    ami_arena arena; // holds everything but the struct am_arrays itself
};

static am_result read_one(am_array *out, bool *taken, const ami_zip *zip, const ami_zip_entry *entry,
                          ami_arena *arena, am_error *err)
{
    size_t name_size = entry->name_size;
    if (name_size > 4 && memcmp(entry->name + name_size - 4, ".npy", 4) == 0) {
        name_size -= 4;
    }
    snprintf(out->name, sizeof out->name, "%.*s", (int)(name_size < 60 ? name_size : 60), entry->name);
    const uint8_t *bytes = NULL;
    ami_npy array;
    am_result result = ami_zip_extract(&bytes, zip, entry, arena, err);
    if (result == AM_OK) {
        result = ami_npy_parse(&array, bytes, entry->size, out->name, err);
    }
    if (result != AM_OK) {
        return result;
    }
    *taken = array.kind != 'U' && array.dims > 0;
    if (!*taken) {
        return AM_OK;
    }
    out->rows = (int64_t)array.shape[0];
    out->columns = array.shape[0] > 0 ? (int64_t)(array.count / array.shape[0]) : 0;
    float *data = array.count <= SIZE_MAX / 8 ? ami_arena_get(arena, array.count * sizeof *data) : NULL;
    if (!data) {
        return ami_fail_memory(err, array.count * sizeof *data);
    }
    for (size_t i = 0; i < array.count; i++) {
        data[i] = (float)ami_npy_number(&array, i);
    }
    out->data = data;
    return AM_OK;
}

static am_result read_all(am_arrays *out, const void *data, size_t size, const char *file, am_error *err)
{
    ami_arena *arena = &out->own->arena;
    ami_zip zip;
    am_result result = ami_zip_open(&zip, data, size, file, arena, err);
    if (result != AM_OK) {
        return result;
    }
    am_array *items = ami_arena_get(arena, (size_t)zip.count * sizeof *items + 1);
    if (!items) {
        return ami_fail_memory(err, (size_t)zip.count * sizeof *items);
    }
    out->items = items;
    for (int i = 0; i < zip.count && result == AM_OK; i++) {
        bool taken = false;
        result = read_one(&items[out->count], &taken, &zip, &zip.entries[i], arena, err);
        out->count += taken && result == AM_OK;
    }
    return result;
}

am_result am_arrays_read(am_arrays **out, const void *data, size_t size, const char *file, const am_alloc *alloc,
                         am_error *err)
{
    *out = NULL;
    const am_alloc from = ami_alloc_or_default(alloc);
    am_arrays *arrays = ami_alloc_zero(&from, sizeof *arrays + sizeof *arrays->own);
    if (!arrays) {
        return ami_fail_memory(err, sizeof *arrays);
    }
    arrays->own = (struct am_arrays_own *)(void *)(arrays + 1);
    arrays->own->alloc = from;
    arrays->own->arena = ami_arena_make(&from);
    const am_result result = read_all(arrays, data, size, file, err);
    if (result != AM_OK) {
        ami_error_file(err, file);
        am_arrays_free(arrays);
        return result;
    }
    *out = arrays;
    return AM_OK;
}

void am_arrays_free(am_arrays *arrays)
{
    if (arrays) {
        const am_alloc alloc = arrays->own->alloc;
        ami_arena_free(&arrays->own->arena);
        ami_release(&alloc, arrays, sizeof *arrays + sizeof *arrays->own);
    }
}

const am_array *am_arrays_find(const am_arrays *arrays, const char *name)
{
    for (int i = 0; i < arrays->count; i++) {
        if (strcmp(arrays->items[i].name, name) == 0) {
            return &arrays->items[i];
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Several files

struct am_array_file {
    char *path;
    am_arrays *arrays;
};

static am_result read_file(am_arrays **out, const char *path, am_error *err)
{
    am_file file;
    am_result result = am_file_open(&file, path, err);
    if (result == AM_OK) {
        result = am_arrays_read(out, file.data, file.size, path, NULL, err);
        am_file_close(&file);
    }
    return result;
}

static am_result add_file(am_array_files *files, const char *path, am_error *err)
{
    const am_alloc alloc = ami_alloc_or_default(NULL);
    const size_t size = strlen(path) + 1, count = (size_t)files->count;
    struct am_array_file *items = ami_alloc_array(&alloc, count + 1, sizeof *items);
    char *copy = ami_alloc_zero(&alloc, size);
    am_arrays *arrays = NULL;
    const am_result result = items && copy ? read_file(&arrays, path, err) : ami_fail_memory(err, size);
    if (!items || !copy || !arrays) {
        ami_release(&alloc, items, (count + 1) * sizeof *items);
        ami_release(&alloc, copy, size);
        return result;
    }
    memcpy(copy, path, size);
    for (size_t i = 0; i < count; i++) {
        items[i] = files->items[i];
    }
    ami_release(&alloc, files->items, count * sizeof *items);
    items[count] = (struct am_array_file){ copy, arrays };
    files->items = items;
    files->count++;
    return AM_OK;
}

am_result am_array_files_find(am_array_files *files, const am_array **out, const char *path, const char *name,
                              am_error *err)
{
    int f = 0;
    while (f < files->count && strcmp(files->items[f].path, path) != 0) {
        f++;
    }
    *out = NULL;
    const am_result result = f < files->count ? AM_OK : add_file(files, path, err);
    if (result != AM_OK) {
        return result;
    }
    const am_arrays *arrays = files->items[f].arrays;
    *out = am_arrays_find(arrays, name);
    if (*out) {
        return AM_OK;
    }
    char known[300] = "";
    for (int i = 0; i < arrays->count && strlen(known) < 200; i++) {
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", arrays->items[i].name);
    }
    ami_fail(err, AM_ERR_KEY, "there is no array '%s' in the file; it holds %s", name, known);
    ami_error_file(err, path);
    return AM_ERR_KEY;
}

void am_array_files_free(am_array_files *files)
{
    const am_alloc alloc = ami_alloc_or_default(NULL);
    for (int i = 0; i < files->count; i++) {
        am_arrays_free(files->items[i].arrays);
        ami_release(&alloc, files->items[i].path, strlen(files->items[i].path) + 1);
    }
    ami_release(&alloc, files->items, (size_t)files->count * sizeof *files->items);
    *files = (am_array_files){ 0 };
}

am_result am_arrays_write(am_bytes *out, const am_array *arrays, int count, am_error *err)
{
    const am_alloc alloc = ami_alloc_or_default(NULL);
    ami_zip_writer *zip = ami_alloc_zero(&alloc, sizeof *zip);
    am_bytes body = ami_bytes_make(&alloc);
    memset(out, 0, sizeof *out);
    if (!zip) {
        return ami_fail_memory(err, sizeof *zip);
    }
    zip->out = ami_bytes_make(&alloc);
    bool good = true;
    for (int a = 0; a < count && good; a++) {
        const am_array *array = &arrays[a];
        const size_t shape[2] = { (size_t)array->rows, (size_t)array->columns };
        body.size = 0; // keeps its room
        good = ami_npy_begin(&body, "<f4", shape, 2);
        for (size_t i = 0; i < shape[0] * shape[1] && good; i++) {
            good = ami_put_f32(&body, array->data[i]);
        }
        if (good) {
            ami_zip_add(zip, array->name, &body);
        }
    }
    good = good && ami_zip_end(zip);
    if (good) {
        *out = zip->out;
    } else {
        am_bytes_free(&zip->out);
    }
    am_bytes_free(&body);
    ami_release(&alloc, zip, sizeof *zip);
    return good ? AM_OK : ami_fail_memory(err, 0);
}

// Weights of networks to and from NPZ, for tools that speak NumPy.
#include <amble/tools/formats.h>

#include "base/bytes.h"
#include "base/error.h"
#include "formats/npy.h"
#include "formats/zip.h"
#include "net/build.h"

#include <stdio.h>
#include <string.h>

enum { name_size = 2 * AM_NET_NAME_SIZE + 8 };

/// "decompressor.0.weight.npy", in the arena.
static char *file_name(const am_net_graph *graph, const am_net_tensor *tensor, ami_arena *arena)
{
    char name[name_size];
    int length = snprintf(name, sizeof name, "%s.%s.npy", graph->name, tensor->name);
    return ami_arena_text(arena, name, (size_t)length);
}

static bool put_tensor(ami_zip_writer *zip, am_bytes *array, const am_net_graph *graph, const am_net_tensor *tensor,
                       ami_arena *arena)
{
    bool matrix = (tensor->flags & AM_NET_MATRIX) != 0;
    const size_t shape[2] = { (size_t)(matrix ? tensor->rows : tensor->columns), (size_t)tensor->columns };
    const char *name = file_name(graph, tensor, arena);
    array->size = 0;
    if (!name || !ami_npy_begin(array, "<f4", shape, matrix ? 2 : 1)) {
        return false;
    }
    const float *data = graph->weights + tensor->offset;
    for (size_t i = 0; i < ami_net_tensor_count(tensor); i++) {
        if (!ami_put_f32(array, data[i])) {
            return false;
        }
    }
    ami_zip_add(zip, name, array);
    return !zip->failed;
}

am_result am_net_npz_write(am_bytes *out, const am_net_graph *const *graphs, int count, const am_alloc *alloc,
                           am_error *err)
{
    am_alloc use = ami_alloc_or_default(alloc);
    ami_arena arena = ami_arena_make(&use);
    memset(out, 0, sizeof *out);
    ami_zip_writer *zip = ami_arena_get(&arena, sizeof *zip);
    am_bytes array = ami_bytes_make(&use);
    bool ok = zip != NULL;
    int tensors = 0;
    for (int g = 0; g < count; g++) {
        tensors += graphs[g]->tensor_count;
    }
    if (tensors > AMI_ZIP_MOST) {
        ami_arena_free(&arena);
        return ami_fail(err, AM_ERR_LIMIT, "%d tensors; at most %d go into one .npz", tensors, AMI_ZIP_MOST);
    }
    if (ok) {
        zip->out = ami_bytes_make(&use);
    }
    for (int g = 0; g < count && ok; g++) {
        for (int t = 0; t < graphs[g]->tensor_count && ok; t++) {
            ok = put_tensor(zip, &array, graphs[g], &graphs[g]->tensors[t], &arena);
        }
    }
    ok = ok && ami_zip_end(zip);
    if (ok) {
        *out = zip->out;
    } else if (zip) {
        am_bytes_free(&zip->out);
    }
    am_bytes_free(&array);
    ami_arena_free(&arena);
    return ok ? AM_OK : ami_fail_memory(err, 0);
}

// ---------------------------------------------------------------------------------------------
// Reading

typedef struct reading {
    ami_zip zip;
    ami_arena arena;
    const char *file;
    am_error *err;
} reading;

static am_result find_array(reading *in, ami_npy *array, const am_net_graph *graph, const am_net_tensor *tensor)
{
    const char *name = file_name(graph, tensor, &in->arena);
    if (!name) {
        return ami_fail_memory(in->err, name_size);
    }
    const ami_zip_entry *entry = ami_zip_find(&in->zip, name);
    if (!entry) {
        return ami_fail_at(in->err, AM_ERR_KEY, in->file, 0, "there is no array '%.*s' in the file",
                           (int)strlen(name) - 4, name);
    }
    const uint8_t *data = NULL;
    am_result result = ami_zip_extract(&data, &in->zip, entry, &in->arena, in->err);
    result = result == AM_OK ? ami_npy_parse(array, data, entry->size, name, in->err) : result;
    if (result != AM_OK) {
        ami_error_file(in->err, in->file ? in->file : "");
        return result;
    }
    bool matrix = (tensor->flags & AM_NET_MATRIX) != 0;
    size_t rows = (size_t)tensor->rows, columns = (size_t)tensor->columns;
    bool fits = matrix ? array->dims == 2 && array->shape[0] == rows && array->shape[1] == columns
                       : array->dims == 1 && array->shape[0] == columns;
    if (!fits || array->kind == 'U') {
        return ami_fail_at(in->err, AM_ERR_RANGE, in->file, (int64_t)entry->at,
                           "array '%s' does not fit the network, which needs %d x %d numbers", name, tensor->rows,
                           tensor->columns);
    }
    return AM_OK;
}

/// Reads one tensor into out, or only checks it where out is NULL.
static am_result read_tensor(reading *in, float *out, const am_net_graph *graph, const am_net_tensor *tensor)
{
    ami_npy array;
    am_result result = find_array(in, &array, graph, tensor);
    for (size_t i = 0; i < ami_net_tensor_count(tensor) && result == AM_OK; i++) {
        float x = (float)ami_npy_number(&array, i);
        if (!(x - x == 0.0f)) {
            return ami_fail_at(in->err, AM_ERR_NUMBER, in->file, 0, "number %zu of array '%s.%s' is not finite", i,
                               graph->name, tensor->name);
        }
        if (out) {
            out[i] = x;
        }
    }
    return result;
}

am_result am_net_npz_read(am_net_graph *const *graphs, int count, const void *data, size_t size, const char *file,
                          const am_alloc *alloc, am_error *err)
{
    am_alloc use = ami_alloc_or_default(alloc);
    reading in = { .arena = ami_arena_make(&use), .file = file, .err = err };
    am_result result = ami_zip_open(&in.zip, data, size, file, &in.arena, err);
    // Everything is checked before the first number is taken over.
    for (int pass = 0; pass < 2; pass++) {
        for (int g = 0; g < count && result == AM_OK; g++) {
            for (int t = 0; t < graphs[g]->tensor_count && result == AM_OK; t++) {
                const am_net_tensor *tensor = &graphs[g]->tensors[t];
                result = read_tensor(&in, pass ? graphs[g]->weights + tensor->offset : NULL, graphs[g], tensor);
            }
        }
    }
    ami_arena_free(&in.arena);
    return result;
}

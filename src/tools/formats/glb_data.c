// The GLB container (glTF 2.0, section 4.4), the tables of its JSON, and its accessors as floats.
#include "formats/glb.h"

#include "base/bytes.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

enum { max_items = 1 << 20 }; // of any one table: far more than a scene has, few enough to index with ints

// ---------------------------------------------------------------------------------------------
// Container

typedef struct chunks {
    const uint8_t *json, *bin;
    size_t json_size, bin_size, bin_at;
} chunks;

static am_result find_chunks(chunks *out, const void *data, size_t size, const char *file, am_error *err)
{
    ami_reader reader = ami_reader_make(data, size);
    uint32_t magic = ami_read_u32(&reader);
    uint32_t version = ami_read_u32(&reader);
    uint32_t length = ami_read_u32(&reader);
    if (reader.failed) {
        return ami_fail_at(err, AM_ERR_TRUNCATED, file, (int64_t)size,
                           "too short for a GLB file, which has at least 12 bytes");
    }
    if (magic != AMI_GLB_MAGIC) {
        return ami_fail_at(err, AM_ERR_FORMAT, file, 0, "not a GLB file: it does not begin with 'glTF'");
    }
    if (version != 2) {
        return ami_fail_at(err, AM_ERR_VERSION, file, 4, "glTF version %u; Amble reads version 2", version);
    }
    if (length > size) {
        return ami_fail_at(err, AM_ERR_TRUNCATED, file, 8,
                           "the header says %u bytes, the file has %zu; copy it again", length, size);
    }
    reader.size = length > 12 ? length : 12;
    while (reader.size - reader.at >= 8) {
        size_t at = reader.at;
        uint32_t chunk_size = ami_read_u32(&reader);
        uint32_t type = ami_read_u32(&reader);
        const uint8_t *body = ami_read_bytes(&reader, chunk_size);
        if (!body) {
            return ami_fail_at(err, AM_ERR_TRUNCATED, file, (int64_t)at,
                               "a chunk of %u bytes goes beyond the file's end", chunk_size);
        }
        if (!out->json && type == AMI_GLB_JSON) {
            out->json = body;
            out->json_size = chunk_size;
        } else if (out->json && !out->bin && type == AMI_GLB_BIN) {
            out->bin = body;
            out->bin_size = chunk_size;
            out->bin_at = at + 8;
        }
    }
    if (!out->json) {
        return ami_fail_at(err, AM_ERR_FORMAT, file, 12, "the first chunk is not JSON");
    }
    return AM_OK;
}

am_result ami_glb_list_objects(ami_glb_list *out, const ami_glb *glb, const am_json *array, ami_arena *arena,
                               am_error *err)
{
    size_t size = (size_t)array->count * sizeof *out->items;
    out->items = ami_arena_get(arena, size);
    if (!out->items) {
        return ami_fail_memory(err, size);
    }
    for (const am_json *item = array->first; item; item = item->next) {
        if (item->type != AM_JSON_OBJECT) {
            return am_json_fail(glb->doc, item, AM_ERR_TYPE, err, "the items of '%s' must be objects", array->key);
        }
        out->items[out->count++] = item;
    }
    return AM_OK;
}

static am_result list_items(ami_glb_list *out, ami_glb *glb, const char *key, am_error *err)
{
    const am_json *array = am_json_get(am_json_root(glb->doc), key);
    if (!array) {
        return AM_OK;
    }
    if (array->type != AM_JSON_ARRAY) {
        return am_json_fail(glb->doc, array, AM_ERR_TYPE, err, "'%s' must be an array", key);
    }
    if (array->count > max_items) {
        return am_json_fail(glb->doc, array, AM_ERR_LIMIT, err, "'%s' has %d items; at most %d are read", key,
                            array->count, (int)max_items);
    }
    return ami_glb_list_objects(out, glb, array, &glb->arena, err);
}

static am_result list_tables(ami_glb *glb, am_error *err)
{
    if (am_json_root(glb->doc)->type != AM_JSON_OBJECT) {
        return am_json_fail(glb->doc, am_json_root(glb->doc), AM_ERR_TYPE, err, "glTF's JSON must be an object");
    }
    struct {
        ami_glb_list *list;
        const char *key;
    } tables[] = { { &glb->accessors, "accessors" },
                   { &glb->views, "bufferViews" },
                   { &glb->nodes, "nodes" },
                   { &glb->skins, "skins" },
                   { &glb->animations, "animations" } };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        am_result result = list_items(tables[i].list, glb, tables[i].key, err);
        if (result != AM_OK) {
            return result;
        }
    }
    size_t size = (size_t)glb->accessors.count * sizeof *glb->loaded;
    glb->loaded = ami_arena_get(&glb->arena, size);
    return glb->loaded ? AM_OK : ami_fail_memory(err, size);
}

am_result ami_glb_open(ami_glb *glb, const void *data, size_t size, const am_read_def *def, am_error *err)
{
    *glb = (ami_glb){ .def = def, .arena = ami_arena_make(def->alloc), .scratch = ami_arena_make(def->alloc) };
    chunks found = { 0 };
    am_result result = find_chunks(&found, data, size, def->file, err);
    if (result != AM_OK) {
        return result;
    }
    glb->bin = found.bin;
    glb->bin_size = found.bin_size;
    glb->bin_at = found.bin_at;
    result = am_json_parse(&glb->doc, (const char *)found.json, found.json_size, def->file, def->alloc, err);
    return result == AM_OK ? list_tables(glb, err) : result;
}

void ami_glb_close(ami_glb *glb)
{
    am_json_free(glb->doc);
    ami_arena_free(&glb->scratch);
    ami_arena_free(&glb->arena);
    glb->doc = NULL;
}

// ---------------------------------------------------------------------------------------------
// Accessors

typedef struct component_kind {
    int type;
    size_t size;
    float largest; // of the normalised form
    bool is_signed;
} component_kind;

static const component_kind component_kinds[] = {
    { 5120, 1, 127.0f, true },    { 5121, 1, 255.0f, false },        { 5122, 2, 32767.0f, true },
    { 5123, 2, 65535.0f, false }, { 5125, 4, 4294967295.0f, false }, { 5126, 4, 0.0f, true },
};

/// Where an accessor's items lie within the binary chunk; every one of them was checked to be inside.
typedef struct placed {
    const component_kind *kind;
    size_t at, stride;
    int count;
    bool normalized;
} placed;

/// A member that is a whole number of bytes, below 2^32 as all of a GLB is.
static am_result read_size(const ami_glb *glb, const am_json *object, const char *key, size_t *out, am_error *err)
{
    const am_json *value = am_json_get(object, key);
    if (!value) {
        return AM_OK;
    }
    if (value->type != AM_JSON_NUMBER) {
        return am_json_fail(glb->doc, value, AM_ERR_TYPE, err, "'%s' must be a number", key);
    }
    if (!(value->number >= 0.0) || !(value->number <= 4294967295.0) || value->number != floor(value->number)) {
        return am_json_fail(glb->doc, value, AM_ERR_RANGE, err, "'%s' is %g; it must be a whole number of bytes", key,
                            value->number);
    }
    *out = (size_t)value->number;
    return AM_OK;
}

/// The stretch of the binary chunk that a view covers.
static am_result place_view(size_t *at, size_t *size, size_t *stride, const ami_glb *glb, const am_json *view,
                            am_error *err)
{
    size_t buffer = 0;
    am_result result = read_size(glb, view, "buffer", &buffer, err);
    if (result == AM_OK) {
        result = read_size(glb, view, "byteOffset", at, err);
    }
    if (result == AM_OK) {
        result = read_size(glb, view, "byteLength", size, err);
    }
    if (result == AM_OK) {
        result = read_size(glb, view, "byteStride", stride, err);
    }
    if (result != AM_OK) {
        return result;
    }
    const am_json *extensions = am_json_get(view, "extensions");
    if (extensions && extensions->type == AM_JSON_OBJECT && am_json_get(extensions, "EXT_meshopt_compression")) {
        return am_json_fail(
            glb->doc, view, AM_ERR_SUPPORT, err,
            "data compressed with EXT_meshopt_compression; decompress it first (gltf-transform copy)");
    }
    if (buffer != 0 || !glb->bin) {
        return am_json_fail(glb->doc, view, AM_ERR_SUPPORT, err,
                            "data in buffer %zu outside the GLB's own binary chunk; pack it into one .glb file",
                            buffer);
    }
    if (*at > glb->bin_size || *size > glb->bin_size - *at) {
        return am_json_fail(glb->doc, view, AM_ERR_TRUNCATED, err,
                            "a view of %zu bytes at %zu goes beyond the binary chunk of %zu bytes", *size, *at,
                            glb->bin_size);
    }
    return AM_OK;
}

static am_result check_type(const ami_glb *glb, const am_json *accessor, int width, am_error *err)
{
    const char *type = "";
    am_result result = am_json_read_string(glb->doc, accessor, "type", true, &type, err);
    if (result != AM_OK) {
        return result;
    }
    const char *wanted = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : "VEC4";
    if (strcmp(type, wanted) != 0) {
        return am_json_fail(glb->doc, accessor, AM_ERR_TYPE, err, "an accessor of type %.16s where %s is needed",
                            type, wanted);
    }
    return AM_OK;
}

static am_result read_kind(placed *out, const ami_glb *glb, const am_json *accessor, am_error *err)
{
    int component = 0;
    am_result result = am_json_read_int(glb->doc, accessor, "componentType", true, &component, 5120, 5126, err);
    if (result == AM_OK) {
        result = am_json_read_int(glb->doc, accessor, "count", true, &out->count, 1, glb->def->max_frames, err);
    }
    if (result == AM_OK) {
        result = am_json_read_bool(glb->doc, accessor, "normalized", false, &out->normalized, err);
    }
    for (size_t i = 0; i < sizeof component_kinds / sizeof component_kinds[0]; i++) {
        if (component_kinds[i].type == component) {
            out->kind = &component_kinds[i];
        }
    }
    if (result == AM_OK && !out->kind) {
        return am_json_fail(glb->doc, accessor, AM_ERR_RANGE, err, "componentType %d is unknown to glTF", component);
    }
    return result;
}

static am_result place_accessor(placed *out, const ami_glb *glb, const am_json *accessor, int width, am_error *err)
{
    *out = (placed){ 0 };
    am_result result = check_type(glb, accessor, width, err);
    if (result == AM_OK) {
        result = read_kind(out, glb, accessor, err);
    }
    if (result != AM_OK) {
        return result;
    }
    if (am_json_get(accessor, "sparse")) {
        return am_json_fail(glb->doc, accessor, AM_ERR_SUPPORT, err,
                            "sparse accessors are not read; export without them");
    }
    int view = -1;
    result = am_json_read_int(glb->doc, accessor, "bufferView", false, &view, 0, glb->views.count - 1, err);
    if (result != AM_OK) {
        return result;
    }
    if (view < 0) {
        return am_json_fail(glb->doc, accessor, AM_ERR_SUPPORT, err, "an accessor has no data (no bufferView)");
    }
    size_t at = 0, size = 0, view_at = 0, stride = 0;
    result = read_size(glb, accessor, "byteOffset", &at, err);
    if (result == AM_OK) {
        result = place_view(&view_at, &size, &stride, glb, glb->views.items[view], err);
    }
    if (result != AM_OK) {
        return result;
    }
    size_t item = (size_t)width * out->kind->size;
    if (stride && stride < item) {
        return am_json_fail(glb->doc, accessor, AM_ERR_RANGE, err, "items of %zu bytes do not fit a stride of %zu",
                            item, stride);
    }
    out->stride = stride ? stride : item;
    out->at = view_at + at;
    // All terms are below 2^33, so this cannot wrap.
    uint64_t end = (uint64_t)at + (uint64_t)(out->count - 1) * out->stride + item;
    if (end > size) {
        return am_json_fail(glb->doc, accessor, AM_ERR_TRUNCATED, err,
                            "%d items of %zu bytes do not fit into a view of %zu bytes", out->count, item, size);
    }
    return AM_OK;
}

static float read_component(const uint8_t *at, const component_kind *kind, bool normalized)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < kind->size; i++) {
        bits |= (uint32_t)at[i] << (8 * i);
    }
    float value;
    if (kind->type == 5126) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    value = (float)bits;
    if (kind->is_signed) {
        value = kind->size == 1 ? (float)(int8_t)bits : (float)(int16_t)bits;
    }
    return normalized ? am_max(value / kind->largest, -1.0f) : value;
}

/// Converts the items of a placed accessor; refuses numbers that are not finite.
static am_result convert(float *out, const ami_glb *glb, const placed *place, size_t width, am_error *err)
{
    size_t total = (size_t)place->count * width;
    for (size_t i = 0; i < total; i++) {
        size_t at = place->at + i / width * place->stride + i % width * place->kind->size;
        out[i] = read_component(glb->bin + at, place->kind, place->normalized);
        if (!isfinite(out[i])) {
            return ami_fail_at(err, AM_ERR_NUMBER, glb->def->file, (int64_t)(glb->bin_at + at),
                               "item %zu of an animation's data is not finite", i / width);
        }
    }
    return AM_OK;
}

am_result ami_glb_floats(ami_glb_array *out, ami_glb *glb, const am_json *owner, const char *key, int width,
                         am_error *err)
{
    int index = 0;
    am_result result = am_json_read_int(glb->doc, owner, key, true, &index, 0, glb->accessors.count - 1, err);
    if (result != AM_OK) {
        return result;
    }
    const am_json *accessor = glb->accessors.items[index];
    if (glb->loaded[index].values) {
        *out = glb->loaded[index];
        return check_type(glb, accessor, width, err);
    }
    placed place;
    result = place_accessor(&place, glb, accessor, width, err);
    if (result != AM_OK) {
        return result;
    }
    size_t size = (size_t)place.count * (size_t)width * sizeof(float);
    float *values = ami_arena_get(&glb->scratch, size);
    if (!values) {
        return ami_fail_memory(err, size);
    }
    result = convert(values, glb, &place, (size_t)width, err);
    if (result == AM_OK) {
        *out = (ami_glb_array){ values, place.count };
        glb->loaded[index] = *out;
    }
    return result;
}

void ami_glb_forget(ami_glb *glb)
{
    ami_arena_free(&glb->scratch);
    glb->scratch = ami_arena_make(glb->def->alloc);
    for (int i = 0; i < glb->accessors.count; i++) {
        glb->loaded[i] = (ami_glb_array){ 0 };
    }
}

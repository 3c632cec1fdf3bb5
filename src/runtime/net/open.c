// Opens a model: checks the header, the section table, the graphs and everything else that is small; the weights stay
// in place.
#include "net/format.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/graph.h"
#include "net/pack.h"

#include <stdarg.h>
#include <string.h>

typedef struct opening {
    const uint8_t *data;
    size_t size;
    const char *file;
    am_error *err;
    ami_header header;
    ami_section parts[AMI_NET_SECTIONS];
    ami_net_info info;
} opening;

static const void *body(const opening *o, int section) { return o->data + o->parts[section].offset; }

static am_result AM_PRINTF(3, 4) fail_in(const opening *o, int section, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    am_result result = ami_fail_v(o->err, AM_ERR_FORMAT, format, args);
    va_end(args);
    if (o->err) {
        o->err->offset = (int64_t)o->parts[section].offset;
        ami_error_file(o->err, o->file ? o->file : "");
    }
    return result;
}

static am_result check_table(opening *o)
{
    uint32_t ids[AMI_NET_SECTIONS];
    for (int s = 0; s < AMI_NET_SECTIONS; s++) {
        ids[s] = ami_section_id(ami_net_letters(s));
    }
    am_result result = ami_container_check(&o->header, o->parts, ids, AMI_NET_SECTIONS, &ami_net_file_kind, o->data,
                                           o->size, o->file, o->err);
    for (int s = 0; s < AMI_NET_SECTIONS && result == AM_OK; s++) {
        // A model with only attachments has no graph, and no records of one.
        bool may_miss =
            (s >= AMI_NET_PARTS && s <= AMI_NET_TENSORS) || s == AMI_NET_ATTACHED || s == AMI_NET_ATTACHED_BODY;
        if (!o->parts[s].id && !may_miss) {
            return fail_in(o, s, "section '%s' is missing", ami_net_letters(s));
        }
        bool small = s != AMI_NET_BODY && s != AMI_NET_ATTACHED_BODY && o->parts[s].id;
        result = small ? ami_container_sum(&o->parts[s], o->data, o->file, o->err) : AM_OK;
    }
    return result;
}

static bool within(int32_t value, int32_t lo, int32_t hi) { return value >= lo && value <= hi; }

static am_result check_sizes(opening *o)
{
    if (o->parts[AMI_NET_INFO].size != sizeof o->info) {
        return fail_in(o, AMI_NET_INFO, "section 'info' has the wrong size");
    }
    memcpy(&o->info, body(o, AMI_NET_INFO), sizeof o->info);
    const ami_net_info *i = &o->info;
    const int32_t least = o->parts[AMI_NET_ATTACHED].id ? 0 : 1;
    if (!within(i->part_count, least, AM_NET_MOST_PARTS) ||
        !within(i->value_count, least, AM_NET_MOST_PARTS * 2 * AM_NET_MOST_OPS) ||
        !within(i->op_count, least, AM_NET_MOST_PARTS * AM_NET_MOST_OPS) ||
        !within(i->tensor_count, 0, AM_NET_MOST_PARTS * AM_NET_MOST_OPS * AM_NET_MOST_TENSORS)) {
        return fail_in(o, AMI_NET_INFO, "section 'info' has counts out of range");
    }
    const uint64_t wanted[AMI_NET_BODY] = { sizeof *i, (uint64_t)i->part_count * sizeof(am_model_part),
                                            (uint64_t)i->value_count * sizeof(am_net_value),
                                            (uint64_t)i->op_count * sizeof(am_net_op),
                                            (uint64_t)i->tensor_count * sizeof(am_net_tensor) };
    for (int s = 0; s < AMI_NET_BODY; s++) {
        if (o->parts[s].size != wanted[s]) {
            return fail_in(o, s, "section '%s' has %llu bytes instead of %llu", ami_net_letters(s),
                           (unsigned long long)o->parts[s].size, (unsigned long long)wanted[s]);
        }
    }
    for (int s = AMI_NET_RECIPE; s <= AMI_NET_PROVENANCE; s++) {
        const char *text = body(o, s);
        if (o->parts[s].size < 1 || text[o->parts[s].size - 1] != '\0') {
            return fail_in(o, s, "section '%s': the text is not terminated", ami_net_letters(s));
        }
    }
    return AM_OK;
}

static am_result check_attached(const opening *o)
{
    const ami_section *records = &o->parts[AMI_NET_ATTACHED];
    uint64_t count = records->size / sizeof(am_model_attachment);
    if ((records->id != 0) != (o->parts[AMI_NET_ATTACHED_BODY].id != 0) ||
        records->size % sizeof(am_model_attachment) != 0 || count > AM_NET_MOST_ATTACHMENTS) {
        return fail_in(o, AMI_NET_ATTACHED, "section 'attn' does not fit its attachments");
    }
    const char *wrong = ami_attach_wrong(body(o, AMI_NET_ATTACHED), (int)count, o->parts[AMI_NET_ATTACHED_BODY].size);
    return wrong ? fail_in(o, AMI_NET_ATTACHED, "%s", wrong) : AM_OK;
}

static am_result check_tensors(const opening *o, const am_model_part *part)
{
    const am_net_tensor *tensors = (const am_net_tensor *)body(o, AMI_NET_TENSORS) + part->tensor_first;
    uint64_t size = o->parts[AMI_NET_BODY].size;
    for (int t = 0; t < part->tensor_count; t++) {
        uint64_t stored = ami_net_stored_size(&tensors[t], (am_net_weights)part->weights);
        if (tensors[t].offset % 64 != 0 || tensors[t].offset > size || stored > size - tensors[t].offset) {
            return fail_in(o, AMI_NET_TENSORS, "tensor %d of part '%s' lies outside the weights", t, part->name);
        }
    }
    return AM_OK;
}

static am_result check_part(const opening *o, int p, am_model_part *sum)
{
    const am_model_part *part = (const am_model_part *)body(o, AMI_NET_PARTS) + p;
    if (!memchr(part->name, 0, sizeof part->name) || !part->name[0] ||
        !within(part->weights, AM_NET_FP32, AM_NET_INT8) || part->value_first != sum->value_count ||
        part->op_first != sum->op_count || part->tensor_first != sum->tensor_count ||
        !within(part->value_count, 1, o->info.value_count - sum->value_count) ||
        !within(part->op_count, 1, o->info.op_count - sum->op_count) || part->op_count > AM_NET_MOST_OPS ||
        !within(part->tensor_count, 0, o->info.tensor_count - sum->tensor_count)) {
        return fail_in(o, AMI_NET_PARTS, "part %d is out of range", p);
    }
    sum->value_count += part->value_count;
    sum->op_count += part->op_count;
    sum->tensor_count += part->tensor_count;
    int place = 0;
    const char *wrong = ami_net_check(
        (const am_net_value *)body(o, AMI_NET_VALUES) + part->value_first, part->value_count,
        (const am_net_op *)body(o, AMI_NET_OPS) + part->op_first, part->op_count,
        (const am_net_tensor *)body(o, AMI_NET_TENSORS) + part->tensor_first, part->tensor_count, &place);
    if (wrong) {
        return fail_in(o, AMI_NET_OPS, "part '%s', item %d: %s", part->name, place, wrong);
    }
    return check_tensors(o, part);
}

static am_result check_parts(const opening *o)
{
    am_model_part sum = { 0 };
    am_result result = AM_OK;
    for (int p = 0; p < o->info.part_count && result == AM_OK; p++) {
        result = check_part(o, p, &sum);
    }
    if (result == AM_OK && (sum.value_count != o->info.value_count || sum.op_count != o->info.op_count ||
                            sum.tensor_count != o->info.tensor_count)) {
        return fail_in(o, AMI_NET_PARTS, "the counts of the parts do not add up to the totals");
    }
    return result;
}

static void fill(am_model *model, const opening *o)
{
    model->parts = body(o, AMI_NET_PARTS);
    model->part_count = o->info.part_count;
    model->recipe = body(o, AMI_NET_RECIPE);
    model->provenance = body(o, AMI_NET_PROVENANCE);
    model->data_hash = o->info.data_hash;
    model->database_hash = o->info.database_hash;
    model->skeleton_hash = o->info.skeleton_hash;
    model->seed = o->info.seed;
    model->latent_key = o->info.latent_key;
    model->hash = o->header.content_hash;
    model->image = o->data;
    model->image_size = o->size;
    model->own->values = body(o, AMI_NET_VALUES);
    model->own->ops = body(o, AMI_NET_OPS);
    model->own->tensors = body(o, AMI_NET_TENSORS);
    model->own->body = body(o, AMI_NET_BODY);
    if (o->parts[AMI_NET_ATTACHED].id) {
        model->attachments = body(o, AMI_NET_ATTACHED);
        model->attachment_count = (int)(o->parts[AMI_NET_ATTACHED].size / sizeof(am_model_attachment));
        model->own->attached = body(o, AMI_NET_ATTACHED_BODY);
    }
}

/// A model with what it must free.
typedef struct model_block {
    am_model model;
    struct am_model_own own;
} model_block;

am_result ami_model_view(am_model **out, const void *data, size_t size, const char *file,
                         const struct am_model_own *own, am_error *err)
{
    *out = NULL;
    if ((uintptr_t)data % 64 != 0) {
        return ami_fail(err, AM_ERR_DEF, "a network in memory must be aligned to 64 bytes");
    }
    opening o = { .data = data, .size = size, .file = file, .err = err };
    am_result result = check_table(&o);
    result = result == AM_OK ? check_sizes(&o) : result;
    result = result == AM_OK ? check_parts(&o) : result;
    result = result == AM_OK ? check_attached(&o) : result;
    if (result != AM_OK) {
        return result;
    }
    model_block *block = ami_alloc_zero(&own->alloc, sizeof *block);
    if (!block) {
        return ami_fail_memory(err, sizeof *block);
    }
    block->own = *own;
    block->model.own = &block->own;
    fill(&block->model, &o);
    *out = &block->model;
    return AM_OK;
}

am_result am_model_open(am_model **out, const char *path, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    struct am_model_own own = { .alloc = ami_alloc_or_default(alloc) };
    am_result result = am_file_open(&own.file, path, err);
    if (result != AM_OK) {
        return result;
    }
    result = ami_model_view(out, own.file.data, own.file.size, path, &own, err);
    if (result != AM_OK) {
        am_file_close(&own.file);
    }
    return result;
}

am_result am_model_from_memory(am_model **out, const void *data, size_t size, const char *file, const am_alloc *alloc,
                               am_error *err)
{
    struct am_model_own own = { .alloc = ami_alloc_or_default(alloc) };
    return ami_model_view(out, data, size, file, &own, err);
}

void am_model_close(am_model *model)
{
    if (!model) {
        return;
    }
    struct am_model_own own = *model->own;
    if (own.file.data) {
        am_file_close(&own.file);
    }
    ami_release(&own.alloc, own.image, own.image_size);
    ami_release(&own.alloc, model, sizeof(model_block));
}

am_result am_model_write(const am_model *model, const char *path, am_error *err)
{
    return am_file_write(path, model->image, model->image_size, err);
}

int am_model_find(const am_model *model, const char *name)
{
    for (int p = 0; p < model->part_count; p++) {
        if (strcmp(model->parts[p].name, name) == 0) {
            return p;
        }
    }
    return -1;
}

am_result am_model_graph(const am_model *model, int part, am_net_graph **out, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (part < 0 || part >= model->part_count) {
        return ami_fail(err, AM_ERR_DEF, "there is no part %d", part);
    }
    const am_model_part *p = &model->parts[part];
    const am_net_tensor *tensors = model->own->tensors + p->tensor_first;
    am_result result =
        ami_graph_from(out, p->name, model->own->values + p->value_first, p->value_count,
                       model->own->ops + p->op_first, p->op_count, tensors, p->tensor_count, alloc, err);
    for (int t = 0; t < p->tensor_count && result == AM_OK; t++) {
        ami_net_unpack((*out)->weights + (*out)->tensors[t].offset, &tensors[t], model->own->body + tensors[t].offset,
                       (am_net_weights)p->weights);
    }
    return result;
}

/// The first number of a tensor that is not finite, as a place in the image; -1 when all are.
static int64_t find_bad(const am_model *model, const am_net_tensor *t, am_net_weights weights)
{
    const uint8_t *at = model->own->body + t->offset;
    uint64_t size = ami_net_stored_size(t, weights);
    uint64_t first = 0;
    bool matrix = (t->flags & AM_NET_MATRIX) != 0;
    if (matrix && weights == AM_NET_FP16) {
        for (uint64_t i = 0; i < size; i += 2) {
            uint16_t h;
            memcpy(&h, at + i, sizeof h);
            if ((h & 0x7C00u) == 0x7C00u) {
                return at + i - (const uint8_t *)model->image;
            }
        }
        return -1;
    }
    if (matrix && weights == AM_NET_INT8) {
        first = size - ((uint64_t)t->rows + 15) / 16 * 16 * sizeof(float); // the scales
    }
    for (uint64_t i = first; i < size; i += sizeof(float)) {
        float x;
        memcpy(&x, at + i, sizeof x);
        if (!(x - x == 0.0f)) {
            return at + i - (const uint8_t *)model->image;
        }
    }
    return -1;
}

am_result am_model_verify(const am_model *model, am_error *err)
{
    am_result result = ami_container_verify(model->image, ami_net_file_kind.make, err);
    for (int p = 0; p < model->part_count && result == AM_OK; p++) {
        const am_model_part *part = &model->parts[p];
        for (int t = 0; t < part->tensor_count; t++) {
            int64_t bad =
                find_bad(model, model->own->tensors + part->tensor_first + t, (am_net_weights)part->weights);
            if (bad >= 0) {
                return ami_fail_at(err, AM_ERR_NUMBER, NULL, bad,
                                   "part '%s' holds a weight that is not finite; train it again", part->name);
            }
        }
    }
    return result;
}

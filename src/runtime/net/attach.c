// Attachments: named bytes that travel with a network, such as the skeleton and the start states of a character.
#include "net/format.h"

#include "base/error.h"
#include "base/memory.h"
#include "net/build.h"

#include <string.h>

am_result ami_attach_check(const am_model_blob *blobs, int count, am_error *err)
{
    if (count < 0 || count > AM_NET_MOST_ATTACHMENTS || (count > 0 && !blobs)) {
        return ami_fail(err, AM_ERR_LIMIT, "a model has at most %d attachments, not %d", AM_NET_MOST_ATTACHMENTS,
                        count);
    }
    for (int i = 0; i < count; i++) {
        const am_model_blob *blob = &blobs[i];
        if (!blob->name || !blob->name[0] || strlen(blob->name) >= AM_NET_NAME_SIZE || !blob->data ||
            blob->size == 0) {
            return ami_fail(err, AM_ERR_DEF, "attachment %d is empty, or its name does not have 1 to %d bytes", i,
                            AM_NET_NAME_SIZE - 1);
        }
        for (int other = 0; other < i; other++) {
            if (strcmp(blobs[other].name, blob->name) == 0) {
                return ami_fail(err, AM_ERR_DEF, "two attachments are called '%s'", blob->name);
            }
        }
    }
    return AM_OK;
}

uint64_t ami_attach_place(am_model_attachment *records, const am_model_blob *blobs, int count)
{
    uint64_t at = 0;
    for (int i = 0; i < count; i++) {
        memset(&records[i], 0, sizeof records[i]);
        memcpy(records[i].name, blobs[i].name, strlen(blobs[i].name));
        records[i].offset = (at + 63) / 64 * 64;
        records[i].size = blobs[i].size;
        at = records[i].offset + records[i].size;
    }
    return at;
}

void ami_attach_put(uint8_t *body, const am_model_attachment *records, const am_model_blob *blobs, int count)
{
    for (int i = 0; i < count; i++) {
        memcpy(body + records[i].offset, blobs[i].data, blobs[i].size);
    }
}

const char *ami_attach_wrong(const am_model_attachment *records, int count, uint64_t body_size)
{
    for (int i = 0; i < count; i++) {
        const am_model_attachment *r = &records[i];
        if (!r->name[0] || !memchr(r->name, 0, sizeof r->name)) {
            return "an attachment has no name";
        }
        if (r->offset % 64 != 0 || r->size == 0 || r->offset > body_size || r->size > body_size - r->offset) {
            return "an attachment lies outside its section";
        }
    }
    return NULL;
}

const void *am_model_attached(const am_model *model, const char *name, size_t *size)
{
    for (int i = 0; i < model->attachment_count; i++) {
        if (strcmp(model->attachments[i].name, name) == 0) {
            *size = (size_t)model->attachments[i].size;
            return model->own->attached + model->attachments[i].offset;
        }
    }
    *size = 0;
    return NULL;
}

/// all(AM_NET_MOST_ATTACHMENTS): the given ones, then those of the model that keep their place. -1: too many.
static int join(am_model_blob *all, const am_model *model, const am_model_blob *blobs, int count)
{
    int total = count;
    if (count > 0) {
        memcpy(all, blobs, (size_t)count * sizeof *all);
    }
    for (int i = 0; i < model->attachment_count; i++) {
        const am_model_attachment *own = &model->attachments[i];
        bool replaced = false;
        for (int b = 0; b < count; b++) {
            replaced |= strcmp(blobs[b].name, own->name) == 0;
        }
        if (!replaced && total == AM_NET_MOST_ATTACHMENTS) {
            return -1;
        }
        if (!replaced) {
            all[total++] = (am_model_blob){ own->name, model->own->attached + own->offset, (size_t)own->size };
        }
    }
    return total;
}

/// What a copy of a model has of its own.
typedef struct changes {
    am_model_blob all[AM_NET_MOST_ATTACHMENTS];
    int count;
    const char *provenance; ///< NULL: the model's
} changes;

/// The image of a model with other attachments or another provenance; sections in the order of this build.
static am_result make_image(uint8_t **out, uint64_t *size, const am_model *model, const changes *change,
                            const am_alloc *alloc, am_error *err)
{
    const am_model_blob *all = change->all;
    int count = change->count;
    uint32_t ids[AMI_NET_SECTIONS];
    ami_header header;
    ami_section from[AMI_NET_SECTIONS];
    for (int s = 0; s < AMI_NET_SECTIONS; s++) {
        ids[s] = ami_section_id(ami_net_letters(s));
    }
    am_result result = ami_container_check(&header, from, ids, AMI_NET_SECTIONS, &ami_net_file_kind, model->image,
                                           model->image_size, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    am_model_attachment records[AM_NET_MOST_ATTACHMENTS];
    ami_section table[AMI_NET_SECTIONS];
    memcpy(table, from, sizeof table);
    table[AMI_NET_ATTACHED_BODY].size = ami_attach_place(records, all, count);
    table[AMI_NET_ATTACHED].size = (uint64_t)count * sizeof records[0];
    for (int s = AMI_NET_ATTACHED; s <= AMI_NET_ATTACHED_BODY; s++) {
        table[s].id = count > 0 ? ids[s] : 0;
    }
    if (change->provenance) {
        table[AMI_NET_PROVENANCE].size = strlen(change->provenance) + 1;
    }
    *size = ami_container_place(table, AMI_NET_SECTIONS);
    *out = ami_alloc_zero(alloc, (size_t)*size);
    if (!*out) {
        return ami_fail_memory(err, (size_t)*size);
    }
    for (int s = 0; s < AMI_NET_ATTACHED; s++) {
        const void *bytes = (const uint8_t *)model->image + from[s].offset;
        if (table[s].id) {
            bytes = s == AMI_NET_PROVENANCE && change->provenance ? change->provenance : bytes;
            memcpy(*out + table[s].offset, bytes, (size_t)table[s].size);
        }
    }
    if (count > 0) {
        memcpy(*out + table[AMI_NET_ATTACHED].offset, records, (size_t)count * sizeof records[0]);
        ami_attach_put(*out + table[AMI_NET_ATTACHED_BODY].offset, records, all, count);
    }
    ami_model_seal(*out, *size, table);
    return AM_OK;
}

static am_result copy_with(am_model **out, const am_model *model, const changes *change, const am_alloc *alloc,
                           am_error *err)
{
    struct am_model_own own = { .alloc = ami_alloc_or_default(alloc) };
    uint8_t *image = NULL;
    uint64_t size = 0;
    am_result result = make_image(&image, &size, model, change, &own.alloc, err);
    if (result == AM_OK) {
        own.image = image;
        own.image_size = (size_t)size;
        result = ami_model_view(out, image, (size_t)size, NULL, &own, err);
        if (result != AM_OK) {
            ami_release(&own.alloc, image, (size_t)size);
        }
    }
    return result;
}

am_result ami_model_attach(am_model **out, const am_model *model, const am_model_blob *blobs, int count,
                           const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_result result = ami_attach_check(blobs, count, err);
    if (result != AM_OK) {
        return result;
    }
    changes change = { 0 };
    change.count = join(change.all, model, blobs, count);
    if (change.count < 0) {
        return ami_fail(err, AM_ERR_LIMIT, "a model has at most %d attachments", AM_NET_MOST_ATTACHMENTS);
    }
    return copy_with(out, model, &change, alloc, err);
}

am_result ami_model_note(am_model **out, const am_model *model, const char *provenance, const am_alloc *alloc,
                         am_error *err)
{
    *out = NULL;
    changes change = { .provenance = provenance };
    change.count = join(change.all, model, NULL, 0);
    return copy_with(out, model, &change, alloc, err);
}

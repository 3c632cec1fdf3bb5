// Writes synthetic clips as files and their truth as text, for other programs and for the database's tags.
#include <amble/tools/formats.h>
#include <amble/tools/synth.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static am_result end(am_bytes *out, am_bytes *bytes, bool good, am_error *err)
{
    if (!good) {
        size_t size = bytes->size;
        am_bytes_free(bytes);
        return ami_fail_memory(err, size);
    }
    *out = *bytes;
    return AM_OK;
}

am_result am_synth_truth_csv(am_bytes *out, const am_synth *synth, const am_alloc *alloc, am_error *err)
{
    *out = (am_bytes){ 0 };
    am_bytes bytes = ami_bytes_make(alloc);
    bool good =
        ami_put_text(&bytes, "frame,left_toe,right_toe,left_heel,right_heel,phase,speed,velocity_x,velocity_z,"
                             "heading,turn,tag\n");
    for (int f = 0; good && f < synth->clip->frame_count; f++) {
        const am_synth_truth *t = &synth->truth[f];
        unsigned c = t->contacts;
        good = ami_put_format(&bytes, "%d,%u,%u,%u,%u,%.5f,%.5f,%.5f,%.5f,%.6f,%.5f,%s\n", f, c & 1u, c >> 1 & 1u,
                              c >> 2 & 1u, c >> 3 & 1u, (double)t->phase, (double)t->speed, (double)t->velocity.x,
                              (double)t->velocity.z, (double)t->heading, (double)t->turn,
                              am_synth_tag_name((am_synth_tag)t->tag));
    }
    return end(out, &bytes, good, err);
}

am_result am_synth_tags_csv(am_bytes *out, const am_synth *synth, const am_alloc *alloc, am_error *err)
{
    *out = (am_bytes){ 0 };
    am_bytes bytes = ami_bytes_make(alloc);
    const am_clip *clip = synth->clip;
    bool good = true;
    if (synth->kind == AM_SYNTH_CURVE || synth->kind == AM_SYNTH_START_STOP || synth->kind == AM_SYNTH_WANDER ||
        synth->kind == AM_SYNTH_CORNER) {
        good = ami_put_format(&bytes, "%s, %s, 0, %d\n", clip->name, am_synth_kind_name(synth->kind),
                              clip->frame_count - 1);
    }
    for (int first = 0, last = 0; good && first < clip->frame_count; first = last + 1) {
        uint8_t tag = synth->truth[first].tag;
        for (last = first; last + 1 < clip->frame_count && synth->truth[last + 1].tag == tag; last++) {
        }
        good =
            ami_put_format(&bytes, "%s, %s, %d, %d\n", clip->name, am_synth_tag_name((am_synth_tag)tag), first, last);
    }
    return end(out, &bytes, good, err);
}

/// FOLDER/NAME and the bytes that were made for it, which are freed.
static am_result write_file(const char *folder, const char *name, const char *ending, am_bytes *bytes, am_result made,
                            am_error *err)
{
    char path[2048];
    const size_t length = strlen(folder);
    snprintf(path, sizeof path, "%s%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", name, ending);
    const am_result result = made == AM_OK ? am_file_write(path, bytes->data, bytes->size, err) : made;
    am_bytes_free(bytes);
    return result;
}

static am_result write_motion(const am_synth *synth, const char *folder, const am_motion_format *format,
                              am_error *err)
{
    const am_clip *clip = synth->clip;
    const am_alloc alloc = ami_alloc_or_default(NULL);
    const size_t frames = (size_t)clip->frame_count;
    uint8_t *contacts = ami_alloc_zero(&alloc, frames);
    if (!contacts) {
        return ami_fail_memory(err, frames);
    }
    for (size_t f = 0; f < frames; f++) {
        contacts[f] = synth->truth[f].contacts & (AM_SYNTH_LEFT_TOE | AM_SYNTH_RIGHT_TOE);
    }
    am_write_def def = am_write_def_default();
    def.contacts = contacts;
    am_bytes bytes = { 0 };
    const am_result made = format->write(&bytes, &clip, 1, &def, err);
    ami_release(&alloc, contacts, frames);
    return write_file(folder, clip->name, format->extension, &bytes, made, err);
}

am_result am_synth_write(const am_synth *synth, const char *folder, const am_motion_format *format, am_bytes *tags,
                         am_error *err)
{
    am_bytes truth = { 0 }, rows = { 0 };
    *tags = tags->alloc.alloc ? *tags : ami_bytes_make(NULL);
    am_result result = write_motion(synth, folder, format, err);
    result = result == AM_OK ? am_synth_truth_csv(&truth, synth, NULL, err) : result;
    result = write_file(folder, synth->clip->name, ".truth.csv", &truth, result, err);
    result = result == AM_OK ? am_synth_tags_csv(&rows, synth, NULL, err) : result;
    if (result == AM_OK && !ami_put(tags, rows.data, rows.size)) {
        result = ami_fail_memory(err, rows.size);
    }
    am_bytes_free(&rows);
    return result;
}

am_result am_synth_write_all(const char *folder, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < am_synth_all_count() && result == AM_OK; i++) {
        am_synth_def def = am_synth_all_item(i, 1);
        am_synth synth = { 0 };
        result = am_synth_make(&synth, &def, err);
        result = result == AM_OK ? write_motion(&synth, folder, am_motion_format_find(".bvh"), err) : result;
        am_synth_free(&synth);
    }
    return result;
}

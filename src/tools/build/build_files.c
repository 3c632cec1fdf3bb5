// Build stages over whole files: read, examine, clean; and what is left out on the way.
#include "build/build_internal.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

am_result ami_building_note(ami_building *b, const char *clip, int first, int last, const char *why)
{
    am_build_summary *s = &b->summary;
    size_t size = (size_t)s->note_count * sizeof *s->notes;
    am_build_note *more = ami_alloc_zero(&b->alloc, size + sizeof *s->notes);
    if (!more) {
        return ami_fail_memory(b->err, size + sizeof *s->notes);
    }
    if (s->notes) {
        memcpy(more, s->notes, size);
        ami_release(&b->alloc, s->notes, size);
    }
    s->notes = more;
    am_build_note *note = &more[s->note_count++];
    snprintf(note->clip, sizeof note->clip, "%s", clip);
    snprintf(note->why, sizeof note->why, "%s", why);
    note->first = first;
    note->last = last;
    return AM_OK;
}

/// A failure of the machine (memory, cancelling) ends the build; a bad file is left out with a note. A reference that
/// cannot be used ends it too.
static am_result settle(ami_building *b, am_import_clip *clip)
{
    am_result code = clip->error.code;
    if (code == AM_OK || clip->told) {
        return AM_OK;
    }
    clip->told = true;
    bool reference = clip == &b->import.clips[b->reference];
    if (code == AM_ERR_MEMORY || code == AM_ERR_CANCELLED || (reference && (b->config.reference || b->hidden))) {
        if (b->err) {
            *b->err = clip->error;
        }
        return code;
    }
    char why[sizeof(am_error)];
    am_error_format(&clip->error, why, sizeof why);
    return ami_building_note(b, clip->name, -1, -1, why);
}

static am_result settle_all(ami_building *b)
{
    am_result result = AM_OK;
    for (int i = 0; i < b->import.count && result == AM_OK; i++) {
        result = settle(b, &b->import.clips[i]);
    }
    return result;
}

am_result ami_build_read(ami_building *b)
{
    am_result result = am_import_read(&b->import, b->err);
    if (result != AM_OK) {
        return result;
    }
    int file = b->reference;
    while (b->import.clips[b->reference].file != file) { // a file with several clips moves those behind it
        b->reference++;
    }
    for (int i = 0; i < b->import.count; i++) {
        if (!ami_build_hides(b, i)) {
            b->summary.file_count++;
            b->summary.source_frames += b->import.clips[i].frame_count;
        }
    }
    return settle_all(b);
}

static bool trusted(const ami_building *b, const am_import_clip *clip)
{
    const ami_words *trust = &b->config.trust;
    for (int i = 0; i < trust->count && !b->def->clips_dir; i++) {
        if (ami_pattern_fits(trust->items[i], clip->name)) {
            return true;
        }
    }
    return false;
}

static am_result drop_duplicates(ami_building *b)
{
    for (int i = 0; i < b->import.count; i++) {
        am_import_clip *clip = &b->import.clips[i];
        for (int f = 0; f < clip->diagnosis.finding_count && clip->examined; f++) {
            const am_finding *finding = &clip->diagnosis.findings[f];
            if (strcmp(finding->code, "duplicate") == 0 && i != b->reference && clip->error.code == AM_OK) {
                ami_fail(&clip->error, AM_ERR_EMPTY, "%s", finding->text);
            }
        }
    }
    return settle_all(b);
}

am_result ami_build_examine(ami_building *b)
{
    b->import.doctor = b->config.doctor;
    if (b->def->clips_dir) { // what the config says of its own clips is not true of others
        const am_doctor_def usual = am_doctor_def_default();
        b->import.doctor.fps = usual.fps;
        b->import.doctor.unit_m = usual.unit_m;
        b->import.doctor.up = usual.up;
        b->import.doctor.facing = usual.facing;
    }
    for (int i = 0; i < b->import.count; i++) {
        b->import.clips[i].trusted = trusted(b, &b->import.clips[i]);
    }
    am_result result = am_import_examine(&b->import, b->err);
    result = result == AM_OK ? settle_all(b) : result;
    return result == AM_OK && b->config.duplicates ? drop_duplicates(b) : result;
}

static am_result cut_all(ami_building *b)
{
    for (int i = 0; i < b->config.cut_count && !b->def->clips_dir; i++) {
        const ami_build_cut *cut = &b->config.cuts[i];
        for (int k = 0; k < b->import.count; k++) {
            am_result result = AM_OK;
            if (strcmp(cut->clip, b->import.clips[k].name) == 0) {
                result = am_import_cut(&b->import.clips[k], cut->first, cut->last, b->err);
            }
            if (result != AM_OK) {
                return result;
            }
        }
    }
    return AM_OK;
}

// Most pieces of one clip; one that is cut into more is not worth keeping.
#define MAX_PIECES 64

static void end_clip(void *user, am_import_clip *clip, int index)
{
    (void)user;
    (void)index;
    if (clip->pieces.count > MAX_PIECES) {
        ami_fail(&clip->error, AM_ERR_LIMIT, "faults cut it into %d pieces; at most %d are kept", clip->pieces.count,
                 MAX_PIECES);
        am_clips_free(&clip->pieces);
    }
    am_clip_destroy(clip->raw);
    clip->raw = NULL;
}

/// Notes the stretches between and around the pieces of a clip.
static am_result note_gaps(ami_building *b, const am_import_clip *clip)
{
    int at = 0;
    for (int p = 0; p <= clip->pieces.count; p++) {
        int first = p < clip->pieces.count ? clip->first_frames[p] : clip->frame_count;
        if (first > at) {
            am_result result = ami_building_note(b, clip->name, at, first - 1, "bad or too short stretch, cut out");
            if (result != AM_OK) {
                return result;
            }
        }
        at = p < clip->pieces.count ? first + clip->pieces.items[p]->frame_count : at;
    }
    return AM_OK;
}

am_result ami_build_clean(ami_building *b)
{
    b->import.clean = b->config.clean;
    am_result result = cut_all(b);
    result = result == AM_OK ? am_import_clean(&b->import, end_clip, NULL, b->err) : result;
    for (int i = 0; i < b->import.count && result == AM_OK; i++) {
        am_import_clip *clip = &b->import.clips[i];
        result = settle(b, clip);
        if (result == AM_OK && clip->error.code == AM_OK && !ami_build_hides(b, i)) {
            b->summary.clip_count++;
            result = note_gaps(b, clip);
        }
    }
    return result;
}

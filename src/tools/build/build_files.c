// Build stages over whole files: read, examine, clean. Items run in parallel; each writes only its own source.
#include "build/build_internal.h"

#include "base/batch.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

am_result ami_build_note(ami_build *b, const char *clip, int first, int last, const char *why)
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
static am_result settle(ami_build *b, ami_build_file *source)
{
    am_result code = source->error.code;
    if (code == AM_OK || source->noted) {
        return AM_OK;
    }
    source->noted = true;
    bool reference = source == &b->sources[b->reference];
    if (code == AM_ERR_MEMORY || code == AM_ERR_CANCELLED || (reference && (b->config.reference || source->hidden))) {
        if (b->err) {
            *b->err = source->error;
        }
        return code;
    }
    char why[sizeof(am_error)];
    am_error_format(&source->error, why, sizeof why);
    return ami_build_note(b, source->name, -1, -1, why);
}

static am_result run(ami_build *b, const char *stage, am_task_fn fn)
{
    return ami_run_batches(&b->tasks, b->def->progress, stage, b->source_count, fn, b, b->err);
}

// ---------------------------------------------------------------------------------------------
// Read

static void read_item(void *context, int item)
{
    ami_build *b = context;
    ami_build_file *source = &b->sources[item];
    am_read_def def = am_read_def_default();
    def.alloc = &b->alloc;
    def.file = source->path;
    am_motion_read_file(&source->pieces, source->path, &def, &source->error);
}

/// A file with several clips becomes several sources.
static am_result unfold(ami_build *b)
{
    int files = b->source_count;
    int total = files;
    for (int i = 0; i < files; i++) {
        total += b->sources[i].pieces.count > 1 ? b->sources[i].pieces.count - 1 : 0;
    }
    ami_build_file *all = ami_alloc_array(&b->alloc, (size_t)total, sizeof *all);
    if (!all) {
        return ami_fail_memory(b->err, (size_t)total * sizeof *all);
    }
    int at = 0;
    int reference = b->reference;
    for (int i = 0; i < files; i++) {
        ami_build_file *from = &b->sources[i];
        if (i == b->reference) {
            reference = at;
        }
        am_clips clips = from->pieces;
        memset(&from->pieces, 0, sizeof from->pieces);
        int count = clips.count > 1 ? clips.count : 1;
        for (int k = 0; k < count; k++) {
            ami_build_file *to = &all[at++];
            *to = *from;
            if (k > 0) {
                snprintf(to->name, sizeof to->name, "%.50s#%d", from->name, k + 1);
            }
            if (k < clips.count) {
                to->raw = clips.items[k];
                clips.items[k] = NULL; // ours now; the list frees what is left: nothing
                to->frame_count = to->raw->frame_count;
                to->fps = to->raw->fps;
                b->summary.source_frames += to->hidden ? 0 : to->frame_count;
            }
        }
        am_clips_free(&clips);
    }
    ami_release(&b->alloc, b->sources, (size_t)b->source_room * sizeof *all);
    b->sources = all;
    b->source_count = total;
    b->source_room = total;
    b->reference = reference;
    return AM_OK;
}

am_result ami_build_read(ami_build *b)
{
    am_result result = run(b, "read", read_item);
    result = result == AM_OK ? unfold(b) : result;
    for (int i = 0; i < b->source_count; i++) {
        b->summary.file_count += !b->sources[i].hidden;
    }
    for (int i = 0; i < b->source_count && result == AM_OK; i++) {
        if (b->sources[i].error.code == AM_OK && b->sources[i].frame_count < 1) {
            ami_fail(&b->sources[i].error, AM_ERR_EMPTY, "no frames");
        }
        result = settle(b, &b->sources[i]);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Examine

static bool trusted(const ami_build *b, const ami_build_file *source)
{
    const ami_words *trust = &b->config.trust;
    for (int i = 0; i < trust->count && !b->def->clips_dir; i++) {
        if (ami_pattern_fits(trust->items[i], source->name)) {
            return true;
        }
    }
    return false;
}

static void examine_item(void *context, int item)
{
    ami_build *b = context;
    ami_build_file *source = &b->sources[item];
    if (source->error.code != AM_OK) {
        return;
    }
    am_doctor_def def = b->config.doctor;
    def.alloc = &b->alloc;
    def.faults = def.faults && !trusted(b, source);
    source->examined = am_doctor_examine(&source->diagnosis, source->raw, &def, &source->error) == AM_OK;
}

static am_result compare_in(ami_build *b, am_diagnosis *diagnoses, const am_clip **clips)
{
    int count = 0;
    for (int i = 0; i < b->source_count; i++) {
        if (b->sources[i].examined) {
            diagnoses[count] = b->sources[i].diagnosis;
            clips[count++] = b->sources[i].raw;
        }
    }
    am_result result = am_doctor_compare(diagnoses, clips, count, b->err);
    // Findings may have been added on the way to a failure too: what the copies own now goes back in every case.
    for (int i = 0, k = 0; i < b->source_count && k < count; i++) {
        if (b->sources[i].examined) {
            b->sources[i].diagnosis = diagnoses[k++];
        }
    }
    return result;
}

/// The doctor's look across all clips, over arrays of their own because some sources may be missing.
static am_result compare(ami_build *b)
{
    size_t room = (size_t)b->source_count;
    am_diagnosis *diagnoses = ami_alloc_array(&b->alloc, room, sizeof *diagnoses);
    const am_clip **clips = ami_alloc_array(&b->alloc, room, sizeof *clips);
    am_result result =
        diagnoses && clips ? compare_in(b, diagnoses, clips) : ami_fail_memory(b->err, room * sizeof *diagnoses);
    ami_release(&b->alloc, diagnoses, room * sizeof *diagnoses);
    ami_release(&b->alloc, clips, room * sizeof *clips);
    return result;
}

static am_result drop_duplicates(ami_build *b)
{
    for (int i = 0; i < b->source_count; i++) {
        ami_build_file *source = &b->sources[i];
        for (int f = 0; f < source->diagnosis.finding_count && source->examined; f++) {
            const am_finding *finding = &source->diagnosis.findings[f];
            if (strcmp(finding->code, "duplicate") == 0 && i != b->reference && source->error.code == AM_OK) {
                ami_fail(&source->error, AM_ERR_EMPTY, "%s", finding->text);
                am_result result = settle(b, source);
                if (result != AM_OK) {
                    return result;
                }
            }
        }
    }
    return AM_OK;
}

am_result ami_build_examine(ami_build *b)
{
    am_result result = run(b, "examine", examine_item);
    for (int i = 0; i < b->source_count && result == AM_OK; i++) {
        result = settle(b, &b->sources[i]);
    }
    result = result == AM_OK ? compare(b) : result;
    return result == AM_OK && b->config.duplicates ? drop_duplicates(b) : result;
}

// ---------------------------------------------------------------------------------------------
// Clean

/// The doctor's faults and the config's cuts in one list; NULL and AM_ERR_MEMORY in the source when there is no room.
static am_fault *gather_faults(ami_build *b, ami_build_file *source, int *count)
{
    const am_diagnosis *d = &source->diagnosis;
    size_t room = (size_t)d->fault_count + (size_t)b->config.cut_count;
    am_fault *faults = ami_alloc_array(&b->alloc, room, sizeof *faults);
    if (!faults) {
        ami_fail_memory(&source->error, room * sizeof *faults);
        return NULL;
    }
    *count = d->fault_count;
    if (d->fault_count) {
        memcpy(faults, d->faults, (size_t)d->fault_count * sizeof *faults);
    }
    for (int i = 0; i < b->config.cut_count && !b->def->clips_dir; i++) {
        const ami_build_cut *cut = &b->config.cuts[i];
        int end = source->frame_count - 1;
        int first = cut->first < 0 ? source->frame_count + cut->first : cut->first;
        int last = cut->last < 0 || cut->last > end ? end : cut->last;
        if (strcmp(cut->clip, source->name) == 0 && first <= last) {
            faults[(*count)++] = (am_fault){ AM_FAULT_STEP, first < 0 ? 0 : first, last, -1, 0.0f, true };
        }
    }
    return faults;
}

static void clean_item(void *context, int item)
{
    ami_build *b = context;
    ami_build_file *source = &b->sources[item];
    if (source->error.code != AM_OK) {
        return;
    }
    int count = 0;
    am_fault *faults = gather_faults(b, source, &count);
    if (!faults) {
        return;
    }
    am_diagnosis diagnosis = source->diagnosis;
    diagnosis.faults = faults;
    diagnosis.fault_count = count;
    am_clean_def def = b->config.clean;
    def.alloc = &b->alloc;
    am_doctor_clean(&source->pieces, &source->roles, source->first_frames, AMI_MAX_PIECES, source->raw, &diagnosis,
                    &def, &source->error);
    if (source->pieces.count > AMI_MAX_PIECES) {
        ami_fail(&source->error, AM_ERR_LIMIT, "faults cut it into %d pieces; at most %d are kept",
                 source->pieces.count, AMI_MAX_PIECES);
        am_clips_free(&source->pieces);
    }
    source->fps = source->diagnosis.fps_true > 0.0f ? source->diagnosis.fps_true : source->fps;
    size_t room = (size_t)source->diagnosis.fault_count + (size_t)b->config.cut_count;
    ami_release(&b->alloc, faults, room * sizeof *faults);
    am_clip_destroy(source->raw);
    source->raw = NULL;
}

/// Notes the stretches between and around the pieces of a source.
static am_result note_gaps(ami_build *b, const ami_build_file *source)
{
    int at = 0;
    for (int p = 0; p <= source->pieces.count; p++) {
        int first = p < source->pieces.count ? source->first_frames[p] : source->frame_count;
        if (first > at) {
            am_result result = ami_build_note(b, source->name, at, first - 1, "bad or too short stretch, cut out");
            if (result != AM_OK) {
                return result;
            }
        }
        at = p < source->pieces.count ? first + source->pieces.items[p]->frame_count : at;
    }
    return AM_OK;
}

am_result ami_build_clean(ami_build *b)
{
    am_result result = run(b, "clean", clean_item);
    for (int i = 0; i < b->source_count && result == AM_OK; i++) {
        ami_build_file *source = &b->sources[i];
        result = settle(b, source);
        if (result == AM_OK && source->error.code == AM_OK && !source->hidden) {
            b->summary.clip_count++;
            result = note_gaps(b, source);
        }
    }
    return result;
}

// Makes clean clips from one file: converted, with a usable rest pose, short glitches bridged, serious stretches cut
// out.
#include "doctor/examine.h"

#include "clip/faults.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

am_clean_def am_clean_def_default(void)
{
    am_clean_def def = { .cut = true, .bridge = true, .min_seconds = 1.0f, .cookie = AM_COOKIE };
    return def;
}

/// Replaces *clip by `made`.
static void replace(am_clip **clip, am_clip *made)
{
    am_clip_destroy(*clip);
    *clip = made;
}

static am_result take_rest(am_clip **clip, const am_diagnosis *diagnosis, const am_alloc *alloc, am_error *err)
{
    if (!diagnosis->rests || diagnosis->rest_count != (*clip)->skeleton->joint_count) {
        return AM_OK;
    }
    am_clip *made = NULL;
    am_result result = ami_clip_bake_rest(&made, *clip, diagnosis->rests, alloc, err);
    if (result == AM_OK) {
        replace(clip, made);
    }
    return result;
}

/// Faults that a curve can repair. A flip goes from one state to another, and a low floor is not a glitch.
static bool can_bridge(const am_fault *fault, const am_clip *clip)
{
    bool kind = fault->kind == AM_FAULT_STEP || fault->kind == AM_FAULT_RANGE || fault->kind == AM_FAULT_ORIGIN ||
                fault->kind == AM_FAULT_NUMBER;
    return kind && !fault->serious && fault->first > 0 && fault->last + 1 < clip->frame_count;
}

static am_result bridge_all(am_clip **clip, const am_diagnosis *diagnosis, const am_alloc *alloc, am_error *err)
{
    for (int i = 0; i < diagnosis->fault_count; i++) {
        const am_fault *fault = &diagnosis->faults[i];
        if (!can_bridge(fault, *clip)) {
            continue;
        }
        am_clip *made = NULL;
        am_result result = am_clip_bridge(&made, *clip, fault->first, fault->last, alloc, err);
        if (result != AM_OK) {
            return result;
        }
        replace(clip, made);
    }
    return AM_OK;
}

typedef struct piece {
    int first, last;
} piece;

static bool is_cut(const am_diagnosis *diagnosis, int frame, int *last)
{
    bool cut = false;
    *last = frame;
    for (int i = 0; i < diagnosis->fault_count; i++) {
        const am_fault *fault = &diagnosis->faults[i];
        if (fault->serious && fault->first <= frame && fault->last >= frame) {
            cut = true;
            *last = fault->last > *last ? fault->last : *last;
        }
    }
    return cut;
}

/// Good pieces of at least `least` frames; a clip without a cut is one piece, however short. Returns their number
/// and writes as many as there is room for.
static int find_pieces(piece *out, int room, const am_diagnosis *diagnosis, int frames, int least, bool cut)
{
    if (!cut) {
        out[0] = (piece){ 0, frames - 1 };
        return 1;
    }
    int count = 0;
    int first = 0;
    bool whole = true;
    for (int f = 0; f <= frames; f++) {
        int last = f;
        bool bad = f < frames && is_cut(diagnosis, f, &last);
        whole = whole && !bad;
        if (!bad && f < frames) {
            continue;
        }
        if (f > first && (f - first >= least || whole)) {
            if (count < room) {
                out[count] = (piece){ first, f - 1 };
            }
            count++;
        }
        f = last;
        first = last + 1;
    }
    return count;
}

static am_result make_piece(am_clip **out, const am_clip *clip, piece p, int index, int count, const am_alloc *alloc,
                            am_error *err)
{
    char name[600];
    am_piece_name(name, sizeof name, clip->name, index, count);
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.name = name;
    def.frame_count = p.last - p.first + 1;
    def.rotations = clip->rotations + (size_t)p.first * (size_t)clip->skeleton->joint_count;
    def.translations = clip->translations + (size_t)p.first * (size_t)clip->moving_count;
    return am_clip_create(out, &def, err);
}

/// Serious faults plus one pieces at most.
static am_result cut_all(am_clips *out, int *first_frames, int capacity, const am_clip *clip,
                         const am_diagnosis *diagnosis, const am_clean_def *def, am_error *err)
{
    size_t room = (size_t)diagnosis->fault_count + 1;
    piece *pieces = ami_alloc_array(&out->alloc, room, sizeof *pieces);
    if (!pieces) {
        return ami_fail_memory(err, room * sizeof *pieces);
    }
    int least = (int)(def->min_seconds * clip->fps);
    int count = find_pieces(pieces, (int)room, diagnosis, clip->frame_count, least > 1 ? least : 1, def->cut);
    am_result result = AM_OK;
    if (count == 0) {
        result =
            ami_fail(err, AM_ERR_EMPTY, "nothing of '%s' is left: bad throughout, or in pieces shorter than %g s",
                     clip->name, (double)def->min_seconds);
    } else {
        out->items = ami_alloc_array(&out->alloc, (size_t)count, sizeof(am_clip *));
        result = out->items ? AM_OK : ami_fail_memory(err, (size_t)count * sizeof(am_clip *));
        out->count = out->items ? count : 0;
    }
    for (int i = 0; result == AM_OK && i < count; i++) {
        result = make_piece(&out->items[i], clip, pieces[i], i, count, &out->alloc, err);
        if (first_frames && i < capacity) {
            first_frames[i] = pieces[i].first;
        }
    }
    ami_release(&out->alloc, pieces, room * sizeof *pieces);
    return result;
}

am_result am_doctor_clean(am_clips *out, am_roles *roles, int *first_frames, int capacity, const am_clip *clip,
                          const am_diagnosis *diagnosis, const am_clean_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    if (!clip || !diagnosis || !def || def->cookie != AM_COOKIE || !(def->min_seconds >= 0.0f)) {
        return ami_fail(err, AM_ERR_DEF, "initialise the clean def with am_clean_def_default()");
    }
    out->alloc = ami_alloc_or_default(def->alloc);
    am_clip *made = NULL;
    am_result result = ami_clip_bring_home(&made, roles, clip, diagnosis, diagnosis->fps_true, &out->alloc, err);
    result = result == AM_OK ? take_rest(&made, diagnosis, &out->alloc, err) : result;
    result = result == AM_OK && def->bridge ? bridge_all(&made, diagnosis, &out->alloc, err) : result;
    result = result == AM_OK ? ami_clip_mend_games(&made, roles, diagnosis, &out->alloc, err) : result;
    if (result == AM_OK) {
        result = cut_all(out, first_frames, capacity, made, diagnosis, def, err);
    }
    am_clip_destroy(made);
    if (result != AM_OK) {
        am_clips_free(out);
    }
    return result;
}

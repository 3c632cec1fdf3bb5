// Clips made for games: gaits in place get root motion, loops are unrolled.
#include "doctor/examine.h"

#define UNROLLED_S 8.0f ///< a second of past and future around several rounds of a run

static int rounds_of(const am_clip *clip, int period)
{
    int rounds = (int)ceilf(UNROLLED_S * clip->fps / (float)period);
    return rounds < 2 ? 2 : rounds;
}

static bool has_serious(const am_diagnosis *d)
{
    for (int i = 0; i < d->fault_count; i++) {
        if (d->faults[i].serious) {
            return true;
        }
    }
    return false;
}

am_result ami_exam_games(ami_exam *exam, am_error *err)
{
    am_diagnosis *out = exam->out;
    am_result result = AM_OK;
    if (has_serious(out)) {
        return AM_OK; // cut into pieces: no round is whole
    }
    if (exam->def->in_place) {
        result = am_clip_find_in_place(&out->in_place_mps, exam->made, &exam->roles, &out->alloc, err);
    }
    if (result == AM_OK && out->in_place_mps > 0.0f) {
        result = ami_finding_add(
            out, "in_place", -1, -1, false, err,
            "a gait in place: its planted feet slide backward at %.2f m/s; cleaning gives it the "
            "root motion that keeps them planted%s",
            (double)out->in_place_mps,
            out->in_place_mps > AM_SPRINT_MPS ? ", with shorter steps: people do not run so fast" : "");
    }
    if (result == AM_OK && exam->def->loops) {
        out->loop_frames = am_clip_find_loop(exam->made);
    }
    if (result == AM_OK && out->loop_frames > 0) {
        result = ami_finding_add(out, "loop", -1, -1, false, err,
                                 "a loop of %d frames: the last meets the first; cleaning unrolls it %d times",
                                 out->loop_frames, rounds_of(exam->made, out->loop_frames));
    }
    return result;
}

am_result ami_clip_mend_games(am_clip **clip, const am_roles *roles, const am_diagnosis *d, const am_alloc *alloc,
                              am_error *err)
{
    am_clip *made = NULL;
    am_result result = AM_OK;
    bool whole = !has_serious(d);      // a stretch may have been cut after the examination
    if (whole && d->loop_frames > 0) { // first: the filter then sees no ends within a round
        result = am_clip_unroll(&made, *clip, d->loop_frames, rounds_of(*clip, d->loop_frames), alloc, err);
        if (result == AM_OK) {
            am_clip_destroy(*clip);
            *clip = made;
        }
    }
    if (result == AM_OK && whole && d->in_place_mps > 0.0f) {
        result = am_clip_give_motion(&made, *clip, roles, alloc, err);
        if (result == AM_OK) {
            am_clip_destroy(*clip);
            *clip = made;
        }
    }
    return result;
}

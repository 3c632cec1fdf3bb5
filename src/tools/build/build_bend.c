// Bent copies of pieces, so that there is motion of many curvatures at each moment of a gait. Of unrolled loops,
// which may be all that a person has, also copies with other strides: a walk and a sprint leave all speeds between
// them open.
#include "build/build_internal.h"

#include "base/batch.h"

#include <stdio.h>

#define MOVES_MPS 0.5f   ///< slower frames are no part of a clip's pace
#define LEAST_MOVES 15   ///< frames
#define MOST_ACROSS 6.0f ///< m/s^2: people lean no farther into a curve
#define RUN_MPS 2.2f     ///< faster gaits are runs
#define OTHER 0.85f      ///< a copy that is hardly slower than the run itself adds nothing
/// A copy: how fast it is played, how long its steps are, and how far it is bent, rad/s (degrees in the tables).
typedef struct copy_plan {
    float tempo, stride, rate;
} copy_plan;
// People walk slower and faster by cadence and stride alike.
static const copy_plan walk_copies[] = {
    { 1.0f, 1.0f, -180.0f },  { 1.0f, 1.0f, -120.0f },  { 1.0f, 1.0f, -60.0f },   { 1.0f, 1.0f, 60.0f },
    { 1.0f, 1.0f, 120.0f },   { 1.0f, 1.0f, 180.0f },   { 0.87f, 0.87f, -60.0f }, { 0.87f, 0.87f, 0.0f },
    { 0.87f, 0.87f, 60.0f },  { 1.12f, 1.12f, -60.0f }, { 1.12f, 1.12f, 0.0f },   { 1.12f, 1.12f, 60.0f },
    { 1.25f, 1.25f, -60.0f }, { 1.25f, 1.25f, 0.0f },   { 1.25f, 1.25f, 60.0f },
};
enum { walk_copy_count = sizeof walk_copies / sizeof *walk_copies };
// Runs by their stride alone: played slower, a flight would fall slower. m/s, down to a jog that a walk reaches, and
// degrees a second.
static const float run_copies[][2] = {
    { 2.3f, -120.0f }, { 2.3f, -60.0f }, { 2.3f, 0.0f },  { 2.3f, 60.0f }, { 2.3f, 120.0f },
    { 3.2f, -90.0f },  { 3.2f, -45.0f }, { 3.2f, 0.0f },  { 3.2f, 45.0f }, { 3.2f, 90.0f },
    { 4.5f, -60.0f },  { 4.5f, 0.0f },   { 4.5f, 60.0f },
};
enum { run_copy_count = sizeof run_copies / sizeof *run_copies };

/// Mean speed of the moving frames, m/s; 0 when there are hardly any.
static float pace_of(const ami_building *b, const ami_piece *piece)
{
    double sum = 0.0;
    int count = 0;
    for (int f = 1; f < piece->clip->frame_count; f++) {
        float mps = am_v3_distance(piece->root_positions[f], piece->root_positions[f - 1]) * b->fps;
        count += mps > MOVES_MPS;
        sum += mps > MOVES_MPS ? (double)mps : 0.0;
    }
    return count >= LEAST_MOVES ? (float)(sum / count) : 0.0f;
}

static bool names(const ami_build_bend *bend, const char *clip)
{
    for (int i = 0; i < bend->clips.count; i++) {
        if (ami_pattern_fits(bend->clips.items[i], clip)) {
            return true;
        }
    }
    return bend->clips.count == 0;
}

/// Plans one copy, or counts it when there are no pieces to fill.
static int plan(ami_building *b, int straight, float pace, copy_plan copy, bool fill)
{
    const float rate = copy.rate;
    pace *= copy.tempo * copy.stride;
    if (!(pace > 0.0f) || am_abs(rate) * pace > MOST_ACROSS) {
        return 0;
    }
    if (fill) {
        const ami_piece from = b->pieces[straight];
        ami_piece *to = &b->pieces[b->piece_count++];
        *to = (ami_piece){ .source = from.source,
                           .piece = from.piece,
                           .source_first = from.source_first,
                           .twin = straight,
                           .tempo = copy.tempo,
                           .stride = copy.stride,
                           .bent = rate / pace };
        char faster[16] = "", bent[16] = "";
        if (copy.tempo * copy.stride != 1.0f) {
            snprintf(faster, sizeof faster, "_x%.2f", (double)(copy.tempo * copy.stride));
        }
        if (rate != 0.0f) {
            snprintf(bent, sizeof bent, "_bent%+.0f", (double)(rate / AM_DEG));
        }
        snprintf(to->name, sizeof to->name, "%.33s%s%s", from.name, faster, bent);
    }
    return 1;
}

/// Copies of an unrolled walk.
static int plan_walks(ami_building *b, int straight, float pace, bool fill)
{
    int count = 0;
    for (int i = 0; i < walk_copy_count; i++) {
        copy_plan copy = walk_copies[i];
        copy.rate *= AM_DEG;
        count += plan(b, straight, pace, copy, fill);
    }
    return count;
}

/// Copies of an unrolled run: itself bent, and slower ones.
static int plan_runs(ami_building *b, int straight, float pace, bool fill)
{
    int count = plan(b, straight, pace, (copy_plan){ 1.0f, 1.0f, -60.0f * AM_DEG }, fill) +
                plan(b, straight, pace, (copy_plan){ 1.0f, 1.0f, 60.0f * AM_DEG }, fill);
    for (int i = 0; i < run_copy_count; i++) {
        copy_plan copy = { 1.0f, run_copies[i][0] / pace, run_copies[i][1] * AM_DEG };
        count += copy.stride < OTHER ? plan(b, straight, pace, copy, fill) : 0;
    }
    return count;
}

static int plan_all(ami_building *b, int straight_count, bool fill)
{
    const ami_build_config *c = &b->config;
    int count = 0;
    for (int p = 0; p < straight_count; p++) {
        const am_import_clip *source = &b->import.clips[b->pieces[p].source];
        const float pace = pace_of(b, &b->pieces[p]);
        for (int i = 0; i < c->bend_count; i++) {
            for (int r = 0; r < c->bends[i].rate_count && names(&c->bends[i], source->name); r++) {
                count += plan(b, p, pace, (copy_plan){ 1.0f, 1.0f, c->bends[i].rate[r] }, fill);
            }
        }
        if (c->bend_loops && source->diagnosis.loop_frames > 0) {
            count += pace < RUN_MPS ? plan_walks(b, p, pace, fill) : plan_runs(b, p, pace, fill);
        }
    }
    return count;
}

/// The clip played faster or slower, at the same rate of frames.
static am_result play_at(am_clip **out, const am_clip *clip, float tempo, const am_alloc *alloc, am_error *err)
{
    am_clip *quick = NULL;
    am_result result = am_clip_trim(&quick, clip, 0, clip->frame_count - 1, alloc, err);
    if (result == AM_OK && tempo != 1.0f) {
        quick->fps = clip->fps * tempo;
        result = am_clip_resample(out, quick, clip->fps, alloc, err);
        am_clip_destroy(quick);
    } else {
        *out = quick;
    }
    return result;
}

/// Replaces the clip by one with other strides.
static am_result stride_at(am_clip **clip, const am_roles *roles, float stride, const am_alloc *alloc, am_error *err)
{
    am_clip *made = NULL;
    if (stride == 1.0f) {
        return AM_OK;
    }
    am_result result = am_clip_stride(&made, NULL, *clip, roles, stride, alloc, err);
    if (result == AM_OK) {
        am_clip_destroy(*clip);
        *clip = made;
    }
    return result;
}

static void bend_item(void *context, int item)
{
    ami_building *b = context;
    ami_piece *to = &b->pieces[b->bent_first + item];
    am_clip *straight = NULL;
    const am_roles *roles = ami_build_roles(b, to);
    am_result result = play_at(&straight, b->pieces[to->twin].clip, to->tempo, &b->alloc, &to->error);
    result = result == AM_OK ? stride_at(&straight, roles, to->stride, &b->alloc, &to->error) : result;
    if (result == AM_OK && to->bent != 0.0f) {
        result = am_clip_bend(&to->clip, NULL, straight, roles, to->bent, &b->alloc, &to->error);
        am_clip_destroy(straight);
    } else {
        to->clip = straight;
    }
    if (result == AM_OK) {
        ami_build_fill_piece(b, to, &to->error);
    }
}

am_result ami_build_bend_pieces(ami_building *b)
{
    const int straight = b->piece_count;
    const int more = plan_all(b, straight, false);
    if (more == 0) {
        return AM_OK;
    }
    am_result result = ami_build_more_pieces(b, more);
    if (result == AM_OK) {
        plan_all(b, straight, true);
        b->bent_first = straight;
        result = ami_run_batches(&b->tasks, b->def->progress, "bend", more, bend_item, b, b->err);
    }
    return result == AM_OK ? ami_build_first_error(b, straight) : result;
}

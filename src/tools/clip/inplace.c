// Gaits made in place, as games have them: the body stays and the planted feet slide backward under it, as on a
// treadmill. The root motion that keeps those feet planted is the opposite of their slide; what the feet of a made-up
// gait then still slide, their legs take.
#include <amble/tools/clip.h>

#include "clip/contacts.h"
#include "clip/plant.h"
#include "clip/track.h"
#include "data/filter.h"
#include "base/error.h"
#include "base/memory.h"

#define LOW_M 0.03f     ///< a toe this near to its lowest height bears weight
#define STAY_M 0.35f    ///< farthest that the hips of a gait in place go from their first position
#define SLIDE_MPS 0.4f  ///< slowest slide of a walk in place; captured stances slide below 0.17
#define ONE_WAY 0.8f    ///< mean slide as a vector beside its mean amount: a treadmill has one direction
#define LOW_SHARE 0.25f ///< of all frames: a run has a foot down for a third of the time
#define SMOOTH_S 0.15f  ///< smoothing of the slide
#define ALONG 0.4f      ///< a low toe is planted while it slides as the ground does, but for this share of the mean
#define LEAST_FRAMES 8

/// Arrays of one call, [frame] each.
typedef struct slide_work {
    am_vec3 *toe[2];
    am_vec3 *hips;
    am_vec3 *slide; ///< ground velocity of what is down, filled between stances
    am_vec3 *smooth;
    float *heights;
    float *turns; ///< none
    bool *down;
    uint8_t *contacts; ///< AM_CONTACT_* bits
    float low_m[2];    ///< height of each toe on the ground
} slide_work;

static void work_take(slide_work *w, ami_layout *layout, size_t frames)
{
    w->toe[0] = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->toe[1] = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->hips = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->slide = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->smooth = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->heights = ami_layout_take(layout, frames, sizeof(float));
    w->turns = ami_layout_take(layout, frames, sizeof(float));
    w->contacts = ami_layout_take(layout, frames, 1);
    w->down = ami_layout_take(layout, frames, sizeof(bool));
}

static bool is_low(const slide_work *w, int side, int frame)
{
    return w->toe[side][frame].y - w->low_m[side] < LOW_M;
}

/// Ground velocity of a low toe, between frames in which it is low: over the ends of a short stance it would be too
/// slow. Zero when it is low in one frame alone.
static am_vec3 velocity_at(const slide_work *w, int side, int frame, const am_clip *clip)
{
    int a = frame > 0 && is_low(w, side, frame - 1) ? frame - 1 : frame;
    int b = frame + 1 < clip->frame_count && is_low(w, side, frame + 1) ? frame + 1 : frame;
    am_vec3 way = am_v3_ground(am_v3_sub(w->toe[side][b], w->toe[side][a]));
    return am_v3_scale(way, a < b ? clip->fps / (float)(b - a) : 0.0f);
}

static float lowest_of(slide_work *w, int side, int frames)
{
    for (int f = 0; f < frames; f++) {
        w->heights[f] = w->toe[side][f].y;
    }
    ami_sort_floats(w->heights, frames);
    return ami_quantile(w->heights, frames, 0.05f);
}

/// Fills slide and down; returns how many frames have a foot down.
static int find_slide(slide_work *w, const am_clip *clip)
{
    int frames = clip->frame_count;
    for (int side = 0; side < 2; side++) {
        w->low_m[side] = lowest_of(w, side, frames);
    }
    int count = 0;
    for (int f = 0; f < frames; f++) {
        float above[2] = { w->toe[0][f].y - w->low_m[0], w->toe[1][f].y - w->low_m[1] };
        int side = above[0] <= above[1] ? 0 : 1;
        w->slide[f] = velocity_at(w, side, f, clip);
        w->down[f] = is_low(w, side, f) && am_v3_length2(w->slide[f]) > 0.0f;
        count += w->down[f];
    }
    return count;
}

static bool body_stays(const slide_work *w, int frames)
{
    for (int f = 0; f < frames; f++) {
        float x = w->hips[f].x - w->hips[0].x;
        float z = w->hips[f].z - w->hips[0].z;
        if (x * x + z * z > STAY_M * STAY_M) {
            return false;
        }
    }
    return true;
}

static bool is_treadmill(am_vec3 *mean, const slide_work *w, int frames, int down)
{
    am_vec3 sum = am_v3_zero();
    float amount = 0.0f;
    for (int f = 0; f < frames; f++) {
        if (w->down[f]) {
            sum = am_v3_add(sum, w->slide[f]);
            amount += am_v3_length(w->slide[f]);
        }
    }
    *mean = am_v3_scale(sum, 1.0f / (float)down);
    return am_v3_length(*mean) > SLIDE_MPS && am_v3_length(sum) > ONE_WAY * amount;
}

/// Straight lines through flights, then the filter.
static bool fill_slide(slide_work *w, const am_clip *clip, const am_alloc *alloc)
{
    int frames = clip->frame_count;
    int last = -1;
    for (int f = 0; f <= frames; f++) {
        if (f < frames && !w->down[f]) {
            continue;
        }
        for (int k = last + 1; k < f; k++) {
            int from = last >= 0 ? last : f;
            int to = f < frames ? f : last;
            float t = from == to ? 0.0f : (float)(k - from) / (float)(to - from);
            w->slide[k] = am_v3_lerp(w->slide[from], w->slide[to], t);
        }
        last = f;
    }
    int window = ami_window_frames(SMOOTH_S, clip->fps);
    window = window < 5 ? 5 : window;
    for (int f = 0; f < frames; f++) {
        w->smooth[f] = am_v3_zero();
    }
    return ami_savgol(&w->smooth[0].x, &w->slide[0].x, frames, 3, window, alloc) &&
           ami_savgol(&w->smooth[0].z, &w->slide[0].z, frames, 3, window, alloc);
}

static void find_tracks(slide_work *w, const am_clip *clip, const int toes[2])
{
    ami_joint_positions(w->toe[0], clip, toes[0]);
    ami_joint_positions(w->toe[1], clip, toes[1]);
    ami_joint_positions(w->hips, clip, 0);
}

/// The slide of a gait in place in w->smooth; *mean is zero when the clip is none.
static am_result measure(am_vec3 *mean, slide_work *w, const am_clip *clip, const int toes[2], const am_alloc *alloc,
                         am_error *err)
{
    int frames = clip->frame_count;
    find_tracks(w, clip, toes);
    int down = find_slide(w, clip);
    bool found =
        (float)down >= LOW_SHARE * (float)frames && body_stays(w, frames) && is_treadmill(mean, w, frames, down);
    if (!found) {
        *mean = am_v3_zero();
        return AM_OK;
    }
    return fill_slide(w, clip, alloc) ? AM_OK : ami_fail_memory(err, (size_t)frames * sizeof(float));
}

/// share: of the slide, for runs that slide faster than people run.
static void add_motion(am_clip *made, const slide_work *w, float share)
{
    am_vec3 way = am_v3_zero();
    for (int f = 0; f < made->frame_count; f++) {
        am_vec3 *hips = &made->translations[(size_t)f * (size_t)made->moving_count];
        *hips = am_v3_add(*hips, way);
        int next = f + 1 < made->frame_count ? f + 1 : f;
        am_vec3 mid = am_v3_scale(am_v3_add(w->smooth[f], w->smooth[next]), 0.5f);
        way = am_v3_sub(way, am_v3_scale(mid, share / made->fps));
    }
}

/// Feet that slide along with the ground are planted.
static void find_planted(slide_work *w, const am_clip *clip, float mean_mps)
{
    for (int f = 0; f < clip->frame_count; f++) {
        w->contacts[f] = 0;
        w->turns[f] = 0.0f;
        for (int side = 0; side < 2; side++) {
            am_vec3 off = am_v3_sub(velocity_at(w, side, f, clip), w->smooth[f]);
            bool planted = is_low(w, side, f) && am_v3_length(off) < ALONG * mean_mps;
            w->contacts[f] |= !planted ? 0 : side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        }
    }
}

static am_result plant(am_clip *made, const slide_work *w, const am_roles *roles, const am_alloc *alloc,
                       am_error *err)
{
    ami_plant def = { .made = made,
                      .source = made,
                      .made_roles = roles,
                      .source_roles = roles,
                      .contacts = w->contacts,
                      .scale = 1.0f,
                      .turns = w->turns,
                      .still = true };
    return ami_plant_feet(&def, alloc, err);
}

static am_result copy_clip(am_clip **out, const am_clip *clip, const am_alloc *alloc, am_error *err)
{
    return am_clip_trim(out, clip, 0, clip->frame_count - 1, alloc, err);
}

/// The slide, and with `made` the clip that has the motion.
static am_result work_on(float *speed_mps, am_clip **made, const am_clip *clip, const am_roles *roles,
                         const am_alloc *alloc, am_error *err)
{
    int toes[2];
    am_result result = ami_check_toes(toes, clip, roles, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc a = ami_alloc_or_default(alloc);
    slide_work w;
    ami_layout measured = { 0 };
    work_take(&w, &measured, (size_t)clip->frame_count);
    ami_layout place = ami_layout_room(&measured, &a);
    if (!place.base) {
        return ami_fail_memory(err, measured.size);
    }
    work_take(&w, &place, (size_t)clip->frame_count);
    am_vec3 mean = am_v3_zero();
    result = measure(&mean, &w, clip, toes, &a, err);
    *speed_mps = am_v3_length(mean);
    if (result == AM_OK && made) {
        result = copy_clip(made, clip, &a, err);
        if (result == AM_OK && *speed_mps > 0.0f) {
            find_planted(&w, clip, *speed_mps);
            add_motion(*made, &w, am_min(AM_SPRINT_MPS / *speed_mps, 1.0f));
            result = plant(*made, &w, roles, &a, err);
        }
    }
    ami_release(&a, place.base, measured.size);
    return result;
}

static bool can_be(const am_clip *clip, const am_roles *roles)
{
    return clip->frame_count >= LEAST_FRAMES && clip->moving_count > 0 && clip->moving[0] == 0 &&
           roles->joint[AM_ROLE_LEFT_FOOT] >= 0 && roles->joint[AM_ROLE_RIGHT_FOOT] >= 0;
}

am_result am_clip_find_in_place(float *speed_mps, const am_clip *clip, const am_roles *roles, const am_alloc *alloc,
                                am_error *err)
{
    *speed_mps = 0.0f;
    return can_be(clip, roles) ? work_on(speed_mps, NULL, clip, roles, alloc, err) : AM_OK;
}

am_result am_clip_give_motion(am_clip **out, const am_clip *clip, const am_roles *roles, const am_alloc *alloc,
                              am_error *err)
{
    float speed = 0.0f;
    *out = NULL;
    return can_be(clip, roles) ? work_on(&speed, out, clip, roles, alloc, err) : copy_clip(out, clip, alloc, err);
}

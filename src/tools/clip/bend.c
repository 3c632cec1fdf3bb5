// Bends clips along curves and gives gaits other strides (path editing, Gleicher 2001): the way of the ground root is
// bent or scaled, the body goes along with it, leans inward, and its feet are planted again.
#include <amble/tools/clip.h>

#include "clip/contacts.h"
#include "clip/plant.h"
#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"

#define MOST_RAD_PER_M 10.0f
#define LEAST_STRIDE 0.2f
#define MOST_STRIDE 2.0f
#define MOST_LEAN (15.0f * AM_DEG)
#define GRAVITY 9.81f

/// What is done to the way: how much more it turns in a metre, and how much longer it is.
typedef struct change {
    float rad_per_m, stride;
} change;

/// Arrays of one call, [frame] each.
typedef struct bend_work {
    am_vec3 *root; ///< on the ground, of the straight clip
    am_quat *facing;
    am_vec3 *way; ///< on the ground, of the copy
    float *turn;  ///< what is added to its heading
    am_vec3 *toe[2];
    uint8_t *contacts;
} bend_work;

static void work_take(bend_work *w, ami_layout *layout, size_t frames)
{
    w->root = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->facing = ami_layout_take(layout, frames, sizeof(am_quat));
    w->way = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->turn = ami_layout_take(layout, frames, sizeof(float));
    w->toe[0] = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->toe[1] = ami_layout_take(layout, frames, sizeof(am_vec3));
    w->contacts = ami_layout_take(layout, frames, 1);
}

/// The new way: each step as long as the stride asks, turned by what its middle asks.
static void change_way(bend_work *w, int frames, change to)
{
    float length = 0.0f;
    w->way[0] = w->root[0];
    w->turn[0] = 0.0f;
    for (int f = 1; f < frames; f++) {
        am_vec3 step = am_v3_scale(am_v3_sub(w->root[f], w->root[f - 1]), to.stride);
        float step_m = am_v3_length(step);
        float middle = to.rad_per_m * (length + 0.5f * step_m);
        w->way[f] = am_v3_add(w->way[f - 1], am_quat_rotate(am_quat_from_heading(middle), step));
        length += step_m;
        w->turn[f] = to.rad_per_m * length;
    }
}

/// How far a body leans inward that goes v m/s and turns by rad_per_m: about the axis ahead, to its left.
static am_quat lean_of(const bend_work *w, const am_clip *clip, int frame, float rad_per_m)
{
    int a = frame > 0 ? frame - 1 : 0;
    int b = frame + 1 < clip->frame_count ? frame + 1 : frame;
    am_vec3 ahead = am_v3_sub(w->way[b], w->way[a]);
    float speed = a < b ? am_v3_length(ahead) * clip->fps / (float)(b - a) : 0.0f;
    float angle = am_atan2(rad_per_m * speed * speed, GRAVITY);
    am_vec3 back = am_v3_scale(am_v3_normalize_or(ahead, am_v3(0.0f, 0.0f, 1.0f)), -1.0f);
    return am_quat_from_axis_angle(back, am_clamp(angle, -MOST_LEAN, MOST_LEAN));
}

static void move_body(am_clip *made, const bend_work *w, float rad_per_m)
{
    size_t joints = (size_t)made->skeleton->joint_count;
    size_t row = (size_t)made->moving_count;
    for (int f = 0; f < made->frame_count; f++) {
        am_vec3 *hips = &made->translations[(size_t)f * row];
        am_quat *facing = &made->rotations[(size_t)f * joints];
        am_quat turn = am_quat_mul(lean_of(w, made, f, rad_per_m), am_quat_from_heading(w->turn[f]));
        *hips = am_v3_add(w->way[f], am_quat_rotate(turn, am_v3_sub(*hips, w->root[f])));
        *facing = am_quat_normalize(am_quat_mul(turn, *facing));
    }
}

/// Sums how far the toe of one contact is from where the straight clip would have it around their common middle.
static void add_contact(double *sum, am_bend_error *error, const bend_work *w, int first, int last)
{
    am_vec3 middle[2] = { am_v3_zero(), am_v3_zero() };
    float share = 1.0f / (float)(last - first + 1);
    float turn = 0.0f;
    for (int f = first; f <= last; f++) {
        turn += share * w->turn[f];
        for (int i = 0; i < 2; i++) {
            middle[i] = am_v3_add(middle[i], am_v3_scale(w->toe[i][f], share));
        }
    }
    am_quat turned = am_quat_from_heading(turn);
    for (int f = first; f <= last; f++) {
        am_vec3 straight = am_quat_rotate(turned, am_v3_sub(w->toe[0][f], middle[0]));
        am_vec3 off = am_v3_sub(am_v3_sub(w->toe[1][f], middle[1]), straight);
        off.y = 0.0f;
        *sum += (double)am_v3_length2(off);
        error->most_m = am_max(error->most_m, am_v3_length(off));
    }
}

/// The error of all planted frames, over straight and bent toes.
static am_bend_error measure(const bend_work *w, const am_clip *made, const am_clip *clip, const int toes[2])
{
    am_bend_error error = { 0 };
    double sum = 0.0;
    int count = 0;
    for (int side = 0; side < 2; side++) {
        unsigned bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        ami_joint_positions(w->toe[0], clip, toes[side]);
        ami_joint_positions(w->toe[1], made, toes[side]);
        for (int f = 0; f < clip->frame_count; f++) {
            int first = f;
            while (f < clip->frame_count && (w->contacts[f] & bit)) {
                f++;
            }
            if (f > first) {
                add_contact(&sum, &error, w, first, f - 1);
                count += f - first;
            }
        }
    }
    error.slide_m = count > 0 ? (float)sqrt(sum / count) : 0.0f;
    return error;
}

/// What counts as planted: in made-up gaits, which get other strides, short stances whose feet slide a little.
static am_contact_def contacts_of(change to)
{
    am_contact_def def = am_contact_def_default();
    if (to.stride != 1.0f) {
        def.speed_on_mps = 1.0f;
        def.speed_off_mps = 1.4f;
        def.height_on_m = 0.03f;
        def.height_off_m = 0.045f;
        def.median_seconds = 0.04f;
    }
    return def;
}

static am_result bend_with(am_clip **out, am_bend_error *error, bend_work *w, const am_clip *clip,
                           const am_roles *roles, change to, const am_alloc *alloc, am_error *err)
{
    int toes[2];
    am_root_def root = am_root_def_default();
    am_contact_def contacts = contacts_of(to);
    am_result result = ami_check_toes(toes, clip, roles, err);
    result = result == AM_OK ? am_root_track(w->root, w->facing, clip, roles, &root, alloc, err) : result;
    result = result == AM_OK ? am_contacts_find(w->contacts, clip, roles, &contacts, alloc, err) : result;
    result = result == AM_OK ? am_clip_trim(out, clip, 0, clip->frame_count - 1, alloc, err) : result;
    if (result != AM_OK) {
        return result;
    }
    change_way(w, clip->frame_count, to);
    move_body(*out, w, to.rad_per_m);
    ami_plant plant = { .made = *out,
                        .source = clip,
                        .made_roles = roles,
                        .source_roles = roles,
                        .contacts = w->contacts,
                        .scale = 1.0f,
                        .turns = w->turn,
                        .still = to.stride != 1.0f };
    result = ami_plant_feet(&plant, alloc, err);
    if (result == AM_OK && error) {
        *error = measure(w, *out, clip, toes);
    }
    return result;
}

static am_result change_clip(am_clip **out, am_bend_error *error, const am_clip *clip, const am_roles *roles,
                             change to, const am_alloc *alloc, am_error *err)
{
    if (clip->moving_count < 1 || clip->moving[0] != 0 || clip->frame_count < 1) {
        return ami_fail(err, AM_ERR_RANGE, "clip '%s' has no hips that move; its way cannot be changed", clip->name);
    }
    am_alloc a = ami_alloc_or_default(alloc);
    bend_work work;
    ami_layout measured = { 0 };
    work_take(&work, &measured, (size_t)clip->frame_count);
    ami_layout place = ami_layout_room(&measured, &a);
    if (!place.base) {
        return ami_fail_memory(err, measured.size);
    }
    work_take(&work, &place, (size_t)clip->frame_count);
    am_result result = bend_with(out, error, &work, clip, roles, to, &a, err);
    if (result != AM_OK) {
        am_clip_destroy(*out);
        *out = NULL;
    }
    ami_release(&a, place.base, measured.size);
    return result;
}

am_result am_clip_bend(am_clip **out, am_bend_error *error, const am_clip *clip, const am_roles *roles,
                       float rad_per_m, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (!(am_abs(rad_per_m) <= MOST_RAD_PER_M)) {
        return ami_fail(err, AM_ERR_RANGE, "a clip can be bent by up to %.0f radians in a metre",
                        (double)MOST_RAD_PER_M);
    }
    return change_clip(out, error, clip, roles, (change){ rad_per_m, 1.0f }, alloc, err);
}

am_result am_clip_stride(am_clip **out, am_bend_error *error, const am_clip *clip, const am_roles *roles,
                         float stride, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    if (!(stride >= LEAST_STRIDE && stride <= MOST_STRIDE)) {
        return ami_fail(err, AM_ERR_RANGE, "steps can be made from %.1f to %.0f times as long", (double)LEAST_STRIDE,
                        (double)MOST_STRIDE);
    }
    return change_clip(out, error, clip, roles, (change){ 0.0f, stride }, alloc, err);
}

// Corrects planted feet after retargeting and bending: in stance the toe gets the floor's height and the source's own
// slide, and a foot of a bent clip keeps its direction; between contacts the correction passes smoothly from one to
// the next. The hips take the vertical part that both legs share, since a stance leg is nearly straight and cannot
// reach lower.
#include "clip/plant.h"

#include "clip/contacts.h"
#include "data/filter.h"
#include "clip/track.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/kinematics.h"

#define KEEP_SHAPE                                                                                                   \
    0.35f ///< share of a stance's own ups and downs that stays: the most with which 95 % of the
          ///< CMU clips have their lowest toe heights within 1 cm of each other
#define FOOT_SECONDS                                                                                                 \
    0.1f ///< smoothing of a foot's correction: without it one bad frame of a foot moved its knee by 7 cm
#define HIPS_SECONDS 0.5f  ///< smoothing of the hips' share
#define MOST_M 0.05f       ///< a correction beyond this means that the ground is not flat: leave the rest
#define MOST_TURNED_M 0.4f ///< of a clip that was bent
#define KNEE_SHARE 0.5f    ///< of a foot's turn that its knee takes part in

/// Arrays of one call, [frame] each.
typedef struct plant_work {
    am_vec3 *source_toe, *made_toe;
    am_vec3 *offset[2]; ///< correction of each toe
    am_vec3 *yaw[2];    ///< x: what each foot of a bent clip is turned by
    float *hips, *smooth;
    float *heights;
} plant_work;

static void plant_work_take(plant_work *work, ami_layout *layout, size_t frames)
{
    work->source_toe = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->made_toe = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->offset[0] = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->offset[1] = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->yaw[0] = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->yaw[1] = ami_layout_take(layout, frames, sizeof(am_vec3));
    work->hips = ami_layout_take(layout, frames, sizeof(float));
    work->smooth = ami_layout_take(layout, frames, sizeof(float));
    work->heights = ami_layout_take(layout, frames, sizeof(float));
}

static am_vec3 mean_of(const am_vec3 *values, int first, int last)
{
    double sum[3] = { 0.0, 0.0, 0.0 };
    for (int f = first; f <= last; f++) {
        sum[0] += (double)values[f].x;
        sum[1] += (double)values[f].y;
        sum[2] += (double)values[f].z;
    }
    double n = (double)(last - first + 1);
    return am_v3((float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n));
}

static float median_height(float *heights, const am_vec3 *values, int first, int last)
{
    for (int f = first; f <= last; f++) {
        heights[f - first] = values[f].y;
    }
    ami_sort_floats(heights, last - first + 1);
    return ami_quantile(heights, last - first + 1, 0.5f);
}

static am_vec3 limited(am_vec3 v, float most)
{
    float length = am_v3_length(v);
    return length > most ? am_v3_scale(v, most / length) : v;
}

/// Corrections within one contact.
static void correct_stance(am_vec3 *offset, plant_work *work, int first, int last, const ami_plant *plant)
{
    am_vec3 source_mean = mean_of(work->source_toe, first, last);
    am_vec3 made_mean = mean_of(work->made_toe, first, last);
    float height = median_height(work->heights, work->source_toe, first, last);
    float slide = am_min(plant->scale, 1.0f); // a longer leg is no reason to slide farther
    for (int f = first; f <= last; f++) {
        am_vec3 wanted = am_v3_add(made_mean, am_v3_scale(am_v3_sub(work->source_toe[f], source_mean), slide));
        wanted.y = plant->floor_m + KEEP_SHAPE * (work->source_toe[f].y - height);
        offset[f] = limited(am_v3_sub(wanted, work->made_toe[f]), MOST_M);
    }
}

/// The same of a clip that was bent: the foot stands where it stood on average, turned as it was on average.
static void correct_turned(am_vec3 *offset, am_vec3 *yaw, plant_work *work, int first, int last,
                           const ami_plant *plant)
{
    am_vec3 source_mean = mean_of(work->source_toe, first, last);
    am_vec3 made_mean = mean_of(work->made_toe, first, last);
    double sum = 0.0;
    for (int f = first; f <= last; f++) {
        sum += (double)plant->turns[f];
    }
    float turn = (float)(sum / (double)(last - first + 1));
    am_quat turned = am_quat_from_heading(turn);
    for (int f = first; f <= last; f++) {
        am_vec3 slide = am_quat_rotate(turned, am_v3_sub(work->source_toe[f], source_mean));
        am_vec3 wanted = plant->still ? made_mean : am_v3_add(made_mean, slide);
        wanted.y = work->source_toe[f].y;
        offset[f] = limited(am_v3_sub(wanted, work->made_toe[f]), MOST_TURNED_M);
        yaw[f] = am_v3(turn - plant->turns[f], 0.0f, 0.0f);
    }
}

/// Corrections between two contacts that end at `from` and begin at `to`: a Hermite curve that takes over their
/// speeds, as far as that moves it by no more than a centimetre.
static void correct_swing(am_vec3 *offset, int from, int to, int from_first, int to_last)
{
    float gap = (float)(to - from);
    am_vec3 leave = from > from_first ? am_v3_sub(offset[from], offset[from - 1]) : am_v3_zero();
    am_vec3 arrive = to < to_last ? am_v3_sub(offset[to + 1], offset[to]) : am_v3_zero();
    leave = limited(am_v3_scale(leave, gap), 0.01f);
    arrive = limited(am_v3_scale(arrive, gap), 0.01f);
    am_vec3 way = am_v3_sub(offset[to], offset[from]);
    for (int f = from + 1; f < to; f++) {
        float t = (float)(f - from) / gap;
        float t2 = t * t;
        float t3 = t2 * t;
        am_vec3 moved = am_v3_scale(way, 3.0f * t2 - 2.0f * t3);
        moved = am_v3_add(moved, am_v3_scale(leave, t3 - 2.0f * t2 + t));
        moved = am_v3_add(moved, am_v3_scale(arrive, t3 - t2));
        offset[f] = am_v3_add(offset[from], moved);
    }
}

/// Last frame of the contact that begins at `first`.
static int contact_end(const uint8_t *contacts, int first, int frames, unsigned bit)
{
    int last = first;
    while (last + 1 < frames && (contacts[last + 1] & bit)) {
        last++;
    }
    return last;
}

/// Fills the corrections of one foot; before the first contact and after the last they stay constant.
static void correct_foot(plant_work *work, const ami_plant *plant, int side)
{
    const unsigned bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
    am_vec3 *offset = work->offset[side];
    am_vec3 *yaw = work->yaw[side]; // stays zero unless the clip was bent
    int frames = plant->made->frame_count;
    int before_first = -1;
    int before_last = -1;
    for (int f = 0; f < frames; f++) {
        if (!(plant->contacts[f] & bit)) {
            continue;
        }
        int last = contact_end(plant->contacts, f, frames, bit);
        if (plant->turns) {
            correct_turned(offset, yaw, work, f, last, plant);
        } else {
            correct_stance(offset, work, f, last, plant);
        }
        if (before_last >= 0) {
            correct_swing(offset, before_last, f, before_first, last);
            correct_swing(yaw, before_last, f, before_first, last);
        }
        for (int k = 0; before_last < 0 && k < f; k++) {
            offset[k] = offset[f];
            yaw[k] = yaw[f];
        }
        before_first = f;
        before_last = last;
        f = last;
    }
    for (int k = before_last + 1; before_last >= 0 && k < frames; k++) {
        offset[k] = offset[before_last];
        yaw[k] = yaw[before_last];
    }
}

/// Smooths the corrections of one foot: a single bad frame of a foot must not reach its knee.
static bool smooth_foot(am_vec3 *offset, am_vec3 *scratch, const am_clip *made, const am_alloc *alloc)
{
    int frames = made->frame_count;
    int window = ami_window_frames(FOOT_SECONDS, made->fps);
    window = window < 5 ? 5 : window; // a cubic through fewer smooths nothing
    for (int f = 0; f < frames; f++) {
        scratch[f] = offset[f];
    }
    return ami_savgol(&offset[0].x, &scratch[0].x, frames, 3, window, alloc) &&
           ami_savgol(&offset[0].y, &scratch[0].y, frames, 3, window, alloc) &&
           ami_savgol(&offset[0].z, &scratch[0].z, frames, 3, window, alloc);
}

/// The hips' height correction: what the planted feet need, smoothed. It is subtracted from the feet's corrections.
static am_result correct_hips(plant_work *work, const ami_plant *plant, const am_alloc *alloc, am_error *err)
{
    int frames = plant->made->frame_count;
    for (int f = 0; f < frames; f++) {
        float left = work->offset[0][f].y;
        float right = work->offset[1][f].y;
        bool left_down = (plant->contacts[f] & AM_CONTACT_LEFT) != 0;
        bool right_down = (plant->contacts[f] & AM_CONTACT_RIGHT) != 0;
        work->hips[f] = left_down == right_down ? 0.5f * (left + right) : left_down ? left : right;
    }
    int window = ami_window_frames(HIPS_SECONDS, plant->made->fps);
    if (!ami_savgol(work->smooth, work->hips, frames, 1, window, alloc)) {
        return ami_fail_memory(err, (size_t)window * sizeof(double));
    }
    for (int f = 0; f < frames; f++) {
        work->offset[0][f].y -= work->smooth[f];
        work->offset[1][f].y -= work->smooth[f];
    }
    return AM_OK;
}

/// Joints of one leg, or hip = -1 when the rig lacks one.
typedef struct leg_joints {
    int hip, knee, ankle;
    int toe; ///< or the ankle on rigs without toes
} leg_joints;

static leg_joints leg_of(const am_roles *roles, int side)
{
    static const am_role wanted[2][3] = {
        { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT },
        { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT },
    };
    int toe = roles->joint[side == 0 ? AM_ROLE_LEFT_TOE : AM_ROLE_RIGHT_TOE];
    leg_joints leg = { roles->joint[wanted[side][0]], roles->joint[wanted[side][1]], roles->joint[wanted[side][2]],
                       toe };
    leg.toe = toe >= 0 ? toe : leg.ankle;
    if (leg.knee < 0 || leg.ankle < 0) {
        leg.hip = -1;
    }
    return leg;
}

/// Where the knee points: its bend, or the thigh's front when the leg is straight.
static am_vec3 knee_pole(const am_transform *model, const am_transform *rest, leg_joints leg)
{
    am_vec3 hip = model[leg.hip].translation;
    am_vec3 line = am_v3_normalize_or(am_v3_sub(model[leg.ankle].translation, hip), am_v3(0.0f, -1.0f, 0.0f));
    am_vec3 knee = am_v3_sub(model[leg.knee].translation, hip);
    am_vec3 out = am_v3_sub(knee, am_v3_scale(line, am_v3_dot(knee, line)));
    am_quat away = am_quat_mul(model[leg.hip].rotation, am_quat_inv(rest[leg.hip].rotation));
    am_vec3 front = am_quat_rotate(away, am_v3(0.0f, 0.0f, 0.01f));
    return am_v3_add(out, front);
}

/// Moves the toe by `offset` and turns the foot by `yaw` about it.
static void move_leg(am_transform *local, am_transform *model, const am_transform *rest, const int16_t *parents,
                     leg_joints leg, am_vec3 offset, float yaw)
{
    if (leg.hip < 0 || am_v3_length2(offset) + yaw * yaw < 1e-12f) {
        return;
    }
    am_vec3 hip = model[leg.hip].translation;
    am_vec3 knee = model[leg.knee].translation;
    am_vec3 ankle = model[leg.ankle].translation;
    am_vec3 foot = am_v3_sub(ankle, model[leg.toe].translation);
    am_quat turn = am_quat_from_heading(yaw);
    am_vec3 round = am_v3_sub(am_quat_rotate(turn, foot), foot); // the ankle's way as the foot turns
    am_vec3 target = am_v3_add(am_v3_add(ankle, offset), round);
    am_vec3 pole = am_quat_rotate(am_quat_from_heading(KNEE_SHARE * yaw), knee_pole(model, rest, leg));
    // Easing begins beyond the stretch the leg has already, so that a small offset is reached.
    float slack = am_v3_distance(hip, knee) + am_v3_distance(knee, ankle) - am_v3_distance(hip, ankle);
    ami_ik_chain chain = { local, model, leg.hip, leg.knee, leg.ankle };
    ami_ik_two_bone(&chain, target, pole, am_min(0.02f, 0.9f * slack));
    model[leg.ankle].rotation = am_quat_mul(turn, model[leg.ankle].rotation);
    ami_ik_keep_rotation(local, model, parents, leg.ankle);
}

static void move_frame(const ami_plant *plant, const plant_work *work, am_transform *rest, am_transform *local,
                       am_transform *model, int frame)
{
    am_clip *made = plant->made;
    const am_skeleton *s = made->skeleton;
    made->translations[(size_t)frame * (size_t)made->moving_count].y += work->smooth[frame];
    am_clip_local(made, frame, local);
    am_fk(model, local, s->parents, s->joint_count);
    for (int side = 0; side < 2; side++) {
        leg_joints leg = leg_of(plant->made_roles, side);
        move_leg(local, model, rest, s->parents, leg, work->offset[side][frame], work->yaw[side][frame].x);
    }
    am_quat *rotations = made->rotations + (size_t)frame * (size_t)s->joint_count;
    for (int j = 0; j < s->joint_count; j++) {
        rotations[j] = local[j].rotation;
    }
}

static am_result plant_with(const ami_plant *plant, plant_work *work, am_transform *poses, const am_alloc *alloc,
                            am_error *err)
{
    int made_toes[2];
    int source_toes[2];
    am_result result = ami_check_toes(made_toes, plant->made, plant->made_roles, err);
    result = result == AM_OK ? ami_check_toes(source_toes, plant->source, plant->source_roles, err) : result;
    if (result != AM_OK) {
        return result;
    }
    for (int side = 0; side < 2; side++) {
        ami_joint_positions(work->source_toe, plant->source, source_toes[side]);
        ami_joint_positions(work->made_toe, plant->made, made_toes[side]);
        correct_foot(work, plant, side);
        if (!plant->still && // a made-up gait has no bad frames, and its stances may be as short as the filter
            (!smooth_foot(work->offset[side], work->source_toe, plant->made, alloc) ||
             (plant->turns && !smooth_foot(work->yaw[side], work->source_toe, plant->made, alloc)))) {
            return ami_fail_memory(err, (size_t)ami_window_frames(FOOT_SECONDS, plant->made->fps) * sizeof(double));
        }
    }
    result = correct_hips(work, plant, alloc, err);
    if (result == AM_OK) {
        am_transform *rest = poses;
        ami_rest_model(rest, plant->made->skeleton);
        for (int f = 0; f < plant->made->frame_count; f++) {
            move_frame(plant, work, rest, poses + AM_MAX_JOINTS, poses + 2 * AM_MAX_JOINTS, f);
        }
    }
    return result;
}

am_result ami_plant_feet(const ami_plant *plant, const am_alloc *alloc, am_error *err)
{
    size_t frames = (size_t)plant->made->frame_count;
    plant_work work;
    ami_layout measure = { 0 };
    plant_work_take(&work, &measure, frames);
    ami_layout_take(&measure, 3 * AM_MAX_JOINTS, sizeof(am_transform));
    ami_layout place = ami_layout_room(&measure, alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    plant_work_take(&work, &place, frames);
    for (size_t f = 0; f < frames; f++) {
        work.yaw[0][f] = work.yaw[1][f] = am_v3_zero();
        work.offset[0][f] = work.offset[1][f] = am_v3_zero();
    }
    am_transform *poses = ami_layout_take(&place, 3 * AM_MAX_JOINTS, sizeof(am_transform));
    am_result result = plant_with(plant, &work, poses, alloc, err);
    ami_release(alloc, place.base, measure.size);
    return result;
}

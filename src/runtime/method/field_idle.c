// Stopping and standing in a motion field: the last steps are hurried, and a standing character shows some of the
// data's idle motion.
//
// The neighbours of a standing state all stand, and the weighted sum of what they do is close to nothing: a statue.
// The field's own state may stay one, since from there it starts at once. The pose that is shown moves like a stretch
// of standing in the data: each joint turns as it does there, back and forth, relative to the stance that the
// character has.
#include "method/field_source.h"
#include "method/field_task.h"
#include "data/database.h"

// A stance that moves less than this in a tick has settled: metres of eq. 1. Standing people in motion capture have
// 0.003 to 0.03, the slowest moments of a walk 0.03.
#define SETTLED 0.02f
// Below this speed, residual motion of a character that should stand fades out: mixtures of standing states with the
// beginnings of steps creep. With both feet on the ground, motion slower than the second speed stops, and motion
// faster than the third is the field's own: mixtures of stances lean, and the root would creep from under planted
// feet.
#define CREEP_MPS 0.15f
#define PLANTED_MPS 0.13f
#define LEAVING_MPS 0.2f
// Farther than this from a desired facing, the field itself turns the character.
#define FACING (4.0f * AM_DEG)
// A stretch of the data is standing while both feet are planted and its root moves and turns slower than this.
#define STAND_MPS 0.12f
#define STAND_RAD_S (20.0f * AM_DEG)
#define STAND_WINDOW_S 0.1f // to either side
// Shorter stretches would visibly repeat.
#define SHORTEST_S 1.5f
// Time over which playback slows down where it reverses.
#define EASE_S 0.3f
// Times in which the idle motion fades in and out.
#define COME_S 1.0f
#define GO_S 0.3f

// ---------------------------------------------------------------------------------------------
// The stretch

static bool both_feet(uint32_t contacts)
{
    const uint32_t feet = AM_CONTACT_LEFT | AM_CONTACT_RIGHT;
    return (contacts & feet) == feet;
}

static bool stands(const am_db *db, const am_db_range *range, int frame)
{
    const int window = (int)(STAND_WINDOW_S * db->fps + 0.5f);
    const int before = frame - window, after = frame + window;
    if (before < range->start || after >= range->stop || !both_feet(db->contacts[frame])) {
        return false;
    }
    const float seconds = (float)(after - before) / db->fps;
    const am_vec3 way = am_v3_ground(am_v3_sub(db->root_positions[after], db->root_positions[before]));
    const float turn =
        am_wrap_angle(am_quat_heading(db->root_rotations[after]) - am_quat_heading(db->root_rotations[before]));
    return am_v3_length(way) < STAND_MPS * seconds && am_abs(turn) < STAND_RAD_S * seconds;
}

/// How far two states' poses are apart, squared.
static float pose_gap(const ami_field *field, const float *a, const float *b)
{
    float sum = 0.0f;
    for (int i = 6; i < 6 + 3 * field->bones; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

/// The frame of the stretch whose pose is most like that of a standing state.
static int find_middle(const ami_field *field, const ami_field_stretch *stretch, int standing)
{
    int best = (stretch->first + stretch->last) / 2;
    float least = INFINITY;
    for (int s = 0; s < field->state_count; s++) {
        const int frame = field->frames[s];
        if (frame >= stretch->first && frame <= stretch->last) {
            const float gap = pose_gap(field, ami_field_row(field, s), ami_field_row(field, standing));
            best = gap < least ? frame : best;
            least = am_min(gap, least);
        }
    }
    return best;
}

ami_field_stretch ami_field_find_stretch(const ami_field *field, int standing)
{
    const am_db *db = field->db;
    ami_field_stretch best = { 0 };
    for (int r = 0; r < db->range_count; r++) {
        const am_db_range *range = &db->ranges[r];
        int first = -1;
        for (int frame = range->start; frame <= range->stop; frame++) {
            const bool on = frame < range->stop && stands(db, range, frame);
            first = on && first < 0 ? frame : first;
            if (!on && first >= 0) {
                best = frame - 1 - first > best.last - best.first ? (ami_field_stretch){ first, frame - 1, 0 } : best;
                first = -1;
            }
        }
    }
    if ((float)(best.last - best.first) < SHORTEST_S * db->fps) {
        return (ami_field_stretch){ 0 };
    }
    best.middle = find_middle(field, &best, standing);
    return best;
}

// ---------------------------------------------------------------------------------------------
// A resting state

float ami_field_motion(const ami_field *field, const float *row)
{
    const int bones = 3 * field->bones;
    float sum = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
    for (int i = 0; i < bones; i++) {
        const float d = row[6 + bones + i] - row[6 + i];
        sum += d * d;
    }
    return sum;
}

/// The share of its step over ground that a character takes when it should rest.
static float share_of(float mps, bool planted)
{
    if (planted) {
        return am_clamp((mps - PLANTED_MPS) / (LEAVING_MPS - PLANTED_MPS), 0.0f, 1.0f);
    }
    return mps < CREEP_MPS ? mps * mps / (CREEP_MPS * CREEP_MPS) : 1.0f;
}

ami_field_step ami_field_settle(const ami_field_task *task, const float *theta, ami_field_step step,
                                uint32_t contacts)
{
    const float share = share_of(ami_step_speed(task, step), both_feet(contacts));
    // A cyclic axis is the angle to a desired facing, 0 when there is none.
    const float off = task->axis[0].cyclic ? am_abs(theta[0]) : 0.0f;
    const float turn = am_max(share, am_min(off / FACING, 1.0f));
    return (ami_field_step){ step.x * share, step.z * share, step.turn * turn };
}

ami_field_step ami_field_rest(const ami_field_source *f, ami_field_head *head, const float *theta,
                              ami_field_step step, const float *x, const float *v, float *row)
{
    ami_field_embed(f->field, row, x, v);
    head->rest = ami_field_motion(f->field, row) < SETTLED * SETTLED ? AMI_FIELD_STANDS : AMI_FIELD_HURRIES;
    const ami_field_step some = ami_field_settle(&f->task, theta, step, head->contacts);
    const float share = 1.0f / ami_field_rate(head);
    return (ami_field_step){ some.x * share, some.z * share, some.turn * share };
}

void ami_field_live(const ami_field_source *f, ami_field_head *head, float dt)
{
    const bool lives = head->rest == AMI_FIELD_STANDS && f->stretch.last > 0;
    if (!lives && head->life <= 0.0f) {
        return;
    }
    head->life = am_clamp(head->life + (lives ? dt / COME_S : -dt / GO_S), 0.0f, 1.0f);
    const float round = 2.0f * (float)(f->stretch.last - f->stretch.first);
    head->lived = head->life > 0.0f ? head->lived + dt * f->field->db->fps : 0.0f;
    head->lived -= head->lived >= round ? round : 0.0f;
}

// ---------------------------------------------------------------------------------------------
// The pose that is shown

/// |x| with its corner rounded over `ease`.
static float soft(float x, float ease) { return x < ease ? 0.5f * (x * x / ease + ease) : x; }

/// The frame of the data, a number of frames after it started in the middle of the stretch.
static float place_of(const ami_field_stretch *stretch, float lived, float ease)
{
    const float length = (float)(stretch->last - stretch->first);
    float at = (float)(stretch->middle - stretch->first) + lived;
    at -= at >= 2.0f * length ? 2.0f * length : 0.0f;
    at = at < length ? at : 2.0f * length - at;
    at = at < 0.5f * length ? soft(at, ease) : length - soft(length - at, ease);
    return (float)stretch->first + at;
}

/// x(pose_count): the data's pose between two frames, with the hips relative to `base`: the movement of the ground
/// root there becomes movement of the hips here.
static void pose_between(const ami_field *field, float *x, float at, am_transform base)
{
    const int frame = (int)at;
    float parts[2][AMI_FIELD_MOST_NUMBERS];
    for (int i = 0; i < 2; i++) {
        am_transform local[AM_MAX_JOINTS];
        am_db_pose(field->db, frame + i, local);
        const am_transform root = am_transform_mul(am_transform_inv(base), ami_db_root(field->db, frame + i));
        local[0] = am_transform_mul(root, local[0]);
        ami_field_pose_put(field, parts[i], local);
    }
    ami_field_pose_mix(field, x, parts[0], parts[1], at - (float)frame);
}

void ami_field_show_life(const ami_field_source *f, float *x, const ami_field_head *head)
{
    if (!(head->life > 0.0f)) {
        return;
    }
    const ami_field *field = f->field;
    const am_transform base = ami_db_root(field->db, f->stretch.middle);
    float still[AMI_FIELD_MOST_NUMBERS], moved[AMI_FIELD_MOST_NUMBERS], v[AMI_FIELD_MOST_NUMBERS];
    pose_between(field, still, (float)f->stretch.middle, base);
    pose_between(field, moved, place_of(&f->stretch, head->lived, EASE_S * field->db->fps), base);
    const float share = head->life * head->life * (3.0f - 2.0f * head->life);
    ami_field_pose_mix(field, moved, still, moved, share);
    ami_field_difference(field, v, still, moved, (ami_field_step){ 0 });
    ami_field_displace(field, x, x, v);
}

// Compares the clips of one batch: duplicates, files of one rig that disagree with the others, and a rest pose lent
// to files without a standing frame.
#include "doctor/examine.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

typedef struct batch {
    am_diagnosis *all;
    const am_clip *const *clips;
    int count;
} batch;

// ---------------------------------------------------------------------------------------------
// One rig's files that disagree

static bool same_space(const am_diagnosis *a, const am_diagnosis *b)
{
    return a->unit_m == b->unit_m && strcmp(a->up, b->up) == 0 && strcmp(a->facing, b->facing) == 0;
}

/// Numbers each item by the first one it is like: rig[i] by shape, camp[i] by shape, unit and axes; votes[i] counts
/// the members of a camp, at its first member, and members[i] those of a rig.
typedef struct census {
    int *rig, *camp, *votes, *members;
} census;

static void take_census(const census *c, const batch *b)
{
    for (int i = 0; i < b->count; i++) {
        c->rig[i] = c->camp[i] = i;
        for (int k = 0; k < i && c->camp[i] == i; k++) {
            bool first_of_camp = c->camp[k] == k;
            if (first_of_camp && am_skeleton_same_shape(b->clips[k]->skeleton, b->clips[i]->skeleton)) {
                c->rig[i] = c->rig[k];
                c->camp[i] = same_space(&b->all[k], &b->all[i]) ? k : i;
            }
        }
        c->votes[c->camp[i]]++;
        c->members[c->rig[i]]++;
    }
}

/// The first file of the camp that most of item's rig belong to; -1 without a majority of at least three.
static int majority_of(const census *c, const batch *b, int item)
{
    for (int i = 0; i < b->count; i++) {
        if (c->rig[i] == c->rig[item] && c->votes[i] >= 3 && c->votes[i] * 2 > c->members[c->rig[item]]) {
            return i;
        }
    }
    return -1;
}

static am_result follow_majority(batch *b, int item, int leader, am_error *err)
{
    am_diagnosis *d = &b->all[item];
    const am_diagnosis *like = &b->all[leader];
    am_doctor_def def = am_doctor_def_default();
    am_alloc alloc = d->alloc;
    def.alloc = &alloc;
    def.unit_m = like->unit_m;
    def.up = like->up;
    def.facing = like->facing;
    am_diagnosis again;
    am_result result = am_doctor_examine(&again, b->clips[item], &def, err);
    if (result != AM_OK) {
        return result;
    }
    result = ami_finding_add(
        &again, "majority", -1, -1, false, err,
        "by itself it seems to have unit %g, up %s, facing %s; treated like the other files of this rig",
        (double)d->unit_m, d->up, d->facing);
    if (result != AM_OK) {
        am_diagnosis_free(&again);
        return result;
    }
    am_diagnosis_free(d);
    *d = again;
    return AM_OK;
}

static am_result settle_spaces(batch *b, am_error *err)
{
    size_t size = (size_t)b->count * 4 * sizeof(int);
    am_alloc alloc = b->count > 0 ? b->all[0].alloc : ami_alloc_or_default(NULL);
    int *block = ami_alloc_zero(&alloc, size);
    if (!block) {
        return ami_fail_memory(err, size);
    }
    census c = { block, block + b->count, block + 2 * b->count, block + 3 * b->count };
    take_census(&c, b);
    am_result result = AM_OK;
    for (int i = 0; i < b->count && result == AM_OK; i++) {
        // A camp that holds the whole rig needs no check.
        int leader = c.votes[c.camp[i]] < c.members[c.rig[i]] ? majority_of(&c, b, i) : -1;
        result = leader >= 0 && leader != c.camp[i] ? follow_majority(b, i, leader, err) : AM_OK;
    }
    ami_release(&alloc, block, size);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Rest poses

/// One actor: same joints and the same lengths, whatever the root's offset.
static bool same_actor(const am_clip *a, const am_clip *b)
{
    const am_skeleton *s = a->skeleton;
    if (!am_skeleton_same_shape(s, b->skeleton)) {
        return false;
    }
    for (int j = 1; j < s->joint_count; j++) {
        float length = am_v3_length(s->offsets[j]);
        if (am_v3_distance(s->offsets[j], b->skeleton->offsets[j]) > 0.01f * length + 1e-6f) {
            return false;
        }
    }
    return true;
}

static am_result lend_rest(batch *b, int item, am_error *err)
{
    am_diagnosis *d = &b->all[item];
    int best = -1;
    for (int i = 0; i < b->count; i++) {
        const am_diagnosis *from = &b->all[i];
        if (from->rests && from->rest_frame >= 0 && same_actor(b->clips[i], b->clips[item]) &&
            (best < 0 || from->rest_lean < b->all[best].rest_lean)) {
            best = i;
        }
    }
    if (best < 0 || best == item) {
        return AM_OK;
    }
    int joints = b->all[best].rest_count;
    am_quat *rests = ami_alloc_array(&d->alloc, (size_t)joints, sizeof *rests);
    if (!rests) {
        return ami_fail_memory(err, (size_t)joints * sizeof *rests);
    }
    memcpy(rests, b->all[best].rests, (size_t)joints * sizeof *rests);
    ami_release(&d->alloc, d->rests, (size_t)d->rest_count * sizeof *rests);
    d->rests = rests;
    d->rest_count = joints;
    for (int i = 0; i < d->finding_count; i++) {
        if (strcmp(d->findings[i].code, "rest") == 0) { // replaces the finding of the single file
            memmove(&d->findings[i], &d->findings[i + 1], (size_t)(d->finding_count - i - 1) * sizeof d->findings[0]);
            d->finding_count--;
            i--;
        }
    }
    return ami_finding_add(
        d, "rest", -1, -1, false, err,
        "zero rotations do not give a standing figure: the pose of frame %d of %.100s is used as rest pose",
        b->all[best].rest_frame, b->clips[best]->name);
}

// ---------------------------------------------------------------------------------------------
// Duplicates

/// Largest angle between the two clips' joints over frames spread through them.
static float angle_between(const am_clip *a, const am_clip *b)
{
    size_t joints = (size_t)a->skeleton->joint_count;
    float most = 0.0f;
    for (int i = 0; i < 16; i++) {
        size_t frame = (size_t)((int64_t)i * (a->frame_count - 1) / 15);
        for (size_t j = 0; j < joints; j++) {
            most = am_max(most, am_quat_angle(a->rotations[frame * joints + j], b->rotations[frame * joints + j]));
        }
    }
    return most;
}

static am_result find_duplicate(batch *b, int item, am_error *err)
{
    const am_clip *clip = b->clips[item];
    for (int i = 0; i < item; i++) {
        const am_clip *other = b->clips[i];
        if (other->frame_count != clip->frame_count || other->skeleton->joint_count != clip->skeleton->joint_count) {
            continue;
        }
        if (b->all[i].content == b->all[item].content) {
            return ami_finding_add(&b->all[item], "duplicate", -1, -1, false, err,
                                   "the same motion as %.120s; leave one out", other->name);
        }
        if (clip->frame_count > 16 && angle_between(clip, other) < 0.01f) {
            return ami_finding_add(&b->all[item], "duplicate", -1, -1, false, err,
                                   "nearly the same motion as %.120s (all "
                                   "joints within half a degree); leave one out",
                                   other->name);
        }
    }
    return AM_OK;
}

am_result am_doctor_compare(am_diagnosis *diagnoses, const am_clip *const *clips, int count, am_error *err)
{
    batch b = { diagnoses, clips, count };
    if (count < 0 || (count > 0 && (!diagnoses || !clips))) {
        return ami_fail(err, AM_ERR_DEF, "a batch needs as many diagnoses as clips");
    }
    am_result result = settle_spaces(&b, err);
    for (int i = 0; result == AM_OK && i < count; i++) {
        result = diagnoses[i].rest_is_pose ? lend_rest(&b, i, err) : AM_OK;
        result = result == AM_OK ? find_duplicate(&b, i, err) : result;
    }
    return result;
}

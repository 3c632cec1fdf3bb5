// Frames that a character on a path may land on: not those after which the feet shuffle. Turns on the spot were
// captured with feet that slide over the floor; at sharp corners such frames would follow each other.
#include "actor/actor.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/format.h"
#include "data/index.h"

#include <string.h>

// A toe this near the floor and faster than this shuffles.
#define NEAR_M 0.02f
#define SHUFFLE_MPS 0.3f
// Frames after which the feet shuffle for more than this share of the time are not landed on.
#define AHEAD_S (1.0f / 3.0f)
#define MOST_SHARE 0.35f

/// Marks the frames of a range in which a toe shuffles.
static void mark_shuffles(const am_db *db, uint8_t *shuffles, const am_db_range *range, const int *toes, float near)
{
    am_vec3 before[2] = { am_v3_zero(), am_v3_zero() };
    for (int f = range->start; f < range->stop; f++) {
        am_transform pose[AM_MAX_JOINTS];
        am_db_pose(db, f, pose);
        am_transform root = ami_db_root(db, f);
        shuffles[f] = 0;
        for (int side = 0; side < 2; side++) {
            am_vec3 toe = am_transform_point(root, ami_joint_place(db->skeleton, pose, toes[side]).translation);
            float mps = am_v3_length(am_v3_ground(am_v3_sub(toe, before[side]))) * db->fps;
            shuffles[f] |= f > range->start && toe.y < near && mps > SHUFFLE_MPS;
            before[side] = toe;
        }
    }
}

/// Turns shuffles(frames) into the frames that may be landed on, in place: a running sum from the range's end.
static void keep_planted(uint8_t *frames, const am_db_range *range, int ahead, const am_filter *base)
{
    int sum = 0;
    for (int f = range->stop - 1; f >= range->start; f--) {
        int beyond = f + ahead;
        sum += frames[f];
        // The frame that leaves the window has been overwritten: its mark is in the second bit.
        sum -= beyond < range->stop ? frames[beyond] >> 1 : 0;
        int window = range->stop - f < ahead ? range->stop - f : ahead;
        bool offered = !base || (base->frames[f >> 6] >> (f & 63) & 1) != 0;
        bool keep = offered && (float)sum <= MOST_SHARE * (float)window;
        frames[f] = (uint8_t)(frames[f] << 1 | (keep ? 1 : 0));
    }
    for (int f = range->start; f < range->stop; f++) {
        frames[f] &= 1;
    }
}

am_result ami_prepared_plant(ami_prepared *prepared, am_error *err)
{
    const am_db *db = prepared->source->db;
    const int toes[2] = { db ? db->roles.joint[AM_ROLE_LEFT_TOE] : -1, db ? db->roles.joint[AM_ROLE_RIGHT_TOE] : -1 };
    if (!db || !prepared->source->index || !db->has_poses || toes[0] < 0 || toes[1] < 0) {
        return AM_OK;
    }
    if (prepared->stored) {
        am_result result =
            ami_filter_stored(&prepared->path_filter, prepared->source->index, AMI_SLOT_PATH, &prepared->alloc, err);
        return result != AM_OK ? result
                               : ami_filter_stored(&prepared->path_stay, prepared->source->index, AMI_SLOT_PATH_STAY,
                                                   &prepared->alloc, err);
    }
    size_t size = (size_t)db->frame_count;
    uint8_t *frames = ami_alloc_zero(&prepared->alloc, size);
    if (!frames) {
        return ami_fail_memory(err, size);
    }
    int ahead = (int)(AHEAD_S * db->fps + 0.5f);
    for (int r = 0; r < db->range_count; r++) {
        mark_shuffles(db, frames, &db->ranges[r], toes, prepared->facts.toe_m + NEAR_M);
        keep_planted(frames, &db->ranges[r], ahead > 1 ? ahead : 1, prepared->filters[AM_ACTIVITY_MOVE]);
    }
    bool fell_back = false;
    am_result result = ami_filter_create_mask(&prepared->path_filter, prepared->source->index, frames, &fell_back,
                                              &prepared->alloc, err);
    if (result == AM_OK && fell_back) {
        ami_filter_destroy(prepared->path_filter); // all of it shuffles
        prepared->path_filter = NULL;
    } else if (result == AM_OK && !prepared->stays[AM_ACTIVITY_MOVE]) {
        // Playing on may shuffle: a motion that has begun is finished.
        memset(frames, 1, size);
        result = ami_filter_create_mask(&prepared->path_stay, prepared->source->index, frames, &fell_back,
                                        &prepared->alloc, err);
    }
    ami_release(&prepared->alloc, frames, size);
    return result;
}

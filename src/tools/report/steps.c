// How feet meet the ground: shares of contact, how long a foot is planted, and how far it slides while planted.
#include "report/steps.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/database.h"

#include <string.h>

#define FAST_MPS 0.2f

typedef struct stance {
    float seconds, slide;
} stance;

typedef struct gathering {
    const am_db *db;
    am_vec3 *toes[2]; ///< [frame] world
    stance *stances;  ///< [2 * frame]
    int count;
    int64_t standing, fast;
} gathering;

static void fill_toes(gathering *g, am_transform *pose)
{
    const am_db *db = g->db;
    int joints[2] = { db->roles.joint[AM_ROLE_LEFT_TOE], db->roles.joint[AM_ROLE_RIGHT_TOE] };
    for (int f = 0; f < db->frame_count; f++) {
        am_db_pose(db, f, pose);
        pose[0] = am_transform_mul(ami_db_root(db, f), pose[0]);
        am_fk(pose, pose, db->skeleton->parents, db->joint_count);
        for (int side = 0; side < 2; side++) {
            g->toes[side][f] = joints[side] >= 0 ? pose[joints[side]].translation : am_v3_zero();
        }
    }
}

/// Follows one foot through one range.
static void walk_range(gathering *g, const am_db_range *range, int side)
{
    uint8_t bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
    int f = range->start;
    while (f < range->stop) {
        if (!(g->db->contacts[f] & bit)) {
            f++;
            continue;
        }
        stance s = { 0.0f, 0.0f };
        for (; f < range->stop && (g->db->contacts[f] & bit); f++) {
            s.seconds += 1.0f / g->db->fps;
            if (f > range->start && (g->db->contacts[f - 1] & bit)) {
                float way = am_v3_length(am_v3_ground(am_v3_sub(g->toes[side][f], g->toes[side][f - 1])));
                s.slide += way;
                g->standing++;
                g->fast += way * g->db->fps > FAST_MPS;
            }
        }
        g->stances[g->count++] = s;
    }
}

static float median(stance *stances, int count, bool slide)
{
    if (count == 0) {
        return 0.0f;
    }
    // Nth element by repeated halving of the value range: no order of equal items to worry about.
    float low = 0.0f;
    float high = 0.0f;
    for (int i = 0; i < count; i++) {
        high = am_max(high, slide ? stances[i].slide : stances[i].seconds);
    }
    for (int step = 0; step < 40; step++) {
        float middle = 0.5f * (low + high);
        int below = 0;
        for (int i = 0; i < count; i++) {
            below += (slide ? stances[i].slide : stances[i].seconds) <= middle;
        }
        if (below * 2 >= count) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

am_result ami_steps_measure(ami_steps *out, const am_db *db, const am_alloc *alloc, am_error *err)
{
    memset(out, 0, sizeof *out);
    size_t frames = (size_t)db->frame_count;
    gathering g = { .db = db };
    ami_layout layout = { 0 };
    void *block = NULL;
    am_transform *pose = NULL;
    for (int pass = 0; pass < 2; pass++) {
        g.toes[0] = ami_layout_take(&layout, frames, sizeof(am_vec3));
        g.toes[1] = ami_layout_take(&layout, frames, sizeof(am_vec3));
        g.stances = ami_layout_take(&layout, 2 * frames, sizeof(stance));
        pose = ami_layout_take(&layout, (size_t)db->joint_count, sizeof(am_transform));
        if (pass == 0) {
            block = ami_alloc_zero(alloc, layout.size);
            if (!block) {
                return ami_fail_memory(err, layout.size);
            }
            layout = (ami_layout){ block, 0, false };
        }
    }
    fill_toes(&g, pose);
    for (int r = 0; r < db->range_count; r++) {
        walk_range(&g, &db->ranges[r], 0);
        walk_range(&g, &db->ranges[r], 1);
    }
    for (int f = 0; f < db->frame_count; f++) {
        unsigned c = db->contacts[f] & (AM_CONTACT_LEFT | AM_CONTACT_RIGHT);
        out->both += c == (AM_CONTACT_LEFT | AM_CONTACT_RIGHT);
        out->left += c == AM_CONTACT_LEFT;
        out->right += c == AM_CONTACT_RIGHT;
        out->none += c == 0;
    }
    out->count = g.count;
    out->median_s = median(g.stances, g.count, false);
    out->slide_m = median(g.stances, g.count, true);
    out->fast_share = g.standing ? (float)g.fast / (float)g.standing : 0.0f;
    ami_release(alloc, block, layout.size);
    return AM_OK;
}

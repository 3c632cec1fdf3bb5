// The measures of a database's own motion, for comparison with a character's.
#include <amble/tools/metrics.h>

#include "actor/actor.h"
#include "actor/floor.h"
#include "base/error.h"
#include "script/run.h"
#include "base/memory.h"
#include "data/filter.h"
#include "report/metrics_parts.h"

#include <string.h>

/// Room for one pass over all frames.
typedef struct pass {
    const am_db *db;
    float *bends; ///< [frame]
    am_transform *pose;
    int bend_count;
} pass;

static void pose_in_world(const pass *p, int frame)
{
    const am_db *db = p->db;
    am_db_pose(db, frame, p->pose);
    p->pose[0] = am_transform_mul(ami_db_root(db, frame), p->pose[0]);
    am_fk(p->pose, p->pose, db->skeleton->parents, db->joint_count);
}

static float quantile(float *values, int count, float share)
{
    if (count == 0) {
        return 0.0f;
    }
    ami_sort_floats(values, count);
    return ami_quantile(values, count, share);
}

static void measure_frames(am_db_measures *out, pass *p, am_meter *meter)
{
    const am_db *db = p->db;
    for (int r = 0; r < db->range_count; r++) {
        am_meter_cut(meter);
        for (int f = db->ranges[r].start; f < db->ranges[r].stop; f++) {
            pose_in_world(p, f);
            am_meter_add(meter, p->pose, 1.0f / db->fps, false);
            double bend = am_meter_bend(meter);
            if (bend >= 0.0) {
                p->bends[p->bend_count++] = (float)bend;
            }
        }
    }
    out->quality = am_meter_result(meter);
    out->bend_p999_cm = (double)quantile(p->bends, p->bend_count, 0.999f);
}

static am_result run_pass(am_db_measures *out, pass *p, const am_alloc *alloc, am_error *err)
{
    const am_db *db = p->db;
    am_result result = ami_db_floor(db, &out->floor.toe_m, &out->floor.heel_m, alloc, err);
    if (result != AM_OK) {
        return result;
    }
    am_meter_def def = am_meter_def_default();
    def.alloc = alloc;
    def.skeleton = db->skeleton;
    def.roles = &db->roles;
    def.floor = out->floor;
    am_meter *meter = NULL;
    result = am_meter_create(&meter, &def, err);
    if (result == AM_OK) {
        measure_frames(out, p, meter);
    }
    am_meter_destroy(meter);
    return result;
}

am_result ami_source_measure(am_db_measures *out, const am_source *source, const am_alloc *alloc, am_error *err)
{
    const am_facts *f = source->facts;
    if (!f) {
        return am_db_measure(out, source->db, alloc, err);
    }
    *out = (am_db_measures){ .floor = { f->toe_m, f->heel_m }, .bend_p999_cm = (double)f->bend_p999_cm };
    out->quality.foot_slide_cm = (double)f->foot_slide_cm;
    out->quality.skate_share = (double)f->skate_share;
    out->quality.jitter_cm = (double)f->jitter_cm;
    out->quality.penetration_cm = (double)f->penetration_cm;
    out->quality.joint_travel_cm = (double)f->joint_travel_cm;
    return AM_OK;
}

am_result am_db_measure(am_db_measures *out, const am_db *db, const am_alloc *alloc, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_alloc own = ami_alloc_or_default(alloc);
    size_t frames = (size_t)db->frame_count;
    pass p = { .db = db };
    uint8_t *block = NULL;
    ami_layout layout = { 0 };
    for (int round = 0; round < 2; round++) {
        p.bends = ami_layout_take(&layout, frames, sizeof(float));
        p.pose = ami_layout_take(&layout, (size_t)db->joint_count, sizeof(am_transform));
        if (round == 0) {
            block = ami_alloc_zero(&own, layout.size);
            if (!block) {
                return ami_fail_memory(err, layout.size);
            }
            layout = (ami_layout){ block, 0, false };
        }
    }
    am_result result = run_pass(out, &p, &own, err);
    ami_release(&own, block, layout.size);
    return result;
}

am_result am_run_measure(am_db_measures *out, const am_run *run, const am_alloc *alloc, am_error *err)
{
    return ami_source_measure(out, ami_asset_source(run->asset, run->method), alloc, err);
}

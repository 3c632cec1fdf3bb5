// DirectionNet (LHMM VI-G) at run time: a window of a path with its known facings, and the network's own facings
// after them.
#include "actor/direction.h"

#include "base/error.h"
#include "actor/path.h"
#include "actor/direction_net.h"
#include "net/build.h"

#include <string.h>

am_result ami_direction_net_open(am_net **out, const am_model *model, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_net_def def;
    am_net_def_init(&def);
    def.alloc = alloc;
    def.model = model;
    def.part = am_model_find(model, "direction");
    if (def.part < 0) {
        return ami_fail(err, AM_ERR_KEY, "the model has no part 'direction'; train one with a stage of that kind");
    }
    am_net *net = NULL;
    am_result result = am_net_create(&net, &def, err);
    if (result != AM_OK) {
        return result;
    }
    int point = am_net_input_find(net, "point");
    int facing = am_net_input_find(net, "facing");
    int direction = am_net_output_find(net, "direction");
    if (ami_net_input_count(net) != 2 || point != 0 || facing != 1 || direction != 0 ||
        am_net_input_size(net, 0) != 2 || am_net_input_size(net, 1) != 2 || am_net_output_size(net, 0) != 2) {
        am_net_destroy(net);
        return ami_fail(err, AM_ERR_FORMAT,
                        "the part 'direction' must take point (2) and facing (2) and give direction (2)");
    }
    *out = net;
    return AM_OK;
}

void ami_direction_net_run(const am_net *net, am_net_work *work, ami_direction_window *w, int steps)
{
    const int present = AMI_DIRECTION_KNOWN - 1;
    float sine, cosine;
    am_sincos(w->facing[present], &sine, &cosine);
    float own[2] = { 0.0f, 1.0f };
    am_net_reset(work);
    for (int t = 0; t < AMI_DIRECTION_KNOWN + steps && t < AMI_DIRECTION_STEPS; t++) {
        int seen = t + AMI_DIRECTION_AHEAD;
        float dx = w->x[seen] - w->x[seen > 0 ? seen - 1 : 0];
        float dz = w->z[seen] - w->z[seen > 0 ? seen - 1 : 0];
        if (t <= present + 1) { // the facing before this step; before the first there is only the first
            am_sincos(w->facing[t > 0 ? t - 1 : 0] - w->facing[present], &own[0], &own[1]);
        }
        am_net_put(work, 0, 0, (float[]){ dx * cosine - dz * sine, dx * sine + dz * cosine });
        am_net_put(work, 1, 0, own);
        am_net_run(net, work, 1);
        if (t > present) {
            float y[2];
            am_net_get(work, 0, 0, y);
            float length = sqrtf(y[0] * y[0] + y[1] * y[1]);
            if (length > 1e-6f && length < 1e6f) { // otherwise keep the previous one
                own[0] = y[0] / length;
                own[1] = y[1] / length;
            }
            w->facing[t] = am_wrap_angle(w->facing[present] + am_atan2(own[0], own[1]));
        }
    }
}

am_result ami_direction_ways_make(ami_direction_ways *out, const am_db *db, const am_alloc *alloc, am_error *err)
{
    size_t n = (size_t)db->frame_count;
    out->size = 6 * n * sizeof(float);
    out->x = ami_alloc_array(alloc, 6 * n, sizeof(float));
    if (!out->x) {
        return ami_fail_memory(err, out->size);
    }
    out->z = out->x + n;
    out->sine = out->x + 2 * n;
    out->cosine = out->x + 3 * n;
    float *raw_x = out->x + 4 * n;
    float *raw_z = out->x + 5 * n;
    for (size_t f = 0; f < n; f++) {
        raw_x[f] = db->root_positions[f].x;
        raw_z[f] = db->root_positions[f].z;
        am_sincos(am_quat_heading(db->root_rotations[f]), &out->sine[f], &out->cosine[f]);
    }
    for (int r = 0; r < db->range_count; r++) {
        int start = db->ranges[r].start;
        int count = db->ranges[r].stop - start;
        ami_path_smooth_track(out->x + start, raw_x + start, count, db->fps);
        ami_path_smooth_track(out->z + start, raw_z + start, count, db->fps);
    }
    return AM_OK;
}

void ami_direction_ways_free(ami_direction_ways *ways, const am_alloc *alloc)
{
    ami_release(alloc, ways->x, ways->size);
    memset(ways, 0, sizeof *ways);
}

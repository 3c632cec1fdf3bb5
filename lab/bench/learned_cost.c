// Times the frames of a learned character that walks in a circle.
#include "learned_cost.h"
#include <amble/train.h>

#include "method/sources.h"

#include <stdlib.h>

void learned_walker_end(learned_walker *w)
{
    free(w->state);
    free(w->poses);
    free(w->velocities);
    ami_search_work_destroy(w->work);
    ami_source_destroy(w->source);
}

am_result learned_walker_begin(learned_walker *w, const am_model *model, am_error *err)
{
    ami_learned_def def = ami_learned_def_default();
    def.model = model;
    am_result result = ami_learned_create(&w->source, &def, err);
    result = result == AM_OK ? am_source_work_create(&w->work, w->source, 1, NULL, err) : result;
    if (result != AM_OK) {
        return result;
    }
    size_t joints = (size_t)w->source->skeleton->joint_count;
    w->state = calloc(1, w->source->interface->state_size(w->source));
    w->poses = calloc(3 * joints, sizeof *w->poses);
    w->velocities = calloc(2 * joints, sizeof *w->velocities);
    if (!w->state || !w->poses || !w->velocities) {
        cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for a character");
        return AM_ERR_MEMORY;
    }
    w->out.local = w->poses;
    w->out.left = (am_source_pose){ .local = w->poses + joints, .velocity = w->velocities };
    w->out.landed = (am_source_pose){ .local = w->poses + 2 * joints, .velocity = w->velocities + joints };
    w->source->interface->reset(w->source, w->state, -1, NULL);
    return AM_OK;
}

double learned_ten_frames(learned_walker *w, int round)
{
    am_query_point points[4];
    float angle = 0.1f * (float)(round % 63);
    for (int i = 0; i < 4; i++) {
        float t = (float)i / 3.0f;
        points[i] = (am_query_point){ .time = t,
                                      .position = am_v3(1.2f * t * am_sin(angle), 0.9f, 1.2f * t * am_cos(angle)),
                                      .direction = am_v3(am_sin(angle), 0.0f, am_cos(angle)) };
    }
    am_source_input input = {
        .dt = 1.0f / 60.0f, .root = am_transform_identity(), .trajectory = points, .trajectory_count = 4
    };
    double begun = cli_cpu_us(NULL);
    for (int f = 0; f < learned_project_every; f++) {
        w->source->interface->step(w->source, w->state, &w->out, &input, w->work);
    }
    return (cli_cpu_us(NULL) - begun) / learned_project_every;
}

uint64_t learned_walker_hash(const learned_walker *w)
{
    return am_hash64(w->state, w->source->interface->state_size(w->source), 0);
}

am_result learned_convert(am_model **out, const am_model *model, am_net_weights weights, am_error *err)
{
    am_net_weights kinds[AM_NET_MOST_PARTS];
    for (int p = 0; p < AM_NET_MOST_PARTS; p++) {
        kinds[p] = weights;
    }
    return am_learned_weights(out, model, kinds, NULL, err);
}

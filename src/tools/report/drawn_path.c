// The paths of a run's characters, each with the frames played for it, measured against the drawing.
#include "report/drawn_path.h"

#include <string.h>

// An approach longer than this is part of the path.
#define JOIN_M 0.15f

size_t ami_drawn_path_samples(const am_run_actor *actor)
{
    size_t most = 0;
    for (int i = 0; i < actor->path_count; i++) {
        most += (size_t)actor->paths[i].def.count + 2;
    }
    return most;
}

void ami_drawn_path_begin(ami_drawn_path *drawn, am_vec3 *points, const am_run_actor *actor)
{
    for (int i = 0; i < actor->path_count; i++) {
        const am_path_def *def = &actor->paths[i].def;
        ami_drawn_path *d = &drawn[i];
        d->points = points;
        d->count = 0;
        for (int s = 0; s < def->count; s++) {
            d->points[1 + d->count++] = am_v3(def->samples[s].x, 0.0f, def->samples[s].z);
        }
        if (def->loop && def->count > 1) {
            d->points[1 + d->count++] = d->points[1];
        }
        d->duration_s = (def->samples[def->count - 1].t - def->samples[0].t) / def->scale;
        d->loop = def->loop;
        d->first = -1;
        points += def->count + 2;
    }
}

/// Moves the drawing to where it is followed, and puts a long approach before it.
static void place(ami_drawn_path *d, const am_run_sample *sample, am_vec3 from)
{
    for (int i = 1; i <= d->count; i++) {
        d->points[i] = am_v3_add(d->points[i], sample->path.offset);
    }
    float away = am_v3_distance(from, d->points[1]);
    if (away > JOIN_M && !d->loop) {
        float length = away;
        for (int i = 1; i < d->count; i++) {
            length += am_v3_distance(d->points[i], d->points[i + 1]);
        }
        float speed = d->duration_s > 0.0f ? (length - away) / d->duration_s : 0.0f;
        d->points[0] = from;
        d->duration_s += away / am_clamp(speed, 0.3f, am_max(sample->path.v_max, 0.3f));
        d->joined = true;
    }
}

void ami_drawn_path_add(ami_drawn_path *drawn, const am_run_sample *sample, int frame, am_vec3 hips)
{
    if (sample->path_index < 0) {
        return;
    }
    ami_drawn_path *d = &drawn[sample->path_index];
    if (d->first < 0) {
        d->first = frame;
        d->v_max = sample->path.v_max;
        place(d, sample, hips);
    }
    d->last = frame;
    d->recoveries = sample->path.recoveries;
    d->laps = sample->path.laps;
}

am_path_metrics ami_drawn_path_measure(const ami_drawn_path *d, const am_track *track)
{
    am_path_metrics none;
    memset(&none, 0, sizeof none);
    if (d->first < 0) {
        return none;
    }
    am_track part = { track->places + d->first, d->last - d->first + 1, track->dt };
    am_polyline line = { .points = d->points + (d->joined ? 0 : 1),
                         .count = d->count + (d->joined ? 1 : 0),
                         .duration_s = d->duration_s,
                         .v_max = d->v_max };
    am_path_metrics out = am_path_measure(&part, &line);
    out.path_completed = d->loop ? d->laps > 0 : out.path_completed;
    return out;
}

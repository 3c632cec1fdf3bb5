// Drawn paths, and the tracks of the characters that followed them.
#include "path_track.h"

#include <stdlib.h>

#define STEPS_PER_S 60
// An approach longer than this is part of the path, as in a run's metrics.
#define JOIN_M 0.15f

bool web_path_track_create(web_path_track *d, int seconds)
{
    *d = (web_path_track){ .room = seconds * STEPS_PER_S };
    d->places = malloc((size_t)d->room * sizeof *d->places);
    return d->places != NULL;
}

void web_path_track_clear(web_path_track *d)
{
    free(d->line);
    d->line = NULL;
    d->count = d->place_count = 0;
}

void web_path_track_free(web_path_track *d)
{
    web_path_track_clear(d);
    free(d->places);
    *d = (web_path_track){ 0 };
}

void web_path_track_swap(web_path_track *a, web_path_track *b)
{
    web_path_track kept = *a;
    *a = *b;
    *b = kept;
}

static am_vec3 hips_of(const am_actor *character)
{
    am_actor_pose pose;
    am_actor_get_pose(character, &pose);
    am_vec3 hips = pose.world[0].translation;
    return am_v3(hips.x, 0.0f, hips.z);
}

bool web_path_track_begin(web_path_track *d, const am_path_def *def, const am_actor *character)
{
    web_path_track_clear(d);
    d->line = malloc(((size_t)def->count + 2) * sizeof *d->line);
    if (!d->line) {
        return false;
    }
    am_path_view path;
    am_actor_get_path(character, &path);
    am_vec3 from = hips_of(character);
    am_vec3 first = am_v3_add(am_v3(def->samples[0].x, 0.0f, def->samples[0].z), path.offset);
    float away = am_v3_distance(from, first);
    d->loop = def->loop;
    d->duration_s = (def->samples[def->count - 1].t - def->samples[0].t) / def->scale;
    if (away > JOIN_M && !def->loop) {
        d->line[d->count++] = from;
        d->duration_s += path.v_max > 0.0f ? away / path.v_max : 0.0f;
    }
    for (int i = 0; i < def->count; i++) {
        d->line[d->count++] = am_v3_add(am_v3(def->samples[i].x, 0.0f, def->samples[i].z), path.offset);
    }
    if (def->loop && def->count > 1) {
        d->line[d->count++] = first;
    }
    return true;
}

void web_path_track_add(web_path_track *d, const am_actor *character)
{
    am_path_view path;
    am_actor_get_path(character, &path);
    // The last steps after the end show where the character stands.
    if (d->count > 0 && d->place_count < d->room && (path.following || path.ended)) {
        d->places[d->place_count++] = hips_of(character);
    }
}

am_path_metrics web_path_track_measure(const web_path_track *d, const am_actor *character, float dt)
{
    am_path_view path;
    am_actor_get_path(character, &path);
    am_track track = { d->places, d->place_count, dt };
    am_polyline line = { .points = d->line, .count = d->count, .duration_s = d->duration_s, .v_max = path.v_max };
    am_path_metrics out = am_path_measure(&track, &line);
    out.path_completed = d->loop ? path.laps > 0 : out.path_completed;
    return out;
}

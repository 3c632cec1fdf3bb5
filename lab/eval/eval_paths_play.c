// Plays one path with one way of following it from five starts, for `amble eval paths`.
#include "eval_paths.h"

#include "places.h"
#include "database.h"
#include "report/metrics_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_M 0.04f
#define START_RAD (10.0f * AM_DEG)

/// Counts what a call searched.
typedef struct counter {
    double us, searches;
    int calls;
} counter;

static am_result count_frame(void *user, const am_run_sample *sample, am_error *err)
{
    counter *c = user;
    const am_source_output *out = sample->view.output;
    (void)err;
    if (out->searched && sample->path.following) {
        c->us += (double)out->search_us;
        c->searches += out->searches;
        c->calls++;
    }
    return AM_OK;
}

/// Starts around the beginning of the path: on it, and 4 cm away on four sides, facing along it and up to 20 degrees
/// off.
static void place_starts(am_run_actor *actors, const am_run_path *path)
{
    static const float turns[path_starts] = { 0.0f, 1.0f, -1.0f, 2.0f, -2.0f };
    const am_path_sample *s = path->def.samples;
    int ahead = 1;
    while (ahead + 1 < path->def.count && fabsf(s[ahead].x - s[0].x) + fabsf(s[ahead].z - s[0].z) < 0.05f) {
        ahead++;
    }
    ahead = ahead < path->def.count ? ahead : 0;
    float heading = am_atan2(s[ahead].x - s[0].x, s[ahead].z - s[0].z);
    for (int i = 0; i < path_starts; i++) {
        float angle = (float)i * 2.0f * AM_PI / (float)path_starts;
        float away = i == 0 ? 0.0f : START_M;
        float facing = heading + turns[i] * START_RAD;
        actors[i] =
            (am_run_actor){ .position = am_v3(s[0].x + away * am_sin(angle), 0.0f, s[0].z + away * am_cos(angle)),
                            .facing = am_v3(am_sin(facing), 0.0f, am_cos(facing)),
                            .paths = path,
                            .path_count = 1 };
    }
}

/// Mean and largest speed of a track over half a second, until the path is over.
static void take_speed(path_score *s, const am_track *track, double seconds)
{
    int half = (int)(0.25f / track->dt + 0.5f);
    int last = (int)(seconds / (double)track->dt);
    double sum = 0.0;
    int count = 0;
    for (int f = half; f + half < track->count && f <= last; f++) {
        double v = (double)am_v3_distance(track->places[f + half], track->places[f - half]) /
                   (2.0 * half * (double)track->dt);
        s->speed_most = fmax(s->speed_most, v);
        sum += v;
        count++;
    }
    s->speed = count > 0 ? sum / count : 0.0;
}

static void take_start(path_score *s, am_run_meter *meter, int start, const am_polyline *line)
{
    am_metrics m = am_run_meter_result(meter, start);
    am_track track = am_run_meter_track(meter, start);
    s->error = fmax(s->error, m.path.path_error_m);
    s->cover = fmax(s->cover, m.path.path_cover_m);
    s->cover_max = fmax(s->cover_max, m.path.path_cover_max_m);
    s->ratio = fmax(s->ratio, m.path.path_time_ratio);
    s->end = fmax(s->end, m.path.path_end_m);
    s->oscillation += ami_path_oscillation(&track, line) / path_starts;
    s->error_mean += m.path.path_completed ? m.path.path_error_m : 0.0;
    s->completed += m.path.path_completed;
    s->recoveries += m.path_recoveries;
    s->slide = fmax(s->slide, m.final.foot_slide_cm);
    s->skate = fmax(s->skate, m.final.skate_share);
    if (m.final.jitter_cm > s->jitter) {
        s->jitter = m.final.jitter_cm;
        s->played_jitter = m.played.jitter_cm;
    }
    if (start == 0) {
        take_speed(s, &track, m.path.path_s);
        s->places = malloc((size_t)track.count * sizeof *s->places);
        s->place_count = s->places ? track.count : 0;
        s->dt = track.dt;
        if (s->places) {
            memcpy(s->places, track.places, (size_t)track.count * sizeof *s->places);
        }
    }
}

static am_result play(path_score *s, const am_run_script *script, const am_db *db, const am_db_measures *own,
                      const am_polyline *line, am_error *err)
{
    am_clock clock = { NULL, cli_cpu_us }; // others may be using the machine
    am_run *run = NULL;
    am_run_meter *meter = NULL;
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = db;
    def.clock = &clock;
    am_result result = am_run_create(&run, &def, err);
    if (result == AM_OK) {
        am_run_meter_def meter_def = am_run_meter_def_default();
        meter_def.run = run;
        meter_def.own = own;
        result = am_run_meter_create(&meter, &meter_def, err);
    }
    if (result == AM_OK) {
        counter calls = { 0 };
        am_run_observer observers[2] = { am_run_meter_observer(meter), { &calls, count_frame } };
        am_progress quiet = cli_quiet_progress();
        result = am_run_play(run, observers, 2, &quiet, err);
        s->search_us = calls.calls > 0 ? calls.us / calls.calls : 0.0;
        s->searches = calls.calls > 0 ? calls.searches / calls.calls : 0.0;
    }
    for (int i = 0; result == AM_OK && i < path_starts; i++) {
        take_start(s, meter, i, line);
    }
    s->error_mean = s->completed > 0 ? s->error_mean / s->completed : (double)NAN;
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    return result;
}

void path_play(path_score *s, const am_db *db, const am_db_measures *own, const path_row *row,
               const am_path_sample *samples, int count)
{
    am_run_path path = { 0 };
    am_path_def_init(&path.def);
    path.def.samples = samples;
    path.def.count = count;
    path.def.method = row->method;
    path.def.v_max = row->v_max;
    am_run_actor actors[path_starts];
    place_starts(actors, &path);
    memset(s, 0, sizeof *s);
    s->line = malloc((size_t)count * sizeof *s->line);
    s->line_count = s->line ? count : 0;
    float length = 0.0f;
    for (int i = 0; i < s->line_count; i++) {
        s->line[i] = am_v3(samples[i].x, 0.0f, samples[i].z);
        length += i > 0 ? am_v3_distance(s->line[i - 1], s->line[i]) : 0.0f;
    }
    float drawn_s = samples[count - 1].t - samples[0].t;
    s->drawn_mps = drawn_s > 0.0f ? length / drawn_s : 0.0f;
    // A character that has not arrived by then is stuck.
    float longest = 2.0f * fmaxf(drawn_s, length / 1.0f) + 20.0f;
    am_run_script script = { .fps = 60.0f, .seconds = longest, .ends_with_paths = true, .seed = 1 };
    am_settings_init(&script.options.settings, AM_METHOD_LONG_HORIZON);
    script.options.settings.root = row->own_root ? AM_ROOT_ANIMATION : AM_ROOT_MIXED;
    script.options.settings.k = row->k;
    script.options.settings.l = row->l;
    script.actors = actors;
    script.actor_count = path_starts;
    am_polyline line = { .points = s->line, .count = s->line_count };
    s->result = play(s, &script, row->db ? row->db : db, own, &line, &s->err);
}

void path_score_free(path_score *s)
{
    free(s->places);
    free(s->line);
}

double path_ratio_bound(const path_score *s) { return s->drawn_mps <= 2.0f ? 1.3 : 2.0; }

am_result path_read(am_path_sample **out, int *count, const char *name, am_error *err)
{
    char path[1024];
    am_run_script script = { 0 };
    *out = NULL;
    am_result result = cli_config_find(path, sizeof path, CLI_RUN, name, err);
    result = result == AM_OK ? am_run_read(&script, path, NULL, err) : result;
    if (result == AM_OK && script.actors[0].path_count < 1) {
        cli_error(err, AM_ERR_FORMAT, path, "its first character has no path");
        result = AM_ERR_FORMAT;
    }
    if (result == AM_OK) {
        const am_path_def *def = &script.actors[0].paths[0].def;
        *out = malloc((size_t)def->count * sizeof **out);
        *count = *out ? def->count : 0;
        if (*out) {
            memcpy(*out, def->samples, (size_t)def->count * sizeof **out);
        } else {
            cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for a path");
            result = AM_ERR_MEMORY;
        }
    }
    am_run_script_free(&script);
    return result;
}

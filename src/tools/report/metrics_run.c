// All measures of a run: poses before and after IK, responses to the target, timings; and M.json.
#include "report/drawn_path.h"
#include "report/metrics_motion.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/database.h"

#include <stdio.h>

// Slower than this, there is nothing to stop.
#define MOVING_MPS 0.5f
// A body moves along its target after this time at the latest.
#define SETTLE_S 1.0f

/// What is kept of one character.
typedef struct subject {
    am_meter *final, *raw, *played;
    int frame;                 ///< of the database, that played last; -1 before
    am_vec3 *places, *targets; ///< [frame]
    am_response *responses;    ///< [frame / 2]
    int frames;
    am_vec3 point_velocity; ///< of the last frame
    double point_bend;      ///< cm
    double frame_us, search_us;
    double turned, turned_by_motion; ///< rad
    int64_t searches, transitions, fallbacks;
    ami_drawn_path *drawn; ///< [path_count]
    am_vec3 *points;       ///< of all of them
    int path_count;
    ami_watched watched;
} subject;

struct am_run_meter {
    am_alloc alloc;
    size_t block_size;
    am_db_measures own;
    am_reference *reference;
    int actor_count, frame_count;
    float dt;
    const am_db *db;
    am_transform *pose; ///< [joint] scratch
    subject *subjects;  ///< [actor]
};

am_run_meter_def am_run_meter_def_default(void)
{
    am_run_meter_def def = { .cookie = AM_COOKIE };
    return def;
}

static size_t most_responses(const am_run_meter *m) { return (size_t)m->frame_count / 2 + 1; }

/// The arrays of all subjects; NULL pointers while measuring.
static void place_arrays(am_run_meter *m, subject *subjects, ami_layout *layout, const am_run_script *script)
{
    size_t frames = (size_t)m->frame_count;
    for (int i = 0; i < m->actor_count; i++) {
        subject nobody = { 0 };
        subject *s = subjects ? &subjects[i] : &nobody;
        s->places = ami_layout_take(layout, frames, sizeof(am_vec3));
        s->targets = ami_layout_take(layout, frames, sizeof(am_vec3));
        s->responses = ami_layout_take(layout, most_responses(m), sizeof(am_response));
        s->path_count = script->actors[i].path_count;
        s->drawn = ami_layout_take(layout, (size_t)s->path_count, sizeof *s->drawn);
        s->points = ami_layout_take(layout, ami_drawn_path_samples(&script->actors[i]), sizeof *s->points);
        ami_watched_place(&s->watched, layout, frames);
        if (subjects) {
            s->watched.body = am_body_find(m->db->skeleton, &m->db->roles);
            ami_drawn_path_begin(s->drawn, s->points, &script->actors[i]);
        }
    }
}

static am_result make_meters(am_run_meter *m, am_error *err)
{
    const am_db *db = m->db;
    am_meter_def def = am_meter_def_default();
    def.alloc = &m->alloc;
    def.skeleton = db->skeleton;
    def.roles = &db->roles;
    def.floor = m->own.floor;
    def.bend_limit_cm = m->own.bend_p999_cm;
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < m->actor_count; i++) {
        result = am_meter_create(&m->subjects[i].final, &def, err);
        if (result == AM_OK) {
            result = am_meter_create(&m->subjects[i].raw, &def, err);
        }
        if (result == AM_OK) {
            result = am_meter_create(&m->subjects[i].played, &def, err);
        }
        m->subjects[i].frame = -1;
    }
    return result;
}

am_result am_run_meter_create(am_run_meter **out, const am_run_meter_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->run || !def->own) {
        return ami_fail(
            err, AM_ERR_DEF,
            "initialise the run meter def with am_run_meter_def_default() and give it a run and measures");
    }
    const am_db *db = am_run_db(def->run);
    am_run_meter sketch = { .db = db,
                            .alloc = ami_alloc_or_default(def->alloc),
                            .own = *def->own,
                            .reference = def->reference,
                            .actor_count = am_run_actor_count(def->run),
                            .frame_count = am_run_frame_count(def->run) };
    ami_layout layout = { 0 };
    ami_layout_take(&layout, 1, sizeof sketch);
    ami_layout_take(&layout, (size_t)sketch.actor_count, sizeof(subject));
    ami_layout_take(&layout, (size_t)db->joint_count, sizeof(am_transform));
    place_arrays(&sketch, NULL, &layout, am_run_get_script(def->run));
    sketch.block_size = layout.size;
    uint8_t *block = layout.overflow ? NULL : ami_alloc_zero(&sketch.alloc, layout.size);
    if (!block) {
        return ami_fail_memory(err, layout.size);
    }
    ami_layout place = { block, 0, false };
    am_run_meter *m = ami_layout_take(&place, 1, sizeof *m);
    *m = sketch;
    m->subjects = ami_layout_take(&place, (size_t)m->actor_count, sizeof(subject));
    m->pose = ami_layout_take(&place, (size_t)db->joint_count, sizeof(am_transform));
    place_arrays(m, m->subjects, &place, am_run_get_script(def->run));
    am_result result = make_meters(m, err);
    if (result != AM_OK) {
        am_run_meter_destroy(m);
        return result;
    }
    *out = m;
    return AM_OK;
}

void am_run_meter_destroy(am_run_meter *m)
{
    if (m) {
        for (int i = 0; i < m->actor_count; i++) {
            am_meter_destroy(m->subjects[i].final);
            am_meter_destroy(m->subjects[i].raw);
            am_meter_destroy(m->subjects[i].played);
        }
        am_alloc alloc = m->alloc;
        ami_release(&alloc, m, m->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// Watching

/// The frame that played, as it was captured. Two frames that do not follow one another have nothing in common.
static void add_played(am_run_meter *m, subject *s, int frame)
{
    if (frame < 0 || frame == s->frame || !m->db->has_poses) {
        return;
    }
    int steps = frame - s->frame;
    bool follows =
        s->frame >= 0 && steps >= 1 && steps <= 4 && am_db_range_of(m->db, frame) == am_db_range_of(m->db, s->frame);
    if (!follows) {
        am_meter_cut(s->played);
    }
    s->frame = frame;
    am_db_pose(m->db, frame, m->pose);
    m->pose[0] = am_transform_mul(ami_db_root(m->db, frame), m->pose[0]);
    am_fk(m->pose, m->pose, m->db->skeleton->parents, m->db->joint_count);
    am_meter_add(s->played, m->pose, (float)(follows ? steps : 1) / m->db->fps, false);
}

static am_result on_frame(void *user, const am_run_sample *sample, am_error *err)
{
    (void)err;
    am_run_meter *m = user;
    subject *s = &m->subjects[sample->actor];
    const am_source_output *out = sample->view.output;
    m->dt = sample->dt;
    if (s->frames < m->frame_count) {
        s->places[s->frames] = am_v3_ground(sample->pose.world[0].translation);
        s->targets[s->frames] = sample->intent.velocity;
        ami_drawn_path_add(s->drawn, sample, s->frames, s->places[s->frames]);
        ami_watched_add(&s->watched, sample);
        s->frames++;
    }
    if (s->frames > 1) {
        double change = (double)am_v3_distance(sample->view.simulation_velocity, s->point_velocity);
        double bend = change / (double)sample->dt * 100.0 / 3600.0; // at 60 Hz
        s->point_bend = bend > s->point_bend ? bend : s->point_bend;
    }
    s->point_velocity = sample->view.simulation_velocity;
    am_meter_add(s->final, sample->pose.world, sample->dt, out->transition);
    am_meter_add(s->raw, sample->pose.world_raw, sample->dt, out->transition);
    add_played(m, s, out->frame);
    s->frame_us += sample->step_us;
    s->turned += (double)out->turned;
    s->turned_by_motion += (double)out->turned_by_motion;
    if (out->searched) {
        s->search_us += (double)out->search_us;
        s->searches++;
    }
    s->transitions = (int64_t)sample->view.transitions;
    s->fallbacks = (int64_t)sample->view.fallback_frames;
    return AM_OK;
}

am_run_observer am_run_meter_observer(am_run_meter *meter)
{
    am_run_observer observer = { meter, on_frame };
    return observer;
}

am_track am_run_meter_track(const am_run_meter *m, int actor)
{
    am_track track = { m->subjects[actor].places, m->subjects[actor].frames, m->dt };
    return track;
}

/// Stops of a body that already stands are not counted.
static float median_stop(const am_response *responses, int count)
{
    am_response moving[256];
    int kept = 0;
    for (int i = 0; i < count && kept < 256; i++) {
        if (responses[i].kind == AM_RESPONSE_STOP && responses[i].speed_mps > MOVING_MPS) {
            moving[kept++] = responses[i];
        }
    }
    return am_responses_median(moving, kept, AM_RESPONSE_STOP, 0.0f, AM_PI);
}

static double mean(double sum, double count) { return count > 0.0 ? sum / count : 0.0; }

am_metrics am_run_meter_result(am_run_meter *m, int actor)
{
    subject *s = &m->subjects[actor];
    am_track track = am_run_meter_track(m, actor);
    am_response_def def = am_response_def_default();
    int most = (int)most_responses(m);
    int found = s->frames > 0 ? am_responses_find(s->responses, most, &track, s->targets, &def) : 0;
    found = found < most ? found : most;
    double seconds = (double)s->frames * (double)m->dt;
    am_metrics out = {
        .seconds = seconds,
        .final = am_meter_result(s->final),
        .raw = am_meter_result(s->raw),
        .played = am_meter_result(s->played),
        .response_s = am_responses_median(s->responses, found, AM_RESPONSE_TURN, 0.0f, AM_PI),
        .stop_s = median_stop(s->responses, found),
        .direction_error_deg =
            s->frames > 0 ? am_direction_error(&track, s->targets, SETTLE_S, &def) / (double)AM_DEG : (double)NAN,
        .point_bend_cm = s->point_bend,
        .transitions_per_s = mean((double)s->transitions, seconds),
        .frame_us = mean(s->frame_us, (double)s->frames),
        .search_us = mean(s->search_us, (double)s->searches),
        .fallback_frames = s->fallbacks,
        .responses = s->responses,
        .response_count = found,
    };
    if (s->path_count > 0) {
        out.path = ami_drawn_path_measure(&s->drawn[s->path_count - 1], &track);
        out.path_recoveries = s->drawn[s->path_count - 1].recoveries;
        out.path_count = s->path_count;
    }
    for (int i = 0; i < found; i++) {
        bool turn = s->responses[i].kind == AM_RESPONSE_TURN;
        out.turns += turn;
        out.unanswered += turn && s->responses[i].seconds == INFINITY;
    }
    ami_watched_measure(&out, &s->watched, s->responses, m->reference, m->dt);
    return out;
}

// ---------------------------------------------------------------------------------------------
// M.json

static void write_quality(am_json_writer *w, const am_quality *q, const char *ending)
{
    const struct {
        const char *name;
        double value;
    } items[] = {
        { "foot_slide_cm", q->foot_slide_cm },
        { "skate_share", q->skate_share },
        { "jitter_cm", q->jitter_cm },
        { "penetration_cm", q->penetration_cm },
        { "joint_travel_cm", q->joint_travel_cm },
        { "joint_mean_cm", q->joint_mean_cm },
        { "transition_bend_cm", q->transition_bend_cm },
    };
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s%s", items[i].name, ending);
        am_json_number(w, key, items[i].value);
    }
}

static void write_own(am_json_writer *w, const am_db_measures *own)
{
    const am_quality *q = &own->quality;
    am_json_begin_object(w, "database");
    am_json_number(w, "foot_slide_cm", q->foot_slide_cm);
    am_json_number(w, "skate_share", q->skate_share);
    am_json_number(w, "jitter_cm", q->jitter_cm);
    am_json_number(w, "penetration_cm", q->penetration_cm);
    am_json_number(w, "joint_travel_cm", q->joint_travel_cm);
    if (q->joint_mean_cm > 0.0) { // networks do not carry it
        am_json_number(w, "joint_mean_cm", q->joint_mean_cm);
    }
    am_json_number(w, "bend_p999_cm", own->bend_p999_cm);
    am_json_number(w, "toe_floor_m", (double)own->floor.toe_m);
    am_json_number(w, "heel_floor_m", (double)own->floor.heel_m);
    am_json_end_object(w);
}

static void write_path(am_json_writer *w, const am_path_metrics *path, int recoveries)
{
    am_json_number(w, "path_error_m", path->path_error_m);
    am_json_number(w, "path_cover_m", path->path_cover_m);
    am_json_number(w, "path_cover_max_m", path->path_cover_max_m);
    am_json_number(w, "path_time_ratio", path->path_time_ratio);
    am_json_number(w, "path_end_m", path->path_end_m);
    am_json_number(w, "path_s", path->path_s);
    am_json_bool(w, "path_completed", path->path_completed);
    am_json_integer(w, "path_recoveries", recoveries);
}

static void write_paths(am_json_writer *w, const am_run_meter *m, int actor, const am_metrics *metrics)
{
    const subject *s = &m->subjects[actor];
    am_track track = am_run_meter_track(m, actor);
    if (s->path_count == 0) {
        return;
    }
    write_path(w, &metrics->path, metrics->path_recoveries);
    am_json_begin_array(w, "paths");
    for (int i = 0; i < s->path_count; i++) {
        am_path_metrics path = ami_drawn_path_measure(&s->drawn[i], &track);
        am_json_begin_object(w, NULL);
        write_path(w, &path, s->drawn[i].recoveries);
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

static void write_responses(am_json_writer *w, const am_metrics *metrics)
{
    static const char *const kinds[] = { "turn", "start", "stop" };
    am_json_begin_array(w, "responses");
    for (int i = 0; i < metrics->response_count; i++) {
        const am_response *r = &metrics->responses[i];
        am_json_begin_object(w, NULL);
        am_json_string(w, "kind", kinds[r->kind]);
        am_json_number(w, "t", (double)r->t);
        am_json_number(w, "turn_deg", (double)(r->turn_rad / AM_DEG));
        am_json_number(w, "speed_mps", (double)r->speed_mps);
        am_json_number(w, "seconds", (double)r->seconds);
        if (r->odd != 0) {
            am_json_string(w, "odd", am_odd_name(r->odd));
        }
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

void am_run_meter_write(am_json_writer *w, am_run_meter *m)
{
    am_json_begin_object(w, NULL);
    write_own(w, &m->own);
    if (m->reference) {
        ami_reference_write(w, m->reference);
    }
    am_json_begin_array(w, "characters");
    for (int i = 0; i < m->actor_count; i++) {
        am_metrics metrics = am_run_meter_result(m, i);
        am_json_begin_object(w, NULL);
        am_json_number(w, "seconds", metrics.seconds);
        write_quality(w, &metrics.final, "");
        write_quality(w, &metrics.raw, "_raw");
        am_json_number(w, "foot_slide_cm_played", metrics.played.foot_slide_cm);
        am_json_number(w, "skate_share_played", metrics.played.skate_share);
        am_json_number(w, "jitter_cm_played", metrics.played.jitter_cm);
        am_json_number(w, "response_s", (double)metrics.response_s);
        am_json_number(w, "stop_s", (double)metrics.stop_s);
        am_json_number(w, "direction_error_deg", metrics.direction_error_deg);
        am_json_number(w, "point_bend_cm", metrics.point_bend_cm);
        am_json_integer(w, "turns", metrics.turns);
        am_json_integer(w, "unanswered", metrics.unanswered);
        am_json_number(w, "transitions_per_s", metrics.transitions_per_s);
        if (m->subjects[i].turned > 0.0) {
            am_json_number(w, "turn_by_motion", m->subjects[i].turned_by_motion / m->subjects[i].turned);
        }
        am_json_number(w, "frame_us", metrics.frame_us);
        am_json_number(w, "search_us", metrics.search_us);
        am_json_integer(w, "fallback_frames", metrics.fallback_frames);
        ami_watched_write(w, &m->subjects[i].watched, &metrics, m->reference, m->dt);
        write_paths(w, m, i, &metrics);
        write_responses(w, &metrics);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_end_object(w);
}

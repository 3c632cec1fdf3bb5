// Novelty, stands, steps, starts, jumps and pushes of one character of a run: gathers its points, measures, writes.
#include "report/metrics_motion.h"

#include "data/filter.h"
#include "report/reference.h"

#include <string.h>

#define BEYOND_CM 1.0f ///< pushes that throw the body further out of balance want a step
enum { most_catching_steps = 2 };

void ami_watched_place(ami_watched *w, ami_layout *layout, size_t frames)
{
    w->points = ami_layout_take(layout, frames * AM_POINT_COUNT, sizeof *w->points);
    w->targets = ami_layout_take(layout, frames, sizeof *w->targets);
    w->room = ami_layout_take(layout, frames, sizeof *w->room);
}

static void add_event(ami_event *events, int *count, const am_run_sample *sample)
{
    if (*count < ami_most_events) {
        events[(*count)++] = (ami_event){ sample->time, sample->intent.velocity };
    }
}

void ami_watched_add(ami_watched *w, const am_run_sample *sample)
{
    am_body_take(w->points + (size_t)w->frames * AM_POINT_COUNT, &w->body, sample->pose.world);
    bool on_path = sample->path.following && !sample->path.ended;
    w->targets[w->frames] = on_path ? am_v3(0.0f, 0.0f, am_max(sample->path.v_max, 1.0f)) : sample->intent.velocity;
    w->frames++;
    bool jumping = sample->view.activity == AM_ACTIVITY_JUMP;
    if (jumping && !w->jumping) {
        add_event(w->jumps, &w->jump_count, sample);
    }
    w->jumping = jumping;
    if (sample->push.total > w->push_total) {
        add_event(w->pushes, &w->push_count, sample);
    }
    w->push_total = sample->push.total;
}

static am_motion motion_so_far(ami_watched *w, float dt)
{
    am_motion m = { .points = w->points, .frames = w->frames, .fps = dt > 0.0f ? 1.0f / dt : 0.0f, .body = w->body };
    m.floor = am_motion_floor(&m, w->room);
    return m;
}

// ---------------------------------------------------------------------------------------------
// Measures

static void measure_stands(am_motion_metrics *out, ami_watched *w, const am_motion *m,
                           const am_standing_limits *limits)
{
    int found = am_stands_find(w->stands, ami_most_stands, m, w->targets);
    w->stand_count = found < ami_most_stands ? found : ami_most_stands;
    out->standing = am_standing_measure(m, w->stands, w->stand_count);
    for (int i = 0; i < w->stand_count; i++) {
        int rest = w->stands[i].stop ? am_stand_rest(m, &w->stands[i]) : -1;
        out->stops += rest >= 0;
        out->stops_bad += rest >= 0 && am_posture_check(m, rest, limits) != 0;
    }
}

static void measure_moments(am_motion_metrics *out, const am_motion *m, am_response *responses, int count,
                            const am_vec3 *targets)
{
    float end = (float)m->frames / m->fps;
    for (int i = 0; i < count; i++) {
        am_response *r = &responses[i];
        int frame = (int)(r->t * m->fps + 0.5f) + 1;
        float target = am_v3_length(targets[frame < m->frames ? frame : m->frames - 1]);
        am_moment moment = { r->t, i + 1 < count ? responses[i + 1].t : end,
                             r->kind == AM_RESPONSE_STOP ? r->speed_mps : target };
        r->odd = am_moment_check(m, &moment);
        out->starts += r->kind == AM_RESPONSE_START;
        out->starts_odd += r->kind == AM_RESPONSE_START && r->odd != 0;
        out->turns_odd += r->kind == AM_RESPONSE_TURN && r->odd != 0;
        out->stops_odd += r->kind == AM_RESPONSE_STOP && r->odd != 0;
    }
}

static am_moment jump_moment(const ami_watched *w, int index, const am_motion *m)
{
    float end = (float)m->frames / m->fps;
    am_moment moment = { w->jumps[index].t, index + 1 < w->jump_count ? w->jumps[index + 1].t : end,
                         am_v3_length(w->jumps[index].velocity) };
    return moment;
}

static am_balance balance_of(const ami_watched *w, int index, const am_motion *m)
{
    return am_balance_measure(m, w->pushes[index].t, w->pushes[index].velocity);
}

static void measure_pushes(am_motion_metrics *out, const ami_watched *w, const am_motion *m)
{
    float times[ami_most_events];
    out->pushes = w->push_count;
    for (int i = 0; i < w->push_count; i++) {
        am_balance b = balance_of(w, i, m);
        bool beyond = b.beyond_cm > BEYOND_CM;
        out->pushes_beyond += beyond;
        out->pushes_caught += beyond && b.steps >= 1 && b.steps <= most_catching_steps && b.balance_s < INFINITY;
        out->push_slide_cm = am_max(out->push_slide_cm, b.slide_cm);
        out->push_steps += (float)b.steps / (float)w->push_count;
        times[i] = b.balance_s;
    }
    if (w->push_count > 0) {
        ami_sort_floats(times, w->push_count);
        out->push_balance_s = times[w->push_count / 2];
    }
}

void ami_watched_measure(am_metrics *out, ami_watched *w, am_response *responses, am_reference *reference, float dt)
{
    am_motion m = motion_so_far(w, dt);
    if (!am_motion_usable(&m) || m.frames < 2) {
        return;
    }
    am_standing_limits usual = am_standing_limits_default();
    am_motion_metrics *measured = &out->motion;
    measured->measured = true;
    measured->stepping = am_stepping_measure(&m, reference ? am_reference_steps(reference) : NULL);
    measure_stands(measured, w, &m, reference ? am_reference_standing(reference) : &usual);
    measure_moments(measured, &m, responses, out->response_count, w->targets);
    measure_pushes(measured, w, &m);
    measured->jumps = w->jump_count;
    for (int i = 0; i < w->jump_count; i++) {
        am_moment moment = jump_moment(w, i, &m);
        measured->jumps_odd += am_jump_check(&m, &moment) != 0;
    }
    if (reference) {
        measured->novelty = am_novelty_measure(reference, &m);
    }
}

// ---------------------------------------------------------------------------------------------
// JSON

static void write_standing(am_json_writer *w, const am_motion_metrics *m)
{
    const am_standing *s = &m->standing;
    am_json_number(w, "stand_s", (double)s->seconds);
    am_json_number(w, "stand_drift_m", (double)s->drift_m);
    am_json_number(w, "stand_turn_deg", (double)s->turn_deg);
    am_json_number(w, "stand_bob_cm", (double)s->bob_cm);
    am_json_number(w, "stand_hands_cm", (double)s->hands_cm);
    am_json_number(w, "stand_head_cm", (double)s->head_cm);
    am_json_number(w, "stand_sway_cm", (double)s->sway_cm);
    am_json_integer(w, "stops", m->stops);
    am_json_integer(w, "stops_bad", m->stops_bad);
}

static void write_steps(am_json_writer *w, const am_motion_metrics *m)
{
    const am_stepping *s = &m->stepping;
    am_json_integer(w, "steps", s->steps);
    am_json_integer(w, "steps_repeated", s->steps_repeated);
    am_json_integer(w, "steps_odd", s->steps_odd);
    am_json_number(w, "step_ratio", (double)s->step_ratio);
    am_json_number(w, "glide_s", (double)s->glide_s);
    am_json_integer(w, "glides", s->glides);
    am_json_integer(w, "starts", m->starts);
    am_json_integer(w, "starts_odd", m->starts_odd);
    am_json_integer(w, "turns_odd", m->turns_odd);
    am_json_integer(w, "stops_odd", m->stops_odd);
    am_json_integer(w, "jumps", m->jumps);
    am_json_integer(w, "jumps_odd", m->jumps_odd);
}

static void write_stands(am_json_writer *writer, const ami_watched *w, const am_motion *m,
                         const am_standing_limits *limits)
{
    static const char *const bad[] = { "ankles", "knees", "hips", "trunk" };
    am_json_begin_array(writer, "stands");
    for (int i = 0; i < w->stand_count; i++) {
        const am_stand_span *s = &w->stands[i];
        int rest = am_stand_rest(m, s);
        uint32_t bits = rest >= 0 ? am_posture_check(m, rest, limits) : 0u;
        am_json_begin_object(writer, NULL);
        am_json_number(writer, "t", (double)((float)s->first / m->fps));
        am_json_number(writer, "seconds", (double)((float)(s->last - s->first + 1) / m->fps));
        am_json_bool(writer, "stop", s->stop);
        am_json_begin_array(writer, "bad");
        for (int b = 0; b < 4; b++) {
            if ((bits >> b & 1) != 0) {
                am_json_string(writer, NULL, bad[b]);
            }
        }
        am_json_end_array(writer);
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
}

static void write_jumps(am_json_writer *writer, const ami_watched *w, const am_motion *m)
{
    am_json_begin_array(writer, "jumped");
    for (int i = 0; i < w->jump_count; i++) {
        am_moment moment = jump_moment(w, i, m);
        am_json_begin_object(writer, NULL);
        am_json_number(writer, "t", (double)moment.t);
        am_json_string(writer, "odd", am_odd_name(am_jump_check(m, &moment)));
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
}

static void write_pushes(am_json_writer *writer, const ami_watched *w, const am_motion *m,
                         const am_motion_metrics *metrics)
{
    am_json_integer(writer, "pushes", metrics->pushes);
    am_json_integer(writer, "pushes_beyond", metrics->pushes_beyond);
    am_json_integer(writer, "pushes_caught", metrics->pushes_caught);
    am_json_number(writer, "push_slide_cm", (double)metrics->push_slide_cm);
    am_json_number(writer, "push_steps", (double)metrics->push_steps);
    am_json_number(writer, "push_balance_s", (double)metrics->push_balance_s);
    am_json_begin_array(writer, "pushed");
    for (int i = 0; i < w->push_count; i++) {
        am_balance b = balance_of(w, i, m);
        am_json_begin_object(writer, NULL);
        am_json_number(writer, "t", (double)w->pushes[i].t);
        am_json_number(writer, "slide_cm", (double)b.slide_cm);
        am_json_integer(writer, "steps", b.steps);
        am_json_number(writer, "balance_s", (double)b.balance_s);
        am_json_number(writer, "beyond_cm", (double)b.beyond_cm);
        am_json_end_object(writer);
    }
    am_json_end_array(writer);
}

void ami_watched_write(am_json_writer *writer, ami_watched *w, const am_metrics *metrics,
                       const am_reference *reference, float dt)
{
    const am_motion_metrics *motion = &metrics->motion;
    if (!motion->measured) {
        return;
    }
    am_motion m = motion_so_far(w, dt);
    am_standing_limits usual = am_standing_limits_default();
    if (reference && motion->novelty.windows > 0) {
        am_json_number(writer, "novelty_cm", (double)motion->novelty.median_cm);
        am_json_number(writer, "novelty_p95_cm", (double)motion->novelty.p95_cm);
        am_json_number(writer, "novelty_max_cm", (double)motion->novelty.max_cm);
        am_json_number(writer, "novelty_max_s", (double)motion->novelty.max_s);
    }
    write_standing(writer, motion);
    write_steps(writer, motion);
    write_stands(writer, w, &m, reference ? am_reference_standing(reference) : &usual);
    if (w->jump_count > 0) {
        write_jumps(writer, w, &m);
    }
    if (w->push_count > 0) {
        write_pushes(writer, w, &m, motion);
    }
}

void ami_reference_write(am_json_writer *w, const am_reference *r)
{
    const am_standing_limits *s = &r->standing;
    double leg_cm = 100.0 * (double)r->body.leg_m;
    am_json_begin_object(w, "reference");
    am_json_number(w, "seconds", (double)((float)r->frames / r->fps));
    am_json_integer(w, "windows", r->index.count);
    am_json_number(w, "stand_s", (double)((float)s->frames / r->fps));
    am_json_number(w, "ankles_p99_m", (double)(s->ankles * r->body.leg_m));
    am_json_number(w, "knee_p99_deg", (double)s->knee_deg);
    am_json_number(w, "hips_p1_m", (double)(s->hips * r->body.leg_m));
    am_json_number(w, "trunk_p99_deg", (double)s->trunk_deg);
    am_json_number(w, "stand_bob_cm", (double)s->bob * leg_cm);
    am_json_number(w, "stand_hands_cm", (double)s->hands * leg_cm);
    am_json_number(w, "stand_head_cm", (double)s->head * leg_cm);
    am_json_number(w, "stand_sway_cm", (double)s->sway * leg_cm);
    am_json_end_object(w);
}

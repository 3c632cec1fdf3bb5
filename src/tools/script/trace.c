// Writes one line of JSON for each frame: what plays, and its cost feature by feature.
#include "script/run.h"

#include "base/bytes.h"
#include "base/error.h"

#include <math.h>

void ami_run_write_vec3(am_json_writer *w, const char *key, am_vec3 v)
{
    am_json_begin_array(w, key);
    am_json_number(w, NULL, (double)v.x);
    am_json_number(w, NULL, (double)v.y);
    am_json_number(w, NULL, (double)v.z);
    am_json_end_array(w);
}

static void write_vec2(am_json_writer *w, const char *key, am_vec3 v)
{
    am_json_begin_array(w, key);
    am_json_number(w, NULL, (double)v.x);
    am_json_number(w, NULL, (double)v.z);
    am_json_end_array(w);
}

static void write_feet(am_json_writer *w, const char *key, uint8_t bits)
{
    am_json_begin_array(w, key);
    if ((bits & AM_CONTACT_LEFT) != 0) {
        am_json_string(w, NULL, "left");
    }
    if ((bits & AM_CONTACT_RIGHT) != 0) {
        am_json_string(w, NULL, "right");
    }
    am_json_end_array(w);
}

static void write_frame(am_json_writer *w, const am_db *db, int frame)
{
    const am_db_range *range = &db->ranges[am_db_range_of(db, frame)];
    am_json_integer(w, "frame_index", frame);
    am_json_string(w, "clip", range->name);
    am_json_integer(w, "clip_frame", frame - range->start);
}

/// What each channel adds to the cost of row(stride), the chosen frame's or what a network answered. With PCA
/// channels cannot be separated: lists components instead.
static void write_costs(am_json_writer *w, const am_db *db, const am_actor_view *view, const float *row,
                        bool weighted)
{
    const am_features *features = &db->features;
    int items = features->pca ? features->count : features->schema->channel_count;
    am_json_begin_object(w, "costs");
    for (int i = 0; i < items; i++) {
        const am_channel *channel = features->pca ? NULL : &features->schema->channels[i];
        int first = channel ? channel->first : i;
        int dims = channel ? channel->dims : 1;
        float cost = 0.0f;
        for (int d = first; d < first + dims; d++) {
            float gap = view->output->query[d] - row[d];
            cost += gap * gap * (weighted && view->weights ? view->weights[d] : 1.0f);
        }
        char name[16] = {
            'p', 'c', (char)('0' + i / 100 % 10), (char)('0' + i / 10 % 10), (char)('0' + i % 10), '\0'
        };
        am_json_number(w, channel ? channel->name : name, (double)cost);
    }
    am_json_end_object(w);
}

/// What adds up to a field's distance from the data.
static void write_parts(am_json_writer *w, const float *parts)
{
    static const char *const names[AM_FIELD_PARTS] = { "root", "turn", "pose", "next_pose" };
    am_json_begin_object(w, "costs");
    for (int i = 0; i < AM_FIELD_PARTS; i++) {
        am_json_number(w, names[i], (double)parts[i]);
    }
    am_json_end_object(w);
}

static void write_candidates(am_json_writer *w, const am_db *db, const am_source_output *out, bool field)
{
    am_json_begin_array(w, "candidates");
    for (int i = 0; i < out->candidate_count; i++) {
        am_json_begin_object(w, NULL);
        write_frame(w, db, out->candidates[i].frame);
        am_json_number(w, "cost", (double)out->candidates[i].cost);
        am_json_number(w, "total", (double)out->totals[i]);
        if (field) {
            am_json_number(w, "reward", (double)out->rewards[i]);
            am_json_number(w, "value", (double)out->values[i]);
        }
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

static void write_search(am_json_writer *w, const am_run *run, const am_actor_view *view)
{
    const am_source_output *out = view->output;
    const am_method method = run->method;
    am_json_number(w, "stay_cost", (double)out->stay_cost);
    am_json_number(w, "search_us", (double)out->search_us);
    if (out->candidate_count > 0 || out->frame < 0) {
        am_json_number(w, "cost", (double)out->cost);
    }
    if (method == AM_METHOD_FIELD) {
        write_parts(w, out->parts);
    } else if (out->candidate_count > 0) {
        write_costs(w, run->db, view, am_db_x(run->db, out->candidates[0].frame), true);
    } else if (out->frame < 0 && out->transition) {
        write_costs(w, run->db, view, out->answer, false);
    }
    if (method == AM_METHOD_LONG_HORIZON || method == AM_METHOD_MATCH) {
        am_json_number(w, "stay_total", (double)out->stay_total);
        am_json_bool(w, "softened", out->softened);
    }
    write_candidates(w, run->db, out, method == AM_METHOD_FIELD);
}

/// What a flow or segment controller was asked, as its network hears it, and what it did: Euler steps of a tick, or a
/// new segment.
static void write_asked(am_json_writer *w, const am_run *run, const am_run_sample *s)
{
    const am_source_output *out = s->view.output;
    double square = 0.0;
    for (int i = 0; i < out->encoding_count; i++) {
        square += (double)(out->answer[i] * out->answer[i]);
    }
    am_json_number(w, "control", sqrt(square));
    am_json_bool(w, "asked", s->intent.control != NULL);
    am_json_number(w, "solve_us", (double)out->search_us);
    if (run->method == AM_METHOD_FLOW) {
        am_json_integer(w, "steps", out->steps);
    }
}

static void write_pushes(am_json_writer *w, const am_run *run, const am_push_view *push)
{
    am_json_integer(w, "push_frame", push->frame);
    am_json_begin_array(w, "pushes");
    for (int i = 0; i < push->count; i++) {
        const am_push *p = &push->pushes[i];
        am_json_begin_object(w, NULL);
        am_json_string(w, "joint", am_asset_skeleton(run->asset)->names[p->joint]);
        ami_run_write_vec3(w, "force", p->force);
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

static void write_line(am_json_writer *w, const am_run *run, const am_run_sample *s)
{
    const am_db *db = run->db;
    const am_source_output *out = s->view.output;
    am_json_begin_object(w, NULL);
    am_json_integer(w, "character", s->actor);
    am_json_integer(w, "frame", s->frame);
    am_json_number(w, "t", (double)s->time);
    am_json_string(w, "activity", am_activity_name(s->view.activity));
    if (out->frame >= 0) {
        write_frame(w, db, out->frame);
        am_json_number(w, "fraction", (double)out->fraction);
    }
    am_json_bool(w, "transition", out->transition);
    am_json_bool(w, "searched", out->searched);
    if (ami_run_is_asked(run->method)) {
        write_asked(w, run, s);
    } else if (out->searched) {
        write_search(w, run, &s->view);
    }
    if (out->fell_back) {
        am_json_bool(w, "fell_back", true);
    }
    if (s->push.count > 0) {
        write_pushes(w, run, &s->push);
    }
    write_feet(w, "contacts", s->pose.contacts);
    write_feet(w, "locked", s->pose.locked);
    write_vec2(w, "root", s->pose.root.translation);
    am_json_number(w, "heading", (double)am_quat_heading(s->pose.root.rotation));
    write_vec2(w, "target", s->intent.velocity);
    am_json_number(w, "step_us", s->step_us);
    am_json_end_object(w);
}

am_result ami_put_json(am_bytes *out, const am_json_writer *w, am_error *err)
{
    size_t size = 0;
    const char *text = am_json_text(w, &size);
    if (!text || !ami_put(out, text, size) || !ami_put(out, "\n", 1)) {
        return ami_fail_memory(err, size);
    }
    return AM_OK;
}

am_result am_run_trace(am_bytes *out, const am_run *run, const am_run_sample *sample, am_error *err)
{
    am_json_writer *w = NULL;
    am_result result = am_json_writer_create(&w, 0, &run->alloc, err);
    if (result != AM_OK) {
        return result;
    }
    if (!out->alloc.alloc) {
        *out = ami_bytes_make(&run->alloc);
    }
    write_line(w, run, sample);
    result = ami_put_json(out, w, err);
    am_json_writer_destroy(w);
    return result;
}

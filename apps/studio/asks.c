// Control values on the page: put by path, kept when networks are exchanged, and filled by the character's
// trajectory.
#include "asks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void web_asked_clear(web_asked *ask)
{
    am_control_destroy(ask->control);
    free(ask->values);
    *ask = (web_asked){ 0 };
}

static am_result put(am_control *control, const char *values, am_error *err)
{
    am_json_doc *doc = NULL;
    am_result result = am_json_parse(&doc, values, strlen(values), NULL, NULL, err);
    result = result == AM_OK ? am_run_put_values(control, doc, am_json_root(doc), err) : result;
    am_json_free(doc);
    err->line = err->column = 0; // of a text that nobody sees
    err->offset = -1;
    return result;
}

am_result web_asked_set(web_asked *ask, const am_control_schema *schema, const char *values, const char *list,
                        const float *times, int points, am_error *err)
{
    web_asked next = { .points = points };
    if (!values) {
        web_asked_clear(ask);
        return AM_OK;
    }
    if (!schema || points < 0 || points > AM_MAX_TRAJECTORY || strlen(list) >= sizeof next.list) {
        *err = (am_error){ .code = AM_ERR_SUPPORT, .offset = -1, .text = "nothing of that kind can be asked" };
        return AM_ERR_SUPPORT;
    }
    snprintf(next.list, sizeof next.list, "%s", list);
    for (int i = 0; i < points; i++) {
        next.times[i] = times[i];
    }
    am_result result = am_control_create(&next.control, schema, NULL, err);
    result = result == AM_OK ? put(next.control, values, err) : result;
    next.values = result == AM_OK ? malloc(strlen(values) + 1) : NULL;
    if (result == AM_OK && !next.values) {
        *err = (am_error){ .code = AM_ERR_MEMORY, .offset = -1, .text = "out of memory for what is asked" };
        result = AM_ERR_MEMORY;
    }
    if (result != AM_OK) {
        web_asked_clear(&next);
        return result;
    }
    memcpy(next.values, values, strlen(values) + 1);
    web_asked_clear(ask);
    *ask = next;
    return AM_OK;
}

void web_asked_copy(web_asked *ask, const web_asked *from, const am_control_schema *schema)
{
    am_error unused = { 0 };
    web_asked_clear(ask);
    if (from->values && schema) {
        web_asked_set(ask, schema, from->values, from->list, from->times, from->points, &unused);
    }
}

/// The desired trajectory at a time from its step on.
static am_query_point point_at(const am_actor_view *view, float t)
{
    int i = 0;
    while (i < view->trajectory_count - 1 && view->trajectory[i + 1].time < t) {
        i++;
    }
    const am_query_point *a = &view->trajectory[i];
    const am_query_point *b = &view->trajectory[i + 1 < view->trajectory_count ? i + 1 : i];
    float share = b->time > a->time ? am_clamp((t - a->time) / (b->time - a->time), 0.0f, 1.0f) : 0.0f;
    am_query_point out = *a;
    out.position = am_v3_lerp(a->position, b->position, share);
    out.direction = am_v3_normalize_or(am_v3_lerp(a->direction, b->direction, share), a->direction);
    return out;
}

/// An item of a list may be a place, or have it as a part.
static void put_item(am_control *control, const char *list, int i, const am_query_point *p)
{
    char path[120];
    am_error unused = { 0 };
    const float place[3] = { p->position.x, 0.0f, p->position.z };
    const float facing[3] = { p->direction.x, 0.0f, p->direction.z };
    snprintf(path, sizeof path, "%s[%d].position", list, i);
    if (am_control_set(control, path, place, 3, &unused) != AM_OK) {
        snprintf(path, sizeof path, "%s[%d]", list, i);
        am_control_set(control, path, place, 3, &unused);
    }
    snprintf(path, sizeof path, "%s[%d].facing", list, i);
    am_control_set(control, path, facing, 3, &unused);
}

const am_control *web_asked_value(web_asked *ask, const am_actor *character, float dt)
{
    am_actor_view view;
    am_actor_get_view(character, &view);
    for (int i = 0; i < ask->points && view.trajectory_count > 0; i++) {
        am_query_point p = point_at(&view, ask->times[i] + dt); // it is that of the last step
        put_item(ask->control, ask->list, i, &p);
    }
    return ask->control;
}

void web_describe_control(am_json_writer *w, const am_control_schema *schema)
{
    if (!schema) {
        am_json_null(w, "control");
        return;
    }
    am_json_begin_object(w, "control");
    am_control_schema_describe(w, schema);
    am_json_end_object(w);
}

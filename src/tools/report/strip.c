// Gathers what a film strip shows while a run plays.
#include "report/strip.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

am_strip_def am_strip_def_default(void)
{
    am_strip_def def = { .every_s = 0.2f, .count = 12, .cookie = AM_COOKIE };
    return def;
}

/// The frame whose pose is that of a moment: the first is a step after the beginning.
static int frame_at(float fps, float time)
{
    int frame = (int)floorf(time * fps + 0.5f) - 1;
    return frame < 0 ? 0 : frame;
}

static am_result check_def(const am_strip_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->run) {
        return ami_fail(err, AM_ERR_DEF, "initialise the strip def with am_strip_def_default() and give it a run");
    }
    float fps = am_run_get_script(def->run)->fps;
    float end = (float)am_run_frame_count(def->run) / fps;
    if (def->count < 1 || def->count > AM_MAX_STRIP_FIGURES) {
        return ami_fail(err, AM_ERR_RANGE, "a strip of %d figures; it can have 1 to %d", def->count,
                        AM_MAX_STRIP_FIGURES);
    }
    if (!(def->every_s * fps >= 0.999f) || !isfinite(def->every_s)) {
        return ami_fail(err, AM_ERR_RANGE, "figures every %g s; the run has a frame every %.4f s",
                        (double)def->every_s, 1.0 / (double)fps);
    }
    if (!(def->from_s >= 0.0f) || !(def->from_s <= end)) {
        return ami_fail(err, AM_ERR_RANGE, "the strip begins at %g s, and the run is from 0 to %g s",
                        (double)def->from_s, (double)end);
    }
    if (am_run_actor_count(def->run) > AM_MAX_STRIP_ACTORS) {
        return ami_fail(err, AM_ERR_RANGE, "the script has %d characters, and a strip has room for %d",
                        am_run_actor_count(def->run), AM_MAX_STRIP_ACTORS);
    }
    return AM_OK;
}

/// Takes the memory of a strip, or measures it.
static am_strip *place_strip(ami_layout *layout, int actors, int frames, int figures)
{
    am_strip *strip = ami_layout_take(layout, 1, sizeof *strip);
    ami_strip_actor *list = ami_layout_take(layout, (size_t)actors, sizeof *list);
    for (int i = 0; i < actors; i++) {
        ami_strip_frame *track = ami_layout_take(layout, (size_t)frames, sizeof *track);
        am_vec3 *roots = ami_layout_take(layout, (size_t)frames, sizeof *roots);
        ami_strip_figure *shown = ami_layout_take(layout, (size_t)figures, sizeof *shown);
        am_vec3 *path = ami_layout_take(layout, ami_strip_path_points, sizeof *path);
        if (list) {
            list[i].frames = track;
            list[i].roots = roots;
            list[i].figures = shown;
            list[i].path = path;
        }
    }
    if (strip) {
        strip->actors = list;
    }
    return strip;
}

am_result am_strip_create(am_strip **out, const am_strip_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    float fps = am_run_get_script(def->run)->fps;
    int actors = am_run_actor_count(def->run);
    int first = frame_at(fps, def->from_s);
    double last = (double)first + (double)def->every_s * (double)fps * (def->count - 1) + 1.0;
    int end = am_run_frame_count(def->run) - 1;
    end = last < (double)end ? (int)last : end;
    int room = end - first + 1;
    ami_layout sketch = { 0 };
    (void)place_strip(&sketch, actors, room, def->count);
    ami_layout place = ami_layout_room(&sketch, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, sketch.size);
    }
    am_strip *strip = place_strip(&place, actors, room, def->count);
    strip->alloc = alloc;
    strip->block_size = sketch.size;
    strip->fps = fps;
    strip->from = def->from_s;
    strip->every = def->every_s;
    strip->first = first;
    strip->count = def->count;
    strip->frame_room = room;
    strip->actor_count = actors;
    const am_db *db = am_run_db(def->run);
    strip->rig = ami_rig_make(db->skeleton, &db->roles);
    snprintf(strip->title, sizeof strip->title, "%s", def->title ? def->title : "");
    *out = strip;
    return AM_OK;
}

void am_strip_destroy(am_strip *strip)
{
    if (strip) {
        am_alloc alloc = strip->alloc;
        ami_release(&alloc, strip, strip->block_size);
    }
}

// ---------------------------------------------------------------------------------------------
// A frame of the run

/// Sharpest change of velocity of any point of the body over the last three frames, m/s^2.
static float sharpest(const am_strip *strip, const ami_strip_actor *actor, const ami_strip_body *body, float dt)
{
    float most = 0.0f;
    for (int p = 0; p < ami_body_points && actor->seen >= 2; p++) {
        if (strip->rig.joint[p] >= 0) {
            am_vec3 now = am_v3_sub(body->at[p], actor->before[0].at[p]);
            am_vec3 then = am_v3_sub(actor->before[0].at[p], actor->before[1].at[p]);
            most = am_max(most, am_v3_distance(now, then));
        }
    }
    return most / (dt * dt);
}

static void fill_frame(ami_strip_frame *out, const am_strip *strip, const ami_strip_actor *actor,
                       const am_run_sample *sample, const ami_strip_body *body)
{
    *out = (ami_strip_frame){
        .time = sample->time + sample->dt,
        .heading = am_quat_heading(sample->pose.root.rotation),
        .travelled = actor->travelled,
        .speed = actor->seen > 0
                     ? am_v3_distance(am_v3_ground(sample->pose.root.translation), actor->root) / sample->dt
                     : 0.0f,
        .hips = body->at[AM_ROLE_HIPS].y,
        .bend = sharpest(strip, actor, body, sample->dt),
        .contacts = sample->pose.contacts,
        .locked = sample->pose.locked,
        .transition = sample->view.output->transition,
    };
    for (int s = 0; s < 2; s++) {
        int toe = s == 0 ? AM_ROLE_LEFT_TOE : AM_ROLE_RIGHT_TOE;
        out->toe[s] = body->at[toe];
        out->heel[s] = body->at[ami_left_heel + s];
        out->tip[s] = body->at[strip->rig.joint[ami_left_tip + s] >= 0 ? ami_left_tip + s : toe];
    }
}

static void take_path(ami_strip_actor *actor, const am_path_view *path)
{
    if (path->count < 1) {
        return;
    }
    int step = 1 + (path->count - 1) / ami_strip_path_points;
    actor->path_count = 0;
    for (int i = 0; i < path->count; i += step) {
        actor->path[actor->path_count++] = am_v3(path->points[i].x, 0.0f, path->points[i].z);
    }
}

static void take_push(ami_strip_actor *actor, const am_run_sample *sample)
{
    if (sample->push.count > 0 && sample->push.total > actor->pushes) {
        actor->pushes = sample->push.total;
        const am_push *push = &sample->push.pushes[0];
        actor->push.pushed = true;
        actor->push.push_at = sample->pose.world[push->joint].translation;
        actor->push.push_force = push->force;
    }
}

static am_result on_frame(void *user, const am_run_sample *sample, am_error *err)
{
    (void)err;
    am_strip *strip = user;
    ami_strip_actor *actor = &strip->actors[sample->actor];
    ami_strip_body body;
    ami_body_place(&body, &strip->rig, sample->pose.world);
    am_vec3 root = am_v3_ground(sample->pose.root.translation);
    if (actor->seen > 0) {
        am_vec3 ahead = am_quat_rotate(sample->pose.root.rotation, am_v3(0.0f, 0.0f, 1.0f));
        actor->travelled += am_v3_dot(am_v3_sub(root, actor->root), ahead);
    }
    strip->end_s = sample->time + sample->dt;
    int at = sample->frame - strip->first;
    if (at >= 0 && at < strip->frame_room) {
        actor->roots[at] = root;
        fill_frame(&actor->frames[at], strip, actor, sample, &body);
        actor->frame_count = at + 1;
        take_path(actor, &sample->path);
        take_push(actor, sample);
        float due = strip->from + (float)actor->figure_count * strip->every;
        if (actor->figure_count < strip->count && sample->frame >= frame_at(strip->fps, due)) {
            ami_strip_figure *figure = &actor->figures[actor->figure_count++];
            *figure = actor->push;
            figure->frame = at;
            figure->body = body;
            memset(&actor->push, 0, sizeof actor->push);
        }
    }
    actor->before[1] = actor->before[0];
    actor->before[0] = body;
    actor->root = root;
    actor->seen++;
    return AM_OK;
}

am_run_observer am_strip_observer(am_strip *strip)
{
    am_run_observer observer = { strip, on_frame };
    return observer;
}

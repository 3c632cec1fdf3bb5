// Steps all characters on the page: their targets, pushes and paths.
#include "scene.h"
#include "view.h"

#include <string.h>

/// The target of a character. Steering leaves the path, and the point or line that it was sent to.
static am_intent steer(int number, uint32_t keys, const am_gamepad *pad, float dt)
{
    web_actor *a = &web_now.open.actors[number];
    const am_gamepad idle = { 0 };
    bool steered = number == web_now.chosen || web_now.lineup.pair;
    am_intent target;
    am_intent_from_devices(&a->devices, &target, &web_now.open.intent, steered ? keys : 0, steered ? pad : &idle, dt);
    if (am_v3_length(target.velocity) > 0.0f) {
        am_actor_leave_path(a->character);
        a->target.kind = WEB_NOWHERE;
        if (a->ask.points == 0) {
            web_asked_clear(&a->ask);
        }
        return target;
    }
    am_actor_pose pose;
    am_actor_get_pose(a->character, &pose);
    am_transform root = pose.root;
    if (a->target.kind != WEB_NOWHERE) {
        return web_point_target(&a->target, root, a->devices.target_mps);
    }
    return web_now.lineup.crowd && !steered ? web_stroll_target(&a->stroll, root, a->devices.target_mps, dt) : target;
}

/// The same with what is asked of the character. Along a path only the list that its trajectory fills holds.
static am_intent target_of(int number, uint32_t keys, const am_gamepad *pad, float dt)
{
    am_intent intent = steer(number, keys, pad, dt);
    web_actor *a = &web_now.open.actors[number];
    am_path_view path;
    am_actor_get_path(a->character, &path);
    intent.control = path.following && a->ask.points == 0 ? NULL : web_asked_value(&a->ask, a->character, dt);
    return intent;
}

void web_step(int keys, float left_x, float left_y, float right_x, float right_y, int buttons, float dt)
{
    if (web_now.open.actor_count == 0) {
        return;
    }
    am_gamepad pad = { { left_x, left_y }, { right_x, right_y }, (uint32_t)buttons };
    am_actor_view view;
    am_actor_get_view(web_chosen(), &view);
    int left = view.output->frame;
    double before = web_microseconds();
    am_actor *characters[WEB_MOST_ACTORS];
    am_intent targets[WEB_MOST_ACTORS];
    for (int i = 0; i < web_now.open.actor_count; i++) {
        characters[i] = web_now.open.actors[i].character;
        targets[i] = target_of(i, (uint32_t)keys, &pad, dt);
    }
    am_actors_step(characters, targets, web_now.open.actor_count, dt, NULL);
    for (int i = 0; i < web_now.open.actor_count; i++) {
        web_path_track_add(&web_now.open.actors[i].drawn, web_now.open.actors[i].character);
    }
    web_view_fill(left, (float)(web_microseconds() - before));
}

void web_send(int kind, float x, float z, float way_x, float way_z)
{
    for (int i = 0; i < web_now.open.actor_count; i++) {
        if (i == web_now.chosen || web_now.lineup.crowd) {
            web_target *target = &web_now.open.actors[i].target;
            target->kind = kind;
            target->point = am_v3(x, 0.0f, z);
            const am_vec3 usual = kind == WEB_LINE ? am_v3(0.0f, 0.0f, 1.0f) : am_v3_zero();
            target->way = am_v3_normalize_or(am_v3(way_x, 0.0f, way_z), usual);
        }
    }
}

int web_ask(const char *values, const char *list, const float *times, int points)
{
    am_result result = AM_OK;
    web_now.error = (am_error){ 0 };
    for (int i = 0; i < web_now.open.actor_count && result == AM_OK; i++) {
        if (i == web_now.chosen || web_now.lineup.crowd) {
            web_actor *a = &web_now.open.actors[i];
            const char *given = values && values[0] ? values : NULL;
            result = web_asked_set(&a->ask, web_scene_schema(&web_now.open, a->character), given, list, times, points,
                                   &web_now.error);
        }
    }
    return (int)result;
}

int web_push(int number, int joint, float x, float y, float z, float seconds)
{
    const am_vec3 force = am_v3(x, y, z);
    bool is = number >= 0 && number < web_now.open.actor_count;
    return is ? (int)am_actor_push(web_now.open.actors[number].character, joint, &force, seconds, &web_now.error)
              : (int)AM_ERR_RANGE;
}

const float *web_world(int number)
{
    // A transform is a quaternion and a vector of floats: seven of them without gaps.
    _Static_assert(sizeof(am_transform) == 7 * sizeof(float), "the page reads seven floats per joint");
    bool is = number >= 0 && number < web_now.open.actor_count;
    am_actor_pose pose = { 0 };
    if (is) {
        am_actor_get_pose(web_now.open.actors[number].character, &pose);
    }
    return is ? &pose.world[0].rotation.x : NULL;
}

// ---------------------------------------------------------------------------------------------
// Paths

void web_path_options(int mode, int facing, float scale, int loop)
{
    web_scene_options();
    web_now.path.mode = (am_path_mode)mode;
    web_now.path.facing = (am_path_facing)facing;
    web_now.path.scale = scale;
    web_now.path.loop = loop != 0;
}

void web_obstacles(const float *places, int count)
{
    _Static_assert(sizeof(am_path_obstacle) == 3 * sizeof(float), "the page writes three floats per obstacle");
    web_now.path.obstacle_count = count < AM_MAX_PATH_OBSTACLES ? count : AM_MAX_PATH_OBSTACLES;
    memcpy(web_now.obstacles, places, (size_t)web_now.path.obstacle_count * sizeof *web_now.obstacles);
    web_now.path.obstacles = web_now.obstacles;
}

int web_follow(const float *samples, int count)
{
    _Static_assert(sizeof(am_path_sample) == 3 * sizeof(float), "the page writes three floats per point");
    if (web_now.open.actor_count == 0) {
        return (int)AM_ERR_EMPTY;
    }
    web_actor *a = &web_now.open.actors[web_now.chosen];
    am_path_def def = web_now.path;
    def.samples = (const am_path_sample *)(const void *)samples;
    def.count = count;
    am_result result = am_actor_follow(a->character, &def, &web_now.error);
    if (result == AM_OK) {
        web_path_track_begin(&a->drawn, &def, a->character);
    } else {
        web_path_track_clear(&a->drawn);
    }
    web_view_path();
    return (int)result;
}

void web_leave(void)
{
    if (web_now.open.actor_count > 0) {
        am_actor_leave_path(web_chosen());
        web_path_track_clear(&web_now.open.actors[web_now.chosen].drawn);
        web_view_path();
    }
}

static am_path_view chosen_path(void)
{
    am_path_view path = { 0 };
    if (web_now.open.actor_count > 0) {
        am_actor_get_path(web_chosen(), &path);
    }
    return path;
}

const float *web_path(void)
{
    _Static_assert(sizeof(am_path_point) == 4 * sizeof(float), "the page reads four floats per point");
    am_path_view path = chosen_path();
    return path.points ? &path.points->x : NULL;
}

int web_path_count(void) { return chosen_path().count; }

const double *web_measure(float dt)
{
    static double out[6];
    if (web_now.open.actor_count > 0) {
        const web_actor *a = &web_now.open.actors[web_now.chosen];
        am_path_metrics m = web_path_track_measure(&a->drawn, a->character, dt);
        const double all[] = { m.path_error_m,    m.path_cover_m, m.path_cover_max_m,
                               m.path_time_ratio, m.path_end_m,   m.path_completed ? 1.0 : 0.0 };
        memcpy(out, all, sizeof out);
    }
    return out;
}

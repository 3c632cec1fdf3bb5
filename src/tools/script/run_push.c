// Reads 'pushes' of RUN.json.
#include "script/run.h"

#include "base/error.h"

#include <string.h>

static am_result read_push(am_run_push *push, const am_json_doc *doc, const am_json *item, float before,
                           am_error *err)
{
    static const char *const keys[] = { "t", "joint", "force", "seconds" };
    float force[3];
    int count = 0;
    push->seconds = 0.1f;
    am_result result = am_json_only(doc, item, keys, COUNT(keys), err);
    if (result == AM_OK) {
        result = am_json_read_float(doc, item, "t", true, &push->t, 0.0f, 36000.0f, err);
    }
    if (result == AM_OK) {
        result = ami_run_in_order(doc, item, "pushes", push->t, before, err);
    }
    if (result == AM_OK) {
        result = am_json_read_string(doc, item, "joint", true, &push->joint, err);
    }
    if (result == AM_OK) {
        result = am_json_read_float(doc, item, "seconds", false, &push->seconds, 0.001f, 10.0f, err);
    }
    if (result == AM_OK) {
        result = am_json_read_floats(doc, item, "force", true, force, 3, &count, err);
    }
    if (result == AM_OK) {
        push->force = am_v3(force[0], force[1], force[2]);
        if (count != 3 || !(am_v3_length(push->force) <= AM_PUSH_MOST_N)) {
            return am_json_fail(doc, am_json_get(item, "force"), AM_ERR_RANGE, err,
                                "'force' must be three numbers [x, y, z] in newtons, at most %g N in all",
                                (double)AM_PUSH_MOST_N);
        }
    }
    return result;
}

am_result ami_run_read_pushes(am_run_actor *actor, ami_arena *arena, const am_json_doc *doc, const am_json *object,
                              am_error *err)
{
    const am_json *array = am_json_get(object, "pushes");
    if (!array) {
        return AM_OK;
    }
    if (array->type != AM_JSON_ARRAY) {
        return am_json_fail(
            doc, array, AM_ERR_TYPE, err,
            "'pushes' must be an array, such as [{\"t\": 2, \"joint\": \"chest\", \"force\": [200, 0, "
            "0], \"seconds\": 0.1}]");
    }
    am_run_push *pushes = ami_arena_get(arena, (size_t)array->count * sizeof *pushes + 1);
    if (!pushes) {
        return ami_fail_memory(err, (size_t)array->count * sizeof *pushes);
    }
    int count = 0;
    for (const am_json *item = array->first; item; item = item->next) {
        am_result result = read_push(&pushes[count], doc, item, count > 0 ? pushes[count - 1].t : 0.0f, err);
        if (result != AM_OK) {
            return result;
        }
        count++;
    }
    actor->pushes = pushes;
    actor->push_count = count;
    return AM_OK;
}

void ami_run_write_pushes(am_json_writer *w, const am_run_actor *actor)
{
    if (actor->push_count == 0) {
        return;
    }
    am_json_begin_array(w, "pushes");
    for (int i = 0; i < actor->push_count; i++) {
        const am_run_push *p = &actor->pushes[i];
        am_json_begin_object(w, NULL);
        am_json_number(w, "t", (double)p->t);
        am_json_string(w, "joint", p->joint);
        ami_run_write_vec3(w, "force", p->force);
        am_json_number(w, "seconds", (double)p->seconds);
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

am_result ami_run_open_pushes(am_run *run, const am_push_engine *engine, am_error *err)
{
    const am_skeleton *skeleton = am_asset_skeleton(run->asset);
    int pushes = 0;
    for (int a = 0; a < run->actor_count; a++) {
        const am_run_actor *actor = &run->script->actors[a];
        for (int i = 0; i < actor->push_count; i++, pushes++) {
            const char *name = actor->pushes[i].joint;
            if (am_asset_joint(run->asset, name) < 0) {
                const char *near = am_nearest_name(name, skeleton->names, skeleton->joint_count);
                return ami_fail(err, AM_ERR_RANGE,
                                "a push names the joint '%s', which the skeleton does not have%s%s", name,
                                near ? "; did you mean " : "", near ? near : "");
            }
        }
    }
    if (pushes == 0) {
        return AM_OK;
    }
    if (!engine) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "'pushes' need Open Dynamics Engine, which this build does not have; install libode-dev and "
                        "build again, or remove them");
    }
    run->engine = *engine;
    return engine->create(engine->user, &run->solver, skeleton, am_asset_roles(run->asset), &run->alloc, err);
}

void ami_run_take_pushes(const am_run *run, ami_player *player, const am_run_actor *actor, double due)
{
    while (player->next_push < actor->push_count && (double)actor->pushes[player->next_push].t <= due) {
        const am_run_push *p = &actor->pushes[player->next_push++];
        // Numbers were checked when they were read; pushes beyond the limit are left out.
        (void)am_actor_push(player->character, am_asset_joint(run->asset, p->joint), &p->force, p->seconds, NULL);
    }
}

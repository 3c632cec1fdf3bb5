// Reads 'goals' of RUN.json: points to walk to.
#include "script/run.h"

#include "base/error.h"

#define FARTHEST_M 1e4f

static am_result read_goal(am_run_goal *goal, const am_json_doc *doc, const am_json *item, float before,
                           am_error *err)
{
    static const char *const keys[] = { "t", "values" };
    static const char *const known[] = { "target" };
    float target[3] = { 0 };
    int count = 3;
    const am_json *values = am_json_get(item, "values");
    am_result result = am_json_only(doc, item, keys, COUNT(keys), err);
    if (result == AM_OK) {
        result = am_json_read_float(doc, item, "t", true, &goal->t, 0.0f, 36000.0f, err);
    }
    if (result == AM_OK) {
        result = ami_run_in_order(doc, item, "goals", goal->t, before, err);
    }
    if (result == AM_OK && (!values || values->type != AM_JSON_OBJECT)) {
        return am_json_fail(doc, values ? values : item, values ? AM_ERR_TYPE : AM_ERR_KEY, err,
                            "a goal has 'values', such as {\"target\": [2, 0, 3]}; {} ends the goal");
    }
    if (result == AM_OK) {
        result = am_json_only(doc, values, known, COUNT(known), err);
    }
    goal->has_target = result == AM_OK && am_json_get(values, "target");
    if (goal->has_target) {
        result = am_json_read_floats(doc, values, "target", true, target, 3, &count, err);
        goal->target = am_v3(target[0], target[1], target[2]);
        if (result == AM_OK && (count != 3 || !(am_v3_length(goal->target) <= FARTHEST_M))) {
            return am_json_fail(doc, am_json_get(values, "target"), AM_ERR_RANGE, err,
                                "'target' must be a point [x, y, z] in metres, within %g m of the origin",
                                (double)FARTHEST_M);
        }
    }
    return result;
}

am_result ami_run_read_goals(am_run_actor *actor, ami_arena *arena, const am_json_doc *doc, const am_json *object,
                             am_error *err)
{
    const am_json *array = am_json_get(object, "goals");
    if (!array) {
        return AM_OK;
    }
    if (array->type != AM_JSON_ARRAY) {
        return am_json_fail(doc, array, AM_ERR_TYPE, err,
                            "'goals' must be an array, such as [{\"t\": 0, \"values\": {\"target\": [2, 0, 3]}}]");
    }
    am_run_goal *goals = ami_arena_get(arena, (size_t)array->count * sizeof *goals + 1);
    if (!goals) {
        return ami_fail_memory(err, (size_t)array->count * sizeof *goals);
    }
    int count = 0;
    for (const am_json *item = array->first; item; item = item->next) {
        am_result result = read_goal(&goals[count], doc, item, count > 0 ? goals[count - 1].t : 0.0f, err);
        if (result != AM_OK) {
            return result;
        }
        count++;
    }
    actor->goals = goals;
    actor->goal_count = count;
    return AM_OK;
}

void ami_run_write_goals(am_json_writer *w, const am_run_actor *actor)
{
    if (actor->goal_count == 0) {
        return;
    }
    am_json_begin_array(w, "goals");
    for (int i = 0; i < actor->goal_count; i++) {
        const am_run_goal *goal = &actor->goals[i];
        am_json_begin_object(w, NULL);
        am_json_number(w, "t", (double)goal->t);
        am_json_begin_object(w, "values");
        if (goal->has_target) {
            ami_run_write_vec3(w, "target", goal->target);
        }
        am_json_end_object(w);
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

am_intent ami_run_take_goal(ami_player *player, const am_run_actor *actor, am_intent devices, double due)
{
    while (player->next_goal < actor->goal_count && (double)actor->goals[player->next_goal].t <= due) {
        player->goal = actor->goals[player->next_goal++];
    }
    // Steering ends the goal, as on the page; paths take precedence.
    player->goal.has_target = player->goal.has_target && !(am_v3_length(devices.velocity) > 0.0f);
    if (!player->goal.has_target || ami_path_of(player->character).following) {
        return devices;
    }
    const am_transform root = ami_pose_of(player->character).root;
    am_intent intent;
    am_intent_to_point(&intent, &root, &player->goal.target, player->devices.target_mps);
    intent.facing = devices.facing;
    return intent;
}

// 'goals' of RUN.json: points to walk to, and control values for controllers that have a schema.
#include "script/run.h"

#include "base/error.h"
#include "operators/control.h"

#define FARTHEST_M 1e4f

bool ami_run_is_asked(am_method method)
{
    int count;
    const am_method_row *rows = am_methods(&count);
    return (int)method < count && rows[method].asked;
}

/// Target and facing of a goal, where its values have them as plain numbers.
static am_result read_place(am_run_goal *goal, am_method method, const am_json_doc *doc, const am_json *values,
                            am_error *err)
{
    float target[3] = { 0 }, facing[3] = { 0 };
    int count = 3;
    const am_json *place = am_json_get(values, "target");
    bool plain = place && (!ami_run_is_asked(method) || place->type == AM_JSON_ARRAY);
    am_result result = plain ? am_json_read_floats(doc, values, "target", true, target, 3, &count, err) : AM_OK;
    goal->has_target = plain;
    goal->target = am_v3(target[0], target[1], target[2]);
    if (result == AM_OK && plain && (count != 3 || !(am_v3_length(goal->target) <= FARTHEST_M))) {
        return am_json_fail(doc, place, AM_ERR_RANGE, err,
                            "'target' must be a point [x, y, z] in metres, within %g m of the origin",
                            (double)FARTHEST_M);
    }
    const am_json *looks = am_json_get(values, "facing");
    if (result == AM_OK && plain && looks && looks->type == AM_JSON_ARRAY) {
        count = 3;
        result = am_json_read_floats(doc, values, "facing", true, facing, 3, &count, err);
        if (result == AM_OK && count != 3) {
            return am_json_fail(doc, looks, AM_ERR_RANGE, err, "'facing' must be a direction [x, y, z]");
        }
        goal->facing = am_v3_normalize_or(am_v3(facing[0], 0.0f, facing[2]), am_v3_zero());
    }
    return result;
}

static am_result read_goal(am_run_goal *goal, am_method method, const am_json_doc *doc, const am_json *item,
                           float before, am_error *err)
{
    static const char *const keys[] = { "t", "values" };
    static const char *const known[] = { "target" };
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
    if (result == AM_OK && !ami_run_is_asked(method)) {
        result = am_json_only(doc, values, known, COUNT(known), err);
    }
    goal->values = ami_run_is_asked(method) ? values : NULL;
    return result == AM_OK ? read_place(goal, method, doc, values, err) : result;
}

am_result ami_run_read_goals(am_run_actor *actor, am_method method, ami_arena *arena, const am_json_doc *doc,
                             const am_json *object, am_error *err)
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
        am_result result = read_goal(&goals[count], method, doc, item, count > 0 ? goals[count - 1].t : 0.0f, err);
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
        if (goal->values) {
            ami_run_write_json(w, goal->values);
        } else {
            am_json_begin_object(w, "values");
            if (goal->has_target) {
                ami_run_write_vec3(w, "target", goal->target);
            }
            am_json_end_object(w);
        }
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

/// A goal whose values are a target, perhaps with a facing, for a schema that has none: it is walked to.
static bool is_walked_to(const ami_player *player, const am_run_goal *goal)
{
    am_error unused = { 0 };
    int place;
    bool named = player->control && ami_control_find(player->control->schema, "target", &place, &unused) >= 0;
    return goal->has_target && !named;
}

am_result ami_run_open_goals(const am_run *run, ami_player *player, const am_run_actor *actor, am_error *err)
{
    static const char *const walked[] = { "target", "facing" };
    const am_control_schema *schema = am_asset_control_schema(run->asset, run->method);
    am_result result = schema ? am_control_create(&player->control, schema, &run->alloc, err) : AM_OK;
    for (int i = 0; i < actor->goal_count && result == AM_OK; i++) {
        const am_run_goal *goal = &actor->goals[i];
        if (goal->values && is_walked_to(player, goal)) {
            result = am_json_only(ami_run_doc(run->script), goal->values, walked, COUNT(walked), err);
        } else if (goal->values && player->control) {
            am_control_clear(player->control);
            result = am_run_put_values(player->control, ami_run_doc(run->script), goal->values, err);
        } else if (goal->values && goal->values->count > 0) {
            result = am_json_fail(ami_run_doc(run->script), goal->values, AM_ERR_SUPPORT, err,
                                  "the model has no control schema: nothing can be asked of this character");
        }
    }
    return result;
}

/// A goal becomes due.
static void take(const am_run *run, ami_player *player, const am_run_goal *goal)
{
    am_error unused = { 0 };
    player->goal = *goal;
    player->controlled = false;
    if (goal->values && player->control && !is_walked_to(player, goal)) {
        am_control_clear(player->control);
        // Tried before: the same values cannot fail now.
        player->controlled =
            am_run_put_values(player->control, ami_run_doc(run->script), goal->values, &unused) == AM_OK &&
            goal->values->count > 0;
        player->goal.has_target = false;
    }
}

am_intent ami_run_take_goal(const am_run *run, ami_player *player, const am_run_actor *actor, am_intent devices,
                            double due)
{
    while (player->next_goal < actor->goal_count && (double)actor->goals[player->next_goal].t <= due) {
        take(run, player, &actor->goals[player->next_goal++]);
    }
    // Steering ends the goal, as on the page; paths take precedence.
    bool steered = am_v3_length(devices.velocity) > 0.0f;
    player->goal.has_target = player->goal.has_target && !steered;
    player->controlled = player->controlled && !steered;
    if (ami_path_of(player->character).following) {
        return devices;
    }
    devices.control = player->controlled ? player->control : NULL;
    if (!player->goal.has_target) {
        return devices;
    }
    const am_transform root = ami_pose_of(player->character).root;
    am_intent intent;
    am_intent_to_point(&intent, &root, &player->goal.target, player->devices.target_mps);
    bool faces = am_v3_length(player->goal.facing) > 0.5f;
    intent.facing = faces ? player->goal.facing : devices.facing;
    return intent;
}

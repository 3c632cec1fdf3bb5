// Reads 'changes' of RUN.json: options that change while a character moves, such as the style, speed limit and search
// tree of a path that is being walked.
#include "script/run.h"

#include "base/error.h"

static am_result read_change(am_run_change *change, const am_run_options *before, const am_json_doc *doc,
                             const am_json *item, float since, am_error *err)
{
    static const char *const keys[] = { "t", "options" };
    const am_json *options = am_json_get(item, "options");
    am_result result = am_json_only(doc, item, keys, COUNT(keys), err);
    if (result == AM_OK) {
        result = am_json_read_float(doc, item, "t", true, &change->t, 0.0f, 36000.0f, err);
    }
    if (result == AM_OK) {
        result = ami_run_in_order(doc, item, "changes", change->t, since, err);
    }
    if (result == AM_OK && (!options || options->type != AM_JSON_OBJECT)) {
        return am_json_fail(doc, options ? options : item, options ? AM_ERR_TYPE : AM_ERR_KEY, err,
                            "a change has 'options', such as {\"v_max\": 1.2, \"tags\": \"walk\"}");
    }
    change->options = *before;
    change->given = options;
    return result == AM_OK ? am_run_options_read(&change->options, doc, options, err) : result;
}

am_result ami_run_read_changes(am_run_actor *actor, const am_run_options *begin, ami_arena *arena,
                               const am_json_doc *doc, const am_json *object, am_error *err)
{
    const am_json *array = am_json_get(object, "changes");
    if (!array) {
        return AM_OK;
    }
    if (array->type != AM_JSON_ARRAY) {
        return am_json_fail(doc, array, AM_ERR_TYPE, err,
                            "'changes' must be an array, such as [{\"t\": 3, \"options\": {\"v_max\": 1.2}}]");
    }
    am_run_change *changes = ami_arena_get(arena, (size_t)array->count * sizeof *changes + 1);
    if (!changes) {
        return ami_fail_memory(err, (size_t)array->count * sizeof *changes);
    }
    int count = 0;
    for (const am_json *item = array->first; item; item = item->next, count++) {
        const am_run_change *last = count > 0 ? &changes[count - 1] : NULL;
        am_result result =
            read_change(&changes[count], last ? &last->options : begin, doc, item, last ? last->t : 0.0f, err);
        if (result != AM_OK) {
            return result;
        }
    }
    actor->changes = changes;
    actor->change_count = count;
    return AM_OK;
}

void ami_run_write_changes(am_json_writer *w, const am_run_actor *actor)
{
    if (actor->change_count == 0) {
        return;
    }
    am_json_begin_array(w, "changes");
    for (int i = 0; i < actor->change_count; i++) {
        am_json_begin_object(w, NULL);
        am_json_number(w, "t", (double)actor->changes[i].t);
        am_json_begin_object(w, "options");
        for (const am_json *item = actor->changes[i].given->first; item; item = item->next) {
            ami_run_write_json(w, item);
        }
        am_json_end_object(w);
        am_json_end_object(w);
    }
    am_json_end_array(w);
}

static am_result take_change(const am_run *run, am_actor *character, const am_run_change *change, am_error *err)
{
    am_settings settings = change->options.settings;
    settings.method = run->method;
    am_result result = am_actor_set(character, &settings, err);
    for (int a = 0; result == AM_OK && a < AM_ACTIVITY_COUNT; a++) {
        const char *tags = change->options.tags[a];
        result = tags ? am_actor_set_tags(character, (am_activity)a, tags, err) : AM_OK;
    }
    const am_json *weights = am_json_get(change->given, "weights");
    for (const am_json *w = weights ? weights->first : NULL; result == AM_OK && w; w = w->next) {
        result = am_actor_set_weight(character, w->key, (float)w->number, err);
    }
    return result;
}

am_result ami_run_take_changes(const am_run *run, ami_player *player, const am_run_actor *actor, double due,
                               am_error *err)
{
    am_result result = AM_OK;
    while (result == AM_OK && player->next_change < actor->change_count &&
           (double)actor->changes[player->next_change].t <= due) {
        result = take_change(run, player->character, &actor->changes[player->next_change++], err);
    }
    return result;
}

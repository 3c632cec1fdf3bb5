// The controller `field` of a run: its options, its field and its value function.
#include "script/run.h"

#include "base/error.h"

enum { most_tasks = 16, policy_count = AM_FIELD_PASSIVE + 1 };

/// Names of the built-in tasks; returns how many.
static int list_tasks(const char **names)
{
    int count = 0;
    while (count < most_tasks && am_field_task_name(count)) {
        names[count] = am_field_task_name(count);
        count++;
    }
    return count;
}

am_result ami_run_read_field(am_run_options *out, const am_json_doc *doc, const am_json *options, am_error *err)
{
    const char *tasks[most_tasks], *policies[policy_count];
    for (int i = 0; i < policy_count; i++) {
        policies[i] = am_field_policy_name((am_field_policy)i);
    }
    int policy = (int)out->policy;
    am_result result = am_json_read_choice(doc, options, "task", false, &out->task, tasks, list_tasks(tasks), err);
    if (result == AM_OK) {
        result = am_json_read_choice(doc, options, "policy", false, &policy, policies, policy_count, err);
    }
    if (result == AM_OK) {
        result = am_json_read_int(doc, options, "every", false, &out->every, 0, AM_FIELD_MAX_EVERY, err);
    }
    out->policy = (am_field_policy)policy;
    return result;
}

void ami_run_write_field(am_json_writer *writer, const am_run_options *options)
{
    am_json_string(writer, "task", am_field_task_name(options->task));
    am_json_string(writer, "policy", am_field_policy_name(options->policy));
    am_json_integer(writer, "every", options->every);
}

/// The first model with values of a task, or NULL.
static const am_model *find_model(const am_run *run, const char *task)
{
    for (int i = 0; i < run->model_count; i++) {
        if (am_field_value_has(run->models[i], task)) {
            return run->models[i];
        }
    }
    return NULL;
}

static am_result open_value(am_run *run, const am_model *model, const char *task, am_error *err)
{
    am_field_value_def def = am_field_value_def_default();
    def.alloc = &run->alloc;
    def.model = model;
    def.field = run->field;
    def.task = task;
    def.every = run->script->options.every;
    return am_field_value_create(&run->value, &def, err);
}

am_result ami_run_make_field(am_run *run, am_error *err)
{
    const am_run_options *options = &run->script->options;
    const char *task = am_field_task_name(options->task);
    const am_model *model = find_model(run, task);
    bool ahead = options->policy == AM_FIELD_LOOKAHEAD;
    if (ahead && !model) {
        return ami_fail(err, AM_ERR_SUPPORT,
                        "the policy 'lookahead' needs a model with values of the task '%s'; name one with \"model\": "
                        "[\"field.amnet\"] (amble train makes it), or use the policy 'greedy' or 'passive'",
                        task);
    }
    am_field_def field = am_field_def_default();
    field.alloc = &run->alloc;
    field.db = run->db;
    if (model) {
        am_field_value_field(&field, model); // values hold for the field that they were made of
    }
    am_result result = am_field_create(&run->field, &field, err);
    if (result == AM_OK && ahead) {
        result = open_value(run, model, task, err);
    }
    if (result != AM_OK) {
        return result;
    }
    am_field_source_def def = am_field_source_def_default();
    def.alloc = &run->alloc;
    def.field = run->field;
    def.value = run->value;
    def.policy = options->policy;
    def.wander_s = AM_FIELD_WANDER_S;
    am_field_task_find(&def.task, task);
    return am_field_source_create(&run->made_source, &def, err);
}

// The value functions for amble eval fields: those of a given model, of one that ships for these data, or newly
// trained ones by the shipped recipe.
#include "eval_fields.h"

#include "places.h"
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Whether a model has all value functions that are measured, for this field.
static bool fits(const fields *f, const am_model *model)
{
    static const char *const tasks[2] = { "direction", "line" };
    for (int i = 0; i < 2 * fields_kinds; i++) {
        ami_field_value *value = NULL;
        am_error unused = { 0 };
        ami_field_value_def def = ami_field_value_def_default();
        def.model = model;
        def.field = f->field;
        def.task = tasks[i / fields_kinds];
        def.every = fields_every(i % fields_kinds);
        bool there = ami_field_value_create(&value, &def, &unused) == AM_OK;
        ami_field_value_destroy(value);
        if (!there && fields_measures(f, def.task, def.every)) {
            return false;
        }
    }
    return true;
}

#if !defined(AMBLE_HAS_TRAIN)

am_result fields_train(fields *f, am_model **out, const fields_values *what, am_error *err)
{
    (void)f, (void)out, (void)what, (void)err;
    return AM_OK;
}

#else

#include <amble/train.h>
#include <amble/tools/database.h>
#include <amble/tools/json.h>
#include "base/os.h"

/// Keys that are not taken from the recipe that ships.
static bool is_own(const fields_values *what, const char *key)
{
    return strcmp(key, "database") == 0 || strcmp(key, "every") == 0 || strcmp(key, "weights") == 0 ||
           (what->steer_deg_s >= 0.0 && strcmp(key, "steer_deg_s") == 0);
}

static void copy(am_json_writer *w, const char *key, const am_json *value)
{
    if (value->type == AM_JSON_OBJECT || value->type == AM_JSON_ARRAY) {
        bool object = value->type == AM_JSON_OBJECT;
        object ? am_json_begin_object(w, key) : am_json_begin_array(w, key);
        for (const am_json *item = value->first; item; item = item->next) {
            copy(w, object ? item->key : NULL, item);
        }
        object ? am_json_end_object(w) : am_json_end_array(w);
    } else if (value->type == AM_JSON_STRING) {
        am_json_string(w, key, value->string);
    } else if (value->type == AM_JSON_NUMBER) {
        am_json_number(w, key, value->number);
    } else if (value->type == AM_JSON_BOOL) {
        am_json_bool(w, key, value->boolean);
    } else {
        am_json_null(w, key);
    }
}

/// A stage of the recipe with this database and the anchors that are measured.
static void write_stage(am_json_writer *w, const fields *f, const am_json *stage, const char *task,
                        const fields_values *what)
{
    am_json_begin_object(w, NULL);
    am_json_string(w, "database", "data.amdb");
    am_json_string(w, "weights", what->full ? "fp32" : "fp16");
    if (what->steer_deg_s >= 0.0) {
        am_json_number(w, "steer_deg_s", what->steer_deg_s);
    }
    am_json_begin_array(w, "every");
    for (int i = 0; i < fields_kinds; i++) {
        if (fields_measures(f, task, fields_every(i)) && (!what->finest || fields_every(i) == fields_finest(f))) {
            am_json_integer(w, NULL, fields_every(i));
        }
    }
    am_json_end_array(w);
    for (const am_json *item = stage->first; item; item = item->next) {
        if (!is_own(what, item->key)) {
            copy(w, item->key, item);
        }
    }
    am_json_end_object(w);
}

/// The task of a stage that is measured, otherwise NULL.
static const char *task_of(const fields *f, const am_json *stage)
{
    const am_json *task = am_json_get(stage, "task");
    bool known = task && task->type == AM_JSON_STRING &&
                 (strcmp(task->string, "direction") == 0 || strcmp(task->string, "line") == 0);
    return known && fields_measures(f, task->string, fields_finest(f)) ? task->string : NULL;
}

static am_result write_recipe(const fields *f, const char *path, const fields_values *what, am_error *err)
{
    char shipped[1024];
    am_json_doc *doc = NULL;
    am_json_writer *w = NULL;
    am_result result = cli_config_find(shipped, sizeof shipped, CLI_RECIPE, "fields_values", err);
    result = result == AM_OK ? am_json_parse_file(&doc, shipped, NULL, err) : result;
    result = result == AM_OK ? am_json_writer_create(&w, 1, NULL, err) : result;
    if (result == AM_OK) {
        const am_json *stages = am_json_get(am_json_root(doc), "stages");
        am_json_begin_object(w, NULL);
        am_json_begin_array(w, "stages");
        for (const am_json *stage = stages ? stages->first : NULL; stage; stage = stage->next) {
            const char *task = task_of(f, stage);
            if (task && (what->lines || strcmp(task, "direction") == 0)) {
                write_stage(w, f, stage, task, what);
            }
        }
        am_json_end_array(w);
        am_json_end_object(w);
        size_t size = 0;
        const char *text = am_json_text(w, &size);
        result = text ? am_file_write(path, text, size, err) : AM_ERR_MEMORY;
    }
    am_json_writer_destroy(w);
    am_json_free(doc);
    return result;
}

/// Tells the evaluation's progress; Ctrl-C ends the training.
static bool report(void *user, const am_train_progress *p)
{
    const fields *f = user;
    return f->e->progress->report(f->e->progress->user, p->stage, p->iteration, p->iterations);
}

/// A folder for temporary files.
static am_result make_folder(fields *f, am_error *err)
{
    if (f->folder[0]) {
        return AM_OK;
    }
    if (!ami_folder_make_temporary(f->folder, sizeof f->folder, "amble-fields")) {
        return cli_error(err, AM_ERR_WRITE, NULL,
                         "cannot create a temporary folder for the value functions; set TMPDIR");
    }
    return AM_OK;
}

am_result fields_train(fields *f, am_model **out, const fields_values *what, am_error *err)
{
    char recipe[640], data[640], output[640];
    am_train_summary summary;
    am_result result = make_folder(f, err);
    if (result != AM_OK) {
        return result;
    }
    snprintf(recipe, sizeof recipe, "%s/%s.json", f->folder, what->name);
    snprintf(data, sizeof data, "%s/data.amdb", f->folder);
    snprintf(output, sizeof output, "%s/%s.amnet", f->folder, what->name);
    result = am_db_write(f->db, data, err);
    result = result == AM_OK ? write_recipe(f, recipe, what, err) : result;
    if (result == AM_OK) {
        am_train_def def;
        am_train_def_init(&def);
        def.recipe = recipe;
        def.output = output;
        def.threads = f->e->tasks->threads;
        def.report = report;
        def.report_user = f;
        result = am_train_run(&summary, &def, err);
    }
    f->trained_s = result == AM_OK && out == &f->model ? summary.seconds : f->trained_s;
    return result == AM_OK ? am_model_open(out, output, NULL, err) : result;
}

#endif

am_result fields_open_values(fields *f, am_error *err)
{
    char path[1024];
    if (f->e->model) {
        return am_model_open(&f->model, f->e->model, NULL, err);
    }
    if (cli_model_find(path, sizeof path, "fields.amnet")) {
        am_result result = am_model_open(&f->model, path, NULL, err);
        if (result != AM_OK || fits(f, f->model)) {
            return result;
        }
        am_model_close(f->model);
        f->model = NULL;
    }
    return fields_train(f, &f->model, &(fields_values){ .name = "usual", .lines = true, .steer_deg_s = -1.0 }, err);
}

void fields_close_values(fields *f)
{
    if (f->folder[0]) {
        ami_folder_remove(f->folder);
    }
    f->folder[0] = '\0';
}

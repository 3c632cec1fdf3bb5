// Trainings in progress: the previews that `amble train` writes beside its outputs, with how far they have come.
#include "studio.h"

#include <stdio.h>
#include <string.h>

#define PREVIEW ".preview.amnet"
#define NETWORKS ".amnet"

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

bool studio_is_networks(const char *path) { return ends_with(path, NETWORKS); }
bool studio_is_preview(const char *path) { return ends_with(path, PREVIEW); }

static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/// Called with each preview that is there; false ends.
typedef bool (*visit_fn)(void *user, const char *path);

/// Gives the preview of a given file; false when it is not there.
static bool preview_of(char *out, size_t size, const char *given)
{
    if (!studio_is_networks(given) || strlen(given) + sizeof PREVIEW > size) {
        return false;
    }
    snprintf(out, size, "%.*s%s", (int)(strlen(given) - strlen(NETWORKS)), given, PREVIEW);
    return am_path_look(NULL, out) == AM_PATH_FILE;
}

/// Whether a name is that of a given file's preview, which may lie in the folder of networks, too.
static bool is_given(const studio_sets *sets, const char *name)
{
    char path[1300];
    bool found = false;
    for (int i = 0; i < sets->def.database_count && !found; i++) {
        found = preview_of(path, sizeof path, sets->def.databases[i]) && strcmp(file_of(path), name) == 0;
    }
    return found;
}

static void each_preview(const studio_sets *sets, visit_fn visit, void *user)
{
    char path[1300];
    bool on = true;
    for (int i = 0; i < sets->def.database_count && on; i++) {
        on = !preview_of(path, sizeof path, sets->def.databases[i]) || visit(user, path);
    }
    am_folder_names names = { 0 };
    if (sets->def.model_dir) {
        am_folder_list(&names, sets->def.model_dir);
    }
    for (int i = 0; i < names.count && on; i++) {
        if (studio_is_preview(names.items[i]) && !is_given(sets, names.items[i])) {
            snprintf(path, sizeof path, "%s/%s", sets->def.model_dir, names.items[i]);
            on = visit(user, path);
        }
    }
    am_folder_names_free(&names);
}

// ---------------------------------------------------------------------------------------------
// Serving

typedef struct wanted {
    const char *file;
    char *out;
    size_t size;
    bool found;
} wanted;

static bool is_wanted(void *user, const char *path)
{
    wanted *w = user;
    w->found = strcmp(file_of(path), w->file) == 0;
    if (w->found) {
        snprintf(w->out, w->size, "%s", path);
    }
    return !w->found;
}

bool studio_training_path(const studio_sets *sets, const char *file, char *out, size_t size)
{
    wanted w = { .file = file, .out = out, .size = size };
    if (studio_is_preview(file)) {
        each_preview(sets, is_wanted, &w);
        return w.found;
    }
    // What a training ended with, whose preview is gone.
    for (int i = 0; i < sets->def.database_count && !w.found; i++) {
        const char *given = sets->def.databases[i];
        if (studio_is_networks(given) && strcmp(file_of(given), file) == 0) {
            snprintf(out, size, "%s", given);
            w.found = am_path_look(NULL, out) == AM_PATH_FILE;
        }
    }
    if (!w.found && sets->def.model_dir && studio_is_networks(file) && !strchr(file, '/')) {
        snprintf(out, size, "%s/%s", sets->def.model_dir, file);
        w.found = am_path_look(NULL, out) == AM_PATH_FILE;
    }
    return w.found;
}

// ---------------------------------------------------------------------------------------------
// Telling

/// The method that plays a model by itself, or NULL.
static const am_method_row *method_of(const am_model *model)
{
    int count;
    size_t size;
    const am_method_row *rows = am_methods(&count);
    for (int m = 0; m < count && am_model_attached(model, AM_LEARNED_CHARACTER, &size); m++) {
        if (!rows[m].database && rows[m].part && am_model_find(model, rows[m].part) >= 0) {
            return &rows[m];
        }
    }
    return NULL;
}

static const am_json *item(const am_json *array, int number)
{
    const am_json *found = array && array->type == AM_JSON_ARRAY ? array->first : NULL;
    while (found && number-- > 0) {
        found = found->next;
    }
    return found;
}

static double number_of(const am_json *object, const char *key)
{
    const am_json *number = object ? am_json_get(object, key) : NULL;
    return number && number->type == AM_JSON_NUMBER ? number->number : 0.0;
}

/// The last stage that has a loss, by the model's own notes and its recipe.
static void put_progress(am_json_writer *w, const am_model *model)
{
    am_error unused = { 0 };
    am_json_doc *notes = NULL;
    am_json_doc *recipe = NULL;
    const am_json *last = NULL;
    if (am_json_parse(&notes, model->provenance, strlen(model->provenance), NULL, NULL, &unused) == AM_OK) {
        const am_json *losses = am_json_get(am_json_root(notes), "losses");
        last = losses && losses->count > 0 ? item(losses, losses->count - 1) : NULL;
    }
    int stage = (int)number_of(last, "stage");
    const am_json *trained = NULL;
    if (am_json_parse(&recipe, model->recipe, strlen(model->recipe), NULL, NULL, &unused) == AM_OK) {
        trained = item(am_json_get(am_json_root(recipe), "stages"), stage);
    }
    const am_json *kind = trained ? am_json_get(trained, "kind") : NULL;
    am_json_string(w, "stage", kind && kind->type == AM_JSON_STRING ? kind->string : "");
    am_json_integer(w, "iteration", (int64_t)number_of(last, "iterations"));
    am_json_integer(w, "iterations", (int64_t)number_of(trained, "iterations"));
    am_json_number(w, "loss", number_of(last, "loss"));
    am_json_free(recipe);
    am_json_free(notes);
}

static bool put_training(void *user, const char *path)
{
    am_json_writer *w = user;
    am_error unused = { 0 };
    am_model *model = NULL;
    am_path_info info = { 0 };
    const char *file = file_of(path);
    char name[128];
    char url[160];
    int stem = (int)(strlen(file) - strlen(PREVIEW));
    am_path_look(&info, path);
    const am_method_row *row = am_model_open(&model, path, NULL, &unused) == AM_OK ? method_of(model) : NULL;
    if (row && stem < 100) { // else an early stage, which is no character yet
        am_json_begin_object(w, NULL);
        snprintf(name, sizeof name, "%.*s.preview", stem, file);
        am_json_string(w, "name", name);
        snprintf(name, sizeof name, "%.*s", stem, file);
        am_json_string(w, "title", name);
        snprintf(url, sizeof url, "/training/%s", file);
        am_json_string(w, "url", url);
        snprintf(url, sizeof url, "/training/%s%s", name, NETWORKS);
        am_json_string(w, "final", url);
        am_json_string(w, "method", row->name);
        put_progress(w, model);
        am_json_hash(w, "hash", model->hash);
        am_json_integer(w, "bytes", info.size);
        am_json_integer(w, "changed_ms", info.changed_ns / 1000000);
        am_json_end_object(w);
    }
    am_model_close(model);
    return true;
}

am_result studio_trainings_json(am_json_writer **out, const studio_sets *sets, am_error *err)
{
    am_result result = am_json_writer_create(out, 0, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    am_json_begin_object(*out, NULL);
    am_json_begin_array(*out, "trainings");
    each_preview(sets, put_training, *out);
    am_json_end_array(*out);
    am_json_end_object(*out);
    if (!am_json_text(*out, NULL)) {
        am_json_writer_destroy(*out);
        *out = NULL;
        *err = (am_error){ .code = AM_ERR_MEMORY, .offset = -1, .text = "out of memory for the list of trainings" };
        return AM_ERR_MEMORY;
    }
    return AM_OK;
}

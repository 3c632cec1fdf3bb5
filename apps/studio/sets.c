// The databases that the page offers; am_build_open builds and keeps them.
#include "studio.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static am_result fail(am_error *err, am_result code, const char *format, ...) AM_PRINTF(3, 4);
static am_result fail(am_error *err, am_result code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *err = (am_error){ .code = code, .offset = -1 };
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

// ---------------------------------------------------------------------------------------------
// Finding

// Configs whose file names begin with this belong to the page.
#define PREFIX "studio_"

static am_build_def build_def(const studio_sets *sets, const studio_set *set)
{
    am_build_def def = am_build_def_default();
    def.config_path = set->config;
    def.find_set = sets->def.find_set;
    def.find_set_user = sets->def.find_set_user;
    def.tasks = sets->def.tasks;
    def.progress = sets->def.progress;
    return def;
}

/// The file name of a path without folder and extension.
static void stem_of(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(out, size, "%.*s", (int)strcspn(name, "."), name);
}

static void copy_text(char *out, size_t size, const am_json *root, const char *key)
{
    const am_json *text = am_json_get(root, key);
    if (text && text->type == AM_JSON_STRING) {
        snprintf(out, size, "%s", text->string);
    }
}

/// A file that only names another config ("config", beside a name for the page and the method to begin with) is built
/// by that one: networks that were trained for its database then fit.
static am_result follow_config(studio_set *set, am_json_doc **doc, const char *dir, am_error *err)
{
    char file[256] = "";
    copy_text(file, sizeof file, am_json_root(*doc), "config");
    copy_text(set->method, sizeof set->method, am_json_root(*doc), "method");
    if (!file[0]) {
        return AM_OK;
    }
    snprintf(set->config, sizeof set->config, "%.700s/%s", dir, file);
    am_json_free(*doc);
    *doc = NULL;
    return am_json_parse_file(doc, set->config, NULL, err);
}

static am_result add_config(studio_sets *sets, const char *file, am_error *err)
{
    studio_set *set = &sets->items[sets->count];
    char stem[sizeof set->name];
    *set = (studio_set){ 0 };
    stem_of(stem, sizeof stem, file + strlen(PREFIX));
    snprintf(set->name, sizeof set->name, "%s", stem);
    snprintf(set->config, sizeof set->config, "%s/%s", sets->def.config_dir, file);
    snprintf(set->path, sizeof set->path, "%s/%s.amdb", sets->def.cache_dir, stem);
    am_json_doc *doc = NULL;
    am_result result = am_json_parse_file(&doc, set->config, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    snprintf(set->title, sizeof set->title, "%s", stem);
    copy_text(set->title, sizeof set->title, am_json_root(doc), "name");
    result = follow_config(set, &doc, sets->def.config_dir, err);
    am_build_def def = build_def(sets, set);
    if (result == AM_OK && am_build_has_clips(&def)) {
        set->synth = !am_json_get(am_json_root(doc), "clips");
        sets->count++;
    }
    am_json_free(doc);
    return result;
}

/// A page starts with cmu if it is available, otherwise with the learned character of its motion; the procedural set
/// comes last; the others by name.
static int rank_of(const studio_set *set)
{
    bool learned = set->networks && strcmp(set->name, "everyday") == 0; // answers every key
    return strcmp(set->name, "cmu") == 0 ? 0 : learned ? 1 : set->synth ? 4 : set->networks ? 3 : 2;
}

/// What a page calls networks: their data and method; flows and segments differ by what they were trained for, which
/// their file says. The file's name says more than that of a database like locomotion_gaits.
static void name_networks(studio_set *set, const am_db *db, const am_method_row *row)
{
    bool plain = db->name[0] && (row->asked || !strchr(db->name, '_'));
    const char *name = plain ? db->name : set->name;
    snprintf(set->method, sizeof set->method, "%s", row->name);
    snprintf(set->title, sizeof set->title, "%.40s, %.20s", name, row->asked ? set->name : row->label);
    for (char *c = set->title; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
}

/// Takes a file of networks that is a character by itself; others are ignored.
static void add_networks(studio_sets *sets, const char *path)
{
    am_error unused = { 0 };
    am_asset *asset = NULL;
    studio_set *set = &sets->items[sets->count];
    *set = (studio_set){ .networks = true };
    stem_of(set->name, sizeof set->name, path);
    snprintf(set->path, sizeof set->path, "%s", path);
    const am_asset_file given = { .name = set->path };
    if (am_asset_open(&asset, &given, 1, NULL, &unused) == AM_OK && !studio_sets_get(sets, set->name)) {
        int count;
        int method = 0;
        while ((am_asset_methods(asset) >> method & 1) == 0) {
            method++;
        }
        name_networks(set, am_asset_db(asset, (am_method)method), &am_methods(&count)[method]);
        sets->count++;
    }
    am_asset_close(asset);
}

static void find_networks(studio_sets *sets)
{
    am_folder_names names = { 0 };
    if (sets->def.model_dir) {
        am_folder_list(&names, sets->def.model_dir);
    }
    for (int i = 0; i < names.count; i++) {
        char path[1300];
        snprintf(path, sizeof path, "%s/%s", sets->def.model_dir, names.items[i]);
        if (studio_is_networks(path) && !studio_is_preview(path) && sets->count < STUDIO_MAX_SETS) {
            add_networks(sets, path);
        }
    }
    am_folder_names_free(&names);
}

static int by_rank(const void *a, const void *b)
{
    const studio_set *x = a;
    const studio_set *y = b;
    int difference = rank_of(x) - rank_of(y);
    return difference != 0 ? difference : strcmp(x->name, y->name);
}

static am_result find_configs(studio_sets *sets, am_error *err)
{
    am_folder_names names;
    if (!am_folder_list(&names, sets->def.config_dir)) {
        return fail(err, AM_ERR_OPEN,
                    "the folder %s was not found; ./run install PREFIX installs it, or name databases with --db",
                    sets->def.config_dir);
    }
    am_result result = AM_OK;
    for (int i = 0; i < names.count && result == AM_OK; i++) {
        const char *name = names.items[i];
        size_t length = strlen(name);
        if (length > 5 && strcmp(name + length - 5, ".json") == 0 && strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
            sets->count < STUDIO_MAX_SETS) {
            result = add_config(sets, name, err);
        }
    }
    am_folder_names_free(&names);
    find_networks(sets);
    qsort(sets->items, (size_t)sets->count, sizeof sets->items[0], by_rank);
    return result;
}

static am_result add_file(studio_sets *sets, const char *path, am_error *err)
{
    if (sets->count >= STUDIO_MAX_SETS) {
        return fail(err, AM_ERR_LIMIT, "at most %d databases at once", STUDIO_MAX_SETS);
    }
    am_db *db = NULL;
    am_result result = am_db_open(&db, path, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    studio_set *set = &sets->items[sets->count];
    *set = (studio_set){ 0 };
    stem_of(set->name, sizeof set->name, path);
    snprintf(set->path, sizeof set->path, "%s", path);
    snprintf(set->title, sizeof set->title, "%s", db->name[0] ? db->name : set->name);
    am_db_close(db);
    if (studio_sets_get(sets, set->name)) {
        return fail(err, AM_ERR_KEY, "two databases are called %s; rename one", set->name);
    }
    sets->count++;
    return AM_OK;
}

am_result studio_sets_find(studio_sets *out, const studio_def *def, am_error *err)
{
    *out = (studio_sets){ .def = *def };
    am_result result = am_lock_create(&out->lock, err);
    bool networks = false;
    for (int i = 0; i < def->database_count && result == AM_OK; i++) {
        const char *path = def->databases[i];
        if (!studio_is_networks(path)) {
            result = add_file(out, path, err);
        } else if (out->count < STUDIO_MAX_SETS && am_path_look(NULL, path) == AM_PATH_FILE) {
            add_networks(out, path);
        }
        networks |= studio_is_networks(path);
    }
    if (result == AM_OK && def->database_count == 0) {
        result = find_configs(out, err);
    }
    if (result == AM_OK && out->count == 0 && !networks) {
        result = fail(err, AM_ERR_EMPTY, "%s has no config that can be built here", def->config_dir);
    }
    return result;
}

void studio_sets_free(studio_sets *sets) { am_lock_destroy(sets->lock); }

const studio_set *studio_sets_get(const studio_sets *sets, const char *name)
{
    for (int i = 0; i < sets->count; i++) {
        if (strcmp(sets->items[i].name, name) == 0) {
            return &sets->items[i];
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// Building

static bool is_fresh(const studio_sets *sets, const studio_set *set)
{
    am_build_def def = build_def(sets, set);
    return am_build_is_fresh(&def, set->path);
}

static am_result build(const studio_sets *sets, const studio_set *set, am_error *err)
{
    am_build_def def = build_def(sets, set);
    am_db *db = NULL;
    am_result result = am_build_open(&db, &def, set->path, err);
    am_db_close(db);
    return result;
}

am_result studio_set_ready(studio_sets *sets, const studio_set *set, am_error *err)
{
    am_lock_take(sets->lock);
    am_result result = AM_OK;
    if (set->config[0] && !is_fresh(sets, set)) {
        fprintf(stderr, "amble: building %s\n", set->title);
        result = build(sets, set, err);
    }
    am_path_info info;
    am_path_look(&info, set->path);
    if (result == AM_OK && info.size > STUDIO_MAX_DB_BYTES) {
        result =
            fail(err, AM_ERR_LIMIT,
                 "%s has %.0f MB, but a page can load at most %d MB; build it with \"precision\": \"compact\" or "
                 "from fewer clips",
                 set->path, (double)info.size / 1e6, STUDIO_MAX_DB_BYTES / 1000000);
    }
    am_lock_give(sets->lock);
    return result;
}

// ---------------------------------------------------------------------------------------------
// Telling

bool studio_direction_of(const studio_sets *sets, const char *name, char *out, size_t size)
{
    for (int i = 0; i < 2 && sets->def.model_dir; i++) {
        char path[1300];
        snprintf(out, size, "direction%s%s.amnet", i == 0 ? "_" : "", i == 0 ? name : "");
        snprintf(path, sizeof path, "%s/%s", sets->def.model_dir, out);
        if (am_path_look(NULL, path) == AM_PATH_FILE) {
            return true;
        }
    }
    return false;
}

bool studio_values_of(const studio_sets *sets, const char *name, char *out, size_t size)
{
    char path[1300];
    // fields.amnet is for amble eval fields: it has more value functions than a page loads.
    snprintf(out, size, "fields_%s.amnet", strcmp(name, "fields") == 0 ? "page" : name);
    snprintf(path, sizeof path, "%s/%s", sets->def.model_dir ? sets->def.model_dir : "", out);
    return sets->def.model_dir && am_path_look(NULL, path) == AM_PATH_FILE;
}

/// The address of a model, or null.
static void put_model(am_json_writer *w, const char *key, bool is, const char *file)
{
    char url[128];
    snprintf(url, sizeof url, "/models/%.100s", file);
    if (is) {
        am_json_string(w, key, url);
    } else {
        am_json_null(w, key);
    }
}

static void put_set(am_json_writer *w, const studio_sets *sets, const studio_set *set)
{
    char url[128];
    snprintf(url, sizeof url, "/db/%s.%s", set->name, set->networks ? "amnet" : "amdb");
    char file[100];
    char values[100];
    bool told = studio_direction_of(sets, set->name, file, sizeof file);
    bool valued = studio_values_of(sets, set->name, values, sizeof values);
    am_error unused = { 0 };
    am_db *db = NULL;
    am_path_info info = { 0 };
    bool opens = !set->networks && (!set->config[0] || is_fresh(sets, set)) &&
                 am_db_open(&db, set->path, NULL, &unused) == AM_OK;
    bool ready = opens || (set->networks && am_path_look(&info, set->path) != AM_PATH_NONE);
    am_json_begin_object(w, NULL);
    am_json_string(w, "name", set->name);
    am_json_string(w, "title", set->title);
    am_json_string(w, "url", url);
    am_json_bool(w, "networks", set->networks);
    am_json_string(w, "method", set->method);
    put_model(w, "direction", told, file);
    am_json_begin_object(w, "models");
    if (valued) {
        put_model(w, am_method_name(AM_METHOD_FIELD), true, values);
    }
    am_json_end_object(w);
    am_json_bool(w, "ready", ready);
    if (opens) {
        am_json_integer(w, "frames", db->frame_count);
        am_json_integer(w, "joints", db->joint_count);
        am_json_integer(w, "bytes", (int64_t)db->image_size);
    } else {
        am_json_null(w, "frames");
        am_json_null(w, "joints");
        am_json_integer(w, "bytes", info.size);
    }
    am_json_end_object(w);
    am_db_close(db);
}

am_result studio_sets_json(am_json_writer **out, const studio_sets *sets, am_error *err)
{
    am_result result = am_json_writer_create(out, 0, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    am_json_begin_object(*out, NULL);
    am_json_begin_array(*out, "sets");
    for (int i = 0; i < sets->count; i++) {
        put_set(*out, sets, &sets->items[i]);
    }
    am_json_end_array(*out);
    char model[1200];
    snprintf(model, sizeof model, "%s/node_modules/mannequin/dist/assets/mannequin.js", sets->def.web_dir);
    am_json_bool(*out, "mannequin", am_path_look(NULL, model) != AM_PATH_NONE);
    am_json_end_object(*out);
    if (!am_json_text(*out, NULL)) {
        am_json_writer_destroy(*out);
        *out = NULL;
        return fail(err, AM_ERR_MEMORY, "out of memory for the list of sets");
    }
    return AM_OK;
}

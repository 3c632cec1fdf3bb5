// Databases by the name of their config: found, or built and kept with a stamp of all that they were made from.
#include "database.h"

#include "configs.h"
#include "data.h"
#include "places.h"

#include <stdio.h>
#include <string.h>

enum { path_size = 1024 };

static am_result fail(am_error *err, am_result code, const char *file, const char *text)
{
    *err = (am_error){ .code = code, .offset = -1 };
    snprintf(err->file, sizeof err->file, "%.255s", file);
    snprintf(err->text, sizeof err->text, "%s", text);
    return code;
}

// ---------------------------------------------------------------------------------------------
// What a database depends on

static uint64_t hash_file(const char *path, uint64_t hash)
{
    am_file file = { 0 };
    am_error err = { 0 };
    if (am_file_open(&file, path, &err) != AM_OK) {
        return am_hash64("none", 4, hash);
    }
    hash = am_hash64(file.data, file.size, hash);
    am_file_close(&file);
    return hash;
}

/// Names and sizes of a set's files; reading them all would take as long as building.
static uint64_t hash_set(const char *set, uint64_t hash, bool *found)
{
    char folder[path_size];
    if (!cli_data_find(folder, sizeof folder, set)) {
        *found = false;
        return hash;
    }
    cli_files files = cli_files_list(folder, 0);
    for (int i = 0; i < files.count; i++) {
        am_path_info info;
        am_path_look(&info, files.paths[i]);
        const int64_t facts[2] = { info.size, info.changed_s };
        const char *name = strrchr(files.paths[i], '/');
        hash = am_hash64(name, strlen(name), am_hash64(facts, sizeof facts, hash));
    }
    cli_files_free(&files);
    return hash;
}

/// A file that the config names, relative to it.
static uint64_t hash_beside(const char *path, const char *name, uint64_t hash)
{
    char whole[2 * path_size];
    const char *slash = strrchr(path, '/');
    snprintf(whole, sizeof whole, "%.*s/%s", (int)(slash - path), path, name);
    return hash_file(whole, hash);
}

/// One number for config, schema, tags, clips and program; *found says whether the clips are all here.
static am_result stamp_of(uint64_t *out, bool *found, const char *path, am_error *err)
{
    am_json_doc *doc = NULL;
    am_result result = am_json_parse_file(&doc, path, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    // The program itself: a database that another build made may differ.
    uint64_t hash = hash_file("/proc/self/exe", hash_file(path, 1));
    const am_json *root = am_json_root(doc);
    const char *const named[] = { "features", "tags" };
    for (int i = 0; i < 2; i++) {
        const am_json *item = am_json_get(root, named[i]);
        hash = item && item->type == AM_JSON_STRING ? hash_beside(path, item->string, hash) : hash;
    }
    *found = true;
    const am_json *clips = am_json_get(root, "clips");
    const am_json *sets = clips ? am_json_get(clips, "sets") : NULL;
    for (const am_json *set = sets ? sets->first : NULL; set; set = set->next) {
        hash = set->type == AM_JSON_STRING ? hash_set(set->string, hash, found) : hash;
    }
    am_json_free(doc);
    *out = hash;
    return AM_OK;
}

bool cli_database_has_data(const char *config)
{
    char path[path_size];
    am_error err = { 0 };
    uint64_t stamp = 0;
    bool found = false;
    return cli_config_find(path, sizeof path, CLI_DATABASE, config, &err) == AM_OK &&
           stamp_of(&stamp, &found, path, &err) == AM_OK && found;
}

// ---------------------------------------------------------------------------------------------
// How they are kept

static bool stamp_matches(const char *path, uint64_t stamp)
{
    am_file file = { 0 };
    am_error err = { 0 };
    char text[24];
    snprintf(text, sizeof text, "%016llx\n", (unsigned long long)stamp);
    if (am_file_open(&file, path, &err) != AM_OK) {
        return false;
    }
    bool same = file.size == strlen(text) && memcmp(file.data, text, file.size) == 0;
    am_file_close(&file);
    return same;
}

/// The motion of amble synth all, as files.
static am_result write_synth(const char *folder, am_error *err)
{
    if (!cli_make_folder(folder)) {
        return fail(err, AM_ERR_WRITE, folder, "cannot make this folder for the procedural clips");
    }
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < am_synth_all_count(); i++) {
        am_synth_def def = am_synth_all_item(i, 1);
        am_synth synth = { 0 };
        result = am_synth_make(&synth, &def, err);
        if (result != AM_OK) {
            return result;
        }
        char path[3 * path_size];
        snprintf(path, sizeof path, "%.2047s/%.255s.bvh", folder, synth.clip->name);
        am_bytes bytes = { 0 };
        am_write_def write = am_write_def_default();
        result = am_bvh_write(&bytes, synth.clip, &write, err);
        result = result == AM_OK ? am_file_write(path, bytes.data, bytes.size, err) : result;
        am_bytes_free(&bytes);
        am_synth_free(&synth);
    }
    return result;
}

static am_result build(am_db **out, const char *path, const char *clips, const am_tasks *tasks,
                       const am_progress *progress, am_error *err)
{
    am_build_def def = am_build_def_default();
    def.tasks = tasks;
    def.progress = progress;
    def.config_path = path;
    def.clips_dir = clips;
    def.find_set = cli_find_set;
    return am_build(out, NULL, &def, err);
}

/// Writes database and stamp; one that cannot be kept is used all the same.
static void keep(const am_db *db, const char *file, const char *stamp_file, uint64_t stamp)
{
    am_error err = { 0 };
    char text[24];
    int length = snprintf(text, sizeof text, "%016llx\n", (unsigned long long)stamp);
    if (am_db_write(db, file, &err) == AM_OK) {
        am_file_write(stamp_file, text, (size_t)length, &err);
    }
}

am_result cli_database_open(am_db **out, const char *config, const am_tasks *tasks, const am_progress *progress,
                            am_error *err)
{
    *out = NULL;
    char path[path_size];
    char home[path_size];
    uint64_t stamp = 0;
    bool found = false;
    am_result result = cli_config_find(path, sizeof path, CLI_DATABASE, config, err);
    result = result == AM_OK ? stamp_of(&stamp, &found, path, err) : result;
    if (result != AM_OK) {
        return result;
    }
    cli_cache_folder(home, sizeof home, "databases");
    if (!cli_make_folder(home)) {
        return fail(err, AM_ERR_WRITE, home, "cannot make this folder for databases; run from a folder of your own");
    }
    char file[2 * path_size];
    char stamp_file[2 * path_size];
    char clips[2 * path_size];
    snprintf(file, sizeof file, "%s/%s.amdb", home, config);
    snprintf(stamp_file, sizeof stamp_file, "%s/%s.stamp", home, config);
    snprintf(clips, sizeof clips, "%s/%s", home, config);
    if (stamp_matches(stamp_file, stamp) && am_db_open(out, file, NULL, err) == AM_OK) {
        return AM_OK;
    }
    bool synth = strcmp(config, "synth") == 0;
    if (synth) {
        result = write_synth(clips, err);
    }
    if (result == AM_OK) {
        result = build(out, path, synth ? clips : NULL, tasks, progress, err);
    }
    if (result == AM_OK) {
        keep(*out, file, stamp_file, stamp);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// What makes a database that is not here

/// a/b/../../c -> c: as a person would write the path.
static void shorten(char *path)
{
    char *at;
    while ((at = strstr(path, "/../")) != NULL) {
        *at = '\0';
        char *before = strrchr(path, '/');
        before = before ? before + 1 : path;
        if (strcmp(before, "..") == 0 || before[0] == '\0') {
            *at = '/';
            return;
        }
        memmove(before, at + 4, strlen(at + 4) + 1);
    }
}

/// Whether configs/NAME is the config of a database, and whether it has clips of its own.
static bool is_config(const char *name, bool *clips)
{
    char path[path_size];
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    if (!cli_place_file(path, sizeof path, CLI_CONFIGS, name) ||
        am_json_parse_file(&doc, path, NULL, &err) != AM_OK) {
        return false;
    }
    const bool is = am_json_get(am_json_root(doc), "features") != NULL;
    *clips = !is || am_json_get(am_json_root(doc), "clips");
    am_json_free(doc);
    return is;
}

void cli_database_advise(am_error *err, const char *path, const char *otherwise)
{
    if (err->code != AM_ERR_OPEN || !path[0] || cli_is_file(path)) {
        return;
    }
    char whole[path_size], stem[256];
    snprintf(whole, sizeof whole, "%s", path);
    shorten(whole);
    const char *slash = strrchr(whole, '/'), *file = slash ? slash + 1 : whole;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(file, "."), file);
    // build/studio/synth.amdb is that of studio_synth.json.
    static const char *const forms[] = { "databases/%s.json", "databases/fields_%s.json",
                                         "databases/studio_%s.json" };
    const bool studio = strstr(whole, "studio/") != NULL;
    char names[3][300];
    bool clips = true;
    int found = 0;
    for (int i = 0; i < 3; i++) {
        snprintf(names[i], sizeof names[i], forms[studio ? 2 - i : i], stem);
    }
    while (found < 3 && !is_config(names[found], &clips)) {
        found++;
    }
    char config[path_size] = "CONFIG", text[sizeof err->text];
    if (found < 3) {
        snprintf(config, sizeof config, "configs/%.290s", names[found]);
    }
    if (found < 3 && !cli_is_file(config)) { // an installed command knows it by name
        const char *name = strchr(names[found], '/') + 1;
        snprintf(config, sizeof config, "%.*s", (int)strlen(name) - 5, name);
    }
    snprintf(text, sizeof text, "the database '%.120s' is not here; make it with: %samble build %.80s%s -o %.120s%s",
             whole, clips ? "" : "amble synth all -o synth/ && ", config, clips ? "" : " --clips synth/", whole,
             otherwise);
    memcpy(err->text, text, sizeof text);
    if (err->line == 0) {
        err->file[0] = '\0'; // the database itself, which is named already
    }
}

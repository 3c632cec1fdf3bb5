// Databases by the name of their config, and the message when one is missing.
#include "database.h"

#include "places.h"

#include <stdio.h>
#include <string.h>

enum { path_size = 1024 };

static am_build_def build_def(const char *path)
{
    am_build_def def = am_build_def_default();
    def.config_path = path;
    def.find_set = cli_find_set;
    return def;
}

bool cli_database_has_data(const char *config)
{
    char path[path_size];
    am_error err = { 0 };
    am_build_def def = build_def(path);
    return cli_config_find(path, sizeof path, CLI_DATABASE, config, &err) == AM_OK && am_build_has_clips(&def);
}

am_result cli_database_open(am_db **out, const char *config, const am_tasks *tasks, const am_progress *progress,
                            am_error *err)
{
    *out = NULL;
    char path[path_size];
    char home[path_size];
    char file[2 * path_size];
    am_result result = cli_config_find(path, sizeof path, CLI_DATABASE, config, err);
    if (result != AM_OK) {
        return result;
    }
    cli_cache_folder(home, sizeof home, "databases");
    if (!am_folder_make_all(home)) {
        return cli_error(err, AM_ERR_WRITE, home,
                         "cannot create this folder for databases; run from a folder that you can write to");
    }
    snprintf(file, sizeof file, "%s/%s.amdb", home, config);
    am_build_def def = build_def(path);
    def.tasks = tasks;
    def.progress = progress;
    return am_build_open(out, &def, file, err);
}

// ---------------------------------------------------------------------------------------------
// The command that makes a missing database

/// a/b/../../c -> c: as a user would write the path.
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
    snprintf(text, sizeof text,
             "the database '%.120s' was not found; make it with: %samble build %.80s%s -o %.120s%s", whole,
             clips ? "" : "amble synth all -o synth/ && ", config, clips ? "" : " --clips synth/", whole, otherwise);
    memcpy(err->text, text, sizeof text);
    if (err->line == 0) {
        err->file[0] = '\0'; // the database itself, which is named already
    }
}

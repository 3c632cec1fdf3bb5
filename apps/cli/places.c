// Finds what ships beside the command, and motion capture.
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The root of all other folders.
typedef struct tree {
    char path[1024];
    bool installed;
} tree;

bool cli_is_file(const char *path) { return am_path_look(NULL, path) == AM_PATH_FILE; }
static bool is_folder(const char *path) { return am_path_look(NULL, path) == AM_PATH_FOLDER; }

static bool has_folder(const char *root, const char *name)
{
    char path[1200];
    return snprintf(path, sizeof path, "%s/%s", root, name) < (int)sizeof path && is_folder(path);
}

/// The nearest folder above this program that is a prefix or a source tree: PREFIX/bin/amble,
/// SOURCE/build/PRESET/amble. Elsewhere, and under node, whose program is not ours, it is the working folder.
static tree find_tree(void)
{
    tree found = { 0 };
    am_program_path(found.path, sizeof found.path);
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(found.path, '/');
        if (!slash) {
            break;
        }
        *slash = '\0';
        found.installed = has_folder(found.path, "share/amble");
        if (found.installed || (has_folder(found.path, "configs") && has_folder(found.path, "models"))) {
            return found;
        }
    }
    return (tree){ .path = "." };
}

void cli_place_folder(char *out, size_t size, cli_place place)
{
    static const char *const source[] = { "configs", "models", "apps/studio/web", "build/wasm" };
    static const char *const installed[] = { "configs", "models", "web", "wasm" };
    const tree root = find_tree();
    snprintf(out, size, "%s/%s%s", root.path, root.installed ? "share/amble/" : "",
             root.installed ? installed[place] : source[place]);
}

bool cli_place_file(char *out, size_t size, cli_place place, const char *name)
{
    char folder[1200];
    cli_place_folder(folder, sizeof folder, place);
    const char *const folders[] = { strrchr(folder, '/') + 1, folder }; // "configs" of the working folder first
    for (int i = 0; i < 2; i++) {
        if (snprintf(out, size, "%s/%s", folders[i], name) < (int)size && cli_is_file(out)) {
            return true;
        }
    }
    return false;
}

bool cli_source_path(char *out, size_t size, const char *below)
{
    const tree root = find_tree();
    return !root.installed && snprintf(out, size, "%s/%s", root.path, below) < (int)size;
}

void cli_cache_folder(char *out, size_t size, const char *name)
{
    const tree root = find_tree();
    char cache[1024];
    if (!root.installed && !is_folder("build")) {
        snprintf(out, size, "%s/build/%s", root.path, name);
    } else if (root.installed && am_folder_cache(cache, sizeof cache)) {
        snprintf(out, size, "%s/amble/%s", cache, name);
    } else {
        snprintf(out, size, "build/%s", name);
    }
}

// ---------------------------------------------------------------------------------------------
// Configs by name

enum { most_names = 64 };

static const struct {
    const char *noun;
    const char *folder; ///< below configs/
} kinds[] = {
    [CLI_DATABASE] = { "database", "databases" },
    [CLI_RECIPE] = { "recipe", "recipes" },
    [CLI_RUN] = { "run", "runs" },
};

/// Names of the kind, without ending, in the order of the alphabet.
typedef struct names {
    char texts[most_names][64];
    const char *items[most_names];
    int count;
} names;

static void add_folder(names *n, const char *folder)
{
    am_folder_names found;
    am_folder_list(&found, folder);
    for (int i = 0; i < found.count && n->count < most_names; i++) {
        const char *name = found.items[i];
        int stem = (int)strlen(name) - 5;
        if (stem > 0 && stem < (int)sizeof n->texts[0] && strcmp(name + stem, ".json") == 0) {
            snprintf(n->texts[n->count], sizeof n->texts[0], "%.*s", stem, name);
            n->items[n->count] = n->texts[n->count];
            n->count++;
        }
    }
    am_folder_names_free(&found);
}

static am_result refuse(am_error *err, cli_config kind, const char *word)
{
    names n = { .count = 0 };
    char configs[1200], folder[1300];
    char list[360] = ""; // fits into the error's text
    cli_place_folder(configs, sizeof configs, CLI_CONFIGS);
    snprintf(folder, sizeof folder, "%s/%s", configs, kinds[kind].folder);
    add_folder(&n, folder);
    size_t used = 0;
    for (int i = 0; i < n.count && used < sizeof list; i++) {
        const bool last = used + strlen(n.items[i]) + sizeof ", ..." > sizeof list - 8;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", last ? "..." : n.items[i]);
        i = last ? n.count : i;
    }
    const char *near = am_nearest_name(word, n.items, n.count);
    return cli_error(err, AM_ERR_OPEN, NULL, "there is no %s config '%.60s'%s%s%s; %s%s", kinds[kind].noun, word,
                     near ? " (nearest: '" : "", near ? near : "", near ? "')" : "",
                     used ? "those that ship are " : "give the path of a file", list);
}

am_result cli_config_find(char *out, size_t size, cli_config kind, const char *word, am_error *err)
{
    if (cli_is_file(word) || cli_ends_with(word, ".json")) {
        snprintf(out, size, "%s", word);
        return AM_OK; // the reader reports a missing file
    }
    char name[256];
    snprintf(name, sizeof name, "%s/%.200s.json", kinds[kind].folder, word);
    return cli_place_file(out, size, CLI_CONFIGS, name) ? AM_OK : refuse(err, kind, word);
}

// ---------------------------------------------------------------------------------------------
// Networks

bool cli_model_find(char *out, size_t size, const char *name) { return cli_place_file(out, size, CLI_MODELS, name); }

/// "Indian dance" -> "indian_dance": as configs are named.
static void plain_name(char *out, size_t size, const char *name)
{
    size_t i = 0;
    for (; name && name[i] && i + 1 < size; i++) {
        char c = name[i];
        bool upper = c >= 'A' && c <= 'Z';
        bool plain = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        out[i] = upper ? (char)(c - 'A' + 'a') : plain ? c : '_';
    }
    out[i] = '\0';
}

am_result cli_direction_open(am_model **out, const char *database_name, am_error *err)
{
    char set[64];
    char name[128];
    char path[1024];
    *out = NULL;
    plain_name(set, sizeof set, database_name);
    snprintf(name, sizeof name, "direction_%s.amnet", set);
    if (!cli_model_find(path, sizeof path, name) && !cli_model_find(path, sizeof path, "direction.amnet")) {
        return AM_OK;
    }
    return am_model_open(out, path, NULL, err);
}

// ---------------------------------------------------------------------------------------------
// Motion capture

bool cli_data_find(char *out, size_t size, const char *set)
{
    static const char *const beside[] = { "build/data", "../shared/data", "../shared/data/cmu",
                                          "../shared/data/accad" };
    const char *only = getenv("AMBLE_DATA");
    only = only && only[0] ? only : NULL;
    if (snprintf(out, size, "%s/%s", only ? only : "build/data", set) < (int)size && is_folder(out)) {
        return true;
    }
    for (int i = 0; i < CLI_COUNT(beside) && !only; i++) {
        char below[512];
        if (snprintf(below, sizeof below, "%s/%s", beside[i], set) < (int)sizeof below &&
            cli_source_path(out, size, below) && is_folder(out)) {
            return true;
        }
    }
    return false;
}

bool cli_find_set(void *unused, const char *set, char *out, size_t size)
{
    (void)unused;
    return cli_data_find(out, size, set);
}

// Finds what ships beside the command.
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
bool cli_is_folder(const char *path) { return am_path_look(NULL, path) == AM_PATH_FOLDER; }

static bool has_folder(const char *root, const char *name)
{
    char path[1200];
    return snprintf(path, sizeof path, "%s/%s", root, name) < (int)sizeof path && cli_is_folder(path);
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
    if (!root.installed && !cli_is_folder("build")) {
        snprintf(out, size, "%s/build/%s", root.path, name);
    } else if (root.installed && am_folder_cache(cache, sizeof cache)) {
        snprintf(out, size, "%s/amble/%s", cache, name);
    } else {
        snprintf(out, size, "build/%s", name);
    }
}

bool cli_make_folder(const char *path)
{
    char part[1200];
    size_t size = strlen(path);
    for (size_t i = 1; i <= size && size < sizeof part; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (!am_folder_make(part)) {
                break;
            }
        }
    }
    return cli_is_folder(path);
}

// The search for the shared motion capture.
#include "data.h"

#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_data_find(char *out, size_t size, const char *set)
{
    static const char *const beside[] = { "build/data", "../shared/data", "../shared/data/cmu",
                                          "../shared/data/accad" };
    const char *only = getenv("AMBLE_DATA");
    only = only && only[0] ? only : NULL;
    if (snprintf(out, size, "%s/%s", only ? only : "build/data", set) < (int)size && cli_is_folder(out)) {
        return true;
    }
    for (int i = 0; i < CLI_COUNT(beside) && !only; i++) {
        char below[512];
        if (snprintf(below, sizeof below, "%s/%s", beside[i], set) < (int)sizeof below &&
            cli_source_path(out, size, below) && cli_is_folder(out)) {
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

static bool is_bvh(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".bvh") == 0;
}

static bool add_path(cli_files *files, const char *folder, const char *name)
{
    char **paths = realloc(files->paths, ((size_t)files->count + 1) * sizeof(char *));
    if (!paths) {
        return false;
    }
    files->paths = paths;
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path) {
        return false;
    }
    snprintf(path, size, "%s/%s", folder, name);
    paths[files->count++] = path;
    return true;
}

cli_files cli_files_list(const char *folder, int most)
{
    cli_files files = { NULL, 0 };
    am_folder_names names;
    am_folder_list(&names, folder);
    for (int i = 0; i < names.count; i++) {
        if (is_bvh(names.items[i]) && !add_path(&files, folder, names.items[i])) {
            break;
        }
    }
    am_folder_names_free(&names);
    if (files.count == 0) {
        return files;
    }
    int kept = most > 0 && most < files.count ? most : files.count;
    for (int i = 0; i < kept; i++) {
        // Swapped, not copied, so that every path is still freed once.
        int from = (int)((int64_t)i * files.count / kept);
        char *path = files.paths[from];
        files.paths[from] = files.paths[i];
        files.paths[i] = path;
    }
    for (int i = kept; i < files.count; i++) {
        free(files.paths[i]);
    }
    files.count = kept;
    return files;
}

void cli_files_free(cli_files *files)
{
    for (int i = 0; i < files->count; i++) {
        free(files->paths[i]);
    }
    free(files->paths);
    *files = (cli_files){ NULL, 0 };
}

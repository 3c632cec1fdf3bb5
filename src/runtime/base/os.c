// The parts of <amble/tools/os.h> that are the same on every system.
#include "base/os.h"

#include "base/error.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

bool am_path_beside(char *out, size_t size, const char *file, const char *name)
{
    const char *slash = am_path_is_absolute(name) ? NULL : strrchr(file, '/');
    const int used = snprintf(out, size, "%.*s%s", slash ? (int)(slash - file) + 1 : 0, file, name);
    return used >= 0 && (size_t)used < size;
}

bool am_path_relative(char *out, size_t size, const char *file, const char *path)
{
    char folder[4096], from[4096], to[4096];
    snprintf(out, size, "%s", path);
    if (!am_path_beside(folder, sizeof folder, file, ".") || !ami_os_whole_path(from, sizeof from, folder) ||
        !ami_os_whole_path(to, sizeof to, path)) {
        return false;
    }
    if (from[strlen(from) - 1] != '/') {
        strncat(from, "/", sizeof from - strlen(from) - 1);
    }
    size_t shared = 0; // up to here both are in the same folder
    for (size_t i = 0; from[i] && from[i] == to[i]; i++) {
        shared = from[i] == '/' ? i + 1 : shared;
    }
    char up[4096] = "";
    for (const char *at = from + shared; shared > 0 && (at = strchr(at, '/')) != NULL; at++) {
        strncat(up, "../", sizeof up - strlen(up) - 1);
    }
    const int used = snprintf(out, size, "%s%s", up, to + shared);
    return used >= 0 && (size_t)used < size;
}

typedef struct gathering {
    am_folder_names *names;
    int room;
} gathering;

static bool gather(void *user, const char *name)
{
    gathering *g = user;
    if (name[0] == '.') {
        return true;
    }
    if (g->names->count == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        char **more = realloc(g->names->items, (size_t)g->room * sizeof *more);
        if (!more) {
            return false;
        }
        g->names->items = more;
    }
    const size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy) {
        memcpy(copy, name, size);
        g->names->items[g->names->count++] = copy;
    }
    return copy != NULL;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

bool am_folder_list(am_folder_names *out, const char *folder)
{
    *out = (am_folder_names){ NULL, 0 };
    gathering g = { out, 0 };
    if (!ami_os_list(folder, gather, &g)) {
        am_folder_names_free(out);
        return false;
    }
    if (out->count > 0) {
        qsort(out->items, (size_t)out->count, sizeof *out->items, by_name);
    }
    return true;
}

void am_folder_names_free(am_folder_names *names)
{
    for (int i = 0; i < names->count; i++) {
        free(names->items[i]);
    }
    free(names->items);
    *names = (am_folder_names){ NULL, 0 };
}

bool am_folder_make_all(const char *path)
{
    char part[4096];
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
    return am_path_look(NULL, path) == AM_PATH_FOLDER;
}

bool am_program_beside(char *out, size_t size, const char *name)
{
    if (!am_program_path(out, size)) {
        return false;
    }
#if defined(_WIN32)
    const char *ending = ".exe";
#else
    const char *ending = "";
#endif
    char *slash = strrchr(out, '/');
    const size_t room = slash ? size - (size_t)(slash + 1 - out) : 0;
    const int used = slash ? snprintf(slash + 1, room, "%s%s", name, ending) : -1;
    return used > 0 && (size_t)used < room && am_path_look(NULL, out) == AM_PATH_FILE;
}

struct am_lock {
    ami_mutex mutex;
};

am_result am_lock_create(am_lock **out, am_error *err)
{
    *out = malloc(sizeof **out);
    if (!*out) {
        return ami_fail_memory(err, sizeof **out);
    }
    ami_mutex_init(&(*out)->mutex);
    return AM_OK;
}

void am_lock_destroy(am_lock *lock)
{
    if (lock) {
        ami_mutex_destroy(&lock->mutex);
        free(lock);
    }
}

void am_lock_take(am_lock *lock) { ami_mutex_lock(&lock->mutex); }
void am_lock_give(am_lock *lock) { ami_mutex_unlock(&lock->mutex); }

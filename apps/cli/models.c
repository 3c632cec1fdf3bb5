// The search for shipped networks.
#include "models.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 1024 };

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/// PREFIX/share/amble/models for a program in PREFIX/bin, so that an installed tree can be moved.
static bool installed_folder(char *out, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", out, size - 1);
    for (int up = 0; up < 2 && length > 0; up++) {
        out[length] = '\0';
        const char *slash = strrchr(out, '/');
        length = slash ? slash - out : 0;
    }
    if (length <= 0) {
        return false;
    }
    static const char below[] = "/share/amble/models";
    if ((size_t)length + sizeof below > size) {
        return false;
    }
    memcpy(out + length, below, sizeof below);
    return true;
}

bool cli_model_find(char *out, size_t size, const char *name)
{
    char installed[path_size];
    const char *folders[] = { "models", AMBLE_SOURCE_DIR "/models", NULL };
    folders[2] = installed_folder(installed, sizeof installed) ? installed : NULL;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (folders[i] && snprintf(out, size, "%s/%s", folders[i], name) < (int)size && is_file(out)) {
            return true;
        }
    }
    return false;
}

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
    char path[path_size];
    *out = NULL;
    plain_name(set, sizeof set, database_name);
    snprintf(name, sizeof name, "direction_%s.amnet", set);
    if (!cli_model_find(path, sizeof path, name) && !cli_model_find(path, sizeof path, "direction.amnet")) {
        return AM_OK;
    }
    return am_model_open(out, path, NULL, err);
}

// Finds the shipped networks.
#include "models.h"

#include "places.h"

#include <stdio.h>

bool cli_model_find(char *out, size_t size, const char *name) { return cli_place_file(out, size, CLI_MODELS, name); }

/// "Indian dance" -> "indian_dance": like the names of configs.
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

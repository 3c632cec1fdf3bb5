// Finds configs by name.
#include "configs.h"

#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_names = 64 };

static const struct {
    const char *noun;
    const char *folder; ///< below configs/
} kinds[] = {
    [CLI_DATABASE] = { "database", "databases" },
    [CLI_RECIPE] = { "recipe", "recipes" },
    [CLI_RUN] = { "run", "runs" },
};

/// Names of the kind, without extension, in alphabetical order.
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
    char list[700] = "";
    cli_place_folder(configs, sizeof configs, CLI_CONFIGS);
    snprintf(folder, sizeof folder, "%s/%s", configs, kinds[kind].folder);
    add_folder(&n, folder);
    size_t used = 0;
    for (int i = 0; i < n.count && used + sizeof n.texts[0] + 2 < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", n.items[i]);
    }
    const char *near = am_nearest_name(word, n.items, n.count);
    *err = cli_error(AM_ERR_OPEN, NULL, "there is no %s config '%.60s'%s%s%s; %s%s", kinds[kind].noun, word,
                     near ? " (nearest: '" : "", near ? near : "", near ? "')" : "",
                     used ? "those that ship are " : "give the path of a file", list);
    return err->code;
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

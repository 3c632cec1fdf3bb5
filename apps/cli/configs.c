// Finds configs by name.
#include "configs.h"

#include "places.h"

#include <dirent.h>
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

/// Names of the kind, without ending, in the order of the alphabet.
typedef struct names {
    char texts[most_names][64];
    const char *items[most_names];
    int count;
} names;

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static void add_folder(names *n, const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && n->count < most_names; entry = readdir(dir)) {
        int stem = (int)strlen(entry->d_name) - 5;
        if (stem > 0 && stem < (int)sizeof n->texts[0] && strcmp(entry->d_name + stem, ".json") == 0) {
            snprintf(n->texts[n->count], sizeof n->texts[0], "%.*s", stem, entry->d_name);
            n->items[n->count] = n->texts[n->count];
            n->count++;
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static am_result refuse(am_error *err, cli_config kind, const char *word)
{
    names n = { .count = 0 };
    char configs[1200], folder[1300];
    char list[700] = "";
    cli_place_folder(configs, sizeof configs, CLI_CONFIGS);
    snprintf(folder, sizeof folder, "%s/%s", configs, kinds[kind].folder);
    add_folder(&n, folder);
    qsort(n.items, (size_t)n.count, sizeof n.items[0], by_text);
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

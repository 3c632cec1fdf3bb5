// Which files a build reads: sets below the data root and folders beside the config, filtered by patterns.
#include "build/build_internal.h"

#include "base/error.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>

static bool fits_any(const ami_words *patterns, const char *name)
{
    for (int i = 0; i < patterns->count; i++) {
        if (ami_pattern_fits(patterns->items[i], name)) {
            return true;
        }
    }
    return false;
}

static bool wanted(const ami_building *b, const char *stem)
{
    if (b->def->clips_dir) {
        return true;
    }
    const ami_build_config *c = &b->config;
    return (c->include.count == 0 || fits_any(&c->include, stem)) && !fits_any(&c->exclude, stem);
}

/// Adds the files of a folder, except those that the config leaves out.
static am_result list_folder(ami_building *b, const char *folder)
{
    am_import *import = &b->import;
    int kept = import->count;
    am_result result = am_import_add_folder(import, folder, 0, b->err);
    for (int i = kept; i < import->count && result == AM_OK; i++) {
        if (wanted(b, import->clips[i].name)) {
            import->clips[kept++] = import->clips[i];
        } else {
            result = ami_building_note(b, import->clips[i].name, -1, -1, "excluded by the config");
        }
    }
    import->count = kept;
    return result;
}

static bool find_set(const ami_building *b, const char *set, char *out, size_t size)
{
    return b->def->find_set && b->def->find_set(b->def->find_set_user, set, out, size);
}

static am_result list_sets(ami_building *b)
{
    const ami_build_config *c = &b->config;
    for (int i = 0; i < c->sets.count; i++) {
        char folder[1024];
        if (!find_set(b, c->sets.items[i], folder, sizeof folder)) {
            return ami_fail(
                b->err, AM_ERR_OPEN,
                "the set '%s' was not found; unpack it, set AMBLE_DATA to the folder that holds it, or give "
                "--clips DIR",
                c->sets.items[i]);
        }
        am_result result = list_folder(b, folder);
        if (result != AM_OK) {
            return result;
        }
    }
    for (int i = 0; i < c->folders.count; i++) {
        char folder[1024];
        if (!am_path_beside(folder, sizeof folder, b->def->config_path, c->folders.items[i])) {
            return ami_fail(b->err, AM_ERR_LIMIT, "the path of folder '%s' is too long", c->folders.items[i]);
        }
        am_result result = list_folder(b, folder);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

/// Finds the reference clip; one outside the listed clips is added as hidden.
static am_result choose_reference(ami_building *b)
{
    const char *name = b->def->clips_dir ? NULL : b->config.reference;
    b->reference = 0;
    if (!name) {
        return AM_OK;
    }
    const char *slash = strrchr(name, '/');
    const char *stem = slash ? slash + 1 : name;
    for (int i = 0; i < b->import.count; i++) {
        if (strcmp(b->import.clips[i].name, stem) == 0) {
            b->reference = i;
            return AM_OK;
        }
    }
    char set[256];
    char folder[900];
    int used = slash ? snprintf(set, sizeof set, "%.*s", (int)(slash - name), name) : -1;
    if (used > 0 && (size_t)used < sizeof set && find_set(b, set, folder, sizeof folder)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%.100s.bvh", folder, stem);
        b->reference = b->import.count;
        b->hidden = true;
        return am_import_add_file(&b->import, path, b->err);
    }
    return ami_fail(b->err, AM_ERR_KEY,
                    "the reference clip '%s' is not among the clips; name one of them, or SET/CLIP", name);
}

am_result ami_build_list(ami_building *b)
{
    am_result result = b->def->clips_dir ? list_folder(b, b->def->clips_dir) : list_sets(b);
    if (result != AM_OK) {
        return result;
    }
    if (b->import.count == 0) {
        return ami_fail(b->err, AM_ERR_EMPTY,
                        "no motion files (" AM_MOTION_EXTENSIONS
                        ") found; check \"clips\" in the config, or --clips");
    }
    return choose_reference(b);
}

// Which files a build reads: sets below the data root and folders beside the config, filtered by patterns, in byte
// order of their names so that every machine sees the same order.
#include "build/build_internal.h"

#include "base/error.h"
#include "base/os.h"

#include <stdio.h>
#include <string.h>

// A folder with more files than this is the wrong folder.
#define MAX_SOURCES 100000

static bool is_motion(const char *name)
{
    static const char *const ends[] = { ".bvh", ".glb", ".gltf", ".fbx", ".dae", ".npz" };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++) {
        size_t n = 0;
        while (dot[n] && ends[i][n] && (dot[n] | 0x20) == (ends[i][n] | 0x20)) {
            n++;
        }
        if (!dot[n] && !ends[i][n]) {
            return true;
        }
    }
    return false;
}

static bool fits_any(const ami_words *patterns, const char *name)
{
    for (int i = 0; i < patterns->count; i++) {
        if (ami_pattern_fits(patterns->items[i], name)) {
            return true;
        }
    }
    return false;
}

static bool wanted(const ami_build *b, const char *stem)
{
    if (b->def->clips_dir) {
        return true;
    }
    const ami_build_config *c = &b->config;
    return (c->include.count == 0 || fits_any(&c->include, stem)) && !fits_any(&c->exclude, stem);
}

static void stem_of(char *out, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s", (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name)), name);
}

static am_result grow(ami_build *b)
{
    if (b->source_count < b->source_room) {
        return AM_OK;
    }
    if (b->source_count >= MAX_SOURCES) {
        return ami_fail(b->err, AM_ERR_LIMIT, "more than %d motion files; is this the right folder?", MAX_SOURCES);
    }
    int room = b->source_room ? 2 * b->source_room : 64;
    ami_build_file *larger = ami_alloc_array(&b->alloc, (size_t)room, sizeof *larger);
    if (!larger) {
        return ami_fail_memory(b->err, (size_t)room * sizeof *larger);
    }
    if (b->sources) {
        memcpy(larger, b->sources, (size_t)b->source_count * sizeof *larger);
        ami_release(&b->alloc, b->sources, (size_t)b->source_room * sizeof *larger);
    }
    b->sources = larger;
    b->source_room = room;
    return AM_OK;
}

static am_result add(ami_build *b, const char *path, bool hidden)
{
    am_result result = grow(b);
    if (result != AM_OK) {
        return result;
    }
    ami_build_file *source = &b->sources[b->source_count++];
    snprintf(source->path, sizeof source->path, "%s", path);
    stem_of(source->name, sizeof source->name, path);
    source->hidden = hidden;
    return AM_OK;
}

/// Sorts sources from `first` on by path; paths are unique, so the order is total.
static void sort_sources(ami_build *b, int first)
{
    // Shell sort: a folder comes nearly sorted, and qsort is not promised to be the same everywhere.
    int count = b->source_count - first;
    ami_build_file *s = b->sources + first;
    for (int gap = count / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < count; i++) {
            for (int j = i - gap; j >= 0 && strcmp(s[j].path, s[j + gap].path) > 0; j -= gap) {
                ami_build_file t = s[j];
                s[j] = s[j + gap];
                s[j + gap] = t;
            }
        }
    }
}

/// Takes out sources from `first` on that the config does not want.
static am_result filter(ami_build *b, int first)
{
    int kept = first;
    for (int i = first; i < b->source_count; i++) {
        if (wanted(b, b->sources[i].name)) {
            b->sources[kept++] = b->sources[i];
            continue;
        }
        am_result result = ami_build_note(b, b->sources[i].name, -1, -1, "excluded by the config");
        if (result != AM_OK) {
            return result;
        }
    }
    b->source_count = kept;
    return AM_OK;
}

static am_result list_folder(ami_build *b, const char *folder)
{
    am_folder_names names;
    if (!am_folder_list(&names, folder)) {
        return ami_fail(b->err, AM_ERR_OPEN, "cannot open the folder '%s'; does it exist?", folder);
    }
    int first = b->source_count;
    am_result result = AM_OK;
    for (int i = 0; i < names.count && result == AM_OK; i++) {
        char path[1024];
        if (!is_motion(names.items[i])) {
            continue;
        }
        int used = snprintf(path, sizeof path, "%s/%s", folder, names.items[i]);
        if (used < 0 || (size_t)used >= sizeof path) {
            result = ami_fail(b->err, AM_ERR_LIMIT, "a path in '%s' is longer than %d bytes", folder,
                              (int)sizeof path - 1);
        } else if (am_path_look(NULL, path) != AM_PATH_FOLDER) {
            result = add(b, path, false);
        }
    }
    am_folder_names_free(&names);
    if (result == AM_OK) {
        sort_sources(b, first);
        result = filter(b, first);
    }
    return result;
}

static bool find_set(const ami_build *b, const char *set, char *out, size_t size)
{
    return b->def->find_set && b->def->find_set(b->def->find_set_user, set, out, size);
}

static am_result list_sets(ami_build *b)
{
    const ami_build_config *c = &b->config;
    for (int i = 0; i < c->sets.count; i++) {
        char folder[1024];
        if (!find_set(b, c->sets.items[i], folder, sizeof folder)) {
            return ami_fail(
                b->err, AM_ERR_OPEN,
                "the set '%s' is not here; unpack it, set AMBLE_DATA to the folder that holds it, or give "
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
        if (!ami_path_beside(folder, sizeof folder, b->def->config_path, c->folders.items[i])) {
            return ami_fail(b->err, AM_ERR_LIMIT, "the path of folder '%s' is too long", c->folders.items[i]);
        }
        am_result result = list_folder(b, folder);
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

/// Finds the source that lends its skeleton; one outside the listed clips is added as hidden.
static am_result choose_reference(ami_build *b)
{
    const char *name = b->def->clips_dir ? NULL : b->config.reference;
    b->reference = 0;
    if (!name) {
        return AM_OK;
    }
    const char *slash = strrchr(name, '/');
    const char *stem = slash ? slash + 1 : name;
    for (int i = 0; i < b->source_count; i++) {
        if (strcmp(b->sources[i].name, stem) == 0) {
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
        b->reference = b->source_count;
        return add(b, path, true);
    }
    return ami_fail(b->err, AM_ERR_KEY,
                    "the reference clip '%s' is not among the clips; name one of them, or SET/CLIP", name);
}

am_result ami_build_list(ami_build *b)
{
    am_result result = b->def->clips_dir ? list_folder(b, b->def->clips_dir) : list_sets(b);
    if (result != AM_OK) {
        return result;
    }
    if (b->source_count == 0) {
        return ami_fail(
            b->err, AM_ERR_EMPTY,
            "no motion files (.bvh .glb .gltf .fbx .dae .npz) found; look at \"clips\" in the config or at "
            "--clips");
    }
    return choose_reference(b);
}

// Build configs: JSON with comments; unknown keys are errors that name the nearest known one.
#include "build/build_config.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "data/features.h"
#include <amble/tools/schema.h>

#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

bool ami_pattern_fits(const char *pattern, const char *text)
{
    const char *star = NULL;
    const char *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1; // let the last star match one more character
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

static am_result read_words(ami_build_config *c, const am_json *object, const char *key, ami_words *out,
                            am_error *err)
{
    const am_json *list = am_json_get(object, key);
    if (!list) {
        return AM_OK;
    }
    if (list->type != AM_JSON_ARRAY) {
        return am_json_fail(c->doc, list, AM_ERR_TYPE, err, "'%s' must be a list of names, e.g. [\"walk_*\"]", key);
    }
    out->items = ami_alloc_array(&c->alloc, (size_t)list->count, sizeof(char *));
    if (!out->items) {
        return ami_fail_memory(err, (size_t)list->count * sizeof(char *));
    }
    out->count = list->count;
    int i = 0;
    for (const am_json *item = list->first; item; item = item->next) {
        if (item->type != AM_JSON_STRING || item->string[0] == '\0') {
            return am_json_fail(c->doc, item, AM_ERR_TYPE, err, "'%s' must hold only names", key);
        }
        out->items[i++] = item->string;
    }
    return AM_OK;
}

static am_result read_cuts(ami_build_config *c, const am_json *object, am_error *err)
{
    static const char *const keys[] = { "clip", "first", "last", "why" };
    const am_json *list = am_json_get(object, "cut");
    if (!list) {
        return AM_OK;
    }
    if (list->type != AM_JSON_ARRAY) {
        return am_json_fail(c->doc, list, AM_ERR_TYPE, err,
                            "'cut' must be a list, e.g. [{\"clip\": \"35_22\", \"first\": 77, \"last\": -1}]");
    }
    c->cuts = ami_alloc_array(&c->alloc, (size_t)list->count, sizeof *c->cuts);
    if (!c->cuts) {
        return ami_fail_memory(err, (size_t)list->count * sizeof *c->cuts);
    }
    c->cut_count = list->count;
    ami_build_cut *cut = c->cuts;
    for (const am_json *item = list->first; item; item = item->next, cut++) {
        const char *why = NULL;
        cut->last = -1;
        am_result result = am_json_only(c->doc, item, keys, COUNT(keys), err);
        result = result == AM_OK ? am_json_read_string(c->doc, item, "clip", true, &cut->clip, err) : result;
        result = result == AM_OK ? am_json_read_string(c->doc, item, "why", false, &why, err) : result;
        result = result == AM_OK
                     ? am_json_read_int(c->doc, item, "first", true, &cut->first, -AM_MAX_FRAMES, AM_MAX_FRAMES, err)
                     : result;
        result = result == AM_OK ? am_json_read_int(c->doc, item, "last", false, &cut->last, -1, AM_MAX_FRAMES, err)
                                 : result;
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

/// "deg_per_s" of a bend.
static am_result read_rates(ami_build_config *c, const am_json *item, ami_build_bend *bend, am_error *err)
{
    const am_json *list = am_json_get(item, "deg_per_s");
    if (!list || list->type != AM_JSON_ARRAY || list->count < 1 || list->count > AMI_MAX_BENDS) {
        return am_json_fail(c->doc, list ? list : item, AM_ERR_TYPE, err,
                            "'deg_per_s' must be a list of 1 to %d numbers, e.g. [-90, -45, 45, 90]", AMI_MAX_BENDS);
    }
    for (const am_json *rate = list->first; rate; rate = rate->next) {
        if (rate->type != AM_JSON_NUMBER || !(fabs(rate->number) >= 1.0) || !(fabs(rate->number) <= 360.0)) {
            return am_json_fail(c->doc, rate, AM_ERR_RANGE, err,
                                "'deg_per_s' must hold numbers of 1 to 360, negative ones to the right");
        }
        bend->rate[bend->rate_count++] = (float)rate->number * AM_DEG;
    }
    return AM_OK;
}

static am_result read_bends(ami_build_config *c, const am_json *root, am_error *err)
{
    static const char *const keys[] = { "clips", "deg_per_s" };
    const am_json *list = am_json_get(root, "bend");
    if (!list) {
        return AM_OK;
    }
    c->bend_loops = false;
    if (list->type != AM_JSON_ARRAY) {
        return am_json_fail(c->doc, list, AM_ERR_TYPE, err,
                            "'bend' must be a list, e.g. [{\"clips\": [\"walk_*\"], \"deg_per_s\": [-90, 90]}]");
    }
    c->bends = ami_alloc_array(&c->alloc, (size_t)list->count, sizeof *c->bends);
    if (!c->bends) {
        return ami_fail_memory(err, (size_t)list->count * sizeof *c->bends);
    }
    c->bend_count = list->count;
    memset(c->bends, 0, (size_t)list->count * sizeof *c->bends);
    am_result result = AM_OK;
    ami_build_bend *bend = c->bends;
    for (const am_json *item = list->first; item && result == AM_OK; item = item->next, bend++) {
        result = am_json_only(c->doc, item, keys, COUNT(keys), err);
        result = result == AM_OK ? read_words(c, item, "clips", &bend->clips, err) : result;
        result = result == AM_OK ? read_rates(c, item, bend, err) : result;
    }
    return result;
}

static am_result read_clips(ami_build_config *c, const am_json *root, am_error *err)
{
    static const char *const keys[] = { "sets", "folders", "include", "exclude", "trust", "cut" };
    const am_json *clips = am_json_get(root, "clips");
    if (!clips) {
        return AM_OK; // a config for --clips needs none
    }
    am_result result = am_json_only(c->doc, clips, keys, COUNT(keys), err);
    result = result == AM_OK ? read_words(c, clips, "sets", &c->sets, err) : result;
    result = result == AM_OK ? read_words(c, clips, "folders", &c->folders, err) : result;
    result = result == AM_OK ? read_words(c, clips, "include", &c->include, err) : result;
    result = result == AM_OK ? read_words(c, clips, "exclude", &c->exclude, err) : result;
    result = result == AM_OK ? read_words(c, clips, "trust", &c->trust, err) : result;
    return result == AM_OK ? read_cuts(c, clips, err) : result;
}

static am_result read_sides(ami_build_config *c, const am_json *root, am_error *err)
{
    const am_json *object = am_json_get(root, "custom");
    if (!object) {
        return AM_OK;
    }
    if (object->type != AM_JSON_OBJECT || object->count > AMI_MAX_SIDES) {
        return am_json_fail(c->doc, object, AM_ERR_TYPE, err,
                            "'custom' must name a CSV file for each custom channel, at most %d", AMI_MAX_SIDES);
    }
    for (const am_json *item = object->first; item; item = item->next) {
        if (item->type != AM_JSON_STRING) {
            return am_json_fail(c->doc, item, AM_ERR_TYPE, err, "the side file of '%s' must be a path", item->key);
        }
        int channel = am_schema_find(&c->schema, item->key);
        if (channel < 0 || c->schema.channels[channel].kind != AM_FEATURE_CUSTOM) {
            return am_json_fail(c->doc, item, AM_ERR_KEY, err, "the schema has no custom channel called '%s'",
                                item->key);
        }
        c->sides[c->side_count++] = (ami_build_side){ item->key, item->string };
    }
    return AM_OK;
}

static am_result read_root_track(ami_build_config *c, const am_json *root, am_error *err)
{
    static const char *const keys[] = { "position_seconds", "facing_seconds", "of" };
    static const char *const bodies[] = { "body", "pelvis" };
    int pelvis = 0;
    const am_json *o = am_json_get(root, "root");
    if (!o) {
        return AM_OK;
    }
    am_result result = am_json_only(c->doc, o, keys, COUNT(keys), err);
    result = result == AM_OK
                 ? am_json_read_float(c->doc, o, keys[0], false, &c->root.position_seconds, 0.0f, 5.0f, err)
                 : result;
    result = result == AM_OK ? am_json_read_float(c->doc, o, keys[1], false, &c->root.facing_seconds, 0.0f, 5.0f, err)
                             : result;
    result = result == AM_OK ? am_json_read_choice(c->doc, o, keys[2], false, &pelvis, bodies, 2, err) : result;
    c->root.pelvis = pelvis == 1;
    return result;
}

static am_result read_contacts(ami_build_config *c, const am_json *root, am_error *err)
{
    static const char *const keys[] = { "speed_on_mps", "speed_off_mps", "height_on_m", "height_off_m",
                                        "median_seconds" };
    const am_json *o = am_json_get(root, "contacts");
    if (!o) {
        return AM_OK;
    }
    float *values[] = { &c->contacts.speed_on_mps, &c->contacts.speed_off_mps, &c->contacts.height_on_m,
                        &c->contacts.height_off_m, &c->contacts.median_seconds };
    am_result result = am_json_only(c->doc, o, keys, COUNT(keys), err);
    for (int i = 0; i < COUNT(keys) && result == AM_OK; i++) {
        result = am_json_read_float(c->doc, o, keys[i], false, values[i], 0.0f, 1000.0f, err);
    }
    return result;
}

static am_result read_doctor(ami_build_config *c, const am_json *root, am_error *err)
{
    static const char *const keys[] = { "cut", "bridge", "faults",     "min_seconds", "unit_m", "fps",
                                        "up",  "facing", "duplicates", "in_place",    "loops" };
    const am_json *o = am_json_get(root, "doctor");
    if (!o) {
        return AM_OK;
    }
    am_json_doc *doc = c->doc;
    am_result result = am_json_only(doc, o, keys, COUNT(keys), err);
    result = result == AM_OK ? am_json_read_bool(doc, o, "cut", false, &c->clean.cut, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, o, "bridge", false, &c->clean.bridge, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, o, "faults", false, &c->doctor.faults, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, o, "duplicates", false, &c->duplicates, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, o, "in_place", false, &c->doctor.in_place, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, o, "loops", false, &c->doctor.loops, err) : result;
    result = result == AM_OK
                 ? am_json_read_float(doc, o, "min_seconds", false, &c->clean.min_seconds, 0.0f, 1e4f, err)
                 : result;
    result =
        result == AM_OK ? am_json_read_float(doc, o, "unit_m", false, &c->doctor.unit_m, 1e-6f, 1e6f, err) : result;
    result = result == AM_OK ? am_json_read_float(doc, o, "fps", false, &c->doctor.fps, 1.0f, 10000.0f, err) : result;
    result = result == AM_OK ? am_json_read_string(doc, o, "up", false, &c->doctor.up, err) : result;
    return result == AM_OK ? am_json_read_string(doc, o, "facing", false, &c->doctor.facing, err) : result;
}

static am_result read_schema(ami_build_config *c, const am_json *root, const char *path, am_error *err)
{
    const am_json *features = am_json_get(root, "features");
    if (!features) {
        return am_json_fail(
            c->doc, root, AM_ERR_KEY, err,
            "'features' is missing; give a schema or the path of one (configs/databases/locomotion.json has one)");
    }
    if (features->type != AM_JSON_STRING) {
        return am_schema_parse(&c->schema, c->doc, features, err);
    }
    char file[1024];
    if (!am_path_beside(file, sizeof file, path, features->string)) {
        return am_json_fail(c->doc, features, AM_ERR_RANGE, err, "the schema's path is too long");
    }
    am_result result = am_json_parse_file(&c->schema_doc, file, &c->alloc, err);
    return result == AM_OK ? am_schema_parse(&c->schema, c->schema_doc, am_json_root(c->schema_doc), err) : result;
}

static am_result read_scalars(ami_build_config *c, const am_json *root, am_error *err)
{
    static const char *const floors[] = { "clip", "none" };
    static const char *const precisions[] = { "float", "compact" };
    int floor_mode = (int)c->floor;
    int precision = (int)c->precision;
    am_json_doc *doc = c->doc;
    am_result result = am_json_read_string(doc, root, "name", false, &c->name, err);
    result = result == AM_OK ? am_json_read_string(doc, root, "tags", false, &c->tags, err) : result;
    result = result == AM_OK ? am_json_read_string(doc, root, "reference", false, &c->reference, err) : result;
    result = result == AM_OK ? am_json_read_float(doc, root, "fps", false, &c->fps, 0.0f, 1000.0f, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, root, "mirror", false, &c->mirror, err) : result;
    result = result == AM_OK ? am_json_read_bool(doc, root, "retarget", false, &c->retarget, err) : result;
    result = result == AM_OK ? am_json_read_choice(doc, root, "floor", false, &floor_mode, floors, 2, err) : result;
    result =
        result == AM_OK ? am_json_read_float(doc, root, "floor_m", false, &c->floor_m, -10.0f, 10.0f, err) : result;
    result = result == AM_OK
                 ? am_json_read_float(doc, root, "ignore_start_s", false, &c->ignore_start_s, 0.0f, 100.0f, err)
                 : result;
    result = result == AM_OK
                 ? am_json_read_float(doc, root, "ignore_end_s", false, &c->ignore_end_s, 0.0f, 100.0f, err)
                 : result;
    result =
        result == AM_OK ? am_json_read_choice(doc, root, "precision", false, &precision, precisions, 2, err) : result;
    c->floor = (ami_floor_mode)floor_mode;
    c->precision = (am_precision)precision;
    return result;
}

static void set_defaults(ami_build_config *c, const am_alloc *alloc)
{
    memset(c, 0, sizeof *c);
    c->alloc = ami_alloc_or_default(alloc);
    c->name = "";
    c->fps = 60.0f;
    c->retarget = true;
    c->floor_m = am_retarget_def_default().reference_floor_m;
    c->bend_loops = true;
    c->root = am_root_def_default();
    c->contacts = am_contact_def_default();
    c->ignore_end_s =
        20.0f / 60.0f; // LMM appendix A keeps the search away from ends; 20 frames are usual in the field
    c->doctor = am_doctor_def_default();
    c->clean = am_clean_def_default();
    c->duplicates = true;
}

am_result ami_build_config_parse(ami_build_config *c, const char *text, size_t size, const char *path,
                                 const am_alloc *alloc, am_error *err)
{
    static const char *const keys[] = { "name",      "clips",     "tags",     "custom",         "fps",
                                        "mirror",    "reference", "retarget", "floor",          "floor_m",
                                        "root",      "contacts",  "features", "ignore_start_s", "ignore_end_s",
                                        "precision", "doctor",    "bend" };
    set_defaults(c, alloc);
    am_result result = am_json_parse(&c->doc, text, size, path, &c->alloc, err);
    if (result == AM_OK) {
        const am_json *root = am_json_root(c->doc);
        result = am_json_only(c->doc, root, keys, COUNT(keys), err);
        result = result == AM_OK ? read_scalars(c, root, err) : result;
        if (result == AM_OK && c->floor == AMI_FLOOR_NONE && c->retarget) {
            result =
                am_json_fail(c->doc, am_json_get(root, "floor"), AM_ERR_RANGE, err,
                             "a floor of \"none\" needs \"retarget\": false; retargeting puts feet on one floor");
        }
        result = result == AM_OK ? read_clips(c, root, err) : result;
        result = result == AM_OK ? read_bends(c, root, err) : result;
        result = result == AM_OK ? read_root_track(c, root, err) : result;
        result = result == AM_OK ? read_contacts(c, root, err) : result;
        result = result == AM_OK ? read_doctor(c, root, err) : result;
        result = result == AM_OK ? read_schema(c, root, path, err) : result;
        result = result == AM_OK ? read_sides(c, root, err) : result;
    }
    if (result != AM_OK) {
        ami_build_config_free(c);
    }
    return result;
}

static void free_words(const am_alloc *alloc, ami_words *words)
{
    ami_release(alloc, words->items, (size_t)words->count * sizeof(char *));
}

void ami_build_config_free(ami_build_config *c)
{
    free_words(&c->alloc, &c->sets);
    free_words(&c->alloc, &c->folders);
    free_words(&c->alloc, &c->include);
    free_words(&c->alloc, &c->exclude);
    free_words(&c->alloc, &c->trust);
    ami_release(&c->alloc, c->cuts, (size_t)c->cut_count * sizeof *c->cuts);
    for (int i = 0; i < c->bend_count; i++) {
        free_words(&c->alloc, &c->bends[i].clips);
    }
    ami_release(&c->alloc, c->bends, (size_t)c->bend_count * sizeof *c->bends);
    am_json_free(c->doc);
    am_json_free(c->schema_doc);
    memset(c, 0, sizeof *c);
}

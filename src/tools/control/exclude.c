// "exclude" of training controls: clips, and stretches of clips, that people took out when they looked at the data.
#include "control/exclude.h"

#include "base/error.h"
#include "base/memory.h"
#include "build/build_config.h"

#include <stdio.h>
#include <string.h>

enum { key_count = 4, name_size = sizeof(((am_db_range *)0)->name) };

/// The name without the marks of a mirrored copy and of a piece: "16_06-a_m" is of clip "16_06".
static void clip_of(char out[name_size], const am_db_range *range, bool piece)
{
    snprintf(out, name_size, "%s", range->name);
    size_t size = strlen(out);
    if ((range->flags & AM_RANGE_MIRRORED) && size > 2 && strcmp(out + size - 2, "_m") == 0) {
        out[size -= 2] = '\0';
    }
    if (!piece && size > 2 && out[size - 2] == '-' && out[size - 1] >= 'a' && out[size - 1] <= 'z') {
        out[size - 2] = '\0';
    }
}

/// A pattern names a range, its clip, or its piece of a clip; then also their mirror images.
static bool is_meant(const char *pattern, const am_db_range *range)
{
    char piece[name_size], clip[name_size];
    clip_of(piece, range, true);
    clip_of(clip, range, false);
    return ami_pattern_fits(pattern, range->name) || ami_pattern_fits(pattern, piece) ||
           ami_pattern_fits(pattern, clip);
}

static am_result fail_clip(const am_json_doc *doc, const am_json *at, const am_db *db, const char *pattern,
                           am_error *err)
{
    am_alloc alloc = ami_alloc_or_default(NULL);
    const char **names = ami_alloc_array(&alloc, (size_t)db->range_count, sizeof *names);
    for (int i = 0; i < db->range_count && names; i++) {
        names[i] = db->ranges[i].name;
    }
    const char *near = names ? am_nearest_name(pattern, names, db->range_count) : NULL;
    ami_release(&alloc, names, (size_t)db->range_count * sizeof *names);
    return am_json_fail(doc, at, AM_ERR_KEY, err, "database '%s' has no clip '%.60s'%s%s%s", db->name, pattern,
                        near ? "; did you mean '" : "; amble info --samples names clips", near ? near : "",
                        near ? "'?" : "");
}

/// Frames first .. last of the source clip; last -1 is its end.
static void mark_range(bool *excluded, const am_db *db, const am_db_range *range, int first, int last)
{
    for (int f = range->start; f < range->stop; f++) {
        int source = ami_source_frame(db, range, f);
        excluded[f] |= source >= first && (last < 0 || source <= last);
    }
}

static am_result read_item(bool *excluded, const am_json_doc *doc, const am_json *item, const am_db *db,
                           am_error *err)
{
    static const char *const keys[key_count] = { "clip", "first", "last", "why" };
    const char *pattern = item->string, *why = NULL;
    int first = 0, last = -1;
    am_result result = AM_OK;
    if (item->type != AM_JSON_STRING) {
        result = am_json_only(doc, item, keys, key_count, err);
        result = result == AM_OK ? am_json_read_string(doc, item, "clip", true, &pattern, err) : result;
        result = result == AM_OK ? am_json_read_int(doc, item, "first", false, &first, 0, 1 << 26, err) : result;
        result = result == AM_OK ? am_json_read_int(doc, item, "last", false, &last, -1, 1 << 26, err) : result;
        result = result == AM_OK ? am_json_read_string(doc, item, "why", false, &why, err) : result;
    }
    if (result != AM_OK) {
        return result;
    }
    if (last >= 0 && last < first) {
        return am_json_fail(doc, item, AM_ERR_RANGE, err, "\"last\" (%d) is before \"first\" (%d)", last, first);
    }
    bool any = false;
    for (int i = 0; i < db->range_count; i++) {
        if (is_meant(pattern, &db->ranges[i])) {
            mark_range(excluded, db, &db->ranges[i], first, last);
            any = true;
        }
    }
    return any ? AM_OK : fail_clip(doc, item, db, pattern, err);
}

int ami_source_frame(const am_db *db, const am_db_range *range, int frame)
{
    float rate = range->source_fps > 0.0f ? range->source_fps / db->fps : 1.0f;
    return range->source_first + (int)((float)(frame - range->start) * rate + 0.5f);
}

am_result ami_exclude_read(bool *excluded, const am_json_doc *doc, const am_json *list, const am_db *db,
                           am_error *err)
{
    if (list->type != AM_JSON_ARRAY) {
        return am_json_fail(
            doc, list, AM_ERR_TYPE, err,
            "\"exclude\" should be a list of clips, as in [\"16_06\", {\"clip\": \"35_22\", \"first\": 77}]");
    }
    am_result result = AM_OK;
    for (const am_json *item = list->first; item && result == AM_OK; item = item->next) {
        result = read_item(excluded, doc, item, db, err);
    }
    return result;
}

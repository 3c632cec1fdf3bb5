// Sets of frames, and "frames" and "where" of training controls.
#include "control/frames.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/tags.h"

#include <stdio.h>

size_t ami_frames_words(const ami_motion *m) { return ((size_t)m->db->frame_count + 63) / 64; }

void ami_frames_free(const ami_motion *m, ami_frames *set)
{
    if (set->words) {
        ami_release(&m->alloc, set->words, ami_frames_words(m) * sizeof *set->words);
        set->words = NULL;
    }
}

am_result ami_frames_make(const ami_motion *m, ami_frames *set, am_error *err)
{
    size_t words = ami_frames_words(m);
    set->words = ami_alloc_array(&m->alloc, words, sizeof *set->words);
    return set->words ? AM_OK : ami_fail_memory(err, words * sizeof *set->words);
}

static void add_frame(ami_frames *set, int frame) { set->words[frame / 64] |= (uint64_t)1 << (frame % 64); }

int ami_frames_count(const ami_motion *m, const ami_frames *set)
{
    int count = 0;
    for (int f = 0; f < m->db->frame_count; f++) {
        count += ami_frames_have(set, f);
    }
    return count;
}

/// What a filter says while it is read.
typedef struct filter {
    ami_tag_query query;
    ami_expr *where;
    const char *text;
} filter;

static am_result read_query(const ami_motion *m, filter *out, const am_json_doc *doc, const am_json *object,
                            am_error *err)
{
    const char *text = "";
    am_result result = am_json_read_string(doc, object, "frames", false, &text, err);
    if (result != AM_OK || !am_json_get(object, "frames")) {
        return result;
    }
    am_error inner = { 0 };
    result = ami_db_tag_query(m->db, &out->query, text, &inner);
    return result == AM_OK ? AM_OK : am_json_fail(doc, am_json_get(object, "frames"), result, err, "%s", inner.text);
}

static am_result read_where(const ami_motion *m, filter *out, const am_json_doc *doc, const am_json *object,
                            am_error *err)
{
    am_result result = am_json_read_string(doc, object, "where", false, &out->text, err);
    if (result != AM_OK || !out->text) {
        return result;
    }
    ami_expr_names lists[ami_moment_list_count];
    ami_moment_lists(lists, m);
    ami_expr_scope scope = { .lists = lists, .list_count = ami_moment_list_count, .fixed = true };
    scope.functions = ami_moment_functions(&scope.function_count);
    am_error inner = { 0 };
    result = ami_expr_compile(&out->where, out->text, &scope, &m->alloc, &inner);
    if (result == AM_OK && ami_expr_result(out->where) != AMI_EXPR_BOOL) {
        result = AM_ERR_TYPE;
        snprintf(inner.text, sizeof inner.text, "a truth value is expected, but '%.120s' is %s", out->text,
                 ami_expr_type_name(ami_expr_result(out->where)));
    }
    return result == AM_OK ? AM_OK : am_json_fail(doc, am_json_get(object, "where"), result, err, "%s", inner.text);
}

static bool is_accepted(const ami_motion *m, const filter *f, int frame)
{
    if (!ami_tag_query_accepts(&f->query, m->db->tags[frame])) {
        return false;
    }
    ami_moment moment;
    if (!f->where) {
        return true;
    }
    ami_expr_value value;
    if (!ami_moment_at(&moment, m, frame, NULL)) {
        return false;
    }
    ami_expr_run(f->where, &value, &moment, NULL);
    return ami_expr_is_true(&value);
}

/// Frames with a neighbour on both sides of their span: the pose before, and velocities.
static void accept_frames(const ami_motion *m, ami_frames *out, const filter *f)
{
    for (int i = 0; i < m->spans.count; i++) {
        const ami_span *span = &m->spans.items[i];
        for (int frame = span->start + 1; frame < span->stop - 1; frame++) {
            if (is_accepted(m, f, frame)) {
                add_frame(out, frame);
            }
        }
    }
}

am_result ami_frames_read(const ami_motion *m, ami_frames *out, const am_json_doc *doc, const am_json *object,
                          am_error *err)
{
    filter f = { 0 };
    am_result result = read_query(m, &f, doc, object, err);
    result = result == AM_OK ? read_where(m, &f, doc, object, err) : result;
    result = result == AM_OK ? ami_frames_make(m, out, err) : result;
    if (result == AM_OK) {
        accept_frames(m, out, &f);
        if (ami_frames_count(m, out) == 0) {
            const am_json *at = am_json_get(object, f.text ? "where" : "frames");
            result = am_json_fail(doc, at ? at : object, AM_ERR_EMPTY, err, "no frame of database '%s' is left%s%s%s",
                                  m->db->name, at ? " by \"" : "", at ? at->string : "", at ? "\"" : "");
        }
    }
    ami_expr_destroy(f.where);
    return result;
}

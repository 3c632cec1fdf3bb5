// Control values of RUN.json: an object by paths of the model's schema, into a value and back.
#include "script/run.h"

#include "base/error.h"
#include "operators/control.h"

#include <stdio.h>
#include <string.h>

enum { longest_path = 200, most_numbers = 4096, most_depth = 32 };

/// A value on its way.
typedef struct values {
    am_control *control;
    const am_json_doc *doc;
    am_error *err;
    float numbers[most_numbers];
} values;

static am_result put(values *v, const am_json *item, const char *path, int depth);

/// Gives an error of the value its place in the document.
static am_result placed(const values *v, const am_json *item, am_result result)
{
    am_error why = *v->err;
    return result == AM_OK ? AM_OK : am_json_fail(v->doc, item, result, v->err, "%s", why.text);
}

/// Whether a path names a list: its items are named by number.
static bool is_list(const values *v, const char *path)
{
    am_error unused = { 0 };
    int place;
    const am_control_schema *schema = v->control->schema;
    int node = ami_control_find(schema, path, &place, &unused);
    const ami_control_node *n = node >= 0 ? &schema->nodes[ami_control_inside(schema, node)] : NULL;
    return n && (n->kind == AMI_OP_SET || n->numbered);
}

static am_result put_list(values *v, const am_json *item, const char *path, int depth)
{
    char inner[longest_path];
    int i = 0;
    am_result result = AM_OK;
    for (const am_json *part = item->first; part && result == AM_OK; part = part->next, i++) {
        int length = snprintf(inner, sizeof inner, "%s[%d]", path, i);
        result = length < (int)sizeof inner
                     ? put(v, part, inner, depth + 1)
                     : am_json_fail(v->doc, part, AM_ERR_LIMIT, v->err, "the path is too long");
    }
    return result;
}

static am_result put_array(values *v, const am_json *item, const char *path, int depth)
{
    int count = 0;
    am_result result = AM_OK;
    if (is_list(v, path)) {
        return put_list(v, item, path, depth);
    }
    for (const am_json *part = item->first; part && result == AM_OK; part = part->next) {
        if (part->type == AM_JSON_STRING) {
            result = placed(v, part, am_control_choose(v->control, path, part->string, v->err));
        } else if (part->type != AM_JSON_NUMBER || count == most_numbers) {
            return am_json_fail(v->doc, part, AM_ERR_TYPE, v->err, "'%.80s' takes numbers, or names of choices",
                                path);
        } else {
            v->numbers[count++] = (float)part->number;
        }
    }
    bool names = item->first && item->first->type == AM_JSON_STRING;
    return result != AM_OK || names ? result
                                    : placed(v, item, am_control_set(v->control, path, v->numbers, count, v->err));
}

static am_result put_object(values *v, const am_json *item, const char *path, int depth)
{
    char inner[longest_path];
    am_result result = AM_OK;
    for (const am_json *part = item->first; part && result == AM_OK; part = part->next) {
        const char *dot = path[0] && part->key[0] ? "." : "";
        int length = snprintf(inner, sizeof inner, "%s%s%s", path, dot, part->key);
        result = length < (int)sizeof inner
                     ? put(v, part, inner, depth + 1)
                     : am_json_fail(v->doc, part, AM_ERR_LIMIT, v->err, "the path is too long");
    }
    return result;
}

static am_result put(values *v, const am_json *item, const char *path, int depth)
{
    const float one = item->type == AM_JSON_BOOL ? (item->boolean ? 1.0f : 0.0f) : (float)item->number;
    if (depth > most_depth) {
        return am_json_fail(v->doc, item, AM_ERR_LIMIT, v->err, "values may nest %d deep", most_depth);
    }
    switch (item->type) {
    case AM_JSON_OBJECT:
        return put_object(v, item, path, depth);
    case AM_JSON_ARRAY:
        return put_array(v, item, path, depth);
    case AM_JSON_STRING:
        return placed(v, item, am_control_choose(v->control, path, item->string, v->err));
    case AM_JSON_NULL:
        return placed(v, item, am_control_drop(v->control, path, v->err));
    default:
        return placed(v, item, am_control_set(v->control, path, &one, 1, v->err));
    }
}

am_result am_run_put_values(am_control *control, const am_json_doc *doc, const am_json *object, am_error *err)
{
    am_error own = { 0 };
    values v = { .control = control, .doc = doc, .err = err ? err : &own };
    return put_object(&v, object, "", 0);
}

void ami_run_write_json(am_json_writer *w, const am_json *value)
{
    switch (value->type) {
    case AM_JSON_NUMBER:
        am_json_number(w, value->key, value->number);
        break;
    case AM_JSON_BOOL:
        am_json_bool(w, value->key, value->boolean);
        break;
    case AM_JSON_STRING:
        am_json_string(w, value->key, value->string);
        break;
    case AM_JSON_NULL:
        am_json_null(w, value->key);
        break;
    default:
        value->type == AM_JSON_ARRAY ? am_json_begin_array(w, value->key) : am_json_begin_object(w, value->key);
        for (const am_json *part = value->first; part; part = part->next) {
            ami_run_write_json(w, part);
        }
        value->type == AM_JSON_ARRAY ? am_json_end_array(w) : am_json_end_object(w);
        break;
    }
}

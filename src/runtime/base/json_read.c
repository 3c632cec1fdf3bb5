// Typed access to parsed JSON: every refusal names the key, what it should be, and where it stands.
#include "base/json.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/number.h"

#include <float.h>

static const char *type_name(am_json_type type)
{
    static const char *const names[] = { "null", "true or false", "a number", "a string", "an array", "an object" };
    return names[type];
}

am_result am_json_fail(const am_json_doc *doc, const am_json *value, am_result code, am_error *err,
                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ami_fail_v(err, code, format, args);
    va_end(args);
    if (err) {
        err->line = value->line;
        err->column = value->column;
    }
    ami_error_file(err, doc->file);
    return code;
}

const am_json *am_json_get(const am_json *object, const char *key)
{
    if (object->type != AM_JSON_OBJECT) {
        return NULL;
    }
    for (const am_json *member = object->first; member; member = member->next) {
        if (strcmp(member->key, key) == 0) {
            return member;
        }
    }
    return NULL;
}

// Appends to a text of fixed size; what does not fit is left out.
static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    size_t length = strlen(more);
    if (used + length < size) {
        memcpy(text + used, more, length + 1);
    }
}

// "a, b, c": the allowed values, for errors.
static void list_names(char *text, size_t size, const char *const *names, int count)
{
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        append(text, size, i > 0 ? ", " : "");
        append(text, size, names[i]);
    }
}

static am_result fail_unknown(const am_json_doc *doc, const am_json *member, const char *const *keys, int count,
                              am_error *err)
{
    const char *near = am_nearest_name(member->key, keys, count);
    if (near) {
        am_json_fail(doc, member, AM_ERR_KEY, err, "unknown key \"%s\"; did you mean \"%s\"?", member->key, near);
    } else {
        char known[300];
        list_names(known, sizeof known, keys, count);
        am_json_fail(doc, member, AM_ERR_KEY, err, "unknown key \"%.100s\"; known here: %s", member->key, known);
    }
    if (err) {
        err->line = member->key_line;
        err->column = member->key_column;
    }
    return AM_ERR_KEY;
}

static am_result need_object(const am_json_doc *doc, const am_json *object, am_error *err)
{
    if (object->type == AM_JSON_OBJECT) {
        return AM_OK;
    }
    return am_json_fail(doc, object, AM_ERR_TYPE, err, "expected an object { ... } here, not %s",
                        type_name(object->type));
}

am_result am_json_only(const am_json_doc *doc, const am_json *object, const char *const *keys, int count,
                       am_error *err)
{
    am_result result = need_object(doc, object, err);
    if (result != AM_OK) {
        return result;
    }
    for (const am_json *member = object->first; member; member = member->next) {
        int i = 0;
        while (i < count && strcmp(member->key, keys[i]) != 0) {
            i++;
        }
        if (i == count) {
            return fail_unknown(doc, member, keys, count, err);
        }
    }
    return AM_OK;
}

// The member to read, checked for type; *out is NULL when it is missing and may be.
static am_result find(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                      am_json_type type, const am_json **out, am_error *err)
{
    *out = NULL;
    am_result result = need_object(doc, object, err);
    if (result != AM_OK) {
        return result;
    }
    const am_json *member = am_json_get(object, key);
    if (!member) {
        return required ? am_json_fail(doc, object, AM_ERR_KEY, err, "\"%s\" is missing in this object; add it", key)
                        : AM_OK;
    }
    if (member->type != type) {
        return am_json_fail(doc, member, AM_ERR_TYPE, err, "\"%s\" should be %s, not %s", key, type_name(type),
                            type_name(member->type));
    }
    *out = member;
    return AM_OK;
}

am_result am_json_read_bool(const am_json_doc *doc, const am_json *object, const char *key, bool required, bool *out,
                            am_error *err)
{
    const am_json *member;
    am_result result = find(doc, object, key, required, AM_JSON_BOOL, &member, err);
    if (member) {
        *out = member->boolean;
    }
    return result;
}

am_result am_json_read_int(const am_json_doc *doc, const am_json *object, const char *key, bool required, int *out,
                           int lo, int hi, am_error *err)
{
    const am_json *member;
    am_result result = find(doc, object, key, required, AM_JSON_NUMBER, &member, err);
    if (!member) {
        return result;
    }
    double number = member->number;
    if (!(number >= lo && number <= hi)) {
        return am_json_fail(doc, member, AM_ERR_RANGE, err, "\"%s\" is %.9g, but should be from %d to %d", key,
                            number, lo, hi);
    }
    if (number != (double)(int)number) {
        return am_json_fail(doc, member, AM_ERR_TYPE, err, "\"%s\" is %.9g, but should be a whole number", key,
                            number);
    }
    *out = (int)number;
    return AM_OK;
}

am_result am_json_read_float(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                             float *out, float lo, float hi, am_error *err)
{
    const am_json *member;
    am_result result = find(doc, object, key, required, AM_JSON_NUMBER, &member, err);
    if (!member) {
        return result;
    }
    // Compared as floats, so that 0.1 in the text is within a limit of 0.1f.
    float number = (float)member->number;
    bool finite = number - number == 0.0f;
    if (finite && number >= lo && number <= hi) {
        *out = number;
        return AM_OK;
    }
    if (lo > -FLT_MAX && hi < FLT_MAX) {
        return am_json_fail(doc, member, AM_ERR_RANGE, err, "\"%s\" is %.9g, but should be from %.7g to %.7g", key,
                            member->number, (double)lo, (double)hi);
    }
    bool low = finite && number < lo;
    return am_json_fail(doc, member, AM_ERR_RANGE, err, "\"%s\" is %.9g, but should be at %s %.7g", key,
                        member->number, low ? "least" : "most",
                        (double)(low            ? lo
                                 : hi < FLT_MAX ? hi
                                                : FLT_MAX));
}

am_result am_json_read_string(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                              const char **out, am_error *err)
{
    const am_json *member;
    am_result result = find(doc, object, key, required, AM_JSON_STRING, &member, err);
    if (member) {
        *out = member->string;
    }
    return result;
}

am_result am_json_read_choice(const am_json_doc *doc, const am_json *object, const char *key, bool required, int *out,
                              const char *const *names, int count, am_error *err)
{
    const am_json *member;
    am_result result = find(doc, object, key, required, AM_JSON_STRING, &member, err);
    if (!member) {
        return result;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(member->string, names[i]) == 0) {
            *out = i;
            return AM_OK;
        }
    }
    const char *near = am_nearest_name(member->string, names, count);
    if (near) {
        return am_json_fail(doc, member, AM_ERR_RANGE, err, "\"%s\" cannot be \"%s\"; did you mean \"%s\"?", key,
                            member->string, near);
    }
    char known[300];
    list_names(known, sizeof known, names, count);
    return am_json_fail(doc, member, AM_ERR_RANGE, err, "\"%s\" cannot be \"%.100s\"; choose from: %s", key,
                        member->string, known);
}

am_result am_json_read_floats(const am_json_doc *doc, const am_json *object, const char *key, bool required,
                              float *out, int capacity, int *count, am_error *err)
{
    const am_json *member;
    am_result result = find(doc, object, key, required, AM_JSON_ARRAY, &member, err);
    if (!member) {
        return result;
    }
    if (member->count > capacity) {
        return am_json_fail(doc, member, AM_ERR_RANGE, err, "\"%s\" has %d numbers, but at most %d are used", key,
                            member->count, capacity);
    }
    // Checked before the first is written: a refused array leaves the default unchanged.
    for (const am_json *item = member->first; item; item = item->next) {
        if (item->type != AM_JSON_NUMBER) {
            return am_json_fail(doc, item, AM_ERR_TYPE, err, "\"%s\" should hold numbers only, not %s", key,
                                type_name(item->type));
        }
        if (!(item->number >= -(double)FLT_MAX && item->number <= (double)FLT_MAX)) {
            return am_json_fail(doc, item, AM_ERR_RANGE, err, "\"%s\" holds %.9g, which is too large", key,
                                item->number);
        }
    }
    *count = member->count;
    for (const am_json *item = member->first; item; item = item->next) {
        *out++ = (float)item->number;
    }
    return AM_OK;
}

// The options of RUN.json: reading them, and their table in Markdown for `amble run --options` and docs/run.md.
#include <amble/tools/script.h>

#include "base/bytes.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Reading

static am_result read_weights(am_run_options *out, const am_json_doc *doc, const am_json *object, am_error *err)
{
    const am_json *weights = am_json_get(object, "weights");
    if (!weights) {
        return AM_OK;
    }
    if (weights->type != AM_JSON_OBJECT) {
        return am_json_fail(doc, weights, AM_ERR_TYPE, err,
                            "'weights' must be an object: names of feature channels with a factor each");
    }
    for (const am_json *w = weights->first; w; w = w->next) {
        if (w->type != AM_JSON_NUMBER || !(w->number >= 0.0) || !(w->number <= 1e3)) {
            return am_json_fail(doc, w, w->type != AM_JSON_NUMBER ? AM_ERR_TYPE : AM_ERR_RANGE, err,
                                "the weight of '%s' must be a number from 0 to 1000", w->key);
        }
    }
    out->weights = weights->count > 0 ? weights : NULL;
    return AM_OK;
}

static am_result read_option(am_run_options *out, const am_option *o, const am_json_doc *doc, const am_json *object,
                             am_error *err)
{
    bool integer = o->type == AM_OPTION_INTEGER || o->type == AM_OPTION_CHOICE;
    float number = o->type == AM_OPTION_NUMBER ? (float)am_option_get(o, &out->settings) : 0.0f;
    int whole = integer ? (int)am_option_get(o, &out->settings) : 0;
    bool on = o->type == AM_OPTION_SWITCH && am_option_get(o, &out->settings) != 0.0;
    am_result result = AM_OK;
    switch (o->type) {
    case AM_OPTION_NUMBER:
        result = am_json_read_float(doc, object, o->key, false, &number, o->low, o->high, err);
        break;
    case AM_OPTION_INTEGER:
        result = am_json_read_int(doc, object, o->key, false, &whole, (int)o->low, (int)o->high, err);
        break;
    case AM_OPTION_SWITCH:
        result = am_json_read_bool(doc, object, o->key, false, &on, err);
        break;
    case AM_OPTION_CHOICE:
        result = am_json_read_choice(doc, object, o->key, false, &whole, o->choices, o->choice_count, err);
        break;
    case AM_OPTION_TAGS:
        return am_json_read_string(doc, object, o->key, false, &out->tags[o->offset], err);
    case AM_OPTION_WEIGHTS:
        return read_weights(out, doc, object, err);
    }
    am_option_put(o, &out->settings,
                  o->type == AM_OPTION_NUMBER ? (double)number
                  : integer                   ? (double)whole
                                              : (double)on);
    return result;
}

/// Fails when a key belongs to other controllers only.
static am_result check_controller(am_method method, const am_json_doc *doc, const am_json *item, am_error *err)
{
    int count;
    const am_option *table = am_options(&count);
    bool known = false;
    for (int i = 0; i < count; i++) {
        known |= strcmp(table[i].key, item->key) == 0 && (table[i].methods >> method & 1) != 0;
    }
    return known ? AM_OK
                 : am_json_fail(doc, item, AM_ERR_SUPPORT, err,
                                "'%s' is not an option of the controller '%s'; leave it out", item->key,
                                am_method_name(method));
}

am_result am_run_options_read(am_run_options *out, const am_json_doc *doc, const am_json *object, am_error *err)
{
    const char *keys[64];
    int count;
    const am_option *table = am_options(&count);
    am_method method = out->settings.method;
    for (int i = 0; i < count; i++) {
        keys[i] = table[i].key;
    }
    am_result result = am_json_only(doc, object, keys, count, err);
    for (const am_json *item = object->first; item && result == AM_OK; item = item->next) {
        result = check_controller(method, doc, item, err);
    }
    for (int i = 0; i < count && result == AM_OK; i++) {
        if ((table[i].methods >> method & 1) != 0) {
            result = read_option(out, &table[i], doc, object, err);
        }
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// The table

static void print_values(char *out, size_t size, const am_option *o)
{
    size_t at = 0;
    out[0] = '\0';
    for (int i = 0; i < o->choice_count && at < size; i++) {
        at += (size_t)snprintf(out + at, size - at, "%s`%s`", i > 0 ? ", " : "", o->choices[i]);
    }
    bool number = o->type == AM_OPTION_NUMBER || o->type == AM_OPTION_INTEGER;
    if (number) {
        snprintf(out, size, "%g to %g%s%s", (double)o->low, (double)o->high, o->unit[0] ? " " : "", o->unit);
    } else if (o->type == AM_OPTION_SWITCH) {
        snprintf(out, size, "true, false");
    } else if (o->type != AM_OPTION_CHOICE) {
        snprintf(out, size, "%s", o->type == AM_OPTION_TAGS ? "a tag query" : "an object of factors, 0 to 1000");
    }
}

static void print_default(char *out, size_t size, const am_option *o)
{
    am_settings settings;
    am_settings_init(&settings, AM_METHOD_MATCH);
    double value = o->type <= AM_OPTION_CHOICE ? am_option_get(o, &settings) : 0.0;
    if (o->type == AM_OPTION_CHOICE) {
        snprintf(out, size, "%s", o->choices[(int)value]);
    } else if (o->type == AM_OPTION_SWITCH) {
        snprintf(out, size, "%s", value != 0.0 ? "true" : "false");
    } else if (o->type == AM_OPTION_TAGS) {
        snprintf(out, size, "by the data's tags");
    } else {
        snprintf(out, size, o->type == AM_OPTION_WEIGHTS ? "{}" : "%.4g", value);
    }
}

static void print_methods(char *out, size_t size, const am_option *o)
{
    size_t at = 0;
    int count;
    const am_method_row *rows = am_methods(&count);
    uint32_t every = (1u << count) - 1;
    snprintf(out, size, "all");
    for (int m = 0; m < count && (o->methods & every) != every && at < size; m++) {
        if ((o->methods >> m & 1) != 0) {
            at += (size_t)snprintf(out + at, size - at, "%s%s", at > 0 ? ", " : "", rows[m].name);
        }
    }
}

am_result am_run_options_table(am_bytes *out, am_error *err)
{
    int count;
    const am_option *table = am_options(&count);
    char values[256], usual[64], methods[128], line[1024];
    int size = snprintf(line, sizeof line, "| key | values | default | controllers | |\n|---|---|---|---|---|\n");
    *out = ami_bytes_make(NULL);
    bool good = ami_put(out, line, (size_t)size);
    for (int i = 0; i < count && good; i++) {
        print_values(values, sizeof values, &table[i]);
        print_default(usual, sizeof usual, &table[i]);
        print_methods(methods, sizeof methods, &table[i]);
        size = snprintf(line, sizeof line, "| `%s` | %s | %s | %s | %s |\n", table[i].key, values, usual, methods,
                        table[i].help);
        good = ami_put(out, line, (size_t)size);
    }
    return good ? AM_OK : ami_fail_memory(err, sizeof line);
}

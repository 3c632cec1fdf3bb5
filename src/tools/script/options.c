// The options of RUN.json as a table in Markdown, for `amble run --options` and docs/run.md.
#include <amble/tools/script.h>

#include "base/bytes.h"
#include "base/error.h"

#include <stdio.h>

enum { shown_methods = AM_METHOD_FIELD + 1 };

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
    uint32_t every = (1u << shown_methods) - 1;
    snprintf(out, size, "all");
    for (int m = 0; m < shown_methods && (o->methods & every) != every && at < size; m++) {
        if ((o->methods >> m & 1) != 0) {
            at += (size_t)snprintf(out + at, size - at, "%s%s", at > 0 ? ", " : "", am_method_name((am_method)m));
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

// Shows samples of training controls as text and as JSON.
#include "control/samples.h"

#include "base/bytes.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const ami_control_node *node_of(const am_control_samples *s, int node) { return &s->schema->nodes[node]; }

static double mean_of(const ami_part_stats *stats, int i) { return stats->sum[i] / (double)stats->there; }

static double deviation_of(const ami_part_stats *stats, int i)
{
    double mean = mean_of(stats, i), square = stats->square[i] / (double)stats->there - mean * mean;
    return square > 0.0 ? sqrt(square) : 0.0;
}

/// Optionals have no row: what they hold says how often it was there.
static bool is_counted(const ami_control_node *n)
{
    return ami_control_is_typed(n->kind) || (n->kind == AMI_OP_OR && !n->optional) || n->kind == AMI_OP_SET;
}

/// The names that a part's counts are of.
static const char *name_of(const am_control_samples *s, const ami_control_node *n, int i)
{
    static const char *const truths[] = { "false", "true" };
    static const char *const given[] = { "absent", "given" };
    if (n->kind == AMI_OP_OR) {
        return n->optional ? given[i] : node_of(s, n->first + i)->name;
    }
    return n->kind == AMI_OP_BOOL ? truths[i] : n->names[i];
}

static int name_count(const ami_control_node *n)
{
    return n->kind == AMI_OP_OR ? n->count : n->kind == AMI_OP_BOOL ? 2 : n->name_count;
}

/// The path, or the schema's name for the whole.
static void path_of(const am_control_samples *s, int node, int item, char *out, size_t size)
{
    ami_shown_path(s->schema, node, item, out, size);
    if (!out[0]) {
        snprintf(out, size, "%s", s->schema->name);
    }
}

// ---------------------------------------------------------------------------------------------
// Text

typedef struct printer {
    am_bytes *out;
    const am_control_samples *s;
    bool good;
} printer;

static void put(printer *p, const char *format, ...) AM_PRINTF(2, 3);
static void put(printer *p, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->good = p->good && ami_put_text(p->out, text);
}

/// "cat 3 %, drunk 5 %"
static void put_names(printer *p, const ami_control_node *n, const ami_part_stats *stats)
{
    const char *between = "";
    for (int i = 0; i < name_count(n); i++) {
        if (stats->names[i] > 0) {
            put(p, "%s%s %.1f %%", between, name_of(p->s, n, i),
                100.0 * (double)stats->names[i] / (double)stats->there);
            between = ", ";
        }
    }
}

static void put_numbers(printer *p, const ami_control_node *n, const ami_part_stats *stats)
{
    char mean[64] = "", deviation[64] = "", range[96] = "";
    for (int i = 0; i < ami_shown_count(n); i++) {
        size_t a = strlen(mean), b = strlen(deviation), c = strlen(range);
        snprintf(mean + a, sizeof mean - a, "%s%.2f", i ? " " : "", mean_of(stats, i));
        snprintf(deviation + b, sizeof deviation - b, "%s%.2f", i ? " " : "", deviation_of(stats, i));
        snprintf(range + c, sizeof range - c, "%s%.2f..%.2f", i ? " " : "", (double)stats->least[i],
                 (double)stats->most[i]);
    }
    put(p, "%-20s %-16s %s", mean, deviation, range);
}

static void put_part(printer *p, int node)
{
    const ami_control_node *n = node_of(p->s, node);
    const ami_part_stats *stats = &p->s->parts[node];
    char path[300], name[340];
    path_of(p->s, node, -1, path, sizeof path);
    snprintf(name, sizeof name, "%s: %s", path, n->word);
    put(p, "  %-34s %6.1f %%  ", name, 100.0 * (double)stats->there / (double)p->s->measured);
    if (stats->there == 0) {
        put(p, "never there");
    } else if (stats->names) {
        put_names(p, n, stats);
    } else {
        put_numbers(p, n, stats);
    }
    put(p, "\n");
}

/// One part of a listed sample.
static void put_shown(void *user, const ami_shown_part *part)
{
    printer *p = user;
    const ami_control_node *n = part->n;
    char path[300];
    if (n->optional && ami_control_index(part->value[0], 2) == 1) {
        return; // what it holds follows
    }
    path_of(p->s, part->node, part->item, path, sizeof path);
    put(p, "      %s ", path);
    if (n->kind == AMI_OP_SOME_OF) {
        for (int i = 0; i < n->name_count; i++) {
            put(p, "%s", part->value[i] >= 0.5f ? n->names[i] : "");
            put(p, "%s", part->value[i] >= 0.5f ? " " : "");
        }
    } else if (part->shown_count == 0) {
        put(p, "%s", name_of(p->s, n, ami_control_index(part->value[0], name_count(n))));
    } else if (n->kind == AMI_OP_SET) {
        put(p, "%d items", (int)part->shown[0]);
    }
    for (int i = 0; i < part->shown_count && n->kind != AMI_OP_SET; i++) {
        put(p, "%s%.2f", i ? " " : "", (double)part->shown[i]);
    }
    put(p, "\n");
}

static void put_sample(printer *p, int i)
{
    const am_control_samples *s = p->s;
    const am_control_sample *one = &s->list[i];
    put(p, "%4d  %-20s %7.3f s (frame %d of the file), looks at %.3f to %.3f s\n", i + 1, one->clip,
        (double)one->now_s, one->file_frame, (double)one->earliest_s, (double)one->latest_s);
    const am_transform root = ami_db_root(s->db, one->frame);
    ami_visit_parts(s->schema, s->values + (size_t)i * (size_t)s->schema->value_count, &root, put_shown, p);
}

am_result am_control_samples_print(am_bytes *out, const am_control_samples *s, am_error *err)
{
    *out = ami_bytes_make(&s->alloc);
    printer p = { out, s, true };
    put(&p, "%s: training controls of '%s' over '%s'\n", s->file, s->schema->name, s->db->name);
    put(&p, "  %d of %d frames may be drawn; %.1f %% of them give a value\n", s->frame_count, s->db->frame_count,
        100.0 * (double)s->accepted);
    put(&p, "  %d samples, in the character's frame: x to its left, y up, z ahead; metres, seconds, degrees\n",
        s->measured);
    put(&p, "  %-34s %8s  %-20s %-16s %s\n", "part", "there", "mean", "deviation", "least..most");
    for (int i = 0; i < s->schema->node_count; i++) {
        if (is_counted(node_of(s, i))) {
            put_part(&p, i);
        }
    }
    put(&p, "\n");
    for (int i = 0; i < s->count; i++) {
        put_sample(&p, i);
    }
    if (!p.good) {
        am_bytes_free(out);
        return ami_fail_memory(err, 600);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// JSON

static void describe_part(am_json_writer *w, const am_control_samples *s, int node)
{
    const ami_control_node *n = node_of(s, node);
    const ami_part_stats *stats = &s->parts[node];
    char path[300];
    ami_shown_path(s->schema, node, -1, path, sizeof path);
    am_json_begin_object(w, NULL);
    am_json_string(w, "path", path);
    am_json_string(w, "operator", n->word);
    am_json_number(w, "there", (double)stats->there / (double)s->measured);
    if (stats->names) {
        am_json_begin_object(w, "names");
        for (int i = 0; i < name_count(n); i++) {
            am_json_integer(w, name_of(s, n, i), stats->names[i]);
        }
        am_json_end_object(w);
    }
    static const char *const keys[] = { "mean", "deviation", "least", "most" };
    for (int k = 0; k < 4 && stats->there > 0 && ami_shown_count(n) > 0; k++) {
        am_json_begin_array(w, keys[k]);
        for (int i = 0; i < ami_shown_count(n); i++) {
            const double numbers[] = { mean_of(stats, i), deviation_of(stats, i), (double)stats->least[i],
                                       (double)stats->most[i] };
            am_json_number(w, NULL, numbers[k]);
        }
        am_json_end_array(w);
    }
    am_json_end_object(w);
}

typedef struct describer {
    am_json_writer *w;
    const am_control_samples *s;
} describer;

static void describe_shown(void *user, const ami_shown_part *part)
{
    const describer *d = user;
    char path[300];
    ami_shown_path(d->s->schema, part->node, part->item, path, sizeof path);
    if (part->n->optional) {
        return;
    }
    if (part->n->kind == AMI_OP_SOME_OF) {
        am_json_begin_array(d->w, path);
        for (int i = 0; i < part->n->name_count; i++) {
            if (part->value[i] >= 0.5f) {
                am_json_string(d->w, NULL, part->n->names[i]);
            }
        }
        am_json_end_array(d->w);
    } else if (part->shown_count == 0) {
        am_json_string(d->w, path, name_of(d->s, part->n, ami_control_index(part->value[0], name_count(part->n))));
    } else if (part->shown_count == 1) {
        am_json_number(d->w, path, (double)part->shown[0]);
    } else {
        am_json_begin_array(d->w, path);
        for (int i = 0; i < part->shown_count; i++) {
            am_json_number(d->w, NULL, (double)part->shown[i]);
        }
        am_json_end_array(d->w);
    }
}

static void describe_sample(am_json_writer *w, const am_control_samples *s, int i)
{
    const am_control_sample *one = &s->list[i];
    const am_transform root = ami_db_root(s->db, one->frame);
    describer d = { w, s };
    am_json_begin_object(w, NULL);
    am_json_string(w, "clip", one->clip);
    am_json_number(w, "time_s", (double)one->now_s);
    am_json_integer(w, "file_frame", one->file_frame);
    am_json_number(w, "earliest_s", (double)one->earliest_s);
    am_json_number(w, "latest_s", (double)one->latest_s);
    am_json_begin_object(w, "values");
    ami_visit_parts(s->schema, s->values + (size_t)i * (size_t)s->schema->value_count, &root, describe_shown, &d);
    am_json_end_object(w);
    am_json_end_object(w);
}

void am_control_samples_describe(am_json_writer *w, const am_control_samples *s)
{
    am_json_string(w, "kind", "samples");
    am_json_string(w, "schema", s->schema->name);
    am_json_string(w, "database", s->db->name);
    am_json_integer(w, "seed", (int64_t)s->seed);
    am_json_integer(w, "frames", s->frame_count);
    am_json_number(w, "accepted", (double)s->accepted);
    am_json_integer(w, "measured", s->measured);
    am_json_begin_array(w, "parts");
    for (int i = 0; i < s->schema->node_count; i++) {
        if (is_counted(node_of(s, i))) {
            describe_part(w, s, i);
        }
    }
    am_json_end_array(w);
    am_json_begin_array(w, "samples");
    for (int i = 0; i < s->count; i++) {
        describe_sample(w, s, i);
    }
    am_json_end_array(w);
}

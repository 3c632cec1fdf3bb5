// Writes the HTML page of a bench: its rows as a table, and time against size as curves.
#include "bench.h"

#include "tables.h"
#include <amble/tools/files.h>

#include <stdio.h>
#include <string.h>

enum { most_points = 16 };

/// One variant's points in a plot.
typedef struct points {
    double x[most_points], y[most_points], top[most_points];
    int count;
} points;

static bool same_plot(const bench_line *a, const bench_line *b)
{
    return strcmp(a->subject, b->subject) == 0 && strcmp(a->set, b->set) == 0;
}

/// True when an earlier row has the same subject and set (and variant).
static bool seen_before(const bench_results *r, int at, bool variant)
{
    for (int i = 0; i < at; i++) {
        if (same_plot(&r->lines[i], &r->lines[at]) &&
            (!variant || strcmp(r->lines[i].variant, r->lines[at].variant) == 0)) {
            return true;
        }
    }
    return false;
}

/// The points of the variant of row `at`, smaller sizes first as they were measured.
static points gather(const bench_results *r, int at)
{
    points p = { .count = 0 };
    for (int i = at; i < r->line_count && p.count < most_points; i++) {
        const bench_line *line = &r->lines[i];
        if (same_plot(line, &r->lines[at]) && strcmp(line->variant, r->lines[at].variant) == 0) {
            p.x[p.count] = (double)line->n;
            p.y[p.count] = line->us_median;
            p.top[p.count++] = line->us_p99;
        }
    }
    return p;
}

/// The plot that row `first` begins, when it has more than one size.
static void add_plot(ami_tables *tables, const bench_results *r, int first)
{
    points room[AM_MAX_CURVES];
    ami_curve curves[AM_MAX_CURVES];
    int count = 0;
    bool grows = false;
    for (int i = first; i < r->line_count && count < AM_MAX_CURVES; i++) {
        if (same_plot(&r->lines[i], &r->lines[first]) && !seen_before(r, i, true)) {
            points *p = &room[count];
            *p = gather(r, i);
            grows = grows || p->count > 1;
            curves[count++] = (ami_curve){ r->lines[i].variant, p->x, p->y, p->top, p->count };
        }
    }
    if (grows) {
        char caption[128];
        snprintf(caption, sizeof caption, "%s, %s", r->lines[first].subject, r->lines[first].set);
        ami_tables_curves(tables, caption, "n", "us, median and 99th percentile", curves, count);
    }
}

static void add_rows(ami_tables *tables, const bench_results *r)
{
    static const char *const texts[3] = { "subject", "variant", "set" };
    static const char *const numbers[4] = { "n", "us min", "us median", "us p99" };
    ami_tables_begin(tables, r->name, r->machine);
    for (int i = 0; i < 3; i++) {
        ami_tables_column(tables, texts[i], -1);
    }
    for (int i = 0; i < 4; i++) {
        ami_tables_column(tables, numbers[i], i == 0 ? 0 : 1);
    }
    for (int i = 0; i < r->line_count; i++) {
        const bench_line *line = &r->lines[i];
        ami_tables_row(tables);
        ami_tables_text(tables, line->subject);
        ami_tables_text(tables, line->variant);
        ami_tables_text(tables, line->set);
        ami_tables_number(tables, (double)line->n);
        ami_tables_number(tables, line->us_min);
        ami_tables_number(tables, line->us_median);
        ami_tables_number(tables, line->us_p99);
    }
    for (int i = 0; i < r->note_count; i++) {
        ami_tables_note(tables, "%s", r->notes[i]);
    }
}

am_result bench_page_write(const bench_results *r, const char *path, am_error *err)
{
    ami_tables *tables = NULL;
    am_result result = ami_tables_create(&tables, NULL, err);
    if (result != AM_OK) {
        return result;
    }
    add_rows(tables, r);
    for (int i = 0; i < r->line_count; i++) {
        if (!seen_before(r, i, false)) {
            add_plot(tables, r, i);
        }
    }
    char title[64];
    snprintf(title, sizeof title, "amble bench %s", r->name);
    am_bytes page = { 0 };
    result = ami_tables_page(&page, tables, title, "Compare only rows of one run.", err);
    result = result == AM_OK ? am_file_write(path, page.data, page.size, err) : result;
    am_bytes_free(&page);
    ami_tables_destroy(tables);
    return result;
}

// Tables of results: filling them, and printing them as text and JSON. The page is in tables_page.c.
#include "tables_parts.h"

#include "base/bytes.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_PLACES 2000 ///< of a drawn track; longer ones are thinned

am_result ami_tables_create(ami_tables **out, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    ami_tables *t = ami_alloc_zero(&own, sizeof *t);
    if (!t) {
        return ami_fail_memory(err, sizeof *t);
    }
    t->alloc = own;
    t->arena = ami_arena_make(&t->alloc);
    *out = t;
    return AM_OK;
}

void ami_tables_destroy(ami_tables *t)
{
    if (t) {
        am_alloc alloc = t->alloc;
        ami_arena_free(&t->arena);
        ami_release(&alloc, t, sizeof *t);
    }
}

/// Zeroed memory, or NULL after which nothing more is done.
static void *get(ami_tables *t, size_t size)
{
    void *block = t->failed ? NULL : ami_arena_get(&t->arena, size);
    t->failed = t->failed || !block;
    return block;
}

static const char *copy(ami_tables *t, const char *text)
{
    const char *out = t->failed ? NULL : ami_arena_text(&t->arena, text, strlen(text));
    t->failed = t->failed || !out;
    return out;
}

// ---------------------------------------------------------------------------------------------
// Filling

void ami_tables_begin(ami_tables *t, const char *name, const char *about)
{
    ami_table *table = get(t, sizeof *table);
    const char *name_copy = copy(t, name);
    const char *about_copy = copy(t, about);
    if (t->failed) {
        return;
    }
    table->name = name_copy;
    table->about = about_copy;
    *(t->last ? &t->last->next : &t->tables) = table;
    t->last = table;
}

void ami_tables_column(ami_tables *t, const char *name, int digits)
{
    const char *name_copy = copy(t, name);
    if (!t->failed && t->last && t->last->column_count < AM_MAX_COLUMNS) {
        t->last->digits[t->last->column_count] = digits;
        t->last->columns[t->last->column_count++] = name_copy;
    }
}

void ami_tables_columns(ami_tables *t, const ami_column *columns, int count)
{
    for (int i = 0; i < count; i++) {
        ami_tables_column(t, columns[i].name, columns[i].digits);
    }
}

void ami_tables_row(ami_tables *t)
{
    ami_row *row = get(t, sizeof *row);
    ami_cell *cells = get(t, AM_MAX_COLUMNS * sizeof *cells);
    if (t->failed || !t->last) {
        return;
    }
    ami_table *table = t->last;
    row->cells = cells;
    *(table->last_row ? &table->last_row->next : &table->rows) = row;
    table->last_row = row;
    table->row_count++;
}

static void add_cell(ami_tables *t, ami_cell cell)
{
    ami_row *row = !t->failed && t->last ? t->last->last_row : NULL;
    if (row && row->count < t->last->column_count) {
        row->cells[row->count++] = cell;
    }
}

void ami_tables_text(ami_tables *t, const char *text)
{
    add_cell(t, (ami_cell){ .text = copy(t, text), .filled = true });
}

void ami_tables_number(ami_tables *t, double value)
{
    add_cell(t, (ami_cell){ .number = value, .filled = value == value });
}

void ami_tables_bounded(ami_tables *t, double value, double bound)
{
    ami_mark mark = value != value ? AM_MARK_NONE
                    : value <= bound + 1e-6 * (bound < 0.0 ? -bound : bound)
                        ? AM_MARK_GOOD
                        : AM_MARK_BAD; // the value may be a float
    add_cell(t, (ami_cell){ .number = value, .filled = value == value, .mark = mark });
}

void ami_tables_at_least(ami_tables *t, double value, double bound)
{
    ami_mark mark = value != value ? AM_MARK_NONE : value > bound ? AM_MARK_GOOD : AM_MARK_BAD;
    add_cell(t, (ami_cell){ .number = value, .filled = value == value, .mark = mark });
}

static ami_extra *add_extra(ami_tables *t)
{
    ami_extra *extra = get(t, sizeof *extra);
    if (t->failed || !t->last) {
        return NULL;
    }
    *(t->last->last_extra ? &t->last->last_extra->next : &t->last->extras) = extra;
    t->last->last_extra = extra;
    return extra;
}

void ami_tables_note(ami_tables *t, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *text_copy = copy(t, text);
    ami_extra *extra = add_extra(t);
    if (extra) {
        extra->kind = ami_extra_note;
        extra->text = text_copy;
    }
}

void ami_tables_plot(ami_tables *t, const char *column, int rows_from)
{
    for (int c = 0; !t->failed && t->last && c < t->last->column_count; c++) {
        ami_extra *extra = strcmp(t->last->columns[c], column) == 0 ? add_extra(t) : NULL;
        if (extra) {
            extra->kind = ami_extra_plot;
            extra->column = c;
            extra->rows_from = rows_from;
        }
    }
}

/// Some of places(*count), no more than a plot shows, the last one always; *count is how many.
static am_vec3 *thin(ami_tables *t, const am_vec3 *places, int *count)
{
    int stride = *count / MOST_PLACES + 1;
    int kept = (*count + stride - 1) / stride;
    am_vec3 *out = get(t, (size_t)(kept + 1) * sizeof *out);
    for (int i = 0; !t->failed && i < kept; i++) {
        out[i] = places[i * stride];
    }
    if (!t->failed && *count > 0 && (kept - 1) * stride < *count - 1) {
        out[kept++] = places[*count - 1];
    }
    *count = kept;
    return out;
}

void ami_tables_path(ami_tables *t, const char *caption, const am_track *track, const am_polyline *path)
{
    int count = track->count;
    int path_count = path ? path->count : 0;
    const char *text = copy(t, caption);
    am_vec3 *places = thin(t, track->places, &count);
    am_vec3 *line = path ? thin(t, path->points, &path_count) : NULL;
    ami_extra *extra = add_extra(t);
    if (extra) {
        extra->kind = ami_extra_track;
        extra->text = text;
        extra->places = places;
        extra->place_count = count;
        extra->path = line;
        extra->path_count = path_count;
    }
}

void ami_tables_track(ami_tables *t, const char *caption, const am_track *track)
{
    ami_tables_path(t, caption, track, NULL);
}

/// Numbers of a curve, copied; NULL stays NULL.
static const double *copy_numbers(ami_tables *t, const double *numbers, int count)
{
    double *out = numbers ? get(t, (size_t)(count + 1) * sizeof *out) : NULL;
    if (out) {
        memcpy(out, numbers, (size_t)count * sizeof *out);
    }
    return out;
}

static void add_curves(ami_tables *t, const char *caption, const char *x_axis, const char *y_axis,
                       const ami_curve *curves, int count, bool even)
{
    count = count < AM_MAX_CURVES ? count : AM_MAX_CURVES;
    const char *text = copy(t, caption);
    const char *axes[2] = { copy(t, x_axis), copy(t, y_axis) };
    ami_curve *own = get(t, (size_t)(count + 1) * sizeof *own);
    for (int i = 0; own && i < count; i++) {
        own[i].name = copy(t, curves[i].name);
        own[i].x = copy_numbers(t, curves[i].x, curves[i].count);
        own[i].y = copy_numbers(t, curves[i].y, curves[i].count);
        own[i].top = copy_numbers(t, curves[i].top, curves[i].count);
        own[i].count = curves[i].count;
    }
    ami_extra *extra = add_extra(t);
    if (extra) {
        extra->kind = ami_extra_curves;
        extra->text = text;
        extra->axes[0] = axes[0];
        extra->axes[1] = axes[1];
        extra->curves = own;
        extra->curve_count = count;
        extra->even = even;
    }
}

void ami_tables_curves(ami_tables *t, const char *caption, const char *x_axis, const char *y_axis,
                       const ami_curve *curves, int count)
{
    add_curves(t, caption, x_axis, y_axis, curves, count, false);
}

void ami_tables_lines(ami_tables *t, const char *caption, const char *x_axis, const char *y_axis,
                      const ami_curve *curves, int count)
{
    add_curves(t, caption, x_axis, y_axis, curves, count, true);
}

int ami_tables_bad_count(const ami_tables *t)
{
    int bad = 0;
    for (const ami_table *table = t->tables; table; table = table->next) {
        for (const ami_row *row = table->rows; row; row = row->next) {
            for (int c = 0; c < row->count; c++) {
                bad += row->cells[c].mark == AM_MARK_BAD;
            }
        }
    }
    return bad;
}

// ---------------------------------------------------------------------------------------------
// Text

void ami_cell_format(char *out, size_t size, const ami_cell *cell, int digits)
{
    if (!cell->filled) {
        snprintf(out, size, "%s", "");
    } else if (cell->text) {
        snprintf(out, size, "%s", cell->text);
    } else if (cell->number - cell->number != 0.0) {
        snprintf(out, size, "never");
    } else {
        snprintf(out, size, "%.*f", digits < 0 ? 0 : digits, cell->number);
    }
}

/// As printed: a cell beyond its bound carries a mark.
static void printed(char *out, size_t size, const ami_cell *cell, int digits)
{
    ami_cell_format(out, size, cell, digits);
    size_t length = strlen(out);
    if (cell->mark == AM_MARK_BAD && length + 2 < size) {
        memcpy(out + length, "!", 2);
    }
}

static int width_of(const ami_table *table, int column)
{
    size_t width = strlen(table->columns[column]);
    for (const ami_row *row = table->rows; row; row = row->next) {
        char text[160];
        printed(text, sizeof text, &row->cells[column], table->digits[column]);
        size_t length = strlen(text);
        width = length > width ? length : width;
    }
    return (int)width;
}

static bool print_table(am_bytes *out, const ami_table *table)
{
    int widths[AM_MAX_COLUMNS];
    bool ok = ami_put_format(out, "%s: %s\n", table->name, table->about);
    for (int c = 0; c < table->column_count; c++) {
        widths[c] = width_of(table, c);
        ok = ok && ami_put_format(out, table->digits[c] < 0 ? "%-*s" : "%*s", widths[c], table->columns[c]) &&
             ami_put_text(out, c + 1 < table->column_count ? "  " : "\n");
    }
    for (const ami_row *row = table->rows; row && ok; row = row->next) {
        for (int c = 0; c < table->column_count && ok; c++) {
            char text[160];
            printed(text, sizeof text, &row->cells[c], table->digits[c]);
            ok = ami_put_format(out, table->digits[c] < 0 ? "%-*s" : "%*s", widths[c], text) &&
                 ami_put_text(out, c + 1 < table->column_count ? "  " : "\n");
        }
    }
    for (const ami_extra *extra = table->extras; extra && ok; extra = extra->next) {
        if (extra->kind == ami_extra_note) {
            ok = ami_put_format(out, "%s\n", extra->text);
        }
    }
    return ok && ami_put_text(out, "\n");
}

am_result ami_tables_print(am_bytes *out, const ami_tables *t, am_error *err)
{
    *out = ami_bytes_make(&t->alloc);
    bool ok = !t->failed;
    for (const ami_table *table = t->tables; table && ok; table = table->next) {
        ok = print_table(out, table);
    }
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(err, out->size);
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// JSON

static void write_cell(am_json_writer *w, const ami_cell *cell)
{
    if (!cell->filled) {
        am_json_null(w, NULL);
    } else if (cell->text || cell->number - cell->number != 0.0) {
        am_json_string(w, NULL, cell->text ? cell->text : "never");
    } else {
        am_json_number(w, NULL, cell->number);
    }
}

static void write_places(am_json_writer *w, const char *key, const am_vec3 *places, int count)
{
    am_json_begin_array(w, key);
    for (int i = 0; i < count; i++) {
        am_json_begin_array(w, NULL);
        am_json_number(w, NULL, (double)places[i].x);
        am_json_number(w, NULL, (double)places[i].z);
        am_json_end_array(w);
    }
    am_json_end_array(w);
}

static void write_tracks(am_json_writer *w, const ami_table *table)
{
    bool any = false;
    for (const ami_extra *extra = table->extras; extra; extra = extra->next) {
        if (extra->kind != ami_extra_track || !extra->path) {
            continue;
        }
        if (!any) {
            am_json_begin_array(w, "tracks");
            any = true;
        }
        am_json_begin_object(w, NULL);
        am_json_string(w, "caption", extra->text);
        write_places(w, "path", extra->path, extra->path_count);
        write_places(w, "track", extra->places, extra->place_count);
        am_json_end_object(w);
    }
    if (any) {
        am_json_end_array(w);
    }
}

void ami_tables_json(am_json_writer *w, const ami_tables *t)
{
    am_json_begin_object(w, NULL);
    am_json_begin_array(w, "tables");
    for (const ami_table *table = t->tables; table; table = table->next) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", table->name);
        am_json_string(w, "about", table->about);
        am_json_begin_array(w, "columns");
        for (int c = 0; c < table->column_count; c++) {
            am_json_string(w, NULL, table->columns[c]);
        }
        am_json_end_array(w);
        am_json_begin_array(w, "rows");
        for (const ami_row *row = table->rows; row; row = row->next) {
            am_json_begin_array(w, NULL);
            for (int c = 0; c < table->column_count; c++) {
                write_cell(w, &row->cells[c]);
            }
            am_json_end_array(w);
        }
        am_json_end_array(w);
        am_json_begin_array(w, "notes");
        for (const ami_extra *extra = table->extras; extra; extra = extra->next) {
            if (extra->kind == ami_extra_note) {
                am_json_string(w, NULL, extra->text);
            }
        }
        am_json_end_array(w);
        write_tracks(w, table);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    am_json_end_object(w);
}

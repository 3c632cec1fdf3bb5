/// Tables of results, as text for a terminal, JSON for programs and a page with plots for people.
#ifndef AMBLE_LAB_TABLES_H
#define AMBLE_LAB_TABLES_H

#include <amble/json.h>
#include <amble/tools/metrics.h>

#define AM_MAX_COLUMNS 32

typedef enum am_mark {
    AM_MARK_NONE,
    AM_MARK_GOOD, ///< within its bound
    AM_MARK_BAD
} am_mark;

/// Tables in the making. After a failed allocation it stays failed and the writers say so.
typedef struct am_tables am_tables;
am_result am_tables_create(am_tables **out, const am_alloc *alloc, am_error *err);
void am_tables_destroy(am_tables *tables);

/// Begins a table; columns and rows that follow belong to it. All texts are copied.
void am_tables_begin(am_tables *tables, const char *name, const char *about);
/// A column of numbers with `digits` decimals, or of text when `digits` is negative. Before the first row.
void am_tables_column(am_tables *tables, const char *name, int digits);
/// Several columns at once, from the left.
typedef struct am_column {
    const char *name;
    int digits; ///< of am_tables_column
} am_column;
void am_tables_columns(am_tables *tables, const am_column *columns, int count);
/// Begins a row; its cells follow from the left. What is not given stays empty.
void am_tables_row(am_tables *tables);
void am_tables_text(am_tables *tables, const char *text);
/// NAN leaves the cell empty (null in JSON); infinity prints as "never".
void am_tables_number(am_tables *tables, double value);
/// The same, marked good when it is at most `bound`.
void am_tables_bounded(am_tables *tables, double value, double bound);
/// The same, marked good when it is more than `bound`.
void am_tables_at_least(am_tables *tables, double value, double bound);
/// A line below the table.
void am_tables_note(am_tables *tables, const char *format, ...) AM_PRINTF(2, 3);
/// Bars of a column over the rows, on the page; `rows_from` leaves rows at the top out.
void am_tables_plot(am_tables *tables, const char *column, int rows_from);
/// A track seen from above, on the page.
void am_tables_track(am_tables *tables, const char *caption, const am_track *track);
/// The same over the path that it was to follow; also in JSON, as "tracks".
void am_tables_path(am_tables *tables, const char *caption, const am_track *track, const am_polyline *path);
/// A curve through `count` points of positive numbers; `top` (or NULL) are the upper ends of whiskers on them.
typedef struct am_curve {
    const char *name;
    const double *x, *y, *top; ///< [count]
    int count;
} am_curve;
#define AM_MAX_CURVES 12 ///< in one plot
/// Curves over logarithmic axes, on the page.
void am_tables_curves(am_tables *tables, const char *caption, const char *x_axis, const char *y_axis,
                      const am_curve *curves, int count);
/// The same over even axes: numbers may be 0 or below; whiskers are not drawn.
void am_tables_lines(am_tables *tables, const char *caption, const char *x_axis, const char *y_axis,
                     const am_curve *curves, int count);
/// How many cells are marked bad.
int am_tables_bad_count(const am_tables *tables);

/// Text for a terminal. Free it with am_bytes_free.
am_result am_tables_print(am_bytes *out, const am_tables *tables, am_error *err);
/// Writes {"tables": [{"name", "columns", "rows", "about", "notes", "tracks"}]}, tracks with paths as
/// {"caption", "path": [[x, z]], "track": [[x, z]]} and only where there are any; cells are numbers, texts or null
/// ("never" for an infinite number).
void am_tables_json(am_json_writer *writer, const am_tables *tables);
/// One self-contained HTML page. Free it with am_bytes_free.
am_result am_tables_page(am_bytes *out, const am_tables *tables, const char *title, const char *about, am_error *err);

#endif

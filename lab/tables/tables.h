/// Tables of results, as text for a terminal, JSON for programs and a page with plots for people.
#ifndef AMBLE_LAB_TABLES_H
#define AMBLE_LAB_TABLES_H

#include <amble/tools/metrics.h>

#define AM_MAX_COLUMNS 32

typedef enum ami_mark {
    AM_MARK_NONE,
    AM_MARK_GOOD, ///< within its bound
    AM_MARK_BAD
} ami_mark;

/// Tables in the making. After a failed allocation it stays failed and the writers say so.
typedef struct ami_tables ami_tables;
am_result ami_tables_create(ami_tables **out, const am_alloc *alloc, am_error *err);
void ami_tables_destroy(ami_tables *tables);

/// Begins a table; columns and rows that follow belong to it. All texts are copied.
void ami_tables_begin(ami_tables *tables, const char *name, const char *about);
/// A column of numbers with `digits` decimals, or of text when `digits` is negative. Before the first row.
void ami_tables_column(ami_tables *tables, const char *name, int digits);
/// Several columns at once, from the left.
typedef struct ami_column {
    const char *name;
    int digits; ///< of ami_tables_column
} ami_column;
void ami_tables_columns(ami_tables *tables, const ami_column *columns, int count);
/// Begins a row; its cells follow from the left. What is not given stays empty.
void ami_tables_row(ami_tables *tables);
void ami_tables_text(ami_tables *tables, const char *text);
/// NAN leaves the cell empty (null in JSON); infinity prints as "never".
void ami_tables_number(ami_tables *tables, double value);
/// The same, marked good when it is at most `bound`.
void ami_tables_bounded(ami_tables *tables, double value, double bound);
/// The same, marked good when it is more than `bound`.
void ami_tables_at_least(ami_tables *tables, double value, double bound);
/// A line below the table.
void ami_tables_note(ami_tables *tables, const char *format, ...) AM_PRINTF(2, 3);
/// Bars of a column over the rows, on the page; `rows_from` leaves rows at the top out.
void ami_tables_plot(ami_tables *tables, const char *column, int rows_from);
/// A track seen from above, on the page.
void ami_tables_track(ami_tables *tables, const char *caption, const am_track *track);
/// The same over the path that it was to follow; also in JSON, as "tracks".
void ami_tables_path(ami_tables *tables, const char *caption, const am_track *track, const am_polyline *path);
/// A curve through `count` points of positive numbers; `top` (or NULL) are the upper ends of whiskers on them.
typedef struct ami_curve {
    const char *name;
    const double *x, *y, *top; ///< [count]
    int count;
} ami_curve;
#define AM_MAX_CURVES 12 ///< in one plot
/// Curves over logarithmic axes, on the page.
void ami_tables_curves(ami_tables *tables, const char *caption, const char *x_axis, const char *y_axis,
                       const ami_curve *curves, int count);
/// The same over even axes: numbers may be 0 or below; whiskers are not drawn.
void ami_tables_lines(ami_tables *tables, const char *caption, const char *x_axis, const char *y_axis,
                      const ami_curve *curves, int count);
/// How many cells are marked bad.
int ami_tables_bad_count(const ami_tables *tables);

/// Text for a terminal. Free it with am_bytes_free.
am_result ami_tables_print(am_bytes *out, const ami_tables *tables, am_error *err);
/// Writes {"tables": [{"name", "columns", "rows", "about", "notes", "tracks"}]}, tracks with paths as
/// {"caption", "path": [[x, z]], "track": [[x, z]]} and only where there are any; cells are numbers, texts or null
/// ("never" for an infinite number).
void ami_tables_json(am_json_writer *writer, const ami_tables *tables);
/// One self-contained HTML page. Free it with am_bytes_free.
am_result ami_tables_page(am_bytes *out, const ami_tables *tables, const char *title, const char *about,
                          am_error *err);

#endif

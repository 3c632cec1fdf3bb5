/// Tables from the inside: lists in one arena.
#ifndef AMBLE_LAB_TABLES_PARTS_H
#define AMBLE_LAB_TABLES_PARTS_H

#include "tables.h"

#include "base/memory.h"

typedef struct ami_cell {
    const char *text; ///< NULL for a number
    double number;
    ami_mark mark;
    bool filled;
} ami_cell;

typedef struct ami_row {
    struct ami_row *next;
    ami_cell *cells; ///< [AM_MAX_COLUMNS]
    int count;
} ami_row;

/// A note, a plot, a track or curves, in the order they were asked for.
typedef struct ami_extra {
    struct ami_extra *next;
    enum { ami_extra_note, ami_extra_plot, ami_extra_track, ami_extra_curves } kind;
    const char *text;
    const char *axes[2];
    ami_curve *curves;
    int curve_count;
    bool even; ///< axes
    int column, rows_from;
    am_vec3 *places;
    int place_count;
    am_vec3 *path; ///< NULL without one
    int path_count;
} ami_extra;

typedef struct ami_table {
    struct ami_table *next;
    const char *name, *about;
    const char *columns[AM_MAX_COLUMNS];
    int digits[AM_MAX_COLUMNS];
    int column_count, row_count;
    ami_row *rows, *last_row;
    ami_extra *extras, *last_extra;
} ami_table;

struct ami_tables {
    am_alloc alloc;
    ami_arena arena;
    ami_table *tables, *last;
    bool failed;
};

/// A cell as people read it, at most `size` bytes with its end.
void ami_cell_format(char *out, size_t size, const ami_cell *cell, int digits);

// ---------------------------------------------------------------------------------------------
// Plots as inline SVG; colours come from the page's style sheet

/// One bar of a horizontal bar chart; `red` for what is beyond its bound.
typedef struct ami_bar_row {
    const char *label;
    double value;
    bool red;
} ami_bar_row;
bool ami_plot_bar_rows(am_bytes *out, const ami_bar_row *bars, int count, int digits);

/// A track seen from above: +z up, +x (the left) to the left; the start is a dot. path(path_count), which may be
/// none, lies below it.
bool ami_plot_track(am_bytes *out, const am_vec3 *places, int count, const am_vec3 *path, int path_count);

/// Curves with their names beside them: of positive numbers over logarithmic axes, or of any over even ones.
typedef struct ami_curves {
    const ami_curve *curves;
    int count;
    const char *x_axis, *y_axis;
    bool even;
} ami_curves;
bool ami_plot_curves(am_bytes *out, const ami_curves *plot);

#endif

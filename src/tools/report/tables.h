/// Internals of tables: lists in one arena.
#ifndef AMI_MEASURE_TABLES_H
#define AMI_MEASURE_TABLES_H

#include <amble/tools/tables.h>

#include "base/memory.h"

typedef struct ami_cell {
    const char *text; ///< NULL for a number
    double number;
    am_mark mark;
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
    am_curve *curves;
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

struct am_tables {
    am_alloc alloc;
    ami_arena arena;
    ami_table *tables, *last;
    bool failed;
};

/// A cell as people read it, at most `size` bytes with its end.
void ami_cell_format(char *out, size_t size, const ami_cell *cell, int digits);

#endif

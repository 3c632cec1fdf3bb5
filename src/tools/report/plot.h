/// Small plots as inline SVG: bars, heat maps, roses, tracks, curves. Colours come from the page's style sheet.
#ifndef AMI_MEASURE_PLOT_H
#define AMI_MEASURE_PLOT_H

#include <amble/math.h>
#include <amble/tools/tables.h>

/// Bars of shares (0 to 1 of the whole) with a label under each.
typedef struct ami_bars {
    const double *values;      ///< [count]
    const char *const *labels; ///< [count]
    int count;
    const char *axis; ///< what the labels measure
    const char *unit; ///< printed behind each value, e.g. "%"
} ami_bars;
bool ami_plot_bars(am_bytes *out, const ami_bars *bars);

/// A grid of shares; darker is more, on a root scale so that rare cells still show.
typedef struct ami_heat {
    const double *values; ///< [row][column], seconds
    const char *const *rows;
    const char *const *columns;
    int row_count, column_count;
    const char *row_axis, *column_axis;
} ami_heat;
bool ami_plot_heat(am_bytes *out, const ami_heat *heat);

/// The same seen from above the character: rings are speeds, sectors directions, forward is up, left is left.
typedef struct ami_rose {
    const double *values; ///< [ring][sector], seconds; sector 0 is forward, then to the left
    const char *const *rings;
    const char *const *sectors;
    int ring_count, sector_count;
} ami_rose;
bool ami_plot_rose(am_bytes *out, const ami_rose *rose);

/// One bar of a lying bar chart; `red` for what is beyond its bound.
typedef struct ami_bar_row {
    const char *label;
    double value;
    bool red;
} ami_bar_row;
bool ami_plot_bar_rows(am_bytes *out, const ami_bar_row *bars, int count, int digits);

/// A way over the ground seen from above: +z up, +x (the left) to the left; the start is a dot.
/// path(path_count), which may be none, lies below it.
bool ami_plot_track(am_bytes *out, const am_vec3 *places, int count, const am_vec3 *path, int path_count);

/// Curves with their names beside them: of positive numbers over logarithmic axes, or of any over even ones.
typedef struct ami_curves {
    const am_curve *curves;
    int count;
    const char *x_axis, *y_axis;
    bool even;
} ami_curves;
bool ami_plot_curves(am_bytes *out, const ami_curves *plot);

/// Text with <, >, & and quotes made harmless.
bool ami_put_escaped(am_bytes *out, const char *text);

#endif

/// Small plots as inline SVG: bars, heat maps, roses. Colours come from the page's style sheet.
#ifndef AMI_MEASURE_PLOT_H
#define AMI_MEASURE_PLOT_H

#include <amble/base.h>
#include <amble/tools/files.h>

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

/// Text with <, >, & and quotes made harmless.
bool ami_put_escaped(am_bytes *out, const char *text);

#endif

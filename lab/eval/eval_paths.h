/// What the parts of `amble eval paths` share.
#ifndef AMBLE_CLI_EVAL_PATHS_H
#define AMBLE_CLI_EVAL_PATHS_H

#include "eval.h"
#include <amble/tools/metrics.h>

enum { path_starts = 5 }; // four centimetres and ten degrees apart; the worst counts

/// How a path is followed in one row of a table.
typedef struct path_row {
    const char *name;
    const am_db *db; ///< with the features that its method needs; NULL: the table's
    am_path_method method;
    int k, l;            ///< l 1: basic matching
    bool own_root;       ///< the animation alone moves the root, as in the paper
    float v_max;         ///< 0: the database's
    const double *paper; ///< the paper's figures for the four paths; below 0: it fails. NULL: the paper has none
} path_row;

/// The result of one path with one row, from all starts.
typedef struct path_score {
    double error, cover, cover_max, ratio, end, oscillation; ///< the worst of all starts, oscillation their mean
    double error_mean;                                       ///< over the starts that came to the end
    double slide, skate, jitter, played_jitter;              ///< worst; the last of the same start as the jitter
    double speed, speed_most;                                ///< m/s, of the first start over half a second
    double search_us, searches;                              ///< means of a call
    int completed, recoveries;
    am_vec3 *places, *line; ///< of the first start, and the drawing; free() them
    int place_count, line_count;
    float dt, drawn_mps; ///< of the drawing: its mean speed
    am_result result;
    am_error err;
} path_score;

/// Plays a path from all starts. samples(count) from the file or made; *score is written.
void path_play(path_score *score, const am_db *db, const am_db_measures *own, const path_row *row,
               const am_path_sample *samples, int count);
void path_score_free(path_score *score);
/// The bound of path_time_ratio for a drawing: 1.3 within 2 m/s, 2 elsewhere.
double path_ratio_bound(const path_score *score);

/// Reads the samples of configs/runs/NAME.json; free() *out.
am_result path_read(am_path_sample **out, int *count, const char *name, am_error *err);

/// eval_paths_new.c: rows(row_count) compared on smooth curves.
am_result path_table_smooth(eval *e, const am_db *db, const am_db_measures *own, const path_row *rows, int row_count,
                            am_error *err);
/// eval_paths_new.c: the table of new paths, which nothing was tuned for.
am_result path_table_new(eval *e, const am_db *db, const am_db_measures *own, am_error *err);

/// eval_paths_direction.c: the facings of DirectionNet along held-out clips, predicted and in play.
am_result path_table_direction(eval *e, const am_db *db, const char *config, am_error *err);

#endif

/// What the evaluations share: tables to fill, tasks, options.
#ifndef AMBLE_CLI_EVAL_H
#define AMBLE_CLI_EVAL_H

#include "cli.h"
#include "tables.h"
#include <amble/base.h>
#include <amble/db.h>
#include <amble/net.h>

typedef struct eval {
    bool quick;             ///< fewer courses and variants
    const char *config;     ///< of the database to use, NULL means the evaluation's own choice
    const char *model;      ///< networks to evaluate, NULL means those that ship
    const char *compressor; ///< model with the Compressor, NULL means the same
    const char *ablation;   ///< model of Compressor and Decompressor trained otherwise, to set beside it; or NULL
    const char *networks;   ///< operators: folder of networks trained by configs/recipes/operators; or NULL
    const char *keep;       ///< model file to write, with the results in its provenance; or NULL
    bool pushes;            ///< fields: pushes alone
    bool timings;           ///< columns that differ from run to run
    ami_tables *tables;
    const am_tasks *tasks;
    const am_progress *progress;
    bool json;       ///< tables go to a program
    char title[80];  ///< of the page
    char on[300];    ///< what stands in for motion capture that is not here, else ""
    char about[400]; ///< what was run on which data, for the page and the end of the text
} eval;

/// Prints at once what the evaluation runs on when motion capture is missing; the page says it, too.
void eval_without_capture(eval *e, const char *instead);

/// Writes the model with what the tables say about its quality in its provenance (e->keep), as measured on db.
am_result eval_keep(const eval *e, const am_model *model, const am_db *db, am_error *err);

/// One file each.
am_result eval_matching(eval *e, am_error *err);
am_result eval_motion(eval *e, am_error *err);
am_result eval_paths(eval *e, am_error *err);
am_result eval_responsive(eval *e, am_error *err);
am_result eval_learned(eval *e, am_error *err);
am_result eval_fields(eval *e, am_error *err);
am_result eval_operators(eval *e, am_error *err);

#endif

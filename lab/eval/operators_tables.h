/// Tables of Operators section 6 over a folder of networks that recipes of configs/recipes/operators gave.
#ifndef AMBLE_LAB_OPERATORS_TABLES_H
#define AMBLE_LAB_OPERATORS_TABLES_H

#include "behaviours.h"
#include "rollouts.h"

typedef struct operators_shelf {
    eval *e;
    const am_db *db;
} operators_shelf;

/// FOLDER/NAME.amnet, or NULL when it is not there, which is noted below the table at hand. A model over another
/// database than the one at hand is refused.
am_result operators_open(const operators_shelf *s, const char *name, am_model **out, am_error *err);

/// One file each. Networks that are absent are named.
am_result operators_motion(const operators_shelf *s, am_error *err);   ///< tables 1 and 2, figures 8 and 14
am_result operators_costs(const operators_shelf *s, am_error *err);    ///< table 3
am_result operators_encoder(const operators_shelf *s, am_error *err);  ///< 6.2.1 and figure 12
am_result operators_transfer(const operators_shelf *s, am_error *err); ///< figure 13
/// Fills in the rest of a control that was made by hand (configs/schemas/operators/by_hand.json).
void operators_by_hand(const behaviours *b, am_control *control, am_transform root);

/// Cells of rollouts_quality; `columns` of a table that has them.
void operators_quality(ami_tables *t, const rollouts_quality *q, const rollouts_quality *captured);
#define OPERATORS_QUALITY                                                                                            \
    { "foot slide cm", 3 }, { "x captured", 2 }, { "jitter cm/f2", 3 }, { "x captured jitter", 2 },                  \
        { "toe pen. cm", 3 }, { "toe pen. freq. %", 2 }, { "heel pen. cm", 3 }, { "heel pen. freq. %", 2 },          \
        { "stands %", 1 },                                                                                           \
    {                                                                                                                \
        "longest stand s", 1                                                                                         \
    }

#endif

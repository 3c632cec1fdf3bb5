/// Learned motion matching (LMM section 4): a character that is three small networks and no database.
///
/// Its model has the parts `decompressor` (x, z -> pose), `stepper` (x, z -> change a second of x and z) and
/// `projector` (query x -> x, z), and two attachments: `character`, a small database of start states whose poses are
/// the network's own, with skeleton, roles, feature schema and tag names; and `facts` (am_facts).
/// am_learned_pack makes the attachments when training is over.
#ifndef AMBLE_LEARNED_H
#define AMBLE_LEARNED_H

#include <amble/source.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_LEARNED_CHARACTER "character"
#define AM_LEARNED_FACTS "facts"

/// How a learned source is made. Start from am_learned_def_default().
typedef struct am_learned_def {
    const am_alloc *alloc;
    const am_model *model; ///< borrowed
    float search_every_s;  ///< time between projections (default 1/6: ten frames at 60 Hz)
    float far;             ///< distance of a query from its projection beyond which the last good target is used
                           ///< instead; 0 means no limit, below 0 (the default) what was learnt when it was packed
    am_net_mode mode;      ///< exact by default: the same bits everywhere
    const char *kernels;   ///< as in am_net_def
    uint32_t cookie;
} am_learned_def;
AM_API am_learned_def am_learned_def_default(void);
/// Refuses models without the three parts and the two attachments, or whose sizes do not fit one another. The
/// source's `db` is the small database of start states; it lives as long as the source.
AM_API am_result am_learned_create(am_source **out, const am_learned_def *def, am_error *err);

/// A copy of a model of the three parts with the attachments that make it a character. Start states are projected
/// from frames of `db` that stand, walk, run, creep, jump and dance; their poses are decompressed. Facts are measured
/// over all of `db`.
AM_API am_result am_learned_pack(am_model **out, const am_model *model, const am_db *db, const am_alloc *alloc,
                                 am_error *err);

/// A copy of a packed character whose parts have `weights` [model->part_count]. No data is needed: 8-bit weights are
/// rounded for the least error on what the networks meet in play, which is found by letting them play from the start
/// states. The same model gives the same bits.
AM_API am_result am_learned_weights(am_model **out, const am_model *model, const am_net_weights *weights,
                                    const am_alloc *alloc, am_error *err);

#ifdef __cplusplus
}
#endif
#endif

/// The library's own sources: matching, long-horizon matching, learned matching and motion fields.
#ifndef AMI_METHOD_SOURCES_H
#define AMI_METHOD_SOURCES_H

#include <amble/source.h>
#include "data/search.h"
#include "method/field_value.h"

/// Frees a source of any kind. NULL is allowed.
void ami_source_destroy(am_source *source);

// ---------------------------------------------------------------------------------------------
// Matching

/// Motion matching (LMM section 3). Start from ami_match_def_default().
typedef struct ami_match_def {
    const am_alloc *alloc;
    const am_db *db;              ///< borrowed
    const am_index *index;        ///< borrowed, over db
    const am_model *decompressor; ///< borrowed: its part `decompressor` makes the poses from X and Z (LMM's DMM);
                                  ///< needed where the database has none of its own. NULL: the database's poses
    float search_every_s;         ///< time between searches (default 1/6: ten frames at 60 Hz)
    float stay_bias;              ///< cost taken off playing on, >= 0 (default 0)
    float surround_s;             ///< frames this near the playing one are not jumped to
    float rough_mps2; ///< a frame where a captured joint accelerates by more is landed on only when none of the
                      ///< next best is smoother; 0 means no limit
    uint32_t cookie;
} ami_match_def;
ami_match_def ami_match_def_default(void);
am_result ami_match_create(am_source **out, const ami_match_def *def, am_error *err);

/// Long-horizon motion matching (LHMM section IV). Start from ami_long_horizon_def_default().
///
/// Each of the k nearest frames is played on virtually for search_every_s and searched again, level after level; the
/// frame whose best future has the smallest sum of costs is taken: 1 + k + ... + k^(l-1) searches. One level, or a
/// target without a horizon, is plain matching.
typedef struct ami_long_horizon_def {
    ami_match_def match;
    int k;             ///< branches, 1 to AMI_MAX_HITS (default 3)
    int l;             ///< levels, 1 to 8 (default 3)
    int most_searches; ///< of one call; beyond it, or beyond AMI_MOST_BRANCHES a level, the most expensive branches
                       ///< stay unexplored. 0 means no limit: then the whole tree must fit
    uint32_t cookie;
} ami_long_horizon_def;
/// Branches of the last level, k^(l-1), that are explored without a limit of searches: LHMM(10, 3) has 100.
#define AMI_MOST_BRANCHES 128
#define AMI_TREE_REFUSED                                                                                             \
    "k %d and l %d make more than %d branches a level; lower them, or set most_searches, which leaves the most "     \
    "expensive branches unexplored"
bool ami_tree_fits(int k, int l, int most_searches);
ami_long_horizon_def ami_long_horizon_def_default(void);
am_result ami_long_horizon_create(am_source **out, const ami_long_horizon_def *def, am_error *err);

// ---------------------------------------------------------------------------------------------
// Learned motion matching (LMM section 4): a character that is three small networks and no database.
//
// Its model has the parts `decompressor` (x, z -> pose), `stepper` (x, z -> change a second of x and z) and
// `projector` (query x -> x, z), and two attachments: `character`, a small database of start states whose poses are
// the network's own, with skeleton, roles, feature schema and tag names; and `facts` (am_facts). ami_learned_pack
// makes the attachments when training is over.

#define AMI_LEARNED_FACTS "facts"

/// How a learned source is made. Start from ami_learned_def_default().
typedef struct ami_learned_def {
    const am_alloc *alloc;
    const am_model *model; ///< borrowed
    float search_every_s;  ///< time between projections (default 1/6: ten frames at 60 Hz)
    float far;             ///< distance of a query from its projection beyond which the last good target is used
                           ///< instead; 0 means no limit, below 0 (the default) what was learnt when it was packed
    am_net_mode mode;      ///< exact by default: the same bits everywhere
    const char *kernels;   ///< as in am_net_def
    uint32_t cookie;
} ami_learned_def;
ami_learned_def ami_learned_def_default(void);
/// Refuses models without the three parts and the two attachments, or whose sizes do not fit one another. The
/// source's `db` is the small database of start states; it lives as long as the source.
am_result ami_learned_create(am_source **out, const ami_learned_def *def, am_error *err);

// ---------------------------------------------------------------------------------------------
// Motion fields: the flow of a character's state, tick after tick, with a policy that chooses among the actions of
// every tick (Fields sections 3.2 and 4).

/// What scripts and the studio take for ami_field_source_def.wander_s.
#define AMI_FIELD_WANDER_S 1.5f

/// How such a source is made. Start from ami_field_source_def_default().
typedef struct ami_field_source_def {
    const am_alloc *alloc;
    const ami_field *field;               ///< borrowed
    const ami_field_value *value;         ///< borrowed, of the same field; needed for AM_FIELD_LOOKAHEAD
    const ami_field_value *const *values; ///< [value_count] borrowed, of the same field: settings choose among them
    int value_count;
    ami_field_task task; ///< for AM_FIELD_GREEDY; AM_FIELD_LOOKAHEAD takes the value's (default: direction)
    am_field_policy policy;
    float wander_s; ///< AM_FIELD_PASSIVE moves over to another motion about this often, while nothing acts on it:
                    ///< else it ends in one cycle. 0: never (default)
    uint32_t cookie;
} ami_field_source_def;
ami_field_source_def ami_field_source_def_default(void);
/// The state ticks at the field's rate; steps of any length show it in between, along curves through the ticks. The
/// task's target comes from am_source_input: its direction is that of the desired velocity, or the desired facing.
/// Without a desired point a line begins where the character is when the desired direction changes.
am_result ami_field_source_create(am_source **out, const ami_field_source_def *def, am_error *err);

/// The field of such a source; NULL for other sources.
const ami_field *ami_field_source_field(const am_source *source);

#endif

/// What plain and long-horizon matching share.
#ifndef AMI_SOURCE_MATCH_H
#define AMI_SOURCE_MATCH_H

#include <amble/source.h>

#include "method/sources.h"

/// How far ahead a choice looks.
typedef struct ami_ahead {
    int k, l;          ///< branches and levels; one level is no lookahead
    int frames;        ///< between two levels
    int most_searches; ///< 0 means no limit
    bool distances;    ///< levels add up distances instead of their squares
} ami_ahead;

/// A body somewhere in the database and in the world.
typedef struct ami_match_moment {
    am_transform root;
    int frame;
    float fraction;
    const am_transform *pose; ///< [joint] in the root's space where it differs from the frame's; otherwise NULL
    const am_velocity *velocity;
    const am_vec3 *feet; ///< [2] am_source_input.feet, or NULL
} ami_match_moment;

/// match.c: out(stride) = stored features of the moment, with the desired trajectory.
void ami_match_query(const am_source *source, float *out, const ami_match_moment *moment,
                     const am_query_point *trajectory, int trajectory_count);
/// match.c: a source that looks ahead; its frames between two levels are filled in. NULL is plain matching.
am_result ami_matching_create(am_source **out, const ami_match_def *def, const ami_ahead *ahead, am_error *err);
/// long_horizon.c: which of first(count), the nearest frames with their costs, has the best future. totals(count)
/// gets the sum of each over the levels: of its best whole path, at least the best one's where its branches were left
/// out because they could no longer win, infinite where searches ran out. *searches grows by the searches that it
/// took.
int ami_look_ahead(const am_source *source, const ami_ahead *ahead, float *totals, const am_hit *first, int count,
                   const am_source_input *input, am_search_work *work, int *searches);

/// landing.c: the largest second difference of any joint in the three frames after a landing, m.
float ami_roughness(const am_db *db, int frame);
/// landing.c: out(frame_count) gets the same for all frames of a range, measured.
void ami_roughness_range(const am_db *db, float *out, const am_db_range *range);
/// standing_frame.c: the offered frame nearest to standing, measured; of those tagged idle when there are any.
int ami_find_standing(const am_db *db, const am_index *index);

#endif

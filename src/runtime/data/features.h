/// Feature schemas: which numbers describe a frame for matching (X), how they are made from motion (bake) and from a
/// controller's target (query), and how they are scaled. A schema names body parts by role and times in seconds, so
/// it fits any rig and any rate.
///
/// Raw features are in the character's frame: origin at the ground root, +z the root's facing, metres and metres
/// per second. A stored feature is (raw - offset) / scale, where scale = standard deviation / weight, so that the
/// squared Euclidean distance of two stored rows already carries the weights (LMM section 3).
#ifndef AMI_DATA_FEATURES_H
#define AMI_DATA_FEATURES_H

#include <amble/db.h>

/// Whether a channel describes the target (trajectory, facing, height, tags, ground, the caller's numbers) rather
/// than the body.
bool ami_channel_is_target(const am_channel *channel);

/// out(stride) = stored form of raw(raw_count); the padding is set to zero. out must not overlap raw.
void ami_features_normalise(const am_features *features, float *out, const float *raw);
/// out(raw_count) = raw form of x(stride); with PCA the nearest one.
void ami_features_denormalise(const am_features *features, float *out, const float *x);

/// Moves the feet of raw(raw_count) by feet(2), left and right, in the character's frame.
void ami_features_move_feet(const am_schema *schema, float *raw, const am_vec3 *feet);

/// The present state and the target of a controller. Start from ami_query_default(); what is left out comes from
/// `current`.
typedef struct ami_query {
    const float *current;             ///< [raw_count] raw features of the frame that plays, or NULL: zeros
    am_transform root;                ///< the character's ground root in the world
    const am_transform *pose;         ///< [joint] in the root's space, or NULL: from `current`
    const am_velocity *velocity;      ///< [joint] in the root's space, or NULL: from `current`
    const am_roles *roles;            ///< needed with pose or velocity
    const am_query_point *trajectory; ///< [trajectory_count], or NULL: from `current`
    int trajectory_count;
    const uint64_t *tags; ///< wanted tag bits, or NULL: from `current`
    const float *terrain; ///< [dims of the terrain channel] raw, or NULL: from `current`
    const float *custom;  ///< [custom_count], or NULL: from `current`
    uint32_t cookie;
} ami_query;
ami_query ami_query_default(void);

/// raw(raw_count): each channel reads the query, and takes from query->current what the query leaves out.
void ami_query_raw(const am_schema *schema, float *raw, const ami_query *query);
/// out(stride): the same in stored form, ready for a search. Allocates nothing.
void ami_query_make(const am_features *features, float *out, const ami_query *query);

#endif

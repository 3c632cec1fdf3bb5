/// Feature schemas: which numbers describe a frame for matching (X), how they are made from motion (bake) and from a
/// controller's target (query), and how they are scaled. A schema names body parts by role and times in seconds, so
/// it fits any rig and any rate.
///
/// Raw features are in the character's frame: origin at the ground root, +z the root's facing, metres and metres a
/// second. A stored feature is (raw - offset) / scale, where scale = standard deviation / weight, so that the
/// squared Euclidean distance of two stored rows already carries the weights (LMM section 3).
#ifndef AMBLE_FEATURES_H
#define AMBLE_FEATURES_H

#include <amble/skeleton.h>
#include <amble/json.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_CHANNELS 64  ///< of one schema
#define AM_MAX_TIMES 16     ///< of one channel; LHMM's longest query has nine
#define AM_MAX_FEATURES 512 ///< raw dimensions of one schema
#define AM_MAX_CUSTOM 32    ///< dimensions of one custom channel
#define AM_MAX_TAGS 64      ///< tags are bits of a uint64_t
#define AM_NAME_SIZE 32     ///< bytes of a tag's or channel's name with its terminator

/// What a channel measures. src/runtime/data/feature_NAME.c has bake and query of each.
typedef enum am_feature {
    AM_FEATURE_POSITION,             ///< "position": a joint's position; 3 dims a time
    AM_FEATURE_VELOCITY,             ///< "velocity": a joint's velocity; 3 dims a time
    AM_FEATURE_HEADING,              ///< "heading": where a joint faces on the ground; 2 dims (x, z)
    AM_FEATURE_TRAJECTORY_POSITION,  ///< "trajectory_position": the ground root at other times; 2 or 3 dims a time
    AM_FEATURE_TRAJECTORY_DIRECTION, ///< "trajectory_direction": facing or motion there; 2 or 3 dims a time
    AM_FEATURE_HEIGHT,               ///< "height": a joint's height above the floor; 1 dim a time
    AM_FEATURE_TAG,                  ///< "tag": one-hot of some tags; 1 dim a tag
    AM_FEATURE_TERRAIN,              ///< "terrain": ground height under the toes against the hips; 2 dims a time
    AM_FEATURE_CUSTOM,               ///< "custom": numbers that the builder is given for each frame
    AM_FEATURE_COUNT
} am_feature;
AM_API const char *am_feature_name(am_feature kind);

/// What shares one standard deviation.
typedef enum am_normalise {
    AM_NORMALISE_CHANNEL, ///< "channel": all dimensions of the channel (LMM: "each feature, e.g. left foot position")
    AM_NORMALISE_DIMENSION, ///< "dimension": each by itself (LHMM appendix A)
    AM_NORMALISE_NONE       ///< "none": offset 0, scale 1 / weight
} am_normalise;

/// What a trajectory direction is: the errata of Responsive eq. 2 make it a choice.
typedef enum am_trajectory_direction {
    AM_TRAJECTORY_FACING,  ///< "facing": the root's facing (LMM); with three axes the hips' own, pitch included
    AM_TRAJECTORY_VELOCITY ///< "velocity": the way the hips move (Responsive); the facing below 0.1 m/s
} am_trajectory_direction;

/// What y means in a trajectory position of three axes.
typedef enum am_height {
    AM_HEIGHT_ABSOLUTE, ///< "absolute": the hips' height above the floor (creep: 0.4 m, as Responsive 3.3.1)
    AM_HEIGHT_RELATIVE  ///< "relative": against the hips' height now (Responsive eq. 2 to the letter)
} am_height;

/// One channel. This is also its record in a database file (docs/format-amdb.md): 256 bytes.
typedef struct am_channel {
    char name[AM_NAME_SIZE]; ///< unique in the schema; made from kind and joint when the schema gives none
    int32_t kind;            ///< am_feature
    int32_t role;            ///< am_role of the joint, -1 when the kind has none
    int32_t axes;            ///< 2 (x, z) or 3 (x, y, z) for the trajectory kinds
    int32_t direction;       ///< am_trajectory_direction
    int32_t height;          ///< am_height
    int32_t normalise;       ///< am_normalise
    int32_t first;           ///< its first dimension in a raw row
    int32_t dims;            ///< how many it has
    int32_t time_count;
    int32_t tag_count;
    int32_t custom_first;         ///< custom kind: its first number in a frame's custom numbers
    float weight;                 ///< >= 0
    float times[AM_MAX_TIMES];    ///< seconds from now, negative = past
    uint8_t tags[AM_MAX_TIMES];   ///< tag kind: indices into the tag names
    int8_t mirror[AM_MAX_CUSTOM]; ///< custom kind: for each dim of a mirrored frame, +-(source dim + 1); 0 = its own
    uint8_t reserved[64];         ///< zero
} am_channel;

/// A whole schema. Plain data; copy it freely.
typedef struct am_schema {
    int channel_count;
    int raw_count;    ///< dimensions before PCA
    int custom_count; ///< custom numbers a frame
    int pca_count;    ///< dimensions kept by PCA, 0 = no PCA
    int tag_count;    ///< tags that its tag channels name
    am_channel channels[AM_MAX_CHANNELS];
    char tag_names[AM_MAX_TAGS][AM_NAME_SIZE];
} am_schema;

/// Reads a schema from JSON: {"normalise": "channel", "pca": 0, "channels": [{"kind": "position", "joint":
/// "left_foot", "weight": 1}, ...]}. Unknown keys, roles and kinds are errors that name the nearest known one.
AM_API am_result am_schema_parse(am_schema *out, const am_json_doc *doc, const am_json *object, am_error *err);
/// The 27 features of LMM: trajectory positions and directions at 20, 40, 60 frames of 60 Hz, feet, hips velocity.
AM_API am_schema am_schema_lmm(void);
/// Index of the channel called `name`, or -1.
AM_API int am_schema_find(const am_schema *schema, const char *name);
/// Whether a channel describes the target (trajectory, facing, height, tags, ground, the caller's numbers) rather
/// than the body.
AM_API bool am_channel_is_target(const am_channel *channel);
/// A word for one raw dimension: "left_foot_position.x", "trajectory_position@0.333.z". Always terminated.
AM_API void am_schema_dim_name(const am_schema *schema, int dim, char *out, size_t size);

/// A schema with its scaling: everything that turns raw features into stored ones. Belongs to a database (or a
/// network).
typedef struct am_features {
    const am_schema *schema;
    int raw_count;       ///< dimensions before PCA
    int count;           ///< dimensions stored: raw_count, or pca_count
    int stride;          ///< floats from row to row: count rounded up to a multiple of 8, the rest zero
    const float *offset; ///< [raw] mean
    const float *scale;  ///< [raw] standard deviation / weight; 1 where the data do not vary
    const float *weight; ///< [raw]
    const float *pca;    ///< [count][raw] orthonormal rows, largest variance first; NULL without PCA
} am_features;

/// out(stride) = stored form of raw(raw_count); the padding is set to zero. out must not overlap raw.
AM_API void am_features_normalise(const am_features *features, float *out, const float *raw);
/// out(raw_count) = raw form of x(stride); with PCA the nearest one.
AM_API void am_features_denormalise(const am_features *features, float *out, const float *x);

/// A point of the desired trajectory, in the world.
typedef struct am_query_point {
    float time;        ///< seconds from now; points ascend in time
    am_vec3 position;  ///< of the ground root; y is the hips' height above the floor
    am_vec3 direction; ///< facing, unit length
    am_vec3 velocity;  ///< m/s
} am_query_point;

/// The present state and the target of a controller. Start from am_query_default(); what is left out comes from
/// `current`.
typedef struct am_query {
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
} am_query;
AM_API am_query am_query_default(void);

/// raw(raw_count): each channel reads the query, and takes from query->current what the query leaves out.
AM_API void am_query_raw(const am_schema *schema, float *raw, const am_query *query);
/// out(stride): the same in stored form, ready for a search. Allocates nothing.
AM_API void am_query_make(const am_features *features, float *out, const am_query *query);

#ifdef __cplusplus
}
#endif
#endif

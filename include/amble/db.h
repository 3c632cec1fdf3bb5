/// The database: every pose Y and every feature row X of a set of clips, with ranges, contacts and tags, in one
/// immutable memory image. The file is that image (docs/format-amdb.md), so loading only maps it.
///
/// Frames of all ranges lie one after another. A pose is a ground root (position on y = 0, rotation about y) and
/// local transforms, joint 0 (hips) relative to that root; root * local is the world. Velocities are not stored: they
/// are finite differences within the range (LMM 6.2), and translations that never change are stored once, in the
/// skeleton. Times beyond the end of a clip take its last frame, times before its start the first.
#ifndef AMBLE_DB_H
#define AMBLE_DB_H

#include <amble/skeleton.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Features: which numbers describe a frame for matching (X). A schema names body parts by role and times in seconds,
// so that it fits any rig and any rate.
//
// Raw features are in the character's frame: origin at the ground root, +z the root's facing, metres and metres per
// second. A stored feature is (raw - offset) / scale, where scale = standard deviation / weight, so that the squared
// Euclidean distance of two stored rows already carries the weights (LMM section 3).

#define AM_MAX_CHANNELS 64  ///< of one schema
#define AM_MAX_TIMES 16     ///< of one channel; LHMM's longest query has nine
#define AM_MAX_FEATURES 512 ///< raw dimensions of one schema
#define AM_MAX_CUSTOM 32    ///< dimensions of one custom channel
#define AM_MAX_TAGS 64      ///< tags are bits of a uint64_t
#define AM_NAME_SIZE 32     ///< bytes of a tag's or channel's name with its terminator

/// What a channel measures. Files store these numbers.
typedef enum am_feature {
    AM_FEATURE_POSITION,             ///< "position": a joint's position; 3 dims per time
    AM_FEATURE_VELOCITY,             ///< "velocity": a joint's velocity; 3 dims per time
    AM_FEATURE_HEADING,              ///< "heading": where a joint faces on the ground; 2 dims (x, z)
    AM_FEATURE_TRAJECTORY_POSITION,  ///< "trajectory_position": the ground root at other times; 2 or 3 dims per time
    AM_FEATURE_TRAJECTORY_DIRECTION, ///< "trajectory_direction": facing or motion there; 2 or 3 dims per time
    AM_FEATURE_HEIGHT,               ///< "height": a joint's height above the floor; 1 dim per time
    AM_FEATURE_TAG,                  ///< "tag": one-hot of some tags; 1 dim per tag
    AM_FEATURE_TERRAIN, ///< "terrain": ground height under the toes relative to the hips; 2 dims per time
    AM_FEATURE_CUSTOM,  ///< "custom": numbers that the builder is given for each frame
    AM_FEATURE_COUNT
} am_feature;

/// Which dimensions share one standard deviation.
typedef enum am_normalise {
    AM_NORMALISE_CHANNEL, ///< "channel": all dimensions of the channel (LMM: "each feature, e.g. left foot position")
    AM_NORMALISE_DIMENSION, ///< "dimension": each by itself (LHMM appendix A)
    AM_NORMALISE_NONE       ///< "none": offset 0, scale 1 / weight
} am_normalise;

/// Which direction a trajectory has; the errata of Responsive eq. 2 leave the choice.
typedef enum am_trajectory_direction {
    AM_TRAJECTORY_FACING,  ///< "facing": the root's facing (LMM); with three axes the hips' own, pitch included
    AM_TRAJECTORY_VELOCITY ///< "velocity": where the hips move (Responsive); the facing below 0.1 m/s
} am_trajectory_direction;

/// What y means in a trajectory position of three axes.
typedef enum am_height {
    AM_HEIGHT_ABSOLUTE, ///< "absolute": the hips' height above the floor (creep: 0.4 m, as Responsive 3.3.1)
    AM_HEIGHT_RELATIVE  ///< "relative": to the hips' height now (Responsive eq. 2 to the letter)
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
    int custom_count; ///< custom numbers per frame
    int pca_count;    ///< dimensions kept by PCA, 0 = no PCA
    int tag_count;    ///< tags that its tag channels name
    am_channel channels[AM_MAX_CHANNELS];
    char tag_names[AM_MAX_TAGS][AM_NAME_SIZE];
} am_schema;

/// A schema with its scaling: everything that turns raw features into stored ones. Owned by a database or a network.
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

/// A point of the desired trajectory, in the world.
typedef struct am_query_point {
    float time;        ///< seconds from now; points ascend in time
    am_vec3 position;  ///< of the ground root; y is the hips' height above the floor
    am_vec3 direction; ///< facing, unit length
    am_vec3 velocity;  ///< m/s
} am_query_point;

/// A frame that a search found.
typedef struct am_hit {
    int frame;
    float cost; ///< squared distance in stored features, weighted
} am_hit;

// ---------------------------------------------------------------------------------------------
// Tags: up to 64 named bits on every frame. Queries over them (`walk and not (turn or jump)`) choose the frames of an
// activity: am_actor_set_tags.

/// The tags that `amble build` finds by itself. They are always the first of a database's tags, in this order.
typedef enum am_auto_tag {
    AM_TAG_IDLE,   ///< the root moves slower than 0.25 m/s and turns slower than 30 degrees per second
    AM_TAG_WALK,   ///< 0.25 to 2.0 m/s
    AM_TAG_RUN,    ///< faster
    AM_TAG_CREEP,  ///< hips lower than 0.9 times their height in the data's upright walks
    AM_TAG_JUMP,   ///< both toes above 4 cm for 0.2 s (a running step: 0.15 s), with wind-up and landing
    AM_TAG_TURN,   ///< the root turns faster than 60 degrees per second
    AM_TAG_WINDUP, ///< slower than a run with bent knees: the start of a sprint, a landing, and what leads into them
    AM_AUTO_TAG_COUNT
} am_auto_tag;

// ---------------------------------------------------------------------------------------------
// Database

#define AM_RANGE_MIRRORED 1u       ///< flag: the mirror image of its source clip
#define AM_MAX_DB_FRAMES (1 << 26) ///< twelve days at 60 Hz
#define AM_MAX_RANGES (1 << 20)
#define AM_MAX_LATENT 1024 ///< numbers of a frame's latent row

/// A stretch of frames without a cut. This is also its record in the file: 128 bytes.
typedef struct am_db_range {
    char name[64];        ///< source clip, "-a", "-b" for pieces, "_m" for mirrored ones
    int32_t start, stop;  ///< frames start .. stop - 1
    int32_t source;       ///< number of the source clip among the builder's
    int32_t source_first; ///< frame of the source clip (at its own rate) that became frame `start`
    float source_fps;
    int32_t head;         ///< frames at the start that a search should not offer
    int32_t tail;         ///< frames at the end that a search should not offer (LMM appendix A)
    uint32_t flags;       ///< AM_RANGE_*
    uint8_t reserved[32]; ///< zero
} am_db_range;

typedef enum am_precision {
    AM_PRECISION_FLOAT,  ///< rotations as four floats, translations as three
    AM_PRECISION_COMPACT ///< rotations in 48 bits (within 0.01 degrees), translations in 48 bits (1/65535 of their
                         ///< extent): what a web page loads
} am_precision;

/// Facts measured when the database was built. am_actor_get_facts gives those that a game may need.
typedef struct am_facts am_facts;

/// A database. Read it, do not write it.
typedef struct am_db {
    int frame_count;
    int joint_count;
    int moving_count;
    int range_count;
    int tag_count;
    float fps;
    am_precision precision;
    const char *name;
    const am_skeleton *skeleton;
    am_roles roles;
    const am_db_range *ranges;           ///< [range], ascending, without gaps
    const int16_t *moving;               ///< [moving] joints with translations of their own; joint 0 is the first
    const am_vec3 *root_positions;       ///< [frame]
    const am_quat *root_rotations;       ///< [frame]
    const am_quat *rotations;            ///< [frame][joint]; NULL when compact: use am_db_pose
    const am_vec3 *translations;         ///< [frame][moving]; NULL when compact
    const uint16_t *packed_rotations;    ///< [frame][joint][3] when compact
    const uint16_t *packed_translations; ///< [frame][moving][3] when compact
    const am_vec3 *packed_low;           ///< [moving] when compact
    const am_vec3 *packed_extent;        ///< [moving] when compact
    const uint8_t *contacts;             ///< [frame] AM_CONTACT_* bits
    const uint64_t *tags;                ///< [frame] bit t is tag_names[t]
    const char *const *tag_names;        ///< [tag]
    am_features features;
    const float *x;      ///< [frame][features.stride] stored features
    const float *z;      ///< [frame][latent_count] what a Compressor adds to the features; NULL without
    int latent_count;    ///< 0 without latents
    uint64_t latent_key; ///< says which Compressor made them: a Decompressor of the same key fits; 0 when unknown
    bool has_poses; ///< false when a Decompressor makes the poses (am_db_copy_def.drop_poses): am_db_pose gives the
                    ///< rest pose
    const am_facts *facts; ///< NULL in files older than version 2: an asset then measures them
    const char *config;    ///< how it was built (JSON text), "" when unknown
    uint64_t hash;         ///< of everything but `config`
    const void *image;     ///< the file's bytes
    size_t image_size;
    struct am_db_own *own; ///< internal
} am_db;

/// Maps a file and checks its header, section table and everything small, in a time that does not grow with the
/// number of frames. Refuses foreign, damaged and newer files (AM_ERR_FORMAT, AM_ERR_TRUNCATED, AM_ERR_CHECKSUM,
/// AM_ERR_VERSION).
AM_API am_result am_db_open(am_db **out, const char *path, const am_alloc *alloc, am_error *err);
/// The same over bytes that must outlive the database and be aligned to 16; `file` is their name in errors.
AM_API am_result am_db_from_memory(am_db **out, const void *data, size_t size, const char *file,
                                   const am_alloc *alloc, am_error *err);
/// NULL is allowed.
AM_API void am_db_close(am_db *db);
/// Reads everything: checks all checksums (AM_ERR_CHECKSUM), and that all numbers are finite (AM_ERR_NUMBER). The
/// error names section and offset.
AM_API am_result am_db_verify(const am_db *db, am_error *err);

/// The number of the range that holds `frame`.
AM_API int am_db_range_of(const am_db *db, int frame);
/// out(joint_count): the local transforms of a frame, joint 0 relative to the ground root.
AM_API void am_db_pose(const am_db *db, int frame, am_transform *out);
/// The stored features of a frame: [features.stride].
static inline const float *am_db_x(const am_db *db, int frame)
{
    return db->x + (size_t)frame * (size_t)db->features.stride;
}

#ifdef __cplusplus
}
#endif
#endif

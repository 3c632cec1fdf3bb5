/// The database: every pose Y and every feature row X of a set of clips, with ranges, contacts and tags, in one
/// immutable memory image. The file is that image (docs/format-amdb.md), so loading only maps it.
///
/// Frames of all ranges lie one after another. A pose is a ground root (position on y = 0, rotation about y) and
/// local transforms, joint 0 (hips) relative to that root; root * local is the world. Velocities are not stored: they
/// are finite differences within the range (LMM 6.2), and translations that never change are stored once, in the
/// skeleton. Times beyond the end of a clip take its last frame, times before its start the first.
#ifndef AMBLE_DB_H
#define AMBLE_DB_H

#include <amble/facts.h>
#include <amble/features.h>
#include <amble/skeleton.h>
#include <amble/tags.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_RANGE_MIRRORED 1u
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
    bool has_poses; ///< false when they were left out (am_db_copy_def.drop_poses): am_db_pose gives the rest pose
    const am_facts *facts; ///< NULL: the file is older than version 2; what needs them measures for itself
    const char *config;    ///< how it was built (JSON text), "" when unknown
    uint64_t hash;         ///< of everything but `config`
    const void *image;     ///< the file's bytes
    size_t image_size;
    struct am_db_own *own; ///< what it must free
} am_db;

/// Maps a file and checks header, section table and everything small, in a time that does not grow with the frames.
AM_API am_result am_db_open(am_db **out, const char *path, const am_alloc *alloc, am_error *err);
/// The same over bytes that the caller keeps alive; `data` must be aligned to 16.
AM_API am_result am_db_from_memory(am_db **out, const void *data, size_t size, const char *file,
                                   const am_alloc *alloc, am_error *err);
AM_API void am_db_close(am_db *db);
/// Reads every body: checksums, and that all numbers are finite. The error names section and offset.
AM_API am_result am_db_verify(const am_db *db, am_error *err);

/// The range that holds `frame`.
AM_API int am_db_range_of(const am_db *db, int frame);
/// `frame` + `offset` frames, clamped to the range that holds `frame`.
AM_API int am_db_clamp(const am_db *db, int frame, int offset);
/// The ground root in the clip's world.
AM_API am_transform am_db_root(const am_db *db, int frame);
/// out(joint_count): local transforms, joint 0 relative to the ground root.
AM_API void am_db_pose(const am_db *db, int frame, am_transform *out);
/// out(joint_count): local velocities by finite differences inside the range; scratch(2 * joint_count).
AM_API void am_db_velocity(const am_db *db, int frame, am_velocity *out, am_transform *scratch);
/// Velocity of the ground root, in the root's own frame at `frame`.
AM_API am_velocity am_db_root_velocity(const am_db *db, int frame);
/// The stored row of a frame.
static inline const float *am_db_x(const am_db *db, int frame)
{
    return db->x + (size_t)frame * (size_t)db->features.stride;
}
/// The latent row of a frame of a database that has them.
static inline const float *am_db_z(const am_db *db, int frame)
{
    return db->z + (size_t)frame * (size_t)db->latent_count;
}

/// Parses a tag query against the database's tags.
AM_API am_result am_db_tag_query(const am_db *db, am_tag_query *out, const char *text, am_error *err);

/// The range of a joint in motion data: rotation vectors of mean^-1 q between low and high, in radians.
typedef struct am_joint_range {
    am_quat mean;
    am_vec3 low, high;
} am_joint_range;

/// out(joint_count): the range of each joint's local rotation, joint 0's relative to the ground root. low and high
/// are the `share` and 1 - `share` quantiles over at most `most` frames, evenly spread; most 0 means every frame.
AM_API am_result am_joint_ranges(am_joint_range *out, const am_db *db, float share, int most, const am_alloc *alloc,
                                 am_error *err);
/// How far (rad) a rotation lies outside a range: the largest of the three components; 0 inside.
AM_API float am_joint_excess(const am_joint_range *range, am_quat rotation);
/// The rotation clamped to within `margin` (rad) of the range; the same bits when it is inside.
AM_API am_quat am_joint_clamp(const am_joint_range *range, am_quat rotation, float margin);

#ifdef __cplusplus
}
#endif
#endif

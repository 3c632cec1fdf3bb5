/// Making databases: from clips, from other databases, and files of them.
#ifndef AMBLE_TOOLS_DATABASE_H
#define AMBLE_TOOLS_DATABASE_H

#include <amble/db.h>
#include <amble/tools/formats.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One stretch of motion for am_db_create. Everything is borrowed for the call.
typedef struct am_db_clip {
    const am_clip *clip;           ///< on the database's skeleton; metres, y up, world space
    const am_vec3 *root_positions; ///< [frame] (am_root_track)
    const am_quat *root_rotations; ///< [frame]
    const uint8_t *contacts;       ///< [frame] or NULL
    const uint64_t *tags;          ///< [frame] or NULL
    const float *custom;           ///< [frame][schema custom_count] or NULL: zeros
    const char *name;              ///< NULL means the clip's
    int source, source_first;
    float source_fps; ///< 0 means the clip's
    int head, tail;   ///< frames that a search should not offer
    bool mirrored;
} am_db_clip;

/// How a database is made. Start from am_db_def_default().
typedef struct am_db_def {
    const am_alloc *alloc;
    const am_tasks *tasks;       ///< NULL means serial
    const am_progress *progress; ///< NULL means none
    const am_db_clip *clips;     ///< [clip_count]; all on the skeleton of the first: same shape and offsets
    int clip_count;
    am_roles roles;
    const am_schema *schema;
    const char *const *tag_names; ///< [tag_count]; the automatic ones first where they are used
    int tag_count;
    float toe_floor_m; ///< height of a standing toe joint above the ground (default 0.02)
    am_precision precision;
    const char *name;   ///< up to 63 bytes
    const char *config; ///< JSON text of provenance, or NULL
    uint32_t cookie;
} am_db_def;
AM_API am_db_def am_db_def_default(void);

/// Bakes poses and features into an image. The same def gives the same bytes for any tasks.
AM_API am_result am_db_create(am_db **out, const am_db_def *def, am_error *err);
/// Writes the image, all or nothing.
AM_API am_result am_db_write(const am_db *db, const char *path, am_error *err);
/// How a database is made from another one. Start from am_db_copy_def_default(). Everything is borrowed for the call.
/// Facts, filters and index are kept with the frames; a copy with frames, x or contacts of its own has none.
typedef struct am_db_copy_def {
    const am_alloc *alloc;
    const am_db *db;
    const int *frames; ///< [frame_count] frames to take, each a range of its own; NULL: all, in their ranges
    int frame_count;
    const char *const *names; ///< [frame_count] of those ranges, or NULL: of the ranges that they come from
    const float *z;           ///< [frame][latent_count] latents, or NULL: the database's own where it has some
    int latent_count;
    uint64_t latent_key;       ///< of z
    const float *x;            ///< [frame][features.count] stored features, or NULL: the database's
    const am_transform *poses; ///< [frame][joint] local, or NULL: the database's. With these the roots stand at the
                               ///< origin: nothing of the frames themselves is kept
    const uint8_t *contacts;   ///< [frame], or NULL: the database's
    bool drop_poses;           ///< leaves Y out (DMM: X and Z stay, and a Decompressor makes the poses)
    const char *config;        ///< NULL: the database's
    uint32_t cookie;
} am_db_copy_def;
AM_API am_db_copy_def am_db_copy_def_default(void);
AM_API am_result am_db_copy(am_db **out, const am_db_copy_def *def, am_error *err);

/// Clips of `count` ranges from `first` on, each in the clip's world, root recomposed: joint 0 is the hips again.
/// Free with am_clips_free.
AM_API am_result am_db_clips_of(const am_db *db, int first, int count, am_clips *out, const am_alloc *alloc,
                                am_error *err);

#ifdef __cplusplus
}
#endif
#endif

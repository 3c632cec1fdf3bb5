/// One clip into its stretch of an image: root-relative poses and raw feature rows.
#ifndef AMI_DB_BAKE_H
#define AMI_DB_BAKE_H

#include <amble/tools/database.h>

/// Where one clip goes. Arrays begin at the clip's first frame.
typedef struct ami_bake_target {
    am_vec3 *root_positions;    ///< [frame]
    am_quat *root_rotations;    ///< [frame]
    am_quat *rotations;         ///< [frame][joint]; NULL when compact
    am_vec3 *translations;      ///< [frame][moving], always float
    uint16_t *packed_rotations; ///< [frame][joint][3]; NULL when float
    uint8_t *contacts;          ///< [frame]
    uint64_t *tags;             ///< [frame]
    float *rows;                ///< [frame][row_stride] raw features
    size_t row_stride;
} ami_bake_target;

/// What all clips of a database share.
typedef struct ami_bake_setup {
    const am_schema *schema;
    am_roles roles;
    const int16_t *moving;
    int moving_count;
    float toe_floor;
} ami_bake_setup;

am_result ami_bake_clip(const ami_bake_target *target, const am_db_clip *clip, const ami_bake_setup *setup,
                        const am_alloc *alloc, am_error *err);

#endif

/// Internals of motion fields.
#ifndef AMI_SOURCE_FIELD_H
#define AMI_SOURCE_FIELD_H

#include "kernel/kernel.h"
#include "method/motion_field.h"

// Axes that states are projected to for lower bounds of their distances: the first few for boxes around ticks that
// follow one another, all of them for blocks of eight states in the boxes that are left.
enum { ami_field_axes = 24, ami_field_first_axes = 8, ami_field_box_blocks = 2 };

/// The arrays behind a field, to be written while it is made.
struct ami_field_own {
    am_alloc alloc;
    size_t block_size;
    const ami_kernels *kernels;
    int step; ///< frames of the database in a tick
    int16_t *lane;
    float *bone_scale;
    int32_t *frames, *ranges, *next, *onward;
    uint8_t *contacts;
    float *rows, *x, *v, *y;
    int block_count;   ///< of eight states
    float *axes;       ///< [ami_field_axes][stride] orthonormal, largest variance first; zero beyond dims
    float *projected;  ///< [block][ami_field_axes][8]
    int box_count;     ///< of ami_field_box_blocks blocks, a multiple of 8
    float *low, *high; ///< [box / 8][ami_field_first_axes][8] bounds of the projections of a box
    float longest;     ///< length of the longest row
};

/// Frames of the database in a tick, for `fps` ticks per second.
int ami_field_tick_frames(const am_db *db, float fps);

/// The four arrays of rotations in a pose or a velocity.
typedef struct ami_field_quats {
    float *x, *y, *z, *w;
} ami_field_quats;
static inline ami_field_quats ami_field_quats_at(const ami_field *field, float *numbers, int first)
{
    float *at = numbers + first;
    int lanes = field->lanes;
    ami_field_quats quats = { at, at + lanes, at + 2 * lanes, at + 3 * lanes };
    return quats;
}
/// Floats before the rotations of a pose, and of a velocity.
static inline int ami_field_pose_head(const ami_field *field) { return 3 * field->db->moving_count; }
static inline int ami_field_velocity_head(const ami_field *field) { return 3 + 3 * field->db->moving_count; }

/// field_axes.c: finds axes, projections and the longest row once the rows are there.
am_result ami_field_find_axes(ami_field *field, am_error *err);
/// field_ends.c: finds where a state of the field (the context) leads when it is the last of its range.
void ami_field_tie_end(void *field, int state);

#endif

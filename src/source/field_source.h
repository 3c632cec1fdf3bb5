/// The source `field` from the inside.
#ifndef AMI_SOURCE_FIELD_SOURCE_H
#define AMI_SOURCE_FIELD_SOURCE_H

#include <amble/field_source.h>

#include "source/field.h"
#include "source/wish.h"

// A phase this near a tick is that tick: 1/60 s in floats is not quite half a tick of 30 Hz.
#define AMI_FIELD_SNAP 1e-3f
/// Floats of the largest pose or velocity.
#define AMI_FIELD_MOST_NUMBERS (3 + 7 * AM_MAX_JOINTS + 32)

typedef struct ami_field_source {
    am_source base;
    const am_field *field;
    const am_field_value *value;
    am_field_task task;
    am_field_policy policy;
    int standing;
    size_t state_size;
} ami_field_source;

/// The head of a state. Every field has its place without padding.
typedef struct ami_field_head {
    float phase;        ///< [0, 1] from the last tick to the next
    int32_t near_count; ///< neighbours below: of the state at the next tick when fresh, else of the last tick's
    uint32_t contacts;  ///< at the last tick
    int32_t frame;      ///< of the database, nearest to the state at the last tick
    int32_t action;     ///< that leads to the next tick; -1: the passive one
    int32_t fresh;
    ami_line line;
    float reserved[2];
} ami_field_head;

/// A state's parts: the pose at the last tick, the state at the next, displacements in the tick before and in this
/// one, and the neighbours of the state at the next tick.
typedef struct ami_field_view {
    ami_field_head *head;
    float *x, *next_x;
    float *was, *d, *next_v;
    int32_t *near_state;
    float *near_d2;
} ami_field_view;

static inline const ami_field_source *ami_field_source_of(const am_source *source)
{
    return (const ami_field_source *)(const void *)source;
}
static inline ami_field_view ami_field_view_of(const ami_field_source *f, void *state)
{
    ami_field_view s;
    s.head = state;
    s.x = (float *)(void *)(s.head + 1);
    s.next_x = s.x + f->field->pose_count;
    s.was = s.next_x + f->field->pose_count;
    s.d = s.was + f->field->velocity_count;
    s.next_v = s.d + f->field->velocity_count;
    s.near_d2 = s.next_v + f->field->velocity_count;
    s.near_state = (int32_t *)(void *)(s.near_d2 + f->field->k);
    return s;
}

/// field_tick.c: room for one thread.
am_result ami_field_room_make(const am_source *source, am_search_work *work, int most, const am_alloc *alloc,
                              am_error *err);
/// field_tick.c: the next state becomes the present one, and an action leads on from it; the ground root is at
/// `root`.
void ami_field_tick(const ami_field_source *f, ami_field_view *s, am_source_output *out, const am_source_input *input,
                    am_transform root, am_search_work *work);

#endif

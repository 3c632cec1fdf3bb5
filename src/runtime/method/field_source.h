/// Internals of the source `field`.
#ifndef AMI_SOURCE_FIELD_SOURCE_H
#define AMI_SOURCE_FIELD_SOURCE_H

#include "method/field.h"
#include "method/target.h"
#include "data/search.h"
#include "method/field_value.h"

// A phase this near a tick is that tick: 1/60 s in floats is not quite half a tick of 30 Hz.
#define AMI_FIELD_SNAP 1e-3f
/// Floats of the largest pose or velocity.
#define AMI_FIELD_MOST_NUMBERS (3 + 7 * AM_MAX_JOINTS + 32)

/// Frames of the database in which the person stands, and one of them in a plain stance; all 0 where there are none.
typedef struct ami_field_stretch {
    int first, last, middle;
} ami_field_stretch;

typedef struct ami_field_source {
    am_source base;
    const ami_field *field;
    const ami_field_value *value;
    ami_field_task task;
    am_field_policy policy;
    float wander_s;
    const ami_field_value *const *values; ///< [value_count] the settings choose among these
    int value_count;
    int standing;
    ami_field_stretch stretch;
    size_t state_size;
} ami_field_source;

/// The head of a state. Every field has its place without padding.
typedef struct ami_field_head {
    float phase;        ///< [0, 1] from the last tick to the next
    int32_t near_count; ///< neighbours below: of the state at the next tick when fresh, else of the last tick's
    uint32_t contacts;  ///< at the last tick
    int32_t frame;      ///< of the database, nearest to the state at the last tick
    int32_t action; ///< the one that leads to the next tick; below 0 the passive one, which follows a state of the
                    ///< data: -2 - result of ami_field_go_on, -1 for none
    int16_t fresh;
    int16_t rest; ///< AMI_FIELD_MOVES, ... at the last tick
    ami_line line;
    float life;  ///< [0, 1] how much of the data's standing is shown
    float lived; ///< frames of it since it began
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

// A character that should stand takes its last steps faster than the data by this factor, and shorter by the same
// factor, so its speed over ground does not grow. People also stop with quick short steps.
#define AMI_FIELD_HURRY 0.4f

/// What a state does when it should rest.
enum { AMI_FIELD_MOVES, AMI_FIELD_HURRIES, AMI_FIELD_STANDS };

/// Ticks in the time of one.
static inline float ami_field_rate(const ami_field_head *head)
{
    return head->rest == AMI_FIELD_HURRIES ? 1.0f + AMI_FIELD_HURRY : 1.0f;
}

/// field_source.c: the value function of a task with that many ticks between its anchors (0: the fewest), or NULL.
const ami_field_value *ami_field_source_value(const am_source *source, int task, int every);

/// field_idle.c: how much a state moves in a tick, from its row of the embedding: squared metres of eq. 1.
float ami_field_motion(const ami_field *field, const float *row);
/// field_idle.c: the longest stretch of standing.
ami_field_stretch ami_field_find_stretch(const ami_field *field, int standing);
/// field_idle.c: scales the step of a character that should rest: the slower it is, the smaller the step. Its turn is
/// scaled alike unless the desired facing is elsewhere.
ami_field_step ami_field_settle(const ami_field_task *task, const float *theta, ami_field_step step,
                                uint32_t contacts);
/// field_idle.c: the step of a state x, v that should rest; the head says whether it stands yet. row(stride) is room.
ami_field_step ami_field_rest(const ami_field_source *f, ami_field_head *head, const float *theta,
                              ami_field_step step, const float *x, const float *v, float *row);
/// field_idle.c: advances the idle motion of a standing character and fades out that of others.
void ami_field_live(const ami_field_source *f, ami_field_head *head, float dt);
/// field_idle.c: pose x as it is shown.
void ami_field_show_life(const ami_field_source *f, float *x, const ami_field_head *head);

/// field_tick.c: room for one thread.
am_result ami_field_room_make(const am_source *source, am_search_work *work, int most, const am_alloc *alloc,
                              am_error *err);
/// field_tick.c: advances to the next state and chooses an action from there; the ground root is at `root`.
void ami_field_tick(const ami_field_source *f, ami_field_view *s, am_source_output *out, const am_source_input *input,
                    am_transform root, am_search_work *work);

#endif

/// A motion field as a source: the flow of a character's state, tick after tick, with a policy that chooses among the
/// actions of every tick (Fields sections 3.2 and 4).
#ifndef AMBLE_FIELD_SOURCE_H
#define AMBLE_FIELD_SOURCE_H

#include <amble/field_value.h>
#include <amble/source.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What scripts and the studio take for am_field_source_def.wander_s.
#define AM_FIELD_WANDER_S 1.5f

/// How such a source is made. Start from am_field_source_def_default().
typedef struct am_field_source_def {
    const am_alloc *alloc;
    const am_field *field;               ///< borrowed
    const am_field_value *value;         ///< borrowed, of the same field; needed for AM_FIELD_LOOKAHEAD
    const am_field_value *const *values; ///< [value_count] borrowed, of the same field: settings choose among them
    int value_count;
    am_field_task task; ///< for AM_FIELD_GREEDY; AM_FIELD_LOOKAHEAD takes the value's (default: direction)
    am_field_policy policy;
    float wander_s; ///< AM_FIELD_PASSIVE moves over to another motion about this often, while nothing acts on it:
                    ///< else it ends in one cycle. 0: never (default)
    uint32_t cookie;
} am_field_source_def;
AM_API am_field_source_def am_field_source_def_default(void);
/// The state ticks at the field's rate; steps of any length show it in between, along curves through the ticks. The
/// task's target comes from am_source_input: its direction is that of the desired velocity, or the desired facing.
/// Without a desired point a line begins where the character is when the desired direction changes.
AM_API am_result am_field_source_create(am_source **out, const am_field_source_def *def, am_error *err);

#ifdef __cplusplus
}
#endif
#endif

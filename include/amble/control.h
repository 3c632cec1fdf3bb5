/// Control schemas (Operators section 3): what may be asked of a character, as a tree of operators, and values of it.
///
/// A schema is JSON (docs/operators.md). A value says what is wanted now, in the world: metres, quaternions, names.
/// The library moves it into the character's frame and encodes it in every step. Paths name the parts of a value:
/// "target.facing", "path[2].position", "style".
#ifndef AMBLE_CONTROL_H
#define AMBLE_CONTROL_H

#include <amble/db.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A schema, ready to use. Immutable.
typedef struct am_control_schema am_control_schema;
/// Reads a schema. `file` is the name for errors, which give the path inside the schema as well: "walk.target.facing:
/// optional expects an operator, got 3". Widths and counts beyond the limits of networks are AM_ERR_LIMIT.
AM_API am_result am_control_schema_read(am_control_schema **out, const char *text, size_t size, const char *file,
                                        const am_alloc *alloc, am_error *err);
AM_API void am_control_schema_destroy(am_control_schema *schema);

/// What is asked of one character. It belongs to the caller.
typedef struct am_control am_control;
/// An empty value: optional parts absent, sets empty, choices at their first, numbers 0.
AM_API am_result am_control_create(am_control **out, const am_control_schema *schema, const am_alloc *alloc,
                                   am_error *err);
AM_API void am_control_destroy(am_control *control);
AM_API void am_control_clear(am_control *control);
/// Sets the numbers of a part: location, direction, velocity and scale (3), rotation (4: x y z w), bool, number and
/// index (1), height maps (rows x columns). What holds the part becomes present: an optional is given, an `or` is at
/// this branch, a set has at least as many items. Refuses unknown paths (AM_ERR_KEY, naming the nearest), another
/// count of numbers (AM_ERR_TYPE), numbers that are not finite (AM_ERR_NUMBER), and items beyond the most
/// (AM_ERR_LIMIT).
AM_API am_result am_control_set(am_control *control, const char *path, const float *numbers, int count,
                                am_error *err);
/// Sets a choice by name: the branch of an `or` (also where it has no numbers of its own), the name of a `one of`, a
/// flag of a `some of` (also clears nothing: am_control_drop does). "" is the path of the whole schema.
AM_API am_result am_control_choose(am_control *control, const char *path, const char *name, am_error *err);
/// Takes a part away: an optional is absent, a set is empty, flags are off.
AM_API am_result am_control_drop(am_control *control, const char *path, am_error *err);

#ifdef __cplusplus
}
#endif
#endif

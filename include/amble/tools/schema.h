/// Feature schemas for programs that read and print them. The code is in src/runtime/data.
#ifndef AMBLE_TOOLS_SCHEMA_H
#define AMBLE_TOOLS_SCHEMA_H

#include <amble/db.h>
#include <amble/tools/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// "position", "velocity", ...: the word of a kind in a schema.
AM_API const char *am_feature_name(am_feature kind);
/// Reads a schema from JSON: {"normalise": "channel", "pca": 0, "channels": [{"kind": "position", "joint":
/// "left_foot", "weight": 1}, ...]}. Unknown keys, roles and kinds are errors that name the nearest known one.
AM_API am_result am_schema_parse(am_schema *out, const am_json_doc *doc, const am_json *object, am_error *err);
/// Index of the channel called `name`, or -1.
AM_API int am_schema_find(const am_schema *schema, const char *name);
/// A word for one raw dimension: "left_foot_position.x", "trajectory_position@0.333.z". Always terminated.
AM_API void am_schema_dim_name(const am_schema *schema, int dim, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif

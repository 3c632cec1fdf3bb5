/// What is inside a file, as JSON: the keys that `amble info --json` prints. Each function writes its keys into the
/// object that the caller has begun, so that more can stand beside them.
#ifndef AMBLE_DESCRIBE_H
#define AMBLE_DESCRIBE_H

#include <amble/db.h>
#include <amble/net.h>
#include <amble/tools/formats.h>
#include <amble/tools/json.h>

#ifdef __cplusplus
extern "C" {
#endif

AM_API void am_db_describe(am_json_writer *writer, const am_db *db);
AM_API void am_schema_describe(am_json_writer *writer, const am_schema *schema);
AM_API void am_clips_describe(am_json_writer *writer, const am_clips *clips);
/// Fails when a part's graph is damaged.
AM_API am_result am_model_describe(am_json_writer *writer, const am_model *model, am_error *err);

/// counts(AM_MAX_TAGS): how many frames have each tag.
AM_API void am_db_count_tags(const am_db *db, int *counts);
/// How many clips a database was built from; a clip and its mirror image count once.
AM_API int am_db_count_clips(const am_db *db);

#ifdef __cplusplus
}
#endif
#endif

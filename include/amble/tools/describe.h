/// What is inside a file, as JSON: the keys that `amble info --json` and `amble import --json` print. Each function
/// writes its keys into the object that the caller has begun, so that more can stand beside them.
#ifndef AMBLE_DESCRIBE_H
#define AMBLE_DESCRIBE_H

#include <amble/control.h>
#include <amble/db.h>
#include <amble/net.h>
#include <amble/tools/doctor.h>
#include <amble/tools/formats.h>
#include <amble/tools/json.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

AM_API void am_db_describe(am_json_writer *writer, const am_db *db);
AM_API void am_schema_describe(am_json_writer *writer, const am_schema *schema);
AM_API void am_clips_describe(am_json_writer *writer, const am_clips *clips);
/// What the doctor found in a clip that was examined, or why it could not be read.
AM_API void am_import_clip_describe(am_json_writer *writer, const am_import_clip *clip);
/// Fails when a part's graph is damaged.
AM_API am_result am_model_describe(am_json_writer *writer, const am_model *model, am_error *err);
/// The same as lines of text, without the file's name. A part whose graph is damaged has no layers.
AM_API void am_model_print(FILE *out, const am_model *model);

/// counts(AM_MAX_TAGS): how many frames have each tag.
AM_API void am_db_count_tags(const am_db *db, int *counts);
/// How many clips a database was built from; a clip and its mirror image count once.
AM_API int am_db_count_clips(const am_db *db);

/// One part of a control schema.
typedef struct am_control_part {
    char path[160];            ///< "" for the whole; [*] for the items of a set
    char label[40];            ///< its own name: "facing", "[*]", "[2]"; "" for what an optional or an encode holds
    const char *operator_name; ///< the word that the file has
    char detail[160];          ///< its parameters as text, or ""
    int depth;                 ///< 0: the whole
    int value, vector;         ///< numbers that a person gives, and that the encoder reads; all items of a set
    int width;                 ///< of its encoding
    int64_t parameters;        ///< of itself, without its parts
    const char *const *names;  ///< [name_count] of a choice or flags; the schema owns them
    int name_count;
    int most;      ///< items of a set or a fixed array; 0 for others
    bool local;    ///< already in the character's frame
    bool repeated; ///< part 1, 2, ... of a fixed array, or inside one: like part 0
} am_control_part;
/// Calls `visit` with every part, each before those that it holds.
AM_API void am_control_schema_walk(const am_control_schema *schema,
                                   void (*visit)(void *user, const am_control_part *part), void *user);
/// Parameters of its encoder.
AM_API int64_t am_control_schema_parameters(const am_control_schema *schema);
AM_API void am_control_schema_describe(am_json_writer *writer, const am_control_schema *schema);
/// Calls `report` with every mistake of a schema's text, one of each part. Gives how many, -1 without memory.
AM_API int am_control_schema_check(const char *text, size_t size, const char *file,
                                   void (*report)(void *user, const am_error *err), void *user);
/// The schema's name.
AM_API const char *am_control_schema_name(const am_control_schema *schema);

#ifdef __cplusplus
}
#endif
#endif

/// From a config and motion files to a database: read, examine, clean, retarget, mirror, features.
#ifndef AMBLE_BUILD_H
#define AMBLE_BUILD_H

#include <amble/db.h>
#include <amble/tools/doctor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The stages of a build, each with its own time.
typedef enum am_build_step {
    AM_BUILD_READ,     ///< files to clips
    AM_BUILD_EXAMINE,  ///< the import doctor
    AM_BUILD_CLEAN,    ///< units, axes, cuts, bridges
    AM_BUILD_RETARGET, ///< rate and reference skeleton, then ground root, contacts and tags
    AM_BUILD_MIRROR,
    AM_BUILD_FEATURES, ///< poses and features into the image
    AM_BUILD_WRITE,    ///< the caller's am_db_write; am_build leaves it 0
    AM_BUILD_STEP_COUNT
} am_build_step;
AM_API const char *am_build_step_name(am_build_step stage);

/// A clip or a stretch of one that is not in the database, and why.
typedef struct am_build_note {
    char clip[64];
    int first, last; ///< frames of the file, both included; -1, -1 for the whole clip
    char why[160];
} am_build_note;

/// What a build did. Free with am_build_summary_free.
typedef struct am_build_summary {
    double seconds[AM_BUILD_STEP_COUNT];
    int file_count;        ///< files read
    int clip_count;        ///< of these, in the database
    int64_t source_frames; ///< frames of the files, at their own rates
    am_build_note *notes;  ///< [note_count]
    int note_count;
    am_alloc alloc;
} am_build_summary;
AM_API void am_build_summary_free(am_build_summary *summary);

/// Custom numbers of one source frame (may lie between two): fills out(count) and returns true, or false for zeros.
typedef bool (*am_custom_fn)(void *user, const char *clip, float source_frame, float *out, int count);

/// Finds the folder of a named set: writes its path to out(size) and returns true, or false when it is not here.
typedef bool (*am_find_set_fn)(void *user, const char *set, char *out, size_t size);

/// Start from am_build_def_default().
typedef struct am_build_def {
    const am_alloc *alloc; ///< must be safe for the threads of `tasks`
    const am_tasks *tasks; ///< NULL means serial
    const am_progress *progress;
    const char *config_path; ///< JSON file; paths in it are relative to it
    const char *clips_dir;   ///< replaces the config's clips: its list, tag file and reference are then ignored
    am_find_set_fn find_set; ///< where the config's "sets" are; NULL when there are none
    void *find_set_user;
    am_custom_fn custom; ///< for schemas with custom channels, beside the config's side files; or NULL
    void *custom_user;
    uint32_t cookie;
} am_build_def;
AM_API am_build_def am_build_def_default(void);

/// Builds. The same files and config give the same bytes for any number of threads. `summary` may be NULL.
AM_API am_result am_build(am_db **out, am_build_summary *summary, const am_build_def *def, am_error *err);

// ---------------------------------------------------------------------------------------------
// Databases that are kept

/// Opens `file`, or builds and writes it when it is not there or was made of something else: other code of the
/// builder, config, schema, tags, side files or clips. Beside X.amdb it keeps X.stamp. A config that names no clips
/// gets the motion of am_synth_write_all, in the folder X.
AM_API am_result am_build_open(am_db **out, const am_build_def *def, const char *file, am_error *err);
/// Whether am_build_open would take `file` without reading a clip.
AM_API bool am_build_is_fresh(const am_build_def *def, const char *file);
/// Whether the config can be read and all motion that it names is on this machine.
AM_API bool am_build_has_clips(const am_build_def *def);

#ifdef __cplusplus
}
#endif
#endif

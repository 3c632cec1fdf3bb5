/// Looks at training controls before anything is trained: values that are drawn for a control schema from a database,
/// the clips and times behind them, and what all of them have in common (docs/operators.md).
#ifndef AMBLE_CONTROLS_H
#define AMBLE_CONTROLS_H

#include <amble/control.h>
#include <amble/db.h>
#include <amble/tools/files.h>
#include <amble/tools/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Which samples. Begin with am_control_samples_def_init(). Everything is borrowed for the life of the samples.
typedef struct am_control_samples_def {
    const am_alloc *alloc;
    const am_control_schema *schema;
    const am_db *db;
    const char *controls; ///< text of a file of controls, with the section "training"
    size_t controls_size;
    const char *file; ///< its name for errors
    int count;        ///< samples that are listed, 0 to 1000 (default 20)
    int measured;     ///< samples that the statistics are of, 1 to 10 million (default 10,000)
    uint64_t seed;
    uint32_t cookie;
} am_control_samples_def;
AM_API void am_control_samples_def_init(am_control_samples_def *def);

/// Samples and statistics.
typedef struct am_control_samples am_control_samples;
/// Draws them: the same def gives the same samples. Refuses wrong controls as training does.
AM_API am_result am_control_samples_create(am_control_samples **out, const am_control_samples_def *def,
                                           am_error *err);
AM_API void am_control_samples_destroy(am_control_samples *samples);
/// As JSON, into the object that the caller has begun.
AM_API void am_control_samples_describe(am_json_writer *writer, const am_control_samples *samples);
/// As text for people; free it with am_bytes_free().
AM_API am_result am_control_samples_print(am_bytes *out, const am_control_samples *samples, am_error *err);

/// One listed sample.
typedef struct am_control_sample {
    const char *clip;           ///< range of the database
    float now_s;                ///< its time in the range
    float earliest_s, latest_s; ///< what the controls looked at
    int frame;                  ///< of the database
    int file_frame;             ///< of the clip's file, as "exclude" counts
} am_control_sample;
/// Sample number i. False beyond the last.
AM_API bool am_control_samples_get(const am_control_samples *samples, int i, am_control_sample *out);

#ifdef __cplusplus
}
#endif
#endif

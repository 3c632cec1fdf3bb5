/// What a build config says. docs/build.md lists the keys.
#ifndef AMI_MAKE_BUILD_CONFIG_H
#define AMI_MAKE_BUILD_CONFIG_H

#include <amble/tools/build.h>
#include <amble/tools/json.h>

/// A stretch that the config leaves out.
typedef struct ami_build_cut {
    const char *clip;
    int first, last; ///< frames of the file; first < 0 counts from the end, last -1 is the last frame
} ami_build_cut;

/// A list of words of the document.
typedef struct ami_words {
    const char **items;
    int count;
} ami_words;

typedef enum ami_floor_mode {
    AMI_FLOOR_CLIP, ///< each clip's stance toes are moved to floor_m
    AMI_FLOOR_NONE  ///< heights stay as captured
} ami_floor_mode;

/// A side file of custom numbers.
typedef struct ami_build_side {
    const char *channel;
    const char *path;
} ami_build_side;

#define AMI_MAX_SIDES 8
#define AMI_MAX_BENDS 16

/// Copies of clips that are bent along curves.
typedef struct ami_build_bend {
    ami_words clips;           ///< patterns; none: all
    float rate[AMI_MAX_BENDS]; ///< rad/s at the clip's own pace
    int rate_count;
} ami_build_bend;

typedef struct ami_build_config {
    am_json_doc *doc; ///< owns every word below
    am_json_doc *schema_doc;
    am_alloc alloc;
    const char *name;
    ami_words sets, folders, include, exclude, trust;
    ami_build_cut *cuts;
    int cut_count;
    ami_build_bend *bends;
    int bend_count;
    bool bend_loops;  ///< without "bend": unrolled gaits get bent copies
    const char *tags; ///< path relative to the config, or NULL
    ami_build_side sides[AMI_MAX_SIDES];
    int side_count;
    float fps; ///< 0: the source's
    bool mirror;
    const char *reference; ///< clip, or SET/CLIP; NULL: the first clip
    bool retarget;
    ami_floor_mode floor;
    float floor_m;
    am_root_def root;
    am_contact_def contacts;
    float ignore_start_s, ignore_end_s;
    am_precision precision;
    am_doctor_def doctor;
    am_clean_def clean;
    bool duplicates; ///< leave out clips that repeat an earlier one
    am_schema schema;
} ami_build_config;

/// Parses a config. `path` names it in errors and is what its paths are relative to. A schema named by path is read
/// too.
am_result ami_build_config_parse(ami_build_config *out, const char *text, size_t size, const char *path,
                                 const am_alloc *alloc, am_error *err);
void ami_build_config_free(ami_build_config *config);

/// Whether `text` fits a pattern with * and ?.
bool ami_pattern_fits(const char *pattern, const char *text);

#endif

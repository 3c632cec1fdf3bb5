/// A folder with a few generated clips and a config, for the tests of builds.
#ifndef AMBLE_TEST_MAKE_FOLDER_H
#define AMBLE_TEST_MAKE_FOLDER_H

#include "support/check.h"

static inline void write_text(const char *path, const char *text)
{
    am_error err = { 0 };
    check_ok(am_file_write(path, text, strlen(text), &err), &err);
}

static inline void write_synth(const char *path, am_synth_kind kind, float seconds, uint64_t seed)
{
    am_error err = { 0 };
    am_synth synth = { 0 };
    am_synth_def def = am_synth_def_default();
    def.kind = kind;
    def.seconds = seconds;
    def.seed = seed;
    check_ok(am_synth_make(&synth, &def, &err), &err);
    am_bytes bytes = { 0 };
    am_write_def write = am_write_def_default();
    check_ok(am_bvh_write(&bytes, synth.clip, &write, &err), &err);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_synth_free(&synth);
}

/// A folder with walk.bvh, run.bvh, curve.bvh and config.json; `config` is the text behind the clips.
static inline const char *make_folder(const char *name, const char *config)
{
    static char folder[1024];
    char path[1200];
    snprintf(folder, sizeof folder, "%s", test_temp_dir(name));
    snprintf(path, sizeof path, "%s/clips", folder);
    am_folder_make(path);
    snprintf(path, sizeof path, "%s/clips/walk.bvh", folder);
    write_synth(path, AM_SYNTH_WALK, 4.0f, 1);
    snprintf(path, sizeof path, "%s/clips/run.bvh", folder);
    write_synth(path, AM_SYNTH_RUN, 3.0f, 2);
    snprintf(path, sizeof path, "%s/clips/curve.bvh", folder);
    write_synth(path, AM_SYNTH_CURVE, 4.0f, 3);
    snprintf(path, sizeof path, "%s/config.json", folder);
    write_text(path, config);
    return folder;
}

#define FEATURES                                                                                                     \
    "\"features\": {\"channels\": [{\"kind\": \"trajectory_position\", \"times\": [0.3333333, 0.6666667, 1]},"       \
    "{\"kind\": \"position\", \"joint\": \"left_foot\"}, {\"kind\": \"velocity\", \"joint\": \"hips\"}]}"

static inline am_result build(am_db **db, am_build_summary *summary, const char *folder, am_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/config.json", folder);
    am_build_def def = am_build_def_default();
    def.config_path = path;
    return am_build(db, summary, &def, err);
}

#endif

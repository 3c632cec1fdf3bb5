/// The studio's server: the page, the wasm module and databases on a port of this machine only.
#ifndef AMBLE_STUDIO_H
#define AMBLE_STUDIO_H

#include <amble/tools/tools.h>

#define STUDIO_MAX_SETS 32
#define STUDIO_MAX_DB_BYTES 60000000 ///< what a page is asked to load at most

/// How the studio is started. Start from studio_def_default(). Everything is borrowed.
typedef struct studio_def {
    int port;                     ///< 0 means any free one
    const char *web_dir;          ///< the page, with node_modules inside
    const char *wasm_dir;         ///< where amble_web.mjs and amble_web.wasm are
    const char *config_dir;       ///< configs of the sets it can build
    const char *cache_dir;        ///< where built databases are kept; the caller makes it
    const char *model_dir;        ///< networks that ship; NULL means none
    const char *const *databases; ///< [database_count] files to serve instead of those: databases, and networks of
                                  ///< characters, which may still be in training
    int database_count;
    am_find_set_fn find_set; ///< where motion capture is
    void *find_set_user;
    const am_tasks *tasks;       ///< for builds
    const am_progress *progress; ///< its report returns false to stop a build
} studio_def;
studio_def studio_def_default(void);

/// One database that the page offers.
typedef struct studio_set {
    char name[64]; ///< /db/NAME.amdb, or .amnet of networks
    char title[64];
    char config[1024]; ///< "" for a file that was given
    char path[1024];   ///< the database, built or to be built
    char method[16];   ///< that a page begins with; "" means its usual one
    bool synth;        ///< its clips are procedural
    bool networks;     ///< a character without a database: `path` is an .amnet
} studio_set;

/// All of them; a page starts with the first.
typedef struct studio_sets {
    studio_def def;
    studio_set items[STUDIO_MAX_SETS];
    int count;
    am_lock *lock; ///< one build at a time
} studio_sets;

/// Finds the given databases, or the configs whose motion capture is here and the procedural set.
am_result studio_sets_find(studio_sets *out, const studio_def *def, am_error *err);
void studio_sets_free(studio_sets *sets);
/// The set called `name`, or NULL.
const studio_set *studio_sets_get(const studio_sets *sets, const char *name);
/// Builds a set's database unless it is up to date. Safe from any thread.
am_result studio_set_ready(studio_sets *sets, const studio_set *set, am_error *err);
/// The file name of the network that predicts facings for a set: its own, else the one of all locomotion; false
/// without.
bool studio_direction_of(const studio_sets *sets, const char *name, char *out, size_t size);
/// The file name of the value functions of a set's motion field; false without.
bool studio_values_of(const studio_sets *sets, const char *name, char *out, size_t size);
/// {"sets": [{"name", "title", "url", "networks", "method", "direction", "models", "ready", "frames", "joints",
/// "bytes"}], "mannequin"}; networks: a character without a database, which has no frames and plays by `method`; else
/// frames, joints and bytes are null until a set is built; direction is the address of the network that predicts
/// facings, or null; models has the address of a method's model where one ships (the field's value functions);
/// mannequin tells whether the page has that model.
/// Free with am_json_writer_destroy.
am_result studio_sets_json(am_json_writer **out, const studio_sets *sets, am_error *err);

/// Whether a path is that of networks, and of those the preview of a training.
bool studio_is_networks(const char *path);
bool studio_is_preview(const char *path);
/// {"trainings": [{"name", "title", "url", "final", "method", "stage", "iteration", "iterations", "loss", "hash",
/// "bytes", "changed_ms"}]}: the previews in the folder of networks and beside the given ones that are characters
/// already. `final` is where the networks will be when the training has ended. Reads the folder in every call.
/// Free with am_json_writer_destroy.
am_result studio_trainings_json(am_json_writer **out, const studio_sets *sets, am_error *err);
/// The path of the file of a url or a final of that list; false when it is not there.
bool studio_training_path(const studio_sets *sets, const char *file, char *out, size_t size);

typedef struct studio studio;
/// Serves on 127.0.0.1 from threads of its own, and builds the first set where needed.
am_result studio_start(studio **out, const studio_def *def, am_error *err);
int studio_port(const studio *server);
const studio_sets *studio_get_sets(const studio *server);
/// Ends the server's threads. NULL is allowed.
void studio_stop(studio *server);

#endif

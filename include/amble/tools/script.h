/// Runs: characters that play a script of inputs (RUN.json, docs/run.md) at a fixed rate, without a screen and the
/// same every time. `amble run`, the metrics and the tests step through a run frame by frame.
#ifndef AMBLE_RUN_H
#define AMBLE_RUN_H

#include <amble/actor.h>
#include <amble/tools/json.h>
#include <amble/net.h>
#include <amble/tools/files.h>
#include <amble/tools/clip.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_ACTORS 4096
#define AM_MAX_RUN_MODELS 16

/// The state of a device from a time on.
typedef struct am_key_event {
    float t;       ///< s
    uint32_t down; ///< AM_KEY_* bits of all keys that are down
} am_key_event;
typedef struct am_gamepad_event {
    float t;
    am_gamepad pad;
} am_gamepad_event;

/// A path that a character follows from a time on.
typedef struct am_run_path {
    float t;
    am_path_def def; ///< its arrays live as long as the script
} am_run_path;

/// A push at a time.
typedef struct am_run_push {
    float t;
    float seconds;
    am_vec3 force;     ///< N, world axes
    const char *joint; ///< its name, or a role's ("chest")
} am_run_push;

/// Where to go from a time on.
typedef struct am_run_goal {
    float t;
    bool has_target;              ///< false: the goal ends
    am_vec3 target;               ///< a point in the world; its height is ignored
    am_vec3 facing;               ///< flow, segments: there; zero: any
    const struct am_json *values; ///< flow, segments: the object of values by path in the model's schema; as long as
                                  ///< the script. NULL for other controllers
} am_run_goal;

/// The options of RUN.json.
typedef struct am_run_options {
    am_settings settings;                ///< the controller is settings.method
    const char *tags[AM_ACTIVITY_COUNT]; ///< tag queries or NULL; they live as long as the script
    const struct am_json *weights;       ///< object of factors by channel name, or NULL; as long as the script
} am_run_options;
/// Options that change while a character moves.
typedef struct am_run_change {
    float t;                     ///< s
    am_run_options options;      ///< all of them, from this time on
    const struct am_json *given; ///< the object of those that change; as long as the script
} am_run_change;

/// One character of a script. With both devices the gamepad counts while it is touched (am_intent_from_devices).
typedef struct am_run_actor {
    am_vec3 position;
    am_vec3 facing;           ///< a direction on the ground of any length; zero means +z
    const am_key_event *keys; ///< [key_count] ascending in time
    int key_count;
    const am_gamepad_event *gamepad; ///< [gamepad_count] ascending in time
    int gamepad_count;
    const am_run_path *paths; ///< [path_count] ascending in time
    int path_count;
    const am_run_push *pushes; ///< [push_count] ascending in time
    int push_count;
    const am_run_goal *goals; ///< [goal_count] ascending in time
    int goal_count;
    const am_run_change *changes; ///< [change_count] ascending in time
    int change_count;
} am_run_actor;

/// Puts an object of values by path into a control value, as `values` of a goal: numbers, names, lists, and null for
/// what is not asked for. What the object does not name stays. Errors give the place in the document.
AM_API am_result am_run_put_values(am_control *control, const am_json_doc *doc, const am_json *values, am_error *err);

/// Reads the options of an object into *out; those that it lacks stay as they are. Checks ranges and that they are
/// options of out->settings.method. Texts and weights point into the document.
AM_API am_result am_run_options_read(am_run_options *out, const am_json_doc *doc, const am_json *object,
                                     am_error *err);

/// A parsed RUN.json. Free with am_run_script_free.
typedef struct am_run_script {
    const char *database;      ///< path, already relative to the working folder; NULL when the controller needs none
    const char *const *models; ///< [model_count] paths, the same
    int model_count;
    float fps;            ///< frames, and steps, per second
    float seconds;        ///< at most, when ends_with_paths
    bool ends_with_paths; ///< two seconds after the last path's end
    uint64_t seed;
    am_run_options options;
    const am_run_actor *actors; ///< [actor_count]
    int actor_count;
    struct am_run_script_own *own;
} am_run_script;

/// The table of options in Markdown. Free with am_bytes_free.
AM_API am_result am_run_options_table(am_bytes *out, am_error *err);

/// Parses RUN.json text; `file` names it in errors and says where its paths begin. An unknown key names the nearest
/// known one; keys and controllers of the format that this build does not play are AM_ERR_SUPPORT.
AM_API am_result am_run_parse(am_run_script *out, const char *text, size_t size, const char *file,
                              const am_alloc *alloc, am_error *err);
AM_API am_result am_run_read(am_run_script *out, const char *path, const am_alloc *alloc, am_error *err);
/// A zeroed struct is allowed.
AM_API void am_run_script_free(am_run_script *script);

/// One frame of one character: everything that metrics, traces and recordings read. Pointers are valid until the next
/// step.
typedef struct am_run_sample {
    int actor;
    int frame;     ///< from 0; its pose is the one after the step
    float time;    ///< s, at the beginning of the step
    float dt;      ///< s, of the step
    uint32_t keys; ///< as the devices were during the step
    am_gamepad gamepad;
    am_intent intent;   ///< what they were taken to mean
    am_actor_pose pose; ///< root, before and after IK, contacts
    am_actor_view view; ///< activity, trajectory, search, transition, candidates
    am_path_view path;  ///< all zero when there is none
    int path_index;     ///< the actor's path that began last, -1 before the first
    am_push_view push;  ///< forces that acted in the step; all zero when there were none
    double step_us;     ///< 0 without a clock
} am_run_sample;

/// Called with each frame of each character, in order.
typedef struct am_run_observer {
    void *user;
    am_result (*frame)(void *user, const am_run_sample *sample, am_error *err); ///< other than AM_OK ends the run
} am_run_observer;

/// Start from am_run_def_default().
typedef struct am_run_def {
    const am_alloc *alloc;
    const am_run_script *script; ///< borrowed
    const am_source *source; ///< borrowed: the caller's own method, with its database; NULL: the script's controller
    const am_db *db;         ///< borrowed; NULL means: open the script's
    const am_model *const *models; ///< [model_count] borrowed: for parts that no model of the script has
    int model_count;               ///< at most AM_MAX_RUN_MODELS
    const am_clock *clock;         ///< borrowed; NULL means no timings
    const am_push_engine *engine;  ///< borrowed during create: of pushes; NULL: scripts with pushes are refused
    uint32_t cookie;
} am_run_def;
AM_API am_run_def am_run_def_default(void);

/// The seed of one character (from 0) of a script with this seed.
AM_API uint64_t am_run_seed(uint64_t seed, int actor);

typedef struct am_run am_run;
AM_API am_result am_run_create(am_run **out, const am_run_def *def, am_error *err);
AM_API void am_run_destroy(am_run *run);
/// Its database; of a learned character the small one of its start states.
AM_API const am_db *am_run_db(const am_run *run);
AM_API const am_run_script *am_run_get_script(const am_run *run);
/// Frames of the whole run. Where the script ends with its paths: an upper bound until the run has ended.
AM_API int am_run_frame_count(const am_run *run);
AM_API int am_run_actor_count(const am_run *run);
AM_API am_actor *am_run_character(am_run *run, int actor);
/// One frame of every character. False when the script is over, or when a path cannot be followed from where the
/// character is (am_run_play says why).
AM_API bool am_run_step(am_run *run);
/// The last frame of one character; valid after a step.
AM_API am_run_sample am_run_get_sample(const am_run *run, int actor);
/// Steps to the end, calling observers(count); AM_ERR_CANCELLED when progress (may be NULL) asks to stop.
AM_API am_result am_run_play(am_run *run, const am_run_observer *observers, int count, const am_progress *progress,
                             am_error *err);
/// Hash of all characters' states.
AM_API uint64_t am_run_hash(const am_run *run);

/// The motion of one character as a clip: the database's skeleton, joint 0 in the world. Frames are added in order.
AM_API am_result am_run_clip_create(am_clip **out, const am_run *run, const char *name, const am_alloc *alloc,
                                    am_error *err);
AM_API void am_run_clip_add(am_clip *clip, const am_run_sample *sample);

/// Appends one line of JSON without spaces about a frame: what played, why, how long it took. `out` may be zeroed.
AM_API am_result am_run_trace(am_bytes *out, const am_run *run, const am_run_sample *sample, am_error *err);

/// Devices as they were, frame by frame, for a RUN.json that plays the same again.
typedef struct am_recording am_recording;
AM_API am_result am_recording_create(am_recording **out, const am_run *run, const am_alloc *alloc, am_error *err);
AM_API void am_recording_destroy(am_recording *recording);
AM_API am_result am_recording_add(am_recording *recording, const am_run_sample *sample, am_error *err);
/// RUN.json of what was recorded so far. `file` is where it will lie: database and models are written relative to it;
/// NULL means the working folder.
AM_API am_result am_recording_write(am_bytes *out, const am_recording *recording, const char *file, am_error *err);

#ifdef __cplusplus
}
#endif
#endif

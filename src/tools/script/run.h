/// What the parts of a run share.
#ifndef AMI_CONTROL_RUN_H
#define AMI_CONTROL_RUN_H

#include <amble/tools/script.h>

#include <amble/control.h>

#include "actor/get.h"
#include "base/memory.h"
#include "data/search.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/// One character with its devices.
typedef struct ami_player {
    am_actor *character;
    am_intent_state devices;
    int next_key, next_pad, next_path, next_push, next_goal, next_change; ///< events not yet due
    am_run_goal goal;                                                     ///< that holds
    am_control *control;                                                  ///< what is asked; NULL: no schema
    bool controlled;                                                      ///< the goal that holds has values
    int stands;                                                           ///< frames since its last path ended
    uint32_t keys;
    am_gamepad pad;
    am_intent intent;
    double step_us;
} ami_player;

struct am_run {
    am_alloc alloc;
    const am_run_script *script;
    am_asset *asset;
    const am_db *db; ///< of the method
    am_method method;
    am_search_work *work;
    am_push_engine engine;
    const am_push_solver *solver; ///< for pushes, made by the engine; NULL without any
    am_intent_def intent_def;
    const am_clock *clock;
    ami_player *players; ///< [actor_count]
    int actor_count;
    int frame, frame_count;
    am_error why; ///< a path could not be begun; ends the run
};

/// run.c: the name of the controller, or of the caller's own source.
const char *ami_run_controller(const am_run *run);

/// The document behind a script, for errors that name a place; NULL for scripts that were not parsed.
const am_json_doc *ami_run_doc(const am_run_script *script);

/// run_script.c: a path of a script as seen from the working folder; NULL when out of memory.
char *ami_run_file_path(ami_arena *arena, const char *file, const char *name);

/// run_models.c: 'model': a name, or a list of them.
am_result ami_run_read_models(am_run_script *script, ami_arena *arena, const am_json_doc *doc, const char *file,
                              const am_json *root, am_error *err);

/// run_push.c: 'pushes' of one character.
am_result ami_run_read_pushes(am_run_actor *actor, ami_arena *arena, const am_json_doc *doc, const am_json *object,
                              am_error *err);
/// run_push.c: the same, as they were read.
void ami_run_write_pushes(am_json_writer *writer, const am_run_actor *actor);
/// run_push.c: checks the joints of all pushes and makes a solver when there are any.
am_result ami_run_open_pushes(am_run *run, const am_push_engine *engine, am_error *err);
/// run_push.c: gives a character the pushes that are due at a time.
void ami_run_take_pushes(const am_run *run, ami_player *player, const am_run_actor *actor, double due);

/// run_goal.c: whether a controller takes control values.
bool ami_run_is_asked(am_method method);
/// run_goal.c: 'goals' of one character.
am_result ami_run_read_goals(am_run_actor *actor, am_method method, ami_arena *arena, const am_json_doc *doc,
                             const am_json *object, am_error *err);
/// run_goal.c: the same, as they were read.
void ami_run_write_goals(am_json_writer *writer, const am_run_actor *actor);
/// run_goal.c: makes the control value of a player, where the asset has a schema, and tries all goals of its actor on
/// it.
am_result ami_run_open_goals(const am_run *run, ami_player *player, const am_run_actor *actor, am_error *err);
/// run_values.c: a value as it was read.
void ami_run_write_json(am_json_writer *writer, const am_json *value);
/// run_goal.c: the intent of a player with these devices at a time.
am_intent ami_run_take_goal(const am_run *run, ami_player *player, const am_run_actor *actor, am_intent devices,
                            double due);

/// run_change.c: 'changes' of one character, whose options are `begin` until then.
am_result ami_run_read_changes(am_run_actor *actor, const am_run_options *begin, ami_arena *arena,
                               const am_json_doc *doc, const am_json *object, am_error *err);
/// run_change.c: the same, as they were read.
void ami_run_write_changes(am_json_writer *writer, const am_run_actor *actor);
/// run_change.c: gives a character the changes that are due at a time.
am_result ami_run_take_changes(const am_run *run, ami_player *player, const am_run_actor *actor, double due,
                               am_error *err);

/// run_path.c: 'path' of one character: an object, or a list of them.
am_result ami_run_read_paths(am_run_actor *actor, ami_arena *arena, const am_json_doc *doc, const am_json *object,
                             am_error *err);
/// run_path.c: the same, as it was read.
void ami_run_write_paths(am_json_writer *writer, const am_run_actor *actor);
/// run_path.c: upper limit of when a character's paths are over, s; 0 without any.
float ami_run_paths_end(const am_run_actor *actor);
/// run_path.c: room for points that a character needs for its paths.
int ami_run_path_room(const am_run_actor *actor, float fps);

/// run_script.c: refuses what was read from "t" of an item of `what` when the one before it comes later.
am_result ami_run_in_order(const am_json_doc *doc, const am_json *item, const char *what, float t, float before,
                           am_error *err);
/// trace.c: [x, y, z].
void ami_run_write_vec3(am_json_writer *writer, const char *key, am_vec3 v);
/// trace.c: the text of a writer and the end of its line.
am_result ami_put_json(am_bytes *out, const am_json_writer *w, am_error *err);

#endif

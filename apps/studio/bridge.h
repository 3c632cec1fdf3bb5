/// The few calls through which the page drives a character: plain numbers, pointers into wasm memory, texts.
/// The page is one thread with one scene, so what is open lives in the module itself.
#ifndef AMBLE_STUDIO_BRIDGE_H
#define AMBLE_STUDIO_BRIDGE_H

#include <amble/tools/tools.h>

#define WEB_MOST_ACTORS 64

/// How the characters move.
enum {
    WEB_MATCH,
    WEB_LONG_HORIZON,
    WEB_LEARNED,
    WEB_SIDE_BY_SIDE, ///< two with the same input: the first matches, the second is learned
    WEB_FIELD
};

/// Room for a database's bytes, aligned for am_db_from_memory; NULL when there is no memory.
void *web_alloc(int size);
void web_free(void *block);

/// Opens a database, or the networks of a learned character, from bytes of web_alloc, which the module keeps from
/// then on, and makes characters of it. Returns 0, or the error code; what was open before then stays open.
int web_open(void *data, int size, const char *name);
/// The network that predicts facings on paths, from bytes of web_alloc, which the module keeps from then on; NULL:
/// none. Characters that are made later use it: call it before web_open. Returns 0, or the error code, with no
/// network then.
int web_direction(void *data, int size);
/// The last error message.
const char *web_error(void);

/// Networks of a learned character beside the open database, from bytes of web_alloc, which the module keeps from
/// then on. Returns 0, or the error code: for another skeleton, or when they are not a character.
int web_networks(void *data, int size);
/// Changes the method (WEB_MATCH, ...) of all characters, which keep their poses and paths. Returns 0, or the error
/// code with nothing changed.
int web_method(int method);

/// Value functions of the open database's field, from bytes of web_alloc, which the module keeps from then on.
/// Returns 0, or the error code: they belong to another database, and none are used.
int web_values(void *data, int size);
/// What characters of a field are asked to do (WEB_TASK_DIRECTION, ...), and how they choose (am_field_policy).
/// Without values for a task they look one tick ahead. Along drawings they follow lines, whatever the task. Returns 0
/// or the error code.
int web_field_options(int task, int policy);
/// Sends the chosen character, or all of a crowd, along a line (WEB_LINE) through x, z or to a point (WEB_POINT);
/// WEB_NOWHERE ends it, and so does steering.
void web_send(int kind, float x, float z, float way_x, float way_z);
/// `count` characters at new places: the first is steered, the others stroll. Returns 0 or the error code.
int web_crowd(int count);

/// The database as JSON: skeleton, roles, channels, activities, speeds, and the position of each number of web_view.
/// Valid until the next call.
const char *web_describe(void);
/// The name of the range that holds a frame.
const char *web_clip_name(int frame);

/// Takes options; all characters keep their poses and paths. Returns 0, or the error code with nothing changed.
int web_options(int root, int inertialise, int ik, float search_every_s, float stay_bias);
/// The speed of a walk, m/s; 0 means the database's own. Takes effect at once.
void web_walk_speed(float mps);
/// Back to the start, with the options as they are.
int web_reset(void);

/// Sets the characters on the scene: `count` of them at places [count][x m, z m, heading rad], or where they are when
/// that is NULL. With `ahead` (long-horizon matching) they follow paths; otherwise they are steered only. The first
/// is chosen. Returns 0 or the error code; on an error nothing changes.
int web_cast(int count, int ahead, const float *places);
/// Chooses the character that devices, view and paths refer to.
void web_choose(int number);

/// One step of all. While a gamepad is touched its sticks count, otherwise the keys, as in RUN.json. Steering leaves
/// a path.
void web_step(int keys, float left_x, float left_y, float right_x, float right_y, int buttons, float dt);

/// How the next path is followed: am_path_mode, am_path_facing, scale of its speed, and whether it is a loop.
void web_path_options(int mode, int facing, float scale, int loop);
/// Round obstacles that the next path is bent around: [count][x, z, radius] m.
void web_obstacles(const float *places, int count);
/// The chosen character follows a drawing, [count][time s, x m, z m], from the next step on, instead of its present
/// path. Returns 0, or the error code, without a path then.
int web_follow(const float *samples, int count);
void web_leave(void);
/// The path as it is followed, [web_path_count][x, z, along, heading], one point per frame of the database.
const float *web_path(void);
int web_path_count(void);
/// path_error_m, path_cover_m, path_cover_max_m, path_time_ratio, path_end_m, path_completed of the track so far,
/// with steps of dt.
const double *web_measure(float dt);

/// Pushes the part of a character that a joint moves, from the next step on: N in world axes, s. Returns 0, or the
/// error code: for a module without Open Dynamics Engine, or for an invalid push.
int web_push(int number, int joint, float x, float y, float z, float seconds);

/// [joint][7] of one character: rotation x y z w, translation, in the world, after the last step.
const float *web_world(int number);
/// Numbers of the last step, in the places that web_describe names.
const float *web_view(void);
/// Hash of all states, as `amble run` prints it: 16 hexadecimal digits.
const char *web_hash(void);

#endif

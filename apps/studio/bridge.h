/// The few calls through which the page drives a character: plain numbers, pointers into wasm memory, texts.
/// The page is one thread with one scene, so what is open lives in the module itself.
#ifndef AMBLE_STUDIO_BRIDGE_H
#define AMBLE_STUDIO_BRIDGE_H

#include <amble/tools/tools.h>

#define WEB_MOST_ACTORS 64

/// Before each call: the linker keeps and exports it.
#define WEB_CALL __attribute__((used))

/// Beside the run time's methods: two characters with the same input; the first matches, the second is learned.
#define WEB_SIDE_BY_SIDE "side-by-side"

/// Room for a database's bytes, aligned for am_db_from_memory; NULL when there is no memory.
WEB_CALL void *web_alloc(int size);
WEB_CALL void web_free(void *block);

/// Opens a database, or the networks of a learned character, from bytes of web_alloc, which the module keeps from
/// then on, and makes characters of it. Returns 0, or the error code; what was open before then stays open.
WEB_CALL int web_open(void *data, int size, const char *name);
/// The network that predicts facings on paths, from bytes of web_alloc, which the module keeps from then on; NULL:
/// none. Characters that are made later have it: call it before web_open. Gives 0 or the error code; there is then
/// none.
WEB_CALL int web_direction(void *data, int size);
/// What went wrong last, in words.
WEB_CALL const char *web_error(void);

/// A model for a method of what is open (networks of a character, value functions of a field) in the place of an
/// earlier one, from bytes of web_alloc, which the module keeps from then on. Characters that play it go on from
/// their poses, and what was asked of them holds. Gives 0, or the error code: of another skeleton or database, or
/// without what the method needs; all then stays as it was.
WEB_CALL int web_model(const char *method, void *data, int size);
/// Another method for all, by its name (am_methods, WEB_SIDE_BY_SIDE), from their poses on, also along their paths.
/// Gives 0 or the error code; then all stays as it was.
WEB_CALL int web_method(const char *name);

/// The options of what the chosen character plays, as JSON: {"method", "options": [{"key", "type", "label", "unit",
/// "help", "low", "usual", "high", "choices", "default", "value"}]}, a row for each of am_options that the method
/// has; low to high of numbers and integers, "choices" of choices; "value" is the character's. Lives until the next
/// call.
WEB_CALL const char *web_options(void);
/// Takes options, a JSON object of values by key as in a script. All go on from their poses, also along their paths.
/// Along drawings a field follows lines, whatever its task; without values for a task it looks one tick ahead. Gives
/// 0 or the error code; then all stays as it was.
WEB_CALL int web_set_options(const char *values);

/// Sends the chosen character, or all of a crowd, along a line (WEB_LINE) through x, z or to a point (WEB_POINT),
/// where it faces `way` unless that is zero; WEB_NOWHERE ends it, and so does steering.
WEB_CALL void web_send(int kind, float x, float z, float way_x, float way_z);
/// Asks the chosen character, or all of a crowd, for what its networks were trained to do: `values` is a JSON object
/// by paths of the schema (web_describe's "control"), as in the goals of a script; "" ends it, and so does steering.
/// With `points` above 0 the character's own trajectory, which keys and paths steer, fills the places (and facings)
/// at the path `list` in every step, times[points] seconds ahead, and steering does not end it. Gives 0 or the error
/// code; then nothing changes.
WEB_CALL int web_ask(const char *values, const char *list, const float *times, int points);
/// `count` characters at new places: the first is steered, the others stroll. Returns 0 or the error code.
WEB_CALL int web_crowd(int count);

/// The database as JSON: skeleton, roles, channels, activities, speeds, methods, and where each number of web_view
/// stands. Lives until the next call.
WEB_CALL const char *web_describe(void);
/// The name of the range that holds a frame.
WEB_CALL const char *web_clip_name(int frame);

/// Back to the start, with the options as they are.
WEB_CALL int web_reset(void);

/// Sets the characters on the scene: `count` of them at places [count][x m, z m, heading rad], or where they are when
/// that is NULL. With `ahead` (long-horizon matching) they follow paths; otherwise they are steered only. The first
/// is chosen. Returns 0 or the error code; on an error nothing changes.
WEB_CALL int web_cast(int count, int ahead, const float *places);
/// Chooses the character that devices, view and paths refer to.
WEB_CALL void web_choose(int number);

/// One step of all. While a gamepad is touched its sticks count, otherwise the keys, as in RUN.json. Steering leaves
/// a path.
WEB_CALL void web_step(int keys, float left_x, float left_y, float right_x, float right_y, int buttons, float dt);

/// How the next path is followed: am_path_mode, am_path_facing, scale of its speed, and whether it is a loop.
WEB_CALL void web_path_options(int mode, int facing, float scale, int loop);
/// Round obstacles that the next path is bent around: [count][x, z, radius] m.
WEB_CALL void web_obstacles(const float *places, int count);
/// The chosen character follows a drawing, [count][time s, x m, z m], from the next step on, instead of its present
/// path. Returns 0, or the error code, without a path then.
WEB_CALL int web_follow(const float *samples, int count);
WEB_CALL void web_leave(void);
/// The path as it is followed, [web_path_count][x, z, along, heading], one point per frame of the database.
WEB_CALL const float *web_path(void);
WEB_CALL int web_path_count(void);
/// path_error_m, path_cover_m, path_cover_max_m, path_time_ratio, path_end_m, path_completed of the track so far,
/// with steps of dt.
WEB_CALL const double *web_measure(float dt);

/// Pushes the part of a character that a joint moves, from the next step on: N in world axes, s. Returns 0, or the
/// error code: for a module without Open Dynamics Engine, or for an invalid push.
WEB_CALL int web_push(int number, int joint, float x, float y, float z, float seconds);

/// [joint][7] of one character: rotation x y z w, translation, in the world, after the last step.
WEB_CALL const float *web_world(int number);
/// Numbers of the last step, in the places that web_describe names.
WEB_CALL const float *web_view(void);
/// Hash of all states, as `amble run` prints it: 16 hexadecimal digits.
WEB_CALL const char *web_hash(void);

#endif

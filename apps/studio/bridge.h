/// The few calls through which the page drives a character: plain numbers, pointers into wasm memory, texts.
/// The page is one thread with one character, so what is open lives in the module itself.
#ifndef AMBLE_STUDIO_BRIDGE_H
#define AMBLE_STUDIO_BRIDGE_H

#include <amble/amble.h>

/// Room for a database's bytes, aligned as am_db_from_memory wants it; NULL when there is none.
void *web_alloc(int size);
void web_free(void *block);

/// Opens a database from bytes of web_alloc, which the module keeps from then on, and makes a character of it.
/// Gives 0, or the error code; what was open before is then still open.
int web_open(void *data, int size, const char *name);
/// What went wrong last, in words.
const char *web_error(void);

/// The database as JSON: skeleton, roles, channels, activities, speeds, and where each number of web_view stands.
/// Lives until the next call.
const char *web_describe(void);
/// The name of the range that holds a frame.
const char *web_clip_name(int frame);

/// Takes options and makes the character anew where it stands. Gives 0 or the error code; then all stays as it was.
int web_options(int root, int inertialise, int ik, float search_every_s, float stay_bias);
/// The speed of a walk, m/s; 0 means the database's own. Counts at once.
void web_walk_speed(float mps);
/// Back to the start, with the options as they are.
int web_reset(void);

/// One step. With a touched gamepad its sticks count, else the keys: as in a run (RUN.json).
void web_step(int keys, float left_x, float left_y, float right_x, float right_y, int buttons, float dt);

/// [joint][7]: rotation x y z w, translation, in the world, after the last step.
const float *web_world(void);
/// Numbers of the last step, in the places that web_describe names.
const float *web_view(void);
/// Hash of the state, as `amble run` prints it for one character: 16 hexadecimal digits.
const char *web_hash(void);

#endif

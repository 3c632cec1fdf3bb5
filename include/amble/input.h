/// What an actor is asked to do: intent (from sticks, keys or a point to walk to), drawn paths, and pushes.
#ifndef AMBLE_INPUT_H
#define AMBLE_INPUT_H

#include <amble/source.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Intent

/// Keys that steer, and the actions of sticks and gamepads (am_stick, am_gamepad).
enum {
    AM_KEY_W = 1 << 0, ///< +z
    AM_KEY_A = 1 << 1, ///< +x: the character's left at the start
    AM_KEY_S = 1 << 2,
    AM_KEY_D = 1 << 3,
    AM_KEY_UP = 1 << 4,    ///< target speed up while held
    AM_KEY_DOWN = 1 << 5,  ///< target speed down
    AM_KEY_SHIFT = 1 << 6, ///< sprint
    AM_KEY_J = 1 << 7,     ///< jump
    AM_KEY_C = 1 << 8,     ///< creep while held
    AM_KEY_P = 1 << 9      ///< dance
};
#define AM_KEY_COUNT 10
/// The name of key 1 << index, index below AM_KEY_COUNT: "W", "Shift", "ArrowUp", ...
AM_API const char *am_key_name(int index);

/// A gamepad. Sticks are [right, forward], -1 to 1; the right one is the desired facing.
typedef struct am_gamepad {
    float left[2];
    float right[2];
    uint32_t buttons; ///< AM_KEY_* bits: south = J, east = C, north = P, shoulder = Shift
} am_gamepad;

/// What the user wants, whatever the device. am_actor_steer makes it from a stick.
typedef struct am_intent {
    am_vec3 velocity; ///< desired velocity in the world, m/s
    am_vec3 facing;   ///< desired facing in the world, unit; zero: the direction of movement
    bool jump, creep, dance;
    bool run;                         ///< on a path: faster than it was drawn
    bool has_point;                   ///< `point` counts, for methods that follow no trajectory (field)
    am_vec3 point;                    ///< in the world: to walk to, or on the line to keep to
    const struct am_control *control; ///< flow, segments: a value of the asset's control schema, borrowed for the
                                      ///< step; NULL: the model's runtime controls make one of the rest
} am_intent;

/// How devices become intent. am_actor_get_speeds fills it for an actor.
typedef struct am_intent_def {
    float walk_mps, sprint_mps, creep_mps; ///< speeds of a full stick or a key
    float speed_change_mps2;               ///< how fast the arrows change the target speed
    float dead_zone;                       ///< of a stick
    uint32_t cookie;
} am_intent_def;

/// What is kept of devices between frames: the target speed. One state serves all devices of a user.
typedef struct am_intent_state {
    float target_mps; ///< changed by the arrows
    uint32_t held;    ///< AM_KEY_* of the last frame
} am_intent_state;
AM_API void am_intent_state_init(am_intent_state *out, const am_intent_def *def);
/// The intent of keys and gamepad together, dt seconds after the last call: the gamepad's while it is touched (a
/// button, or a stick beyond the dead zone), else that of the keys.
AM_API void am_intent_from_devices(am_intent_state *state, am_intent *out, const am_intent_def *def, uint32_t keys,
                                   const am_gamepad *pad, float dt);
/// The intent to walk straight from `root` to a point on the ground at `mps` m/s. Within 0.4 m of it the character is
/// there and stops.
AM_API void am_intent_to_point(am_intent *out, const am_transform *root, const am_vec3 *point, float mps);

// ---------------------------------------------------------------------------------------------
// Paths: time-stamped points on the ground that a character follows (LHMM sections V to VII), and what Amble adds to
// keep it on them: retiming to the limits of the data, and steering.

#define AM_MAX_PATH_OBSTACLES 64

/// A point of a path as it was drawn.
typedef struct am_path_sample {
    float t;    ///< s; never decreases
    float x, z; ///< m
} am_path_sample;

/// Where a path begins.
typedef enum am_path_mode {
    AM_PATH_GLOBAL, ///< where it was drawn, after a straight walk to its start
    AM_PATH_LOCAL   ///< moved so that it begins where the character stands
} am_path_mode;

/// Where a character on a path faces.
typedef enum am_path_facing {
    AM_PATH_FACING_TANGENT,  ///< along the path
    AM_PATH_FACING_JOYSTICK, ///< along the path, turned by the angle of the facing stick from straight ahead
    AM_PATH_FACING_NET       ///< as people would; the asset needs a network for it (am_asset_info.has_direction)
} am_path_facing;

/// Which point of the path counts as the character's position (LHMM VI-A).
typedef enum am_path_desired {
    AM_PATH_DESIRED_WINDOW, ///< the nearest point a little ahead of the last one
    AM_PATH_DESIRED_FRAME,  ///< the point for the present time (ablation)
    AM_PATH_DESIRED_NEAREST ///< the nearest of all (ablation)
} am_path_desired;

/// The parts of the method, each a switch. am_path_def_init sets what works best.
typedef struct am_path_method {
    bool smooth;             ///< Gaussian of 0.1 s (LHMM V-B), or of 0.1 m when retimed
    am_path_desired desired; ///< LHMM VI-A
    bool speed_limit;        ///< LHMM VI-B; a retimed path keeps it by itself
    bool corners;            ///< LHMM VI-C; off by default: a retimed path takes them slowly instead
    bool retime;             ///< speeds within the accelerations of the data
    bool lead;               ///< the target advances with time and waits for the body a little ahead
    bool steer;              ///< the root's motion is bent by a few degrees and scaled by a few per cent
    bool plant;              ///< frames after which the feet shuffle are not jumped to
    bool weigh;              ///< the trajectory counts for more than the pose
    bool recover;            ///< after 2 s without progress the target advances by itself
    bool guard;   ///< playing on is a choice, frames near the playing one and rough ones are not; otherwise the
                  ///< nearest frames alone are (LHMM algorithm 1)
    bool squares; ///< a lookahead adds up squared distances; otherwise distances (LHMM algorithm 1)
} am_path_method;

/// A round obstacle that a path is bent around.
typedef struct am_path_obstacle {
    float x, z, radius; ///< m
} am_path_obstacle;

/// How a path is followed. Begin with am_path_def_init().
typedef struct am_path_def {
    const am_path_sample *samples; ///< [count] copied
    int count;
    am_path_mode mode;
    am_path_facing facing;
    float v_max;                       ///< m/s; 0 means the database's own
    float scale;                       ///< factor of the speed: 0.2 follows a drawing five times more slowly
    bool loop;                         ///< repeated forever, starting at its nearest point
    const am_path_obstacle *obstacles; ///< [obstacle_count] copied
    int obstacle_count;
    am_path_method method;
    uint32_t cookie;
} am_path_def;
AM_API void am_path_def_init(am_path_def *def);

/// How many points an actor needs room for (am_actor_def.path_points) to follow a path at `fps` frames per second,
/// those of the database, from a place away_m metres from its beginning.
AM_API int am_path_room(const am_path_def *def, float away_m, float fps);

/// A point of a path as it is followed: one for each frame of the database.
typedef struct am_path_point {
    float x, z;    ///< m
    float along;   ///< m from the beginning
    float heading; ///< rad, along the path
} am_path_point;

// ---------------------------------------------------------------------------------------------
// Pushes (Fields section 5): forces on any part of a body, answered by a solver that simulates the body's dynamics
// and blended with whatever moves the character.
//
// The library only defines the interface of a solver. am_physics (amble/physics.h) implements it with Open Dynamics
// Engine, in a library of its own; a game may use its own engine.

#define AM_PUSH_FPS 30.0f   ///< frames per second of the simulation and of the blend
#define AM_PUSH_WINDOW 20   ///< frames of the blend after a push (eq. 15: k = 20, 2/3 s)
#define AM_MAX_PUSHES 8     ///< forces that act together
#define AM_PUSH_MOST_N 1e5f ///< strongest force

/// A force on the part of the body that a joint moves.
typedef struct am_push {
    int32_t joint;
    float seconds; ///< duration, > 0
    am_vec3 force; ///< N, world axes
} am_push;

/// What a solver is asked: D(x, 0, i) of eq. 15, the pose x after i frames under forces, beginning at rest.
typedef struct am_push_query {
    const am_transform *local; ///< [joint] the pose x; joint 0 (hips) in the world
    const am_push *pushes;     ///< [push_count] that act from the first frame on
    int push_count;
    uint8_t contacts; ///< AM_CONTACT_* bits of the feet that are pinned to the ground
    int frames;       ///< i: frames of 1 / AM_PUSH_FPS, 1 to AM_PUSH_WINDOW
} am_push_query;

/// A push solver, for one thread at a time. It keeps nothing between calls: the same query gives the same bits in
/// the same build.
typedef struct am_push_solver {
    void *user;
    const am_skeleton *skeleton; ///< of the poses that it takes; borrowed
    /// local(joint_count): the pose after the frames, joint 0 in the world; before(joint_count): one frame earlier.
    /// False when it has no answer: the pose then stays as it is.
    bool (*solve)(void *user, am_transform *local, am_transform *before, const am_push_query *query);
} am_push_solver;

/// Makes solvers, for runs that know their skeleton only after opening their data. am_physics_engine is one.
typedef struct am_push_engine {
    void *user;
    am_result (*create)(void *user, const am_push_solver **out, const am_skeleton *skeleton, const am_roles *roles,
                        const am_alloc *alloc, am_error *err);
    void (*destroy)(void *user, const am_push_solver *solver);
} am_push_engine;

#ifdef __cplusplus
}
#endif
#endif

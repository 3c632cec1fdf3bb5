/// An actor is one character: the user's intent goes in, a pose comes out. It predicts where the user wants to go
/// (critically damped springs), asks its method for the next pose, lets transitions die out, keeps planted feet in
/// place, and moves its root.
///
/// Everything that changes lies in flat memory without pointers: snapshot, restore and hash work on bytes, so that
/// rollback and replay give the same frames again on any machine. An actor belongs to one thread at a time.
#ifndef AMBLE_ACTOR_H
#define AMBLE_ACTOR_H

#include <amble/asset.h>
#include <amble/input.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the character is doing.
typedef enum am_activity {
    AM_ACTIVITY_MOVE,
    AM_ACTIVITY_STAND,
    AM_ACTIVITY_CREEP,
    AM_ACTIVITY_JUMP,
    AM_ACTIVITY_DANCE,
    AM_ACTIVITY_COUNT
} am_activity;
/// "move", "stand", "creep", "jump", "dance".
AM_API const char *am_activity_name(am_activity activity);

/// A character, for one thread at a time.
typedef struct am_actor am_actor;

/// How an actor is made. Begin with am_actor_def_init().
typedef struct am_actor_def {
    const am_alloc *alloc;
    const am_asset *asset;      ///< borrowed; NULL with a source
    const am_source *source;    ///< borrowed: a method of the caller's own, without an asset; NULL: settings.method
    const am_push_solver *push; ///< borrowed: answers pushes. Actors that are stepped on several threads must not
                                ///< share one. NULL: the actor cannot be pushed
    const am_clock *clock;      ///< borrowed: for timings; NULL: none
    am_search_work *work;       ///< borrowed: working memory for one thread (am_source_work_create); NULL: its own
    am_settings settings;
    const char *tags[AM_ACTIVITY_COUNT]; ///< tag queries: the frames of each activity. NULL: by the data's tags. "":
                                         ///< every frame for AM_ACTIVITY_MOVE, none for the others
    const float *channel_weights; ///< [channel] factors of the schema's weights, 0 to 1000, or NULL; not with PCA
    int path_points;              ///< room for the points of a path (am_path_room); 0: the actor cannot follow paths
    uint64_t seed;                ///< of its random stream
    am_vec3 position;             ///< start
    float heading;                ///< start, radians
    int start_frame;              ///< database frame to begin with; -1: a standing one
    uint32_t cookie;
} am_actor_def;
/// The usual def for an asset, with the first method that it has, in the order of am_method. asset may be NULL when
/// `source` is set afterwards.
AM_API void am_actor_def_init(am_actor_def *def, const am_asset *asset);

AM_API am_result am_actor_create(am_actor **out, const am_actor_def *def, am_error *err);
/// The short way: one actor from one file. The actor owns its asset.
AM_API am_result am_actor_open(am_actor **out, const char *file, am_error *err);
AM_API void am_actor_destroy(am_actor *actor);

/// One step of dt seconds (above 0; more than 0.1 counts as 0.1). No allocation, no lock, no I/O. An intent with
/// numbers that are not finite is ignored: the last good one stays, and the frame is counted in fallback_frames.
AM_API void am_actor_step(am_actor *actor, const am_intent *intent, float dt);
/// One step of actors(count) with intents(count), with the same bits as single steps. Every 32 actors are one task
/// (tasks NULL: one after another). Learned actors of one asset run their networks together when they are neighbours
/// in the array; the asset has memory for eight such batches, so there are then at most eight tasks.
AM_API void am_actors_step(am_actor *const *actors, const am_intent *intents, int count, float dt,
                           const am_tasks *tasks);

/// A stick, and where the camera looks.
typedef struct am_stick {
    float x, y;           ///< right, forward; -1 to 1
    float face_x, face_y; ///< desired facing, as x and y; both 0: the direction of movement
    float camera_heading; ///< rad about the vertical, 0 looks along +z
    uint32_t actions;     ///< AM_KEY_SHIFT sprints, AM_KEY_J jumps, AM_KEY_C creeps, AM_KEY_P dances
} am_stick;
/// The intent of a stick, with the speeds of the actor's settings or else those of its data.
AM_API void am_actor_steer(const am_actor *actor, am_intent *out, const am_stick *stick);
/// The same speeds, for am_intent_from_devices.
AM_API void am_actor_get_speeds(const am_actor *actor, am_intent_def *out);

/// Changes all settings or none, and keeps the pose: a change of method or of `inertialise` begins a transition.
/// Refuses values out of range (AM_ERR_RANGE) and methods that the asset does not have (AM_ERR_SUPPORT). Allocates
/// when the actor uses a method for the first time.
AM_API am_result am_actor_set(am_actor *actor, const am_settings *settings, am_error *err);
AM_API void am_actor_get_settings(const am_actor *actor, am_settings *out);
/// Sets the factor of a feature channel's weight, 0 to 1000; 1 is the schema's own weight.
AM_API am_result am_actor_set_weight(am_actor *actor, const char *feature, float weight, am_error *err);
/// Sets the frames of an activity by a tag query; NULL: by the data's tags. Allocates.
AM_API am_result am_actor_set_tags(am_actor *actor, am_activity activity, const char *query, am_error *err);

/// Continues from another actor: takes its place, pose, movement, target and path; `from` does not change. In the
/// next step the actor's own method continues from its nearest pose, and the difference dies out. This is how a
/// character changes its asset. Refuses another skeleton (AM_ERR_SKELETON). Allocates nothing.
AM_API am_result am_actor_take_over(am_actor *actor, const am_actor *from, am_error *err);
/// Puts the actor at another place (m; the height is ignored) and heading (rad) at once. Pose and motion continue
/// there. Numbers that are not finite change nothing.
AM_API void am_actor_place(am_actor *actor, const am_vec3 *position, float heading);

/// Follows a path from the next step on, in place of an earlier one; at its end the character stands. On a path the
/// intent's velocity is ignored; its facing counts with AM_PATH_FACING_JOYSTICK, and with `run` the character runs.
/// After a refusal the character follows no path. Allocates nothing.
AM_API am_result am_actor_follow(am_actor *actor, const am_path_def *def, am_error *err);
/// Leaves the path: the intent counts again.
AM_API void am_actor_leave_path(am_actor *actor);

/// A path as it is followed.
typedef struct am_path_view {
    bool following, ended;
    const am_path_point *points; ///< [count] valid as long as the pointers of am_actor_pose
    int count;
    int loop_first; ///< first point of the lap, -1 without one
    int at;         ///< point where the character is
    float v_max;    ///< m/s
    int recoveries; ///< times without progress for 2 s
    int laps;       ///< of a loop
    am_vec3 offset; ///< m, from the path as it was drawn
} am_path_view;
AM_API void am_actor_get_path(const am_actor *actor, am_path_view *out);

/// Pushes the part of the body that `joint` moves with `force` (N, world axes) for `seconds` (above 0, at most 10)
/// from the next step on. By default planted feet stay and steps catch a body out of balance; see am_push_blend for
/// the blends of the Fields paper, where a source with ticks of its own (field) continues from the pushed state and
/// others re-enter at the state nearest to the pushed body. Pushes before the same step act together; a later one
/// ends the forces before it. Forces act for ten frames at most (0.33 s), with a blend in a source with ticks for
/// AM_PUSH_WINDOW - 1 (0.63 s). Refuses an actor without a solver (AM_ERR_SUPPORT), more
/// than AM_MAX_PUSHES, and numbers that are not finite. Allocates nothing itself; the solver may.
AM_API am_result am_actor_push(am_actor *actor, int joint, const am_vec3 *force, float seconds, am_error *err);
/// The pushes on a character.
typedef struct am_push_view {
    const am_push *pushes; ///< [count] that act now
    int count;
    int frame;      ///< of the blend, 0 before the first
    uint64_t total; ///< pushes since it was created
} am_push_view;
AM_API void am_actor_get_push(const am_actor *actor, am_push_view *out);

/// The pose after the last step. The actor owns the arrays and overwrites them in each step; the pointers change when
/// settings or tags change, or when a snapshot is restored.
typedef struct am_actor_pose {
    am_transform root;             ///< ground root in the world
    const am_transform *local;     ///< [joint] final local transforms; joint 0 relative to the root
    const am_transform *local_raw; ///< [joint] before IK
    const am_transform *world;     ///< [joint] final
    const am_transform *world_raw; ///< [joint] before IK
    uint8_t contacts;              ///< AM_CONTACT_* of the motion
    uint8_t locked;                ///< AM_CONTACT_* that the foot lock holds
} am_actor_pose;
AM_API void am_actor_get_pose(const am_actor *actor, am_actor_pose *out);
/// The pose between the last two steps, for frames between them: t = 0 gives the one before, 1 the last. local(joint)
/// as in am_actor_pose.
AM_API void am_actor_sample(const am_actor *actor, float t, am_transform *root, am_transform *local);

/// What was desired, predicted and chosen in the last step. Pointers as in am_actor_pose.
typedef struct am_actor_view {
    am_intent intent;
    am_activity activity;
    uint32_t activities;     ///< 1 << am_activity for each that the database has frames for
    am_transform simulation; ///< the simulated point; its height is the desired one of the hips
    am_vec3 simulation_velocity;
    const am_query_point *trajectory; ///< [trajectory_count] predicted
    int trajectory_count;
    const am_source_output *output;
    const float *weights;     ///< [stride] factors of the last search; NULL: all 1
    uint64_t fallback_frames; ///< frames that kept the last good pose or target
    uint64_t transitions, searches, steps;
} am_actor_view;
AM_API void am_actor_get_view(const am_actor *actor, am_actor_view *out);
/// A neighbour of a motion field's state, and how the ground root moved from there.
typedef struct am_actor_neighbour {
    float weight;     ///< similarity (Fields eq. 2); all weights together are 1
    float x, z, turn; ///< m and rad in one tick, in the root's own frame
} am_actor_neighbour;
/// out(AM_MAX_CANDIDATES): the neighbours of a field's tick in the last step, the chosen one first. Returns how many,
/// at most am_settings.candidates; 0 after a step without a tick and for other methods.
AM_API int am_actor_get_neighbours(const am_actor *actor, am_actor_neighbour *out);

/// Its asset; NULL for an actor of a source alone.
AM_API const am_asset *am_actor_asset(const am_actor *actor);

/// What is known about the data behind an actor.
typedef struct am_actor_facts {
    float hip_m;                  ///< median height of the hips when moving upright
    float creep_hip_m, creep_mps; ///< medians of the frames tagged creep; 0 without any
    float jump_rise_m;            ///< median rise of the hips in a jump; 0 without any
    float toe_m, heel_m;          ///< the floor: 1st percentiles of the heights of toe and heel (the point under the
                                  ///< ankle at toe height at rest)
    uint32_t unmet;               ///< 1 << am_activity for each whose tag query matches no frame: movement then takes
                                  ///< every frame, any other activity is left out
} am_actor_facts;
AM_API void am_actor_get_facts(const am_actor *actor, am_actor_facts *out);

/// Writes the whole state with settings, weights and tags to out(room) where that is enough. Returns how many bytes
/// it has, which may change with the settings.
AM_API size_t am_actor_snapshot(const am_actor *actor, void *out, size_t room);
/// Restores a snapshot of an actor with the same asset and the same def; settings, weights and tags may differ.
/// Refuses foreign bytes (AM_ERR_FORMAT) and damaged ones (AM_ERR_CHECKSUM); the actor then stays as it is. Allocates
/// when am_actor_set would.
AM_API am_result am_actor_restore(am_actor *actor, const void *bytes, size_t size, am_error *err);
/// A 64-bit hash of the state: actors with equal hashes and settings move alike from then on.
AM_API uint64_t am_actor_hash(const am_actor *actor);

#ifdef __cplusplus
}
#endif
#endif

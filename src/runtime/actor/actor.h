/// The inside of an actor: what is prepared once for all actors of a method (ami_prepared), what is its own
/// (ami_state), and the parts of one step.
#ifndef AMI_ACTOR_ACTOR_H
#define AMI_ACTOR_ACTOR_H

#include <amble/actor.h>

#include "actor/get.h"
#include "actor/floor.h"
#include "actor/path.h"
#include "actor/direction_net.h"
#include "actor/intent.h"
#include "actor/objects.h"
#include "actor/path_def.h"
#include "actor/post.h"
#include "actor/stand.h"
#include "data/database.h"
#include "data/search.h"
#include "method/latent.h"

struct ami_push_state;
/// push.h: the parts of a push in a character.
typedef struct ami_push_room {
    struct ami_push_state *head; ///< flat; NULL: this character cannot be pushed
    am_transform *from, *to;     ///< flat [joint]: offsets of the reaction at the beginning and the end of its frame
    am_transform *before;        ///< flat [joint]: local_raw before the last step
    am_transform *x, *pose, *previous; ///< [joint] scratch
} ami_push_room;

/// Weights of features: the settings' two weights and a factor for each channel (NULL: 1).
typedef struct ami_weighing {
    float trajectory, pose;
    const float *channels;
    bool printed; ///< heights count as eq. 13 of Responsive says, always
} ami_weighing;

/// Factors of the squared feature differences.
typedef struct ami_weights {
    float *flat;                     ///< [stride] heights do not count (2-D); NULL with PCA and without a database
    float *high;                     ///< [stride] heights count (3-D)
    float *path;                     ///< [stride] on a path: heights do not count, the trajectory counts for more
    bool flat_matters, high_matters; ///< false: all 1
} ami_weights;

/// weights.c: whether anything differs from the usual weights.
bool ami_weighing_matters(const ami_weighing *how);
/// weights.c: fills room(3 stride). Not for databases with PCA.
void ami_weights_set(ami_weights *out, float *room, const am_db *db, const ami_weighing *how);
/// weights.c: NULL when all are 1.
const float *ami_weights_get(const ami_weights *weights, bool high);

/// What an actor knows of its source; it never changes. An asset has one for each method.
typedef struct ami_prepared {
    am_alloc alloc;
    const am_source *source;
    am_filter *filters[AM_ACTIVITY_COUNT]; ///< frames to jump to; NULL means every frame
    am_filter *stays[AM_ACTIVITY_COUNT];   ///< frames to play on; NULL means the same
    am_filter *path_filter; ///< frames that a path lands on: feet that do not shuffle; NULL means filters[MOVE]
    am_filter *path_stay;   ///< with it, where stays[MOVE] is NULL: every frame
    float *reach;           ///< [joint] m, how far the body extends beyond a joint; 0 for hips and legs
    ami_tag_query queries[AM_ACTIVITY_COUNT];
    uint64_t wanted[AM_ACTIVITY_COUNT]; ///< tags to ask for where there are no frames to choose from
    uint32_t activities;                ///< 1 << am_activity for those that are available
    am_actor_facts facts;
    bool stored; ///< filters and facts are those of the database's file
    ami_path_limits limits;
    float times[AM_MAX_TRAJECTORY]; ///< s, of the predicted points: now, then those that the schema asks for
    int time_count;
    int first_ahead; ///< index of the first time after now, time_count without one
    float past_s;    ///< how far back the schema asks, s
    ami_weights weights;
    float *weight_room;
    am_intent_def speeds;    ///< of sticks and keys
    ami_joint_range *ranges; ///< [joint] NULL without poses: nothing can be pushed
    int stance;              ///< frame of the source's database that stands well; -1: none
    bool few;                ///< ranges come from few frames: the source itself goes beyond them
} ami_prepared;

/// tags(AM_ACTIVITY_COUNT) as in am_actor_def.
am_result ami_prepared_create(ami_prepared **out, const am_source *source, const char *const *tags,
                              const am_alloc *alloc, am_error *err);
void ami_prepared_destroy(ami_prepared *prepared);
/// Fills prepared->facts from the database.
am_result ami_prepared_measure(ami_prepared *prepared, am_error *err);
/// Facts about the source's motion, as files store them.
am_facts ami_prepared_facts(const ami_prepared *prepared);
/// activity_filters.c: fills filters, stays, queries and activities; tags(AM_ACTIVITY_COUNT) as above.
am_result ami_prepared_filters(ami_prepared *prepared, const char *const *tags, am_error *err);
/// weights.c: fills prepared->weights.
am_result ami_prepared_weigh(ami_prepared *prepared, am_error *err);
/// planted.c: fills prepared->path_filter, after the filters and the facts.
am_result ami_prepared_plant(ami_prepared *prepared, am_error *err);
/// push.c: fills prepared->ranges.
am_result ami_prepared_ranges(ami_prepared *prepared, am_error *err);
/// activity_filters.c: whether `frame` of the source's database belongs to an activity; yes below 0.
bool ami_prepared_accepts(const ami_prepared *prepared, am_activity activity, int frame);

/// The head of the flat block. Every field has its place without padding: the bytes are hashed and compared.
typedef struct ami_state {
    uint64_t steps, searches, transitions, fallbacks;
    am_rng rng;
    am_transform root;
    // The simulated point: a ground point with a heading that follows the target by springs.
    am_vec3 position, velocity, acceleration;
    float heading, heading_velocity;
    // The desired height of the hips: springs of its own (Responsive 3.3.1).
    float height, height_velocity, height_acceleration;
    // The target, after checks.
    am_vec3 target_velocity;
    am_vec3 target_facing;     ///< as given; zero when not
    float target_heading;      ///< what the facing follows
    float turn_halflife;       ///< at least, of the facing: by the angle that it had to turn when the target changed
    am_vec3 searched_velocity; ///< the target at the last search
    float searched_heading;
    uint32_t target_buttons, was_buttons; ///< ami_button_* now and in the step before
    int32_t activity;
    float activity_s; ///< seconds in it
    float speed;      ///< of the body over ground in the last step, m/s
    int32_t frame;    ///< that plays, -1 when the source has none
    uint32_t contacts, locked, ended;
    int32_t trajectory_count;
    float grace_s;  ///< s for which `grace` still holds after a transition
    uint32_t grace; ///< AM_CONTACT_* bits of the feet that were planted when it began
    ami_feet feet;
    am_vec3 moved; ///< velocity of hips and root in the last step, m/s; only kept with a history
    float past_s;  ///< since the newest place of the history
    int32_t past_head, past_count;
    uint32_t arriving; ///< 1 when another source moved the body until now (switch.c)
} ami_state;

enum {
    ami_button_jump = 1,
    ami_button_creep = 2,
    ami_button_dance = 4,
    ami_button_run = 8,
    ami_button_asked = 16 ///< a control value asks to go on: the body must not be held
};

/// What one step has decided to ask for.
typedef struct ami_activity_plan {
    am_vec3 velocity; ///< goal, m/s
    float heading;    ///< goal
    float height;     ///< goal of the hips, m
    bool leap;        ///< the height follows a jump's springs
    bool own_root;    ///< the animation alone moves the root
    bool rest;        ///< the simulated point comes to the body
    bool high;        ///< heights count
    bool search_now, leave, hold;
    bool stand; ///< what is held is standing
} ami_activity_plan;

// A body that has stopped this near its goal steps there and stands.
#define AMI_ARRIVAL_M 0.3f
#define AMI_ARRIVAL_RAD (60.0f * AM_DEG)

/// A point to arrive at by a plan (arrive.c).
typedef struct ami_arrival {
    am_vec3 point;  ///< on the ground
    am_vec3 facing; ///< unit; zero: any
    float heading;  ///< of it
    bool faces;
} ami_arrival;

/// A step in progress: what the part before the source hands to the part after it (actor.c).
typedef struct ami_step {
    ami_activity_plan plan;
    ami_path_context context;
    ami_stick_target target;
    uint64_t stick[AM_MAX_CONTEXT / sizeof(uint64_t)];
    am_horizon horizon;
    am_source_input input;
    am_source_pose body; ///< on arrival: what the source goes on from
    float dt, scaled;
    bool good, on_path, over;
    bool held; ///< the body stands: the source is not asked
    bool arrives;
    ami_arrival arrival;
    ami_things things;
} ami_step;

// A foot that was planted when a transition began stays planted for this long: contacts flicker where two motions
// meet.
#define AMI_GRACE_S 0.05f

/// Positions in a history: a second of steps at 60 Hz.
#define AMI_PAST_PLACES 64

/// What a snapshot carries beside the flat block: how the body moved in the last step, for a method that takes over
/// and for poses between steps. Not hashed: it follows from the steps.
typedef struct ami_recent {
    am_transform previous_root;
    am_vec3 root_linear, root_angular; ///< of the root in its own frame
    float before_dt;                   ///< 0 when nothing is known
    uint32_t reserved;
} ami_recent;

struct am_actor {
    am_alloc alloc;
    size_t block_size;
    const am_asset *asset;
    am_asset *own_asset;           ///< of a source of the caller's own, or of am_actor_open; NULL: shared
    const ami_prepared *prepared;  ///< the asset's for the method, or own_prepared
    ami_prepared *own_prepared;    ///< with tags of its own
    char *tags[AM_ACTIVITY_COUNT]; ///< of its own; NULL: what the data suggest
    am_search_work *work;          ///< that it steps in
    am_search_work *own_works[AM_METHOD_COUNT]; ///< [family]
    am_search_work *lent_work;                  ///< NULL: none
    am_method lent_family;
    am_settings settings;
    float factors[AM_MAX_CHANNELS]; ///< of the feature channels
    bool factored;                  ///< some are not 1
    ami_weights weights;            ///< of its own, when weighs
    float *weight_room;             ///< [3 longest stride]
    bool weighs;
    const am_push_solver *solver;
    const am_clock *clock;
    const am_net *direction;
    int joint_count;
    bool keeps_past; ///< some method needs the past of the body
    uint64_t key;    ///< what a snapshot must have been made with
    ami_inertia_def inertia_def;
    ami_feet_def feet_def;
    am_source_output output;
    // Scratch of one step.
    am_transform *next;
    // Part of snapshots, not of the hash.
    uint8_t *recent_block;
    size_t recent_size;
    ami_recent *recent;
    am_transform *before;   ///< [joint] local_raw before the last step
    am_transform *previous; ///< [joint] local before the last step
    am_velocity *arrival;   ///< [2 joint] velocities on arrival: local, then in the root's space
    // The flat block and its parts.
    uint8_t *flat;
    size_t flat_size, flat_room; ///< of the method; of the largest
    size_t plain_size;           ///< of it without the parts of standing and of pushes
    size_t stood_size;           ///< of it without the parts of pushes and of objects
    size_t pushed_size;          ///< of it without the part of objects
    ami_state *state;
    am_query_point *trajectory; ///< [AM_MAX_TRAJECTORY]
    am_query_point *past;       ///< [AMI_PAST_PLACES] ring, history.c; NULL when no past is asked for
    ami_stand *stand;
    am_transform *stand_pose; ///< [joint] of a standing character, without its small movements
    ami_objects *objects;
    void *source_state;
    ami_inertia *inertia;
    am_transform *source_local; ///< [joint] the source's last good pose
    am_transform *local_raw, *local, *world_raw, *world;
    ami_path_memory path;         ///< no head: paths are not followed
    ami_push_room push;           ///< no head: cannot be pushed
    am_tick_hook hook;            ///< of pushes
    am_net_work *direction_work;  ///< with a net
    ami_direction_window *window; ///< scratch of it
};

/// The settings as the source reads them: one of the caller's own has its own numbers.
static inline const am_settings *ami_source_settings(const am_actor *actor)
{
    return actor->settings.method == AM_METHOD_OWN ? NULL : &actor->settings;
}

/// settings.c: new settings and tags for an actor, checked and prepared.
typedef struct ami_change {
    am_settings settings;
    const ami_prepared *prepared;
    ami_prepared *own_prepared;    ///< NULL: the asset's
    char *tags[AM_ACTIVITY_COUNT]; ///< copies
    am_search_work *work;
} ami_change;
/// Refuses settings that the actor cannot have. Take the change, or drop it.
am_result ami_change_make(ami_change *out, am_actor *actor, const am_settings *settings, const char *const *tags,
                          am_error *err);
void ami_change_drop(ami_change *change, const am_actor *actor);
/// Takes settings, tags and what was prepared for them over, and lays out the flat block again: the parts behind the
/// source's state move.
void ami_change_take(ami_change *change, am_actor *actor);
/// settings.c: sets actor->weights.
void ami_actor_weigh(am_actor *actor);
/// make.c: pointers into the flat block, by what is prepared and the defs.
void ami_actor_lay_out(am_actor *actor);
/// make.c: bytes of the flat block of a method.
size_t ami_actor_flat_size(const am_actor *actor, const ami_prepared *prepared);
/// make.c: numbers of parts that follow from the method and the settings.
void ami_actor_set_parts(am_actor *actor);

/// asset.c: what is prepared for a method, NULL when the asset has none. A family is the method whose source others
/// share.
const ami_prepared *ami_asset_prepared(const am_asset *asset, am_method method);
am_method ami_method_family(am_method method);
const am_source *ami_asset_source(const am_asset *asset, am_method method);
const am_net *ami_asset_direction(const am_asset *asset);
uint64_t ami_asset_key(const am_asset *asset);
/// asset.c: working memory for batches of actors of one source, one for each slot; NULL when it has none. Borrow the
/// slots first: false while another call uses them. Return them afterwards.
bool ami_asset_borrow(const am_asset *asset);
am_search_work *const *ami_asset_slots(const am_asset *asset, const am_source *source);
void ami_asset_return(const am_asset *asset);
#define AMI_ASSET_SLOTS 8
#define AMI_ASSET_BATCH 32

/// weights.c: whether a channel asks where the body is at other times.
bool ami_asks_trajectory(const am_channel *channel);

/// history.c: how far back (s) the schema of a source asks, 0 when it does not.
float ami_history_longest(const am_source *source);
/// Starts at the body's position.
void ami_history_begin(am_actor *character);
/// Adds a step of dt; `before` is where root (x, z) and hips (y) were.
void ami_history_add(am_actor *character, am_vec3 before, float dt);
/// Where the body was `ago` seconds before now, >= 0; its `time` is not set.
am_query_point ami_history_at(const am_actor *character, float ago);
/// The body was moved elsewhere: its past moves with it.
void ami_history_move(am_actor *character, am_transform from, am_transform to);

/// activities.c: what to do in this step.
ami_activity_plan ami_activity_update(am_actor *character, float dt);
/// trajectory.c: where the simulated point will be, from now on; fills trajectory and its count.
void ami_trajectory_predict(am_actor *character, const ami_activity_plan *plan);
/// trajectory.c: take-off speed (m/s) and half-life (s) of the vertical springs for hips that rise by rise_m.
void ami_leap(float rise_m, float *speed, float *halflife);
/// activities.c: whether ordinary movement follows the predicted point: of searches and networks, which are asked for
/// what a body can do.
bool ami_follows_springs(const am_actor *character);
/// activities.c: whether a run is asked for that such a body reaches step by step.
bool ami_builds_up(const am_actor *character);
/// activities.c: whether such a body runs: it brakes as captured bodies do.
bool ami_is_running(const am_actor *character);
/// trajectory.c: half-lives (s) of velocity and facing toward a target: the settings', or longer ones where the body
/// would gain or lose speed, or turn, faster than captured bodies do.
float ami_velocity_halflife(const am_actor *character, am_vec3 target);
float ami_facing_halflife(const am_actor *character, am_vec3 target);
/// trajectory.c: the target has changed its heading.
void ami_turn_begin(ami_state *state);
/// trajectory.c: lets dt pass for the simulated point.
void ami_simulate(am_actor *character, const ami_activity_plan *plan, float dt);
/// arrive.c: the point that an intent asks a flow or segment character to arrive at; false without one or without the
/// option `plan`.
bool ami_arrival_find(const am_actor *character, const am_intent *intent, ami_arrival *out);
/// arrive.c: the character's trajectory becomes the planned way.
void ami_arrival_plan(am_actor *character, const ami_arrival *arrival);
/// arrive.c: velocity, facing and point of the plan now.
void ami_arrival_target(const am_actor *character, const ami_arrival *arrival, am_source_target *target);
/// arrive.c: after the root has moved: bends its movement to meet the point.
void ami_arrival_bend(am_actor *character, const ami_arrival *arrival, am_vec3 moved, float turned, float dt);

/// root.c: moves the root as the animation did (in the root's frame, with its turn) and pulls it to the point.
void ami_root_move(am_actor *character, const ami_activity_plan *plan, am_vec3 moved, float turned, float dt);
/// root.c: moves the root exactly as the animation did.
/// The share of a rest that goes in dt, of which half is left after the half-life.
float ami_share(float halflife, float dt);
/// v, or the vector of that length along it.
am_vec3 ami_limit(am_vec3 v, float longest);
/// How far a locked foot (side 0 left, 1 right) stands from where the motion has it, in the world; false: not locked.
bool ami_foot_gap(const am_actor *c, int side, am_vec3 *gap);
void ami_root_follow(ami_state *state, am_vec3 moved, float turned);

/// actor.c: the part of a step before the source is asked; `over` when there is nothing to ask.
void ami_step_begin(am_actor *character, ami_step *step, const am_intent *intent, float dt);
/// actor.c: the part after the source has written the character's output.
void ami_step_end(am_actor *character, ami_step *step);

/// switch.c: c->arrival from how `from` moved in its last step: local velocities, then those in the root's space.
void ami_find_velocities(am_actor *character, const am_actor *from);
/// switch.c: in the next step the source begins again from the body as it is.
void ami_begin_arrival(am_actor *actor);
/// switch.c: what the source learns about a body that another source moved; false when it moved the body itself.
bool ami_arrive(am_actor *character, ami_step *step);
/// switch.c: the transition of an arrival, in place of the source's own.
void ami_arrived(am_actor *character);

/// snapshot.c: the weights of a search now, NULL when all are 1.
const float *ami_actor_weights(const am_actor *character, bool high);

/// path_facing.c: the facing at a point (an index in frames, laps included) where the path has this heading.
float ami_path_tell(const am_actor *character, float heading, float index);
/// path_facing.c: a direction of the path, turned by the stick where the path asks for that.
am_vec3 ami_path_turned(const am_actor *character, am_vec3 way);
/// path_facing.c: a path begins, or its points change: the body is taken to have always faced as it does now.
void ami_path_facing_begin(am_actor *character);
/// path_facing.c: advances by dt, and predicts the facings ahead when they are due.
void ami_path_facing_step(am_actor *character, float dt);

/// path_follow.c: whether a path is being followed.
bool ami_path_active(const am_actor *character);
/// path_follow.c: where on the path the body is, and the target there; may end the path.
void ami_path_begin_step(am_actor *character, float dt);
/// path_follow.c: fills the trajectory from the path. *context is the result of the query; the horizon points to it.
am_horizon ami_path_predict(am_actor *character, ami_path_context *context);
/// path_follow.c: a search took place with that query.
void ami_path_searched(am_actor *character, const ami_path_context *context);
/// path_follow.c: moves the root as the animation did, steered to the path.
void ami_path_move(am_actor *character, am_vec3 moved, float turned, float dt);

#endif

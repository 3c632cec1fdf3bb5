/// Sources: where the next pose comes from. Every method (matching, networks, fields, ...) is one, and so is a method
/// of the caller's own, which then has transitions, feet, paths, pushes and snapshots like the others (am_actor_def,
/// am_asset_def).
///
/// A source is immutable and shared. What it remembers of a character is a flat state of a size that the source
/// names; this state lives inside the actor and can be copied, sent, hashed and restored.
#ifndef AMBLE_SOURCE_H
#define AMBLE_SOURCE_H

#include <amble/db.h>
#include <amble/options.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_TRAJECTORY 16 ///< points of a desired trajectory
#define AM_MAX_CANDIDATES 8  ///< best frames that a source shows
#define AM_FIELD_PARTS 4     ///< parts of a field's distance
#define AM_MAX_CONTEXT 64    ///< bytes of what a target keeps while it looks ahead

// For the library's own sources; others ignore them.
typedef struct am_index am_index;             ///< the search index of a database
typedef struct am_filter am_filter;           ///< the frames that a tag query accepts
typedef struct am_search_work am_search_work; ///< working memory for one thread at a time
struct am_control;

/// A clock for timings in traces; it affects nothing else.
typedef struct am_clock {
    void *user;
    double (*microseconds)(void *user);
} am_clock;

/// A target that knows its future (LHMM algorithm 1): the trajectory that it would request if the character were
/// somewhere else a little later. Paths, sticks and points are such targets.
typedef struct am_horizon {
    const void *user;
    size_t context_size; ///< bytes, at most AM_MAX_CONTEXT
    const void *context; ///< now, after the query of this step
    /// out(AM_MAX_TRAJECTORY): the desired trajectory of a character with its ground root at `root`. Returns how many
    /// points it has. May update the context.
    int (*compute_query)(const void *user, void *context, am_query_point *out, const am_transform *root);
    /// *next: the context `seconds` later.
    void (*update_context)(const void *user, void *next, const void *context, float seconds);
} am_horizon;

/// One tick of a source with ticks of its own (field) while pushes act on its character: the hook may change the pose
/// that the tick leads to. Poses have joint 0 relative to the ground root.
typedef struct am_tick {
    const am_transform *before; ///< [joint] the pose x that the tick began with
    am_transform *after;        ///< [joint] where the source leads; changed in place
    am_transform step;          ///< of the ground root, in its own frame before the tick; changed
    uint8_t contacts;           ///< AM_CONTACT_* before the tick
    // The velocity afterwards, as a displacement of one tick: `share` of the displacement between these two poses,
    // added to the source's own or mixed with it.
    const am_transform *from, *to; ///< [joint]
    am_transform fast;             ///< the root's step between them
    float share;                   ///< 0: nothing was changed
    bool mixed;                    ///< mixed instead of added
} am_tick;
typedef struct am_tick_hook {
    void *user;
    void (*tick)(void *user, am_tick *tick);
} am_tick_hook;

/// A plain target, for sources that follow no trajectory.
typedef struct am_source_target {
    am_vec3 velocity; ///< in the world, m/s
    float heading;    ///< desired facing
    am_vec3 point;    ///< on the line to keep to, or to go to
    bool has_point;
    bool faces; ///< the facing is desired at rest, too; otherwise it is the last desired direction
    bool jump, creep, dance, run;
} am_source_target;

/// The input of a source in one step.
typedef struct am_source_input {
    float dt;                         ///< seconds that pass, > 0; already scaled when time is stretched
    am_transform root;                ///< the character's ground root in the world, before the step
    const am_query_point *trajectory; ///< [trajectory_count] desired, in the world, ascending in time
    int trajectory_count;
    const am_horizon *horizon; ///< the target's future, for sources that look ahead; NULL: not known
    const am_filter *filter;   ///< frames that may be matched (tags), NULL means all; sources without frames
                               ///< take `wanted_tags`
    const am_filter *stay; ///< frames that may play on, NULL means those of `filter`: a wider set, since a frame to
                           ///< jump to needs some time ahead of it
    uint64_t wanted_tags;  ///< the tags that `filter` asks for, as bits
    const float *weights;  ///< [stride] factors of the squared feature differences, NULL means 1
    int candidates;        ///< number of best frames to report for a trace, 0 to AM_MAX_CANDIDATES
    bool search_now;       ///< the target changed sharply: do not wait for the next search
    bool leave;            ///< with search_now: playing on is no choice (another activity begins)
    bool hold;             ///< play on without searching until the end of the clip (jumps, dances)
    bool stand;            ///< with hold: what is held is standing in place
    bool printed;          ///< LHMM algorithm 1 as printed: the nearest frames alone are choices, wherever they lie
    bool distances;        ///< with a horizon: levels add up distances, as printed, instead of their squares
    am_source_target target;
    const struct am_control
        *control;                ///< flow, segments: what is asked (control.h); NULL: their runtime controls say it
    const am_transform *pose;    ///< [joint] of the body in the root's space when it is not the source's own (another
                                 ///< source moved it until now), else NULL
    const am_velocity *velocity; ///< [joint] with it, in the root's space
    am_vec3 feet[2]; ///< how far a search is to move the planted left and right foot of the source's motion toward
                     ///< where they stand, in the root's space; zero in the air
    const struct am_source_pose *body; ///< the same body as local transforms and velocities, with the root's
    const am_settings *settings;       ///< of the character; NULL: the numbers that the source was made with
    const am_tick_hook *hook; ///< called in each tick of a source that `ticks`; NULL: nothing acts on the body
    am_rng *rng;              ///< the character's random stream, for sources that draw
    const am_clock *clock;    ///< NULL means no timings
} am_source_input;

/// A pose with its velocities: one side of a transition. The arrays belong to the caller.
typedef struct am_source_pose {
    am_transform *local;   ///< [joint]
    am_velocity *velocity; ///< [joint] local
    am_vec3 root_linear;   ///< in the root's own frame, m/s
    am_vec3 root_angular;  ///< rad/s
} am_source_pose;

/// The output of a source: the pose of this frame, relative to the ground root, and how the root moves. The arrays
/// belong to the caller and keep their contents between steps: a source without a good pose leaves them as they are.
typedef struct am_source_output {
    am_transform *local;   ///< [joint] local transforms, joint 0 relative to the ground root
    am_vec3 root_linear;   ///< mean velocity of the ground root over the step in its own frame before the step, m/s:
                           ///< dt of it leads exactly along the captured path
    am_vec3 root_angular;  ///< rad/s
    uint8_t contacts;      ///< AM_CONTACT_* bits
    bool transition;       ///< the pose jumped, from `left` to `landed`: the actor smooths it
    bool searched;         ///< a search took place
    bool ended;            ///< a held clip came to its end; its last pose stays
    bool fell_back;        ///< something was not finite or not available: the last good answer was kept
    int frame;             ///< database frame that plays, -1 for sources without one
    float fraction;        ///< part of a frame beyond it
    am_source_pose left;   ///< at a transition: the pose of the last step, before dt passed
    am_source_pose landed; ///< at a transition: the pose jumped to, before dt passed
    float cost;            ///< of the best frame, when searched
    float stay_cost;       ///< of playing on, when searched; infinite when that was no choice
    float search_us;       ///< when searched with a clock
    int searches;          ///< nearest-frame searches that the choice took, 0 when none
    int candidate_count;   ///< best frames of the search, best first; before them the one jumped to
    am_hit candidates[AM_MAX_CANDIDATES];
    float totals[AM_MAX_CANDIDATES];  ///< what decided between them: match: the cost, long-horizon: the sum over the
                                      ///< levels (infinite where none was made), field: reward plus discounted value
    float stay_total;                 ///< the same of playing on
    bool softened;                    ///< the cheapest was a rough place to land, and a smoother one replaced it
    float rewards[AM_MAX_CANDIDATES]; ///< field: of the candidates' actions
    float values[AM_MAX_CANDIDATES];  ///< field: discounted, of where they lead; 0 without a value function
    float parts[AM_FIELD_PARTS];      ///< field: what adds up to `cost` (Fields eq. 1): root, turn, pose, next pose
    float turned, turned_by_motion;   ///< field: how far the root turns in the ticks that begin, either way, rad; and
                                      ///< what is left of it without the steering
    float query[AM_MAX_FEATURES];     ///< [stride] the stored-space query, when searched. flow, segments:
                                      ///< [asked_count] the control in the character's frame
    float answer[AM_MAX_FEATURES];    ///< learned: [stride] its projection; `cost` is their squared distance. flow,
                                      ///< segments: [encoding_count] the encoded control
    int encoding_count;               ///< flow, segments: numbers of the encoding in `answer`
    int asked_count;                  ///< flow, segments: numbers of the control in `query`; 0 without a tick
    int steps;                        ///< flow: Euler steps of this step's ticks; 0 without a tick
} am_source_output;

typedef struct am_source am_source;

/// What a source does.
typedef struct am_source_interface {
    const char *name; ///< "match", "long-horizon", "learned", ...
    /// Bytes of its state; a multiple of 16. The state holds no pointer and no padding.
    size_t (*state_size)(const am_source *source);
    /// Puts a state at its beginning: standing still, or at database frame `frame` when that is >= 0. settings as in
    /// am_source_input.
    void (*reset)(const am_source *source, void *state, int frame, const am_settings *settings);
    /// The pose of a state as it stands, without a step: fills local, contacts, frame.
    void (*pose)(const am_source *source, const void *state, am_source_output *out, am_search_work *work);
    /// One step. Allocates nothing; the same bits everywhere.
    void (*step)(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                 am_search_work *work);
    /// Frees it; only for sources that the library owns. NULL for those of a caller.
    void (*destroy)(am_source *source);
    // Optional; NULL where a source does not have it.
    /// Adds the working memory of its networks to a work, for steps of at most `most` states at once.
    am_result (*make_work)(const am_source *source, am_search_work *work, int most, const am_alloc *alloc,
                           am_error *err);
    /// `count` steps at once, each of its own state, with the same bits as single steps.
    void (*step_batch)(const am_source *source, void *const *states, am_source_output *const *outs,
                       const am_source_input *const *inputs, int count, am_search_work *work);
    /// The tags of a state, for sources without frames.
    uint64_t (*tags)(const am_source *source, const void *state);
    bool ticks; ///< it calls am_source_input.hook at AM_PUSH_FPS; when others are pushed, the actor moves the body
} am_source_interface;

/// What every source begins with: put it first in a struct of your own.
struct am_source {
    const am_source_interface *interface;
    const am_skeleton *skeleton; ///< borrowed
    const am_roles *roles;       ///< borrowed
    const am_db *db;             ///< NULL for sources without one
    const am_index *index;       ///< NULL for sources without one
    const am_facts *facts;       ///< NULL: taken from its database
    am_alloc alloc;
    uint64_t key; ///< hash of the numbers that it was made with: a snapshot continues only with the same
};

/// Makes the working memory of a source, for one thread and at most `most` characters in one batch. Actors that are
/// stepped on the same thread may share it (am_actor_def.work). Free with am_source_work_destroy.
AM_API am_result am_source_work_create(am_search_work **out, const am_source *source, int most, const am_alloc *alloc,
                                       am_error *err);
/// NULL is allowed.
AM_API void am_source_work_destroy(am_search_work *work);

#ifdef __cplusplus
}
#endif
#endif

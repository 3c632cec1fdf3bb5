/// The table of methods, the settings of an actor, and the one table of options: a row for each setting that a
/// script, a page or a program may change. Reading, checking, recording, help, the studio's panel and the table in
/// docs/run.md all come from it.
#ifndef AMBLE_OPTIONS_H
#define AMBLE_OPTIONS_H

#include <amble/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where the next pose comes from.
typedef enum am_method {
    AM_METHOD_MATCH,        ///< motion matching (LMM section 3)
    AM_METHOD_LONG_HORIZON, ///< motion matching that looks several searches ahead (LHMM section IV)
    AM_METHOD_LEARNED,      ///< learned motion matching: three networks, no database (LMM section 4)
    AM_METHOD_FIELD,        ///< a motion field (Fields)
    AM_METHOD_FLOW,         ///< flow matching in a latent space of poses (Operators 4.2)
    AM_METHOD_SEGMENTS,     ///< networks that answer a control with a segment of motion (Operators 4.3)
    AM_METHOD_OWN,          ///< a source of the caller's own (source.h); the library's come before it
    AM_METHOD_COUNT
} am_method;
/// "match", "long-horizon", "learned", "field", "flow", "segments", "own".
AM_API const char *am_method_name(am_method method);

/// One row of the table of methods.
typedef struct am_method_row {
    const char *name;  ///< in scripts
    const char *label; ///< for people
    bool database;     ///< it needs the frames of one
    const char *part;  ///< of a model that it needs; NULL: it plays without
    bool asked;        ///< it takes the control values of a schema (am_intent.control)
} am_method_row;
/// The library's own methods, by am_method: those that scripts and the studio offer.
AM_API const am_method_row *am_methods(int *count);

/// What moves the root.
typedef enum am_root_mode {
    AM_ROOT_ANIMATION,  ///< the animation's own root motion; the simulated point follows it
    AM_ROOT_SIMULATION, ///< the simulated point
    AM_ROOT_MIXED       ///< the animation's, pulled towards the simulated point, which waits at the clamps
} am_root_mode;

/// How the difference between two motions dies out after a jump from one to the other.
typedef enum am_inertialise {
    AM_INERTIALISE_OFF,    ///< not at all: the pose jumps
    AM_INERTIALISE_SPRING, ///< by critically damped springs
    AM_INERTIALISE_QUINTIC ///< by quintic polynomials (Responsive eq. 14-20)
} am_inertialise;

/// How a motion field chooses an action.
typedef enum am_field_policy {
    AM_FIELD_LOOKAHEAD, ///< Fields eq. 12: by reward and value
    AM_FIELD_GREEDY,    ///< Fields eq. 9: by reward
    AM_FIELD_PASSIVE    ///< by similarity alone: the character follows the data
} am_field_policy;

/// How the motion I and the result D of the forces are blended in frame i of the k = AM_PUSH_WINDOW after a push
/// (Fields section 5).
typedef enum am_push_blend {
    /// I + (k - i)/k (D(x, 0, i) - x): the motion continues, displaced by the effect of the forces. A weak push
    /// changes little.
    AM_PUSH_ADDED,
    /// Eq. 15 as printed: i/k I + (k - i)/k D(x, 0, i). D begins at rest, so that any push stops the motion first.
    AM_PUSH_PRINTED,
    /// The default, and not from the paper: the body leans as the forces turn it, planted feet stay, and a body that
    /// is
    /// out of balance is caught by a step. Rigs without toes and actors without `ik` have AM_PUSH_ADDED.
    AM_PUSH_STEPPED
} am_push_blend;

/// Everything about an actor that may change while it runs. Plain data without padding: snapshots carry it. Begin
/// with am_settings_init(). Lengths in metres, times in seconds.
typedef struct am_settings {
    am_method method;
    float search_every_s;   ///< match, long-horizon, learned: time between searches
    float stay_bias;        ///< match, long-horizon: subtracted from the cost of playing on
    float surround_s;       ///< match, long-horizon: frames this near the playing one are no jump targets
    float rough_mps2;       ///< match, long-horizon: rougher frames are avoided when a good one is smoother; 0: never
    int32_t k, l;           ///< long-horizon: branches and levels
    int32_t most_searches;  ///< long-horizon: limit for one choice; 0 means no limit
    int32_t candidates;     ///< best frames that the view shows, 1 to AM_MAX_CANDIDATES
    int32_t task;           ///< field: number of a built-in task, in the order of the option's choices
    am_field_policy policy; ///< field
    int32_t every;          ///< field: ticks between the anchors of its values; 0: the fewest that were trained
    am_root_mode root;
    am_inertialise inertialise;
    float inertialise_halflife; ///< s, spring
    float inertialise_seconds;  ///< s, quintic
    float inertialise_bend;     ///< m/s^2, spring: limit at the start, for arms, head and trunk; 0: no limit
    int32_t ik;                 ///< foot lock, 0 or 1
    float velocity_halflife, facing_halflife;               ///< s, of the predicted trajectory
    float time_scale;                                       ///< 1 plays as captured
    float adjust_position_halflife, adjust_facing_halflife; ///< s, mixed root: how fast it is pulled to the point
    float adjust_position_ratio, adjust_facing_ratio;       ///< mixed root: pull, as a fraction of its own movement
    float clamp_m, clamp_rad; ///< mixed root: largest distance from the simulated point, which waits there
    float trajectory_weight, pose_weight; ///< Responsive eq. 13: 0.8 and 0.2; both 0 means unweighted
    float walk_mps, sprint_mps;           ///< speeds of sticks and keys; 0 means the data's own
    int32_t as_printed;                   ///< 1: as Responsive prints it: eq. 13 alone weighs heights (3.2.4), a
                                          ///< standing character holds the last frame of its clip (3.3.2), and
                                          ///< Amble's hints of planted feet and limits of braking are left out
    float v_max;                          ///< m/s, fastest on a path; 0 means the path's own, or the data's
    int32_t steps;                        ///< flow: Euler steps of a tick; 0 means the model's own
    float noise;                          ///< flow: scale of the start noise; below 0 means the model's own
    float noise_memory; ///< flow: part of the start noise that the next tick keeps; below 0: the same
    float guidance;     ///< flow: how strongly the control counts; below 0: the same
    int32_t plan;       ///< flow, segments: goals are reached by an arrival plan, 0 or 1
    // Not in the table; for programs and the lab:
    float sharp_mps, sharp_rad; ///< a larger change of the target triggers a search at once
    float stand_mps;            ///< without input, a character predicted to be slower than this stands
    int32_t springs;            ///< 0: linear interpolation of the trajectory (Responsive's ablation)
    am_push_blend push_blend;
    float
        steady; ///< flow, segments: share of integrated angular velocities in rotations (Operators section 5); 0: raw
} am_settings;

/// The usual settings of a method.
AM_API void am_settings_init(am_settings *out, am_method method);
/// Refuses values out of range (AM_ERR_RANGE); the error names the option.
AM_API am_result am_settings_check(const am_settings *settings, am_error *err);

/// How a value of the table is read.
typedef enum am_option_type {
    AM_OPTION_NUMBER,
    AM_OPTION_INTEGER,
    AM_OPTION_SWITCH, ///< true or false
    AM_OPTION_CHOICE, ///< one of `choices`
    AM_OPTION_TAGS,   ///< a tag query; `offset` is the am_activity
    AM_OPTION_WEIGHTS ///< factors by feature channel
} am_option_type;

/// One row of the table.
typedef struct am_option {
    const char *key;
    am_option_type type;
    const char *unit;           ///< "" without one
    const char *help;           ///< one line
    float low, high;            ///< of numbers and integers
    float usual;                ///< of the same: higher values are rare, so that a slider ends here
    const char *const *choices; ///< [choice_count]
    int choice_count;
    uint32_t methods;  ///< 1u << am_method
    size_t offset;     ///< in am_settings
    const char *label; ///< a page shows it at once, under this name; NULL: among its other settings, by its key
} am_option;
/// The table, [*count]; constant.
AM_API const am_option *am_options(int *count);
/// Reads and writes the value of a row in settings: a number, 0 or 1, or the index of a choice. Not for tags and
/// weights, which belong to an actor. am_option_put does not check ranges: am_settings_check does.
AM_API double am_option_get(const am_option *option, const am_settings *settings);
AM_API void am_option_put(const am_option *option, am_settings *settings, double value);

#ifdef __cplusplus
}
#endif
#endif

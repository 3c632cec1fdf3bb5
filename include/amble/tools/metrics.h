/// Measures of motion quality: feet that slide, sink or skate, joints that shake, late responses, paths cut short.
/// The same measures are taken of a character's frames and of the database they come from, so that a bound can be a
/// multiple of the capture's own value.
///
/// Lengths below are centimetres where the name says so. What is measured per frame is given for frames of 1/60 s,
/// whatever the actual rate: speeds are divided by 60, second differences scaled by the square of the rates' ratio.
#ifndef AMBLE_METRICS_H
#define AMBLE_METRICS_H

#include <amble/db.h>
#include <amble/tools/json.h>
#include <amble/tools/motion.h>
#include <amble/tools/script.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// Poses

/// Measures of a stretch of poses in the world.
typedef struct am_quality {
    int64_t frames;
    double foot_slide_cm;  ///< mean distance a toe moves along the ground per frame, over frames in which it is below
                           ///< 0.2 m and slower than 0.2 m/s
    double skate_share;    ///< share of frames in which a toe is within 3 cm of the ground (y = 0) and moves along it
                           ///< faster than 0.2 m/s
    double jitter_cm;      ///< mean second difference of all joint positions
    double penetration_cm; ///< mean depth of toes and heels below the floor
    double joint_travel_cm;       ///< largest distance a joint moves relative to the hips in a frame
    double joint_mean_cm;         ///< mean distance that joints move relative to the hips per frame
    double transition_bend_cm;    ///< largest second difference of a joint in the frames that a transition touches
    double transition_bend_share; ///< share of those frames in which a joint bends more than the def's bend_limit_cm
} am_quality;

/// Start from am_meter_def_default().
typedef struct am_meter_def {
    const am_alloc *alloc;
    const am_skeleton *skeleton; ///< borrowed
    const am_roles *roles;       ///< borrowed; measures of feet are 0 for a rig without toes
    am_floor floor;
    double bend_limit_cm; ///< for transition_bend_share (am_db_measures.bend_p999_cm)
    uint32_t cookie;
} am_meter_def;
AM_API am_meter_def am_meter_def_default(void);

/// Receives poses one by one; allocates nothing after its creation.
typedef struct am_meter am_meter;
AM_API am_result am_meter_create(am_meter **out, const am_meter_def *def, am_error *err);
AM_API void am_meter_destroy(am_meter *meter);
/// world(joint_count), dt seconds (above 0) after the pose before. `transition`: the source jumped between the two.
AM_API void am_meter_add(am_meter *meter, const am_transform *world, float dt, bool transition);
/// Starts a new clip: the next pose is unrelated to the last.
AM_API void am_meter_cut(am_meter *meter);
AM_API am_quality am_meter_result(const am_meter *meter);
/// Largest second difference of a joint (cm) over the last three poses, -1 when there are not three yet.
AM_API double am_meter_bend(const am_meter *meter);

/// The same of a database's own motion.
typedef struct am_db_measures {
    am_floor floor;
    am_quality quality;
    double bend_p999_cm; ///< 99.9th percentile over frames of the largest second difference of a joint
} am_db_measures;
AM_API am_result am_db_measure(am_db_measures *out, const am_db *db, const am_alloc *alloc, am_error *err);
/// The same of the data behind a run's method: its database, or its facts about the data that it was trained on.
AM_API am_result am_run_measure(am_db_measures *out, const am_run *run, const am_alloc *alloc, am_error *err);

// ---------------------------------------------------------------------------------------------
// Tracks: the hips over the ground, one place per frame

typedef struct am_track {
    const am_vec3 *places; ///< [count] world; heights do not count
    int count;
    float dt; ///< s between two
} am_track;

/// What counts as a response to a target. Start from am_response_def_default().
typedef struct am_response_def {
    float window_s;       ///< a frame's movement is measured over this time before it (0.2)
    float tolerance_rad;  ///< this close to the target counts as a response (15 degrees)
    float stay_s;         ///< and must stay so close for this long (0.3)
    float least_turn_rad; ///< smaller changes of the target are not counted (20 degrees)
    float least_mps;      ///< a slower target counts as standing (0.05)
    float still_mps;      ///< slower movement is a stop (0.1)
    uint32_t cookie;
} am_response_def;
AM_API am_response_def am_response_def_default(void);

typedef enum am_response_kind {
    AM_RESPONSE_TURN, ///< the desired direction changed
    AM_RESPONSE_START,
    AM_RESPONSE_STOP
} am_response_kind;

/// One change of the target and how long the body took.
typedef struct am_response {
    am_response_kind kind;
    float t;         ///< s, of the change
    float turn_rad;  ///< between the old and the new target; 0 for starts and stops
    float speed_mps; ///< of the body before the change
    float seconds;   ///< until the response; infinite when the target changed again or the track ended before
    uint32_t odd;    ///< AM_ODD_* of the body's first second (am_moment_check); a run meter fills it, otherwise 0
} am_response;
/// targets(track->count): desired velocities, in the step that led to each place. Writes up to `capacity` responses
/// in order and returns the total number.
AM_API int am_responses_find(am_response *out, int capacity, const am_track *track, const am_vec3 *targets,
                             const am_response_def *def);
/// Mean angle in radians between movement and target, over frames whose target has not changed for `settle_s`; NAN
/// without any such frame.
AM_API double am_direction_error(const am_track *track, const am_vec3 *targets, float settle_s,
                                 const am_response_def *def);
/// Median of the responses of one kind with a turn within [low, high] radians; NAN without any.
AM_API float am_responses_median(const am_response *responses, int count, am_response_kind kind, float low,
                                 float high);

/// A drawn path.
typedef struct am_polyline {
    const am_vec3 *points; ///< [count] heights do not count
    int count;
    float duration_s;   ///< in which it was drawn
    float v_max;        ///< m/s, the fastest that it may be walked; 0 means no limit
    float end_radius_m; ///< the end is reached this near it (0.3 where 0)
} am_polyline;

typedef struct am_path_metrics {
    double path_error_m;     ///< mean distance of the hips from the path, until its end is reached
    double path_cover_m;     ///< mean distance of the path's points from the track
    double path_cover_max_m; ///< largest
    double path_time_ratio;  ///< time taken / max(duration, length / v_max)
    double path_end_m;       ///< distance of the last place from the path's end
    double path_s;           ///< time taken: until the end is reached, or all there is
    bool path_completed;
} am_path_metrics;
/// The end is reached when it is near and the progress along the path, which never decreases, is in its last tenth: a
/// path that ends where it began is not over at once.
AM_API am_path_metrics am_path_measure(const am_track *track, const am_polyline *path);

// ---------------------------------------------------------------------------------------------
// Runs

/// What amble/tools/motion.h measures of one character of a run.
typedef struct am_motion_metrics {
    bool measured;      ///< the rig has hips, legs, feet and toes
    am_novelty novelty; ///< without windows when there is no reference
    am_standing standing;
    am_stepping stepping;   ///< lengths are judged with a reference
    int stops, stops_bad;   ///< stops that were stood for half a second; those in a posture outside the range of
                            ///< captured standing
    int starts, starts_odd; ///< through frames of another activity: am_moment_check
    int turns_odd, stops_odd;
    int jumps, jumps_odd;
    int pushes;
    int pushes_beyond;    ///< that threw the body out of balance
    int pushes_caught;    ///< of those, by one or two steps
    float push_slide_cm;  ///< largest
    float push_steps;     ///< mean
    float push_balance_s; ///< median
} am_motion_metrics;

/// All measures of one character of a run.
typedef struct am_metrics {
    double seconds;
    am_quality final;  ///< after IK
    am_quality raw;    ///< before
    am_quality played; ///< of the database's frames that were played, as they were captured
    float response_s; ///< median over changes of the desired direction until the movement is within 15 degrees of it;
                      ///< NAN without any, infinite when more than half had no response
    float stop_s;     ///< median over stops of a moving body
    double direction_error_deg; ///< mean angle between movement and target from 1 s after a change of the target on
    double point_bend_cm;       ///< largest second difference of the simulated point, by its velocity
    int turns, unanswered;      ///< changes of direction, and those without a response before the next change
    double transitions_per_s;
    double frame_us, search_us; ///< means; 0 without a clock
    int64_t fallback_frames;
    am_path_metrics path; ///< of the last path; all 0 without one
    int path_recoveries;  ///< times on it without progress for 2 s
    int path_count;
    am_motion_metrics motion;
    const am_response *responses; ///< [response_count] all changes of the target; lives as long as the run meter
    int response_count;
} am_metrics;

/// Start from am_run_meter_def_default().
typedef struct am_run_meter_def {
    const am_alloc *alloc;
    const am_run *run;         ///< borrowed for the creation; its database for as long as the meter
    const am_db_measures *own; ///< of its database; copied
    am_reference *reference;   ///< borrowed: captured motion to compare with; NULL: no novelty, usual limits
    uint32_t cookie;
} am_run_meter_def;
AM_API am_run_meter_def am_run_meter_def_default(void);

/// Watches a run: give am_run_meter_observer to am_run_play.
typedef struct am_run_meter am_run_meter;
AM_API am_result am_run_meter_create(am_run_meter **out, const am_run_meter_def *def, am_error *err);
AM_API void am_run_meter_destroy(am_run_meter *meter);
AM_API am_run_observer am_run_meter_observer(am_run_meter *meter);
/// The measures so far.
AM_API am_metrics am_run_meter_result(am_run_meter *meter, int actor);
/// M.json: {"database": {...}, "characters": [{...}]}. A number that does not exist is null.
AM_API void am_run_meter_write(am_json_writer *writer, am_run_meter *meter);
/// The hips of one character over the ground, one place per frame.
AM_API am_track am_run_meter_track(const am_run_meter *meter, int actor);

#ifdef __cplusplus
}
#endif
#endif

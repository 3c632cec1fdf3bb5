/// Drawn paths: time-stamped points on the ground that a character follows (LHMM sections V to VII), and what Amble
/// adds to keep it on them: retiming to the limits of the data, and steering.
#ifndef AMBLE_PATH_H
#define AMBLE_PATH_H

#include <amble/db.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AM_MAX_PATH_OBSTACLES 64

/// A place as it was drawn.
typedef struct am_path_sample {
    float t;    ///< s; never before the one before it
    float x, z; ///< m
} am_path_sample;

typedef enum am_path_mode {
    AM_PATH_GLOBAL, ///< where it was drawn, after a straight walk to its start
    AM_PATH_LOCAL   ///< moved so that it begins where the character stands
} am_path_mode;

typedef enum am_path_facing {
    AM_PATH_FACING_TANGENT,  ///< along the path
    AM_PATH_FACING_JOYSTICK, ///< that turned by the angle of the facing stick from 12 o'clock
    AM_PATH_FACING_NET       ///< as people would; the asset needs a network for it (am_asset_has_direction)
} am_path_facing;

/// Where on the path the character is taken to be (LHMM VI-A).
typedef enum am_path_desired {
    AM_PATH_DESIRED_WINDOW, ///< the nearest point a little ahead of the last one
    AM_PATH_DESIRED_FRAME,  ///< the point of the present time (ablation)
    AM_PATH_DESIRED_NEAREST ///< the nearest of all (ablation)
} am_path_desired;

/// The parts of the method, each a switch. Start from am_path_method_default() or am_path_method_paper().
typedef struct am_path_method {
    bool smooth;             ///< Gaussian of 0.1 s (LHMM V-B), or of 0.1 m when retimed
    am_path_desired desired; ///< LHMM VI-A
    bool speed_limit;        ///< LHMM VI-B; a retimed path keeps it by itself
    bool corners;            ///< LHMM VI-C; a retimed path takes them slowly instead
    bool retime;             ///< speeds within the accelerations of the data
    bool lead;               ///< the target advances with time and waits for the body a little ahead
    bool steer;              ///< the root's motion is bent by a few degrees and scaled by a few per cent
    bool plant;              ///< frames after which the feet shuffle are not landed on
    bool weigh;              ///< the trajectory counts for more than the pose
    bool recover;            ///< after 2 s without progress the target advances by itself
} am_path_method;
AM_API am_path_method am_path_method_default(void);
/// LHMM as published, without what Amble adds.
AM_API am_path_method am_path_method_paper(void);

/// A round obstacle that a path is bent around.
typedef struct am_path_obstacle {
    float x, z, radius; ///< m
} am_path_obstacle;

/// How a path is followed. Start from am_path_def_default().
typedef struct am_path_def {
    const am_path_sample *samples; ///< [count] copied
    int count;
    am_path_mode mode;
    am_path_facing facing;
    float v_max;                       ///< m/s; 0 means the database's own
    float scale;                       ///< of the speed: 0.2 plays a drawing five times slower
    bool loop;                         ///< repeated forever, starting at its nearest point
    const am_path_obstacle *obstacles; ///< [obstacle_count] copied
    int obstacle_count;
    am_path_method method;
    uint32_t cookie;
} am_path_def;
AM_API am_path_def am_path_def_default(void);
/// Refuses numbers that are not finite or far too large, decreasing times, and an empty path.
AM_API am_result am_path_check(const am_path_def *def, am_error *err);

/// What a database can do on a path: percentiles of its moving frames.
typedef struct am_path_limits {
    float v_max;       ///< m/s: 98th percentile of the speed
    float v_least;     ///< m/s: 20th percentile, within 0.4 and 0.65
    float v_run;       ///< m/s: median of the frames tagged run, for Shift
    float lateral;     ///< m/s^2: 99th percentile across the direction of travel, at most 4
    float faster_mps2; ///< m/s^2: 99th percentiles along it, at most 3
    float slower_mps2;
} am_path_limits;
AM_API am_result am_path_limits_of(am_path_limits *out, const am_db *db, const am_alloc *alloc, am_error *err);

/// Points that an actor needs room for (am_actor_def.path_points) to follow the path from a place away_m metres from
/// its beginning.
AM_API int am_path_room(const am_path_def *def, float away_m, float fps);

/// One point of a path as it is followed, a frame of the database after the one before.
typedef struct am_path_point {
    float x, z;    ///< m
    float along;   ///< m from the beginning
    float heading; ///< rad, of the way
} am_path_point;

#ifdef __cplusplus
}
#endif
#endif

/// Internals of paths: what a character keeps of a path, and the parts of following it.
#ifndef AMI_CONTROL_PATH_H
#define AMI_CONTROL_PATH_H

#include <amble/source.h>

#include "actor/path_def.h"

/// What a target along a path remembers (LHMM appendix B); also the context of the lookahead.
typedef struct ami_path_context {
    int32_t at;     ///< i_d: the point where the character is taken to be
    int32_t before; ///< i_d of the query before
    int32_t corner; ///< the point before the next sharp corner that the query knows of, -1 for none
    float clock;    ///< the point that the target has reached, in frames; never behind `at`
} ami_path_context;

enum { ami_path_none, ami_path_follows, ami_path_arrives, ami_path_ended };

/// The head of a path in the flat block; no padding.
typedef struct ami_path {
    int32_t phase; ///< ami_path_*
    int32_t laid_count, count;
    int32_t loop_first; ///< first point of the lap, -1 without
    int32_t laid_loop;  ///< the same among the laid samples
    int32_t facing;     ///< am_path_facing
    uint32_t switches;  ///< am_path_method as bits
    int32_t desired;
    float v_max, fps;
    float own_v_max;   ///< m/s: of the path, or of the data; a setting may replace it
    float still_s;     ///< s since the last progress
    float still_along; ///< m along the path at that time
    uint32_t recoveries, laps;
    uint32_t runs;  ///< shaped for running (Shift)
    uint32_t fresh; ///< a query is due at once
    float arrive_s; ///< s at the last point
    float lag_s;    ///< s with hardly any progress
    float drift;    ///< fraction of a point by which the target has advanced by itself
    ami_path_context context;
    ami_path_limits limits;
    am_vec3 drawn_first, drawn_offset; ///< where the drawing begins, and by how much it was moved
    am_vec3 stick;                     ///< the facing that the devices target
    float told_s;                      ///< s until the network predicts facings again
    int32_t told_to;                   ///< the last point that it has predicted
} ami_path;

enum {
    ami_path_smooth = 1,
    ami_path_speed_limit = 2,
    ami_path_corners = 4,
    ami_path_retime = 8,
    ami_path_lead = 16,
    ami_path_steer = 32,
    ami_path_weigh = 64,
    ami_path_recover = 128,
    ami_path_plant = 256,
    ami_path_guard = 512,
    ami_path_squares = 1024
};

/// A sample of the laid path: playing time and position.
typedef struct ami_laid {
    float t, x, z;
    float reserved;
} ami_laid;

/// A path with its arrays.
typedef struct ami_path_memory {
    ami_path *head;
    ami_laid *laid;        ///< [room] in the flat block
    am_path_point *points; ///< [room] in the flat block
    float *facings;        ///< [room] rad, in the flat block: as a network predicts; NULL without one
    float *scratch;        ///< [ami_path_scratch * room]
    int room;
} ami_path_memory;
#define ami_path_scratch 6

static inline bool ami_path_has(const ami_path *path, uint32_t what) { return (path->switches & what) != 0; }

/// path_lay.c: the drawing moved, joined, doubled and bent: laid samples.
am_result ami_path_lay(ami_path_memory *room, const am_path_def *def, am_vec3 from, am_error *err);
/// path_shape.c: LHMM V-B: smooths in(count) with a Gaussian of 0.1 s into out(count), which must not overlap it.
void ami_path_smooth_track(float *out, const float *in, int count, float fps);
/// path_shape.c: laid samples to points. v_start: m/s at the beginning; least: lower limit of the drawing's speed in
/// m/s; heading: for a path that goes nowhere.
am_result ami_path_shape(ami_path_memory *room, float v_start, float least, float heading, am_error *err);

/// The point at an index, which may lie beyond the end: the last point, or the lap again.
static inline int ami_path_index(const ami_path *path, int i)
{
    if (i < path->count) {
        return i < 0 ? 0 : i;
    }
    int first = path->loop_first;
    return first < 0 ? path->count - 1 : first + (i - first) % (path->count - first);
}
/// Metres along the path at an index, laps included.
float ami_path_along(const ami_path *path, const am_path_point *points, int i);

/// path_facing.c: what a network predicted for an index, laps included.
float ami_path_told(const ami_path *path, const float *facings, float index);
/// path_query.c: the target of a character at the context's i_d; out of a corner it may advance that. out: points at
/// times(count); the caller fills in heights and facing. Directions are those that a network predicted, or along the
/// path.
void ami_path_query(const ami_path_memory *room, ami_path_context *context, am_query_point *out, const float *times,
                    int count);
/// path_query.c: i_d for a place (LHMM eq. 1), and the clock with it. Once a frame: each call moves the window on.
void ami_path_progress(const ami_path *path, const am_path_point *points, ami_path_context *context, am_vec3 place);

#endif

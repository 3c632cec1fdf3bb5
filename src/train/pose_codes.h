/// Poses for the auto-encoder of Operators 4.1, and the latents Z that it gives: what the stages `pose_encoder`,
/// `flow`, `distil`, `control_prior` and `segments` share.
///
/// A pose p has the numbers of a pose vector (data/pose_vector.h), velocities of joints smoothed, then one time until
/// an event for each of the recipe's "events". The encoder scales it: (p - mean) scale, in which the loss of the
/// auto-encoder and its principal axes are taken.
#ifndef AMI_TRAIN_POSE_CODES_H
#define AMI_TRAIN_POSE_CODES_H

#include "train/lmm.h"

typedef enum ami_pose_weighting {
    AMI_POSE_METRIC, ///< metres by which the joints move, feet and toes five times
    AMI_POSE_PAPER   ///< as printed: deviation of each type of numbers, chain lengths, types of equal weight
} ami_pose_weighting;

enum { AMI_MOST_EVENTS = 8 };

/// The poses of a database.
typedef struct ami_codes_poses {
    ami_lmm data;
    int event_count;
    float *events; ///< [frame][event_count] s until an event, at most AMI_EVENT_FAR_S
    int width;     ///< numbers of p
} ami_codes_poses;
#define AMI_EVENT_FAR_S 2.0f

/// By the stage's keys "database", "held_out" and "events" (names of tags).
am_result ami_codes_open(ami_codes_poses *poses, ami_stage *stage, am_error *err);
void ami_codes_close(ami_codes_poses *poses);
/// out(width) of a frame.
void ami_codes_pose(const ami_codes_poses *p, int frame, float *out);
/// out(width, n): frames[c] into column c, for c < used.
void ami_codes_gather(const ami_codes_poses *p, float *out, const int *frames, int n, int used);

/// mean, scale, weight (width each): how the encoder scales p, and what a square of the scaled error counts.
void ami_codes_scales(float *mean, float *scale, float *weight, const ami_codes_poses *poses,
                      ami_pose_weighting weighting);

/// Latents of all frames of a database.
typedef struct ami_codes {
    am_alloc alloc;
    am_db *db;
    int width;         ///< Z
    int event_count;   ///< of the encoder's poses
    float *z;          ///< [frame][width]
    float *deviation;  ///< [width] of z
    float *raw;        ///< [width] of the encoder's latents before they are standardised: what they weigh
    float *low, *high; ///< [width] of the data, and 5 % of the extent at each end
    int *first;        ///< [first_count] frames whose next frames may be learned from
    int first_count;
    const am_net_graph *encoder, *decoder; ///< of an earlier stage
} ami_codes;
/// Encodes the database under the stage's key "database" by the encoder of an earlier stage. `steps`: how many frames
/// behind the first of a sample there must be.
am_result ami_codes_make(ami_codes *codes, ami_stage *stage, int steps, am_error *err);
void ami_codes_free(ami_codes *codes);
/// The graph of that name that an earlier stage made, or NULL.
const am_net_graph *ami_stage_finished(const ami_stage *stage, const char *name);

/// y(out, count) of x(in, count) through a graph of one input and one output, sample after sample: [count][width].
am_result ami_graph_rows(const am_net_graph *graph, float *y, const float *x, int count, const am_alloc *alloc,
                         am_error *err);

#endif

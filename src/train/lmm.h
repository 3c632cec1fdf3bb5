/// What the stages of Learned Motion Matching share: a database's poses as vectors, which frames may begin a sample,
/// the Compressor and the latent numbers Z that it gives.
#ifndef AMI_TRAIN_LMM_H
#define AMI_TRAIN_LMM_H

#include "train/poses.h"
#include "train/stage.h"
#include "data/pose_vector.h"

typedef struct ami_lmm {
    am_alloc alloc;
    am_db *db;
    ami_pose_shape shape;
    int16_t *moves;
    const ami_poses_f32 *poses;
    float *y;     ///< [frame][shape.layout.count]
    int features; ///< numbers of x; 0 when the recipe wants none
    int *first;   ///< [first_count] frames that may begin a sample
    int first_count;
    int held_out; ///< every Nth source clip is not trained on; 0: all are
} ami_lmm;

/// Opens the database under the stage's key "database", makes its pose vectors, reads "held_out".
am_result ami_lmm_open(ami_lmm *lmm, ami_stage *stage, am_error *err);
void ami_lmm_close(ami_lmm *lmm);
/// Frees the pose vectors when only Z is needed.
void ami_lmm_drop_poses(ami_lmm *lmm);
/// Frames whose `steps` followers lie in the same range, in ranges that are trained on.
am_result ami_lmm_list(ami_lmm *lmm, int steps, am_error *err);
/// Whether a range is kept for measuring: both a clip and its mirror image are, or neither.
bool ami_lmm_is_held_out(const am_db *db, int range, int held_out);

/// Width of the Compressor's input: y, then places, two-axis rotations, velocities and angular velocities of q.
int ami_lmm_input_width(const ami_pose_layout *layout);
/// input(width, n) from y(count, n); q(18 joints, n) and m(9 joints, n) are filled on the way.
void ami_lmm_input(const ami_lmm *lmm, float *input, float *q, float *m, const float *y, int n);
/// y(count, n): frames[c] into column c, for c < used.
void ami_lmm_gather(const ami_lmm *lmm, float *y, const int *frames, int n, int used);
/// x(features, n) likewise.
void ami_lmm_gather_x(const ami_lmm *lmm, float *x, const int *frames, int n, int used);

/// Says which Compressor made latents: am_db.latent_key, am_model.latent_key.
uint64_t ami_lmm_latent_key(const am_net_graph *compressor);
/// z [frame][latent] of all frames by a trained Compressor: owned by the caller, latent * frame_count floats.
am_result ami_lmm_latent(const ami_lmm *lmm, const am_net_graph *compressor, float **z, int *latent, am_error *err);

/// Features and latent numbers of all frames side by side, with what scales them.
typedef struct ami_xz {
    am_alloc alloc;
    float *rows; ///< [frame][width]
    int frame_count;
    int features, latent, width;
    float *mean, *deviation;           ///< [width] over all frames
    float *rate_mean, *rate_deviation; ///< [width] of the change per second
    double size[2], rate_size[2];      ///< mean absolute deviation of features and of latents; of their rates
} ami_xz;
/// By the Compressor of an earlier stage; the pose vectors of `lmm` are freed on the way.
am_result ami_xz_make(ami_xz *xz, ami_lmm *lmm, const ami_stage *stage, am_error *err);
void ami_xz_free(ami_xz *xz);
/// to(width, n): frames[c] + offset into column c, for c < used.
void ami_xz_gather(const ami_xz *xz, float *to, const int *frames, int offset, int n, int used);
/// Linear layers of 512 with ReLU unless the stage's "layers" say otherwise, and a last one back to `width` with its
/// scales: the common shape of Stepper and Projector.
am_result ami_lmm_network(const ami_stage *stage, am_net_graph *graph, int x, int hidden, int width, int *out,
                          am_error *err);

#endif

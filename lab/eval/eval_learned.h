/// What the files of `amble eval learned` share: networks over a database, frame by frame.
#ifndef AMBLE_CLI_EVAL_LEARNED_H
#define AMBLE_CLI_EVAL_LEARNED_H

#include "eval.h"

#include <amble/tools/metrics.h>
#include <amble/tools/network.h>

#include "data/pose_vector.h"

/// A part of a model ready to run; NULL net when the model has none.
typedef struct learned_part {
    const am_model *model;
    int part;
    am_net *net;
} learned_part;

typedef struct learned {
    eval *e;
    const char *config; ///< of db
    char model_path[1024];
    bool alone; ///< the data are not here: db has only the start states of the networks, and they play alone
    am_db *db;
    am_model *model, *compressor_model, *ablation_model; ///< the last two may be NULL
    learned_part compressor, decompressor, stepper, projector;
    learned_part ablation_compressor, ablation;
    ami_pose_layout layout;
    int latent;
    int held_out; ///< every Nth clip was not trained on; 0 when unknown
    float *z;     ///< [frame][latent], NULL without a Compressor
} learned;

/// Errors of decompressed poses over some frames.
typedef struct pose_score {
    double sum, squares, largest; ///< of joint position errors, m
    int64_t count;
    double jitter, own_jitter; ///< sums of second differences, m
    int64_t bends;
    int64_t contacts, contacts_right;
    double joint_sum[AM_MAX_JOINTS], joint_squares[AM_MAX_JOINTS];
    int64_t frames;
} pose_score;

/// z(frame_count x latent) of all frames by a Compressor.
am_result learned_latent(const learned *l, const learned_part *compressor, float *z, int latent, am_error *err);
/// Scores of each range, [range_count], with those latents.
am_result learned_poses(const learned *l, const learned_part *decompressor, const float *z, int latent,
                        pose_score *scores, am_error *err);
void pose_score_add(pose_score *to, const pose_score *from);
/// Whether a joint has a bone of its own, or moves by itself: what position errors are averaged over.
bool learned_counts(const am_db *db, int joint);
/// Mean distance (cm) of those joints between the pose vector y and a frame of the database.
double learned_places_apart(const learned *l, const float *y, int frame);

enum { learned_horizons = 3, learned_drift_windows = 400 };
/// Drift of the Stepper over 20, 60 and 120 frames of a 60 Hz database.
typedef struct drift_score {
    double seconds[learned_horizons];
    double x_error[learned_horizons];  ///< root mean square per feature, in stored units
    double place_cm[learned_horizons]; ///< of decompressed joints against the true frame
    double still_cm[learned_horizons]; ///< if the pose were held instead
    int windows;
} drift_score;
am_result learned_drift(const learned *l, drift_score *out, am_error *err);

/// Answers of the Projector to one kind of query.
typedef struct projection_score {
    int queries;
    double first, ten;     ///< share whose result's nearest frame is the true nearest; among the true ten nearest
    double near_ten;       ///< share within a sixth of a second of one of them
    double true_distance;  ///< mean |query - nearest frame|, stored units
    double found_distance; ///< mean |query - frame nearest to the result|
    double off_data;       ///< mean |result - frame nearest to it|
    double place_cm;       ///< joints of the decompressed result against the true nearest frame's pose
    double segment_cm;     ///< the same over the ten frames at 60 Hz until the next search, as both continue
} projection_score;
am_result learned_projection(const learned *l, float noise, float swap, projection_score *out, am_error *err);

/// Memory and time: table 3 of the paper, what grows with the frames, hours of training.
am_result learned_costs(const learned *l, am_error *err);
/// Size of the poses of `frames` frames as a database stores them: rotations, translations of moving joints, the
/// root, contacts.
double learned_poses_mb(const am_db *db, int frames);

/// The tables of the same inputs played by matching, matching with the Decompressor, and the networks alone.
am_result learned_play(const learned *l, am_error *err);

/// How a script is played: with a database and no model by matching, with both by matching and the Decompressor, with
/// a model alone by the networks.
typedef struct learned_player {
    const am_db *db;
    const am_model *model;
    const am_db_measures *own;                     ///< of the whole data
    am_run_observer watch;                         ///< called each frame; zeros: none
    void (*take)(void *user, am_run_meter *meter); ///< told at the end
    void *user;
} learned_player;
am_result learned_run(const learned_player *player, am_run_script *script, am_error *err);
/// The table of ten minutes with a random stick.
am_result learned_endurance(const learned *l, am_error *err);

/// Microseconds of one evaluation, the best of many.
double learned_time(const learned_part *part, am_error *err);
/// Microseconds of a search for the query of a player: a frame with the targets of another.
double learned_search_time(const learned *l, am_error *err);

/// The data's own values: measured, or as the networks carry them where the data are not here.
am_result learned_own(const learned *l, am_db_measures *out, am_error *err);

#endif

/// What the stages over a flow network share (Operators 4.2): its samples, its graph, its steps, and what a model
/// carries beside it (method/flow_file.h).
#ifndef AMI_TRAIN_FLOW_H
#define AMI_TRAIN_FLOW_H

#include "method/flow_file.h"
#include "train/flow_controls.h"
#include "train/pose_codes.h"
#include "train/trainer.h"

/// Keys of every such stage, to be put into its own list.
#define AMI_FLOW_DATA_KEYS                                                                                           \
    "database", "held_out", "events", "schema", "controls", "control_noise", "uncontrolled", "pose_noise",           \
        "pose_noise_end", "pose_noise_power", "stand_s", "play"

/// The samples: pairs of frames with noise on the first, and controls.
typedef struct ami_flow_data {
    ami_codes codes;
    ami_flow_controls *controls; ///< NULL without
    int vector, encoding;        ///< numbers of a control vector and of its encoding; 0 without
    float uncontrolled;          ///< share of the samples that get no control
    /// Deviation of the noise on the pose before, in deviations of each latent: pose_noise u^power of a uniform u,
    /// where pose_noise goes from the first to the second over the training.
    float pose_noise, pose_noise_end, pose_noise_power;
    float play_noise, play_memory, play_guidance, play_pose_noise; ///< usual settings of the head
    int steps;                                                     ///< S
    am_rng rng;
} ami_flow_data;
/// Everything but the graph of the encoder of controls, which ami_flow_controls_graph makes; `frames` must follow the
/// first of a sample.
am_result ami_flow_data_open(ami_flow_data *data, ami_stage *stage, int frames, am_error *err);
void ami_flow_data_close(ami_flow_data *data, const am_alloc *alloc);

/// One sample of a block while its numbers are drawn.
typedef struct ami_flow_sample {
    am_rng rng;
    int frame;   ///< before the step: the next one is learned
    float noise; ///< deviation of the noise on it
    bool controlled;
} ami_flow_sample;
/// Draws sample c of a block. `previous` and `vector` point to its first number, `stride` floats between two; vector
/// may be NULL without controls and is zeros for a sample without one.
void ami_flow_draw(const ami_flow_data *data, const ami_stage *stage, const ami_train_block *block, int c,
                   ami_flow_sample *out, float *previous, float *vector, ptrdiff_t stride);

/// How a flow network is built.
typedef struct ami_flow_shape {
    int hidden, units;
    int skip;  ///< ami_flow_skip
    bool norm; ///< layer norm before each linear layer but the first
    bool told; ///< has the input "noise"
} ami_flow_shape;
typedef enum ami_flow_skip { AMI_FLOW_CONCAT, AMI_FLOW_RESIDUAL, AMI_FLOW_NO_SKIP } ami_flow_skip;
/// The values of a flow graph by name; -1 for inputs that it has not.
typedef struct ami_flow_values {
    int x, previous, control, time, noise, out;
} ami_flow_values;
ami_flow_values ami_flow_find(const am_net_graph *graph);
/// A graph called "flow", finished and randomised.
am_result ami_flow_graph(am_net_graph **out, const ami_flow_data *data, const ami_flow_shape *shape, uint64_t seed,
                         const am_alloc *alloc, am_error *err);

/// A flow takes the weights of the model's flow, and with `controlled` those of its control. Otherwise it begins as
/// one that makes what the model does uncontrolled, whatever is asked, until it has learned more.
am_result ami_flow_begin(am_net_graph *graph, const am_model *model, bool controlled, const am_alloc *alloc,
                         am_error *err);

/// What each latent's square of an error counts: raw^power in standard deviations, 1 on average. weights(Z).
void ami_flow_weights(float *weights, const ami_codes *codes, float power);

/// Adds the attachments of a model to a stage.
am_result ami_flow_attach(ami_stage *stage, const ami_flow_data *data, uint32_t flags, int frames, am_error *err);

#endif

/// What a flow or segment character has in its model (Operators section 4): its parts, and the attachment `latents`.
///
/// Z latents, C numbers of an encoded control, V numbers of a control vector (operators/control.h), P numbers of a
/// pose vector (data/pose_vector.h) followed by `extras` others (the time until an event):
///
/// | part              | reads                                               | gives                     |
/// |---|---|---|
/// | `pose_encoder`    | `pose` (P + extras)                                 | `latent` (Z)              |
/// | `pose_decoder`    | `latent` (Z)                                        | `pose` (P + extras)       |
/// | `control_encoder` | `vector` (V)                                        | `encoding` (C)            |
/// | `flow`            | `x` (Z), `previous` (Z), `control` (C), `time` (1)  | `latent` (Z)              |
/// | `segments`        | `control` (C)                                       | `latents` (frames x Z)    |
///
/// A schema of width 0 has neither `control_encoder` nor the input `control`. A flow may also read `noise` (1): the
/// deviation of the noise on `previous`, of which it gets the head's `pose_noise` in play. `time` runs from 0 to 1.
/// With AMI_FLOW_VELOCITY `latent` is the velocity (eq. 23), otherwise the clean sample z_f, which the velocity leads
/// to: (z_f - x) / (1 - time). Latents are centred: 0 is their mean over the data.
///
/// Attachments: `character` (a small database of start states with the networks' own poses, as of learned characters:
/// skeleton, roles, tags), `facts`, `schema` (JSON of the control schema), `latents` (below), and, where the model
/// was given them, `controls` (JSON of the runtime controls).
#ifndef AMI_METHOD_FLOW_FILE_H
#define AMI_METHOD_FLOW_FILE_H

#include <amble/base.h>
#include <amble/net.h>

#define AMI_FLOW_LATENTS "latents"
#define AMI_FLOW_SCHEMA "schema"
#define AMI_FLOW_CONTROLS "controls"

#define AMI_FLOW_VERSION 1
#define AMI_FLOW_MOST_LATENTS 1024
#define AMI_FLOW_MOST_FRAMES 32 ///< of a segment
#define AMI_FLOW_MOST_STEPS 64
#define AMI_FLOW_MOST_STARTS 64

enum {
    AMI_FLOW_VELOCITY = 1, ///< the network gives velocities instead of clean samples
    AMI_FLOW_GUIDED = 2,   ///< trained with controls left out (an encoding of zeros): guidance may be asked for
    AMI_FLOW_DISTILLED = 4 ///< one step of a teacher's many: S = 1
};

/// Head of the attachment `latents`; 128 bytes. Behind it, as floats: deviation(Z), low(Z), high(Z) of the data's
/// latents, control_low(V), control_high(V) of the vectors that were drawn in training, starts(start_count, Z): the
/// latents of the start states, in the order of the frames of `character`.
typedef struct ami_flow_head {
    uint32_t version;      ///< AMI_FLOW_VERSION
    uint32_t flags;        ///< AMI_FLOW_*
    int32_t latent_count;  ///< Z
    int32_t frames;        ///< latents of one answer: 1 of a flow; of segments usually 8
    int32_t extras;        ///< numbers behind the pose vector
    int32_t vector_count;  ///< V; 0 for a schema of width 0
    int32_t control_count; ///< C; 0 without controls
    int32_t start_count;
    int32_t steps;        ///< usual Euler steps S of a flow; 1 when distilled
    float fps;            ///< ticks a second
    float noise;          ///< usual scale of the start noise
    float noise_memory;   ///< usual memory of the start noise from tick to tick: coefficient of an AR(1), 0 to 1
    float guidance;       ///< usual; 1: none
    float pose_noise;     ///< what the flow's input `noise` gets, where it has one
    uint64_t schema_hash; ///< am_control_schema.hash
    uint8_t reserved[64]; ///< zero
} ami_flow_head;

/// The attachment, read or to be written.
typedef struct ami_flow_latents {
    ami_flow_head head;
    const float *deviation, *low, *high;     ///< [Z]
    const float *control_low, *control_high; ///< [V]
    const float *starts;                     ///< [start_count][Z]
} ami_flow_latents;

/// Points into the model's bytes. Refuses attachments that are missing, of another version, of sizes that do not fit,
/// or whose numbers are not finite.
am_result ami_flow_latents_read(ami_flow_latents *out, const am_model *model, am_error *err);
/// Bytes of the attachment.
size_t ami_flow_latents_size(const ami_flow_head *head);
/// bytes(ami_flow_latents_size): the attachment, with version and reserved bytes set.
void ami_flow_latents_write(void *bytes, const ami_flow_latents *latents);

#endif

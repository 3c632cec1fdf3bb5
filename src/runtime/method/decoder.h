/// The Decompressor as sources use it: features and latents in, a pose vector out.
#ifndef AMI_SOURCE_DECODER_H
#define AMI_SOURCE_DECODER_H

#include <amble/source.h>

#include "data/filter.h"
#include "data/facts.h"
#include "data/pose_vector.h"
#include "data/search.h"
#include "net/build.h"

/// A network with the indices of its inputs and its output.
typedef struct ami_part_net {
    am_net *net;
    int in[2]; ///< x, z; z is -1 where there is none
    int out;
} ami_part_net;

/// How networks are made ready.
typedef struct ami_nets_def {
    const am_model *model;
    am_net_mode mode;
    const char *kernels;
    const am_alloc *alloc;
    int count;  ///< features
    int latent; ///< 0: as many as the Decompressor reads
} ami_nets_def;

/// The part of that name, whose output has `width` numbers (0: any). Refuses other inputs, outputs and widths.
am_result ami_part_net_open(ami_part_net *out, const ami_nets_def *def, const char *part, const char *output,
                            int width, am_error *err);
/// Numbers of one of its inputs.
int ami_part_net_width(const ami_part_net *net, int input);

/// x(count), z(latent): one sample of the next run.
void ami_part_net_put(const ami_part_net *net, am_net_work *work, int sample, const float *x, const float *z);
static inline const float *ami_part_net_get(const ami_part_net *net, const am_net_work *work, int sample)
{
    return ami_net_output(work, net->out, sample, 0);
}

/// Poses for a database that has none: a Decompressor over its features and latents.
typedef struct ami_decoder {
    ami_part_net net;
    ami_pose_layout layout;
    const am_db *db;
    am_facts facts; ///< version 0 when the model carries none
} ami_decoder;
/// Refuses models that do not fit the database: features, latents, skeleton.
am_result ami_decoder_open(ami_decoder *out, const am_db *db, const am_model *model, const am_alloc *alloc,
                           am_error *err);
/// The pose vector of a moment, in the network's own memory until it runs again; NULL when it is not finite.
const float *ami_decode(const ami_decoder *decoder, am_search_work *work, int frame, float fraction);

/// One side of a transition from a pose vector.
void ami_side_from(am_source_pose *side, const ami_pose_layout *layout, const float *y, const am_db *db);
/// While standing, networks come to rest in one pose, but the mean of people shifting their weight still has some
/// speed, with which a still body would glide on forever: slow movement of the root stops, faster movement passes.
void ami_settle(const am_source_input *input, am_vec3 *linear, am_vec3 *angular);
/// AM_CONTACT_* bits of a pose vector.
uint8_t ami_contacts_from(const ami_pose_layout *layout, const float *y);

#endif

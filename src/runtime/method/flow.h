/// The two controllers over latents: flow matching (Operators 4.2) and learned segments (4.3).
#ifndef AMI_METHOD_FLOW_H
#define AMI_METHOD_FLOW_H

#include "method/latent.h"

/// The next pose by flow matching, a tick at a time. Refuses models without its parts and attachments (flow_file.h),
/// or whose sizes do not fit.
am_result ami_flow_create(am_source **out, const ami_latent_def *def, am_error *err);
/// The next segment of poses at once.
am_result ami_segments_create(am_source **out, const ami_latent_def *def, am_error *err);

#endif

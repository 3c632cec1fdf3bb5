// The kinds of stages that recipes may name.
#include "train/stage.h"

const ami_kind *const ami_kinds[] = { &ami_kind_autoencoder,  &ami_kind_control_map,  &ami_kind_control_prior,
                                      &ami_kind_decompressor, &ami_kind_direction,    &ami_kind_distil,
                                      &ami_kind_flow,         &ami_kind_pose_encoder, &ami_kind_projector,
                                      &ami_kind_regression,   &ami_kind_segments,     &ami_kind_stepper,
                                      &ami_kind_value };
const int ami_kind_count = sizeof ami_kinds / sizeof ami_kinds[0];

/// Controls of training samples: schema, training controls and the encoder's graph of a stage.
#ifndef AMI_TRAIN_FLOW_CONTROLS_H
#define AMI_TRAIN_FLOW_CONTROLS_H

#include "control/matching.h"
#include "operators/control.h"
#include "train/stage.h"

enum { AMI_FLOW_MOST_VECTOR = 4096 }; ///< numbers of a control vector

typedef struct ami_flow_controls ami_flow_controls;
/// By the stage's keys `schema` and `controls` (files, the second with "training") and "control_noise" (on numbers,
/// in deviations of each), over frames(count) that may be learned from. *out is NULL when the recipe has neither, or
/// the schema encodes nothing.
typedef struct ami_flow_controls_keys {
    const char *schema, *controls;
} ami_flow_controls_keys;
am_result ami_flow_controls_open(ami_flow_controls **out, ami_stage *stage, ami_flow_controls_keys keys,
                                 const am_db *db, const int *frames, int count, am_error *err);
void ami_flow_controls_close(ami_flow_controls *controls);
/// Numbers of a control vector, and of its encoding.
int ami_flow_controls_vector(const ami_flow_controls *controls);
int ami_flow_controls_encoding(const ami_flow_controls *controls);
const am_control_schema *ami_flow_controls_schema(const ami_flow_controls *controls);
/// vector(numbers of it): what is asked at a frame. False when nothing is.
bool ami_flow_controls_at(const ami_flow_controls *controls, float *vector, int frame, am_rng *rng);
/// The matching function of the file of controls.
am_result ami_flow_controls_matching(ami_matching **out, const ami_flow_controls *controls, am_error *err);
/// Draws a frame, and vector(numbers of it): what is asked there, with noise. False when none is found.
bool ami_flow_controls_draw(const ami_flow_controls *controls, float *vector, int *frame, am_rng *rng);
/// Adds that noise to a vector.
void ami_flow_controls_shake(const ami_flow_controls *controls, float *vector, am_rng *rng);
/// low and high (count of the vector each) of what is drawn.
const float *ami_flow_controls_low(const ami_flow_controls *controls);
const float *ami_flow_controls_high(const ami_flow_controls *controls);
/// The graph "control_encoder", finished and randomised, its scales set.
am_result ami_flow_controls_graph(am_net_graph **out, const ami_flow_controls *controls, uint64_t seed,
                                  const am_alloc *alloc, am_error *err);
/// Texts of the schema and of the controls, for the model.
const char *ami_flow_controls_schema_text(const ami_flow_controls *controls, size_t *size);
const char *ami_flow_controls_text(const ami_flow_controls *controls, size_t *size);

#endif

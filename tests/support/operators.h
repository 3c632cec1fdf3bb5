/// Control schemas in tests: a plain evaluation of every equation of Operators section 3, random values, and
/// encoders.
#ifndef AMBLE_TEST_SUPPORT_OPERATORS_H
#define AMBLE_TEST_SUPPORT_OPERATORS_H

#include "operators/control.h"
#include "support/check.h"

/// Reads a schema with ' for "; fails the test when it is refused.
am_control_schema *operators_schema(const char *text);
/// A finished graph "encoder" with random weights: input "control", output "encoding"; also scales away from 1.
am_net_graph *operators_graph(const am_control_schema *schema, uint64_t seed);
/// A value with any branches, names, numbers of items; numbers also in what is absent.
void operators_draw(const am_control_schema *schema, float *value, am_rng *rng);
/// encoding(schema->width) of a value, in double, straight from the tree and eq. 1 to 19; the weights are those of
/// operators_graph, taken in the order in which the tree has its parts.
void operators_reference(double *encoding, const am_control_schema *schema, const am_net_graph *graph,
                         const float *value, const am_transform *root);

/// Every operator, nested.
extern const char *const operators_everything;

#endif

// Layers of networks with NEON, with the bits of the reference.
#include "kernel/layers.h"

#if defined(AMI_HAS_NEON)
#define LAYERS_FUSED 0
#define LAYERS_NAME "neon"
#define LAYERS_TABLE ami_layers_neon
#include "kernel/layers_neon.h"

#include "kernel/layers_body.h"
#endif

// Layers of networks with NEON, products fused.
#include "kernel/layers.h"

#if defined(AMI_HAS_NEON)
#define LAYERS_FUSED 1
#define LAYERS_NAME "neon"
#define LAYERS_TABLE ami_layers_neon_fused
#include "kernel/layers_neon.h"

#include "kernel/layers_body.h"
#endif

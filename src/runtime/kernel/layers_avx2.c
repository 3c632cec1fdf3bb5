// Layers of networks with AVX2, with the bits of the reference.
#include "kernel/layers.h"

#if defined(AMI_HAS_X86)
#define LAYERS_FUSED 0
#define LAYERS_NAME "avx2"
#define LAYERS_TABLE ami_layers_avx2
#include "kernel/layers_avx2.h"

#include "kernel/layers_body.h"
#endif

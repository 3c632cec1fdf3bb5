// Layers of networks with AVX-512, with the bits of the reference.
#include "kernel/layers.h"

#if defined(AMI_HAS_X86)
#define LAYERS_FUSED 0
#define LAYERS_NAME "avx512"
#define LAYERS_TABLE ami_layers_avx512
#include "kernel/layers_avx512.h"

#include "kernel/layers_body.h"
#endif

// Picks the versions of the layers for this processor.
#include "kernel/layers.h"

#include <string.h>
#if defined(AMI_HAS_X86)
#include <cpuid.h>
#endif

enum { most = 4 };

#if defined(AMI_HAS_X86)
/// Half-precision loads. Clang's __builtin_cpu_supports does not know the name.
static bool has_f16c(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

static void list(const ami_layers *here[most], bool fused)
{
    memset(here, 0, most * sizeof *here);
    here[0] = &ami_layers_reference;
#if defined(AMI_HAS_X86)
    here[1] = &ami_layers_sse2;
    int at = 2;
    if (__builtin_cpu_supports("avx2") && has_f16c() && __builtin_cpu_supports("fma")) {
        here[at++] = fused ? &ami_layers_avx2_fused : &ami_layers_avx2;
    }
    if (at == 3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        here[at] = fused ? &ami_layers_avx512_fused : &ami_layers_avx512;
    }
#elif defined(AMI_HAS_NEON)
    here[1] = fused ? &ami_layers_neon_fused : &ami_layers_neon;
#elif defined(AMI_HAS_WASM)
    here[1] = &ami_layers_wasm;
#endif
    (void)fused;
}

const ami_layers *ami_layers_at(size_t index)
{
    const ami_layers *here[most];
    list(here, false);
    return index < most ? here[index] : NULL;
}

const ami_layers *ami_layers_pick(bool fused)
{
    const ami_layers *here[most];
    list(here, fused);
    int best = 0;
    while (best + 1 < most && here[best + 1]) {
        best++;
    }
    return here[best];
}

const ami_layers *ami_layers_named(const char *name, bool fused)
{
    const ami_layers *here[most];
    list(here, fused);
    for (int i = 0; i < most && here[i]; i++) {
        if (strcmp(here[i]->name, name) == 0) {
            return here[i];
        }
    }
    return NULL;
}

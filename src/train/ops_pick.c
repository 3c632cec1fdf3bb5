// Picks the version of the arithmetic for this processor.
#include "train/ops.h"

#include <string.h>

static bool can_run(const char *isa)
{
#if defined(AMI_TRAIN_X86)
    if (strcmp(isa, "avx512") == 0) {
        return __builtin_cpu_supports("avx512f") != 0;
    }
    if (strcmp(isa, "avx2") == 0) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    }
#endif
    return strcmp(isa, "base") == 0;
}

const ami_ops_f32 *ami_train_ops(const char *isa)
{
    static const ami_ops_f32 *const all[] = {
#if defined(AMI_TRAIN_X86)
        &ami_ops_avx512,
        &ami_ops_avx2,
#endif
        &ami_ops_base
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if ((!isa || strcmp(isa, all[i]->isa) == 0) && can_run(all[i]->isa)) {
            return all[i];
        }
    }
    return NULL;
}

// Picks the versions of the kernels for this processor, and the order of an Euler joint.
#include "kernel/kernel.h"

#include <string.h>

const ami_kernels *ami_kernels_at(size_t index)
{
    const ami_kernels *here[3] = { &ami_kernels_reference, NULL, NULL };
#if defined(AMI_HAS_X86)
    here[1] = &ami_kernels_sse2;
    here[2] = __builtin_cpu_supports("avx2") ? &ami_kernels_avx2 : NULL;
#elif defined(AMI_HAS_NEON)
    here[1] = &ami_kernels_neon;
#elif defined(AMI_HAS_WASM)
    here[1] = &ami_kernels_wasm;
#endif
    return index < 3 ? here[index] : NULL;
}

const ami_kernels *ami_kernels_pick(void)
{
    const ami_kernels *best = &ami_kernels_reference;
    for (size_t i = 0; ami_kernels_at(i); i++) {
        best = ami_kernels_at(i);
    }
    return best;
}

const ami_kernels *ami_kernels_named(const char *name)
{
    for (size_t i = 0; ami_kernels_at(i); i++) {
        if (strcmp(ami_kernels_at(i)->name, name) == 0) {
            return ami_kernels_at(i);
        }
    }
    return NULL;
}

static uint8_t axis_index(char c) { return c == 'x' || c == 'X' ? 0 : c == 'y' || c == 'Y' ? 1 : 2; }

ami_euler_order ami_euler_order_make(const char axes[3])
{
    ami_euler_order order;
    for (int i = 0; i < 3; i++) {
        order.axis[i] = axis_index(axes[i]);
    }
    order.code = (uint8_t)(order.axis[0] * 9 + order.axis[1] * 3 + order.axis[2]);
    bool different =
        order.axis[0] != order.axis[1] && order.axis[1] != order.axis[2] && order.axis[0] != order.axis[2];
    bool forward = (order.axis[0] + 1) % 3 == order.axis[1];
    order.parity = !different ? 0.0f : forward ? 1.0f : -1.0f;
    return order;
}

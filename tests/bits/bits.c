// Prints one line for each subject: its name and a hash of its results over many inputs. Every compiler, instruction
// set and platform must print the same lines; scripts/check_bits.sh compares them with golden.txt. Each kernel
// subject goes through every version that runs here, and the program fails when two disagree. `bits --flip` prints
// one line with one bit changed: the fault that the comparison must catch.
#include "bits/bits.h"

#include <inttypes.h>

typedef struct subject {
    const char *name;
    void (*run)(digest *d); ///< one of the two
    void (*run_kernel)(const ami_kernels *k, bits_numbers *n, digest *d);
} subject;

static const subject subjects[] = {
    { "base.rng", bits_rng, NULL },
    { "math.sin", bits_sin, NULL },
    { "math.cos", bits_cos, NULL },
    { "math.tan", bits_tan, NULL },
    { "math.acos", bits_acos, NULL },
    { "math.asin", bits_asin, NULL },
    { "math.atan2", bits_atan2, NULL },
    { "math.exp", bits_exp, NULL },
    { "math.log", bits_log, NULL },
    { "math.tanh", bits_tanh, NULL },
    { "math.wrap_angle", bits_wrap_angle, NULL },
    { "math.quat", bits_quat, NULL },
    { "math.springs", bits_springs, NULL },
    { "kernel.distances", NULL, bits_kernel_distances },
    { "kernel.bounds", NULL, bits_kernel_bounds },
    { "kernel.products", NULL, bits_kernel_products },
    { "kernel.columns", NULL, bits_kernel_columns },
    { "kernel.angles", NULL, bits_kernel_angles },
    { "kernel.quats", NULL, bits_kernel_quats },
    { "anim.clips", bits_clips, NULL },
    { "anim.ground", bits_ground, NULL },
    { "anim.retarget", bits_retarget, NULL },
    { "net.zoo", bits_networks, NULL },
    { "make.synth", bits_synth, NULL },
    { "control.character", bits_character, NULL },
    { "control.high", bits_character_high, NULL },
    { "control.learned", bits_learned, NULL },
    { "control.field", bits_field, NULL },
    { "control.direction", bits_direction, NULL },
    { "control.flow", bits_flow, NULL },
};

/// The hash of one subject; false when two versions of a kernel disagree.
static bool hash_subject(const subject *s, uint64_t *hash)
{
    static bits_numbers n;
    digest first = { 0 };
    if (s->run) {
        s->run(&first);
        *hash = first.value;
        return true;
    }
    const ami_kernels *k;
    for (size_t version = 0; (k = ami_kernels_at(version)) != NULL; version++) {
        digest d = { 0 };
        memset(&n, 0, sizeof n);
        bits_kernel_fill(&n);
        s->run_kernel(k, &n, &d);
        if (version > 0 && d.value != first.value) {
            fprintf(stderr, "bits: %s: %s differs from the reference\n", s->name, k->name);
            return false;
        }
        first = d;
    }
    *hash = first.value;
    return true;
}

int main(int argc, char **argv)
{
    const bool flip = argc > 1 && strcmp(argv[1], "--flip") == 0;
    const size_t count = flip ? 1 : sizeof subjects / sizeof subjects[0];
    int status = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = 0;
        if (!hash_subject(&subjects[i], &hash)) {
            status = 1;
            continue;
        }
        printf("%-18s %016" PRIx64 "\n", subjects[i].name, hash ^ (flip ? 1u : 0u));
    }
    fprintf(stderr, "bits: kernels up to %s\n", ami_kernels_pick()->name);
    return status;
}

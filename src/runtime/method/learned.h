/// Internals of learned motion matching.
#ifndef AMI_SOURCE_LEARNED_H
#define AMI_SOURCE_LEARNED_H

#include "method/decoder.h"

enum { ami_net_projector, ami_net_stepper, ami_net_decompressor, ami_net_count };

typedef struct ami_learned {
    am_source base;
    size_t block_size;
    am_db *character; ///< the start states
    am_facts facts;
    ami_part_net nets[ami_net_count];
    ami_pose_layout layout;
    int count, latent; ///< of x and z
    int state_floats;  ///< of one state
    float *starts;     ///< [start state] [layout.count] their pose vectors
    int standing;      ///< start state that a character begins with
    float search_every_s;
    float far;      ///< 0: no limit
    int tags[3];    ///< of the database: idle, walk, run; -1 for none
    uint64_t heard; ///< tags that the features contain
} ami_learned;

/// A state, all floats: head, x, z, the last query within the data, the present pose vector.
typedef struct ami_learned_head {
    float since_s; ///< since the last projection
    float good;    ///< 1 when there is a last good query
    float reserved[2];
} ami_learned_head;

static inline const ami_learned *ami_learned_of(const am_source *source)
{
    return (const ami_learned *)(const void *)source;
}
static inline float *ami_learned_x(void *state) { return (float *)((ami_learned_head *)state + 1); }
static inline float *ami_learned_z(const ami_learned *l, void *state) { return ami_learned_x(state) + l->count; }
static inline float *ami_learned_good(const ami_learned *l, void *state)
{
    return ami_learned_z(l, state) + l->latent;
}
static inline float *ami_learned_y(const ami_learned *l, void *state)
{
    return ami_learned_good(l, state) + l->count;
}

/// learned_step.c: steps of `count` states.
void ami_learned_step(const am_source *source, void *const *states, am_source_output *const *outs,
                      const am_source_input *const *inputs, int count, am_search_work *work);
/// learned.c: the facts that a model carries. Refuses facts that are missing, of another version or not finite.
am_result ami_learned_facts(am_facts *out, const am_model *model, am_error *err);
/// learned.c: x, z and pose of a start state.
void ami_learned_begin(const ami_learned *learned, void *state, int start);

#endif

/// A character over the small networks, and how it is walked.
#ifndef AMBLE_TESTS_TRAIN_TINY_WALK_H
#define AMBLE_TESTS_TRAIN_TINY_WALK_H

#include "actor/get.h"
#include "train/tiny_lmm.h"
#include "method/sources.h"

#define DT (1.0f / 60.0f)

static tiny_lmm tiny; ///< of the program

/// What cmocka calls before and after all tests: the networks after a number of iterations.
static inline int tiny_train(int iterations)
{
    tiny_begin(&tiny, NULL, iterations);
    return 0;
}

static inline int tiny_free(void **state)
{
    (void)state;
    tiny_end(&tiny);
    return 0;
}

static inline am_source *learned(const am_model *model)
{
    am_source *source = NULL;
    am_error err = { 0 };
    ami_learned_def def = ami_learned_def_default();
    def.model = model;
    check_ok(ami_learned_create(&source, &def, &err), &err);
    return source;
}

static inline am_actor *body(const am_source *source)
{
    am_actor *c = NULL;
    am_error err = { 0 };
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = source;
    check_ok(am_actor_create(&c, &def, &err), &err);
    return c;
}

static inline am_intent target(float x, float z) { return (am_intent){ .velocity = { x, 0.0f, z } }; }

static inline float walk(am_actor *c, am_intent intent, int frames, float dt)
{
    am_vec3 from = ami_pose_of(c).root.translation;
    for (int i = 0; i < frames; i++) {
        am_actor_step(c, &intent, dt);
    }
    return am_v3_distance(ami_pose_of(c).root.translation, from);
}

#endif

// A hundred actors of one asset, stepped on several cores: the same bits as one after another. Usage: crowd FILE
#include <amble/amble.h>
#include <stdio.h>

enum { COUNT = 100 };

/// Steps all actors for a second and returns one number for everything that they did.
static uint64_t play(am_actor *const *actors, const am_tasks *tasks)
{
    am_intent inputs[COUNT];
    uint64_t hash = 0;
    for (int frame = 0; frame < 60; frame++) {
        for (int i = 0; i < COUNT; i++) {
            am_stick stick = { .x = i % 3 - 1.0f, .y = 1.0f };
            am_actor_steer(actors[i], &inputs[i], &stick);
        }
        am_actors_step(actors, inputs, COUNT, 1.0f / 60.0f, tasks);
    }
    for (int i = 0; i < COUNT; i++) {
        uint64_t state = am_actor_hash(actors[i]);
        hash = am_hash64(&state, sizeof state, hash);
    }
    return hash;
}

static am_result make(am_actor **actors, const am_asset *asset, am_error *err)
{
    am_actor_def def;
    am_actor_def_init(&def, asset);
    am_result result = AM_OK;
    for (int i = 0; i < COUNT && result == AM_OK; i++) {
        def.position = am_v3((float)(i % 10) * 2.0f, 0.0f, (float)(i / 10) * 2.0f);
        def.seed = (uint64_t)i;
        result = am_actor_create(&actors[i], &def, err);
    }
    return result;
}

int main(int argc, char **argv)
{
    am_asset *asset = NULL;
    am_pool *pool = NULL;
    am_actor *actors[2][COUNT] = { { NULL } };
    am_error err = { AM_OK };
    am_asset_file file = { .name = argc > 1 ? argv[1] : "models/locomotion.amnet" };
    am_result result = am_asset_open(&asset, &file, 1, NULL, &err);
    result = result == AM_OK ? am_pool_create(&pool, 0, NULL, &err) : result;
    result = result == AM_OK ? make(actors[0], asset, &err) : result;
    result = result == AM_OK ? make(actors[1], asset, &err) : result;
    if (result == AM_OK) {
        const am_tasks *tasks = am_pool_tasks(pool);
        uint64_t together = play(actors[0], tasks), alone = play(actors[1], NULL);
        printf("%d actors, %s bits on several cores\n", COUNT, together == alone ? "the same" : "other");
    } else {
        fprintf(stderr, "crowd: %s\n", err.text);
    }
    for (int i = 0; i < COUNT; i++) {
        am_actor_destroy(actors[0][i]);
        am_actor_destroy(actors[1][i]);
    }
    am_pool_destroy(pool);
    am_asset_close(asset);
    return result != AM_OK;
}

// A learned character: three small networks and no database. It walks and turns around twice; if a database of the
// same skeleton is given, it then changes to matching in mid-stride. Usage: learned NETWORKS.amnet [DATABASE.amdb]
#include <amble/amble.h>
#include <stdio.h>

/// Walks for `seconds`, forward or back.
static void walk(am_actor *actor, float forward, float seconds)
{
    am_intent input;
    am_stick stick = { .y = forward };
    for (float t = 0.0f; t < seconds; t += 1.0f / 60.0f) {
        am_actor_steer(actor, &input, &stick);
        am_actor_step(actor, &input, 1.0f / 60.0f);
    }
}

int main(int argc, char **argv)
{
    am_asset *asset = NULL;
    am_actor *actor = NULL;
    am_error err = { AM_OK };
    am_asset_file files[2] = { { .name = argc > 1 ? argv[1] : "models/locomotion.amnet" },
                               { .name = argc > 2 ? argv[2] : NULL } };
    am_actor_def def;
    am_result result = am_asset_open(&asset, files, argc > 2 ? 2 : 1, NULL, &err);
    if (result == AM_OK) {
        am_actor_def_init(&def, asset);
        am_settings_init(&def.settings, AM_METHOD_LEARNED);
        result = am_actor_create(&actor, &def, &err);
    }
    for (int turn = 0; result == AM_OK && turn < 4; turn++) {
        walk(actor, turn % 2 ? -1.0f : 1.0f, 2.0f);
    }
    bool matches = result == AM_OK && (am_asset_methods(asset) & (1u << AM_METHOD_MATCH)) != 0;
    if (matches) {
        am_settings_init(&def.settings, AM_METHOD_MATCH);
        result = am_actor_set(actor, &def.settings, &err); // keeps the pose
        walk(actor, 1.0f, 2.0f);
    }
    if (result == AM_OK) {
        am_actor_pose pose;
        am_actor_view view;
        am_actor_get_pose(actor, &pose);
        am_actor_get_view(actor, &view);
        printf("%d steps by networks%s, %.1f m from the start, %d not finite\n", (int)view.steps,
               matches ? " and matching" : " alone", (double)am_v3_length(pose.root.translation),
               (int)view.fallback_frames);
    } else {
        fprintf(stderr, "learned: %s\n", err.text);
    }
    am_actor_destroy(actor);
    am_asset_close(asset);
    return result != AM_OK;
}

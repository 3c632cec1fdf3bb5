// Follows a path: a square of time-stamped points, as a mouse would draw them. Usage: path FILE
#include <amble/amble.h>
#include <stdio.h>

enum { ROOM = 8192 }; // points of a path as it is followed, one for each frame

int main(int argc, char **argv)
{
    static const am_path_sample drawn[] = {
        { 0.0f, 0.0f, 0.0f }, { 3.0f, 0.0f, 3.0f }, { 6.0f, 3.0f, 3.0f }, { 9.0f, 3.0f, 0.0f }, { 12.0f, 0.0f, 0.0f }
    };
    am_asset *asset = NULL;
    am_actor *actor = NULL;
    am_error err = { AM_OK };
    am_asset_file file = { .name = argc > 1 ? argv[1] : "models/locomotion.amnet" };
    am_result result = am_asset_open(&asset, &file, 1, NULL, &err);
    if (result == AM_OK) {
        am_actor_def def;
        am_actor_def_init(&def, asset);
        def.path_points = ROOM;
        result = am_actor_create(&actor, &def, &err);
    }
    if (result == AM_OK) {
        am_path_def path;
        am_path_def_init(&path);
        path.samples = drawn;
        path.count = sizeof drawn / sizeof drawn[0];
        result = am_actor_follow(actor, &path, &err);
    }
    am_intent none = { 0 }; // the path decides
    int frame = 0;
    for (am_path_view view = { .following = true }; result == AM_OK && view.following && frame < 60 * 60; frame++) {
        am_actor_step(actor, &none, 1.0f / 60.0f);
        am_actor_get_path(actor, &view);
    }
    if (result == AM_OK) {
        am_actor_pose pose;
        am_actor_get_pose(actor, &pose);
        printf("back after %.1f s, %.2f m from the start\n", frame / 60.0,
               (double)am_v3_length(pose.root.translation));
    } else {
        fprintf(stderr, "path: %s\n", err.text);
    }
    am_actor_destroy(actor);
    am_asset_close(asset);
    return result != AM_OK;
}

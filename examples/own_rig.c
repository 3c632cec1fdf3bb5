// Poses on the user's own rig: a BVH file gives the skeleton, roles are found by the doctor, and every pose of the
// actor is mapped onto it. Usage: own_rig RIG.bvh FILE
#include <amble/tools/tools.h>
#include <stdio.h>

static am_result map_to(am_rig_map **out, const am_asset *asset, const am_clip *rig, am_error *err)
{
    am_diagnosis found = { 0 };
    am_doctor_def doctor = am_doctor_def_default();
    am_result result = am_doctor_examine(&found, rig, &doctor, err);
    if (result == AM_OK) {
        am_rig_map_def def;
        am_rig_map_def_init(&def);
        def.from = am_asset_skeleton(asset);
        def.from_roles = am_asset_roles(asset);
        def.to = rig->skeleton;
        def.to_roles = &found.roles;
        result = am_rig_map_create(out, &def, err);
        am_diagnosis_free(&found);
    }
    return result;
}

int main(int argc, char **argv)
{
    am_actor *actor = NULL;
    am_rig_map *map = NULL;
    am_clips rig = { 0 };
    am_error err = { AM_OK };
    am_read_def read = am_read_def_default();
    am_result result = argc > 1 ? am_motion_read_file(&rig, argv[1], &read, &err) : AM_ERR_OPEN;
    result = result == AM_OK && rig.count < 1 ? AM_ERR_EMPTY : result;
    result = result == AM_OK ? am_actor_open(&actor, argc > 2 ? argv[2] : "models/locomotion.amnet", &err) : result;
    result = result == AM_OK ? map_to(&map, am_actor_asset(actor), rig.items[0], &err) : result;
    if (result == AM_OK) {
        am_actor_pose pose;
        am_transform local[AM_MAX_JOINTS];
        am_intent input = { .velocity = { 0.0f, 0.0f, 1.2f } };
        am_actor_step(actor, &input, 1.0f / 60.0f);
        am_actor_get_pose(actor, &pose);
        am_rig_map_apply(map, local, pose.local);
        printf("%d joints of %s, hips at %.2f, roots scaled by %.2f\n", rig.items[0]->skeleton->joint_count,
               rig.items[0]->name, (double)local[0].translation.y, (double)am_rig_map_scale(map));
    } else {
        fprintf(stderr, "own_rig: %s\n", argc > 1 ? err.text : "give a rig as a BVH file");
    }
    am_rig_map_destroy(map);
    am_actor_destroy(actor);
    am_clips_free(&rig);
    return result != AM_OK;
}

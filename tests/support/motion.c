// Clips for tests: generated, or read from the real data.
#include "support/motion.h"
#include "base/budget.h"
#include "base/rng.h"
#include "data/kinematics.h"

static am_clip *create(const am_clip_def *def)
{
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, def, &err), &err);
    return clip;
}

am_clip *test_random_clip(uint64_t seed, int joints, int frames, float fps)
{
    static char texts[AM_MAX_JOINTS][24]; // copied by the create; a test program is one thread
    int16_t parents[AM_MAX_JOINTS] = { -1 };
    am_vec3 offsets[AM_MAX_JOINTS];
    am_vec3 axes[AM_MAX_JOINTS];
    am_quat rests[AM_MAX_JOINTS];
    const char *names[AM_MAX_JOINTS];
    int16_t moving = 0;
    am_rng rng = ami_rng_make(seed);
    for (int j = 0; j < joints; j++) {
        parents[j] = (int16_t)(j == 0 ? -1 : (int)am_rng_below(&rng, (uint32_t)j));
        offsets[j] =
            am_v3(am_rng_range(&rng, -0.5f, 0.5f), am_rng_range(&rng, -0.5f, 0.5f), am_rng_range(&rng, -0.5f, 0.5f));
        axes[j] = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
        rests[j] = am_quat_from_scaled_axis(am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng)));
        snprintf(texts[j], sizeof texts[j], "joint%d", j);
        names[j] = texts[j];
    }
    am_clip_def def = am_clip_def_default();
    int16_t end = (int16_t)(joints - 1);
    am_vec3 tip = am_v3(0.0f, 0.1f, 0.0f);
    def.joint_count = joints;
    def.frame_count = frames;
    def.fps = fps;
    def.parents = parents;
    def.offsets = offsets;
    def.rests = rests;
    def.names = names;
    def.moving = &moving;
    def.moving_count = 1;
    def.end_count = 1;
    def.end_joints = &end;
    def.end_offsets = &tip;
    am_clip *clip = create(&def);
    for (int f = 0; f < frames; f++) {
        float t = (float)f / fps;
        for (int j = 0; j < joints; j++) {
            am_quat swing = am_quat_from_scaled_axis(am_v3_scale(axes[j], am_sin(2.0f * t + (float)j)));
            clip->rotations[f * joints + j] = am_quat_mul(rests[j], swing);
        }
        clip->translations[f] = am_v3(am_sin(t), 1.0f + 0.1f * am_cos(3.0f * t), t);
    }
    return clip;
}

static const struct {
    const char *name;
    int16_t parent;
    am_vec3 offset;
} walker_joints[] = {
    { "Hips", -1, { 0.0f, 0.95f, 0.0f } },          { "LeftUpLeg", 0, { 0.09f, -0.05f, 0.0f } },
    { "LeftLeg", 1, { 0.0f, -0.42f, 0.005f } },     { "LeftFoot", 2, { 0.0f, -0.40f, -0.005f } },
    { "LeftToeBase", 3, { 0.0f, -0.06f, 0.13f } },  { "RightUpLeg", 0, { -0.09f, -0.05f, 0.0f } },
    { "RightLeg", 5, { 0.0f, -0.42f, 0.005f } },    { "RightFoot", 6, { 0.0f, -0.40f, -0.005f } },
    { "RightToeBase", 7, { 0.0f, -0.06f, 0.13f } }, { "LowerBack", 0, { 0.0f, 0.02f, 0.0f } },
    { "Spine", 9, { 0.0f, 0.12f, 0.0f } },          { "Spine1", 10, { 0.0f, 0.14f, 0.0f } },
    { "Neck", 11, { 0.0f, 0.16f, 0.0f } },          { "Neck1", 12, { 0.0f, 0.05f, 0.01f } },
    { "Head", 13, { 0.0f, 0.06f, 0.01f } },         { "LeftShoulder", 11, { 0.03f, 0.12f, 0.0f } },
    { "LeftArm", 15, { 0.14f, 0.0f, 0.0f } },       { "LeftForeArm", 16, { 0.27f, 0.0f, 0.0f } },
    { "LeftHand", 17, { 0.24f, 0.0f, 0.0f } },      { "RightShoulder", 11, { -0.03f, 0.12f, 0.0f } },
    { "RightArm", 19, { -0.14f, 0.0f, 0.0f } },     { "RightForeArm", 20, { -0.27f, 0.0f, 0.0f } },
    { "RightHand", 21, { -0.24f, 0.0f, 0.0f } },
};
#define WALKER_JOINTS ((int)(sizeof walker_joints / sizeof walker_joints[0]))

/// One second a step cycle: each leg is on the ground for its first half and swings in the second.
static void pose_walker_leg(am_quat *rotations, int up_leg, float phase)
{
    phase -= floorf(phase);
    float lift = phase < 0.5f ? 0.0f : am_sin((phase - 0.5f) * 2.0f * AM_PI);
    am_vec3 x = am_v3(1.0f, 0.0f, 0.0f);
    rotations[up_leg] = am_quat_from_axis_angle(x, -0.8f * lift);
    rotations[up_leg + 1] = am_quat_from_axis_angle(x, 1.6f * lift);
    rotations[up_leg + 2] = am_quat_from_axis_angle(x, -0.8f * lift);
}

am_clip *test_walker(int frames)
{
    int16_t parents[WALKER_JOINTS];
    am_vec3 offsets[WALKER_JOINTS];
    const char *names[WALKER_JOINTS];
    for (int j = 0; j < WALKER_JOINTS; j++) {
        parents[j] = walker_joints[j].parent;
        offsets[j] = walker_joints[j].offset;
        names[j] = walker_joints[j].name;
    }
    int16_t moving = 0;
    am_clip_def def = am_clip_def_default();
    def.joint_count = WALKER_JOINTS;
    def.frame_count = frames;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.moving = &moving;
    def.moving_count = 1;
    def.name = "walker";
    am_clip *clip = create(&def);
    for (int f = 0; f < frames; f++) {
        pose_walker_leg(clip->rotations + f * WALKER_JOINTS, 1, (float)f / 60.0f);
        pose_walker_leg(clip->rotations + f * WALKER_JOINTS, 5, (float)f / 60.0f + 0.5f);
    }
    return clip;
}

am_clip *test_load(const char *path, float unit_m)
{
    size_t size = 0;
    char *text = test_read_file(path, &size);
    am_error err = { 0 };
    am_read_def def = am_read_def_default();
    am_clip *raw = NULL;
    am_clip *clip = NULL;
    check_ok(am_bvh_read(&raw, text, size, &def, &err), &err);
    free(text);
    check_ok(am_clip_convert(&clip, raw, unit_m, am_quat_identity(), 0.0f, NULL, &err), &err);
    am_clip_destroy(raw);
    return clip;
}

int test_list(char **paths, int capacity, const char *folder)
{
    am_folder_names names;
    assert_true(am_folder_list(&names, folder));
    int count = 0;
    for (int i = 0; i < names.count && count < capacity; i++) {
        const size_t size = strlen(names.items[i]);
        if (size > 4 && strcmp(names.items[i] + size - 4, ".bvh") == 0) {
            const size_t room = strlen(folder) + size + 2;
            paths[count] = malloc(room);
            assert_non_null(paths[count]);
            snprintf(paths[count++], room, "%s/%s", folder, names.items[i]);
        }
    }
    am_folder_names_free(&names);
    return count;
}

am_roles test_roles(const am_skeleton *skeleton)
{
    static const char *const names[AM_ROLE_COUNT] = {
        "Hips",     "LowerBack",   "Spine1",     "Neck",          "Head",      "LeftUpLeg",    "LeftLeg",
        "LeftFoot", "LeftToeBase", "RightUpLeg", "RightLeg",      "RightFoot", "RightToeBase", "LeftShoulder",
        "LeftArm",  "LeftForeArm", "LeftHand",   "RightShoulder", "RightArm",  "RightForeArm", "RightHand",
    };
    am_roles roles = ami_roles_none();
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        roles.joint[r] = (int16_t)am_skeleton_find(skeleton, names[r]);
    }
    if (roles.joint[AM_ROLE_SPINE] < 0) {
        roles.joint[AM_ROLE_SPINE] = (int16_t)am_skeleton_find(skeleton, "ToSpine");
    }
    return roles;
}

am_vec3 test_position(const am_clip *clip, int frame, int joint)
{
    am_transform pose[AM_MAX_JOINTS];
    am_clip_local(clip, frame, pose);
    am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
    return pose[joint].translation;
}

void test_failing_writer(test_writer write)
{
    am_clip *clip = test_random_clip(4, 6, 5, 60.0f);
    size_t total = 0;
    for (size_t fail_at = 0; fail_at == 0 || fail_at <= total; fail_at++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = fail_at;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_write_def def = am_write_def_default();
        def.alloc = &alloc;
        am_bytes bytes;
        am_error err = { 0 };
        am_result result = write(&bytes, (const am_clip *const *)&clip, 1, &def, &err);
        check_refused(result, fail_at == 0 ? AM_OK : AM_ERR_MEMORY);
        am_bytes_free(&bytes);
        total = fail_at == 0 ? budget.total_count : total;
        assert_int_equal(budget.live_count, 0);
    }
    assert_true(total > 5);
    am_clip_destroy(clip);
}

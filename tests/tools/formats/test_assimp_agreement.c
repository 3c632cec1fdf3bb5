// Forward kinematics against Assimp's own evaluation of the same files: BVH of both rigs, and GLB that we wrote.
#include "support/check.h"
#include "support/motion.h"

#if defined(AMBLE_TEST_ASSIMP)

#include <assimp/cimport.h>
#include <assimp/scene.h>

enum { most_files = 400 };

static const struct aiNodeAnim *find_channel(const struct aiAnimation *animation, const struct aiString *name)
{
    for (unsigned i = 0; i < animation->mNumChannels; i++) {
        if (strcmp(animation->mChannels[i]->mNodeName.data, name->data) == 0) {
            return animation->mChannels[i];
        }
    }
    return NULL;
}

/// Which of `count` keys lies at `time` (ticks); keys are a frame apart, or there is one for all.
#define NEAREST_KEY(keys, count, time, out)                                                                          \
    do {                                                                                                             \
        unsigned best = 0;                                                                                           \
        for (unsigned k = 1; k < (count); k++) {                                                                     \
            if (fabs((keys)[k].mTime - (time)) < fabs((keys)[best].mTime - (time))) {                                \
                best = k;                                                                                            \
            }                                                                                                        \
        }                                                                                                            \
        (out) = (keys)[best].mValue;                                                                                 \
    } while (0)

/// The node's transform relative to its parent at a time in ticks.
static struct aiMatrix4x4 local_matrix(const struct aiNode *node, const struct aiAnimation *animation, double ticks)
{
    const struct aiNodeAnim *channel = find_channel(animation, &node->mName);
    if (!channel) {
        return node->mTransformation;
    }
    struct aiVector3D scale, position;
    struct aiQuaternion rotation;
    NEAREST_KEY(channel->mScalingKeys, channel->mNumScalingKeys, ticks, scale);
    NEAREST_KEY(channel->mPositionKeys, channel->mNumPositionKeys, ticks, position);
    NEAREST_KEY(channel->mRotationKeys, channel->mNumRotationKeys, ticks, rotation);
    struct aiMatrix4x4 m;
    aiMatrix4FromScalingQuaternionPosition(&m, &scale, &rotation, &position);
    return m;
}

typedef struct walk {
    const struct aiAnimation *animation;
    const am_clip *clip;
    const am_transform *pose;
    double ticks;
    double unit_m;
    double worst_mm;
    int found;
} walk;

/// Compares the node and what hangs on it with the joints of the same names.
static void compare_nodes(walk *w, const struct aiNode *node, struct aiMatrix4x4 above)
{
    struct aiMatrix4x4 local = local_matrix(node, w->animation, w->ticks);
    aiMultiplyMatrix4(&above, &local);
    int joint = am_skeleton_find(w->clip->skeleton, node->mName.data);
    if (joint >= 0) {
        am_vec3 p = w->pose[joint].translation;
        double dx = (double)(p.x - above.a4), dy = (double)(p.y - above.b4), dz = (double)(p.z - above.c4);
        double mm = sqrt(dx * dx + dy * dy + dz * dz) * w->unit_m * 1000.0;
        w->worst_mm = mm > w->worst_mm ? mm : w->worst_mm;
        w->found++;
    }
    for (unsigned i = 0; i < node->mNumChildren; i++) {
        compare_nodes(w, node->mChildren[i], above);
    }
}

/// The largest distance in mm of any joint in every `stride`-th frame.
static double compare(const char *path, const am_clip *clip, double unit_m, int stride)
{
    const struct aiScene *scene = aiImportFile(path, 0);
    if (!scene || scene->mNumAnimations < 1) {
        fail_msg("Assimp does not read %s: %s", path, aiGetErrorString());
        return 0.0;
    }
    const struct aiAnimation *animation = scene->mAnimations[0];
    am_transform pose[AM_MAX_JOINTS];
    walk w = { .animation = animation, .clip = clip, .pose = pose, .unit_m = unit_m };
    // For BVH Assimp counts frames as ticks; for glTF milliseconds.
    bool bvh = strstr(path, ".bvh") != NULL;
    for (int f = 0; f < clip->frame_count; f += stride) {
        am_clip_local(clip, f, pose);
        am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
        w.ticks = bvh ? (double)f : (double)f / (double)clip->fps * animation->mTicksPerSecond;
        w.found = 0;
        struct aiMatrix4x4 identity;
        aiIdentityMatrix4(&identity);
        compare_nodes(&w, scene->mRootNode, identity);
        assert_int_equal(w.found, clip->skeleton->joint_count);
    }
    aiReleaseImport(scene);
    return w.worst_mm;
}

/// Every `every`-th file of a set; the largest distance in mm, or -1 when the set is not here.
static double compare_set(const char *set, double unit_m, int every, int stride)
{
    const char *folder = test_data_dir(set);
    if (!folder) {
        return -1.0;
    }
    static char *paths[most_files];
    int count = test_list(paths, most_files, folder), compared = 0;
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        if (i % every == 0) {
            am_clip *clip = test_load(paths[i], 1.0f);
            double mm = compare(paths[i], clip, unit_m, stride);
            worst = mm > worst ? mm : worst;
            am_clip_destroy(clip);
            compared++;
        }
        free(paths[i]);
    }
    print_message("%s: %d files, largest distance %.6f mm\n", set, compared, worst);
    return worst;
}

static void check_set(const char *set, double unit_m, int every, int stride)
{
    double worst = compare_set(set, unit_m, every, stride);
    if (worst < 0.0) {
        skip();
    }
    assert_true(worst < 0.1);
}

static void cmu_agrees_within_a_tenth_of_a_millimetre(void **state)
{
    (void)state;
    check_set("locomotion", (double)TEST_CMU_UNIT, 45, 17);
}

static void accad_agrees_within_a_tenth_of_a_millimetre(void **state)
{
    (void)state;
    check_set("accad_male1", (double)TEST_ACCAD_UNIT, 12, 7);
}

static void write_file(const char *path, am_bytes *bytes)
{
    am_error err = { 0 };
    check_ok(am_file_write(path, bytes->data, bytes->size, &err), &err);
    am_bytes_free(bytes);
}

static void our_own_bvh_and_glb_agree(void **state)
{
    (void)state;
    am_clip *clip = test_walker(60);
    const am_clip *clips[1] = { clip };
    char path[1200];
    am_bytes bytes;
    am_error err = { 0 };
    am_write_def def = am_write_def_default();
    const char *folder = test_temp_dir("assimp_agreement");
    check_ok(am_bvh_write(&bytes, clip, &def, &err), &err);
    snprintf(path, sizeof path, "%s/walker.bvh", folder);
    write_file(path, &bytes);
    double bvh = compare(path, clip, 1.0, 3);
    check_ok(am_glb_write(&bytes, clips, 1, &def, &err), &err);
    snprintf(path, sizeof path, "%s/walker.glb", folder);
    write_file(path, &bytes);
    double glb = compare(path, clip, 1.0, 3);
    print_message("walker: BVH %.6f mm, GLB %.6f mm\n", bvh, glb);
    assert_true(bvh < 0.1);
    assert_true(glb < 0.1);
    am_clip_destroy(clip);
}

static void a_planted_turn_is_noticed(void **state)
{
    (void)state;
    am_clip *clip = test_walker(10);
    am_bytes bytes;
    am_error err = { 0 };
    am_write_def def = am_write_def_default();
    char path[1200];
    snprintf(path, sizeof path, "%s/turned.bvh", test_temp_dir("assimp_planted"));
    check_ok(am_bvh_write(&bytes, clip, &def, &err), &err);
    write_file(path, &bytes);
    // A twentieth of a degree at the hips moves a foot by most of a millimetre.
    for (int f = 0; f < clip->frame_count; f++) {
        am_quat *hips = &clip->rotations[f * clip->skeleton->joint_count];
        *hips = am_quat_mul(*hips, am_quat_from_axis_angle(am_v3(1, 0, 0), 0.05f * AM_DEG));
    }
    assert_true(compare(path, clip, 1.0, 1) > 0.1);
    am_clip_destroy(clip);
}

TEST_SUITE(assimp_agreement)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cmu_agrees_within_a_tenth_of_a_millimetre),
        cmocka_unit_test(accad_agrees_within_a_tenth_of_a_millimetre),
        cmocka_unit_test(our_own_bvh_and_glb_agree),
        cmocka_unit_test(a_planted_turn_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

TEST_SUITE(assimp_agreement)
{
    puts("SKIPPED: the comparison with Assimp, which was not found when this was built");
    return 0;
}

#endif

// Retargeting: bone lengths, stance height, slide, limb directions; on generated bodies and on captured ones.
#include "support/motion.h"

#include "data/filter.h"

#include <math.h>

static am_clip *retarget(const am_clip *clip, const am_skeleton *reference, bool ik)
{
    am_roles roles = test_roles(clip->skeleton);
    am_roles reference_roles = test_roles(reference);
    am_retarget_def def = am_retarget_def_default();
    def.reference = reference;
    def.reference_roles = &reference_roles;
    def.roles = &roles;
    def.ik = ik;
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_retarget(&made, clip, &def, NULL, &err), &err);
    return made;
}

static double longest_bone_error(const am_clip *clip, const am_skeleton *reference)
{
    static am_transform pose[AM_MAX_JOINTS];
    double worst = 0.0;
    for (int f = 0; f < clip->frame_count; f += 10) {
        am_clip_local(clip, f, pose);
        am_fk(pose, pose, reference->parents, reference->joint_count);
        for (int j = 1; j < reference->joint_count; j++) {
            float length = am_v3_distance(pose[j].translation, pose[reference->parents[j]].translation);
            double error = fabs((double)(length - am_v3_length(reference->offsets[j])));
            worst = error > worst ? error : worst;
        }
    }
    return worst;
}

/// Toes in contact: how high, how fast over the ground.
typedef struct stance {
    float height; ///< median, m
    double slide; ///< sum of m/s
    double count;
} stance;

static stance measure_stance(const am_clip *clip, const am_roles *roles)
{
    int frames = clip->frame_count;
    uint8_t *contacts = malloc((size_t)frames);
    float *heights = malloc(2 * (size_t)frames * sizeof(float));
    am_contact_def def = am_contact_def_default();
    am_error err = { 0 };
    check_ok(am_contacts_find(contacts, clip, roles, &def, NULL, &err), &err);
    stance s = { NAN, 0.0, 0.0 };
    int count = 0;
    for (int side = 0; side < 2; side++) {
        int toe = roles->joint[side == 0 ? AM_ROLE_LEFT_TOE : AM_ROLE_RIGHT_TOE];
        unsigned bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        am_vec3 last = am_v3_zero();
        for (int f = 0; f < frames; f++) {
            am_vec3 at = test_position(clip, f, toe);
            if (contacts[f] & bit) {
                heights[count++] = at.y;
            }
            if (f > 0 && (contacts[f] & contacts[f - 1] & bit)) {
                s.slide += (double)(am_v3_length(am_v3_ground(am_v3_sub(at, last))) * clip->fps);
                s.count += 1.0;
            }
            last = at;
        }
    }
    if (count > 0) {
        ami_sort_floats(heights, count);
        s.height = ami_quantile(heights, count, 0.5f);
    }
    free(contacts);
    free(heights);
    return s;
}

// ---------------------------------------------------------------------------------------------
// Made-up bodies

/// The walker with legs `scale` times as long and, if `turned`, a rest pose that hangs its arms and faces -x.
static am_clip *other_walker(int frames, float scale, bool turned)
{
    am_clip *like = test_walker(frames);
    const am_skeleton *s = like->skeleton;
    am_vec3 offsets[32];
    am_quat rests[32];
    for (int j = 0; j < s->joint_count; j++) {
        offsets[j] = j < 9 ? am_v3_scale(s->offsets[j], scale) : s->offsets[j];
        rests[j] = am_quat_identity();
    }
    if (turned) {
        rests[0] = am_quat_from_heading(-0.5f * AM_PI);
        rests[16] = am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), -1.3f);
        rests[20] = am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), 1.3f);
    }
    am_clip_def def = am_clip_def_like(like);
    def.offsets = offsets;
    def.rests = rests;
    def.frame_count = frames;
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    memcpy(clip->rotations, like->rotations, (size_t)(frames * s->joint_count) * sizeof(am_quat));
    for (int f = 0; f < frames; f++) {
        clip->translations[f] = am_v3_scale(like->translations[f], scale);
    }
    am_clip_destroy(like);
    return clip;
}

static void the_same_body_gets_its_own_motion_back(void **state)
{
    (void)state;
    am_clip *clip = test_walker(90);
    for (int ik = 0; ik < 2; ik++) {
        am_clip *made = retarget(clip, clip->skeleton, ik == 1);
        for (int f = 0; f < 90; f += 4) {
            for (int j = 0; j < clip->skeleton->joint_count; j++) {
                check_near(am_v3_distance(test_position(made, f, j), test_position(clip, f, j)), 0.0,
                           ik ? 1e-2 : 1e-5);
            }
        }
        if (!ik) {
            size_t bytes = 90 * (size_t)clip->skeleton->joint_count * sizeof(am_quat);
            assert_memory_equal(made->rotations, clip->rotations, bytes);
        }
        am_clip_destroy(made);
    }
    am_clip_destroy(clip);
}

static void a_larger_body_travels_in_proportion(void **state)
{
    (void)state;
    am_clip *small = other_walker(120, 0.8f, false);
    am_clip *large = test_walker(1);
    for (int f = 0; f < 120; f++) {
        small->translations[f].x += 0.01f * (float)f;
    }
    am_clip *made = retarget(small, large->skeleton, false);
    float way = made->translations[119].x - made->translations[0].x;
    check_near(way, 1.19 / 0.8, 1e-4);
    check_near(longest_bone_error(made, large->skeleton), 0.0, 1e-5);
    am_clip_destroy(small);
    am_clip_destroy(large);
    am_clip_destroy(made);
}

static void a_rig_map_gives_the_poses_of_a_retargeted_clip(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_clip *small = other_walker(120, 0.8f, false);
    am_clip *large = test_walker(1);
    am_clip *made = retarget(small, large->skeleton, false);
    am_roles from_roles = test_roles(small->skeleton), to_roles = test_roles(large->skeleton);
    am_rig_map *map = NULL;
    am_rig_map_def def;
    am_rig_map_def_init(&def);
    assert_int_equal(am_rig_map_create(&map, &def, &err), AM_ERR_DEF);
    def.from = small->skeleton;
    def.to = large->skeleton;
    def.from_roles = &from_roles;
    def.to_roles = &to_roles;
    assert_int_equal(am_rig_map_create(&map, &def, &err), AM_OK);
    check_near(am_rig_map_scale(map), 1.0 / 0.8, 1e-4);
    int joints = large->skeleton->joint_count;
    for (int f = 0; f < 120; f += 17) {
        am_transform from[AM_MAX_JOINTS], to[AM_MAX_JOINTS];
        for (int j = 0; j < small->skeleton->joint_count; j++) {
            from[j].rotation = small->rotations[(size_t)f * (size_t)small->skeleton->joint_count + (size_t)j];
            from[j].translation = j > 0 ? small->skeleton->offsets[j] : small->translations[f];
        }
        am_rig_map_apply(map, to, from);
        for (int j = 0; j < joints; j++) {
            am_quat q = made->rotations[(size_t)f * (size_t)joints + (size_t)j];
            check_near(am_quat_angle(to[j].rotation, q), 0.0, 1e-3);
            assert_true(j == 0 || am_v3_distance(to[j].translation, large->skeleton->offsets[j]) == 0.0f);
        }
        // The clip was moved onto its floor as well: the height differs by a constant.
        am_vec3 gap = am_v3_ground(am_v3_sub(to[0].translation, made->translations[f]));
        check_near(am_v3_length(gap), 0.0, 1e-4);
    }
    am_rig_map_destroy(map);
    am_clip_destroy(small);
    am_clip_destroy(large);
    am_clip_destroy(made);
}

static am_vec3 limb(const am_clip *clip, int frame, int from, int to)
{
    am_vec3 way = am_v3_sub(test_position(clip, frame, to), test_position(clip, frame, from));
    return am_v3_normalize_or(way, am_v3_zero());
}

/// Mean angle (degrees) between the limbs of two clips of any rig with roles, legs and arms.
static double mean_limb_angle(const am_clip *a, const am_clip *b)
{
    static const am_role limbs[8][2] = {
        { AM_ROLE_LEFT_UP_LEG, AM_ROLE_LEFT_LEG },    { AM_ROLE_LEFT_LEG, AM_ROLE_LEFT_FOOT },
        { AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG },  { AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT },
        { AM_ROLE_LEFT_ARM, AM_ROLE_LEFT_FOREARM },   { AM_ROLE_LEFT_FOREARM, AM_ROLE_LEFT_HAND },
        { AM_ROLE_RIGHT_ARM, AM_ROLE_RIGHT_FOREARM }, { AM_ROLE_RIGHT_FOREARM, AM_ROLE_RIGHT_HAND },
    };
    am_roles ra = test_roles(a->skeleton);
    am_roles rb = test_roles(b->skeleton);
    double sum = 0.0;
    int count = 0;
    for (int f = 0; f < a->frame_count; f += 5) {
        for (int i = 0; i < 8; i++, count++) {
            am_vec3 u = limb(a, f, ra.joint[limbs[i][0]], ra.joint[limbs[i][1]]);
            am_vec3 v = limb(b, f, rb.joint[limbs[i][0]], rb.joint[limbs[i][1]]);
            sum += (double)(am_acos(am_v3_dot(u, v)) / AM_DEG);
        }
    }
    return count ? sum / count : 0.0;
}

static void rest_poses_that_differ_do_not_change_where_limbs_point(void **state)
{
    (void)state;
    am_clip *clip = test_walker(60);
    am_clip *other = other_walker(1, 1.1f, true);
    am_clip *made = retarget(clip, other->skeleton, false);
    check_near(mean_limb_angle(clip, made), 0.0, 0.2);
    // And back again.
    am_clip *back = retarget(made, clip->skeleton, false);
    check_near(mean_limb_angle(clip, back), 0.0, 0.2);
    for (int j = 9; j < 15; j++) { // the trunk stands upright on both
        check_near(test_position(back, 30, j).z, test_position(clip, 30, j).z, 5e-3);
    }
    am_clip_destroy(clip);
    am_clip_destroy(other);
    am_clip_destroy(made);
    am_clip_destroy(back);
}

/// The walker's skeleton without its LowerBack and Neck1, under prefixed names.
static am_clip *shorter_walker(int frames)
{
    am_clip *like = test_walker(frames);
    const am_skeleton *s = like->skeleton;
    static char texts[32][40];
    const char *names[32];
    int16_t parents[32];
    int16_t to[32];
    am_vec3 offsets[32];
    int count = 0;
    for (int j = 0; j < s->joint_count; j++) {
        bool dropped = j == 9 || j == 13;
        to[j] = (int16_t)(dropped ? to[s->parents[j]] : count);
        if (dropped) {
            continue;
        }
        int parent = s->parents[j];
        offsets[count] = s->offsets[j];
        if (parent == 9 || parent == 13) {
            offsets[count] = am_v3_add(offsets[count], s->offsets[parent]);
        }
        parents[count] = (int16_t)(parent < 0 ? -1 : to[parent]);
        snprintf(texts[count], sizeof texts[count], "mixamorig:%s", s->names[j]);
        names[count] = texts[count];
        count++;
    }
    am_clip_def def = am_clip_def_like(like);
    def.joint_count = count;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    am_clip_destroy(like);
    return clip;
}

static am_roles prefixed_roles(const am_skeleton *skeleton)
{
    am_clip *plain = test_walker(0);
    am_roles roles = test_roles(plain->skeleton);
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        char name[64];
        snprintf(name, sizeof name, "mixamorig:%s", plain->skeleton->names[roles.joint[r]]);
        roles.joint[r] = (int16_t)am_skeleton_find(skeleton, name);
    }
    roles.joint[AM_ROLE_SPINE] = (int16_t)am_skeleton_find(skeleton, "mixamorig:Spine");
    am_clip_destroy(plain);
    return roles;
}

static void rigs_with_other_spines_share_the_bend(void **state)
{
    (void)state;
    am_clip *clip = test_walker(40);
    int joints = clip->skeleton->joint_count;
    for (int f = 0; f < 40; f++) {
        for (int j = 9; j <= 11; j++) { // bows
            am_vec3 x = am_v3(1.0f, 0.0f, 0.0f);
            clip->rotations[f * joints + j] = am_quat_from_axis_angle(x, 0.3f * am_sin(0.1f * (float)f));
        }
    }
    am_clip *other = shorter_walker(0);
    am_roles roles = test_roles(clip->skeleton);
    am_roles reference_roles = prefixed_roles(other->skeleton);
    am_retarget_def def = am_retarget_def_default();
    def.reference = other->skeleton;
    def.reference_roles = &reference_roles;
    def.roles = &roles;
    def.ik = false;
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_retarget(&made, clip, &def, NULL, &err), &err);
    for (int f = 0; f < 40; f += 3) {
        int chest = reference_roles.joint[AM_ROLE_CHEST];
        am_vec3 a = am_v3_sub(test_position(clip, f, 11), test_position(clip, f, 0));
        am_vec3 b = am_v3_sub(test_position(made, f, chest), test_position(made, f, 0));
        check_near(am_v3_distance(a, b), 0.0, 0.04);
        am_vec3 head_a = am_v3_sub(test_position(clip, f, 14), test_position(clip, f, 11));
        am_vec3 head_b =
            am_v3_sub(test_position(made, f, reference_roles.joint[AM_ROLE_HEAD]), test_position(made, f, chest));
        check_near(am_v3_distance(head_a, head_b), 0.0, 0.03);
    }
    am_clip_destroy(clip);
    am_clip_destroy(other);
    am_clip_destroy(made);
}

static void a_floor_that_drifts_is_made_even(void **state)
{
    (void)state;
    am_clip *clip = test_walker(300);
    for (int f = 0; f < 300; f++) {
        clip->translations[f].y += 0.03f * (float)f / 300.0f;
    }
    am_roles roles = test_roles(clip->skeleton);
    am_clip *made = retarget(clip, clip->skeleton, true);
    // The left toe stands in frames 0-30, 60-90, ...
    for (int step = 0; step < 5; step++) {
        check_near(test_position(made, step * 60 + 15, roles.joint[AM_ROLE_LEFT_TOE]).y, 0.02, 0.004);
    }
    am_clip_destroy(clip);
    am_clip_destroy(made);
}

static void rigs_without_legs_keep_their_size(void **state)
{
    (void)state;
    am_clip *clip = test_walker(30);
    am_roles roles = test_roles(clip->skeleton);
    roles.joint[AM_ROLE_LEFT_LEG] = -1;
    roles.joint[AM_ROLE_LEFT_UP_LEG] = -1;
    am_retarget_def def = am_retarget_def_default();
    def.reference = clip->skeleton;
    def.reference_roles = &roles;
    def.roles = &roles;
    def.floor_m = 0.02f;
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_clip_retarget(&made, clip, &def, NULL, &err), &err);
    check_near(am_v3_distance(test_position(made, 9, 14), test_position(clip, 9, 14)), 0.0, 5e-3);
    am_clip_destroy(clip);
    am_clip_destroy(made);
}

static void retarget_defs_out_of_range_are_refused(void **state)
{
    (void)state;
    am_clip *clip = test_walker(10);
    am_clip *empty = test_walker(0);
    am_roles roles = test_roles(clip->skeleton);
    am_roles wrong = roles;
    wrong.joint[AM_ROLE_HEAD] = 99;
    am_clip *made = (am_clip *)1;
    am_error err = { 0 };
    am_retarget_def def = am_retarget_def_default();
    check_refused(am_clip_retarget(&made, clip, &def, NULL, &err), AM_ERR_DEF);
    assert_null(made);
    def.reference = clip->skeleton;
    def.reference_roles = &roles;
    def.roles = &roles;
    check_refused(am_clip_retarget(&made, empty, &def, NULL, &err), AM_ERR_EMPTY);
    def.reference_floor_m = NAN;
    check_refused(am_clip_retarget(&made, clip, &def, NULL, &err), AM_ERR_DEF);
    def.reference_floor_m = 0.0f;
    def.roles = &wrong;
    check_refused(am_clip_retarget(&made, clip, &def, NULL, &err), AM_ERR_ROLE);
    def.roles = &roles;
    def.reference_roles = &wrong;
    check_refused(am_clip_retarget(&made, clip, &def, NULL, &err), AM_ERR_ROLE);
    am_roles footless = roles;
    footless.joint[AM_ROLE_LEFT_TOE] = footless.joint[AM_ROLE_LEFT_FOOT] = -1;
    def.reference_roles = &footless;
    check_refused(am_clip_retarget(&made, clip, &def, NULL, &err), AM_ERR_ROLE);
    am_clip_destroy(clip);
    am_clip_destroy(empty);
}

// ---------------------------------------------------------------------------------------------
// Captured bodies

/// Frames in which a knee, ankle or toe has a second difference above 3 cm: what a popping knee looks like.
static int sharp_frames(const am_clip *clip, const am_roles *roles)
{
    static const am_role watched[6] = { AM_ROLE_LEFT_LEG,  AM_ROLE_LEFT_FOOT,  AM_ROLE_LEFT_TOE,
                                        AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT, AM_ROLE_RIGHT_TOE };
    static am_transform pose[3][AM_MAX_JOINTS];
    int count = 0;
    for (int f = 0; f < clip->frame_count; f++) {
        am_transform *now = pose[f % 3];
        am_clip_local(clip, f, now);
        am_fk(now, now, clip->skeleton->parents, clip->skeleton->joint_count);
        bool sharp = false;
        for (int i = 0; f > 1 && i < 6; i++) {
            int j = roles->joint[watched[i]];
            am_vec3 ends = am_v3_add(now[j].translation, pose[(f + 1) % 3][j].translation);
            sharp = sharp || am_v3_distance(ends, am_v3_scale(pose[(f + 2) % 3][j].translation, 2.0f)) > 0.03f;
        }
        count += sharp;
    }
    return count;
}

static void the_touch_up_adds_no_jerks(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char path[1100];
    snprintf(path, sizeof path, "%s/69_01.bvh", dir);
    am_clip *reference = test_load(path, TEST_CMU_UNIT);
    am_roles roles = test_roles(reference->skeleton);
    static char *paths[300];
    int count = test_list(paths, 300, dir);
    int without = 0;
    int with = 0;
    for (int i = 0; i < count; i++) {
        if (i % 3 == 0) {
            am_clip *clip = test_load(paths[i], TEST_CMU_UNIT);
            am_clip *plain = retarget(clip, reference->skeleton, false);
            am_clip *planted = retarget(clip, reference->skeleton, true);
            without += sharp_frames(plain, &roles);
            with += sharp_frames(planted, &roles);
            am_clip_destroy(clip);
            am_clip_destroy(plain);
            am_clip_destroy(planted);
        }
        free(paths[i]);
    }
    printf("frames with a sharp leg: %d before the touch-up, %d after\n", without, with);
    assert_true(with <= without);
    am_clip_destroy(reference);
}

/// All of a CMU set on one skeleton: prints and checks the figures that a database is accepted by.
static void check_set(const char *folder, const char *reference_name, int step)
{
    char path[1100];
    snprintf(path, sizeof path, "%s/%s.bvh", folder, reference_name);
    am_clip *reference = test_load(path, TEST_CMU_UNIT);
    am_roles reference_roles = test_roles(reference->skeleton);
    static char *paths[300];
    static float heights[300];
    float sorted[300];
    int count = test_list(paths, 300, folder);
    int used = 0;
    double bones = 0.0;
    stance before = { 0 };
    stance after = { 0 };
    for (int i = 0; i < count; i++) {
        if (i % step == 0) {
            am_clip *clip = test_load(paths[i], TEST_CMU_UNIT);
            am_roles roles = test_roles(clip->skeleton);
            am_clip *made = retarget(clip, reference->skeleton, true);
            double error = longest_bone_error(made, reference->skeleton);
            bones = error > bones ? error : bones;
            stance a = measure_stance(clip, &roles);
            stance b = measure_stance(made, &reference_roles);
            before.slide += a.slide;
            before.count += a.count;
            after.slide += b.slide;
            after.count += b.count;
            if (b.count > 0.0) {
                heights[used++] = b.height;
            }
            am_clip_destroy(clip);
            am_clip_destroy(made);
        }
        free(paths[i]);
    }
    memcpy(sorted, heights, sizeof sorted);
    ami_sort_floats(sorted, used);
    float median = ami_quantile(sorted, used, 0.5f);
    int near = 0;
    for (int i = 0; i < used; i++) {
        near += am_abs(heights[i] - median) <= 0.01f;
    }
    double share = (double)near / used;
    double ratio = after.slide / after.count / (before.slide / before.count);
    printf(
        "%d clips on %s: bones within %.1e m, stance height within 1 cm in %.1f %%, slide %.4f -> %.4f m/s (%.3f)\n",
        used, reference_name, bones, 100.0 * share, before.slide / before.count, after.slide / after.count, ratio);
    assert_true(bones < 1e-5);
    assert_true(share >= 0.95);
    assert_true(ratio <= 1.10);
    am_clip_destroy(reference);
}

static void captured_actors_fit_one_skeleton(void **state)
{
    (void)state;
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", dir);
    check_set(folder, "69_01", 1);
    check_set(folder, "91_01", 4);
}

static void another_rig_looks_right_on_the_first(void **state)
{
    (void)state;
    char cmu[1024];
    const char *dir = test_data_dir("locomotion");
    if (!dir) {
        skip();
    }
    snprintf(cmu, sizeof cmu, "%s/69_01.bvh", dir);
    dir = test_data_dir("accad_male1");
    if (!dir) {
        skip();
    }
    am_clip *reference = test_load(cmu, TEST_CMU_UNIT);
    char path[1100];
    snprintf(path, sizeof path, "%s/Male1_A1_Stand.bvh", dir);
    am_clip *stand = test_load(path, TEST_ACCAD_UNIT);
    const am_quat *rests = stand->rotations + (stand->frame_count / 2) * stand->skeleton->joint_count;
    char *paths[69];
    int count = test_list(paths, 69, dir);
    double mean = 0.0;
    for (int i = 0; i < count; i++) {
        am_clip *raw = test_load(paths[i], TEST_ACCAD_UNIT);
        am_clip *clip = NULL;
        am_error err = { 0 };
        check_ok(am_clip_set_rest(&clip, raw, rests, NULL, &err), &err);
        am_clip *made = retarget(clip, reference->skeleton, true);
        double angle = mean_limb_angle(clip, made);
        mean += angle / count;
        if (!(angle < 12.0)) {
            fail_msg("%s: limbs are %.1f degrees off", paths[i], angle);
        }
        am_clip_destroy(raw);
        am_clip_destroy(clip);
        am_clip_destroy(made);
        free(paths[i]);
    }
    printf("ACCAD on CMU 69: limbs %.2f degrees off (mean)\n", mean);
    assert_true(mean < 4.0);
    am_clip_destroy(reference);
    am_clip_destroy(stand);
}

TEST_SUITE(retarget)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_body_gets_its_own_motion_back),
        cmocka_unit_test(a_larger_body_travels_in_proportion),
        cmocka_unit_test(a_rig_map_gives_the_poses_of_a_retargeted_clip),
        cmocka_unit_test(rest_poses_that_differ_do_not_change_where_limbs_point),
        cmocka_unit_test(rigs_with_other_spines_share_the_bend),
        cmocka_unit_test(a_floor_that_drifts_is_made_even),
        cmocka_unit_test(rigs_without_legs_keep_their_size),
        cmocka_unit_test(retarget_defs_out_of_range_are_refused),
        cmocka_unit_test(the_touch_up_adds_no_jerks),
        cmocka_unit_test(captured_actors_fit_one_skeleton),
        cmocka_unit_test(another_rig_looks_right_on_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

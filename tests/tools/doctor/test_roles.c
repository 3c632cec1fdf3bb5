// Which joint is what: every vocabulary in use, glued and split, and names that say nothing.
#include "support/alter.h"
#include "support/motion.h"

#include "doctor/roles.h"
#include "data/kinematics.h"

static altered walker(void)
{
    am_clip *clip = test_walker(30);
    am_roles roles = am_roles_guess(clip->skeleton);
    altered a = alter_from(clip, &roles);
    am_clip_destroy(clip);
    return a;
}

static void check_roles(const altered *a, const am_roles *found, const char *what)
{
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (found->joint[r] != a->roles.joint[r]) {
            int joint = found->joint[r];
            fail_msg("%s: %s is '%s', wanted '%s'", what, am_role_name((am_role)r),
                     joint >= 0 ? a->clip->skeleton->names[joint] : "none",
                     a->roles.joint[r] >= 0 ? a->clip->skeleton->names[a->roles.joint[r]] : "none");
        }
    }
}

static void the_walkers_joints_are_what_their_names_say(void **state)
{
    (void)state;
    static const struct {
        am_role role;
        const char *name;
    } wanted[] = {
        { AM_ROLE_HIPS, "Hips" },
        { AM_ROLE_SPINE, "LowerBack" },
        { AM_ROLE_CHEST, "Spine1" },
        { AM_ROLE_NECK, "Neck" },
        { AM_ROLE_HEAD, "Head" },
        { AM_ROLE_LEFT_UP_LEG, "LeftUpLeg" },
        { AM_ROLE_LEFT_LEG, "LeftLeg" },
        { AM_ROLE_LEFT_FOOT, "LeftFoot" },
        { AM_ROLE_LEFT_TOE, "LeftToeBase" },
        { AM_ROLE_RIGHT_UP_LEG, "RightUpLeg" },
        { AM_ROLE_RIGHT_TOE, "RightToeBase" },
        { AM_ROLE_LEFT_SHOULDER, "LeftShoulder" },
        { AM_ROLE_LEFT_ARM, "LeftArm" },
        { AM_ROLE_LEFT_FOREARM, "LeftForeArm" },
        { AM_ROLE_RIGHT_HAND, "RightHand" },
    };
    altered a = walker();
    for (int i = 0; i < (int)(sizeof wanted / sizeof wanted[0]); i++) {
        assert_int_equal(a.roles.joint[wanted[i].role], am_skeleton_find(a.clip->skeleton, wanted[i].name));
    }
    am_clip_destroy(a.clip);
}

static void every_vocabulary_gives_the_same_roles(void **state)
{
    (void)state;
    for (int names = 0; names <= NAMES_NONE; names++) {
        char what[32];
        snprintf(what, sizeof what, "vocabulary %d", names);
        altered a = walker();
        alter_names(&a, (alter_names_of)names);
        am_roles found = am_roles_guess(a.clip->skeleton);
        check_roles(&a, &found, what);
        am_clip_destroy(a.clip);
    }
}

static void fingers_twists_and_a_ground_root_change_nothing(void **state)
{
    (void)state;
    static const alter_names_of some[] = { NAMES_UNREAL, NAMES_NONE, NAMES_DAZ };
    for (int i = 0; i < 3; i++) {
        altered a = walker();
        alter_names(&a, some[i]);
        alter_add_small_joints(&a);
        alter_add_ground_root(&a);
        am_roles found = am_roles_guess(a.clip->skeleton);
        check_roles(&a, &found, "more joints");
        am_clip_destroy(a.clip);
    }
}

static void a_rig_without_toes_has_none(void **state)
{
    (void)state;
    static const alter_names_of some[] = { NAMES_BVH, NAMES_NONE };
    for (int i = 0; i < 2; i++) {
        altered a = walker();
        alter_names(&a, some[i]);
        alter_drop_toes(&a);
        am_roles found = am_roles_guess(a.clip->skeleton);
        assert_int_equal(a.roles.joint[AM_ROLE_LEFT_TOE], -1);
        check_roles(&a, &found, "no toes");
        am_clip_destroy(a.clip);
    }
}

static void one_name_tells(const char *name, const char *parent, am_role role)
{
    // A whole rig around one odd name: the others are plain.
    altered a = walker();
    const am_skeleton *s = a.clip->skeleton;
    const char *names[AM_MAX_JOINTS];
    for (int j = 0; j < s->joint_count; j++) {
        names[j] = j == a.roles.joint[role] ? name : s->names[j];
        if (parent && j == s->parents[a.roles.joint[role]]) {
            names[j] = parent;
        }
    }
    am_clip_def def = am_clip_def_like(a.clip);
    def.names = names;
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    am_roles found = ami_roles_by_names(clip->skeleton);
    if (found.joint[role] != a.roles.joint[role]) {
        fail_msg("'%s' was not read as %s", name, am_role_name(role));
    }
    am_clip_destroy(clip);
    am_clip_destroy(a.clip);
}

static void odd_spellings_are_read(void **state)
{
    (void)state;
    one_name_tells("LTHIGH", NULL, AM_ROLE_LEFT_UP_LEG);
    one_name_tells("Character1_LeftUpLeg", NULL, AM_ROLE_LEFT_UP_LEG);
    one_name_tells("b_L_Shin_jnt", NULL, AM_ROLE_LEFT_LEG);
    one_name_tells("DEF-foot.R", NULL, AM_ROLE_RIGHT_FOOT);
    one_name_tells("J_Bip_R_ToeBase", NULL, AM_ROLE_RIGHT_TOE);
    one_name_tells("Armature|rig:leftfoot", NULL, AM_ROLE_LEFT_FOOT);
    one_name_tells("ValveBiped.Bip01_L_Hand", NULL, AM_ROLE_LEFT_HAND);
    one_name_tells("right-fore-arm", NULL, AM_ROLE_RIGHT_FOREARM);
    one_name_tells("Bip001 R UpperArm", NULL, AM_ROLE_RIGHT_ARM);
    one_name_tells("Skull", NULL, AM_ROLE_HEAD);
    one_name_tells("LeftLeg", "LeftHip", AM_ROLE_LEFT_LEG);
    one_name_tells("LeftShin", "LeftLeg", AM_ROLE_LEFT_LEG);
    one_name_tells("LeftArm", "LeftCollarBone", AM_ROLE_LEFT_ARM);
}

/// A finger called "LeftHandThumb1" or a "thigh_twist" must not pass for a hand or a thigh.
static void small_parts_are_not_taken_for_limbs(void **state)
{
    (void)state;
    static const char *const small[] = { "LeftHandThumb1", "thumb_01_l", "lthumb",     "thigh_twist_01_l",
                                         "LeftFoot_End",   "l_foot_ik",  "LeftToe_Nub" };
    for (int i = 0; i < (int)(sizeof small / sizeof small[0]); i++) {
        altered a = walker();
        const am_skeleton *s = a.clip->skeleton;
        const char *names[AM_MAX_JOINTS];
        for (int j = 0; j < s->joint_count; j++) {
            names[j] = j == a.roles.joint[AM_ROLE_NECK] ? small[i] : s->names[j];
        }
        am_clip_def def = am_clip_def_like(a.clip);
        def.names = names;
        am_clip *clip = NULL;
        am_error err = { 0 };
        check_ok(am_clip_create(&clip, &def, &err), &err);
        am_roles found = am_roles_guess(clip->skeleton);
        check_roles(&a, &found, small[i]);
        am_clip_destroy(clip);
        am_clip_destroy(a.clip);
    }
}

static void sides_follow_toes_and_knees(void **state)
{
    (void)state;
    altered a = walker();
    am_vec3 joints[64];
    am_vec3 ends[64];
    ami_figure_pose(joints, ends, a.clip->skeleton, NULL);
    ami_figure figure = { a.clip->skeleton, joints, ends };
    assert_true(ami_roles_sides(&a.roles, &figure) > 0.3f);
    ami_roles_swap(&a.roles);
    assert_true(ami_roles_sides(&a.roles, &figure) < -0.3f);
    am_roles none = ami_roles_none();
    check_near(ami_roles_sides(&none, &figure), 0.0, 0.0);
    am_clip_destroy(a.clip);
}

static void a_thing_that_is_no_person_has_no_legs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        am_clip *clip = test_random_clip(seed, 12, 2, 30.0f);
        am_roles found = am_roles_guess(clip->skeleton);
        for (int r = 0; r < AM_ROLE_COUNT; r++) {
            assert_in_range(found.joint[r] + 1, 0, 12);
        }
        am_clip_destroy(clip);
    }
    am_clip *stick = test_random_clip(3, 2, 2, 30.0f);
    am_roles found = am_roles_guess(stick->skeleton);
    assert_int_equal(found.joint[AM_ROLE_LEFT_FOOT], -1);
    assert_int_equal(found.joint[AM_ROLE_HIPS], -1);
    am_clip_destroy(stick);
}

TEST_SUITE(roles)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walkers_joints_are_what_their_names_say),
        cmocka_unit_test(every_vocabulary_gives_the_same_roles),
        cmocka_unit_test(fingers_twists_and_a_ground_root_change_nothing),
        cmocka_unit_test(a_rig_without_toes_has_none),
        cmocka_unit_test(odd_spellings_are_read),
        cmocka_unit_test(small_parts_are_not_taken_for_limbs),
        cmocka_unit_test(sides_follow_toes_and_knees),
        cmocka_unit_test(a_thing_that_is_no_person_has_no_legs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The matrix: procedural and captured clips altered as foreign rigs differ, in names, unit, axes, rotation orders,
// joints, root and header. The doctor must find every alteration, each field by itself.
#include "support/alter.h"
#include "support/motion.h"
#include "data/kinematics.h"

#include <amble/tools/synth.h>

typedef enum base_clip {
    BASE_WALK,
    BASE_RUN,
    BASE_JUMP,
    BASE_TURN,
    BASE_CMU_WALK,
    BASE_CMU_JUMP,
    BASE_COUNT
} base_clip;

enum { GROUND_ROOT = 1, SMALL_JOINTS = 2, NO_TOES = 4, ROOT_OFFSET = 8, CONTORTED = 16, MIXED_ORDERS = 32 };

typedef struct matrix_case {
    base_clip base;
    alter_names_of names;
    float unit_m;
    const char *up, *facing;
    const char *order; // NULL: not through text (unless MIXED_ORDERS)
    int flags;
    float header; // rate that the header claims; 0 tells the truth
} matrix_case;

static const matrix_case cases[] = {
    // Names
    { BASE_WALK, NAMES_BVH, 1.0f, "+y", "+z", NULL, 0, 0 },
    { BASE_WALK, NAMES_MIXAMO, 0.01f, "+y", "+z", NULL, 0, 0 },
    { BASE_WALK, NAMES_UNREAL, 0.01f, "+z", "-y", NULL, 0, 0 },
    { BASE_WALK, NAMES_RIGIFY, 1.0f, "+z", "-y", NULL, 0, 0 },
    { BASE_WALK, NAMES_ASF, 0.0564444f, "+y", "+z", "zyx", 0, 0 },
    { BASE_WALK, NAMES_BIPED, 0.0254f, "+z", "+x", NULL, 0, 0 },
    { BASE_WALK, NAMES_VRM, 1.0f, "+y", "-z", NULL, 0, 0 },
    { BASE_WALK, NAMES_OLD_BVH, 0.0254f, "+y", "+z", "zxy", 0, 0 },
    { BASE_WALK, NAMES_DAZ, 0.01f, "+y", "+z", NULL, 0, 0 },
    { BASE_WALK, NAMES_XSENS, 0.01f, "+y", "+x", NULL, 0, 0 },
    { BASE_WALK, NAMES_CC, 0.01f, "+z", "+y", NULL, 0, 0 },
    { BASE_WALK, NAMES_NONE, 1.0f, "+y", "+z", NULL, 0, 0 },
    { BASE_WALK, NAMES_SWAPPED, 1.0f, "+y", "+z", NULL, 0, 0 },
    // Units
    { BASE_TURN, NAMES_BVH, 0.001f, "+y", "+z", NULL, 0, 0 },
    { BASE_TURN, NAMES_NONE, 0.3048f, "+y", "+z", NULL, 0, 0 },
    { BASE_RUN, NAMES_UNREAL, 0.0254f, "+y", "-x", NULL, 0, 0 },
    // Axes
    { BASE_WALK, NAMES_BVH, 1.0f, "-z", "+y", NULL, 0, 0 },
    { BASE_RUN, NAMES_NONE, 0.01f, "+x", "+z", NULL, 0, 0 },
    { BASE_JUMP, NAMES_ASF, 0.001f, "-y", "-x", NULL, 0, 0 },
    { BASE_TURN, NAMES_RIGIFY, 1.0f, "+z", "+x", NULL, 0, 0 },
    // Rotation orders through text
    { BASE_WALK, NAMES_BVH, 0.01f, "+y", "+z", "xyz", 0, 0 },
    { BASE_RUN, NAMES_BVH, 0.01f, "+z", "-y", "yzx", 0, 0 },
    { BASE_JUMP, NAMES_UNREAL, 1.0f, "+y", "-z", "xzy", 0, 0 },
    { BASE_JUMP, NAMES_NONE, 0.01f, "+y", "+z", NULL, MIXED_ORDERS, 0 },
    // Joints
    { BASE_WALK, NAMES_UNREAL, 0.01f, "+z", "-y", NULL, SMALL_JOINTS, 0 },
    { BASE_WALK, NAMES_NONE, 1.0f, "+y", "+z", NULL, SMALL_JOINTS, 0 },
    { BASE_WALK, NAMES_BVH, 0.0564444f, "+y", "+z", NULL, NO_TOES, 0 },
    { BASE_RUN, NAMES_NONE, 1.0f, "+y", "+x", NULL, NO_TOES, 0 },
    // Root
    { BASE_WALK, NAMES_MIXAMO, 0.01f, "+y", "+z", NULL, GROUND_ROOT, 0 },
    { BASE_WALK, NAMES_NONE, 0.01f, "+z", "-y", "zyx", GROUND_ROOT | SMALL_JOINTS, 0 },
    { BASE_WALK, NAMES_OLD_BVH, 0.01f, "+y", "+z", "yxz", ROOT_OFFSET, 0 },
    // Rest pose
    { BASE_WALK, NAMES_BVH, 0.01f, "+y", "+z", "zxy", CONTORTED | ROOT_OFFSET, 0 },
    { BASE_WALK, NAMES_NONE, 0.01f, "+y", "+z", NULL, CONTORTED, 0 },
    // Rates that lie
    { BASE_JUMP, NAMES_BVH, 1.0f, "+y", "+z", NULL, 0, 120.0f },
    { BASE_JUMP, NAMES_BVH, 0.01f, "+y", "+z", NULL, 0, 30.0f },
    { BASE_JUMP, NAMES_NONE, 0.0254f, "+z", "-y", "zyx", GROUND_ROOT, 24.0f },
    { BASE_RUN, NAMES_BVH, 1.0f, "+y", "+z", NULL, 0, 120.0f },
    { BASE_RUN, NAMES_MIXAMO, 0.01f, "+y", "+z", NULL, 0, 30.0f },
    { BASE_WALK, NAMES_BVH, 1.0f, "+y", "+z", NULL, 0, 120.0f },
    // Captured clips
    { BASE_CMU_WALK, NAMES_BVH, 0.0564444f, "+y", "+z", "zyx", 0, 0 },
    { BASE_CMU_WALK, NAMES_UNREAL, 0.01f, "+z", "-y", NULL, SMALL_JOINTS, 0 },
    { BASE_CMU_WALK, NAMES_NONE, 0.001f, "+y", "-x", NULL, GROUND_ROOT, 0 },
    { BASE_CMU_WALK, NAMES_RIGIFY, 0.3048f, "+x", "-y", NULL, NO_TOES, 0 },
    { BASE_CMU_WALK, NAMES_SWAPPED, 0.0254f, "+z", "+x", NULL, 0, 0 },
    { BASE_CMU_JUMP, NAMES_ASF, 0.0564444f, "+y", "+z", NULL, 0, 120.0f },
    { BASE_CMU_JUMP, NAMES_NONE, 0.01f, "+z", "-y", NULL, 0, 30.0f },
    { BASE_CMU_JUMP, NAMES_DAZ, 1.0f, "+y", "+x", NULL, ROOT_OFFSET | MIXED_ORDERS, 24.0f },
};
enum { case_count = sizeof cases / sizeof cases[0] };

// ---------------------------------------------------------------------------------------------
// Bases: metres, y up, +z forward, roles known; made once

static altered bases[BASE_COUNT];

static altered synth_base(am_synth_kind kind, float seconds)
{
    am_synth_def def = am_synth_def_default();
    am_synth made = { 0 };
    am_error err = { 0 };
    def.kind = kind;
    def.fps = 60.0f;
    def.seconds = seconds;
    check_ok(am_synth_make(&made, &def, &err), &err);
    altered a = alter_from(made.clip, &made.roles);
    am_synth_free(&made);
    return a;
}

static altered cmu_base(const char *set, const char *file)
{
    altered none = { NULL, ami_roles_none() };
    const char *dir = test_data_dir(set);
    if (!dir) {
        return none;
    }
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    am_clip *clip = test_load(path, TEST_CMU_UNIT);
    am_roles roles = am_roles_guess(clip->skeleton);
    am_roles named = test_roles(clip->skeleton);
    for (int r = AM_ROLE_LEFT_UP_LEG; r < AM_ROLE_COUNT; r++) {
        assert_int_equal(roles.joint[r], named.joint[r]); // the truth must not come from the judged alone
    }
    altered a = alter_from(clip, &roles);
    am_clip_destroy(clip);
    return a;
}

static int make_bases(void **state)
{
    (void)state;
    bases[BASE_WALK] = synth_base(AM_SYNTH_WALK, 8.0f);
    bases[BASE_RUN] = synth_base(AM_SYNTH_RUN, 6.0f);
    bases[BASE_JUMP] = synth_base(AM_SYNTH_JUMP, 8.0f);
    bases[BASE_TURN] = synth_base(AM_SYNTH_TURN, 6.0f);
    bases[BASE_CMU_WALK] = cmu_base("locomotion", "35_01.bvh");
    bases[BASE_CMU_JUMP] = cmu_base("jump", "13_11.bvh");
    return 0;
}

static int free_bases(void **state)
{
    (void)state;
    for (int i = 0; i < BASE_COUNT; i++) {
        am_clip_destroy(bases[i].clip);
    }
    return 0;
}

// ---------------------------------------------------------------------------------------------
// One case

static altered make_case(const matrix_case *c)
{
    altered a = alter_from(bases[c->base].clip, &bases[c->base].roles);
    alter_names(&a, c->names);
    if (c->flags & SMALL_JOINTS) {
        alter_add_small_joints(&a);
    }
    if (c->flags & NO_TOES) {
        alter_drop_toes(&a);
    }
    if (c->flags & CONTORTED) {
        alter_contort_rest(&a, 5);
    }
    if (c->flags & GROUND_ROOT) {
        alter_add_ground_root(&a);
    }
    alter_space(&a, c->unit_m, c->up, c->facing);
    if (c->order || (c->flags & (MIXED_ORDERS | ROOT_OFFSET))) {
        alter_through_text(&a, c->order, (c->flags & ROOT_OFFSET) != 0);
    }
    if (c->header > 0.0f) {
        a.clip->fps = c->header;
    }
    return a;
}

static int complain(int number, const char *field, const char *found, const char *wanted)
{
    print_error("case %d: %s is %s, wanted %s\n", number, field, found, wanted);
    return 1;
}

static int compare_number(int number, const char *field, float found, float wanted)
{
    char a[32], b[32];
    if (am_abs(found - wanted) <= 1e-3f * wanted) {
        return 0;
    }
    snprintf(a, sizeof a, "%g", (double)found);
    snprintf(b, sizeof b, "%g", (double)wanted);
    return complain(number, field, a, b);
}

static bool has_finding(const am_diagnosis *d, const char *code)
{
    for (int i = 0; i < d->finding_count; i++) {
        if (strcmp(d->findings[i].code, code) == 0) {
            return true;
        }
    }
    return false;
}

static int compare_roles(int number, const altered *a, const am_diagnosis *d)
{
    int faults = 0;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        int found = d->roles.joint[r];
        int wanted = a->roles.joint[r];
        if (found != wanted) {
            faults +=
                complain(number, am_role_name((am_role)r), found >= 0 ? a->clip->skeleton->names[found] : "none",
                         wanted >= 0 ? a->clip->skeleton->names[wanted] : "none");
        }
    }
    return faults;
}

/// Every field of a diagnosis against what was done to the clip. Returns how many are wrong.
static int judge(int number, const matrix_case *c, const altered *a, const am_diagnosis *d)
{
    bool contorted = (c->flags & CONTORTED) != 0;
    int faults = compare_number(number, "unit", d->unit_m, c->unit_m);
    faults += strcmp(d->up, c->up) ? complain(number, "up", d->up, c->up) : 0;
    faults += strcmp(d->facing, c->facing) ? complain(number, "facing", d->facing, c->facing) : 0;
    faults += compare_number(number, "fps_true", d->fps_true, 60.0f);
    faults += compare_number(number, "fps", d->fps, c->header > 0.0f ? c->header : 60.0f);
    faults += compare_roles(number, a, d);
    faults +=
        d->rest_is_pose != contorted ? complain(number, "rest", d->rest_is_pose ? "contorted" : "usable", "not") : 0;
    faults += has_finding(d, "sides") != (c->names == NAMES_SWAPPED) ? complain(number, "sides", "-", "-") : 0;
    faults += has_finding(d, "fps") != (c->header > 0.0f) ? complain(number, "fps finding", "-", "-") : 0;
    return faults;
}

/// Where the altered clip's joints end up after cleaning, against the clip that it was made from.
static float distance_home(const matrix_case *c, const altered *a, const am_diagnosis *d)
{
    am_clean_def clean = am_clean_def_default();
    clean.bridge = false;
    clean.cut = false;
    am_clips made;
    am_roles roles;
    am_error err = { 0 };
    check_ok(am_doctor_clean(&made, &roles, NULL, 0, a->clip, d, &clean, &err), &err);
    const altered *base = &bases[c->base];
    const am_clip *home = made.items[0];
    float most = 0.0f;
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        int from = base->roles.joint[r];
        if (from < 0 || roles.joint[r] < 0) {
            continue;
        }
        // Names that lie were set right, so that roles pair the same joints again.
        for (int f = 0; f < home->frame_count; f += 37) {
            most = am_max(most,
                          am_v3_distance(test_position(base->clip, f, from), test_position(home, f, roles.joint[r])));
        }
    }
    assert_int_equal(roles.joint[AM_ROLE_HIPS], 0);
    assert_true(home->fps == d->fps_true);
    am_clips_free(&made);
    return most;
}

static void every_altered_rig_is_found_out(void **state)
{
    (void)state;
    int wrong = 0;
    int done = 0;
    for (int i = 0; i < case_count; i++) {
        if (!bases[cases[i].base].clip) {
            continue; // said once, when the base was looked for
        }
        altered a = make_case(&cases[i]);
        am_diagnosis d;
        am_doctor_def def = am_doctor_def_default();
        am_error err = { 0 };
        check_ok(am_doctor_examine(&d, a.clip, &def, &err), &err);
        int faults = judge(i, &cases[i], &a, &d);
        float away = distance_home(&cases[i], &a, &d);
        if (away > 0.002f) {
            print_error("case %d: cleaned joints are %.4f m from where they were\n", i, (double)away);
            faults++;
        }
        wrong += faults > 0;
        done++;
        am_diagnosis_free(&d);
        am_clip_destroy(a.clip);
    }
    printf("%d of %d altered rigs right\n", done - wrong, done);
    assert_true(done >= 30);
    assert_int_equal(wrong, 0);
}

/// The judge itself must see each wrong field.
static void the_judge_sees_every_planted_error(void **state)
{
    (void)state;
    altered a = make_case(&cases[1]);
    am_doctor_def def = am_doctor_def_default();
    am_error err = { 0 };
    am_diagnosis d;
    check_ok(am_doctor_examine(&d, a.clip, &def, &err), &err);
    assert_int_equal(judge(1, &cases[1], &a, &d), 0);
    am_diagnosis wrong = d;
    wrong.unit_m = 0.0254f;
    assert_int_equal(judge(1, &cases[1], &a, &wrong), 1);
    wrong = d;
    memcpy(wrong.up, "+z", 3);
    assert_int_equal(judge(1, &cases[1], &a, &wrong), 1);
    wrong = d;
    memcpy(wrong.facing, "-z", 3);
    assert_int_equal(judge(1, &cases[1], &a, &wrong), 1);
    wrong = d;
    wrong.fps_true = 30.0f;
    assert_int_equal(judge(1, &cases[1], &a, &wrong), 1);
    wrong = d;
    wrong.roles.joint[AM_ROLE_LEFT_TOE] = wrong.roles.joint[AM_ROLE_RIGHT_TOE];
    assert_int_equal(judge(1, &cases[1], &a, &wrong), 1);
    wrong = d;
    wrong.rest_is_pose = true;
    assert_int_equal(judge(1, &cases[1], &a, &wrong), 1);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

TEST_SUITE(doctor_matrix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_altered_rig_is_found_out),
        cmocka_unit_test(the_judge_sees_every_planted_error),
    };
    return cmocka_run_group_tests(tests, make_bases, free_bases);
}

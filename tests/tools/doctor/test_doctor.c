// The doctor on clips whose truth is known: overrides, cleaning, comparing across a batch, refusals.
#include "support/alter.h"
#include "support/motion.h"
#include "support/refuse.h"

enum { FRAMES = 300 };

/// A walker whose arms hang and swing and whose hips travel: about as plain as motion gets.
static altered plain(void)
{
    am_clip *clip = test_walker(FRAMES);
    am_roles roles = am_roles_guess(clip->skeleton);
    int joints = clip->skeleton->joint_count;
    for (int f = 0; f < FRAMES; f++) {
        float swing = 0.3f * am_sin(0.1f * (float)f);
        for (int side = 0; side < 2; side++) {
            am_quat *arm = &clip->rotations[f * joints + roles.joint[side ? AM_ROLE_RIGHT_ARM : AM_ROLE_LEFT_ARM]];
            *arm = am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), (side ? 1.0f : -1.0f) * (1.2f + swing));
            am_quat *leg =
                &clip->rotations[f * joints + roles.joint[side ? AM_ROLE_RIGHT_UP_LEG : AM_ROLE_LEFT_UP_LEG]];
            *leg = am_quat_mul(*leg, am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), 0.03f * swing));
        }
        clip->translations[f].z += 0.004f * (float)f;
    }
    altered a = alter_from(clip, &roles);
    am_clip_destroy(clip);
    return a;
}

static am_diagnosis examine(const am_clip *clip)
{
    am_diagnosis d;
    am_doctor_def def = am_doctor_def_default();
    am_error err = { 0 };
    check_ok(am_doctor_examine(&d, clip, &def, &err), &err);
    return d;
}

static const am_finding *finding_of(const am_diagnosis *d, const char *code)
{
    for (int i = 0; i < d->finding_count; i++) {
        if (strcmp(d->findings[i].code, code) == 0) {
            return &d->findings[i];
        }
    }
    return NULL;
}

static void a_plain_clip_has_nothing_to_be_said_about(void **state)
{
    (void)state;
    altered a = plain();
    am_diagnosis d = examine(a.clip);
    for (int i = 0; i < d.finding_count; i++) {
        fail_msg("%s: %s", d.findings[i].code, d.findings[i].text);
    }
    check_near(d.unit_m, 1.0, 0.0);
    check_near(d.fps_true, 60.0, 0.0);
    assert_string_equal(d.up, "+y");
    assert_string_equal(d.facing, "+z");
    assert_false(d.rest_is_pose);
    assert_int_equal(d.rest_frame, -1);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

static void what_is_told_beforehand_is_kept(void **state)
{
    (void)state;
    altered a = plain();
    am_roles told = a.roles;
    told.joint[AM_ROLE_NECK] = -1;
    am_doctor_def def = am_doctor_def_default();
    am_diagnosis d;
    am_error err = { 0 };
    def.unit_m = 0.5f;
    def.fps = 25.0f;
    def.up = "+z";
    def.facing = "+x";
    def.roles = &told;
    def.faults = false;
    check_ok(am_doctor_examine(&d, a.clip, &def, &err), &err);
    check_near(d.unit_m, 0.5, 0.0);
    check_near(d.fps_true, 25.0, 0.0);
    assert_string_equal(d.up, "+z");
    assert_string_equal(d.facing, "+x");
    assert_int_equal(d.roles.joint[AM_ROLE_NECK], -1);
    assert_int_equal(d.fault_count, 0);
    am_vec3 up = am_quat_rotate(d.axes, am_v3(0.0f, 0.0f, 1.0f));
    am_vec3 forward = am_quat_rotate(d.axes, am_v3(1.0f, 0.0f, 0.0f));
    check_near(up.y, 1.0, 1e-6);
    check_near(forward.z, 1.0, 1e-6);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    altered a = plain();
    am_diagnosis d;
    am_error err = { 0 };
    am_doctor_def def = am_doctor_def_default();
    def.cookie = 0;
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_DEF);
    def = am_doctor_def_default();
    def.up = "up";
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_DEF);
    def = am_doctor_def_default();
    def.up = "+y";
    def.facing = "-y";
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_DEF);
    def = am_doctor_def_default();
    def.facing = "+y"; // but the body says that y is up
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_DEF);
    def = am_doctor_def_default();
    def.unit_m = -1.0f;
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_DEF);
    am_roles wrong = a.roles;
    wrong.joint[AM_ROLE_HEAD] = 99;
    def = am_doctor_def_default();
    def.roles = &wrong;
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_ROLE);
    am_clip_def empty = am_clip_def_like(a.clip);
    am_clip *none = NULL;
    check_ok(am_clip_create(&none, &empty, &err), &err);
    def = am_doctor_def_default();
    check_refused(am_doctor_examine(&d, none, &def, &err), AM_ERR_EMPTY);
    am_clip_destroy(none);
    for (int f = 0; f < FRAMES; f++) {
        a.clip->translations[f].x = NAN;
    }
    check_refused(am_doctor_examine(&d, a.clip, &def, &err), AM_ERR_NUMBER);
    am_clip_destroy(a.clip);
}

static void what_is_no_person_is_said_to_be_none(void **state)
{
    (void)state;
    am_clip *clip = test_random_clip(3, 2, 40, 30.0f);
    am_diagnosis d = examine(clip);
    assert_non_null(finding_of(&d, "roles"));
    assert_non_null(finding_of(&d, "unit"));
    check_near(d.unit_m, 1.0, 0.0);
    am_clean_def clean = am_clean_def_default();
    am_clips made;
    am_roles roles;
    am_error err = { 0 };
    check_ok(am_doctor_clean(&made, &roles, NULL, 0, clip, &d, &clean, &err), &err);
    am_clips_free(&made);
    am_diagnosis_free(&d);
    am_clip_destroy(clip);
}

static void a_child_or_a_giant_is_asked_about(void **state)
{
    (void)state;
    altered a = plain();
    alter_space(&a, 0.6f, "+y", "+z"); // no unit in use: legs of 1.37 m, or of 0.42 m in feet
    am_diagnosis d = examine(a.clip);
    assert_non_null(finding_of(&d, "unit"));
    assert_non_null(strstr(finding_of(&d, "unit")->text, "--unit"));
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

// ---------------------------------------------------------------------------------------------
// Cleaning

static void a_serious_stretch_is_cut_out_and_a_short_one_bridged(void **state)
{
    (void)state;
    altered a = plain();
    alter_names(&a, NAMES_MIXAMO);
    alter_add_ground_root(&a);
    int head = a.roles.joint[AM_ROLE_HEAD];
    int joints = a.clip->skeleton->joint_count;
    for (int f = 100; f < 130; f++) {
        a.clip->rotations[f * joints + head] = am_q(1.0f, 0.0f, 0.0f, 0.0f);
    }
    a.clip->translations[2 * 200].x += 0.08f;
    alter_space(&a, 0.01f, "+z", "-y");
    am_diagnosis d = examine(a.clip);
    assert_non_null(finding_of(&d, "range"));
    assert_non_null(finding_of(&d, "step"));
    assert_int_equal(finding_of(&d, "range")->frame, 100);
    am_clean_def def = am_clean_def_default();
    am_clips made;
    am_roles roles;
    am_error err = { 0 };
    int first[4] = { -1, -1, -1, -1 };
    check_ok(am_doctor_clean(&made, &roles, first, 4, a.clip, &d, &def, &err), &err);
    assert_int_equal(made.count, 2);
    assert_int_equal(first[0], 0);
    assert_true(first[1] >= 130 && first[1] <= 132);
    assert_true(made.items[0]->frame_count <= 100);
    assert_int_equal(roles.joint[AM_ROLE_HIPS], 0);
    size_t length = strlen(made.items[0]->name);
    assert_string_equal(made.items[0]->name + length - 2, "-a");
    for (int i = 0; i < 2; i++) { // what comes out is a plain clip again
        am_diagnosis again = examine(made.items[i]);
        check_near(again.unit_m, 1.0, 0.0);
        assert_string_equal(again.up, "+y");
        assert_string_equal(again.facing, "+z");
        assert_null(finding_of(&again, "step"));
        assert_null(finding_of(&again, "range"));
        am_diagnosis_free(&again);
    }
    am_clips_free(&made);
    def.cut = false;
    check_ok(am_doctor_clean(&made, &roles, first, 1, a.clip, &d, &def, &err), &err);
    assert_int_equal(made.count, 1);
    assert_int_equal(made.items[0]->frame_count, FRAMES);
    am_clips_free(&made);
    def = am_clean_def_default();
    def.min_seconds = 60.0f;
    check_refused(am_doctor_clean(&made, &roles, first, 4, a.clip, &d, &def, &err), AM_ERR_EMPTY);
    def.cookie = 0;
    check_refused(am_doctor_clean(&made, &roles, first, 4, a.clip, &d, &def, &err), AM_ERR_DEF);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

static void more_pieces_than_letters_are_numbered(void **state)
{
    (void)state;
    altered a = plain();
    am_diagnosis d = examine(a.clip);
    am_fault cuts[40];
    for (int i = 0; i < 40; i++) {
        cuts[i] = (am_fault){ AM_FAULT_FLIP, 7 * i + 6, 7 * i + 6, 1, 3.0f, true };
    }
    am_diagnosis many = d;
    many.faults = cuts;
    many.fault_count = 40;
    am_clean_def def = am_clean_def_default();
    def.min_seconds = 0.05f;
    am_clips made;
    am_roles roles;
    am_error err = { 0 };
    int first[41] = { 0 };
    check_ok(am_doctor_clean(&made, &roles, first, 41, a.clip, &many, &def, &err), &err);
    assert_int_equal(made.count, 41);
    assert_int_equal(first[40], 280);
    assert_int_equal(made.items[40]->frame_count, 20);
    assert_int_equal(made.items[3]->frame_count, 6);
    const char *name = made.items[40]->name;
    assert_string_equal(name + strlen(name) - 3, "-o1");
    am_clips_free(&made);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

static void a_contorted_rest_pose_becomes_a_stance(void **state)
{
    (void)state;
    altered a = plain();
    altered truth = alter_from(a.clip, &a.roles);
    alter_contort_rest(&a, 7);
    am_diagnosis d = examine(a.clip);
    assert_true(d.rest_is_pose);
    assert_true(d.rest_frame >= 0);
    assert_non_null(d.rests);
    am_clean_def def = am_clean_def_default();
    am_clips made;
    am_roles roles;
    am_error err = { 0 };
    check_ok(am_doctor_clean(&made, &roles, NULL, 0, a.clip, &d, &def, &err), &err);
    am_clip *clean = made.items[0];
    for (int f = 0; f < FRAMES; f += 29) { // the motion is what it was
        for (int r = 0; r < AM_ROLE_COUNT; r++) {
            if (truth.roles.joint[r] >= 0) {
                am_vec3 was = test_position(truth.clip, f, truth.roles.joint[r]);
                assert_true(am_v3_distance(was, test_position(clean, f, roles.joint[r])) < 1e-3f);
            }
        }
    }
    am_diagnosis again = examine(clean);
    assert_false(again.rest_is_pose);
    am_diagnosis_free(&again);
    am_clips_free(&made);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
    am_clip_destroy(truth.clip);
}

// ---------------------------------------------------------------------------------------------
// Across a batch

static void duplicates_are_named(void **state)
{
    (void)state;
    altered a = plain();
    altered same = alter_from(a.clip, &a.roles);
    altered near = alter_from(a.clip, &a.roles);
    altered other = alter_from(a.clip, &a.roles);
    for (int f = 0; f < FRAMES; f++) {
        same.clip->translations[f].x += 3.0f; // elsewhere in the room
        am_quat *q = &near.clip->rotations[f * near.clip->skeleton->joint_count + 3];
        *q = am_quat_mul(*q, am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 0.002f));
        q = &other.clip->rotations[f * other.clip->skeleton->joint_count + 3];
        *q = am_quat_mul(*q, am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 0.3f));
    }
    const am_clip *clips[4] = { a.clip, same.clip, near.clip, other.clip };
    am_diagnosis d[4];
    for (int i = 0; i < 4; i++) {
        d[i] = examine(clips[i]);
    }
    am_error err = { 0 };
    check_ok(am_doctor_compare(d, clips, 4, &err), &err);
    assert_null(finding_of(&d[0], "duplicate"));
    assert_non_null(finding_of(&d[1], "duplicate"));
    assert_non_null(strstr(finding_of(&d[1], "duplicate")->text, "the same motion"));
    assert_non_null(strstr(finding_of(&d[2], "duplicate")->text, "nearly"));
    assert_null(finding_of(&d[3], "duplicate"));
    check_refused(am_doctor_compare(NULL, clips, 4, &err), AM_ERR_DEF);
    check_ok(am_doctor_compare(NULL, NULL, 0, &err), &err);
    for (int i = 0; i < 4; i++) {
        am_diagnosis_free(&d[i]);
    }
    am_clip_destroy(a.clip);
    am_clip_destroy(same.clip);
    am_clip_destroy(near.clip);
    am_clip_destroy(other.clip);
}

static void the_majority_of_a_rig_decides(void **state)
{
    (void)state;
    altered a[5];
    const am_clip *clips[5];
    am_diagnosis d[5];
    am_error err = { 0 };
    for (int i = 0; i < 5; i++) {
        a[i] = plain();
        for (int f = 0; f < FRAMES; f++) {
            a[i].clip->translations[f].x += 0.001f * (float)(i * f);
        }
        clips[i] = a[i].clip;
        am_doctor_def def = am_doctor_def_default();
        def.up = i == 3 ? "+x" : NULL; // one that errs
        check_ok(am_doctor_examine(&d[i], clips[i], &def, &err), &err);
    }
    assert_string_equal(d[3].up, "+x");
    check_ok(am_doctor_compare(d, clips, 5, &err), &err);
    assert_string_equal(d[3].up, "+y");
    assert_non_null(finding_of(&d[3], "majority"));
    assert_null(finding_of(&d[0], "majority"));
    for (int i = 0; i < 5; i++) {
        am_diagnosis_free(&d[i]);
        am_clip_destroy(a[i].clip);
    }
}

static void a_rest_pose_is_lent_to_files_in_which_nobody_stands(void **state)
{
    (void)state;
    altered stands = plain();
    altered sits = plain();
    int joints = sits.clip->skeleton->joint_count;
    for (int f = 0; f < FRAMES; f++) {
        for (int side = 0; side < 2; side++) {
            const int16_t *leg = sits.roles.joint + (side ? AM_ROLE_RIGHT_UP_LEG : AM_ROLE_LEFT_UP_LEG);
            sits.clip->rotations[f * joints + leg[0]] = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), -1.4f);
            sits.clip->rotations[f * joints + leg[1]] = am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 1.4f);
        }
        sits.clip->translations[f].y -= 0.4f;
    }
    alter_contort_rest(&stands, 3);
    alter_contort_rest(&sits, 3);
    const am_clip *clips[2] = { sits.clip, stands.clip };
    am_diagnosis d[2] = { examine(sits.clip), examine(stands.clip) };
    assert_true(d[0].rest_is_pose);
    assert_int_equal(d[0].rest_frame, -1);
    assert_null(d[0].rests);
    am_error err = { 0 };
    check_ok(am_doctor_compare(d, clips, 2, &err), &err);
    assert_non_null(d[0].rests);
    assert_memory_equal(d[0].rests, d[1].rests, (size_t)d[1].rest_count * sizeof(am_quat));
    for (int i = 0; i < 2; i++) {
        am_diagnosis_free(&d[i]);
    }
    am_clip_destroy(stands.clip);
    am_clip_destroy(sits.clip);
}

// ---------------------------------------------------------------------------------------------
// Memory

/// Everything the doctor does on two clips, all through `alloc`.
static am_result whole_visit(void *user, const am_alloc *alloc)
{
    const am_clip **clips = user;
    am_diagnosis d[2];
    am_doctor_def def = am_doctor_def_default();
    am_clean_def clean = am_clean_def_default();
    am_error err = { 0 };
    int examined = 0;
    am_result result = AM_OK;
    def.alloc = clean.alloc = alloc;
    for (int i = 0; i < 2 && result == AM_OK; i++) {
        result = am_doctor_examine(&d[i], clips[i], &def, &err);
        examined += result == AM_OK;
    }
    if (result == AM_OK) {
        result = am_doctor_compare(d, clips, 2, &err);
    }
    if (result == AM_OK) {
        am_clips made;
        am_roles roles;
        result = am_doctor_clean(&made, &roles, NULL, 0, clips[0], &d[0], &clean, &err);
        if (result == AM_OK) {
            am_clips_free(&made);
        }
    }
    for (int i = 0; i < examined; i++) {
        am_diagnosis_free(&d[i]);
    }
    return result == AM_OK ? AM_OK : refuse_checked(result, &err);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    altered a = plain();
    alter_contort_rest(&a, 11);
    alter_add_ground_root(&a);
    int joints = a.clip->skeleton->joint_count;
    a.clip->translations[2 * 200].x += 0.08f;
    for (int f = 150; f < 170; f++) {
        a.clip->rotations[f * joints + a.roles.joint[AM_ROLE_HEAD]] = am_q(1.0f, 0.0f, 0.0f, 0.0f);
    }
    altered b = alter_from(a.clip, &a.roles);
    const am_clip *clips[2] = { a.clip, b.clip };
    assert_true(refuse_allocations(whole_visit, clips) > 10);
    am_clip_destroy(a.clip);
    am_clip_destroy(b.clip);
}

static void rows_that_the_header_does_not_announce_are_told(void **state)
{
    (void)state;
    altered a = plain();
    a.clip->unread_rows = 7;
    am_diagnosis d = examine(a.clip);
    const am_finding *finding = finding_of(&d, "rows");
    bool told = finding && strstr(finding->text, "'Frames: 307'") && !finding->serious;
    assert_true(told);
    am_diagnosis_free(&d);
    am_clip_destroy(a.clip);
}

TEST_SUITE(doctor)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_clip_has_nothing_to_be_said_about),
        cmocka_unit_test(what_is_told_beforehand_is_kept),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(what_is_no_person_is_said_to_be_none),
        cmocka_unit_test(a_child_or_a_giant_is_asked_about),
        cmocka_unit_test(a_serious_stretch_is_cut_out_and_a_short_one_bridged),
        cmocka_unit_test(more_pieces_than_letters_are_numbered),
        cmocka_unit_test(a_contorted_rest_pose_becomes_a_stance),
        cmocka_unit_test(duplicates_are_named),
        cmocka_unit_test(the_majority_of_a_rig_decides),
        cmocka_unit_test(a_rest_pose_is_lent_to_files_in_which_nobody_stands),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(rows_that_the_header_does_not_announce_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Bodies of rigid parts: masses, and what forces do to a pose.
#include "support/check.h"
#include "support/synth_db.h"
#include "base/budget.h"
#include "data/database.h"
#include "physics/parts.h"

#include <amble/physics.h>

static am_db *db;

static int open_db(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make(true, &err);
    return db ? 0 : -1;
}

static int close_db(void **state)
{
    (void)state;
    am_db_close(db);
    return 0;
}

static am_physics *make_body(float tone)
{
    am_error err = { 0 };
    am_physics *physics = NULL;
    am_physics_def def;
    am_physics_def_init(&def);
    def.skeleton = db->skeleton;
    def.roles = &db->roles;
    def.tone = tone;
    check_ok(am_physics_create(&physics, &def, &err), &err);
    return physics;
}

/// A frame of the database in its world.
static void frame_pose(am_transform *out, int frame)
{
    am_db_pose(db, frame, out);
    out[0] = am_transform_mul(ami_db_root(db, frame), out[0]);
}

static am_vec3 joint_at(const am_transform *local, am_role role)
{
    am_transform world[AM_MAX_JOINTS];
    am_fk(world, local, db->skeleton->parents, db->joint_count);
    return world[db->roles.joint[role]].translation;
}

static void masses_follow_from_segment_lengths(void **state)
{
    (void)state;
    am_physics *body = make_body(1.0f);
    float total = 0.0f;
    int thigh = -1;
    for (int i = 0; i < ami_physics_part_count(body); i++) {
        ami_physics_part part = ami_physics_get_part(body, i);
        assert_true(part.mass_kg > 0.1f && part.length_m > 0.01f && part.radius_m > 0.01f);
        assert_true(part.parent < i);
        thigh = part.joint == db->roles.joint[AM_ROLE_LEFT_UP_LEG] ? i : thigh;
        total += part.mass_kg;
    }
    assert_int_equal(ami_physics_part_count(body), 16);
    am_transform rest[AM_MAX_JOINTS];
    for (int j = 0; j < db->joint_count; j++) {
        rest[j] = (am_transform){ db->skeleton->rests[j], db->skeleton->offsets[j] };
    }
    float leg = am_v3_distance(joint_at(rest, AM_ROLE_LEFT_UP_LEG), joint_at(rest, AM_ROLE_LEFT_LEG)) +
                am_v3_distance(joint_at(rest, AM_ROLE_LEFT_LEG), joint_at(rest, AM_ROLE_LEFT_FOOT));
    check_near(total, 22.0f * leg * leg / (0.491f * 0.491f), 0.1f);
    assert_true(thigh >= 0);
    check_near(ami_physics_get_part(body, thigh).mass_kg, 0.1f * total, 1e-3f * total);
    am_physics_destroy(body);
}

static void without_forces_the_pose_is_unaltered(void **state)
{
    (void)state;
    am_physics *body = make_body(1.0f);
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    for (int frame = 0; frame < db->frame_count; frame += db->frame_count / 40) {
        frame_pose(x, frame);
        am_push nothing = { .joint = 0, .seconds = 0.1f };
        am_push_query query = { x, &nothing, 1, db->contacts[frame], AM_PUSH_WINDOW };
        assert_true(solver->solve(solver->user, out, before, &query));
        for (int j = 0; j < db->joint_count; j++) {
            am_quat a = out[j].rotation, b = x[j].rotation;
            float gap = am_abs(a.x - b.x) + am_abs(a.y - b.y) + am_abs(a.z - b.z) + am_abs(a.w - b.w);
            check_near(gap, 0.0f, 2e-6f);
            check_near(am_v3_distance(out[j].translation, x[j].translation), 0.0f, 1e-5f);
        }
    }
    am_physics_destroy(body);
}

static void a_pushed_chest_goes_along_and_pinned_feet_stay(void **state)
{
    (void)state;
    am_physics *body = make_body(1.0f);
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    frame_pose(x, 0);
    for (int direction = 0; direction < 8; direction++) {
        float s, c;
        am_sincos((float)direction * AM_PI / 4.0f, &s, &c);
        am_push push = { db->roles.joint[AM_ROLE_CHEST], 0.1f, am_v3(200.0f * s, 0.0f, 200.0f * c) };
        am_push_query query = { x, &push, 1, AM_CONTACT_LEFT | AM_CONTACT_RIGHT, 10 };
        assert_true(solver->solve(solver->user, out, before, &query));
        am_vec3 moved = am_v3_sub(joint_at(out, AM_ROLE_CHEST), joint_at(x, AM_ROLE_CHEST));
        float along = moved.x * s + moved.z * c;
        assert_true(along > 0.03f && along < 0.5f);
        assert_true(along > 0.9f * am_v3_length(am_v3_ground(moved)));
        am_vec3 before_moved = am_v3_sub(joint_at(before, AM_ROLE_CHEST), joint_at(x, AM_ROLE_CHEST));
        assert_true(am_v3_length(before_moved) < am_v3_length(moved));
        check_near(am_v3_distance(joint_at(out, AM_ROLE_LEFT_FOOT), joint_at(x, AM_ROLE_LEFT_FOOT)), 0.0f, 2e-3f);
        check_near(am_v3_distance(joint_at(out, AM_ROLE_RIGHT_FOOT), joint_at(x, AM_ROLE_RIGHT_FOOT)), 0.0f, 2e-3f);
    }
    am_physics_destroy(body);
}

static am_vec3 chest_over_feet(const am_transform *local)
{
    am_vec3 feet = am_v3_lerp(joint_at(local, AM_ROLE_LEFT_FOOT), joint_at(local, AM_ROLE_RIGHT_FOOT), 0.5f);
    return am_v3_ground(am_v3_sub(joint_at(local, AM_ROLE_CHEST), feet));
}

static void pushed_legs_carry_the_chest_along_whatever_stands(void **state)
{
    (void)state;
    static const am_role legs[6] = { AM_ROLE_LEFT_UP_LEG,  AM_ROLE_LEFT_LEG,  AM_ROLE_LEFT_FOOT,
                                     AM_ROLE_RIGHT_UP_LEG, AM_ROLE_RIGHT_LEG, AM_ROLE_RIGHT_FOOT };
    am_physics *body = make_body(1.0f);
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    frame_pose(x, 0);
    for (int i = 0; i < 6 * 3 * 8; i++) {
        float s, c;
        am_sincos((float)(i % 8) * AM_PI / 4.0f, &s, &c);
        am_push push = { db->roles.joint[legs[i / 24]], 0.1f, am_v3(200.0f * s, 0.0f, 200.0f * c) };
        am_push_query query = { x, &push, 1, (uint8_t)(1 + i / 8 % 3), 9 };
        assert_true(solver->solve(solver->user, out, before, &query));
        am_vec3 moved = am_v3_sub(chest_over_feet(out), chest_over_feet(x));
        float along = moved.x * s + moved.z * c;
        assert_true(along > 0.02f);
        assert_true(along > 0.8660254f * am_v3_length(moved)); // within 30 degrees
    }
    am_physics_destroy(body);
}

/// How far the hips turn about the vertical when a hand is pushed while one foot is pinned, in degrees.
static float spin_of(am_physics *body, am_role hand, uint8_t contacts)
{
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    frame_pose(x, 0);
    am_vec3 front = am_quat_rotate(ami_db_root(db, 0).rotation, am_v3(0.0f, 0.0f, 150.0f));
    am_push push = { db->roles.joint[hand], 0.1f, front };
    am_push_query query = { x, &push, 1, contacts, 10 };
    assert_true(solver->solve(solver->user, out, before, &query));
    am_quat turn = am_quat_mul(out[0].rotation, am_quat_inv(x[0].rotation));
    return am_abs(am_quat_heading(turn)) / AM_DEG;
}

static void a_planted_foot_keeps_the_leg_from_spinning(void **state)
{
    (void)state;
    am_physics *body = make_body(1.0f);
    for (int side = 0; side < 2; side++) {
        am_role hand = side == 0 ? AM_ROLE_LEFT_HAND : AM_ROLE_RIGHT_HAND;
        float planted = spin_of(body, hand, side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT);
        float free_body = spin_of(body, hand, 0);
        print_message("hips turn by %.2f degrees over a planted foot, by %.2f in the air\n", (double)planted,
                      (double)free_body);
        assert_true(planted < 0.5f * free_body);
    }
    am_physics_destroy(body);
}

static void a_free_body_keeps_the_impulse_it_was_given(void **state)
{
    (void)state;
    am_physics *body = make_body(1.0f);
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    frame_pose(x, 0);
    float total = 0.0f;
    for (int i = 0; i < ami_physics_part_count(body); i++) {
        total += ami_physics_get_part(body, i).mass_kg;
    }
    am_push push = { 0, 0.1f, am_v3(0.0f, 0.0f, 100.0f) };
    am_push_query query = { x, &push, 1, 0, 20 };
    assert_true(solver->solve(solver->user, out, before, &query));
    // In the air the whole goes with impulse / mass; hips are near its centre.
    float moved = out[0].translation.z - x[0].translation.z;
    float expected = 10.0f / total * (20.0f / 30.0f - 0.05f);
    check_near(moved, expected, 0.35f * expected);
    am_physics_destroy(body);
}

static void the_same_question_has_the_same_bits_whatever_came_before(void **state)
{
    (void)state;
    am_physics *body = make_body(1.0f);
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], first[AM_MAX_JOINTS], again[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    frame_pose(x, db->frame_count / 3);
    am_push push = { db->roles.joint[AM_ROLE_LEFT_HAND], 0.1f, am_v3(-150.0f, 30.0f, 80.0f) };
    am_push_query query = { x, &push, 1, AM_CONTACT_LEFT, 7 };
    assert_true(solver->solve(solver->user, first, before, &query));
    am_push other = { db->roles.joint[AM_ROLE_HEAD], 0.3f, am_v3(300.0f, 0.0f, 0.0f) };
    am_push_query between = { x, &other, 1, AM_CONTACT_RIGHT, 20 };
    assert_true(solver->solve(solver->user, again, before, &between));
    assert_true(solver->solve(solver->user, again, before, &query));
    assert_memory_equal(first, again, (size_t)db->joint_count * sizeof *first);
    am_physics_destroy(body);
}

static void bad_defs_and_questions_are_refused_and_nothing_is_left(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_physics *body = NULL;
    am_physics_def def;
    am_physics_def_init(&def);
    check_refused(am_physics_create(&body, &def, &err), AM_ERR_DEF);
    def.skeleton = db->skeleton;
    def.roles = &db->roles;
    def.substeps = 0;
    check_refused(am_physics_create(&body, &def, &err), AM_ERR_DEF);
    def.substeps = 2;
    def.tone = NAN;
    check_refused(am_physics_create(&body, &def, &err), AM_ERR_DEF);
    def.tone = 1.0f;
    def.mass_kg = 1e-4f;
    check_refused(am_physics_create(&body, &def, &err), AM_ERR_SKELETON);
    def.mass_kg = 0.0f;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    def.alloc = &alloc;
    budget.fail_at = 1;
    check_refused(am_physics_create(&body, &def, &err), AM_ERR_MEMORY);
    budget.fail_at = 0;
    check_ok(am_physics_create(&body, &def, &err), &err);
    const am_push_solver *solver = am_physics_solver(body);
    am_transform x[AM_MAX_JOINTS], out[AM_MAX_JOINTS], before[AM_MAX_JOINTS];
    frame_pose(x, 0);
    am_push_query query = { x, NULL, 0, 0, 0 };
    assert_false(solver->solve(solver->user, out, before, &query));
    query.frames = 1;
    x[0].translation.x = NAN;
    assert_false(solver->solve(solver->user, out, before, &query));
    am_physics_destroy(body);
    am_physics_destroy(NULL);
    assert_int_equal(budget.live_count, 0);
}

TEST_SUITE(body)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_follow_from_segment_lengths),
        cmocka_unit_test(without_forces_the_pose_is_unaltered),
        cmocka_unit_test(a_pushed_chest_goes_along_and_pinned_feet_stay),
        cmocka_unit_test(pushed_legs_carry_the_chest_along_whatever_stands),
        cmocka_unit_test(a_planted_foot_keeps_the_leg_from_spinning),
        cmocka_unit_test(a_free_body_keeps_the_impulse_it_was_given),
        cmocka_unit_test(the_same_question_has_the_same_bits_whatever_came_before),
        cmocka_unit_test(bad_defs_and_questions_are_refused_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, open_db, close_db);
}

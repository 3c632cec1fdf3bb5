// Pose vectors: what a frame becomes and what comes back, also from nonsense.
#include "support/check.h"
#include "support/synth_db.h"
#include "base/rng.h"
#include "data/database.h"
#include "data/pose_vector.h"

#include <math.h>

static void pieces_follow_one_another(void **state)
{
    (void)state;
    const ami_pose_layout l = ami_pose_layout_of(31, 1);
    assert_int_equal(l.translations, 0);
    assert_int_equal(l.rotations, 3);
    assert_int_equal(l.velocities, 3 + 186);
    assert_int_equal(l.angular, 3 + 186 + 3);
    assert_int_equal(l.root_linear, 3 + 186 + 3 + 93);
    assert_int_equal(l.root_angular, l.root_linear + 3);
    assert_int_equal(l.contacts, l.root_angular + 3);
    assert_int_equal(l.count, 293);
}

/// Frames spread over a database, the ends of its ranges among them.
static int frame_of(const am_db *db, int i)
{
    const am_db_range *r = &db->ranges[i % db->range_count];
    const int place[4] = { r->start, r->stop - 1, (r->start + r->stop) / 2, r->start + i % (r->stop - r->start) };
    return place[(i / db->range_count) % 4];
}

static void frames_come_back(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_db *db = synth_db_make(false, &err);
    assert_non_null(db);
    const ami_pose_layout l = ami_pose_layout_of(db->joint_count, db->moving_count);
    float *y = calloc((size_t)l.count, sizeof *y);
    am_transform want[AM_MAX_JOINTS], got[AM_MAX_JOINTS], scratch[2 * AM_MAX_JOINTS];
    am_velocity want_velocity[AM_MAX_JOINTS], got_velocity[AM_MAX_JOINTS];
    for (int i = 0; i < 200; i++) {
        const int frame = frame_of(db, i);
        ami_pose pose = { .local = got, .velocity = got_velocity };
        ami_pose_vector(db, frame, y);
        ami_pose_read(&pose, &l, y, db->skeleton, db->moving);
        am_db_pose(db, frame, want);
        ami_db_velocity(db, frame, want_velocity, scratch);
        for (int j = 0; j < db->joint_count; j++) {
            check_near(am_quat_angle(got[j].rotation, want[j].rotation), 0.0, 2e-3);
            check_near(am_v3_distance(got[j].translation, want[j].translation), 0.0, 1e-6);
            check_near(am_v3_distance(got_velocity[j].linear, want_velocity[j].linear), 0.0, 1e-6);
            check_near(am_v3_distance(got_velocity[j].angular, want_velocity[j].angular), 0.0, 1e-6);
        }
        const am_velocity root = ami_db_root_velocity(db, frame);
        check_near(am_v3_distance(pose.root.linear, root.linear), 0.0, 0.0);
        check_near(am_v3_distance(pose.root.angular, root.angular), 0.0, 0.0);
        assert_int_equal(pose.contacts[0] > 0.5f, (db->contacts[frame] & AM_CONTACT_LEFT) != 0);
        assert_int_equal(pose.contacts[1] > 0.5f, (db->contacts[frame] & AM_CONTACT_RIGHT) != 0);
    }
    free(y);
    am_db_close(db);
}

static bool is_sound(const ami_pose *pose, int joints)
{
    bool sound = pose->contacts[0] >= 0.0f && pose->contacts[0] <= 1.0f && pose->contacts[1] >= 0.0f &&
                 pose->contacts[1] <= 1.0f && isfinite(am_v3_length2(pose->root.linear)) &&
                 isfinite(am_v3_length2(pose->root.angular));
    for (int j = 0; j < joints; j++) {
        sound = sound && fabsf(am_quat_dot(pose->local[j].rotation, pose->local[j].rotation) - 1.0f) < 1e-4f &&
                isfinite(am_v3_length2(pose->local[j].translation)) &&
                isfinite(am_v3_length2(pose->velocity[j].linear)) &&
                isfinite(am_v3_length2(pose->velocity[j].angular));
    }
    return sound;
}

static void nonsense_gives_a_sound_pose(void **state)
{
    (void)state;
    static const float odd[] = { 0.0f, NAN, INFINITY, -INFINITY, 1e-30f, 1e15f, -7.0f };
    am_error err = { 0 };
    am_db *db = synth_db_make(false, &err);
    assert_non_null(db);
    const ami_pose_layout l = ami_pose_layout_of(db->joint_count, db->moving_count);
    float *y = calloc((size_t)l.count, sizeof *y);
    am_transform local[AM_MAX_JOINTS];
    am_velocity velocity[AM_MAX_JOINTS];
    am_rng rng = ami_rng_make(4);
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < l.count; k++) {
            y[k] = i < 7 ? odd[i] : odd[am_rng_below(&rng, 7)];
        }
        ami_pose pose = { .local = local, .velocity = velocity };
        ami_pose_read(&pose, &l, y, db->skeleton, db->moving);
        assert_true(is_sound(&pose, db->joint_count));
    }
    free(y);
    am_db_close(db);
}

TEST_SUITE(pose)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_one_another),
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(nonsense_gives_a_sound_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

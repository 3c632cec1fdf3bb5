// What pushes leave alone: the motion itself, feet that stand, ranges of joints.
#include "actor/get.h"
#include "actor/push.h"
#include "physics/pushable.h"

/// The middle of the frames with a tag.
static int tagged(const char *tag)
{
    am_error err = { 0 };
    ami_tag_query query;
    check_ok(ami_db_tag_query(shared_db, &query, tag, &err), &err);
    int count = 0, seen = 0;
    for (int f = 0; f < shared_db->frame_count; f++) {
        count += ami_tag_query_accepts(&query, shared_db->tags[f]);
    }
    for (int f = 0; f < shared_db->frame_count; f++) {
        seen += ami_tag_query_accepts(&query, shared_db->tags[f]);
        if (2 * seen > count) {
            return f;
        }
    }
    return 0;
}

/// Two characters of a source that walk alike, one of which will be pushed.
typedef struct pair {
    world own;
    am_actor *pushed, *twin;
    am_intent target;
} pair;

static void pair_step(pair *p, float seconds)
{
    for (int i = 0; i < (int)(seconds / DT + 0.5f); i++) {
        am_actor_step(p->pushed, &p->target, DT);
        am_actor_step(p->twin, &p->target, DT);
    }
}

static void pair_make(pair *p, bool of_field, am_push_blend blend, int start)
{
    am_error err = { 0 };
    am_actor_def def = open_world(&p->own);
    def.source = of_field ? passive : p->own.source;
    def.push = am_physics_solver(body);
    def.settings.push_blend = blend;
    def.start_frame = start;
    check_ok(am_actor_create(&p->pushed, &def, &err), &err);
    check_ok(am_actor_create(&p->twin, &def, &err), &err);
    p->target = (am_intent){ .velocity = am_v3(0.0f, 0.0f, 1.2f) };
}

static void pair_free(pair *p)
{
    am_actor_destroy(p->twin);
    am_actor_destroy(p->pushed);
    free_world(&p->own);
}

/// The largest distance between joints of the two.
static float apart(const pair *p)
{
    const am_transform *a = ami_pose_of(p->pushed).world;
    const am_transform *b = ami_pose_of(p->twin).world;
    float most = 0.0f;
    for (int j = 0; j < shared_db->joint_count; j++) {
        most = am_max(most, am_v3_distance(a[j].translation, b[j].translation));
    }
    return most;
}

static void pair_push(pair *p, am_role role, am_vec3 force)
{
    am_error err = { 0 };
    check_ok(am_actor_push(p->pushed, shared_db->roles.joint[role], &force, 0.1f, &err), &err);
}

static void a_weak_push_leaves_a_walk_as_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        pair p;
        bool of_field = i % 2 == 0;
        am_push_blend blend = i < 2 ? AM_PUSH_ADDED : AM_PUSH_PRINTED;
        pair_make(&p, of_field, blend, tagged("walk"));
        pair_step(&p, 1.0f);
        pair_push(&p, AM_ROLE_HIPS, am_v3(5.0f, 0.0f, 0.0f));
        float most = 0.0f;
        for (int step = 0; step < 18; step++) {
            pair_step(&p, DT);
            most = am_max(most, apart(&p));
        }
        print_message("%s, %s: joints at most %.1f cm from where they are without the push\n",
                      of_field ? "field" : "matching", blend == AM_PUSH_ADDED ? "added" : "as printed",
                      100.0 * (double)most);
        // As printed a walk stops, whatever the force.
        assert_true(blend == AM_PUSH_ADDED ? most < 0.03f : most > 0.06f);
        pair_free(&p);
    }
}

static am_vec3 part_of(const am_actor *c, am_role role)
{
    return ami_pose_of(c).world[shared_db->roles.joint[role]].translation;
}

/// Walks on until just these feet stand.
static void wait_for(pair *p, uint8_t contacts)
{
    for (int step = 0; step < 120 && ami_pose_of(p->twin).contacts != contacts; step++) {
        pair_step(p, DT);
    }
    assert_int_equal(ami_pose_of(p->twin).contacts, contacts);
}

static void a_push_on_a_foot_carries_the_chest_along(void **state)
{
    (void)state;
    static const am_role feet[2] = { AM_ROLE_LEFT_FOOT, AM_ROLE_RIGHT_FOOT };
    for (int i = 0; i < 4; i++) {
        pair p;
        float s, c;
        bool stands = i % 2 == 0;
        am_role pushed = feet[stands ? 0 : 1];
        pair_make(&p, i < 2, AM_PUSH_ADDED, tagged("walk"));
        pair_step(&p, 1.0f);
        wait_for(&p, AM_CONTACT_LEFT);
        am_sincos(0.7f + (float)i, &s, &c);
        pair_push(&p, pushed, am_v3(250.0f * s, 0.0f, 250.0f * c));
        am_vec3 moved = am_v3_zero();
        for (int step = 0; step < 12; step++) {
            pair_step(&p, DT);
            am_vec3 middle[2];
            for (int who = 0; who < 2; who++) {
                const am_actor *one = who == 0 ? p.twin : p.pushed;
                am_vec3 between = am_v3_lerp(part_of(one, feet[0]), part_of(one, feet[1]), 0.5f);
                middle[who] = am_v3_sub(part_of(one, AM_ROLE_CHEST), between);
            }
            moved = am_v3_ground(am_v3_sub(middle[1], middle[0]));
            if (stands && (ami_pose_of(p.pushed).contacts & AM_CONTACT_LEFT) != 0) {
                check_near(am_v3_distance(part_of(p.pushed, pushed), part_of(p.twin, pushed)), 0.0f, 0.01f);
            }
        }
        float along = moved.x * s + moved.z * c;
        print_message("%s, a foot that %s: the chest goes %.1f cm along and %.1f cm at all\n",
                      i < 2 ? "field" : "matching", stands ? "stands" : "swings", 100.0 * (double)along,
                      100.0 * (double)am_v3_length(moved));
        assert_true(along > 0.02f);
        assert_true(along > 0.8660254f * am_v3_length(moved)); // within 30 degrees
        pair_free(&p);
    }
}

static void a_body_in_flight_tips_about_its_lower_foot(void **state)
{
    (void)state;
    pair p;
    ami_dynamics d;
    am_transform x[AM_MAX_JOINTS], flying[AM_MAX_JOINTS];
    pair_make(&p, true, AM_PUSH_ADDED, tagged("walk"));
    pair_step(&p, 1.0f);
    wait_for(&p, AM_CONTACT_RIGHT);
    size_t size = (size_t)shared_db->joint_count * sizeof *x;
    memcpy(x, ami_pose_of(p.pushed).local, size);
    pair_push(&p, AM_ROLE_CHEST, am_v3(200.0f, 0.0f, 0.0f));
    assert_true(ami_push_dynamics(p.pushed, &d, x, 0, 5));
    memcpy(flying, d.pose, size);
    assert_true(ami_push_dynamics(p.pushed, &d, x, AM_CONTACT_RIGHT, 5));
    assert_memory_equal(flying, d.pose, size);
    assert_true(ami_push_dynamics(p.pushed, &d, x, AM_CONTACT_LEFT, 5));
    assert_memory_not_equal(flying, d.pose, size);
    pair_free(&p);
}

static void a_foot_that_stood_when_it_was_pushed_is_held_until_the_window_ends(void **state)
{
    (void)state;
    pair p;
    pair_make(&p, true, AM_PUSH_ADDED, tagged("walk"));
    pair_step(&p, 1.0f);
    wait_for(&p, AM_CONTACT_LEFT);
    pair_push(&p, AM_ROLE_LEFT_FOOT, am_v3(150.0f, 0.0f, 0.0f));
    const ami_push_state *head = p.pushed->push.head;
    int last = 0;
    bool lifted = false;
    for (int step = 0; step < 60; step++) {
        pair_step(&p, DT);
        if (head->frame > 0) {
            assert_int_equal(head->held, AM_CONTACT_LEFT);
            last = head->frame;
            lifted |= (ami_pose_of(p.pushed).contacts & AM_CONTACT_LEFT) == 0;
        }
    }
    assert_int_equal(last, AM_PUSH_WINDOW - 1);
    assert_true(lifted); // else it would be pinned without being held
    assert_int_equal(head->held, 0);
    pair_free(&p);
}

static void a_pushed_foot_in_the_air_is_not_held(void **state)
{
    (void)state;
    pair p;
    ami_dynamics d;
    am_transform x[AM_MAX_JOINTS], free_leg[AM_MAX_JOINTS];
    pair_make(&p, true, AM_PUSH_ADDED, tagged("walk"));
    pair_step(&p, 1.0f);
    wait_for(&p, AM_CONTACT_LEFT);
    size_t size = (size_t)shared_db->joint_count * sizeof *x;
    memcpy(x, ami_pose_of(p.pushed).local, size);
    pair_push(&p, AM_ROLE_LEFT_FOOT, am_v3(150.0f, 0.0f, 0.0f));
    // The lower foot of a body in flight is its pivot then, but no longer when the other one has come down.
    assert_true(ami_push_dynamics(p.pushed, &d, x, 0, 1));
    assert_int_equal(p.pushed->push.head->held, 0);
    assert_true(ami_push_dynamics(p.pushed, &d, x, AM_CONTACT_RIGHT, 10));
    memcpy(free_leg, d.pose, size);
    // The foot that was planted is pinned as well.
    assert_true(ami_push_dynamics(p.pushed, &d, x, AM_CONTACT_LEFT, 1));
    assert_true(ami_push_dynamics(p.pushed, &d, x, AM_CONTACT_RIGHT, 10));
    assert_memory_not_equal(free_leg, d.pose, size);
    pair_free(&p);
}

/// By how much a joint stays beyond its range, in degrees, that source and pose both have 25 degrees beyond.
static float left_beyond(am_actor *c, int joint)
{
    am_vec3 high = c->prepared->ranges[joint].high;
    am_vec3 beyond = am_v3(high.x + 25.0f * AM_DEG, 0.0f, 0.0f);
    am_quat far = am_quat_mul(c->prepared->ranges[joint].mean, am_quat_from_scaled_axis(beyond));
    c->source_local[joint].rotation = c->local[joint].rotation = far;
    ami_push_limit(c, 0.05f);
    return ami_joint_excess(&c->prepared->ranges[joint], c->local[joint].rotation) / AM_DEG;
}

static void joints_that_the_data_have_beyond_their_range_are_drawn_back_slowly(void **state)
{
    (void)state;
    pair p;
    pair_make(&p, false, AM_PUSH_ADDED, -1);
    int head = shared_db->roles.joint[AM_ROLE_HEAD];
    check_near(left_beyond(p.pushed, head), 25.0f, 0.1f); // not pushed yet
    pair_push(&p, AM_ROLE_HIPS, am_v3(5.0f, 0.0f, 0.0f));
    float before = 25.0f;
    for (int step = 1; step <= 80; step++) {
        float now = left_beyond(p.pushed, head);
        assert_true(am_abs(now - before) < 4.0f); // degrees in 0.05 s
        if (step >= 7 && step <= 60) {            // from 0.3 s to 3 s
            assert_true(now < 10.0f);
        }
        if (step == 30) {
            pair_push(&p, AM_ROLE_HIPS, am_v3(5.0f, 0.0f, 0.0f)); // again, which holds on to it
        }
        before = now;
    }
    for (int step = 0; step < 30; step++) {
        float now = left_beyond(p.pushed, head);
        assert_true(am_abs(now - before) < 4.0f);
        before = now;
    }
    check_near(before, 25.0f, 0.1f);
    // Where few frames tell of ranges (networks have start states alone) what the source does is let be.
    ((ami_prepared *)p.pushed->prepared)->few = true;
    pair_push(&p, AM_ROLE_HIPS, am_v3(5.0f, 0.0f, 0.0f));
    for (int step = 0; step < 20; step++) {
        check_near(left_beyond(p.pushed, head), 25.0f, 0.1f);
    }
    pair_free(&p);
}

TEST_SUITE(push_way)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weak_push_leaves_a_walk_as_it_is),
        cmocka_unit_test(a_push_on_a_foot_carries_the_chest_along),
        cmocka_unit_test(a_body_in_flight_tips_about_its_lower_foot),
        cmocka_unit_test(a_foot_that_stood_when_it_was_pushed_is_held_until_the_window_ends),
        cmocka_unit_test(a_pushed_foot_in_the_air_is_not_held),
        cmocka_unit_test(joints_that_the_data_have_beyond_their_range_are_drawn_back_slowly),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

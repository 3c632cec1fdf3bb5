// Schemas that ask for the past: it is the body's own track, at any step size, in a snapshot and after a move.
#include "actor/get.h"
#include "support/world.h"

static const char schema_past[] =
    "{\"channels\": ["
    "{\"kind\": \"trajectory_position\", \"times\": [-0.5, -0.25, 0.3333333, 0.6666667, 1], \"axes\": \"xyz\"},"
    "{\"kind\": \"trajectory_direction\", \"times\": [-0.5, 0.3333333, 0.6666667, 1]},"
    "{\"kind\": \"position\", \"joint\": \"left_foot\"}, {\"kind\": \"position\", \"joint\": \"right_foot\"},"
    "{\"kind\": \"velocity\", \"joint\": \"left_foot\"}, {\"kind\": \"velocity\", \"joint\": \"right_foot\"},"
    "{\"kind\": \"velocity\", \"joint\": \"hips\"}]}";

enum { steps = 600 };

static int make_past_db(void **state)
{
    (void)state;
    am_error err = { 0 };
    shared_db = synth_db_make_of(schema_past, &err);
    return shared_db ? 0 : -1;
}

static uint32_t keys_at(float t)
{
    static const uint32_t keys[] = { AM_KEY_W, AM_KEY_W | AM_KEY_SHIFT, AM_KEY_A, AM_KEY_A | AM_KEY_S, AM_KEY_D };
    return keys[(int)t % 5];
}

/// What was kept of one step.
typedef struct mark {
    am_transform root;
    float hips_m;
} mark;

static mark mark_of(const world *w)
{
    am_actor_pose pose = ami_pose_of(w->character);
    mark m = { pose.root, pose.world[0].translation.y };
    return m;
}

static const am_query_point *past_point(const world *w, float time)
{
    am_actor_view view = ami_view_of(w->character);
    for (int i = 0; i < view.trajectory_count; i++) {
        if (am_abs(view.trajectory[i].time - time) < 1e-5f) {
            return &view.trajectory[i];
        }
    }
    fail();
    return NULL;
}

static void check_at(const am_query_point *p, const mark *m, float near)
{
    check_near(p->position.x, m->root.translation.x, near);
    check_near(p->position.y, m->hips_m, near);
    check_near(p->position.z, m->root.translation.z, near);
    am_vec3 facing = am_quat_rotate(m->root.rotation, am_v3(0.0f, 0.0f, 1.0f));
    assert_true(am_v3_distance(p->direction, facing) < 10.0f * near);
}

static void the_past_is_the_track_of_the_body(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    static mark marks[steps + 1];
    marks[0] = mark_of(&w);
    for (int i = 0; i < steps; i++) {
        hold(&w, keys_at((float)i * DT), DT);
        // A step asks with the root of the step before.
        int half = i - 30 > 0 ? i - 30 : 0;
        int quarter = i - 15 > 0 ? i - 15 : 0;
        check_at(past_point(&w, -0.5f), &marks[half], 2e-4f);
        check_at(past_point(&w, -0.25f), &marks[quarter], 2e-4f);
        if (quarter > 0) {
            am_vec3 way = am_v3_sub(marks[quarter].root.translation, marks[quarter - 1].root.translation);
            am_vec3 v = am_v3_ground(past_point(&w, -0.25f)->velocity);
            assert_true(am_v3_distance(v, am_v3_scale(way, 1.0f / DT)) < 0.1f);
        }
        marks[i + 1] = mark_of(&w);
    }
    assert_true(am_v3_distance(marks[steps].root.translation, marks[0].root.translation) > 1.0f);
    free_world(&w);
}

static void a_search_asks_for_that_past(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    const am_features *features = &shared_db->features;
    int searched = 0;
    for (int i = 0; i < steps; i++) {
        am_transform root = ami_pose_of(w.character).root;
        hold(&w, keys_at((float)i * DT), DT);
        const am_source_output *out = ami_view_of(w.character).output;
        if (!out->searched) {
            continue;
        }
        searched++;
        float raw[AM_MAX_FEATURES];
        ami_features_denormalise(features, raw, out->query);
        am_vec3 was = past_point(&w, -0.5f)->position;
        am_vec3 seen = am_quat_unrotate(root.rotation, am_v3_sub(was, root.translation));
        check_near(raw[0], seen.x, 1e-3);
        check_near(raw[1], was.y, 1e-3);
        check_near(raw[2], seen.z, 1e-3);
    }
    assert_true(searched > 50);
    free_world(&w);
}

static void steps_of_any_length_remember_alike(void **state)
{
    (void)state;
    const float lengths[] = { 1.0f / 25.0f, 1.0f / 60.0f, 1.0f / 144.0f, 1.0f / 1000.0f };
    for (int k = 0; k < 4; k++) {
        world w;
        make_world(&w);
        float dt = lengths[k];
        int count = (int)(3.0f / dt + 0.5f);
        mark *marks = calloc((size_t)count + 1, sizeof *marks);
        for (int i = 0; i < count; i++) {
            marks[i] = mark_of(&w);
            hold_at(&w, keys_at((float)i * dt), dt, dt);
            float at = (float)i - 0.5f / dt;
            if (at > 1.0f) {
                int floor = (int)at;
                mark m = marks[floor];
                m.root.translation =
                    am_v3_lerp(m.root.translation, marks[floor + 1].root.translation, at - (float)floor);
                m.hips_m = am_lerp(m.hips_m, marks[floor + 1].hips_m, at - (float)floor);
                check_at(past_point(&w, -0.5f), &m, 0.01f);
            }
        }
        free(marks);
        free_world(&w);
    }
}

static void a_snapshot_remembers_and_a_move_takes_the_past_along(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    make_world(&w);
    hold(&w, AM_KEY_W, 2.2f);
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    uint8_t *bytes = malloc(size);
    am_actor_snapshot(w.character, bytes, size);
    hold(&w, AM_KEY_A | AM_KEY_SHIFT, 3.0f);
    uint64_t first = am_actor_hash(w.character);
    check_ok(am_actor_restore(w.character, bytes, size, &err), &err);
    hold(&w, AM_KEY_A | AM_KEY_SHIFT, 3.0f);
    assert_true(am_actor_hash(w.character) == first);

    check_ok(am_actor_restore(w.character, bytes, size, &err), &err);
    hold(&w, AM_KEY_W, DT);
    am_transform root = ami_pose_of(w.character).root;
    hold(&w, AM_KEY_W, DT);
    am_vec3 behind = am_quat_unrotate(root.rotation, am_v3_sub(past_point(&w, -0.5f)->position, root.translation));
    check_ok(am_actor_restore(w.character, bytes, size, &err), &err);
    hold(&w, AM_KEY_W, DT);
    am_actor_place(w.character, &(am_vec3){ 5.0f, 0.0f, -7.0f }, 2.0f);
    root = ami_pose_of(w.character).root;
    hold(&w, AM_KEY_W, DT);
    am_vec3 moved = am_quat_unrotate(root.rotation, am_v3_sub(past_point(&w, -0.5f)->position, root.translation));
    assert_true(am_v3_distance(behind, moved) < 1e-3f);
    assert_true(behind.z < -0.2f);
    free(bytes);
    free_world(&w);
}

TEST_SUITE(history)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_past_is_the_track_of_the_body),
        cmocka_unit_test(a_search_asks_for_that_past),
        cmocka_unit_test(steps_of_any_length_remember_alike),
        cmocka_unit_test(a_snapshot_remembers_and_a_move_takes_the_past_along),
    };
    return cmocka_run_group_tests(tests, make_past_db, free_db);
}

// Paths as the paper prints them (LHMM V to VII, algorithm 1, appendices B and D), step by step.
#include "actor/get.h"
#include "actor/path.h"
#include "support/world.h"

#define ROOM 4000
#define FPS 60.0f

static ami_path head;
static ami_laid laid[ROOM];
static am_path_point points[ROOM];
static float scratch[ami_path_scratch * ROOM];

static ami_path_memory memory_of(uint32_t switches)
{
    memset(&head, 0, sizeof head);
    head.switches = switches;
    head.fps = FPS;
    head.loop_first = head.laid_loop = -1;
    head.v_max = 3.0f;
    head.limits = (ami_path_limits){ .v_max = 3.0f, .v_least = 0.5f, .v_run = 2.5f };
    ami_path_memory room = { &head, laid, points, NULL, scratch, ROOM };
    return room;
}

static am_path_def def_of(const am_path_sample *samples, int count)
{
    am_path_def def;
    am_path_def_init(&def);
    def.samples = samples;
    def.count = count;
    def.method = ami_path_method_paper();
    return def;
}

static void shape(ami_path_memory *room, const am_path_def *def, am_vec3 from, float least)
{
    am_error err = { 0 };
    check_ok(ami_path_lay(room, def, from, &err), &err);
    check_ok(ami_path_shape(room, 0.0f, least, 0.0f, &err), &err);
}

/// V-A and V-B: points at even times, so that a straight line at one speed stays one through the filter.
static void the_end_of_a_path_keeps_its_speed(void **state)
{
    (void)state;
    const am_path_sample line[] = { { 0.0f, 0.0f, 0.0f }, { 1.0075f, 0.0f, 4.5f * 1.0075f } };
    am_path_def def = def_of(line, 2);
    ami_path_memory room = memory_of(ami_path_smooth);
    shape(&room, &def, am_v3_zero(), 0.0f);
    for (int i = 1; i < head.count; i++) {
        check_near(points[i].z - points[i - 1].z, 4.5 / 60.0, 1e-4);
    }
    check_near(points[head.count - 1].z, 4.5 * 1.0075, 4.5 / 60.0 + 1e-4);
}

/// VII: the approach has the average speed of the first second, wherever the samples lie, and no other limits.
static void the_approach_has_the_speed_of_the_first_second(void **state)
{
    (void)state;
    const am_path_sample sparse[] = {
        { 0.0f, 0.0f, 0.0f }, { 0.9f, 0.0f, 0.9f }, { 1.9f, 0.0f, 4.9f }, { 2.9f, 0.0f, 9.0f }
    };
    const am_path_sample slow[] = { { 0.0f, 0.0f, 0.0f }, { 10.0f, 0.0f, 2.0f } };
    const am_path_sample quick[] = { { 0.0f, 0.0f, 0.0f }, { 2.0f, 0.0f, 12.0f } };
    const struct {
        const am_path_sample *samples;
        int count;
        double mps;
    } drawings[] = { { sparse, 4, 1.3 }, { slow, 2, 0.2 }, { quick, 2, 6.0 } };
    for (int i = 0; i < 3; i++) {
        am_path_def def = def_of(drawings[i].samples, drawings[i].count);
        ami_path_memory room = memory_of(0);
        shape(&room, &def, am_v3(0.0f, 0.0f, -3.0f), 0.0f);
        check_near((points[5].z - points[0].z) / 5.0f * FPS, drawings[i].mps, 0.01);
        assert_true(head.count <= am_path_room(&def, 3.0f, FPS));
    }
}

/// Equation 1: i_d advances by at most beta in a frame, a third of a second, and the query does not advance it again.
static void the_window_is_applied_once_a_frame(void **state)
{
    (void)state;
    const am_path_sample line[] = { { 0.0f, 0.0f, 0.0f }, { 10.0f, 0.0f, 10.0f } };
    am_error err = { 0 };
    world w;
    am_actor_def actor = open_world(&w);
    actor.path_points = ROOM;
    check_ok(am_actor_create(&w.character, &actor, &err), &err);
    am_path_def def = def_of(line, 2);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    am_actor_place(w.character, &(am_vec3){ 0.0f, 0.0f, 8.0f }, 0.0f);
    am_intent none = { 0 };
    int window = (int)(ami_path_of(w.character).count / 30.0 + 0.5); // a third of a second of ten
    for (int i = 0, before = 0; i < 10; i++) {
        am_actor_step(w.character, &none, DT);
        int at = ami_path_of(w.character).at;
        assert_true(at - before <= window);
        before = at;
    }
    free_world(&w);
}

/// Appendix D: i_corner lies strictly between i_f^J and i_f^{J+1}. Here i_f^1 = 20 sits on a turn of its own.
static void a_corner_lies_strictly_between_its_points(void **state)
{
    (void)state;
    ami_path_memory room = memory_of(ami_path_corners);
    head.count = 100;
    am_vec3 place = am_v3_zero();
    for (int i = 0; i < head.count; i++) {
        // Turns by 40 degrees after point 20 and by 35, 35 and 10 after 31, 32 and 33.
        float heading = i <= 20 ? 0.0f : i <= 31 ? 40.0f : i <= 32 ? 75.0f : i <= 33 ? 110.0f : 120.0f;
        points[i] =
            (am_path_point){ .x = place.x, .z = place.z, .heading = heading * AM_DEG, .along = 0.02f * (float)i };
        place.x += 0.02f * am_sin(heading * AM_DEG);
        place.z += 0.02f * am_cos(heading * AM_DEG);
    }
    const float times[] = { 0.0f, 20.0f / FPS, 40.0f / FPS, 1.0f };
    am_query_point out[4];
    ami_path_context context = { .at = 0, .before = -1, .corner = -1 };
    ami_path_query(&room, &context, out, times, 4);
    assert_int_equal(context.corner, 31);
}

/// Shift: a path as printed, at a run.
static void shift_runs_along_a_path_as_printed(void **state)
{
    (void)state;
    const am_path_sample line[] = { { 0.0f, 0.0f, 0.0f }, { 14.0f, 0.0f, 14.0f } };
    int took[2] = { 0, 0 };
    for (int runs = 0; runs < 2; runs++) {
        world w;
        am_error err = { 0 };
        am_actor_def actor = open_world(&w);
        actor.path_points = ROOM;
        check_ok(am_actor_create(&w.character, &actor, &err), &err);
        am_path_def def = def_of(line, 2);
        check_ok(am_actor_follow(w.character, &def, &err), &err);
        while (ami_path_of(w.character).following && took[runs] < 3000) {
            am_intent intent = { .run = runs == 1 && took[runs] > 60 };
            am_actor_step(w.character, &intent, DT);
            took[runs]++;
        }
        free_world(&w);
    }
    assert_true(took[1] < took[0] * 3 / 4);
}

/// Laps are bent around obstacles, too, and close.
static void a_lap_is_bent_around_an_obstacle(void **state)
{
    (void)state;
    const am_path_sample square[] = {
        { 0.0f, 0.0f, 0.0f }, { 3.0f, 0.0f, 4.0f }, { 6.0f, 4.0f, 4.0f }, { 9.0f, 4.0f, 0.0f }
    };
    // One on an edge, one on the corner nearest to the character.
    const am_path_obstacle trees[] = { { 0.1f, 2.0f, 0.5f }, { 4.0f, 0.0f, 0.3f } };
    am_path_def def = def_of(square, 4);
    def.loop = true;
    def.obstacles = trees;
    def.obstacle_count = 2;
    ami_path_memory room = memory_of(0);
    shape(&room, &def, am_v3(4.2f, 0.0f, 0.1f), 0.0f);
    assert_true(head.loop_first > 0);
    for (int i = head.loop_first; i < head.count; i++) {
        for (int t = 0; t < 2; t++) {
            assert_true(am_v3_distance(am_v3(points[i].x, 0.0f, points[i].z), am_v3(trees[t].x, 0.0f, trees[t].z)) >
                        trees[t].radius + 0.2f);
        }
    }
    am_path_point a = points[head.loop_first];
    am_path_point b = points[head.count - 1];
    assert_true(am_v3_distance(am_v3(a.x, 0.0f, a.z), am_v3(b.x, 0.0f, b.z)) < 0.05f);
    const am_path_obstacle all = { 2.0f, 2.0f, 9.0f };
    am_error err = { 0 };
    def.obstacles = &all;
    def.obstacle_count = 1;
    assert_int_equal(ami_path_lay(&room, &def, am_v3_zero(), &err), AM_ERR_RANGE);
}

TEST_SUITE(path_paper)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_path_keeps_its_speed),
        cmocka_unit_test(the_approach_has_the_speed_of_the_first_second),
        cmocka_unit_test(the_window_is_applied_once_a_frame),
        cmocka_unit_test(a_corner_lies_strictly_between_its_points),
        cmocka_unit_test(shift_runs_along_a_path_as_printed),
        cmocka_unit_test(a_lap_is_bent_around_an_obstacle),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

// The functions of training controls against clips whose places are known, and against whole poses.
#include "tools/control/clips_db.h"

#include "data/database.h"

static ami_motion *motion;

static int open_all(void **state)
{
    am_error err = { 0 };
    return clips_open(state) == 0 && ami_motion_create(&motion, clips, NULL, NULL, &err) == AM_OK ? 0 : -1;
}

static int close_all(void **state)
{
    ami_motion_destroy(motion);
    return clips_close(state);
}

/// The value of an expression at a frame of a clip.
static ami_expr_value value_at(const ami_motion *m, const char *text, int frame, am_rng *rng)
{
    ami_expr_names lists[ami_moment_list_count];
    ami_moment_lists(lists, m);
    ami_expr_scope scope = { .lists = lists, .list_count = ami_moment_list_count };
    scope.functions = ami_moment_functions(&scope.function_count);
    ami_expr *expr = NULL;
    am_error err = { 0 };
    if (ami_expr_compile(&expr, text, &scope, NULL, &err) != AM_OK) {
        fail_msg("%s", err.text);
    }
    ami_moment moment;
    ami_expr_value value;
    assert_true(ami_moment_at(&moment, m, frame, rng));
    ami_expr_run(expr, &value, &moment, NULL);
    ami_expr_destroy(expr);
    return value;
}

typedef struct vector_case {
    int clip;
    float time;
    const char *text;
    am_vec3 vector;
} vector_case;

static void places_and_directions_are_those_of_the_clip(void **state)
{
    (void)state;
    static const vector_case cases[] = {
        { 0, 0.5f, "position(root, now)", { 0, 0, 0.5f } },
        { 0, 0.5f, "position(root, now + 0.3)", { 0, 0, 0.8f } },
        { 0, 0.5f, "position(root, now + 0.3041)", { 0, 0, 0.8041f } }, // between frames
        { 0, 0.5f, "position(root, now - 0.5)", { 0, 0, 0 } },
        { 0, 0.5f, "position(root, end)", { 0, 0, 2 } },
        { 0, 0.5f, "position(root, start)", { 0, 0, 0 } },
        { 0, 0.5f, "position(hips, now)", { 0, 1, 0.5f } },
        { 0, 0.5f, "facing(root, now)", { 0, 0, 1 } },
        { 1, 0.5f, "facing(root, now)", { 1, 0, 0 } },
        { 1, 0.5f, "facing(hips, now)", { 1, 0, 0 } },
        { 2, 0.5f, "facing(root, now)", { -1, 0, 0 } },
        { 1, 0.5f, "velocity(root, now)", { 2, 0, 0 } },
        { 1, 0.5f, "velocity(hips, now + 0.2)", { 2, 0, 0 } },
        { 1, 0.0f, "velocity(root, now)", { 2, 0, 0 } }, // one-sided at the ends
        { 1, 2.0f, "velocity(root, now)", { 2, 0, 0 } },
        { 0, 1.0f, "velocity(root, end)", { 0, 0, 0 } },
        { 0, 1.0f, "direction(root, now)", { 0, 0, 1 } },
        { 1, 1.0f, "direction(root, now)", { 1, 0, 0 } },
        { 3, 0.5f, "direction(root, now)", { 0, 0, -1 } }, // stands: where it faces
        { 1, 1.0f, "rotation(root, now) * vec(0, 0, 1)", { 1, 0, 0 } },
        { 0, 0.5f, "inverse(rotation(root, now)) * (position(hips, now) - position(root, now))", { 0, 1, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const vector_case *c = &cases[i];
        ami_expr_value value = value_at(motion, c->text, clips_frame(c->clip, c->time), NULL);
        if (value.missing || am_v3_distance(ami_expr_vector(&value), c->vector) > 1e-4f) {
            fail_msg("%s in clip %d gave %g %g %g", c->text, c->clip, (double)value.number[0],
                     (double)value.number[1], (double)value.number[2]);
        }
    }
}

typedef struct number_case {
    int clip;
    float time;
    const char *text;
    double number;
} number_case;

static void times_are_those_of_the_tags(void **state)
{
    (void)state;
    static const number_case cases[] = {
        { 0, 0.5f, "now", 0.5 },
        { 1, 0.5f, "now", 0.5 },
        { 0, 0.5f, "start", 0 },
        { 0, 0.5f, "end", 4 },
        { 0, 0.5f, "next(jump)", 1 },
        { 0, 0.5f, "until(jump)", 1.5 },
        { 0, 1.25f, "next(jump)", 1.25 },
        { 0, 1.25f, "until(jump)", 1.5 },
        { 0, 1.25f, "since(jump)", 1 },
        { 0, 2.0f, "next(jump)", 3 },
        { 0, 2.0f, "last(jump)", 1.5 },
        { 0, 2.0f, "since(jump)", 1 },
        { 0, 3.75f, "last(jump)", 3.5 },
        { 0, 0.5f, "next(idle)", 121.0 / 60.0 },
        { 0, 0.5f, "until(walk)", 2 },
        { 0, 0.5f, "pause", 121.0 / 60.0 }, // the first frame that is slower than 0.1 m/s over a tenth of a second
        { 0, 3.0f, "pause", 3 },
        { 1, 0.5f, "pause", 2 }, // never stands: the clip's end
        { 3, 0.5f, "pause", 0.5 },
        { 0, 0.5f, "pause(now + 3)", 3.5 },
        { 1, 0.5f, "pause(now + 1)", 2 },
        { 0, 0.5f, "leave", 4 },
        { 0, 0.5f, "leave(now + 3)", 4 },
        { 0, 0.5f, "height(hips, now)", 1 },
        { 0, 0.5f, "if(tag(walk), 1, 0)", 1 },
        { 0, 0.5f, "if(tag(jump), 1, 0)", 0 },
        { 0, 0.5f, "if(tag(jump, 1.2), 1, 0)", 1 },
        { 1, 0.5f, "if(tag_of(walk, drunk) == 'drunk', 1, 0)", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const number_case *c = &cases[i];
        ami_expr_value value = value_at(motion, c->text, clips_frame(c->clip, c->time), NULL);
        // The stretch of standing begins where half of the tenth of a second is slow enough.
        double tolerance = strcmp(c->text, "pause") == 0 ? 0.06 : 1e-5;
        if (value.missing || fabs((double)value.number[0] - c->number) > tolerance) {
            fail_msg("%s in clip %d at %g gave %g", c->text, c->clip, (double)c->time, (double)value.number[0]);
        }
    }
}

static void what_the_clip_does_not_show_is_missing(void **state)
{
    (void)state;
    static const number_case cases[] = {
        { 0, 3.9f, "position(root, now + 0.2).x", 0 }, // the next clip's frames are no later ones
        { 1, 0.1f, "position(root, now - 0.2).x", 0 },
        { 0, 3.75f, "next(jump)", 0 },
        { 0, 0.5f, "last(jump)", 0 },
        { 0, 0.5f, "since(idle)", 0 },
        { 1, 0.5f, "leave", 0 },
        { 1, 0.5f, "next(idle)", 0 }, // 02_01 stands, but it is another clip
        { 1, 0.5f, "last(walk)", 0 },
        { 1, 0.5f, "tag(run, 3)", 0 },
        { 0, 0.5f, "tag_of(run, drunk) == 'drunk'", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const number_case *c = &cases[i];
        if (!value_at(motion, c->text, clips_frame(c->clip, c->time), NULL).missing) {
            fail_msg("%s in clip %d is there", c->text, c->clip);
        }
    }
}

/// All joints by whole poses and forward kinematics: the plain way.
static void check_joints(const am_db *db, double tolerance)
{
    ami_motion *m = NULL;
    am_error err = { 0 };
    check_ok(ami_motion_create(&m, db, NULL, NULL, &err), &err);
    am_transform local[AM_MAX_JOINTS], model[AM_MAX_JOINTS];
    for (int frame = 0; frame < db->frame_count; frame += 37) {
        am_db_pose(db, frame, local);
        local[0] = am_transform_mul(ami_db_root(db, frame), local[0]);
        am_fk(model, local, db->skeleton->parents, db->joint_count);
        ami_moment moment;
        assert_true(ami_moment_at(&moment, m, frame, NULL));
        for (int j = 0; j < db->joint_count; j++) {
            am_transform at;
            assert_true(ami_moment_joint(&moment, j, ami_moment_now(&moment), &at));
            check_near(am_v3_distance(at.translation, model[j].translation), 0.0, tolerance);
            check_near(am_quat_angle(at.rotation, model[j].rotation), 0.0, 1e-3);
        }
    }
    ami_motion_destroy(m);
}

static void joints_are_where_whole_poses_have_them(void **state)
{
    (void)state;
    check_joints(clips, 1e-5);
    am_db *compact = clips_db(AM_PRECISION_COMPACT);
    check_joints(compact, 1e-5); // the same packed numbers
    am_db_close(compact);
}

static void draws_repeat_and_stay_within_limits(void **state)
{
    (void)state;
    am_rng a, b;
    am_rng_init(&a, 7);
    am_rng_init(&b, 7);
    double sum = 0.0, chances = 0.0, first = 0.0, square = 0.0;
    for (int i = 0; i < 2000; i++) {
        ami_expr_value x = value_at(motion, "uniform(2, 4)", 5, &a), y = value_at(motion, "uniform(2, 4)", 5, &b);
        assert_true(x.number[0] == y.number[0] && x.number[0] >= 2.0f && x.number[0] < 4.0f);
        sum += (double)x.number[0] / 2000;
        chances += (double)value_at(motion, "chance(0.25)", 5, &a).number[0] / 2000;
        first += value_at(motion, "pick(1, 2, 3, 4)", 5, &a).number[0] == 3.0f ? 1.0 / 2000 : 0.0;
        double n = (double)value_at(motion, "normal(5, 2)", 5, &a).number[0] - 5.0;
        square += n * n / 2000;
        b = a;
    }
    check_near(sum, 3.0, 0.05);
    check_near(chances, 0.25, 0.03);
    check_near(first, 0.25, 0.03);
    check_near(sqrt(square), 2.0, 0.1);
    ami_expr_value v = value_at(motion, "noise(vec(1, 2, 3), 0)", 5, &a);
    assert_true(am_v3_distance(ami_expr_vector(&v), am_v3(1, 2, 3)) == 0.0f);
    assert_true(value_at(motion, "uniform(2, 1)", 5, &a).missing);
}

static void excluded_frames_end_the_clip(void **state)
{
    (void)state;
    bool *excluded = calloc((size_t)clips->frame_count, 1);
    for (int f = clips_frame(0, 1.0f); f <= clips_frame(0, 2.0f); f++) {
        excluded[f] = true;
    }
    ami_motion *m = NULL;
    am_error err = { 0 };
    check_ok(ami_motion_create(&m, clips, excluded, NULL, &err), &err);
    free(excluded);
    ami_moment moment;
    assert_false(ami_moment_at(&moment, m, clips_frame(0, 1.5f), NULL));
    assert_int_equal(m->spans.count, 5);
    check_near(value_at(m, "end", clips_frame(0, 0.5f), NULL).number[0], 59.0 / 60.0, 1e-5);
    assert_true(value_at(m, "next(jump)", clips_frame(0, 0.5f), NULL).missing);
    assert_true(value_at(m, "position(root, 1.2)", clips_frame(0, 0.5f), NULL).missing);
    check_near(value_at(m, "start", clips_frame(0, 3.0f), NULL).number[0], 121.0 / 60.0, 1e-5);
    check_near(value_at(m, "now", clips_frame(0, 3.0f), NULL).number[0], 3.0, 1e-5);
    assert_true(value_at(m, "last(walk)", clips_frame(0, 3.0f), NULL).missing);
    ami_motion_destroy(m);
}

static am_result create_and_free(void *user, const am_alloc *alloc)
{
    ami_motion *m = NULL;
    am_error err = { 0 };
    am_result result = ami_motion_create(&m, user, NULL, alloc, &err);
    ami_motion_destroy(m);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    assert_true(refuse_allocations(create_and_free, clips) >= 10);
}

TEST_SUITE(moment)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_directions_are_those_of_the_clip),
        cmocka_unit_test(times_are_those_of_the_tags),
        cmocka_unit_test(what_the_clip_does_not_show_is_missing),
        cmocka_unit_test(joints_are_where_whole_poses_have_them),
        cmocka_unit_test(draws_repeat_and_stay_within_limits),
        cmocka_unit_test(excluded_frames_end_the_clip),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

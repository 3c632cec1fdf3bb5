// The matching source by itself: it plays what was captured, at any rate, jumps only where it should, and never runs
// off a clip.
#include "base/budget.h"
#include "data/database.h"
#include "data/features.h"
#include "method/sources.h"
#include "support/player.h"

static ami_match_def match_def(void)
{
    ami_match_def def = ami_match_def_default();
    def.db = db;
    def.index = index_;
    return def;
}

static void player_make(player *p, const ami_match_def *def, int frame)
{
    am_error err = { 0 };
    am_source *source = NULL;
    check_ok(ami_match_create(&source, def, &err), &err);
    player_begin(p, source, frame);
    p->source->interface->pose(p->source, p->state, &p->out, work);
}

/// One step with a target to go straight on at a speed, in the direction that the root faces.
static void player_step(player *p, float dt, float speed, bool hold)
{
    for (int i = 0; i < 4; i++) {
        float t = (float)i / 3.0f;
        am_vec3 forward = am_quat_rotate(p->root.rotation, am_v3(0.0f, 0.0f, 1.0f));
        p->target[i] = (am_query_point){ t, am_v3_add(p->root.translation, am_v3_scale(forward, speed * t)), forward,
                                         am_v3_scale(forward, speed) };
    }
    am_source_input input = {
        .dt = dt, .root = p->root, .trajectory = p->target, .trajectory_count = 4, .candidates = 5, .hold = hold
    };
    p->source->interface->step(p->source, p->state, &p->out, &input, work);
    am_vec3 moved = am_quat_rotate(p->root.rotation, am_v3_scale(p->out.root_linear, dt));
    p->root.translation = am_v3_add(p->root.translation, moved);
    p->root.rotation = am_quat_mul(p->root.rotation, am_quat_from_heading(p->out.root_angular.y * dt));
}

static void held_it_plays_the_capture_exactly(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    int start = db->ranges[4].start;
    player_make(&p, &def, start);
    p.root = ami_db_root(db, start);
    for (int i = 1; i <= 120; i++) {
        player_step(&p, DT, 1.0f, true);
        am_transform pose[most_joints];
        am_db_pose(db, start + i, pose);
        assert_int_equal(p.out.frame, start + i);
        assert_memory_equal(p.local, pose, (size_t)db->joint_count * sizeof *pose);
        assert_true(am_v3_distance(p.root.translation, db->root_positions[start + i]) < 1e-3f);
        assert_int_equal(p.out.contacts, db->contacts[start + i]);
    }
    ami_source_destroy(p.source);
}

static void another_rate_plays_between_the_frames(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    int start = db->ranges[4].start;
    player_make(&p, &def, start);
    float dt = 1.0f / 144.0f;
    for (int i = 1; i <= 288; i++) {
        player_step(&p, dt, 1.0f, true);
        double at = (double)i * 60.0 / 144.0;
        check_near((double)p.out.frame + (double)p.out.fraction, (double)start + at, 2e-3);
        am_transform a[most_joints], b[most_joints];
        am_db_pose(db, p.out.frame, a);
        am_db_pose(db, p.out.frame + 1, b);
        am_quat mixed = am_quat_nlerp(a[5].rotation, b[5].rotation, p.out.fraction);
        assert_true(am_quat_angle(mixed, p.local[5].rotation) < 1e-3f);
    }
    ami_source_destroy(p.source);
}

static void a_held_clip_ends_and_stands(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    int last = db->ranges[2].stop - 1;
    player_make(&p, &def, last - 10);
    bool ended = false;
    for (int i = 0; i < 30; i++) {
        player_step(&p, DT, 0.0f, true);
        assert_false(p.out.transition);
        assert_true(p.out.frame <= last);
        ended = p.out.ended;
    }
    assert_true(ended);
    assert_int_equal(p.out.frame, last);
    assert_true(am_v3_length(p.out.root_linear) == 0.0f);
    ami_source_destroy(p.source);
}

static void it_leaves_a_clip_before_its_end_and_keeps_to_the_target(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    player_make(&p, &def, -1);
    int jumps = 0;
    am_vec3 before = am_v3_zero();
    for (int i = 0; i < 3600; i++) {
        int was = p.out.frame;
        player_step(&p, DT, 1.1f, false);
        jumps += p.out.transition;
        assert_true(p.out.transition || p.out.frame == was + 1);
        assert_int_equal(am_db_range_of(db, p.out.frame), am_db_range_of(db, p.out.transition ? p.out.frame : was));
        before = i == 600 ? p.root.translation : before;
    }
    assert_true(jumps > 10); // no clip is a minute long
    check_near(am_v3_distance(p.root.translation, before) / 50.0f, 1.1f, 0.12f);
    ami_source_destroy(p.source);
}

static void a_jump_is_better_than_staying_and_not_near(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    def.stay_bias = 0.5f;
    player_make(&p, &def, -1);
    int surround = (int)(def.surround_s * db->fps + 0.5f);
    for (int i = 0; i < 1800; i++) {
        int was = p.out.frame;
        player_step(&p, DT, (float)(i / 300 % 3), false);
        if (!p.out.searched) {
            continue;
        }
        assert_int_equal(p.out.candidate_count, 5);
        for (int k = 2; k < 5; k++) { // the first is the one jumped to
            assert_true(p.out.candidates[k].cost >= p.out.candidates[k - 1].cost);
        }
        check_near(p.out.cost, ami_index_cost(index_, p.out.candidates[0].frame, p.out.query, NULL), 1e-6f);
        if (p.out.transition) {
            assert_true(p.out.cost < p.out.stay_cost - def.stay_bias);
            int landed = p.out.candidates[0].frame;
            assert_true(abs(landed - was) > surround || am_db_range_of(db, landed) != am_db_range_of(db, was));
        } else {
            assert_true(p.out.cost >= p.out.stay_cost - def.stay_bias);
        }
    }
    ami_source_destroy(p.source);
}

/// The largest second difference (m) of any joint's place in the frames after one.
static double rough_at(int frame)
{
    double largest = 0.0;
    for (int f = 1; f < 3; f++) {
        am_transform pose[3][AM_MAX_JOINTS];
        for (int i = 0; i < 3; i++) {
            am_transform local[AM_MAX_JOINTS];
            int at = ami_db_clamp(db, frame, f + i - 1);
            am_db_pose(db, at, local);
            am_fk(pose[i], local, db->skeleton->parents, db->joint_count);
            for (int j = 0; j < db->joint_count; j++) {
                pose[i][j] = am_transform_mul(ami_db_root(db, at), pose[i][j]);
            }
        }
        for (int j = 0; j < db->joint_count; j++) {
            am_vec3 ends = am_v3_add(pose[0][j].translation, pose[2][j].translation);
            double bend = (double)am_v3_distance(ends, am_v3_scale(pose[1][j].translation, 2.0f));
            largest = bend > largest ? bend : largest;
        }
    }
    return largest;
}

static void a_rough_landing_gives_way_to_a_smoother_one(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    def.rough_mps2 = 20.0f;
    player_make(&p, &def, -1);
    double limit = (double)def.rough_mps2 / ((double)db->fps * (double)db->fps);
    int moved = 0;
    for (int i = 0; i < 3600; i++) {
        player_step(&p, DT, (float)(i / 200 % 5), false);
        if (!p.out.transition) {
            continue;
        }
        am_hit chosen = p.out.candidates[0];
        am_hit best = p.out.candidates[1].cost < chosen.cost ? p.out.candidates[1] : chosen;
        assert_true(chosen.cost == p.out.cost && p.out.cost < p.out.stay_cost);
        if (best.frame != chosen.frame) {
            moved++;
            assert_true(rough_at(best.frame) > limit * 0.999);
            assert_true(rough_at(chosen.frame) < rough_at(best.frame));
        }
        for (int k = 1; k < p.out.candidate_count; k++) {
            assert_true(p.out.candidates[k].frame != chosen.frame); // none is there twice
        }
    }
    printf("%d landings moved\n", moved);
    assert_true(moved > 5);
    ami_source_destroy(p.source);
}

static void searches_keep_their_time_at_any_rate(void **state)
{
    (void)state;
    const float rates[] = { 30.0f, 60.0f, 90.0f, 144.0f };
    for (int r = 0; r < 4; r++) {
        player p;
        ami_match_def def = match_def();
        def.stay_bias = 1e6f;
        player_make(&p, &def, db->ranges[4].start);
        int searches = 0;
        for (int i = 0; i < (int)(3.0f * rates[r]); i++) {
            player_step(&p, 1.0f / rates[r], 1.0f, false);
            searches += p.out.searched;
        }
        assert_in_range(searches, 16, 19); // every sixth of a second, in whole steps
        ami_source_destroy(p.source);
    }
}

static void a_target_that_is_not_a_number_plays_on(void **state)
{
    (void)state;
    player p;
    ami_match_def def = match_def();
    player_make(&p, &def, db->ranges[4].start);
    int fell_back = 0;
    for (int i = 0; i < 60; i++) {
        player_step(&p, DT, NAN, false);
        fell_back += p.out.fell_back;
        assert_false(p.out.transition);
        assert_true(p.local[0].translation.y * 0.0f == 0.0f);
    }
    assert_int_equal(fell_back, 6);
    assert_int_equal(p.out.frame, db->ranges[4].start + 60);
    ami_source_destroy(p.source);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    am_source *source = NULL;
    am_error err = { 0 };
    ami_match_def def = match_def();
    def.cookie = 1;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_DEF);
    def = match_def();
    def.search_every_s = 0.0f;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_DEF);
    def = match_def();
    def.stay_bias = NAN;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_DEF);
    def = match_def();
    def.index = NULL;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_DEF);
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = 1;
    am_alloc alloc = ami_budget_alloc(&budget);
    def = match_def();
    def.alloc = &alloc;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_MEMORY);
    assert_null(source);
    ami_source_destroy(NULL);
}

/// A planted foot that is held elsewhere than the frame has it: the query looks for frames with the foot there.
static void a_search_looks_for_the_feet_as_they_stand(void **state)
{
    (void)state;
    float query[2][AM_MAX_FEATURES + 8];
    for (int moved = 0; moved < 2; moved++) {
        player p;
        ami_match_def def = match_def();
        player_make(&p, &def, db->ranges[4].start + 30);
        am_source_input input = { .dt = DT, .root = p.root, .search_now = true };
        input.feet[1] = am_v3(0.1f * (float)moved, 0.0f, -0.2f * (float)moved);
        p.source->interface->step(p.source, p.state, &p.out, &input, work);
        memcpy(query[moved], p.out.query, (size_t)db->features.stride * sizeof(float));
        ami_source_destroy(p.source);
    }
    float raw[2][AM_MAX_FEATURES];
    for (int moved = 0; moved < 2; moved++) {
        ami_features_denormalise(&db->features, raw[moved], query[moved]);
    }
    const am_schema *schema = db->features.schema;
    int feet = 0;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        bool foot = channel->kind == AM_FEATURE_POSITION && channel->role == AM_ROLE_RIGHT_FOOT;
        feet += foot;
        for (int i = 0; i < channel->dims; i++) {
            float expected = foot ? (float[]){ 0.1f, 0.0f, -0.2f }[i] : 0.0f;
            check_near(raw[1][channel->first + i] - raw[0][channel->first + i], expected, 1e-5);
        }
    }
    assert_int_equal(feet, 1);
}

TEST_SUITE(match)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_it_plays_the_capture_exactly),
        cmocka_unit_test(another_rate_plays_between_the_frames),
        cmocka_unit_test(a_held_clip_ends_and_stands),
        cmocka_unit_test(it_leaves_a_clip_before_its_end_and_keeps_to_the_target),
        cmocka_unit_test(a_jump_is_better_than_staying_and_not_near),
        cmocka_unit_test(a_rough_landing_gives_way_to_a_smoother_one),
        cmocka_unit_test(searches_keep_their_time_at_any_rate),
        cmocka_unit_test(a_target_that_is_not_a_number_plays_on),
        cmocka_unit_test(a_search_looks_for_the_feet_as_they_stand),
        cmocka_unit_test(bad_defs_are_refused),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

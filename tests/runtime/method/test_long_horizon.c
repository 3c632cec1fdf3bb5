// Looking ahead: the tree that grows level by level chooses what the paper's recursion chooses, within its budget,
// for any target that knows its future.
#include "actor/intent.h"
#include "data/database.h"
#include "method/match.h"
#include "method/sources.h"
#include "support/player.h"

static ami_long_horizon_def ahead_def(int k, int l)
{
    ami_long_horizon_def def = ami_long_horizon_def_default();
    def.match.db = db;
    def.match.index = index_;
    def.match.surround_s = 0.0f;
    def.k = k;
    def.l = l;
    return def;
}

static void player_make(player *p, const ami_long_horizon_def *def)
{
    am_error err = { 0 };
    am_source *source = NULL;
    check_ok(ami_long_horizon_create(&source, def, &err), &err);
    player_begin(p, source, -1);
}

static ami_point_target point_target(float x, float z)
{
    ami_point_target target = { .place = am_v3(x, 0.0f, z),
                                .speed = 1.3f,
                                .near_m = 0.2f,
                                .hip_m = 0.9f,
                                .times = { 0.0f, 1.0f / 3.0f, 2.0f / 3.0f, 1.0f },
                                .time_count = 4 };
    return target;
}

// How the steps of a test search.
static bool as_printed, with_distances;

/// One step along a target; the root goes with it.
static void step(player *p, const am_horizon *horizon)
{
    am_query_point points[AM_MAX_TRAJECTORY];
    uint8_t context[AM_MAX_CONTEXT];
    memcpy(context, horizon->context, horizon->context_size);
    am_source_input input = { .dt = DT, .root = p->root, .trajectory = points, .horizon = horizon };
    input.printed = as_printed;
    input.distances = with_distances;
    input.trajectory_count = horizon->compute_query(horizon->user, context, points, &p->root);
    p->source->interface->step(p->source, p->state, &p->out, &input, work);
    am_vec3 way = am_quat_rotate(p->root.rotation, am_v3_scale(p->out.root_linear, DT));
    p->root.translation = am_v3_add(p->root.translation, am_v3_ground(way));
    am_quat turn = am_quat_from_heading(p->out.root_angular.y * DT);
    p->root.rotation = am_quat_normalize(am_quat_mul(p->root.rotation, turn));
}

// ---------------------------------------------------------------------------------------------
// The paper's recursion

typedef struct node {
    am_transform root;
    int frame;
} node;

static void make_query(float *out, node n, const am_horizon *horizon, void *context)
{
    float raw[AM_MAX_FEATURES];
    am_query_point points[AM_MAX_TRAJECTORY];
    ami_features_denormalise(&db->features, raw, am_db_x(db, n.frame));
    ami_query query = ami_query_default();
    query.current = raw;
    query.root = n.root;
    query.trajectory = points;
    query.trajectory_count = horizon->compute_query(horizon->user, context, points, &n.root);
    query.roles = &db->roles;
    ami_query_make(&db->features, out, &query);
}

/// The distance of a hit, or its square.
static float cost_of(am_hit hit) { return with_distances ? sqrtf(hit.cost) : hit.cost; }

/// Algorithm 1 below its top: the cost of the best future of a moment.
static float recurse(node from, const am_horizon *horizon, const void *context, int k, int l)
{
    float x[AM_MAX_FEATURES + 8];
    uint8_t own[AM_MAX_CONTEXT];
    memcpy(own, context, AM_MAX_CONTEXT);
    make_query(x, from, horizon, own);
    am_hit hits[AMI_MAX_HITS];
    ami_search target = ami_search_default();
    target.x = x;
    target.k = l == 1 ? 1 : k;
    int found = ami_index_search(index_, hits, &target, work);
    float best = INFINITY;
    for (int i = 0; i < found; i++) {
        if (l == 1) {
            return cost_of(hits[0]);
        }
        node next = { .frame = ami_db_clamp(db, hits[i].frame, 10) };
        am_transform way =
            am_transform_mul(am_transform_inv(ami_db_root(db, hits[i].frame)), ami_db_root(db, next.frame));
        next.root = am_transform_mul(from.root, way);
        uint8_t later[AM_MAX_CONTEXT] = { 0 };
        horizon->update_context(horizon->user, later, own, 10.0f / db->fps);
        float cost = cost_of(hits[i]) + recurse(next, horizon, later, k, l - 1);
        best = cost < best ? cost : best;
    }
    return best;
}

/// The cost of choosing `frame`, whose own cost is known, at the top.
static float future_of(node now, am_hit hit, const am_horizon *horizon, int k, int l)
{
    node next = { .frame = ami_db_clamp(db, hit.frame, 10) };
    am_transform way = am_transform_mul(am_transform_inv(ami_db_root(db, hit.frame)), ami_db_root(db, next.frame));
    next.root = am_transform_mul(now.root, way);
    uint8_t later[AM_MAX_CONTEXT] = { 0 };
    horizon->update_context(horizon->user, later, horizon->context, 10.0f / db->fps);
    return cost_of(hit) + recurse(next, horizon, later, k, l - 1);
}

static void the_tree_chooses_what_the_recursion_chooses(void **state)
{
    (void)state;
    ami_long_horizon_def def = ahead_def(3, 3);
    player p;
    player_make(&p, &def);
    ami_point_target target = point_target(4.0f, 5.0f);
    uint8_t context[AM_MAX_CONTEXT];
    am_horizon horizon = ami_target_horizon(&target, context);
    int compared = 0;
    for (int f = 0; f < 300; f++) {
        node now = { p.root, p.out.frame };
        int fraction_zero = p.out.fraction == 0.0f;
        step(&p, &horizon);
        if (f == 0 || !p.out.searched || !fraction_zero || p.out.stay_cost == INFINITY) {
            continue;
        }
        // The three best of playing on and the nearest frames, as the source has them.
        float x[AM_MAX_FEATURES + 8];
        uint8_t own[AM_MAX_CONTEXT];
        memcpy(own, context, sizeof own);
        make_query(x, now, &horizon, own);
        am_hit hits[AMI_MAX_HITS];
        ami_search search = ami_search_default();
        search.x = x;
        search.k = 4;
        int found = ami_index_search(index_, hits, &search, work);
        int best = -1;
        float least = INFINITY;
        for (int i = 0; i < found && i < 3; i++) {
            float cost = future_of(now, hits[i], &horizon, 3, 3);
            if (cost < least) {
                least = cost;
                best = hits[i].frame;
            }
        }
        int took = p.out.transition ? p.out.candidates[0].frame : now.frame;
        // Playing on is among the hits when the frame is offered; else it was a branch of its own.
        bool among = false;
        for (int i = 0; i < 3; i++) {
            among |= hits[i].frame == now.frame;
        }
        if (among) {
            assert_int_equal(took, best);
            compared++;
        }
        assert_true(p.out.searches <= 13);
    }
    assert_true(compared > 5);
    ami_source_destroy(p.source);
}

/// Algorithm 1 as printed: the k nearest frames and nothing else, near the playing one or not, playing on only where
/// its frame is among them, with distances or squares added up.
static void as_printed_the_nearest_frames_alone_are_choices(void **state)
{
    (void)state;
    as_printed = true;
    for (int sums = 0; sums < 2; sums++) {
        with_distances = sums == 1;
        ami_long_horizon_def def = ahead_def(3, 3);
        def.match.surround_s = 0.2f;
        def.match.rough_mps2 = 1.0f; // every landing is rough
        player p;
        player_make(&p, &def);
        ami_point_target target = point_target(4.0f, 5.0f);
        uint8_t context[AM_MAX_CONTEXT];
        am_horizon horizon = ami_target_horizon(&target, context);
        int compared = 0;
        for (int f = 0; f < 200; f++) {
            node now = { p.root, p.out.frame };
            step(&p, &horizon);
            if (f == 0 || !p.out.searched) {
                continue;
            }
            float x[AM_MAX_FEATURES + 8];
            uint8_t own[AM_MAX_CONTEXT];
            memcpy(own, context, sizeof own);
            make_query(x, now, &horizon, own);
            am_hit hits[AMI_MAX_HITS];
            ami_search search = ami_search_default();
            search.x = x;
            search.k = 3;
            int found = ami_index_search(index_, hits, &search, work);
            int best = -1;
            float least = INFINITY;
            for (int i = 0; i < found; i++) {
                float cost = future_of(now, hits[i], &horizon, 3, 3);
                best = cost < least ? hits[i].frame : best;
                least = am_min(cost, least);
            }
            assert_int_equal(p.out.transition ? p.out.candidates[0].frame : now.frame, best);
            compared++;
        }
        assert_true(compared > 10);
        ami_source_destroy(p.source);
    }
    as_printed = with_distances = false;
}

static void one_level_is_plain_matching(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_long_horizon_def def = ahead_def(3, 1);
    player p, q;
    player_make(&p, &def);
    player_make(&q, &def);
    ami_source_destroy(q.source);
    check_ok(ami_match_create(&q.source, &def.match, &err), &err);
    q.source->interface->reset(q.source, q.state, -1, NULL);
    ami_point_target target = point_target(-3.0f, 4.0f);
    uint8_t context[AM_MAX_CONTEXT];
    am_horizon horizon = ami_target_horizon(&target, context);
    for (int f = 0; f < 400; f++) {
        step(&p, &horizon);
        step(&q, &horizon);
        assert_int_equal(p.out.frame, q.out.frame);
    }
    assert_string_equal(p.source->interface->name, "long-horizon");
    assert_string_equal(q.source->interface->name, "match");
    ami_source_destroy(p.source);
    ami_source_destroy(q.source);
}

static void a_target_is_reached(void **state)
{
    (void)state;
    ami_long_horizon_def def = ahead_def(3, 3);
    player p;
    player_make(&p, &def);
    ami_point_target target = point_target(3.0f, 4.0f);
    uint8_t context[AM_MAX_CONTEXT];
    am_horizon horizon = ami_target_horizon(&target, context);
    float nearest = 100.0f;
    for (int f = 0; f < 900; f++) {
        step(&p, &horizon);
        nearest = am_min(nearest, am_v3_distance(p.root.translation, target.place));
    }
    assert_true(nearest < 0.35f);
    ami_source_destroy(p.source);
}

static void a_stick_is_followed(void **state)
{
    (void)state;
    ami_long_horizon_def def = ahead_def(3, 3);
    player p;
    player_make(&p, &def);
    ami_stick_target target = { .velocity = am_v3(1.2f, 0.0f, 0.0f),
                                .heading = 0.5f * AM_PI,
                                .velocity_halflife = 0.2f,
                                .facing_halflife = 0.2f,
                                .hip_m = 0.9f,
                                .times = { 0.0f, 1.0f / 3.0f, 2.0f / 3.0f, 1.0f },
                                .time_count = 4 };
    uint8_t context[AM_MAX_CONTEXT];
    am_vec3 before = am_v3_zero();
    for (int f = 0; f < 480; f++) {
        // The point stays with the body, at the speed that was desired.
        am_horizon horizon = ami_stick_horizon(&target, context, p.root.translation, target.velocity, am_v3_zero(),
                                               am_quat_heading(p.root.rotation), 0.0f);
        before = f == 420 ? p.root.translation : before;
        step(&p, &horizon);
    }
    am_vec3 way = am_v3_sub(p.root.translation, before); // of the last second
    assert_true(way.x > 0.8f && way.x < 1.7f);
    assert_true(am_abs(way.z) < 0.4f);
    ami_source_destroy(p.source);
}

static void a_budget_is_kept(void **state)
{
    (void)state;
    const int budgets[] = { 1, 2, 4, 7, 12, 13, 20 };
    ami_point_target target = point_target(4.0f, -2.0f);
    uint8_t context[AM_MAX_CONTEXT];
    am_horizon horizon = ami_target_horizon(&target, context);
    uint64_t whole = 0;
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        ami_long_horizon_def def = ahead_def(3, 3);
        def.most_searches = budgets[b];
        player p, again;
        player_make(&p, &def);
        player_make(&again, &def);
        uint64_t hash = 0;
        for (int f = 0; f < 200; f++) {
            step(&p, &horizon);
            step(&again, &horizon);
            assert_int_equal(p.out.frame, again.out.frame);
            assert_true(p.out.searches <= budgets[b]);
            hash = hash * 31 + (uint64_t)p.out.frame;
        }
        // As many searches as the tree has are as good as no limit.
        whole = budgets[b] == 13 ? hash : whole;
        if (budgets[b] == 20) {
            assert_true(hash == whole);
        }
        ami_source_destroy(p.source);
        ami_source_destroy(again.source);
    }
}

static void large_trees_are_cut_where_they_are_dear(void **state)
{
    (void)state;
    ami_long_horizon_def def = ahead_def(20, 4); // 8000 branches
    def.most_searches = 400;
    player p;
    player_make(&p, &def);
    ami_point_target target = point_target(2.0f, 2.0f);
    uint8_t context[AM_MAX_CONTEXT];
    am_horizon horizon = ami_target_horizon(&target, context);
    for (int f = 0; f < 30; f++) {
        step(&p, &horizon);
        assert_true(p.out.searches <= 400);
        assert_false(p.out.fell_back);
    }
    ami_source_destroy(p.source);
}

static void senseless_defs_are_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_source *source = NULL;
    ami_long_horizon_def bad[6];
    for (int i = 0; i < 6; i++) {
        bad[i] = ahead_def(3, 3);
    }
    bad[0].k = 0;
    bad[1].k = AMI_MAX_HITS + 1;
    bad[2].l = 0;
    bad[3].most_searches = -1;
    bad[4].cookie = 0;
    bad[5].k = 12; // 144 branches: they would be cut
    for (int i = 0; i < 6; i++) {
        assert_int_equal(ami_long_horizon_create(&source, &bad[i], &err), AM_ERR_DEF);
        assert_null(source);
    }
    assert_int_equal(ami_long_horizon_create(&source, NULL, &err), AM_ERR_DEF);
    am_settings settings;
    am_settings_init(&settings, AM_METHOD_LONG_HORIZON);
    settings.k = 12;
    assert_int_equal(am_settings_check(&settings, &err), AM_ERR_RANGE);
    assert_non_null(strstr(err.text, "most_searches"));
    settings.most_searches = 100;
    check_ok(am_settings_check(&settings, &err), &err);
}

/// A rough landing is taken only where no other of the best frames, the nearest included, is smoother.
static void the_nearest_frame_may_soften_a_landing(void **state)
{
    (void)state;
    ami_long_horizon_def def = ahead_def(3, 3);
    def.match.rough_mps2 = 20.0f;
    const float rough_m = 20.0f / (db->fps * db->fps);
    player p;
    player_make(&p, &def);
    int rough = 0;
    for (int f = 0; f < 1500; f++) {
        ami_point_target target = point_target(f / 300 % 2 == 0 ? 4.0f : -4.0f, 5.0f);
        uint8_t context[AM_MAX_CONTEXT];
        am_horizon horizon = ami_target_horizon(&target, context);
        node now = { p.root, p.out.frame };
        step(&p, &horizon);
        if (f == 0 || !p.out.transition || !(ami_roughness(db, p.out.candidates[0].frame) > rough_m)) {
            continue;
        }
        am_hit hits[16];
        ami_search search = ami_search_default();
        search.x = p.out.query;
        search.k = 16;
        search.ignore_first = search.ignore_last = now.frame;
        int found = ami_index_search(index_, hits, &search, work);
        for (int i = 0; i < found && hits[i].cost < p.out.stay_cost; i++) {
            assert_true(ami_roughness(db, hits[i].frame) >= ami_roughness(db, p.out.candidates[0].frame));
        }
        rough++;
    }
    assert_true(rough > 5);
    ami_source_destroy(p.source);
}

/// A snapshot continues only with the numbers that its source was made with.
static void the_key_knows_the_tree(void **state)
{
    (void)state;
    ami_long_horizon_def defs[4] = { ahead_def(3, 3), ahead_def(4, 3), ahead_def(3, 2), ahead_def(3, 3) };
    defs[3].most_searches = 5;
    player p[4];
    for (int i = 0; i < 4; i++) {
        player_make(&p[i], &defs[i]);
        for (int before = 0; before < i; before++) {
            assert_true(p[i].source->key != p[before].source->key);
        }
    }
    for (int i = 0; i < 4; i++) {
        ami_source_destroy(p[i].source);
    }
}

TEST_SUITE(long_horizon)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_chooses_what_the_recursion_chooses),
        cmocka_unit_test(as_printed_the_nearest_frames_alone_are_choices),
        cmocka_unit_test(one_level_is_plain_matching),
        cmocka_unit_test(a_target_is_reached),
        cmocka_unit_test(a_stick_is_followed),
        cmocka_unit_test(a_budget_is_kept),
        cmocka_unit_test(large_trees_are_cut_where_they_are_dear),
        cmocka_unit_test(senseless_defs_are_refused),
        cmocka_unit_test(the_nearest_frame_may_soften_a_landing),
        cmocka_unit_test(the_key_knows_the_tree),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

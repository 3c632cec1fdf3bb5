// The graph-based controller: strongly connected clips, played and bent exactly, chosen by their value.
#include "base/budget.h"
#include "data/database.h"
#include "method/sources.h"
#include "agility.h"
#include "motion_graph.h"
#include "support/player.h"

static ami_field *field;
static lab_motion_graph *graph;
static ami_field_task direction;

static int open_graph(void **state)
{
    am_error err = { 0 };
    ami_field_def def = ami_field_def_default();
    lab_motion_graph_def graph_def = lab_motion_graph_def_default();
    if (open_all(state) != 0) {
        return -1;
    }
    def.db = db;
    def.fps = 15.0f; // a quarter of the comparisons
    bool good = ami_field_create(&field, &def, &err) == AM_OK;
    graph_def.field = field;
    good = good && lab_motion_graph_create(&graph, &graph_def, &err) == AM_OK;
    return good && ami_field_task_find(&direction, "direction") ? 0 : -1;
}

static int close_graph(void **state)
{
    lab_motion_graph_destroy(graph);
    ami_field_destroy(field);
    return close_all(state);
}

static am_source *source_make(const lab_motion_graph_source_def *changed)
{
    am_error err = { 0 };
    am_source *source = NULL;
    lab_motion_graph_source_def def = changed ? *changed : lab_motion_graph_source_def_default();
    def.graph = graph;
    def.task = &direction;
    check_ok(lab_motion_graph_source_create(&source, &def, &err), &err);
    return source;
}

/// A step towards a heading in the world.
static void step_to(player *p, float dt, float heading)
{
    am_source_input input = { .dt = dt, .root = p->root, .target = { .heading = heading } };
    p->source->interface->step(p->source, p->state, &p->out, &input, work);
    am_vec3 moved = am_quat_rotate(p->root.rotation, am_v3_scale(p->out.root_linear, dt));
    p->root.translation = am_v3_add(p->root.translation, moved);
    p->root.rotation = am_quat_mul(p->root.rotation, am_quat_from_heading(p->out.root_angular.y * dt));
}

// ---------------------------------------------------------------------------------------------
// The graph

static void clips_join_without_gaps_and_are_not_too_short(void **state)
{
    (void)state;
    int least = (int)(lab_motion_graph_def_default().least_s * field->fps + 0.5f);
    assert_true(graph->clip_count > 20);
    for (int c = 0; c < graph->clip_count; c++) {
        const lab_motion_graph_clip *clip = &graph->clips[c];
        assert_true(clip->last - clip->first >= least);
        assert_true(clip->last - clip->first <= 2 * least);
        assert_int_equal(field->ranges[clip->first], field->ranges[clip->last]);
        assert_true(c == 0 || clip->first >= graph->clips[c - 1].last);
    }
}

static void followers_begin_like_the_clip_ends(void **state)
{
    (void)state;
    float similar = lab_motion_graph_def_default().similar;
    int jumps = 0;
    for (int c = 0; c < graph->clip_count; c++) {
        const lab_motion_graph_clip *clip = &graph->clips[c];
        assert_true(clip->edge_count > 0);
        for (int e = 0; e < clip->edge_count; e++) {
            int first = graph->clips[graph->edges[clip->edge + e]].first;
            double d2 = 0.0;
            for (int d = 0; d < field->dims; d++) {
                double gap = (double)ami_field_row(field, clip->last)[d] - (double)ami_field_row(field, first)[d];
                d2 += gap * gap;
            }
            assert_true(d2 <= (double)(similar * similar) * 1.0001);
            assert_true(first != clip->last || e == 0);
            jumps += first != clip->last;
        }
    }
    assert_true(jumps > graph->clip_count);
}

/// How many clips can be reached from clip 0, forwards or backwards.
static int count_reached(bool backwards)
{
    uint8_t *seen = calloc((size_t)graph->clip_count, 1);
    int reached = 1;
    seen[0] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int c = 0; c < graph->clip_count; c++) {
            for (int e = 0; e < graph->clips[c].edge_count; e++) {
                int to = graph->edges[graph->clips[c].edge + e];
                int from = backwards ? to : c;
                int next = backwards ? c : to;
                if (seen[from] && !seen[next]) {
                    seen[next] = 1;
                    reached++;
                    more = true;
                }
            }
        }
    }
    free(seen);
    return reached;
}

static void every_clip_can_be_reached_from_every_other(void **state)
{
    (void)state;
    assert_int_equal(count_reached(false), graph->clip_count);
    assert_int_equal(count_reached(true), graph->clip_count);
}

static void any_number_of_threads_gives_the_same_graph_and_values(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_pool *pool = NULL;
    check_ok(am_pool_create(&pool, 3, NULL, &err), &err);
    am_tasks tasks = *am_pool_tasks(pool);
    lab_motion_graph_def def = lab_motion_graph_def_default();
    def.field = field;
    def.tasks = &tasks;
    lab_motion_graph *other = NULL;
    check_ok(lab_motion_graph_create(&other, &def, &err), &err);
    assert_true(other->hash == graph->hash);
    lab_motion_graph_source_def source_def = lab_motion_graph_source_def_default();
    source_def.tasks = &tasks;
    am_source *threaded = source_make(&source_def);
    am_source *serial = source_make(NULL);
    assert_true(threaded->key == serial->key);
    ami_source_destroy(threaded);
    ami_source_destroy(serial);
    lab_motion_graph_destroy(other);
    am_pool_destroy(pool);
}

static void its_task_counts_the_ticks_of_the_field(void **state)
{
    (void)state;
    am_error err = { 0 };
    uint64_t keys[2];
    for (int i = 0; i < 2; i++) {
        am_source *source = NULL;
        ami_field_task speed;
        assert_true(ami_field_task_find(&speed, "speed"));
        speed.fps = i == 0 ? speed.fps : field->fps; // values of this task depend on metres per second
        lab_motion_graph_source_def def = lab_motion_graph_source_def_default();
        def.graph = graph;
        def.task = &speed;
        def.warps = 3;
        check_ok(lab_motion_graph_source_create(&source, &def, &err), &err);
        keys[i] = source->key;
        ami_source_destroy(source);
    }
    assert_true(field->fps == 15.0f && keys[0] == keys[1]);
}

// ---------------------------------------------------------------------------------------------
// Playing

static void without_a_bend_it_plays_the_capture(void **state)
{
    (void)state;
    lab_motion_graph_source_def def = lab_motion_graph_source_def_default();
    def.warp = 0.0f;
    def.warps = 1;
    player p;
    player_begin(&p, source_make(&def), field->frames[graph->clips[3].first]);
    int first = field->frames[graph->clips[3].first];
    int last = field->frames[graph->clips[3].last];
    am_transform start = ami_db_root(db, first);
    p.root = start;
    for (int f = first + 1; f <= last; f++) {
        step_to(&p, DT, 0.0f);
        am_transform pose[most_joints];
        am_db_pose(db, f, pose);
        assert_int_equal(p.out.frame, f);
        assert_false(p.out.searched);
        assert_memory_equal(p.local, pose, (size_t)db->joint_count * sizeof *pose);
        assert_int_equal(p.out.contacts, db->contacts[f]);
    }
    am_transform end = ami_db_root(db, last);
    assert_true(am_v3_distance(p.root.translation, end.translation) < 1e-3f);
    assert_true(am_quat_angle(p.root.rotation, end.rotation) < 1e-3f);
    step_to(&p, DT, 0.0f);
    assert_true(p.out.searched);
    ami_source_destroy(p.source);
}

static void a_bend_turns_by_its_angle_over_the_clip(void **state)
{
    (void)state;
    player p;
    player_begin(&p, source_make(NULL), field->frames[graph->clips[3].first]);
    int checked = 0;
    float turned = 0.0f, captured = 0.0f;
    for (int i = 0; i < 1200; i++) {
        step_to(&p, DT, i < 600 ? 2.0f : -1.0f);
        if (p.out.searched) {
            // Bends of at most 45 degrees, evenly over every frame of a clip, none of them between two clips.
            checked += i > 0 && am_abs(turned - captured) > 0.1f;
            assert_true(am_abs(turned - captured) <= 45.0f * AM_DEG + 1e-3f);
            turned = captured = 0.0f;
        }
        turned += p.out.root_angular.y * DT;
        int before = ami_db_clamp(db, p.out.frame, -1);
        captured += am_wrap_angle(am_quat_heading(db->root_rotations[p.out.frame]) -
                                  am_quat_heading(db->root_rotations[before]));
    }
    assert_true(checked > 3);
    ami_source_destroy(p.source);
}

static void a_transition_keeps_the_velocity_of_the_hips_in_the_world(void **state)
{
    (void)state;
    player p;
    player_begin(&p, source_make(NULL), field->frames[graph->clips[3].first]);
    int transitions = 0;
    am_vec3 old[2] = { { 0 } };
    for (int i = 0; i < 2400 && transitions < 8; i++) {
        step_to(&p, DT, (float)(i / 300));
        if (p.out.transition && i > 2) {
            // Velocity of the hips over the last step, seen from the root; and what the transition says it was.
            am_vec3 moved = am_v3_scale(am_v3_sub(old[1], old[0]), 60.0f);
            const am_source_pose *left = &p.out.left;
            am_vec3 swept = am_v3_cross(left->root_angular, left->local[0].translation);
            am_vec3 told = am_v3_add(am_v3_add(left->root_linear, swept), left->velocity[0].linear);
            float slack = 0.05f + 0.1f * am_v3_length(moved);
            assert_true(am_abs(am_v3_length(moved) - am_v3_length(told)) < slack);
            assert_memory_equal(&left->root_angular, &p.out.landed.root_angular, sizeof(am_vec3));
            transitions++;
        }
        old[0] = old[1];
        old[1] = am_transform_point(p.root, p.local[0].translation);
    }
    assert_true(transitions >= 4);
    ami_source_destroy(p.source);
}

static void it_turns_to_the_target_and_stays_there(void **state)
{
    (void)state;
    am_error err = { 0 };
    lab_agility_def def = lab_agility_def_default();
    am_source *source = source_make(NULL);
    def.source = source;
    def.starts = 4;
    def.changes = 12;
    lab_agility out;
    check_ok(lab_agility_measure(&out, &def, &err), &err);
    assert_int_equal(out.late, 0);
    assert_true(out.average < 1.6f);
    ami_source_destroy(source);
}

static void a_copied_state_plays_the_same_again(void **state)
{
    (void)state;
    player p;
    player_begin(&p, source_make(NULL), 100);
    for (int i = 0; i < 90; i++) {
        step_to(&p, DT, 1.0f);
    }
    uint64_t kept[8];
    memcpy(kept, p.state, sizeof kept);
    am_transform root = p.root;
    for (int i = 0; i < 200; i++) {
        step_to(&p, DT, -1.0f);
    }
    uint64_t first = am_hash64(p.local, sizeof p.local, am_hash64(&p.root, sizeof p.root, 0));
    memcpy(p.state, kept, sizeof kept);
    p.root = root;
    for (int i = 0; i < 200; i++) {
        step_to(&p, DT, -1.0f);
    }
    assert_true(am_hash64(p.local, sizeof p.local, am_hash64(&p.root, sizeof p.root, 0)) == first);
    ami_source_destroy(p.source);
}

static void steps_allocate_nothing_and_any_rate_plays(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    lab_motion_graph_source_def def = lab_motion_graph_source_def_default();
    def.alloc = &alloc;
    player p;
    player_begin(&p, source_make(&def), -1);
    size_t before = budget.total_count;
    for (int i = 0; i < 500; i++) {
        step_to(&p, 1.0f / 144.0f, 0.5f);
        assert_false(p.out.fell_back);
    }
    assert_int_equal(budget.total_count, before);
    ami_source_destroy(p.source);
    assert_int_equal(budget.live_count, 0);
}

static void a_body_from_another_source_goes_on_from_the_clip_most_like_it(void **state)
{
    (void)state;
    player p;
    player_begin(&p, source_make(NULL), -1);
    int frame = field->frames[graph->clips[7].first];
    am_transform pose[most_joints];
    am_db_pose(db, frame, pose);
    am_fk(pose, pose, db->skeleton->parents, db->joint_count);
    am_source_input input = { .dt = DT, .root = p.root, .pose = pose };
    p.source->interface->step(p.source, p.state, &p.out, &input, work);
    assert_int_equal(p.out.frame, frame + 1);
    ami_source_destroy(p.source);
}

// ---------------------------------------------------------------------------------------------
// Refusals

static void defs_out_of_range_are_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    lab_motion_graph *none = NULL;
    lab_motion_graph_def def = lab_motion_graph_def_default();
    check_refused(lab_motion_graph_create(&none, &def, &err), AM_ERR_DEF);
    def.field = field;
    def.branches = 0;
    check_refused(lab_motion_graph_create(&none, &def, &err), AM_ERR_DEF);
    def = lab_motion_graph_def_default();
    def.field = field;
    def.similar = 1e-6f;
    check_refused(lab_motion_graph_create(&none, &def, &err), AM_ERR_EMPTY);
    ami_field large = *field;
    large.state_count = LAB_MOTION_GRAPH_MAX_STATES + 1;
    def.field = &large;
    check_refused(lab_motion_graph_create(&none, &def, &err), AM_ERR_LIMIT);
    am_source *source = NULL;
    lab_motion_graph_source_def source_def = lab_motion_graph_source_def_default();
    check_refused(lab_motion_graph_source_create(&source, &source_def, &err), AM_ERR_DEF);
    source_def.graph = graph;
    source_def.task = &direction;
    source_def.warps = 4;
    check_refused(lab_motion_graph_source_create(&source, &source_def, &err), AM_ERR_DEF);
    source_def.warps = 3;
    source_def.gamma = 1.0f;
    check_refused(lab_motion_graph_source_create(&source, &source_def, &err), AM_ERR_DEF);
    assert_null(none);
    assert_null(source);
}

/// Makes a small graph and its source where the n-th allocation fails; returns how many there were.
static size_t fail_at(const ami_field *small, size_t n, am_result *result)
{
    am_error err = { 0 };
    ami_budget budget = ami_budget_make(NULL);
    budget.fail_at = n;
    am_alloc alloc = ami_budget_alloc(&budget);
    lab_motion_graph_def def = lab_motion_graph_def_default();
    def.alloc = &alloc;
    def.field = small;
    lab_motion_graph_source_def source_def = lab_motion_graph_source_def_default();
    source_def.alloc = &alloc;
    source_def.task = &direction;
    source_def.warps = 3;
    lab_motion_graph *made = NULL;
    am_source *source = NULL;
    *result = lab_motion_graph_create(&made, &def, &err);
    source_def.graph = made;
    *result = *result == AM_OK ? lab_motion_graph_source_create(&source, &source_def, &err) : *result;
    ami_source_destroy(source);
    lab_motion_graph_destroy(made);
    assert_int_equal(budget.live_count, 0);
    return budget.total_count;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    am_error err = { 0 };
    ami_field *small = NULL;
    ami_field_def def = ami_field_def_default();
    def.db = db;
    def.fps = 6.0f;
    check_ok(ami_field_create(&small, &def, &err), &err);
    am_result result;
    size_t count = fail_at(small, 0, &result);
    assert_int_equal(result, AM_OK);
    for (size_t n = 1; n <= count; n++) {
        fail_at(small, n, &result);
        assert_int_equal(result, AM_ERR_MEMORY);
    }
    ami_field_destroy(small);
}

TEST_SUITE(graph)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_join_without_gaps_and_are_not_too_short),
        cmocka_unit_test(followers_begin_like_the_clip_ends),
        cmocka_unit_test(every_clip_can_be_reached_from_every_other),
        cmocka_unit_test(any_number_of_threads_gives_the_same_graph_and_values),
        cmocka_unit_test(its_task_counts_the_ticks_of_the_field),
        cmocka_unit_test(without_a_bend_it_plays_the_capture),
        cmocka_unit_test(a_bend_turns_by_its_angle_over_the_clip),
        cmocka_unit_test(a_transition_keeps_the_velocity_of_the_hips_in_the_world),
        cmocka_unit_test(it_turns_to_the_target_and_stays_there),
        cmocka_unit_test(a_copied_state_plays_the_same_again),
        cmocka_unit_test(steps_allocate_nothing_and_any_rate_plays),
        cmocka_unit_test(a_body_from_another_source_goes_on_from_the_clip_most_like_it),
        cmocka_unit_test(defs_out_of_range_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_graph, close_graph);
}

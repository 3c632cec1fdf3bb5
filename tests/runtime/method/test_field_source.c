// The source `field`: it flows, shows the same ticks at any rate, continues from any body, and calls the hook that
// acts on it.
#include "method/field_source.h"
#include "base/budget.h"
#include "base/rng.h"
#include "data/database.h"
#include "data/kinematics.h"
#include "method/sources.h"
#include "support/check.h"
#include "support/synth_field.h"

enum { most_joints = 64, most_state = 4096, most_numbers = 512 };

typedef struct player {
    am_source *source;
    am_search_work *work;
    uint64_t state[most_state / 8];
    am_transform local[most_joints], landed[most_joints];
    am_velocity landed_velocity[most_joints];
    am_source_output out;
    am_source_input input;
    am_transform root;
} player;

static am_source *source_make_for(const char *task, am_field_policy policy)
{
    am_error err = { 0 };
    am_source *source = NULL;
    ami_field_source_def def = ami_field_source_def_default();
    def.field = field;
    def.policy = policy;
    assert_true(ami_field_task_find(&def.task, task));
    check_ok(ami_field_source_create(&source, &def, &err), &err);
    return source;
}

static am_source *source_make(am_field_policy policy) { return source_make_for("direction", policy); }

static void player_begin_with(player *p, am_source *source, int frame)
{
    am_error err = { 0 };
    memset(p, 0, sizeof *p);
    p->source = source;
    assert_true(p->source->interface->state_size(p->source) <= sizeof p->state);
    check_ok(am_source_work_create(&p->work, p->source, 1, NULL, &err), &err);
    p->out.local = p->local;
    p->out.landed = (am_source_pose){ .local = p->landed, .velocity = p->landed_velocity };
    p->root = am_transform_identity();
    p->source->interface->reset(p->source, p->state, frame, NULL);
}

static void player_begin(player *p, am_field_policy policy, int frame)
{
    player_begin_with(p, source_make(policy), frame);
}

static void player_end(player *p)
{
    ami_search_work_destroy(p->work);
    ami_source_destroy(p->source);
}

static void player_step(player *p, float dt)
{
    p->input.dt = dt;
    p->input.root = p->root;
    p->source->interface->step(p->source, p->state, &p->out, &p->input, p->work);
    am_transform way = { am_quat_from_scaled_axis(am_v3_scale(p->out.root_angular, dt)),
                         am_v3_scale(p->out.root_linear, dt) };
    p->root = am_transform_mul(p->root, way);
    p->root.rotation = am_quat_normalize(p->root.rotation);
    p->input.pose = NULL;
}

static ami_field_view player_view(player *p) { return ami_field_view_of(ami_field_source_of(p->source), p->state); }

/// How far the state at the next tick is from the data.
static float player_distance(player *p)
{
    float row[most_numbers];
    ami_field_neighbours near;
    ami_field_embed(field, row, player_view(p).next_x, player_view(p).next_v);
    ami_field_search_reference(field, &near, row, 1);
    return sqrtf(near.d2[0]);
}

static void passive_it_stays_near_the_data(void **state)
{
    (void)state;
    player p;
    player_begin(&p, AM_FIELD_PASSIVE, db->ranges[4].start + 40);
    float most = 0.0f;
    float travelled = 0.0f;
    for (int i = 0; i < 1200; i++) {
        am_vec3 before = p.root.translation;
        player_step(&p, 1.0f / 60.0f);
        assert_false(p.out.transition);
        assert_false(p.out.fell_back);
        travelled += am_v3_distance(before, p.root.translation);
        most = i % 10 == 0 ? am_max(most, player_distance(&p)) : most;
    }
    print_message("20 s passive: at most %.3f from the data, %.1f m travelled\n", (double)most, (double)travelled);
    assert_true(most < 0.5f);
    player_end(&p);
}

/// How many states of the data are the nearest at some time in two minutes of a passive field.
static int count_visited(float wander_s, uint64_t *hash)
{
    am_error err = { 0 };
    am_source *source = NULL;
    ami_field_source_def def = ami_field_source_def_default();
    def.field = field;
    def.policy = AM_FIELD_PASSIVE;
    def.wander_s = wander_s;
    check_ok(ami_field_source_create(&source, &def, &err), &err);
    player p;
    player_begin_with(&p, source, db->ranges[4].start + 40);
    am_rng rng = ami_rng_make(9);
    p.input.rng = &rng;
    uint8_t *seen = calloc((size_t)db->frame_count, 1);
    assert_non_null(seen);
    int count = 0;
    for (int i = 0; i < 3600; i++) {
        player_step(&p, 1.0f / 30.0f);
        assert_false(p.out.fell_back);
        count += !seen[p.out.frame];
        seen[p.out.frame] = 1;
    }
    *hash = am_hash64(p.state, sizeof p.state, 1);
    free(seen);
    player_end(&p);
    return count;
}

static void passive_it_comes_round_in_the_data_when_it_may_wander(void **state)
{
    (void)state;
    uint64_t hashes[3];
    const int alone = count_visited(0.0f, &hashes[0]), wanders = count_visited(1.5f, &hashes[1]);
    print_message("of %d states two minutes come to %d; wandering to %d\n", field->state_count, alone, wanders);
    assert_true(wanders > 3 * alone);
    assert_int_equal(count_visited(1.5f, &hashes[2]), wanders);
    assert_true(hashes[1] == hashes[2] && hashes[0] != hashes[1]);
}

static void ticks_are_the_same_at_any_rate(void **state)
{
    (void)state;
    const float rates[] = { 30.0f, 60.0f, 144.0f, 15.0f };
    float x[4][most_numbers];
    am_transform root[4];
    for (int r = 0; r < 4; r++) {
        player p;
        player_begin(&p, AM_FIELD_PASSIVE, db->ranges[4].start + 40);
        for (int i = 0; i < (int)(4.0f * rates[r]); i++) {
            player_step(&p, 1.0f / rates[r]);
        }
        memcpy(x[r], player_view(&p).next_x, (size_t)field->pose_count * sizeof(float));
        root[r] = p.root;
        assert_memory_equal(x[r], x[0], (size_t)field->pose_count * sizeof(float));
        assert_true(am_v3_distance(root[r].translation, root[0].translation) < 2e-2f);
        player_end(&p);
    }
}

static void poses_between_ticks_lie_on_a_smooth_curve(void **state)
{
    (void)state;
    player p;
    player_begin(&p, AM_FIELD_PASSIVE, db->ranges[4].start + 40);
    am_quat last = am_quat_identity(), before = am_quat_identity();
    double bend = 0.0, straight = 0.0;
    for (int i = 0; i < 600; i++) {
        player_step(&p, 1.0f / 120.0f);
        am_quat now = p.local[2].rotation;
        if (i > 1) {
            am_vec3 a = am_quat_velocity(before, last, 1.0f), b = am_quat_velocity(last, now, 1.0f);
            bend += (double)am_v3_distance(a, b);
            straight += (double)am_v3_length(b);
        }
        before = last;
        last = now;
    }
    print_message("turn of a joint a frame at 120 Hz %.2e, change of it %.2e\n", straight / 598.0, bend / 598.0);
    assert_true(bend < 0.35 * straight);
    player_end(&p);
}

/// Radians turned towards a target to the left in two seconds, over starts in every range.
static float turned_left(am_field_policy policy)
{
    float sum = 0.0f;
    player p;
    player_begin(&p, policy, 0);
    for (int r = 0; r < db->range_count; r++) {
        p.source->interface->reset(p.source, p.state, (db->ranges[r].start + db->ranges[r].stop) / 2, NULL);
        float heading = am_quat_heading(p.root.rotation);
        for (int i = 0; i < 60; i++) {
            p.input.target.heading = heading + 2.0f;
            float before = am_quat_heading(p.root.rotation);
            player_step(&p, 1.0f / 30.0f);
            sum += am_wrap_angle(am_quat_heading(p.root.rotation) - before);
        }
    }
    player_end(&p);
    return sum / (float)db->range_count;
}

static void greedy_it_turns_to_the_target(void **state)
{
    (void)state;
    float passive = turned_left(AM_FIELD_PASSIVE);
    float greedy = turned_left(AM_FIELD_GREEDY);
    print_message("turned to the left: passive %.2f rad, greedy %.2f rad\n", (double)passive, (double)greedy);
    assert_true(greedy > passive + 0.05f);
}

/// The most that any joint turns in a step.
static float turned(const am_transform *before, const am_transform *now)
{
    float most = 0.0f;
    for (int j = 0; j < db->joint_count; j++) {
        am_quat turn = am_quat_abs(am_quat_mul(now[j].rotation, am_quat_inv(before[j].rotation)));
        most = am_max(most, am_v3_length(am_quat_to_scaled_axis(turn)));
    }
    return most;
}

static void who_stands_breathes_where_they_are(void **state)
{
    (void)state;
    player p;
    player_begin_with(&p, source_make_for("speed", AM_FIELD_GREEDY), -1);
    for (int i = 0; i < 90; i++) { // until its life is all there
        player_step(&p, 1.0f / 60.0f);
    }
    const am_transform stood = p.root;
    float sum = 0.0f, most = 0.0f;
    for (int i = 0; i < 600; i++) {
        am_transform before[most_joints];
        memcpy(before, p.local, sizeof before);
        player_step(&p, 1.0f / 60.0f);
        const float turn = turned(before, p.local);
        sum += turn / 600.0f;
        most = am_max(most, turn);
    }
    print_message("ten seconds of standing: a joint turns by %.3f degrees a step, at most %.3f\n",
                  (double)(sum / AM_DEG), (double)(most / AM_DEG));
    assert_true(sum > 0.002f * AM_DEG && most < 2.0f * AM_DEG);
    assert_true(am_v3_distance(stood.translation, p.root.translation) < 0.01f);
    // A character that starts to move loses it within a moment, and without a jump.
    p.input.target.velocity = am_v3(0.0f, 0.0f, 1.2f);
    for (int i = 0; i < 120; i++) {
        am_transform before[most_joints];
        memcpy(before, p.local, sizeof before);
        player_step(&p, 1.0f / 60.0f);
        assert_true(turned(before, p.local) < 15.0f * AM_DEG);
    }
    assert_true(am_v3_distance(stood.translation, p.root.translation) > 0.5f);
    player_end(&p);
}

static void a_tick_tells_whose_action_it_chose_and_how_near_the_data_are(void **state)
{
    (void)state;
    player p;
    player_begin(&p, AM_FIELD_GREEDY, -1);
    p.input.candidates = AM_MAX_CANDIDATES;
    p.input.target = (am_source_target){ .velocity = { 1.0f, 0.0f, 0.0f }, .heading = 0.5f * AM_PI };
    int chose_another = 0;
    for (int i = 0; i < 60; i++) {
        float away = i > 0 ? player_distance(&p) : 0.0f;
        player_step(&p, 1.0f / 30.0f);
        assert_int_equal(p.out.candidate_count, AM_MAX_CANDIDATES);
        if (i > 0) {
            assert_float_equal(sqrtf(p.out.cost), away, 1e-5f);
        }
        for (int c = 2; c < p.out.candidate_count; c++) {
            assert_true(p.out.candidates[c].cost >= p.out.candidates[c - 1].cost); // behind the chosen one
        }
        chose_another += p.out.candidates[0].cost > p.out.cost;
    }
    assert_true(chose_another > 0);
    player_end(&p);
}

static void a_state_is_bytes_that_go_on_the_same(void **state)
{
    (void)state;
    player a, b;
    player_begin(&a, AM_FIELD_GREEDY, -1);
    player_begin(&b, AM_FIELD_GREEDY, -1);
    for (int i = 0; i < 77; i++) {
        player_step(&a, 1.0f / 60.0f);
    }
    memcpy(b.state, a.state, sizeof a.state);
    b.root = a.root;
    for (int i = 0; i < 77; i++) {
        player_step(&a, 1.0f / 60.0f);
        player_step(&b, 1.0f / 60.0f);
    }
    assert_memory_equal(a.state, b.state, sizeof a.state);
    assert_memory_equal(a.local, b.local, (size_t)field->joint_count * sizeof *a.local);
    player_end(&a);
    player_end(&b);
}

static void it_goes_on_from_a_foreign_body(void **state)
{
    (void)state;
    int s = 200;
    int frame = field->frames[s];
    am_transform local[most_joints], world[most_joints];
    am_velocity slow[most_joints], fast[most_joints];
    am_transform scratch[2 * most_joints];
    am_db_pose(db, frame, local);
    ami_db_velocity(db, frame, slow, scratch);
    ami_fk_velocity(world, fast, local, slow, db->skeleton->parents, db->joint_count);
    am_velocity root = ami_db_root_velocity(db, frame);
    for (int j = 0; j < db->joint_count; j++) { // in the root's space the body also moves by what the root does
        fast[j].linear =
            am_v3_add(fast[j].linear, am_v3_add(root.linear, am_v3_cross(root.angular, world[j].translation)));
        fast[j].angular = am_v3_add(fast[j].angular, root.angular);
    }
    player p;
    player_begin(&p, AM_FIELD_PASSIVE, 0);
    p.input.pose = world;
    p.input.velocity = fast;
    player_step(&p, 1.0f / 240.0f);
    assert_true(p.out.transition);
    for (int j = 0; j < db->joint_count; j++) {
        assert_true(am_quat_angle(p.landed[j].rotation, local[j].rotation) < 1e-3f);
        assert_true(am_v3_distance(p.landed_velocity[j].angular, slow[j].angular) < 0.3f);
    }
    // Velocities there are central differences, those of states point forward: not quite the same state.
    assert_true(abs(p.out.frame - frame) <= 4);
    assert_true(player_distance(&p) < 0.1f);
    player_end(&p);
}

typedef struct pusher {
    int ticks;
    am_transform bent[most_joints];
} pusher;

static void push(void *user, am_tick *tick)
{
    pusher *u = user;
    u->ticks++;
    memcpy(u->bent, tick->after, (size_t)db->joint_count * sizeof *u->bent);
    u->bent[3].rotation = am_quat_mul(am_quat_from_heading(0.5f), u->bent[3].rotation);
    tick->after[3].rotation = u->bent[3].rotation;
    tick->from = tick->before;
    tick->to = u->bent;
    tick->fast = tick->step;
    tick->share = 0.5f;
}

static void who_acts_on_it_changes_where_a_tick_leads(void **state)
{
    (void)state;
    player p;
    pusher user = { 0 };
    am_tick_hook hook = { &user, push };
    player_begin(&p, AM_FIELD_PASSIVE, db->ranges[4].start + 40);
    player_step(&p, 1.0f / 30.0f);
    float calm = player_distance(&p);
    p.input.hook = &hook;
    player_step(&p, 1.0f / 30.0f);
    assert_int_equal(user.ticks, 1);
    assert_true(am_quat_angle(p.local[3].rotation, user.bent[3].rotation) < 1e-3f);
    float pushed = player_distance(&p);
    assert_true(pushed > calm + 0.05f);
    p.input.hook = NULL;
    for (int i = 0; i < 60; i++) {
        player_step(&p, 1.0f / 30.0f);
    }
    assert_true(player_distance(&p) < 0.5f * pushed);
    player_end(&p);
}

static void numbers_that_are_none_are_left_behind(void **state)
{
    (void)state;
    player p;
    player_begin(&p, AM_FIELD_GREEDY, -1);
    player_view(&p).next_v[8] = NAN;
    player_view(&p).head->fresh = 0;
    player_step(&p, 1.0f / 30.0f);
    assert_true(p.out.fell_back);
    player_step(&p, 1.0f / 30.0f);
    assert_false(p.out.fell_back);
    assert_true(player_distance(&p) < 0.5f);
    player_end(&p);
}

static void defs_that_cannot_work_are_refused(void **state)
{
    (void)state;
    am_source *source = NULL;
    ami_field_source_def def = ami_field_source_def_default();
    def.field = field;
    check_refused(ami_field_source_create(&source, &def, NULL), AM_ERR_DEF); // lookahead without values
    def.policy = AM_FIELD_GREEDY;
    def.task.reward = NULL;
    check_refused(ami_field_source_create(&source, &def, NULL), AM_ERR_DEF);
    def = ami_field_source_def_default();
    def.policy = AM_FIELD_PASSIVE;
    check_refused(ami_field_source_create(&source, &def, NULL), AM_ERR_DEF);
    def.field = field;
    def.wander_s = NAN;
    check_refused(ami_field_source_create(&source, &def, NULL), AM_ERR_DEF);
    def.wander_s = 0.0f;
    def.cookie = 0;
    check_refused(ami_field_source_create(&source, &def, NULL), AM_ERR_DEF);
}

static uint64_t key_of(const ami_field_source_def *def)
{
    am_error err = { 0 };
    am_source *source = NULL;
    check_ok(ami_field_source_create(&source, def, &err), &err);
    const uint64_t key = source->key;
    ami_source_destroy(source);
    return key;
}

static void snapshots_of_other_values_or_weights_have_another_key(void **state)
{
    (void)state;
    ami_field_source_def def = ami_field_source_def_default();
    ami_field_value value = { .head = { .field_hash = field->hash, .every = 1, .gamma = 0.99f }, .task = def.task };
    def.field = field;
    def.value = &value;
    const uint64_t key = key_of(&def);
    assert_true(key_of(&def) == key);
    value.head.steer = 0.1f;
    assert_false(key_of(&def) == key);
    value.head.steer = 0.0f;
    value.head.gamma = 0.9f;
    assert_false(key_of(&def) == key);
    value.head.gamma = 0.99f;
    assert_true(key_of(&def) == key);
    def.value = NULL;
    def.policy = AM_FIELD_GREEDY;
    const uint64_t greedy = key_of(&def);
    def.task.weight += 1.0f;
    assert_false(key_of(&def) == greedy);
}

static void a_task_counts_the_ticks_of_the_field(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_source *source = NULL;
    ami_field *slow = NULL;
    ami_field_def def = ami_field_def_default();
    def.db = db;
    def.fps = 20.0f;
    check_ok(ami_field_create(&slow, &def, &err), &err);
    ami_field_source_def source_def = ami_field_source_def_default();
    source_def.field = slow;
    source_def.policy = AM_FIELD_GREEDY;
    check_ok(ami_field_source_create(&source, &source_def, &err), &err);
    assert_true(source_def.task.fps == 30.0f && slow->fps == 20.0f);
    assert_true(ami_field_source_of(source)->task.fps == 20.0f);
    ami_source_destroy(source);
    ami_field_destroy(slow);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    for (size_t fail = 1; fail < 8; fail++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = fail;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_source *source = NULL;
        am_search_work *work = NULL;
        ami_field_source_def def = ami_field_source_def_default();
        def.alloc = &alloc;
        def.field = field;
        def.policy = AM_FIELD_PASSIVE;
        am_result result = ami_field_source_create(&source, &def, NULL);
        if (result == AM_OK) {
            result = am_source_work_create(&work, source, 1, &alloc, NULL);
        }
        assert_true(result == AM_OK || result == AM_ERR_MEMORY);
        ami_search_work_destroy(work);
        ami_source_destroy(source);
        assert_int_equal(budget.live_count, 0);
    }
}

TEST_SUITE(field_source)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passive_it_stays_near_the_data),
        cmocka_unit_test(passive_it_comes_round_in_the_data_when_it_may_wander),
        cmocka_unit_test(ticks_are_the_same_at_any_rate),
        cmocka_unit_test(poses_between_ticks_lie_on_a_smooth_curve),
        cmocka_unit_test(greedy_it_turns_to_the_target),
        cmocka_unit_test(who_stands_breathes_where_they_are),
        cmocka_unit_test(a_tick_tells_whose_action_it_chose_and_how_near_the_data_are),
        cmocka_unit_test(a_state_is_bytes_that_go_on_the_same),
        cmocka_unit_test(it_goes_on_from_a_foreign_body),
        cmocka_unit_test(who_acts_on_it_changes_where_a_tick_leads),
        cmocka_unit_test(numbers_that_are_none_are_left_behind),
        cmocka_unit_test(defs_that_cannot_work_are_refused),
        cmocka_unit_test(snapshots_of_other_values_or_weights_have_another_key),
        cmocka_unit_test(a_task_counts_the_ticks_of_the_field),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, synth_field_open, synth_field_close);
}

// Motion fields: states and their embedding, exact neighbours, the flow.
#include "base/budget.h"
#include "base/rng.h"
#include "data/database.h"
#include "support/check.h"
#include "support/synth_field.h"

static ami_field_work *work;

static int open_all(void **state)
{
    am_error err = { 0 };
    return synth_field_open(state) == 0 && ami_field_work_create(&work, field, NULL, &err) == AM_OK ? 0 : -1;
}

static int close_all(void **state)
{
    ami_field_work_destroy(work);
    return synth_field_close(state);
}

/// Eq. 1 as printed, from poses of the database.
static double distance_by_hand(int a, int b)
{
    am_transform local[2][2][AM_MAX_JOINTS];
    am_vec3 way[2];
    am_quat turn[2];
    int step = (int)(db->fps / field->fps + 0.5f);
    const int states[2] = { a, b };
    for (int i = 0; i < 2; i++) {
        int f = field->frames[states[i]];
        am_db_pose(db, f, local[i][0]);
        am_db_pose(db, f + step, local[i][1]);
        am_transform root = ami_db_root(db, f);
        am_transform now = am_transform_mul(root, local[i][0][0]);
        am_transform then = am_transform_mul(ami_db_root(db, f + step), local[i][1][0]);
        way[i] = am_quat_unrotate(root.rotation, am_v3_sub(then.translation, now.translation));
        am_quat world = am_quat_mul(then.rotation, am_quat_inv(now.rotation));
        turn[i] = am_quat_mul(am_quat_mul(am_quat_inv(root.rotation), world), root.rotation);
    }
    am_vec3 u = field->axis;
    double sum = 0.5 * (double)am_v3_length2(am_v3_sub(way[0], way[1]));
    sum += 0.5 * (double)am_v3_length2(am_v3_sub(am_quat_rotate(turn[0], u), am_quat_rotate(turn[1], u)));
    for (int j = 1; j < db->joint_count; j++) {
        float scale = field->bone_scale[field->lane[j]];
        for (int t = 0; t < 2; t++) {
            am_vec3 there = am_quat_rotate(local[0][t][j].rotation, u);
            am_vec3 other = am_quat_rotate(local[1][t][j].rotation, u);
            sum += (double)(scale * scale) * (double)am_v3_length2(am_v3_sub(there, other));
        }
    }
    return sum;
}

static void rows_are_as_far_apart_as_equation_1_says(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(1);
    for (int i = 0; i < 500; i++) {
        int a = (int)am_rng_below(&rng, (uint32_t)field->state_count);
        int b = (int)am_rng_below(&rng, (uint32_t)field->state_count);
        double sum = 0.0;
        for (int d = 0; d < field->stride; d++) {
            double diff = (double)ami_field_row(field, a)[d] - (double)ami_field_row(field, b)[d];
            sum += diff * diff;
        }
        check_near(sum, distance_by_hand(a, b), 2e-5 * (1.0 + sum));
    }
}

static void following_one_state_alone_plays_its_clip(void **state)
{
    (void)state;
    int s = 10;
    float x[1024], v[1024], next_x[1024], next_v[1024];
    memcpy(x, ami_field_x(field, s), (size_t)field->pose_count * sizeof *x);
    memcpy(v, ami_field_v(field, s), (size_t)field->velocity_count * sizeof *v);
    for (int i = 0; i < 20; i++, s = field->next[s]) {
        float row[1024];
        ami_field_neighbours near;
        ami_field_embed(field, row, x, v);
        ami_field_search(field, &near, row, 1, NULL, 0, work);
        assert_int_equal(near.state[0], s);
        const float alone[AMI_FIELD_MAX_K] = { 1.0f };
        ami_field_step step = ami_field_integrate(field, next_x, next_v, x, &near, alone);
        check_near(step.turn, ami_field_v(field, s)[2], 1e-5);
        for (int n = 0; n < field->pose_count; n++) {
            check_near(next_x[n], ami_field_x(field, field->next[s])[n], 1e-4);
        }
        memcpy(x, next_x, sizeof x);
        memcpy(v, next_v, sizeof v);
    }
}

/// count queries around a state: its row with noise of a size.
static void make_queries(float *rows, int count, int state, float noise, am_rng *rng)
{
    for (int q = 0; q < count; q++) {
        memcpy(rows + (size_t)q * (size_t)field->stride, ami_field_row(field, state),
               (size_t)field->stride * sizeof *rows);
        for (int d = 0; d < field->dims; d++) {
            rows[(size_t)q * (size_t)field->stride + (size_t)d] += noise * am_rng_normal(rng);
        }
    }
}

static void compare(const ami_field *f, ami_field_work *room, const float *rows, int count, const int32_t *hint,
                    int hint_count)
{
    static ami_field_neighbours fast[80], plain[80];
    memset(fast, 0, sizeof fast);
    memset(plain, 0, sizeof plain);
    ami_field_search(f, fast, rows, count, hint, hint_count, room);
    ami_field_search_reference(f, plain, rows, count);
    assert_memory_equal(fast, plain, sizeof fast);
}

static void searches_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    static float rows[80 * 256];
    am_rng rng = ami_rng_make(2);
    const float noises[] = { 0.0f, 1e-4f, 0.01f, 0.1f, 1.0f, 1e4f, 1e18f };
    const int counts[] = { 1, 2, 15, 16, 70 };
    assert_true(field->stride <= 256);
    for (int n = 0; n < 7; n++) {
        for (int c = 0; c < 5; c++) {
            int s = (int)am_rng_below(&rng, (uint32_t)field->state_count);
            int32_t hint[20];
            for (int i = 0; i < 20; i++) { // some good, some bad, some twice, some none
                hint[i] = i < 15 ? s + i / 2 : i < 18 ? (int32_t)am_rng_below(&rng, 100000) : -1;
            }
            make_queries(rows, counts[c], s, noises[n], &rng);
            compare(field, work, rows, counts[c], NULL, 0);
            compare(field, work, rows, counts[c], hint, 20);
        }
    }
}

static void every_instruction_set_and_every_k_finds_the_same(void **state)
{
    (void)state;
    static float rows[16 * 256];
    static ami_field_neighbours first[16], other[16];
    static const char *const names[] = { "reference", "sse2", "avx2", "neon", "wasm" };
    am_rng rng = ami_rng_make(3);
    make_queries(rows, 16, 333, 0.02f, &rng);
    for (int k = 1; k <= AMI_FIELD_MAX_K; k += 21) {
        for (int i = 0; i < 5; i++) {
            ami_field_def def = ami_field_def_default();
            ami_field *f = NULL;
            ami_field_work *room = NULL;
            def.db = db;
            def.k = k;
            def.kernels = names[i];
            if (ami_field_create(&f, &def, NULL) != AM_OK) {
                continue; // not of this machine
            }
            assert_int_equal(ami_field_work_create(&room, f, NULL, NULL), AM_OK);
            assert_memory_equal(f->rows, field->rows, (size_t)f->state_count * (size_t)f->stride * sizeof(float));
            memset(other, 0, sizeof other);
            ami_field_search(f, i == 0 ? first : other, rows, 16, NULL, 0, room);
            assert_int_equal(first[3].count, k);
            for (int q = 0; q < 16 && i > 0; q++) {
                assert_memory_equal(first[q].state, other[q].state, (size_t)k * sizeof(int32_t));
                assert_memory_equal(first[q].d2, other[q].d2, (size_t)k * sizeof(float));
            }
            ami_field_work_destroy(room);
            ami_field_destroy(f);
        }
    }
}

static void queries_that_are_not_numbers_find_nothing(void **state)
{
    (void)state;
    static float rows[3 * 256];
    ami_field_neighbours near[3];
    am_rng rng = ami_rng_make(4);
    make_queries(rows, 3, 50, 0.01f, &rng);
    rows[field->stride + 7] = NAN;
    ami_field_search(field, near, rows, 3, NULL, 0, work);
    assert_int_equal(near[0].count, field->k);
    assert_int_equal(near[1].count, 0);
    assert_int_equal(near[2].count, field->k);
    rows[field->stride + 7] = INFINITY;
    ami_field_search(field, near, rows + field->stride, 1, NULL, 0, work);
    assert_int_equal(near[0].count, 0);
}

static void weights_follow_the_inverse_square(void **state)
{
    (void)state;
    const float d2[4] = { 0.01f, 0.02f, 0.04f, 0.04f };
    const float same[3] = { 0.0f, 0.0f, 1e-9f };
    const float tiny[2] = { 1e-38f, 1e-37f };
    float w[4], a[4];
    ami_field_weights(w, d2, 4);
    check_near(w[0] / w[1], 2.0, 1e-5);
    check_near(w[1] / w[3], 2.0, 1e-5);
    check_near(w[0] + w[1] + w[2] + w[3], 1.0, 1e-6);
    ami_field_action(a, w, 4, 2);
    check_near(a[2], 1.0 / (2.0 - (double)w[2]), 1e-6);
    check_near(a[0] / a[1], 2.0, 1e-5);
    check_near(a[0] + a[1] + a[2] + a[3], 1.0, 1e-6);
    ami_field_action(a, w, 4, -1);
    check_near(a[2], w[2], 1e-6);
    ami_field_weights(w, same, 3);
    check_near(w[0], 0.5, 0.0);
    check_near(w[2], 0.0, 0.0);
    ami_field_weights(w, tiny, 2);
    check_near(w[0], 10.0 / 11.0, 1e-4);
}

/// The mean rotation by its definition: where the weighted logarithms sum to nothing.
static am_quat iterative_mean(const am_quat *q, const float *w, int count)
{
    am_quat mean = q[0];
    for (int round = 0; round < 50; round++) {
        am_vec3 sum = am_v3_zero();
        for (int i = 0; i < count; i++) {
            am_quat off = am_quat_abs(am_quat_mul(q[i], am_quat_inv(mean)));
            sum = am_v3_add(sum, am_v3_scale(am_quat_log(off), w[i]));
        }
        mean = am_quat_normalize(am_quat_mul(am_quat_exp(sum), mean));
    }
    return mean;
}

static void many_turns_blend_to_their_mean(void **state)
{
    (void)state;
    // What the integration does to displacements of one joint, made up: turns of up to 20 degrees in a tick about any
    // axis, faster than the fastest limb of a run.
    static float y[16 * 512];
    am_rng rng = ami_rng_make(5);
    float worst = 0.0f;
    ami_field made = *field;
    made.delta = 0.0f;
    made.y = y;
    int lane = field->lane[3];
    for (int trial = 0; trial < 200; trial++) {
        ami_field_neighbours near;
        am_quat turns[16];
        float next_x[512], next_v[512], a[AMI_FIELD_MAX_K];
        ami_field_search(field, &near, ami_field_row(field, trial), 1, NULL, 0, work);
        for (int i = 0; i < near.count; i++) {
            am_vec3 axis = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
            axis = am_v3_normalize_or(axis, am_v3(1.0f, 0.0f, 0.0f));
            turns[i] = am_quat_from_axis_angle(axis, am_rng_float(&rng) * 20.0f * AM_DEG);
            near.state[i] = i;
            float *row = y + (size_t)i * (size_t)field->velocity_count;
            memcpy(row, ami_field_y(field, i), (size_t)field->velocity_count * sizeof *row);
            float *q = row + 3 + 3 * db->moving_count + lane;
            q[0] = turns[i].x;
            q[field->lanes] = turns[i].y;
            q[2 * field->lanes] = turns[i].z;
            q[3 * field->lanes] = turns[i].w;
            near.weight[i] = am_rng_float(&rng);
        }
        ami_field_action(a, near.weight, near.count, -1);
        ami_field_integrate(&made, next_x, next_v, ami_field_x(field, trial), &near, a);
        const float *q = next_v + 3 + 3 * db->moving_count + lane;
        am_quat blend = am_q(q[0], q[field->lanes], q[2 * field->lanes], q[3 * field->lanes]);
        worst = am_max(worst, am_quat_angle(blend, iterative_mean(turns, a, near.count)));
    }
    print_message("blend of 15 turns: at most %.4f degrees from the iterative mean\n", (double)(worst / AM_DEG));
    assert_true(worst < 0.1f * AM_DEG && worst > 0.0f);
}

static void actions_together_are_the_actions_one_by_one(void **state)
{
    (void)state;
    static float next_x[AMI_FIELD_MAX_K * 512], next_v[AMI_FIELD_MAX_K * 512], rows[AMI_FIELD_MAX_K * 256];
    ami_field_step steps[AMI_FIELD_MAX_K];
    ami_field_neighbours near;
    float row[256], x[512], v[512], a[AMI_FIELD_MAX_K];
    am_rng rng = ami_rng_make(6);
    make_queries(row, 1, 120, 0.01f, &rng);
    ami_field_search(field, &near, row, 1, NULL, 0, work);
    ami_field_try_all(field, next_x, next_v, rows, steps, ami_field_x(field, 121), &near, work);
    for (int i = 0; i < near.count; i++) {
        ami_field_action(a, near.weight, near.count, i);
        ami_field_step step = ami_field_integrate(field, x, v, ami_field_x(field, 121), &near, a);
        ami_field_embed(field, row, x, v);
        check_near(step.x, steps[i].x, 1e-6);
        check_near(step.turn, steps[i].turn, 1e-6);
        for (int n = 0; n < field->pose_count; n++) {
            check_near(x[n], next_x[i * field->pose_count + n], 1e-5);
        }
        for (int n = 0; n < field->velocity_count; n++) {
            check_near(v[n], next_v[i * field->velocity_count + n], 1e-5);
        }
        for (int n = 0; n < field->stride; n++) {
            check_near(row[n], rows[i * field->stride + n], 1e-5);
        }
    }
    ami_field_try_all(field, NULL, NULL, NULL, steps, ami_field_x(field, 121), &near, work); // some may be left out
}

static void the_nearest_state_pulls_back(void **state)
{
    (void)state;
    float x[512], v[512], row[256];
    ami_field_neighbours near;
    am_transform local[AM_MAX_JOINTS];
    int s = 150;
    ami_field_pose_get(field, local, ami_field_x(field, s));
    local[4].rotation = am_quat_mul(am_quat_from_heading(0.6f), local[4].rotation);
    ami_field_pose_put(field, x, local);
    memcpy(v, ami_field_v(field, s), (size_t)field->velocity_count * sizeof *v);
    float first = 0.0f;
    for (int i = 0; i < 90; i++) {
        ami_field_embed(field, row, x, v);
        ami_field_search(field, &near, row, 1, NULL, 0, work);
        first = i == 0 ? near.d2[0] : first;
        ami_field_integrate(field, x, v, x, &near, near.weight);
    }
    print_message("pushed to %.3f from the data; after 3 s %.3f\n", (double)sqrtf(first), (double)sqrtf(near.d2[0]));
    assert_true(first > 0.01f && near.d2[0] < 0.05f * first);
}

static void contacts_are_voted(void **state)
{
    (void)state;
    ami_field_neighbours near = { .count = 3, .weight = { 0.4f, 0.3f, 0.3f } };
    int with[2] = { -1, -1 }; // a state with the left foot down alone, and one with the right
    for (int s = 0; s < field->state_count; s++) {
        for (int side = 0; side < 2; side++) {
            uint8_t bit = side ? AM_CONTACT_RIGHT : AM_CONTACT_LEFT;
            with[side] = field->contacts[s] == bit ? s : with[side];
        }
    }
    assert_true(with[0] >= 0 && with[1] >= 0);
    near.state[0] = with[0];
    near.state[1] = near.state[2] = with[1];
    assert_int_equal(ami_field_contacts(field, &near), AM_CONTACT_RIGHT);
    near.state[1] = with[0];
    assert_int_equal(ami_field_contacts(field, &near), AM_CONTACT_LEFT);
}

static void poses_and_velocities_are_read_back(void **state)
{
    (void)state;
    am_transform local[AM_MAX_JOINTS], truth[AM_MAX_JOINTS];
    float x[512], half[512], v[512];
    for (int s = 0; s < field->state_count; s += 97) {
        am_db_pose(db, field->frames[s], truth);
        ami_field_pose_get(field, local, ami_field_x(field, s));
        for (int j = 0; j < db->joint_count; j++) {
            assert_true(am_quat_angle(local[j].rotation, truth[j].rotation) < 1e-3f);
            assert_true(am_v3_distance(local[j].translation, truth[j].translation) < 1e-5f);
        }
        if (field->next[s] < 0) {
            continue;
        }
        ami_field_displace(field, x, ami_field_x(field, s), ami_field_v(field, s));
        ami_field_pose_mix(field, half, ami_field_x(field, s), x, 1.0f);
        ami_field_velocity_mix(field, v, ami_field_v(field, s), ami_field_y(field, s), 0.0f);
        for (int n = 0; n < field->pose_count; n++) {
            float there = ami_field_x(field, field->next[s])[n];
            assert_true(am_abs(x[n] - there) < 1e-5f || am_abs(x[n] + there) < 1e-5f);
            check_near(half[n], x[n], 1e-5);
        }
        check_near(v[5], ami_field_v(field, s)[5], 1e-6);
        // All of what there is and then nothing, and two halves of the way.
        float none[512], sum[512];
        ami_field_step stands = { 0.0f, 0.0f, 0.0f };
        ami_field_difference(field, none, ami_field_x(field, s), ami_field_x(field, s), stands);
        ami_field_velocity_add(field, sum, ami_field_v(field, s), none, 1.0f);
        ami_field_velocity_add(field, v, none, ami_field_v(field, s), 0.5f);
        ami_field_velocity_add(field, v, v, ami_field_v(field, s), 0.5f);
        for (int n = 0; n < field->velocity_count; n++) {
            check_near(sum[n], ami_field_v(field, s)[n], 1e-6);
            check_near(v[n], ami_field_v(field, s)[n], 2e-3);
        }
        am_transform root =
            am_transform_mul(ami_db_root(db, field->frames[s]),
                             ami_field_step_transform(ami_field_velocity_step(ami_field_v(field, s))));
        am_transform after = ami_db_root(db, field->frames[field->next[s]]);
        assert_true(am_v3_distance(root.translation, after.translation) < 1e-4f);
        assert_true(am_quat_angle(root.rotation, after.rotation) < 1e-3f);
    }
}

static void thinned_states_lie_apart_and_are_found_exactly(void **state)
{
    (void)state;
    ami_field *thin = NULL;
    ami_field_work *room = NULL;
    am_error err = { 0 };
    ami_field_def def = ami_field_def_default();
    def.db = db;
    def.thin = 0.1f;
    check_ok(ami_field_create(&thin, &def, &err), &err);
    check_ok(ami_field_work_create(&room, thin, NULL, &err), &err);
    assert_true(thin->state_count < field->state_count && thin->state_count > 100);
    assert_true(thin->hash != field->hash);
    for (int s = 0, full = 0; s < thin->state_count; s++) {
        while (field->frames[full] != thin->frames[s]) { // a part of the whole, in its order
            full++;
            assert_true(full < field->state_count);
        }
        assert_int_equal(thin->ranges[s], field->ranges[full]);
        assert_memory_equal(ami_field_row(thin, s), ami_field_row(field, full),
                            (size_t)field->stride * sizeof(float));
        assert_memory_equal(ami_field_y(thin, s), ami_field_y(field, full),
                            (size_t)field->velocity_count * sizeof(float));
        bool last = s + 1 == thin->state_count || thin->ranges[s + 1] != thin->ranges[s];
        assert_int_equal(thin->next[s], last ? -1 : s + 1);
        double d2 = 0.0;
        for (int d = 0; d < thin->dims && !last; d++) {
            double diff = (double)ami_field_row(thin, s)[d] - (double)ami_field_row(thin, s + 1)[d];
            d2 += diff * diff;
        }
        assert_true(last || d2 > 0.0999 * 0.0999);
    }
    am_rng rng = ami_rng_make(7);
    for (int i = 0; i < 50; i++) {
        float row[1024];
        memcpy(row, ami_field_row(thin, (int)am_rng_below(&rng, (uint32_t)thin->state_count)),
               (size_t)thin->stride * sizeof *row);
        row[7] += 0.1f;
        compare(thin, room, row, 1, NULL, 0);
    }
    ami_field_work_destroy(room);
    ami_field_destroy(thin);
}

static void defs_out_of_range_are_refused(void **state)
{
    (void)state;
    ami_field *f = NULL;
    ami_field_def good = ami_field_def_default();
    good.db = db;
    ami_field_def defs[11];
    for (int i = 0; i < 11; i++) {
        defs[i] = good;
    }
    defs[0].cookie = 0;
    defs[1].db = NULL;
    defs[2].fps = 0.0f;
    defs[3].k = 0;
    defs[4].k = AMI_FIELD_MAX_K + 1;
    defs[5].delta = 1.0f;
    defs[6].axis = am_v3(1.0f, 1.0f, 0.0f);
    defs[7].root_weight = -1.0f;
    defs[8].turn_weight = NAN;
    defs[9].kernels = "none";
    defs[10].thin = NAN;
    for (int i = 0; i < 11; i++) {
        am_error err = { 0 };
        check_refused(ami_field_create(&f, &defs[i], &err), AM_ERR_DEF);
        assert_null(f);
        assert_true(err.text[0] != 0);
    }
    check_refused(ami_field_create(&f, NULL, NULL), AM_ERR_DEF);
    am_db without = *db;
    without.has_poses = false;
    good.db = &without;
    check_refused(ami_field_create(&f, &good, NULL), AM_ERR_SUPPORT);
    am_db_range range = db->ranges[0];
    range.stop = range.start + 4;
    am_db brief = *db;
    brief.ranges = &range;
    brief.range_count = 1;
    good.db = &brief;
    check_refused(ami_field_create(&f, &good, NULL), AM_ERR_RANGE);
    ami_field_destroy(NULL);
    ami_field_work_destroy(NULL);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    am_result result = AM_ERR_MEMORY;
    for (size_t fail = 1; result == AM_ERR_MEMORY && fail < 16; fail++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = fail;
        am_alloc alloc = ami_budget_alloc(&budget);
        ami_field *f = NULL;
        ami_field_work *room = NULL;
        ami_field_def def = ami_field_def_default();
        def.db = db;
        def.alloc = &alloc;
        result = ami_field_create(&f, &def, NULL);
        result = result == AM_OK ? ami_field_work_create(&room, f, &alloc, NULL) : result;
        ami_field_work_destroy(room);
        ami_field_destroy(f);
        assert_int_equal(budget.live_count, 0);
    }
    assert_int_equal(result, AM_OK);
}

static void threads_make_the_same_field(void **state)
{
    (void)state;
    am_pool *pool = NULL;
    ami_field *f = NULL;
    assert_int_equal(am_pool_create(&pool, 3, NULL, NULL), AM_OK);
    am_tasks tasks = *am_pool_tasks(pool);
    ami_field_def def = ami_field_def_default();
    def.db = db;
    def.tasks = &tasks;
    assert_int_equal(ami_field_create(&f, &def, NULL), AM_OK);
    assert_true(f->hash == field->hash);
    size_t count = (size_t)f->state_count;
    assert_memory_equal(f->rows, field->rows, count * (size_t)f->stride * sizeof(float));
    assert_memory_equal(f->y, field->y, count * (size_t)f->velocity_count * sizeof(float));
    ami_field_destroy(f);
    am_pool_destroy(pool);
}

TEST_SUITE(field)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_far_apart_as_equation_1_says),
        cmocka_unit_test(following_one_state_alone_plays_its_clip),
        cmocka_unit_test(poses_and_velocities_are_read_back),
        cmocka_unit_test(searches_give_the_bits_of_the_reference),
        cmocka_unit_test(every_instruction_set_and_every_k_finds_the_same),
        cmocka_unit_test(queries_that_are_not_numbers_find_nothing),
        cmocka_unit_test(weights_follow_the_inverse_square),
        cmocka_unit_test(many_turns_blend_to_their_mean),
        cmocka_unit_test(actions_together_are_the_actions_one_by_one),
        cmocka_unit_test(the_nearest_state_pulls_back),
        cmocka_unit_test(contacts_are_voted),
        cmocka_unit_test(thinned_states_lie_apart_and_are_found_exactly),
        cmocka_unit_test(defs_out_of_range_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(threads_make_the_same_field),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

// Motion fields: states and their embedding, exact neighbours, the flow.
#include "support/check.h"
#include "support/synth_db.h"

static am_db *db;
static am_field *field;
static am_field_work *work;

static int open_all(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make(false, &err);
    am_field_def def = am_field_def_default();
    def.db = db;
    return db && am_field_create(&field, &def, &err) == AM_OK &&
                   am_field_work_create(&work, field, NULL, &err) == AM_OK
               ? 0
               : -1;
}

static int close_all(void **state)
{
    (void)state;
    am_field_work_destroy(work);
    am_field_destroy(field);
    am_db_close(db);
    return 0;
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
        am_transform root = am_db_root(db, f);
        am_transform now = am_transform_mul(root, local[i][0][0]);
        am_transform then = am_transform_mul(am_db_root(db, f + step), local[i][1][0]);
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
    am_rng rng = am_rng_make(1);
    for (int i = 0; i < 500; i++) {
        int a = (int)am_rng_below(&rng, (uint32_t)field->state_count);
        int b = (int)am_rng_below(&rng, (uint32_t)field->state_count);
        double sum = 0.0;
        for (int d = 0; d < field->stride; d++) {
            double diff = (double)am_field_row(field, a)[d] - (double)am_field_row(field, b)[d];
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
    memcpy(x, am_field_x(field, s), (size_t)field->pose_count * sizeof *x);
    memcpy(v, am_field_v(field, s), (size_t)field->velocity_count * sizeof *v);
    for (int i = 0; i < 20; i++, s = field->next[s]) {
        float row[1024];
        am_field_neighbours near;
        am_field_embed(field, row, x, v);
        am_field_search(field, &near, row, 1, NULL, 0, work);
        assert_int_equal(near.state[0], s);
        const float alone[AM_FIELD_MAX_K] = { 1.0f };
        am_field_step step = am_field_integrate(field, next_x, next_v, x, &near, alone);
        check_near(step.turn, am_field_v(field, s)[2], 1e-5);
        for (int n = 0; n < field->pose_count; n++) {
            check_near(next_x[n], am_field_x(field, field->next[s])[n], 1e-4);
        }
        memcpy(x, next_x, sizeof x);
        memcpy(v, next_v, sizeof v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_far_apart_as_equation_1_says),
        cmocka_unit_test(following_one_state_alone_plays_its_clip),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

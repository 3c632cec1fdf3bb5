// Where the clips of a motion field end: last states lead on, and a passive field moves like the data for minutes.
#include "support/check.h"
#include "support/synth_field.h"
#include "base/rng.h"

#include <amble/tools/build.h>

enum { most_numbers = 512 };

/// The last state of the range that a state is in.
static int last_of(const ami_field *f, int state)
{
    while (f->next[state] >= 0) {
        state = f->next[state];
    }
    return state;
}

/// How fast the joints of a state turn: the change of its joints' rows from this tick to the next.
static double joint_speed(const ami_field *f, const float *row)
{
    double sum = 0.0;
    for (int i = 6, half = 3 * f->bones; i < 6 + half; i++) {
        sum += ((double)row[i + half] - (double)row[i]) * ((double)row[i + half] - (double)row[i]);
    }
    return sqrt(sum);
}

static double own_speed(const ami_field *f)
{
    double sum = 0.0;
    for (int s = 0; s < f->state_count; s++) {
        sum += joint_speed(f, ami_field_row(f, s));
    }
    return sum / f->state_count;
}

typedef struct flow {
    double speed;         ///< mean of the second half
    double away, far_off; ///< from the data: mean, most
} flow;

/// Passive from a state, with or without the ties of the ends.
static flow play(const ami_field *f, ami_field_work *work, int start, int seconds, bool tied)
{
    float x[most_numbers], v[most_numbers], row[most_numbers];
    ami_field_neighbours near;
    flow out = { 0 };
    int ticks = seconds * (int)f->fps;
    int followed = -1;
    memcpy(x, ami_field_x(f, start), (size_t)f->pose_count * sizeof *x);
    memcpy(v, ami_field_v(f, start), (size_t)f->velocity_count * sizeof *v);
    for (int t = 0; t < ticks; t++) {
        ami_field_embed(f, row, x, v);
        ami_field_search(f, &near, row, 1, NULL, 0, work);
        double away = sqrt((double)near.d2[0]);
        out.away += away / ticks;
        out.far_off = away > out.far_off ? away : out.far_off;
        out.speed += t >= ticks / 2 ? joint_speed(f, row) / (ticks - ticks / 2) : 0.0;
        if (tied) {
            followed = ami_field_go_on(f, &near, row, followed);
        }
        ami_field_integrate(f, x, v, x, &near, near.weight);
    }
    return out;
}

static void the_last_state_of_a_range_leads_to_the_one_most_alike(void **state)
{
    (void)state;
    int ahead = (int)(0.5f * field->fps + 0.5f);
    int ends = 0;
    for (int s = 0; s < field->state_count; s++) {
        int on = field->onward[s];
        if (field->next[s] >= 0) {
            assert_int_equal(on, s);
            continue;
        }
        ends++;
        assert_true(field->ranges[on] != field->ranges[s]);
        assert_true(last_of(field, on) - on >= ahead);
        const float *row = ami_field_row(field, s);
        double best = INFINITY, chosen = 0.0;
        for (int o = 0, last = -1; o < field->state_count; o++) {
            last = o > last ? last_of(field, o) : last;
            double d2 = 0.0;
            for (int d = 0; d < field->dims; d++) {
                double way = (double)row[d] - (double)ami_field_row(field, o)[d];
                d2 += way * way;
            }
            chosen = o == on ? d2 : chosen;
            best = field->ranges[o] != field->ranges[s] && last - o >= ahead ? fmin(best, d2) : best;
        }
        check_near(chosen, best, 1e-5);
    }
    assert_true(ends > 3);
}

static void what_follows_a_last_state_comes_after_the_one_that_stands_for_it(void **state)
{
    (void)state;
    am_error err = { 0 };
    ami_field_work *work = NULL;
    check_ok(ami_field_work_create(&work, field, NULL, &err), &err);
    for (int s = 0; s < field->state_count; s++) {
        if (field->next[s] >= 0) {
            continue;
        }
        ami_field_neighbours near;
        const int on = field->onward[s], then = field->next[on];
        ami_field_search(field, &near, ami_field_row(field, s), 1, NULL, 0, work);
        assert_int_equal(ami_field_go_on(field, &near, ami_field_row(field, s), s - 1), s);
        assert_int_equal(near.state[0], on);
        ami_field_search(field, &near, ami_field_row(field, then), 1, NULL, 0, work);
        assert_int_equal(ami_field_go_on(field, &near, ami_field_row(field, then), s), then); // no tick twice
    }
    ami_field_work_destroy(work);
}

static void who_wanders_keeps_to_another_range_for_a_while(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(5), same = rng;
    const int all = field->state_count, ticks = (int)field->fps;
    int left = 0;
    for (int s = 0; s < all; s += 7) {
        const int to = ami_field_wander(field, ami_field_row(field, s), s, &rng);
        assert_int_equal(ami_field_wander(field, ami_field_row(field, s), s, &same), to);
        if (to == s) { // nothing is near
            continue;
        }
        left++;
        assert_int_equal(to / all, ticks);
        assert_true(field->ranges[to % all] != field->ranges[s]);
        assert_true(last_of(field, to % all) - to % all > ticks / 2);
        // It is kept to whatever is nearer, with the weight of an action, and one tick less after each.
        ami_field_neighbours near = { .count = 2,
                                      .state = { s, s + 1 < all ? s + 1 : s - 1 },
                                      .d2 = { 1e-6f, 1.0f } };
        const int then = ami_field_go_on(field, &near, ami_field_row(field, s), to);
        assert_int_equal(then, field->next[to % all] + (ticks - 1) * all);
        assert_int_equal(near.state[0], field->next[to % all]);
        assert_true(near.weight[0] > 0.49f);
    }
    assert_true(left > 100);
    const float far_off[512] = { 1e3f };
    assert_int_equal(ami_field_wander(field, far_off, 3, &rng), 3);
    assert_int_equal(ami_field_wander(field, far_off, -1, &rng), -1);
}

/// Passive from the last second of every n-th range: by then nothing but its end is ahead.
/// `held`: how slow the slowest is where ends are left alone, of the slowest that goes on.
static void play_all(const ami_field *f, int every, int seconds, double held, double least, double least_mean,
                     double most_away)
{
    am_error err = { 0 };
    ami_field_work *work = NULL;
    check_ok(ami_field_work_create(&work, f, NULL, &err), &err);
    double own = own_speed(f), slowest[2] = { INFINITY, INFINITY }, mean[2] = { 0 }, far_off = 0.0;
    int count = 0, range = 0;
    for (int s = 0; s < f->state_count; s++) {
        if (f->next[s] >= 0 || range++ % every != 0) {
            continue;
        }
        count++;
        for (int tied = 0; tied < 2; tied++) {
            flow w = play(f, work, s - 15 > 0 && f->ranges[s - 15] == f->ranges[s] ? s - 15 : s, seconds, tied != 0);
            slowest[tied] = fmin(slowest[tied], w.speed / own);
            mean[tied] += w.speed / own;
            far_off = tied ? fmax(far_off, w.far_off) : far_off;
        }
    }
    print_message("joints of %d passive fields after %d s, of the data's speed: slowest %.2f, mean %.2f; ends left "
                  "alone: slowest %.2f, mean %.2f; at most %.2f from the data\n",
                  count, seconds / 2, slowest[1], mean[1] / count, slowest[0], mean[0] / count, far_off);
    assert_true(slowest[0] < held * slowest[1]); // some are held at an end
    assert_true(slowest[1] > least);
    assert_true(mean[1] / count > least_mean);
    assert_true(far_off < most_away);
    ami_field_work_destroy(work);
}

static void a_passive_field_moves_on_from_every_end(void **state)
{
    (void)state;
    if (test_quick()) {
        skip();
    }
    play_all(field, 2, 40, 0.5, 0.1, 0.7, 0.5);
}

static void a_passive_field_of_walks_and_turns_keeps_walking(void **state)
{
    (void)state;
    if (test_quick() || !test_data_dir("accad_male1")) {
        skip();
    }
    am_error err = { 0 };
    am_db *walks = NULL;
    ami_field *f = NULL;
    am_build_def build = am_build_def_default();
    build.config_path = AMBLE_SOURCE_DIR "/configs/databases/fields_locomotion.json";
    build.find_set = test_find_set;
    check_ok(am_build(&walks, NULL, &build, &err), &err);
    ami_field_def def = ami_field_def_default();
    def.db = walks;
    check_ok(ami_field_create(&f, &def, &err), &err);
    play_all(f, 1, 40, 1.0, 0.5, 0.75, 0.8); // bent copies lead out of most ends
    ami_field_destroy(f);
    am_db_close(walks);
}

TEST_SUITE(field_ends)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_state_of_a_range_leads_to_the_one_most_alike),
        cmocka_unit_test(what_follows_a_last_state_comes_after_the_one_that_stands_for_it),
        cmocka_unit_test(who_wanders_keeps_to_another_range_for_a_while),
        cmocka_unit_test(a_passive_field_moves_on_from_every_end),
        cmocka_unit_test(a_passive_field_of_walks_and_turns_keeps_walking),
    };
    return cmocka_run_group_tests(tests, synth_field_open, synth_field_close);
}

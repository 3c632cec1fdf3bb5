// Responsive as printed (option as_printed): equation 13 alone weighs the features, and a standing character holds
// the last frame of its clip.
#include "actor/actor.h"
#include "support/world.h"

static void print_it(world *w)
{
    am_error err = { 0 };
    am_settings settings;
    am_actor_get_settings(w->character, &settings);
    settings.as_printed = 1;
    check_ok(am_actor_set(w->character, &settings, &err), &err);
}

/// 3.3.2: "the character maintains the position from the last frame of the clip".
static void a_standing_character_holds_the_last_frame(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    print_it(&w);
    am_intent none = { 0 };
    int last = -1;
    for (int i = 0; i < 60 * 60; i++) {
        am_actor_step(w.character, &none, DT);
        const am_actor_view view = ami_view_of(w.character);
        const am_db_range *range = &shared_db->ranges[am_db_range_of(shared_db, view.output->frame)];
        assert_true(last < 0 || view.output->frame == last);
        last = view.output->frame == range->stop - 1 ? view.output->frame : last;
    }
    assert_true(last >= 0);
    assert_int_equal(activity(&w), AM_ACTIVITY_STAND);
    free_world(&w);
}

/// Eq. 13: 0.8 for every number of the trajectory, heights included, and 0.2 for all others, whatever the activity.
static void equation_13_alone_weighs(void **state)
{
    (void)state;
    static am_schema schema;
    schema = *shared_db->features.schema;
    am_channel *place = schema.channels;
    while (place->kind != AM_FEATURE_TRAJECTORY_POSITION) {
        place++;
    }
    place->axes = 3; // as if its first numbers were x, y, z
    am_db db = *shared_db;
    db.features.schema = &schema;
    float room[3 * (AM_MAX_FEATURES + 8)];
    ami_weights weights;
    ami_weighing how = { .trajectory = 0.8f, .pose = 0.2f, .printed = true };
    ami_weights_set(&weights, room, &db, &how);
    for (int c = 0; c < schema.channel_count; c++) {
        const am_channel *channel = &schema.channels[c];
        bool trajectory =
            channel->kind == AM_FEATURE_TRAJECTORY_POSITION || channel->kind == AM_FEATURE_TRAJECTORY_DIRECTION;
        for (int d = channel->first; d < channel->first + channel->dims; d++) {
            check_near(weights.flat[d], trajectory ? 0.8 : 0.2, 1e-6);
            check_near(weights.high[d], trajectory ? 0.8 : 0.2, 1e-6);
        }
    }
    how.printed = false; // Amble: no heights in ordinary movement
    ami_weights_set(&weights, room, &db, &how);
    check_near(weights.flat[place->first + 1], 0.0, 0.0);
    assert_true(weights.high[place->first + 1] != 0.8f);
}

/// How far the feet of a search's query are from those of the frame that played, in stored units.
static float feet_off(const float *query, int frame)
{
    const am_schema *schema = shared_db->features.schema;
    float off = 0.0f;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        for (int d = channel->first; channel->kind == AM_FEATURE_POSITION && d < channel->first + channel->dims;
             d++) {
            off = am_max(off, am_abs(query[d] - am_db_x(shared_db, frame)[d]));
        }
    }
    return off;
}

/// Starts and stops of sprints; gives the most that queries tell of where planted feet stand, and the fastest body
/// that began to stand.
static void sprint_and_stop(world *w, float *told, float *fastest)
{
    *told = *fastest = 0.0f;
    for (int i = 0; i < 4; i++) {
        am_intent go = { .velocity = { 0.0f, 0.0f, 2.9f } };
        am_intent none = { 0 };
        bool stands = false;
        for (int f = 0; f < 330; f++) {
            int before = ami_view_of(w->character).output->frame;
            am_vec3 from = ami_pose_of(w->character).root.translation;
            am_actor_step(w->character, f < 150 + 7 * i ? &go : &none, DT);
            const am_source_output *out = ami_view_of(w->character).output;
            if (out->searched && f > 0) {
                int last = shared_db->ranges[am_db_range_of(shared_db, before)].stop - 1;
                float off = feet_off(out->query, before);
                *told = am_max(*told, am_min(off, feet_off(out->query, before < last ? before + 1 : before)));
            }
            bool now = activity(w) == AM_ACTIVITY_STAND;
            if (now && !stands && f > 150) {
                float moved = am_v3_distance(ami_pose_of(w->character).root.translation, from);
                *fastest = am_max(*fastest, moved / DT);
            }
            stands = now;
        }
    }
}

/// What Amble adds for feet and brakes is left out: the query has the playing frame's own feet, and a runner stands
/// as soon as its target does.
static void feet_and_brakes_are_left_out(void **state)
{
    (void)state;
    float told[2], fastest[2];
    for (int printed = 0; printed < 2; printed++) {
        world w;
        make_world(&w);
        if (printed) {
            print_it(&w);
        }
        sprint_and_stop(&w, &told[printed], &fastest[printed]);
        free_world(&w);
    }
    assert_true(told[0] > 0.1f && told[1] < 1e-4f);
    assert_true(fastest[1] > fastest[0] + 0.3f);
}

TEST_SUITE(responsive)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_standing_character_holds_the_last_frame),
        cmocka_unit_test(equation_13_alone_weighs),
        cmocka_unit_test(feet_and_brakes_are_left_out),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

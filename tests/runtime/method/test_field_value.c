// Value functions of motion fields: anchors, lookup against plain arithmetic, policies, and files that are refused.
#include "support/check.h"
#include "support/refuse.h"

#include <math.h>

#include "method/field_source.h"
#include "base/rng.h"
#include "net/build.h"

enum { most_states = 64 };

/// A field of which only the states' ranges matter, and a value function over it.
typedef struct world {
    am_db db;
    ami_field field;
    int32_t ranges[most_states];
    ami_field_task task;
    float values[most_states * 18];
    int anchors, every;
} world;

static void make(world *w, const int *lengths, int count, int every)
{
    memset(w, 0, sizeof *w);
    w->db.hash = 0x1234;
    for (int r = 0; r < count; r++) {
        for (int i = 0; i < lengths[r]; i++) {
            w->ranges[w->field.state_count++] = r;
        }
    }
    w->field.db = &w->db;
    w->field.ranges = w->ranges;
    w->field.k = 3;
    w->field.hash = 0x5678;
    w->every = every;
    w->anchors = ami_field_anchors(&w->field, every, NULL, NULL, NULL);
    assert_true(ami_field_task_find(&w->task, "direction"));
    am_rng rng = ami_rng_make(5);
    for (int i = 0; i < w->anchors * 18; i++) {
        w->values[i] = am_rng_range(&rng, -60.0f, -5.0f);
    }
}

static am_model *pack_at_cost(const world *w, am_net_weights numbers, float steer, float cost)
{
    am_bytes bytes;
    am_error err = { 0 };
    const ami_field_value_head head = {
        .numbers = (uint32_t)numbers, .gamma = 0.9f, .every = w->every, .steer = steer, .steer_cost = cost
    };
    check_ok(ami_field_value_pack(&bytes, &head, &w->task, &w->field, w->values, NULL, &err), &err);
    char name[AM_NET_NAME_SIZE];
    ami_field_value_name(name, w->task.name, w->every);
    const am_model_blob blob = { name, bytes.data, bytes.size };
    const am_net_graph *none[1] = { NULL };
    am_model_def def = ami_model_def_default();
    def.graphs = none;
    def.attachments = &blob;
    def.attachment_count = 1;
    am_model *model = NULL;
    check_ok(am_model_create(&model, &def, &err), &err);
    am_bytes_free(&bytes);
    return model;
}

static am_model *pack(const world *w, am_net_weights numbers, float steer)
{
    return pack_at_cost(w, numbers, steer, 0.0f);
}

static am_result open_value(ami_field_value **out, const am_model *model, const world *w, const am_alloc *alloc,
                            am_error *err)
{
    ami_field_value_def def = ami_field_value_def_default();
    def.model = model;
    def.field = &w->field;
    def.task = "direction";
    def.alloc = alloc;
    return ami_field_value_create(out, &def, err);
}

// ---------------------------------------------------------------------------------------------
// Anchors

static void anchors_stand_at_both_ends_and_evenly_between(void **state)
{
    (void)state;
    static const int lengths[] = { 31, 1, 2, 9, 16 };
    world w;
    make(&w, lengths, 5, 10);
    int32_t anchor[most_states], at[most_states];
    float share[most_states];
    const int count = ami_field_anchors(&w.field, 10, anchor, share, at);
    assert_int_equal(count, 4 + 1 + 2 + 2 + 3);
    const int expected[] = { 0, 10, 20, 30, 31, 32, 33, 34, 42, 43, 50, 58 };
    for (int i = 0; i < count; i++) {
        assert_int_equal(at[i], expected[i]);
        assert_int_equal(anchor[at[i]], i);
        check_near(share[at[i]], 0.0, 0.0);
    }
    for (int s = 0; s < w.field.state_count; s++) {
        assert_true(share[s] >= 0.0f && share[s] < 1.0f);
        if (share[s] > 0.0f) { // what lies between two is as far from them as its share says
            const int a = at[anchor[s]], b = at[anchor[s] + 1];
            assert_int_equal(w.ranges[a], w.ranges[b]);
            check_near((float)a + share[s] * (float)(b - a), s, 1e-5);
        } else {
            assert_int_equal(at[anchor[s]], s);
        }
    }
    assert_int_equal(ami_field_anchors(&w.field, 1, anchor, share, at), w.field.state_count);
    for (int s = 0; s < w.field.state_count; s++) {
        assert_true(anchor[s] == s && share[s] == 0.0f);
    }
}

// ---------------------------------------------------------------------------------------------
// Lookup

/// The value of a state in a cell, by the definition.
static double plain(const world *w, int state, int cell)
{
    int32_t anchor[most_states];
    float share[most_states];
    ami_field_anchors(&w->field, w->every, anchor, share, NULL);
    const double a = (double)w->values[anchor[state] * 18 + cell], t = (double)share[state];
    return t > 0.0 ? (1.0 - t) * a + t * (double)w->values[(anchor[state] + 1) * 18 + cell] : a;
}

static void values_are_interpolated_over_neighbours_time_and_angle(void **state)
{
    (void)state;
    static const int lengths[] = { 23, 17 };
    for (int numbers = AM_NET_FP32; numbers <= AM_NET_FP16; numbers++) {
        world w;
        make(&w, lengths, 2, numbers == AM_NET_FP32 ? 1 : 7);
        am_model *model = pack(&w, (am_net_weights)numbers, 0.0f);
        ami_field_value *value = NULL;
        am_error err = { 0 };
        check_ok(open_value(&value, model, &w, NULL, &err), &err);
        const ami_field_neighbours near = { .count = 3, .state = { 3, 22, 30 }, .weight = { 0.5f, 0.3f, 0.2f } };
        // 25 degrees: a quarter of the way from the cell of 20 degrees to that of 40.
        const float theta = 25.0f * AM_DEG;
        double wanted = 0.0;
        for (int i = 0; i < 3; i++) {
            wanted +=
                (double)near.weight[i] * (0.75 * plain(&w, near.state[i], 10) + 0.25 * plain(&w, near.state[i], 11));
        }
        check_near(ami_field_value_at(value, &near, &theta), wanted, numbers == AM_NET_FP32 ? 1e-4 : 0.03);
        ami_field_value_destroy(value);
        am_model_close(model);
    }
}

static void lookahead_weighs_the_future_and_greedy_does_not(void **state)
{
    (void)state;
    static const int lengths[] = { 20 };
    world w;
    make(&w, lengths, 1, 1);
    for (int i = 0; i < w.anchors * 18; i++) {
        w.values[i] = i / 18 == 5 ? -1.0f : -50.0f; // state 5 is the place to be
    }
    am_model *model = pack(&w, AM_NET_FP32, 0.0f);
    ami_field_value *value = NULL;
    am_error err = { 0 };
    check_ok(open_value(&value, model, &w, NULL, &err), &err);
    ami_field_step steps[4] = { { .turn = 0.2f }, { .turn = 0.0f }, { .turn = 0.1f }, { .turn = 0.2f } };
    ami_field_neighbours near[4] = { 0 };
    for (int i = 0; i < 4; i++) {
        near[i] = (ami_field_neighbours){ .count = 1, .state = { i == 1 ? 5 : i }, .weight = { 1.0f } };
    }
    const float theta = 0.5f;
    ami_field_worth worth[4];
    assert_int_equal(ami_field_choose(&w.task, value, &theta, steps, near, 4, worth), 1);
    check_near(worth[1].reward, -0.5, 1e-5);
    check_near(worth[1].value, -0.9, 1e-5);
    check_near(worth[0].reward + worth[0].value, -0.3 - 45.0, 1e-4);
    assert_int_equal(ami_field_choose(&w.task, NULL, &theta, steps, NULL, 4, worth),
                     0); // the lower of two equal ones
    check_near(worth[3].reward, worth[0].reward, 0.0);
    check_near(worth[0].value, 0.0, 0.0);
    steps[0].turn = NAN;
    assert_int_equal(ami_field_choose(&w.task, NULL, &theta, steps, NULL, 4, NULL), 3);
    assert_int_equal(ami_field_choose(&w.task, NULL, &theta, steps, NULL, 1, NULL), -1);
    ami_field_value_destroy(value);
    am_model_close(model);
}

static void steering_turns_the_chosen_step_towards_the_target(void **state)
{
    (void)state;
    static const int lengths[] = { 20 };
    world w;
    make(&w, lengths, 1, 1);
    for (int i = 0; i < w.anchors * 18; i++) {
        w.values[i] = -5.0f;
    }
    am_model *model = pack(&w, AM_NET_FP16, 0.1f);
    ami_field_value *value = NULL;
    am_error err = { 0 };
    check_ok(open_value(&value, model, &w, NULL, &err), &err);
    const ami_field_neighbours near[2] = { { .count = 1, .state = { 1 }, .weight = { 1.0f } },
                                           { .count = 1, .state = { 2 }, .weight = { 1.0f } } };
    ami_field_step steps[2] = { { .turn = -0.2f }, { .turn = 0.05f } };
    float theta = 0.5f;
    assert_int_equal(ami_field_choose(&w.task, value, &theta, steps, near, 2, NULL), 1);
    check_near(steps[1].turn, 0.15, 1e-6);
    check_near(steps[0].turn, -0.2, 1e-7);
    theta = -0.31f;
    assert_int_equal(ami_field_choose(&w.task, value, &theta, steps, near, 2, NULL), 0);
    check_near(steps[0].turn, -0.3, 1e-6);
    theta = -0.3f; // there already: straight on
    assert_int_equal(ami_field_choose(&w.task, value, &theta, steps, near, 2, NULL), 0);
    check_near(steps[0].turn, -0.3, 1e-6);
    ami_field_value_destroy(value);
    am_model_close(model);
}

static void steering_that_costs_more_than_it_gains_is_left(void **state)
{
    (void)state;
    static const int lengths[] = { 20 };
    static const float costs[2] = { 0.5f, 1.5f }; // a radian nearer gains one, for a tick
    for (int i = 0; i < 2; i++) {
        world w;
        make(&w, lengths, 1, 1);
        for (int k = 0; k < w.anchors * 18; k++) {
            w.values[k] = -5.0f;
        }
        am_model *model = pack_at_cost(&w, AM_NET_FP32, 0.1f, costs[i]);
        ami_field_value *value = NULL;
        am_error err = { 0 };
        check_ok(open_value(&value, model, &w, NULL, &err), &err);
        const ami_field_neighbours near = { .count = 1, .state = { 1 }, .weight = { 1.0f } };
        ami_field_step step = { .turn = 0.05f };
        const float theta = 0.5f;
        ami_field_worth worth;
        assert_int_equal(ami_field_choose(&w.task, value, &theta, &step, &near, 1, &worth), 0);
        check_near(step.turn, i == 0 ? 0.15 : 0.05, 1e-6);
        check_near(worth.reward, i == 0 ? -0.35 - 0.05 : -0.45, 1e-5);
        ami_field_value_destroy(value);
        am_model_close(model);
    }
    world w;
    make(&w, lengths, 1, 1);
    am_model *model = pack_at_cost(&w, AM_NET_FP32, 0.1f, -1.0f);
    ami_field_value *value = NULL;
    check_refused(open_value(&value, model, &w, NULL, NULL), AM_ERR_FORMAT);
    am_model_close(model);
}

static void who_shall_stand_does_not_creep(void **state)
{
    (void)state;
    ami_field_task task, point;
    assert_true(ami_field_task_find(&task, "speed") && ami_field_task_find(&point, "point"));
    const float as_is[2] = { 0.0f, 0.0f }, aside[2] = { 20.0f * AM_DEG, 0.0f }, nearly[2] = { -1.0f * AM_DEG, 0.0f };
    const ami_field_step creep = { 0.0f, 0.03f / 30.0f, 0.01f }, step = { 0.0f, 0.3f / 30.0f, 0.01f };
    const uint32_t one = AM_CONTACT_LEFT, both = AM_CONTACT_LEFT | AM_CONTACT_RIGHT;
    check_near(ami_field_settle(&task, as_is, step, both).z, 0.3 / 30.0, 1e-7); // has yet to come to rest
    ami_field_step left = ami_field_settle(&task, as_is, creep, one);
    check_near(left.z, 0.04 * 0.03 / 30.0, 1e-7); // (0.03 / 0.15)^2 of it
    check_near(left.turn, 0.04 * 0.01, 1e-7);
    left = ami_field_settle(&task, as_is, creep, both);
    check_near(left.z, 0.0, 0.0);
    check_near(left.turn, 0.0, 0.0);
    // A desired facing is turned to, and not beyond; the root stays.
    left = ami_field_settle(&task, aside, creep, both);
    check_near(left.z, 0.0, 0.0);
    check_near(left.turn, 0.01, 1e-7);
    check_near(ami_field_settle(&task, nearly, creep, both).turn, 0.25 * 0.01, 1e-7);
    check_near(ami_field_settle(&point, aside, creep, both).turn, 0.0, 0.0); // there theta is a place
}

// ---------------------------------------------------------------------------------------------
// Files

static void value_functions_of_others_are_refused(void **state)
{
    (void)state;
    static const int lengths[] = { 20 };
    world w, other;
    make(&w, lengths, 1, 1);
    am_model *model = pack(&w, AM_NET_FP16, 0.0f);
    ami_field_value *value = NULL;
    am_error err = { 0 };
    other = w;
    other.field.db = &other.db;
    other.field.ranges = other.ranges;
    other.db.hash++;
    check_refused(open_value(&value, model, &other, NULL, &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "was trained on database"));
    other.db.hash = w.db.hash;
    other.field.hash++;
    check_refused(open_value(&value, model, &other, NULL, &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "other settings"));
    ami_field_value_def def = ami_field_value_def_default();
    def.model = model;
    def.field = &w.field;
    def.task = "line";
    check_refused(ami_field_value_create(&value, &def, &err), AM_ERR_KEY);
    def.task = "direction";
    def.every = 10;
    check_refused(ami_field_value_create(&value, &def, &err), AM_ERR_KEY);
    def.every = -1;
    check_refused(ami_field_value_create(&value, &def, &err), AM_ERR_DEF);
    ami_field_def field = ami_field_def_default();
    assert_true(ami_field_value_field(&field, model));
    assert_int_equal(field.k, 3);
    am_model_close(model);
}

static void values_that_are_none_or_too_great_are_not_stored(void **state)
{
    (void)state;
    static const int lengths[] = { 20 };
    world w;
    make(&w, lengths, 1, 1);
    am_bytes bytes;
    am_error err = { 0 };
    ami_field_value_head head = { .numbers = AM_NET_FP16, .gamma = 0.9f, .every = 1 };
    w.values[40] = NAN;
    check_refused(ami_field_value_pack(&bytes, &head, &w.task, &w.field, w.values, NULL, &err), AM_ERR_NUMBER);
    w.values[40] = 1e7f;
    check_refused(ami_field_value_pack(&bytes, &head, &w.task, &w.field, w.values, NULL, &err), AM_ERR_RANGE);
    head.every = 0;
    check_refused(ami_field_value_pack(&bytes, &head, &w.task, &w.field, w.values, NULL, &err), AM_ERR_DEF);
}

/// Opens a value function out of the bytes of its attachment, whole or damaged.
static am_result read(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    const am_model_blob blob = { "value.direction.x7", data, size };
    const am_net_graph *none[1] = { NULL };
    am_model_def def = ami_model_def_default();
    def.graphs = none;
    def.attachments = &blob;
    def.attachment_count = 1;
    def.alloc = alloc;
    am_model *model = NULL;
    ami_field_value *value = NULL;
    am_error err = { 0 };
    if (size == 0) {
        return refuse_checked(AM_ERR_TRUNCATED,
                              &(am_error){ .code = AM_ERR_TRUNCATED, .offset = -1, .text = "empty" });
    }
    am_result result = am_model_create(&model, &def, &err);
    if (result == AM_OK) {
        result = open_value(&value, model, user, alloc, &err);
    }
    if (result == AM_OK) {
        const ami_field_neighbours near = { .count = 2, .state = { 0, 39 }, .weight = { 0.5f, 0.5f } };
        for (float angle = -4.0f; angle < 4.0f; angle += 0.5f) {
            const float worth = ami_field_value_at(value, &near, &angle);
            assert_true(worth - worth == 0.0f);
        }
    }
    ami_field_value_destroy(value);
    am_model_close(model);
    return refuse_checked(result, &err);
}

static void damaged_value_functions_are_refused(void **state)
{
    (void)state;
    static const int lengths[] = { 23, 17 };
    world w;
    make(&w, lengths, 2, 7);
    am_bytes bytes;
    am_error err = { 0 };
    const ami_field_value_head head = { .numbers = AM_NET_FP16, .gamma = 0.9f, .every = 7 };
    check_ok(ami_field_value_pack(&bytes, &head, &w.task, &w.field, w.values, NULL, &err), &err);
    const refuse_counts counts = refuse_loop(read, &w, bytes.data, bytes.size, NULL);
    assert_true(counts.refused_truncations > 400 && counts.refused_flips > 200 && counts.failed_allocations > 4);
    am_bytes_free(&bytes);
}

/// Two recipes say the same, comments and blanks aside.
static bool same(const am_json *a, const am_json *b)
{
    if (!a || !b) {
        return !a && !b;
    }
    const bool texts = !a->string || !b->string ? !a->string && !b->string : strcmp(a->string, b->string) == 0;
    const bool keys = !a->key || !b->key ? !a->key && !b->key : strcmp(a->key, b->key) == 0;
    return keys && texts && a->type == b->type && a->number == b->number && a->boolean == b->boolean &&
           same(a->first, b->first) && same(a->next, b->next);
}

static void check_recipe(const char *model_path, const char *config_path)
{
    am_error err = { 0 };
    am_model *model = NULL;
    am_json_doc *own = NULL, *config = NULL;
    check_ok(am_model_open(&model, model_path, NULL, &err), &err);
    check_ok(am_json_parse(&own, model->recipe, strlen(model->recipe), "its recipe", NULL, &err), &err);
    check_ok(am_json_parse_file(&config, config_path, NULL, &err), &err);
    assert_true(same(am_json_root(own), am_json_root(config)));
    int stages = 0;
    for (const am_json *s = am_json_get(am_json_root(config), "stages")->first; s; s = s->next, stages++) {
        assert_true(ami_field_value_has(model, am_json_get(s, "task")->string));
    }
    assert_true(stages >= 4);
    am_json_free(own);
    am_json_free(config);
    am_model_close(model);
}

static void value_functions_that_ship_are_those_of_their_recipes(void **state)
{
    (void)state;
    check_recipe(AMBLE_SOURCE_DIR "/models/fields_page.amnet", AMBLE_SOURCE_DIR "/configs/recipes/fields_page.json");
    check_recipe(AMBLE_SOURCE_DIR "/models/fields_synth.amnet",
                 AMBLE_SOURCE_DIR "/configs/recipes/fields_synth.json");
}

TEST_SUITE(field_value)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anchors_stand_at_both_ends_and_evenly_between),
        cmocka_unit_test(values_are_interpolated_over_neighbours_time_and_angle),
        cmocka_unit_test(lookahead_weighs_the_future_and_greedy_does_not),
        cmocka_unit_test(steering_turns_the_chosen_step_towards_the_target),
        cmocka_unit_test(steering_that_costs_more_than_it_gains_is_left),
        cmocka_unit_test(who_shall_stand_does_not_creep),
        cmocka_unit_test(value_functions_of_others_are_refused),
        cmocka_unit_test(values_that_are_none_or_too_great_are_not_stored),
        cmocka_unit_test(damaged_value_functions_are_refused),
        cmocka_unit_test(value_functions_that_ship_are_those_of_their_recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

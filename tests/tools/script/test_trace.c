// Traces say why, for every method: what was compared adds up, and what was taken is the best of it.
#include "support/world.h"

typedef void look(const am_json *line);

/// The sum of an object's numbers.
static double sum_of(const am_json *object)
{
    double sum = 0.0;
    for (const am_json *item = object->first; item; item = item->next) {
        sum += item->number;
    }
    return sum;
}

/// A number of a line, or `otherwise` where it has none or null.
static double number_of(const am_json *object, const char *key, double otherwise)
{
    const am_json *value = am_json_get(object, key);
    return value && value->type == AM_JSON_NUMBER ? value->number : otherwise;
}

static bool is_true(const am_json *line, const char *key)
{
    const am_json *value = am_json_get(line, key);
    return value && value->type == AM_JSON_BOOL && value->boolean;
}

static int seen; // lines that a look took into account

/// Plays twelve seconds of turns and looks at each line of the trace that searched.
static void trace(const char *head, const am_db *db, look *at)
{
    char text[1024];
    am_error err = { 0 };
    am_run_script s;
    snprintf(text, sizeof text,
             "{%s, \"seconds\": 12, \"characters\": [{\"keys\": [{\"t\": 0.5, \"down\": [\"W\"]}, {\"t\": 4, "
             "\"down\": [\"A\"]}, {\"t\": 8, \"down\": [\"S\", \"Shift\"]}]}]}",
             head);
    check_ok(am_run_parse(&s, text, strlen(text), AMBLE_SOURCE_DIR "/run.json", NULL, &err), &err);
    s.options.settings.candidates = AM_MAX_CANDIDATES;
    am_run_def def = am_run_def_default();
    def.script = &s;
    def.db = db;
    am_run *run = NULL;
    check_ok(am_run_create(&run, &def, &err), &err);
    seen = 0;
    while (am_run_step(run)) {
        am_bytes line = { 0 };
        am_run_sample sample = am_run_get_sample(run, 0);
        check_ok(am_run_trace(&line, run, &sample, &err), &err);
        am_json_doc *doc = NULL;
        check_ok(am_json_parse(&doc, (const char *)line.data, line.size, "line", NULL, &err), &err);
        if (is_true(am_json_root(doc), "searched")) {
            at(am_json_root(doc));
        }
        am_json_free(doc);
        am_bytes_free(&line);
    }
    am_run_destroy(run);
    am_run_script_free(&s);
}

/// The frame jumped to, or playing on, has the smallest total of all that have one.
static void the_cheapest_is_taken(const am_json *line)
{
    const am_json *candidates = am_json_get(line, "candidates");
    double stay = number_of(line, "stay_total", INFINITY);
    bool jumps = is_true(line, "transition");
    if (!candidates->first || is_true(line, "softened")) {
        return;
    }
    double taken = jumps ? number_of(candidates->first, "total", INFINITY) : stay;
    assert_true(taken < INFINITY && taken <= stay);
    for (const am_json *c = candidates->first; c; c = c->next) {
        assert_true(taken <= number_of(c, "total", INFINITY));
    }
    check_near(sum_of(am_json_get(line, "costs")), number_of(line, "cost", 0.0), 1e-3);
    seen++;
}

static void matching_lists_what_it_compared(void **state)
{
    (void)state;
    trace("\"database\": \"-\", \"controller\": \"match\"", shared_db, the_cheapest_is_taken);
    assert_true(seen > 30);
}

static void looking_ahead_lists_sums_over_the_levels(void **state)
{
    (void)state;
    trace("\"database\": \"-\", \"controller\": \"long-horizon\"", shared_db, the_cheapest_is_taken);
    assert_true(seen > 30);
}

/// Reward and value make the total, the largest is taken, and the parts of the distance add up.
static void the_worthiest_is_taken(const am_json *line)
{
    const am_json *candidates = am_json_get(line, "candidates");
    double taken = number_of(candidates->first, "total", -INFINITY);
    for (const am_json *c = candidates->first; c; c = c->next) {
        double total = number_of(c, "total", INFINITY);
        check_near(number_of(c, "reward", NAN) + number_of(c, "value", NAN), total, 1e-4);
        assert_true(taken >= total);
    }
    double cost = number_of(line, "cost", NAN);
    check_near(sum_of(am_json_get(line, "costs")), cost, 1e-4 + 1e-3 * cost);
    seen++;
}

static void a_field_lists_rewards_and_values(void **state)
{
    (void)state;
    trace("\"database\": \"-\", \"controller\": \"field\", \"options\": {\"policy\": \"greedy\"}", shared_db,
          the_worthiest_is_taken);
    assert_true(seen > 100);
}

/// The features' distances from what was asked add up to the whole.
static void the_answer_is_compared_by_feature(const am_json *line)
{
    const am_json *costs = am_json_get(line, "costs");
    if (costs) {
        double cost = number_of(line, "cost", NAN);
        assert_true(costs->count > 5);
        check_near(sum_of(costs), cost, 1e-3 * (1.0 + cost));
        seen++;
    }
}

static void networks_say_how_far_their_answer_is(void **state)
{
    (void)state;
    trace("\"model\": \"models/locomotion.amnet\", \"controller\": \"learned\"", NULL,
          the_answer_is_compared_by_feature);
    assert_true(seen > 30);
}

TEST_SUITE(trace)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_lists_what_it_compared),
        cmocka_unit_test(looking_ahead_lists_sums_over_the_levels),
        cmocka_unit_test(a_field_lists_rewards_and_values),
        cmocka_unit_test(networks_say_how_far_their_answer_is),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

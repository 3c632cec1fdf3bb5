// Samples of training controls: what is listed and measured, as text and as JSON.
#include "tools/control/clips_db.h"

#include <amble/tools/controls.h>

static const char *const schema_text =
    "{'name': 'try', 'control': {'and': {'go': {'or': {'stand': 'null', 'walk': {'and': {'target': 'location', "
    "'facing': "
    "{'optional': 'direction'}}}}}, 'path': {'array': {'and': {'position': 'location'}}, 'most': 3}, 'style': "
    "{'one_of': "
    "['sober', 'drunk']}, 'how': {'some_of': ['fast', 'late']}, 'turned': 'rotation', 'sure': 'bool'}}}";
// At 0.5 s of 01_02 alone, which runs along +x at 2 m/s.
static const char *const controls_text = "{'training': {'where': 'now > 0.49 and now < 0.51', 'exclude': ['01_01', "
                                         "'01_02_m', '02_01'], 'set': {'go': {'choose': "
                                         "{'walk': {'draw': {'faced': 'chance(0.5)'}, 'set': {'target': "
                                         "'position(root, now + 0.5) + vec(0, uniform(0, 2), 0)', "
                                         "'facing': {'when': 'faced', 'value': 'facing(root, now)'}}}}}, 'path': "
                                         "{'count': 2, 'item': {'set': {'position': "
                                         "'position(root, now + i)'}}}, 'style': 'tag_of()', 'how': {'flags': "
                                         "{'fast': true}}, 'turned': 'rotation(root, now) * "
                                         "turn(pi / 6)', 'sure': 'chance(0.25)'}}}";

typedef struct shown {
    am_control_schema *schema;
    char *controls;
    am_control_samples *samples;
} shown;

static am_control_samples_def def_of(const shown *s)
{
    am_control_samples_def def;
    am_control_samples_def_init(&def);
    def.schema = s->schema;
    def.db = clips;
    def.controls = s->controls;
    def.controls_size = strlen(s->controls);
    def.file = "try.json";
    def.count = 3;
    def.measured = 4000;
    return def;
}

static shown open_shown(void)
{
    shown s = { .schema = clips_schema(schema_text) };
    const char *quoted = clips_text(controls_text);
    s.controls = malloc(strlen(quoted) + 1);
    strcpy(s.controls, quoted);
    am_control_samples_def def = def_of(&s);
    am_error err = { 0 };
    check_ok(am_control_samples_create(&s.samples, &def, &err), &err);
    return s;
}

static void close_shown(shown *s)
{
    am_control_samples_destroy(s->samples);
    am_control_schema_destroy(s->schema);
    free(s->controls);
}

static const am_json *part_of(const am_json *root, const char *path)
{
    for (const am_json *part = am_json_get(root, "parts")->first; part; part = part->next) {
        if (strcmp(am_json_get(part, "path")->string, path) == 0) {
            return part;
        }
    }
    fail_msg("no part %s", path);
    return NULL;
}

static double number_of(const am_json *part, const char *key, int i)
{
    const am_json *item = am_json_get(part, key)->first;
    while (i-- > 0) {
        item = item->next;
    }
    return item->number;
}

static am_json_doc *describe(const am_control_samples *samples)
{
    am_json_writer *writer = NULL;
    am_error err = { 0 };
    check_ok(am_json_writer_create(&writer, 0, NULL, &err), &err);
    am_json_begin_object(writer, NULL);
    am_control_samples_describe(writer, samples);
    am_json_end_object(writer);
    size_t size = 0;
    const char *text = am_json_text(writer, &size);
    am_json_doc *doc = NULL;
    check_ok(am_json_parse(&doc, text, size, "samples", NULL, &err), &err);
    am_json_writer_destroy(writer);
    return doc;
}

static void statistics_are_those_of_the_draws(void **state)
{
    (void)state;
    shown s = open_shown();
    am_json_doc *doc = describe(s.samples);
    const am_json *root = am_json_root(doc);
    assert_int_equal((int)am_json_get(root, "frames")->number, 1);
    assert_int_equal((int)am_json_get(root, "measured")->number, 4000);
    check_near(am_json_get(root, "accepted")->number, 1.0, 0.0);
    const am_json *target = part_of(root, "go.walk.target"), *facing = part_of(root, "go.walk.facing");
    check_near(am_json_get(target, "there")->number, 1.0, 0.0);
    // 1 m ahead; y drawn between 0 and 2
    check_near(number_of(target, "mean", 0), 0.0, 1e-3);
    check_near(number_of(target, "mean", 1), 1.0, 0.05);
    check_near(number_of(target, "mean", 2), 1.0, 1e-3);
    check_near(number_of(target, "deviation", 1), 2.0 / sqrt(12.0), 0.02);
    check_near(number_of(target, "deviation", 2), 0.0, 1e-3);
    assert_true(number_of(target, "least", 1) < 0.02 && number_of(target, "most", 1) > 1.98);
    check_near(am_json_get(facing, "there")->number, 0.5, 0.04);
    check_near(number_of(facing, "mean", 2), 1.0, 1e-4);
    const am_json *points = part_of(root, "path[*].position");
    check_near(am_json_get(points, "there")->number, 2.0, 0.0); // two items in each
    check_near(number_of(points, "mean", 2), 1.0, 1e-3);        // of 0 m and 2 m
    check_near(number_of(part_of(root, "path"), "mean", 0), 2.0, 0.0);
    check_near(number_of(part_of(root, "turned"), "mean", 0), 30.0, 1e-2);
    const am_json *names = am_json_get(part_of(root, "style"), "names");
    assert_int_equal((int)am_json_get(names, "drunk")->number, 4000);
    assert_int_equal((int)am_json_get(am_json_get(part_of(root, "how"), "names"), "fast")->number, 4000);
    assert_int_equal((int)am_json_get(am_json_get(part_of(root, "go"), "names"), "stand")->number, 0);
    check_near(am_json_get(am_json_get(part_of(root, "sure"), "names"), "true")->number / 4000.0, 0.25, 0.03);
    am_json_free(doc);
    close_shown(&s);
}

static void samples_say_where_they_come_from(void **state)
{
    (void)state;
    shown s = open_shown();
    am_control_sample one;
    assert_true(am_control_samples_get(s.samples, 2, &one));
    assert_false(am_control_samples_get(s.samples, 3, &one));
    assert_false(am_control_samples_get(s.samples, -1, &one));
    assert_string_equal(one.clip, "01_02");
    check_near(one.now_s, 0.5, 1e-6);
    check_near(one.earliest_s, 0.5, 1e-6);
    check_near(one.latest_s, 1.5, 1e-6);
    assert_int_equal(one.file_frame, 10 + 60);
    am_json_doc *doc = describe(s.samples);
    const am_json *list = am_json_get(am_json_root(doc), "samples");
    assert_int_equal(list->count, 3);
    const am_json *values = am_json_get(list->first, "values");
    assert_string_equal(am_json_get(list->first, "clip")->string, "01_02");
    assert_string_equal(am_json_get(values, "go")->string, "walk");
    assert_string_equal(am_json_get(values, "style")->string, "drunk");
    check_near(number_of(values, "path[1].position", 2), 2.0, 1e-3);
    assert_string_equal(am_json_get(values, "how")->first->string, "fast");
    am_json_free(doc);
    close_shown(&s);
}

static void the_text_has_every_part_and_sample(void **state)
{
    (void)state;
    shown s = open_shown();
    am_bytes text = { 0 };
    am_error err = { 0 };
    check_ok(am_control_samples_print(&text, s.samples, &err), &err);
    char *copy = calloc(text.size + 1, 1);
    memcpy(copy, text.data, text.size);
    static const char *const says[] = {
        "try.json: training controls of 'try' over 'clips'\n",
        "  1 of 544 frames may be drawn; 100.0 % of them give a value\n",
        "  go: or                              100.0 %  walk 100.0 %\n",
        "  go.walk.target: location            100.0 %  0.00 1.0",
        "  path[*].position: location          200.0 %  0.00 0.00 1.00",
        "  style: one_of                       100.0 %  drunk 100.0 %\n",
        "   3  01_02                  0.500 s (frame 70 of the file), looks at 0.500 to 1.500 s\n",
        "      path[1].position 0.00 0.00 2.00\n",
        "      how fast \n",
        "      turned 30.00\n",
    };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        if (!strstr(copy, says[i])) {
            fail_msg("'%s' is not in\n%s", says[i], copy);
        }
    }
    free(copy);
    am_bytes_free(&text);
    close_shown(&s);
}

static void the_same_seed_gives_the_same_samples(void **state)
{
    (void)state;
    shown s = open_shown();
    am_control_samples_def def = def_of(&s);
    am_error err = { 0 };
    am_bytes text[3] = { 0 };
    for (int i = 0; i < 3; i++) {
        am_control_samples *again = NULL;
        def.seed = i < 2 ? 7 : 8;
        check_ok(am_control_samples_create(&again, &def, &err), &err);
        check_ok(am_control_samples_print(&text[i], again, &err), &err);
        am_control_samples_destroy(again);
    }
    assert_int_equal(text[0].size, text[1].size);
    assert_memory_equal(text[0].data, text[1].data, text[0].size);
    assert_true(text[2].size != text[0].size || memcmp(text[0].data, text[2].data, text[0].size) != 0);
    for (int i = 0; i < 3; i++) {
        am_bytes_free(&text[i]);
    }
    close_shown(&s);
}

static void wrong_defs_are_refused(void **state)
{
    (void)state;
    shown s = open_shown();
    am_control_samples *samples = NULL;
    am_error err = { 0 };
    am_control_samples_def def = def_of(&s);
    def.count = 1001;
    check_refused(am_control_samples_create(&samples, &def, &err), AM_ERR_DEF);
    def = def_of(&s);
    def.measured = 0;
    check_refused(am_control_samples_create(&samples, &def, &err), AM_ERR_DEF);
    def = def_of(&s);
    def.cookie = 0;
    check_refused(am_control_samples_create(&samples, &def, &err), AM_ERR_DEF);
    def = def_of(&s);
    def.controls_size = 5;
    check_refused(am_control_samples_create(&samples, &def, &err), AM_ERR_SYNTAX);
    assert_null(samples);
    close_shown(&s);
}

static am_result create_and_print(void *user, const am_alloc *alloc)
{
    const shown *s = user;
    am_control_samples_def def = def_of(s);
    def.alloc = alloc;
    def.measured = 10;
    am_control_samples *samples = NULL;
    am_error err = { 0 };
    am_result result = am_control_samples_create(&samples, &def, &err);
    am_bytes text = { 0 };
    if (result == AM_OK) {
        result = am_control_samples_print(&text, samples, &err);
    }
    am_bytes_free(&text);
    am_control_samples_destroy(samples);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    shown s = open_shown();
    assert_true(refuse_allocations(create_and_print, &s) > 20);
    close_shown(&s);
}

TEST_SUITE(samples)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_those_of_the_draws),
        cmocka_unit_test(samples_say_where_they_come_from),
        cmocka_unit_test(the_text_has_every_part_and_sample),
        cmocka_unit_test(the_same_seed_gives_the_same_samples),
        cmocka_unit_test(wrong_defs_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, clips_open, clips_close);
}

// Training controls over a small database: frames, draws, branches and their shares, exclusion, messages.
#include "tools/control/clips_db.h"

enum { most_numbers = 64 };

typedef struct drawn {
    am_control_schema *schema;
    ami_training_controls *controls;
    float value[most_numbers];
} drawn;

static drawn open_drawn(const char *schema, const char *text)
{
    drawn d = { .schema = clips_schema(schema) };
    d.controls = clips_controls(d.schema, text);
    assert_true(d.schema->value_count <= most_numbers);
    return d;
}

static void close_drawn(drawn *d)
{
    ami_training_controls_destroy(d->controls);
    am_control_schema_destroy(d->schema);
}

static bool draw_at(drawn *d, int clip, float time, uint64_t seed)
{
    am_rng rng;
    am_rng_init(&rng, seed);
    return ami_training_controls_draw(d->controls, d->value, clips_frame(clip, time), &rng);
}

static int range_of(int frame) { return am_db_range_of(clips, frame); }

static const char *const target_schema =
    "{'control': {'and': {'target': 'location', 'facing': {'optional': 'direction'}}}}";

static void the_example_of_the_guide_draws_what_it_says(void **state)
{
    (void)state;
    drawn d = open_drawn(
        target_schema, "{'training': {'frames': 'walk or run', 'draw': {'later': 'uniform(0.3, 4)', 'faced': "
                       "'chance(0.5)'}, 'set': {'target': 'position(root, now + later)', 'facing': {'when': 'faced', "
                       "'value': 'facing(root, now + later)'}}}}");
    int good = 0, faced = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        if (!draw_at(&d, 1, 0.5f, seed)) {
            continue; // later than the clip's end, 1.5 s away
        }
        good++;
        assert_true(d.value[0] >= 1.6f - 1e-4f && d.value[0] <= 4.0f + 1e-4f); // 2 m/s
        assert_true(d.value[1] == 0.0f && fabsf(d.value[2]) < 1e-6f);
        faced += d.value[3] == 1.0f;
        assert_true(d.value[3] == 0.0f || fabsf(d.value[4] - 1.0f) < 1e-5f);
    }
    check_near(good / 2000.0, 1.2 / 3.7, 0.03); // from 0.3 to 1.5 s
    check_near(faced / (double)good, 0.5, 0.05);
    int count;
    const int *frames = ami_training_controls_frames(d.controls, &count);
    assert_int_equal(count, 120 + 2 * 119); // one frame is kept on both sides of each clip
    for (int i = 0; i < count; i++) {
        assert_true(i == 0 || frames[i] > frames[i - 1]);
        assert_true((clips->tags[frames[i]] & ((uint64_t)1 << AM_TAG_WALK | (uint64_t)1 << AM_TAG_RUN)) != 0);
    }
    assert_false(draw_at(&d, 3, 0.5f, 1)); // an idle frame
    assert_false(draw_at(&d, 0, 0.0f, 1)); // no frame before it
    close_drawn(&d);
}

static void the_same_stream_draws_the_same_value(void **state)
{
    (void)state;
    drawn d =
        open_drawn(target_schema, "{'training': {'draw': {'later': 'uniform(0, 0.5)'}, 'set': {'target': {'value': "
                                  "'position(root, now + later)', 'noise': 0.1}}}}");
    float first[most_numbers];
    am_rng a, b;
    am_rng_init(&a, 3);
    am_rng_init(&b, 3);
    for (int i = 0; i < 200; i++) {
        int frame, other;
        assert_true(ami_training_controls_sample(d.controls, first, &frame, &a));
        assert_true(ami_training_controls_sample(d.controls, d.value, &other, &b));
        assert_int_equal(frame, other);
        assert_memory_equal(first, d.value, (size_t)d.schema->value_count * sizeof *first);
    }
    close_drawn(&d);
}

static void ways_have_their_points_in_order(void **state)
{
    (void)state;
    drawn d = open_drawn("{'control': {'and': {'path': {'array': {'and': {'position': 'location'}}, 'most': 8}}}}",
                         "{'training': {'frames': 'run', 'draw': {'later': '0.8', 'n': 4}, 'set': {'path': {'count': "
                         "'n', 'item': {'set': {'position': 'position(root, now + (i + 1) * later / n)'}}}}}}");
    assert_true(draw_at(&d, 1, 0.5f, 1));
    assert_true(d.value[0] == 4.0f);
    for (int i = 0; i < 4; i++) {
        check_near(d.value[1 + 3 * i], 1.0 + 0.4 * (i + 1), 1e-4);
    }
    assert_true(d.value[13] == 0.0f);
    close_drawn(&d);
}

static const char *const tasks = "{'control': {'or': {'walk': 'location', 'stand': 'null', 'jump': {'and': {'when': "
                                 "'number'}}}, 'width': 4}}";

static void branches_come_as_often_as_their_shares_say(void **state)
{
    (void)state;
    drawn d =
        open_drawn(tasks, "{'training': {'choose': {'walk': {'share': 2, 'frames': 'walk or run', 'draw': {'later': "
                          "'uniform(0.3, 1)'}, 'value': 'position(root, now + later)'}, 'stand': {'frames': 'idle'}, "
                          "'jump': {'share': 5, 'where': 'next(jump) - now < 0.5', 'set': {'when': 'next(jump) - "
                          "now'}}}}}");
    enum { draws = 20000 };
    double walk = 0.0, stand = 0.0, jump = 0.0;
    am_rng rng;
    am_rng_init(&rng, 1);
    for (int i = 0; i < draws; i++) {
        int frame;
        assert_true(ami_training_controls_sample(d.controls, d.value, &frame, &rng));
        uint64_t tags = clips->tags[frame];
        if (d.value[0] == 0.0f) {
            walk += 1.0 / draws;
            assert_true((tags & ((uint64_t)1 << AM_TAG_WALK | (uint64_t)1 << AM_TAG_RUN)) != 0);
        } else if (d.value[0] == 1.0f) {
            stand += 1.0 / draws;
            assert_true((tags & (uint64_t)1 << AM_TAG_IDLE) != 0);
        } else {
            jump += 1.0 / draws;
            assert_true(range_of(frame) == 0 && d.value[4] < 0.5f && d.value[4] >= 0.0f);
        }
    }
    check_near(walk, 0.25, 0.015);
    check_near(stand, 0.125, 0.015);
    check_near(jump, 0.625, 0.015);
    // For a frame that several branches have, each is as likely as it is to have brought the frame. At 0.75 s of the
    // first clip: walk with 0.25 / 358 frames, jump with 0.625 / its own number of frames.
    int jumps = 0, total = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        if (draw_at(&d, 0, 0.75f, seed)) {
            total++;
            jumps += d.value[0] == 2.0f;
        }
    }
    // next(jump) - now < 0.5: frames 31 to 90 and 151 to 210
    double walk_weight = 0.25 / 358.0, jump_weight = 0.625 / 120.0;
    check_near(jumps / (double)total, jump_weight / (jump_weight + walk_weight), 0.03);
    close_drawn(&d);
}

static void nested_choices_are_drawn_too(void **state)
{
    (void)state;
    // The first choice decides the frames; the second is drawn among the branches that have the frame.
    drawn d = open_drawn(
        "{'control': {'and': {'gait': {'or': {'slow': 'null', 'fast': {'or': {'a': 'null', 'b': 'null'}}}}, "
        "'mood': {'or': {'plain': 'null', 'tipsy': 'null'}}}}}",
        "{'training': {'set': {'gait': {'choose': {'slow': {'share': 1, 'frames': 'walk'}, 'fast': "
        "{'share': 3, 'frames': 'run', 'choose': {'a': {'share': 1}, 'b': {'share': 2}}}}}, 'mood': "
        "{'choose': {'plain': {'share': 1}, 'tipsy': {'share': 3, 'frames': 'drunk'}}}}}}");
    enum { draws = 12000 };
    int slow = 0, a = 0, b = 0, tipsy = 0;
    am_rng rng;
    am_rng_init(&rng, 5);
    for (int i = 0; i < draws; i++) {
        int frame;
        assert_true(ami_training_controls_sample(d.controls, d.value, &frame, &rng));
        bool is_slow = d.value[0] == 0.0f, is_tipsy = d.value[2] == 1.0f;
        slow += is_slow;
        a += !is_slow && d.value[1] == 0.0f;
        b += !is_slow && d.value[1] == 1.0f;
        tipsy += is_tipsy;
        assert_true((range_of(frame) == 0) == is_slow);
        assert_false(is_slow && is_tipsy);
    }
    check_near(slow / (double)draws, 0.25, 0.02);
    check_near(a / (double)draws, 0.25, 0.02);
    check_near(b / (double)draws, 0.5, 0.02);
    check_near(tipsy / (double)draws, 0.75 * 0.75, 0.02);
    close_drawn(&d);
}

static void styles_are_named_by_tags(void **state)
{
    (void)state;
    drawn d = open_drawn("{'control': {'and': {'style': {'one_of': ['sober', 'drunk']}}}}",
                         "{'training': {'set': {'style': 'or_else(tag_of(), `sober`)'}}}");
    assert_true(draw_at(&d, 0, 0.5f, 1) && d.value[0] == 0.0f);
    assert_true(draw_at(&d, 1, 0.5f, 1) && d.value[0] == 1.0f);
    close_drawn(&d);
    d = open_drawn("{'control': {'and': {'style': {'one_of': ['sober', 'drunk']}}}}",
                   "{'training': {'set': {'style': 'tag_of()'}}}");
    assert_false(draw_at(&d, 0, 0.5f, 1));
    assert_true(draw_at(&d, 1, 0.5f, 1) && d.value[0] == 1.0f);
    close_drawn(&d);
}

typedef struct exclude_case {
    const char *list;
    int frames; ///< left
} exclude_case;

static void clips_and_stretches_are_taken_out(void **state)
{
    (void)state;
    // All: 239 + 119 + 119 + 59.
    static const exclude_case cases[] = {
        { "[]", 536 },
        { "['01_01']", 297 },
        { "['01_02']", 298 },   // its mirror image goes with it
        { "['01_02_m']", 417 }, // alone
        { "['02_01']", 477 },   // by its clip
        { "['02_01-a']", 477 }, // by its piece
        { "['01_*']", 59 },
        { "['01_01', '02_01']", 238 },
        // Frames of the file: 10 + 2 f at 120 Hz. 50 to 109 are f = 20 to 49: 20 - 1 and 71 - 2 are left, twice.
        { "[{'clip': '01_02', 'first': 50, 'last': 109, 'why': 'arms shake'}]",
          536 - 2 * 119 + 2 * (19 - 1 + 71 - 2) },
        { "[{'clip': '01_02', 'first': 50}]", 536 - 2 * 119 + 2 * (19 - 1) },
        { "[{'clip': '01_01', 'last': 100}]", 536 - 239 + 140 - 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        snprintf(text, sizeof text, "{'training': {'exclude': %s}}", cases[i].list);
        drawn d = open_drawn("{'control': 'null'}", text);
        int count;
        ami_training_controls_frames(d.controls, &count);
        if (count != cases[i].frames) {
            fail_msg("%s leaves %d frames, not %d", cases[i].list, count, cases[i].frames);
        }
        close_drawn(&d);
    }
}

static void excluded_frames_are_no_targets(void **state)
{
    (void)state;
    drawn d = open_drawn(target_schema,
                         "{'training': {'exclude': [{'clip': '01_01', 'first': 90}], 'draw': {'later': 1}, 'set': "
                         "{'target': 'position(root, now + later)'}}}");
    assert_true(draw_at(&d, 0, 0.4f, 1));  // at 1.4 s
    assert_false(draw_at(&d, 0, 0.6f, 1)); // 1.6 s is taken out
    close_drawn(&d);
}

static void a_draw_says_what_it_looked_at(void **state)
{
    (void)state;
    drawn d = open_drawn(target_schema,
                         "{'training': {'draw': {'later': 'uniform(1, 2)'}, 'set': {'target': 'position(root, "
                         "now + 1.25) + 0 * position(root, now - 0.25)'}}}");
    ami_training_draw seen;
    am_rng rng;
    am_rng_init(&rng, 1);
    assert_true(ami_training_controls_watch(d.controls, d.value, clips_frame(0, 0.5f), &rng, &seen));
    check_near(seen.now, 0.5, 1e-6);
    check_near(seen.earliest, 0.25, 1e-6);
    check_near(seen.latest, 1.75, 1e-6);
    assert_int_equal(seen.missing_node, -1);
    assert_false(ami_training_controls_watch(d.controls, d.value, clips_frame(3, 0.5f), &rng, &seen));
    assert_true(seen.missing_node >= 0 && strstr(seen.missing_text, "position(root, now + 1.25)"));
    close_drawn(&d);
}

static void the_pose_is_the_frames_own(void **state)
{
    (void)state;
    drawn d =
        open_drawn("{'control': {'and': {'pose': {'and': {'hips': {'and': {'position': {'location': {'space': "
                   "'local'}}, 'velocity': {'velocity': {'space': 'local'}}, 'there': 'location'}}, 'velocity': "
                   "{'velocity': {'space': 'local'}}, 'facing': 'direction'}}, 'target': 'location'}}}",
                   "{'training': {'set': {'target': 'position(root, now)'}}}");
    assert_true(draw_at(&d, 1, 0.5f, 1));
    // The hips 1 m above the root, both running at 2 m/s ahead, which is +x.
    static const float expected[] = { 0, 1, 0, 0, 0, 2, 1, 1, 0, 0, 0, 2, 1, 0, 0, 1, 0, 0 };
    for (int i = 0; i < 18; i++) {
        check_near(d.value[i], expected[i], 1e-3);
    }
    close_drawn(&d);
}

typedef struct wrong_controls {
    const char *schema;
    const char *text; ///< of the section
    am_result code;
    const char *says;
} wrong_controls;

static const wrong_controls wrongs[] = {
    { "'null'", "3", AM_ERR_TYPE,
      "c.json:1:14: the schema: an expression does not fit \"null\"; it has nothing to set" },
    { "'null'", "[]", AM_ERR_TYPE, "c.json:1:14: the schema: expected an expression or an object" },
    { "'null'", "{'frame': 'walk'}", AM_ERR_KEY, "c.json:1:15: unknown key \"frame\"; did you mean \"frames\"?" },
    { "'null'", "{'frames': 3}", AM_ERR_TYPE, "c.json:1:25: \"frames\" should be a string, not a number" },
    { "'null'", "{'frames': 'wlak'}", AM_ERR_KEY, "c.json:1:25: no tag is called 'wlak'; did you mean 'walk'?" },
    { "'null'", "{'frames': 'walk and'}", AM_ERR_SYNTAX,
      "c.json:1:25: tag query 'walk and': it ends where a tag is expected" },
    { "'null'", "{'frames': 'creep'}", AM_ERR_EMPTY,
      "c.json:1:25: no frame of database 'clips' is left by \"creep\"" },
    { "'null'", "{'where': 'now'}", AM_ERR_TYPE, "c.json:1:24: a truth value is expected, but 'now' is a number" },
    { "'null'", "{'where': 'nw > 1'}", AM_ERR_KEY, "nothing here is called 'nw'; did you mean 'now'?" },
    { "'null'", "{'where': 'chance(0.5)'}", AM_ERR_TYPE, "chance draws, which is not possible here" },
    { "'null'", "{'where': 'now > 100'}", AM_ERR_EMPTY, "no frame of database 'clips' is left by \"now > 100\"" },
    { "'null'", "{'exclude': '01_01'}", AM_ERR_TYPE,
      "c.json:1:26: \"exclude\" should be a list of clips, as in [\"16_06\", {\"clip\": \"35_22\", \"first\": 77}]" },
    { "'null'", "{'exclude': ['01_03']}", AM_ERR_KEY,
      "c.json:1:27: database 'clips' has no clip '01_03'; did you mean '01_0" },
    { "'null'", "{'exclude': [3]}", AM_ERR_TYPE, "c.json:1:27: expected an object { ... } here, not a number" },
    { "'null'", "{'exclude': [{'first': 3}]}", AM_ERR_KEY,
      "c.json:1:27: \"clip\" is missing in this object; add it" },
    { "'null'", "{'exclude': [{'clip': '01_01', 'fist': 3}]}", AM_ERR_KEY,
      "unknown key \"fist\"; did you mean \"first\"?" },
    { "'null'", "{'exclude': [{'clip': '01_01', 'first': -3}]}", AM_ERR_RANGE, "\"first\"" },
    { "'null'", "{'exclude': [{'clip': '01_01', 'first': 9, 'last': 3}]}", AM_ERR_RANGE,
      "\"last\" (3) is before \"first\" (9)" },
    { "'null'", "{'exclude': ['*']}", AM_ERR_EMPTY, "no frame of database 'clips' is left" },
    { "'location'", "{'value': 'position(lft_hand, now)'}", AM_ERR_KEY,
      "c.json:1:24: the schema: 'position(lft_hand, now)': at character 10: no joint is called 'lft_hand'; did you "
      "mean "
      "'left_hand'?" },
    { "'location'", "{'value': 'position(root, now + 100)'}", AM_ERR_EMPTY,
      "c.json:1:14: none of 2000 frames gives a value; last, 'position(root, now + 100)' of the schema was missing" },
    { "{'and': {'a': 'location', 'b': 'location'}}",
      "{'set': {'a': 'position(root, now)', 'b': 'position(root, next(creep))'}}", AM_ERR_EMPTY,
      "'position(root, next(creep))' of b was missing" },
    { "{'or': {'walk': 'null', 'stand': 'null'}}",
      "{'choose': {'walk': {'frames': 'walk'}, 'stand': {'frames': 'creep'}}}", AM_ERR_EMPTY,
      "no frame of database 'clips' is left by \"creep\"" },
    { "{'or': {'walk': 'null', 'stand': 'null'}}",
      "{'frames': 'run', 'choose': {'walk': {'frames': 'walk'}, 'stand': {'frames': 'run'}}}", AM_ERR_EMPTY,
      "no frame of database 'clips' is left of branch 'walk'" },
    { "{'or': {'walk': 'null', 'go': 'location'}}",
      "{'choose': {'walk': {}, 'go': {'value': 'position(root, next(creep))'}}}", AM_ERR_EMPTY,
      "none of 2000 frames of branch 'go' gives a value; last, 'position(root, next(creep))' of go was missing" },
    { "{'or': {'walk': 'null', 'stand': 'null'}}", "{'choose': {'walk': {'share': -1}}}", AM_ERR_RANGE, "\"share\"" },
    { "{'or': {'walk': 'null', 'stand': 'null'}}", "{'share': 2, 'choose': {'walk': {}}}", AM_ERR_KEY,
      "unknown key \"share\"" },
    { "{'one_of': ['sober', 'drunk']}", "{'value': '`run`'}", AM_ERR_EMPTY, "''run'' of the schema was missing" },
    { "{'one_of': ['sober', 'happy']}", "{'value': 'tag_of()'}", AM_ERR_EMPTY,
      "'tag_of()' of the schema was missing" },
};

static void wrong_controls_say_what_is_wrong_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const wrong_controls *w = &wrongs[i];
        char schema_text[300], text[600], said[1000];
        snprintf(schema_text, sizeof schema_text, "{'control': %s}", w->schema);
        snprintf(text, sizeof text, "{'training': %s}", w->text);
        am_control_schema *schema = clips_schema(schema_text);
        ami_training_controls *controls;
        am_error err = { 0 };
        am_result result = clips_read(&controls, schema, text, NULL, &err);
        am_error_format(&err, said, sizeof said);
        if (result != w->code || !strstr(said, w->says) || controls) {
            fail_msg("%s gave '%s': %s", w->text, am_result_name(result), said);
        }
        am_control_schema_destroy(schema);
    }
}

static void files_need_the_section(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema("{'control': 'null'}");
    ami_training_controls *controls;
    am_error err = { 0 };
    check_refused(clips_read(&controls, schema, "{'runtime': {}}", NULL, &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "this file has no \"training\""));
    check_refused(clips_read(&controls, schema, "{'trainings': {}}", NULL, &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "did you mean \"training\""));
    check_refused(clips_read(&controls, schema, "[]", NULL, &err), AM_ERR_TYPE);
    am_control_schema_destroy(schema);
}

static am_result read_and_free(void *user, const am_alloc *alloc)
{
    ami_training_controls *controls;
    am_error err = { 0 };
    am_result result =
        clips_read(&controls, user,
                   "{'training': {'exclude': ['02_01'], 'choose': {'walk': {'frames': 'run', 'where': 'now > 0.5', "
                   "'draw': {'later': "
                   "'uniform(0, 1)'}, 'value': 'position(root, now + later)'}, 'stand': {'share': 2}}}}",
                   alloc, &err);
    ami_training_controls_destroy(controls);
    return refuse_checked(result, &err);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    am_control_schema *schema = clips_schema(tasks);
    assert_true(refuse_allocations(read_and_free, schema) > 20);
    am_control_schema_destroy(schema);
}

TEST_SUITE(training)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_guide_draws_what_it_says),
        cmocka_unit_test(the_same_stream_draws_the_same_value),
        cmocka_unit_test(ways_have_their_points_in_order),
        cmocka_unit_test(branches_come_as_often_as_their_shares_say),
        cmocka_unit_test(nested_choices_are_drawn_too),
        cmocka_unit_test(styles_are_named_by_tags),
        cmocka_unit_test(clips_and_stretches_are_taken_out),
        cmocka_unit_test(excluded_frames_are_no_targets),
        cmocka_unit_test(a_draw_says_what_it_looked_at),
        cmocka_unit_test(the_pose_is_the_frames_own),
        cmocka_unit_test(wrong_controls_say_what_is_wrong_and_where),
        cmocka_unit_test(files_need_the_section),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, clips_open, clips_close);
}

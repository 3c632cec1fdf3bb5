// RUN.json, and what a run gives: scripts that are refused with a reason, recordings that give the same frames again,
// other rates, several characters, traces, the command.
#include "support/world.h"
#include "support/refuse.h"

static const char good[] =
    "{ // a walk\n"
    "  \"database\": \"loco.amdb\", \"controller\": \"match\", \"fps\": 60, \"seconds\": 4, \"seed\": 3,\n"
    "  \"options\": { \"search_every_s\": 0.2, \"k\": 3, \"root\": \"mixed\", \"ik\": true, \"inertialise\": "
    "\"quintic\",\n"
    "    \"tags\": \"walk or run or idle\", \"weights\": { \"left_foot_position\": 2 }, \"walk_mps\": 1.1 },\n"
    "  \"characters\": [\n"
    "    { \"start\": { \"position\": [1, 2], \"facing\": [1, 1] },\n"
    "      \"keys\": [ { \"t\": 0.5, \"down\": [\"W\", \"shift\"] }, { \"t\": 2.013, \"down\": [] } ] },\n"
    "    { \"gamepad\": [ { \"t\": 0, \"left\": [0.3, 0.9], \"right\": [0, -1], \"buttons\": [\"C\"] } ] } ] }\n";

static void parse_good(am_run_script *script, const char *text)
{
    am_error err = { 0 };
    check_ok(am_run_parse(script, text, strlen(text), "some/folder/run.json", NULL, &err), &err);
}

static void a_script_is_read_as_written(void **state)
{
    (void)state;
    am_run_script s;
    parse_good(&s, good);
    assert_string_equal(s.database, "some/folder/loco.amdb");
    check_near(s.seconds, 4.0f, 0.0f);
    assert_int_equal(s.seed, 3);
    assert_int_equal(s.actor_count, 2);
    assert_int_equal(s.options.settings.inertialise, AM_INERTIALISE_QUINTIC);
    assert_int_equal(s.options.settings.candidates, 3);
    check_near(s.options.settings.search_every_s, 0.2f, 1e-7f);
    assert_int_equal(s.actors[0].key_count, 2);
    assert_int_equal(s.actors[0].keys[0].down, AM_KEY_W | AM_KEY_SHIFT);
    check_near(s.actors[0].position.z, 2.0f, 0.0f);
    assert_int_equal(s.actors[1].gamepad_count, 1);
    check_near(s.actors[1].gamepad[0].pad.right[1], -1.0f, 0.0f);
    assert_int_equal(s.actors[1].gamepad[0].pad.buttons, AM_KEY_C);
    am_run_script_free(&s);
    am_run_script_free(&s); // twice is nothing
}

static void goals_are_places_to_go_to(void **state)
{
    (void)state;
    static const char text[] =
        "{\"database\": \"x.amdb\", \"controller\": \"match\", \"fps\": 60, \"seconds\": 16, \"characters\": "
        "[{\"goals\": [{\"t\": 0, \"values\": {\"target\": [0, 0, 3]}}, {\"t\": 8, \"values\": {\"target\": "
        "[-3, 0, 2]}}]}]}";
    const am_vec3 target[2] = { { 0.0f, 0.0f, 3.0f }, { -3.0f, 0.0f, 2.0f } };
    am_error err = { 0 };
    am_run_script s;
    am_run *run = NULL;
    parse_good(&s, text);
    am_run_def def = am_run_def_default();
    def.script = &s;
    def.db = shared_db;
    check_ok(am_run_create(&run, &def, &err), &err);
    float off[2] = { 0 };
    while (am_run_step(run)) {
        const am_run_sample sample = am_run_get_sample(run, 0);
        const int leg = sample.frame < 480 ? 0 : 1;
        off[leg] = am_v3_distance(am_v3_ground(sample.pose.root.translation), target[leg]);
    }
    print_message("sent to two places: %.2f and %.2f m off\n", (double)off[0], (double)off[1]);
    assert_true(off[0] < 0.6f && off[1] < 0.6f);
    am_run_destroy(run);
    am_run_script_free(&s);
}

/// A script with one wrong line, the error it gives, and a word that its text must hold.
typedef struct fault {
    const char *top, *options, *character;
    am_result code;
    const char *word;
} fault;

static void every_wrong_key_names_its_place_and_the_nearest(void **state)
{
    (void)state;
    static const fault faults[] = {
        { "\"databse\": \"x\",", "", "", AM_ERR_KEY, "database" },
        { "\"fps\": 5,", "", "", AM_ERR_RANGE, "fps" },
        { "\"fps\": \"60\",", "", "", AM_ERR_TYPE, "fps" },
        { "\"seed\": -1,", "", "", AM_ERR_RANGE, "seed" },
        { "\"seed\": 1.5,", "", "", AM_ERR_RANGE, "seed" },
        { "\"seed\": \"a\",", "", "", AM_ERR_TYPE, "seed" },
        { "\"controller\": \"mach\",", "", "", AM_ERR_RANGE, "match" },
        { "\"controller\": \"long-horizon\",", "\"k\": 65", "", AM_ERR_RANGE, "k" },
        { "\"controller\": \"long-horizon\",", "\"l\": 9", "", AM_ERR_RANGE, "l" },
        { "\"controller\": \"long-horizon\",", "\"task\": \"line\"", "", AM_ERR_SUPPORT, "task" },
        { "\"controller\": \"field\",", "\"task\": \"lien\"", "", AM_ERR_RANGE, "line" },
        { "\"controller\": \"field\",", "\"policy\": \"gredy\"", "", AM_ERR_RANGE, "greedy" },
        { "\"controller\": \"field\",", "\"every\": -1", "", AM_ERR_RANGE, "every" },
        { "\"controller\": \"field\",", "\"l\": 3", "", AM_ERR_SUPPORT, "field" },
        { "\"controller\": \"flow\",", "\"l\": 3", "", AM_ERR_SUPPORT, "flow" },
        { "\"controller\": \"segments\",", "\"steps\": 4", "", AM_ERR_SUPPORT, "segments" },
        { "\"controller\": \"flow\",", "\"steps\": 65", "", AM_ERR_RANGE, "steps" },
        { "\"controller\": \"flow\",", "\"noise_memory\": 1.5", "", AM_ERR_RANGE, "noise_memory" },
        { "\"model\": [3],", "", "", AM_ERR_TYPE, "model" },
        { "\"model\": \"\",", "", "", AM_ERR_TYPE, "model" },
        { "\"model\": {},", "", "", AM_ERR_TYPE, "model" },
        { "\"model\": [\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"],", "",
          "", AM_ERR_LIMIT, "models" },
        { "\"schema\": \"s.json\",", "", "", AM_ERR_SUPPORT, "schema" },
        { "", "\"serch_every_s\": 1", "", AM_ERR_KEY, "search_every_s" },
        { "", "\"search_every_s\": 0", "", AM_ERR_RANGE, "search_every_s" },
        { "", "\"k\": 9", "", AM_ERR_RANGE, "k" },
        { "", "\"k\": 1.5", "", AM_ERR_TYPE, "k" },
        { "", "\"l\": 3", "", AM_ERR_SUPPORT, "l" },
        { "", "\"task\": \"line\"", "", AM_ERR_SUPPORT, "task" },
        { "", "\"policy\": \"greedy\"", "", AM_ERR_SUPPORT, "policy" },
        { "", "\"root\": \"mixd\"", "", AM_ERR_RANGE, "mixed" },
        { "", "\"ik\": 1", "", AM_ERR_TYPE, "ik" },
        { "", "\"inertialise\": \"sprng\"", "", AM_ERR_RANGE, "spring" },
        { "", "\"tags\": 3", "", AM_ERR_TYPE, "tags" },
        { "", "\"weights\": []", "", AM_ERR_TYPE, "weights" },
        { "", "\"weights\": {\"a\": \"b\"}", "", AM_ERR_TYPE, "a" },
        { "", "\"weights\": {\"a\": -1}", "", AM_ERR_RANGE, "a" },
        { "", "\"time_scale\": 0", "", AM_ERR_RANGE, "time_scale" },
        { "", "", "\"kys\": []", AM_ERR_KEY, "keys" },
        { "", "", "\"keys\": {}", AM_ERR_TYPE, "keys" },
        { "", "", "\"keys\": [{\"down\": []}]", AM_ERR_KEY, "t" },
        { "", "", "\"keys\": [{\"t\": 1, \"donw\": []}]", AM_ERR_KEY, "down" },
        { "", "", "\"keys\": [{\"t\": 1, \"down\": \"W\"}]", AM_ERR_TYPE, "down" },
        { "", "", "\"keys\": [{\"t\": 1, \"down\": [\"Shfit\"]}]", AM_ERR_RANGE, "Shift" },
        { "", "", "\"keys\": [{\"t\": 1, \"down\": [7]}]", AM_ERR_TYPE, "key" },
        { "", "", "\"keys\": [{\"t\": 1}, {\"t\": 0.5}]", AM_ERR_RANGE, "order" },
        { "", "", "\"keys\": [{\"t\": -1}]", AM_ERR_RANGE, "t" },
        { "", "", "\"gamepad\": [{\"t\": 0, \"left\": [0, 2]}]", AM_ERR_RANGE, "left" },
        { "", "", "\"gamepad\": [{\"t\": 0, \"left\": [0]}]", AM_ERR_RANGE, "left" },
        { "", "", "\"gamepad\": [{\"t\": 0, \"rihgt\": [0, 0]}]", AM_ERR_KEY, "right" },
        { "", "", "\"gamepad\": 4", AM_ERR_TYPE, "gamepad" },
        { "", "", "\"start\": {\"positon\": [0, 0]}", AM_ERR_KEY, "position" },
        { "", "", "\"start\": {\"facing\": [0, 0]}", AM_ERR_RANGE, "facing" },
        { "", "\"most_searches\": 5", "", AM_ERR_SUPPORT, "most_searches" },
        { "", "", "\"path\": {\"points\": []}", AM_ERR_RANGE, "at least one point" },
        { "", "", "\"path\": {\"point\": []}", AM_ERR_KEY, "points" },
        { "", "", "\"path\": {}", AM_ERR_KEY, "points" },
        { "", "", "\"path\": 3", AM_ERR_TYPE, "object" },
        { "", "", "\"path\": {\"points\": [[0, 1]]}", AM_ERR_TYPE, "time s" },
        { "", "", "\"path\": {\"points\": [[0, 1, 1e9]]}", AM_ERR_TYPE, "time s" },
        { "", "", "\"path\": {\"points\": [[1, 0, 0], [0, 0, 1]]}", AM_ERR_RANGE, "earlier than the previous point" },
        { "", "", "\"path\": {\"points\": [[0, 0, 0]], \"mode\": \"lokal\"}", AM_ERR_RANGE, "local" },
        { "", "", "\"path\": {\"points\": [[0, 0, 0]], \"scale\": 0}", AM_ERR_RANGE, "scale" },
        { "", "", "\"path\": {\"points\": [[0, 0, 0]], \"method\": \"papre\"}", AM_ERR_RANGE, "paper" },
        { "", "", "\"path\": {\"points\": [[0, 0, 0]], \"steer\": 1}", AM_ERR_TYPE, "steer" },
        { "", "", "\"path\": {\"points\": [[0, 0, 0]], \"obstacles\": [[0, 0]]}", AM_ERR_TYPE, "radius" },
        { "", "", "\"path\": {\"points\": [[0, 0, 0]], \"obstacles\": [[0, 0, -1]]}", AM_ERR_RANGE, "obstacle" },
        { "", "", "\"path\": [{\"t\": 2, \"points\": [[0, 0, 0]]}, {\"t\": 1, \"points\": [[0, 0, 0]]}]",
          AM_ERR_RANGE, "order" },
        { "", "", "\"goals\": {}", AM_ERR_TYPE, "array" },
        { "", "", "\"goals\": [{\"t\": 0}]", AM_ERR_KEY, "values" },
        { "", "", "\"goals\": [{\"t\": 0, \"values\": {\"targt\": [1, 0, 2]}}]", AM_ERR_KEY, "target" },
        { "", "", "\"goals\": [{\"t\": 0, \"values\": {\"target\": [1, 2]}}]", AM_ERR_RANGE, "[x, y, z]" },
        { "", "", "\"goals\": [{\"t\": 0, \"values\": {\"target\": [1e9, 0, 2]}}]", AM_ERR_RANGE, "metres" },
        { "", "", "\"goals\": [{\"t\": 2, \"values\": {}}, {\"t\": 1, \"values\": {}}]", AM_ERR_RANGE, "order" },
        { "", "", "\"pushes\": {}", AM_ERR_TYPE, "pushes" },
        { "", "", "\"pushes\": [{\"t\": 1, \"force\": [1, 0, 0]}]", AM_ERR_KEY, "joint" },
        { "", "", "\"pushes\": [{\"joint\": \"Hips\", \"force\": [1, 0, 0]}]", AM_ERR_KEY, "t" },
        { "", "", "\"pushes\": [{\"t\": 1, \"joint\": \"Hips\"}]", AM_ERR_KEY, "force" },
        { "", "", "\"pushes\": [{\"t\": 1, \"joint\": \"Hips\", \"force\": [1, 0]}]", AM_ERR_RANGE, "newtons" },
        { "", "", "\"pushes\": [{\"t\": 1, \"joint\": \"Hips\", \"force\": [1, 0, 1e9]}]", AM_ERR_RANGE, "newtons" },
        { "", "", "\"pushes\": [{\"t\": 1, \"joint\": \"Hips\", \"fource\": [1, 0, 0]}]", AM_ERR_KEY, "force" },
        { "", "", "\"pushes\": [{\"t\": 1, \"joint\": \"Hips\", \"force\": [1, 0, 0], \"seconds\": 0}]", AM_ERR_RANGE,
          "seconds" },
        { "", "",
          "\"pushes\": [{\"t\": 1, \"joint\": \"a\", \"force\": [1, 0, 0]}, {\"t\": 0, \"joint\": \"a\", "
          "\"force\": [1, 0, 0]}]",
          AM_ERR_RANGE, "order" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[1024];
        const fault *f = &faults[i];
        snprintf(text, sizeof text,
                 "{\"database\": \"x\", \"seconds\": 1,\n%s \"options\": {%s},\n\"characters\": [{%s}]}", f->top,
                 f->options, f->character);
        am_run_script s;
        am_error err = { 0 };
        am_result result = am_run_parse(&s, text, strlen(text), "run.json", NULL, &err);
        if (result != f->code || !strstr(err.text, f->word) || err.line < 1 || strcmp(err.file, "run.json") != 0) {
            print_message("%s\n%s: %s (line %d)\n", text, am_result_name(result), err.text, (int)err.line);
        }
        assert_int_equal(result, f->code);
        assert_non_null(strstr(err.text, f->word));
        assert_true(err.line >= 1);
        assert_null(s.own);
    }
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        am_result code;
    } texts[] = {
        { "{\"seconds\": 1, \"characters\": [{}]}", "database", AM_ERR_KEY },
        { "{\"database\": \"x\", \"characters\": [{}]}", "seconds", AM_ERR_KEY },
        { "{\"database\": \"x\", \"seconds\": 1}", "characters", AM_ERR_KEY },
        { "{\"database\": \"x\", \"seconds\": 1, \"characters\": []}", "characters", AM_ERR_TYPE },
        { "[]", "object", AM_ERR_TYPE },
        { "{\"database\"", "", AM_ERR_SYNTAX },
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        am_run_script s;
        am_error err = { 0 };
        check_refused(am_run_parse(&s, texts[i].text, strlen(texts[i].text), "r", NULL, &err), texts[i].code);
        assert_non_null(strstr(err.text, texts[i].word));
    }
}

static am_result read_script(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_run_script s;
    am_error err = { 0 };
    am_result result = am_run_parse(&s, (const char *)data, size, "run.json", alloc, &err);
    am_run_script_free(&s);
    return refuse_checked(result, &err);
}

static void damaged_scripts_are_refused(void **state)
{
    (void)state;
    refuse_loop(read_script, NULL, good, strlen(good), NULL);
}

static am_run *make_run(const am_run_script *script)
{
    am_error err = { 0 };
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = shared_db;
    am_run *run = NULL;
    check_ok(am_run_create(&run, &def, &err), &err);
    return run;
}

static am_result record_frame(void *user, const am_run_sample *sample, am_error *err)
{
    return am_recording_add(user, sample, err);
}

static void a_recording_gives_the_same_frames_again(void **state)
{
    (void)state;
    am_run_script s;
    am_error err = { 0 };
    parse_good(&s, good);
    am_run *run = make_run(&s);
    am_recording *recording = NULL;
    check_ok(am_recording_create(&recording, run, NULL, &err), &err);
    am_run_observer observer = { recording, record_frame };
    check_ok(am_run_play(run, &observer, 1, NULL, &err), &err);
    am_bytes bytes = { 0 };
    check_ok(am_recording_write(&bytes, recording, "r.json", &err), &err);
    am_run_script again;
    check_ok(am_run_parse(&again, (const char *)bytes.data, bytes.size, "r.json", NULL, &err), &err);
    am_run *second = make_run(&again);
    check_ok(am_run_play(second, NULL, 0, NULL, &err), &err);
    assert_int_equal(am_run_frame_count(second), 240);
    assert_true(am_run_hash(second) == am_run_hash(run));
    am_bytes_free(&bytes);
    am_recording_destroy(recording);
    am_run_destroy(second);
    am_run_destroy(run);
    am_run_script_free(&again);
    am_run_script_free(&s);
}

/// Amble's and the paper's ways along a path, and single parts of either.
static void the_parts_of_a_path_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool corners, retime, guard, squares;
    } cases[] = {
        { "\"loop\": false", false, true, true, true },
        { "\"corners\": true", true, true, true, true },
        { "\"retime\": false", true, false, true, true },
        { "\"method\": \"paper\"", true, false, false, false },
        { "\"method\": \"paper\", \"corners\": false, \"squares\": true", false, false, false, true },
        { "\"method\": \"paper\", \"guard\": true", true, false, true, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        am_run_script s;
        snprintf(text, sizeof text,
                 "{\"database\": \"x\", \"controller\": \"long-horizon\", \"characters\": [{\"path\": "
                 "{\"points\": [[0, 0, 0], [8, 0, 14]], %s}}]}",
                 cases[i].text);
        parse_good(&s, text);
        am_path_method method = s.actors[0].paths[0].def.method;
        assert_int_equal(method.corners, cases[i].corners);
        assert_int_equal(method.retime, cases[i].retime);
        assert_int_equal(method.guard, cases[i].guard);
        assert_int_equal(method.squares, cases[i].squares);
        am_run_script_free(&s);
    }
}

/// Options change on the way, and a recording has the changes.
static void options_change_while_a_path_is_walked(void **state)
{
    (void)state;
    static const char text[] =
        "{\"database\": \"x\", \"controller\": \"long-horizon\", \"characters\": [{\"path\": {\"points\": [[0, 0, "
        "0], "
        "[8, 0, 14]]}, \"changes\": [{\"t\": 2, \"options\": {\"v_max\": 0.7, \"k\": 5, \"l\": 2}}, {\"t\": 5, "
        "\"options\": {\"v_max\": 0, \"tags\": \"walk\"}}]}]}";
    am_run_script s;
    am_error err = { 0 };
    parse_good(&s, text);
    am_run *run = make_run(&s);
    am_recording *recording = NULL;
    check_ok(am_recording_create(&recording, run, NULL, &err), &err);
    float places[3] = { 0 };
    while (am_run_step(run)) {
        am_run_sample sample = am_run_get_sample(run, 0);
        check_ok(am_recording_add(recording, &sample, &err), &err);
        am_settings now;
        am_actor_get_settings(am_run_character(run, 0), &now);
        assert_int_equal(now.k, sample.frame < 120 ? 3 : 5);
        places[0] = sample.frame == 180 ? sample.pose.root.translation.z : places[0];
        places[1] = sample.frame == 300 ? sample.pose.root.translation.z : places[1];
        places[2] = sample.frame == 420 ? sample.pose.root.translation.z : places[2];
    }
    assert_true(places[1] - places[0] < 1.8f); // two seconds at 0.7 m/s
    assert_true(places[2] - places[1] > 2.2f); // and without the limit
    am_bytes bytes = { 0 };
    check_ok(am_recording_write(&bytes, recording, "r.json", &err), &err);
    am_run_script again;
    check_ok(am_run_parse(&again, (const char *)bytes.data, bytes.size, "r.json", NULL, &err), &err);
    am_run *second = make_run(&again);
    check_ok(am_run_play(second, NULL, 0, NULL, &err), &err);
    assert_true(am_run_hash(second) == am_run_hash(run));
    am_bytes_free(&bytes);
    am_recording_destroy(recording);
    am_run_destroy(second);
    am_run_destroy(run);
    am_run_script_free(&again);
    am_run_script_free(&s);
}

static void another_rate_walks_as_far(void **state)
{
    (void)state;
    float ends[3];
    const char *rates[3] = { "30", "60", "100" };
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"database\": \"x\", \"fps\": %s, \"seconds\": 5, \"characters\": [{\"keys\": [{\"t\": 0, \"down\": "
            "[\"W\"]}]}]}",
            rates[i]);
        am_run_script s;
        am_error err = { 0 };
        parse_good(&s, text);
        am_run *run = make_run(&s);
        check_ok(am_run_play(run, NULL, 0, NULL, &err), &err);
        am_run_sample sample = am_run_get_sample(run, 0);
        ends[i] = sample.pose.root.translation.z;
        check_near(sample.time + sample.dt, 5.0f, 1e-4f);
        am_run_destroy(run);
        am_run_script_free(&s);
    }
    check_near(ends[0], ends[1], 0.25f);
    check_near(ends[2], ends[1], 0.25f);
    assert_true(ends[1] > 3.0f);
}

static void a_trace_line_is_one_object_with_the_reasons(void **state)
{
    (void)state;
    am_run_script s;
    am_error err = { 0 };
    parse_good(&s, good);
    am_run *run = make_run(&s);
    int searched = 0;
    while (am_run_step(run)) {
        am_bytes line = { 0 };
        am_run_sample sample = am_run_get_sample(run, 0);
        check_ok(am_run_trace(&line, run, &sample, &err), &err);
        assert_int_equal(line.data[line.size - 1], '\n');
        assert_null(memchr(line.data, '\n', line.size - 1));
        am_json_doc *doc = NULL;
        check_ok(am_json_parse(&doc, (const char *)line.data, line.size, "line", NULL, &err), &err);
        const am_json *root = am_json_root(doc);
        assert_non_null(am_json_get(root, "clip"));
        assert_non_null(am_json_get(root, "contacts"));
        const am_json *costs = am_json_get(root, "costs");
        if (costs) {
            // The channels' shares add up to the whole, weights included.
            double sum = 0.0;
            for (const am_json *c = costs->first; c; c = c->next) {
                sum += c->number;
            }
            assert_int_equal(costs->count, shared_db->features.schema->channel_count);
            check_near(sum, am_json_get(root, "cost")->number, 1e-3 * (sum + 1.0));
            assert_int_equal(am_json_get(root, "candidates")->count, 3);
            searched++;
        }
        am_json_free(doc);
        am_bytes_free(&line);
    }
    assert_true(searched > 8);
    am_run_destroy(run);
    am_run_script_free(&s);
}

static void unknown_channels_and_missing_databases_are_named(void **state)
{
    (void)state;
    static const char text[] = "{\"database\": \"nowhere.amdb\", \"seconds\": 1,\n\"options\": {\"weights\": "
                               "{\"left_foot_positon\": 1}},\n\"characters\": [{}]}";
    am_run_script s;
    am_error err = { 0 };
    parse_good(&s, text);
    am_run_def def = am_run_def_default();
    def.script = &s;
    am_run *run = NULL;
    check_refused(am_run_create(&run, &def, &err), AM_ERR_OPEN);
    assert_non_null(strstr(err.file, "some/folder/nowhere.amdb"));
    def.db = shared_db;
    check_refused(am_run_create(&run, &def, &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "left_foot_position"));
    assert_int_equal(err.line, 2);
    def.cookie = 0;
    check_refused(am_run_create(&run, &def, &err), AM_ERR_DEF);
    assert_null(run);
    am_run_script_free(&s);
}

static void pushes_need_an_engine_and_a_joint_that_is_there(void **state)
{
    (void)state;
    static const char text[] = "{\"database\": \"x\", \"seconds\": 1, \"characters\": [{\"pushes\": "
                               "[{\"t\": 0.5, \"joint\": \"%s\", \"force\": [100, 0, 0]}]}]}";
    static const char *const joints[] = { "chest", "Hisp" };
    const am_result codes[] = { AM_ERR_SUPPORT, AM_ERR_RANGE };
    const char *const words[] = { "libode-dev", "Hips" };
    for (int i = 0; i < 2; i++) {
        char script[512];
        snprintf(script, sizeof script, text, joints[i]);
        am_run_script s;
        am_error err = { 0 };
        parse_good(&s, script);
        am_run_def def = am_run_def_default();
        def.script = &s;
        def.db = shared_db;
        am_run *run = NULL;
        check_refused(am_run_create(&run, &def, &err), codes[i]);
        assert_non_null(strstr(err.text, words[i]));
        am_run_script_free(&s);
    }
}

static void the_command_writes_motion_for_each_character(void **state)
{
    (void)state;
    const char *folder = test_temp_dir("run");
    am_error err = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/loco.amdb", folder);
    check_ok(am_db_write(shared_db, path, &err), &err);
    snprintf(path, sizeof path, "%s/run.json", folder);
    check_ok(am_file_write(path, good, strlen(good), &err), &err);
    char first[2048], second[2048];
    assert_int_equal(test_shell(first, sizeof first,
                                "%s run %s -o %s/out.bvh --trace %s/t.jsonl --record %s/r.json --json",
                                test_command(), path, folder, folder, folder),
                     0);
    assert_int_equal(test_shell(second, sizeof second, "%s run %s/r.json --json", test_command(), folder), 0);
    const char *a = strstr(first, "\"hash\""), *b = strstr(second, "\"hash\"");
    assert_non_null(a);
    assert_non_null(b);
    assert_memory_equal(a, b, 26);
    snprintf(path, sizeof path, "%s/r.json", folder);
    char *recorded = test_read_file(path, NULL);
    assert_non_null(strstr(recorded, "\"database\": \"loco.amdb\""));
    free(recorded);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/out.%d.bvh", folder, i);
        size_t size = 0;
        char *text = test_read_file(path, &size);
        am_clip *clip = NULL;
        am_read_def def = am_read_def_default();
        check_ok(am_bvh_read(&clip, text, size, &def, &err), &err);
        assert_int_equal(clip->frame_count, 240);
        assert_int_equal(clip->skeleton->joint_count, shared_db->joint_count);
        assert_string_equal(clip->skeleton->names[0], shared_db->skeleton->names[0]);
        assert_int_equal(clip->moving_count, shared_db->moving_count);
        check_near(clip->fps, 60.0f, 1e-2f);
        am_clip_destroy(clip);
        free(text);
    }
    assert_int_equal(test_shell(NULL, 0, "%s run 2>/dev/null", test_command()), 2);
    assert_int_equal(test_shell(NULL, 0, "%s run nowhere.json 2>/dev/null", test_command()), 1);
}

TEST_SUITE(run)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_is_read_as_written),
        cmocka_unit_test(goals_are_places_to_go_to),
        cmocka_unit_test(every_wrong_key_names_its_place_and_the_nearest),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(damaged_scripts_are_refused),
        cmocka_unit_test(a_recording_gives_the_same_frames_again),
        cmocka_unit_test(the_parts_of_a_path_are_read),
        cmocka_unit_test(options_change_while_a_path_is_walked),
        cmocka_unit_test(another_rate_walks_as_far),
        cmocka_unit_test(a_trace_line_is_one_object_with_the_reasons),
        cmocka_unit_test(unknown_channels_and_missing_databases_are_named),
        cmocka_unit_test(pushes_need_an_engine_and_a_joint_that_is_there),
        cmocka_unit_test(the_command_writes_motion_for_each_character),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

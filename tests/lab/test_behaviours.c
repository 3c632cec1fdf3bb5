// What amble eval operators asks of models: it finds what a schema offers, its courses are walkable, and its measures
// tell a character that does what it is asked from one that does not.
#include "behaviours_courses.h"
#include "operators_tables.h"
#include "support/check.h"
#include "support/flow_model.h"
#include "support/synth_db.h"

#include <math.h>

static am_db *db;

static int set_up(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make_few(&err);
    return db ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    am_db_close(db);
    return 0;
}

static void read_schema(am_control_schema **schema, const char *name)
{
    char path[600];
    size_t size = 0;
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/configs/schemas/%s.json", AMBLE_SOURCE_DIR, name);
    char *text = test_read_file(path, &size);
    check_ok(am_control_schema_read(schema, text, size, path, NULL, &err), &err);
    free(text);
}

static void each_ready_schema_offers_its_own_behaviour_and_all_of_them_in_one(void **state)
{
    (void)state;
    for (int b = 0; b <= BEHAVIOUR_COUNT; b++) {
        am_control_schema *schema = NULL;
        behaviour_parts parts[BEHAVIOUR_COUNT];
        am_error err = { 0 };
        const bool all = b == BEHAVIOUR_COUNT;
        read_schema(&schema, all ? "all" : behaviour_name((behaviour)b));
        check_ok(behaviours_find(parts, schema, NULL, &err), &err);
        for (int i = 0; i < BEHAVIOUR_COUNT; i++) {
            assert_int_equal(parts[i].has, all || i == b);
        }
        if (all) {
            assert_string_equal(parts[BEHAVIOUR_TARGET].facing, "target.facing");
            assert_string_equal(parts[BEHAVIOUR_STYLED].place, "styled.trajectory");
            assert_string_equal(parts[BEHAVIOUR_STYLED].extra, "styled.style");
            assert_string_equal(parts[BEHAVIOUR_SIT].place, "sit.sit.chair");
            assert_string_equal(parts[BEHAVIOUR_SIT].extra, "sit.get_up");
            assert_int_equal(parts[BEHAVIOUR_PATH].count, 8);
            assert_true(parts[BEHAVIOUR_TRAJECTORY].faced);
        }
        am_control_schema_destroy(schema);
    }
}

/// The vector made by hand: flags say what was asked for, the rest is where the character is.
static void a_vector_made_by_hand_is_filled_in(void **state)
{
    (void)state;
    behaviours b = { .db = NULL };
    am_control_schema *schema = NULL;
    am_control *control = NULL;
    am_error err = { 0 };
    float vector[64];
    read_schema(&schema, "operators/by_hand");
    b.schema = schema;
    check_ok(behaviours_find(b.parts, schema, NULL, &err), &err);
    assert_true(b.parts[BEHAVIOUR_TARGET].has && b.parts[BEHAVIOUR_TRAJECTORY].has);
    check_ok(am_control_create(&control, schema, NULL, &err), &err);
    const am_transform root = { am_quat_from_heading(0.7f), { 3.0f, 0.0f, -2.0f } };
    assert_int_equal(schema->vector_count, 2 + 3 + 1 + 3 + 4 * 6); // task, target, faced, facing, trajectory
    for (int task = 0; task < 3; task++) {
        am_control_clear(control);
        for (int i = 0; i < 4 && task == 2; i++) {
            ask_item(control, "trajectory", i, ".position", am_v3_add(root.translation, am_v3(0.0f, 0.0f, 1.0f)));
            ask_item(control, "trajectory", i, ".facing", am_v3(1.0f, 0.0f, 0.0f));
        }
        if (task < 2) {
            ask_place(control, "target", am_v3(5.0f, 0.0f, 1.0f));
        }
        if (task == 1) {
            ask_place(control, "facing", am_v3(-1.0f, 0.0f, 0.0f));
        }
        operators_by_hand(&b, control, root);
        ami_control_flatten(schema, vector, control->numbers, &root);
        const am_vec3 target = am_v3(vector[2], vector[3], vector[4]),
                      facing = am_v3(vector[6], vector[7], vector[8]);
        const am_vec3 place = am_v3(vector[9], vector[10], vector[11]);
        assert_true(vector[0] == (task < 2 ? 1.0f : 0.0f) && vector[1] == (task < 2 ? 0.0f : 1.0f));
        assert_true(vector[5] == (task == 1 ? 1.0f : 0.0f));
        check_near(am_v3_length(target), task < 2 ? sqrt(4.0 + 9.0) : 0.0, 1e-5);
        check_near(am_v3_length(facing), 1.0, 1e-5);
        assert_true(task == 1 || facing.z > 0.9999f);
        check_near(am_v3_length(place), task == 2 ? 1.0 : 0.0, 1e-5);
    }
    am_control_destroy(control);
    am_control_schema_destroy(schema);
}

static void what_a_body_says_of_itself_cannot_be_asked(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"name\": \"x\", \"control\": { \"and\": { \"way\": { \"velocity\": {} }, \"pose\": "
        "{ \"and\": { \"velocity\": { \"velocity\": { \"space\": \"local\" } } } } } } }";
    am_control_schema *schema = NULL;
    behaviour_parts parts[BEHAVIOUR_COUNT];
    am_error err = { 0 };
    check_ok(am_control_schema_read(&schema, text, strlen(text), "x", NULL, &err), &err);
    check_ok(behaviours_find(parts, schema, NULL, &err), &err);
    assert_false(parts[BEHAVIOUR_VELOCITY].has);
    am_control_schema_destroy(schema);
}

static void times_of_a_trajectory_are_those_of_the_runtime_controls(void **state)
{
    (void)state;
    static const flow_model_def def = {
        .schema = "{ \"name\": \"x\", \"control\": { \"fixed_array\": { \"and\": { \"position\": \"location\" } }, "
                  "\"count\": 2 } }",
        .controls = "{ \"training\": {}, \"runtime\": { \"item\": { \"let\": { \"t\": \"nth(i, 0.25, 0.9)\" }, "
                    "\"set\": { \"position\": \"trajectory_position(t)\" } } } }",
    };
    am_error err = { 0 };
    am_control_schema *schema = NULL;
    behaviour_parts parts[BEHAVIOUR_COUNT];
    am_model *model = flow_model_make(db, &def, &err);
    assert_non_null(model);
    check_ok(am_control_schema_read(&schema, def.schema, strlen(def.schema), "x", NULL, &err), &err);
    check_ok(behaviours_find(parts, schema, model, &err), &err);
    check_near(parts[BEHAVIOUR_TRAJECTORY].times[0], 0.25, 1e-4);
    check_near(parts[BEHAVIOUR_TRAJECTORY].times[1], 0.9, 1e-4);
    am_control_schema_destroy(schema);
    am_model_close(model);
}

static void courses_are_walked_at_a_walk(void **state)
{
    (void)state;
    course *courses = calloc(course_count, sizeof *courses);
    assert_non_null(courses);
    courses_make(courses, 1.0f);
    for (int c = 0; c < course_count; c++) {
        for (int f = 1; f < (int)(COURSE_S * 60.0f); f++) {
            const am_vec3 step = am_v3_sub(courses[c].places[f], courses[c].places[f - 1]);
            assert_true(am_v3_length(step) * 60.0f < 1.8f);
        }
        const am_vec3 on = course_place(&courses[c], 7.3f), side = course_facing(&courses[c], 7.3f);
        const am_vec3 off = am_v3_add(on, am_v3(0.2f * side.z, 0.0f, -0.2f * side.x));
        check_near(course_off(&courses[c], on, 7.3f), 0.0, 0.02);
        check_near(course_off(&courses[c], off, 7.3f), 0.2, 0.03);
    }
    free(courses);
}

/// The cell of a row of the last table as JSON gives it.
static double cell(const ami_tables *tables, const char *row_name, const char *column)
{
    am_json_writer *w = NULL;
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    double value = (double)NAN;
    size_t size = 0;
    check_ok(am_json_writer_create(&w, 0, NULL, &err), &err);
    ami_tables_json(w, tables);
    const char *text = am_json_text(w, &size);
    check_ok(am_json_parse(&doc, text, size, "tables", NULL, &err), &err);
    const am_json *table = am_json_get(am_json_root(doc), "tables")->first;
    const am_json *row = am_json_get(table, "rows")->first;
    while (row && strcmp(row->first->string, row_name) != 0) {
        row = row->next;
    }
    assert_non_null(row);
    const am_json *v = row->first;
    for (const am_json *c = am_json_get(table, "columns")->first; c && v; c = c->next, v = v->next) {
        if (strcmp(c->string, column) == 0 && v->type == AM_JSON_NUMBER) {
            value = v->number;
        }
    }
    am_json_free(doc);
    am_json_writer_destroy(w);
    return value;
}

/// The share of targets that a model comes within 0.25 m of, by the network alone.
static double share_of(const flow_model_def *def)
{
    am_error err = { 0 };
    behaviours b;
    eval e = { .quick = true };
    am_model *model = flow_model_make(db, def, &err);
    assert_non_null(model);
    check_ok(ami_tables_create(&e.tables, NULL, &err), &err);
    check_ok(behaviours_open(&b, &e, db, model, &err), &err);
    behaviours_table(&b);
    check_ok(behaviours_goals(&b, &err), &err);
    const double share = cell(e.tables, "target, network alone", "within 0.25 m %");
    behaviours_close(&b);
    ami_tables_destroy(e.tables);
    am_model_close(model);
    return share;
}

static void targets_tell_who_hears_from_who_does_not(void **state)
{
    (void)state;
    const flow_model_def hears = { .puppet = true }, deaf = { .puppet = false };
    // The puppet turns in place slowly and sees four metres far at most: some targets take it longer.
    assert_true(share_of(&hears) > 75.0);
    assert_true(share_of(&deaf) < 10.0);
}

/// A statue neither jumps nor walks to an object. It does not sit either: hips that are far from the seat stay.
static void a_statue_meets_nothing(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"control\": {\"and\": {\"still\": \"velocity\", \"task\": {\"or\": {\"jump\": {\"and\": {\"spot\": "
        "\"location\"}}, \"pick_up\": {\"and\": {\"object\": \"location\", \"hand\": {\"optional\": {\"one_of\": "
        "[\"left\", \"right\"]}}}}, \"sit\": {\"and\": {\"chair\": \"location\", \"facing\": \"direction\"}}}}}}}";
    const flow_model_def def = { .puppet = true, .schema = schema };
    am_error err = { 0 };
    behaviours b;
    eval e = { .quick = true };
    am_model *model = flow_model_make(db, &def, &err);
    assert_non_null(model);
    check_ok(ami_tables_create(&e.tables, NULL, &err), &err);
    check_ok(behaviours_open(&b, &e, db, model, &err), &err);
    assert_true(b.parts[BEHAVIOUR_JUMP].has && b.parts[BEHAVIOUR_SIT].has && b.parts[BEHAVIOUR_PICK_UP].has);
    behaviours_table(&b);
    check_ok(behaviours_objects(&b, &err), &err);
    check_near(cell(e.tables, "jump", "done %"), 0.0, 1e-9);
    check_near(cell(e.tables, "jump", "within 0.25 m %"), 0.0, 1e-9);
    check_near(cell(e.tables, "pick up", "done %"), 0.0, 1e-9);
    check_near(cell(e.tables, "get up", "done %"), 0.0, 1e-9);
    assert_true(cell(e.tables, "jump", "median m") > 0.7 && cell(e.tables, "jump", "median m") < 1.5);
    assert_true(cell(e.tables, "sit", "done %") < 50.0);
    behaviours_close(&b);
    ami_tables_destroy(e.tables);
    am_model_close(model);
}

TEST_SUITE(behaviours)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ready_schema_offers_its_own_behaviour_and_all_of_them_in_one),
        cmocka_unit_test(a_vector_made_by_hand_is_filled_in),
        cmocka_unit_test(what_a_body_says_of_itself_cannot_be_asked),
        cmocka_unit_test(times_of_a_trajectory_are_those_of_the_runtime_controls),
        cmocka_unit_test(courses_are_walked_at_a_walk),
        cmocka_unit_test(a_statue_meets_nothing),
        cmocka_unit_test(targets_tell_who_hears_from_who_does_not),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

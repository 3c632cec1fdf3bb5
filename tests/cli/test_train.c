// amble train as a command: Ctrl-C and --resume, several processes, a process that dies, refusals.
#include "support/check.h"

#include <math.h>
#include <unistd.h>

/// The arrays of a walk serve as data: `amble synth` writes an NPZ with rotations and positions.
static const char *make_recipe(const char *name, int iterations)
{
    static char dir[512];
    snprintf(dir, sizeof dir, "%s", test_temp_dir(name));
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o %s --format npz >/dev/null 2>&1", test_command(), dir), 0);
    assert_int_equal(test_shell(NULL, 0, "mv \"$(ls %s/*.npz | head -n 1)\" %s/data.npz", dir, dir), 0);
    char path[600], text[900];
    snprintf(path, sizeof path, "%s/recipe.json", dir);
    snprintf(
        text, sizeof text,
        "{ \"stages\": [ { \"kind\": \"regression\", \"name\": \"fit\", \"data\": \"data.npz\", \"inputs\": "
        "\"rotations\", \"targets\": \"positions\", \"layers\": [\"linear 64\", \"elu\", \"linear 64\", \"elu\"], "
        "\"iterations\": %d, \"batch\": 32, \"checkpoint_every\": 50, \"noise\": 0.01 } ] }",
        iterations);
    am_error err = { 0 };
    check_ok(am_file_write(path, text, strlen(text), &err), &err);
    return dir;
}

static void interrupted_and_resumed_equals_uninterrupted(void **state)
{
    (void)state;
    const char *dir = make_recipe("train_int", 2500);
    const char *amble = test_command();
    assert_int_equal(
        test_shell(NULL, 0, "%s train %s/recipe.json -o %s/a.amnet --threads 2 2>/dev/null >&2", amble, dir, dir), 0);
    // Three times the command gets the signal of Ctrl-C at some moment; each time it ends by itself, exit status 1.
    assert_int_equal(
        test_shell(NULL, 0,
                   "for wait in 0.15 0.3 0.2; do %s train %s/recipe.json -o %s/b.amnet --threads 2 "
                   "--resume 2>/dev/null >&2 & sleep $wait; kill -INT $! 2>/dev/null; wait $!; done; true",
                   amble, dir, dir),
        0);
    assert_int_equal(test_shell(NULL, 0, "test -f %s/b.amnet || test -f %s/b.checkpoint", dir, dir), 0);
    assert_int_equal(test_shell(NULL, 0, "%s train %s/recipe.json -o %s/b.amnet --threads 2 --resume 2>/dev/null >&2",
                                amble, dir, dir),
                     0);
    assert_int_equal(
        test_shell(NULL, 0, "cmp %s/a.amnet %s/b.amnet && cmp %s/a.losses.csv %s/b.losses.csv", dir, dir, dir, dir),
        0);
    assert_int_equal(test_shell(NULL, 0, "ls %s/*.part* 2>/dev/null", dir), 2);
}

static bool have_mpi(void)
{
    if (test_shell(NULL, 0, "command -v mpirun >/dev/null 2>&1") != 0 ||
        test_shell(NULL, 0, "ldd %s | grep -q libmpi", test_command()) != 0) {
        printf("SKIPPED: several processes need mpirun and a build with MPI\n");
        return false;
    }
    return true;
}

// Open MPI itself leaves memory behind: what it leaks is not counted in a sanitised build.
#define MPIRUN "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -np 2"

/// Loss number `row` of a losses CSV.
static double loss_at(const char *text, int row)
{
    for (int i = 0; i <= row && text; i++) {
        text = strchr(text + 1, '\n');
    }
    assert_non_null(text);
    int stage = 0;
    long long iteration = 0;
    double loss = 0.0;
    assert_int_equal(sscanf(text, " %d,%lld,%lf", &stage, &iteration, &loss), 3);
    return loss;
}

static void two_processes_learn_as_one(void **state)
{
    (void)state;
    if (!have_mpi()) {
        skip();
    }
    const char *dir = make_recipe("train_mpi", 50);
    const char *amble = test_command();
    assert_int_equal(test_shell(NULL, 0, "%s train %s/recipe.json -o %s/one.amnet 2>/dev/null >&2", amble, dir, dir),
                     0);
    char out[4096];
    const int status =
        test_shell(out, sizeof out, MPIRUN " %s train %s/recipe.json -o %s/two.amnet 2>&1", amble, dir, dir);
    if (status != 0) {
        fail_msg("mpirun: %s", out);
    }
    char path[600];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/one.losses.csv", dir);
    char *one = test_read_file(path, &size);
    snprintf(path, sizeof path, "%s/two.losses.csv", dir);
    char *two = test_read_file(path, &size);
    for (int i = 0; i < 50; i++) {
        const double a = loss_at(one, i), b = loss_at(two, i);
        check_near(a, b, 1e-4 * fabs(a));
        if (i == 1) { // after one step: the first gradient
            check_near(a, b, 1e-6 * fabs(a));
        }
    }
    free(one);
    free(two);
}

static void a_process_that_dies_ends_the_job_and_leaves_a_checkpoint(void **state)
{
    (void)state;
    if (!have_mpi()) {
        skip();
    }
    const char *dir = make_recipe("train_die", 200000);
    const char *amble = test_command();
    // Waits for a checkpoint, then kills the second process: the youngest child of mpirun.
    char out[8192];
    const int status = test_shell(
        out, sizeof out,
        MPIRUN
        " %s train %s/recipe.json -o %s/x.amnet >%s/log 2>&1 & job=$!; "
        "for i in $(seq 200); do test -f %s/x.checkpoint && break; sleep 0.1; done; test -f %s/x.checkpoint || "
        "exit 9; kill -KILL $(ps -o pid= --ppid $job | tail -n 1); wait $job; echo status $?; cat %s/log",
        amble, dir, dir, dir, dir, dir, dir);
    assert_int_equal(status, 0);
    if (strstr(out, "status 0") || !strstr(out, "signal 9")) {
        fail_msg("the job did not end as it should: %s", out);
    }
    // The checkpoint goes on: here until Ctrl-C, from where it was on.
    assert_int_equal(
        test_shell(out, sizeof out,
                   "%s train %s/recipe.json -o %s/x.amnet --resume --threads 1 2>&1 & sleep 1.5; kill -INT "
                   "$!; wait $!; true",
                   amble, dir, dir),
        0);
    assert_non_null(strstr(out, "stopped at iteration"));
    assert_true(atoll(strstr(out, "stopped at iteration") + 20) > 50);
}

static void mistakes_are_told_with_their_place(void **state)
{
    (void)state;
    const char *dir = make_recipe("train_wrong", 10);
    const char *amble = test_command();
    char out[2048];
    assert_int_equal(test_shell(out, sizeof out, "%s train 2>&1", amble), 2);
    assert_int_equal(
        test_shell(out, sizeof out, "%s train %s/recipe.json -o /nowhere/at/all/x.amnet 2>&1", amble, dir), 1);
    assert_int_equal(test_shell(out, sizeof out,
                                "sed 's/\"rotations\"/\"rotation\"/' %s/recipe.json >%s/wrong.json; %s train "
                                "%s/wrong.json -o %s/x.amnet 2>&1",
                                dir, dir, amble, dir, dir),
                     1);
    assert_non_null(strstr(out, "there is no array 'rotation'"));
    assert_int_equal(
        test_shell(out, sizeof out,
                   "sed 's/\"batch\"/\"bach\"/' %s/recipe.json >%s/wrong.json; %s train %s/wrong.json -o "
                   "%s/x.amnet 2>&1",
                   dir, dir, amble, dir, dir),
        1);
    assert_non_null(strstr(out, "wrong.json:1"));
    assert_non_null(strstr(out, "batch"));
}

/// Two databases of different walks, and a recipe of two kinds of stages that name a third.
static const char *make_databases(void)
{
    static char dir[512];
    snprintf(dir, sizeof dir, "%s", test_temp_dir("train_database"));
    assert_int_equal(test_shell(NULL, 0,
                                "cd %s && for kind in walk run; do %s synth $kind -o $kind && %s build "
                                "%s/configs/databases/synth.json --clips $kind -o $kind.amdb; done >/dev/null 2>&1",
                                dir, test_command(), test_command(), AMBLE_SOURCE_DIR),
                     0);
    static const char recipe[] =
        "{ \"stages\": [\n"
        "{ \"kind\": \"value\", \"name\": \"values\", \"task\": \"direction\", \"every\": 30, \"iterations\": 3,\n"
        "  \"database\": \"walk.amdb\" },\n"
        "{ \"kind\": \"direction\", \"iterations\": 5, \"units\": 4, \"database\": \"walk.amdb\" } ] }";
    char path[600];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/recipe.json", dir);
    check_ok(am_file_write(path, recipe, strlen(recipe), &err), &err);
    return dir;
}

static void a_database_of_ones_own_takes_the_place_of_the_recipes(void **state)
{
    (void)state;
    const char *dir = make_databases(), *amble = test_command();
    char out[8192];
    assert_int_equal(test_shell(out, sizeof out,
                                "cd %s && %s train recipe.json -o a.amnet 2>&1 && %s train recipe.json -o b.amnet "
                                "--database run.amdb 2>&1",
                                dir, amble, amble),
                     0);
    am_model *models[2];
    am_db *dbs[2];
    am_error err = { 0 };
    for (int i = 0; i < 2; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", dir, i ? "b.amnet" : "a.amnet");
        check_ok(am_model_open(&models[i], path, NULL, &err), &err);
        snprintf(path, sizeof path, "%s/%s", dir, i ? "run.amdb" : "walk.amdb");
        check_ok(am_db_open(&dbs[i], path, NULL, &err), &err);
        assert_true(models[i]->database_hash == dbs[i]->hash);
        assert_true(models[i]->data_hash == dbs[i]->hash); // both stages
    }
    // The recipe stays as it was read; beside it the file says what took the database's place.
    assert_string_equal(models[0]->recipe, models[1]->recipe);
    assert_null(strstr(models[0]->provenance, "database"));
    assert_non_null(strstr(models[1]->provenance, "\"database\":\"run.amdb\""));
    for (int i = 0; i < 2; i++) {
        am_model_close(models[i]);
        am_db_close(dbs[i]);
    }
    const char *arrays = make_recipe("train_no_database", 10);
    assert_int_equal(test_shell(out, sizeof out, "%s train %s/recipe.json -o %s/x.amnet --database %s/run.amdb 2>&1",
                                amble, arrays, arrays, dir),
                     1);
    assert_non_null(strstr(out, "no stage of this recipe learns from a database"));
}

/// By a config of the working folder as it lies there, else by the name of one that ships.
static void a_missing_database_says_what_makes_it(void **state)
{
    (void)state;
    const struct {
        const char *call, *says;
    } cases[] = {
        { "train recipe.json", "recipe.json:1:50: the database 'build/databases/agile.amdb' was not found; make it "
                               "with: amble build configs/databases/agile.json -o build/databases/agile.amdb" },
        { "train recipe.json --database mine.amdb",
          "amble: the database 'mine.amdb' was not found; make it with: amble "
          "build CONFIG -o mine.amdb" },
        { "train second.json",
          "second.json:2:36: the database 'second.amdb' was not found; make it with: amble build "
          "CONFIG -o second.amdb, "
          "or give your own with --database X.amdb" },
        { "run run.json", "amble build fields_play -o play.amdb, or play the script with the networks that ship: "
                          "--model " AMBLE_SOURCE_DIR "/models/locomotion.amnet" },
        { "run run.json --database synth.amdb",
          "amble synth all -o synth/ && amble build synth --clips synth/ -o synth.amdb" },
    };
    const char *made = make_databases(), *dir = test_temp_dir("train_missing");
    assert_int_equal(
        test_shell(
            NULL, 0,
            "cd %s && mkdir -p configs/databases && cp %s/configs/databases/agile.json configs/databases && echo '{ "
            "\"stages\": [ { "
            "\"kind\": \"direction\", \"database\": "
            "\"build/databases/agile.amdb\", \"iterations\": 5 } ] }' >recipe.json && echo '{ \"database\": "
            "\"play.amdb\", \"seconds\": 1, \"characters\": [ {} ] }' >run.json && cp %s/walk.amdb . && printf '{ "
            "\"stages\": [ { \"kind\": \"direction\", \"database\": \"walk.amdb\", \"units\": 4, \"iterations\": 5 "
            "},\\n{ \"kind\": \"direction\", \"database\": \"second.amdb\", \"name\": \"b\", \"iterations\": 5 } ] "
            "}' >second.json",
            dir, AMBLE_SOURCE_DIR, made),
        0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[2048];
        const char *made_file = strncmp(cases[i].call, "run", 3) == 0 ? "x.bvh" : "x.amnet";
        assert_int_equal(
            test_shell(out, sizeof out, "cd %s && %s %s -o %s 2>&1", dir, test_command(), cases[i].call, made_file),
            1);
        if (!strstr(out, cases[i].says)) {
            fail_msg("%s: %s", cases[i].call, out);
        }
    }
}

static void a_result_as_json(void **state)
{
    (void)state;
    const char *dir = make_recipe("train_json", 30);
    char out[2048];
    assert_int_equal(test_shell(out, sizeof out, "%s train %s/recipe.json -o %s/x.amnet --json 2>/dev/null",
                                test_command(), dir, dir),
                     0);
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    check_ok(am_json_parse(&doc, out, strlen(out), "train", NULL, &err), &err);
    assert_int_equal((int)am_json_get(am_json_root(doc), "iterations")->number, 30);
    assert_true(am_json_get(am_json_root(doc), "last_loss")->number > 0.0);
    am_json_free(doc);
}

TEST_SUITE(train)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_and_resumed_equals_uninterrupted),
        cmocka_unit_test(two_processes_learn_as_one),
        cmocka_unit_test(a_process_that_dies_ends_the_job_and_leaves_a_checkpoint),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(a_database_of_ones_own_takes_the_place_of_the_recipes),
        cmocka_unit_test(a_missing_database_says_what_makes_it),
        cmocka_unit_test(a_result_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

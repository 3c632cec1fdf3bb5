// Recipes through am_train_run: what they make, how they resume, and everything that they refuse.
#include "support/check.h"
#include "base/budget.h"

#include <amble/train.h>

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { rows = 64, n_in = 3, n_out = 2 };

/// Data in memory, where the command has an NPZ.
typedef struct data {
    float inputs[rows * n_in], targets[rows * n_out];
    int64_t target_rows;
    int stop_after; ///< reports before the run is stopped; 0 never
    int reports;
    int64_t stopped_at;
} data;

static data make_data(void)
{
    data d = { .target_rows = rows };
    for (int i = 0; i < rows * n_in; i++) {
        d.inputs[i] = (float)sin(1.7 * i);
    }
    for (int r = 0; r < rows; r++) {
        d.targets[r * n_out] = d.inputs[r * n_in] * d.inputs[r * n_in + 1];
        d.targets[r * n_out + 1] = 5.0f + d.inputs[r * n_in + 2];
    }
    return d;
}

static am_result load(void *user, am_train_array *out, const char *path, const char *name, am_error *err)
{
    data *d = user;
    (void)path, (void)err;
    if (strcmp(name, "targets") == 0) {
        *out = (am_train_array){ d->targets, d->target_rows, n_out };
    } else {
        *out = (am_train_array){ d->inputs, rows, n_in };
    }
    return AM_OK;
}

static bool report(void *user, const am_train_progress *p)
{
    data *d = user;
    d->reports++;
    d->stopped_at = p->iteration;
    assert_true(p->iteration >= 1 && p->iteration <= p->iterations && isfinite(p->loss) && p->rate > 0.0);
    return d->stop_after == 0 || d->reports < d->stop_after;
}

static const char good[] =
    "{ \"seed\": 2, // comments are allowed\n  \"stages\": [\n"
    "  { \"kind\": \"regression\", \"name\": \"fit\", \"data\": \"x.npz\", \"layers\": [\"linear 24\", \"elu\", "
    "\"skip\",\n"
    "    \"linear 24\", \"relu\", \"layer norm\"], \"iterations\": 300, \"rate\": 0.005, \"noise\": 0.01,\n"
    "    \"schedule\": { \"kind\": \"linear\" }, \"checkpoint_every\": 20, \"preview_every\": 50 },\n"
    "  { \"kind\": \"autoencoder\", \"data\": \"x.npz\", \"encoder\": [\"linear 16\", \"elu\"], \"decoder\": "
    "[\"linear 16\",\n"
    "    \"elu\"], \"latent\": 2, \"iterations\": 100, \"batch\": 16, \"optimiser\": \"adam\", \"clip\": 1.0,\n"
    "    \"noise\": 0.05, \"weights\": \"fp16\", \"checkpoint_every\": 7 } ] }\n";

typedef struct place {
    char recipe[600], output[600], checkpoint[600], csv[600], preview[600];
} place;

static place make_place(const char *name, const char *text)
{
    place p;
    const char *dir = test_temp_dir(name);
    snprintf(p.recipe, sizeof p.recipe, "%s/recipe.json", dir);
    snprintf(p.output, sizeof p.output, "%s/out.amnet", dir);
    snprintf(p.checkpoint, sizeof p.checkpoint, "%s/out.checkpoint", dir);
    snprintf(p.csv, sizeof p.csv, "%s/out.losses.csv", dir);
    snprintf(p.preview, sizeof p.preview, "%s/out.preview.amnet", dir);
    am_error err = { 0 };
    check_ok(am_file_write(p.recipe, text, strlen(text), &err), &err);
    return p;
}

static am_result run(const place *p, data *d, bool resume, am_train_summary *summary, am_error *err)
{
    am_train_def def;
    am_train_def_init(&def);
    def.recipe = p->recipe;
    def.output = p->output;
    def.resume = resume;
    def.threads = 2;
    def.load = load;
    def.load_user = d;
    def.report = report;
    def.report_user = d;
    return am_train_run(summary, &def, err);
}

static void a_recipe_gives_a_model_with_its_losses(void **state)
{
    (void)state;
    place p = make_place("recipe_good", good);
    data d = make_data();
    am_train_summary s;
    am_error err = { 0 };
    check_ok(run(&p, &d, false, &s, &err), &err);
    assert_int_equal(s.stage_count, 2);
    assert_int_equal(s.iterations, 400);
    assert_true(s.last_loss < 0.8 * s.first_loss);
    assert_true(access(p.checkpoint, F_OK) != 0 && access(p.preview, F_OK) != 0);
    am_model *model = NULL;
    check_ok(am_model_open(&model, p.output, NULL, &err), &err);
    check_ok(am_model_verify(model, &err), &err);
    assert_int_equal(model->part_count, 3);
    assert_true(am_model_find(model, "fit") >= 0 && am_model_find(model, "encoder") >= 0);
    assert_int_equal(model->parts[am_model_find(model, "decoder")].weights, AM_NET_FP16);
    assert_non_null(strstr(model->provenance, "\"losses\""));
    assert_non_null(strstr(model->recipe, "layer norm"));
    assert_true(model->hash == s.hash && model->data_hash != 0);
    // What it learnt: the network's answer on a row of the data, in the data's own units.
    am_net_def def;
    am_net_def_init(&def);
    def.model = model;
    def.part = am_model_find(model, "fit");
    am_net *net = NULL;
    am_net_work *work = NULL;
    check_ok(am_net_create(&net, &def, &err), &err);
    check_ok(am_net_work_create(&work, net, 1, NULL, &err), &err);
    am_net_put(work, 0, 0, d.inputs + 5 * n_in);
    am_net_run(net, work, 1);
    float y[n_out];
    am_net_get(work, 0, 0, y);
    check_near(y[0], d.targets[5 * n_out], 0.15);
    check_near(y[1], d.targets[5 * n_out + 1], 0.25);
    am_net_work_destroy(work);
    am_net_destroy(net);
    am_model_close(model);
    size_t size = 0;
    char *csv = test_read_file(p.csv, &size);
    assert_memory_equal(csv, "stage,iteration,loss,rate\n0,1,", 30);
    assert_non_null(strstr(csv, "\n1,100,"));
    free(csv);
}

static void stopped_anywhere_it_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    place whole = make_place("recipe_whole", good), part = make_place("recipe_part", good);
    data d = make_data();
    am_train_summary s;
    am_error err = { 0 };
    check_ok(run(&whole, &d, false, &s, &err), &err);
    const uint64_t want = s.hash;
    // Reports come at most twice a second, but always at a stage's first and last iteration.
    int stops = 0;
    d = make_data();
    am_result result = AM_ERR_CANCELLED;
    for (; result == AM_ERR_CANCELLED && stops < 50; stops++) {
        d.reports = 0;
        d.stop_after = stops < 4 ? 1 : 0;
        result = run(&part, &d, true, &s, &err);
        assert_true(result == AM_OK || access(part.checkpoint, F_OK) == 0);
    }
    check_ok(result, &err);
    assert_true(stops >= 2);
    assert_true(s.hash == want);
    size_t a_size = 0, b_size = 0;
    char *a = test_read_file(whole.output, &a_size), *b = test_read_file(part.output, &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a, b, a_size);
    free(a);
    free(b);
    a = test_read_file(whole.csv, &a_size);
    b = test_read_file(part.csv, &b_size);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

/// The good recipe with one piece of its text replaced.
static void write_changed(const place *p, const char *from, const char *to)
{
    char text[sizeof good + 64];
    const char *at = strstr(good, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
    am_error err = { 0 };
    check_ok(am_file_write(p->recipe, text, strlen(text), &err), &err);
}

static void damaged_and_foreign_checkpoints_are_refused(void **state)
{
    (void)state;
    place p = make_place("recipe_damaged", good);
    data d = make_data();
    d.stop_after = 1;
    am_train_summary s;
    am_error err = { 0 };
    check_refused(run(&p, &d, false, &s, &err), AM_ERR_CANCELLED);
    size_t size = 0;
    char *bytes = test_read_file(p.checkpoint, &size);
    for (size_t i = 0; i < size; i += size / 23 + 1) {
        bytes[i] ^= 0x10;
        check_ok(am_file_write(p.checkpoint, bytes, size, &err), &err);
        const am_result result = run(&p, &d, true, &s, &err);
        assert_true(result == AM_ERR_CHECKSUM || result == AM_ERR_FORMAT);
        assert_non_null(strstr(err.file, "out.checkpoint"));
        bytes[i] ^= 0x10;
        check_ok(am_file_write(p.checkpoint, bytes, i, &err), &err);
        assert_true(run(&p, &d, true, &s, &err) != AM_OK && err.code != AM_ERR_CANCELLED);
    }
    check_ok(am_file_write(p.checkpoint, bytes, size, &err), &err);
    free(bytes);
    // Another recipe beside the same output: one digit, one word, one key; a comment more is none.
    static const char *const changes[][2] = { { "\"seed\": 2", "\"seed\": 3" },
                                              { "\"linear 16\", \"elu\"]", "\"linear 16\", \"relu\"]" },
                                              { "\"clip\"", "\"rate\"" } };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        write_changed(&p, changes[i][0], changes[i][1]);
        check_refused(run(&p, &d, true, &s, &err), AM_ERR_FORMAT);
        assert_non_null(strstr(err.text, "another recipe"));
    }
    write_changed(&p, "comments are allowed", "this one too");
    check_refused(run(&p, &d, true, &s, &err), AM_ERR_CANCELLED);
}

static void a_checkpoint_of_other_data_is_refused(void **state)
{
    (void)state;
    place p = make_place("recipe_changed", good);
    data d = make_data();
    d.stop_after = 1;
    am_train_summary s;
    am_error err = { 0 };
    check_refused(run(&p, &d, false, &s, &err), AM_ERR_CANCELLED);
    d.stop_after = 0;
    d.inputs[3] += 0.5f;
    check_refused(run(&p, &d, true, &s, &err), AM_ERR_FORMAT);
    assert_non_null(strstr(err.text, "'fit' have changed"));
    d.inputs[3] = make_data().inputs[3];
    check_ok(run(&p, &d, true, &s, &err), &err);
}

static void a_stage_begins_only_from_the_same_layers(void **state)
{
    (void)state;
    static const char text[] = "{ \"stages\": [ { \"kind\": \"regression\", \"data\": \"x\", \"layers\": [\"linear "
                               "%d\", \"elu\", \"linear %d\"], \"iterations\": 2 %s } ] }";
    char recipe[400], from[700];
    snprintf(recipe, sizeof recipe, text, 4, 7, "");
    place first = make_place("recipe_first", recipe);
    data d = make_data();
    am_train_summary s;
    am_error err = { 0 };
    check_ok(run(&first, &d, false, &s, &err), &err);
    snprintf(from, sizeof from, ", \"from\": \"%s\"", first.output);
    for (int other = 0; other < 2; other++) { // 3-5-6-2 takes as much room as 3-4-7-2; then the same
        char again[1200];
        snprintf(again, sizeof again, text, other ? 4 : 5, other ? 7 : 6, from);
        place p = make_place("recipe_second", again);
        const am_result result = run(&p, &d, false, &s, &err);
        if (other) {
            check_ok(result, &err);
        } else {
            check_refused(result, AM_ERR_FORMAT);
            assert_non_null(strstr(err.text, "other layers"));
        }
    }
}

/// Losses count in deviations: centimetres learn as metres do, with every loss.
static void losses_do_not_depend_on_the_units_of_the_data(void **state)
{
    (void)state;
    static const char *const losses[] = { "l2", "l1", "huber" };
    static const char *const kinds[] = {
        "\"regression\", \"layers\": []",
        "\"autoencoder\", \"samples\": \"targets\", \"encoder\": [], \"decoder\": [], "
        "\"latent\": 1"
    };
    for (int i = 0; i < 6; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "{ \"stages\": [ { \"kind\": %s, \"loss\": \"%s\", \"data\": \"x\", \"iterations\": 50 } ] }",
                 kinds[i / 3], losses[i % 3]);
        place p = make_place("recipe_units", text);
        data d = make_data();
        am_train_summary metres, other;
        am_error err = { 0 };
        check_ok(run(&p, &d, false, &metres, &err), &err);
        for (int k = 0; k < rows * n_out; k++) {
            d.targets[k] *= 100.0f;
        }
        check_ok(run(&p, &d, false, &other, &err), &err);
        check_near(other.first_loss, metres.first_loss, 1e-3 * metres.first_loss);
        check_near(other.last_loss, metres.last_loss, 1e-3 * metres.last_loss);
    }
}

/// A recipe with one stage of regression and something put in.
static am_result run_text(const char *text, data *d, am_error *err)
{
    place p = make_place("recipe_text", text);
    am_train_summary s;
    return run(&p, d, false, &s, err);
}

static void mistakes_in_recipes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        am_result code;
        const char *says;
    } cases[] = {
        { "{}", AM_ERR_KEY, "stages" },
        { "{ \"stages\": [] }", AM_ERR_KEY, "stages" },
        { "{ \"stages\": [ { \"kind\": \"regresion\", \"iterations\": 1 } ] }", AM_ERR_RANGE, "regression" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iteration\": 1 } ] }", AM_ERR_KEY, "iterations" },
        { "{ \"stages\": [ { \"kind\": \"regression\" } ] }", AM_ERR_KEY, "iterations" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1 } ] }", AM_ERR_KEY, "data" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1, \"data\": \"x\" } ] }", AM_ERR_TYPE,
          "layers" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1, \"data\": \"x\", \"layers\": [\"liner 3\"] "
          "} ] }",
          AM_ERR_RANGE, "liner 3" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1, \"data\": \"x\", \"layers\": [\"linear "
          "5\", "
          "\"residual\"] } ] }",
          AM_ERR_RANGE, "residual" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1, \"rate\": -1 } ] }", AM_ERR_RANGE, "rate" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1, \"schedule\": { \"kind\": \"stairs\" } } ] "
          "}",
          AM_ERR_RANGE, "stairs" },
        { "{ \"stages\": [ { \"kind\": \"regression\", \"iterations\": 1 }, { \"kind\": \"direction\", \"name\": "
          "\"regression\", \"iterations\": 1 } ] }",
          AM_ERR_KEY, "two stages" },
        { "{ \"stages\": [ { \"kind\": \"direction\", \"iterations\": 1, \"database\": \"missing.amdb\" } ] }",
          AM_ERR_OPEN, "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        data d = make_data();
        am_error err = { 0 };
        const am_result result = run_text(cases[i].text, &d, &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].says)) {
            fail_msg("case %zu: %s: %s", i, am_result_name(result), err.text);
        }
    }
}

static void bad_data_are_refused_with_their_place(void **state)
{
    (void)state;
    am_error err = { 0 };
    data d = make_data();
    d.inputs[7] = NAN;
    check_refused(run_text(good, &d, &err), AM_ERR_NUMBER);
    assert_non_null(strstr(err.text, "row 2, column 1"));
    d = make_data();
    d.targets[n_out * 4] = INFINITY;
    check_refused(run_text(good, &d, &err), AM_ERR_NUMBER);
    d = make_data();
    d.target_rows = rows - 1;
    check_refused(run_text(good, &d, &err), AM_ERR_RANGE);
    assert_non_null(strstr(err.text, "64 inputs but 63 targets"));
    d.target_rows = 0;
    check_refused(run_text(good, &d, &err), AM_ERR_RANGE);
}

/// A disk that is full shows as a write that fails: here by a limit on the size of files.
static void a_full_disk_leaves_the_earlier_checkpoint(void **state)
{
    (void)state;
    place p = make_place("recipe_full", good);
    data d = make_data();
    d.stop_after = 1;
    am_train_summary s;
    am_error err = { 0 };
    check_refused(run(&p, &d, false, &s, &err), AM_ERR_CANCELLED);
    size_t size = 0, again = 0;
    char *before = test_read_file(p.checkpoint, &size);
    struct rlimit kept, low;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    low = kept;
    low.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    d.stop_after = 0;
    const am_result result = run(&p, &d, true, &s, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
    check_refused(result, AM_ERR_WRITE);
    assert_true(err.text[0] != '\0');
    char *after = test_read_file(p.checkpoint, &again);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    check_ok(run(&p, &d, true, &s, &err), &err); // and it goes on once there is room
    assert_int_equal(s.iterations, 400);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    place p =
        make_place("recipe_memory", "{ \"stages\": [ { \"kind\": \"autoencoder\", \"data\": \"x.npz\", \"encoder\": "
                                    "[\"linear 8\", \"gelu\"], \"decoder\": [], \"latent\": 2, \"iterations\": 2, "
                                    "\"batch\": 4 } ] }");
    for (size_t n = 1;; n++) {
        data d = make_data();
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        const am_alloc alloc = ami_budget_alloc(&budget);
        am_train_def def;
        am_train_def_init(&def);
        def.recipe = p.recipe;
        def.output = p.output;
        def.threads = 1;
        def.load = load;
        def.load_user = &d;
        def.alloc = &alloc;
        am_train_summary s;
        am_error err = { 0 };
        const am_result result = am_train_run(&s, &def, &err);
        assert_int_equal(budget.live_count, 0);
        if (result == AM_OK) {
            assert_true(n > 20);
            break;
        }
        assert_int_equal(result, AM_ERR_MEMORY);
    }
}

static void a_def_must_be_whole(void **state)
{
    (void)state;
    am_train_def def;
    am_train_def_init(&def);
    am_train_summary s;
    am_error err = { 0 };
    check_refused(am_train_run(&s, &def, &err), AM_ERR_DEF);
    def.recipe = "missing.json";
    def.output = "x.amnet";
    check_refused(am_train_run(&s, &def, &err), AM_ERR_OPEN);
    place p = make_place("recipe_unloadable", good);
    def.recipe = p.recipe;
    def.output = p.output;
    check_refused(am_train_run(&s, &def, &err), AM_ERR_DEF);
    am_train_group group;
    assert_false(am_train_mpi(&group));
    assert_int_equal(group.size, 1);
    am_train_mpi_end(&group, false);
}

TEST_SUITE(recipe)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recipe_gives_a_model_with_its_losses),
        cmocka_unit_test(stopped_anywhere_it_goes_on_to_the_same_bits),
        cmocka_unit_test(damaged_and_foreign_checkpoints_are_refused),
        cmocka_unit_test(a_checkpoint_of_other_data_is_refused),
        cmocka_unit_test(a_stage_begins_only_from_the_same_layers),
        cmocka_unit_test(losses_do_not_depend_on_the_units_of_the_data),
        cmocka_unit_test(mistakes_in_recipes_are_named),
        cmocka_unit_test(bad_data_are_refused_with_their_place),
        cmocka_unit_test(a_full_disk_leaves_the_earlier_checkpoint),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        cmocka_unit_test(a_def_must_be_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

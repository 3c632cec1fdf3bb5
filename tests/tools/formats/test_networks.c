// Networks to and from other tools: NPZ and back, ONNX (run by tests/browser/onnx.test.mjs), and the command.
#include "runtime/net/zoo.h"
#include "support/refuse.h"
#include "base/budget.h"

static char folder[1000];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s", test_temp_dir("networks"));
    return 0;
}

static int run(char *out, size_t size, const char *arguments)
{
    return test_shell(out, size, "cd '%s' && '%s' %s 2>&1", folder, test_command(), arguments);
}

static void write_model(const am_model *model, const char *name)
{
    char path[1100];
    am_error err = { 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_ok(am_model_write(model, path, &err), &err);
}

// ---------------------------------------------------------------------------------------------
// NPZ

static am_result read_npz(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    am_net_graph *graph = user;
    am_error err = { 0 };
    return refuse_checked(am_net_npz_read(&graph, 1, data, size, "w.npz", alloc, &err), &err);
}

static void weights_survive_npz(void **state)
{
    (void)state;
    am_net_graph *g = zoo_all(NULL), *other = NULL;
    const am_net_graph *graphs[1] = { g };
    am_bytes bytes = { 0 };
    am_error err = { 0 };
    check_ok(am_net_npz_write(&bytes, graphs, 1, NULL, &err), &err);
    check_ok(ami_net_graph_copy(&other, g, NULL, &err), &err);
    memset(other->weights, 0, other->weight_count * sizeof(float));
    check_ok(am_net_npz_read(&other, 1, bytes.data, bytes.size, "w.npz", NULL, &err), &err);
    assert_memory_equal(other->weights, g->weights, g->weight_count * sizeof(float));
    refuse_options options = { .flips = 300, .truncations = 200, .failures = 60 };
    refuse_loop(read_npz, other, bytes.data, bytes.size, &options);
    am_bytes_free(&bytes);
    am_net_graph_destroy(other);
    am_net_graph_destroy(g);
}

static void npz_of_another_network_is_refused(void **state)
{
    (void)state;
    const int small[3] = { 5, 17, 3 }, large[3] = { 5, 18, 3 };
    am_net_graph *a = zoo_mlp("mlp", small, 3, 1), *b = zoo_mlp("mlp", large, 3, 1), *c = zoo_mlp("net", small, 3, 1);
    const am_net_graph *graphs[1] = { a };
    am_bytes bytes = { 0 };
    am_error err = { 0 };
    a->weights[0] = NAN;
    check_ok(am_net_npz_write(&bytes, graphs, 1, NULL, &err), &err);
    float first = c->weights[1];
    check_refused(am_net_npz_read(&b, 1, bytes.data, bytes.size, "w.npz", NULL, &err), AM_ERR_RANGE);
    check_refused(am_net_npz_read(&c, 1, bytes.data, bytes.size, "w.npz", NULL, &err), AM_ERR_KEY);
    check_refused(am_net_npz_read(&a, 1, bytes.data, bytes.size, "w.npz", NULL, &err), AM_ERR_NUMBER);
    assert_true(c->weights[1] == first);
    am_bytes_free(&bytes);
    am_net_graph_destroy(a);
    am_net_graph_destroy(b);
    am_net_graph_destroy(c);
}

static void numpy_reads_the_weights(void **state)
{
    (void)state;
    const int widths[3] = { 5, 17, 3 };
    am_net_graph *g = zoo_mlp("mlp", widths, 3, 1);
    am_model *model = zoo_model(g, AM_NET_FP32);
    write_model(model, "n.amnet");
    char out[400];
    assert_int_equal(run(out, sizeof out, "export n.amnet -o n.npz"), 0);
    int status = test_shell(out, sizeof out,
                            "cd '%s' && /usr/bin/python3 -c \"import numpy; z = numpy.load('n.npz'); "
                            "print(z['mlp.0.weight'].shape, z['mlp.2.bias'].shape, len(z.files))\" 2>&1",
                            folder);
    if (status != 0) {
        print_message("SKIPPED: NumPy is not here\n");
    } else {
        assert_string_equal(out, "(17, 5) (3,) 4\n");
    }
    am_model_close(model);
    am_net_graph_destroy(g);
}

// ---------------------------------------------------------------------------------------------
// ONNX

static void put_tensor(am_json_writer *json, const char *name, const float *data, int batch, int row_count, int width)
{
    am_json_begin_object(json, NULL);
    am_json_string(json, "name", name);
    am_json_begin_array(json, "dims");
    am_json_integer(json, NULL, batch);
    if (row_count > 1) {
        am_json_integer(json, NULL, row_count);
    }
    am_json_integer(json, NULL, width);
    am_json_end_array(json);
    am_json_begin_array(json, "data");
    for (int i = 0; i < batch * row_count * width; i++) {
        am_json_number(json, NULL, (double)data[i]);
    }
    am_json_end_array(json);
    am_json_end_object(json);
}

static void write_onnx(const am_net_graph *g, const char *path)
{
    am_bytes bytes = { 0 };
    am_error err = { 0 };
    check_ok(am_onnx_write(&bytes, g, NULL, &err), &err);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
}

static void write_case(am_json_writer *json, const char *path)
{
    size_t size = 0;
    am_error err = { 0 };
    const char *text = am_json_text(json, &size);
    assert_non_null(text);
    check_ok(am_file_write(path, text, size, &err), &err);
    am_json_writer_destroy(json);
}

/// The zoo with inputs for seven samples and the outputs of one step from a state of zeros.
static void onnx_files_for_the_other_runtime(void **state)
{
    (void)state;
    enum { batch = 7 };
    char to[600], path[700];
    snprintf(to, sizeof to, "%s", test_temp_dir("onnx"));
    am_net_graph *g = zoo_all(NULL);
    am_model *model = zoo_model(g, AM_NET_FP32);
    zoo_net z = zoo_ready(model, AM_NET_EXACT, NULL, batch);
    float x[batch][21], set[batch][30], one[3][batch], zero[batch][19] = { { 0 } }, next[batch][19], y[batch][11],
                                                       gate[batch][4];
    for (int s = 0; s < batch; s++) {
        float scalars[3];
        zoo_inputs(x[s], set[s], scalars, s);
        zoo_put(&z, s, s);
        for (int i = 0; i < 3; i++) {
            one[i][s] = scalars[i];
        }
    }
    am_net_run(z.net, z.work, batch);
    for (int s = 0; s < batch; s++) {
        am_net_get(z.work, 0, s, y[s]);
        am_net_get(z.work, 1, s, gate[s]);
        am_net_state_get(z.work, s, next[s]);
    }
    am_json_writer *json = NULL;
    am_error err = { 0 };
    check_ok(am_json_writer_create(&json, 0, NULL, &err), &err);
    am_json_begin_object(json, NULL);
    am_json_begin_array(json, "inputs");
    put_tensor(json, "x", x[0], batch, 1, 21);
    put_tensor(json, "set", set[0], batch, 6, 5);
    put_tensor(json, "count", one[0], batch, 1, 1);
    put_tensor(json, "index", one[1], batch, 1, 1);
    put_tensor(json, "position", one[2], batch, 1, 1);
    put_tensor(json, "h", zero[0], batch, 1, 19);
    am_json_end_array(json);
    am_json_begin_array(json, "outputs");
    put_tensor(json, "y", y[0], batch, 1, 11);
    put_tensor(json, "gate", gate[0], batch, 1, 4);
    put_tensor(json, "h_next", next[0], batch, 1, 19);
    am_json_end_array(json);
    am_json_end_object(json);
    snprintf(path, sizeof path, "%s/zoo.json", to);
    write_case(json, path);
    snprintf(path, sizeof path, "%s/zoo.onnx", to);
    write_onnx(g, path);
    // The smallest real shape beside it.
    const int widths[3] = { 59, 512, 420 };
    am_net_graph *mlp = zoo_mlp("decompressor", widths, 3, 9);
    am_model *small = zoo_model(mlp, AM_NET_FP32);
    zoo_net d = zoo_ready(small, AM_NET_EXACT, NULL, 1);
    float in[59], out[420];
    for (int i = 0; i < 59; i++) {
        in[i] = am_sin((float)i);
    }
    am_net_put(d.work, 0, 0, in);
    am_net_run(d.net, d.work, 1);
    am_net_get(d.work, 0, 0, out);
    check_ok(am_json_writer_create(&json, 0, NULL, &err), &err);
    am_json_begin_object(json, NULL);
    am_json_begin_array(json, "inputs");
    put_tensor(json, "x", in, 1, 1, 59);
    am_json_end_array(json);
    am_json_begin_array(json, "outputs");
    put_tensor(json, "y", out, 1, 1, 420);
    am_json_end_array(json);
    am_json_end_object(json);
    snprintf(path, sizeof path, "%s/decompressor.json", to);
    write_case(json, path);
    snprintf(path, sizeof path, "%s/decompressor.onnx", to);
    write_onnx(mlp, path);
    zoo_end(&d);
    am_model_close(small);
    am_net_graph_destroy(mlp);
    zoo_end(&z);
    am_model_close(model);
    am_net_graph_destroy(g);
}

static bool holds(const am_bytes *bytes, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= bytes->size; i++) {
        if (memcmp(bytes->data + i, text, strlen(text)) == 0) {
            return true;
        }
    }
    return false;
}

/// Values that ONNX needs beside those of the graph get names that the graph does not use.
static void onnx_names_do_not_collide(void **state)
{
    (void)state;
    am_net_graph *g = NULL;
    am_error err = { 0 };
    am_bytes bytes = { 0 };
    check_ok(ami_net_graph_create(&g, "names", NULL, &err), &err);
    const int x = ami_net_graph_input(g, "t0", 3), h = ami_net_graph_state(g, "h", 3);
    const int y = ami_net_graph_gru(g, x, h);
    ami_net_graph_keep(g, h, y);
    ami_net_graph_output(g, "t_1", ami_net_graph_linear(g, y, 2));
    check_ok(ami_net_graph_finish(g, &err), &err);
    check_ok(am_onnx_write(&bytes, g, NULL, &err), &err);
    assert_true(holds(&bytes, "t__0") && holds(&bytes, "t__v") && !holds(&bytes, "t1"));
    am_bytes_free(&bytes);
    am_net_graph_destroy(g);

    check_ok(ami_net_graph_create(&g, "names", NULL, &err), &err);
    const int x2 = ami_net_graph_input(g, "h_next", 3), h2 = ami_net_graph_state(g, "h", 3);
    const int y2 = ami_net_graph_gru(g, x2, h2);
    ami_net_graph_keep(g, h2, y2);
    ami_net_graph_output(g, "y", y2);
    check_ok(ami_net_graph_finish(g, &err), &err);
    assert_int_equal(am_onnx_write(&bytes, g, NULL, &err), AM_ERR_DEF);
    assert_non_null(strstr(err.text, "h_next"));
    am_net_graph_destroy(g);
}

static void onnx_survives_every_failed_allocation(void **state)
{
    (void)state;
    am_net_graph *g = zoo_all(NULL);
    bool done = false;
    for (size_t n = 1; n < 200 && !done; n++) {
        ami_budget budget = ami_budget_make(NULL);
        budget.fail_at = n;
        am_alloc alloc = ami_budget_alloc(&budget);
        am_bytes bytes = { 0 };
        am_error err = { 0 };
        am_result result = am_onnx_write(&bytes, g, &alloc, &err);
        done = result == AM_OK;
        if (!done) {
            check_refused(result, AM_ERR_MEMORY);
        }
        am_bytes_free(&bytes);
        assert_int_equal(budget.live_count, 0);
    }
    assert_true(done);
    am_net_graph_destroy(g);
}

// ---------------------------------------------------------------------------------------------
// The command

static void the_command_shows_and_converts_networks(void **state)
{
    (void)state;
    char out[8000];
    am_net_graph *g = zoo_all(NULL);
    am_model *model = zoo_model(g, AM_NET_FP32);
    write_model(model, "zoo.amnet");
    assert_int_equal(run(out, sizeof out, "info zoo.amnet --verify"), 0);
    assert_non_null(strstr(out, "all checksums match"));
    assert_non_null(strstr(out, "attention"));
    assert_int_equal(run(out, sizeof out, "info zoo.amnet --json"), 0);
    assert_non_null(strstr(out, "\"kind\": \"network\""));
    assert_non_null(strstr(out, "\"weights\": \"fp32\""));
    assert_non_null(strstr(out, "\"data_hash\": \"0000000000001234\""));
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o small.amnet --type int8"), 0);
    assert_int_equal(run(out, sizeof out, "info small.amnet"), 0);
    assert_non_null(strstr(out, "output error against fp32"));
    assert_int_equal(run(out, sizeof out, "info small.amnet --json"), 0);
    assert_non_null(strstr(out, "error_rms"));
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o zoo.npz --json"), 0);
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o back.amnet --weights zoo.npz"), 0);
    assert_int_equal(run(out, sizeof out, "info back.amnet --verify"), 0);
    char hash[40];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)model->hash);
    assert_non_null(strstr(out, hash)); // the way there and back changes nothing
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o zoo.onnx"), 0);
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o zoo.onnx --part none"), 1);
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o zoo.bvh"), 2);
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o zoo.amnet --type int4"), 2);
    assert_int_equal(run(out, sizeof out, "export zoo.amnet -o b.amnet --weights zoo.amnet"), 1);
    assert_int_equal(
        test_shell(NULL, 0, "cd '%s' && printf X | dd of=small.amnet bs=1 seek=100 conv=notrunc 2>&1", folder), 0);
    assert_int_equal(run(out, sizeof out, "info small.amnet"), 1);
    assert_non_null(strstr(out, "damaged"));
    am_model_close(model);
    am_net_graph_destroy(g);
}

TEST_SUITE(networks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_survive_npz),
        cmocka_unit_test(npz_of_another_network_is_refused),
        cmocka_unit_test(numpy_reads_the_weights),
        cmocka_unit_test(onnx_files_for_the_other_runtime),
        cmocka_unit_test(onnx_names_do_not_collide),
        cmocka_unit_test(onnx_survives_every_failed_allocation),
        cmocka_unit_test(the_command_shows_and_converts_networks),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}

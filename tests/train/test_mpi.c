// Two processes against one: the first gradient, number by number, and the losses of fifty steps.
//
// The test starts itself under mpirun; the processes below it compute and leave their numbers in a file.
#include "support/check.h"

#include "train/trainer.h"
#include "net/build.h"

#include <amble/train.h>
#include <math.h>
#include <unistd.h>

enum { batch = 64, n_in = 24, n_out = 10, iterations = 50 };

typedef struct world {
    am_net_graph *graph;
    ami_trainer *trainer;
    int x, y;
} world;

static float number_of(uint64_t sample, int i, double factor)
{
    return (float)sin(factor * (double)(sample % 1000 + 1) * (i + 1));
}

static double pass(void *user, ami_train_block *block)
{
    const world *w = user;
    const int n = ami_block_columns(block);
    float *x = ami_block_value(block, 0, w->x, 0), *target = ami_block_scratch(block, n_out * (size_t)n);
    for (int c = 0; c < ami_block_used(block); c++) {
        for (int i = 0; i < n_in; i++) {
            x[i * n + c] = number_of(ami_block_item(block, c), i, 1.3);
        }
        for (int i = 0; i < n_out; i++) {
            target[i * n + c] = number_of(ami_block_item(block, c), i, 0.7);
        }
    }
    ami_block_forward(block, 0, 0);
    const ami_loss loss = { AMI_LOSS_L2, NULL, 1.0 };
    const double value = ami_block_loss(block, &loss, ami_block_grad(block, 0, w->y, 0),
                                        ami_block_value(block, 0, w->y, 0), target, n_out);
    ami_block_backward(block, 0, 0);
    return value;
}

static world make(const am_train_group *group)
{
    world w = { 0 };
    am_error err = { 0 };
    check_ok(ami_net_graph_create(&w.graph, "test", NULL, &err), &err);
    w.x = ami_net_graph_input(w.graph, "x", n_in);
    int h = ami_net_graph_activation(w.graph, ami_net_graph_linear(w.graph, w.x, 96), AM_NET_ELU);
    h = ami_net_graph_layer_norm(w.graph, h);
    h = ami_net_graph_activation(w.graph, ami_net_graph_linear(w.graph, h, 96), AM_NET_RELU);
    w.y = ami_net_graph_linear(w.graph, h, n_out);
    ami_net_graph_output(w.graph, "y", w.y);
    check_ok(ami_net_graph_finish(w.graph, &err), &err);
    ami_net_graph_randomise(w.graph, 5);
    ami_trainer_def def = ami_trainer_def_default();
    def.graphs = &w.graph;
    def.graph_count = 1;
    def.batch = batch;
    def.threads = 2;
    def.group = group;
    check_ok(ami_trainer_create(&w.trainer, &def, &err), &err);
    return w;
}

/// The first gradient, then the loss of each step, behind one another.
static double *numbers(const am_train_group *group, size_t *count)
{
    world w = make(group);
    const size_t weights = w.graph->weight_count;
    float *gradient = calloc(weights, sizeof *gradient);
    double *all = calloc(weights + iterations, sizeof *all), loss = 0.0;
    am_error err = { 0 };
    check_ok(ami_trainer_gradient(w.trainer, pass, &w, &loss, &gradient, &err), &err);
    for (size_t i = 0; i < weights; i++) {
        all[i] = (double)gradient[i];
    }
    for (int i = 0; i < iterations; i++) {
        check_ok(ami_trainer_step(w.trainer, pass, &w, &loss, &err), &err);
        all[weights + (size_t)i] = loss;
    }
    free(gradient);
    ami_trainer_destroy(w.trainer);
    am_net_graph_destroy(w.graph);
    *count = weights;
    return all;
}

/// What one of several processes does: the first writes.
static int be_one_of_several(const char *path)
{
    am_train_group group;
    if (!am_train_mpi(&group) || group.size != 2) {
        fprintf(stderr, "not one of two processes\n");
        return 1;
    }
    size_t count = 0;
    double *all = numbers(&group, &count);
    am_error err = { 0 };
    const am_result result =
        group.rank == 0 ? am_file_write(path, all, (count + iterations) * sizeof *all, &err) : AM_OK;
    free(all);
    am_train_mpi_end(&group, result != AM_OK);
    return result == AM_OK ? 0 : 1;
}

/// Runs this program under mpirun; the numbers, or NULL where there is no MPI.
static double *two_processes(const char *path)
{
    char self[1024];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    if (test_shell(NULL, 0, "command -v mpirun >/dev/null 2>&1") != 0 ||
        test_shell(NULL, 0, "ldd %s | grep -q libmpi", self) != 0) {
        printf("SKIPPED: several processes need mpirun and a build with MPI\n");
        return NULL;
    }
    char out[4096];
    // Open MPI itself leaves memory behind: what it leaks is not counted in a sanitised build.
    const int status =
        test_shell(out, sizeof out,
                   "ASAN_OPTIONS=detect_leaks=0 mpirun --allow-run-as-root --oversubscribe -np 2 %s mpi %s "
                   "2>&1",
                   self, path);
    if (status != 0) {
        fail_msg("mpirun: %s", out);
    }
    size_t size = 0;
    return (double *)(void *)test_read_file(path, &size);
}

static void two_processes_have_the_gradient_of_one(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/numbers", test_temp_dir("train_mpi_gradient"));
    double *two = two_processes(path);
    if (!two) {
        skip();
    }
    size_t count = 0;
    double *one = numbers(NULL, &count), most = 0.0;
    for (size_t i = 0; i < count; i++) {
        most = fabs(one[i]) > most ? fabs(one[i]) : most;
    }
    assert_true(most > 1e-3);
    for (size_t i = 0; i < count; i++) {
        check_near(two[i], one[i], 1e-6 * most);
    }
    for (size_t i = count; i < count + iterations; i++) {
        check_near(two[i], one[i], 1e-4 * fabs(one[i]));
    }
    assert_true(one[count + iterations - 1] < 0.9 * one[count]); // it does learn
    free(one);
    free(two);
}

TEST_SUITE(mpi)
{
    if (argc == 2) {
        return be_one_of_several(argv[1]);
    }
    const struct CMUnitTest tests[] = { cmocka_unit_test(two_processes_have_the_gradient_of_one) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The peers of `amble bench infer`: a chain of OpenBLAS products, ONNX Runtime's C library, and "read", which only
// reads as many bytes as our weights have. One line on stdin is one question, one line on stdout its answer:
//   open ONNX CHAIN INPUTS BATCH BYTES LIBRARY  loads a network; answers the names of the peers that can run it run
//   NAME COUNT COLD evaluates COUNT times; answers "SUM t1 t2 ..." in microseconds SUM is the sum of the outputs of
//   the last evaluation, for comparison. With COLD, 64 MB of other memory are read before every evaluation.
//   Everything runs on one thread.
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef HAS_OPENBLAS
#include <cblas.h>
#endif

enum { cold_bytes = 64 << 20, most_ops = 64, most_width = 4096 };

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/// The network as a list of steps: what the bench writes into CHAIN.
typedef struct step {
    int32_t kind; ///< 0 linear, 1 relu, 2 gelu, 3 concat with the input, 4 layer norm
    int32_t rows, columns;
    float *a, *b; ///< weight and bias, or gain and shift
} step;

typedef struct network {
    step steps[most_ops];
    int count;
    int batch, inputs, outputs;
    float *input, *output, *h, *t;
    char *cold;
    uint64_t *weights; ///< stand for ours
    size_t bytes;
} network;

static float *read_floats(FILE *file, size_t count)
{
    float *data = aligned_alloc(64, (count * sizeof *data + 63) / 64 * 64);
    return data && fread(data, sizeof *data, count, file) == count ? data : NULL;
}

static int read_chain(network *n, const char *path)
{
    FILE *file = fopen(path, "rb");
    int32_t head[3];
    int ok = file && fread(head, sizeof head, 1, file) == 1 && head[0] <= most_ops;
    n->count = ok ? head[0] : 0;
    n->inputs = ok ? head[1] : 0;
    n->outputs = ok ? head[2] : 0;
    for (int i = 0; ok && i < n->count; i++) {
        step *s = &n->steps[i];
        int32_t shape[3];
        ok = fread(shape, sizeof shape, 1, file) == 1;
        s->kind = shape[0];
        s->rows = shape[1];
        s->columns = shape[2];
        if (ok && (s->kind == 0 || s->kind == 4)) {
            s->a = read_floats(file, (size_t)s->rows * (size_t)s->columns);
            s->b = read_floats(file, (size_t)(s->kind == 0 ? s->rows : s->columns));
            ok = s->a && s->b;
        }
    }
    if (file) {
        fclose(file);
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------
// OpenBLAS

#ifdef HAS_OPENBLAS
static void linear(const step *s, const float *x, float *y, int batch)
{
    for (int b = 0; b < batch; b++) {
        memcpy(y + (size_t)b * (size_t)s->rows, s->b, (size_t)s->rows * sizeof *y);
    }
    if (batch == 1) {
        cblas_sgemv(CblasRowMajor, CblasNoTrans, s->rows, s->columns, 1.0f, s->a, s->columns, x, 1, 1.0f, y, 1);
    } else {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, s->rows, s->columns, 1.0f, x, s->columns, s->a,
                    s->columns, 1.0f, y, s->rows);
    }
}

static void layer_norm(const step *s, float *x)
{
    int n = s->columns;
    float mean = 0.0f, square = 0.0f;
    for (int i = 0; i < n; i++) {
        mean += x[i];
    }
    mean /= (float)n;
    for (int i = 0; i < n; i++) {
        square += (x[i] - mean) * (x[i] - mean);
    }
    float scale = 1.0f / sqrtf(square / (float)n + 1e-5f);
    for (int i = 0; i < n; i++) {
        x[i] = (x[i] - mean) * scale * s->a[i] + s->b[i];
    }
}

static void swap(network *n)
{
    float *h = n->h;
    n->h = n->t;
    n->t = h;
}

static void run_blas(network *n)
{
    int width = n->inputs;
    memcpy(n->h, n->input, (size_t)n->batch * (size_t)width * sizeof *n->h);
    for (int i = 0; i < n->count; i++) {
        const step *s = &n->steps[i];
        int numbers = n->batch * width;
        if (s->kind == 0) {
            linear(s, n->h, n->t, n->batch);
            width = s->rows;
            swap(n);
        } else if (s->kind == 1) {
            for (int k = 0; k < numbers; k++) {
                n->h[k] = n->h[k] > 0.0f ? n->h[k] : 0.0f;
            }
        } else if (s->kind == 2) {
            for (int k = 0; k < numbers; k++) {
                n->h[k] = 0.5f * n->h[k] * (1.0f + erff(n->h[k] * 0.70710678f));
            }
        } else if (s->kind == 3) {
            int wider = width + n->inputs;
            for (int b = 0; b < n->batch; b++) {
                memcpy(n->t + b * wider, n->h + b * width, (size_t)width * sizeof *n->h);
                memcpy(n->t + b * wider + width, n->input + b * n->inputs, (size_t)n->inputs * sizeof *n->h);
            }
            width = wider;
            swap(n);
        } else {
            for (int b = 0; b < n->batch; b++) {
                layer_norm(s, n->h + b * width);
            }
        }
    }
    memcpy(n->output, n->h, (size_t)n->batch * (size_t)n->outputs * sizeof *n->h);
}
#endif

// ---------------------------------------------------------------------------------------------
// ONNX Runtime: the npm package has the library but no header, so the entries of its table that are used are declared
// here by their place.

enum {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_INTRA_OP_NUM_THREADS = 24,
    CREATE_TENSOR = 49,
    GET_TENSOR_DATA = 51,
    CREATE_CPU_MEMORY_INFO = 69,
    LEVEL_WARNING = 2,
    FLOAT = 1,
};

typedef struct api_base {
    const void *(*get_api)(uint32_t version);
    const char *(*version)(void);
} api_base;

typedef struct runtime {
    void *const *api;
    void *env, *options, *session, *memory, *input, *output;
} runtime;

// The table holds function pointers as plain addresses.
#define ENTRY(rt, place, ...) ((void *(*)(__VA_ARGS__))(uintptr_t)(rt)->api[place])

static int failed(const runtime *rt, void *status)
{
    if (status) {
        fprintf(stderr, "infer_peers: %s\n",
                ((const char *(*)(void *))(uintptr_t)rt->api[GET_ERROR_MESSAGE])(status));
    }
    return status != NULL;
}

static int open_library(runtime *rt, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "OrtGetApiBase") : NULL;
    if (!symbol) {
        return 0;
    }
    const api_base *base = ((const api_base *(*)(void))(uintptr_t)symbol)();
    rt->api = base->get_api(16);
    return rt->api &&
           !failed(rt, ENTRY(rt, CREATE_ENV, int, const char *, void **)(LEVEL_WARNING, "peer", &rt->env)) &&
           !failed(rt, ENTRY(rt, CREATE_CPU_MEMORY_INFO, int, int, void **)(0, 0, &rt->memory)) &&
           !failed(rt, ENTRY(rt, CREATE_SESSION_OPTIONS, void **)(&rt->options)) &&
           !failed(rt, ENTRY(rt, SET_INTRA_OP_NUM_THREADS, void *, int)(rt->options, 1));
}

static int open_session(runtime *rt, const network *n, const char *onnx)
{
    int64_t shape[2] = { n->batch, n->inputs };
    size_t bytes = (size_t)n->batch * (size_t)n->inputs * sizeof(float);
    return !failed(rt, ENTRY(rt, CREATE_SESSION, void *, const char *, void *, void **)(rt->env, onnx, rt->options,
                                                                                        &rt->session)) &&
           !failed(rt, ENTRY(rt, CREATE_TENSOR, void *, void *, size_t, const int64_t *, size_t, int,
                             void **)(rt->memory, n->input, bytes, shape, 2, FLOAT, &rt->input));
}

static int run_ort(runtime *rt, network *n)
{
    const char *in[1] = { "x" }, *out[1] = { "y" };
    const void *inputs[1] = { rt->input };
    if (failed(rt,
               ENTRY(rt, RUN, void *, void *, const char *const *, const void *const *, size_t, const char *const *,
                     size_t, void **)(rt->session, NULL, in, inputs, 1, out, 1, &rt->output))) {
        return 0;
    }
    void *data = NULL;
    if (failed(rt, ENTRY(rt, GET_TENSOR_DATA, void *, void **)(rt->output, &data))) {
        return 0;
    }
    memcpy(n->output, data, (size_t)n->batch * (size_t)n->outputs * sizeof(float));
    return 1;
}

// ---------------------------------------------------------------------------------------------
// Reading: a lower bound for every evaluation that needs all weights.

static void run_read(network *n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n->bytes / sizeof *n->weights; i++) {
        sum += n->weights[i];
    }
    memset(n->output, 0, (size_t)n->batch * (size_t)n->outputs * sizeof *n->output);
    n->output[0] = (float)sum;
}

// ---------------------------------------------------------------------------------------------
// Questions

static int open_all(network *n, runtime *rt, const char *line)
{
    char onnx[600], chain[600], inputs[600], library[900] = "";
    if (sscanf(line, "open %599s %599s %599s %d %zu %899s", onnx, chain, inputs, &n->batch, &n->bytes, library) < 5 ||
        !read_chain(n, chain)) {
        return 0;
    }
    FILE *file = fopen(inputs, "rb");
    size_t room = (size_t)n->batch * most_width;
    n->input = file ? read_floats(file, (size_t)n->batch * (size_t)n->inputs) : NULL;
    n->output = calloc(room, sizeof(float));
    n->h = calloc(room, sizeof(float));
    n->t = calloc(room, sizeof(float));
    n->cold = malloc(cold_bytes);
    n->weights = aligned_alloc(64, (n->bytes + 64) / 64 * 64);
    if (file) {
        fclose(file);
    }
    if (!n->input || !n->output || !n->h || !n->t || !n->cold || !n->weights) {
        return 0;
    }
    memset(n->cold, 1, cold_bytes);
    memset(n->weights, 0, n->bytes);
    printf("peers read");
#ifdef HAS_OPENBLAS
    openblas_set_num_threads(1);
    printf(" openblas");
#endif
    if (library[0] && open_library(rt, library) && open_session(rt, n, onnx)) {
        printf(" onnxruntime");
    }
    printf("\n");
    return 1;
}

static int run_once(network *n, runtime *rt, const char *name)
{
    if (strcmp(name, "onnxruntime") == 0) {
        return rt->session && run_ort(rt, n);
    }
    if (strcmp(name, "read") == 0) {
        run_read(n);
        return 1;
    }
#ifdef HAS_OPENBLAS
    run_blas(n);
    return 1;
#else
    return 0;
#endif
}

static int run_all(network *n, runtime *rt, const char *line)
{
    char name[32];
    int count = 0, cold = 0;
    if (sscanf(line, "run %31s %d %d", name, &count, &cold) != 3 || count < 1 || count > 64) {
        return 0;
    }
    double us[64], sum = 0.0;
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; cold && k < cold_bytes; k += 64) {
            n->cold[k]++;
        }
        double begun = now_us();
        if (!run_once(n, rt, name)) {
            return 0;
        }
        us[i] = now_us() - begun;
    }
    for (int i = 0; i < n->batch * n->outputs; i++) {
        sum += (double)n->output[i];
    }
    printf("%.9g", sum);
    for (int i = 0; i < count; i++) {
        printf(" %.3f", us[i]);
    }
    printf("\n");
    return 1;
}

/// OpenBLAS takes processors that it does not know for one of 2004; it is then given the kernels for this one and
/// loaded again, since a peer must not lose by that.
static void use_right_kernels(char **argv)
{
#if defined(HAS_OPENBLAS) && defined(__x86_64__)
    if (!getenv("OPENBLAS_CORETYPE") && strcmp(openblas_get_corename(), "Prescott") == 0 &&
        __builtin_cpu_supports("avx2")) {
        setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell", 1);
        execv("/proc/self/exe", argv);
    }
#endif
    (void)argv;
}

int main(int argc, char **argv)
{
    (void)argc;
    use_right_kernels(argv);
    static network n;
    static runtime rt;
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        int ok = strncmp(line, "open ", 5) == 0 ? open_all(&n, &rt, line) : run_all(&n, &rt, line);
        if (!ok) {
            printf("error\n");
        }
        fflush(stdout);
    }
    return 0;
}

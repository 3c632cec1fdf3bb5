// Every version of the layers against the reference, bit for bit, at awkward sizes, with zeros left out and without.
#include "support/check.h"

#include "kernel/layers.h"
#include "net/format.h"
#include "base/rng.h"

enum { most_in = 300, most_panels = 11, most_items = 15, rows = most_panels * AMI_PANEL };

typedef struct matrix {
    float w32[most_in * rows];
    uint16_t w16[most_in * rows];
    int8_t w8[(most_in + 1) * rows];
    float scale[rows], bias[rows];
} matrix;

static matrix m;
static float x[most_items][most_in + 2], want[most_items][rows], got[most_items][rows], room[AMI_LAYERS_ROOM];
static int16_t rounded[most_items][most_in + 2];

static void fill(am_rng *rng, int zeros_percent)
{
    for (size_t i = 0; i < sizeof m.w32 / sizeof *m.w32; i++) {
        m.w32[i] = am_rng_normal(rng);
        m.w16[i] = ami_half_from(m.w32[i] * (i % 9 == 0 ? 1e-5f : 1.0f)); // some below the normal range
    }
    for (size_t i = 0; i < sizeof m.w8; i++) {
        m.w8[i] = (int8_t)((int)am_rng_below(rng, 255) - 127);
    }
    for (int i = 0; i < rows; i++) {
        m.scale[i] = am_rng_float(rng);
        m.bias[i] = am_rng_normal(rng);
    }
    for (int s = 0; s < most_items; s++) {
        for (int i = 0; i < most_in; i++) {
            bool zero = am_rng_below(rng, 100) < (uint32_t)zeros_percent;
            x[s][i] = zero ? (i % 2 ? 0.0f : -0.0f) : am_rng_normal(rng);
            rounded[s][i] = zero ? 0 : (int16_t)((int)am_rng_below(rng, 60001) - 30000);
        }
    }
}

static ami_matrix matrix_of(int kind, size_t n_in, size_t panels)
{
    ami_matrix r = { .bias = m.bias, .n_in = n_in, .panels = panels };
    r.w32 = kind == 0 ? m.w32 : NULL;
    r.w16 = kind == 1 ? m.w16 : NULL;
    r.w8 = kind == 2 ? m.w8 : NULL;
    r.scale = kind == 2 ? m.scale : NULL;
    return r;
}

static void run_one(const ami_layers *l, float *out, const ami_matrix *w, int s, const uint32_t *index, size_t count)
{
    if (w->w8) {
        l->gemv8(out, w, (const int32_t *)(const void *)rounded[s], index, count, 0.37f);
    } else if (w->w16) {
        l->gemv16(out, w, x[s], index, count);
    } else {
        l->gemv32(out, w, x[s], index, count);
    }
}

static void check_matrix(const ami_layers *l, int kind, size_t n_in, size_t panels)
{
    ami_matrix w = matrix_of(kind, n_in, panels);
    size_t steps = kind == 2 ? (n_in + 1) / 2 : n_in;
    size_t bytes = panels * AMI_PANEL * sizeof(float);
    uint32_t index[most_in + 16];
    float scales[most_items];
    for (int s = 0; s < most_items; s++) {
        run_one(&ami_layers_reference, want[s], &w, s, NULL, steps);
        run_one(l, got[s], &w, s, NULL, steps);
        assert_memory_equal(got[s], want[s], bytes);
        if (kind != 2) {
            size_t used = l->nonzeros(index, x[s], n_in, n_in + 1);
            assert_true(used <= n_in);
            assert_int_equal(l->nonzeros(index, x[s], n_in, used), used); // too many: counted only
            run_one(l, got[s], &w, s, index, used);
            assert_memory_equal(got[s], want[s], bytes); // leaving zeros out changes no bit
        }
        scales[s] = 0.37f;
    }
    for (size_t items = 1; items <= most_items; items += 7) {
        memset(got, 0, sizeof got);
        if (kind == 2) {
            l->gemm8(got[0], rows, &w, (const int32_t *)(const void *)rounded[0], (most_in + 2) / 2, scales, items);
        } else if (kind == 1) {
            l->gemm16(got[0], rows, &w, x[0], most_in + 2, items, room);
        } else {
            l->gemm32(got[0], rows, &w, x[0], most_in + 2, items);
        }
        for (size_t s = 0; s < items; s++) {
            assert_memory_equal(got[s], want[s], bytes);
        }
    }
}

static void products_have_the_bits_of_the_reference(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(1);
    static const size_t widths[] = { 2, 16, 17, 69, AMI_BLOCK + 13 };
    for (int zeros = 0; zeros <= 80; zeros += 40) {
        fill(&rng, zeros);
        for (size_t k = 0; ami_layers_at(k); k++) {
            for (int kind = 0; kind < 3; kind++) {
                for (size_t i = 0; i < 5; i++) {
                    size_t n_in = kind == 2 ? widths[i] / 2 * 2 : widths[i];
                    check_matrix(ami_layers_at(k), kind, n_in, 1);
                    check_matrix(ami_layers_at(k), kind, n_in, most_panels);
                    for (size_t panels = 2; i == 2 && panels < most_panels; panels++) {
                        check_matrix(ami_layers_at(k), kind, n_in, panels);
                    }
                }
            }
        }
    }
}

static void fused_products_differ_by_rounding_only(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(2);
    fill(&rng, 0);
    ami_matrix w = matrix_of(0, 69, most_panels);
    const ami_layers *l = ami_layers_pick(true);
    ami_layers_reference.gemv32(want[0], &w, x[0], NULL, 69);
    l->gemv32(got[0], &w, x[0], NULL, 69);
    l->gemm32(got[1], rows, &w, x[0], most_in + 2, 5);
    for (int i = 0; i < rows; i++) {
        check_near(got[0][i], want[0][i], 2e-5);
    }
    assert_memory_equal(got[1], got[0], sizeof got[0]); // a batch gives the bits of one
}

static void inputs_are_rounded_alike(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(3);
    for (size_t n = 1; n < most_in; n += 6) {
        for (size_t i = 0; i < n; i++) {
            x[0][i] = am_rng_normal(&rng) * (n % 4 ? 1.0f : 1e-20f);
        }
        int16_t a[most_in + 16], b[most_in + 16];
        float scale = ami_layers_reference.quantise(a, x[0], n, 30000);
        for (size_t k = 1; ami_layers_at(k); k++) {
            assert_true(ami_layers_at(k)->quantise(b, x[0], n, 30000) == scale);
            assert_memory_equal(a, b, n * sizeof *a);
        }
        for (size_t i = 0; i < n; i++) {
            check_near(a[i] * scale, x[0][i], 0.51 * (double)scale);
        }
    }
    x[0][3] = NAN;
    for (size_t k = 0; ami_layers_at(k); k++) {
        int16_t q[most_in + 16];
        float scale = ami_layers_at(k)->quantise(q, x[0], 40, 1000);
        assert_true(scale != scale);
    }
}

static void check_bits(const float *a, const float *b, size_t n, const char *version, int which)
{
    for (size_t i = 0; i < n; i++) {
        bool none = a[i] != a[i] && b[i] != b[i];
        if (!none && memcmp(&a[i], &b[i], sizeof *a) != 0) {
            fail_msg("activation %d of %s: item %zu is %.9g, the reference says %.9g", which, version, i,
                     (double)a[i], (double)b[i]);
        }
    }
}

static void activations_have_the_bits_of_the_reference(void **state)
{
    (void)state;
    enum { n = 60001 };
    static float in[n], a[n], b[n];
    static const float odd[] = { 0.0f,     -0.0f,     1e-45f, -1e-40f, 3e38f, -3e38f,
                                 INFINITY, -INFINITY, NAN,    0.625f,  9.0f,  -87.5f };
    for (int i = 0; i < n; i++) {
        in[i] = ((float)i - 30000.0f) * 0.001f;
    }
    memcpy(in, odd, sizeof odd);
    for (int which = AMI_ACT_RELU; which <= AMI_ACT_SIGMOID; which++) {
        memcpy(a, in, sizeof in);
        ami_layers_reference.activate(a, n, (ami_activation)which);
        for (size_t k = 1; ami_layers_at(k); k++) {
            memcpy(b, in, sizeof in);
            ami_layers_at(k)->activate(b, n, (ami_activation)which);
            check_bits(b, a, n, ami_layers_at(k)->name, which);
        }
    }
}

/// Against the C library in double: what "accurate" means here, absolute.
static void activations_are_accurate(void **state)
{
    (void)state;
    double worst[6] = { 0 };
    for (int i = -200000; i <= 200000; i++) {
        float v = (float)i * 1e-4f;
        double d = (double)v;
        const double truth[6] = {
            d,       d > 0 ? d : 0,    d > 0 ? d : expm1(d), 0.5 * d * (1 + erf(d * 0.70710678118654752)),
            tanh(d), 1 / (1 + exp(-d))
        };
        for (int which = AMI_ACT_RELU; which <= AMI_ACT_SIGMOID; which++) {
            float y = v;
            ami_layers_reference.activate(&y, 1, (ami_activation)which);
            double error = fabs((double)y - truth[which]) / (1.0 + fabs(truth[which]));
            worst[which] = error > worst[which] ? error : worst[which];
        }
    }
    for (int which = AMI_ACT_RELU; which <= AMI_ACT_SIGMOID; which++) {
        assert_true(worst[which] < 1.5e-7);
    }
}

static void layer_norm_has_the_bits_of_the_reference(void **state)
{
    (void)state;
    am_rng rng = ami_rng_make(4);
    fill(&rng, 0);
    for (size_t n = 1; n <= most_in; n += 3) {
        ami_layers_reference.layer_norm(want[0], x[0], x[1], x[2], n, 1e-5f);
        for (size_t k = 1; ami_layers_at(k); k++) {
            memcpy(got[0], x[0], n * sizeof(float));
            ami_layers_at(k)->layer_norm(got[0], got[0], x[1], x[2], n, 1e-5f);
            assert_memory_equal(got[0], want[0], n * sizeof(float));
        }
    }
}

static void versions_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(ami_layers_named("reference", false), &ami_layers_reference);
    assert_null(ami_layers_named("abacus", true));
    assert_non_null(ami_layers_pick(false));
    assert_false(ami_layers_pick(false)->fused);
}

TEST_SUITE(layers)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_the_reference),
        cmocka_unit_test(fused_products_differ_by_rounding_only),
        cmocka_unit_test(inputs_are_rounded_alike),
        cmocka_unit_test(activations_have_the_bits_of_the_reference),
        cmocka_unit_test(activations_are_accurate),
        cmocka_unit_test(layer_norm_has_the_bits_of_the_reference),
        cmocka_unit_test(versions_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

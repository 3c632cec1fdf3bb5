// Every version of the kernels against the reference, bit for bit, on random numbers and awkward ones, at awkward
// sizes and addresses.
#include "support/check.h"

#include "kernel/kernel.h"

static const size_t sizes[] = { 0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100 };
enum { size_count = sizeof sizes / sizeof sizes[0], room = 128 };

/// A small generator of the test's own.
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static float uniform(uint32_t *state, float lo, float hi)
{
    return lo + (hi - lo) * (float)next_random(state) / 16777216.0f;
}

typedef enum numbers { MILD, WILD } numbers;

/// Mild numbers, or a mix with zeros of both signs, subnormals, huge ones, infinities and NaN.
static float draw(uint32_t *state, numbers mood)
{
    static const float odd[] = { 0.0f,   -0.0f,    1e-45f,    -1e-40f, 1.17549435e-38f, 3e38f,
                                 -3e38f, INFINITY, -INFINITY, NAN,     6433.0f,         -1e6f };
    if (mood == WILD && next_random(state) % 5 == 0) {
        return odd[next_random(state) % (sizeof odd / sizeof odd[0])];
    }
    return uniform(state, -10.0f, 10.0f);
}

static void fill(float *out, size_t n, uint32_t *state, numbers mood)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = draw(state, mood);
    }
}

/// The same bits; any NaN equals any other.
static void check_same(const float *a, const float *b, size_t n, const char *version, const char *kernel)
{
    for (size_t i = 0; i < n; i++) {
        bool both_nan = a[i] != a[i] && b[i] != b[i];
        if (!both_nan && memcmp(&a[i], &b[i], sizeof a[i]) != 0) {
            fail_msg("%s of %s: item %zu is %.9g, the reference says %.9g", kernel, version, i, (double)a[i],
                     (double)b[i]);
        }
    }
}

static void check_same_double(const double *a, const double *b, size_t n, const char *version)
{
    for (size_t i = 0; i < n; i++) {
        bool both_nan = a[i] != a[i] && b[i] != b[i];
        if (!both_nan && memcmp(&a[i], &b[i], sizeof a[i]) != 0) {
            fail_msg("column_moments of %s: item %zu is %.17g, the reference says %.17g", version, i, a[i], b[i]);
        }
    }
}

typedef void (*agreement)(const ami_kernels *version, uint32_t *state, numbers mood, size_t n);

/// Runs a comparison for each version but the reference, both moods and all sizes.
static void for_all(agreement compare)
{
    const ami_kernels *version;
    for (size_t v = 1; (version = ami_kernels_at(v)) != NULL; v++) {
        for (size_t i = 0; i < size_count; i++) {
            uint32_t state = (uint32_t)(1 + i);
            for (int repeat = 0; repeat < 20; repeat++) {
                compare(version, &state, MILD, sizes[i]);
                compare(version, &state, WILD, sizes[i]);
            }
        }
    }
}

static void compare_distances(const ami_kernels *version, uint32_t *state, numbers mood, size_t n)
{
    // One float off alignment: no kernel may ask for it.
    static float rows[1 + room * 40], query[41], weights[41];
    float got[room], want[room];
    for (size_t stride = 0; stride <= 40; stride += 8) {
        fill(rows, 1 + n * stride, state, mood);
        fill(query, 41, state, mood);
        fill(weights, 41, state, mood);
        version->distances(got, query + 1, rows + 1, n, stride);
        ami_kernels_reference.distances(want, query + 1, rows + 1, n, stride);
        check_same(got, want, n, version->name, "distances");
        version->distances_weighted(got, query + 1, weights + 1, rows + 1, n, stride);
        ami_kernels_reference.distances_weighted(want, query + 1, weights + 1, rows + 1, n, stride);
        check_same(got, want, n, version->name, "distances_weighted");
    }
}

static void distances_agree(void **unused)
{
    (void)unused;
    for_all(compare_distances);
}

static void compare_blocks(const ami_kernels *version, uint32_t *state, numbers mood, size_t dims)
{
    static float lo[1 + room * 8], hi[1 + room * 8], query[room];
    float got[8], want[8];
    fill(lo, 1 + dims * 8, state, mood);
    fill(hi, 1 + dims * 8, state, mood);
    fill(query, dims, state, mood);
    version->distances_block(got, query, lo + 1, dims);
    ami_kernels_reference.distances_block(want, query, lo + 1, dims);
    check_same(got, want, 8, version->name, "distances_block");
    version->distances_box(got, query, lo + 1, hi + 1, dims);
    ami_kernels_reference.distances_box(want, query, lo + 1, hi + 1, dims);
    check_same(got, want, 8, version->name, "distances_box");
}

static void block_and_box_distances_agree(void **unused)
{
    (void)unused;
    for_all(compare_blocks);
}

static void compare_products(const ami_kernels *version, uint32_t *state, numbers mood, size_t n)
{
    static float a[1 + room], b[1 + room], w[room * 40], y[room], z[room];
    float got, want;
    fill(a, 1 + room, state, mood);
    fill(b, 1 + room, state, mood);
    fill(w, n * 40, state, mood);
    got = version->dot(a + 1, b, n);
    want = ami_kernels_reference.dot(a + 1, b, n);
    check_same(&got, &want, 1, version->name, "dot");
    for (size_t stride = 0; stride <= 40; stride += 8) {
        version->gemv(y, w, a + 1, b + 1, n, stride);
        ami_kernels_reference.gemv(z, w, a + 1, b + 1, n, stride);
        check_same(y, z, n, version->name, "gemv");
    }
    memcpy(y, b, sizeof y);
    memcpy(z, b, sizeof z);
    version->axpy(y, a + 1, w[0], n);
    ami_kernels_reference.axpy(z, a + 1, w[0], n);
    check_same(y, z, room, version->name, "axpy");
}

static void products_agree(void **unused)
{
    (void)unused;
    for_all(compare_products);
}

static void compare_columns(const ami_kernels *version, uint32_t *state, numbers mood, size_t n)
{
    static float rows[1 + room * 24];
    double got[48], want[48], center[24];
    float got_bounds[48], want_bounds[48];
    fill(rows, 1 + n * 24, state, mood);
    for (int c = 0; c < 24; c++) {
        center[c] = (double)uniform(state, -1.0f, 1.0f);
    }
    for (int use = 0; use < 2; use++) {
        version->column_moments(got, got + 24, rows + 1, use ? center : NULL, n, 24);
        ami_kernels_reference.column_moments(want, want + 24, rows + 1, use ? center : NULL, n, 24);
        check_same_double(got, want, 48, version->name);
    }
    version->column_bounds(got_bounds, got_bounds + 24, rows + 1, n, 24);
    ami_kernels_reference.column_bounds(want_bounds, want_bounds + 24, rows + 1, n, 24);
    check_same(got_bounds, want_bounds, 48, version->name, "column_bounds");
}

static void columns_agree(void **unused)
{
    (void)unused;
    for_all(compare_columns);
}

static void compare_angles(const ami_kernels *version, uint32_t *state, numbers mood, size_t n)
{
    static float degrees[3 * room], got[2 * room], want[2 * room];
    static am_quat got_q[room], want_q[room];
    static ami_euler_order orders[room];
    fill(degrees, 3 * n, state, mood);
    version->sincos(got, got + room, degrees, n);
    ami_kernels_reference.sincos(want, want + room, degrees, n);
    check_same(got, want, n, version->name, "sincos (sine)");
    check_same(got + room, want + room, n, version->name, "sincos (cosine)");
    for (size_t i = 0; i < n; i++) {
        const char axes[3] = { "xyz"[next_random(state) % 3], "XYZ"[next_random(state) % 3],
                               "xyz"[next_random(state) % 3] };
        orders[i] = ami_euler_order_make(axes);
        for (int a = 0; a < 3; a++) {
            degrees[3 * i + (size_t)a] *= 36.0f;
        }
    }
    version->euler(got_q, degrees, orders, n);
    ami_kernels_reference.euler(want_q, degrees, orders, n);
    check_same(&got_q[0].x, &want_q[0].x, 4 * n, version->name, "euler");
    // Orders that neighbours share, and mixed ones without a repeated axis, take ways of their own.
    static const char *const proper[6] = { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx" };
    for (int mixed = 0; mixed < 2; mixed++) {
        size_t shared = next_random(state) % 6;
        for (size_t i = 0; i < n; i++) {
            orders[i] = ami_euler_order_make(proper[mixed ? next_random(state) % 6 : shared]);
        }
        version->euler(got_q, degrees, orders, n);
        ami_kernels_reference.euler(want_q, degrees, orders, n);
        check_same(&got_q[0].x, &want_q[0].x, 4 * n, version->name, mixed ? "euler (mixed)" : "euler (shared)");
    }
}

static void sines_and_euler_angles_agree(void **unused)
{
    (void)unused;
    for_all(compare_angles);
}

static void compare_quats(const ami_kernels *version, uint32_t *state, numbers mood, size_t n)
{
    static am_quat a[room], b[room], got[room], want[room];
    fill(&a[0].x, 4 * n, state, mood);
    fill(&b[0].x, 4 * n, state, mood);
    if (n > 2) {
        a[n / 2] = am_q(0.0f, 0.0f, 0.0f, 0.0f); // the fallback to the identity
    }
    float t = draw(state, MILD);
    version->nlerp(got, a, b, t, n);
    ami_kernels_reference.nlerp(want, a, b, t, n);
    check_same(&got[0].x, &want[0].x, 4 * n, version->name, "nlerp");
    memcpy(got, a, sizeof got);
    memcpy(want, a, sizeof want);
    version->normalize(got, n);
    ami_kernels_reference.normalize(want, n);
    check_same(&got[0].x, &want[0].x, 4 * n, version->name, "normalize");
}

static void quaternions_agree(void **unused)
{
    (void)unused;
    for_all(compare_quats);
}

// ---------------------------------------------------------------------------------------------
// What the reference itself promises

static void sums_have_the_promised_shape(void **unused)
{
    (void)unused;
    // 2^24 swallows a 1 added to it: which ones survive tells the order of the additions.
    const float big = 16777216.0f;
    float ones[16], values[16];
    for (int i = 0; i < 16; i++) {
        ones[i] = 1.0f;
        values[i] = 1.0f;
    }
    values[0] = big;
    values[8] = -big;
    // Lane 0 holds big - big = 0, all else survives: 14 ones.
    check_near(ami_kernels_reference.dot(values, ones, 16), 14.0, 0.0);
    values[8] = 1.0f;
    values[4] = -big;
    // Lane 0 swallows its second element, lane 4 (1 - 2^24 is a float) keeps it, and both meet in the first fold: 1
    // is left beside six lanes of two. In plain order the big ones would have swallowed three more.
    check_near(ami_kernels_reference.dot(values, ones, 16), 13.0, 0.0);
}

static void layouts_give_the_same_distance(void **unused)
{
    (void)unused;
    enum { dims = 27, stride = 32 };
    uint32_t state = 5;
    float rows[8 * stride] = { 0 }, query[stride] = { 0 }, block[dims * 8], by_row[8], by_block[8];
    fill(query, dims, &state, MILD);
    for (int r = 0; r < 8; r++) {
        fill(rows + r * stride, dims, &state, MILD);
        for (int d = 0; d < dims; d++) {
            block[d * 8 + r] = rows[r * stride + d];
        }
    }
    const ami_kernels *k = ami_kernels_pick();
    k->distances(by_row, query, rows, 8, stride);
    k->distances_block(by_block, query, block, dims);
    check_same(by_block, by_row, 8, k->name, "distances_block against distances");
}

static void a_box_is_never_farther_than_its_points(void **unused)
{
    (void)unused;
    enum { dims = 27 };
    uint32_t state = 6;
    const ami_kernels *k = ami_kernels_pick();
    for (int trial = 0; trial < 2000; trial++) {
        float query[dims], lo[dims * 8], hi[dims * 8], point[dims * 8], box[8], distance[8];
        float size = trial % 2 ? 1e-6f : 3.0f; // small boxes: the bound is tight and only rounding is left
        for (int d = 0; d < dims; d++) {
            query[d] = uniform(&state, -10.0f, 10.0f);
            for (int i = d * 8; i < d * 8 + 8; i++) {
                lo[i] = uniform(&state, -10.0f, 10.0f);
                hi[i] = lo[i] + size;
                point[i] = am_clamp(uniform(&state, lo[i], hi[i]), lo[i], hi[i]);
            }
        }
        k->distances_box(box, query, lo, hi, dims);
        k->distances_block(distance, query, point, dims);
        for (int i = 0; i < 8; i++) {
            assert_true(box[i] <= distance[i]);
        }
    }
}

static void moments_give_mean_and_spread(void **unused)
{
    (void)unused;
    const float rows[3 * 8] = { 1, 2, 3, 4, 5, 6, 7, 8, 3, 2, 3, 4, 5, 6, 7, 8, 5, 2, 3, 4, 5, 6, 7, 8 };
    const double center[8] = { 3, 2, 3, 4, 5, 6, 7, 8 };
    double sum[8], squares[8];
    const ami_kernels *k = ami_kernels_pick();
    k->column_moments(sum, squares, rows, NULL, 3, 8);
    check_near(sum[0], 9.0, 0.0);
    check_near(squares[0], 35.0, 0.0);
    k->column_moments(sum, squares, rows, center, 3, 8);
    check_near(sum[0], 0.0, 0.0);
    check_near(squares[0], 8.0, 0.0);
    check_near(squares[7], 0.0, 0.0);
}

static void euler_kernel_gives_the_rotation_of_the_angles(void **unused)
{
    (void)unused;
    const float degrees[6] = { 90.0f, 0.0f, 0.0f, 30.0f, -40.0f, 50.0f };
    const ami_euler_order orders[2] = { ami_euler_order_make("YXZ"), ami_euler_order_make("zxz") };
    am_quat out[2];
    ami_kernels_pick()->euler(out, degrees, orders, 2);
    am_vec3 forward = am_quat_rotate(out[0], am_v3(0.0f, 0.0f, 1.0f));
    check_near(forward.x, 1.0, 1e-6);
    am_quat want = am_quat_from_euler("zxz", 30.0f * AM_DEG, -40.0f * AM_DEG, 50.0f * AM_DEG);
    check_near(am_quat_angle(out[1], want), 0.0, 1e-6);
}

static void versions_are_found_by_name(void **unused)
{
    (void)unused;
    assert_ptr_equal(ami_kernels_named("reference"), &ami_kernels_reference);
    assert_null(ami_kernels_named("abacus"));
    size_t count = 0;
    while (ami_kernels_at(count)) {
        assert_ptr_equal(ami_kernels_named(ami_kernels_at(count)->name), ami_kernels_at(count));
        count++;
    }
    assert_ptr_equal(ami_kernels_pick(), ami_kernels_at(count - 1));
    assert_null(ami_kernels_at(99));
    printf("kernels here: %zu, picked %s\n", count, ami_kernels_pick()->name);
}

TEST_SUITE(kernels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_agree),
        cmocka_unit_test(block_and_box_distances_agree),
        cmocka_unit_test(products_agree),
        cmocka_unit_test(columns_agree),
        cmocka_unit_test(sines_and_euler_angles_agree),
        cmocka_unit_test(quaternions_agree),
        cmocka_unit_test(sums_have_the_promised_shape),
        cmocka_unit_test(layouts_give_the_same_distance),
        cmocka_unit_test(a_box_is_never_farther_than_its_points),
        cmocka_unit_test(moments_give_mean_and_spread),
        cmocka_unit_test(euler_kernel_gives_the_rotation_of_the_angles),
        cmocka_unit_test(versions_are_found_by_name),
    };
    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}

// Subjects of the bits program: kernels.
#include "bits/bits.h"

void bits_kernel_fill(bits_numbers *n)
{
    uint32_t state = 3;
    for (int i = 0; i < bits_cells; i++) {
        n->a[i] = uniform(&state, -200.0f, 200.0f);
        // Every seventh so small that products are subnormal.
        n->b[i] = uniform(&state, -5.0f, 5.0f) * (i % 7 ? 1.0f : 1e-22f);
    }
    for (int i = 0; i < bits_rows; i++) {
        const char axes[3] = { "xyz"[next_random(&state) % 3], "xyz"[next_random(&state) % 3],
                               "xyz"[next_random(&state) % 3] };
        // The first hundred as they come, the rest of one kind.
        n->orders[i] = ami_euler_order_make(i < 100 ? axes : "zyx");
        n->quats[i] = am_quat_exp(random_v3(&state));
        float scale = uniform(&state, 0.0f, 2.0f);
        am_vec3 v = random_v3(&state);
        n->others[i] = am_q(v.x * scale, v.y * scale, v.z * scale, scale);
    }
}

void bits_kernel_distances(const ami_kernels *k, bits_numbers *n, digest *d)
{
    k->distances(n->out, n->b, n->a, bits_rows, bits_stride);
    put_all(d, n->out, bits_rows);
    k->distances_weighted(n->out, n->b, n->b + bits_stride, n->a, bits_rows, bits_stride);
    put_all(d, n->out, bits_rows);
    for (size_t dims = 0; dims < 64; dims++) {
        k->distances_block(n->out, n->b, n->a, dims);
        put_all(d, n->out, 8);
        k->distances_box(n->out, n->b, n->a, n->a + 8, dims);
        put_all(d, n->out, 8);
    }
}

/// The bounds of the fast index, and the blocks that it looks into.
void bits_kernel_bounds(const ami_kernels *k, bits_numbers *n, digest *d)
{
    enum { pairs = 20 };
    uint8_t block[pairs * 64], query[pairs * 64];
    uint16_t factors[pairs * 64] = { 0 }, bounds[AMI_BOUNDS_LANES]; // slopes 0
    uint32_t state = 4;
    for (int i = 0; i < pairs * 64; i++) {
        block[i] = (uint8_t)next_random(&state);
        query[i] = (uint8_t)next_random(&state);
        factors[i / 32 * 32 + i / 2 % AMI_BOUNDS_LANES] = (uint16_t)next_random(&state);
    }
    for (size_t count = 0; count <= pairs; count++) {
        k->bounds(bounds, block, query, count, 65535);
        for (int i = 0; i < AMI_BOUNDS_LANES; i++) {
            put(d, (float)bounds[i]);
        }
        k->bounds_weighted(bounds, block, query, factors, count, 65535);
        for (int i = 0; i < AMI_BOUNDS_LANES; i++) {
            put(d, (float)bounds[i]);
        }
    }
    for (size_t dims = 0; dims < 64; dims++) {
        k->distances_block_weighted(n->out, n->b, n->b + 64, n->a, dims);
        put_all(d, n->out, 8);
    }
}

void bits_kernel_products(const ami_kernels *k, bits_numbers *n, digest *d)
{
    for (size_t length = 0; length < 300; length++) {
        put(d, k->dot(n->a, n->b + length, length));
        k->axpy(n->out, n->b, n->a[length], length);
    }
    put_all(d, n->out, 300);
    k->gemv(n->out, n->a, n->b, n->b + 1, bits_rows, bits_stride);
    put_all(d, n->out, bits_rows);
}

void bits_kernel_columns(const ami_kernels *k, bits_numbers *n, digest *d)
{
    k->column_moments(n->sum, n->squares, n->a, NULL, bits_rows, bits_stride);
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < bits_stride; c++) {
            put_double(d, n->sum[c]);
            put_double(d, n->squares[c]);
            n->sum[c] /= bits_rows;
        }
        double center[bits_stride];
        memcpy(center, n->sum, sizeof center);
        k->column_moments(n->sum, n->squares, n->a, center, bits_rows, bits_stride);
    }
    k->column_bounds(n->out, n->out + bits_stride, n->b, bits_rows, bits_stride);
    put_all(d, n->out, 2 * bits_stride);
}

void bits_kernel_angles(const ami_kernels *k, bits_numbers *n, digest *d)
{
    k->sincos(n->out, n->out + bits_rows, n->a, bits_rows);
    put_all(d, n->out, 2 * bits_rows);
    for (size_t start = 0; start < 400; start++) {
        k->euler(n->quats, n->a + start * 17, n->orders + start % 100, 100);
        put_all(d, &n->quats[0].x, 400);
    }
    for (uint64_t bits = 0; bits <= 0xFFFFFFFFu; bits += 1000003) {
        float x[8], s[8], c[8];
        for (uint32_t lane = 0; lane < 8; lane++) {
            x[lane] = float_of((uint32_t)bits + lane * 3u);
        }
        k->sincos(s, c, x, 8);
        put_all(d, s, 8);
        put_all(d, c, 8);
    }
}

void bits_kernel_quats(const ami_kernels *k, bits_numbers *n, digest *d)
{
    for (int i = 0; i < 20; i++) {
        k->nlerp(n->quats, n->quats, n->others, (float)i * 0.05f, bits_rows - (size_t)i);
        put_all(d, &n->quats[0].x, 4 * bits_rows);
    }
    k->normalize(n->others, bits_rows);
    put_all(d, &n->others[0].x, 4 * bits_rows);
}

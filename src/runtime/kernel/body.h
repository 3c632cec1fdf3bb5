// The kernels once for all instruction sets, over a vector of eight lanes.
//
// A file of an instruction set defines `v8` (eight floats), `d8` (eight doubles) and the operations below, sets
// KERNEL_NAME and KERNEL_TABLE, and includes this body. Steps and their order are those of reference.c.
//   v8_load v8_store v8_set add sub mul div sqrt        lane by lane, IEEE
//   v8_min(a, b) = a < b ? a : b, v8_max(a, b) = a > b ? a : b      (b when either is NaN)
//   v8_less(a, b): all bits of a lane set where a < b; v8_select(mask, a, b); v8_and, v8_xor: bits
//   v8_shift30, v8_shift31: lanes as integers, shifted left; v8_spread: the top bit to all bits of its lane
//   v8_all(mask): every lane set
//   v8_fold(a): the eight lanes added 4+4, 2+2, 1+1; v8_fold4(out, a, b, c, d): four of those
//   v8_load_quats, v8_store_quats: eight quaternions as x, y, z, w lanes; v8_load_triples: eight times three floats
//   b32: 32 bytes; b32_load, b32_subs (unsigned, saturated), b32_or; w16: 16 lanes of 16 bits; w16_zero, w16_load,
//   w16_store, w16_set, w16_adds (unsigned, saturated), w16_mul (low half), w16_mulhi (high half, unsigned),
//   w16_times256 (of lanes below 256), w16_even and w16_odd (bytes 2 i and 2 i + 1 of a b32 in lane i),
//   w16_pair_squares (bytes capped at 127, squared, added in pairs), w16_within(a, b): bit i set where a <= b in lane
//   i d8_zero, d8_load, d8_store, d8_from(v8), d8_add, d8_sub, d8_mul
// The file is no header in the usual sense: it is included once by each of those files.
#include "base/coefficients.h"
#include <amble/math.h>

// ---------------------------------------------------------------------------------------------
// Distances

static v8 row_distance(const float *query, const float *row, size_t stride)
{
    v8 sum = v8_set(0.0f);
    for (size_t d = 0; d < stride; d += 8) {
        v8 diff = v8_sub(v8_load(query + d), v8_load(row + d));
        sum = v8_add(sum, v8_mul(diff, diff));
    }
    return sum;
}

static void distances(float *out, const float *query, const float *rows, size_t n, size_t stride)
{
    size_t r = 0;
    // Four rows at a time: four independent sums hide the latency of the addition.
    for (; r + 4 <= n; r += 4) {
        const float *row = rows + r * stride;
        v8 s0 = v8_set(0.0f), s1 = s0, s2 = s0, s3 = s0;
        for (size_t d = 0; d < stride; d += 8) {
            v8 q = v8_load(query + d);
            v8 d0 = v8_sub(q, v8_load(row + d));
            v8 d1 = v8_sub(q, v8_load(row + stride + d));
            v8 d2 = v8_sub(q, v8_load(row + 2 * stride + d));
            v8 d3 = v8_sub(q, v8_load(row + 3 * stride + d));
            s0 = v8_add(s0, v8_mul(d0, d0));
            s1 = v8_add(s1, v8_mul(d1, d1));
            s2 = v8_add(s2, v8_mul(d2, d2));
            s3 = v8_add(s3, v8_mul(d3, d3));
        }
        v8_fold4(out + r, s0, s1, s2, s3);
    }
    for (; r < n; r++) {
        out[r] = v8_fold(row_distance(query, rows + r * stride, stride));
    }
}

static v8 row_distance_weighted(const float *query, const float *weights, const float *row, size_t stride)
{
    v8 sum = v8_set(0.0f);
    for (size_t d = 0; d < stride; d += 8) {
        v8 diff = v8_sub(v8_load(query + d), v8_load(row + d));
        sum = v8_add(sum, v8_mul(v8_load(weights + d), v8_mul(diff, diff)));
    }
    return sum;
}

static void distances_weighted(float *out, const float *query, const float *weights, const float *rows, size_t n,
                               size_t stride)
{
    size_t r = 0;
    for (; r + 4 <= n; r += 4) {
        const float *row = rows + r * stride;
        v8 s0 = row_distance_weighted(query, weights, row, stride);
        v8 s1 = row_distance_weighted(query, weights, row + stride, stride);
        v8 s2 = row_distance_weighted(query, weights, row + 2 * stride, stride);
        v8 s3 = row_distance_weighted(query, weights, row + 3 * stride, stride);
        v8_fold4(out + r, s0, s1, s2, s3);
    }
    for (; r < n; r++) {
        out[r] = v8_fold(row_distance_weighted(query, weights, rows + r * stride, stride));
    }
}

/// The eight partial sums of eight frames, folded like the lanes of a row.
static void fold_frames(float out[8], const v8 sum[8])
{
    v8 a = v8_add(sum[0], sum[4]);
    v8 b = v8_add(sum[1], sum[5]);
    v8 c = v8_add(sum[2], sum[6]);
    v8 d = v8_add(sum[3], sum[7]);
    v8_store(out, v8_add(v8_add(a, c), v8_add(b, d)));
}

static v8 add_square(v8 sum, float query, const float *block)
{
    v8 diff = v8_sub(v8_set(query), v8_load(block));
    return v8_add(sum, v8_mul(diff, diff));
}

static void distances_block(float out[8], const float *query, const float *block, size_t dims)
{
    v8 sum[8];
    for (int i = 0; i < 8; i++) {
        sum[i] = v8_set(0.0f);
    }
    size_t d = 0;
    for (; d + 8 <= dims; d += 8) {
        for (size_t i = 0; i < 8; i++) {
            sum[i] = add_square(sum[i], query[d + i], block + (d + i) * 8);
        }
    }
    // By number, not by d % 8: the sums stay in registers.
    for (size_t i = 0; i < 7; i++) {
        if (d + i < dims) {
            sum[i] = add_square(sum[i], query[d + i], block + (d + i) * 8);
        }
    }
    fold_frames(out, sum);
}

static v8 add_square_weighted(v8 sum, float query, float weight, const float *block)
{
    v8 diff = v8_sub(v8_set(query), v8_load(block));
    return v8_add(sum, v8_mul(v8_set(weight), v8_mul(diff, diff)));
}

static void distances_block_weighted(float out[8], const float *query, const float *weights, const float *block,
                                     size_t dims)
{
    v8 sum[8];
    for (int i = 0; i < 8; i++) {
        sum[i] = v8_set(0.0f);
    }
    size_t d = 0;
    for (; d + 8 <= dims; d += 8) {
        for (size_t i = 0; i < 8; i++) {
            sum[i] = add_square_weighted(sum[i], query[d + i], weights[d + i], block + (d + i) * 8);
        }
    }
    for (size_t i = 0; i < 7; i++) {
        if (d + i < dims) {
            sum[i] = add_square_weighted(sum[i], query[d + i], weights[d + i], block + (d + i) * 8);
        }
    }
    fold_frames(out, sum);
}

/// How far the point lies outside 16 boxes in two dimensions.
static b32 outside(const uint8_t *block, const uint8_t *query)
{
    b32 below = b32_subs(b32_load(block), b32_load(query));
    b32 above = b32_subs(b32_load(query + 32), b32_load(block + 32));
    return b32_or(below, above);
}

// Pairs of dimensions between two checks of whether all boxes are already beyond the limit: a check costs as much as
// a pair, and each skipped pair saves reading a cache line.
enum { bounds_stride = 4 };

static unsigned bounds(uint16_t out[AMI_BOUNDS_LANES], const uint8_t *block, const uint8_t *query, size_t pairs,
                       uint16_t limit)
{
    w16 sum = w16_zero();
    w16 most = w16_set(limit);
    size_t p = 0;
    for (; p + bounds_stride < pairs; p += bounds_stride) {
        for (size_t i = p; i < p + bounds_stride; i++) {
            sum = w16_adds(sum, w16_pair_squares(outside(block + i * 64, query + i * 64)));
        }
        if (!w16_within(sum, most)) {
            return 0;
        }
    }
    for (; p < pairs; p++) {
        sum = w16_adds(sum, w16_pair_squares(outside(block + p * 64, query + p * 64)));
    }
    w16_store(out, sum);
    return w16_within(sum, most);
}

static w16 add_weighted(w16 sum, w16 far, const uint16_t *factors)
{
    sum = w16_adds(sum, w16_mulhi(w16_mul(far, far), w16_load(factors)));
    return w16_adds(sum, w16_mulhi(w16_times256(far), w16_load(factors + AMI_BOUNDS_LANES)));
}

static unsigned bounds_weighted(uint16_t out[AMI_BOUNDS_LANES], const uint8_t *block, const uint8_t *query,
                                const uint16_t *factors, size_t pairs, uint16_t limit)
{
    w16 sum = w16_zero();
    w16 most = w16_set(limit);
    for (size_t p = 0; p < pairs; p++) {
        b32 far = outside(block + p * 64, query + p * 64);
        const uint16_t *at = factors + p * 4 * AMI_BOUNDS_LANES;
        sum = add_weighted(sum, w16_even(far), at);
        sum = add_weighted(sum, w16_odd(far), at + 2 * AMI_BOUNDS_LANES);
        if (p % bounds_stride == bounds_stride - 1 && !w16_within(sum, most)) {
            return 0;
        }
    }
    w16_store(out, sum);
    return w16_within(sum, most);
}

static v8 add_box_square(v8 sum, float query, const float *lo, const float *hi)
{
    v8 q = v8_set(query);
    v8 diff = v8_sub(q, v8_min(v8_max(q, v8_load(lo)), v8_load(hi)));
    return v8_add(sum, v8_mul(diff, diff));
}

static void distances_box(float out[8], const float *query, const float *lo, const float *hi, size_t dims)
{
    v8 sum[8];
    for (int i = 0; i < 8; i++) {
        sum[i] = v8_set(0.0f);
    }
    size_t d = 0;
    for (; d + 8 <= dims; d += 8) {
        for (size_t i = 0; i < 8; i++) {
            sum[i] = add_box_square(sum[i], query[d + i], lo + (d + i) * 8, hi + (d + i) * 8);
        }
    }
    for (size_t i = 0; i < 7; i++) {
        if (d + i < dims) {
            sum[i] = add_box_square(sum[i], query[d + i], lo + (d + i) * 8, hi + (d + i) * 8);
        }
    }
    fold_frames(out, sum);
}

// ---------------------------------------------------------------------------------------------
// Products

static float dot(const float *a, const float *b, size_t n)
{
    v8 sum = v8_set(0.0f);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        sum = v8_add(sum, v8_mul(v8_load(a + i), v8_load(b + i)));
    }
    if (i == n) {
        return v8_fold(sum);
    }
    float lane[8];
    v8_store(lane, sum);
    for (; i < n; i++) {
        lane[i % 8] += a[i] * b[i];
    }
    return v8_fold(v8_load(lane));
}

static void gemv(float *out, const float *w, const float *in, const float *bias, size_t n_out, size_t stride)
{
    size_t r = 0;
    for (; r + 4 <= n_out; r += 4) {
        const float *row = w + r * stride;
        v8 s0 = v8_set(0.0f), s1 = s0, s2 = s0, s3 = s0;
        for (size_t d = 0; d < stride; d += 8) {
            v8 x = v8_load(in + d);
            s0 = v8_add(s0, v8_mul(v8_load(row + d), x));
            s1 = v8_add(s1, v8_mul(v8_load(row + stride + d), x));
            s2 = v8_add(s2, v8_mul(v8_load(row + 2 * stride + d), x));
            s3 = v8_add(s3, v8_mul(v8_load(row + 3 * stride + d), x));
        }
        float folded[4];
        v8_fold4(folded, s0, s1, s2, s3);
        for (size_t i = 0; i < 4; i++) {
            out[r + i] = folded[i] + bias[r + i];
        }
    }
    for (; r < n_out; r++) {
        out[r] = dot(w + r * stride, in, stride) + bias[r];
    }
}

static void axpy(float *y, const float *x, float a, size_t n)
{
    v8 factor = v8_set(a);
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8_store(y + i, v8_add(v8_load(y + i), v8_mul(factor, v8_load(x + i))));
    }
    for (; i < n; i++) {
        y[i] += a * x[i];
    }
}

// ---------------------------------------------------------------------------------------------
// Columns: eight at a time, so that each is still summed row after row

static void column_moments(double *sum, double *squares, const float *rows, const double *center, size_t n,
                           size_t stride)
{
    for (size_t c = 0; c < stride; c += 8) {
        d8 middle = center ? d8_load(center + c) : d8_zero();
        d8 first = d8_zero();
        d8 second = d8_zero();
        for (size_t r = 0; r < n; r++) {
            d8 d = d8_sub(d8_from(v8_load(rows + r * stride + c)), middle);
            first = d8_add(first, d);
            second = d8_add(second, d8_mul(d, d));
        }
        d8_store(sum + c, first);
        d8_store(squares + c, second);
    }
}

static void column_bounds(float *lo, float *hi, const float *rows, size_t n, size_t stride)
{
    for (size_t c = 0; c < stride; c += 8) {
        v8 low = v8_set(INFINITY);
        v8 high = v8_set(-INFINITY);
        for (size_t r = 0; r < n; r++) {
            v8 x = v8_load(rows + r * stride + c);
            low = v8_min(x, low);
            high = v8_max(x, high);
        }
        v8_store(lo + c, low);
        v8_store(hi + c, high);
    }
}

// ---------------------------------------------------------------------------------------------
// Angles

/// am_sincos of eight angles; see src/math/elementary.c for the idea.
static void sincos8(v8 *sines, v8 *cosines, v8 x)
{
    v8 sign_bit = v8_set(-0.0f);
    v8 quarter = v8_add(v8_mul(x, v8_set(AMI_TWO_OVER_PI)), v8_set(AMI_ROUND));
    v8 k = v8_sub(quarter, v8_set(AMI_ROUND));
    v8 r = v8_sub(x, v8_mul(k, v8_set(AMI_HALF_PI_1)));
    r = v8_sub(r, v8_mul(k, v8_set(AMI_HALF_PI_2)));
    r = v8_sub(r, v8_mul(k, v8_set(AMI_HALF_PI_3)));
    r = v8_sub(r, v8_mul(k, v8_set(AMI_HALF_PI_4)));
    v8 z = v8_mul(r, r);
    v8 p = v8_add(v8_mul(v8_set(AMI_SIN_2), z), v8_set(AMI_SIN_1));
    p = v8_add(v8_mul(p, z), v8_set(AMI_SIN_0));
    v8 s = v8_add(r, v8_mul(v8_mul(r, z), p));
    p = v8_add(v8_mul(v8_set(AMI_COS_2), z), v8_set(AMI_COS_1));
    p = v8_add(v8_mul(p, z), v8_set(AMI_COS_0));
    v8 c = v8_sub(v8_set(1.0f), v8_sub(v8_mul(v8_set(0.5f), z), v8_mul(v8_mul(z, z), p)));
    v8 odd = v8_shift31(quarter);
    v8 swap = v8_spread(odd);
    v8 sign = v8_shift30(quarter);
    *sines = v8_xor(v8_select(swap, c, s), v8_and(sign, sign_bit));
    *cosines = v8_xor(v8_select(swap, s, c), v8_and(v8_xor(sign, odd), sign_bit));
}

/// Whether every lane is within the range of sincos8; NaN is not.
static bool small_angles(v8 x)
{
    return v8_all(v8_less(v8_max(x, v8_xor(x, v8_set(-0.0f))), v8_set(AMI_SINCOS_LIMIT)));
}

static void sincos_many(float *sines, float *cosines, const float *angles, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        v8 x = v8_load(angles + i);
        if (!small_angles(x)) {
            ami_kernels_reference.sincos(sines + i, cosines + i, angles + i, 8);
            continue;
        }
        v8 s, c;
        sincos8(&s, &c, x);
        v8_store(sines + i, s);
        v8_store(cosines + i, c);
    }
    for (; i < n; i++) {
        am_sincos(angles[i], &sines[i], &cosines[i]);
    }
}

/// The parts of eight quaternions about the first, second and third axis and their w.
typedef struct parts8 {
    v8 part[3], w;
} parts8;

/// The product of am_quat_from_euler, all lanes at once; half angles.
static parts8 euler_product(v8 a, v8 b, v8 c, v8 e)
{
    v8 sa, ca, sb, cb, sc, cc;
    sincos8(&sa, &ca, a);
    sincos8(&sb, &cb, b);
    sincos8(&sc, &cc, c);
    parts8 q;
    q.part[0] = v8_add(v8_mul(sa, v8_mul(cb, cc)), v8_mul(e, v8_mul(ca, v8_mul(sb, sc))));
    q.part[1] = v8_sub(v8_mul(ca, v8_mul(sb, cc)), v8_mul(e, v8_mul(sa, v8_mul(cb, sc))));
    q.part[2] = v8_add(v8_mul(ca, v8_mul(cb, sc)), v8_mul(e, v8_mul(sa, v8_mul(sb, cc))));
    q.w = v8_sub(v8_mul(ca, v8_mul(cb, cc)), v8_mul(e, v8_mul(sa, v8_mul(sb, sc))));
    return q;
}

static bool same_orders(const ami_euler_order orders[8])
{
    int differ = 0;
    for (int i = 1; i < 8; i++) {
        differ |= orders[0].code ^ orders[i].code;
    }
    return differ == 0;
}

/// Writes each lane to the axes of its own order.
static void scatter_parts(am_quat out[8], parts8 q, const ami_euler_order orders[8])
{
    float part[3][8], w[8];
    for (int a = 0; a < 3; a++) {
        v8_store(part[a], q.part[a]);
    }
    v8_store(w, q.w);
    for (int i = 0; i < 8; i++) {
        float axes[3];
        for (int a = 0; a < 3; a++) {
            axes[orders[i].axis[a]] = part[a][i];
        }
        out[i] = am_q(axes[0], axes[1], axes[2], w[i]);
    }
}

static void euler8(am_quat out[8], const float degrees[24], const ami_euler_order orders[8])
{
    float parity[8];
    bool regular = true; // no repeated axis and no huge angle
    for (int i = 0; i < 8; i++) {
        parity[i] = orders[i].parity;
        regular = regular && orders[i].parity != 0.0f;
    }
    v8 angle[3];
    v8_load_triples(&angle[0], &angle[1], &angle[2], degrees);
    for (int a = 0; a < 3; a++) {
        angle[a] = v8_mul(v8_mul(angle[a], v8_set(AM_DEG)), v8_set(0.5f));
        regular = regular && small_angles(angle[a]);
    }
    if (!regular) {
        ami_kernels_reference.euler(out, degrees, orders, 8);
    } else if (same_orders(orders)) {
        parts8 q = euler_product(angle[0], angle[1], angle[2], v8_set(parity[0]));
        const uint8_t *axis = orders[0].axis;
        v8 axes[3];
        axes[axis[0]] = q.part[0];
        axes[axis[1]] = q.part[1];
        axes[axis[2]] = q.part[2];
        v8_store_quats(&out->x, axes[0], axes[1], axes[2], q.w);
    } else {
        scatter_parts(out, euler_product(angle[0], angle[1], angle[2], v8_load(parity)), orders);
    }
}

static void euler(am_quat *out, const float *degrees, const ami_euler_order *orders, size_t n)
{
    if (n < 8) {
        ami_kernels_reference.euler(out, degrees, orders, n);
        return;
    }
    for (size_t i = 0; i + 8 <= n; i += 8) {
        euler8(out + i, degrees + 3 * i, orders + i);
    }
    if (n % 8) { // the last eight, some of them for the second time
        euler8(out + n - 8, degrees + 3 * (n - 8), orders + n - 8);
    }
}

// ---------------------------------------------------------------------------------------------
// Quaternions

typedef struct quats8 {
    v8 x, y, z, w;
} quats8;

static quats8 load_quats(const am_quat *q)
{
    quats8 r;
    v8_load_quats(&r.x, &r.y, &r.z, &r.w, &q->x);
    return r;
}

static v8 dot_quats(quats8 a, quats8 b)
{
    v8 sum = v8_add(v8_mul(a.x, b.x), v8_mul(a.y, b.y));
    return v8_add(v8_add(sum, v8_mul(a.z, b.z)), v8_mul(a.w, b.w));
}

static void store_normalized(am_quat *out, quats8 q)
{
    v8 length = v8_sqrt(dot_quats(q, q));
    v8 scale = v8_div(v8_set(1.0f), length);
    v8 good = v8_less(v8_set(1e-8f), length);
    v8 zero = v8_set(0.0f);
    v8 x = v8_select(good, v8_mul(q.x, scale), zero);
    v8 y = v8_select(good, v8_mul(q.y, scale), zero);
    v8 z = v8_select(good, v8_mul(q.z, scale), zero);
    v8 w = v8_select(good, v8_mul(q.w, scale), v8_set(1.0f));
    v8_store_quats(&out->x, x, y, z, w);
}

static v8 lerp(v8 a, v8 b, v8 t) { return v8_add(a, v8_mul(v8_sub(b, a), t)); }

static void nlerp8(am_quat *out, const am_quat *from, const am_quat *to, v8 t)
{
    quats8 a = load_quats(from);
    quats8 b = load_quats(to);
    // dot(b, a) < 0: the other sign of b is nearer.
    v8 flip = v8_and(v8_less(dot_quats(b, a), v8_set(0.0f)), v8_set(-0.0f));
    quats8 q;
    q.x = lerp(a.x, v8_xor(b.x, flip), t);
    q.y = lerp(a.y, v8_xor(b.y, flip), t);
    q.z = lerp(a.z, v8_xor(b.z, flip), t);
    q.w = lerp(a.w, v8_xor(b.w, flip), t);
    store_normalized(out, q);
}

static void nlerp(am_quat *out, const am_quat *a, const am_quat *b, float t, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        nlerp8(out + i, a + i, b + i, v8_set(t));
    }
    for (; i < n; i++) {
        out[i] = am_quat_nlerp(a[i], b[i], t);
    }
}

static void normalize(am_quat *q, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        store_normalized(q + i, load_quats(q + i));
    }
    for (; i < n; i++) {
        q[i] = am_quat_normalize(q[i]);
    }
}

const ami_kernels KERNEL_TABLE = {
    .name = KERNEL_NAME,
    .distances = distances,
    .distances_weighted = distances_weighted,
    .distances_block = distances_block,
    .distances_block_weighted = distances_block_weighted,
    .distances_box = distances_box,
    .bounds = bounds,
    .bounds_weighted = bounds_weighted,
    .dot = dot,
    .gemv = gemv,
    .axpy = axpy,
    .column_moments = column_moments,
    .column_bounds = column_bounds,
    .sincos = sincos_many,
    .euler = euler,
    .nlerp = nlerp,
    .normalize = normalize,
};

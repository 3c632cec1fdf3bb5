/// Matrix products for activations that lie feature-major: X(features, columns), one column a sample, columns padded
/// to a multiple of AMI_COLUMNS. Included once for each instruction set and number type (see ops_body.h), which
/// defines `real`, VEC_BYTES and TILE_ROWS.
///
/// A small batch is why these exist: weights are read in place, row-major (out, in), in both directions, where a BLAS
/// first packs them, which costs as much as the product itself at 32 columns. A large batch is cut in depth, so that
/// a strip of x stays in the first cache while all rows of the weights pass by: 96 % of the processor's peak.
///
/// Each number of a product is one chain of sums from the first k to the last, however it is cut: sums begin with
/// what y holds. So the bits do not depend on tiles, strips, blocks or threads.
#include <string.h>

typedef real vec __attribute__((vector_size(VEC_BYTES), aligned(sizeof(real)), may_alias));
enum { lanes = VEC_BYTES / sizeof(real) };

/// One tile: y(rows, vecs * lanes) = sum over slots and k of a[r, k] * x[k, :].
typedef struct tile {
    real *y;
    const real *a, *x;
    ptrdiff_t ldy, lda, ldx;
    ptrdiff_t x_panel;        ///< from AMI_PANEL columns of x to the next
    ptrdiff_t a_slot, x_slot; ///< from one time slot to the next
    ptrdiff_t ahead;          ///< distance from the current weights to those to prefetch; 0: none
    int k, slots;
    bool transposed; ///< a[r, k] lies at a[k * lda + r] instead of a[r * lda + k]
    bool add;
    const real *bias; ///< one for each row, or NULL
} tile;

/// Prefetches the next rows' weights, one line for each line in use: hardware prefetch does not follow their stride
/// in time.
static inline __attribute__((always_inline)) void fetch(const real *const *row, ptrdiff_t at, int rows)
{
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        __builtin_prefetch(row[r] + at);
    }
}

/// Adds the products of one k.
static inline __attribute__((always_inline)) void tile_step(vec (*sum)[2], const real *x, const real *const *row,
                                                            ptrdiff_t k, const int rows, const int vecs,
                                                            const bool transposed)
{
    const vec x0 = *(const vec *)x;
    const vec x1 = vecs > 1 ? *(const vec *)(x + lanes) : x0;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        const real a = transposed ? row[0][r] : row[r][k];
        sum[r][0] += x0 * a;
        if (vecs > 1) {
            sum[r][1] += x1 * a;
        }
    }
}

/// Adds what one slot gives.
static inline __attribute__((always_inline)) void tile_slot(const tile *t, vec (*sum)[2], int slot, const int rows,
                                                            const int vecs, const bool transposed)
{
    enum { line = 64 / sizeof(real) };
    const real *x = t->x + slot * t->x_slot;
    const real *row[2 * TILE_ROWS];
    row[0] = t->a + slot * t->a_slot;
#pragma GCC unroll 16
    for (int r = 1; r < rows; r++) {
        row[r] = transposed ? row[0] : row[r - 1] + t->lda;
    }
    for (int from = 0; from < t->k; from += line) {
        if (!transposed && t->ahead) {
            fetch(row, from + t->ahead, rows);
        }
        // Whole lines at once: one pointer per row, incremented for each k, would compete for the adders.
        if (!transposed && t->k - from >= line) {
#pragma GCC unroll 16
            for (int k = 0; k < line; k++, x += t->ldx) {
                tile_step(sum, x, row, from + k, rows, vecs, false);
            }
            continue;
        }
        for (int k = from; k < t->k && k < from + line; k++, x += t->ldx) {
            tile_step(sum, x, row, k, rows, vecs, transposed);
            if (transposed) {
                __builtin_prefetch(row[0] + t->ahead);
                row[0] += t->lda;
            }
        }
    }
}

// rows, vecs and transposed are constants wherever this is inlined, so that the accumulators stay in registers.
static inline __attribute__((always_inline)) void tile_run(const tile *t, const int rows, const int vecs,
                                                           const bool transposed)
{
    vec sum[2 * TILE_ROWS][2];
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (int v = 0; v < vecs; v++) {
            sum[r][v] = (vec){ 0 };
            if (t->add) {
                sum[r][v] = *(const vec *)(t->y + r * t->ldy + v * lanes);
            } else if (t->bias) {
                sum[r][v] += t->bias[r];
            }
        }
    }
    for (int s = 0; s < t->slots; s++) {
        tile_slot(t, sum, s, rows, vecs, transposed);
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (int v = 0; v < vecs; v++) {
            *(vec *)(t->y + r * t->ldy + v * lanes) = sum[r][v];
        }
    }
}

static inline void next_rows(tile *t, int rows, bool transposed)
{
    t->y += rows * t->ldy;
    t->a += rows * (transposed ? 1 : t->lda);
    t->bias += t->bias ? rows : 0;
}

/// All row counts of one column strip.
static inline __attribute__((always_inline)) void strip_run(tile *t, int m, const int vecs, const bool transposed)
{
    // One vector wide, there are registers for twice the rows, and without them too few sums to keep the machine
    // busy. Not for the transposed product: each row needs a pointer of its own.
    for (; vecs == 1 && transposed && m >= 2 * TILE_ROWS; m -= 2 * TILE_ROWS) {
        tile_run(t, 2 * TILE_ROWS, vecs, transposed);
        next_rows(t, 2 * TILE_ROWS, transposed);
    }
    for (; m >= TILE_ROWS; m -= TILE_ROWS) {
        tile_run(t, TILE_ROWS, vecs, transposed);
        next_rows(t, TILE_ROWS, transposed);
    }
    for (; m >= 2; m -= 2) {
        tile_run(t, 2, vecs, transposed);
        next_rows(t, 2, transposed);
    }
    if (m > 0) {
        tile_run(t, 1, vecs, transposed);
    }
}

static void strip_2(tile *t, int m) { t->transposed ? strip_run(t, m, 2, true) : strip_run(t, m, 2, false); }

static void strip_1(tile *t, int m) { t->transposed ? strip_run(t, m, 1, true) : strip_run(t, m, 1, false); }

/// The last columns, fewer than a vector: into a buffer and from there to y. x must be readable up to a whole vector.
static void strip_tail(tile *t, int m, int n)
{
    real buffer[TILE_ROWS * lanes] = { 0 };
    for (int r = 0; r < m; r += TILE_ROWS) {
        const int rows = m - r < TILE_ROWS ? m - r : TILE_ROWS;
        tile part = *t;
        part.y = buffer;
        part.ldy = lanes;
        for (int i = 0; t->add && i < rows; i++) {
            memcpy(buffer + i * lanes, t->y + (r + i) * t->ldy, (size_t)n * sizeof *buffer);
        }
        part.a = t->a + r * (t->transposed ? 1 : t->lda);
        part.bias = t->bias ? t->bias + r : NULL;
        strip_1(&part, rows);
        for (int i = 0; i < rows; i++) {
            memcpy(t->y + (r + i) * t->ldy, buffer + i * lanes, (size_t)n * sizeof *buffer);
        }
    }
}

// How deep a strip of x may be: half of a first cache of 32 KB. The other way round each row of the weights gives a
// cache line that the next tile needs too, so fewer of them (both measured: 64 against 256 is 1.4 times as fast).
enum { strip_columns = 2 * lanes, depth_most = 128 * 32 / strip_columns, depth_transposed = 64, worth_packing = 64 };

/// Rows of x, side by side.
static void pack(real *to, const real *x, ptrdiff_t ldx, int k)
{
    for (int i = 0; i < k; i++, x += ldx, to += strip_columns) {
        memcpy(to, x, strip_columns * sizeof *to);
    }
}

/// All columns over a part of the depth that `part` holds.
static void slice_run(const tile *part, int m, int n)
{
    real packed[depth_most * strip_columns];
    for (int c = 0; c < n; c += strip_columns) {
        tile t = *part;
        t.y += c;
        t.x += c / AMI_PANEL * t.x_panel + c % AMI_PANEL;
        if (n - c < lanes) {
            strip_tail(&t, m, n - c);
        } else if (n - c < strip_columns) {
            strip_1(&t, m);
            if (n - c > lanes) {
                t = *part;
                t.y += c + lanes;
                t.x += (c + lanes) / AMI_PANEL * t.x_panel + (c + lanes) % AMI_PANEL;
                strip_tail(&t, m, n - c - lanes);
            }
        } else {
            if (t.slots == 1 && t.ldx > AMI_PANEL && m >= worth_packing) {
                pack(packed, t.x, t.ldx, t.k);
                t.x = packed;
                t.ldx = strip_columns;
            }
            strip_2(&t, m);
        }
    }
}

/// y(m, n) [+]= sum over k (and slots) of a(m, k) x(k, n).
static void product(const tile *whole, int m, int n)
{
    const int most = whole->transposed ? depth_transposed : depth_most;
    const int depth = whole->slots > 1 || whole->k <= most ? whole->k : most;
    for (int k = 0; k < whole->k; k += depth) {
        tile t = *whole;
        t.a += k * (t.transposed ? t.lda : 1);
        t.x += k * t.ldx;
        t.k = whole->k - k < depth ? whole->k - k : depth;
        t.add |= k > 0;
        slice_run(&t, m, n);
    }
}

// ---------------------------------------------------------------------------------------------
// Weights in bands

/// The last rows, fewer than a band: with the zeros behind them, since a few rows alone keep no machine busy.
static void last_band(const tile *t, int rows)
{
    real buffer[AMI_BAND * lanes] = { 0 }, bias[AMI_BAND] = { 0 };
    tile whole = *t;
    whole.y = buffer;
    whole.ldy = lanes;
    for (int r = 0; r < rows; r++) {
        bias[r] = t->bias ? t->bias[r] : (real)0;
        memcpy(buffer + r * lanes, t->y + r * t->ldy, lanes * sizeof *buffer);
    }
    whole.bias = t->bias ? bias : NULL;
    strip_run(&whole, AMI_BAND, 1, true);
    for (int r = 0; r < rows; r++) {
        memcpy(t->y + r * t->ldy, buffer + r * lanes, lanes * sizeof *buffer);
    }
}

/// y(m, n) [+]= a(m, k) x(k, n), a in bands of AMI_BAND rows.
static void product_of_bands(const tile *whole, int m, int n)
{
    enum { depth_of_bands = 256 }; // of x: 16 KB beside what passes by
    for (int k = 0; k < whole->k; k += depth_of_bands) {
        for (int r = 0; r < m; r += AMI_BAND) {
            for (int c = 0; c < n; c += lanes) {
                tile t = *whole;
                t.y += (ptrdiff_t)r * t.ldy + c;
                t.a += (ptrdiff_t)r * whole->k + (ptrdiff_t)k * AMI_BAND;
                t.x += k * t.ldx + c;
                t.k = whole->k - k < depth_of_bands ? whole->k - k : depth_of_bands;
                t.add |= k > 0;
                t.bias = whole->bias ? whole->bias + r : NULL;
                if (m - r < AMI_BAND) {
                    last_band(&t, m - r);
                } else {
                    strip_run(&t, AMI_BAND, 1, true);
                }
            }
        }
    }
}

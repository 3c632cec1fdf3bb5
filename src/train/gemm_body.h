/// Matrix products for activations that lie feature-major: X(features, columns), one column a sample, columns padded
/// to a multiple of AMI_COLUMNS. Included once for each instruction set and number type (see ops_body.h), which
/// defines `real`, VEC_BYTES and TILE_ROWS.
///
/// A small batch is why these exist: weights are read in place, row-major (out, in), in both directions, where a BLAS
/// first packs them, which costs as much as the product itself at 32 columns.
#include <string.h>

typedef real vec __attribute__((vector_size(VEC_BYTES), aligned(sizeof(real)), may_alias));
enum { lanes = VEC_BYTES / sizeof(real), ahead = 64 / sizeof(real) };

/// One tile: y(rows, vecs * lanes) = sum over slots and k of a[r, k] * x[k, :].
typedef struct tile {
    real *y;
    const real *a, *x;
    ptrdiff_t ldy, lda, ldx;
    ptrdiff_t a_slot, x_slot; ///< from one time slot to the next
    int k, slots;
    bool transposed; ///< a[r, k] lies at a[k * lda + r] instead of a[r * lda + k]
    bool add;
    const real *bias; ///< one for each row, or NULL
} tile;

// rows, vecs and transposed are constants wherever this is inlined, so that the accumulators stay in registers.
static inline __attribute__((always_inline)) void tile_run(const tile *t, const int rows, const int vecs,
                                                           const bool transposed)
{
    vec sum[2 * TILE_ROWS][2];
    const ptrdiff_t step_r = transposed ? 1 : t->lda;
    const ptrdiff_t step_k = transposed ? t->lda : 1;
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (int v = 0; v < vecs; v++) {
            sum[r][v] = (vec){ 0 };
        }
    }
    for (int s = 0; s < t->slots; s++) {
        const real *x = t->x + s * t->x_slot;
        const real *row[2 * TILE_ROWS];
        row[0] = t->a + s * t->a_slot;
#pragma GCC unroll 16
        for (int r = 1; r < rows; r++) {
            row[r] = transposed ? row[0] : row[r - 1] + step_r;
        }
        for (int k = 0; k < t->k; k++) {
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
            if (transposed) {
                // The columns of the next tiles lie beside these, a whole row apart from one another: no machine
                // guesses that.
                __builtin_prefetch(row[0] + ahead);
                row[0] += step_k;
            }
            x += t->ldx;
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
#pragma GCC unroll 2
        for (int v = 0; v < vecs; v++) {
            vec *y = (vec *)(t->y + r * t->ldy + v * lanes);
            if (t->add) {
                sum[r][v] += *y;
            } else if (t->bias) {
                sum[r][v] += t->bias[r];
            }
            *y = sum[r][v];
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
    // One vector wide there are registers for twice the rows, and without them too few sums to keep the machine busy.
    // Not so the other way round: each row wants a pointer of its own.
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
    real buffer[TILE_ROWS * lanes];
    for (int r = 0; r < m; r += TILE_ROWS) {
        const int rows = m - r < TILE_ROWS ? m - r : TILE_ROWS;
        tile part = *t;
        part.y = buffer;
        part.ldy = lanes;
        part.add = false;
        part.a = t->a + r * (t->transposed ? 1 : t->lda);
        part.bias = t->bias ? t->bias + r : NULL;
        strip_1(&part, rows);
        for (int i = 0; i < rows; i++) {
            real *y = t->y + (r + i) * t->ldy;
            for (int c = 0; c < n; c++) {
                y[c] = t->add ? y[c] + buffer[i * lanes + c] : buffer[i * lanes + c];
            }
        }
    }
}

/// All columns of a group of rows.
static void group_run(const tile *whole, int rows, int n)
{
    int c = 0;
    while (c < n) {
        tile t = *whole;
        t.y += c;
        t.x += c;
        if (n - c >= 2 * lanes) {
            strip_2(&t, rows);
            c += 2 * lanes;
        } else if (n - c >= lanes) {
            strip_1(&t, rows);
            c += lanes;
        } else {
            strip_tail(&t, rows, n - c);
            c = n;
        }
    }
}

enum { group_rows = 16 * TILE_ROWS };

/// y(m, n) [+]= sum over k (and slots) of a(m, k) x(k, n). Rows in groups whose part of `a` stays in the first cache.
static void product(const tile *whole, int m, int n)
{
    for (int r = 0; r < m; r += group_rows) {
        tile t = *whole;
        t.y += r * t.ldy;
        t.a += r * (t.transposed ? 1 : t.lda);
        t.bias += t.bias ? r : 0;
        group_run(&t, m - r < group_rows ? m - r : group_rows, n);
    }
}

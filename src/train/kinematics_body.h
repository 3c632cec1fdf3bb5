/// Two-axis rotations and forward kinematics with their backward passes. Included with `real`, KINEMATICS(name) and
/// ROOT.
///
/// A rotation matrix is nine rows of a block, row-major: entry (i, j) is row 3 i + j. Two axes are six rows: the
/// first column, then the second (LMM: the "two-axis" form, Zhou et al. 2019). a = x / |x|, c = a x y / |a x y|,
/// b = c x a; the matrix has columns a, b, c.
#include <math.h>
#include <string.h>

typedef struct three {
    real v[3];
} three;

static inline three cross_of(three a, three b)
{
    return (three){ { a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                      a.v[0] * b.v[1] - a.v[1] * b.v[0] } };
}

static inline real dot_of(three a, three b) { return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2]; }

static inline three sum_of(three a, three b, real s)
{
    return (three){ { a.v[0] + s * b.v[0], a.v[1] + s * b.v[1], a.v[2] + s * b.v[2] } };
}

/// x / |x|; *length is |x|, with a floor so that nothing divides by zero.
static inline three unit_of(three x, real *length)
{
    *length = ROOT(dot_of(x, x));
    *length = *length > (real)1e-8 ? *length : (real)1e-8;
    return (three){ { x.v[0] / *length, x.v[1] / *length, x.v[2] / *length } };
}

/// Gradient of x given that of u = x / |x|.
static inline three unit_back(three du, three u, real length)
{
    const real along = dot_of(du, u);
    return (three){ { (du.v[0] - u.v[0] * along) / length, (du.v[1] - u.v[1] * along) / length,
                      (du.v[2] - u.v[2] * along) / length } };
}

static inline three column_at(const real *m, int j, int c, int n)
{
    const ptrdiff_t s = n;
    return (three){ { m[j * s + c], m[(3 + j) * s + c], m[(6 + j) * s + c] } };
}

static inline three axis_at(const real *x, int first, int c, int n)
{
    const ptrdiff_t s = n;
    return (three){ { x[first * s + c], x[(first + 1) * s + c], x[(first + 2) * s + c] } };
}

void KINEMATICS(two_axes)(real *m, const real *x, int columns)
{
    const ptrdiff_t n = columns;
    for (int c = 0; c < columns; c++) {
        real length;
        const three a = unit_of(axis_at(x, 0, c, columns), &length);
        const three w = unit_of(cross_of(a, axis_at(x, 3, c, columns)), &length);
        const three b = cross_of(w, a);
        for (int i = 0; i < 3; i++) {
            m[(3 * i) * n + c] = a.v[i];
            m[(3 * i + 1) * n + c] = b.v[i];
            m[(3 * i + 2) * n + c] = w.v[i];
        }
    }
}

void KINEMATICS(two_axes_back)(real *dx, const real *dm, const real *x, int columns)
{
    const ptrdiff_t n = columns;
    for (int c = 0; c < columns; c++) {
        real a_length, w_length;
        const three y = axis_at(x, 3, c, columns);
        const three a = unit_of(axis_at(x, 0, c, columns), &a_length);
        const three w = unit_of(cross_of(a, y), &w_length);
        const three db = column_at(dm, 1, c, columns);
        // b = w x a: dw += a x db, da += db x w.
        const three dw = sum_of(column_at(dm, 2, c, columns), cross_of(a, db), (real)1);
        three da = sum_of(column_at(dm, 0, c, columns), cross_of(db, w), (real)1);
        // w = unit(a x y): da += y x ds, dy = ds x a.
        const three ds = unit_back(dw, w, w_length);
        da = sum_of(da, cross_of(y, ds), (real)1);
        const three first = unit_back(da, a, a_length), second = cross_of(ds, a);
        for (int i = 0; i < 3; i++) {
            dx[i * n + c] += first.v[i];
            dx[(3 + i) * n + c] += second.v[i];
        }
    }
}

/// out = a b, or += with `add`; a(3, 3) may be taken transposed, b(3, width).
static void multiply(real *out, const real *a, const real *b, int width, int n, bool transposed, bool add)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < width; j++) {
            real *to = out + (ptrdiff_t)(width * i + j) * n;
            for (int k = 0; k < 3; k++) {
                const real *left = a + (ptrdiff_t)(transposed ? 3 * k + i : 3 * i + k) * n;
                const real *right = b + (ptrdiff_t)(width * k + j) * n;
                const bool keep = add || k > 0;
                for (int c = 0; c < n; c++) {
                    to[c] = (keep ? to[c] : (real)0) + left[c] * right[c];
                }
            }
        }
    }
}

/// da(3, 3) += d b^T for out = a b, b(3, width).
static void multiply_left_back(real *da, const real *d, const real *b, int width, int n)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < width; j++) {
                const real *left = d + (ptrdiff_t)(width * i + j) * n, *right = b + (ptrdiff_t)(width * k + j) * n;
                for (int c = 0; c < n; c++) {
                    da[(ptrdiff_t)(3 * i + k) * n + c] += left[c] * right[c];
                }
            }
        }
    }
}

void KINEMATICS(block_fk)(real *rotations, real *places, const real *r, const real *t, const int16_t *parents,
                          int joints, int columns)
{
    const ptrdiff_t n = columns;
    for (ptrdiff_t j = 0; j < joints; j++) {
        const ptrdiff_t p = parents[j];
        if (p < 0) {
            memcpy(rotations + 9 * j * n, r + 9 * j * n, 9 * (size_t)n * sizeof *r);
            memcpy(places + 3 * j * n, t + 3 * j * n, 3 * (size_t)n * sizeof *t);
            continue;
        }
        multiply(rotations + 9 * j * n, rotations + 9 * p * n, r + 9 * j * n, 3, columns, false, false);
        multiply(places + 3 * j * n, rotations + 9 * p * n, t + 3 * j * n, 1, columns, false, false);
        for (ptrdiff_t i = 0; i < 3 * n; i++) {
            places[3 * j * n + i] += places[3 * p * n + i];
        }
    }
}

void KINEMATICS(block_fk_back)(real *dr, real *dt, real *d_rotations, real *d_places, const real *rotations,
                               const real *r, const real *t, const int16_t *parents, int joints, int columns)
{
    const ptrdiff_t n = columns;
    for (ptrdiff_t j = joints - 1; j >= 0; j--) {
        const ptrdiff_t p = parents[j];
        const real *d_rotation = d_rotations + 9 * j * n, *d_place = d_places + 3 * j * n;
        if (p < 0) {
            for (ptrdiff_t i = 0; i < 9 * n; i++) {
                dr[9 * j * n + i] += d_rotation[i];
            }
            for (ptrdiff_t i = 0; i < 3 * n; i++) {
                dt[3 * j * n + i] += d_place[i];
            }
            continue;
        }
        multiply(dr + 9 * j * n, rotations + 9 * p * n, d_rotation, 3, columns, true, true);
        multiply(dt + 3 * j * n, rotations + 9 * p * n, d_place, 1, columns, true, true);
        multiply_left_back(d_rotations + 9 * p * n, d_rotation, r + 9 * j * n, 3, columns);
        multiply_left_back(d_rotations + 9 * p * n, d_place, t + 3 * j * n, 1, columns);
        for (ptrdiff_t i = 0; i < 3 * n; i++) {
            d_places[3 * p * n + i] += d_place[i];
        }
    }
}

/// Kinematics and losses of poses, sixteen samples at a time. Included once for each instruction set and number type
/// by a file that defines `real`, ROOT, POSES_TYPE, POSES_TABLE and ISA.
#include "train/poses.h"

#include <math.h>
#include <string.h>

/// Sixteen numbers: one AVX-512 register, two or four of smaller ones.
typedef real wide __attribute__((vector_size(AMI_COLUMNS * sizeof(real)), aligned(sizeof(real)), may_alias));

static inline void load(wide *out, const real *x, int rows, ptrdiff_t n)
{
    for (int i = 0; i < rows; i++) {
        out[i] = *(const wide *)(x + i * n);
    }
}

static inline void store(real *x, const wide *v, int rows, ptrdiff_t n)
{
    for (int i = 0; i < rows; i++) {
        *(wide *)(x + i * n) = v[i];
    }
}

static inline void add_to(real *x, const wide *v, int rows, ptrdiff_t n)
{
    for (int i = 0; i < rows; i++) {
        *(wide *)(x + i * n) += v[i];
    }
}

/// out = a b of matrices 3 x 3; out must be neither.
static inline void multiply(wide *out, const wide *a, const wide *b)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
        }
    }
}

/// out = a v, or a^T v.
static inline void turn(wide *out, const wide *a, const wide *v)
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[3 * i] * v[0] + a[3 * i + 1] * v[1] + a[3 * i + 2] * v[2];
    }
}

static inline void turn_back(wide *out, const wide *a, const wide *v)
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] * v[0] + a[3 + i] * v[1] + a[6 + i] * v[2];
    }
}

static inline void cross(wide *out, const wide *a, const wide *b)
{
    // cppcheck-suppress ctuArrayIndex ; it takes sixteen numbers for one
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void dot(wide *out, const wide *a, const wide *b) { *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// u = x / |x|, inverse = 1 / |x|, with a floor so that nothing divides by zero.
static inline void unit(wide *u, wide *inverse, const wide *x)
{
    wide length;
    dot(&length, x, x);
    for (int l = 0; l < AMI_COLUMNS; l++) {
        const real root = ROOT(length[l]);
        length[l] = root > (real)1e-8 ? root : (real)1e-8;
    }
    *inverse = (real)1 / length;
    for (int i = 0; i < 3; i++) {
        u[i] = x[i] * *inverse;
    }
}

/// Gradient of x given that of u = x / |x|.
static inline void unit_back(wide *dx, const wide *du, const wide *u, const wide *inverse)
{
    wide along;
    dot(&along, du, u);
    for (int i = 0; i < 3; i++) {
        dx[i] = (du[i] - u[i] * along) * *inverse;
    }
}

// ---------------------------------------------------------------------------------------------
// Two axes: a = x / |x|, c = a x y / |a x y|, b = c x a; the matrix has columns a, b, c

static inline void axes_to_matrix(wide *m, const wide *axes)
{
    wide a[3], b[3], c[3], s[3], inverse;
    unit(a, &inverse, axes);
    cross(s, a, axes + 3);
    unit(c, &inverse, s);
    cross(b, c, a);
    for (int i = 0; i < 3; i++) {
        m[3 * i] = a[i];
        m[3 * i + 1] = b[i];
        m[3 * i + 2] = c[i];
    }
}

static inline void axes_back(wide *d_axes, const wide *dm, const wide *axes)
{
    wide a[3], c[3], s[3], t[3], da[3], db[3], dc[3], ds[3], inverse_a, inverse_s;
    unit(a, &inverse_a, axes);
    cross(s, a, axes + 3);
    unit(c, &inverse_s, s);
    for (int i = 0; i < 3; i++) {
        da[i] = dm[3 * i];
        db[i] = dm[3 * i + 1];
        dc[i] = dm[3 * i + 2];
    }
    cross(t, a, db); // b = c x a: dc += a x db, da += db x c
    for (int i = 0; i < 3; i++) {
        dc[i] += t[i];
    }
    cross(t, db, c);
    for (int i = 0; i < 3; i++) {
        da[i] += t[i];
    }
    unit_back(ds, dc, c, &inverse_s);
    cross(t, axes + 3, ds); // s = a x y: da += y x ds, dy = ds x a
    for (int i = 0; i < 3; i++) {
        da[i] += t[i];
    }
    unit_back(d_axes, da, a, &inverse_a);
    cross(d_axes + 3, ds, a);
}

// ---------------------------------------------------------------------------------------------
// Forward kinematics (LMM appendix C; eq. 5 with the parent's angular velocity, as the errata have it)

/// Local translation and velocities of a joint: t, its velocity, the angular velocity.
static inline void load_local(wide *t, wide *tv, wide *av, const ami_pose_shape *s, const real *y, int j, ptrdiff_t n)
{
    const ami_pose_layout *l = &s->layout;
    const int move = s->moves[j];
    load(av, y + (l->angular + 3 * j) * n, 3, n);
    if (move >= 0) {
        load(t, y + (l->translations + 3 * move) * n, 3, n);
        load(tv, y + (l->velocities + 3 * move) * n, 3, n);
        return;
    }
    const real offset[3] = { (real)s->offsets[j].x, (real)s->offsets[j].y, (real)s->offsets[j].z };
    for (int i = 0; i < 3; i++) {
        t[i] = (wide){ 0 } + offset[i];
        tv[i] = (wide){ 0 };
    }
}

/// Model-space numbers of one joint in registers.
typedef struct model {
    wide place[3], rotation[9], velocity[3], angular[3];
} model;

static inline real *row_of(real *q, const ami_pose_shape *s, int piece, int width, int j, ptrdiff_t n)
{
    return q + (piece * s->layout.joint_count + width * j) * n;
}

static inline void load_model(model *out, const real *q, const ami_pose_shape *s, int j, ptrdiff_t n)
{
    real *from = (real *)q; // row_of serves both ways
    load(out->place, row_of(from, s, AMI_Q_PLACES, 3, j, n), 3, n);
    load(out->rotation, row_of(from, s, AMI_Q_ROTATIONS, 9, j, n), 9, n);
    load(out->velocity, row_of(from, s, AMI_Q_VELOCITIES, 3, j, n), 3, n);
    load(out->angular, row_of(from, s, AMI_Q_ANGULAR, 3, j, n), 3, n);
}

static inline void store_model(real *q, const model *m, const ami_pose_shape *s, int j, ptrdiff_t n)
{
    store(row_of(q, s, AMI_Q_PLACES, 3, j, n), m->place, 3, n);
    store(row_of(q, s, AMI_Q_ROTATIONS, 9, j, n), m->rotation, 9, n);
    store(row_of(q, s, AMI_Q_VELOCITIES, 3, j, n), m->velocity, 3, n);
    store(row_of(q, s, AMI_Q_ANGULAR, 3, j, n), m->angular, 3, n);
}

static inline void joint_forward(model *out, const model *p, const wide *m, const wide *t, const wide *tv,
                                 const wide *av)
{
    wide a[3], b[3], w[3], c[3];
    multiply(out->rotation, p->rotation, m);
    turn(a, p->rotation, t);
    turn(b, p->rotation, tv);
    turn(w, p->rotation, av);
    cross(c, p->angular, a);
    for (int i = 0; i < 3; i++) {
        out->place[i] = p->place[i] + a[i];
        out->velocity[i] = p->velocity[i] + b[i] + c[i];
        out->angular[i] = p->angular[i] + w[i];
    }
}

static void fk(const ami_pose_shape *s, real *q, real *m, const real *y, int columns)
{
    const ptrdiff_t n = columns;
    for (ptrdiff_t c = 0; c < n; c += AMI_COLUMNS) {
        for (int j = 0; j < s->layout.joint_count; j++) {
            wide axes[6], local[9], t[3], tv[3], av[3];
            model own, parent;
            load(axes, y + (s->layout.rotations + 6 * j) * n + c, 6, n);
            axes_to_matrix(local, axes);
            store(m + 9 * j * n + c, local, 9, n);
            load_local(t, tv, av, s, y + c, j, n);
            if (s->parents[j] < 0) {
                memcpy(own.place, t, sizeof t);
                memcpy(own.rotation, local, sizeof local);
                memcpy(own.velocity, tv, sizeof tv);
                memcpy(own.angular, av, sizeof av);
            } else {
                load_model(&parent, q + c, s, s->parents[j], n);
                joint_forward(&own, &parent, local, t, tv, av);
            }
            store_model(q + c, &own, s, j, n);
        }
    }
}

/// da(3, 3) += d v^T.
static inline void outer(wide *da, const wide *d, const wide *v)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            da[3 * i + k] += d[i] * v[k];
        }
    }
}

/// Gradients that a joint hands to its parent (in `up`) and to its own local numbers.
static inline void joint_back(model *up, wide *dm, wide *dt, wide *dtv, wide *dav, const model *d, const model *p,
                              const wide *m, const wide *t, const wide *tv, const wide *av)
{
    wide a[3], da[3], c[3];
    turn(a, p->rotation, t);
    cross(c, d->velocity, p->angular); // v = w x a: da = dv x w, dw = a x dv
    for (int i = 0; i < 3; i++) {
        da[i] = d->place[i] + c[i];
    }
    cross(c, a, d->velocity);
    for (int i = 0; i < 3; i++) {
        up->place[i] = d->place[i];
        up->velocity[i] = d->velocity[i];
        up->angular[i] = d->angular[i] + c[i];
        for (int k = 0; k < 3; k++) { // dR m^T
            up->rotation[3 * i + k] = d->rotation[3 * i] * m[3 * k] + d->rotation[3 * i + 1] * m[3 * k + 1] +
                                      d->rotation[3 * i + 2] * m[3 * k + 2];
            dm[3 * i + k] = p->rotation[i] * d->rotation[k] + p->rotation[3 + i] * d->rotation[3 + k] +
                            p->rotation[6 + i] * d->rotation[6 + k];
        }
    }
    outer(up->rotation, da, t);
    outer(up->rotation, d->velocity, tv);
    outer(up->rotation, d->angular, av);
    turn_back(dt, p->rotation, da);
    turn_back(dtv, p->rotation, d->velocity);
    turn_back(dav, p->rotation, d->angular);
}

static inline void add_model(real *q, const model *m, const ami_pose_shape *s, int j, ptrdiff_t n)
{
    add_to(row_of(q, s, AMI_Q_PLACES, 3, j, n), m->place, 3, n);
    add_to(row_of(q, s, AMI_Q_ROTATIONS, 9, j, n), m->rotation, 9, n);
    add_to(row_of(q, s, AMI_Q_VELOCITIES, 3, j, n), m->velocity, 3, n);
    add_to(row_of(q, s, AMI_Q_ANGULAR, 3, j, n), m->angular, 3, n);
}

static void fk_back(const ami_pose_shape *s, real *dy, real *dq, const real *q, const real *m, const real *y,
                    int columns)
{
    const ptrdiff_t n = columns;
    const ami_pose_layout *l = &s->layout;
    for (ptrdiff_t c = 0; c < n; c += AMI_COLUMNS) {
        for (int j = l->joint_count - 1; j >= 0; j--) {
            wide axes[6], d_axes[6], local[9], t[3], tv[3], av[3], dm[9], dt[3], dtv[3], dav[3];
            model d, parent, up;
            load(axes, y + (l->rotations + 6 * j) * n + c, 6, n);
            load(local, m + 9 * j * n + c, 9, n);
            load_local(t, tv, av, s, y + c, j, n);
            load_model(&d, dq + c, s, j, n);
            if (s->parents[j] < 0) {
                memcpy(dm, d.rotation, sizeof dm);
                memcpy(dt, d.place, sizeof dt);
                memcpy(dtv, d.velocity, sizeof dtv);
                memcpy(dav, d.angular, sizeof dav);
            } else {
                load_model(&parent, q + c, s, s->parents[j], n);
                joint_back(&up, dm, dt, dtv, dav, &d, &parent, local, t, tv, av);
                add_model(dq + c, &up, s, s->parents[j], n);
            }
            axes_back(d_axes, dm, axes);
            add_to(dy + (l->rotations + 6 * j) * n + c, d_axes, 6, n);
            add_to(dy + (l->angular + 3 * j) * n + c, dav, 3, n);
            if (s->moves[j] >= 0) {
                add_to(dy + (l->translations + 3 * s->moves[j]) * n + c, dt, 3, n);
                add_to(dy + (l->velocities + 3 * s->moves[j]) * n + c, dtv, 3, n);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Losses

static inline real sign_of(real d, real weight) { return d > (real)0 ? weight : d < (real)0 ? -weight : (real)0; }
static inline real size_of(real d) { return d < (real)0 ? -d : d; }

static inline double fold(const real *sums)
{
    double total = 0.0;
    for (int i = 0; i < AMI_COLUMNS; i++) {
        total += (double)sums[i];
    }
    return total;
}

static double l1(real *restrict dy, const real *restrict y, const real *restrict target, int rows, int n, int used,
                 real weight)
{
    real sums[AMI_COLUMNS] = { 0 };
    for (int r = 0; r < rows; r++, dy += n, y += n, target += n) {
        int c = 0;
        for (; c + AMI_COLUMNS <= used; c += AMI_COLUMNS) {
            for (int i = 0; i < AMI_COLUMNS; i++) {
                const real d = y[c + i] - target[c + i];
                sums[i] += size_of(d);
                dy[c + i] += sign_of(d, weight);
            }
        }
        for (; c < used; c++) {
            const real d = y[c] - target[c];
            sums[0] += size_of(d);
            dy[c] += sign_of(d, weight);
        }
    }
    return fold(sums);
}

static double l1_pairs(real *restrict dy, const real *restrict y, const real *restrict target, int rows, int n,
                       int used, real weight)
{
    const int half = used / 2;
    real sums[AMI_COLUMNS] = { 0 };
    for (int r = 0; r < rows; r++, dy += n, y += n, target += n) {
        int c = 0;
        for (; c + AMI_COLUMNS <= half; c += AMI_COLUMNS) {
            for (int i = c; i < c + AMI_COLUMNS; i++) {
                const real d = (y[half + i] - y[i]) - (target[half + i] - target[i]);
                const real slope = sign_of(d, weight);
                sums[i - c] += size_of(d);
                dy[half + i] += slope;
                dy[i] -= slope;
            }
        }
        for (; c < half; c++) {
            const real d = (y[half + c] - y[c]) - (target[half + c] - target[c]);
            const real slope = sign_of(d, weight);
            sums[0] += size_of(d);
            dy[half + c] += slope;
            dy[c] -= slope;
        }
    }
    return fold(sums);
}

static double size(real *restrict dy, const real *restrict y, int rows, int n, int used, real weight)
{
    double total = 0.0;
    for (int r = 0; r < rows; r++, dy += n, y += n) {
        real sum = (real)0;
        for (int c = 0; c < used; c++) {
            sum += size_of(y[c]);
            dy[c] += sign_of(y[c], weight);
        }
        total += (double)sum;
    }
    return total;
}

static double square(real *restrict dy, const real *restrict y, int rows, int n, int used, real weight)
{
    double total = 0.0;
    for (int r = 0; r < rows; r++, dy += n, y += n) {
        real sum = (real)0;
        for (int c = 0; c < used; c++) {
            sum += y[c] * y[c];
            dy[c] += (real)2 * weight * y[c];
        }
        total += (double)sum;
    }
    return total;
}

const POSES_TYPE POSES_TABLE = { ISA, fk, fk_back, l1, l1_pairs, size, square };

/// The table of functions of one number type. Included by ops.h with `real` and OPS defined, once for each type.

typedef struct OPS {
    const char *isa;
    int lanes; ///< numbers in a vector
    /// y(m, n) [+]= w(m, k) x(k, n); bias(m) or NULL is added to each row.
    void (*forward)(real *y, const real *w, const real *bias, const real *x, int m, int k, int n);
    /// dx(k, n) [+]= w(m, k)^T dy(m, n).
    void (*backward)(real *dx, const real *w, const real *dy, int m, int k, int n, bool add);
    /// Bands first .. stop - 1 of the rows, or of the columns, of w(m, k), with zeros behind the last one.
    void (*band_rows)(real *bands, const real *w, int m, int k, int first, int stop);
    void (*band_columns)(real *bands, const real *w, int m, int k, int first, int stop);
    /// y(m, n) [+]= a(m, k) x(k, n), where a lies in bands of its rows; bias(m) or NULL begins each row. For few
    /// columns: one vector of them leaves no time to look for weights.
    void (*banded)(real *y, const real *bands, const real *bias, const real *x, int m, int k, int n, bool add);
    /// dw(rows, k) [+]= sum over slots of dy(rows, n) x(k, n)^T, with x transposed in panels; a slot's dy and xt lie
    /// dy_slot and xt_slot behind the last one's.
    void (*weights)(real *dw, const real *dy, const real *xt, int rows, int k, int n, int slots, ptrdiff_t dy_slot,
                    ptrdiff_t xt_slot, bool add);
    /// db(rows) [+]= sums of dy over columns and slots.
    void (*row_sums)(real *db, const real *dy, int rows, int n, int slots, ptrdiff_t dy_slot, bool add);
    /// xt(panels, n, AMI_PANEL) = x(k, n)^T, zeros behind feature k.
    void (*transpose)(real *xt, const real *x, int k, int n);
    /// y may be x.
    void (*activate)(real *y, const real *x, size_t count, ami_activation kind);
    /// dx [+]= dy f'(x), given x and y = f(x). dx may be dy; x may be y, where f is not GELU.
    void (*activate_back)(real *dx, const real *dy, const real *x, const real *y, size_t count, ami_activation kind,
                          bool add);
    /// Keeps mean and 1 / deviation of each column in stats(2, n).
    void (*norm)(real *y, real *stats, const real *x, const real *gain, const real *shift, int w, int n, real eps);
    void (*norm_back)(real *dx, const real *dy, const real *x, const real *stats, const real *gain, int w, int n,
                      bool add);
    /// dgain(w) and dshift(w) [+]= over slots, `span` numbers from one's dy and x to the next's, stats_span
    /// between their stats.
    void (*norm_weights)(real *dgain, real *dshift, const real *dy, const real *x, const real *stats, int w, int n,
                         int slots, ptrdiff_t span, ptrdiff_t stats_span, bool add);
    /// GRU after its two products gi(3 h, n), gh(3 h, n): gates r z n into gates(3 h, n), y = (1-z) n + z h.
    void (*gru)(real *y, real *gates, const real *gi, const real *gh, const real *h, int units, int n);
    /// dgi, dgh (3 h, n) overwritten, dh [+]=.
    void (*gru_back)(real *dgi, real *dgh, real *dh, const real *dy, const real *gates, const real *gh, const real *h,
                     int units, int n, bool add);
    /// y = x * scale[row] + offset[row]; dx [+]= dy * scale[row]. offset may be NULL, add keeps what y held.
    void (*affine)(real *y, const real *x, const real *scale, const real *offset, int w, int n, bool add);
    void (*add)(real *y, const real *x, size_t count);
    /// One step of Adam and its kin over count parameters.
    void (*step)(real *p, real *mean, real *square, const real *g, size_t count, const ami_step_scale *s);
    double (*sum_squares)(const real *x, size_t count);
} OPS;

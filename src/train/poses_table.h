/// The table of one number type. Included by poses.h with `real` and POSES defined.

typedef struct POSES {
    const char *isa;
    /// m(9 joints, n) local matrices and q(18 joints, n) of y(count, n).
    void (*fk)(const ami_pose_shape *shape, real *q, real *m, const real *y, int n);
    /// Adds to dy what dq gives; dq is used up. q and m are what fk gave for y.
    void (*fk_back)(const ami_pose_shape *shape, real *dy, real *dq, const real *q, const real *m, const real *y,
                    int n);
    /// Sum over rows and the columns 0 .. used - 1 of |y - target|; adds weight times the sign to dy.
    double (*l1)(real *dy, const real *y, const real *target, int rows, int n, int used, real weight);
    /// The same of the differences between columns c + used / 2 and c: those of frames one step apart.
    double (*l1_pairs)(real *dy, const real *y, const real *target, int rows, int n, int used, real weight);
    /// Sum of |y|; and of the squares.
    double (*size)(real *dy, const real *y, int rows, int n, int used, real weight);
    double (*square)(real *dy, const real *y, int rows, int n, int used, real weight);
} POSES;

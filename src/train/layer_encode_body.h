/// Encodings of an index, a count or a position.

/// The nearest whole number; too many are all, no number is none.
static int encode_index(real x, int width)
{
    return x > (real)-0.5 && x < (real)width ? (int)(x + (real)0.5) : x >= (real)width ? width : -1;
}

/// 1 at the index, or at all places before it; of each row of a set.
static void encode_forward(const pass *p, bool before)
{
    for (int r = 0; r < p->rows; r++) {
        const real *x = p->x + (ptrdiff_t)r * p->n;
        real *y = p->y + (ptrdiff_t)r * p->width * p->n;
        for (int c = 0; c < p->n; c++) {
            const int at = encode_index(x[c], p->width);
            for (int i = 0; i < p->width; i++) {
                y[(ptrdiff_t)i * p->n + c] = (before ? i < at : i == at) ? (real)1 : (real)0;
            }
        }
    }
}

static void one_hot_forward(const pass *p) { encode_forward(p, false); }
static void count_forward(const pass *p) { encode_forward(p, true); }

static const layer_row layer_one_hot = { .forward = one_hot_forward };
static const layer_row layer_count = { .forward = count_forward };

static void fraction_forward(const pass *p)
{
    for (size_t i = 0; i < p->plan->span[p->op->out]; i++) {
        p->y[i] = p->x[i] / (real)p->op->number[0];
    }
}

static void fraction_back(const pass *p)
{
    for (size_t i = 0; i < p->plan->span[p->op->out]; i++) {
        p->dx[i] = (p->add ? p->dx[i] : (real)0) + p->dy[i] / (real)p->op->number[0];
    }
}

static const layer_row layer_fraction = { .forward = fraction_forward, .backward = fraction_back };

/// How fast wave i of a positional encoding turns; sine and cosine come in pairs.
static double waves_frequency(const pass *p, int i)
{
    const int pair = i / 2;
    return pow((double)p->op->number[0], -2.0 * (double)pair / (double)p->width);
}

static void waves_forward(const pass *p)
{
    for (int r = 0; r < p->rows; r++) {
        const real *x = p->x + (ptrdiff_t)r * p->n;
        real *y = p->y + (ptrdiff_t)r * p->width * p->n;
        for (int c = 0; c < p->n; c++) {
            for (int i = 0; i < p->width; i++) {
                const double f = waves_frequency(p, i) * (double)x[c];
                y[(ptrdiff_t)i * p->n + c] = (real)(i % 2 ? cos(f) : sin(f));
            }
        }
    }
}

static void waves_back(const pass *p)
{
    for (int k = 0; k < p->rows * p->n; k++) { // columns of each row of a set
        const real *dy = p->dy + (ptrdiff_t)(k / p->n) * p->width * p->n + k % p->n;
        double sum = p->add ? (double)p->dx[k] : 0.0;
        for (int i = 0; i < p->width; i++) {
            const double f = waves_frequency(p, i), at = f * (double)p->x[k];
            sum += f * (i % 2 ? -sin(at) : cos(at)) * (double)dy[(ptrdiff_t)i * p->n];
        }
        p->dx[k] = (real)sum;
    }
}

static const layer_row layer_waves = { .forward = waves_forward, .backward = waves_back };

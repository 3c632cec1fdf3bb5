// Sixteen lanes in four 128-bit registers `q4`, for instruction sets of that width. The file that includes it defines
// q4 (four floats), n4 (four 32-bit integers; may be the same type) and, lane by lane, q4_load ... q4_power, n4_*.
typedef struct v16 {
    q4 q[4];
} v16;
typedef struct i16 {
    n4 q[4];
} i16;

#define FOUR(type, expr0, expr1, expr2, expr3)                                                                       \
    return (type)                                                                                                    \
    {                                                                                                                \
        {                                                                                                            \
            (expr0), (expr1), (expr2), (expr3)                                                                       \
        }                                                                                                            \
    }
#define PAIRWISE(name)                                                                                               \
    static inline v16 v16_##name(v16 x, v16 y)                                                                       \
    {                                                                                                                \
        FOUR(v16, q4_##name(x.q[0], y.q[0]), q4_##name(x.q[1], y.q[1]), q4_##name(x.q[2], y.q[2]),                   \
             q4_##name(x.q[3], y.q[3]));                                                                             \
    }
PAIRWISE(add)
PAIRWISE(sub)
PAIRWISE(mul)
PAIRWISE(div)
PAIRWISE(min)
PAIRWISE(max)

static inline v16 v16_load(const float *p) { FOUR(v16, q4_load(p), q4_load(p + 4), q4_load(p + 8), q4_load(p + 12)); }
static inline void v16_store(float *p, v16 x)
{
    q4_store(p, x.q[0]);
    q4_store(p + 4, x.q[1]);
    q4_store(p + 8, x.q[2]);
    q4_store(p + 12, x.q[3]);
}
static inline v16 v16_set(float x)
{
    q4 all = q4_set(x);
    FOUR(v16, all, all, all, all);
}
static inline v16 v16_half(const uint16_t *p)
{
    FOUR(v16, q4_half(p), q4_half(p + 4), q4_half(p + 8), q4_half(p + 12));
}
static inline v16 v16_abs(v16 x) { FOUR(v16, q4_abs(x.q[0]), q4_abs(x.q[1]), q4_abs(x.q[2]), q4_abs(x.q[3])); }
static inline v16 v16_madd(v16 x, v16 y, v16 c)
{
    FOUR(v16, q4_madd(x.q[0], y.q[0], c.q[0]), q4_madd(x.q[1], y.q[1], c.q[1]), q4_madd(x.q[2], y.q[2], c.q[2]),
         q4_madd(x.q[3], y.q[3], c.q[3]));
}
static inline v16 v16_pick_less(v16 a, v16 b, v16 x, v16 y)
{
    FOUR(v16, q4_pick_less(a.q[0], b.q[0], x.q[0], y.q[0]), q4_pick_less(a.q[1], b.q[1], x.q[1], y.q[1]),
         q4_pick_less(a.q[2], b.q[2], x.q[2], y.q[2]), q4_pick_less(a.q[3], b.q[3], x.q[3], y.q[3]));
}
static inline v16 v16_power(v16 x)
{
    FOUR(v16, q4_power(x.q[0]), q4_power(x.q[1]), q4_power(x.q[2]), q4_power(x.q[3]));
}
static inline unsigned v16_nonzero(v16 x)
{
    return q4_nonzero(x.q[0]) | q4_nonzero(x.q[1]) << 4 | q4_nonzero(x.q[2]) << 8 | q4_nonzero(x.q[3]) << 12;
}
static inline float v16_fold(v16 x)
{
    float lane[4];
    q4_store(lane, q4_add(q4_add(x.q[0], x.q[2]), q4_add(x.q[1], x.q[3])));
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}
static inline i16 i16_zero(void) { FOUR(i16, n4_set(0), n4_set(0), n4_set(0), n4_set(0)); }
static inline v16 i16_float(i16 x)
{
    FOUR(v16, n4_float(x.q[0]), n4_float(x.q[1]), n4_float(x.q[2]), n4_float(x.q[3]));
}
static inline i16 i16_madd(i16 sum, const int8_t *w, int32_t x)
{
    n4 all = n4_set(x);
    i16 r;
    n4_madd(&r.q[0], &r.q[1], sum.q[0], sum.q[1], w, all);
    n4_madd(&r.q[2], &r.q[3], sum.q[2], sum.q[3], w + 16, all);
    return r;
}
static inline void v16_to_i16(int16_t *q, v16 x)
{
    for (int i = 0; i < 4; i++) {
        n4_store16(q + 4 * i, q4_int(x.q[i]));
    }
}

// Rotations: exponential and logarithm, interpolation, the two-axis form of networks, swing and twist, Euler angles.
#include <amble/math.h>

am_quat am_quat_from_axis_angle(am_vec3 axis, float angle)
{
    float s, c;
    am_sincos(angle * 0.5f, &s, &c);
    return am_q(axis.x * s, axis.y * s, axis.z * s, c);
}

am_quat am_quat_from_heading(float heading)
{
    float s, c;
    am_sincos(heading * 0.5f, &s, &c);
    return am_q(0.0f, s, 0.0f, c);
}

float am_quat_heading(am_quat q)
{
    float x = 2.0f * (q.x * q.z + q.w * q.y);
    float z = q.w * q.w + q.z * q.z - q.x * q.x - q.y * q.y;
    // Within a thousandth of a degree of the vertical the direction is rounding noise.
    return x * x + z * z > 1e-10f ? am_atan2(x, z) : 0.0f;
}

am_quat am_quat_exp(am_vec3 v)
{
    float length2 = am_v3_length2(v);
    float length = sqrtf(length2);
    float s, c;
    am_sincos(length, &s, &c);
    // sin(l) / l; the next term of the series is below 1e-17 there.
    float scale = length2 < 1e-8f ? 1.0f - length2 / 6.0f : s / length;
    return am_q(v.x * scale, v.y * scale, v.z * scale, c);
}

am_vec3 am_quat_log(am_quat q)
{
    am_vec3 v = am_v3(q.x, q.y, q.z);
    float length2 = am_v3_length2(v);
    if (length2 < 1e-24f) {
        // The identity: v itself. Its antipode is half a turn of the half angle, about any axis.
        return q.w >= 0.0f ? v : am_v3(AM_PI, 0.0f, 0.0f);
    }
    // The arc tangent keeps its digits near 0 and near pi, where an arc cosine of w has none.
    float length = sqrtf(length2);
    return am_v3_scale(v, am_atan2(length, q.w) / length);
}

am_quat am_quat_from_scaled_axis(am_vec3 v) { return am_quat_exp(am_v3_scale(v, 0.5f)); }

am_vec3 am_quat_to_scaled_axis(am_quat q) { return am_v3_scale(am_quat_log(am_quat_abs(q)), 2.0f); }

am_vec3 am_quat_velocity(am_quat from, am_quat to, float dt)
{
    am_quat step = am_quat_mul(to, am_quat_inv(from));
    return am_v3_scale(am_quat_to_scaled_axis(step), 1.0f / dt);
}

float am_quat_angle(am_quat a, am_quat b)
{
    am_quat d = am_quat_mul(am_quat_inv(a), b);
    return 2.0f * am_atan2(am_v3_length(am_v3(d.x, d.y, d.z)), am_abs(d.w));
}

/// Any rotation by half a turn about an axis perpendicular to the unit vector a.
static am_quat half_turn_off(am_vec3 a)
{
    am_vec3 other = am_abs(a.x) < 0.7f ? am_v3(1.0f, 0.0f, 0.0f) : am_v3(0.0f, 1.0f, 0.0f);
    am_vec3 axis = am_v3_normalize_or(am_v3_cross(a, other), am_v3(0.0f, 0.0f, 1.0f));
    return am_q(axis.x, axis.y, axis.z, 0.0f);
}

am_quat am_quat_between(am_vec3 a, am_vec3 b)
{
    // In double: near the opposite direction 1 + cos and the cross product both vanish, and the rounding of a and
    // b to unit length would otherwise decide the axis.
    double aa = (double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z;
    double bb = (double)b.x * b.x + (double)b.y * b.y + (double)b.z * b.z;
    double lengths = sqrt(aa * bb);
    double x = (double)a.y * b.z - (double)a.z * b.y;
    double y = (double)a.z * b.x - (double)a.x * b.z;
    double z = (double)a.x * b.y - (double)a.y * b.x;
    double w = lengths + ((double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z);
    double norm = sqrt(x * x + y * y + z * z + w * w);
    if (!(norm > 1e-8 * lengths)) {
        return lengths > 0.0 ? half_turn_off(a) : am_quat_identity();
    }
    return am_q((float)(x / norm), (float)(y / norm), (float)(z / norm), (float)(w / norm));
}

am_quat am_quat_slerp(am_quat a, am_quat b, float t)
{
    am_quat d = am_quat_abs(am_quat_mul(am_quat_inv(a), b));
    am_quat part = am_quat_exp(am_v3_scale(am_quat_log(d), t));
    return am_quat_normalize(am_quat_mul(a, part));
}

am_quat am_quat_nlerp(am_quat a, am_quat b, float t)
{
    am_quat c = am_quat_nearest(b, a);
    return am_quat_normalize(
        am_q(am_lerp(a.x, c.x, t), am_lerp(a.y, c.y, t), am_lerp(a.z, c.z, t), am_lerp(a.w, c.w, t)));
}

// ---------------------------------------------------------------------------------------------
// Matrices

void am_quat_to_two_axis(am_quat q, float out[6])
{
    out[0] = 1.0f - 2.0f * (q.y * q.y + q.z * q.z);
    out[1] = 2.0f * (q.x * q.y + q.w * q.z);
    out[2] = 2.0f * (q.x * q.z - q.w * q.y);
    out[3] = 2.0f * (q.x * q.y - q.w * q.z);
    out[4] = 1.0f - 2.0f * (q.x * q.x + q.z * q.z);
    out[5] = 2.0f * (q.y * q.z + q.w * q.x);
}

am_quat am_quat_from_two_axis(const float in[6])
{
    am_vec3 x = am_v3_normalize_or(am_v3(in[0], in[1], in[2]), am_v3_zero());
    am_vec3 y = am_v3_normalize_or(am_v3(in[3], in[4], in[5]), am_v3_zero());
    am_vec3 z = am_v3_cross(x, y);
    float length = am_v3_length(z);
    // Parallel within rounding, zero or not finite: no plane.
    if (!(length > 1e-6f && length < 2.0f)) {
        return am_quat_identity();
    }
    z = am_v3_scale(z, 1.0f / length);
    return am_quat_from_columns(x, am_v3_cross(z, x), z);
}

am_quat am_quat_from_columns(am_vec3 x, am_vec3 y, am_vec3 z)
{
    // The largest of the four squares is at least a quarter of the whole, so that nothing cancels.
    float w4 = 1.0f + x.x + y.y + z.z;
    float x4 = 1.0f + x.x - y.y - z.z;
    float y4 = 1.0f - x.x + y.y - z.z;
    float z4 = 1.0f - x.x - y.y + z.z;
    am_quat q;
    if (w4 >= x4 && w4 >= y4 && w4 >= z4) {
        q = am_q(y.z - z.y, z.x - x.z, x.y - y.x, w4);
    } else if (x4 >= y4 && x4 >= z4) {
        q = am_q(x4, x.y + y.x, z.x + x.z, y.z - z.y);
    } else if (y4 >= z4) {
        q = am_q(x.y + y.x, y4, y.z + z.y, z.x - x.z);
    } else {
        q = am_q(z.x + x.z, y.z + z.y, z4, x.y - y.x);
    }
    return am_quat_abs(am_quat_normalize(q));
}

// ---------------------------------------------------------------------------------------------
// Decompositions

void am_quat_swing_twist(am_quat *swing, am_quat *twist, am_quat q, am_vec3 axis)
{
    float along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    // Half a turn about a perpendicular axis leaves nothing to twist about: am_quat_normalize gives the identity.
    *twist = am_quat_normalize(am_q(axis.x * along, axis.y * along, axis.z * along, q.w));
    *swing = am_quat_mul(q, am_quat_inv(*twist));
}

/// The three axes of an order as indices, and whether they run x y z x (+1) or backwards (-1).
typedef struct euler_order {
    int i, j, k;
    float parity;
    bool same_ends; ///< k repeats i, as in "zxz"
} euler_order;

static int axis_index(char c) { return c == 'x' || c == 'X' ? 0 : c == 'y' || c == 'Y' ? 1 : 2; }

static euler_order order_of(const char axes[3])
{
    euler_order o;
    o.i = axis_index(axes[0]);
    o.j = axis_index(axes[1]);
    o.k = axis_index(axes[2]);
    o.parity = (o.i + 1) % 3 == o.j ? 1.0f : -1.0f;
    o.same_ends = o.i == o.k;
    return o;
}

static am_quat about(int axis, float angle)
{
    return am_quat_from_axis_angle(am_v3(axis == 0, axis == 1, axis == 2), angle);
}

am_quat am_quat_from_euler(const char axes[3], float a, float b, float c)
{
    euler_order o = order_of(axes);
    if (o.i == o.j || o.j == o.k || o.same_ends) {
        return am_quat_mul(am_quat_mul(about(o.i, a), about(o.j, b)), about(o.k, c));
    }
    // The product written out for three different axes; the Euler kernel repeats these steps.
    float sa, ca, sb, cb, sc, cc;
    am_sincos(a * 0.5f, &sa, &ca);
    am_sincos(b * 0.5f, &sb, &cb);
    am_sincos(c * 0.5f, &sc, &cc);
    float e = o.parity;
    float part[3];
    part[o.i] = sa * (cb * cc) + e * (ca * (sb * sc));
    part[o.j] = ca * (sb * cc) - e * (sa * (cb * sc));
    part[o.k] = ca * (cb * sc) + e * (sa * (sb * cc));
    return am_q(part[0], part[1], part[2], ca * (cb * cc) - e * (sa * (sb * sc)));
}

/// Splits the half sum and half difference of the outer angles, given as sine and cosine times a common length.
/// When one length vanishes (gimbal lock) only the other is known: the last angle is then 0 by choice.
static void outer_angles(float out[3], float sum_s, float sum_c, float diff_s, float diff_c)
{
    const float lock = 1e-12f; // squared: within 1e-6 of the pole the other angle is rounding noise
    bool no_sum = sum_s * sum_s + sum_c * sum_c < lock;
    bool no_diff = diff_s * diff_s + diff_c * diff_c < lock;
    float sum = no_sum ? 0.0f : am_atan2(sum_s, sum_c);
    float diff = no_diff ? 0.0f : am_atan2(diff_s, diff_c);
    bool locked = no_sum || no_diff;
    out[0] = am_wrap_angle(locked ? 2.0f * (sum + diff) : sum + diff);
    out[2] = locked ? 0.0f : am_wrap_angle(sum - diff);
}

void am_quat_to_euler(float out[3], am_quat q, const char axes[3])
{
    euler_order o = order_of(axes);
    const float part[3] = { q.x, q.y, q.z };
    float i = part[o.i];
    float j = part[o.j];
    // An order such as "xxy" names no angles; it must only not read outside.
    int third = o.i == o.j ? (o.i + 1) % 3 : 3 - o.i - o.j;
    float k = part[third] * o.parity;
    if (o.same_ends) {
        // w + i and j + k are cos and sin of half the middle angle, turned by half sum and half difference.
        outer_angles(out, i, q.w, k, j);
        out[1] = 2.0f * am_atan2(sqrtf(j * j + k * k), sqrtf(q.w * q.w + i * i));
        return;
    }
    // With m the half middle angle: (w + j, i + k) = (cos m + sin m) (cos, sin) of the half sum of a and parity c,
    // (w - j, i - k) = (cos m - sin m) (cos, sin) of their half difference. No arc sine, so no digits are lost
    // near the poles.
    float plus = (q.w + j) * (q.w + j) + (i + k) * (i + k);
    float minus = (q.w - j) * (q.w - j) + (i - k) * (i - k);
    outer_angles(out, i + k, q.w + j, i - k, q.w - j);
    out[1] = 2.0f * am_atan2(sqrtf(plus), sqrtf(minus)) - AM_PI * 0.5f;
    out[2] *= o.parity;
}

// Curves as SVG text: growth on logarithmic axes, movement on linear ones.
#include "tables_parts.h"

#include "base/bytes.h"
#include "report/plot.h"

enum { left = 56, right = 440, upper = 12, lower = 300, width = 560, height = 340 };

// Distinct in light and dark mode, and for most kinds of colour blindness.
static const char *const colours[AM_MAX_CURVES] = {
    "#3f6fd8", "#d9822b", "#1a8a4a", "#c4342d", "#8a56c2", "#2a9d9d",
    "#b8860b", "#d0509a", "#667085", "#5a9e2f", "#a0522d", "#4682b4"
};

/// What an axis shows: from .. to as powers of ten, or as multiples of `step` where that is above 0.
typedef struct axis {
    int from, to;
    double step;
} axis;

static double power_of_ten(int exponent)
{
    double power = 1.0;
    for (; exponent > 0; exponent--) {
        power *= 10.0;
    }
    for (; exponent < 0; exponent++) {
        power /= 10.0;
    }
    return power;
}

/// Widens the axis until it shows a number.
static void include(axis *a, double value, bool *any)
{
    if (!(value > 0.0) || !(value < 1e12)) {
        return;
    }
    if (!*any) {
        *a = (axis){ 0, 1, 0.0 };
        while (power_of_ten(a->from) > value) {
            a->from--;
        }
        while (power_of_ten(a->from + 1) <= value) {
            a->from++;
        }
        a->to = a->from + 1;
        *any = true;
    }
    while (a->from > -9 && power_of_ten(a->from) > value) {
        a->from--;
    }
    while (power_of_ten(a->to) < value) {
        a->to++;
    }
}

/// An even axis from low to high with at most eight parts of 1, 2 or 5 times a power of ten.
static axis even_axis(double low, double high)
{
    static const double factors[3] = { 1.0, 2.0, 5.0 };
    double reach = high - low;
    double step = 1.0;
    for (int i = 0; i < 48 && reach > 0.0; i++) {
        step = factors[i % 3] * power_of_ten(i / 3 - 8);
        if (reach <= 7.0 * step) {
            break;
        }
    }
    axis a = { (int)(low / step), (int)(high / step), step };
    a.from -= (double)a.from * step > low;
    a.to += (double)a.to * step < high || a.to == a.from;
    return a;
}

/// The value at tick e of an axis.
static double tick_of(const axis *a, int e) { return a->step > 0.0 ? (double)e * a->step : power_of_ten(e); }

/// 0 at the start of the axis, 1 at its end.
static double share(const axis *a, double value)
{
    if (a->step > 0.0) {
        return (value / a->step - a->from) / (a->to - a->from);
    }
    double decades = (double)am_log((float)value) / 2.302585093 - a->from;
    return decades / (a->to - a->from);
}

static double place_x(const axis *a, double value) { return left + (right - left) * share(a, value); }
static double place_y(const axis *a, double value) { return lower - (lower - upper) * share(a, value); }

static bool put_axes(am_bytes *out, const ami_curves *plot, const axis *x, const axis *y)
{
    bool ok = true;
    for (int e = x->from; e <= x->to && ok; e++) {
        double at = left + (double)(right - left) * (e - x->from) / (x->to - x->from);
        ok = ami_put_format(out,
                            "<line class=\"axis\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                            "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%g</text>",
                            at, upper, at, lower, at, lower + 15, tick_of(x, e));
    }
    for (int e = y->from; e <= y->to && ok; e++) {
        double at = lower - (double)(lower - upper) * (e - y->from) / (y->to - y->from);
        ok = ami_put_format(out,
                            "<line class=\"axis\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                            "<text class=\"row\" x=\"%d\" y=\"%.1f\">%g</text>",
                            left, at, right, at, left - 6, at + 4, tick_of(y, e));
    }
    return ok && ami_put_format(out, "<text class=\"name\" x=\"%d\" y=\"%d\">", (left + right) / 2, height - 8) &&
           ami_put_escaped(out, plot->x_axis) && ami_put_text(out, " / ") && ami_put_escaped(out, plot->y_axis) &&
           ami_put_text(out, "</text>");
}

static bool put_curve(am_bytes *out, const ami_curve *curve, const char *colour, const axis *x, const axis *y)
{
    bool ok = ami_put_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colour);
    for (int i = 0; i < curve->count && ok; i++) {
        ok = ami_put_format(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', place_x(x, curve->x[i]), place_y(y, curve->y[i]));
    }
    ok = ok && ami_put_text(out, "\"/>");
    for (int i = 0; i < curve->count && ok && !(x->step > 0.0); i++) { // even curves have too many points for dots
        double at = place_x(x, curve->x[i]);
        double low = place_y(y, curve->y[i]);
        ok = ami_put_format(out, "<circle fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", colour, at, low);
        if (curve->top && ok) {
            ok = ami_put_format(out,
                                "<line stroke=\"%s\" opacity=\".5\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                                "y2=\"%.1f\"/>",
                                colour, at, low, at, place_y(y, curve->top[i]));
        }
    }
    return ok;
}

static void find_even_axes(const ami_curves *plot, axis *x, axis *y)
{
    double low[2] = { 1e9, 1e9 };
    double high[2] = { -1e9, -1e9 };
    for (int c = 0; c < plot->count; c++) {
        for (int i = 0; i < plot->curves[c].count; i++) {
            const double at[2] = { plot->curves[c].x[i], plot->curves[c].y[i] };
            for (int k = 0; k < 2; k++) {
                low[k] = at[k] < low[k] ? at[k] : low[k];
                high[k] = at[k] > high[k] ? at[k] : high[k];
            }
        }
    }
    if (low[0] <= high[0]) {
        *x = even_axis(low[0], high[0]);
        *y = even_axis(low[1], high[1]);
    }
}

bool ami_plot_curves(am_bytes *out, const ami_curves *plot)
{
    axis x = { 0, 1, 0.0 }, y = { 0, 1, 0.0 };
    bool any_x = false, any_y = false;
    if (plot->even) {
        find_even_axes(plot, &x, &y);
    }
    for (int c = 0; c < plot->count && !plot->even; c++) {
        const ami_curve *curve = &plot->curves[c];
        for (int i = 0; i < curve->count; i++) {
            include(&x, curve->x[i], &any_x);
            include(&y, curve->y[i], &any_y);
            include(&y, curve->top ? curve->top[i] : 0.0, &any_y);
        }
    }
    bool ok =
        ami_put_format(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">", width, height) && put_axes(out, plot, &x, &y);
    for (int c = 0; c < plot->count && ok; c++) {
        ok = put_curve(out, &plot->curves[c], colours[c], &x, &y) &&
             ami_put_format(out, "<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>", right + 12,
                            upper + 18 * c, colours[c]) &&
             ami_put_format(out, "<text class=\"left\" x=\"%d\" y=\"%d\">", right + 27, upper + 9 + 18 * c) &&
             ami_put_escaped(out, plot->curves[c].name) && ami_put_text(out, "</text>");
    }
    return ok && ami_put_text(out, "</svg>");
}

// Plots as SVG text. Numbers are printed with fixed digits, so that the same database gives the same page.
#include "report/plot.h"

#include "base/bytes.h"

#include <amble/math.h>

bool ami_put_escaped(am_bytes *out, const char *text)
{
    bool ok = true;
    for (; *text; text++) {
        switch (*text) {
        case '<':
            ok = ok && ami_put_text(out, "&lt;");
            break;
        case '>':
            ok = ok && ami_put_text(out, "&gt;");
            break;
        case '&':
            ok = ok && ami_put_text(out, "&amp;");
            break;
        case '"':
            ok = ok && ami_put_text(out, "&quot;");
            break;
        default:
            ok = ok && ami_put_u8(out, (uint8_t)*text);
            break;
        }
    }
    return ok;
}

static double largest(const double *values, int count)
{
    double top = 0.0;
    for (int i = 0; i < count; i++) {
        top = values[i] > top ? values[i] : top;
    }
    return top > 0.0 ? top : 1.0;
}

bool ami_plot_bars(am_bytes *out, const ami_bars *bars)
{
    int width = 560;
    int height = 190;
    int base = height - 42;
    double step = (double)(width - 20) / bars->count;
    double top = largest(bars->values, bars->count);
    bool ok = ami_put_format(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">", width, height);
    for (int i = 0; i < bars->count && ok; i++) {
        double tall = (base - 22) * bars->values[i] / top;
        double x = 10 + step * i;
        ok = ami_put_format(out,
                            "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"2\"/>"
                            "<text class=\"value\" x=\"%.1f\" y=\"%.1f\">%.*f%s</text>"
                            "<text class=\"tick\" x=\"%.1f\" y=\"%d\">",
                            x + step * 0.12, base - tall, step * 0.76, tall, x + step / 2, base - tall - 5,
                            bars->values[i] >= 10.0 || bars->values[i] == 0.0 ? 0 : 1, bars->values[i], bars->unit,
                            x + step / 2, base + 15) &&
             ami_put_escaped(out, bars->labels[i]) && ami_put_text(out, "</text>");
    }
    return ok &&
           ami_put_format(out, "<line class=\"axis\" x1=\"8\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", width - 8, base,
                          base) &&
           ami_put_format(out, "<text class=\"name\" x=\"%d\" y=\"%d\">", width / 2, height - 8) &&
           ami_put_escaped(out, bars->axis) && ami_put_text(out, "</text></svg>");
}

/// Ten steps of colour on a root scale; step 0 is reserved for nothing at all.
static int shade(double value, double top)
{
    if (!(value > 0.0)) {
        return 0;
    }
    int step = 1 + (int)(8.999 * sqrt(value / top));
    return step > 9 ? 9 : step;
}

/// "0.4", "12", "3m": short enough for a cell.
static bool put_seconds(am_bytes *out, double seconds)
{
    if (seconds <= 0.0) {
        return true;
    }
    return seconds < 9.95 ? ami_put_format(out, "%.1f", seconds) : ami_put_format(out, "%.0f", seconds);
}

static bool heat_row(am_bytes *out, const ami_heat *heat, int r, double top, double cell)
{
    double y = 10 + 26.0 * (heat->row_count - 1 - r); // small values at the bottom, as on any axis
    bool ok = ami_put_format(out, "<text class=\"row\" x=\"76\" y=\"%.1f\">", y + 17) &&
              ami_put_escaped(out, heat->rows[r]) && ami_put_text(out, "</text>");
    for (int c = 0; c < heat->column_count && ok; c++) {
        double value = heat->values[r * heat->column_count + c];
        int s = shade(value, top);
        ok = ami_put_format(out,
                            "<rect class=\"h%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"24\" rx=\"2\"/>"
                            "<text class=\"cell%s\" x=\"%.1f\" y=\"%.1f\">",
                            s, 84 + cell * c, y, cell - 2, s >= 6 ? " on" : "", 84 + cell * c + cell / 2 - 1,
                            y + 16) &&
             put_seconds(out, value) && ami_put_text(out, "</text>");
    }
    return ok;
}

bool ami_plot_heat(am_bytes *out, const ami_heat *heat)
{
    double cell = 480.0 / heat->column_count;
    int bottom = 10 + 26 * heat->row_count;
    double top = largest(heat->values, heat->row_count * heat->column_count);
    bool ok = ami_put_format(out, "<svg viewBox=\"0 0 574 %d\" role=\"img\">", bottom + 46);
    for (int r = 0; r < heat->row_count && ok; r++) {
        ok = heat_row(out, heat, r, top, cell);
    }
    for (int c = 0; c < heat->column_count && ok; c++) {
        ok =
            ami_put_format(out, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">", 84 + cell * c + cell / 2, bottom + 15) &&
            ami_put_escaped(out, heat->columns[c]) && ami_put_text(out, "</text>");
    }
    return ok && ami_put_format(out, "<text class=\"name\" x=\"324\" y=\"%d\">", bottom + 36) &&
           ami_put_escaped(out, heat->column_axis) && ami_put_text(out, "</text>") &&
           ami_put_format(out, "<text class=\"name\" transform=\"translate(14 %d) rotate(-90)\">", bottom / 2) &&
           ami_put_escaped(out, heat->row_axis) && ami_put_text(out, "</text></svg>");
}

typedef struct spot {
    double x, y;
} spot;

/// Angle 0 is up, positive to the left.
static spot on_circle(double radius, float angle)
{
    spot s = { 280.0 - radius * (double)am_sin(angle), 215.0 - radius * (double)am_cos(angle) };
    return s;
}

static bool rose_cell(am_bytes *out, const ami_rose *rose, int ring, int sector, double top)
{
    double value = rose->values[ring * rose->sector_count + sector];
    float wide = 2.0f * AM_PI / (float)rose->sector_count;
    float from = ((float)sector - 0.47f) * wide;
    float to = ((float)sector + 0.47f) * wide;
    double inner = 22.0 + 165.0 * ring / rose->ring_count;
    double outer = 21.0 + 165.0 * (ring + 1) / rose->ring_count;
    spot a = on_circle(inner, from);
    spot b = on_circle(outer, from);
    spot c = on_circle(outer, to);
    spot d = on_circle(inner, to);
    return ami_put_format(
               out,
               "<path class=\"h%d\" d=\"M%.1f %.1fL%.1f %.1fA%.1f %.1f 0 0 0 %.1f %.1fL%.1f %.1fA%.1f %.1f 0 "
               "0 1 %.1f %.1fZ\"><title>",
               shade(value, top), a.x, a.y, b.x, b.y, outer, outer, c.x, c.y, d.x, d.y, inner, inner, a.x, a.y) &&
           ami_put_escaped(out, rose->sectors[sector]) && ami_put_text(out, ", ") &&
           ami_put_escaped(out, rose->rings[ring]) && ami_put_format(out, " m/s: %.1f s</title></path>", value);
}

bool ami_plot_rose(am_bytes *out, const ami_rose *rose)
{
    double top = largest(rose->values, rose->ring_count * rose->sector_count);
    bool ok = ami_put_text(out, "<svg viewBox=\"0 0 560 430\" role=\"img\">");
    for (int r = 0; r < rose->ring_count && ok; r++) {
        for (int s = 0; s < rose->sector_count && ok; s++) {
            ok = rose_cell(out, rose, r, s, top);
        }
    }
    for (int s = 0; s < rose->sector_count && ok; s++) {
        spot p = on_circle(204.0, (float)s * 2.0f * AM_PI / (float)rose->sector_count);
        const char *anchor = p.x < 250.0 ? "end" : p.x > 310.0 ? "start" : "middle";
        ok = ami_put_format(out, "<text class=\"tick\" style=\"text-anchor:%s\" x=\"%.1f\" y=\"%.1f\">", anchor, p.x,
                            p.y + 4) &&
             ami_put_escaped(out, rose->sectors[s]) && ami_put_text(out, "</text>");
    }
    // The figure in the middle: a head and shoulders seen from above, facing up.
    return ok && ami_put_text(out, "<ellipse class=\"body\" cx=\"280\" cy=\"217\" rx=\"13\" ry=\"6\"/>"
                                   "<circle class=\"body\" cx=\"280\" cy=\"213\" r=\"6\"/></svg>");
}

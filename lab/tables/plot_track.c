// Horizontal bars, and tracks seen from above, as inline SVG.
#include "tables_parts.h"

#include "base/bytes.h"
#include "report/plot.h"

bool ami_plot_bar_rows(am_bytes *out, const ami_bar_row *bars, int count, int digits)
{
    double top = 0.0;
    for (int i = 0; i < count; i++) {
        top = bars[i].value > top ? bars[i].value : top;
    }
    top = top > 0.0 ? top : 1.0;
    bool ok = ami_put_format(out, "<svg viewBox=\"0 0 560 %d\" role=\"img\">", 22 * count + 8);
    for (int i = 0; i < count && ok; i++) {
        double y = 4.0 + 22.0 * i;
        double wide = 300.0 * (bars[i].value > 0.0 ? bars[i].value : 0.0) / top;
        ok = ami_put_format(out, "<text class=\"row\" x=\"180\" y=\"%.1f\">", y + 14) &&
             ami_put_escaped(out, bars[i].label) &&
             ami_put_format(out,
                            "</text><rect class=\"%s\" x=\"188\" y=\"%.1f\" width=\"%.1f\" height=\"16\" rx=\"2\"/>"
                            "<text class=\"value left\" x=\"%.1f\" y=\"%.1f\">%.*f</text>",
                            bars[i].red ? "spot" : "bar", y + 2, wide, 194.0 + wide, y + 14, digits < 0 ? 0 : digits,
                            bars[i].value);
    }
    return ok && ami_put_text(out, "</svg>");
}

/// Grows a box by places(count).
static void widen(am_vec3 *low, am_vec3 *high, const am_vec3 *places, int count)
{
    for (int i = 0; i < count; i++) {
        *low = am_v3(am_min(low->x, places[i].x), 0.0f, am_min(low->z, places[i].z));
        *high = am_v3(am_max(high->x, places[i].x), 0.0f, am_max(high->z, places[i].z));
    }
}

/// A line of places as an SVG path of a class; x goes left, z up.
static bool put_line(am_bytes *out, const char *name, const am_vec3 *places, int count, double scale, double left,
                     double bottom)
{
    bool ok = ami_put_format(out, "<path class=\"%s\" d=\"", name);
    for (int i = 0; i < count && ok; i++) {
        ok = ami_put_format(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', left - scale * (double)places[i].x,
                            bottom - scale * (double)places[i].z);
    }
    return ok && ami_put_text(out, "\"/>");
}

bool ami_plot_track(am_bytes *out, const am_vec3 *places, int count, const am_vec3 *path, int path_count)
{
    if (count < 1) {
        return true;
    }
    am_vec3 low = places[0];
    am_vec3 high = places[0];
    widen(&low, &high, places, count);
    widen(&low, &high, path, path_count);
    double extent = (double)am_max(am_max(high.x - low.x, high.z - low.z), 0.5f);
    double scale = 320.0 / extent;
    double left = 280.0 + 0.5 * scale * (double)(high.x + low.x);
    double bottom = 180.0 + 0.5 * scale * (double)(high.z + low.z);
    bool ok = ami_put_text(out, "<svg viewBox=\"0 0 560 380\" role=\"img\">");
    if (ok && path_count > 0) {
        ok = put_line(out, "drawn", path, path_count, scale, left, bottom);
    }
    return ok && put_line(out, "track", places, count, scale, left, bottom) &&
           ami_put_format(out,
                          "<circle class=\"spot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>"
                          "<text class=\"name\" x=\"280\" y=\"374\">%.1f m</text></svg>",
                          left - scale * (double)places[0].x, bottom - scale * (double)places[0].z, extent);
}

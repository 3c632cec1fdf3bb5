// A picture as SVG text or as pixels. Edges are smooth by their exact distance: a pixel is covered as far as its
// middle lies inside.
#include "report/canvas.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/png.h"
#include "report/plot.h"

#include <math.h>
#include <string.h>

#define WHITE 0xFFFFFFu

static size_t pixel_bytes(const ami_canvas *c) { return (size_t)c->width * (size_t)c->height * 3; }

am_result ami_canvas_begin(ami_canvas *out, int width, int height, bool svg, const am_alloc *alloc, am_error *err)
{
    memset(out, 0, sizeof *out);
    out->alloc = ami_alloc_or_default(alloc);
    out->width = width;
    out->height = height;
    out->svg = ami_bytes_make(alloc);
    if (svg) {
        out->failed = !ami_put_format(&out->svg,
                                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                                      "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" stroke-linecap=\"round\" "
                                      "stroke-linejoin=\"round\"><rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                                      width, height, width, height, width, height);
        return out->failed ? ami_fail_memory(err, 1024) : AM_OK;
    }
    out->pixels = ami_alloc_zero(&out->alloc, pixel_bytes(out));
    if (!out->pixels) {
        out->failed = true;
        return ami_fail_memory(err, pixel_bytes(out));
    }
    memset(out->pixels, 0xFF, pixel_bytes(out));
    return AM_OK;
}

void ami_canvas_free(ami_canvas *c)
{
    ami_release(&c->alloc, c->pixels, pixel_bytes(c));
    am_bytes_free(&c->svg);
}

am_result ami_canvas_write(am_bytes *out, ami_canvas *c, am_error *err)
{
    if (c->failed || (!c->pixels && !ami_put_text(&c->svg, "</svg>\n"))) {
        return ami_fail_memory(err, c->svg.size);
    }
    if (c->pixels) {
        // 16 steps of each colour: the eye sees no edge between them, and the file is half as large.
        for (size_t i = 0; i < pixel_bytes(c); i++) {
            c->pixels[i] = (uint8_t)((c->pixels[i] + 8) / 17 * 17);
        }
        return ami_png_write(out, c->pixels, c->width, c->height, &c->alloc, err);
    }
    *out = c->svg;
    memset(&c->svg, 0, sizeof c->svg);
    return AM_OK;
}

uint32_t ami_tint(uint32_t colour, double strength)
{
    uint32_t out = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double channel = (double)(colour >> shift & 255u);
        out |= (uint32_t)(255.0 + (channel - 255.0) * strength + 0.5) << shift;
    }
    return out;
}

// ---------------------------------------------------------------------------------------------
// Pixels

/// Signed distance to a tapered limb: to one of the discs, or to the line that touches both.
static double distance_to(const ami_limb *limb, double x, double y)
{
    double dx = limb->b.x - limb->a.x;
    double dy = limb->b.y - limb->a.y;
    double px = x - limb->a.x;
    double py = y - limb->a.y;
    double length = sqrt(dx * dx + dy * dy);
    double taper = limb->a_radius - limb->b_radius;
    double from_a = sqrt(px * px + py * py) - limb->a_radius;
    if (length <= fabs(taper) || length <= 0.0) { // one disc holds the other
        double from_b = sqrt((px - dx) * (px - dx) + (py - dy) * (py - dy)) - limb->b_radius;
        return from_a < from_b ? from_a : from_b;
    }
    double along = (px * dx + py * dy) / length;
    double across = fabs(px * dy - py * dx) / length;
    double k = taper / length;
    double c = sqrt(1.0 - k * k);
    double place = c * along - k * across;
    if (place <= 0.0) {
        return from_a;
    }
    if (place >= c * length) {
        return sqrt((px - dx) * (px - dx) + (py - dy) * (py - dy)) - limb->b_radius;
    }
    return k * along + c * across - limb->a_radius;
}

static void blend(uint8_t *pixel, uint32_t colour, double cover)
{
    for (int i = 0; i < 3; i++) {
        double channel = (double)(colour >> (16 - 8 * i) & 255u);
        pixel[i] = (uint8_t)((double)pixel[i] + (channel - (double)pixel[i]) * cover + 0.5);
    }
}

static double cover_at(double distance) { return distance <= -0.5 ? 1.0 : distance >= 0.5 ? 0.0 : 0.5 - distance; }

/// Pixels from low to high, not beyond 0 and `end`, that a stretch touches.
static void pixel_range(int *low, int *high, double from, double to, int end)
{
    from = from < 0.0 ? 0.0 : from;
    to = to > (double)end ? (double)end : to;
    *low = (int)from;
    *high = to < 0.0 ? 0 : (int)ceil(to);
}

static void fill_limbs(ami_canvas *c, const ami_limb *limbs, int count, uint32_t colour, double rim)
{
    double box[4] = { 1e9, 1e9, -1e9, -1e9 };
    for (int i = 0; i < count; i++) {
        const ami_limb *l = &limbs[i];
        double wide = fmax(l->a_radius, l->b_radius) + rim + 1.0;
        box[0] = fmin(box[0], fmin(l->a.x, l->b.x) - wide);
        box[1] = fmin(box[1], fmin(l->a.y, l->b.y) - wide);
        box[2] = fmax(box[2], fmax(l->a.x, l->b.x) + wide);
        box[3] = fmax(box[3], fmax(l->a.y, l->b.y) + wide);
    }
    int left, right, top, bottom;
    pixel_range(&left, &right, box[0], box[2], c->width);
    pixel_range(&top, &bottom, box[1], box[3], c->height);
    for (int y = top; y < bottom; y++) {
        for (int x = left; x < right; x++) {
            double nearest = 1e9;
            for (int i = 0; i < count; i++) {
                nearest = fmin(nearest, distance_to(&limbs[i], x + 0.5, y + 0.5));
            }
            uint8_t *pixel = c->pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
            if (rim > 0.0) {
                blend(pixel, WHITE, cover_at(nearest - rim));
            }
            blend(pixel, colour, cover_at(nearest));
        }
    }
}

/// One letter; gives the place of the next.
static double stroke_letter(ami_canvas *c, ami_spot at, double unit, uint32_t colour, char letter)
{
    int width = 0;
    const char *s = ami_glyph(letter, &width);
    bool joined = false;
    ami_spot last = at;
    while (*s) {
        if (*s == ' ') {
            joined = false;
            s++;
            continue;
        }
        ami_spot next = { at.x + unit * (s[0] - '0'), at.y - unit * (s[1] - 'e') };
        if (joined) {
            ami_limb stroke = { last, next, 0.95 * unit, 0.95 * unit };
            fill_limbs(c, &stroke, 1, colour, 0.0);
        }
        last = next;
        joined = true;
        s += 2;
    }
    return at.x + unit * (width + 3);
}

static void stroke_text(ami_canvas *c, ami_spot at, double size, ami_anchor anchor, uint32_t colour, const char *text)
{
    double unit = 0.06 * size; // twelve of them are as high as a capital
    double whole = 0.0;
    for (const char *s = text; *s; s++) {
        int width = 0;
        (void)ami_glyph(*s, &width);
        whole += unit * (width + (s[1] ? 3 : 0));
    }
    at.x -= anchor == ami_anchor_middle ? 0.5 * whole : anchor == ami_anchor_end ? whole : 0.0;
    for (const char *s = text; *s; s++) {
        at.x = stroke_letter(c, at, unit, colour, *s);
    }
}

// ---------------------------------------------------------------------------------------------
// SVG

static bool put_disc(am_bytes *out, ami_spot at, double radius)
{
    return ami_put_format(out, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0", at.x - radius, at.y,
                          radius, radius, 2.0 * radius, radius, radius, -2.0 * radius);
}

static bool put_limb(am_bytes *out, const ami_limb *l)
{
    double dx = l->b.x - l->a.x;
    double dy = l->b.y - l->a.y;
    double length = sqrt(dx * dx + dy * dy);
    double taper = l->a_radius - l->b_radius;
    if (length <= fabs(taper) || length <= 0.0) {
        return put_disc(out, taper >= 0.0 ? l->a : l->b, fmax(l->a_radius, l->b_radius));
    }
    double ux = dx / length, uy = dy / length;
    double k = taper / length;
    double c = sqrt(1.0 - k * k);
    double x1 = ux * k - uy * c, y1 = uy * k + ux * c; // normals of the two lines that touch both discs
    double x2 = ux * k + uy * c, y2 = uy * k - ux * c;
    return ami_put_format(out,
                          "M%.1f %.1fL%.1f %.1fA%.1f %.1f 0 %d 0 %.1f %.1fL%.1f %.1fA%.1f %.1f 0 %d 0 %.1f %.1fZ",
                          l->a.x + l->a_radius * x1, l->a.y + l->a_radius * y1, l->b.x + l->b_radius * x1,
                          l->b.y + l->b_radius * y1, l->b_radius, l->b_radius,
                          k<0.0, l->b.x + l->b_radius * x2, l->b.y + l->b_radius * y2, l->a.x + l->a_radius * x2,
                            l->a.y + l->a_radius * y2, l->a_radius, l->a_radius, k> 0.0,
                          l->a.x + l->a_radius * x1, l->a.y + l->a_radius * y1);
}

static bool put_shape(am_bytes *out, const ami_limb *limbs, int count, uint32_t colour, double rim)
{
    bool ok = ami_put_format(out, "<path fill=\"#%06x\"", (unsigned)colour);
    if (ok && rim > 0.0) {
        ok = ami_put_format(out, " stroke=\"#fff\" stroke-width=\"%.1f\" paint-order=\"stroke\"", 2.0 * rim);
    }
    ok = ok && ami_put_text(out, " d=\"");
    for (int i = 0; i < count && ok; i++) {
        ok = put_limb(out, &limbs[i]);
    }
    return ok && ami_put_text(out, "\"/>\n");
}

static bool put_line(am_bytes *out, const ami_spot *spots, int count, double width, uint32_t colour)
{
    bool ok = ami_put_format(out, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.1f\" d=\"", (unsigned)colour,
                             width);
    for (int i = 0; i < count && ok; i++) {
        ok = ami_put_format(out, "%c%.1f %.1f", i == 0 ? 'M' : 'L', spots[i].x, spots[i].y);
    }
    return ok && ami_put_text(out, count == 1 ? "h0\"/>\n" : "\"/>\n");
}

static bool put_words(am_bytes *out, ami_spot at, double size, ami_anchor anchor, uint32_t colour, const char *text)
{
    static const char *const anchors[] = { "start", "middle", "end" };
    return ami_put_format(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" fill=\"#%06x\">",
                          at.x, at.y, size, anchors[anchor], (unsigned)colour) &&
           ami_put_escaped(out, text) && ami_put_text(out, "</text>\n");
}

// ---------------------------------------------------------------------------------------------
// Either

void ami_canvas_shape(ami_canvas *c, const ami_limb *limbs, int count, uint32_t colour, double rim)
{
    if (c->failed || count < 1) {
        return;
    }
    if (c->pixels) {
        fill_limbs(c, limbs, count, colour, rim);
    } else {
        c->failed = !put_shape(&c->svg, limbs, count, colour, rim);
    }
}

void ami_canvas_line(ami_canvas *c, const ami_spot *spots, int count, double width, uint32_t colour)
{
    if (c->failed || count < 1) {
        return;
    }
    if (!c->pixels) {
        c->failed = !put_line(&c->svg, spots, count, width, colour);
        return;
    }
    for (int i = 0; i < count; i++) {
        ami_limb limb = { spots[i > 0 ? i - 1 : 0], spots[i], 0.5 * width, 0.5 * width };
        if (i > 0 || count == 1) {
            fill_limbs(c, &limb, 1, colour, 0.0);
        }
    }
}

void ami_canvas_segment(ami_canvas *c, ami_spot a, ami_spot b, double width, uint32_t colour)
{
    ami_spot ends[2] = { a, b };
    ami_canvas_line(c, ends, 2, width, colour);
}

void ami_canvas_text(ami_canvas *c, ami_spot at, double size, ami_anchor anchor, uint32_t colour, const char *text)
{
    if (c->failed) {
        return;
    }
    if (c->pixels) {
        stroke_text(c, at, size, anchor, colour, text);
    } else {
        c->failed = !put_words(&c->svg, at, size, anchor, colour, text);
    }
}

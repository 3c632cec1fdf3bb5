/// A picture in the making, as SVG text or as pixels: rounded shapes, lines and short texts. Coordinates are pixels
/// from the upper left corner. The same calls give the same bytes on every machine.
#ifndef AMI_REPORT_CANVAS_H
#define AMI_REPORT_CANVAS_H

#include <amble/base.h>
#include <amble/tools/files.h>

typedef struct ami_spot {
    double x, y;
} ami_spot;

/// A tapered limb: the hull of two discs.
typedef struct ami_limb {
    ami_spot a, b;
    double a_radius, b_radius;
} ami_limb;

typedef enum ami_anchor { ami_anchor_start, ami_anchor_middle, ami_anchor_end } ami_anchor;

typedef struct ami_canvas {
    int width, height;
    am_alloc alloc;
    uint8_t *pixels; ///< [height][width][3] red, green, blue; NULL: SVG
    am_bytes svg;
    bool failed; ///< no memory; later calls do nothing
} ami_canvas;

/// A white picture.
am_result ami_canvas_begin(ami_canvas *out, int width, int height, bool svg, const am_alloc *alloc, am_error *err);
void ami_canvas_free(ami_canvas *canvas);
/// The picture as a file: SVG or PNG. `out` is zeroed.
am_result ami_canvas_write(am_bytes *out, ami_canvas *canvas, am_error *err);

/// All limbs as one shape in a colour (0xRRGGBB), with a white rim of `rim` pixels that parts it from what is behind.
void ami_canvas_shape(ami_canvas *canvas, const ami_limb *limbs, int count, uint32_t colour, double rim);
/// A line through spots(count) with round ends; a single spot is a dot.
void ami_canvas_line(ami_canvas *canvas, const ami_spot *spots, int count, double width, uint32_t colour);
void ami_canvas_segment(ami_canvas *canvas, ami_spot a, ami_spot b, double width, uint32_t colour);
/// `at` is on the base line; `size` as in CSS. Pixels have small letters, digits and a few signs.
void ami_canvas_text(ami_canvas *canvas, ami_spot at, double size, ami_anchor anchor, uint32_t colour,
                     const char *text);

/// A colour mixed with white: 0 gives white, 1 the colour.
uint32_t ami_tint(uint32_t colour, double strength);

/// Strokes of a letter for pixels: polylines of points, parted by spaces. A point is a digit (x) and a letter (y, 'e'
/// is the base line, 'm' the top of an x, 'q' that of an h). *width is in the same unit.
const char *ami_glyph(char letter, int *width);

#endif

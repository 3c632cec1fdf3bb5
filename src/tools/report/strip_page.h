/// The page of a film strip: measures that its rows and its panels share.
#ifndef AMI_REPORT_STRIP_PAGE_H
#define AMI_REPORT_STRIP_PAGE_H

#include "report/strip.h"

#define AMI_INK 0x222233u
#define AMI_DIM 0x667788u
#define AMI_FAINT 0xDDDDEEu
#define AMI_PATH 0xEECC88u
#define AMI_PUSH 0xCC2299u

/// A part of the page, pixels.
typedef struct ami_panel {
    double left, top, width, height;
} ami_panel;

typedef struct ami_strip_page {
    ami_canvas *canvas;
    const am_strip *strip;
    double scale;                  ///< pixels of a metre
    double column;                 ///< width of a figure
    double middle[ami_look_count]; ///< of what a view shows, m from its origin
    double rise;                   ///< highest point, m
    double low, high;              ///< from above: to the right and the left of the root, m
    float heading;                 ///< of the first figure: faces right from above
} ami_strip_page;

/// The colour of a character.
uint32_t ami_strip_colour(const am_strip *strip, int actor);

/// Footprints of the contacts in frames [first, end) of a character, as far as they lie in the panel. A foot that
/// slides leaves a line.
void ami_strip_footprints(const ami_strip_page *page, int actor, int first, int end, const ami_view *view,
                          const ami_frame *frame, const ami_panel *panel);
/// A line on the ground, as far as it lies in the panel.
void ami_strip_ground_line(ami_canvas *canvas, const am_vec3 *places, int count, const ami_view *view,
                           const ami_frame *frame, const ami_panel *panel, double width, uint32_t colour);

/// All tracks from above, with a grid of metres and the facing at each figure.
void ami_strip_map(const ami_strip_page *page, const ami_panel *panel);
/// Speed, height of the hips, sharpest joint and contacts over time.
void ami_strip_curves(const ami_strip_page *page, const ami_panel *panel);
double ami_strip_curves_height(const am_strip *strip);

#endif

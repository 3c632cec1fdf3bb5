// The picture of a film strip: for each character rows of figures from the side, the front and above; then the map of
// all tracks, and curves over time.
#include "report/strip_page.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define LEFT 58.0 ///< margin with the names of rows
#define RIGHT 14.0
#define HEADER 36.0
#define GROUND 52.0  ///< below the ground from the side: marks, time, speed
#define GAP 14.0     ///< between rows
#define PANELS 300.0 ///< height of map and curves
#define WIDE 1560.0  ///< what the columns together should have
#define PAST_S 1.5f  ///< how long footprints and track stay under a figure seen from above

static const char *const look_names[ami_look_count] = { "side", "front", "above" };

uint32_t ami_strip_colour(const am_strip *strip, int actor)
{
    static const uint32_t colours[] = {
        0x664499, 0x228855, 0xAA7711, 0xAA3377, 0x118899, 0x775533, 0x558811, 0x884444
    };
    return strip->actor_count == 1 ? 0x445566 : colours[actor % (int)(sizeof colours / sizeof colours[0])];
}

// ---------------------------------------------------------------------------------------------
// Measures

static ami_view figure_view(const ami_strip_page *page, int actor, const ami_strip_figure *figure, ami_look look)
{
    const ami_strip_actor *subject = &page->strip->actors[actor];
    float heading = look == ami_look_above ? page->heading : subject->frames[figure->frame].heading;
    return ami_view_make(look, subject->roots[figure->frame], heading);
}

/// Grows low and high by all points of a view, over all figures.
static void measure_look(const ami_strip_page *page, ami_look look, am_vec3 *low, am_vec3 *high)
{
    const am_strip *s = page->strip;
    *low = am_v3(-0.25f, -0.25f, 0.0f);
    *high = am_v3(0.25f, 0.25f, 0.0f);
    for (int a = 0; a < s->actor_count; a++) {
        for (int k = 0; k < s->actors[a].figure_count; k++) {
            ami_view view = figure_view(page, a, &s->actors[a].figures[k], look);
            for (int p = 0; p < ami_body_points; p++) {
                if (s->rig.joint[p] >= 0) {
                    am_vec3 at = ami_view_point(&view, s->actors[a].figures[k].body.at[p]);
                    *low = am_v3(am_min(low->x, at.x), am_min(low->y, at.y), 0.0f);
                    *high = am_v3(am_max(high->x, at.x), am_max(high->y, at.y), 0.0f);
                }
            }
        }
    }
}

static void measure(ami_strip_page *page, int columns)
{
    double widest = 0.0;
    double room = 0.1 * (double)page->strip->rig.scale;
    for (int look = 0; look < ami_look_count; look++) {
        am_vec3 low, high;
        measure_look(page, (ami_look)look, &low, &high);
        page->middle[look] = 0.5 * (double)(low.x + high.x);
        widest = fmax(widest, (double)(high.x - low.x));
        if (look == ami_look_above) {
            page->low = room - (double)low.y;
            page->high = room + (double)high.y;
        } else {
            page->rise = fmax(page->rise, (double)high.y + room);
        }
    }
    double metres = widest + 2.0 * room;
    page->scale = fmin(fmax(WIDE / (metres * columns), 60.0), 120.0);
    page->column = fmax(metres * page->scale, 58.0); // room for "12.35 s"
}

// ---------------------------------------------------------------------------------------------
// On the ground

static bool is_inside(const ami_panel *panel, ami_spot at)
{
    return at.x > panel->left && at.x < panel->left + panel->width && at.y > panel->top &&
           at.y < panel->top + panel->height;
}

void ami_strip_ground_line(ami_canvas *canvas, const am_vec3 *places, int count, const ami_view *view,
                           const ami_frame *frame, const ami_panel *panel, double width, uint32_t colour)
{
    enum { most = 256 };
    ami_spot line[most];
    int length = 0;
    for (int i = 0; i <= count; i++) {
        ami_spot at = i < count ? ami_frame_spot(frame, view, places[i]) : (ami_spot){ 0.0, 0.0 };
        bool inside = i < count && is_inside(panel, at);
        if (inside) {
            line[length++] = at;
        }
        if ((!inside || length == most) && length > 0) {
            if (length > 1) {
                ami_canvas_line(canvas, line, length, width, colour);
            }
            line[0] = line[length - 1]; // a full line goes on from its end
            length = inside ? 1 : 0;
        }
    }
}

/// One contact of a foot: its print where it began, and the way of the toe.
static void draw_contact(const ami_strip_page *page, const ami_strip_actor *actor, int side, int first, int end,
                         const ami_view *view, const ami_frame *frame, const ami_panel *panel)
{
    const ami_strip_frame *f = &actor->frames[first + (end - first) / 2];
    ami_limb print = { ami_frame_spot(frame, view, f->heel[side]), ami_frame_spot(frame, view, f->toe[side]),
                       0.036 * frame->scale, 0.046 * frame->scale };
    if (!is_inside(panel, print.a) || !is_inside(panel, print.b)) {
        return;
    }
    uint32_t colour = ami_side_colours[side];
    ami_canvas_shape(page->canvas, &print, 1, ami_tint(colour, 0.3), 0.0);
    ami_spot way[64];
    int step = 1 + (end - first - 1) / 64;
    int count = 0;
    for (int i = first; i < end; i += step) {
        way[count++] = ami_frame_spot(frame, view, actor->frames[i].toe[side]);
    }
    ami_canvas_line(page->canvas, way, count, 1.6, colour);
}

void ami_strip_footprints(const ami_strip_page *page, int actor, int first, int end, const ami_view *view,
                          const ami_frame *frame, const ami_panel *panel)
{
    const ami_strip_actor *subject = &page->strip->actors[actor];
    for (int side = 0; side < 2; side++) {
        unsigned bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        int began = -1;
        for (int i = first; i <= end; i++) {
            bool down = i < end && (subject->frames[i].contacts & bit) != 0;
            if (down && began < 0) {
                began = i;
            }
            if (!down && began >= 0) {
                draw_contact(page, subject, side, began, i, view, frame, panel);
                began = -1;
            }
        }
    }
}

/// Marks every half metre that the character has come, labelled at whole ones.
static void draw_metres(const ami_strip_page *page, const ami_strip_frame *f, const ami_frame *frame, double left)
{
    double from = (double)f->travelled + (left - frame->at.x) / page->scale;
    double to = from + page->column / page->scale;
    for (int half = (int)ceil(2.0 * from); half < 2.0 * to; half++) {
        ami_spot at = { frame->at.x + (0.5 * half - (double)f->travelled) * page->scale, frame->at.y };
        ami_spot end = { at.x, at.y + (half % 2 == 0 ? 9.0 : 6.0) };
        ami_canvas_segment(page->canvas, at, end, 1.0, AMI_DIM);
        if (half % 2 == 0 && at.x > left + 10.0 && at.x < left + page->column - 10.0) {
            char text[24];
            snprintf(text, sizeof text, "%d m", half / 2);
            ami_canvas_text(page->canvas, (ami_spot){ at.x, at.y + 19.0 }, 9.0, ami_anchor_middle, AMI_DIM, text);
        }
    }
}

/// A bar under a foot that stands, as long as what touches the ground; pale when the foot lock does not hold it.
static void draw_planted(const ami_strip_page *page, const ami_strip_frame *f, const ami_view *view,
                         const ami_frame *frame)
{
    for (int side = 0; side < 2; side++) {
        unsigned bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
        if ((f->contacts & bit) == 0) {
            continue;
        }
        bool flat = f->heel[side].y < f->toe[side].y + 0.035f * page->strip->rig.scale;
        double half = view->look == ami_look_front ? 0.045 * page->scale : 0.0;
        double a = ami_frame_spot(frame, view, flat ? f->heel[side] : f->toe[side]).x - half;
        double b = ami_frame_spot(frame, view, f->tip[side]).x + half;
        double y = frame->at.y + 4.5;
        uint32_t colour = ami_tint(ami_side_colours[side], (f->locked & bit) != 0 ? 1.0 : 0.45);
        ami_canvas_segment(page->canvas, (ami_spot){ a, y }, (ami_spot){ b, y }, 4.0, colour);
    }
}

/// An arrow that ends at the joint that was pushed; 100 N are 0.15 m, up to 0.5 m.
static void draw_push(const ami_strip_page *page, const ami_strip_figure *figure, const ami_view *view,
                      const ami_frame *frame)
{
    float force = am_v3_length(figure->push_force);
    am_vec3 way = am_v3_scale(figure->push_force, am_min(0.0015f, 0.5f / am_max(force, 1.0f)));
    ami_spot tip = ami_frame_spot(frame, view, figure->push_at);
    ami_spot tail = ami_frame_spot(frame, view, am_v3_sub(figure->push_at, way));
    double dx = tip.x - tail.x, dy = tip.y - tail.y;
    double length = sqrt(dx * dx + dy * dy);
    if (length < 6.0) { // straight at the viewer, or away
        ami_limb dot = { tip, tip, 5.0, 5.0 };
        ami_canvas_shape(page->canvas, &dot, 1, AMI_PUSH, 1.0);
        return;
    }
    dx /= length;
    dy /= length;
    ami_spot neck = { tip.x - 9.0 * dx, tip.y - 9.0 * dy };
    ami_limb arrow[] = { { tail, neck, 1.3, 1.3 }, { neck, tip, 4.5, 0.5 } };
    ami_canvas_shape(page->canvas, arrow, 2, AMI_PUSH, 1.0);
}

// ---------------------------------------------------------------------------------------------
// Rows

/// Mean speed over the frames around one: that of a single frame jumps.
static double speed_around(const ami_strip_actor *actor, int frame)
{
    int from = frame > 3 ? frame - 3 : 0;
    int to = frame + 3 < actor->frame_count ? frame + 3 : actor->frame_count - 1;
    double sum = 0.0;
    for (int i = from; i <= to; i++) {
        sum += (double)actor->frames[i].speed;
    }
    return sum / (to - from + 1);
}

static void draw_below(const ami_strip_page *page, const ami_strip_actor *actor, const ami_strip_figure *figure,
                       const ami_frame *frame, double left)
{
    const ami_strip_frame *f = &actor->frames[figure->frame];
    draw_metres(page, f, frame, left);
    char text[32];
    double x = left + 0.5 * page->column;
    snprintf(text, sizeof text, "%.2f s", (double)f->time);
    ami_canvas_text(page->canvas, (ami_spot){ x, frame->at.y + 33.0 }, 12.0, ami_anchor_middle, AMI_INK, text);
    snprintf(text, sizeof text, "%.1f m/s", speed_around(actor, figure->frame));
    ami_canvas_text(page->canvas, (ami_spot){ x, frame->at.y + 47.0 }, 11.0, ami_anchor_middle, AMI_DIM, text);
}

/// Track and footprints up to the figure, and the path that it follows.
static void draw_under(const ami_strip_page *page, int actor, const ami_strip_figure *figure, const ami_view *view,
                       const ami_frame *frame, const ami_panel *cell)
{
    const ami_strip_actor *subject = &page->strip->actors[actor];
    int first = figure->frame - (int)(PAST_S * page->strip->fps);
    first = first < 0 ? 0 : first;
    ami_strip_ground_line(page->canvas, subject->path, subject->path_count, view, frame, cell, 5.0, AMI_PATH);
    ami_strip_footprints(page, actor, first, figure->frame + 1, view, frame, cell);
    ami_strip_ground_line(page->canvas, subject->roots + first, figure->frame - first + 1, view, frame, cell, 1.2,
                          AMI_DIM);
}

static void draw_figure(const ami_strip_page *page, int actor, int k, ami_look look, const ami_panel *cell)
{
    const ami_strip_actor *subject = &page->strip->actors[actor];
    const ami_strip_figure *figure = &subject->figures[k];
    const ami_strip_frame *f = &subject->frames[figure->frame];
    ami_view view = figure_view(page, actor, figure, look);
    ami_frame frame = { { cell->left + 0.5 * page->column - page->middle[look] * page->scale, cell->top },
                        page->scale };
    frame.at.y += page->scale * (look == ami_look_above ? page->high : page->rise);
    if (look == ami_look_above) {
        draw_under(page, actor, figure, &view, &frame, cell);
    } else {
        draw_planted(page, f, &view, &frame);
    }
    ami_body_draw(page->canvas, &page->strip->rig, &figure->body, &view, &frame,
                  ami_strip_colour(page->strip, actor));
    if (look == ami_look_above) { // where it faces
        am_vec3 root = subject->roots[figure->frame];
        am_vec3 ahead = am_v3(0.45f * am_sin(f->heading), 0.0f, 0.45f * am_cos(f->heading));
        ami_spot from = ami_frame_spot(&frame, &view, am_v3_add(root, am_v3_scale(ahead, 0.6f)));
        ami_canvas_segment(page->canvas, from, ami_frame_spot(&frame, &view, am_v3_add(root, ahead)), 2.0, AMI_INK);
    }
    if (figure->pushed) {
        draw_push(page, figure, &view, &frame);
    }
    if (look == ami_look_side) {
        draw_below(page, subject, figure, &frame, cell->left);
    }
}

static double row_height(const ami_strip_page *page, ami_look look)
{
    return look == ami_look_above ? page->scale * (page->low + page->high)
                                  : page->scale * page->rise + (look == ami_look_side ? GROUND : 8.0);
}

static double rows_height(const ami_strip_page *page)
{
    double sum = 0.0;
    for (int look = 0; look < ami_look_count; look++) {
        sum += row_height(page, (ami_look)look) + GAP;
    }
    return sum;
}

static void draw_rows(const ami_strip_page *page, int actor, double top)
{
    const ami_strip_actor *subject = &page->strip->actors[actor];
    for (int look = 0; look < ami_look_count; look++) {
        double height = row_height(page, (ami_look)look);
        double ground = top + page->scale * page->rise;
        if (look != ami_look_above) {
            ami_canvas_segment(page->canvas, (ami_spot){ LEFT, ground },
                               (ami_spot){ page->canvas->width - RIGHT, ground }, 1.0, AMI_DIM);
        }
        ami_canvas_text(page->canvas, (ami_spot){ 12.0, top + 0.5 * height }, 13.0, ami_anchor_start,
                        ami_strip_colour(page->strip, actor), look_names[look]);
        for (int k = 0; k < subject->figure_count; k++) {
            ami_panel cell = { LEFT + k * page->column, top, page->column, height };
            draw_figure(page, actor, k, (ami_look)look, &cell);
        }
        top += height + GAP;
    }
}

static void draw_header(const ami_strip_page *page)
{
    ami_canvas *c = page->canvas;
    ami_canvas_text(c, (ami_spot){ 12.0, 23.0 }, 15.0, ami_anchor_start, AMI_INK, page->strip->title);
    static const char *const names[2] = { "left", "right" };
    double x = c->width - 228.0;
    for (int side = 0; side < 2; side++) {
        ami_limb sample = { { x, 18.0 }, { x + 16.0, 18.0 }, 5.0, 3.5 };
        ami_canvas_shape(c, &sample, 1, ami_side_colours[side], 0.0);
        ami_canvas_text(c, (ami_spot){ x + 25.0, 22.0 }, 11.0, ami_anchor_start, AMI_DIM, names[side]);
        x += 66.0;
    }
    for (int side = 0; side < 2; side++) {
        ami_canvas_segment(c, (ami_spot){ x + 12.0 * side, 19.0 }, (ami_spot){ x + 12.0 * side + 6.0, 19.0 }, 4.0,
                           ami_side_colours[side]);
    }
    ami_canvas_text(c, (ami_spot){ x + 26.0, 22.0 }, 11.0, ami_anchor_start, AMI_DIM, "planted");
}

am_result am_strip_write(am_bytes *out, const am_strip *strip, bool svg, am_error *err)
{
    int columns = 0;
    for (int a = 0; a < strip->actor_count; a++) {
        columns = strip->actors[a].figure_count > columns ? strip->actors[a].figure_count : columns;
    }
    if (columns == 0) {
        return ami_fail(err, AM_ERR_RANGE, "the strip begins at %g s, and the run ended at %g s", (double)strip->from,
                        (double)strip->end_s);
    }
    ami_canvas canvas;
    ami_strip_page page = { .canvas = &canvas, .strip = strip, .heading = strip->actors[0].frames[0].heading };
    measure(&page, columns);
    double width = fmax(LEFT + RIGHT + page.column * columns, 640.0);
    double panels = fmax(PANELS, ami_strip_curves_height(strip));
    double height = HEADER + rows_height(&page) * strip->actor_count + panels + 16.0;
    am_result result = ami_canvas_begin(&canvas, (int)ceil(width), (int)ceil(height), svg, &strip->alloc, err);
    if (result == AM_OK) {
        draw_header(&page);
        double top = HEADER;
        for (int a = 0; a < strip->actor_count; a++) {
            draw_rows(&page, a, top);
            top += rows_height(&page);
        }
        double inner = width - LEFT - RIGHT;
        ami_panel map = { LEFT, top + 4.0, 0.44 * inner, panels };
        ami_panel curves = { LEFT + 0.44 * inner + 70.0, top + 4.0, 0.56 * inner - 74.0, panels };
        ami_strip_map(&page, &map);
        ami_strip_curves(&page, &curves);
        result = ami_canvas_write(out, &canvas, err);
    }
    ami_canvas_free(&canvas);
    return result;
}

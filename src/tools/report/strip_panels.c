// Below the figures of a film strip: the tracks from above, and curves over time.
#include "report/strip_page.h"

#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------
// The map

/// Puts the tracks of all characters into the panel.
static void fit_map(ami_frame *frame, const ami_strip_page *page, const ami_view *view, const ami_panel *panel)
{
    am_vec3 low = am_v3(1e9f, 1e9f, 0.0f);
    am_vec3 high = am_v3(-1e9f, -1e9f, 0.0f);
    for (int a = 0; a < page->strip->actor_count; a++) {
        const ami_strip_actor *subject = &page->strip->actors[a];
        for (int i = 0; i < subject->frame_count; i++) {
            am_vec3 at = ami_view_point(view, subject->roots[i]);
            low = am_v3(am_min(low.x, at.x), am_min(low.y, at.y), 0.0f);
            high = am_v3(am_max(high.x, at.x), am_max(high.y, at.y), 0.0f);
        }
    }
    double wide = (double)(high.x - low.x) + 1.0; // half a metre around it
    double deep = (double)(high.y - low.y) + 1.0;
    frame->scale = fmin(fmin(panel->width / wide, panel->height / deep), 300.0);
    frame->at.x = panel->left + 0.5 * panel->width - 0.5 * frame->scale * (double)(low.x + high.x);
    frame->at.y = panel->top + 0.5 * panel->height + 0.5 * frame->scale * (double)(low.y + high.y);
}

/// Lines a metre apart, through the place of the first figure; two or five metres on a large map.
static void draw_grid(const ami_strip_page *page, const ami_frame *frame, const ami_panel *panel)
{
    int metres = frame->scale > 16.0 ? 1 : frame->scale > 8.0 ? 2 : 5;
    double step = frame->scale * metres;
    double right = panel->left + panel->width;
    double bottom = panel->top + panel->height;
    int first = -(int)floor((frame->at.x - panel->left) / step);
    for (int i = first; frame->at.x + step * i <= right; i++) {
        double x = frame->at.x + step * i;
        ami_canvas_segment(page->canvas, (ami_spot){ x, panel->top }, (ami_spot){ x, bottom }, 1.0, AMI_FAINT);
    }
    first = -(int)floor((frame->at.y - panel->top) / step);
    for (int i = first; frame->at.y + step * i <= bottom; i++) {
        double y = frame->at.y + step * i;
        ami_canvas_segment(page->canvas, (ami_spot){ panel->left, y }, (ami_spot){ right, y }, 1.0, AMI_FAINT);
    }
    char text[32];
    snprintf(text, sizeof text, "grid %d m", metres);
    ami_canvas_text(page->canvas, (ami_spot){ panel->left + 4.0, bottom - 5.0 }, 10.0, ami_anchor_start, AMI_DIM,
                    text);
}

static void draw_track(const ami_strip_page *page, int actor, const ami_view *view, const ami_frame *frame,
                       const ami_panel *panel)
{
    const ami_strip_actor *subject = &page->strip->actors[actor];
    uint32_t colour = ami_strip_colour(page->strip, actor);
    ami_strip_ground_line(page->canvas, subject->roots, subject->frame_count, view, frame, panel, 1.6, colour);
    ami_spot labelled = { -1e9, -1e9 };
    for (int k = 0; k < subject->figure_count; k++) {
        const ami_strip_frame *f = &subject->frames[subject->figures[k].frame];
        am_vec3 root = subject->roots[subject->figures[k].frame];
        ami_spot at = ami_frame_spot(frame, view, root);
        am_vec3 ahead = am_v3(am_sin(f->heading), 0.0f, am_cos(f->heading));
        double tick = 14.0 / frame->scale;
        ami_spot end = ami_frame_spot(frame, view, am_v3_add(root, am_v3_scale(ahead, (float)tick)));
        ami_limb dot = { at, at, 3.2, 3.2 };
        ami_canvas_segment(page->canvas, at, end, 1.8, colour);
        ami_canvas_shape(page->canvas, &dot, 1, colour, 1.0);
        double apart = (at.x - labelled.x) * (at.x - labelled.x) + (at.y - labelled.y) * (at.y - labelled.y);
        if (apart > 38.0 * 38.0) { // beside the track, on the right of the way
            char text[24];
            snprintf(text, sizeof text, "%.2f", (double)f->time);
            am_vec3 right = am_v3(ahead.z, 0.0f, -ahead.x);
            am_vec3 place = am_v3_add(root, am_v3_scale(right, (float)(-20.0 / frame->scale)));
            ami_spot words = ami_frame_spot(frame, view, place);
            ami_canvas_text(page->canvas, (ami_spot){ words.x, words.y + 4.0 }, 10.0, ami_anchor_middle, AMI_INK,
                            text);
            labelled = at;
        }
    }
}

void ami_strip_map(const ami_strip_page *page, const ami_panel *panel)
{
    ami_view view = ami_view_make(ami_look_above, page->strip->actors[0].roots[0], page->heading);
    ami_frame frame;
    fit_map(&frame, page, &view, panel);
    draw_grid(page, &frame, panel);
    for (int a = 0; a < page->strip->actor_count; a++) {
        const ami_strip_actor *subject = &page->strip->actors[a];
        ami_strip_ground_line(page->canvas, subject->path, subject->path_count, &view, &frame, panel, 5.0, AMI_PATH);
        ami_strip_footprints(page, a, 0, subject->frame_count, &view, &frame, panel);
    }
    for (int a = 0; a < page->strip->actor_count; a++) {
        draw_track(page, a, &view, &frame, panel);
    }
}

// ---------------------------------------------------------------------------------------------
// Curves

enum { curve_count = 3, curve_high = 58, curve_gap = 10, bar_high = 11 };

static float speed_of(const ami_strip_frame *f) { return f->speed; }
static float hips_of(const ami_strip_frame *f) { return f->hips; }
static float bend_of(const ami_strip_frame *f) { return f->bend; }

/// What a curve shows, and the least range that its axis has.
static const struct curve {
    const char *name, *unit;
    float (*value)(const ami_strip_frame *f);
    double low, high; ///< always shown; the hips' axis begins where their lowest point is
    double grain;     ///< ends of the axis are multiples of it
    bool from_zero;
} curves[curve_count] = {
    { "speed", "m/s", speed_of, 0.0, 1.0, 0.5, true },
    { "hips", "m", hips_of, 1e9, -1e9, 0.1, false },
    { "accel.", "m/s/s", bend_of, 0.0, 50.0, 50.0, true },
};

double ami_strip_curves_height(const am_strip *strip)
{
    return curve_count * (curve_high + curve_gap) + strip->actor_count * (2.0 * bar_high + 6.0) + 44.0;
}

static double time_x(const ami_strip_page *page, const ami_panel *panel, double time)
{
    const ami_strip_actor *first = &page->strip->actors[0];
    double from = (double)first->frames[0].time;
    double to = (double)first->frames[first->frame_count - 1].time;
    return panel->left + (to > from ? panel->width * (time - from) / (to - from) : 0.0);
}

static void draw_curve(const ami_strip_page *page, const ami_panel *panel, const struct curve *curve, double top)
{
    const am_strip *s = page->strip;
    double low = curve->low, high = curve->high;
    for (int a = 0; a < s->actor_count; a++) {
        for (int i = 0; i < s->actors[a].frame_count; i++) {
            double v = (double)curve->value(&s->actors[a].frames[i]);
            low = fmin(low, v);
            high = fmax(high, v);
        }
    }
    low = curve->from_zero ? 0.0 : curve->grain * floor(low / curve->grain);
    high = curve->grain * ceil(high / curve->grain - 1e-6);
    high = high > low ? high : low + curve->grain;
    char text[32];
    for (int end = 0; end < 2; end++) {
        double y = top + (end == 0 ? curve_high : 0.0);
        ami_canvas_segment(page->canvas, (ami_spot){ panel->left, y }, (ami_spot){ panel->left + panel->width, y },
                           1.0, AMI_FAINT);
        snprintf(text, sizeof text, "%g", end == 0 ? low : high);
        ami_canvas_text(page->canvas, (ami_spot){ panel->left - 6.0, y + (end == 0 ? 0.0 : 8.0) }, 10.0,
                        ami_anchor_end, AMI_DIM, text);
    }
    ami_canvas_text(page->canvas, (ami_spot){ panel->left - 6.0, top + 26.0 }, 10.0, ami_anchor_end, AMI_INK,
                    curve->name);
    ami_canvas_text(page->canvas, (ami_spot){ panel->left - 6.0, top + 39.0 }, 9.0, ami_anchor_end, AMI_DIM,
                    curve->unit);
    for (int a = 0; a < s->actor_count; a++) {
        ami_spot last = { 0.0, 0.0 };
        for (int i = 0; i < s->actors[a].frame_count; i++) {
            const ami_strip_frame *f = &s->actors[a].frames[i];
            double share = ((double)curve->value(f) - low) / (high - low);
            ami_spot at = { time_x(page, panel, (double)f->time), top + curve_high * (1.0 - share) };
            if (i > 0) {
                ami_canvas_segment(page->canvas, last, at, 1.4, ami_strip_colour(s, a));
            }
            last = at;
        }
    }
}

/// When a foot of a character stands; pale where the foot lock does not hold it.
static void draw_bars(const ami_strip_page *page, const ami_panel *panel, const ami_strip_actor *actor, int side,
                      double y)
{
    unsigned bit = side == 0 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT;
    int began = 0;
    for (int i = 1; i <= actor->frame_count; i++) {
        const ami_strip_frame *f = &actor->frames[began];
        bool down = (f->contacts & bit) != 0;
        bool held = (f->locked & bit) != 0;
        const ami_strip_frame *now = i < actor->frame_count ? &actor->frames[i] : NULL;
        if (now && ((now->contacts & bit) != 0) == down && ((now->locked & bit) != 0) == held) {
            continue;
        }
        if (down) {
            double from = time_x(page, panel, (double)f->time);
            double to = time_x(page, panel, (double)actor->frames[i - 1].time);
            ami_canvas_segment(page->canvas, (ami_spot){ from, y }, (ami_spot){ to, y }, 6.0,
                               ami_tint(ami_side_colours[side], held ? 1.0 : 0.45));
        }
        began = i;
    }
    ami_canvas_text(page->canvas, (ami_spot){ panel->left - 6.0, y + 3.5 }, 10.0, ami_anchor_end,
                    ami_side_colours[side], side == 0 ? "left" : "right");
}

static void draw_times(const ami_strip_page *page, const ami_panel *panel, double bottom)
{
    const ami_strip_actor *actor = &page->strip->actors[0];
    double labelled = -1e9;
    for (int k = 0; k < actor->figure_count; k++) {
        double time = (double)actor->frames[actor->figures[k].frame].time;
        double x = time_x(page, panel, time);
        ami_canvas_segment(page->canvas, (ami_spot){ x, panel->top }, (ami_spot){ x, bottom }, 1.0, AMI_FAINT);
        if (x - labelled > 38.0) {
            char text[24];
            snprintf(text, sizeof text, "%.2f", time);
            ami_canvas_text(page->canvas, (ami_spot){ x, bottom + 14.0 }, 10.0, ami_anchor_middle, AMI_INK, text);
            labelled = x;
        }
    }
}

/// Transitions as small marks on the time axis: where to look for pops.
static void draw_transitions(const ami_strip_page *page, const ami_panel *panel, double y)
{
    for (int a = 0; a < page->strip->actor_count; a++) {
        const ami_strip_actor *actor = &page->strip->actors[a];
        for (int i = 0; i < actor->frame_count; i++) {
            if (actor->frames[i].transition) {
                double x = time_x(page, panel, (double)actor->frames[i].time);
                ami_limb mark = { { x, y - 3.0 }, { x, y + 4.0 }, 3.0, 0.3 };
                ami_canvas_shape(page->canvas, &mark, 1, ami_strip_colour(page->strip, a), 0.0);
            }
        }
    }
    ami_canvas_text(page->canvas, (ami_spot){ panel->left - 6.0, y + 3.5 }, 10.0, ami_anchor_end, AMI_DIM, "cuts");
}

void ami_strip_curves(const ami_strip_page *page, const ami_panel *panel)
{
    const am_strip *s = page->strip;
    double bars = panel->top + curve_count * (curve_high + curve_gap);
    double bottom = bars + s->actor_count * (2.0 * bar_high + 6.0) + 14.0;
    draw_times(page, panel, bottom);
    for (int i = 0; i < curve_count; i++) {
        draw_curve(page, panel, &curves[i], panel->top + i * (curve_high + curve_gap));
    }
    for (int a = 0; a < s->actor_count; a++) {
        for (int side = 0; side < 2; side++) {
            draw_bars(page, panel, &s->actors[a], side,
                      bars + 0.5 * bar_high + a * (2.0 * bar_high + 6.0) + side * bar_high);
        }
    }
    draw_transitions(page, panel, bottom - 8.0);
}

// The report of a build: one HTML page with inline plots and no script, for the people who capture motion and build
// databases.
#include <amble/tools/report.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/steps.h"

#include <stdio.h>
#include <string.h>

#define MAX_REPEATS 40
#define MAX_GAPS 24

static const char *const speed_labels[AM_SPEED_BINS] = { "0-0.5", "0.5-1", "1-1.5", "1.5-2", "2-2.5", "2.5-3",
                                                         "3-3.5", "3.5-4", "4-4.5", "4.5-5", "5+" };
static const char *const turn_labels[AM_TURN_BINS] = {
    "<-210", "-180", "-120", "-60", "0", "60", "120", "180", ">210"
};
static const char *const way_labels[AM_WAY_BINS] = { "forward",  "forward left", "left",  "back left",
                                                     "backward", "back right",   "right", "forward right" };

/// The page in the making; a failed allocation leaves ok false and every later call does nothing.
typedef struct page {
    am_bytes out;
    bool ok;
    const am_db *db;
    am_alloc alloc;
} page;

static void text(page *p, const char *t) { p->ok = p->ok && ami_put_text(&p->out, t); }
static void escaped(page *p, const char *t) { p->ok = p->ok && ami_put_escaped(&p->out, t); }

static void open_section(page *p, const char *title, const char *note, bool wide)
{
    text(p, wide ? "<section class=\"wide\"><h2>" : "<section><h2>");
    escaped(p, title);
    text(p, "</h2><p>");
    escaped(p, note);
    text(p, "</p>");
}

static void tile(page *p, const char *label, const char *format, double value)
{
    char number[32];
    snprintf(number, sizeof number, format, value);
    text(p, "<div class=\"tile\"><b>");
    text(p, number);
    text(p, "</b><span>");
    escaped(p, label);
    text(p, "</span></div>");
}

am_report_def am_report_def_default(void)
{
    am_report_def def = { .repeat_limit = 0.12f, .cookie = AM_COOKIE };
    return def;
}

static double seconds_of(const page *p, int64_t frames) { return (double)frames / (double)p->db->fps; }

static double share(const page *p, int64_t frames) { return 100.0 * (double)frames / (double)p->db->frame_count; }

static void put_head(page *p, const am_coverage *coverage)
{
    const am_db *db = p->db;
    text(p, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width\"><title>");
    escaped(p, db->name[0] ? db->name : "database");
    text(p, " - Amble report</title>");
    text(p, ami_page_style);
    text(p, "<main><h1>");
    escaped(p, db->name[0] ? db->name : "database");
    text(p, "</h1><p>What this motion database holds, what repeats in it, and what the next capture should bring.</p>"
            "<div class=\"tiles\">");
    int sources = 0;
    int mirrored = 0;
    for (int r = 0; r < db->range_count; r++) {
        sources = db->ranges[r].source + 1 > sources ? db->ranges[r].source + 1 : sources;
        mirrored += (db->ranges[r].flags & AM_RANGE_MIRRORED) != 0;
    }
    int64_t moving = coverage->total - coverage->speed[0];
    tile(p, "minutes", "%.1f", seconds_of(p, db->frame_count) / 60.0);
    tile(p, "frames", "%.0f", db->frame_count);
    tile(p, "frames per second", "%g", (double)db->fps);
    tile(p, "clips", "%.0f", sources);
    tile(p, "ranges", "%.0f", db->range_count);
    tile(p, "of these mirrored", "%.0f", mirrored);
    tile(p, "features", "%.0f", db->features.count);
    tile(p, "megabytes", "%.1f", (double)db->image_size / 1e6);
    tile(p, "faster than 0.5 m/s", "%.0f %%", share(p, moving));
    text(p, "</div><div class=\"grid\">");
}

/// One plot of shares of frames.
typedef struct shares {
    const char *title, *note, *axis;
    const int64_t *counts;
    const char *const *labels;
    int count;
} shares;

static void put_shares(page *p, const shares *s)
{
    double values[64];
    for (int i = 0; i < s->count; i++) {
        values[i] = share(p, s->counts[i]);
    }
    ami_bars bars = { values, s->labels, s->count, s->axis, "%" };
    open_section(p, s->title, s->note, false);
    p->ok = p->ok && ami_plot_bars(&p->out, &bars);
    text(p, "</section>");
}

static void put_rose(page *p, const am_coverage *coverage)
{
    double values[AM_SPEED_BINS * AM_WAY_BINS];
    for (int s = 0; s < AM_SPEED_BINS; s++) {
        for (int w = 0; w < AM_WAY_BINS; w++) {
            values[s * AM_WAY_BINS + w] = seconds_of(p, coverage->speed_way[s][w]);
        }
    }
    ami_rose rose = { values, speed_labels, way_labels, AM_SPEED_BINS, AM_WAY_BINS };
    open_section(p, "Directions",
                 "Seen from above: rings are speeds (0.5 m/s each, slow inside), sectors the direction "
                 "of movement against the facing. Darker is more; hover for seconds.",
                 false);
    p->ok = p->ok && ami_plot_rose(&p->out, &rose);
    text(p, "</section>");
}

static void put_turns(page *p, const am_coverage *coverage)
{
    double values[AM_SPEED_BINS * AM_TURN_BINS];
    for (int s = 0; s < AM_SPEED_BINS; s++) {
        for (int t = 0; t < AM_TURN_BINS; t++) {
            values[s * AM_TURN_BINS + t] = seconds_of(p, coverage->speed_turn[s][t]);
        }
    }
    ami_heat heat = { values,
                      speed_labels,
                      turn_labels,
                      AM_SPEED_BINS,
                      AM_TURN_BINS,
                      "speed, m/s",
                      "turn rate, degrees per second (left is positive)" };
    open_section(p, "Speed and turning", "Seconds of motion at each speed and turn rate.", false);
    p->ok = p->ok && ami_plot_heat(&p->out, &heat);
    text(p, "</section>");
}

static void put_contacts(page *p, const ami_steps *steps)
{
    static const char *const labels[4] = { "both feet", "left only", "right only", "in the air" };
    int64_t counts[4] = { steps->both, steps->left, steps->right, steps->none };
    char note[240];
    snprintf(note, sizeof note,
             "Toes on the ground. %d steps; the median stance lasts %.2f s, and the foot slides %.1f cm in it; %.1f "
             "%% of stance time is faster than 0.2 m/s.",
             steps->count, (double)steps->median_s, 100.0 * (double)steps->slide_m,
             100.0 * (double)steps->fast_share);
    shares plot = { "Contacts", note, "share of frames", counts, labels, 4 };
    put_shares(p, &plot);
}

static void put_durations(page *p)
{
    static const char *const labels[8] = { "0-1", "1-2", "2-4", "4-8", "8-16", "16-32", "32-64", "64+" };
    static const float limits[7] = { 1.0f, 2.0f, 4.0f, 8.0f, 16.0f, 32.0f, 64.0f };
    double values[8] = { 0 };
    for (int r = 0; r < p->db->range_count; r++) {
        float seconds = (float)(p->db->ranges[r].stop - p->db->ranges[r].start) / p->db->fps;
        int bin = 0;
        while (bin < 7 && seconds >= limits[bin]) {
            bin++;
        }
        values[bin] += 1.0;
    }
    ami_bars bars = { values, labels, 8, "seconds", "" };
    open_section(p, "Durations", "Ranges by their length. Short ones end often, and every end forces a transition.",
                 false);
    p->ok = p->ok && ami_plot_bars(&p->out, &bars);
    text(p, "</section>");
}

static void put_tags(page *p)
{
    int64_t counts[AM_MAX_TAGS] = { 0 };
    for (int f = 0; f < p->db->frame_count; f++) {
        for (int t = 0; t < p->db->tag_count; t++) {
            counts[t] += (int64_t)((p->db->tags[f] >> t) & 1u);
        }
    }
    text(p,
         "<section class=\"wide\"><h2>Tags</h2><p>Share of frames that carry each tag; one frame may carry several."
         "</p><div class=\"tags\">");
    for (int t = 0; t < p->db->tag_count; t++) {
        p->ok = p->ok && ami_put_format(&p->out, "<div><i style=\"width:%.1f%%\"></i><span>", share(p, counts[t]));
        escaped(p, p->db->tag_names[t]);
        p->ok = p->ok && ami_put_format(&p->out, "</span><b>%.1f %%</b></div>", share(p, counts[t]));
    }
    text(p, "</div></section>");
}

static void put_gaps(page *p, const am_coverage *coverage)
{
    am_gap gaps[MAX_GAPS];
    int count = am_gaps_find(gaps, MAX_GAPS, coverage, p->db->fps);
    open_section(p, "Worth capturing next",
                 "Movements that are missing although similar ones were captured: players will ask for them. Most "
                 "useful first.",
                 true);
    text(p, count ? "<ol>" : "<p>Nothing stands out: there are no gaps in what was captured.</p>");
    for (int i = 0; i < count; i++) {
        text(p, "<li>");
        escaped(p, gaps[i].text);
        text(p, "</li>");
    }
    text(p, count ? "</ol></section>" : "</section>");
}

static void put_repeat(page *p, const am_repeat *r)
{
    const am_db *db = p->db;
    const am_db_range *a = &db->ranges[r->range_a];
    const am_db_range *b = &db->ranges[r->range_b];
    text(p, "<tr><td>");
    escaped(p, b->name);
    p->ok = p->ok && ami_put_format(&p->out, "<td class=\"n\">%.2f s<td>", seconds_of(p, r->first_b - b->start));
    escaped(p, a->name);
    p->ok =
        p->ok && ami_put_format(&p->out, "<td class=\"n\">%.2f s<td class=\"n\">%.2f s<td class=\"n\">%.3f",
                                seconds_of(p, r->first_a - a->start), seconds_of(p, r->frames), (double)r->distance);
}

static am_result put_repeats(page *p, float limit, am_error *err)
{
    am_repeat *repeats = ami_alloc_array(&p->alloc, MAX_REPEATS, sizeof *repeats);
    if (!repeats) {
        return ami_fail_memory(err, MAX_REPEATS * sizeof *repeats);
    }
    int count = 0;
    am_result result = am_repeats_find(repeats, MAX_REPEATS, &count, p->db, limit, &p->alloc, err);
    if (result == AM_OK) {
        open_section(p, "Near-duplicates",
                     "Stretches that almost repeat an earlier one, except standing still. They cost memory and add "
                     "nothing new. Longest first.",
                     true);
        text(p, count ? "<table><tr><th>this<th class=\"n\">from<th>is like<th class=\"n\">from<th class=\"n\">for"
                        "<th class=\"n\">difference (deviations)"
                      : "<p>None found.</p>");
        for (int i = 0; i < count; i++) {
            put_repeat(p, &repeats[i]);
        }
        text(p, count ? "</table></section>" : "</section>");
    }
    ami_release(&p->alloc, repeats, MAX_REPEATS * sizeof *repeats);
    return result;
}

static am_result put_body(page *p, const am_report_def *def, am_error *err)
{
    am_coverage *coverage = ami_alloc_zero(&p->alloc, sizeof *coverage);
    if (!coverage) {
        return ami_fail_memory(err, sizeof *coverage);
    }
    ami_steps steps;
    am_coverage_measure(coverage, p->db);
    am_result result = ami_steps_measure(&steps, p->db, &p->alloc, err);
    if (result == AM_OK) {
        put_head(p, coverage);
        shares speeds = { "Speeds",     "Share of frames by the ground speed of the root.",
                          "m/s",        coverage->speed,
                          speed_labels, AM_SPEED_BINS };
        shares turns = { "Turn rates",         "Share of frames by how fast the facing turns; left is positive.",
                         "degrees per second", coverage->turn,
                         turn_labels,          AM_TURN_BINS };
        put_shares(p, &speeds);
        put_shares(p, &turns);
        put_rose(p, coverage);
        put_turns(p, coverage);
        put_contacts(p, &steps);
        put_durations(p);
        put_tags(p);
        put_gaps(p, coverage);
        result = put_repeats(p, def->repeat_limit, err);
    }
    ami_release(&p->alloc, coverage, sizeof *coverage);
    p->ok =
        p->ok && ami_put_format(&p->out, "</div><footer>Database hash %016llx. Written by amble %s.</footer></main>",
                                (unsigned long long)p->db->hash, am_version());
    return result;
}

am_result am_report_write(am_bytes *out, const am_db *db, const am_report_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    if (!def || def->cookie != AM_COOKIE || !(def->repeat_limit >= 0.0f)) {
        return ami_fail(err, AM_ERR_DEF, "initialise the report def with am_report_def_default()");
    }
    page p = { .ok = true, .db = db, .alloc = ami_alloc_or_default(def->alloc) };
    p.out = ami_bytes_make(&p.alloc);
    am_result result = put_body(&p, def, err);
    if (result == AM_OK && !p.ok) {
        result = ami_fail_memory(err, p.out.size);
    }
    if (result != AM_OK) {
        am_bytes_free(&p.out);
        return result;
    }
    *out = p.out;
    return AM_OK;
}

// Finds gaps: cells of speed x direction x turn that are empty though the cells around them are not. Movements
// similar to captured ones are possible, and players will ask for them.
#include <amble/tools/report.h>

#include <stdio.h>
#include <string.h>

#define WANTED_S 0.5f  // less than this counts as nothing: not one step
#define AROUND_S 10.0f // the neighbours must hold at least this much for the cell to be reachable

static const char *const ways[AM_WAY_BINS] = {
    "forward",  "diagonally forward to the left",   "sideways to the left",  "diagonally backward to the left",
    "backward", "diagonally backward to the right", "sideways to the right", "diagonally forward to the right",
};

static int64_t around(const am_coverage *c, int speed, int way, int turn)
{
    int64_t sum = 0;
    for (int s = speed - 1; s <= speed + 1; s++) {
        for (int w = way - 1; w <= way + 1; w++) {
            for (int t = turn - 1; t <= turn + 1; t++) {
                bool inside = s >= 0 && s < AM_SPEED_BINS && t >= 0 && t < AM_TURN_BINS;
                bool self = s == speed && w == way && t == turn;
                sum += inside && !self ? c->cells[s][(w + AM_WAY_BINS) % AM_WAY_BINS][t] : 0;
            }
        }
    }
    return sum;
}

static const char *gait(int speed) { return speed >= 4 ? "Run" : speed >= 3 ? "Walk fast or jog" : "Walk"; }

static void describe(am_gap *gap, float fps)
{
    char turning[80] = "without turning";
    int turn = gap->turn - AM_TURN_BINS / 2;
    if (turn != 0) {
        bool open = gap->turn == 0 || gap->turn == AM_TURN_BINS - 1;
        snprintf(turning, sizeof turning, "while turning %s at %s%d degrees per second", turn > 0 ? "left" : "right",
                 open ? "more than " : "about ", open ? 210 : 60 * (turn > 0 ? turn : -turn));
    }
    snprintf(gap->text, sizeof gap->text, "%s %s at %.1f to %.1f m/s, %s%s: %.1f s captured, %.0f s around it",
             gait(gap->speed), ways[gap->way], 0.5 * gap->speed, 0.5 * (gap->speed + 1), turning,
             gap->both_sides ? " (or its mirror image)" : "", (double)gap->frames / (double)fps,
             (double)gap->neighbours / (double)fps);
}

/// Keeps the list sorted by neighbours, the most first; equal ones in the order they were found.
static void insert(am_gap *list, int *count, int capacity, const am_gap *gap)
{
    int at = *count;
    while (at > 0 && list[at - 1].neighbours < gap->neighbours) {
        at--;
    }
    if (at >= capacity) {
        return;
    }
    int kept = *count < capacity ? *count : capacity - 1;
    memmove(&list[at + 1], &list[at], (size_t)(kept - at) * sizeof *list);
    list[at] = *gap;
    *count = kept + 1;
}

static bool is_gap(const am_gap *gap, float fps)
{
    return (float)gap->frames < WANTED_S * fps && (float)gap->neighbours >= AROUND_S * fps;
}

static bool alike(int64_t a, int64_t b)
{
    int64_t away = a > b ? a - b : b - a;
    return away * 50 <= (a > b ? a : b) + 100; // two frames or two per cent: a bin's edge falls left or right
}

/// True when the mirrored cell is as empty: a mirrored database, where one capture fills both.
static bool has_mirror_image(const am_coverage *c, const am_gap *gap, float fps)
{
    am_gap other = { .speed = gap->speed,
                     .way = (AM_WAY_BINS - gap->way) % AM_WAY_BINS,
                     .turn = AM_TURN_BINS - 1 - gap->turn };
    other.frames = c->cells[other.speed][other.way][other.turn];
    other.neighbours = around(c, other.speed, other.way, other.turn);
    return (other.way != gap->way || other.turn != gap->turn) && is_gap(&other, fps) &&
           alike(other.frames, gap->frames) && alike(other.neighbours, gap->neighbours);
}

/// Of two mirror images the one to the left is listed, or of straight ones the one that turns left.
static bool told_by_mirror(const am_gap *gap)
{
    bool straight = gap->way == 0 || gap->way == AM_WAY_BINS / 2;
    return gap->both_sides && (straight ? gap->turn < AM_TURN_BINS / 2 : gap->way > AM_WAY_BINS / 2);
}

int am_gaps_find(am_gap *out, int capacity, const am_coverage *coverage, float fps)
{
    int count = 0;
    for (int s = 0; s < AM_SPEED_BINS - 1 && capacity > 0; s++) { // the open-ended bin is not a gap
        for (int w = 0; w < AM_WAY_BINS; w++) {
            for (int t = 0; t < AM_TURN_BINS; t++) {
                am_gap gap = { .speed = s, .way = w, .turn = t, .frames = coverage->cells[s][w][t] };
                gap.neighbours = around(coverage, s, w, t);
                gap.both_sides = has_mirror_image(coverage, &gap, fps);
                if (is_gap(&gap, fps) && !told_by_mirror(&gap)) {
                    insert(out, &count, capacity, &gap);
                }
            }
        }
    }
    for (int i = 0; i < count; i++) {
        describe(&out[i], fps);
    }
    return count;
}

// Gaps: cells of speed x direction x turn that are empty though the cells around them are not. Something next to
// what was captured is something that a person can do, and that a player will ask for.
#include <amble/report.h>

#include <stdio.h>
#include <string.h>

#define WANTED_S 0.5f    // less than this is as good as nothing: not one step
#define AROUND_S 10.0f   // the neighbours must hold at least this much for the cell to be reachable

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
        snprintf(turning, sizeof turning, "while turning %s at %s%d degrees a second", turn > 0 ? "left" : "right",
                 open ? "more than " : "about ", open ? 210 : 60 * (turn > 0 ? turn : -turn));
    }
    snprintf(gap->text, sizeof gap->text, "%s %s at %.1f to %.1f m/s, %s: %.1f s captured, %.0f s around it",
             gait(gap->speed), ways[gap->way], 0.5 * gap->speed, 0.5 * (gap->speed + 1), turning,
             (double)gap->frames / (double)fps, (double)gap->neighbours / (double)fps);
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

int am_gaps_find(am_gap *out, int capacity, const am_coverage *coverage, float fps)
{
    int count = 0;
    for (int s = 0; s < AM_SPEED_BINS - 1 && capacity > 0; s++) { // the open end is nobody's wish
        for (int w = 0; w < AM_WAY_BINS; w++) {
            for (int t = 0; t < AM_TURN_BINS; t++) {
                am_gap gap = { .speed = s, .way = w, .turn = t, .frames = coverage->cells[s][w][t] };
                gap.neighbours = around(coverage, s, w, t);
                if ((float)gap.frames < WANTED_S * fps && (float)gap.neighbours >= AROUND_S * fps) {
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

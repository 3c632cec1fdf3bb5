// Where the clips of a motion field end. The last state of a range leads two ticks beyond it and no further: a state
// that came there has it for its nearest one for good, and eq. 5 draws it back to one pose while the mean velocity of
// the neighbours carries the root on. So every last state is tied to one that goes on, as a graph ties its clips.
#include "source/field.h"

#include <string.h>

/// The first and the last state of a range, and the nearest found so far.
typedef struct search {
    const am_field *field;
    float row[6 + 6 * AM_MAX_JOINTS + 8];
    int ahead; ///< ticks that a state has before the end of its range
    int best;
    float d2;
} search;

static void look_at_range(search *s, int first, int last)
{
    enum { most = 64 };
    const am_field *field = s->field;
    float d2[most];
    int stop = last - s->ahead + 1;
    for (int at = first; at < stop; at += most) {
        int count = stop - at < most ? stop - at : most;
        field->own->kernels->distances(d2, s->row, am_field_row(field, at), (size_t)count, (size_t)field->stride);
        for (int i = 0; i < count; i++) {
            if (d2[i] < s->d2) {
                s->d2 = d2[i];
                s->best = at + i;
            }
        }
    }
}

/// The nearest state of the other ranges, or of this one, that has some way to go.
static void look_at_all(search *s, int range, bool others)
{
    const am_field *field = s->field;
    for (int first = 0, last; first < field->state_count; first = last + 1) {
        for (last = first; field->next[last] >= 0;) {
            last = field->next[last];
        }
        if ((field->ranges[first] != range) == others) {
            look_at_range(s, first, last);
        }
    }
}

void ami_field_tie_end(void *context, int state)
{
    am_field *field = context;
    int32_t *onward = field->own->onward;
    onward[state] = state;
    if (field->next[state] >= 0) {
        return;
    }
    // Half a second: what ends sooner would lead from one end to the next.
    search s = { .field = field, .ahead = (int)(0.5f * field->fps + 0.5f), .best = state, .d2 = INFINITY };
    float x[7 * AM_MAX_JOINTS];
    am_field_displace(field, x, am_field_x(field, state), am_field_v(field, state));
    am_field_embed(field, s.row, x, am_field_y(field, state));
    look_at_all(&s, field->ranges[state], true);
    if (s.best == state) {
        look_at_all(&s, field->ranges[state], false);
    }
    onward[state] = s.best;
}

/// What comes after a state of the data, over the ends of ranges.
static int after(const am_field *field, int state)
{
    return field->next[state] >= 0 ? field->next[state] : field->onward[state];
}

/// `state` becomes the first neighbour, the one that drift correction pulls to; the farthest makes room.
static void put_first(am_field_neighbours *near, int state, float d2)
{
    int at = 0;
    while (at < near->count - 1 && near->state[at] != state) {
        at++;
    }
    memmove(near->state + 1, near->state, (size_t)at * sizeof *near->state);
    memmove(near->d2 + 1, near->d2, (size_t)at * sizeof *near->d2);
    near->state[0] = state;
    near->d2[0] = d2;
    am_field_weights(near->weight, near->d2, near->count);
}

int am_field_go_on(const am_field *field, am_field_neighbours *near, const float *row, int followed)
{
    // 1.5 times as far: at 1.2 who stands often stays there for good, at 2 steps of other clips mix in less well.
    const float loyal2 = 1.5f * 1.5f;
    if (near->count < 1) {
        return -1;
    }
    int on = near->state[0];
    if (followed >= 0 && followed < field->state_count) {
        int next = after(field, followed);
        float d2;
        field->own->kernels->distances(&d2, row, am_field_row(field, next), 1, (size_t)field->stride);
        if (d2 <= loyal2 * near->d2[0]) {
            on = next;
            put_first(near, next, d2);
        }
    }
    for (int i = 0; i < near->count; i++) {
        near->state[i] = field->onward[near->state[i]];
    }
    return on;
}

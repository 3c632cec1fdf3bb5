// The ends of a motion field's clips. The last state of a range leads two ticks beyond it and no further. A character
// that reaches this state keeps it as its nearest neighbour forever: eq. 5 pulls it back to one pose while the mean
// velocity of the neighbours carries the root on. So every last state is linked to one that continues, as a graph
// links its clips. A flow left alone soon circles in one clip, so it may also move to other clips now and then.
#include "method/field.h"
#include "base/rng.h"

#include <string.h>

// A state with less ahead of it would lead from one end to the next.
#define AHEAD_S 0.5f

static int ticks_in(const ami_field *field, float seconds) { return (int)(seconds * field->fps + 0.5f); }

/// The last state of the range that a state belongs to.
static int last_of(const ami_field *field, int state)
{
    while (field->next[state] >= 0) {
        state = field->next[state];
    }
    return state;
}

/// The query, and the nearest state found so far.
typedef struct search {
    const ami_field *field;
    const float *row;
    int ahead; ///< ticks that a state has before the end of its range
    int best;
    float d2;
} search;

static void look_at_range(search *s, int first, int last)
{
    enum { most = 64 };
    const ami_field *field = s->field;
    float d2[most];
    int stop = last - s->ahead + 1;
    for (int at = first; at < stop; at += most) {
        int count = stop - at < most ? stop - at : most;
        field->own->kernels->distances(d2, s->row, ami_field_row(field, at), (size_t)count, (size_t)field->stride);
        for (int i = 0; i < count; i++) {
            if (d2[i] < s->d2) {
                s->d2 = d2[i];
                s->best = at + i;
            }
        }
    }
}

/// The nearest state, of the other ranges or of this one, with enough ticks ahead of it.
static void look_at_all(search *s, int range, bool others)
{
    const ami_field *field = s->field;
    for (int first = 0, last; first < field->state_count; first = last + 1) {
        last = last_of(field, first);
        if ((field->ranges[first] != range) == others) {
            look_at_range(s, first, last);
        }
    }
}

void ami_field_tie_end(void *context, int state)
{
    ami_field *field = context;
    int32_t *onward = field->own->onward;
    onward[state] = state;
    if (field->next[state] >= 0) {
        return;
    }
    search s = { field, ami_field_row(field, state), ticks_in(field, AHEAD_S), state, INFINITY };
    look_at_all(&s, field->ranges[state], true);
    if (s.best == state) {
        look_at_all(&s, field->ranges[state], false);
    }
    onward[state] = s.best;
}

/// The state that follows a state of the data, across the ends of ranges.
static int after(const ami_field *field, int state)
{
    const int on = field->onward[state];
    return field->next[on] >= 0 ? field->next[on] : on; // every range is that short
}

/// `state` becomes the first neighbour, which drift correction pulls to; the farthest neighbour is dropped.
static void put_first(ami_field_neighbours *near, int state, float d2)
{
    int at = 0;
    while (at < near->count - 1 && near->state[at] != state) {
        at++;
    }
    memmove(near->state + 1, near->state, (size_t)at * sizeof *near->state);
    memmove(near->d2 + 1, near->d2, (size_t)at * sizeof *near->d2);
    near->state[0] = state;
    near->d2[0] = d2;
    ami_field_weights(near->weight, near->d2, near->count);
}

int ami_field_go_on(const ami_field *field, ami_field_neighbours *near, const float *row, int followed)
{
    // 1.5 times as far: at 1.2 a standing character often stays there forever, at 2 steps of other clips mix in less
    // well.
    const float loyal2 = 1.5f * 1.5f;
    if (near->count < 1) {
        return -1;
    }
    int on = near->state[0];
    const int held = followed >= 0 ? followed / field->state_count : 0; // ticks for which it is kept in any case
    if (followed >= 0) {
        int next = after(field, followed % field->state_count);
        float d2;
        field->own->kernels->distances(&d2, row, ami_field_row(field, next), 1, (size_t)field->stride);
        if (held > 0 || d2 <= loyal2 * near->d2[0]) {
            on = next;
            put_first(near, next, d2);
        }
    }
    if (held > 0) {
        float action[AMI_FIELD_MAX_K];
        ami_field_action(action, near->weight, near->count, 0);
        memcpy(near->weight, action, (size_t)near->count * sizeof *action);
    }
    for (int i = 0; i < near->count; i++) {
        near->state[i] = field->onward[near->state[i]];
    }
    return on + (held > 0 ? held - 1 : 0) * field->state_count;
}

int ami_field_wander(const ami_field *field, const float *row, int followed, am_rng *rng)
{
    // A motion farther than this (metres of eq. 1) is never switched to. One up to eight times as far as the nearest
    // may be: the nearest alone would always be the same few. The change takes a second.
    const float most = 1.0f, spread = 8.0f, kept_s = 1.0f;
    const int here = followed >= 0 ? field->ranges[followed % field->state_count] : -1;
    am_rng own = ami_rng_make(am_rng_u64(rng)); // one draw, however many ranges there are
    float least = INFINITY;
    int best = -1;
    for (int first = 0, last; first < field->state_count; first = last + 1) {
        last = last_of(field, first);
        search s = { field, row, ticks_in(field, AHEAD_S), -1, most * most };
        look_at_range(&s, first + 1, last); // the first state of a range follows none
        const float away = s.d2 * am_rng_range(&own, 1.0f, spread * spread);
        if (s.best >= 0 && field->ranges[first] != here && away < least) {
            least = away;
            best = s.best - 1;
        }
    }
    return best < 0 ? followed : best + ticks_in(field, kept_s) * field->state_count;
}

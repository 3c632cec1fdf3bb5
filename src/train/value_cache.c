// The transitions of a motion field's anchors, cached for value iteration.
#include "train/value_cache.h"

#include <string.h>

#include "base/error.h"
#include "method/field_value.h"

struct ami_value_room {
    ami_field_work *work;
    float *rows;                 ///< [action][stride] of the states that the actions lead to
    ami_field_neighbours *nears; ///< [action] of those
};

static void free_rooms(ami_value_cache *c)
{
    const size_t actions = (size_t)c->actions, stride = (size_t)c->field->stride;
    for (int i = 0; c->rooms && i < c->room_count; i++) {
        struct ami_value_room *room = &c->rooms[i];
        ami_field_work_destroy(room->work);
        ami_release(&c->alloc, room->rows, actions * stride * sizeof(float));
        ami_release(&c->alloc, room->nears, actions * sizeof *room->nears);
    }
    ami_release(&c->alloc, c->rooms, (size_t)c->room_count * sizeof *c->rooms);
    c->rooms = NULL;
}

static am_result make_rooms(ami_value_cache *c, am_error *err)
{
    const size_t actions = (size_t)c->actions, stride = (size_t)c->field->stride;
    c->room_count = c->tasks.threads > 0 ? c->tasks.threads : 1;
    c->rooms = ami_alloc_array(&c->alloc, (size_t)c->room_count, sizeof *c->rooms);
    if (!c->rooms) {
        return ami_fail_memory(err, (size_t)c->room_count * sizeof *c->rooms);
    }
    am_result result = AM_OK;
    for (int i = 0; i < c->room_count && result == AM_OK; i++) {
        struct ami_value_room *room = &c->rooms[i];
        result = ami_field_work_create(&room->work, c->field, &c->alloc, err);
        room->rows = ami_alloc_array(&c->alloc, actions * stride, sizeof(float));
        room->nears = ami_alloc_array(&c->alloc, actions, sizeof *room->nears);
        if (result == AM_OK && (!room->rows || !room->nears)) {
            result = ami_fail_memory(err, actions * stride * sizeof(float));
        }
    }
    return result;
}

am_result ami_value_cache_create(ami_value_cache *c, const ami_field *field, int every, const am_tasks *tasks,
                                 const am_train_group *group, const am_alloc *alloc, am_error *err)
{
    *c = (ami_value_cache){ .alloc = ami_alloc_or_default(alloc), .field = field, .tasks = *tasks };
    c->rows = ami_field_anchors(field, every, NULL, NULL, NULL);
    const int64_t size = group ? group->size : 1, rank = group ? group->rank : 0;
    c->first = (int)(c->rows * rank / size);
    c->count = (int)(c->rows * (rank + 1) / size) - c->first;
    c->actions = field->k;
    c->entries = every == 1 ? field->k : 2 * field->k;
    const size_t states = (size_t)field->state_count, rows = (size_t)c->rows;
    const size_t actions = (size_t)c->count * (size_t)c->actions, entries = actions * (size_t)c->entries;
    c->anchor = ami_alloc_array(&c->alloc, states, sizeof *c->anchor);
    c->share = ami_alloc_array(&c->alloc, states, sizeof *c->share);
    c->at = ami_alloc_array(&c->alloc, rows, sizeof *c->at);
    c->index = ami_alloc_array(&c->alloc, entries, sizeof *c->index);
    c->weight = ami_alloc_array(&c->alloc, entries, sizeof *c->weight);
    c->steps = ami_alloc_array(&c->alloc, actions, sizeof *c->steps);
    c->bytes = entries * (sizeof *c->index + sizeof *c->weight) + actions * sizeof *c->steps;
    am_result result = c->anchor && c->share && c->at && c->index && c->weight && c->steps
                           ? make_rooms(c, err)
                           : ami_fail_memory(err, c->bytes);
    if (result != AM_OK) {
        ami_value_cache_free(c);
        return result;
    }
    ami_field_anchors(field, every, c->anchor, c->share, c->at);
    return AM_OK;
}

void ami_value_cache_free(ami_value_cache *c)
{
    if (!c->field) {
        return;
    }
    const size_t states = (size_t)c->field->state_count, actions = (size_t)c->count * (size_t)c->actions;
    const size_t entries = actions * (size_t)c->entries;
    free_rooms(c);
    ami_release(&c->alloc, c->anchor, states * sizeof *c->anchor);
    ami_release(&c->alloc, c->share, states * sizeof *c->share);
    ami_release(&c->alloc, c->at, (size_t)c->rows * sizeof *c->at);
    ami_release(&c->alloc, c->index, entries * sizeof *c->index);
    ami_release(&c->alloc, c->weight, entries * sizeof *c->weight);
    ami_release(&c->alloc, c->steps, actions * sizeof *c->steps);
    memset(c, 0, sizeof *c);
}

/// Adds weight to an anchor that is among the first `count` entries or becomes one; returns how many there are then.
static int add_entry(int32_t *index, float *weight, int count, int32_t anchor, float w)
{
    int at = 0;
    while (at < count && index[at] != anchor) {
        at++;
    }
    index[at] = anchor;
    weight[at] = at < count ? weight[at] + w : w;
    return at < count ? count : count + 1;
}

/// Neighbours as anchors: a state between two anchors counts for both (eq. 14), and each anchor only once.
static void put_entries(const ami_value_cache *c, int32_t *index, float *weight, const ami_field_neighbours *near)
{
    int count = 0;
    for (int n = 0; n < near->count; n++) {
        const int state = near->state[n];
        const float share = c->share[state], w = near->weight[n];
        if ((1.0f - share) * w > 0.0f) {
            count = add_entry(index, weight, count, c->anchor[state], (1.0f - share) * w);
        }
        if (share * w > 0.0f) {
            count = add_entry(index, weight, count, c->anchor[state] + 1, share * w);
        }
    }
    for (; count < c->entries; count++) {
        index[count] = 0;
        weight[count] = 0.0f;
    }
}

static void fill_row(ami_value_cache *c, int row, struct ami_value_room *room)
{
    const ami_field *field = c->field;
    const int state = c->at[c->first + row];
    const size_t first = (size_t)row * (size_t)c->actions, entries = (size_t)c->entries;
    ami_field_neighbours here;
    ami_field_search(field, &here, ami_field_row(field, state), 1, NULL, 0, room->work);
    ami_field_try_all(field, NULL, NULL, room->rows, c->steps + first, ami_field_x(field, state), &here, room->work);
    ami_field_search(field, room->nears, room->rows, c->actions, here.state, here.count, room->work);
    for (int a = 0; a < c->actions; a++) {
        const size_t at = (first + (size_t)a) * entries;
        put_entries(c, c->index + at, c->weight + at, &room->nears[a]);
    }
}

/// A slab of rows, cut into one piece for each room.
typedef struct slab {
    ami_value_cache *cache;
    int first, count;
} slab;

static void fill_piece(void *context, int piece)
{
    const slab *s = context;
    ami_value_cache *c = s->cache;
    const int64_t count = s->count, pieces = c->room_count;
    for (int row = (int)(count * piece / pieces); row < (int)(count * (piece + 1) / pieces); row++) {
        fill_row(c, s->first + row, &c->rooms[piece]);
    }
}

bool ami_value_cache_fill(ami_value_cache *c, int rows)
{
    slab s = { c, c->done, c->count - c->done < rows ? c->count - c->done : rows };
    if (s.count > 0) {
        c->tasks.run(c->tasks.user, c->room_count, fill_piece, &s);
        c->done += s.count;
    }
    if (c->done == c->count) {
        free_rooms(c);
    }
    return c->done < c->count;
}

ami_value_problem ami_value_cache_problem(const ami_value_cache *c, const ami_field_task *task, float gamma,
                                          float steer)
{
    return (ami_value_problem){ .task = task,
                                .gamma = gamma,
                                .steer = steer,
                                .rows = c->rows,
                                .actions = c->actions,
                                .entries = c->entries,
                                .index = c->index,
                                .weight = c->weight,
                                .steps = c->steps,
                                .first = c->first,
                                .count = c->count };
}

// One tick of the source `field`: neighbours, a choice among the actions, integration, and the hook that acts on the
// body (Fields sections 4 and 5).
#include "base/error.h"
#include "base/memory.h"
#include "data/index.h"
#include "method/decoder.h"
#include "method/field_source.h"

#include <string.h>

/// Working memory of one thread.
typedef struct field_room {
    am_alloc alloc;
    size_t block_size;
    ami_field_work *search;
    float *next_x, *next_v, *rows; ///< of all actions
    ami_field_step *steps;
    ami_field_neighbours *near; ///< of the states that they lead to
} field_room;

static field_room *lay_out(ami_layout *layout, const ami_field *field)
{
    size_t k = (size_t)field->k;
    field_room *room = ami_layout_take(layout, 1, sizeof *room);
    field_room at = {
        .next_x = ami_layout_take(layout, k * (size_t)field->pose_count, sizeof(float)),
        .next_v = ami_layout_take(layout, k * (size_t)field->velocity_count, sizeof(float)),
        .rows = ami_layout_take(layout, k * (size_t)field->stride, sizeof(float)),
        .steps = ami_layout_take(layout, k, sizeof(ami_field_step)),
        .near = ami_layout_take(layout, k, sizeof(ami_field_neighbours)),
    };
    if (room) {
        *room = at;
    }
    return room;
}

static void release_room(void *block)
{
    field_room *room = block;
    am_alloc alloc = room->alloc;
    ami_field_work_destroy(room->search);
    ami_release(&alloc, room, room->block_size);
}

am_result ami_field_room_make(const am_source *source, am_search_work *work, int most, const am_alloc *allocator,
                              am_error *err)
{
    (void)most; // one after another
    const ami_field *field = ami_field_source_of(source)->field;
    am_alloc alloc = ami_alloc_or_default(allocator);
    ami_layout measure = { 0 };
    lay_out(&measure, field);
    ami_layout place = ami_layout_room(&measure, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    field_room *room = lay_out(&place, field);
    room->alloc = alloc;
    room->block_size = measure.size;
    am_result result = ami_field_work_create(&room->search, field, &alloc, err);
    if (result != AM_OK) {
        release_room(room);
        return result;
    }
    *ami_search_work_room(work) = (ami_work_room){ room, release_room };
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------

/// hint(count): where the states went.
static void follow(const ami_field *field, int32_t *hint, const int32_t *states, int count)
{
    for (int i = 0; i < count; i++) {
        int next = field->next[states[i]];
        hint[i] = next >= 0 ? next : states[i];
    }
}

/// Neighbours of the present state: those that the last tick found, or a search.
static void find_near(const ami_field_source *f, const ami_field_view *s, ami_field_neighbours *near, const float *v,
                      field_room *room, am_source_output *out)
{
    const ami_field *field = f->field;
    if (s->head->fresh) {
        near->count = s->head->near_count;
        memcpy(near->state, s->near_state, (size_t)near->count * sizeof *near->state);
        memcpy(near->d2, s->near_d2, (size_t)near->count * sizeof *near->d2);
        ami_field_weights(near->weight, near->d2, near->count);
        return;
    }
    int32_t hint[AMI_FIELD_MAX_K];
    follow(field, hint, s->near_state, s->head->near_count);
    ami_field_embed(field, room->rows, s->x, v);
    ami_field_search(field, near, room->rows, 1, hint, s->head->near_count, room->search);
    out->searches++;
}

static void keep_near(ami_field_view *s, const ami_field_neighbours *near, bool fresh)
{
    s->head->fresh = fresh;
    s->head->near_count = near->count;
    memcpy(s->near_state, near->state, (size_t)near->count * sizeof *near->state);
    memcpy(s->near_d2, near->d2, (size_t)near->count * sizeof *near->d2);
}

/// The target of a character whose ground root is at `root`, as the task's numbers.
static void read_target(const ami_field_source *f, ami_field_head *head, float *theta, const am_source_target *target,
                        am_transform root)
{
    const ami_field_target w = ami_target_read(&head->line, target, root);
    f->task.read(&f->task, theta, &w, root);
}

/// Tries all actions; the chosen one, or -1 when none is worth anything. worth(near->count): what they are worth;
/// *steered: what steering adds to the turn of the chosen one.
static int choose(const ami_field_source *f, ami_field_view *s, const ami_field_neighbours *near, const float *theta,
                  ami_field_worth *worth, float *steered, field_room *room, am_source_output *out)
{
    const ami_field *field = f->field;
    bool ahead = f->policy == AM_FIELD_LOOKAHEAD;
    ami_field_try_all(field, room->next_x, room->next_v, ahead ? room->rows : NULL, room->steps, s->x, near,
                      room->search);
    if (ahead) {
        int32_t hint[AMI_FIELD_MAX_K];
        follow(field, hint, near->state, near->count);
        ami_field_search(field, room->near, room->rows, near->count, hint, near->count, room->search);
        out->searches += near->count;
    }
    float turns[AMI_FIELD_MAX_K];
    for (int i = 0; i < near->count; i++) {
        turns[i] = room->steps[i].turn;
    }
    int action = ami_field_choose(&f->task, ahead ? f->value : NULL, theta, room->steps, ahead ? room->near : NULL,
                                  near->count, worth);
    if (action >= 0) {
        *steered = room->steps[action].turn - turns[action];
        memcpy(s->next_x, room->next_x + (size_t)action * (size_t)field->pose_count,
               (size_t)field->pose_count * sizeof(float));
        memcpy(s->next_v, room->next_v + (size_t)action * (size_t)field->velocity_count,
               (size_t)field->velocity_count * sizeof(float));
        if (ahead) {
            keep_near(s, &room->near[action], true);
        }
    }
    return action;
}

/// The passive action.
static ami_field_step flow_on(const ami_field_source *f, ami_field_view *s, ami_field_neighbours *near,
                              const float *v, int followed, const am_source_input *input, field_room *room)
{
    const ami_field *field = f->field;
    ami_field_embed(field, room->rows, s->x, v);
    if (f->wander_s > 0.0f && input->rng && !input->hook && followed < field->state_count &&
        am_rng_float(input->rng) * f->wander_s * field->fps < 1.0f) {
        followed = ami_field_wander(field, room->rows, followed, input->rng);
    }
    s->head->action = -2 - ami_field_go_on(field, near, room->rows, followed);
    return ami_field_integrate(field, s->next_x, s->next_v, s->x, near, near->weight);
}

static ami_field_step step_of(am_transform t)
{
    ami_field_step step = { t.translation.x, t.translation.z, am_quat_heading(t.rotation) };
    return step;
}

/// Eq. 15: the hook that acts on the body changes where the tick leads.
static ami_field_step act(const ami_field *field, ami_field_view *s, ami_field_step step, const am_tick_hook *hook)
{
    am_transform before[AM_MAX_JOINTS];
    am_transform after[AM_MAX_JOINTS];
    float from[AMI_FIELD_MOST_NUMBERS], to[AMI_FIELD_MOST_NUMBERS], fast[AMI_FIELD_MOST_NUMBERS];
    ami_field_pose_get(field, before, s->x);
    ami_field_pose_get(field, after, s->next_x);
    am_tick tick = { .before = before,
                     .after = after,
                     .step = ami_field_step_transform(step),
                     .contacts = (uint8_t)s->head->contacts };
    hook->tick(hook->user, &tick);
    if (!(tick.share > 0.0f)) {
        return step;
    }
    ami_field_pose_put(field, s->next_x, after);
    ami_field_pose_put(field, from, tick.from);
    ami_field_pose_put(field, to, tick.to);
    ami_field_difference(field, fast, from, to, step_of(tick.fast));
    if (tick.mixed) {
        ami_field_velocity_mix(field, s->next_v, s->next_v, fast, am_min(tick.share, 1.0f));
    } else {
        ami_field_velocity_add(field, s->next_v, s->next_v, fast, am_min(tick.share, 1.0f));
    }
    s->head->rest = AMI_FIELD_MOVES; // a pushed character is not hurried
    s->head->fresh = 0;
    return step_of(tick.step);
}

/// What adds up to the distance of eq. 1 between a state's row and another: root, turn, pose and next pose.
static void distance_parts(const ami_field *field, float *parts, const float *a, const float *b)
{
    const int ends[AM_FIELD_PARTS] = { 3, 6, 6 + 3 * field->bones, field->dims };
    for (int p = 0, d = 0; p < AM_FIELD_PARTS; p++) {
        parts[p] = 0.0f;
        for (; d < ends[p]; d++) {
            parts[p] += (a[d] - b[d]) * (a[d] - b[d]);
        }
    }
}

/// What a trace and the page show of a tick: the neighbour whose action was chosen, then the others, nearest first.
/// The cost is that of the nearest: how far the state, embedded in `row`, is from the data. worth(near->count) is
/// NULL where nothing was chosen.
static void show_choice(const ami_field *field, am_source_output *out, const ami_field_neighbours *near, int action,
                        const ami_field_worth *worth, const float *row, int wanted)
{
    int most = wanted < 1 ? 1 : wanted > AM_MAX_CANDIDATES ? AM_MAX_CANDIDATES : wanted;
    int count = 0;
    for (int i = action >= 0 ? -1 : 0; i < near->count && count < most; i++) {
        int at = i < 0 ? action : i;
        if (i == action) {
            continue; // listed first
        }
        out->candidates[count] = (am_hit){ field->frames[near->state[at]], near->d2[at] };
        out->rewards[count] = worth ? worth[at].reward : 0.0f;
        out->values[count] = worth ? worth[at].value : 0.0f;
        out->totals[count] = out->rewards[count] + out->values[count];
        count++;
    }
    out->candidate_count = count;
    out->cost = out->stay_cost = near->d2[0];
    distance_parts(field, out->parts, row, ami_field_row(field, near->state[0]));
}

void ami_field_tick(const ami_field_source *f, ami_field_view *s, am_source_output *out, const am_source_input *input,
                    am_transform root, am_search_work *work)
{
    const ami_field *field = f->field;
    field_room *room = ami_search_work_room(work)->room;
    double before = input->clock ? input->clock->microseconds(input->clock->user) : 0.0;
    ami_field_neighbours near;
    float v[AMI_FIELD_MOST_NUMBERS];
    memcpy(s->x, s->next_x, (size_t)field->pose_count * sizeof(float));
    memcpy(v, s->next_v, (size_t)field->velocity_count * sizeof(float));
    memcpy(s->was, s->d, (size_t)field->velocity_count * sizeof(float));
    find_near(f, s, &near, v, room, out);
    out->searched = true;
    if (near.count == 0) { // not finite: start again at a state of the data
        near = (ami_field_neighbours){ .count = 1, .state = { f->standing }, .weight = { 1.0f } };
        memcpy(s->x, ami_field_x(field, f->standing), (size_t)field->pose_count * sizeof(float));
        memcpy(s->was, ami_field_v(field, f->standing), (size_t)field->velocity_count * sizeof(float));
        out->fell_back = true;
    }
    keep_near(s, &near, false);
    s->head->contacts = ami_field_contacts(field, &near);
    s->head->frame = field->frames[near.state[0]];
    const int followed = s->head->action < -1 ? -2 - s->head->action : -1;
    s->head->action = -1;
    float theta[AMI_FIELD_MAX_AXES];
    ami_field_worth worth[AMI_FIELD_MAX_K];
    float steered = 0.0f;
    if (f->policy != AM_FIELD_PASSIVE) {
        read_target(f, s->head, theta, &input->target, root);
        s->head->action = choose(f, s, &near, theta, worth, &steered, room, out);
    }
    ami_field_embed(field, room->rows, s->x, v);
    show_choice(field, out, &near, s->head->action, f->policy != AM_FIELD_PASSIVE ? worth : NULL, room->rows,
                input->candidates);
    ami_field_step step;
    if (s->head->action >= 0) {
        step = room->steps[s->head->action];
    } else {
        step = flow_on(f, s, &near, v, followed, input, room);
    }
    s->head->rest = AMI_FIELD_MOVES;
    if (f->policy != AM_FIELD_PASSIVE && f->task.rests && f->task.rests(&f->task, theta)) {
        const float turn = step.turn;
        step = ami_field_rest(f, s->head, theta, step, s->x, v, room->rows);
        steered = am_abs(turn) > 0.0f ? steered * (step.turn / turn) : 0.0f;
    }
    if (input->hook) {
        step = act(field, s, step, input->hook);
    }
    if (!ami_all_finite(s->next_x, field->pose_count) || !ami_all_finite(s->next_v, field->velocity_count)) {
        memcpy(s->next_x, s->x, (size_t)field->pose_count * sizeof(float));
        memcpy(s->next_v, ami_field_v(field, near.state[0]), (size_t)field->velocity_count * sizeof(float));
        s->head->fresh = 0;
        out->fell_back = true;
    }
    const float own = step.turn < 0.0f ? steered - step.turn : step.turn - steered; // as far as it goes the same way
    out->turned += am_abs(step.turn);
    out->turned_by_motion += am_clamp(own, 0.0f, am_abs(step.turn));
    ami_field_difference(field, s->d, s->x, s->next_x, step);
    if (input->clock) {
        out->search_us = (float)(input->clock->microseconds(input->clock->user) - before);
    }
}

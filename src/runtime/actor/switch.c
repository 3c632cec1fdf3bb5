// Hands a moving body over to another source (matching, learned, ...), and steps many actors at once.
#include "actor/actor.h"

#include "base/error.h"
#include "actor/push.h"
#include "base/tasks.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Taking over

void ami_find_velocities(am_actor *c, const am_actor *from)
{
    int joints = c->joint_count;
    am_velocity *local = c->arrival;
    am_velocity *world = c->arrival + joints;
    am_transform now[AM_MAX_JOINTS], was[AM_MAX_JOINTS];
    memset(c->arrival, 0, 2 * (size_t)joints * sizeof *c->arrival);
    if (!(from->recent->before_dt > 0.0f)) {
        return;
    }
    float rate = 1.0f / from->recent->before_dt;
    for (int j = 0; j < joints; j++) {
        am_transform a = from->before[j], b = from->local_raw[j];
        local[j].linear = am_v3_scale(am_v3_sub(b.translation, a.translation), rate);
        local[j].angular = am_quat_velocity(a.rotation, b.rotation, from->recent->before_dt);
    }
    // In the root's space, the body also moves by the root's own movement.
    am_transform step = { am_quat_from_scaled_axis(am_v3_scale(from->recent->root_angular, from->recent->before_dt)),
                          am_v3_scale(from->recent->root_linear, from->recent->before_dt) };
    am_fk(now, from->local_raw, c->prepared->source->skeleton->parents, joints);
    am_fk(was, from->before, c->prepared->source->skeleton->parents, joints);
    am_transform back = am_transform_inv(step);
    for (int j = 0; j < joints; j++) {
        am_transform a = am_transform_mul(back, was[j]);
        world[j].linear = am_v3_scale(am_v3_sub(now[j].translation, a.translation), rate);
        world[j].angular = am_quat_velocity(a.rotation, now[j].rotation, from->recent->before_dt);
    }
}

static void copy_path(am_actor *c, const am_actor *from)
{
    if (!c->path.head) {
        return;
    }
    memset(c->path.head, 0, sizeof *c->path.head);
    bool alike = (from->path.facings != NULL) == (c->path.facings != NULL);
    if (from->path.head && from->path.room <= c->path.room && alike) {
        if (c->path.facings) {
            memcpy(c->path.facings, from->path.facings, (size_t)from->path.room * sizeof *c->path.facings);
        }
        *c->path.head = *from->path.head;
        memcpy(c->path.laid, from->path.laid, (size_t)from->path.room * sizeof *c->path.laid);
        memcpy(c->path.points, from->path.points, (size_t)from->path.room * sizeof *c->path.points);
    }
}

static void copy_state(am_actor *c, const am_actor *from)
{
    size_t size = (size_t)c->joint_count * sizeof(am_transform);
    ami_state *s = c->state;
    *s = *from->state;
    memcpy(c->trajectory, from->trajectory, AM_MAX_TRAJECTORY * sizeof *c->trajectory);
    if (c->past && from->past) {
        memcpy(c->past, from->past, AMI_PAST_PLACES * sizeof *c->past);
    }
    memcpy(c->local_raw, from->local_raw, size);
    memcpy(c->local, from->local, size);
    memcpy(c->world_raw, from->world_raw, size);
    memcpy(c->world, from->world, size);
    memcpy(c->before, from->before, size);
    memcpy(c->previous, from->previous, size);
    *c->recent = *from->recent;
    ami_push_copy(c, from);
}

void ami_begin_arrival(am_actor *c)
{
    ami_state *s = c->state;
    if ((c->prepared->activities >> s->activity & 1) == 0) {
        s->activity = AM_ACTIVITY_MOVE; // an activity that this source does not have ends here
    }
    s->frame = -1;
    s->ended = 0;
    s->arriving = 1;
    c->stand->on = 0;
    ami_push_end(c); // the body continues from where the forces have moved it
    ami_inertia_reset(c->inertia, &c->inertia_def);
    const am_source *source = c->prepared->source;
    source->interface->reset(source, c->source_state, -1, ami_source_settings(c));
}

am_result am_actor_take_over(am_actor *c, const am_actor *from, am_error *err)
{
    const am_skeleton *a = c->prepared->source->skeleton;
    const am_skeleton *b = from->prepared->source->skeleton;
    if (c == from) {
        return AM_OK;
    }
    if (!am_skeleton_same_shape(a, b)) {
        return ami_fail(err, AM_ERR_SKELETON, "the two actors have different skeletons");
    }
    ami_find_velocities(c, from);
    copy_state(c, from);
    copy_path(c, from);
    if (c->past && !from->past) {
        ami_history_begin(c);
    }
    ami_begin_arrival(c);
    return AM_OK;
}

bool ami_arrive(am_actor *c, ami_step *step)
{
    am_source_input *input = &step->input;
    if (!c->state->arriving) {
        return false;
    }
    am_fk(c->next, c->local_raw, c->prepared->source->skeleton->parents, c->joint_count);
    input->pose = c->next;
    input->velocity = c->arrival + c->joint_count;
    step->body = (am_source_pose){ c->local_raw, c->arrival, c->recent->root_linear, c->recent->root_angular };
    input->body = &step->body;
    input->search_now = input->leave = true;
    return true;
}

void ami_arrived(am_actor *c)
{
    ami_state *s = c->state;
    am_source_output *out = &c->output;
    s->arriving = 0;
    s->transitions++;
    s->grace = s->locked;
    s->grace_s = AMI_GRACE_S;
    ami_inertia_pose from = { c->local_raw, c->arrival, c->recent->root_linear, c->recent->root_angular };
    if (!out->transition) { // the source found no frame to land on: land on its present pose
        memcpy(out->landed.local, c->source_local, (size_t)c->joint_count * sizeof *c->source_local);
        memset(out->landed.velocity, 0, (size_t)c->joint_count * sizeof *out->landed.velocity);
        out->landed.root_linear = out->root_linear;
        out->landed.root_angular = out->root_angular;
    }
    ami_inertia_pose to = { out->landed.local, out->landed.velocity, out->landed.root_linear,
                            out->landed.root_angular };
    ami_inertia_transition(c->inertia, &c->inertia_def, &from, &to);
    out->transition = true;
}

// ---------------------------------------------------------------------------------------------
// Many at once

enum { crowd = AMI_ASSET_BATCH }; // steps of one batch on the stack

/// Steps actors(count) of one source together; at most `crowd` of them.
static void step_together(am_actor *const *actors, const am_intent *intents, int count, float dt,
                          am_search_work *work)
{
    const am_source *source = actors[0]->prepared->source;
    ami_step steps[crowd];
    void *states[crowd];
    am_source_output *outs[crowd];
    const am_source_input *inputs[crowd];
    int members[crowd];
    int asked = 0;
    for (int i = 0; i < count; i++) {
        ami_step_begin(actors[i], &steps[i], &intents[i], dt);
        if (!steps[i].over && steps[i].held) {
            ami_step_end(actors[i], &steps[i]);
        } else if (!steps[i].over) {
            states[asked] = actors[i]->source_state;
            outs[asked] = &actors[i]->output;
            inputs[asked] = &steps[i].input;
            members[asked++] = i;
        }
    }
    if (asked > 0) {
        source->interface->step_batch(source, states, outs, inputs, asked, work);
    }
    for (int i = 0; i < asked; i++) {
        ami_step_end(actors[members[i]], &steps[members[i]]);
    }
}

/// One call of am_actors_step: each slot takes every slots-th chunk.
typedef struct many {
    am_actor *const *actors;
    const am_intent *intents;
    int count, slots;
    float dt;
    bool lent; ///< the slots of `asset` are this call's
    const am_asset *asset;
} many;

/// Working memory for a batch with the source of an actor in a slot; NULL: single steps.
static am_search_work *work_of(const many *m, const am_actor *actor, int slot)
{
    am_search_work *const *works =
        m->lent && actor->asset == m->asset ? ami_asset_slots(m->asset, actor->prepared->source) : NULL;
    return works ? works[slot] : NULL;
}

static void step_chunk(const many *m, int first, int count, int slot)
{
    for (int i = first; i < first + count;) {
        am_search_work *work = work_of(m, m->actors[i], slot);
        int group = 1;
        while (work && i + group < first + count && m->actors[i + group]->asset == m->asset &&
               m->actors[i + group]->prepared->source == m->actors[i]->prepared->source) {
            group++;
        }
        if (group > 1) {
            step_together(m->actors + i, m->intents + i, group, m->dt, work);
        } else {
            am_actor_step(m->actors[i], &m->intents[i], m->dt);
        }
        i += group;
    }
}

static void step_slot(void *context, int slot)
{
    const many *m = context;
    for (int first = slot * crowd; first < m->count; first += m->slots * crowd) {
        step_chunk(m, first, m->count - first < crowd ? m->count - first : crowd, slot);
    }
}

void am_actors_step(am_actor *const *actors, const am_intent *intents, int count, float dt, const am_tasks *tasks)
{
    if (count < 1) {
        return;
    }
    int chunks = (count + crowd - 1) / crowd;
    many m = { actors, intents, count, chunks, dt, ami_asset_borrow(actors[0]->asset), actors[0]->asset };
    if (m.lent && chunks > AMI_ASSET_SLOTS) {
        m.slots = AMI_ASSET_SLOTS; // each has a work of its own
    }
    am_tasks serial = ami_tasks_serial();
    const am_tasks *run = tasks ? tasks : &serial;
    run->run(run->user, m.slots, step_slot, &m);
    if (m.lent) {
        ami_asset_return(m.asset);
    }
}

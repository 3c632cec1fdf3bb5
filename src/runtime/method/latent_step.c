// The step of flow and segment characters, for any number of them at once: ticks at the model's rate, each of which
// takes the next latents, decodes them and steadies their rotations (Operators section 5), and poses between the last
// two ticks. Batches give the bits of single steps.
#include "method/latent.h"

#include "data/filter.h"
#include "method/decoder.h"

#include <math.h>
#include <string.h>

// A phase this near the end of a tick is its end: rounding of summed steps must not bring a tick one step late.
#define PHASE_SLACK 1e-3f

static ami_latent_head *head_of(const ami_latent_batch *b, int member) { return b->states[member]; }
static float *part_of(const ami_latent_batch *b, int member, int at)
{
    return ami_latent_at(b->latent, b->states[member], at);
}

static am_quat get_turn(const float *turns, int joint)
{
    const float *q = turns + 4 * (size_t)joint;
    return (am_quat){ q[0], q[1], q[2], q[3] };
}

static void put_turn(float *turns, int joint, am_quat q)
{
    float *out = turns + 4 * (size_t)joint;
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

static am_vec3 get_v3(const float *at) { return am_v3(at[0], at[1], at[2]); }

/// turns(joints x 4): the rotations of a pose vector as they are.
static void read_turns(const ami_latent *l, float *turns, const float *y)
{
    for (int j = 0; j < l->joints; j++) {
        put_turn(turns, j, am_quat_from_two_axis(y + l->layout.rotations + 6 * j));
    }
}

// ---------------------------------------------------------------------------------------------
// States

size_t ami_latent_state_size(const am_source *source)
{
    return (size_t)ami_latent_of(source)->state_floats * sizeof(float);
}

/// Both ticks at the same latents and pose.
static void begin_at(const ami_latent *l, void *state, const float *z, const float *y)
{
    ami_latent_head *head = state;
    const size_t latents = (size_t)l->z * sizeof(float);
    memcpy(ami_latent_at(l, state, l->at_before), z, latents);
    memcpy(ami_latent_at(l, state, l->at_last), z, latents);
    memcpy(ami_latent_at(l, state, l->at_next), z, latents);
    for (int i = 0; i < 2; i++) {
        memcpy(ami_latent_at(l, state, l->at_y[i]), y, (size_t)l->y * sizeof(float));
        read_turns(l, ami_latent_at(l, state, l->at_turn[i]), y);
    }
    head->phase = 1.0f;
    head->played = -1;
}

void ami_latent_reset(const am_source *source, void *state, int frame, const am_settings *settings)
{
    (void)settings;
    const ami_latent *l = ami_latent_of(source);
    int start = frame >= 0 && frame < l->data.head.start_count ? frame : l->standing;
    memset(state, 0, ami_latent_state_size(source));
    begin_at(l, state, l->data.starts + (size_t)start * (size_t)l->z, l->starts + (size_t)start * (size_t)l->y);
}

/// The pose between the two ticks.
static void read_pose(const ami_latent *l, const void *state, am_source_output *out)
{
    float phase = ((const ami_latent_head *)state)->phase;
    const float *base = (const float *)(const void *)((const ami_latent_head *)state + 1);
    const float *y[2] = { base + l->at_y[0], base + l->at_y[1] };
    const float *turn[2] = { base + l->at_turn[0], base + l->at_turn[1] };
    const am_db *db = l->character;
    for (int j = 0; j < l->joints; j++) {
        am_quat last = get_turn(turn[1], j);
        am_quat before = am_quat_nearest(get_turn(turn[0], j), last);
        out->local[j].rotation = phase >= 1.0f ? last : am_quat_nlerp(before, last, phase);
        out->local[j].translation = db->skeleton->offsets[j];
    }
    for (int m = 0; m < l->layout.moving_count; m++) {
        int at = l->layout.translations + 3 * m;
        am_vec3 last = get_v3(y[1] + at);
        out->local[db->moving[m]].translation = phase >= 1.0f ? last : am_v3_lerp(get_v3(y[0] + at), last, phase);
    }
    out->contacts = ami_contacts_from(&l->layout, y[phase >= 0.5f]);
    out->frame = -1;
    out->fraction = 0.0f;
}

void ami_latent_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work)
{
    (void)work;
    read_pose(ami_latent_of(source), state, out);
}

// ---------------------------------------------------------------------------------------------
// Arrival: another source moved the body until now

/// y(l->y): the pose vector of a body.
static void write_body(const ami_latent *l, float *y, const am_source_pose *body, uint8_t contacts)
{
    const ami_pose_layout *p = &l->layout;
    const am_db *db = l->character;
    memset(y, 0, (size_t)l->y * sizeof(float));
    for (int m = 0; m < p->moving_count; m++) {
        int j = db->moving[m];
        memcpy(y + p->translations + 3 * m, &body->local[j].translation, 3 * sizeof(float));
        memcpy(y + p->velocities + 3 * m, &body->velocity[j].linear, 3 * sizeof(float));
    }
    for (int j = 0; j < l->joints; j++) {
        am_quat_to_two_axis(body->local[j].rotation, y + p->rotations + 6 * j);
        memcpy(y + p->angular + 3 * j, &body->velocity[j].angular, 3 * sizeof(float));
    }
    memcpy(y + p->root_linear, &body->root_linear, 3 * sizeof(float));
    memcpy(y + p->root_angular, &body->root_angular, 3 * sizeof(float));
    y[p->contacts] = contacts & AM_CONTACT_LEFT ? 1.0f : 0.0f;
    y[p->contacts + 1] = contacts & AM_CONTACT_RIGHT ? 1.0f : 0.0f;
}

static void clamp_latents(const ami_latent *l, float *z)
{
    for (int d = 0; d < l->z; d++) {
        z[d] = am_clamp(z[d], l->data.low[d], l->data.high[d]);
    }
}

/// pose(l->y): decodes latents; NULL when they or the pose are not finite.
static const float *decode_one(ami_latent_batch *b, const float *z)
{
    const ami_latent *l = b->latent;
    const ami_latent_net *d = &l->nets[ami_latent_decoder];
    am_net_put(b->nets[ami_latent_decoder], d->in[0], 0, z);
    ami_latent_run(b, ami_latent_decoder, 1);
    const float *y = ami_net_output(b->nets[ami_latent_decoder], d->out, 0, 0);
    return ami_all_finite(y, l->y) ? y : NULL;
}

/// The state goes on from the body, as near as the latents can say it.
static void arrive(ami_latent_batch *b, int member)
{
    const ami_latent *l = b->latent;
    am_source_output *out = b->outs[member];
    const ami_latent_net *e = &l->nets[ami_latent_encoder];
    am_net_work *work = b->nets[ami_latent_encoder];
    float *z = part_of(b, member, l->at_next);
    write_body(l, ami_net_input(work, e->in[0], 0, 0), b->inputs[member]->body, out->contacts);
    ami_latent_run(b, ami_latent_encoder, 1);
    memcpy(z, ami_net_output(work, e->out, 0, 0), (size_t)l->z * sizeof(float));
    bool good = ami_all_finite(z, l->z);
    const float *y = NULL;
    if (good) {
        clamp_latents(l, z);
        y = decode_one(b, z);
    }
    if (y) {
        begin_at(l, b->states[member], z, y);
    } else {
        begin_at(l, b->states[member], l->data.starts + (size_t)l->standing * (size_t)l->z,
                 l->starts + (size_t)l->standing * (size_t)l->y);
        out->fell_back = true;
    }
    out->transition = true;
    ami_side_from(&out->landed, &l->layout, part_of(b, member, l->at_y[1]), l->character);
}

// ---------------------------------------------------------------------------------------------
// Ticks

/// Rotations of the last tick: what the pose says, and where the angular velocities lead from the tick before
/// (section 5: 0.25 and 0.75).
static void steady(const ami_latent_batch *b, int member)
{
    const ami_latent *l = b->latent;
    const am_settings *set = b->inputs[member]->settings;
    const float *y[2] = { part_of(b, member, l->at_y[0]), part_of(b, member, l->at_y[1]) };
    const float *before = part_of(b, member, l->at_turn[0]);
    float *last = part_of(b, member, l->at_turn[1]);
    float share = set ? set->steady : 0.75f;
    float half = 0.5f / l->data.head.fps;
    read_turns(l, last, y[1]);
    for (int j = 0; j < l->joints && share > 0.0f; j++) {
        am_vec3 w = am_v3_add(get_v3(y[0] + l->layout.angular + 3 * j), get_v3(y[1] + l->layout.angular + 3 * j));
        am_quat led = am_quat_mul(am_quat_from_scaled_axis(am_v3_scale(w, half)), get_turn(before, j));
        am_quat said = am_quat_nearest(get_turn(last, j), led);
        put_turn(last, j, am_quat_normalize(am_quat_nlerp(said, led, share)));
    }
}

/// One side of a transition: the pose of one of the two ticks.
static void tell_side(const ami_latent_batch *b, int member, am_source_pose *side, int tick)
{
    const ami_latent *l = b->latent;
    const float *turns = part_of(b, member, l->at_turn[tick]);
    ami_side_from(side, &l->layout, part_of(b, member, l->at_y[tick]), l->character);
    for (int j = 0; j < l->joints; j++) {
        side->local[j].rotation = get_turn(turns, j);
    }
    ami_settle(b->inputs[member], &side->root_linear, &side->root_angular);
}

/// The tick before becomes where the last one comes from by its own velocities: another motion begins there.
static void look_back(const ami_latent_batch *b, int member)
{
    const ami_latent *l = b->latent;
    const ami_pose_layout *p = &l->layout;
    float *before = part_of(b, member, l->at_y[0]);
    const float *last = part_of(b, member, l->at_y[1]);
    float *turns = part_of(b, member, l->at_turn[0]);
    float h = 1.0f / l->data.head.fps;
    memcpy(before, last, (size_t)l->y * sizeof(float));
    for (int i = 0; i < 3 * p->moving_count; i++) {
        before[p->translations + i] -= h * last[p->velocities + i];
    }
    read_turns(l, turns, last);
    for (int j = 0; j < l->joints; j++) {
        am_quat back = am_quat_from_scaled_axis(am_v3_scale(get_v3(last + p->angular + 3 * j), -h));
        am_quat turn = am_quat_normalize(am_quat_mul(back, get_turn(turns, j)));
        put_turn(turns, j, turn);
        am_quat_to_two_axis(turn, before + p->rotations + 6 * j);
    }
}

/// A decoded pose becomes that of the last tick.
static void take_pose(ami_latent_batch *b, int member, const float *y)
{
    const ami_latent *l = b->latent;
    am_source_output *out = b->outs[member];
    bool seam = l->segments && head_of(b, member)->played == 1;
    if (seam) {
        tell_side(b, member, &out->left, 1);
    }
    memcpy(part_of(b, member, l->at_y[1]), y, (size_t)l->y * sizeof(float));
    memcpy(part_of(b, member, l->at_last), part_of(b, member, l->at_next), (size_t)l->z * sizeof(float));
    if (seam) {
        look_back(b, member);
    }
    steady(b, member);
    if (seam) {
        tell_side(b, member, &out->landed, 0);
        out->transition = true;
    }
}

/// The next latents of the listed members become the last tick. Where they cannot be decoded the pose stays, at rest.
static void advance(ami_latent_batch *b)
{
    const ami_latent *l = b->latent;
    const ami_latent_net *d = &l->nets[ami_latent_decoder];
    am_net_work *work = b->nets[ami_latent_decoder];
    const size_t latents = (size_t)l->z * sizeof(float);
    for (int i = 0; i < b->listed; i++) {
        float *next = part_of(b, b->list[i], l->at_next);
        if (!ami_all_finite(next, l->z)) {
            memcpy(next, part_of(b, b->list[i], l->at_last), latents);
            b->outs[b->list[i]]->fell_back = true;
        }
        clamp_latents(l, next);
        am_net_put(work, d->in[0], i, next);
    }
    ami_latent_run(b, ami_latent_decoder, b->listed);
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        const float *y = ami_net_output(work, d->out, i, 0);
        float *last = part_of(b, m, l->at_y[1]);
        memcpy(part_of(b, m, l->at_y[0]), last, (size_t)l->y * sizeof(float));
        memcpy(part_of(b, m, l->at_turn[0]), part_of(b, m, l->at_turn[1]), 4 * (size_t)l->joints * sizeof(float));
        memcpy(part_of(b, m, l->at_before), part_of(b, m, l->at_last), latents);
        head_of(b, m)->ticks++;
        if (ami_all_finite(y, l->y)) {
            take_pose(b, m, y);
        } else {
            memset(last + l->layout.root_linear, 0, 6 * sizeof(float));
            b->outs[m]->fell_back = true;
        }
    }
}

/// How the root moves in the first `share` of the way between the two ticks, in its frame at the tick before.
static am_transform way_of(const ami_latent_batch *b, int member, float share)
{
    const ami_latent *l = b->latent;
    const float *y[2] = { part_of(b, member, l->at_y[0]), part_of(b, member, l->at_y[1]) };
    float scale = 0.5f * share / l->data.head.fps;
    am_vec3 v = am_v3_add(get_v3(y[0] + l->layout.root_linear), get_v3(y[1] + l->layout.root_linear));
    am_vec3 w = am_v3_add(get_v3(y[0] + l->layout.root_angular), get_v3(y[1] + l->layout.root_angular));
    return (am_transform){ am_quat_from_scaled_axis(am_v3_scale(w, scale)), am_v3_scale(v, scale) };
}

/// Moves along from the present phase to another one of the same tick.
static void move_to(ami_latent_batch *b, int member, float phase)
{
    ami_latent_head *head = head_of(b, member);
    if (phase > head->phase) {
        am_transform here = way_of(b, member, head->phase);
        am_transform on = am_transform_mul(am_transform_inv(here), way_of(b, member, phase));
        b->moved[member] = am_transform_mul(b->moved[member], on);
    }
    head->phase = phase;
}

// ---------------------------------------------------------------------------------------------
// Steps

static void tell(ami_latent_batch *b, int member)
{
    const ami_latent *l = b->latent;
    am_source_output *out = b->outs[member];
    const am_source_input *input = b->inputs[member];
    float rate = 1.0f / input->dt;
    read_pose(l, b->states[member], out);
    am_vec3 turn = am_quat_to_scaled_axis(am_quat_abs(b->moved[member].rotation));
    out->root_linear = am_v3_scale(b->moved[member].translation, rate);
    out->root_angular = am_v3_scale(turn, rate);
    ami_settle(input, &out->root_linear, &out->root_angular);
    int count = l->c < AM_MAX_FEATURES ? l->c : AM_MAX_FEATURES;
    memcpy(out->answer, part_of(b, member, l->at_encoding), (size_t)count * sizeof(float));
    out->encoding_count = count;
}

static void begin_member(ami_latent_batch *b, int member)
{
    am_source_output *out = b->outs[member];
    out->transition = out->searched = out->ended = out->fell_back = out->softened = false;
    out->candidate_count = out->searches = out->steps = out->asked_count = 0;
    out->cost = out->stay_cost = out->search_us = 0.0f;
    b->moved[member] = am_transform_identity();
    if (b->inputs[member]->body) {
        arrive(b, member);
    }
}

/// Lists the members whose tick is over before the step is; they stand at its end.
static void list_due(ami_latent_batch *b, float *left)
{
    b->listed = 0;
    for (int m = 0; m < b->count; m++) {
        float phase = head_of(b, m)->phase;
        if (phase + left[m] > 1.0f + PHASE_SLACK) {
            left[m] -= 1.0f - phase;
            move_to(b, m, 1.0f);
            b->list[b->listed++] = m;
        }
    }
}

static void step_some(ami_latent_batch *b)
{
    const am_clock *clock = b->inputs[0]->clock;
    double begun = clock ? clock->microseconds(clock->user) : 0.0;
    float left[ami_latent_crowd] = { 0.0f };
    for (int m = 0; m < b->count; m++) {
        begin_member(b, m);
        left[m] = am_clamp(b->inputs[m]->dt * b->latent->data.head.fps, 0.0f, 1e3f);
    }
    for (list_due(b, left); b->listed > 0; list_due(b, left)) {
        ami_latent_ask(b);
        b->latent->solve(b);
        advance(b);
        for (int i = 0; i < b->listed; i++) {
            head_of(b, b->list[i])->phase = 0.0f;
        }
    }
    double ended = clock ? clock->microseconds(clock->user) : 0.0;
    for (int m = 0; m < b->count; m++) {
        float phase = head_of(b, m)->phase + left[m];
        move_to(b, m, phase > 1.0f - PHASE_SLACK ? 1.0f : phase);
        b->outs[m]->search_us = (float)(ended - begun) / (float)b->count;
        tell(b, m);
    }
}

void ami_latent_step_batch(const am_source *source, void *const *states, am_source_output *const *outs,
                           const am_source_input *const *inputs, int count, am_search_work *work)
{
    ami_latent_batch b = { .latent = ami_latent_of(source),
                           .nets = ami_search_work_nets(work),
                           .value = ami_latent_value(work) };
    int most = ami_net_work_batch(b.nets[ami_latent_decoder]);
    most = most < ami_latent_crowd ? most : ami_latent_crowd;
    for (int first = 0; first < count; first += most) {
        b.states = states + first;
        b.outs = outs + first;
        b.inputs = inputs + first;
        b.count = count - first < most ? count - first : most;
        step_some(&b);
    }
}

void ami_latent_step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                     am_search_work *work)
{
    ami_latent_step_batch(source, &state, &out, &input, 1, work);
}

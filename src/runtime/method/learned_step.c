// One step of learned motion matching (LMM figure 3), for any number of characters at once: the Projector for the
// characters that are due, then Stepper and Decompressor for all. Batches give the bits of single steps.
#include "method/learned.h"

#include "data/index.h"
#include "data/features.h"

#include <math.h>
#include <string.h>

// Rounding of summed steps must not put a projection off by a whole step.
#define TIME_SLACK_S 1e-4f
// The same limits as the automatic tags of a database (src/tools/build/auto_tags.c).
#define IDLE_MPS 0.25f
#define RUN_MPS 2.0f
// A motion that plays through is projected back onto the data at this share of the distance that refuses a query.
#define ASTRAY 0.5f
// Characters that are stepped together: beyond this a batch gains nothing.
enum { crowd = 64 };

/// Everything about the characters of one batch.
typedef struct batch {
    const ami_learned *learned;
    void *const *states;
    am_source_output *const *outs;
    const am_source_input *const *inputs;
    int count;
    am_net_work **nets;
    int list[crowd]; ///< members that the next run of a network concerns
    int listed;
    am_transform moved[crowd]; ///< movement of the root so far in this step
} batch;

static void run(const batch *b, int net)
{
    if (b->listed > 0) {
        am_net_run(b->learned->nets[net].net, b->nets[net], b->listed);
    }
}

// ---------------------------------------------------------------------------------------------
// Projecting

/// The gait that a desired trajectory asks for, as bits of the database's tags.
static uint64_t gait_of(const ami_learned *l, const am_source_input *input)
{
    const am_query_point *points = input->trajectory;
    int last = 0;
    while (last < input->trajectory_count && !(points[last].time > 0.0f)) {
        last++;
    }
    if (last >= input->trajectory_count) {
        return 0;
    }
    am_vec3 way = am_v3_ground(am_v3_sub(points[last].position, input->root.translation));
    float speed = am_v3_length(way) / points[last].time;
    int tag = l->tags[speed >= RUN_MPS ? 2 : speed >= IDLE_MPS ? 1 : 0];
    return tag >= 0 ? (uint64_t)1 << tag : 0;
}

/// A query to stand has zero velocities: with those of a walk the Projector answers with a slower walk, again and
/// again. Matching lands on a standing frame at once, by its filter, and so does this query; the inertialisation
/// brings the body there.
static void be_still(const am_schema *schema, float *raw)
{
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        if (channel->kind == AM_FEATURE_VELOCITY) {
            memset(raw + channel->first, 0, (size_t)channel->dims * sizeof *raw);
        }
    }
}

/// The start state of a motion that is played through, by its tags; -1 without.
static int start_of(const ami_learned *l, uint64_t tags)
{
    uint64_t heard = tags & l->heard;
    for (int i = 0; i < l->character->frame_count; i++) {
        if (heard && (l->character->tags[i] & heard) == heard) {
            return i;
        }
    }
    return -1;
}

/// A dance or a jump, once started, is played through by the Stepper, as matching plays a clip through.
static bool plays_through(const am_source_input *input) { return input->hold && !input->stand && !input->search_now; }

/// q(count): the present features, with the target's trajectory.
static void make_query(const ami_learned *l, void *state, float *q, const am_source_input *input)
{
    const am_features *features = &l->character->features;
    float stored[AM_MAX_FEATURES + 8] = { 0 };
    float raw[AM_MAX_FEATURES];
    memcpy(stored, ami_learned_x(state), (size_t)l->count * sizeof(float));
    ami_features_denormalise(features, raw, stored);
    ami_features_move_feet(features->schema, raw, input->feet);
    bool own_way = plays_through(input);
    uint64_t tags = input->wanted_tags;
    tags |= (tags & l->heard) ? 0 : gait_of(l, input);
    ami_query query = ami_query_default();
    query.current = raw;
    query.root = input->root;
    query.pose = input->pose;
    query.velocity = input->velocity;
    query.roles = l->base.roles;
    query.trajectory = own_way || input->trajectory_count == 0 ? NULL : input->trajectory;
    query.trajectory_count = own_way ? 0 : input->trajectory_count;
    query.tags = own_way ? NULL : &tags;
    if (input->stand) {
        be_still(features->schema, raw);
        query.velocity = NULL;
    }
    ami_query_make(features, q, &query);
    // A query to dance in place would project to a dancer waiting for the music: a motion that is played through
    // begins at its start state.
    int start = input->hold && !input->stand && input->search_now ? start_of(l, tags) : -1;
    if (start >= 0) {
        memcpy(q, am_db_x(l->character, start), (size_t)l->count * sizeof *q);
    }
}

static float distance2(const float *a, const float *b, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

/// The present body with the target of the last query within the data.
static void recall(const ami_learned *l, void *state, float *q)
{
    const am_schema *schema = l->character->features.schema;
    const float *good = ami_learned_good(l, state);
    memcpy(q, ami_learned_x(state), (size_t)l->count * sizeof(float));
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        if (ami_channel_is_target(channel)) {
            memcpy(q + channel->first, good + channel->first, (size_t)channel->dims * sizeof(float));
        }
    }
}

/// One side of a transition of a member, whose state says what it is.
static void tell_side(const batch *b, int member, am_source_pose *side)
{
    const ami_learned *l = b->learned;
    ami_side_from(side, &l->layout, ami_learned_y(l, b->states[member]), l->character);
    ami_settle(b->inputs[member], &side->root_linear, &side->root_angular);
}

/// Takes over the Projector's answer; false when it is not finite or too far from the query.
static bool accept(const batch *b, int member, int sample)
{
    const ami_learned *l = b->learned;
    void *state = b->states[member];
    am_source_output *out = b->outs[member];
    const float *xz = ami_part_net_get(&l->nets[ami_net_projector], b->nets[ami_net_projector], sample);
    float away = distance2(xz, out->query, l->count);
    bool too_far = l->far > 0.0f && away > l->far * l->far && !plays_through(b->inputs[member]);
    if (!ami_all_finite(xz, l->count + l->latent) || !(away * 0.0f == 0.0f) || too_far) {
        return false;
    }
    // A motion that plays through is left alone while it is near the data: each projection changes its direction and
    // speed a little.
    if (plays_through(b->inputs[member]) && !(l->far > 0.0f && away > ASTRAY * ASTRAY * l->far * l->far)) {
        return true;
    }
    memcpy(out->answer, xz, (size_t)l->count * sizeof(float));
    out->cost = away;
    out->stay_cost = distance2(ami_learned_x(state), out->query, l->count);
    tell_side(b, member, &out->left);
    memcpy(ami_learned_x(state), xz, (size_t)(l->count + l->latent) * sizeof(float)); // z follows x
    memcpy(ami_learned_good(l, state), out->query, (size_t)l->count * sizeof(float));
    ((ami_learned_head *)state)->good = 1.0f;
    out->transition = true;
    return true;
}

/// Projects the listed members; those that were refused stay listed.
static void project(batch *b)
{
    const ami_learned *l = b->learned;
    for (int i = 0; i < b->listed; i++) {
        ami_part_net_put(&l->nets[ami_net_projector], b->nets[ami_net_projector], i, b->outs[b->list[i]]->query,
                         NULL);
    }
    run(b, ami_net_projector);
    int refused = 0;
    for (int i = 0; i < b->listed; i++) {
        int member = b->list[i];
        b->outs[member]->searches++;
        if (!accept(b, member, i)) {
            b->list[refused++] = member;
        }
    }
    b->listed = refused;
}

/// Lists the characters that project in this step, with their queries.
static void list_due(batch *b)
{
    const ami_learned *l = b->learned;
    b->listed = 0;
    for (int m = 0; m < b->count; m++) {
        ami_learned_head *head = b->states[m];
        am_source_output *out = b->outs[m];
        const am_source_input *input = b->inputs[m];
        out->transition = out->searched = out->ended = out->fell_back = out->softened = false;
        out->root_linear = out->root_angular = am_v3_zero();
        out->candidate_count = out->searches = 0;
        out->frame = -1;
        out->fraction = 0.0f;
        head->since_s += input->dt;
        float every = input->settings ? input->settings->search_every_s : l->search_every_s;
        if (input->search_now || head->since_s + TIME_SLACK_S >= every) {
            head->since_s = 0.0f;
            out->searched = true;
            make_query(l, b->states[m], out->query, input);
            b->list[b->listed++] = m;
        }
    }
}

static void project_due(batch *b)
{
    const ami_learned *l = b->learned;
    list_due(b);
    project(b);
    // Far outside the data, or not finite: projects again with the last good target, if there is one.
    int again = 0;
    for (int i = 0; i < b->listed; i++) {
        int member = b->list[i];
        b->outs[member]->fell_back = true;
        const ami_learned_head *head = b->states[member];
        if (head->good > 0.0f && !l->character->features.pca) {
            recall(l, b->states[member], b->outs[member]->query);
            b->list[again++] = member;
        }
    }
    b->listed = again;
    project(b);
}

// ---------------------------------------------------------------------------------------------
// Stepping

/// The pose vectors of the listed members. A member without a finite one returns to standing, where everything is
/// known.
static void decompress(batch *b)
{
    const ami_learned *l = b->learned;
    for (int i = 0; i < b->listed; i++) {
        void *state = b->states[b->list[i]];
        ami_part_net_put(&l->nets[ami_net_decompressor], b->nets[ami_net_decompressor], i, ami_learned_x(state),
                         ami_learned_z(l, state));
    }
    run(b, ami_net_decompressor);
    for (int i = 0; i < b->listed; i++) {
        void *state = b->states[b->list[i]];
        const float *y = ami_part_net_get(&l->nets[ami_net_decompressor], b->nets[ami_net_decompressor], i);
        if (ami_all_finite(y, l->layout.count)) {
            memcpy(ami_learned_y(l, state), y, (size_t)l->layout.count * sizeof(float));
        } else {
            ami_learned_begin(l, state, l->standing);
            b->outs[b->list[i]]->fell_back = true;
        }
    }
}

static void land(batch *b)
{
    b->listed = 0;
    for (int m = 0; m < b->count; m++) {
        if (b->outs[m]->transition) {
            b->list[b->listed++] = m;
        }
    }
    decompress(b);
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        tell_side(b, m, &b->outs[m]->landed);
    }
}

/// How many steps the networks take in dt: they were trained on steps of about a frame.
static int steps_of(const ami_learned *l, float dt)
{
    int steps = (int)floorf(am_clamp(dt * l->character->fps, 0.0f, 1e4f) + 0.5f);
    return steps < 1 ? 1 : steps;
}

/// Advances x and z of the listed members by one step of any length (LMM section 7.1).
static void advance(batch *b)
{
    const ami_learned *l = b->learned;
    int both = l->count + l->latent;
    for (int i = 0; i < b->listed; i++) {
        void *state = b->states[b->list[i]];
        ami_part_net_put(&l->nets[ami_net_stepper], b->nets[ami_net_stepper], i, ami_learned_x(state),
                         ami_learned_z(l, state));
    }
    run(b, ami_net_stepper);
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        float dt = b->inputs[m]->dt / (float)steps_of(l, b->inputs[m]->dt);
        float *xz = ami_learned_x(b->states[m]);
        const float *rate = ami_part_net_get(&l->nets[ami_net_stepper], b->nets[ami_net_stepper], i);
        if (!ami_all_finite(rate, both)) {
            b->outs[m]->fell_back = true;
            continue;
        }
        for (int d = 0; d < both; d++) {
            xz[d] += dt * rate[d];
        }
    }
}

static void root_of(const ami_learned *l, void *state, am_vec3 *linear, am_vec3 *angular)
{
    const float *y = ami_learned_y(l, state);
    const float *v = y + l->layout.root_linear;
    const float *w = y + l->layout.root_angular;
    *linear = am_v3(v[0], v[1], v[2]);
    *angular = am_v3(w[0], w[1], w[2]);
}

/// One step of the networks for the listed members; the root moves by the mean of its velocities before and after.
static void step_once(batch *b)
{
    const ami_learned *l = b->learned;
    am_vec3 linear[crowd], angular[crowd];
    for (int i = 0; i < b->listed; i++) {
        root_of(l, b->states[b->list[i]], &linear[i], &angular[i]);
    }
    advance(b);
    decompress(b);
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        float dt = b->inputs[m]->dt / (float)steps_of(l, b->inputs[m]->dt);
        am_vec3 v, w;
        root_of(l, b->states[m], &v, &w);
        am_transform way = { am_quat_from_scaled_axis(am_v3_scale(am_v3_add(w, angular[i]), 0.5f * dt)),
                             am_v3_scale(am_v3_add(v, linear[i]), 0.5f * dt) };
        b->moved[m] = am_transform_mul(b->moved[m], way);
    }
}

/// Pose, contacts and the root's mean velocity of one member.
static void tell(const batch *b, int m)
{
    const ami_learned *l = b->learned;
    am_source_output *out = b->outs[m];
    const float *y = ami_learned_y(l, b->states[m]);
    float rate = 1.0f / b->inputs[m]->dt;
    ami_pose pose = { .local = out->local };
    ami_pose_read(&pose, &l->layout, y, l->character->skeleton, l->character->moving);
    out->contacts = ami_contacts_from(&l->layout, y);
    am_vec3 turn = am_quat_to_scaled_axis(am_quat_abs(b->moved[m].rotation));
    out->root_linear = am_v3_scale(b->moved[m].translation, rate);
    out->root_angular = am_v3_scale(turn, rate);
    ami_settle(b->inputs[m], &out->root_linear, &out->root_angular);
}

static void step_some(batch *b, const am_source_input *const *inputs)
{
    const ami_learned *l = b->learned;
    double before = inputs[0]->clock ? inputs[0]->clock->microseconds(inputs[0]->clock->user) : 0.0;
    project_due(b);
    land(b);
    double after = inputs[0]->clock ? inputs[0]->clock->microseconds(inputs[0]->clock->user) : 0.0;
    int most = 1;
    for (int m = 0; m < b->count; m++) {
        int steps = steps_of(l, inputs[m]->dt);
        most = steps > most ? steps : most;
        b->moved[m] = am_transform_identity();
        b->outs[m]->search_us = (float)(after - before) / (float)b->count;
    }
    for (int s = 0; s < most; s++) {
        b->listed = 0;
        for (int m = 0; m < b->count; m++) {
            if (s < steps_of(l, inputs[m]->dt)) {
                b->list[b->listed++] = m;
            }
        }
        step_once(b);
    }
    for (int m = 0; m < b->count; m++) {
        tell(b, m);
    }
}

void ami_learned_step(const am_source *source, void *const *states, am_source_output *const *outs,
                      const am_source_input *const *inputs, int count, am_search_work *work)
{
    batch b = { .learned = ami_learned_of(source), .nets = ami_search_work_nets(work) };
    int most = ami_net_work_batch(b.nets[ami_net_stepper]);
    most = most < crowd ? most : crowd;
    for (int first = 0; first < count; first += most) {
        b.states = states + first;
        b.outs = outs + first;
        b.inputs = inputs + first;
        b.count = count - first < most ? count - first : most;
        step_some(&b, b.inputs);
    }
}

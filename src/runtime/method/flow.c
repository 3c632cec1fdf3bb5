// Latent flow matching (Operators 4.2, algorithm 2): each tick transports noise to the next latents in S Euler steps,
// given the last ones and the encoded control.
#include "method/flow.h"

#include <math.h>
#include <string.h>

enum { in_x, in_previous, in_control, in_time, in_noise };

/// The numbers of a character's settings, or the model's own.
typedef struct numbers {
    int steps;
    float noise, memory, guidance;
} numbers;

static numbers numbers_of(const ami_latent *l, const am_settings *set)
{
    const ami_flow_head *h = &l->data.head;
    bool guided = (h->flags & AMI_FLOW_GUIDED) != 0 && l->c > 0;
    return (numbers){
        .steps = set && set->steps > 0 ? set->steps : h->steps,
        .noise = set && set->noise >= 0.0f ? set->noise : h->noise,
        .memory = set && set->noise_memory >= 0.0f ? set->noise_memory : h->noise_memory,
        .guidance = !guided                        ? 1.0f
                    : set && set->guidance >= 0.0f ? set->guidance
                                                   : h->guidance,
    };
}

/// The start of a tick: noise of each latent's own deviation, which changes slowly over the ticks.
static void draw(const ami_latent_batch *b, int member)
{
    const ami_latent *l = b->latent;
    void *state = b->states[member];
    numbers n = numbers_of(l, b->inputs[member]->settings);
    am_rng *rng = b->inputs[member]->rng;
    float *noise = ami_latent_at(l, state, l->at_noise);
    float *x = ami_latent_at(l, state, l->at_next);
    bool first = ((const ami_latent_head *)state)->ticks == 0;
    float memory = first ? 0.0f : n.memory;
    float fresh = sqrtf(am_max(1.0f - memory * memory, 0.0f));
    for (int d = 0; d < l->z; d++) {
        float drawn = rng ? am_rng_normal(rng) : 0.0f;
        noise[d] = memory * noise[d] + fresh * drawn;
        x[d] = n.noise * l->data.deviation[d] * noise[d];
    }
}

/// Samples that a member takes in a run: with guidance one with and one without its control.
static int samples_of(const ami_latent_batch *b, int member)
{
    return numbers_of(b->latent, b->inputs[member]->settings).guidance != 1.0f ? 2 : 1;
}

static void put(const ami_latent_batch *b, int member, int sample, float time, const float *encoding)
{
    const ami_latent *l = b->latent;
    const ami_latent_net *net = &l->nets[ami_latent_main];
    am_net_work *work = b->nets[ami_latent_main];
    void *state = b->states[member];
    am_net_put(work, net->in[in_x], sample, ami_latent_at(l, state, l->at_next));
    am_net_put(work, net->in[in_previous], sample, ami_latent_at(l, state, l->at_last));
    am_net_put(work, net->in[in_time], sample, &time);
    if (net->in[in_control] >= 0 && encoding) {
        am_net_put(work, net->in[in_control], sample, encoding);
    } else if (net->in[in_control] >= 0) {
        memset(ami_net_input(work, net->in[in_control], sample, 0), 0, (size_t)l->c * sizeof(float));
    }
    if (net->in[in_noise] >= 0) {
        am_net_put(work, net->in[in_noise], sample, &l->data.head.pose_noise);
    }
}

/// One Euler step of a member from what the network said.
static void move(const ami_latent_batch *b, int member, int sample, int s, const numbers *n)
{
    const ami_latent *l = b->latent;
    const ami_latent_net *net = &l->nets[ami_latent_main];
    const float *with = ami_net_output(b->nets[ami_latent_main], net->out, sample, 0);
    bool guided = n->guidance != 1.0f;
    const float *without = guided ? ami_net_output(b->nets[ami_latent_main], net->out, sample + 1, 0) : with;
    float *x = ami_latent_at(l, b->states[member], l->at_next);
    bool velocity = (l->data.head.flags & AMI_FLOW_VELOCITY) != 0;
    // Velocity: 1/S of it. Clean sample: the velocity is (clean - x) / (1 - s/S), and 1/S of that.
    float share = 1.0f / (velocity ? (float)n->steps : (float)(n->steps - s));
    for (int d = 0; d < l->z; d++) {
        float said = guided ? without[d] + n->guidance * (with[d] - without[d]) : with[d];
        x[d] += share * (velocity ? said : said - x[d]);
    }
}

static void flow_solve(ami_latent_batch *b)
{
    const ami_latent *l = b->latent;
    int most = 1;
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        int steps = numbers_of(l, b->inputs[m]->settings).steps;
        draw(b, m);
        b->outs[m]->steps = steps;
        most = steps > most ? steps : most;
    }
    for (int s = 0; s < most; s++) {
        int samples = 0;
        for (int i = 0; i < b->listed; i++) {
            int m = b->list[i];
            int steps = b->outs[m]->steps;
            if (s < steps) {
                float time = (float)s / (float)steps;
                const float *encoding = l->c > 0 ? ami_latent_at(l, b->states[m], l->at_encoding) : NULL;
                put(b, m, samples, time, encoding);
                if (samples_of(b, m) == 2) {
                    put(b, m, samples + 1, time, NULL);
                }
                samples += samples_of(b, m);
            }
        }
        ami_latent_run(b, ami_latent_main, samples);
        samples = 0;
        for (int i = 0; i < b->listed; i++) {
            int m = b->list[i];
            if (s < b->outs[m]->steps) {
                numbers n = numbers_of(l, b->inputs[m]->settings);
                move(b, m, samples, s, &n);
                samples += samples_of(b, m);
            }
        }
    }
}

static const am_source_interface interface = {
    .name = "flow",
    .state_size = ami_latent_state_size,
    .reset = ami_latent_reset,
    .pose = ami_latent_pose,
    .step = ami_latent_step,
    .destroy = ami_latent_destroy,
    .make_work = ami_latent_make_work,
    .step_batch = ami_latent_step_batch,
};

am_result ami_flow_create(am_source **out, const ami_latent_def *def, am_error *err)
{
    static const ami_latent_kind kind = { .interface = &interface,
                                          .part = "flow",
                                          .inputs = { "x", "previous", "control", "time", "noise" },
                                          .needed = { true, true, true, true, false },
                                          .output = "latent",
                                          .solve = flow_solve };
    return ami_latent_create(out, def, &kind, err);
}

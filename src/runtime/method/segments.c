// Segment-based learned motion matching (Operators 4.3): every few ticks the encoded control gives the next segment
// of latents at once; inertialisation removes the step at the seam.
#include "method/flow.h"

#include <string.h>

// A sharp change of the target begins a new segment at once, but not within this many latents of the last seam: there
// the transition would have no time to fade.
enum { least_played = 2 };

static ami_latent_head *head_of(const ami_latent_batch *b, int member) { return b->states[member]; }

static bool is_seam(const ami_latent_batch *b, int member)
{
    const ami_latent_head *head = head_of(b, member);
    bool sharp = b->inputs[member]->search_now && head->played >= least_played;
    return head->played < 0 || head->played >= b->latent->data.head.frames || sharp;
}

/// New segments for the members at a seam.
static void project(ami_latent_batch *b)
{
    const ami_latent *l = b->latent;
    const ami_latent_net *net = &l->nets[ami_latent_main];
    am_net_work *work = b->nets[ami_latent_main];
    const size_t size = (size_t)l->data.head.frames * (size_t)l->z * sizeof(float);
    int samples = 0;
    for (int i = 0; i < b->listed; i++) {
        if (is_seam(b, b->list[i])) {
            am_net_put(work, net->in[0], samples++, ami_latent_at(l, b->states[b->list[i]], l->at_encoding));
        }
    }
    ami_latent_run(b, ami_latent_main, samples);
    samples = 0;
    for (int i = 0; i < b->listed; i++) {
        int m = b->list[i];
        if (is_seam(b, m)) {
            memcpy(ami_latent_at(l, b->states[m], l->at_segment), ami_net_output(work, net->out, samples++, 0), size);
            head_of(b, m)->played = 0;
            b->outs[m]->searched = true;
            b->outs[m]->searches++;
        }
    }
}

static void segments_solve(ami_latent_batch *b)
{
    const ami_latent *l = b->latent;
    project(b);
    for (int i = 0; i < b->listed; i++) {
        ami_latent_head *head = head_of(b, b->list[i]);
        const float *segment = ami_latent_at(l, b->states[b->list[i]], l->at_segment);
        memcpy(ami_latent_at(l, b->states[b->list[i]], l->at_next), segment + (size_t)head->played * (size_t)l->z,
               (size_t)l->z * sizeof(float));
        head->played++;
    }
}

static const am_source_interface interface = {
    .name = "segments",
    .state_size = ami_latent_state_size,
    .reset = ami_latent_reset,
    .pose = ami_latent_pose,
    .step = ami_latent_step,
    .destroy = ami_latent_destroy,
    .make_work = ami_latent_make_work,
    .step_batch = ami_latent_step_batch,
};

am_result ami_segments_create(am_source **out, const ami_latent_def *def, am_error *err)
{
    static const ami_latent_kind kind = { .interface = &interface,
                                          .part = "segments",
                                          .inputs = { "control" },
                                          .needed = { true },
                                          .output = "latents",
                                          .segments = true,
                                          .solve = segments_solve };
    return ami_latent_create(out, def, &kind, err);
}

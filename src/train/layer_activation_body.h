/// Activations.

#include <amble/tools/network.h>
static ami_activation activation_of(int kind) { return (ami_activation)(kind - AM_NET_RELU); }

static void activation_forward(const pass *p)
{
    p->plan->ops->activate(p->y, p->x, p->plan->span[p->op->out], activation_of(p->op->kind));
}

static void activation_back(const pass *p)
{
    p->plan->ops->activate_back(p->dx, p->dy, p->x, p->y, p->plan->span[p->op->out], activation_of(p->op->kind),
                                p->add);
}

static const layer_row layer_gelu = { .forward = activation_forward, .backward = activation_back };

// Their slope can be told from what they gave.
static const layer_row layer_relu = { .forward = activation_forward, .backward = activation_back, .by_output = true };
static const layer_row layer_elu = { .forward = activation_forward, .backward = activation_back, .by_output = true };
static const layer_row layer_tanh = { .forward = activation_forward, .backward = activation_back, .by_output = true };
static const layer_row layer_sigmoid = { .forward = activation_forward,
                                         .backward = activation_back,
                                         .by_output = true };

// Networks of learned motion matching as sources use them.
#include "source/decoder.h"

#include "base/error.h"

#include <string.h>

int ami_part_net_width(const ami_part_net *net, int input) { return am_net_input_size(net->net, net->in[input]); }

static am_result check_widths(const ami_part_net *p, const ami_nets_def *def, const char *part, const char *output,
                              int width, am_error *err)
{
    bool latent = p->in[1] >= 0;
    if (p->in[0] < 0 || p->out < 0 || am_net_input_count(p->net) != (latent ? 2 : 1) ||
        am_net_output_count(p->net) != 1 || am_net_state_size(p->net) != 0) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "part '%s' is no network of learned motion matching: it must read x (and z) and give '%s'",
                        part, output);
    }
    if (ami_part_net_width(p, 0) != def->count) {
        return ami_fail(err, AM_ERR_FORMAT, "part '%s' reads %d features where there are %d; train it for this "
                                            "database",
                        part, ami_part_net_width(p, 0), def->count);
    }
    if (latent && def->latent > 0 && ami_part_net_width(p, 1) != def->latent) {
        return ami_fail(err, AM_ERR_FORMAT, "part '%s' reads %d latents where there are %d", part,
                        ami_part_net_width(p, 1), def->latent);
    }
    if (width > 0 && am_net_output_size(p->net, p->out) != width) {
        return ami_fail(err, AM_ERR_FORMAT, "part '%s' gives %d numbers where %d belong", part,
                        am_net_output_size(p->net, p->out), width);
    }
    return AM_OK;
}

am_result ami_part_net_open(ami_part_net *out, const ami_nets_def *def, const char *part, const char *output,
                            int width, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_net_def net = am_net_def_default();
    net.alloc = def->alloc;
    net.model = def->model;
    net.part = am_model_find(def->model, part);
    net.mode = def->mode;
    net.kernels = def->kernels;
    if (net.part < 0) {
        return ami_fail(err, AM_ERR_FORMAT, "the network has no part '%s'; train it with a recipe that makes it",
                        part);
    }
    am_result result = am_net_create(&out->net, &net, err);
    if (result != AM_OK) {
        return result;
    }
    out->in[0] = am_net_input_find(out->net, "x");
    out->in[1] = am_net_input_find(out->net, "z");
    out->out = am_net_output_find(out->net, output);
    result = check_widths(out, def, part, output, width, err);
    if (result != AM_OK) {
        am_net_destroy(out->net);
        out->net = NULL;
    }
    return result;
}

void ami_part_net_put(const ami_part_net *net, am_net_work *work, int sample, const float *x, const float *z)
{
    am_net_put(work, net->in[0], sample, x);
    if (net->in[1] >= 0) {
        am_net_put(work, net->in[1], sample, z);
    }
}

bool ami_all_finite(const float *numbers, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum += numbers[i] * 0.0f; // zero times anything finite is zero
    }
    return !(sum != 0.0f);
}

void ami_side_from(am_source_pose *side, const am_pose_layout *layout, const float *y, const am_db *db)
{
    am_pose pose = { .local = side->local, .velocity = side->velocity };
    am_pose_read(&pose, layout, y, db->skeleton, db->moving);
    side->root_linear = pose.root.linear;
    side->root_angular = pose.root.angular;
}

uint8_t ami_contacts_from(const am_pose_layout *layout, const float *y)
{
    const float *c = y + layout->contacts;
    return (uint8_t)((c[0] > 0.5f ? AM_CONTACT_LEFT : 0) | (c[1] > 0.5f ? AM_CONTACT_RIGHT : 0));
}

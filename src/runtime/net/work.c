// The memory of one evaluation: inputs in, outputs out, states kept.
#include "net/net.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "net/build.h"

#include <string.h>

static am_net_work *lay_out(ami_layout *layout, const am_net *net, size_t batch, am_net_work *w)
{
    am_net_work *self = ami_layout_take(layout, 1, sizeof *self);
    size_t items = batch * net->most_rows;
    w->values = ami_layout_take(layout, net->slot_size * batch, sizeof(float));
    w->staged = ami_layout_take(layout, net->state_size * batch, sizeof(float));
    w->scratch = ami_layout_take(layout, net->scratch, sizeof(float));
    w->room = ami_layout_take(layout, net->half ? AMI_LAYERS_ROOM : 0, sizeof(float));
    w->scales = ami_layout_take(layout, net->quant ? items : 0, sizeof(float));
    w->rounded = ami_layout_take(layout, net->quant ? items * net->most_in : 0, sizeof(int16_t));
    w->index = ami_layout_take(layout, net->most_in + 16, sizeof(uint32_t));
    return self;
}

am_result am_net_work_create(am_net_work **out, const am_net *net, int most_batch, const am_alloc *alloc,
                             am_error *err)
{
    *out = NULL;
    if (!net || most_batch < 1 || most_batch > AM_NET_MOST_BATCH) {
        return ami_fail(err, AM_ERR_DEF, "a batch has 1 to %d samples, not %d", AM_NET_MOST_BATCH, most_batch);
    }
    am_alloc use = ami_alloc_or_default(alloc);
    am_net_work w = { .alloc = use, .net = net, .most_batch = most_batch };
    ami_layout measure = { 0 };
    lay_out(&measure, net, (size_t)most_batch, &w);
    ami_layout place = ami_layout_room(&measure, &use);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    am_net_work *work = lay_out(&place, net, (size_t)most_batch, &w);
    w.block_size = measure.size;
    *work = w;
    *out = work;
    return AM_OK;
}

void am_net_work_destroy(am_net_work *work)
{
    if (work) {
        am_alloc alloc = work->alloc;
        ami_release(&alloc, work, work->block_size);
    }
}

int ami_net_work_batch(const am_net_work *work) { return work->most_batch; }

void am_net_reset(am_net_work *work)
{
    const am_net *net = work->net;
    for (int s = 0; s < net->state_count; s++) {
        size_t floats = net->places[net->states[s]].stride * (size_t)work->most_batch;
        memset(ami_net_row(work, net->states[s], 0, 0), 0, floats * sizeof(float));
    }
}

static void check_place(const am_net_work *work, int which, int count, int sample)
{
    AM_ASSERT(which >= 0 && which < count && sample >= 0 && sample < work->most_batch);
    (void)work, (void)which, (void)count, (void)sample;
}

float *ami_net_input(am_net_work *work, int input, int sample, int row)
{
    check_place(work, input, work->net->input_count, sample);
    return ami_net_row(work, work->net->inputs[input], (size_t)sample, (size_t)row);
}

const float *ami_net_output(const am_net_work *work, int output, int sample, int row)
{
    check_place(work, output, work->net->output_count, sample);
    return ami_net_row(work, work->net->outputs[output], (size_t)sample, (size_t)row);
}

void am_net_put(am_net_work *work, int input, int sample, const float *data)
{
    const am_net_value *value = &work->net->values[work->net->inputs[input]];
    for (int r = 0; r < value->rows; r++) {
        memcpy(ami_net_input(work, input, sample, r), data + (size_t)r * (size_t)value->width,
               (size_t)value->width * sizeof(float));
    }
}

void am_net_get(const am_net_work *work, int output, int sample, float *data)
{
    const am_net_value *value = &work->net->values[work->net->outputs[output]];
    for (int r = 0; r < value->rows; r++) {
        memcpy(data + (size_t)r * (size_t)value->width, ami_net_output(work, output, sample, r),
               (size_t)value->width * sizeof(float));
    }
}

void am_net_state_get(const am_net_work *work, int sample, float *state)
{
    const am_net *net = work->net;
    for (int s = 0; s < net->state_count; s++) {
        size_t width = (size_t)net->values[net->states[s]].width;
        memcpy(state, ami_net_row(work, net->states[s], (size_t)sample, 0), width * sizeof(float));
        state += width;
    }
}

void am_net_state_set(am_net_work *work, int sample, const float *state)
{
    const am_net *net = work->net;
    for (int s = 0; s < net->state_count; s++) {
        size_t width = (size_t)net->values[net->states[s]].width;
        memcpy(ami_net_row(work, net->states[s], (size_t)sample, 0), state, width * sizeof(float));
        state += width;
    }
}

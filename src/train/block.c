// A training pass's view of its block of samples.
#include "train/trainer.h"

#include <string.h>

int ami_block_columns(const ami_train_block *b) { return b->trainer->columns; }
int ami_block_used(const ami_train_block *b) { return b->used; }
int ami_block_batch(const ami_train_block *b) { return b->trainer->def.batch; }
int ami_block_slots(const ami_train_block *b) { return b->trainer->def.slots; }

uint64_t ami_block_item(const ami_train_block *b, int c)
{
    return (uint64_t)b->trainer->iteration * (uint64_t)b->trainer->def.batch + (uint64_t)(b->first + c);
}

float *ami_block_value(const ami_train_block *b, int graph, int value, int slot)
{
    return ami_plan_value_f32(b->trainer->parts[graph].plan, value, slot, b->index);
}

float *ami_block_grad(const ami_train_block *b, int graph, int value, int slot)
{
    return ami_plan_grad_f32(b->trainer->parts[graph].plan, value, slot, b->index);
}

void ami_block_forward(ami_train_block *b, int graph, int slot)
{
    ami_plan_forward_f32(b->trainer->parts[graph].plan, slot, b->index);
}

void ami_block_backward(ami_train_block *b, int graph, int slot)
{
    ami_plan_backward_f32(b->trainer->parts[graph].plan, slot, b->index);
}

float *ami_block_scratch(ami_train_block *b, size_t count)
{
    const size_t padded = (count + 15) / 16 * 16;
    if (padded > b->trainer->memory_size - b->taken) {
        return NULL;
    }
    float *room = b->memory + b->taken;
    b->taken += padded;
    memset(room, 0, padded * sizeof *room);
    return room;
}

// Losses over a block, each with its gradient. The body is loss_body.h, which the tests also compile in double.
#include "train/trainer.h"

#define real float
#define LOSS(name) loss_##name
#include "train/loss_body.h"

static double mean_of(const ami_train_block *b, double scale, int width)
{
    return scale / ((double)b->trainer->def.batch * width);
}

double ami_block_huber(const ami_train_block *b, float *dy, const float *y, const float *target, const float *units,
                       int width)
{
    return loss_huber(mean_of(b, 1.0, width), dy, y, target, units, width, b->trainer->columns, b->used);
}

double ami_block_loss(const ami_train_block *b, const ami_loss *loss, float *dy, const float *y, const float *target,
                      int width)
{
    return loss_values(loss, mean_of(b, loss->scale, width), dy, y, target, width, b->trainer->columns, b->used);
}

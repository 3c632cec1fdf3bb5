// Adam and RAdam: the coefficients of one step. The pass over the parameters is in ops_body.h.
#include "train/trainer.h"

#include <math.h>

ami_optimiser ami_optimiser_default(void)
{
    return (ami_optimiser){ .kind = AMI_RADAM,
                            .schedule = AMI_RATE_CONSTANT,
                            .rate = 0.001f,
                            .beta1 = 0.9f,
                            .beta2 = 0.999f,
                            .eps = 1e-8f,
                            .factor = 1.0f,
                            .every = 1000,
                            .iterations = 1000 };
}

double ami_optimiser_rate(const ami_optimiser *o, int64_t i)
{
    const double every = o->every > 0 ? (double)o->every : 1.0;
    switch (o->schedule) {
    case AMI_RATE_STEP:
        return (double)o->rate * pow((double)o->factor, floor((double)i / every));
    case AMI_RATE_EXPONENTIAL:
        return (double)o->rate * pow((double)o->factor, (double)i / every);
    case AMI_RATE_LINEAR: {
        const double all = o->iterations > 1 ? (double)o->iterations - 1.0 : 1.0;
        const double t = (double)i < all ? (double)i / all : 1.0;
        return (double)o->rate * (1.0 + ((double)o->factor - 1.0) * t);
    }
    case AMI_RATE_CONSTANT:
    default:
        return (double)o->rate;
    }
}

ami_step_scale ami_step_scale_at(const ami_optimiser *o, int64_t i, double gradient)
{
    const double t = (double)i + 1.0, rate = ami_optimiser_rate(o, i);
    const double b1 = (double)o->beta1, b2 = (double)o->beta2;
    const double start1 = 1.0 - pow(b1, t), start2 = 1.0 - pow(b2, t);
    // rate m^ / (sqrt v^ + eps), with m^ = m / start1 and v^ = v / start2, is (rate sqrt(start2) / start1) m /
    // (sqrt v + eps sqrt(start2)): the corrections stay out of the loop.
    ami_step_scale s = { .beta1 = b1,
                         .beta2 = b2,
                         .rate = rate * sqrt(start2) / start1,
                         .eps = (double)o->eps * sqrt(start2),
                         .decay = rate * (double)o->decay,
                         .gradient = gradient };
    if (o->kind == AMI_RADAM) {
        const double most = 2.0 / (1.0 - b2) - 1.0, length = most - 2.0 * t * (1.0 - start2) / start2;
        if (length > 5.0) {
            s.rate *= sqrt((length - 4.0) * (length - 2.0) * most / ((most - 4.0) * (most - 2.0) * length));
        } else { // the variance is not known yet: plain momentum
            s.rate = 0.0;
            s.plain = rate / start1;
        }
    }
    return s;
}

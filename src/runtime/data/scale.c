// Normalisation: LMM section 3 scales each feature by its standard deviation in the data set, all dimensions of a
// channel alike; LHMM appendix A each dimension by itself.
#include "data/scale.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/features.h"

#include <string.h>

// Below this deviation a feature does not vary: dividing by it would only amplify rounding.
#define STILL 1e-5

static void find_moments(double *mean, double *variance, const float *rows, size_t row_count, size_t stride,
                         int count)
{
    for (size_t i = 0; i < row_count; i++) {
        for (int d = 0; d < count; d++) {
            mean[d] += (double)rows[i * stride + (size_t)d];
        }
    }
    for (int d = 0; d < count; d++) {
        mean[d] /= (double)row_count;
    }
    for (size_t i = 0; i < row_count; i++) {
        for (int d = 0; d < count; d++) {
            double away = (double)rows[i * stride + (size_t)d] - mean[d];
            variance[d] += away * away;
        }
    }
    for (int d = 0; d < count; d++) {
        variance[d] /= (double)row_count;
    }
}

static void scale_channel(float *offset, float *scale, float *weight, const am_channel *channel, const double *mean,
                          const double *variance)
{
    double shared = 0.0;
    for (int d = channel->first; d < channel->first + channel->dims; d++) {
        shared += variance[d] / channel->dims;
    }
    for (int d = channel->first; d < channel->first + channel->dims; d++) {
        double deviation = sqrt(channel->normalise == AM_NORMALISE_DIMENSION ? variance[d] : shared);
        bool plain = channel->normalise == AM_NORMALISE_NONE;
        offset[d] = plain ? 0.0f : (float)mean[d];
        float unit = plain || deviation < STILL ? 1.0f : (float)deviation;
        weight[d] = channel->weight;
        // A weight of zero removes the feature: an infinite scale makes every stored value zero.
        scale[d] = channel->weight > 0.0f ? unit / channel->weight : (float)INFINITY;
    }
}

am_result ami_scale_find(float *offset, float *scale, float *weight, const am_schema *schema, const float *rows,
                         size_t row_count, size_t row_stride, const am_alloc *alloc, am_error *err)
{
    size_t count = (size_t)schema->raw_count;
    double *moments = ami_alloc_array(alloc, 2 * count, sizeof(double));
    if (!moments) {
        return ami_fail_memory(err, 2 * count * sizeof(double));
    }
    find_moments(moments, moments + count, rows, row_count, row_stride, schema->raw_count);
    for (int c = 0; c < schema->channel_count; c++) {
        scale_channel(offset, scale, weight, &schema->channels[c], moments, moments + count);
    }
    ami_release(alloc, moments, 2 * count * sizeof(double));
    return AM_OK;
}

void ami_features_normalise(const am_features *features, float *out, const float *raw)
{
    int raw_count = features->raw_count;
    if (!features->pca) {
        for (int d = 0; d < raw_count; d++) {
            out[d] = (raw[d] - features->offset[d]) / features->scale[d];
        }
    } else {
        float scaled[AM_MAX_FEATURES];
        for (int d = 0; d < raw_count; d++) {
            scaled[d] = (raw[d] - features->offset[d]) / features->scale[d];
        }
        for (int k = 0; k < features->count; k++) {
            const float *row = features->pca + (size_t)k * (size_t)raw_count;
            float sum = 0.0f;
            for (int d = 0; d < raw_count; d++) {
                sum += row[d] * scaled[d];
            }
            out[k] = sum;
        }
    }
    for (int d = features->count; d < features->stride; d++) {
        out[d] = 0.0f;
    }
}

void ami_features_denormalise(const am_features *features, float *out, const float *x)
{
    for (int d = 0; d < features->raw_count; d++) {
        float scaled = features->pca ? 0.0f : x[d];
        for (int k = 0; features->pca && k < features->count; k++) {
            scaled += features->pca[(size_t)k * (size_t)features->raw_count + (size_t)d] * x[k];
        }
        // A feature of weight zero has an infinite scale: its value is lost.
        out[d] = features->weight[d] > 0.0f ? scaled * features->scale[d] + features->offset[d] : features->offset[d];
    }
}

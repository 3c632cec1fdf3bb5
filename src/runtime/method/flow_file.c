// The attachment `latents` of flow and segment characters.
#include "method/flow_file.h"

#include <amble/tools/network.h>

#include "base/error.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(ami_flow_head) == 128, "the head of a file");

static size_t float_count(const ami_flow_head *h)
{
    return 3 * (size_t)h->latent_count + 2 * (size_t)h->vector_count +
           (size_t)h->start_count * (size_t)h->latent_count;
}

size_t ami_flow_latents_size(const ami_flow_head *head) { return sizeof *head + float_count(head) * sizeof(float); }

static bool between(int32_t value, int32_t low, int32_t high) { return value >= low && value <= high; }
static bool within(float value, float low, float high) { return value >= low && value <= high; } // no NaN

/// The number of a head that is out of range, or NULL.
static const char *wrong_number(const ami_flow_head *h)
{
    const struct {
        const char *name;
        bool good;
    } all[] = {
        { "latent_count", between(h->latent_count, 1, AMI_FLOW_MOST_LATENTS) },
        { "frames", between(h->frames, 1, AMI_FLOW_MOST_FRAMES) },
        { "extras", between(h->extras, 0, 64) },
        { "vector_count", between(h->vector_count, 0, AM_NET_MOST_WIDTH) },
        { "control_count", between(h->control_count, 0, AM_NET_MOST_WIDTH) },
        { "control_count", (h->control_count > 0) == (h->vector_count > 0) },
        { "start_count", between(h->start_count, 1, AMI_FLOW_MOST_STARTS) },
        { "steps", between(h->steps, 1, AMI_FLOW_MOST_STEPS) },
        { "fps", within(h->fps, 1.0f, 1000.0f) },
        { "noise", within(h->noise, 0.0f, 4.0f) },
        { "noise_memory", within(h->noise_memory, 0.0f, 1.0f) },
        { "guidance", within(h->guidance, 0.0f, 20.0f) },
        { "pose_noise", within(h->pose_noise, 0.0f, 100.0f) },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!all[i].good) {
            return all[i].name;
        }
    }
    return NULL;
}

am_result ami_flow_latents_read(ami_flow_latents *out, const am_model *model, am_error *err)
{
    size_t size = 0;
    const uint8_t *bytes = am_model_attached(model, AMI_FLOW_LATENTS, &size);
    memset(out, 0, sizeof *out);
    if (!bytes || size < sizeof out->head) {
        return ami_fail(err, AM_ERR_FORMAT,
                        "the network has no attachment '%s' of a character; train all its stages in one recipe",
                        AMI_FLOW_LATENTS);
    }
    memcpy(&out->head, bytes, sizeof out->head);
    if (out->head.version != AMI_FLOW_VERSION) {
        return ami_fail(err, AM_ERR_VERSION, "the attachment '%s' has version %u; this build reads %u",
                        AMI_FLOW_LATENTS, out->head.version, (unsigned)AMI_FLOW_VERSION);
    }
    const char *wrong = wrong_number(&out->head);
    if (wrong) {
        return ami_fail(err, AM_ERR_FORMAT, "the attachment '%s' has a %s out of range; train the character again",
                        AMI_FLOW_LATENTS, wrong);
    }
    if (size != ami_flow_latents_size(&out->head)) {
        return ami_fail(err, AM_ERR_FORMAT, "the attachment '%s' has %zu bytes instead of %zu", AMI_FLOW_LATENTS,
                        size, ami_flow_latents_size(&out->head));
    }
    const float *at = (const float *)(const void *)(bytes + sizeof out->head);
    size_t z = (size_t)out->head.latent_count;
    size_t v = (size_t)out->head.vector_count;
    for (size_t i = 0; i < float_count(&out->head); i++) {
        if (!isfinite(at[i])) {
            return ami_fail(err, AM_ERR_NUMBER, "the attachment '%s' has numbers that are not finite",
                            AMI_FLOW_LATENTS);
        }
    }
    out->deviation = at;
    out->low = at + z;
    out->high = at + 2 * z;
    out->control_low = at + 3 * z;
    out->control_high = out->control_low + v;
    out->starts = out->control_high + v;
    for (size_t i = 0; i < z + v; i++) {
        bool latent = i < z;
        bool crossed = latent ? out->low[i] > out->high[i] : out->control_low[i - z] > out->control_high[i - z];
        if (crossed || (latent && out->deviation[i] < 0.0f)) {
            return ami_fail(err, AM_ERR_FORMAT, "the attachment '%s' has a range that ends before it begins",
                            AMI_FLOW_LATENTS);
        }
    }
    return AM_OK;
}

void ami_flow_latents_write(void *bytes, const ami_flow_latents *l)
{
    ami_flow_head head = l->head;
    head.version = AMI_FLOW_VERSION;
    memset(head.reserved, 0, sizeof head.reserved);
    memcpy(bytes, &head, sizeof head);
    float *at = (float *)(void *)((uint8_t *)bytes + sizeof head);
    const struct {
        const float *from;
        size_t count;
    } parts[] = {
        { l->deviation, (size_t)head.latent_count },
        { l->low, (size_t)head.latent_count },
        { l->high, (size_t)head.latent_count },
        { l->control_low, (size_t)head.vector_count },
        { l->control_high, (size_t)head.vector_count },
        { l->starts, (size_t)head.start_count * (size_t)head.latent_count },
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].count > 0) {
            memcpy(at, parts[i].from, parts[i].count * sizeof(float));
        }
        at += parts[i].count;
    }
}

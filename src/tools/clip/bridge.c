// Repair of a short bad stretch: a cubic Hermite curve through the good frames on either side, on every channel.
#include <amble/tools/clip.h>

#include "base/error.h"

/// Weights of a Hermite curve of `steps` steps at `at`: value before and after, slope (per frame) before and after.
typedef struct hermite {
    float p0, p1, m0, m1;
} hermite;

static hermite hermite_at(float at, float steps)
{
    float t = at / steps;
    float t2 = t * t;
    float t3 = t2 * t;
    hermite h = { 2.0f * t3 - 3.0f * t2 + 1.0f, 3.0f * t2 - 2.0f * t3, steps * (t3 - 2.0f * t2 + t),
                  steps * (t3 - t2) };
    return h;
}

static am_vec3 mix(hermite h, am_vec3 p0, am_vec3 p1, am_vec3 m0, am_vec3 m1)
{
    am_vec3 values = am_v3_add(am_v3_scale(p0, h.p0), am_v3_scale(p1, h.p1));
    return am_v3_add(values, am_v3_add(am_v3_scale(m0, h.m0), am_v3_scale(m1, h.m1)));
}

typedef struct gap {
    int before2, before, after, after2; // good frames; the slopes are taken between two of them
} gap;

static void bridge_translation(am_clip *clip, const gap *g, int moving)
{
    size_t stride = (size_t)clip->moving_count;
    am_vec3 *x = clip->translations + moving;
    am_vec3 p0 = x[(size_t)g->before * stride];
    am_vec3 p1 = x[(size_t)g->after * stride];
    am_vec3 m0 = am_v3_sub(p0, x[(size_t)g->before2 * stride]);
    am_vec3 m1 = am_v3_sub(x[(size_t)g->after2 * stride], p1);
    for (int f = g->before + 1; f < g->after; f++) {
        hermite h = hermite_at((float)(f - g->before), (float)(g->after - g->before));
        x[(size_t)f * stride] = mix(h, p0, p1, m0, m1);
    }
}

/// Rotations: the curve runs in the scaled-axis space around the frame before the gap.
static void bridge_rotation(am_clip *clip, const gap *g, int joint)
{
    size_t stride = (size_t)clip->skeleton->joint_count;
    am_quat *q = clip->rotations + joint;
    am_quat base = q[(size_t)g->before * stride];
    am_quat back = am_quat_inv(base);
    am_vec3 p1 = am_quat_to_scaled_axis(am_quat_abs(am_quat_mul(q[(size_t)g->after * stride], back)));
    am_vec3 end2 = am_quat_to_scaled_axis(am_quat_abs(am_quat_mul(q[(size_t)g->after2 * stride], back)));
    am_vec3 m0 = am_quat_velocity(q[(size_t)g->before2 * stride], base, 1.0f);
    am_vec3 m1 = am_v3_sub(end2, p1);
    if (am_v3_length(m1) > 3.0f) {
        m1 = am_v3_zero(); // the two ends are half a turn apart: there is no meaningful slope
    }
    if (g->before2 == g->before) {
        m0 = am_v3_zero();
    }
    for (int f = g->before + 1; f < g->after; f++) {
        hermite h = hermite_at((float)(f - g->before), (float)(g->after - g->before));
        am_vec3 turn = mix(h, am_v3_zero(), p1, m0, m1);
        q[(size_t)f * stride] = am_quat_normalize(am_quat_mul(am_quat_from_scaled_axis(turn), base));
    }
}

am_result am_clip_bridge(am_clip **out, const am_clip *clip, int first, int last, const am_alloc *alloc,
                         am_error *err)
{
    *out = NULL;
    if (first < 1 || last < first || last + 1 >= clip->frame_count) {
        return ami_fail(err, AM_ERR_RANGE,
                        "frames %d to %d of %d cannot be bridged; there must be a good frame before "
                        "and after them",
                        first, last, clip->frame_count);
    }
    am_clip_def def = am_clip_def_like(clip);
    def.alloc = alloc;
    def.frame_count = clip->frame_count;
    def.rotations = clip->rotations;
    def.translations = clip->translations;
    am_clip *made = NULL;
    am_result result = am_clip_create(&made, &def, err);
    if (result != AM_OK) {
        return result;
    }
    gap g = { first > 1 ? first - 2 : first - 1, first - 1, last + 1,
              last + 2 < clip->frame_count ? last + 2 : last + 1 };
    for (int m = 0; m < made->moving_count; m++) {
        bridge_translation(made, &g, m);
    }
    for (int j = 0; j < made->skeleton->joint_count; j++) {
        bridge_rotation(made, &g, j);
    }
    *out = made;
    return AM_OK;
}

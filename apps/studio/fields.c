// Motion fields on the page: fields, value functions, the lines and points that characters are sent to, and the
// choices of a tick.
#include "fields.h"

// A point this near counts as reached.
#define NEAR_M 0.4f
// Strolls stay within this distance of the start, so that a crowd stays together.
#define STROLL_M 6.0f
#define LONGEST_REST_S 3.0f
#define REST_SHARE 0.3f

void web_fields_describe(am_json_writer *w, const am_asset *asset)
{
    am_asset_info info = { 0 };
    if (asset) {
        am_asset_get_info(asset, &info);
    }
    if (info.field_states == 0) {
        am_json_null(w, "field");
        return;
    }
    am_json_begin_object(w, "field");
    am_json_integer(w, "states", info.field_states);
    am_json_integer(w, "k", info.field_neighbours);
    am_json_integer(w, "bytes", (int64_t)info.field_bytes);
    am_json_begin_array(w, "values");
    for (int t = 0; t < WEB_TASK_COUNT; t++) {
        am_json_integer(w, NULL, am_asset_value(asset, t, 0));
    }
    am_json_end_array(w);
    am_json_end_object(w);
}

// ---------------------------------------------------------------------------------------------
// Going somewhere

am_intent web_point_target(const web_target *target, am_transform root, float mps)
{
    am_intent intent;
    am_intent_to_point(&intent, &root, &target->point, mps);
    intent.facing = target->way;
    if (target->kind == WEB_LINE) {
        intent.velocity = am_v3_scale(target->way, mps);
    }
    return intent;
}

web_stroll web_stroll_make(uint64_t seed, am_vec3 from)
{
    web_stroll stroll = { .to = from };
    am_rng_init(&stroll.rng, seed);
    return stroll;
}

am_intent web_stroll_target(web_stroll *stroll, am_transform root, float mps, float dt)
{
    am_intent target = { 0 };
    stroll->rest_s = am_max(stroll->rest_s - dt, 0.0f);
    am_vec3 gap = am_v3_ground(am_v3_sub(stroll->to, root.translation));
    if (am_v3_length(gap) < NEAR_M && stroll->rest_s <= 0.0f) {
        float angle = 2.0f * AM_PI * am_rng_float(&stroll->rng);
        float far = STROLL_M * sqrtf(am_rng_float(&stroll->rng));
        stroll->to = am_v3(far * am_sin(angle), 0.0f, far * am_cos(angle));
        bool rests = am_rng_float(&stroll->rng) < REST_SHARE;
        stroll->rest_s = rests ? LONGEST_REST_S * am_rng_float(&stroll->rng) : 0.0f;
        gap = am_v3_sub(stroll->to, am_v3_ground(root.translation));
    }
    if (!(stroll->rest_s > 0.0f)) {
        target.velocity = am_v3_scale(am_v3_normalize_or(gap, am_v3_zero()), mps);
    }
    target.point = stroll->to;
    target.has_point = true;
    return target;
}

// The table of methods, the settings of an actor with their defaults, and the table of options that scripts,
// help, docs and the studio's panel are made from.
#include <amble/math.h>
#include <amble/options.h>
#include <amble/source.h>

#include "base/error.h"
#include "method/flow_file.h"
#include "method/sources.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const am_method_row methods[AM_METHOD_COUNT] = {
    [AM_METHOD_MATCH] = { "match", "matching", true, NULL, false },
    [AM_METHOD_LONG_HORIZON] = { "long-horizon", "long-horizon", true, NULL, false },
    [AM_METHOD_LEARNED] = { "learned", "learned", false, "projector", false },
    [AM_METHOD_FIELD] = { "field", "motion field", true, NULL, false },
    [AM_METHOD_FLOW] = { "flow", "flow", false, "flow", true },
    [AM_METHOD_SEGMENTS] = { "segments", "segments", false, "segments", true },
    [AM_METHOD_OWN] = { "own", "own", false, NULL, false },
};
static const char *const roots[] = { "animation", "simulation", "mixed" };
static const char *const blends[] = { "off", "spring", "quintic" };
static const char *const policies[] = { "lookahead", "greedy", "passive" };
static const char *const tasks[] = { "direction", "line", "speed", "point" }; // in the order of ami_field_task_name

const char *am_method_name(am_method method)
{
    return (int)method >= 0 && method < AM_METHOD_COUNT ? methods[method].name : "none";
}

const am_method_row *am_methods(int *count)
{
    *count = AM_METHOD_OWN;
    return methods;
}

void am_settings_init(am_settings *out, am_method method)
{
    ami_match_def match = ami_match_def_default();
    ami_long_horizon_def ahead = ami_long_horizon_def_default();
    // Their own flow turns and moves the root.
    bool moves_itself = method == AM_METHOD_FIELD || ((int)method < AM_METHOD_OWN && methods[method].asked);
    // Half-lives, ratios and clamps were tuned on the eight courses of `amble eval matching` on CMU: shorter
    // half-lives respond no sooner, since feet must land first; a larger position ratio turns sooner and skates more.
    *out = (am_settings){
        .method = method,
        .search_every_s = match.search_every_s,
        .stay_bias = match.stay_bias,
        .surround_s = match.surround_s,
        .rough_mps2 = match.rough_mps2,
        .k = ahead.k,
        .l = ahead.l,
        .most_searches = ahead.most_searches,
        .candidates = 1,
        .policy = AM_FIELD_LOOKAHEAD,
        .root = moves_itself ? AM_ROOT_ANIMATION : AM_ROOT_MIXED,
        .inertialise = AM_INERTIALISE_SPRING,
        .inertialise_halflife = 0.12f,
        .inertialise_seconds = 0.35f,
        .inertialise_bend = 40.0f,
        .ik = 1,
        .velocity_halflife = 0.18f,
        .facing_halflife = 0.18f,
        .time_scale = 1.0f,
        .adjust_position_halflife = 0.1f,
        .adjust_facing_halflife = 0.2f,
        .adjust_position_ratio = 0.4f,
        .adjust_facing_ratio = 0.6f,
        .clamp_m = 0.15f,
        .clamp_rad = 60.0f * AM_DEG,
        .sharp_mps = 0.7f,
        .sharp_rad = 30.0f * AM_DEG,
        .stand_mps = 0.25f,
        .springs = 1,
        .push_blend = AM_PUSH_STEPPED,
        .noise = -1.0f,
        .noise_memory = -1.0f,
        .guidance = -1.0f,
        .plan = 1,
        .steady = 0.75f,
    };
}

// ---------------------------------------------------------------------------------------------
// The table

#define AT(field) offsetof(am_settings, field)
#define NUMBER(key_, field_, low_, usual_, high_, unit_, methods_, help_)                                            \
    .key = (key_), .type = AM_OPTION_NUMBER, .unit = (unit_), .help = (help_), .low = (low_), .usual = (usual_),     \
    .high = (high_), .methods = (methods_), .offset = AT(field_)
#define INTEGER(key_, field_, low_, usual_, high_, methods_, help_)                                                  \
    .key = (key_), .type = AM_OPTION_INTEGER, .unit = "", .help = (help_), .low = (low_), .usual = (usual_),         \
    .high = (high_), .methods = (methods_), .offset = AT(field_)
#define SWITCH(key_, field_, methods_, help_)                                                                        \
    .key = (key_), .type = AM_OPTION_SWITCH, .unit = "", .help = (help_), .usual = 1.0f, .high = 1.0f,               \
    .methods = (methods_), .offset = AT(field_)
#define CHOICE(key_, field_, choices_, methods_, help_)                                                              \
    .key = (key_), .type = AM_OPTION_CHOICE, .unit = "", .help = (help_), .choices = (choices_),                     \
    .choice_count = COUNT(choices_), .methods = (methods_), .offset = AT(field_)
#define TAGS(key_, activity, help_)                                                                                  \
    .key = (key_), .type = AM_OPTION_TAGS, .unit = "", .help = (help_), .methods = all, .offset = (activity)

enum {
    all = (1 << AM_METHOD_COUNT) - 1,
    ahead_only = 1 << AM_METHOD_LONG_HORIZON,
    searches = 1 << AM_METHOD_MATCH | ahead_only | 1 << AM_METHOD_OWN,
    field_only = 1 << AM_METHOD_FIELD | 1 << AM_METHOD_OWN,
    asks = searches | 1 << AM_METHOD_LEARNED,
    flow_only = 1 << AM_METHOD_FLOW,
    asked = flow_only | 1 << AM_METHOD_SEGMENTS,
    not_ahead = all & ~ahead_only
};

static const am_option options[] = {
    { NUMBER("search_every_s", search_every_s, 0.001f, 1.0f, 60.0f, "s", asks,
             "time between searches; the end of a clip and a sharp change of the target trigger one at once"),
      .label = "search every" },
    { NUMBER("stay_bias", stay_bias, 0.0f, 5.0f, 1e6f, "", searches,
             "bonus for playing on: subtracted from its cost"),
      .label = "stay bias" },
    { NUMBER("surround_s", surround_s, 0.0f, 1.0f, 60.0f, "s", searches,
             "no jumps to frames this close to the playing one") },
    { NUMBER("rough_mps2", rough_mps2, 0.0f, 200.0f, 1e4f, "m/s^2", searches,
             "no landing on a frame where a captured joint accelerates by more, unless the next 15 candidates are no "
             "smoother; 0: no limit") },
    { INTEGER("k", k, 1.0f, 8.0f, (float)AMI_MAX_HITS, ahead_only, "branches of the search tree") },
    { INTEGER("l", l, 1.0f, 8.0f, 8.0f, ahead_only, "levels of the search tree") },
    { INTEGER("most_searches", most_searches, 0.0f, 1000.0f, 1e6f, ahead_only,
              "most searches for one choice; 0: no limit") },
    { INTEGER("k", candidates, 1.0f, (float)AM_MAX_CANDIDATES, (float)AM_MAX_CANDIDATES, not_ahead,
              "candidates that a trace lists (8 with --trace)") },
    { CHOICE("task", task, tasks, field_only, "what the character is asked to do"), .label = "task" },
    { CHOICE("policy", policy, policies, field_only, "how an action is chosen"), .label = "chooses" },
    { INTEGER("every", every, 0.0f, 100.0f, (float)AMI_FIELD_MAX_EVERY, field_only,
              "ticks between the anchors of the value function; 0: the smallest that the model has") },
    { INTEGER("steps", steps, 0.0f, 8.0f, (float)AMI_FLOW_MOST_STEPS, flow_only,
              "Euler steps of a tick; 0: the model's own"),
      .label = "steps" },
    { NUMBER("noise", noise, -1.0f, 1.0f, 4.0f, "", flow_only,
             "scale of the noise that a tick starts from; below 0: the model's own"),
      .label = "noise" },
    { NUMBER("noise_memory", noise_memory, -1.0f, 1.0f, 1.0f, "", flow_only,
             "part of that noise that stays from tick to tick; below 0: the model's own") },
    { NUMBER("guidance", guidance, -1.0f, 5.0f, 20.0f, "", flow_only,
             "how strongly the control counts, 1: as trained; below 0: the model's own") },
    { SWITCH("plan", plan, asked, "a goal's `target` is reached by a planned arrival; false: by the network alone") },
    { CHOICE("root", root, roots, all, "what moves the root (default of field, flow and segments: animation)"),
      .label = "root moves by" },
    { CHOICE("inertialise", inertialise, blends, all, "how a transition fades out"), .label = "transitions" },
    { NUMBER("inertialise_halflife_s", inertialise_halflife, 1e-4f, 0.5f, 10.0f, "s", all,
             "half-life of the spring") },
    { NUMBER("inertialise_bend_mps2", inertialise_bend, 0.0f, 200.0f, 1e4f, "m/s^2", all,
             "spring: largest acceleration of arms, head and trunk as a transition starts; 0: no limit") },
    { NUMBER("inertialise_s", inertialise_seconds, 1e-3f, 1.0f, 10.0f, "s", all, "longest blend of the quintic") },
    { SWITCH("ik", ik, all, "keep planted feet in place"), .label = "feet stay planted" },
    { NUMBER("velocity_halflife_s", velocity_halflife, 1e-4f, 1.0f, 10.0f, "s", all,
             "how fast the predicted velocity reaches the desired one") },
    { NUMBER("facing_halflife_s", facing_halflife, 1e-4f, 1.0f, 10.0f, "s", all,
             "how fast the predicted facing reaches the desired one") },
    { NUMBER("adjust_position_halflife_s", adjust_position_halflife, 1e-4f, 1.0f, 10.0f, "s", all,
             "mixed root: how fast it is pulled to the simulated point") },
    { NUMBER("adjust_facing_halflife_s", adjust_facing_halflife, 1e-4f, 1.0f, 10.0f, "s", all,
             "mixed root: how fast it turns to the simulated facing") },
    { NUMBER("adjust_position_ratio", adjust_position_ratio, 0.0f, 1.0f, 10.0f, "", all,
             "mixed root: pulled by at most this fraction of its own movement") },
    { NUMBER("adjust_facing_ratio", adjust_facing_ratio, 0.0f, 1.0f, 10.0f, "", all,
             "mixed root: turned by at most this fraction of its own turning") },
    { NUMBER("clamp_m", clamp_m, 0.0f, 1.0f, 100.0f, "m", all,
             "mixed root: largest distance from the simulated point") },
    { NUMBER("clamp_rad", clamp_rad, 0.0f, 3.0f, 10.0f, "rad", all,
             "mixed root: largest angle from the simulated facing") },
    { NUMBER("time_scale", time_scale, 0.05f, 2.0f, 20.0f, "", all, "playback speed; 1: as captured") },
    { NUMBER("trajectory_weight", trajectory_weight, 0.0f, 2.0f, 1e3f, "", all,
             "weight of all trajectory features; 0 with pose_weight 0: unweighted") },
    { NUMBER("pose_weight", pose_weight, 0.0f, 2.0f, 1e3f, "", all, "weight of all other features") },
    { SWITCH("as_printed", as_printed, searches,
             "as the Responsive paper prints it: eq. 13 alone weighs heights, a standing character holds the last "
             "frame of its clip, searches do not hear where planted feet stand, and runners do not brake") },
    { NUMBER("walk_mps", walk_mps, 0.0f, 3.0f, 20.0f, "m/s", all,
             "speed of a full stick or a key; 0: the data's own"),
      .label = "walk" },
    { NUMBER("sprint_mps", sprint_mps, 0.0f, 6.0f, 20.0f, "m/s", all, "speed with Shift; 0: the data's own") },
    { NUMBER("v_max", v_max, 0.0f, 6.0f, 50.0f, "m/s", all,
             "fastest on a path, also while it is walked; 0: the path's own, or the data's"),
      .label = "fastest on a path" },
    { TAGS("tags", 0, "frames for ordinary movement") },
    { TAGS("stand_tags", 1, "frames for standing") },
    { TAGS("creep_tags", 2, "frames for creeping") },
    { TAGS("jump_tags", 3, "frames for jumping") },
    { TAGS("dance_tags", 4, "frames for dancing") },
    { .key = "weights",
      .type = AM_OPTION_WEIGHTS,
      .unit = "",
      .help = "factors by feature channel",
      .high = 1e3f,
      .usual = 2.0f,
      .methods = all },
};

const am_option *am_options(int *count)
{
    *count = COUNT(options);
    return options;
}

double am_option_get(const am_option *option, const am_settings *settings)
{
    const char *at = (const char *)settings + option->offset;
    float number;
    int32_t integer;
    memcpy(&number, at, sizeof number);
    memcpy(&integer, at, sizeof integer);
    return option->type == AM_OPTION_NUMBER ? (double)number : (double)integer;
}

void am_option_put(const am_option *option, am_settings *settings, double value)
{
    char *at = (char *)settings + option->offset;
    float number = (float)value;
    int32_t integer = (int32_t)value;
    memcpy(at, option->type == AM_OPTION_NUMBER ? (const void *)&number : &integer, sizeof number);
}

static bool within(double value, double low, double high) { return value >= low && value <= high; }

am_result am_settings_check(const am_settings *s, am_error *err)
{
    for (int i = 0; i < COUNT(options); i++) {
        const am_option *o = &options[i];
        double value = o->type <= AM_OPTION_CHOICE ? am_option_get(o, s) : 0.0;
        double high = o->type == AM_OPTION_CHOICE ? (double)(o->choice_count - 1) : (double)o->high;
        if (o->type <= AM_OPTION_CHOICE && !within(value, (double)o->low, high)) {
            return ami_fail(err, AM_ERR_RANGE, "the setting '%s' is %g; it must be from %g to %g", o->key, value,
                            (double)o->low, high);
        }
    }
    if (s->method == AM_METHOD_LONG_HORIZON && !ami_tree_fits(s->k, s->l, s->most_searches)) {
        return ami_fail(err, AM_ERR_RANGE, AMI_TREE_REFUSED, s->k, s->l, AMI_MOST_BRANCHES);
    }
    const float least[] = { s->sharp_mps, s->sharp_rad, s->stand_mps };
    for (int i = 0; i < COUNT(least); i++) {
        if (!within((double)least[i], 0.0, 1e6)) {
            return ami_fail(err, AM_ERR_RANGE, "sharp_mps, sharp_rad and stand_mps must be at least 0");
        }
    }
    if ((int)s->method < 0 || s->method >= AM_METHOD_COUNT || !within(s->springs, 0, 1) ||
        !within(s->push_blend, AM_PUSH_ADDED, AM_PUSH_STEPPED) || !within((double)s->steady, 0.0, 1.0)) {
        return ami_fail(err, AM_ERR_RANGE, "method, springs, push_blend or steady has an unknown value");
    }
    return AM_OK;
}

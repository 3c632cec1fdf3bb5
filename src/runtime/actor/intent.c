// Input devices to intent: keys (Responsive 3.4.1) and gamepads. Camera-free: W is +z, A is +x, stick right is -x.
#include "actor/intent.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t bit;
} keys[] = {
    { "W", AM_KEY_W },         { "A", AM_KEY_A },        { "S", AM_KEY_S },
    { "D", AM_KEY_D },         { "ArrowUp", AM_KEY_UP }, { "ArrowDown", AM_KEY_DOWN },
    { "Shift", AM_KEY_SHIFT }, { "J", AM_KEY_J },        { "C", AM_KEY_C },
    { "P", AM_KEY_P },         { "Up", AM_KEY_UP },      { "Down", AM_KEY_DOWN },
};

enum { key_names = sizeof keys / sizeof keys[0] };

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

static bool same_word(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

uint32_t ami_key_find(const char *name)
{
    for (int i = 0; name && i < key_names; i++) {
        if (same_word(name, keys[i].name)) {
            return keys[i].bit;
        }
    }
    return 0;
}

const char *am_key_name(int index) { return index >= 0 && index < AM_KEY_COUNT ? keys[index].name : ""; }

am_intent_def ami_intent_def_default(void)
{
    // 1.4 m/s: how fast people walk; 3.2: a jog that most sets hold; 0.8: Responsive's creep.
    am_intent_def def = { .walk_mps = 1.4f,
                          .sprint_mps = 3.2f,
                          .creep_mps = 0.8f,
                          .speed_change_mps2 = 1.0f,
                          .dead_zone = 0.15f,
                          .cookie = AM_COOKIE };
    return def;
}

void am_intent_state_init(am_intent_state *out, const am_intent_def *def)
{
    *out = (am_intent_state){ .target_mps = def->walk_mps };
}

static float speed_of(const am_intent_state *state, const am_intent_def *def, uint32_t buttons)
{
    return (buttons & AM_KEY_C) != 0       ? def->creep_mps
           : (buttons & AM_KEY_SHIFT) != 0 ? def->sprint_mps
                                           : state->target_mps;
}

/// The arrows change the target speed while held, between a slow walk and the sprint.
static void change_target(am_intent_state *state, const am_intent_def *def, uint32_t buttons, float dt)
{
    float way = ((buttons & AM_KEY_UP) != 0 ? 1.0f : 0.0f) - ((buttons & AM_KEY_DOWN) != 0 ? 1.0f : 0.0f);
    float step = def->speed_change_mps2 * dt * way;
    if (way != 0.0f && step * 0.0f == 0.0f) {
        float lowest = am_min(0.3f, def->walk_mps);
        state->target_mps = am_clamp(state->target_mps + step, lowest, am_max(def->sprint_mps, lowest));
    }
    state->held = buttons;
}

static am_intent with_buttons(uint32_t buttons)
{
    am_intent intent = { .jump = (buttons & AM_KEY_J) != 0,
                         .creep = (buttons & AM_KEY_C) != 0,
                         .dance = (buttons & AM_KEY_P) != 0,
                         .run = (buttons & AM_KEY_SHIFT) != 0 };
    return intent;
}

am_intent ami_intent_from_keys(am_intent_state *state, const am_intent_def *def, uint32_t pressed, float dt)
{
    change_target(state, def, pressed, dt);
    am_intent intent = with_buttons(pressed);
    float z = ((pressed & AM_KEY_W) != 0 ? 1.0f : 0.0f) - ((pressed & AM_KEY_S) != 0 ? 1.0f : 0.0f);
    float x = ((pressed & AM_KEY_A) != 0 ? 1.0f : 0.0f) - ((pressed & AM_KEY_D) != 0 ? 1.0f : 0.0f);
    am_vec3 way = am_v3_normalize_or(am_v3(x, 0.0f, z), am_v3_zero());
    intent.velocity = am_v3_scale(way, speed_of(state, def, pressed));
    return intent;
}

/// A stick in the world, its length 0 inside the dead zone and at most 1.
static am_vec3 stick(const float in[2], float dead_zone)
{
    am_vec3 v = am_v3(-in[0], 0.0f, in[1]);
    float length = am_v3_length(v);
    if (!(length > dead_zone)) {
        return am_v3_zero();
    }
    float push = am_min((length - dead_zone) / am_max(1.0f - dead_zone, 1e-3f), 1.0f);
    return am_v3_scale(v, push / length);
}

am_intent ami_intent_from_gamepad(am_intent_state *state, const am_intent_def *def, const am_gamepad *pad, float dt)
{
    change_target(state, def, pad->buttons, dt);
    am_intent intent = with_buttons(pad->buttons);
    intent.velocity = am_v3_scale(stick(pad->left, def->dead_zone), speed_of(state, def, pad->buttons));
    intent.facing = am_v3_normalize_or(stick(pad->right, def->dead_zone), am_v3_zero());
    return intent;
}

void am_intent_from_devices(am_intent_state *state, am_intent *out, const am_intent_def *def, uint32_t pressed,
                            const am_gamepad *pad, float dt)
{
    bool touched = pad->buttons != 0 || am_v3_length(stick(pad->left, def->dead_zone)) > 0.0f ||
                   am_v3_length(stick(pad->right, def->dead_zone)) > 0.0f;
    *out = touched ? ami_intent_from_gamepad(state, def, pad, dt) : ami_intent_from_keys(state, def, pressed, dt);
}

// A point this near counts as reached, for every method. It lies between the radius of the point task's reward and
// the radius within which a field may stand (field_task.c).
#define NEAR_M 0.4f

void am_intent_to_point(am_intent *out, const am_transform *root, const am_vec3 *point, float mps)
{
    *out = (am_intent){ .point = *point, .has_point = true };
    const am_vec3 gap = am_v3_ground(am_v3_sub(*point, root->translation));
    const bool there = am_v3_length(gap) < NEAR_M;
    out->velocity = there ? am_v3_zero() : am_v3_scale(am_v3_normalize_or(gap, am_v3_zero()), mps);
}

// Random stick input: holds, circles, flicks and pauses of random length.
#include "wander.h"

#include "base/rng.h"

lab_wander lab_wander_make(uint64_t seed)
{
    lab_wander w = { .rng = ami_rng_make(seed) };
    return w;
}

/// What the hand does next and for how long. Shares and times as people play: mostly a direction held for some
/// seconds, some circling, some pauses, a few flicks that are over before the body can respond.
static void choose(lab_wander *w)
{
    float kind = am_rng_float(&w->rng);
    w->angle = am_rng_range(&w->rng, -AM_PI, AM_PI);
    w->push = am_rng_range(&w->rng, 0.4f, 1.0f);
    w->turn = 0.0f;
    w->run = am_rng_float(&w->rng) < 0.35f;
    w->left_s = am_rng_range(&w->rng, 0.4f, 3.0f);
    if (kind < 0.2f) {
        w->push = 0.0f;
    } else if (kind < 0.45f) {
        float turn = am_rng_range(&w->rng, 0.4f, 2.5f);
        w->turn = am_rng_float(&w->rng) < 0.5f ? -turn : turn;
    } else if (kind < 0.55f) {
        w->left_s *= 0.1f;
    }
}

am_gamepad lab_wander_next(lab_wander *w, float dt)
{
    w->left_s -= dt;
    if (!(w->left_s > 0.0f)) {
        choose(w);
    }
    w->angle = am_wrap_angle(w->angle + w->turn * dt);
    float s, c;
    am_sincos(w->angle, &s, &c);
    am_gamepad pad = { .left = { w->push * s, w->push * c }, .buttons = w->run && w->push > 0.0f ? AM_KEY_SHIFT : 0 };
    return pad;
}

// Curves of the synthesiser: quintic pieces through knots, so that positions, velocities and accelerations join.
#include "synth/synth.h"

#include <string.h>

float ami_synth_quintic(synth_end from, synth_end to, float seconds, float t)
{
    // In u = t / seconds: x = c0 + c1 u + ... + c5 u^5 with the six end conditions.
    float u = am_clamp(t / seconds, 0.0f, 1.0f);
    float c1 = from.v * seconds;
    float c2 = 0.5f * from.a * seconds * seconds;
    float gap = to.x - from.x - c1 - c2;
    float slope = to.v * seconds - c1 - 2.0f * c2;
    float curve = to.a * seconds * seconds - 2.0f * c2;
    float c3 = 10.0f * gap - 4.0f * slope + 0.5f * curve;
    float c4 = -15.0f * gap + 7.0f * slope - curve;
    float c5 = 6.0f * gap - 3.0f * slope + 0.5f * curve;
    return from.x + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))));
}

float ami_synth_step(float lo, float hi, float x)
{
    float u = am_clamp((x - lo) / (hi - lo), 0.0f, 1.0f);
    return u * u * u * (u * (u * 6.0f - 15.0f) + 10.0f);
}

bool ami_synth_room(ami_arena *arena, void **items, int count, int *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    int wanted = *capacity ? 2 * *capacity : 16;
    void *grown = ami_arena_get(arena, (size_t)wanted * size);
    if (!grown) {
        return false;
    }
    if (count) {
        memcpy(grown, *items, (size_t)count * size);
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

bool ami_synth_knot(ami_arena *arena, synth_track *track, double t, float x, float v, float a)
{
    if (track->count && t < track->knots[track->count - 1].t + 1e-3) {
        return true;
    }
    void *items = track->knots;
    if (!ami_synth_room(arena, &items, track->count, &track->capacity, sizeof(synth_knot))) {
        return false;
    }
    track->knots = items;
    track->knots[track->count++] = (synth_knot){ t, { x, v, a } };
    return true;
}

float ami_synth_track_at(const synth_track *track, double t)
{
    if (track->count == 0) {
        return 0.0f;
    }
    const synth_knot *knots = track->knots;
    if (t <= knots[0].t) {
        return knots[0].end.x;
    }
    if (t >= knots[track->count - 1].t) {
        return knots[track->count - 1].end.x;
    }
    int low = 0, high = track->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (knots[middle].t <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return ami_synth_quintic(knots[low].end, knots[high].end, (float)(knots[high].t - knots[low].t),
                             (float)(t - knots[low].t));
}

// Finds the frame rate that an animation was sampled at from the times of its keys.
#include "formats/rate.h"

#include <math.h>

#define FALLBACK_FPS 60.0f
// Keys slower than this are not frames but key poses.
#define SLOWEST_FPS 10.0
#define SLOWEST_SMOOTH_FPS 24.0
#define FASTEST_FPS 1000.0

static bool fits(const ami_keys *tracks, int count, double first, double fps)
{
    for (int t = 0; t < count; t++) {
        for (int i = 0; i < tracks[t].count; i++) {
            double at = ((double)tracks[t].times[i] - first) * fps;
            if (!(fabs(at - floor(at + 0.5)) <= AMI_RATE_SLACK)) {
                return false;
            }
        }
    }
    return true;
}

static const ami_keys *densest(const ami_keys *tracks, int count)
{
    const ami_keys *best = NULL;
    for (int t = 0; t < count; t++) {
        if (tracks[t].count > 0 && (!best || tracks[t].count > best->count)) {
            best = &tracks[t];
        }
    }
    return best;
}

static float choose(const ami_keys *tracks, int count, double first, float stated, bool smooth)
{
    if (stated > 0.0f && (double)stated <= FASTEST_FPS && fits(tracks, count, first, (double)stated)) {
        return stated;
    }
    const ami_keys *track = densest(tracks, count);
    double span = track ? (double)track->times[track->count - 1] - (double)track->times[0] : 0.0;
    double own = span > 0.0 ? (double)(track->count - 1) / span : 0.0;
    const double tries[] = { floor(own + 0.5), own, 24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0, 240.0 };
    double slowest = smooth ? SLOWEST_SMOOTH_FPS : SLOWEST_FPS;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0] && own >= SLOWEST_FPS; i++) {
        if (tries[i] >= slowest && tries[i] <= FASTEST_FPS && fits(tracks, count, first, tries[i])) {
            return (float)tries[i];
        }
    }
    return FALLBACK_FPS;
}

ami_rate ami_rate_find(const ami_keys *tracks, int count, float stated, bool smooth)
{
    ami_rate rate = { 0.0, 0.0, FALLBACK_FPS, 1.0 };
    bool any = false;
    for (int t = 0; t < count; t++) {
        if (tracks[t].count > 0) {
            double first = (double)tracks[t].times[0];
            double last = (double)tracks[t].times[tracks[t].count - 1];
            rate.first = !any || first < rate.first ? first : rate.first;
            rate.last = !any || last > rate.last ? last : rate.last;
            any = true;
        }
    }
    rate.fps = choose(tracks, count, rate.first, stated, smooth);
    // A last key between two frames is still reached: one frame more.
    rate.frames = ceil((rate.last - rate.first) * (double)rate.fps - AMI_RATE_SLACK) + 1.0;
    return rate;
}

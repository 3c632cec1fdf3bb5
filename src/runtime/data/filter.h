/// Smoothing and order statistics of tracks. All shapes are fixed, so every machine gives the same bits.
#ifndef AMI_ANIM_FILTER_H
#define AMI_ANIM_FILTER_H

#include <amble/math.h>

/// Savitzky-Golay smoothing: each value becomes that of the cubic fitted to `window` values around it (least
/// squares). Beyond an end the track is continued by a half turn about the end point: that keeps the end's position
/// and speed, where the usual off-centre fit overshoots (a spin at the end of a clip was read as 1678 degrees per
/// second). A reversed track gives the reversed result. `window` is made odd and cut to what the track can fill. in
/// and out hold `count` items `stride` floats apart; out must not overlap in. False when out of memory.
bool ami_savgol(float *out, const float *in, int count, int stride, int window, const am_alloc *alloc);

/// Odd number of frames nearest to a time, at least 1.
int ami_window_frames(float seconds, float fps);

/// Majority of `bit` within `window` (odd) values around each; near the ends the window shrinks evenly.
/// out must not overlap in; other bits of out are left alone.
void ami_majority(uint8_t *out, const uint8_t *in, int count, uint8_t bit, int window);

void ami_sort_floats(float *values, int count);
/// The value below which `share` of the ascending values lie, interpolated. count > 0.
float ami_quantile(const float *ascending, int count, float share);
/// False when a number is not finite.
bool ami_all_finite(const float *numbers, int count);

#endif

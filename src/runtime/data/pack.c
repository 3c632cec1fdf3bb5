// Rotations in 48 bits, the "smallest three" form: the largest component is left out (it follows from unit length),
// the others lie within +-1/sqrt(2) and get 15 bits each. Largest error: three components half a step of
// sqrt(2)/32767 off, doubled as the left-out one follows: below 1.5e-4 rad = 0.009 degrees.
#include "data/format.h"

#define ROOT2 1.41421356f

static uint16_t pack15(float v)
{
    float scaled = (v / ROOT2 + 0.5f) * 32767.0f;
    return (uint16_t)floorf(am_clamp(scaled, 0.0f, 32767.0f) + 0.5f);
}

static float unpack15(uint16_t v) { return ((float)(v & 0x7FFF) / 32767.0f - 0.5f) * ROOT2; }

void ami_pack_quat(uint16_t out[3], am_quat q)
{
    q = am_quat_normalize(q);
    float v[4] = { q.x, q.y, q.z, q.w };
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        if (am_abs(v[i]) > am_abs(v[largest])) {
            largest = i;
        }
    }
    float sign = v[largest] < 0.0f ? -1.0f : 1.0f;
    int at = 0;
    for (int i = 0; i < 4; i++) {
        if (i != largest) {
            out[at++] = pack15(v[i] * sign);
        }
    }
    out[0] = (uint16_t)(out[0] | ((largest & 1) << 15));
    out[1] = (uint16_t)(out[1] | ((largest & 2) << 14));
}

am_quat ami_unpack_quat(const uint16_t in[3])
{
    int largest = (in[0] >> 15) | ((in[1] >> 15) << 1);
    float v[4];
    float rest = 1.0f;
    int at = 0;
    for (int i = 0; i < 4; i++) {
        if (i != largest) {
            v[i] = unpack15(in[at++]);
            rest -= v[i] * v[i];
        }
    }
    v[largest] = sqrtf(am_max(rest, 0.0f));
    return am_quat_normalize(am_q(v[0], v[1], v[2], v[3]));
}

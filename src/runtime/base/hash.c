// XXH64 from its public specification: fast, well spread, the same on every machine.
#include <amble/base.h>

#include <string.h>

static const uint64_t prime1 = 0x9E3779B185EBCA87u;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t prime3 = 0x165667B19E3779F9u;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63u;
static const uint64_t prime5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

static uint64_t load64(const uint8_t *p)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) {
        v = v << 8 | p[i];
    }
    return v;
}

static uint64_t load32(const uint8_t *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
}

static uint64_t round64(uint64_t lane, uint64_t input) { return rotate(lane + input * prime2, 31) * prime1; }

static uint64_t merge(uint64_t hash, uint64_t lane) { return (hash ^ round64(0, lane)) * prime1 + prime4; }

uint64_t am_hash64(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *p = data;
    const uint8_t *end = size ? p + size : p;
    uint64_t hash;
    if (size >= 32) {
        uint64_t a = seed + prime1 + prime2;
        uint64_t b = seed + prime2;
        uint64_t c = seed;
        uint64_t d = seed - prime1;
        for (; end - p >= 32; p += 32) {
            a = round64(a, load64(p));
            b = round64(b, load64(p + 8));
            c = round64(c, load64(p + 16));
            d = round64(d, load64(p + 24));
        }
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    } else {
        hash = seed + prime5;
    }
    hash += size;
    for (; end - p >= 8; p += 8) {
        hash = rotate(hash ^ round64(0, load64(p)), 27) * prime1 + prime4;
    }
    for (; end - p >= 4; p += 4) {
        hash = rotate(hash ^ load32(p) * prime1, 23) * prime2 + prime3;
    }
    for (; p < end; p++) {
        hash = rotate(hash ^ *p * prime5, 11) * prime1;
    }
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}

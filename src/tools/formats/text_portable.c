// Words and decimals on 64-bit integers. 64 bytes become a bit mask of blanks, whose edges are where words begin and
// end (the method of Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019). Each word is then read
// independently from one or two 8-byte loads that end with it, so that the processor works on several at once.
#include "formats/text.h"

#include "kernel/kernel.h"

#include "base/number.h"

enum { block_bytes = 64 };

/// One bit per byte, set for blanks (up to ' ').
static uint64_t blanks8(uint64_t text)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t not_blank = ((text & (0x7F * ones)) + 0x5F * ones) | text;
    return ((~not_blank >> 7 & ones) * 0x0102040810204080u) >> 56;
}

static uint64_t blanks64(const char *at)
{
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        mask |= blanks8(ami_load_text8(at + 8 * i)) << (8 * i);
    }
    return mask;
}

static size_t count_bits(uint64_t x)
{
    // The builtin is a call on machines whose baseline has no such instruction.
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (size_t)((((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u) >> 56);
}

/// Writes the positions of all set bits, `base` added, at out; eight at a time, so that the loop's end is the only
/// branch. Writes up to seven items too many.
static size_t put_bits(uint32_t *out, uint64_t bits, uint32_t base)
{
    size_t count = count_bits(bits);
    for (size_t i = 0; i < count; i += 8) {
        for (size_t k = 0; k < 8; k++) {
            // The bit added above keeps the count defined once no bit is left.
            out[i + k] = base + (uint32_t)__builtin_ctzll(bits | (1ull << 63));
            bits &= bits - 1;
        }
    }
    return count;
}

static size_t find_words(uint32_t *edges, const char *text, size_t size, size_t most)
{
    size_t count = 0;
    uint64_t before = 1; // what precedes is blank
    for (size_t block = 0; block <= size; block += block_bytes) {
        size_t left = size - block;
        char tail[block_bytes];
        const char *at = text + block;
        if (left < block_bytes) {
            // The last block is a copy with blanks behind it, which also end the last word.
            memset(tail, ' ', sizeof tail);
            memcpy(tail, at, left);
            at = tail;
        }
        uint64_t blank = blanks64(at);
        count += put_bits(edges + count, blank ^ (blank << 1 | before), (uint32_t)block);
        before = blank >> 63;
        if (count > 2 * most) {
            return most + 1;
        }
    }
    return count / 2;
}

// What follows works on eight characters in 64 bits, the last one in the highest byte, all xor '0'. Tables instead of
// shifts and comparisons: half the instructions, and gcc 12 would set a comparison into the low byte of a register
// whose rest still waits for the last word's division, so that words wait for each other (20 ns a word, not 5).

/// The highest n of eight characters; and, for words of n, the highest n - 8 of the eight before them.
#define TOP(n) (~(uint64_t)0 << (64 - 8 * (n)))
static const uint64_t keep_high[16] = { 0,      TOP(1), TOP(2), TOP(3), TOP(4), TOP(5), TOP(6), TOP(7),
                                        TOP(8), TOP(8), TOP(8), TOP(8), TOP(8), TOP(8), TOP(8), TOP(8) };
static const uint64_t keep_low[16] = { 0, 0,      0,      0,      0,      0,      0,      0,
                                       0, TOP(1), TOP(2), TOP(3), TOP(4), TOP(5), TOP(6), TOP(7) };

/// By the place of the point among the eight, 0 when there is none, else 1 (first) to 8 (last).
typedef struct point_info {
    uint64_t byte;  ///< all bits of its character
    uint64_t below; ///< all bits of the characters before it
    uint64_t text;  ///< '.' xor '0' at its place
    double power;   ///< 10 to the number of characters behind it, 1 when there is none
} point_info;

#define POINT(n, power)                                                                                              \
    {                                                                                                                \
        (uint64_t)0xFF << (8 * (n)-8), ((uint64_t)1 << (8 * (n)-8)) - 1, (uint64_t)('.' ^ '0') << (8 * (n)-8), power \
    }
static const point_info points[9] = { { 0, 0, 0, 1e0 }, POINT(1, 1e7), POINT(2, 1e6), POINT(3, 1e5), POINT(4, 1e4),
                                      POINT(5, 1e3),    POINT(6, 1e2), POINT(7, 1e1), POINT(8, 1e0) };

/// Finds and clears the point in *x. *bad gathers what else is no digit.
static const point_info *take_point(uint64_t *x, uint64_t *bad)
{
    uint64_t stops = ami_not_digits8(*x);
    const point_info *point = &points[((63u ^ (unsigned)__builtin_clzll(stops | 1)) + 1) >> 3];
    uint64_t text = *x & point->byte;
    *x ^= text;
    *bad |= (text ^ point->text) | (stops & (stops - 1));
    return point;
}

/// Closes the gap that the point left: what stands before it moves up by one byte.
static uint64_t close_gap(uint64_t x, const point_info *point)
{
    uint64_t low = x & point->below;
    return (x ^ low) | low << 8;
}

/// digits / power with the sign of the word. IEEE division rounds correctly, both being exact (Clinger 1990).
static float signed_ratio(uint64_t digits, double power, uint32_t sign)
{
    float value = (float)((double)(int64_t)digits / power);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// 1 when c is '-', else 0, without a comparison (see above).
static uint32_t is_minus(char c) { return (((uint32_t)(unsigned char)c ^ '-') - 1) >> 31; }

/// A word of one to eight characters after its sign.
static float read_short(const char *end, uint32_t length, uint32_t minus, uint64_t *bad)
{
    uint64_t x = (ami_load_text8(end - 8) ^ 0x3030303030303030u) & keep_high[length & 15];
    const point_info *point = take_point(&x, bad);
    *bad |= (length - 2) >> 31 & (uint32_t)(point->byte >> 56); // a point alone
    return signed_ratio(ami_digits8(close_gap(x, point)), point->power, minus << 31);
}

/// A word of nine to 15 characters (a double may not hold more digits exactly): two loads, the point in either.
static float read_long(const char *end, uint32_t length, uint32_t minus, uint64_t *bad)
{
    uint64_t high = ami_load_text8(end - 8) ^ 0x3030303030303030u;
    uint64_t low = (ami_load_text8(end - 16) ^ 0x3030303030303030u) & keep_low[length & 15];
    const point_info *in_high = take_point(&high, bad);
    const point_info *in_low = take_point(&low, bad);
    *bad |= in_high->byte && in_low->byte;
    double power = in_high->power;
    if (in_high->byte) {
        // The lower half's last character comes up into the gap, and that half after it.
        high = close_gap(high, in_high) | low >> 56;
        low <<= 8;
    } else if (in_low->byte) {
        low = close_gap(low, in_low);
        power = in_low->power * 1e8;
    }
    return signed_ratio(ami_digits8(low) * 100000000u + ami_digits8(high), power, minus << 31);
}

static bool read_decimals(float *values, const char *text, const uint32_t *edges, size_t n)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t start = edges[2 * i];
        uint32_t end = edges[2 * i + 1];
        uint32_t minus = is_minus(text[start]);
        uint32_t length = end - start - minus;
        if (length <= 8) {
            bad |= length == 0;
            values[i] = read_short(text + end, length, minus, &bad);
        } else {
            bad |= length > 15;
            values[i] = read_long(text + end, length, minus, &bad);
        }
    }
    return bad == 0;
}

static const ami_text_kernels portable = { "portable", find_words, read_decimals };

const ami_text_kernels *ami_text_kernels_at(size_t index)
{
#if defined(AMI_HAS_X86)
    if (index == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
        return &ami_text_kernels_avx2;
    }
#endif
    return index == 0 ? &portable : NULL;
}

const ami_text_kernels *ami_text_kernels_pick(void)
{
    const ami_text_kernels *second = ami_text_kernels_at(1);
    return second ? second : &portable;
}

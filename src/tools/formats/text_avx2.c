// Words and decimals for AVX2: the steps of text_portable.c on eight words at a time, with the same results.
#include "formats/text.h"

#include "kernel/kernel.h"

#if defined(AMI_HAS_X86)

#include <immintrin.h>
#include <string.h>

enum { block_bytes = 64 };

static uint32_t blanks32(const char *at)
{
    __m256i text = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i blank = _mm256_cmpeq_epi8(_mm256_min_epu8(text, _mm256_set1_epi8(' ')), text);
    return (uint32_t)_mm256_movemask_epi8(blank);
}

/// The positions of all set bits, `base` added; writes up to seven items too many.
static size_t put_bits(uint32_t *out, uint64_t bits, uint32_t base)
{
    size_t count = (size_t)__builtin_popcountll(bits);
    for (size_t i = 0; i < count; i += 8) {
        for (size_t k = 0; k < 8; k++) {
            out[i + k] = base + (uint32_t)_tzcnt_u64(bits); // 64 once no bit is left
            bits = _blsr_u64(bits);
        }
    }
    return count;
}

static size_t find_words(uint32_t *edges, const char *text, size_t size, size_t most)
{
    size_t count = 0;
    uint64_t before = 1;
    for (size_t block = 0; block <= size; block += block_bytes) {
        size_t left = size - block;
        char tail[block_bytes];
        const char *at = text + block;
        if (left < block_bytes) {
            memset(tail, ' ', sizeof tail);
            memcpy(tail, at, left);
            at = tail;
        }
        uint64_t blank = blanks32(at) | (uint64_t)blanks32(at + 32) << 32;
        count += put_bits(edges + count, blank ^ (blank << 1 | before), (uint32_t)block);
        before = blank >> 63;
        if (count > 2 * most) {
            return most + 1;
        }
    }
    return count / 2;
}

// ---------------------------------------------------------------------------------------------
// Decimals. Four words in the four 64-bit lanes of a register, characters xor '0', the last one highest.

typedef __m256i u4;

// Called twice for each eight words; as calls their four registers of results would go through memory.
#define INLINE static inline __attribute__((always_inline))

static u4 set1(uint64_t x) { return _mm256_set1_epi64x((long long)x); }

/// Eight characters that end at each of the four edges, less `back`.
INLINE u4 load_words(const char *text, const uint32_t *first, const uint32_t *second, size_t back)
{
    uint64_t w[4];
    memcpy(&w[0], text + first[1] - back, 8);
    memcpy(&w[1], text + first[3] - back, 8);
    memcpy(&w[2], text + second[1] - back, 8);
    memcpy(&w[3], text + second[3] - back, 8);
    u4 x = _mm256_set_epi64x((long long)w[3], (long long)w[2], (long long)w[1], (long long)w[0]);
    return _mm256_xor_si256(x, _mm256_set1_epi8('0'));
}

/// What four words turn out to be: up to 16 digits, the number of those behind the point, and all bits set in the
/// lane of a negative one.
typedef struct words4 {
    u4 high;
    u4 low;
    u4 decimals;
    u4 minus;
} words4;

/// Gathers what is wrong: any bit of `bits`, any byte of `digits` above 9.
typedef struct faults {
    u4 bits;
    u4 digits;
} faults;

/// Takes the point out of one half. *bit becomes the lowest bit of its byte, 0 when there is none.
INLINE u4 clear_point(u4 x, u4 *point, u4 *bit, faults *bad)
{
    *point = _mm256_cmpeq_epi8(x, _mm256_set1_epi8('.' ^ '0'));
    *bit = _mm256_and_si256(*point, _mm256_sub_epi64(_mm256_setzero_si256(), *point));
    x = _mm256_andnot_si256(*point, x);
    bad->digits = _mm256_max_epu8(bad->digits, x);
    // Only one: the marks are no more than the byte of the lowest bit.
    u4 byte = _mm256_sub_epi64(_mm256_slli_epi64(*bit, 8), *bit);
    bad->bits = _mm256_or_si256(bad->bits, _mm256_xor_si256(byte, *point));
    return x;
}

/// What stands before the point moves up by one character; nothing moves where there is no point.
static u4 close_gap(u4 x, u4 point, u4 bit)
{
    u4 none = _mm256_cmpeq_epi64(point, _mm256_setzero_si256());
    u4 below = _mm256_andnot_si256(none, _mm256_sub_epi64(bit, set1(1)));
    u4 low = _mm256_and_si256(x, below);
    return _mm256_or_si256(_mm256_xor_si256(x, low), _mm256_slli_epi64(low, 8));
}

/// The number of characters behind the point; 0 where there is none.
static u4 count_behind(u4 point, u4 bit)
{
    // Without a point, bit - 1 has all bits set.
    u4 not_behind = _mm256_or_si256(_mm256_sub_epi64(bit, set1(1)), point);
    return _mm256_sad_epu8(_mm256_andnot_si256(not_behind, _mm256_set1_epi8(1)), _mm256_setzero_si256());
}

/// Lengths of the words, from edges that alternate begin and end.
static u4 load_lengths(const uint32_t *first, const uint32_t *second)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)first);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)second);
    u4 edges = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    return _mm256_sub_epi32(_mm256_srli_epi64(edges, 32), _mm256_and_si256(edges, set1(0xFFFFFFFFu)));
}

static void gather(u4 *into, u4 bits) { *into = _mm256_or_si256(*into, bits); }

/// A point and nothing else: no digit remains of a word of one character.
static u4 lone_point(u4 length, u4 minus, u4 point)
{
    u4 characters = _mm256_add_epi64(length, minus); // a set lane is -1
    return _mm256_and_si256(_mm256_cmpeq_epi64(characters, set1(1)), point);
}

/// Words of one to eight characters, a sign included.
INLINE words4 read_short4(const char *text, const uint32_t *first, const uint32_t *second, u4 length, faults *bad)
{
    u4 drop = _mm256_sub_epi64(set1(64), _mm256_slli_epi64(length, 3));
    u4 x = _mm256_srlv_epi64(load_words(text, first, second, 8), drop); // the first character is now lowest
    words4 out;
    out.minus = _mm256_cmpeq_epi64(_mm256_and_si256(x, set1(0xFF)), set1('-' ^ '0'));
    x = _mm256_sllv_epi64(_mm256_xor_si256(x, _mm256_and_si256(out.minus, set1('-' ^ '0'))), drop);
    // A sign alone leaves no character.
    gather(&bad->bits, _mm256_and_si256(out.minus, _mm256_cmpeq_epi64(length, set1(1))));
    u4 point, bit;
    x = clear_point(x, &point, &bit, bad);
    gather(&bad->bits, lone_point(length, out.minus, point));
    out.high = close_gap(x, point, bit);
    out.low = _mm256_setzero_si256();
    out.decimals = count_behind(point, bit);
    return out;
}

/// Words of one to 16 characters, a sign included, of which at most 15 behind the sign.
INLINE words4 read_wide4(const char *text, const uint32_t *first, const uint32_t *second, u4 length, faults *bad)
{
    u4 zero = _mm256_setzero_si256();
    gather(&bad->bits, _mm256_andnot_si256(set1(15), _mm256_sub_epi64(length, set1(1))));
    u4 bits = _mm256_slli_epi64(length, 3);
    // Shifts by more than 63 leave nothing, which empties the lower half of a short word.
    u4 drop_high = _mm256_max_epi32(_mm256_sub_epi32(set1(64), bits), zero);
    u4 drop_low = _mm256_sub_epi64(set1(128), bits);
    u4 high = _mm256_srlv_epi64(load_words(text, first, second, 8), drop_high);
    u4 low = _mm256_srlv_epi64(load_words(text, first, second, 16), drop_low);
    u4 is_long = _mm256_cmpgt_epi32(length, set1(8));
    is_long = _mm256_shuffle_epi32(is_long, 0xA0); // both halves of a lane
    u4 leading = _mm256_and_si256(_mm256_blendv_epi8(high, low, is_long), set1(0xFF));
    words4 out;
    out.minus = _mm256_cmpeq_epi64(leading, set1('-' ^ '0'));
    u4 sign = _mm256_and_si256(out.minus, set1('-' ^ '0'));
    high = _mm256_sllv_epi64(_mm256_xor_si256(high, _mm256_andnot_si256(is_long, sign)), drop_high);
    low = _mm256_sllv_epi64(_mm256_xor_si256(low, _mm256_and_si256(is_long, sign)), drop_low);
    u4 characters = _mm256_add_epi64(length, out.minus);
    gather(&bad->bits, _mm256_cmpeq_epi64(characters, zero));
    gather(&bad->bits, _mm256_cmpeq_epi64(characters, set1(16)));
    u4 point_high, bit_high, point_low, bit_low;
    high = clear_point(high, &point_high, &bit_high, bad);
    low = clear_point(low, &point_low, &bit_low, bad);
    gather(&bad->bits, lone_point(length, out.minus, point_high));
    u4 not_in_high = _mm256_cmpeq_epi64(point_high, zero);
    u4 not_in_low = _mm256_cmpeq_epi64(point_low, zero);
    gather(&bad->bits, _mm256_andnot_si256(_mm256_or_si256(not_in_high, not_in_low), set1(1)));
    // A point in the upper half draws the last character of the lower half up, and that half along.
    u4 up = _mm256_andnot_si256(not_in_high, _mm256_srli_epi64(low, 56));
    out.high = _mm256_or_si256(close_gap(high, point_high, bit_high), up);
    out.low = _mm256_blendv_epi8(_mm256_slli_epi64(low, 8), close_gap(low, point_low, bit_low), not_in_high);
    u4 behind = _mm256_or_si256(count_behind(point_high, bit_high), count_behind(point_low, bit_low));
    out.decimals = _mm256_or_si256(behind, _mm256_andnot_si256(not_in_low, set1(8)));
    return out;
}

/// The values of eight digits each in a (words 0 1 4 5) and b (2 3 6 7), in the order of the words.
static __m256i digits8(u4 a, u4 b)
{
    __m256i tens = _mm256_set1_epi16(10 | 1 << 8);
    __m256i hundreds = _mm256_set1_epi32(100 | 1 << 16);
    a = _mm256_madd_epi16(_mm256_maddubs_epi16(a, tens), hundreds);
    b = _mm256_madd_epi16(_mm256_maddubs_epi16(b, tens), hundreds);
    return _mm256_madd_epi16(_mm256_packus_epi32(a, b), _mm256_set1_epi32(10000 | 1 << 16));
}

/// The lower halves of the lanes, in the same order.
static __m256i merge(u4 a, u4 b)
{
    return _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
}

/// 10 to the exponents 0 to 7; these powers are exact as floats.
static __m256 powers8(__m256i exponents)
{
    const __m256 table = _mm256_setr_ps(1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f);
    return _mm256_permutevar8x32_ps(table, exponents);
}

static __m256d to_double(__m256 x, int half)
{
    return _mm256_cvtps_pd(half ? _mm256_extractf128_ps(x, 1) : _mm256_castps256_ps128(x));
}

static __m256d int_to_double(__m256i x, int half)
{
    return _mm256_cvtepi32_pd(half ? _mm256_extracti128_si256(x, 1) : _mm256_castsi256_si128(x));
}

static __m256 to_float(__m256d first, __m256d second)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(first)), _mm256_cvtpd_ps(second), 1);
}

static __m256 signs8(const words4 *a, const words4 *b)
{
    return _mm256_and_ps(_mm256_castsi256_ps(merge(a->minus, b->minus)), _mm256_set1_ps(-0.0f));
}

INLINE __m256 short_values(const words4 *a, const words4 *b)
{
    __m256i digits = digits8(a->high, b->high);
    __m256 power = powers8(merge(a->decimals, b->decimals));
    __m256d first = _mm256_div_pd(int_to_double(digits, 0), to_double(power, 0));
    __m256d second = _mm256_div_pd(int_to_double(digits, 1), to_double(power, 1));
    return _mm256_or_ps(to_float(first, second), signs8(a, b));
}

INLINE __m256d wide_ratio(__m256i high, __m256i low, __m256 power, __m256 far, int half)
{
    __m256d digits =
        _mm256_add_pd(_mm256_mul_pd(int_to_double(low, half), _mm256_set1_pd(1e8)), int_to_double(high, half));
    return _mm256_div_pd(digits, _mm256_mul_pd(to_double(power, half), to_double(far, half)));
}

INLINE __m256 wide_values(const words4 *a, const words4 *b)
{
    __m256i high = digits8(a->high, b->high);
    __m256i low = digits8(a->low, b->low);
    __m256i decimals = merge(a->decimals, b->decimals);
    __m256 power = powers8(decimals); // by the lower three bits of the exponent
    // The fourth bit of the exponent, moved to the sign, picks the other factor.
    __m256 eight = _mm256_castsi256_ps(_mm256_slli_epi32(decimals, 28));
    __m256 far = _mm256_blendv_ps(_mm256_set1_ps(1.0f), _mm256_set1_ps(1e8f), eight);
    return _mm256_or_ps(to_float(wide_ratio(high, low, power, far, 0), wide_ratio(high, low, power, far, 1)),
                        signs8(a, b));
}

/// Eight words. Long ones are rare or in one column, so that their branch is mostly foreseen.
INLINE __m256 read_eight(const char *text, const uint32_t *e, faults *bad)
{
    u4 length_a = load_lengths(e, e + 8);
    u4 length_b = load_lengths(e + 4, e + 12);
    u4 above = _mm256_or_si256(_mm256_sub_epi64(length_a, set1(1)), _mm256_sub_epi64(length_b, set1(1)));
    if (_mm256_testc_si256(set1(7), above)) { // all lengths are 1 to 8
        words4 a = read_short4(text, e, e + 8, length_a, bad);
        words4 b = read_short4(text, e + 4, e + 12, length_b, bad);
        return short_values(&a, &b);
    }
    words4 a = read_wide4(text, e, e + 8, length_a, bad);
    words4 b = read_wide4(text, e + 4, e + 12, length_b, bad);
    return wide_values(&a, &b);
}

static bool read_decimals(float *values, const char *text, const uint32_t *edges, size_t n)
{
    faults bad = { _mm256_setzero_si256(), _mm256_setzero_si256() };
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(values + i, read_eight(text, edges + 2 * i, &bad));
    }
    if (i < n) {
        // Fewer than eight are left: the last word again in the empty places.
        uint32_t last[16];
        float some[8];
        for (size_t k = 0; k < 8; k++) {
            size_t word = i + k < n ? i + k : n - 1;
            last[2 * k] = edges[2 * word];
            last[2 * k + 1] = edges[2 * word + 1];
        }
        _mm256_storeu_ps(some, read_eight(text, last, &bad));
        memcpy(values + i, some, (n - i) * sizeof(float));
    }
    __m256i nine = _mm256_set1_epi8(9);
    __m256i over = _mm256_xor_si256(_mm256_max_epu8(bad.digits, nine), nine);
    __m256i all = _mm256_or_si256(over, bad.bits);
    return _mm256_testz_si256(all, all) != 0;
}

const ami_text_kernels ami_text_kernels_avx2 = { "avx2", find_words, read_decimals };

#else

// Nothing here for other machines; a translation unit must not be empty.
typedef int ami_text_avx2_unused;

#endif

/// Text <-> numbers without a locale, the same on every machine.
///
/// Reading is correctly rounded for every text (the double nearest to it, ties to even) and comes in three tiers: a
/// short decimal like "-12.3456" is read inline from one or two 8-byte loads; up to 19 digits take exact 64- and
/// 128-bit arithmetic; the rest goes through long integers.
#ifndef AMI_BASE_NUMBER_H
#define AMI_BASE_NUMBER_H

#include <amble/base.h>
#include <amble/tools/files.h>
#include <string.h>

/// 10^0 to 10^22, the powers that a double holds exactly.
extern const double ami_pow10[23];
/// 10^0 to 10^19, the powers that 64 bits hold.
extern const uint64_t ami_pow10_u64[20];

/// Any number at all; what ami_parse_number falls back on, with the same contract.
bool ami_parse_number_slow(const char **at, const char *end, double *out);

// Eight characters at p as an integer whose low byte is the first one.
static inline uint64_t ami_load_text8(const char *p)
{
    uint64_t text;
    memcpy(&text, p, sizeof text);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    return text;
}

// Of text that was xor-ed with '0's: the top bit of every byte that is not a digit.
static inline uint64_t ami_not_digits8(uint64_t x) { return ((x + 0x7676767676767676u) | x) & 0x8080808080808080u; }

// The value of eight digits 0..9, the low byte being the most significant: pairs, then fours, then all.
static inline uint64_t ami_digits8(uint64_t x)
{
    x = x * 10 + (x >> 8);
    return ((x & 0x000000FF000000FFu) * 0x000F424000000064u +
            ((x >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
           32;
}

// The top bit of every byte that cannot be part of a plain decimal: not among . / 0 1 ... 9 (the slash is sorted out
// later). Bytes above 0xAD spill into the next one, but only after the first hit, which is all that callers use.
static inline uint64_t ami_not_decimal8(uint64_t text)
{
    return (~(text + 0x5252525252525252u) | (text + 0x4646464646464646u) | text) & 0x8080808080808080u;
}

// digits / 10^decimals with a sign: at most 15 digits over an exact power of ten, so that IEEE division rounds it
// correctly (Clinger 1990). The sign is set without a branch, since it is as good as random.
static inline double ami_decimal(uint64_t digits, unsigned decimals, uint64_t negative)
{
    double number = (double)(int64_t)digits / ami_pow10[decimals];
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    bits |= negative << 63;
    memcpy(&number, &bits, sizeof bits);
    return number;
}

// The middle tier of ami_parse_number: up to seven digits before and seven after the point, `text` being the first
// eight characters after the sign. False when the number has another shape. Reads up to 16 characters from p.
static inline bool ami_parse_longer(const char **at, const char *p, uint64_t text, uint64_t negative, double *out)
{
    uint64_t head = text ^ 0x3030303030303030u;
    uint64_t stops = ami_not_digits8(head);
    unsigned whole = (unsigned)__builtin_ctzll(stops | (uint64_t)1 << 63) & 56;
    const char *point = p + whole / 8;
    uint64_t tail = ami_load_text8(point + 1) ^ 0x3030303030303030u;
    uint64_t tail_stops = ami_not_digits8(tail);
    if (whole == 0 || stops == 0 || *point != '.' || tail_stops == 0) {
        return false;
    }
    unsigned rest = (unsigned)__builtin_ctzll(tail_stops) & 56;
    const char *stop = point + 1 + rest / 8;
    if (rest == 0 || (*stop | 0x20) == 'e') {
        return false;
    }
    uint64_t digits = ami_digits8(head << (64 - whole)) * ami_pow10_u64[rest / 8] + ami_digits8(tail << (64 - rest));
    *out = ami_decimal(digits, rest / 8, negative);
    *at = stop;
    return true;
}

/// Reads a decimal number at *at (sign, digits, point, exponent; "+5", ".5" and "5." are fine; no hex, inf or nan)
/// and moves *at past it. The caller checks what follows. False when there is no number, or when it is too large for
/// a double, in which case *out is infinite; *at then stays. Never reads at or beyond `end`.
///
/// The first tier takes up to seven characters after the sign without branching: there is no branch on sign, point or
/// length, which a predictor could only guess in motion files, and the place of the next number is known long before
/// the value of this one.
static inline bool ami_parse_number(const char **at, const char *end, double *out)
{
    const char *p = *at;
    if (end - p < 18) {
        return ami_parse_number_slow(at, end, out);
    }
    uint64_t plain = ami_load_text8(p);
    uint64_t behind_sign = ami_load_text8(p + 1); // loaded in any case: waiting for the sign would cost more
    uint64_t negative = (uint8_t)plain == '-';
    uint64_t text = negative ? behind_sign : plain;
    p += negative;
    uint64_t ends = ami_not_decimal8(text);
    if (ends == 0) {
        return ami_parse_longer(at, p, text, negative, out) || ami_parse_number_slow(at, end, out);
    }
    // All lengths here are in bits.
    int length = __builtin_ctzll(ends) & 56;
    uint64_t head = text ^ 0x3030303030303030u;
    uint64_t stops = ami_not_digits8(head) & ((ends & (0 - ends)) - 1); // in front of the end: the point, if any
    int whole = __builtin_ctzll(stops | ends) & 56;
    int digits = whole > length - 8 ? whole : length - 8; // the point is none of them
    // Not here: no digits, a second point, a slash (which differs from the point in its lowest bit), an exponent.
    if (digits <= 0 || (stops & ((stops - 1) | head << 7)) != 0 || (p[length / 8] | 0x20) == 'e') {
        return ami_parse_number_slow(at, end, out);
    }
    uint64_t keep = ((uint64_t)1 << whole) - 1; // close the gap that the point leaves
    head = (head & keep) | ((head >> 8) & ~keep);
    *out = ami_decimal(ami_digits8(head << (64 - digits)), (unsigned)(digits - whole) / 8, negative);
    *at = p + length / 8;
    return true;
}

/// Appends v with a fixed number of decimals (0 to 15), ties to even: exact for every float with up to 12 decimals,
/// and for a double as good as v * 10^decimals in double. Never writes "-0". v must be finite.
bool ami_put_fixed(am_bytes *bytes, double v, int decimals);
bool ami_put_integer(am_bytes *bytes, int64_t v);
/// Appends the shortest decimal text that reads back as the same float. v must be finite.
bool ami_put_float(am_bytes *bytes, float v);
/// The same for a double.
bool ami_put_double(am_bytes *bytes, double v);

#endif

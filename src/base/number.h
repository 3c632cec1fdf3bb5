/// Text <-> numbers without a locale, the same on every machine.
///
/// Reading is correctly rounded for every text (the double nearest to it, ties to even) and comes in three tiers: a
/// short decimal like "-12.3456" is read inline from one or two 8-byte loads; up to 19 digits take exact 64- and 128-bit
/// arithmetic; the rest goes through long integers.
#ifndef AMI_BASE_NUMBER_H
#define AMI_BASE_NUMBER_H

#include <amble/base.h>
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

// Of text that was xor-ed with '0's: the top bit of every byte that is no digit.
static inline uint64_t ami_not_digits8(uint64_t x)
{
    return ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
}

// The value of eight digits 0..9, the low byte being the most significant: pairs, then fours, then all.
static inline uint64_t ami_digits8(uint64_t x)
{
    x = x * 10 + (x >> 8);
    return ((x & 0x000000FF000000FFu) * 0x000F424000000064u + ((x >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
}

/// Reads a decimal number at *at (sign, digits, point, exponent; "+5", ".5" and "5." are fine; no hex, inf or nan)
/// and moves *at behind it. The caller looks at what follows. False when there is no number, or when it is too
/// large for a double, in which case *out is infinite; *at then stays. Never reads at or beyond `end`.
static inline bool ami_parse_number(const char **at, const char *end, double *out)
{
    const char *p = *at;
    if (end - p < 18) { // sign, eight, and another eight behind the point
        return ami_parse_number_slow(at, end, out);
    }
    uint64_t negative = *p == '-';
    p += negative;
    uint64_t head = ami_load_text8(p) ^ 0x3030303030303030u;
    uint64_t stops = ami_not_digits8(head);
    if (stops == 0) {
        return ami_parse_number_slow(at, end, out);
    }
    unsigned whole = (unsigned)__builtin_ctzll(stops) & ~7u; // bits of the digits before the first stop
    const char *stop = p + whole / 8;
    uint64_t value;
    unsigned decimals = 0;
    if (*stop == '.') {
        uint64_t rest = stops & (stops - 1);
        uint64_t keep = ((uint64_t)1 << whole) - 1;
        if (rest) { // both parts in one load: close the gap that the point leaves
            unsigned last = (unsigned)__builtin_ctzll(rest) & ~7u;
            if (last <= 8) {
                return ami_parse_number_slow(at, end, out); // a bare point, or one digit at most: not worth a branch here
            }
            decimals = (last - whole) / 8 - 1;
            head = (head & keep) | ((head >> 8) & ~keep);
            value = ami_digits8(head << (72 - last));
            stop = p + last / 8;
        } else {
            uint64_t tail = ami_load_text8(stop + 1) ^ 0x3030303030303030u;
            uint64_t tail_stops = ami_not_digits8(tail);
            if (tail_stops == 0 || whole == 0) {
                return ami_parse_number_slow(at, end, out);
            }
            unsigned last = (unsigned)__builtin_ctzll(tail_stops) & ~7u;
            decimals = last / 8; // at least one, as the first load saw no second stop
            value = ami_digits8(head << (64 - whole)) * ami_pow10_u64[decimals] + ami_digits8(tail << (64 - last));
            stop += 1 + decimals;
        }
    } else {
        if (whole == 0) {
            return ami_parse_number_slow(at, end, out);
        }
        value = ami_digits8(head << (64 - whole));
    }
    if ((*stop | 0x20) == 'e') {
        return ami_parse_number_slow(at, end, out);
    }
    // At most 15 digits over an exact power of ten: IEEE division rounds it correctly (Clinger 1990).
    double number = (double)(int64_t)value / ami_pow10[decimals];
    *out = negative ? -number : number;
    *at = stop;
    return true;
}

/// Appends v with a fixed number of decimals (0 to 15), ties to even: exact for every float with up to 12 decimals, and
/// for a double as good as v * 10^decimals in double. Never writes "-0". v must be finite.
bool ami_put_fixed(am_bytes *bytes, double v, int decimals);
bool ami_put_integer(am_bytes *bytes, int64_t v);
/// Appends the shortest decimal text that reads back as the same float. v must be finite.
bool ami_put_float(am_bytes *bytes, float v);
/// The same for a double.
bool ami_put_double(am_bytes *bytes, double v);

#endif

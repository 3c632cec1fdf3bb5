// Text to double, correctly rounded: Clinger's exact cases, then 128-bit arithmetic for up to 19 digits and powers of
// ten up to 27, then a first guess that is corrected by comparing long integers ("How to read floating point numbers
// accurately", Clinger 1990). The short common case is inline in number.h.
#include "base/number.h"

#include "base/big.h"

#include <math.h>

const double ami_pow10[23] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

const uint64_t ami_pow10_u64[20] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

enum {
    exact_digits = 19, // 10^19 - 1 fits 64 bits
    kept_digits = 800, // no double's halfway point has more than 768 significant digits; what follows only tips a tie
    exponent_limit = 1000000, // larger exponents mean zero or infinity whatever the digits
};

// A number's text taken apart: digits * 10^exponent, where `head` holds the first 19 significant digits.
typedef struct scan {
    const char *first; // first significant digit
    const char *stop;  // behind the whole number
    uint64_t head;
    int64_t digits;   // significant digits in the text, leading zeros left out
    int64_t exponent; // of the last digit in the text
    bool negative;
} scan;

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

// Reads one run of digits, before or after the point.
static const char *scan_digits(scan *s, const char *p, const char *end)
{
    for (;;) {
        if (end - p >= 8 && s->digits > 0 && s->digits <= exact_digits - 8) {
            uint64_t text = ami_load_text8(p) ^ 0x3030303030303030u;
            if (ami_not_digits8(text) == 0) {
                s->head = s->head * 100000000u + ami_digits8(text);
                s->digits += 8;
                p += 8;
                continue;
            }
        }
        if (p == end || !is_digit(*p)) {
            return p;
        }
        unsigned digit = (unsigned)(*p - '0');
        if (s->digits > 0 || digit > 0) {
            if (s->digits == 0) {
                s->first = p;
            }
            if (s->digits < exact_digits) {
                s->head = s->head * 10 + digit;
            }
            s->digits++;
        }
        p++;
    }
}

// The exponent at p, which points at 'e'. One without digits is not part of the number ("1e" is 1 and an 'e').
static const char *scan_exponent(scan *s, const char *p, const char *end)
{
    const char *q = p + 1;
    bool negative = q < end && *q == '-';
    q += q < end && (*q == '-' || *q == '+');
    if (q == end || !is_digit(*q)) {
        return p;
    }
    int64_t value = 0;
    for (; q < end && is_digit(*q); q++) {
        value = value < exponent_limit ? value * 10 + (*q - '0') : value;
    }
    s->exponent += negative ? -value : value;
    return q;
}

static bool scan_number(scan *s, const char *p, const char *end)
{
    memset(s, 0, sizeof *s);
    if (p < end && (*p == '-' || *p == '+')) {
        s->negative = *p == '-';
        p++;
    }
    const char *begin = p;
    p = scan_digits(s, p, end);
    int64_t seen = p - begin;
    if (p < end && *p == '.') {
        const char *decimals = p + 1;
        p = scan_digits(s, decimals, end);
        seen += p - decimals;
        s->exponent = -(int64_t)(p - decimals);
    }
    if (seen == 0) {
        return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p = scan_exponent(s, p, end);
    }
    s->stop = p;
    return true;
}

#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 u128;

static int bit_length(uint64_t x) { return 64 - __builtin_clzll(x); }

// value * 2^power for a value of 54 to 64 bits whose lowest bit says "or a little more", rounded to nearest even.
// The result is a normal number: callers stay within 10^-27 to 10^47.
static double round_scaled(uint64_t value, int power)
{
    int drop = bit_length(value) - 53;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t low = value & (2 * half - 1);
    uint64_t kept = value >> drop;
    kept += low > half || (low == half && (kept & 1)); // may become 2^53, which is still exact
    uint64_t bits = (uint64_t)(power + drop + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return (double)(int64_t)kept * scale;
}

// head * 10^exponent for |exponent| <= 27: 5^27 is the last power of five that fits 64 bits.
static double scale_by_128(uint64_t head, int exponent)
{
    uint64_t five = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
        five *= 5;
    }
    u128 product;
    int power = exponent;
    uint64_t sticky = 0;
    if (exponent >= 0) {
        product = (u128)head * five;
    } else {
        // Shifted so that the quotient has at least 64 bits; the remainder only says whether there is more.
        int up = 64 + __builtin_clzll(head);
        u128 numerator = (u128)head << up;
        product = numerator / five;
        sticky = numerator % five != 0;
        power -= up;
    }
    uint64_t high = (uint64_t)(product >> 64);
    if (high) {
        int down = bit_length(high);
        uint64_t kept = (uint64_t)(product >> down);
        sticky |= ((u128)kept << down) != product;
        return round_scaled(kept | sticky, power + down);
    }
    uint64_t low = (uint64_t)product;
    int up = __builtin_clzll(low);
    return round_scaled(low << up | sticky, power - up);
}
#endif

// The text's digits as a long integer, of which at most 800 are kept; then *exponent is that of the last kept one.
static void digits_to_big(ami_big *big, const scan *s, int64_t *exponent)
{
    ami_big_set(big, 0);
    int64_t kept = s->digits < kept_digits ? s->digits : kept_digits;
    const char *p = s->first;
    for (int64_t i = 0; i < kept; p++) {
        if (is_digit(*p)) {
            ami_big_mul_add(big, 10, (uint32_t)(*p - '0'));
            i++;
        }
    }
    *exponent = s->exponent + (s->digits - kept);
    bool more = false;
    for (int64_t i = kept; i < s->digits; p++) {
        if (is_digit(*p)) {
            more = more || *p != '0';
            i++;
        }
    }
    if (more) { // a last digit that is only there to be more than nothing
        ami_big_mul_add(big, 10, 1);
        *exponent -= 1;
    }
}

// Compares digits * 10^exponent with m * 2^power.
static int compare_with(const ami_big *digits, int exponent, uint64_t m, int power)
{
    ami_big left = *digits;
    ami_big right;
    ami_big_set(&right, m);
    if (exponent >= 0) {
        ami_big_mul_pow5(&left, exponent);
    } else {
        ami_big_mul_pow5(&right, -exponent);
    }
    power -= exponent; // the powers of two of 10^exponent go to the right
    if (power >= 0) {
        ami_big_shift(&right, power);
    } else {
        ami_big_shift(&left, -power);
    }
    return ami_big_compare(&left, &right);
}

// head * 10^exponent within a few units in the last place; it may leave the range of double on either side.
static double guess(uint64_t head, int exponent)
{
    double x = (double)head;
    for (; exponent > 22; exponent -= 22) {
        x *= ami_pow10[22];
    }
    for (; exponent < -22; exponent += 22) {
        x /= ami_pow10[22];
    }
    return exponent >= 0 ? x * ami_pow10[exponent] : x / ami_pow10[-exponent];
}

// Walks from the guess to the double nearest to the text by comparing with the points halfway to its neighbours.
// Works on the bits as an integer: its successor is the next double, also from the largest to infinity.
static double correct_guess(const ami_big *digits, int exponent, double x)
{
    const uint64_t infinity = (uint64_t)0x7FF << 52;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < infinity ? bits : infinity - 1;
    while (bits < infinity) {
        int biased = (int)(bits >> 52 & 0x7FF);
        uint64_t m = bits & (((uint64_t)1 << 52) - 1);
        m |= biased ? (uint64_t)1 << 52 : 0;
        int power = (biased ? biased : 1) - 1075;
        int above = compare_with(digits, exponent, 2 * m + 1, power - 1);
        if (above > 0 || (above == 0 && (bits & 1))) {
            bits++;
            if (above == 0) {
                break;
            }
            continue;
        }
        // Below a power of two the neighbour is half as far; the lowest such power is already subnormal spacing.
        bool narrow = m == (uint64_t)1 << 52 && biased > 1;
        int below = bits == 0 ? 1
                    : narrow  ? compare_with(digits, exponent, 4 * m - 1, power - 2)
                              : compare_with(digits, exponent, 2 * m - 1, power - 1);
        if (below > 0 || (below == 0 && !(bits & 1))) {
            break;
        }
        bits--;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double convert_long(const scan *s)
{
    // The position of the first digit decides most extremes at once, and keeps the long integers within their size.
    int64_t magnitude = s->digits + s->exponent;
    if (magnitude > 310) {
        return HUGE_VAL;
    }
    if (magnitude < -325) {
        return 0.0;
    }
    ami_big digits;
    int64_t exponent;
    digits_to_big(&digits, s, &exponent);
    int64_t head_digits = s->digits < exact_digits ? s->digits : exact_digits;
    double x = guess(s->head, (int)(magnitude - head_digits));
    return correct_guess(&digits, (int)exponent, x);
}

static double convert(const scan *s)
{
    if (s->head == 0) {
        return 0.0;
    }
    if (s->digits <= exact_digits && s->head <= (uint64_t)1 << 53 && s->exponent >= -22 && s->exponent <= 22) {
        double x = (double)(int64_t)s->head;
        return s->exponent < 0 ? x / ami_pow10[-s->exponent] : x * ami_pow10[s->exponent];
    }
#if defined(__SIZEOF_INT128__)
    if (s->digits <= exact_digits && s->exponent >= -27 && s->exponent <= 27) {
        return scale_by_128(s->head, (int)s->exponent);
    }
#endif
    return convert_long(s);
}

bool ami_parse_number_slow(const char **at, const char *end, double *out)
{
    scan s;
    *out = 0.0;
    if (!scan_number(&s, *at, end)) {
        return false;
    }
    double x = convert(&s);
    *out = s.negative ? -x : x;
    if (x > 1.7976931348623157e308) {
        return false;
    }
    *at = s.stop;
    return true;
}

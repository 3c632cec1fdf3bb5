// Numbers to text: fixed decimals for motion files, and the shortest text that reads back exactly (free-format
// algorithm of Steele and White 1990 over long integers, with a short cut for everyday floats).
#include "base/number.h"

#include "base/assert.h"
#include "base/big.h"
#include "base/bytes.h"

#include <math.h>

enum { text_room = 64 }; // more than any number here needs

// The decimal digits of v, ending at `end`; returns where they begin. Two at a time, since each division costs.
static char *digits_before(char *end, uint64_t v)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    while (v >= 100) {
        uint64_t rest = v / 100;
        memcpy(end -= 2, pairs + 2 * (v - 100 * rest), 2);
        v = rest;
    }
    if (v >= 10) {
        memcpy(end -= 2, pairs + 2 * v, 2);
    } else {
        *--end = (char)('0' + v);
    }
    return end;
}

bool ami_put_integer(am_bytes *bytes, int64_t v)
{
    char text[text_room];
    char *end = text + sizeof text;
    char *at = digits_before(end, v < 0 ? 0u - (uint64_t)v : (uint64_t)v);
    if (v < 0) {
        *--at = '-';
    }
    return ami_put(bytes, at, (size_t)(end - at));
}

// Rounded to the nearest integer, ties to even; 0 <= x < 2^63.
static uint64_t round_even(double x)
{
    uint64_t whole = (uint64_t)x;
    double rest = x - (double)whole;
    return whole + (rest > 0.5 || (rest == 0.5 && (whole & 1)));
}

// `units` of 10^-decimals as text with a point.
static bool put_units(am_bytes *bytes, bool negative, uint64_t units, int decimals)
{
    char text[text_room];
    char *end = text + sizeof text;
    char *at = end;
    if (decimals > 0 && decimals < 20) { // 10^19 is the last power that fits
        uint64_t scale = ami_pow10_u64[decimals];
        uint64_t whole = units / scale;
        at = digits_before(end, units - whole * scale);
        while (end - at < decimals) {
            *--at = '0';
        }
        *--at = '.';
        units = whole;
    }
    at = digits_before(at, units);
    if (negative) {
        *--at = '-';
    }
    return ami_put(bytes, at, (size_t)(end - at));
}

bool ami_put_fixed(am_bytes *bytes, double v, int decimals)
{
    AM_ASSERT(decimals >= 0 && decimals <= 15);
    AM_ASSERT(v - v == 0.0);
    double size = fabs(v) * ami_pow10[decimals];
    if (!(size < 0x1p53)) { // so large that the decimals say nothing more
        return ami_put_double(bytes, v);
    }
    uint64_t units = round_even(size);
    return put_units(bytes, v < 0.0 && units > 0, units, decimals);
}

// ---------------------------------------------------------------------------------------------
// Shortest text

// Significant digits of 0.d1d2d3... * 10^point.
typedef struct decimal {
    char digit[20];
    int count;
    int point;
} decimal;

// What the digit generation works on: value = r / s, and the rounding interval reaches `down` / s below and
// `up` / s above it, ends included when the mantissa is even.
typedef struct interval {
    ami_big r, s, down, up;
    bool closed;
} interval;

static void scale_all(interval *v, uint32_t factor)
{
    ami_big_mul_add(&v->r, factor, 0);
    ami_big_mul_add(&v->down, factor, 0);
    ami_big_mul_add(&v->up, factor, 0);
}

static void set_interval(interval *v, uint64_t m, int power, bool narrow)
{
    int extra = narrow ? 2 : 1; // bits that make room for half of the smaller gap
    int shift = power > 0 ? power : 0;
    ami_big_set(&v->r, m);
    ami_big_shift(&v->r, shift + extra);
    ami_big_set(&v->s, 1);
    ami_big_shift(&v->s, (power < 0 ? -power : 0) + extra);
    ami_big_set(&v->down, 1);
    ami_big_shift(&v->down, shift);
    v->up = v->down;
    ami_big_shift(&v->up, extra - 1);
    v->closed = (m & 1) == 0;
}

static bool reaches_one(const interval *v)
{
    ami_big top;
    ami_big_add(&top, &v->r, &v->up);
    int order = ami_big_compare(&top, &v->s);
    return order > 0 || (order == 0 && v->closed);
}

// Brings the value into [0.1, 1) and returns the power of ten that this took out.
static int set_point(interval *v, uint64_t m, int power)
{
    int log2 = power + 63 - __builtin_clzll(m);
    // floor(log2 * log10(2)), which is at most floor(log10(value)); the loop below adds what is missing.
    int point = log2 >= 0 ? log2 * 78913 / 262144 : -((-log2 * 78913 + 262143) / 262144);
    if (point > 0) {
        ami_big_mul_pow5(&v->s, point);
        ami_big_shift(&v->s, point);
    }
    for (int i = point; i < 0; i++) {
        scale_all(v, 10);
    }
    while (reaches_one(v)) {
        ami_big_mul_add(&v->s, 10, 0);
        point++;
    }
    return point;
}

static void shortest_digits(decimal *out, uint64_t m, int power, bool narrow)
{
    interval v;
    set_interval(&v, m, power, narrow);
    out->point = set_point(&v, m, power);
    out->count = 0;
    for (;;) {
        scale_all(&v, 10);
        char digit = '0';
        while (ami_big_compare(&v.r, &v.s) >= 0) {
            ami_big_sub(&v.r, &v.s);
            digit++;
        }
        int order = ami_big_compare(&v.r, &v.down);
        bool low = order < 0 || (order == 0 && v.closed);
        bool high = reaches_one(&v);
        if (low || high) {
            ami_big_shift(&v.r, 1);
            bool up = high && (!low || ami_big_compare(&v.r, &v.s) >= 0);
            out->digit[out->count++] = (char)(digit + up);
            return;
        }
        out->digit[out->count++] = digit;
    }
}

static bool put_decimal(am_bytes *bytes, const decimal *d, bool negative)
{
    char text[text_room];
    char *at = text;
    if (negative) {
        *at++ = '-';
    }
    bool plain = d->point > -6 && d->point <= 16;
    int point = plain ? d->point : 1;
    if (point <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = point; i < 0; i++) {
            *at++ = '0';
        }
    }
    for (int i = 0; i < d->count || i < point; i++) {
        if (i == point && i > 0) {
            *at++ = '.';
        }
        *at++ = i < d->count ? d->digit[i] : '0';
    }
    if (!plain) {
        *at++ = 'e';
        int exponent = d->point - 1;
        *at++ = exponent < 0 ? '-' : '+';
        char number[8];
        char *from = digits_before(number + sizeof number, (uint64_t)(exponent < 0 ? -exponent : exponent));
        size_t length = (size_t)(number + sizeof number - from);
        memcpy(at, from, length);
        at += length;
    }
    return ami_put(bytes, text, (size_t)(at - text));
}

// Tries fewer decimals first. Up to 12 of them x * 10^k is exact in double (24 + 28 bits), so is the test. False when
// none fits or the answer depends on double rounding.
static bool put_everyday_float(am_bytes *bytes, float v, bool narrow, bool *ok)
{
    double size = fabs((double)v);
    if (!(size >= 1e-5 && size < 0x1p24)) {
        return false;
    }
    for (int decimals = 0; decimals <= 12; decimals++) {
        double exact = size * ami_pow10[decimals];
        uint64_t units = round_even(exact);
        if (narrow && (double)units != exact) {
            continue; // the interval is lopsided: only an exact hit is surely the shortest
        }
        double back = (double)units / ami_pow10[decimals];
        uint64_t bits;
        memcpy(&bits, &back, sizeof bits);
        if ((float)back == (float)size) {
            bool midpoint = (bits & 0x1FFFFFFFu) == 0x10000000u;
            if (midpoint || (narrow && decimals > 6)) {
                return false;
            }
            *ok = put_units(bytes, v < 0.0f, units, decimals);
            return true;
        }
    }
    return false;
}

static bool put_zero(am_bytes *bytes, bool negative) { return ami_put_text(bytes, negative ? "-0" : "0"); }

bool ami_put_float(am_bytes *bytes, float v)
{
    AM_ASSERT(v - v == 0.0f);
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    bool negative = bits >> 31;
    uint32_t m = bits & 0x7FFFFFu;
    int biased = (int)(bits >> 23 & 0xFF);
    if (m == 0 && biased == 0) {
        return put_zero(bytes, negative);
    }
    bool narrow = m == 0 && biased > 1;
    bool ok;
    if (put_everyday_float(bytes, v, narrow, &ok)) {
        return ok;
    }
    decimal d;
    shortest_digits(&d, biased ? m | 0x800000u : m, (biased ? biased : 1) - 150, narrow);
    return put_decimal(bytes, &d, negative);
}

bool ami_put_double(am_bytes *bytes, double v)
{
    AM_ASSERT(v - v == 0.0);
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    bool negative = bits >> 63;
    uint64_t m = bits & 0xFFFFFFFFFFFFFu;
    int biased = (int)(bits >> 52 & 0x7FF);
    if (m == 0 && biased == 0) {
        return put_zero(bytes, negative);
    }
    if (fabs(v) < 0x1p53 && v == (double)(int64_t)v) {
        return ami_put_integer(bytes, (int64_t)v);
    }
    decimal d;
    shortest_digits(&d, biased ? m | (uint64_t)1 << 52 : m, (biased ? biased : 1) - 1075, m == 0 && biased > 1);
    return put_decimal(bytes, &d, negative);
}

// Checking and encoding UTF-8, after table 3-7 of the Unicode standard.
#include "base/utf8.h"

#include <string.h>

int ami_utf8_length(const char *at, const char *end)
{
    const unsigned char *p = (const unsigned char *)at;
    ptrdiff_t left = end - at;
    if (p[0] < 0x80) {
        return 1;
    }
    if (p[0] < 0xC2 || p[0] > 0xF4) {
        return 0;
    }
    int length = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (left < length) {
        return 0;
    }
    // The first continuation byte identifies overlong forms, surrogates and code points that are too large.
    unsigned lo = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
    unsigned hi = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < lo || p[1] > hi) {
        return 0;
    }
    for (int i = 2; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

const char *ami_utf8_check(const char *at, const char *end)
{
    while (at < end) {
        uint64_t eight;
        if (end - at >= 8 && (memcpy(&eight, at, 8), (eight & 0x8080808080808080u) == 0)) {
            at += 8;
            continue;
        }
        int length = ami_utf8_length(at, end);
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return end;
}

int ami_utf8_encode(char out[4], uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    static const unsigned char lead[5] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    out[0] = (char)(lead[length] | code);
    return length;
}

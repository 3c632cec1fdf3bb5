// A font of strokes, for texts in pictures of pixels.
#include "report/canvas.h"

#include <string.h>

static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz.,-/_:()+=";

static const struct glyph {
    int width;
    const char *strokes;
} glyphs[] = {
    { 7, "2e0g0o2q5q7o7g5e2e" },
    { 5, "1o4q4e" },
    { 7, "0o2q5q7o7m0e7e" },
    { 7, "0p2q5q7o7m5k3k 5k7i7g5e2e0f" },
    { 7, "5e5q0h7h" },
    { 7, "7q1q0k4l7j7g5e2e0f" },
    { 7, "6q2q0n0g2e5e7g7i5k2k0i" },
    { 7, "0q7q2e" },
    { 7, "2k0m0o2q5q7o7m5k2k0i0g2e5e7g7i5k" },
    { 7, "1e5e7h7o5q2q0o0m2k5k7m" },
    { 6, "0l1m4m6k6e 6i2i0h0f1e4e6g" },
    { 6, "0q0e 0j2m4m6k6g4e2e0g" },
    { 6, "6l4m2m0k0g2e4e6f" },
    { 6, "6q6e 6j4m2m0k0g2e4e6g" },
    { 6, "0i6i6k4m2m0k0g2e4e6f" },
    { 5, "5q3q2o2e 0m4m" },
    { 6, "6m6c4a2a0b 6j4m2m0k0g2e4e6g" },
    { 6, "0q0e 0j2m4m6k6e" },
    { 2, "1m1e 1p1q" },
    { 3, "2m2c1a0a 2p2q" },
    { 6, "0q0e 5m0h 2j6e" },
    { 2, "0q0f1e2e" },
    { 8, "0e0m 0k2m3m4k4e 4k6m7m8k8e" },
    { 6, "0m0e 0j2m4m6k6e" },
    { 6, "2e0g0k2m4m6k6g4e2e" },
    { 6, "0m0a 0j2m4m6k6g4e2e0g" },
    { 6, "6m6a 6j4m2m0k0g2e4e6g" },
    { 4, "0m0e 0j2m4m" },
    { 6, "6l4m2m0l0j6h6f4e2e0f" },
    { 5, "2q2f3e5e 0m5m" },
    { 6, "0m0g2e4e6g 6m6e" },
    { 6, "0m3e6m" },
    { 8, "0m2e4m6e8m" },
    { 6, "0m6e 6m0e" },
    { 6, "0m3e 6m2a0a" },
    { 6, "0m6m0e6e" },
    { 1, "0e0f" },
    { 1, "1f0c" },
    { 5, "0i5i" },
    { 6, "0c6q" },
    { 6, "0d6d" },
    { 1, "0e0f 0l0m" },
    { 2, "2q0m0g2c" },
    { 2, "0q2m2g0c" },
    { 6, "3f3l 0i6i" },
    { 6, "0g6g 0k6k" },
};
_Static_assert(sizeof glyphs / sizeof glyphs[0] == sizeof letters - 1, "one glyph for each letter");

const char *ami_glyph(char letter, int *width)
{
    char small = letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
    const char *found = small ? strchr(letters, small) : NULL;
    *width = found ? glyphs[found - letters].width : 3;
    return found ? glyphs[found - letters].strokes : "";
}

/// Unsigned integers of up to 3072 bits: just enough for exact text <-> number conversion. Private to base.
#ifndef AMI_BASE_BIG_H
#define AMI_BASE_BIG_H

#include <stdint.h>

/// 800 decimal digits need 2658 bits, and the largest power of five that meets them 2664; the rest is slack.
enum { ami_big_limbs = 96 };

/// Little-endian limbs; `count` is 0 for zero, and the top limb is never zero.
typedef struct ami_big {
    uint32_t limb[ami_big_limbs];
    int count;
} ami_big;

void ami_big_set(ami_big *big, uint64_t value);
/// big = big * factor + add
void ami_big_mul_add(ami_big *big, uint32_t factor, uint32_t add);
/// big = big * 5^power
void ami_big_mul_pow5(ami_big *big, int power);
/// big = big * 2^bits
void ami_big_shift(ami_big *big, int bits);
/// Negative, zero or positive as a is below, equal to or above b.
int ami_big_compare(const ami_big *a, const ami_big *b);
/// sum = a + b; sum may be a.
void ami_big_add(ami_big *sum, const ami_big *a, const ami_big *b);
/// a = a - b, a >= b
void ami_big_sub(ami_big *a, const ami_big *b);

#endif

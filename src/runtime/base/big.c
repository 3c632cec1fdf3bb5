// Long multiplication, shifts and comparison over 32-bit limbs, for the exact cases of number reading and writing.
#include "base/big.h"

#include "base/assert.h"

#include <string.h>

static void push(ami_big *big, uint32_t limb)
{
    AM_ASSERT(big->count < ami_big_limbs);
    if (big->count < ami_big_limbs) {
        big->limb[big->count++] = limb;
    }
}

static void trim(ami_big *big)
{
    while (big->count > 0 && big->limb[big->count - 1] == 0) {
        big->count--;
    }
}

void ami_big_set(ami_big *big, uint64_t value)
{
    big->limb[0] = (uint32_t)value;
    big->limb[1] = (uint32_t)(value >> 32);
    big->count = 2;
    trim(big);
}

void ami_big_mul_add(ami_big *big, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < big->count; i++) {
        carry += (uint64_t)big->limb[i] * factor;
        big->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        push(big, (uint32_t)carry);
    }
    trim(big);
}

void ami_big_mul_pow5(ami_big *big, int power)
{
    for (; power >= 13; power -= 13) {
        ami_big_mul_add(big, 1220703125u, 0); // 5^13, the largest that fits a limb
    }
    uint32_t rest = 1;
    for (; power > 0; power--) {
        rest *= 5;
    }
    ami_big_mul_add(big, rest, 0);
}

void ami_big_shift(ami_big *big, int bits)
{
    ami_big_mul_add(big, 1u << bits % 32, 0);
    int limbs = bits / 32;
    AM_ASSERT(big->count + limbs <= ami_big_limbs);
    if (limbs == 0 || big->count == 0 || big->count + limbs > ami_big_limbs) {
        return;
    }
    memmove(big->limb + limbs, big->limb, (size_t)big->count * sizeof big->limb[0]);
    memset(big->limb, 0, (size_t)limbs * sizeof big->limb[0]);
    big->count += limbs;
}

int ami_big_compare(const ami_big *a, const ami_big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

void ami_big_add(ami_big *sum, const ami_big *a, const ami_big *b)
{
    int count = a->count > b->count ? a->count : b->count;
    int a_count = a->count;
    uint64_t carry = 0;
    sum->count = 0;
    for (int i = 0; i < count; i++) {
        carry += (uint64_t)(i < a_count ? a->limb[i] : 0) + (i < b->count ? b->limb[i] : 0);
        push(sum, (uint32_t)carry);
        carry >>= 32;
    }
    if (carry) {
        push(sum, (uint32_t)carry);
    }
}

void ami_big_sub(ami_big *a, const ami_big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t d = (int64_t)a->limb[i] - (i < b->count ? b->limb[i] : 0) + borrow;
        a->limb[i] = (uint32_t)d;
        borrow = d < 0 ? -1 : 0;
    }
    trim(a);
}

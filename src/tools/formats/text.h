// Rows of numbers in text: finding the words, and reading plain decimals ("-12.3456"). Two versions with the same
// results: one on 64-bit integers that runs everywhere, one for AVX2.
//
// Neither has a branch that depends on the text, but for the rare long words: lengths, signs and points of measured
// numbers look random, and a wrong guess costs as much as reading a number. Faults of words are collected and checked
// once.
#ifndef AMI_KERNEL_TEXT_H
#define AMI_KERNEL_TEXT_H

#include <amble/base.h>

/// Items that `edges` must have room for beyond two for each word that is expected.
#define AMI_TEXT_SPARE 96

typedef struct ami_text_kernels {
    const char *name; ///< "portable", "avx2"

    /// Writes where the words of text(size) begin and end, by turns, into edges(2 * most + AMI_TEXT_SPARE). Words are
    /// runs of bytes above ' '; text before and behind counts as blank. Returns the number of words, or `most` + 1
    /// when there are more than that. Reads only text(size).
    size_t (*find_words)(uint32_t *edges, const char *text, size_t size, size_t most);

    /// values(n) of the n words at `edges`, each the float nearest to the double nearest to its text. False, with
    /// values undefined, when a word is not [-]digits[.digits] of at most 15 characters after its sign, a point
    /// without digits included. Words of up to eight characters are read faster. 16 bytes before `text` must be
    /// readable.
    bool (*read_decimals)(float *values, const char *text, const uint32_t *edges, size_t n);
} ami_text_kernels;

/// The fastest version that this machine runs.
const ami_text_kernels *ami_text_kernels_pick(void);
/// Version `index` of those that this machine runs, the portable one first; NULL past the last.
const ami_text_kernels *ami_text_kernels_at(size_t index);

extern const ami_text_kernels ami_text_kernels_avx2; ///< linked on x86-64 only

#endif

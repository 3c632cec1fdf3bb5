/// UTF-8 as the Unicode standard allows it: no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef AMI_BASE_UTF8_H
#define AMI_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/// Bytes of the character at `at` (1 to 4), or 0 when it is not well-formed. at < end.
int ami_utf8_length(const char *at, const char *end);
/// Position of the first malformed byte, or `end`.
const char *ami_utf8_check(const char *at, const char *end);
/// Writes a code point (valid, not checked) into out; returns its 1 to 4 bytes.
int ami_utf8_encode(char out[4], uint32_t code);

#endif

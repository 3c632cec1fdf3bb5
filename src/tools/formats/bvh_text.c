// The cursor of the BVH reader.
#include "formats/bvh.h"

#include "base/number.h"

#include <float.h>

void ami_text_skip_in_line(ami_text *text)
{
    while (text->at < text->end && !ami_is_line_end(*text->at) && ami_is_blank(*text->at)) {
        text->at++;
    }
    if (ami_at_comment(text)) {
        while (text->at < text->end && !ami_is_line_end(*text->at)) {
            text->at++;
        }
    }
}

void ami_text_next_line(ami_text *text)
{
    if (text->at < text->end && ami_is_line_end(*text->at)) {
        bool two = *text->at == '\r' && text->end - text->at > 1 && text->at[1] == '\n';
        text->at += two ? 2 : 1;
        text->line++;
        text->line_start = text->at;
    }
}

void ami_text_skip(ami_text *text)
{
    for (;;) {
        ami_text_skip_in_line(text);
        if (text->at == text->end || !ami_is_line_end(*text->at)) {
            return;
        }
        ami_text_next_line(text);
    }
}

ami_word ami_text_take(ami_text *text)
{
    ami_word word = { text->at, 0 };
    while (text->at < text->end && !ami_is_blank(*text->at)) {
        text->at++;
    }
    word.size = (size_t)(text->at - word.at);
    return word;
}

int64_t ami_text_column(const ami_text *text, ami_word word) { return (int64_t)(word.at - text->line_start) + 1; }

/// Printed forms of values that are not numbers: nan, inf, 1.#QNAN, -1.#IND.
static bool says_not_finite(ami_word word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (word.at[i] == 'n' || word.at[i] == 'N') {
            return true;
        }
    }
    return false;
}

am_result ami_word_float(float *out, ami_word word)
{
    const char *at = word.at, *end = word.at + word.size;
    double value = 0.0;
    bool read = ami_parse_number(&at, end, &value);
    // A number too large for a double is not read, but leaves an infinity.
    bool finite = value >= -(double)FLT_MAX && value <= (double)FLT_MAX;
    if (!read && finite) {
        return says_not_finite(word) ? AM_ERR_NUMBER : AM_ERR_SYNTAX;
    }
    if (read && at != end) {
        return says_not_finite(word) ? AM_ERR_NUMBER : AM_ERR_SYNTAX; // "1.#QNAN", or "1,5"
    }
    *out = (float)value;
    return finite ? AM_OK : AM_ERR_NUMBER;
}

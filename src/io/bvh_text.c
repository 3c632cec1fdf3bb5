// The cursor of the BVH reader.
#include "io/bvh.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

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

int64_t ami_text_column(const ami_text *text, ami_word word)
{
    return (int64_t)(word.at - text->line_start) + 1;
}

/// Printed forms of what is no number: nan, inf, 1.#QNAN, -1.#IND.
static bool says_not_finite(ami_word word)
{
    for (size_t i = 0; i < word.size; i++) {
        if (word.at[i] == 'n' || word.at[i] == 'N') {
            return true;
        }
    }
    return false;
}

/// [sign] digits [. digits] [e [sign] digits], with at least one digit before the exponent.
static bool is_number(ami_word word)
{
    size_t i = 0, digits = 0;
    if (i < word.size && (word.at[i] == '-' || word.at[i] == '+')) {
        i++;
    }
    bool dot = false;
    for (; i < word.size && ((word.at[i] >= '0' && word.at[i] <= '9') || (word.at[i] == '.' && !dot)); i++) {
        dot = dot || word.at[i] == '.';
        digits += word.at[i] != '.';
    }
    if (digits > 0 && i < word.size && (word.at[i] | 32) == 'e') {
        i++;
        i += i < word.size && (word.at[i] == '-' || word.at[i] == '+');
        size_t first = i;
        for (; i < word.size && word.at[i] >= '0' && word.at[i] <= '9'; i++) {
        }
        return i == word.size && i > first;
    }
    return digits > 0 && i == word.size;
}

am_result ami_word_float(float *out, ami_word word)
{
    char copy[128];
    if (!is_number(word) || word.size >= sizeof copy) {
        return says_not_finite(word) ? AM_ERR_NUMBER : AM_ERR_SYNTAX;
    }
    memcpy(copy, word.at, word.size);
    copy[word.size] = '\0';
    double value = strtod(copy, NULL);
    if (!(value >= -(double)FLT_MAX && value <= (double)FLT_MAX)) {
        return AM_ERR_NUMBER;
    }
    *out = (float)value;
    return AM_OK;
}

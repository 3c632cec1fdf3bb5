// Tag files: CSV rows `clip, tag, first frame, last frame`.
#include <amble/tools/tags.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// A file with more rows than this is not a tag file.
#define MAX_ROWS 1000000

/// A stretch of text.
typedef struct span {
    const char *at;
    size_t size;
} span;

typedef struct parser {
    const char *file;
    int64_t line;
    am_error *err;
} parser;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static span trim(span s)
{
    while (s.size && is_space(s.at[0])) {
        s.at++;
        s.size--;
    }
    while (s.size && is_space(s.at[s.size - 1])) {
        s.size--;
    }
    return s;
}

/// The next line, without its end and its comment; false at the end of the text.
static bool next_line(span *rest, span *line)
{
    if (!rest->size) {
        return false;
    }
    const char *end = memchr(rest->at, '\n', rest->size);
    size_t size = end ? (size_t)(end - rest->at) : rest->size;
    line->at = rest->at;
    line->size = size;
    size_t used = size + (end ? 1 : 0);
    rest->at += used;
    rest->size -= used;
    const char *comment = memchr(line->at, '#', line->size);
    if (comment) {
        line->size = (size_t)(comment - line->at);
    }
    *line = trim(*line);
    return true;
}

/// Splits at commas into at most `capacity` trimmed values; returns how many there are.
static int split(span line, span *values, int capacity)
{
    int count = 0;
    for (;;) {
        const char *comma = memchr(line.at, ',', line.size);
        span value = { line.at, comma ? (size_t)(comma - line.at) : line.size };
        if (count < capacity) {
            values[count] = trim(value);
        }
        count++;
        if (!comma) {
            return count;
        }
        line.size -= value.size + 1;
        line.at = comma + 1;
    }
}

static bool parse_int(span s, int *out)
{
    bool negative = s.size && s.at[0] == '-';
    size_t i = negative ? 1 : 0;
    int64_t value = 0;
    if (i == s.size) {
        return false;
    }
    for (; i < s.size; i++) {
        if (s.at[i] < '0' || s.at[i] > '9') {
            return false;
        }
        value = value * 10 + (s.at[i] - '0');
        if (value > INT_MAX) {
            return false;
        }
    }
    *out = (int)(negative ? -value : value);
    return true;
}

static bool is_word(span s)
{
    for (size_t i = 0; i < s.size; i++) {
        char c = s.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '_' && c != '-' && c != '.') {
            return false;
        }
    }
    return s.size > 0;
}

/// A file's stem may hold any visible character, but no control characters.
static bool is_clip_name(span s, size_t room)
{
    for (size_t i = 0; i < s.size; i++) {
        if ((unsigned char)s.at[i] < 0x20) {
            return false;
        }
    }
    return s.size > 0 && s.size < room;
}

static bool span_is(span s, const char *text) { return strlen(text) == s.size && memcmp(s.at, text, s.size) == 0; }

static am_result find_tag(am_tag_sheet *sheet, span name, const parser *p, int *out)
{
    if (!is_word(name) || name.size >= AM_NAME_SIZE || span_is(name, "and") || span_is(name, "or") ||
        span_is(name, "not")) {
        return ami_fail_line(p->err, AM_ERR_SYNTAX, p->file, p->line, 0,
                             "'%.*s' is not a tag; a tag is a word of letters, digits, _ - . (1 to %d)",
                             (int)(name.size < 60 ? name.size : 60), name.at, AM_NAME_SIZE - 1);
    }
    for (int t = 0; t < sheet->name_count; t++) {
        if (span_is(name, sheet->names[t])) {
            *out = t;
            return AM_OK;
        }
    }
    if (sheet->name_count == AM_MAX_TAGS) {
        return ami_fail_line(p->err, AM_ERR_LIMIT, p->file, p->line, 0, "more than %d tags", AM_MAX_TAGS);
    }
    memcpy(sheet->names[sheet->name_count], name.at, name.size);
    *out = sheet->name_count++;
    return AM_OK;
}

static am_result read_row(am_tag_sheet *sheet, am_tag_row *row, span line, const parser *p)
{
    span values[4];
    int count = split(line, values, 4);
    if (count != 4) {
        return ami_fail_line(p->err, AM_ERR_SYNTAX, p->file, p->line, 0,
                             "row has %d values; it needs 4: clip, tag, first frame, last frame", count);
    }
    if (!is_clip_name(values[0], sizeof row->clip)) {
        return ami_fail_line(p->err, AM_ERR_SYNTAX, p->file, p->line, 0,
                             "a clip's name must have 1 to %d bytes and no control characters",
                             (int)sizeof row->clip - 1);
    }
    memset(row, 0, sizeof *row);
    memcpy(row->clip, values[0].at, values[0].size);
    if (!parse_int(values[2], &row->first) || !parse_int(values[3], &row->last)) {
        return ami_fail_line(p->err, AM_ERR_SYNTAX, p->file, p->line, 0,
                             "first and last frame must be whole numbers");
    }
    if (row->first < 0 || row->last < -1 || (row->last >= 0 && row->last < row->first)) {
        return ami_fail_line(
            p->err, AM_ERR_RANGE, p->file, p->line, 0,
            "frames %d to %d: the first must be at least 0, the last not before it (-1 is the clip's last)",
            row->first, row->last);
    }
    return find_tag(sheet, values[1], p, &row->tag);
}

am_result am_tag_sheet_read(am_tag_sheet *out, const char *text, size_t size, const char *file, const am_alloc *alloc,
                            am_error *err)
{
    memset(out, 0, sizeof *out);
    am_alloc from = ami_alloc_or_default(alloc);
    am_bytes rows = ami_bytes_make(&from);
    parser p = { file, 0, err };
    span rest = { text, size };
    span line;
    bool first = true;
    int count = 0;
    while (next_line(&rest, &line)) {
        p.line++;
        if (!line.size) {
            continue;
        }
        bool header = first && line.size >= 4 && memcmp(line.at, "clip", 4) == 0 &&
                      (line.size == 4 || line.at[4] == ',' || is_space(line.at[4]));
        first = false;
        if (header) {
            continue;
        }
        am_tag_row row;
        am_result result = count < MAX_ROWS
                               ? read_row(out, &row, line, &p)
                               : ami_fail_line(err, AM_ERR_LIMIT, file, p.line, 0, "more than %d rows", MAX_ROWS);
        if (result == AM_OK && !ami_put(&rows, &row, sizeof row)) {
            result = ami_fail_memory(err, rows.size + sizeof row);
        }
        if (result != AM_OK) {
            am_bytes_free(&rows);
            memset(out, 0, sizeof *out);
            return result;
        }
        count++;
    }
    out->alloc = from;
    out->row_count = count;
    if (count) {
        out->rows = ami_alloc_array(&from, (size_t)count, sizeof(am_tag_row));
        if (!out->rows) {
            am_bytes_free(&rows);
            memset(out, 0, sizeof *out);
            return ami_fail_memory(err, (size_t)count * sizeof(am_tag_row));
        }
        memcpy(out->rows, rows.data, (size_t)count * sizeof(am_tag_row));
    }
    am_bytes_free(&rows);
    return AM_OK;
}

void am_tag_sheet_free(am_tag_sheet *sheet)
{
    if (sheet->rows) {
        ami_release(&sheet->alloc, sheet->rows, (size_t)sheet->row_count * sizeof(am_tag_row));
    }
    memset(sheet, 0, sizeof *sheet);
}

// Custom numbers from side files: CSV rows `clip, frame, value, value, ...` in frame order, linear between rows.
#include "build/build_internal.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/number.h"
#include "data/features.h"
#include <amble/tools/schema.h>
#include "base/os.h"

#include <stdio.h>
#include <string.h>

/// One row; its values follow in `values` at row * dims.
typedef struct side_row {
    char clip[64];
    float frame;
} side_row;

struct ami_side_file {
    am_bytes rows;   ///< side_row
    am_bytes values; ///< float [row][dims]
    int row_count;
    int dims;
    int first; ///< where its numbers begin in a frame's custom numbers
};

typedef struct cursor {
    const char *at, *end;
    const char *file;
    int64_t line;
    am_error *err;
} cursor;

static am_result fail(const cursor *c, const char *what)
{
    return ami_fail_line(c->err, AM_ERR_SYNTAX, c->file, c->line, 0, "%s; a row is: clip, frame, values", what);
}

/// The next value of the line, trimmed; false when the line ends.
static bool next_value(const char **at, const char *end, const char **value, size_t *size)
{
    if (*at > end) {
        return false;
    }
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    const char *stop = comma ? comma : end;
    const char *start = *at;
    while (start < stop && (*start == ' ' || *start == '\t')) {
        start++;
    }
    const char *tail = stop;
    while (tail > start && (tail[-1] == ' ' || tail[-1] == '\t' || tail[-1] == '\r')) {
        tail--;
    }
    *value = start;
    *size = (size_t)(tail - start);
    *at = stop + 1;
    return true;
}

static bool read_number(const char *text, size_t size, float *out)
{
    double value = 0.0;
    const char *at = text;
    if (size == 0 || !ami_parse_number(&at, text + size, &value) || at != text + size) {
        return false;
    }
    *out = (float)value;
    return *out - *out == 0.0f;
}

static am_result read_row(struct ami_side_file *side, const char *at, const char *end, const cursor *c)
{
    side_row row = { "", 0.0f };
    const char *value = NULL;
    size_t size = 0;
    if (!next_value(&at, end, &value, &size) || size == 0 || size >= sizeof row.clip) {
        return fail(c, "the clip's name is missing or too long");
    }
    memcpy(row.clip, value, size);
    if (!next_value(&at, end, &value, &size) || !read_number(value, size, &row.frame)) {
        return fail(c, "the frame is not a number");
    }
    if (side->row_count) {
        const side_row *before = (const side_row *)(const void *)side->rows.data + (side->row_count - 1);
        if (strcmp(before->clip, row.clip) == 0 && !(row.frame > before->frame)) {
            return fail(c, "frames of a clip must ascend");
        }
    }
    for (int i = 0; i < side->dims; i++) {
        float number = 0.0f;
        if (!next_value(&at, end, &value, &size) || !read_number(value, size, &number)) {
            return fail(c, "a value is missing or not a number");
        }
        if (!ami_put(&side->values, &number, sizeof number)) {
            return ami_fail_memory(c->err, sizeof number);
        }
    }
    if (next_value(&at, end, &value, &size)) {
        return fail(c, "the row has more values than the channel has dims");
    }
    side->row_count++;
    return ami_put(&side->rows, &row, sizeof row) ? AM_OK : ami_fail_memory(c->err, sizeof row);
}

static am_result read_side(struct ami_side_file *side, cursor *c)
{
    while (c->at < c->end) {
        c->line++;
        const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
        const char *end = newline ? newline : c->end;
        bool blank = end == c->at || *c->at == '#' || *c->at == '\r';
        bool header = c->line == 1 && end - c->at >= 4 && memcmp(c->at, "clip", 4) == 0;
        am_result result = blank || header ? AM_OK : read_row(side, c->at, end, c);
        if (result != AM_OK) {
            return result;
        }
        c->at = end + 1;
    }
    return AM_OK;
}

am_result ami_build_read_sides(ami_building *b)
{
    size_t count = (size_t)b->config.side_count;
    if (count == 0 || b->def->clips_dir) {
        return AM_OK;
    }
    b->sides = ami_alloc_array(&b->alloc, count, sizeof *b->sides);
    if (!b->sides) {
        return ami_fail_memory(b->err, count * sizeof *b->sides);
    }
    for (size_t i = 0; i < count; i++) {
        const am_schema *schema = &b->config.schema;
        const am_channel *channel = &schema->channels[am_schema_find(schema, b->config.sides[i].channel)];
        struct ami_side_file *side = &b->sides[i];
        side->dims = channel->dims;
        side->first = channel->custom_first;
        side->rows = ami_bytes_make(&b->alloc);
        side->values = ami_bytes_make(&b->alloc);
        char path[1024];
        if (!am_path_beside(path, sizeof path, b->def->config_path, b->config.sides[i].path)) {
            return ami_fail(b->err, AM_ERR_LIMIT, "the path of a side file is too long");
        }
        am_file file;
        am_result result = am_file_open(&file, path, b->err);
        if (result == AM_OK) {
            cursor c = { (const char *)file.data, (const char *)file.data + file.size, path, 0, b->err };
            result = read_side(side, &c);
            am_file_close(&file);
        }
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

void ami_build_free_sides(ami_building *b)
{
    for (int i = 0; i < b->config.side_count && b->sides; i++) {
        am_bytes_free(&b->sides[i].rows);
        am_bytes_free(&b->sides[i].values);
    }
    ami_release(&b->alloc, b->sides, (size_t)b->config.side_count * sizeof *b->sides);
    b->sides = NULL;
}

/// Values of a clip's frame: between the rows before and after it, the end rows beyond them.
static void sample_side(float *out, const struct ami_side_file *side, const char *clip, float frame)
{
    const side_row *rows = (const side_row *)(const void *)side->rows.data;
    const float *values = (const float *)(const void *)side->values.data;
    int before = -1;
    int after = -1;
    for (int r = 0; r < side->row_count; r++) {
        if (strcmp(rows[r].clip, clip) == 0) {
            before = rows[r].frame <= frame ? r : before;
            after = after < 0 && rows[r].frame >= frame ? r : after;
        }
    }
    if (before < 0 && after < 0) {
        return; // no rows for this clip: zeros
    }
    before = before < 0 ? after : before;
    after = after < 0 ? before : after;
    float gap = rows[after].frame - rows[before].frame;
    float t = gap > 0.0f ? (frame - rows[before].frame) / gap : 0.0f;
    for (int i = 0; i < side->dims; i++) {
        out[side->first + i] = am_lerp(values[before * side->dims + i], values[after * side->dims + i], t);
    }
}

void ami_build_custom_piece(const ami_building *b, ami_piece *piece)
{
    int count = b->config.schema.custom_count;
    const char *clip = b->import.clips[piece->source].name;
    for (int f = 0; f < piece->clip->frame_count && count; f++) {
        float *out = piece->custom + (size_t)f * (size_t)count;
        float frame = ami_build_source_frame(b, piece, f);
        if (b->def->custom && !b->def->custom(b->def->custom_user, clip, frame, out, count)) {
            memset(out, 0, (size_t)count * sizeof *out);
        }
        for (int i = 0; i < b->config.side_count && b->sides; i++) {
            sample_side(out, &b->sides[i], clip, frame);
        }
    }
}

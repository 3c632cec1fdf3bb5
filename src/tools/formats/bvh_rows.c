// The rows of a BVH file: text to numbers, numbers to rotations and translations. Rows of plain decimals, which
// nearly all are, go through the text kernels; any other row, and every error, goes to the plain reader.
#include "formats/bvh.h"

#include "base/error.h"
#include "kernel/kernel.h"
#include "formats/text.h"

#include <string.h>

/// Bytes a value, on average, up to which the end of a row is looked for: more than 15 digits, a sign and blanks.
enum { row_reach = 24 };

typedef struct rows {
    const ami_bvh *bvh;
    ami_text *text;
    am_error *err;
    int frame;
    bool plain; ///< never use the kernels
    const ami_text_kernels *words;
    const ami_kernels *kernels;
    // One block, see lay_out.
    float *values;           ///< [channel] of one row
    float *degrees;          ///< [joint][3] in the joint's order, 0 where it has no channel
    uint16_t *slots;         ///< [channel] its place in `degrees`, or no_slot for a position
    ami_euler_order *orders; ///< [joint]
    uint32_t *edges;         ///< of the words of one row
} rows;

enum { no_slot = UINT16_MAX };

static am_result fail_value(const rows *r, ami_word word, am_result code, int count)
{
    int shown = word.size > 40 ? 40 : (int)word.size;
    return ami_fail_line(r->err, code, r->text->file, r->text->line, ami_text_column(r->text, word),
                         "value %d of frame %d is '%.*s', %s; repair or cut the frame", count + 1, r->frame, shown,
                         word.at, code == AM_ERR_NUMBER ? "not a finite number" : "no number");
}

static am_result fail_row(const rows *r, int count)
{
    int wanted = r->bvh->channel_count;
    if (count < wanted && r->text->at == r->text->end) {
        return ami_fail_line(r->err, AM_ERR_TRUNCATED, r->text->file, r->text->line, 0,
                             "the file ends inside frame %d: row has %d values, hierarchy names %d channels; get the "
                             "whole file, or remove the row and set 'Frames: %d'",
                             r->frame, count, wanted, r->frame);
    }
    return ami_fail_line(r->err, AM_ERR_FORMAT, r->text->file, r->text->line, 0,
                         "row has %d values, hierarchy names %d channels; repair the row or the CHANNELS", count,
                         wanted);
}

/// One row into `values`, by the book: every blank, comment, spelling of a number and error.
static am_result read_row_plain(rows *r)
{
    ami_text *text = r->text;
    int wanted = r->bvh->channel_count;
    ami_text_skip(text);
    if (text->at == text->end) {
        return ami_bvh_fail_short(text, r->frame, r->bvh->frame_count, r->err);
    }
    int count = 0;
    for (; text->at < text->end && !ami_is_line_end(*text->at); count++) {
        ami_word word = ami_text_take(text);
        float value = 0.0f;
        am_result result = ami_word_float(&value, word);
        if (result != AM_OK) {
            return fail_value(r, word, result, count);
        }
        if (count < wanted) {
            r->values[count] = value;
        }
        ami_text_skip_in_line(text);
    }
    if (count != wanted) {
        return fail_row(r, count);
    }
    ami_text_next_line(text);
    return AM_OK;
}

/// The same for a row of plain decimals that ends with LF or CRLF. False, with the cursor where it was, for any
/// other row: the plain reader takes it.
static bool read_row_fast(rows *r)
{
    ami_text *text = r->text;
    size_t count = (size_t)r->bvh->channel_count;
    size_t left = (size_t)(text->end - text->at), reach = count * row_reach;
    const char *line_end = memchr(text->at, '\n', left < reach ? left : reach);
    if (!line_end) {
        return false;
    }
    size_t size = (size_t)(line_end - text->at);
    size -= size > 0 && text->at[size - 1] == '\r';
    // A lone CR ends a line too.
    if (memchr(text->at, '\r', size) || r->words->find_words(r->edges, text->at, size, count) != count) {
        return false;
    }
    bool read = r->words->read_decimals(r->values, text->at, r->edges, count);
    if (read) {
        text->at = line_end + 1;
        text->line++;
        text->line_start = text->at;
    }
    return read;
}

/// Position channels replace the offset, also the root's: its positions are absolute. Components without a channel
/// keep the offset's, with which the clip was made.
static void place_row(am_clip *clip, const rows *r)
{
    const ami_bvh *bvh = r->bvh;
    am_vec3 *translations = clip->translations + (size_t)r->frame * (size_t)bvh->moving_count;
    int moving = -1, joint = -1;
    for (int c = 0; c < bvh->channel_count; c++) {
        uint16_t slot = r->slots[c];
        if (slot != no_slot) {
            r->degrees[slot] = r->values[c];
            continue;
        }
        ami_bvh_channel channel = bvh->channels[c];
        moving += channel.joint != joint;
        joint = channel.joint;
        float *axes[3] = { &translations[moving].x, &translations[moving].y, &translations[moving].z };
        *axes[channel.kind - AMI_BVH_POSITION] = r->values[c];
    }
    size_t joints = (size_t)bvh->joint_count;
    r->kernels->euler(clip->rotations + (size_t)r->frame * joints, r->degrees, r->orders, joints);
}

/// Places (or, with base NULL, measures) the arrays.
static void lay_out(rows *r, ami_layout *layout)
{
    size_t channels = (size_t)r->bvh->channel_count, joints = (size_t)r->bvh->joint_count;
    r->values = ami_layout_take(layout, channels, sizeof *r->values);
    r->degrees = ami_layout_take(layout, 3 * joints, sizeof *r->degrees);
    r->slots = ami_layout_take(layout, channels, sizeof *r->slots);
    r->orders = ami_layout_take(layout, joints, sizeof *r->orders);
    r->edges = ami_layout_take(layout, 2 * channels + AMI_TEXT_SPARE, sizeof *r->edges);
}

static void plan(rows *r)
{
    const ami_bvh *bvh = r->bvh;
    for (int j = 0; j < bvh->joint_count; j++) {
        const uint8_t *axes = bvh->axes[j];
        const char names[3] = { (char)('x' + axes[0]), (char)('x' + axes[1]), (char)('x' + axes[2]) };
        r->orders[j] = ami_euler_order_make(names);
    }
    int joint = -1, turns = 0;
    for (int c = 0; c < bvh->channel_count; c++) {
        ami_bvh_channel channel = bvh->channels[c];
        turns = channel.joint == joint ? turns : 0;
        joint = channel.joint;
        r->slots[c] = channel.kind >= AMI_BVH_ROTATION ? (uint16_t)(3 * joint + turns++) : (uint16_t)no_slot;
    }
}

am_result ami_bvh_read_rows(am_clip *clip, const ami_bvh *bvh, ami_text *text, bool plain, am_error *err)
{
    rows r = { .bvh = bvh, .text = text, .err = err, .plain = plain };
    r.words = ami_text_kernels_pick();
    r.kernels = ami_kernels_pick();
    ami_layout measure = { 0 };
    lay_out(&r, &measure);
    ami_layout place = ami_layout_room(&measure, &clip->alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    lay_out(&r, &place);
    plan(&r);
    ami_text_skip(text);
    am_result result = AM_OK;
    for (; r.frame < bvh->frame_count; r.frame++) {
        if (r.plain || !read_row_fast(&r)) {
            result = read_row_plain(&r);
        }
        if (result != AM_OK) {
            break;
        }
        place_row(clip, &r);
    }
    if (result == AM_OK) {
        clip->unread_rows = ami_bvh_count_rows(text);
    }
    ami_release(&clip->alloc, place.base, measure.size);
    return result;
}

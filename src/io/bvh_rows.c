// The rows of a BVH file: text to numbers, numbers to rotations and translations.
#include "io/bvh.h"

#include "base/error.h"

typedef struct rows {
    const ami_bvh *bvh;
    ami_text      *text;
    am_error      *err;
    float         *values; ///< [channel] of one row
    int            frame;
} rows;

static am_result fail_value(rows *r, ami_word word, am_result code, int count)
{
    int shown = word.size > 40 ? 40 : (int)word.size;
    return ami_fail_line(r->err, code, r->text->file, r->text->line, ami_text_column(r->text, word),
                         "value %d of frame %d is '%.*s', %s", count + 1, r->frame, shown, word.at,
                         code == AM_ERR_NUMBER ? "not a finite number; repair or cut the frame"
                                               : "no number; repair or cut the frame");
}

static am_result fail_row(rows *r, int count)
{
    int wanted = r->bvh->channel_count;
    if (count < wanted && r->text->at == r->text->end) {
        return ami_fail_line(r->err, AM_ERR_TRUNCATED, r->text->file, r->text->line, 0,
                             "the file ends inside frame %d: row has %d values, hierarchy names %d channels; get the "
                             "whole file, or remove the row and set 'Frames: %d'", r->frame, count, wanted, r->frame);
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
        return ami_fail_line(r->err, AM_ERR_TRUNCATED, text->file, text->line, 0,
                             "the file ends after %d of %d frames; set 'Frames: %d', or get the whole file", r->frame,
                             r->bvh->frame_count, r->frame);
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
    return AM_OK;
}

/// Position channels replace the offset, also the root's: its positions are absolute.
static void place_row(am_clip *clip, const rows *r)
{
    const ami_bvh *bvh = r->bvh;
    am_quat *rotations = clip->rotations + (size_t)r->frame * (size_t)bvh->joint_count;
    am_vec3 *translations = clip->translations + (size_t)r->frame * (size_t)bvh->moving_count;
    int moving = -1;
    for (int c = 0; c < bvh->channel_count;) {
        int joint = bvh->channels[c].joint;
        float angles[3] = { 0.0f, 0.0f, 0.0f };
        int turns = 0;
        bool moves = false;
        for (; c < bvh->channel_count && bvh->channels[c].joint == joint; c++) {
            int kind = bvh->channels[c].kind;
            if (kind >= AMI_BVH_ROTATION) {
                angles[turns++] = r->values[c] * AM_DEG;
                continue;
            }
            moving += moves ? 0 : 1;
            moves = true;
            float *axes[3] = { &translations[moving].x, &translations[moving].y, &translations[moving].z };
            *axes[kind] = r->values[c];
        }
        const uint8_t *order = bvh->axes[joint];
        const char axes[3] = { (char)('x' + order[0]), (char)('x' + order[1]), (char)('x' + order[2]) };
        rotations[joint] = am_quat_from_euler(axes, angles[0], angles[1], angles[2]);
    }
}

am_result ami_bvh_read_rows(am_clip *clip, const ami_bvh *bvh, ami_text *text, am_error *err)
{
    size_t size = (size_t)bvh->channel_count * sizeof(float);
    float *values = ami_alloc_zero(&clip->alloc, size);
    if (!values) {
        return ami_fail_memory(err, size);
    }
    rows r = { bvh, text, err, values, 0 };
    am_result result = AM_OK;
    for (; result == AM_OK && r.frame < bvh->frame_count; r.frame++) {
        result = read_row_plain(&r);
        if (result == AM_OK) {
            place_row(clip, &r);
        }
    }
    ami_release(&clip->alloc, values, size);
    return result;
}

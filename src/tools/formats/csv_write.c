// Writes a clip as a table: a header with names and one row for each frame.
#include <amble/tools/formats.h>
#include <amble/tools/clip.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "formats/clips.h"
#include "formats/defs.h"

#include <string.h>

/// A field, quoted when it holds a comma, a quote or a line end (RFC 4180). `suffix` goes inside the quotes.
static bool put_field(am_bytes *out, const char *text, const char *suffix)
{
    if (strcspn(text, ",\"\r\n") == strlen(text)) {
        return ami_put_text(out, text) && ami_put_text(out, suffix);
    }
    bool ok = ami_put_u8(out, '"');
    for (const char *at = text; *at && ok; at++) {
        ok = (*at != '"' || ami_put_u8(out, '"')) && ami_put_u8(out, (uint8_t)*at);
    }
    return ok && ami_put_text(out, suffix) && ami_put_u8(out, '"');
}

static bool put_header(am_bytes *out, const am_skeleton *s, bool contacts)
{
    static const char *const columns[] = { ".px", ".py", ".pz", ".qx", ".qy", ".qz", ".qw" };
    bool ok = ami_put_text(out, "time");
    for (int j = 0; j < s->joint_count && ok; j++) {
        for (size_t c = 0; c < sizeof columns / sizeof columns[0] && ok; c++) {
            ok = ami_put_u8(out, ',') && put_field(out, s->names[j], columns[c]);
        }
    }
    return ok && ami_put_text(out, contacts ? ",left_contact,right_contact\n" : "\n");
}

static bool put_numbers(am_bytes *out, const float *values, int count)
{
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        ok = ami_put_u8(out, ',') && ami_put_float(out, values[i]);
    }
    return ok;
}

static bool put_row(am_bytes *out, const am_clip *clip, int frame, const uint8_t *contacts, am_transform *local,
                    am_transform *model)
{
    const am_skeleton *s = clip->skeleton;
    am_clip_local(clip, frame, local);
    am_fk(model, local, s->parents, s->joint_count);
    bool ok = ami_put_float(out, (float)((double)frame / (double)clip->fps));
    for (int j = 0; j < s->joint_count && ok; j++) {
        ok = put_numbers(out, &model[j].translation.x, 3) && put_numbers(out, &local[j].rotation.x, 4);
    }
    if (contacts && ok) {
        ok = ami_put_text(out, contacts[frame] & AM_CONTACT_LEFT ? ",1" : ",0") &&
             ami_put_text(out, contacts[frame] & AM_CONTACT_RIGHT ? ",1" : ",0");
    }
    return ok && ami_put_u8(out, '\n');
}

am_result am_csv_write(am_bytes *out, const am_clip *clip, const am_write_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_write_def_check(def, err);
    if (result == AM_OK) {
        result = ami_clips_check(&clip, 1, err);
    }
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    size_t size = 2 * (size_t)clip->skeleton->joint_count * sizeof(am_transform);
    am_transform *poses = ami_alloc_zero(&alloc, size);
    *out = ami_bytes_make(&alloc);
    bool ok = poses && put_header(out, clip->skeleton, def->contacts != NULL);
    for (int f = 0; f < clip->frame_count && ok; f++) {
        ok = put_row(out, clip, f, def->contacts, poses, poses + clip->skeleton->joint_count);
    }
    ami_release(&alloc, poses, size);
    if (!ok) {
        am_bytes_free(out);
        return ami_fail_memory(err, size);
    }
    return AM_OK;
}

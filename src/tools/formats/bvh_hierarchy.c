// The head of a BVH file: HIERARCHY, and the two lines that open MOTION. Lenient where files in the wild are
// odd and the meaning is plain (case, missing End Sites, names with blanks, no names); strict elsewhere.
#include "formats/bvh.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/// What a pair of braces belongs to.
typedef struct block {
    int joint;   ///< the joint itself, or the joint that carries the end site
    bool is_end; ///< an End Site so far
} block;

typedef struct parser {
    ami_bvh *bvh;
    ami_text *text;
    am_error *err;
    const am_read_def *def;
    int depth;
    bool pending; ///< blocks[depth - 1] was named, its brace has not come yet
    am_vec3 end_offset;
    block blocks[AM_MAX_JOINTS + 1]; ///< an end site may hang on the deepest joint
} parser;

static bool same_word(ami_word word, const char *keyword)
{
    size_t i = 0;
    for (; i < word.size && keyword[i]; i++) {
        char c = word.at[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != keyword[i]) {
            return false;
        }
    }
    return i == word.size && !keyword[i];
}

/// The next word; a brace is a word of its own even without blanks around it.
static ami_word next_word(parser *p)
{
    ami_text_skip(p->text);
    ami_text *text = p->text;
    ami_word word = { text->at, 0 };
    while (text->at < text->end && !ami_is_blank(*text->at)) {
        bool brace = *text->at == '{' || *text->at == '}';
        if (brace && text->at > word.at) {
            break;
        }
        text->at++;
        if (brace) {
            break;
        }
    }
    word.size = (size_t)(text->at - word.at);
    return word;
}

/// A word shortened for a message.
static int shown(ami_word word) { return word.size > 40 ? 40 : (int)word.size; }

static am_result fail_word(parser *p, ami_word word, am_result code, const char *what)
{
    return ami_fail_line(p->err, code, p->text->file, p->text->line, ami_text_column(p->text, word), "'%.*s' %s",
                         shown(word), word.at, what);
}

static am_result fail_here(parser *p, am_result code, const char *what)
{
    return ami_fail_line(p->err, code, p->text->file, p->text->line, 0, "%s", what);
}

static am_result read_float(parser *p, float *out)
{
    ami_word word = next_word(p);
    if (word.size == 0) {
        return fail_here(p, AM_ERR_TRUNCATED, "the file ends where a number should be; get the whole file");
    }
    am_result result = ami_word_float(out, word);
    if (result == AM_ERR_NUMBER) {
        return fail_word(p, word, result, "is not a finite number; correct it");
    }
    return result == AM_OK ? result : fail_word(p, word, result, "is where a number should be; correct it");
}

/// A whole number of at least 0 and at most `most` (which also keeps the float exact).
static am_result read_count(parser *p, int *out, int most, const char *what)
{
    float value = 0.0f;
    am_result result = read_float(p, &value);
    if (result != AM_OK) {
        return result;
    }
    if (value > (float)most) {
        return ami_fail_line(p->err, AM_ERR_LIMIT, p->text->file, p->text->line, 0,
                             "%s is %.0f, above the limit of %d; split the file or raise the limit", what,
                             (double)value, most);
    }
    if (!(value >= 0.0f) || value != (float)(int)value) {
        return ami_fail_line(p->err, AM_ERR_RANGE, p->text->file, p->text->line, 0,
                             "%s is %g; it must be a whole number of at least 0", what, (double)value);
    }
    *out = (int)value;
    return AM_OK;
}

static am_result read_vec3(parser *p, am_vec3 *out)
{
    am_result result = read_float(p, &out->x);
    if (result == AM_OK) {
        result = read_float(p, &out->y);
    }
    return result == AM_OK ? read_float(p, &out->z) : result;
}

// ---------------------------------------------------------------------------------------------
// Names

/// The rest of the line up to a brace or a comment: names such as "Bip01 L Thigh" have blanks inside.
static ami_word take_name(parser *p)
{
    ami_text *text = p->text;
    while (text->at < text->end && !ami_is_line_end(*text->at) && ami_is_blank(*text->at)) {
        text->at++;
    }
    ami_word name = { text->at, 0 };
    while (text->at < text->end && !ami_is_line_end(*text->at) && *text->at != '{') {
        if (ami_is_blank(text->at[-1]) && ami_at_comment(text)) {
            break;
        }
        text->at++;
    }
    name.size = (size_t)(text->at - name.at);
    while (name.size && ami_is_blank(name.at[name.size - 1])) {
        name.size--;
    }
    return name;
}

static bool name_taken(const ami_bvh *bvh, const char *name)
{
    for (int j = 0; j < bvh->joint_count; j++) {
        if (strcmp(bvh->names[j], name) == 0) {
            return true;
        }
    }
    return false;
}

/// A joint without a name becomes "joint_INDEX". A name that is taken gets "_2", "_3", ... behind it, the first
/// that is free, so that names are unique and those of a file without repeats are untouched.
static const char *unique_name(parser *p, const char *at, size_t size)
{
    ami_bvh *bvh = p->bvh;
    char made[32];
    if (size == 0) {
        size = (size_t)snprintf(made, sizeof made, "joint_%d", bvh->joint_count);
        at = made;
    }
    char *name = ami_arena_text(&bvh->texts, at, size);
    if (!name || !name_taken(bvh, name)) {
        return name;
    }
    char *longer = ami_arena_get(&bvh->texts, size + 16);
    for (int n = 2; longer; n++) {
        snprintf(longer, size + 16, "%s_%d", name, n);
        if (!name_taken(bvh, longer)) {
            break;
        }
    }
    return longer;
}

// ---------------------------------------------------------------------------------------------
// Blocks

static am_result add_joint(parser *p, int parent, am_vec3 offset, const char *name, size_t name_size)
{
    ami_bvh *bvh = p->bvh;
    int j = bvh->joint_count;
    if (j >= p->def->max_joints) {
        return ami_fail_line(p->err, AM_ERR_LIMIT, p->text->file, p->text->line, 0,
                             "more than %d joints; raise the limit or remove joints", p->def->max_joints);
    }
    bvh->names[j] = unique_name(p, name, name_size);
    if (!bvh->names[j]) {
        return ami_fail_memory(p->err, name_size);
    }
    bvh->parents[j] = (int16_t)parent;
    bvh->offsets[j] = offset;
    for (uint8_t a = 0; a < 3; a++) {
        bvh->axes[j][a] = a;
    }
    bvh->joint_count++;
    return AM_OK;
}

static int open_joint(const parser *p) { return p->depth > 0 ? p->blocks[p->depth - 1].joint : -1; }

/// An End Site that has channels or children is a joint after all; it is called after the joint that carries it.
static am_result promote_end(parser *p)
{
    block *top = &p->blocks[p->depth - 1];
    char name[64];
    int size = snprintf(name, sizeof name, "%.50s_end", p->bvh->names[top->joint]);
    am_result result = add_joint(p, top->joint, p->end_offset, name, (size_t)size);
    if (result == AM_OK) {
        *top = (block){ p->bvh->joint_count - 1, false };
    }
    return result;
}

static am_result begin_joint(parser *p, bool is_root)
{
    ami_word name = take_name(p);
    if (is_root && p->bvh->joint_count > 0) {
        return ami_fail_line(
            p->err, AM_ERR_SUPPORT, p->text->file, p->text->line, 0,
            "a second ROOT ('%.*s'); Amble reads one figure per file: save each root in a file of its "
            "own",
            shown(name), name.at);
    }
    if (!is_root && (p->depth == 0 || p->pending)) {
        return fail_here(p, AM_ERR_SYNTAX, "a JOINT outside all braces; the first joint must be a ROOT");
    }
    if (p->depth > 0 && p->blocks[p->depth - 1].is_end) {
        am_result result = promote_end(p);
        if (result != AM_OK) {
            return result;
        }
    }
    am_result result = add_joint(p, open_joint(p), am_v3_zero(), name.at, name.size);
    if (result == AM_OK) {
        p->blocks[p->depth++] = (block){ p->bvh->joint_count - 1, false };
        p->pending = true;
    }
    return result;
}

static am_result begin_end(parser *p)
{
    take_name(p); // "Site", or whatever a program wrote there
    if (p->depth == 0 || p->pending || p->blocks[p->depth - 1].is_end) {
        return fail_here(p, AM_ERR_SYNTAX, "an End Site outside any joint; check the braces");
    }
    p->end_offset = am_v3_zero();
    p->blocks[p->depth] = (block){ open_joint(p), true };
    p->depth++;
    p->pending = true;
    return AM_OK;
}

static am_result close_block(parser *p, ami_word word)
{
    ami_bvh *bvh = p->bvh;
    if (p->depth == 0) {
        return fail_word(p, word, AM_ERR_SYNTAX, "closes nothing; check the braces");
    }
    block top = p->blocks[p->depth - 1];
    if (p->pending && !top.is_end) {
        return fail_word(p, word, AM_ERR_SYNTAX, "before the joint's '{'; check the braces");
    }
    // "End Site" without braces of its own: the brace closes the joint around it.
    bool bare_end = p->pending;
    if (top.is_end) {
        if (bvh->end_count >= AM_MAX_JOINTS) {
            return fail_here(p, AM_ERR_LIMIT, "too many End Sites; remove some");
        }
        bvh->end_joints[bvh->end_count] = (int16_t)top.joint;
        bvh->end_offsets[bvh->end_count++] = p->end_offset;
    }
    p->depth -= bare_end ? 2 : 1;
    p->pending = false;
    return AM_OK;
}

static am_result read_offset(parser *p)
{
    am_vec3 offset = am_v3_zero();
    am_result result = read_vec3(p, &offset);
    if (result == AM_OK && p->blocks[p->depth - 1].is_end) {
        p->end_offset = offset;
    } else if (result == AM_OK) {
        p->bvh->offsets[open_joint(p)] = offset;
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Channels

static int channel_kind(ami_word word)
{
    static const char *const names[AMI_BVH_KINDS] = { "xposition", "yposition", "zposition",
                                                      "xrotation", "yrotation", "zrotation" };
    for (int k = 0; k < AMI_BVH_KINDS; k++) {
        if (same_word(word, names[k])) {
            return k;
        }
    }
    return -1;
}

/// Keeps axes[joint] a permutation: swaps the new axis with the one at place n.
static void place_axis(uint8_t axes[3], int n, uint8_t axis)
{
    for (int i = n; i < 3; i++) {
        if (axes[i] == axis) {
            axes[i] = axes[n];
            axes[n] = axis;
        }
    }
}

static am_result add_channel(parser *p, ami_word word, unsigned *seen)
{
    ami_bvh *bvh = p->bvh;
    int joint = open_joint(p);
    int kind = channel_kind(word);
    if (kind < 0) {
        return fail_word(p, word, AM_ERR_SYNTAX,
                         "is not a channel; channels are Xposition, Yposition, Zposition, Xrotation, "
                         "Yrotation and Zrotation, as many as CHANNELS says");
    }
    if (*seen & (1u << kind)) {
        return fail_word(p, word, AM_ERR_SUPPORT, "appears twice in one joint; Amble reads each channel once");
    }
    if (kind >= AMI_BVH_ROTATION) {
        place_axis(bvh->axes[joint], bvh->rotation_count[joint]++, (uint8_t)(kind - AMI_BVH_ROTATION));
    } else if (!(*seen & 7u)) {
        bvh->moving[bvh->moving_count++] = (int16_t)joint;
    }
    *seen |= 1u << kind;
    bvh->channels[bvh->channel_count++] = (ami_bvh_channel){ (int16_t)joint, (int16_t)kind };
    return AM_OK;
}

static am_result read_channels(parser *p)
{
    int count = 0;
    am_result result = read_count(p, &count, AMI_BVH_KINDS, "the number of CHANNELS");
    if (result == AM_OK && count > 0 && p->blocks[p->depth - 1].is_end) {
        result = promote_end(p);
    }
    int joint = open_joint(p);
    const ami_bvh *bvh = p->bvh;
    if (result == AM_OK && bvh->channel_count > 0 && bvh->channels[bvh->channel_count - 1].joint >= joint) {
        // Rows follow the order of the joints: channels after a child's, or named twice, have no clear place.
        return fail_here(p, AM_ERR_SYNTAX, "CHANNELS of a joint must come once and before its children");
    }
    unsigned seen = 0;
    for (int i = 0; result == AM_OK && i < count; i++) {
        result = add_channel(p, next_word(p), &seen);
    }
    if (result != AM_OK) {
        return result;
    }
    ami_text ahead = *p->text;
    ami_word next = next_word(p);
    if (channel_kind(next) >= 0) {
        return fail_word(p, next, AM_ERR_SYNTAX, "is one more channel than CHANNELS says; correct the number");
    }
    *p->text = ahead;
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// The file

static am_result read_statement(parser *p, ami_word word)
{
    if (same_word(word, "root") || same_word(word, "joint")) {
        return begin_joint(p, same_word(word, "root"));
    }
    if (same_word(word, "end") || same_word(word, "endsite") || same_word(word, "end_site")) {
        return begin_end(p);
    }
    if (same_word(word, "}")) {
        return close_block(p, word);
    }
    if (same_word(word, "{") && p->pending) {
        p->pending = false;
        return AM_OK;
    }
    bool offset = same_word(word, "offset");
    if (!offset && !same_word(word, "channels")) {
        return fail_word(
            p, word, AM_ERR_SYNTAX,
            "is not expected here; the hierarchy has ROOT, JOINT, End Site, OFFSET, CHANNELS and braces");
    }
    if (p->depth == 0 || p->pending) {
        return fail_word(p, word, AM_ERR_SYNTAX, "is outside all braces; check the braces");
    }
    return offset ? read_offset(p) : read_channels(p);
}

static am_result read_hierarchy(parser *p)
{
    ami_text *text = p->text;
    if (text->end - text->at >= 3 && memcmp(text->at, "\xEF\xBB\xBF", 3) == 0) {
        text->at += 3; // a byte order mark
    }
    ami_word word = next_word(p);
    if (same_word(word, "hierarchy")) {
        word = next_word(p);
    } else if (!same_word(word, "root")) {
        return fail_here(p, AM_ERR_FORMAT, "does not begin with HIERARCHY: this is not a BVH file");
    }
    while (!same_word(word, "motion")) {
        if (word.size == 0) {
            return fail_here(p, AM_ERR_TRUNCATED, "the file ends before MOTION; get the whole file");
        }
        am_result result = read_statement(p, word);
        if (result != AM_OK) {
            return result;
        }
        word = next_word(p);
    }
    if (p->depth > 0) {
        return ami_fail_line(p->err, AM_ERR_SYNTAX, text->file, text->line, 0,
                             "MOTION comes while the braces of '%s' are still open; check the braces",
                             p->bvh->names[open_joint(p)]);
    }
    if (p->bvh->joint_count == 0) {
        return fail_here(p, AM_ERR_EMPTY, "the hierarchy has no ROOT");
    }
    return AM_OK;
}

/// The letters of a line's label in lower case, without blanks and marks: "Frame Time:" gives "frametime". Stops
/// at the first character of a number, which is no letter.
static void take_label(ami_text *text, char out[16])
{
    size_t size = 0;
    for (; text->at < text->end && !ami_is_line_end(*text->at); text->at++) {
        char c = *text->at;
        bool upper = c >= 'A' && c <= 'Z';
        if (upper || (c >= 'a' && c <= 'z')) {
            if (size + 1 < 16) {
                out[size++] = (char)(upper ? c + 32 : c);
            }
        } else if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') {
            break;
        }
    }
    out[size] = '\0';
}

/// Frames a second. Times are written with few digits (0.0166667, .0083333, 0.033), so a rate within 0.2 % of a
/// whole number is that number; others (23.976 is not: it snaps to 24) stay as they are.
static am_result set_rate(parser *p, float seconds)
{
    double rate = 1.0 / (double)seconds;
    if (!(seconds > 0.0f) || !(rate <= 100000.0)) {
        return ami_fail_line(p->err, AM_ERR_RANGE, p->text->file, p->text->line, 0,
                             "Frame Time is %g; write the seconds between two frames, for example 0.0333333",
                             (double)seconds);
    }
    double whole = (double)(int64_t)(rate + 0.5);
    double off = rate > whole ? rate - whole : whole - rate;
    p->bvh->fps = (float)(whole >= 1.0 && off <= 0.002 * whole ? whole : rate);
    return AM_OK;
}

/// "Frames: N" and "Frame Time: T" in either order and any spelling of blanks, case and colon.
static am_result read_motion_head(parser *p)
{
    bool have_frames = false, have_time = false;
    while (!have_frames || !have_time) {
        ami_text_skip(p->text);
        if (p->text->at == p->text->end) {
            return fail_here(p, AM_ERR_TRUNCATED,
                             "the file ends before 'Frames:' and 'Frame Time:'; get the whole file");
        }
        char label[16];
        take_label(p->text, label);
        am_result result = AM_OK;
        float seconds = 0.0f;
        if (strcmp(label, "frames") == 0 && !have_frames) {
            result = read_count(p, &p->bvh->frame_count, p->def->max_frames, "the number of Frames");
            have_frames = true;
        } else if (strcmp(label, "frametime") == 0 && !have_time) {
            result = read_float(p, &seconds);
            result = result == AM_OK ? set_rate(p, seconds) : result;
            have_time = true;
        } else {
            return fail_here(p, AM_ERR_SYNTAX,
                             "MOTION must open with one line 'Frames: N' and one line 'Frame Time: T'");
        }
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

int ami_bvh_count_rows(ami_text *text)
{
    int rows = 0;
    for (ami_text_skip(text); text->at < text->end; ami_text_skip(text)) {
        while (text->at < text->end && !ami_is_line_end(*text->at)) {
            text->at++;
        }
        rows++;
    }
    return rows;
}

am_result ami_bvh_fail_short(const ami_text *text, int rows, int announced, am_error *err)
{
    return ami_fail_line(err, AM_ERR_TRUNCATED, text->file, text->line, 0,
                         "the file ends after %d of %d frames; set 'Frames: %d', or get the whole file", rows,
                         announced, rows);
}

am_result ami_bvh_read_head(ami_bvh *bvh, ami_text *text, const am_read_def *def, am_error *err)
{
    parser p = { .bvh = bvh, .text = text, .err = err, .def = def };
    am_result result = read_hierarchy(&p);
    if (result == AM_OK) {
        result = read_motion_head(&p);
    }
    if (result != AM_OK) {
        return result;
    }
    // Every value takes at least a digit and a blank: an announced count that cannot be there is refused before
    // anything of that size is allocated.
    uint64_t left = (uint64_t)(text->end - text->at) + 1;
    if ((uint64_t)bvh->frame_count * (uint64_t)bvh->channel_count * 2 > left) {
        return ami_bvh_fail_short(text, ami_bvh_count_rows(text), bvh->frame_count, err);
    }
    if (bvh->channel_count == 0) {
        bvh->frame_count = 0; // nothing moves: a skeleton alone
    }
    return AM_OK;
}

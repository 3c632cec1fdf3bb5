/// The parts of the BVH reader: a cursor over text, the hierarchy, the rows.
///
/// A file is HIERARCHY (joints in braces, depth first, which is our order of parents before children) and
/// MOTION (a head of two lines, then one row a frame with the channels of all joints in file order).
#ifndef AMI_IO_BVH_H
#define AMI_IO_BVH_H

#include <amble/tools/formats.h>

#include "base/memory.h"

/// A position in text that knows its line. Line ends are LF, CRLF or a lone CR; blanks are all bytes up to ' '.
typedef struct ami_text {
    const char *at;
    const char *end;
    const char *line_start; ///< first byte of the current line, for columns
    int64_t line;           ///< 1-based
    const char *file;       ///< name for errors, or NULL
} ami_text;

/// Bytes of a text, not terminated. `size` 0 means none.
typedef struct ami_word {
    const char *at;
    size_t size;
} ami_word;

static inline bool ami_is_blank(char c) { return (unsigned char)c <= ' '; }
static inline bool ami_is_line_end(char c) { return c == '\n' || c == '\r'; }
/// True at "#" and "//", which begin a comment up to the end of the line where a word could begin.
static inline bool ami_at_comment(const ami_text *text)
{
    size_t left = (size_t)(text->end - text->at);
    return left > 0 && (text->at[0] == '#' || (left > 1 && text->at[0] == '/' && text->at[1] == '/'));
}

/// Skips blanks and comments within the line; stops at its end.
void ami_text_skip_in_line(ami_text *text);
/// Skips blanks, comments and line ends.
void ami_text_skip(ami_text *text);
/// Steps over one line end, if there is one here.
void ami_text_next_line(ami_text *text);
/// The bytes up to the next blank, which the cursor passes.
ami_word ami_text_take(ami_text *text);
/// 1-based column of a word of the current line.
int64_t ami_text_column(const ami_text *text, ami_word word);
/// Reads a word as a finite float. Gives AM_OK, AM_ERR_NUMBER (not finite, or beyond the range of a float)
/// or AM_ERR_SYNTAX, without a message.
am_result ami_word_float(float *out, ami_word word);

enum {
    AMI_BVH_POSITION = 0, ///< kinds 0..2: position along x, y, z
    AMI_BVH_ROTATION = 3, ///< kinds 3..5: rotation about x, y, z
    AMI_BVH_KINDS = 6,
    AMI_BVH_MAX_CHANNELS = AMI_BVH_KINDS * AM_MAX_JOINTS
};

/// One number of a row.
typedef struct ami_bvh_channel {
    int16_t joint;
    int16_t kind;
} ami_bvh_channel;

/// What a file says before its first row.
typedef struct ami_bvh {
    int joint_count;
    int end_count;
    int channel_count;
    int moving_count;
    int frame_count; ///< announced
    float fps;       ///< from the frame time, see bvh_hierarchy.c
    int16_t parents[AM_MAX_JOINTS];
    am_vec3 offsets[AM_MAX_JOINTS];
    const char *names[AM_MAX_JOINTS]; ///< unique; live in `texts`
    /// Rotation axes in the order of the file, 0..2 for x, y, z: always a permutation, where the axes that have
    /// no channel come last (their angle is zero).
    uint8_t axes[AM_MAX_JOINTS][3];
    uint8_t rotation_count[AM_MAX_JOINTS];
    int16_t moving[AM_MAX_JOINTS]; ///< joints with position channels, ascending
    int16_t end_joints[AM_MAX_JOINTS];
    am_vec3 end_offsets[AM_MAX_JOINTS];
    ami_bvh_channel channels[AMI_BVH_MAX_CHANNELS];
    ami_arena texts;
} ami_bvh;

/// Reads up to the first row. `bvh` is zeroed but for `texts`, which the caller frees.
am_result ami_bvh_read_head(ami_bvh *bvh, ami_text *text, const am_read_def *def, am_error *err);

/// Lines that hold something, from the cursor to the end of the file, which it reaches.
int ami_bvh_count_rows(ami_text *text);

/// The error of a file that ends after fewer rows than announced.
am_result ami_bvh_fail_short(const ami_text *text, int rows, int announced, am_error *err);

/// Reads all announced rows into the clip's rotations and translations. `plain` leaves the kernels out.
am_result ami_bvh_read_rows(am_clip *clip, const ami_bvh *bvh, ami_text *text, bool plain, am_error *err);

/// am_bvh_read, with every row through the plain reader: what the fast one is tested against.
am_result ami_bvh_read_plain(am_clip **out, const void *data, size_t size, const am_read_def *def, am_error *err);

#endif

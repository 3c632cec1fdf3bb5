/// Tags of frames: from rows `clip, tag, first frame, last frame`, and automatic ones.
#ifndef AMBLE_TOOLS_TAGS_H
#define AMBLE_TOOLS_TAGS_H

#include <amble/db.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One row of a tag file.
typedef struct am_tag_row {
    char clip[64];   ///< file stem of the source clip
    int tag;         ///< index into the sheet's names
    int first, last; ///< frames of the source clip at its own rate, both included; -1 = the last frame
} am_tag_row;

/// A tag file. Free with am_tag_sheet_free.
typedef struct am_tag_sheet {
    am_tag_row *rows;
    int row_count;
    int name_count;
    char names[AM_MAX_TAGS][AM_NAME_SIZE]; ///< in order of first use
    am_alloc alloc;
} am_tag_sheet;

/// Reads CSV text: one row per line, spaces around values allowed, `#` begins a comment, a first row that begins
/// with `clip` is a header. Errors name the line.
AM_API am_result am_tag_sheet_read(am_tag_sheet *out, const char *text, size_t size, const char *file,
                                   const am_alloc *alloc, am_error *err);
AM_API void am_tag_sheet_free(am_tag_sheet *sheet);

/// What automatic tags are found from: one stretch of motion.
typedef struct am_auto_tag_input {
    int frame_count;
    float fps;
    const am_vec3 *root_positions; ///< [frame]
    const am_quat *root_rotations; ///< [frame]
    const float *hip_heights;      ///< [frame] above the toes' floor, m
    const float *toe_heights;      ///< [frame] the lower toe above the floor, m
    const uint8_t *contacts;       ///< [frame] or NULL (then nothing is a jump)
    float upright_m;               ///< hip height of the data set's upright walks, m
} am_auto_tag_input;
/// Sets the automatic tags in tags(frame_count); other bits stay.
AM_API void am_auto_tags(uint64_t *tags, const am_auto_tag_input *input);

#ifdef __cplusplus
}
#endif
#endif

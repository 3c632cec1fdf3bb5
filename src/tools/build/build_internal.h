/// A build in the making: files become clips, clips become pieces, pieces become ranges.
#ifndef AMI_MAKE_BUILD_INTERNAL_H
#define AMI_MAKE_BUILD_INTERNAL_H

#include <amble/tools/database.h>
#include <amble/tools/tags.h>
#include "build/build_config.h"

#include "base/memory.h"

/// A future range: a clip on the database's skeleton with everything that belongs to its frames.
typedef struct ami_piece {
    int source; ///< clip of the import
    int piece;  ///< which of its pieces
    bool mirrored;
    int twin;     ///< mirrored: the piece it mirrors; bent: the straight one
    float bent;   ///< rad a metre; 0: as it is
    float tempo;  ///< of a copy: how much faster than the source
    float stride; ///< and how much longer its steps are
    char name[64];
    int source_first;
    am_clip *clip;
    void *block; ///< holds the arrays below
    size_t block_size;
    am_vec3 *root_positions;
    am_quat *root_rotations;
    uint8_t *contacts;
    uint64_t *tags;
    float *hips;   ///< [frame] height above the toes' floor, m
    float *toes;   ///< [frame] of the lower one, m
    float *custom; ///< NULL without custom channels
    am_error error;
} ami_piece;

typedef struct ami_building {
    const am_build_def *def;
    am_alloc alloc;
    am_tasks tasks;
    am_error *err;
    ami_build_config config;
    char *config_text;
    size_t config_size;
    am_import import;
    ami_piece *pieces;
    int piece_count;
    size_t piece_room;
    int bent_first;          ///< the first bent piece
    int reference;           ///< clip of the import
    bool hidden;             ///< it is read for its skeleton only
    am_clip *reference_clip; ///< its skeleton is the database's; owned
    am_roles roles;          ///< of the reference
    int16_t mirror_map[AM_MAX_JOINTS];
    float fps; ///< of the database
    am_tag_sheet sheet;
    char tag_names[AM_MAX_TAGS][AM_NAME_SIZE];
    int tag_count;
    int sheet_tags[AM_MAX_TAGS];  ///< database tag of each of the sheet's
    int mirror_tags[AM_MAX_TAGS]; ///< the tag that a mirrored frame has instead
    struct ami_side_file *sides;  ///< [config.side_count]
    am_build_summary summary;
} ami_building;

/// Reads the config. After a failure *out is NULL; ami_build_end takes NULL, too.
am_result ami_build_begin(ami_building **out, const am_build_def *def, am_error *err);
void ami_build_end(ami_building *b);
/// Lists the motion files that the config (or clips_dir) names, in a fixed order.
am_result ami_build_list(ami_building *b);
am_result ami_build_read(ami_building *b);
am_result ami_build_examine(ami_building *b);
am_result ami_build_clean(ami_building *b);
am_result ami_build_retarget(ami_building *b);
am_result ami_build_mirror(ami_building *b);
/// Adds the copies of pieces that are bent along curves.
am_result ami_build_bend_pieces(ami_building *b);
/// Everything that goes with a piece's frames but its tags.
am_result ami_build_fill_piece(const ami_building *b, ami_piece *piece, am_error *err);
/// Room for more pieces; those that are there may move.
am_result ami_build_more_pieces(ami_building *b, int more);
/// Joints of a piece by role.
const am_roles *ami_build_roles(const ami_building *b, const ami_piece *piece);
/// The error of the first piece from `first` on that has one.
am_result ami_build_first_error(ami_building *b, int first);

/// Names all tags and says which database tag each of the sheet's is.
am_result ami_build_name_tags(ami_building *b);
/// Fills piece->hips and piece->toes.
am_result ami_build_measure_piece(const ami_building *b, ami_piece *piece, am_error *err);
/// Fills the tags of all pieces: rows of the sheet, then the automatic ones, which depend on how upright the data
/// are.
am_result ami_build_tag_pieces(ami_building *b);
/// Tag bits of a mirrored frame: left_x and right_x change places.
uint64_t ami_build_mirror_tags(const ami_building *b, uint64_t tags);

/// Side files of custom numbers.
am_result ami_build_read_sides(ami_building *b);
void ami_build_free_sides(ami_building *b);
/// Fills piece->custom.
void ami_build_custom_piece(const ami_building *b, ami_piece *piece);

/// Whether a clip is not to become part of the database.
static inline bool ami_build_hides(const ami_building *b, int clip) { return b->hidden && clip == b->reference; }
/// Remembers something left out.
am_result ami_building_note(ami_building *b, const char *clip, int first, int last, const char *why);
/// Frame of the source that became frame `frame` of the piece.
float ami_build_source_frame(const ami_building *b, const ami_piece *piece, int frame);

#endif

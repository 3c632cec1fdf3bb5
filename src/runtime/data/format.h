/// The .amdb file: header, section table, sections. docs/format-amdb.md describes it with offsets; this is the same
/// in C. Little-endian, sections aligned to 64 bytes, the file is the memory image.
#ifndef AMI_DB_FORMAT_H
#define AMI_DB_FORMAT_H

#include <amble/db.h>
#include <amble/tools/files.h>

#include "base/container.h"
#include "data/database.h"

#define AMI_DB_VERSION 2u
#define AMI_DB_NO_POSES 1u ///< rotations and translations were left out

typedef ami_header ami_db_header;
typedef ami_section ami_db_section;
extern const ami_container_kind ami_db_kind;

/// Section "info", 192 bytes: all counts.
typedef struct ami_db_info {
    int32_t frame_count, joint_count, moving_count, end_count;
    int32_t range_count, tag_count, channel_count, raw_count;
    int32_t feature_count, feature_stride, pca_count, custom_count;
    int32_t precision, role_count;
    float fps;
    int32_t reserved_word;
    char name[64];
    int32_t latent_count;
    uint32_t flags; ///< AMI_DB_NO_POSES
    uint64_t latent_key;
    uint8_t reserved[48];
} ami_db_info;

/// Every section that this build knows, in file order.
typedef enum ami_part {
    AMI_PART_INFO,
    AMI_PART_PARENTS,
    AMI_PART_OFFSETS,
    AMI_PART_RESTS,
    AMI_PART_NAMES,
    AMI_PART_END_JOINTS,
    AMI_PART_END_OFFSETS,
    AMI_PART_ROLES,
    AMI_PART_MOVING,
    AMI_PART_RANGES,
    AMI_PART_TAG_NAMES,
    AMI_PART_CHANNELS,
    AMI_PART_OFFSET,
    AMI_PART_SCALE,
    AMI_PART_WEIGHT,
    AMI_PART_PCA,
    AMI_PART_PACK_LOW,
    AMI_PART_PACK_EXTENT,
    AMI_PART_CONFIG,
    AMI_PART_ROOT_POSITIONS,
    AMI_PART_ROOT_ROTATIONS,
    AMI_PART_ROTATIONS,
    AMI_PART_TRANSLATIONS,
    AMI_PART_CONTACTS,
    AMI_PART_TAGS,
    AMI_PART_X,
    AMI_PART_Z,
    // Derived from the parts above. A file has all of these (rows only with float poses) or none.
    AMI_PART_FACTS,
    AMI_PART_JOINT_RANGES,
    AMI_PART_ROUGHNESS,
    AMI_PART_FILTERS,
    AMI_PART_INDEX,
    AMI_PART_INDEX_ROWS,
    AMI_PART_COUNT
} ami_part;

/// How a part is found, and its required size.
typedef struct ami_part_kind {
    char letters[5]; ///< its id as text
    bool small;      ///< does not grow with the frames: checked when a file is opened
    bool free_size;  ///< text: any size of at least 1
} ami_part_kind;

/// The parts from here on are derived from those before and are not in the content hash.
#define AMI_FIRST_DERIVED AMI_PART_FACTS

const ami_part_kind *ami_part_of(int part);
uint32_t ami_part_id(int part);
/// Bytes of a part for these counts; 0 when the file has no such part. Meaningless for parts of free size.
uint64_t ami_part_size(int part, const ami_db_info *info);
/// Bytes of a derived part; 0 when there is no such part: without leaves (no frame is offered) there is none at all.
uint64_t ami_derived_size(int part, const ami_db_info *info, int leaf_count);
/// Leaves of the index over these ranges: up to eight consecutive offered frames each.
int ami_count_leaves(const am_db_range *ranges, int count);
/// Refuses counts out of range.
am_result ami_db_check_info(const ami_db_info *info, const char *file, int64_t offset, am_error *err);

/// create.c: writes the checksums of all parts of an image whose bodies are complete, then header and table.
void ami_db_seal(uint8_t *image, uint64_t size, ami_db_section *table, const am_tasks *tasks);

/// Which frames an activity may use, with a character's default tags. Their order in the file.
typedef enum ami_slot {
    AMI_SLOT_BEGIN, ///< and four more: where each am_activity may begin
    AMI_SLOT_STAY_MOVE = 5,
    AMI_SLOT_STAY_CREEP,
    AMI_SLOT_PATH,      ///< frames that a path lands on
    AMI_SLOT_PATH_STAY, ///< with it, where every frame may be played on
    AMI_SLOT_COUNT
} ami_slot;

/// The beginning of the section `filt`. The bits follow: those of the frames of all slots, then those of the nodes.
typedef struct ami_filters_head {
    int32_t count[16]; ///< [slot] accepted frames; 0: there is no such filter
} ami_filters_head;

/// The beginning of the section `indx`; the tables of fast.h follow.
typedef struct ami_index_head {
    int32_t leaf_count, dims;
    float step;
    uint8_t reserved[52];
} ami_index_head;

/// The derived parts of a database beside its facts; NULL where the file has none.
typedef struct ami_derived {
    const ami_joint_range *joint_ranges; ///< [joint]
    const float *roughness;              ///< [frame] landing.c
    const ami_filters_head *filters;
    const ami_index_head *index;
    const float *index_rows; ///< [leaf][dims][8]; NULL in compact files
} ami_derived;

/// What a database must free, and what only the library reads.
struct am_db_own {
    am_alloc alloc;
    am_file file; ///< mapped
    void *image;  ///< allocated
    size_t image_size;
    size_t block_size; ///< of the am_db with its small tables
    ami_derived derived;
};

/// Makes the am_db over an image whose header and table were checked. Takes over `own`'s file or image on success.
am_result ami_db_view(am_db **out, const void *data, size_t size, const char *file, const struct am_db_own *own,
                      am_error *err);

/// Compact rotations: the three smaller components in 15 bits each, the place of the largest in two top bits.
void ami_pack_quat(uint16_t out[3], am_quat q);
am_quat ami_unpack_quat(const uint16_t in[3]);

#endif

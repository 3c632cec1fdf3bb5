// The parts of a database file and their sizes.
#include "data/format.h"

#include "base/error.h"
#include "data/fast.h"

#include <string.h>

_Static_assert(sizeof(am_facts) == 256 && sizeof(ami_joint_range) == 40, "sections of a file");
_Static_assert(sizeof(ami_filters_head) == 64 && sizeof(ami_index_head) == 64, "sections of a file");

static const ami_part_kind parts[AMI_PART_COUNT] = {
    [AMI_PART_INFO] = { "info", true, false },
    [AMI_PART_PARENTS] = { "pare", true, false },
    [AMI_PART_OFFSETS] = { "offs", true, false },
    [AMI_PART_RESTS] = { "rest", true, false },
    [AMI_PART_NAMES] = { "name", true, true },
    [AMI_PART_END_JOINTS] = { "endj", true, false },
    [AMI_PART_END_OFFSETS] = { "endo", true, false },
    [AMI_PART_ROLES] = { "role", true, false },
    [AMI_PART_MOVING] = { "move", true, false },
    [AMI_PART_RANGES] = { "rang", true, false },
    [AMI_PART_TAG_NAMES] = { "tagn", true, false },
    [AMI_PART_CHANNELS] = { "chan", true, false },
    [AMI_PART_OFFSET] = { "fmea", true, false },
    [AMI_PART_SCALE] = { "fsca", true, false },
    [AMI_PART_WEIGHT] = { "fwei", true, false },
    [AMI_PART_PCA] = { "fpca", true, false },
    [AMI_PART_PACK_LOW] = { "plow", true, false },
    [AMI_PART_PACK_EXTENT] = { "pext", true, false },
    [AMI_PART_CONFIG] = { "conf", false, true },
    [AMI_PART_ROOT_POSITIONS] = { "rpos", false, false },
    [AMI_PART_ROOT_ROTATIONS] = { "rrot", false, false },
    [AMI_PART_ROTATIONS] = { "rota", false, false },
    [AMI_PART_TRANSLATIONS] = { "tran", false, false },
    [AMI_PART_CONTACTS] = { "cont", false, false },
    [AMI_PART_TAGS] = { "tags", false, false },
    [AMI_PART_X] = { "feat", false, false },
    [AMI_PART_Z] = { "late", false, false },
    [AMI_PART_FACTS] = { "fact", true, false },
    [AMI_PART_JOINT_RANGES] = { "jran", true, false },
    [AMI_PART_ROUGHNESS] = { "roug", false, false },
    [AMI_PART_FILTERS] = { "filt", false, false },
    [AMI_PART_INDEX] = { "indx", false, false },
    [AMI_PART_INDEX_ROWS] = { "ixro", false, false },
};

const ami_container_kind ami_db_kind = { "AMDB", AMI_DB_VERSION, "database", "build it again with amble build" };

const ami_part_kind *ami_part_of(int part) { return &parts[part]; }

uint32_t ami_part_id(int part) { return ami_section_id(parts[part].letters); }

uint64_t ami_part_size(int part, const ami_db_info *info)
{
    uint64_t frames = (uint64_t)info->frame_count;
    uint64_t joints = (uint64_t)info->joint_count;
    uint64_t moving = (uint64_t)info->moving_count;
    uint64_t raw = (uint64_t)info->raw_count;
    bool poses = (info->flags & AMI_DB_NO_POSES) == 0;
    bool compact = info->precision == AM_PRECISION_COMPACT;
    switch (part) {
    case AMI_PART_INFO:
        return sizeof(ami_db_info);
    case AMI_PART_PARENTS:
        return joints * sizeof(int16_t);
    case AMI_PART_OFFSETS:
        return joints * sizeof(am_vec3);
    case AMI_PART_RESTS:
        return joints * sizeof(am_quat);
    case AMI_PART_END_JOINTS:
        return (uint64_t)info->end_count * sizeof(int16_t);
    case AMI_PART_END_OFFSETS:
        return (uint64_t)info->end_count * sizeof(am_vec3);
    case AMI_PART_ROLES:
        return (uint64_t)info->role_count * sizeof(int16_t);
    case AMI_PART_MOVING:
        return moving * sizeof(int16_t);
    case AMI_PART_RANGES:
        return (uint64_t)info->range_count * sizeof(am_db_range);
    case AMI_PART_TAG_NAMES:
        return (uint64_t)info->tag_count * AM_NAME_SIZE;
    case AMI_PART_CHANNELS:
        return (uint64_t)info->channel_count * sizeof(am_channel);
    case AMI_PART_OFFSET:
    case AMI_PART_SCALE:
    case AMI_PART_WEIGHT:
        return raw * sizeof(float);
    case AMI_PART_PCA:
        return (uint64_t)info->pca_count * raw * sizeof(float);
    case AMI_PART_PACK_LOW:
    case AMI_PART_PACK_EXTENT:
        return compact && poses ? moving * sizeof(am_vec3) : 0;
    case AMI_PART_ROOT_POSITIONS:
        return frames * sizeof(am_vec3);
    case AMI_PART_ROOT_ROTATIONS:
        return frames * sizeof(am_quat);
    case AMI_PART_ROTATIONS:
        return !poses ? 0 : frames * joints * (compact ? 3 * sizeof(uint16_t) : sizeof(am_quat));
    case AMI_PART_TRANSLATIONS:
        return !poses ? 0 : frames * moving * (compact ? 3 * sizeof(uint16_t) : sizeof(am_vec3));
    case AMI_PART_CONTACTS:
        return frames;
    case AMI_PART_TAGS:
        return frames * sizeof(uint64_t);
    case AMI_PART_X:
        return frames * (uint64_t)info->feature_stride * sizeof(float);
    case AMI_PART_Z:
        return frames * (uint64_t)info->latent_count * sizeof(float);
    default:
        return 0;
    }
}

uint64_t ami_derived_size(int part, const ami_db_info *info, int leaf_count)
{
    uint64_t frames = (uint64_t)info->frame_count;
    if (leaf_count == 0) {
        return 0;
    }
    switch (part) {
    case AMI_PART_FACTS:
        return sizeof(am_facts);
    case AMI_PART_JOINT_RANGES:
        return (uint64_t)info->joint_count * sizeof(ami_joint_range);
    case AMI_PART_ROUGHNESS:
        return frames * sizeof(float);
    case AMI_PART_FILTERS:
        return sizeof(ami_filters_head) +
               AMI_SLOT_COUNT * (ami_frame_words(info->frame_count) + ami_node_words(leaf_count)) * sizeof(uint64_t);
    case AMI_PART_INDEX:
        return ami_fast_table_bytes(info->feature_count, leaf_count);
    case AMI_PART_INDEX_ROWS:
        return info->precision == AM_PRECISION_COMPACT ? 0 : ami_fast_row_bytes(info->feature_count, leaf_count);
    default:
        return 0;
    }
}

int ami_count_leaves(const am_db_range *ranges, int count)
{
    int leaves = 0;
    for (int r = 0; r < count; r++) {
        int64_t offered = (int64_t)ranges[r].stop - ranges[r].start - ranges[r].head - (int64_t)ranges[r].tail;
        leaves += offered > 0 ? (int)((offered + ami_leaf_frames - 1) / ami_leaf_frames) : 0;
    }
    return leaves;
}

static bool between(int32_t value, int32_t lo, int32_t hi) { return value >= lo && value <= hi; }

am_result ami_db_check_info(const ami_db_info *i, const char *file, int64_t offset, am_error *err)
{
    bool counts = between(i->frame_count, 1, AM_MAX_DB_FRAMES) && between(i->joint_count, 1, AM_MAX_JOINTS) &&
                  between(i->moving_count, 1, i->joint_count) && between(i->end_count, 0, AM_MAX_JOINTS * 4) &&
                  between(i->range_count, 1, AM_MAX_RANGES) && between(i->tag_count, 0, AM_MAX_TAGS) &&
                  between(i->channel_count, 1, AM_MAX_CHANNELS) && between(i->raw_count, 1, AM_MAX_FEATURES) &&
                  between(i->pca_count, 0, i->raw_count) && between(i->custom_count, 0, AM_MAX_FEATURES) &&
                  between(i->precision, AM_PRECISION_FLOAT, AM_PRECISION_COMPACT) &&
                  between(i->role_count, 1, 1024) && between(i->latent_count, 0, AM_MAX_LATENT);
    int32_t stored = i->pca_count ? i->pca_count : i->raw_count;
    if (!counts || i->feature_count != stored || i->feature_stride != (stored + 7) / 8 * 8 ||
        !(i->fps > 0.0f && i->fps <= 100000.0f) || memchr(i->name, 0, sizeof i->name) == NULL) {
        return ami_fail_at(err, AM_ERR_FORMAT, file, offset,
                           "section 'info' has counts out of range; rebuild the file");
    }
    return AM_OK;
}

// Opening: header, section table and everything small are checked, then pointers are set. Nothing here grows with
// the number of frames, so half a gigabyte opens as fast as a megabyte.
#include "data/format.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/fast.h"
#include "data/feature_kinds.h"
#include "data/filter.h"
#include "data/kinematics.h"

#include <string.h>

typedef struct opening {
    const uint8_t *data;
    size_t size;
    const char *file;
    am_error *err;
    ami_db_header header;
    ami_db_section parts[AMI_PART_COUNT]; ///< id 0 where the file has none
    ami_db_info info;
} opening;

static am_result fail(const opening *o, am_result code, uint64_t offset, const char *text)
{
    return ami_fail_at(o->err, code, o->file, (int64_t)offset, "%s", text);
}

static am_result check_table(opening *o)
{
    uint32_t ids[AMI_PART_COUNT];
    for (int p = 0; p < AMI_PART_COUNT; p++) {
        ids[p] = ami_part_id(p);
    }
    return ami_container_check(&o->header, o->parts, ids, AMI_PART_COUNT, &ami_db_kind, o->data, o->size, o->file,
                               o->err);
}

static am_result check_sums(const opening *o)
{
    for (int p = 0; p < AMI_PART_COUNT; p++) {
        const ami_db_section *s = &o->parts[p];
        am_result result = s->id && ami_part_of(p)->small ? ami_container_sum(s, o->data, o->file, o->err) : AM_OK;
        if (result != AM_OK) {
            return result;
        }
    }
    return AM_OK;
}

static am_result check_sizes(opening *o)
{
    const ami_db_section *info = &o->parts[AMI_PART_INFO];
    if (!info->id || info->size != sizeof o->info) {
        return fail(o, AM_ERR_FORMAT, info->offset, "section 'info' is missing or has the wrong size");
    }
    memcpy(&o->info, o->data + info->offset, sizeof o->info);
    am_result result = ami_db_check_info(&o->info, o->file, (int64_t)info->offset, o->err);
    if (result != AM_OK) {
        return result;
    }
    for (int p = 0; p < AMI_FIRST_DERIVED; p++) {
        const ami_db_section *s = &o->parts[p];
        bool free_size = ami_part_of(p)->free_size;
        uint64_t wanted = free_size ? 1 : ami_part_size(p, &o->info);
        bool fits = free_size ? s->size >= wanted : s->size == wanted;
        if ((wanted && !s->id) || (s->id && !fits)) {
            return ami_fail_at(o->err, AM_ERR_FORMAT, o->file, (int64_t)s->offset,
                               "section '%s' is missing or has %llu bytes instead of %llu", ami_part_of(p)->letters,
                               (unsigned long long)s->size, (unsigned long long)wanted);
        }
    }
    return AM_OK;
}

static const void *body(const opening *o, int part)
{
    const ami_db_section *s = &o->parts[part];
    return s->id && s->size ? o->data + s->offset : NULL;
}

static am_result fail_part(const opening *o, int part, const char *what)
{
    return ami_fail_at(o->err, AM_ERR_FORMAT, o->file, (int64_t)o->parts[part].offset, "section '%s': %s",
                       ami_part_of(part)->letters, what);
}

static am_result check_skeleton(const opening *o)
{
    const int16_t *parents = body(o, AMI_PART_PARENTS);
    const int16_t *moving = body(o, AMI_PART_MOVING);
    const int16_t *ends = body(o, AMI_PART_END_JOINTS);
    const int16_t *roles = body(o, AMI_PART_ROLES);
    int joints = o->info.joint_count;
    for (int j = 0; j < joints; j++) {
        if (j == 0 ? parents[j] != -1 : (parents[j] < 0 || parents[j] >= j)) {
            return fail_part(o, AMI_PART_PARENTS, "a parent does not come before its child");
        }
    }
    for (int m = 0; m < o->info.moving_count; m++) {
        if (moving[m] >= joints || (m == 0 ? moving[m] != 0 : moving[m] <= moving[m - 1])) {
            return fail_part(o, AMI_PART_MOVING, "moving joints do not ascend from joint 0");
        }
    }
    for (int e = 0; e < o->info.end_count; e++) {
        if (ends[e] < 0 || ends[e] >= joints) {
            return fail_part(o, AMI_PART_END_JOINTS, "an end site belongs to no joint");
        }
    }
    for (int r = 0; r < o->info.role_count; r++) {
        if (roles[r] < -1 || roles[r] >= joints) {
            return fail_part(o, AMI_PART_ROLES, "a role names no joint");
        }
    }
    return AM_OK;
}

static am_result check_names(const opening *o)
{
    const char *names = body(o, AMI_PART_NAMES);
    size_t size = (size_t)o->parts[AMI_PART_NAMES].size;
    int count = 0;
    for (size_t i = 0; i < size; i++) {
        count += names[i] == '\0';
    }
    if (count != o->info.joint_count || names[size - 1] != '\0') {
        return fail_part(o, AMI_PART_NAMES, "the number of names differs from the number of joints");
    }
    const char *config = body(o, AMI_PART_CONFIG);
    if (config[o->parts[AMI_PART_CONFIG].size - 1] != '\0') {
        return fail_part(o, AMI_PART_CONFIG, "the text is not terminated");
    }
    const char *tags = body(o, AMI_PART_TAG_NAMES);
    for (int t = 0; t < o->info.tag_count; t++) {
        if (!memchr(tags + (size_t)t * AM_NAME_SIZE, 0, AM_NAME_SIZE)) {
            return fail_part(o, AMI_PART_TAG_NAMES, "a name is not terminated");
        }
    }
    return AM_OK;
}

static am_result check_ranges(const opening *o)
{
    const am_db_range *ranges = body(o, AMI_PART_RANGES);
    int at = 0;
    for (int r = 0; r < o->info.range_count; r++) {
        const am_db_range *range = &ranges[r];
        if (range->start != at || range->stop <= range->start || range->stop > o->info.frame_count ||
            range->head < 0 || range->head > AM_MAX_DB_FRAMES || range->tail < 0 || range->tail > AM_MAX_DB_FRAMES ||
            !memchr(range->name, 0, sizeof range->name)) {
            return fail_part(o, AMI_PART_RANGES, "ranges do not follow one another");
        }
        at = range->stop;
    }
    return at == o->info.frame_count ? AM_OK : fail_part(o, AMI_PART_RANGES, "ranges do not cover all frames");
}

static bool has_derived(const opening *o) { return o->parts[AMI_PART_FACTS].id != 0; }

static am_result check_facts(const opening *o)
{
    const am_facts *f = body(o, AMI_PART_FACTS);
    const ami_joint_range *ranges = body(o, AMI_PART_JOINT_RANGES);
    bool sane = f->version == AMI_FACTS_VERSION && ami_all_finite(&f->hip_m, (int)(f->old_floor_m - &f->hip_m)) &&
                f->standing_frame >= 0 && f->standing_frame < o->info.frame_count;
    // Paths divide by these.
    sane = sane && f->v_max > 0.0f && f->v_least > 0.0f && f->v_run > 0.0f && f->lateral > 0.0f &&
           f->faster_mps2 > 0.0f && f->slower_mps2 > 0.0f;
    if (!sane) {
        return fail_part(o, AMI_PART_FACTS, "a fact is out of range");
    }
    int numbers = o->info.joint_count * (int)(sizeof *ranges / sizeof(float));
    return ami_all_finite(&ranges->mean.x, numbers) ? AM_OK
                                                    : fail_part(o, AMI_PART_JOINT_RANGES, "a number is not finite");
}

/// Sizes and small tables. What the leaves of the index point to is checked where it is used: ami_index_create.
static am_result check_derived(const opening *o)
{
    int leaves = ami_count_leaves(body(o, AMI_PART_RANGES), o->info.range_count);
    for (int p = AMI_FIRST_DERIVED; p < AMI_PART_COUNT; p++) {
        const ami_db_section *s = &o->parts[p];
        uint64_t wanted = has_derived(o) ? ami_derived_size(p, &o->info, leaves) : 0;
        if ((s->id != 0) != (wanted != 0) || s->size != wanted) {
            return ami_fail_at(o->err, AM_ERR_FORMAT, o->file, (int64_t)s->offset,
                               "section '%s' has %llu bytes instead of %llu; build it again", ami_part_of(p)->letters,
                               (unsigned long long)s->size, (unsigned long long)wanted);
        }
    }
    if (!has_derived(o)) {
        return AM_OK;
    }
    if (!ami_fast_tables_sane(body(o, AMI_PART_INDEX), o->info.feature_count, leaves)) {
        return fail_part(o, AMI_PART_INDEX, "the grid or the order of the dimensions is invalid");
    }
    return check_facts(o);
}

static bool channel_sane(const am_channel *c, const ami_db_info *info)
{
    if (c->kind < 0 || c->kind >= AM_FEATURE_COUNT || c->role < -1 || c->role >= AM_ROLE_COUNT || c->time_count < 0 ||
        c->time_count > AM_MAX_TIMES || c->tag_count < 0 || c->tag_count > AM_MAX_TIMES ||
        !memchr(c->name, 0, sizeof c->name) || !(c->weight >= 0.0f)) {
        return false;
    }
    unsigned uses = ami_feature_of(c->kind)->uses;
    if (((uses & AMI_USES_JOINT) && c->role < 0) || ((uses & AMI_USES_AXES) && c->axes != 2 && c->axes != 3) ||
        ((uses & AMI_USES_CUSTOM) && (c->dims < 1 || c->dims > AM_MAX_CUSTOM)) || c->dims < 1) {
        return false;
    }
    for (int t = 0; t < c->tag_count; t++) {
        if (c->tags[t] >= info->tag_count) {
            return false;
        }
    }
    for (int i = 0; i < AM_MAX_CUSTOM; i++) {
        if (c->mirror[i] > c->dims || -c->mirror[i] > c->dims) {
            return false;
        }
    }
    for (int t = 0; t < c->time_count; t++) {
        if (!(c->times[t] >= -1e6f && c->times[t] <= 1e6f)) {
            return false;
        }
    }
    return true;
}

/// Fills the schema from its records and checks their layout against the kinds.
static am_result read_schema(const opening *o, am_schema *schema)
{
    const am_channel *channels = body(o, AMI_PART_CHANNELS);
    schema->channel_count = o->info.channel_count;
    for (int c = 0; c < schema->channel_count; c++) {
        if (!channel_sane(&channels[c], &o->info)) {
            return fail_part(o, AMI_PART_CHANNELS, "a channel is out of range");
        }
        schema->channels[c] = channels[c];
    }
    if (ami_schema_place(schema, NULL) != AM_OK || schema->raw_count != o->info.raw_count ||
        schema->custom_count != o->info.custom_count ||
        memcmp(schema->channels, channels, (size_t)schema->channel_count * sizeof(am_channel)) != 0) {
        return fail_part(o, AMI_PART_CHANNELS, "the channels do not add up to the features");
    }
    schema->pca_count = o->info.pca_count;
    schema->tag_count = o->info.tag_count;
    const char *tags = body(o, AMI_PART_TAG_NAMES);
    if (tags) {
        memcpy(schema->tag_names, tags, (size_t)schema->tag_count * AM_NAME_SIZE);
    }
    return AM_OK;
}

/// Everything beside the image itself: one block.
typedef struct block {
    am_db *db;
    struct am_db_own *own;
    am_skeleton *skeleton;
    const char **names;
    const char **tag_names;
    am_schema *schema;
} block;

static block lay_out(ami_layout *layout, const ami_db_info *info)
{
    block b;
    b.db = ami_layout_take(layout, 1, sizeof(am_db));
    b.own = ami_layout_take(layout, 1, sizeof(struct am_db_own));
    b.skeleton = ami_layout_take(layout, 1, sizeof(am_skeleton));
    b.names = ami_layout_take(layout, (size_t)info->joint_count, sizeof(char *));
    b.tag_names = ami_layout_take(layout, (size_t)info->tag_count, sizeof(char *));
    b.schema = ami_layout_take(layout, 1, sizeof(am_schema));
    return b;
}

static void set_skeleton(const block *b, const opening *o)
{
    am_skeleton *s = b->skeleton;
    s->joint_count = o->info.joint_count;
    s->end_count = o->info.end_count;
    s->parents = body(o, AMI_PART_PARENTS);
    s->offsets = body(o, AMI_PART_OFFSETS);
    s->rests = body(o, AMI_PART_RESTS);
    s->end_joints = body(o, AMI_PART_END_JOINTS);
    s->end_offsets = body(o, AMI_PART_END_OFFSETS);
    s->names = b->names;
    const char *name = body(o, AMI_PART_NAMES);
    for (int j = 0; j < s->joint_count; j++) {
        b->names[j] = name;
        name += strlen(name) + 1;
    }
    const char *tags = body(o, AMI_PART_TAG_NAMES);
    for (int t = 0; t < o->info.tag_count; t++) {
        b->tag_names[t] = tags + (size_t)t * AM_NAME_SIZE;
    }
}

static void set_counts(am_db *db, const block *b, const opening *o)
{
    const ami_db_info *info = &o->info;
    db->frame_count = info->frame_count;
    db->joint_count = info->joint_count;
    db->moving_count = info->moving_count;
    db->range_count = info->range_count;
    db->tag_count = info->tag_count;
    db->fps = info->fps;
    db->precision = (am_precision)info->precision;
    db->name = ((const ami_db_info *)body(o, AMI_PART_INFO))->name;
    db->skeleton = b->skeleton;
    db->tag_names = b->tag_names;
    db->config = body(o, AMI_PART_CONFIG);
    db->hash = o->header.content_hash;
    db->image = o->data;
    db->image_size = o->size;
    db->roles = ami_roles_none();
    const int16_t *roles = body(o, AMI_PART_ROLES);
    for (int r = 0; r < info->role_count && r < AM_ROLE_COUNT; r++) {
        db->roles.joint[r] = roles[r]; // a later version may have more roles: ignore them
    }
}

static void set_arrays(am_db *db, const block *b, const opening *o)
{
    bool compact = db->precision == AM_PRECISION_COMPACT;
    db->ranges = body(o, AMI_PART_RANGES);
    db->moving = body(o, AMI_PART_MOVING);
    db->root_positions = body(o, AMI_PART_ROOT_POSITIONS);
    db->root_rotations = body(o, AMI_PART_ROOT_ROTATIONS);
    db->rotations = compact ? NULL : body(o, AMI_PART_ROTATIONS);
    db->translations = compact ? NULL : body(o, AMI_PART_TRANSLATIONS);
    db->packed_rotations = compact ? body(o, AMI_PART_ROTATIONS) : NULL;
    db->packed_translations = compact ? body(o, AMI_PART_TRANSLATIONS) : NULL;
    db->packed_low = body(o, AMI_PART_PACK_LOW);
    db->packed_extent = body(o, AMI_PART_PACK_EXTENT);
    db->contacts = body(o, AMI_PART_CONTACTS);
    db->tags = body(o, AMI_PART_TAGS);
    db->x = body(o, AMI_PART_X);
    db->z = body(o, AMI_PART_Z);
    db->facts = body(o, AMI_PART_FACTS);
    db->latent_count = o->info.latent_count;
    db->latent_key = o->info.latent_key;
    db->has_poses = (o->info.flags & AMI_DB_NO_POSES) == 0;
    db->features.schema = b->schema;
    db->features.raw_count = o->info.raw_count;
    db->features.count = o->info.feature_count;
    db->features.stride = o->info.feature_stride;
    db->features.offset = body(o, AMI_PART_OFFSET);
    db->features.scale = body(o, AMI_PART_SCALE);
    db->features.weight = body(o, AMI_PART_WEIGHT);
    db->features.pca = o->info.pca_count ? body(o, AMI_PART_PCA) : NULL;
}

static am_result check_all(opening *o)
{
    am_result result = check_table(o);
    result = result == AM_OK ? check_sums(o) : result;
    result = result == AM_OK ? check_sizes(o) : result;
    result = result == AM_OK ? check_skeleton(o) : result;
    result = result == AM_OK ? check_names(o) : result;
    result = result == AM_OK ? check_ranges(o) : result;
    return result == AM_OK ? check_derived(o) : result;
}

am_result ami_db_view(am_db **out, const void *data, size_t size, const char *file, const struct am_db_own *own,
                      am_error *err)
{
    *out = NULL;
    if ((uintptr_t)data % 16 != 0) {
        return ami_fail(err, AM_ERR_DEF, "a database in memory must be aligned to 16 bytes");
    }
    opening o = { .data = data, .size = size, .file = file, .err = err };
    am_result result = check_all(&o);
    if (result != AM_OK) {
        return result;
    }
    ami_layout measure = { 0 };
    lay_out(&measure, &o.info);
    ami_layout place = ami_layout_room(&measure, &own->alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    block b = lay_out(&place, &o.info);
    result = read_schema(&o, b.schema);
    if (result != AM_OK) {
        ami_release(&own->alloc, place.base, measure.size);
        return result;
    }
    set_skeleton(&b, &o);
    set_counts(b.db, &b, &o);
    set_arrays(b.db, &b, &o);
    *b.own = *own;
    b.own->block_size = measure.size;
    b.own->derived = (ami_derived){ .joint_ranges = body(&o, AMI_PART_JOINT_RANGES),
                                    .roughness = body(&o, AMI_PART_ROUGHNESS),
                                    .filters = body(&o, AMI_PART_FILTERS),
                                    .index = body(&o, AMI_PART_INDEX),
                                    .index_rows = body(&o, AMI_PART_INDEX_ROWS) };
    b.db->own = b.own;
    *out = b.db;
    return AM_OK;
}

am_result am_db_open(am_db **out, const char *path, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    struct am_db_own own = { .alloc = ami_alloc_or_default(alloc) };
    am_result result = am_file_open(&own.file, path, err);
    if (result != AM_OK) {
        return result;
    }
    result = ami_db_view(out, own.file.data, own.file.size, path, &own, err);
    if (result != AM_OK) {
        am_file_close(&own.file);
    }
    return result;
}

am_result am_db_from_memory(am_db **out, const void *data, size_t size, const char *file, const am_alloc *alloc,
                            am_error *err)
{
    struct am_db_own own = { .alloc = ami_alloc_or_default(alloc) };
    return ami_db_view(out, data, size, file, &own, err);
}

void am_db_close(am_db *db)
{
    if (!db) {
        return;
    }
    struct am_db_own own = *db->own;
    if (own.file.data) {
        am_file_close(&own.file);
    }
    ami_release(&own.alloc, own.image, own.image_size);
    ami_release(&own.alloc, db, own.block_size);
}

// Making a database: sizes first, then every clip into its place (in parallel), then scaling, then checksums.
#include <amble/tools/database.h>
#include <amble/tools/json.h>

#include "data/format.h"

#include "base/batch.h"
#include "base/error.h"
#include "base/memory.h"
#include "build/bake.h"
#include "build/create_check.h"
#include "build/derive.h"
#include "data/feature_kinds.h"
#include "data/filter.h"
#include "data/scale.h"
#include "base/tasks.h"
#include "data/kinematics.h"

#include <stdio.h>
#include <string.h>

/// A database in the making.
typedef struct making {
    const am_db_def *def;
    am_alloc alloc;
    am_tasks tasks;
    am_error *err;
    am_schema schema; ///< tags re-numbered to the database's
    ami_db_info info;
    int16_t moving[AM_MAX_JOINTS];
    ami_db_section table[AMI_PART_COUNT]; ///< id 0 where there is no such part
    uint64_t image_size;
    uint8_t *image;
    float *rows; ///< [frame][row_stride] raw features: X itself, or apart with PCA
    size_t row_stride;
    am_vec3 *translations; ///< [frame][moving]: in the image, or apart when compact
    int *starts;           ///< [clip] first frame
    am_error *errors;      ///< [clip]
} making;

am_db_def am_db_def_default(void)
{
    am_db_def def = { .roles = ami_roles_none(), .toe_floor_m = 0.02f, .cookie = AM_COOKIE };
    return def;
}

// ---------------------------------------------------------------------------------------------
// Refusals

static am_result check_roles(const making *m)
{
    bool needed[AM_ROLE_COUNT];
    ami_schema_roles(&m->schema, needed);
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        int joint = m->def->roles.joint[r];
        if (joint >= m->info.joint_count || (needed[r] && joint < 0)) {
            return ami_fail(m->err, AM_ERR_ROLE,
                            "the schema needs the joint '%s', but the skeleton has none; name it in \"roles\"",
                            am_role_name((am_role)r));
        }
    }
    return AM_OK;
}

/// The schema's tags by their numbers in the database.
static am_result number_tags(making *m)
{
    const am_db_def *def = m->def;
    m->schema = *def->schema;
    for (int c = 0; c < m->schema.channel_count; c++) {
        am_channel *channel = &m->schema.channels[c];
        for (int i = 0; i < channel->tag_count; i++) {
            const char *name = def->schema->tag_names[channel->tags[i]];
            int found = -1;
            for (int t = 0; t < def->tag_count; t++) {
                found = strcmp(def->tag_names[t], name) == 0 ? t : found;
            }
            if (found < 0) {
                const char *near = am_nearest_name(name, def->tag_names, def->tag_count);
                return ami_fail(m->err, AM_ERR_KEY, "channel '%s' needs the tag '%s', which no frame has%s%s%s",
                                channel->name, name, near ? "; did you mean '" : "", near ? near : "",
                                near ? "'?" : "");
            }
            channel->tags[i] = (uint8_t)found;
        }
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Sizes

/// Joints that move in any clip; the hips always do, relative to the root.
static void find_moving(making *m)
{
    bool moves[AM_MAX_JOINTS] = { true };
    for (int c = 0; c < m->def->clip_count; c++) {
        const am_clip *clip = m->def->clips[c].clip;
        for (int i = 0; i < clip->moving_count; i++) {
            moves[clip->moving[i]] = true;
        }
    }
    for (int j = 0; j < m->info.joint_count; j++) {
        if (moves[j]) {
            m->moving[m->info.moving_count++] = (int16_t)j;
        }
    }
}

static am_result count_all(making *m)
{
    const am_db_def *def = m->def;
    const am_clip *first = def->clips[0].clip;
    ami_db_info *info = &m->info;
    int64_t frames = 0;
    for (int c = 0; c < def->clip_count; c++) {
        frames += def->clips[c].clip->frame_count;
    }
    if (frames > AM_MAX_DB_FRAMES) {
        return ami_fail(m->err, AM_ERR_LIMIT, "%lld frames; a database holds at most %d", (long long)frames,
                        AM_MAX_DB_FRAMES);
    }
    info->frame_count = (int32_t)frames;
    info->joint_count = first->skeleton->joint_count;
    info->end_count = first->skeleton->end_count;
    info->range_count = def->clip_count;
    info->tag_count = def->tag_count;
    info->channel_count = m->schema.channel_count;
    info->raw_count = m->schema.raw_count;
    info->pca_count = m->schema.pca_count;
    info->custom_count = m->schema.custom_count;
    info->feature_count = info->pca_count ? info->pca_count : info->raw_count;
    info->feature_stride = (info->feature_count + 7) / 8 * 8;
    info->precision = (int32_t)def->precision;
    info->role_count = AM_ROLE_COUNT;
    info->fps = first->fps;
    snprintf(info->name, sizeof info->name, "%s", def->name ? def->name : "");
    find_moving(m);
    return ami_db_check_info(info, NULL, 0, m->err);
}

static uint64_t names_size(const am_skeleton *s)
{
    uint64_t size = 0;
    for (int j = 0; j < s->joint_count; j++) {
        size += strlen(s->names[j]) + 1;
    }
    return size;
}

/// Frames at an end of a range that are not offered, as a file may say it.
static int unoffered(int frames) { return frames < 0 ? 0 : frames > AM_MAX_DB_FRAMES ? AM_MAX_DB_FRAMES : frames; }

/// Leaves of the index: see ami_count_leaves.
static int count_leaves(const making *m)
{
    int leaves = 0;
    for (int c = 0; c < m->def->clip_count; c++) {
        const am_db_clip *in = &m->def->clips[c];
        am_db_range range = { .stop = in->clip->frame_count,
                              .head = unoffered(in->head),
                              .tail = unoffered(in->tail) };
        leaves += ami_count_leaves(&range, 1);
    }
    return leaves;
}

static void place_parts(making *m)
{
    int leaves = count_leaves(m);
    for (int p = 0; p < AMI_PART_COUNT; p++) {
        uint64_t size = p < AMI_FIRST_DERIVED ? ami_part_size(p, &m->info) : ami_derived_size(p, &m->info, leaves);
        size = p == AMI_PART_NAMES ? names_size(m->def->clips[0].clip->skeleton) : size;
        size = p == AMI_PART_CONFIG ? (m->def->config ? strlen(m->def->config) : 0) + 1 : size;
        m->table[p].size = size;
        m->table[p].id = size ? ami_part_id(p) : 0;
    }
    m->image_size = ami_container_place(m->table, AMI_PART_COUNT);
}

static void *part(const making *m, int p) { return m->table[p].id ? m->image + m->table[p].offset : NULL; }

static am_result allocate(making *m)
{
    if (m->image_size > SIZE_MAX / 2) {
        return ami_fail(m->err, AM_ERR_LIMIT, "the database would have %llu bytes; this machine cannot address it",
                        (unsigned long long)m->image_size);
    }
    size_t frames = (size_t)m->info.frame_count;
    size_t clips = (size_t)m->def->clip_count;
    m->image = ami_alloc_zero(&m->alloc, (size_t)m->image_size);
    m->starts = ami_alloc_array(&m->alloc, clips, sizeof(int));
    m->errors = ami_alloc_array(&m->alloc, clips, sizeof(am_error));
    if (!m->image || !m->starts || !m->errors) {
        return ami_fail_memory(m->err, (size_t)m->image_size);
    }
    bool apart = m->info.pca_count > 0;
    m->row_stride = (size_t)(apart ? m->info.raw_count : m->info.feature_stride);
    m->rows = apart ? ami_alloc_array(&m->alloc, frames, m->row_stride * sizeof(float)) : part(m, AMI_PART_X);
    bool compact = m->info.precision == AM_PRECISION_COMPACT;
    size_t translations = frames * (size_t)m->info.moving_count;
    m->translations =
        compact ? ami_alloc_array(&m->alloc, translations, sizeof(am_vec3)) : part(m, AMI_PART_TRANSLATIONS);
    if (!m->rows || !m->translations) {
        return ami_fail_memory(m->err, frames * m->row_stride * sizeof(float));
    }
    return AM_OK;
}

static void release(making *m, bool keep_image)
{
    size_t frames = (size_t)m->info.frame_count;
    if (m->info.pca_count > 0) {
        ami_release(&m->alloc, m->rows, frames * m->row_stride * sizeof(float));
    }
    if (m->info.precision == AM_PRECISION_COMPACT) {
        ami_release(&m->alloc, m->translations, frames * (size_t)m->info.moving_count * sizeof(am_vec3));
    }
    ami_release(&m->alloc, m->starts, (size_t)m->def->clip_count * sizeof(int));
    ami_release(&m->alloc, m->errors, (size_t)m->def->clip_count * sizeof(am_error));
    if (!keep_image) {
        ami_release(&m->alloc, m->image, (size_t)m->image_size);
    }
}

// ---------------------------------------------------------------------------------------------
// Small parts

static void put(const making *m, int p, const void *from)
{
    if (m->table[p].id && from) {
        memcpy(part(m, p), from, (size_t)m->table[p].size);
    }
}

static void put_names(const making *m)
{
    const am_skeleton *s = m->def->clips[0].clip->skeleton;
    char *at = part(m, AMI_PART_NAMES);
    for (int j = 0; j < s->joint_count; j++) {
        size_t size = strlen(s->names[j]) + 1;
        memcpy(at, s->names[j], size);
        at += size;
    }
    char *tags = part(m, AMI_PART_TAG_NAMES);
    for (int t = 0; t < m->def->tag_count; t++) {
        snprintf(tags + (size_t)t * AM_NAME_SIZE, AM_NAME_SIZE, "%s", m->def->tag_names[t]);
    }
}

static void put_ranges(const making *m)
{
    am_db_range *ranges = part(m, AMI_PART_RANGES);
    int at = 0;
    for (int c = 0; c < m->def->clip_count; c++) {
        const am_db_clip *in = &m->def->clips[c];
        am_db_range *range = &ranges[c];
        snprintf(range->name, sizeof range->name, "%s", in->name ? in->name : in->clip->name);
        range->start = at;
        range->stop = at + in->clip->frame_count;
        range->source = in->source;
        range->source_first = in->source_first;
        range->source_fps = in->source_fps > 0.0f ? in->source_fps : in->clip->fps;
        range->head = unoffered(in->head);
        range->tail = unoffered(in->tail);
        range->flags = in->mirrored ? AM_RANGE_MIRRORED : 0;
        m->starts[c] = at;
        at = range->stop;
    }
}

static void put_small(const making *m)
{
    const am_skeleton *s = m->def->clips[0].clip->skeleton;
    put(m, AMI_PART_INFO, &m->info);
    put(m, AMI_PART_PARENTS, s->parents);
    put(m, AMI_PART_OFFSETS, s->offsets);
    put(m, AMI_PART_RESTS, s->rests);
    put(m, AMI_PART_END_JOINTS, s->end_joints);
    put(m, AMI_PART_END_OFFSETS, s->end_offsets);
    put(m, AMI_PART_ROLES, m->def->roles.joint);
    put(m, AMI_PART_MOVING, m->moving);
    put(m, AMI_PART_CHANNELS, m->schema.channels);
    put(m, AMI_PART_CONFIG, m->def->config ? m->def->config : "");
    put_names(m);
    put_ranges(m);
}

// ---------------------------------------------------------------------------------------------
// Frames

static void bake_item(void *context, int item)
{
    making *m = context;
    size_t start = (size_t)m->starts[item];
    size_t joints = (size_t)m->info.joint_count;
    bool compact = m->info.precision == AM_PRECISION_COMPACT;
    am_quat *rotations = compact ? NULL : part(m, AMI_PART_ROTATIONS);
    uint16_t *packed = compact ? part(m, AMI_PART_ROTATIONS) : NULL;
    ami_bake_target target = {
        .root_positions = (am_vec3 *)part(m, AMI_PART_ROOT_POSITIONS) + start,
        .root_rotations = (am_quat *)part(m, AMI_PART_ROOT_ROTATIONS) + start,
        .rotations = rotations ? rotations + start * joints : NULL,
        .packed_rotations = packed ? packed + 3 * start * joints : NULL,
        .translations = m->translations + start * (size_t)m->info.moving_count,
        .contacts = (uint8_t *)part(m, AMI_PART_CONTACTS) + start,
        .tags = (uint64_t *)part(m, AMI_PART_TAGS) + start,
        .rows = m->rows + start * m->row_stride,
        .row_stride = m->row_stride,
    };
    ami_bake_setup setup = {
        .schema = &m->schema,
        .roles = m->def->roles,
        .moving = m->moving,
        .moving_count = m->info.moving_count,
        .toe_floor = m->def->toe_floor_m,
    };
    ami_bake_clip(&target, &m->def->clips[item], &setup, &m->alloc, &m->errors[item]);
}

/// Scales (and with PCA projects) the rows of one clip.
static void scale_item(void *context, int item)
{
    making *m = context;
    am_features features = {
        .schema = &m->schema,
        .raw_count = m->info.raw_count,
        .count = m->info.raw_count,
        .stride = (int)m->row_stride,
        .offset = part(m, AMI_PART_OFFSET),
        .scale = part(m, AMI_PART_SCALE),
        .weight = part(m, AMI_PART_WEIGHT),
    };
    int frames = m->def->clips[item].clip->frame_count;
    for (int f = 0; f < frames; f++) {
        float raw[AM_MAX_FEATURES];
        float *row = m->rows + ((size_t)m->starts[item] + (size_t)f) * m->row_stride;
        memcpy(raw, row, (size_t)m->info.raw_count * sizeof(float));
        ami_features_normalise(&features, row, raw);
    }
}

static void project_item(void *context, int item)
{
    making *m = context;
    const float *basis = part(m, AMI_PART_PCA);
    float *x = part(m, AMI_PART_X);
    int raw = m->info.raw_count;
    int frames = m->def->clips[item].clip->frame_count;
    for (int f = 0; f < frames; f++) {
        size_t at = (size_t)m->starts[item] + (size_t)f;
        const float *row = m->rows + at * m->row_stride;
        float *out = x + at * (size_t)m->info.feature_stride;
        for (int k = 0; k < m->info.pca_count; k++) {
            float sum = 0.0f;
            for (int d = 0; d < raw; d++) {
                sum += basis[(size_t)k * (size_t)raw + (size_t)d] * row[d];
            }
            out[k] = sum;
        }
    }
}

static am_result bake_all(making *m)
{
    am_result result =
        ami_run_batches(&m->tasks, m->def->progress, "features", m->def->clip_count, bake_item, m, m->err);
    for (int c = 0; c < m->def->clip_count && result == AM_OK; c++) {
        if (m->errors[c].code != AM_OK) {
            result = m->errors[c].code;
            if (m->err) {
                *m->err = m->errors[c];
            }
        }
    }
    return result;
}

static am_result scale_all(making *m)
{
    size_t frames = (size_t)m->info.frame_count;
    am_result result = ami_scale_find(part(m, AMI_PART_OFFSET), part(m, AMI_PART_SCALE), part(m, AMI_PART_WEIGHT),
                                      &m->schema, m->rows, frames, m->row_stride, &m->alloc, m->err);
    if (result == AM_OK) {
        result = ami_run_batches(&m->tasks, m->def->progress, "scale", m->def->clip_count, scale_item, m, m->err);
    }
    if (result == AM_OK && m->info.pca_count) {
        result = ami_pca_find(part(m, AMI_PART_PCA), m->info.pca_count, m->rows, frames, m->row_stride,
                              m->info.raw_count, &m->alloc, m->err);
        if (result == AM_OK) {
            result =
                ami_run_batches(&m->tasks, m->def->progress, "project", m->def->clip_count, project_item, m, m->err);
        }
    }
    return result;
}

static uint16_t pack16(float v, float low, float extent)
{
    float share = extent > 0.0f ? (v - low) / extent : 0.0f;
    return (uint16_t)floorf(am_clamp(share * 65535.0f, 0.0f, 65535.0f) + 0.5f);
}

/// Compact translations: 16 bits an axis between the lowest and the highest value of each joint.
static void pack_translations(making *m)
{
    if (m->info.precision != AM_PRECISION_COMPACT) {
        return;
    }
    am_vec3 *low = part(m, AMI_PART_PACK_LOW);
    am_vec3 *extent = part(m, AMI_PART_PACK_EXTENT);
    uint16_t *out = part(m, AMI_PART_TRANSLATIONS);
    int moving = m->info.moving_count;
    size_t total = (size_t)m->info.frame_count * (size_t)moving;
    for (int i = 0; i < moving; i++) {
        am_vec3 lo = m->translations[i];
        am_vec3 hi = lo;
        for (size_t at = (size_t)i; at < total; at += (size_t)moving) {
            am_vec3 v = m->translations[at];
            lo = am_v3(am_min(lo.x, v.x), am_min(lo.y, v.y), am_min(lo.z, v.z));
            hi = am_v3(am_max(hi.x, v.x), am_max(hi.y, v.y), am_max(hi.z, v.z));
        }
        low[i] = lo;
        extent[i] = am_v3_sub(hi, lo);
        for (size_t at = (size_t)i; at < total; at += (size_t)moving) {
            am_vec3 v = m->translations[at];
            out[3 * at] = pack16(v.x, lo.x, extent[i].x);
            out[3 * at + 1] = pack16(v.y, lo.y, extent[i].y);
            out[3 * at + 2] = pack16(v.z, lo.z, extent[i].z);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Checksums

typedef struct sealing {
    uint8_t *image;
    ami_db_section *table;
} sealing;

static void sum_item(void *context, int item)
{
    const sealing *it = context;
    ami_db_section *s = &it->table[item];
    if (s->id) {
        s->checksum = am_hash64(it->image + s->offset, (size_t)s->size, s->id);
    }
}

/// The content hash leaves out where a database came from, and everything that is derived from it.
static bool is_content(int part) { return part != AMI_PART_CONFIG && part < AMI_FIRST_DERIVED; }

void ami_db_seal(uint8_t *image, uint64_t size, ami_db_section *table, const am_tasks *tasks)
{
    sealing it = { image, table };
    tasks->run(tasks->user, AMI_PART_COUNT, sum_item, &it);
    // Without derived parts it is a file of version 1, which older readers take as well.
    ami_container_kind kind = ami_db_kind;
    kind.version = table[AMI_FIRST_DERIVED].id ? AMI_DB_VERSION : 1u;
    ami_container_seal(image, size, table, AMI_PART_COUNT, &kind, is_content);
}

static void drop_derived(ami_db_section *table)
{
    memset(table + AMI_FIRST_DERIVED, 0, (AMI_PART_COUNT - AMI_FIRST_DERIVED) * sizeof *table);
}

/// The parts that follow from the others, measured on the database as it is without them.
static am_result derive(making *m)
{
    const float *x = part(m, AMI_PART_X);
    bool finite = true;
    for (int f = 0; finite && f < m->info.frame_count; f++) {
        finite = ami_all_finite(x + (size_t)f * (size_t)m->info.feature_stride, m->info.feature_count);
    }
    if (!finite) {
        drop_derived(m->table); // nothing can be searched
    }
    if (!m->table[AMI_FIRST_DERIVED].id) {
        return AM_OK;
    }
    ami_db_section plain[AMI_PART_COUNT];
    memcpy(plain, m->table, sizeof plain);
    drop_derived(plain);
    ami_db_seal(m->image, m->image_size, plain, &m->tasks);
    am_db *db = NULL;
    am_result result = am_db_from_memory(&db, m->image, (size_t)m->image_size, NULL, &m->alloc, m->err);
    if (result == AM_OK) {
        ami_derive_target target = { .facts = part(m, AMI_PART_FACTS),
                                     .joint_ranges = part(m, AMI_PART_JOINT_RANGES),
                                     .roughness = part(m, AMI_PART_ROUGHNESS),
                                     .filters = part(m, AMI_PART_FILTERS),
                                     .index = part(m, AMI_PART_INDEX),
                                     .index_rows = part(m, AMI_PART_INDEX_ROWS) };
        result = ami_derive(&target, db, &m->tasks, &m->alloc, m->err);
    }
    am_db_close(db);
    return result;
}

static am_result make(making *m, am_db **out)
{
    am_result result = allocate(m);
    if (result != AM_OK) {
        return result;
    }
    put_small(m);
    result = bake_all(m);
    result = result == AM_OK ? scale_all(m) : result;
    if (result != AM_OK) {
        return result;
    }
    pack_translations(m);
    result = derive(m);
    if (result != AM_OK) {
        return result;
    }
    ami_db_seal(m->image, m->image_size, m->table, &m->tasks);
    struct am_db_own own = { .alloc = m->alloc, .image = m->image, .image_size = (size_t)m->image_size };
    result = ami_db_view(out, m->image, (size_t)m->image_size, NULL, &own, m->err);
    if (result == AM_ERR_FORMAT && m->table[AMI_FIRST_DERIVED].id) {
        // Frames that are not finite give facts that are not finite: the file then has none.
        drop_derived(m->table);
        ami_db_seal(m->image, m->image_size, m->table, &m->tasks);
        result = ami_db_view(out, m->image, (size_t)m->image_size, NULL, &own, m->err);
    }
    return result;
}

am_result am_db_create(am_db **out, const am_db_def *def, am_error *err)
{
    *out = NULL;
    am_result result = ami_db_def_check(def, err);
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    making *m = ami_alloc_zero(&alloc, sizeof *m); // a schema is large for a stack
    if (!m) {
        return ami_fail_memory(err, sizeof *m);
    }
    m->def = def;
    m->alloc = alloc;
    m->tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    m->err = err;
    result = number_tags(m);
    result = result == AM_OK ? count_all(m) : result;
    result = result == AM_OK ? check_roles(m) : result;
    if (result == AM_OK) {
        place_parts(m);
        result = make(m, out);
        release(m, result == AM_OK);
    }
    ami_release(&alloc, m, sizeof *m);
    return result;
}

am_result am_db_write(const am_db *db, const char *path, am_error *err)
{
    return am_file_write(path, db->image, db->image_size, err);
}

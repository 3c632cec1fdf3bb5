// A database made from another: with latents beside the features, without poses, or of a few frames only.
#include <amble/tools/database.h>

#include "data/format.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tasks.h"

#include <stdio.h>
#include <string.h>

am_db_copy_def am_db_copy_def_default(void)
{
    am_db_copy_def def = { .cookie = AM_COOKIE };
    return def;
}

/// A copy in the making.
typedef struct copying {
    const am_db_copy_def *def;
    const am_db *db;
    ami_db_section from[AMI_PART_COUNT]; ///< parts of the database; id 0 where it has none
    ami_db_section table[AMI_PART_COUNT];
    ami_db_info info;
    uint8_t *image;
    uint64_t size;
} copying;

static am_result check_def(const am_db_copy_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->db || (def->drop_poses && def->poses) ||
        (def->frames && def->frame_count < 1) || (def->poses && !def->frames)) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the copy def with am_db_copy_def_default() and give it a database; poses need "
                        "frames and exclude drop_poses");
    }
    if (def->z && (def->latent_count < 1 || def->latent_count > AM_MAX_LATENT)) {
        return ami_fail(err, AM_ERR_LIMIT, "a frame has 1 to %d latents, not %d", AM_MAX_LATENT, def->latent_count);
    }
    for (int i = 0; def->frames && i < def->frame_count; i++) {
        if (def->frames[i] < 0 || def->frames[i] >= def->db->frame_count) {
            return ami_fail(err, AM_ERR_RANGE, "there is no frame %d; the database has %d", def->frames[i],
                            def->db->frame_count);
        }
    }
    return AM_OK;
}

static am_result find_parts(copying *c, am_error *err)
{
    uint32_t ids[AMI_PART_COUNT];
    for (int p = 0; p < AMI_PART_COUNT; p++) {
        ids[p] = ami_part_id(p);
    }
    ami_db_header header;
    return ami_container_check(&header, c->from, ids, AMI_PART_COUNT, &ami_db_kind, c->db->image, c->db->image_size,
                               NULL, err);
}

static const uint8_t *from(const copying *c, int part)
{
    return (const uint8_t *)c->db->image + c->from[part].offset;
}
static void *to(const copying *c, int part) { return c->image + c->table[part].offset; }

static void count_all(copying *c)
{
    const am_db_copy_def *def = c->def;
    ami_db_info *info = &c->info;
    memcpy(info, from(c, AMI_PART_INFO), sizeof *info);
    if (def->frames) {
        info->frame_count = def->frame_count;
        info->range_count = def->frame_count;
    }
    info->precision = def->poses ? AM_PRECISION_FLOAT : info->precision;
    info->latent_count = def->z ? def->latent_count : info->latent_count;
    info->latent_key = def->z ? def->latent_key : info->latent_key;
    info->flags = def->poses ? info->flags & ~AMI_DB_NO_POSES : info->flags;
    info->flags |= def->drop_poses ? AMI_DB_NO_POSES : 0;
    // Derived sections are kept when the frames are, and otherwise measured at run time.
    bool same_frames = !def->frames && !def->x && !def->contacts;
    for (int p = 0; p < AMI_PART_COUNT; p++) {
        uint64_t size = ami_part_of(p)->free_size ? c->from[p].size : ami_part_size(p, info);
        size = p >= AMI_FIRST_DERIVED && same_frames ? c->from[p].size : size;
        size = p == AMI_PART_CONFIG && def->config ? strlen(def->config) + 1 : size;
        c->table[p].size = size;
        c->table[p].id = size ? ami_part_id(p) : 0;
    }
    c->size = ami_container_place(c->table, AMI_PART_COUNT);
}

/// The frame of the database that becomes frame i.
static size_t source_frame(const copying *c, size_t i) { return c->def->frames ? (size_t)c->def->frames[i] : i; }

/// Rows of one part, a frame each, as the database has them.
static void copy_rows(const copying *c, int part)
{
    size_t row = (size_t)c->from[part].size / (size_t)c->db->frame_count;
    uint8_t *out = to(c, part);
    for (size_t i = 0; i < (size_t)c->info.frame_count; i++) {
        memcpy(out + i * row, from(c, part) + source_frame(c, i) * row, row);
    }
}

static void put_poses(const copying *c)
{
    size_t joints = (size_t)c->info.joint_count;
    size_t moving = (size_t)c->info.moving_count;
    am_quat *rotations = to(c, AMI_PART_ROTATIONS);
    am_vec3 *translations = to(c, AMI_PART_TRANSLATIONS);
    am_quat *roots = to(c, AMI_PART_ROOT_ROTATIONS);
    for (size_t i = 0; i < (size_t)c->info.frame_count; i++) {
        const am_transform *pose = c->def->poses + i * joints;
        for (size_t j = 0; j < joints; j++) {
            rotations[i * joints + j] = pose[j].rotation;
        }
        for (size_t m = 0; m < moving; m++) {
            translations[i * moving + m] = pose[c->db->moving[m]].translation;
        }
        roots[i] = am_quat_identity(); // the positions are zero already
    }
}

static void put_x(const copying *c)
{
    size_t count = (size_t)c->info.feature_count;
    float *out = to(c, AMI_PART_X);
    for (size_t i = 0; i < (size_t)c->info.frame_count; i++) {
        memcpy(out + i * (size_t)c->info.feature_stride, c->def->x + i * count, count * sizeof(float));
    }
}

static void put_ranges(const copying *c)
{
    am_db_range *out = to(c, AMI_PART_RANGES);
    for (int i = 0; i < c->info.range_count; i++) {
        const am_db_range *range = &c->db->ranges[am_db_range_of(c->db, c->def->frames[i])];
        out[i] = *range;
        out[i].source_first += c->def->frames[i] - range->start;
        out[i].start = i;
        out[i].stop = i + 1;
        out[i].head = out[i].tail = 0;
        if (c->def->names) {
            memset(out[i].name, 0, sizeof out[i].name);
            snprintf(out[i].name, sizeof out[i].name, "%s", c->def->names[i]);
            out[i].source = out[i].source_first = 0;
        }
    }
}

static void fill_frames(const copying *c)
{
    const am_db_copy_def *def = c->def;
    static const int rows[] = {
        AMI_PART_ROOT_POSITIONS, AMI_PART_ROOT_ROTATIONS, AMI_PART_ROTATIONS, AMI_PART_TRANSLATIONS,
        AMI_PART_CONTACTS,       AMI_PART_TAGS,           AMI_PART_X,         AMI_PART_Z
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int part = rows[i];
        bool given = (part == AMI_PART_CONTACTS && def->contacts) || (part == AMI_PART_X && def->x) ||
                     (part == AMI_PART_Z && def->z) || (def->poses && part <= AMI_PART_TRANSLATIONS);
        if (c->table[part].id && !given) {
            copy_rows(c, part);
        }
    }
    if (def->contacts) {
        memcpy(to(c, AMI_PART_CONTACTS), def->contacts, (size_t)c->info.frame_count);
    }
    if (def->z) {
        memcpy(to(c, AMI_PART_Z), def->z, (size_t)c->table[AMI_PART_Z].size);
    }
    if (def->x) {
        put_x(c);
    }
    if (def->poses) {
        put_poses(c);
    }
}

static void fill(const copying *c)
{
    const am_db_copy_def *def = c->def;
    for (int p = 0; p < AMI_PART_COUNT; p++) {
        bool rows = p >= AMI_PART_ROOT_POSITIONS && p < AMI_FIRST_DERIVED;
        if (!rows && c->table[p].id && c->from[p].size == c->table[p].size) {
            memcpy(to(c, p), from(c, p), (size_t)c->table[p].size);
        }
    }
    memcpy(to(c, AMI_PART_INFO), &c->info, sizeof c->info);
    if (def->config) {
        memcpy(to(c, AMI_PART_CONFIG), def->config, strlen(def->config) + 1);
    }
    if (def->frames) {
        put_ranges(c);
    }
    fill_frames(c);
}

am_result am_db_copy(am_db **out, const am_db_copy_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    copying c = { .def = def, .db = def->db };
    result = find_parts(&c, err);
    if (result != AM_OK) {
        return result;
    }
    count_all(&c);
    result = ami_db_check_info(&c.info, NULL, 0, err);
    if (result != AM_OK) {
        return result;
    }
    struct am_db_own own = { .alloc = ami_alloc_or_default(def->alloc) };
    c.image = ami_alloc_zero(&own.alloc, (size_t)c.size);
    if (!c.image) {
        return ami_fail_memory(err, (size_t)c.size);
    }
    fill(&c);
    am_tasks serial = ami_tasks_serial();
    ami_db_seal(c.image, c.size, c.table, &serial);
    own.image = c.image;
    own.image_size = (size_t)c.size;
    result = ami_db_view(out, c.image, (size_t)c.size, NULL, &own, err);
    if (result != AM_OK) {
        ami_release(&own.alloc, c.image, (size_t)c.size);
    }
    return result;
}

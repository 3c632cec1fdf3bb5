// Databases from anywhere. A file has checksums all over, which a fuzzer never guesses: every input is opened as it
// is and once more with its sums made right, so that the checks behind them are reached.
#include "db/format.h"

#include <stdlib.h>
#include <string.h>

static void sign(uint8_t *image, size_t size)
{
    ami_db_header header;
    if (size < sizeof header) {
        return;
    }
    memcpy(&header, image, sizeof header);
    header.file_size = size;
    header.endian = AMI_DB_ENDIAN;
    header.table_offset = sizeof header;
    uint64_t end = sizeof header + (uint64_t)header.section_count * sizeof(ami_db_section);
    if (header.section_count > AMI_DB_MAX_SECTIONS || end > size) {
        return;
    }
    for (uint32_t i = 0; i < header.section_count; i++) {
        ami_db_section s;
        uint8_t *at = image + sizeof header + i * sizeof s;
        memcpy(&s, at, sizeof s);
        if (s.offset <= size && s.size <= size - s.offset) {
            s.checksum = am_hash64(image + s.offset, (size_t)s.size, s.id);
            memcpy(at, &s, sizeof s);
        }
    }
    header.table_hash = 0;
    uint64_t hash = am_hash64(&header, sizeof header, 0);
    header.table_hash = am_hash64(image + sizeof header, (size_t)(end - sizeof header), hash);
    memcpy(image, &header, sizeof header);
}

/// Everything that a reader of a database does, at a few frames.
static void use(const am_db *db)
{
    am_error err = { 0 };
    am_db_verify(db, &err);
    am_transform *pose = calloc(3 * (size_t)db->joint_count, sizeof *pose);
    am_velocity *velocity = calloc((size_t)db->joint_count, sizeof *velocity);
    float raw[AM_MAX_FEATURES];
    float x[AM_MAX_FEATURES];
    int step = db->frame_count / 8 + 1;
    for (int f = 0; f < db->frame_count; f += step) {
        am_db_pose(db, f, pose);
        am_db_velocity(db, f, velocity, pose + db->joint_count);
        am_db_root_velocity(db, f);
        am_db_raw(db, f, raw);
        am_query query = am_query_default();
        am_query_point point = { 0.5f, { 1.0f, 0.9f, 2.0f }, { 0.0f, 0.0f, 1.0f }, { 0.0f, 0.0f, 1.0f } };
        uint64_t tags = db->tags[f];
        query.current = raw;
        query.trajectory = &point;
        query.trajectory_count = 1;
        query.tags = &tags;
        query.pose = pose;
        query.velocity = velocity;
        query.roles = &db->roles;
        am_query_make(&db->features, x, &query);
    }
    for (int d = 0; d < db->features.raw_count; d++) {
        char name[128];
        am_schema_dim_name(db->features.schema, d, name, sizeof name);
    }
    am_clip *clip = NULL;
    if (am_db_clip_of(db, 0, &clip, NULL, &err) == AM_OK) {
        am_clip_destroy(clip);
    }
    free(pose);
    free(velocity);
}

static void try(const uint8_t *data, size_t size)
{
    am_db *db = NULL;
    am_error err = { 0 };
    am_result result = am_db_from_memory(&db, data, size, "fuzz.amdb", NULL, &err);
    if (result == AM_OK) {
        use(db);
    } else if (db || err.code != result || !err.text[0]) {
        abort();
    }
    am_db_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 20) {
        return 0;
    }
    void *copy = NULL;
    if (posix_memalign(&copy, 64, size + 1) != 0) {
        return 0;
    }
    memcpy(copy, data, size);
    try(copy, size);
    sign(copy, size);
    try(copy, size);
    free(copy);
    return 0;
}

// Fuzzes the database reader.
#include <amble/tools/database.h>
#include <amble/tools/schema.h>
#include <amble/source.h>

#include "data/format.h"
#include "data/index.h"
#include "data/features.h"

#include "containers.h"

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
        ami_db_velocity(db, f, velocity, pose + db->joint_count);
        ami_db_root_velocity(db, f);
        ami_features_denormalise(&db->features, raw, am_db_x(db, f));
        ami_query query = ami_query_default();
        am_query_point point = { 0.5f, { 1.0f, 0.9f, 2.0f }, { 0.0f, 0.0f, 1.0f }, { 0.0f, 0.0f, 1.0f } };
        uint64_t tags = db->tags[f];
        query.current = raw;
        query.trajectory = &point;
        query.trajectory_count = 1;
        query.tags = &tags;
        query.pose = pose;
        query.velocity = velocity;
        query.roles = &db->roles;
        ami_query_make(&db->features, x, &query);
    }
    for (int d = 0; d < db->features.raw_count; d++) {
        char name[128];
        am_schema_dim_name(db->features.schema, d, name, sizeof name);
    }
    am_clips clips;
    if (am_db_clips_of(db, 0, 1, &clips, NULL, &err) == AM_OK) {
        am_clips_free(&clips);
    }
    free(pose);
    free(velocity);
}

/// The index of the file, or one that is built, with and without the filters of the file.
static void search(const am_db *db)
{
    am_error err = { 0 };
    ami_index_def def = ami_index_def_default();
    def.db = db;
    am_index *index = NULL;
    am_search_work *work = NULL;
    if (ami_index_create(&index, &def, &err) != AM_OK || ami_search_work_create(&work, index, NULL, &err) != AM_OK) {
        ami_index_destroy(index);
        return;
    }
    for (int slot = 0; slot < AMI_SLOT_COUNT; slot++) {
        am_filter *filter = NULL;
        if (ami_filters_stored(index)) {
            ami_filter_stored(&filter, index, slot, NULL, &err);
        }
        ami_search one = ami_search_default();
        one.x = am_db_x(db, slot * db->frame_count / AMI_SLOT_COUNT);
        one.k = 8;
        one.filter = filter;
        am_hit hits[8];
        int count = ami_index_search(index, hits, &one, work);
        for (int h = 0; h < count; h++) {
            if (hits[h].frame < 0 || hits[h].frame >= db->frame_count) {
                abort();
            }
        }
        ami_filter_destroy(filter);
    }
    ami_search_work_destroy(work);
    ami_index_destroy(index);
}

static void try(const uint8_t *data, size_t size)
{
    am_db *db = NULL;
    am_error err = { 0 };
    am_result result = am_db_from_memory(&db, data, size, "fuzz.amdb", NULL, &err);
    if (result == AM_OK) {
        use(db);
        search(db);
    } else if (db || err.code != result || !err.text[0]) {
        abort();
    }
    am_db_close(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_container(data, size, 1 << 20, try);
    return 0;
}

// Databases made from another one: latents, poses left out, a few frames with poses of their own.
#include "support/check.h"
#include "support/refuse.h"
#include "support/synth_db.h"
#include "data/database.h"

enum { latents = 5, taken = 3 };

static am_db *whole(void)
{
    am_error err = { 0 };
    am_db *db = synth_db_make(false, &err);
    if (!db) {
        fail_msg("%s", err.text);
    }
    return db;
}

static float *latent_rows(int frames)
{
    float *z = calloc((size_t)frames * latents, sizeof *z);
    for (int i = 0; i < frames * latents; i++) {
        z[i] = (float)(i % 97) * 0.25f - 3.0f;
    }
    return z;
}

static am_db *with_latents(const am_db *db, const float *z, bool drop)
{
    am_db *out = NULL;
    am_error err = { 0 };
    am_db_copy_def def = am_db_copy_def_default();
    def.db = db;
    def.z = z;
    def.latent_count = latents;
    def.drop_poses = drop;
    check_ok(am_db_copy(&out, &def, &err), &err);
    return out;
}

static void a_copy_with_nothing_asked_for_is_the_same_file(void **state)
{
    (void)state;
    am_db *db = whole();
    am_db *out = NULL;
    am_error err = { 0 };
    am_db_copy_def def = am_db_copy_def_default();
    def.db = db;
    check_ok(am_db_copy(&out, &def, &err), &err);
    assert_int_equal(out->image_size, db->image_size);
    assert_memory_equal(out->image, db->image, db->image_size);
    am_db_close(out);
    am_db_close(db);
}

static void latents_lie_beside_the_features(void **state)
{
    (void)state;
    am_db *db = whole();
    float *z = latent_rows(db->frame_count);
    am_db *copy = with_latents(db, z, false);
    am_error err = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/latent.amdb", test_temp_dir("db_copy"));
    check_ok(am_db_write(copy, path, &err), &err);
    am_db *again = NULL;
    check_ok(am_db_open(&again, path, NULL, &err), &err);
    check_ok(am_db_verify(again, &err), &err);
    assert_int_equal(again->latent_count, latents);
    assert_true(again->has_poses);
    int last = db->frame_count - 1;
    assert_memory_equal(ami_db_z(again, last), z + (size_t)last * latents, latents * sizeof *z);
    assert_memory_equal(am_db_x(again, last), am_db_x(db, last), (size_t)db->features.stride * sizeof *z);
    am_transform a[AM_MAX_JOINTS], b[AM_MAX_JOINTS];
    am_db_pose(db, last, a);
    am_db_pose(again, last, b);
    assert_memory_equal(a, b, (size_t)db->joint_count * sizeof *a);
    assert_true(again->hash != db->hash);
    assert_null(db->z);
    am_db_close(again);
    am_db_close(copy);
    free(z);
    am_db_close(db);
}

static void poses_left_out_make_it_smaller_and_give_the_rest_pose(void **state)
{
    (void)state;
    am_db *db = whole();
    float *z = latent_rows(db->frame_count);
    am_db *copy = with_latents(db, z, true);
    am_error err = { 0 };
    assert_false(copy->has_poses);
    assert_true(copy->image_size < db->image_size);
    check_ok(am_db_verify(copy, &err), &err);
    am_transform pose[AM_MAX_JOINTS];
    am_db_pose(copy, 7, pose);
    for (int j = 0; j < db->joint_count; j++) {
        assert_memory_equal(&pose[j].translation, &db->skeleton->offsets[j], sizeof(am_vec3));
        assert_memory_equal(&pose[j].rotation, &db->skeleton->rests[j], sizeof(am_quat));
    }
    assert_memory_equal(copy->root_positions, db->root_positions, (size_t)db->frame_count * sizeof(am_vec3));
    // Latents stay when it is copied once more.
    am_db *again = NULL;
    am_db_copy_def def = am_db_copy_def_default();
    def.db = copy;
    check_ok(am_db_copy(&again, &def, &err), &err);
    assert_int_equal(again->latent_count, latents);
    assert_true(again->hash == copy->hash);
    am_db_close(again);
    am_db_close(copy);
    free(z);
    am_db_close(db);
}

static void a_few_frames_take_poses_of_their_own(void **state)
{
    (void)state;
    am_db *db = whole();
    am_error err = { 0 };
    const int frames[taken] = { 3, 100, 50 };
    static const char *const names[taken] = { "idle", "walk", "run" };
    const uint8_t contacts[taken] = { 3, 1, 0 };
    am_transform *poses = calloc((size_t)taken * (size_t)db->joint_count, sizeof *poses);
    float *x = calloc((size_t)taken * (size_t)db->features.count, sizeof *x);
    for (int i = 0; i < taken * db->joint_count; i++) {
        poses[i] = (am_transform){ am_quat_identity(), am_v3(0.0f, (float)i, 0.0f) };
    }
    for (int i = 0; i < taken * db->features.count; i++) {
        x[i] = (float)i;
    }
    am_db *copy = NULL;
    am_db_copy_def def = am_db_copy_def_default();
    def.db = db;
    def.frames = frames;
    def.frame_count = taken;
    def.names = names;
    def.poses = poses;
    def.contacts = contacts;
    def.x = x;
    def.config = "{}";
    check_ok(am_db_copy(&copy, &def, &err), &err);
    check_ok(am_db_verify(copy, &err), &err);
    assert_int_equal(copy->frame_count, taken);
    assert_int_equal(copy->range_count, taken);
    assert_string_equal(copy->ranges[2].name, "run");
    assert_string_equal(copy->config, "{}");
    assert_true(copy->tags[1] == db->tags[100]);
    assert_int_equal(copy->contacts[0], 3);
    check_near(am_db_x(copy, 2)[1], (float)(2 * db->features.count + 1), 0.0);
    am_transform pose[AM_MAX_JOINTS];
    am_db_pose(copy, 1, pose);
    check_near(pose[0].translation.y, (float)db->joint_count, 0.0);
    check_near(am_v3_length(copy->root_positions[1]), 0.0, 0.0);
    free(poses);
    free(x);
    am_db_close(copy);
    am_db_close(db);
}

static void senseless_copies_are_refused(void **state)
{
    (void)state;
    am_db *db = whole();
    am_db *out = NULL;
    am_error err = { 0 };
    am_db_copy_def def = am_db_copy_def_default();
    check_refused(am_db_copy(&out, &def, &err), AM_ERR_DEF);
    def.db = db;
    float z = 0.0f;
    def.z = &z;
    check_refused(am_db_copy(&out, &def, &err), AM_ERR_LIMIT);
    def.z = NULL;
    const int beyond = db->frame_count;
    def.frames = &beyond;
    def.frame_count = 1;
    check_refused(am_db_copy(&out, &def, &err), AM_ERR_RANGE);
    def.cookie = 0;
    check_refused(am_db_copy(&out, &def, &err), AM_ERR_DEF);
    assert_null(out);
    am_db_close(db);
}

static am_result open_and_copy(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    void *copy = NULL;
    am_db *db = NULL;
    am_db *out = NULL;
    am_error err = { 0 };
    copy = test_aligned(size + 1);
    memcpy(copy, data, size);
    am_result result = refuse_checked(am_db_from_memory(&db, copy, size, "x.amdb", alloc, &err), &err);
    if (result == AM_OK) {
        am_db_copy_def def = am_db_copy_def_default();
        def.alloc = alloc;
        def.db = db;
        result = refuse_checked(am_db_copy(&out, &def, &err), &err);
    }
    am_db_close(out);
    am_db_close(db);
    test_aligned_free(copy);
    return result;
}

static void damaged_files_with_latents_are_refused(void **state)
{
    (void)state;
    am_db *db = whole();
    float *z = latent_rows(db->frame_count);
    am_db *copy = with_latents(db, z, true);
    const int frames[taken] = { 3, 100, 50 };
    am_db *few = NULL;
    am_error err = { 0 };
    am_db_copy_def def = am_db_copy_def_default();
    def.db = copy;
    def.frames = frames;
    def.frame_count = taken;
    check_ok(am_db_copy(&few, &def, &err), &err);
    refuse_options options = { .flips = 300, .truncations = 300 };
    refuse_counts counts = refuse_loop(open_and_copy, NULL, few->image, few->image_size, &options);
    assert_true(counts.refused_truncations > 100 && counts.refused_flips > 20 && counts.failed_allocations >= 3);
    am_db_close(few);
    am_db_close(copy);
    free(z);
    am_db_close(db);
}

TEST_SUITE(copy)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_with_nothing_asked_for_is_the_same_file),
        cmocka_unit_test(latents_lie_beside_the_features),
        cmocka_unit_test(poses_left_out_make_it_smaller_and_give_the_rest_pose),
        cmocka_unit_test(a_few_frames_take_poses_of_their_own),
        cmocka_unit_test(senseless_copies_are_refused),
        cmocka_unit_test(damaged_files_with_latents_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

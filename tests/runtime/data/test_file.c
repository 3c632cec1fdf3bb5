// The file: what comes back, what is refused, and that opening does not grow with the frames.
#include "runtime/data/image.h"
#include "support/refuse.h"
#include "base/budget.h"

static void a_database_comes_back_from_its_file(void **state)
{
    (void)state;
    am_db *db = image_make(true, AM_PRECISION_FLOAT);
    char path[1200];
    snprintf(path, sizeof path, "%s/a.amdb", test_temp_dir("db_file"));
    am_error err = { 0 };
    check_ok(am_db_write(db, path, &err), &err);
    am_db *back = NULL;
    check_ok(am_db_open(&back, path, NULL, &err), &err);
    assert_int_equal(back->image_size, db->image_size);
    assert_memory_equal(back->image, db->image, db->image_size);
    assert_true(back->hash == db->hash);
    assert_string_equal(back->name, "walkers");
    assert_string_equal(back->config, "{\"made\": \"up\"}");
    assert_string_equal(back->tag_names[6], "odd");
    assert_string_equal(back->skeleton->names[0], db->skeleton->names[0]);
    assert_int_equal(back->roles.joint[AM_ROLE_HEAD], db->roles.joint[AM_ROLE_HEAD]);
    assert_int_equal(back->ranges[2].flags, AM_RANGE_MIRRORED);
    assert_int_equal(back->ranges[1].tail, 5);
    check_ok(am_db_verify(back, &err), &err);
    am_db_close(back);
    am_db_close(db);
}

static void poses_and_roots_give_the_clip_again(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    for (int r = 0; r < db->range_count; r++) {
        am_clips clips;
        check_ok(am_db_clips_of(db, r, 1, &clips, NULL, &err), &err);
        const am_clip *clip = clips.items[0];
        assert_int_equal(clip->frame_count, w.clips[r]->frame_count);
        for (int f = 0; f < clip->frame_count; f += 11) {
            for (int j = 0; j < clip->skeleton->joint_count; j++) {
                am_vec3 a = test_position(clip, f, j);
                am_vec3 b = test_position(w.clips[r], f, j);
                check_near(am_v3_distance(a, b), 0.0, 1e-5);
            }
        }
        am_clips_free(&clips);
    }
    am_clips none;
    check_refused(am_db_clips_of(db, 99, 1, &none, NULL, &err), AM_ERR_RANGE);
    am_db_close(db);
    test_world_free(&w);
}

static void ranges_are_found_and_wall_off_their_frames(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    for (int f = 0; f < db->frame_count; f++) {
        int r = am_db_range_of(db, f);
        assert_true(db->ranges[r].start <= f && f < db->ranges[r].stop);
    }
    int second = db->ranges[1].start;
    assert_int_equal(ami_db_clamp(db, second, -5), second);
    assert_int_equal(ami_db_clamp(db, second - 1, 5), second - 1);
    assert_int_equal(ami_db_clamp(db, second, 3), second + 3);
    // A velocity at a wall is one-sided: it does not see the other clip.
    am_velocity v = ami_db_root_velocity(db, second);
    am_vec3 step = am_v3_sub(db->root_positions[second + 1], db->root_positions[second]);
    am_vec3 want = am_quat_unrotate(db->root_rotations[second], am_v3_scale(step, db->fps));
    check_near(am_v3_distance(v.linear, want), 0.0, 1e-3);
    am_transform *scratch = calloc(2 * (size_t)db->joint_count, sizeof *scratch);
    am_velocity *local = calloc((size_t)db->joint_count, sizeof *local);
    ami_db_velocity(db, second + 10, local, scratch);
    am_quat a = db->rotations[(size_t)(second + 9) * (size_t)db->joint_count + 3];
    am_quat b = db->rotations[(size_t)(second + 11) * (size_t)db->joint_count + 3];
    check_near(am_v3_distance(local[3].angular, am_quat_velocity(a, b, 2.0f / db->fps)), 0.0, 1e-5);
    free(scratch);
    free(local);
    am_db_close(db);
}

static void compact_poses_stay_within_their_error(void **state)
{
    (void)state;
    am_db *full = image_make(false, AM_PRECISION_FLOAT);
    am_db *compact = image_make(false, AM_PRECISION_COMPACT);
    assert_true(compact->rotations == NULL && compact->packed_rotations != NULL);
    assert_true(compact->image_size < full->image_size * 2 / 3);
    float angle = 0.0f;
    float away = 0.0f;
    am_transform a[AM_MAX_JOINTS];
    am_transform b[AM_MAX_JOINTS];
    for (int f = 0; f < full->frame_count; f++) {
        am_db_pose(full, f, a);
        am_db_pose(compact, f, b);
        for (int j = 0; j < full->joint_count; j++) {
            angle = am_max(angle, am_quat_angle(a[j].rotation, b[j].rotation));
            away = am_max(away, am_v3_distance(a[j].translation, b[j].translation));
        }
    }
    am_rng rng = ami_rng_make(5);
    for (int i = 0; i < 100000; i++) {
        am_quat q = am_quat_normalize(
            am_q(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng)));
        uint16_t packed[3];
        ami_pack_quat(packed, q);
        angle = am_max(angle, am_quat_angle(q, ami_unpack_quat(packed)));
    }
    printf("compact: rotations within %.5f degrees, translations within %.4f mm\n", (double)(angle / AM_DEG),
           (double)away * 1000.0);
    assert_true(angle < 0.01f * AM_DEG);
    assert_true(away < 1e-4f);
    // Features are baked before packing: the same.
    assert_memory_equal(compact->x, full->x,
                        (size_t)full->frame_count * (size_t)full->features.stride * sizeof(float));
    am_error err = { 0 };
    check_ok(am_db_verify(compact, &err), &err);
    am_db_close(full);
    am_db_close(compact);
}

static void one_and_several_threads_give_the_same_bytes(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, true);
    w.schema.pca_count = 12;
    am_db *serial = NULL;
    am_db *parallel = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&serial, &w.def, &err), &err);
    am_pool *pool = NULL;
    check_ok(am_pool_create(&pool, 3, NULL, &err), &err);
    am_tasks tasks = *am_pool_tasks(pool);
    w.def.tasks = &tasks;
    check_ok(am_db_create(&parallel, &w.def, &err), &err);
    assert_int_equal(serial->image_size, parallel->image_size);
    assert_memory_equal(serial->image, parallel->image, serial->image_size);
    am_pool_destroy(pool);
    am_db_close(serial);
    am_db_close(parallel);
    test_world_free(&w);
}

static void the_config_does_not_change_the_hash_but_a_tag_does(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    am_db *dbs[3] = { NULL };
    am_error err = { 0 };
    check_ok(am_db_create(&dbs[0], &w.def, &err), &err);
    w.def.config = "{\"made\": \"otherwise\"}";
    check_ok(am_db_create(&dbs[1], &w.def, &err), &err);
    w.tags[1][4] ^= 1u;
    check_ok(am_db_create(&dbs[2], &w.def, &err), &err);
    assert_true(dbs[0]->hash == dbs[1]->hash);
    assert_true(dbs[0]->hash != dbs[2]->hash);
    for (int i = 0; i < 3; i++) {
        am_db_close(dbs[i]);
    }
    test_world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Refusals

static am_result read_bytes(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_db *db = NULL;
    am_error err = { 0 };
    am_result result = am_db_from_memory(&db, data, size, "x.amdb", alloc, &err);
    if (result == AM_OK) {
        result = am_db_verify(db, &err);
        am_transform pose[AM_MAX_JOINTS];
        float raw[AM_MAX_FEATURES];
        for (int f = 0; f < db->frame_count; f += 37) { // whatever opens can be read without harm
            am_db_pose(db, f, pose);
            ami_features_denormalise(&db->features, raw, am_db_x(db, f));
            ami_db_root_velocity(db, f);
        }
    }
    am_db_close(db);
    return refuse_checked(result, &err);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    am_db *db = image_make(true, AM_PRECISION_FLOAT);
    refuse_options options = { .truncations = 500, .flips = 1500 };
    refuse_counts counts = refuse_loop(read_bytes, NULL, db->image, db->image_size, &options);
    // Every byte is under a checksum, but for the padding between sections.
    assert_true(counts.refused_flips > 1300);
    am_db_close(db);
    db = image_make(false, AM_PRECISION_COMPACT);
    refuse_loop(read_bytes, NULL, db->image, db->image_size, &options);
    am_db_close(db);
}

typedef struct patch {
    const char *what;
    size_t at; ///< offset in the section, or in the header when part < 0
    int part;
    int32_t value;
    am_result code;
} patch;

static void nonsense_with_right_checksums_is_refused_too(void **state)
{
    (void)state;
    am_db *db = image_make(true, AM_PRECISION_FLOAT);
    static const patch patches[] = {
        { "frame count", offsetof(ami_db_info, frame_count), AMI_PART_INFO, 7, AM_ERR_FORMAT },
        { "negative frames", offsetof(ami_db_info, frame_count), AMI_PART_INFO, -1, AM_ERR_FORMAT },
        { "joint count", offsetof(ami_db_info, joint_count), AMI_PART_INFO, 100000, AM_ERR_FORMAT },
        { "stride", offsetof(ami_db_info, feature_stride), AMI_PART_INFO, 999, AM_ERR_FORMAT },
        { "precision", offsetof(ami_db_info, precision), AMI_PART_INFO, 1, AM_ERR_FORMAT },
        { "custom count", offsetof(ami_db_info, custom_count), AMI_PART_INFO, 9, AM_ERR_FORMAT },
        { "parent", 4, AMI_PART_PARENTS, 0x00400040, AM_ERR_FORMAT },
        { "first parent", 0, AMI_PART_PARENTS, 0, AM_ERR_FORMAT },
        { "moving", 0, AMI_PART_MOVING, 3, AM_ERR_FORMAT },
        { "role", 0, AMI_PART_ROLES, 0x7FFF7FFF, AM_ERR_FORMAT },
        { "range start", offsetof(am_db_range, start), AMI_PART_RANGES, 4, AM_ERR_FORMAT },
        { "range stop", offsetof(am_db_range, stop), AMI_PART_RANGES, 1 << 24, AM_ERR_FORMAT },
        { "range tail", offsetof(am_db_range, tail), AMI_PART_RANGES, -4, AM_ERR_FORMAT },
        { "channel kind", offsetof(am_channel, kind), AMI_PART_CHANNELS, 77, AM_ERR_FORMAT },
        { "channel role", offsetof(am_channel, role), AMI_PART_CHANNELS, -1, AM_ERR_FORMAT },
        { "channel dims", offsetof(am_channel, dims), AMI_PART_CHANNELS, 4, AM_ERR_FORMAT },
        { "channel times", offsetof(am_channel, time_count), AMI_PART_CHANNELS, 17, AM_ERR_FORMAT },
        { "channel time", offsetof(am_channel, times), AMI_PART_CHANNELS, 0x7FC00000, AM_ERR_FORMAT },
        { "channel mirror", offsetof(am_channel, mirror), AMI_PART_CHANNELS, 0x7F7F7F7F, AM_ERR_FORMAT },
        { "joint names", 0, AMI_PART_NAMES, 0, AM_ERR_FORMAT },
        { "range tail beyond all", offsetof(am_db_range, tail), AMI_PART_RANGES, INT32_MAX, AM_ERR_FORMAT },
        { "other leaves", offsetof(am_db_range, tail), AMI_PART_RANGES, 60, AM_ERR_FORMAT },
        { "facts' version", offsetof(am_facts, version), AMI_PART_FACTS, 9, AM_ERR_FORMAT },
        { "hips", offsetof(am_facts, hip_m), AMI_PART_FACTS, 0x7FC00000, AM_ERR_FORMAT },
        { "no speed", offsetof(am_facts, v_max), AMI_PART_FACTS, 0, AM_ERR_FORMAT },
        { "standing frame", offsetof(am_facts, standing_frame), AMI_PART_FACTS, 1 << 20, AM_ERR_FORMAT },
        { "joint range", 8, AMI_PART_JOINT_RANGES, 0x7F800000, AM_ERR_FORMAT },
        { "index leaves", offsetof(ami_index_head, leaf_count), AMI_PART_INDEX, 1 << 28, AM_ERR_FORMAT },
        { "index dims", offsetof(ami_index_head, dims), AMI_PART_INDEX, 1, AM_ERR_FORMAT },
        { "index step", offsetof(ami_index_head, step), AMI_PART_INDEX, 0, AM_ERR_FORMAT },
        { "index grid", sizeof(ami_index_head), AMI_PART_INDEX, 0x7FC00000, AM_ERR_FORMAT },
        { "version", offsetof(ami_db_header, version), -1, AMI_DB_VERSION + 1, AM_ERR_VERSION },
        { "version 0", offsetof(ami_db_header, version), -1, 0, AM_ERR_VERSION },
        { "byte order", offsetof(ami_db_header, endian), -1, 0x04030201, AM_ERR_FORMAT },
        { "magic", 0, -1, 0, AM_ERR_FORMAT },
        { "size", offsetof(ami_db_header, file_size), -1, 4096, AM_ERR_FORMAT },
        { "sections", offsetof(ami_db_header, section_count), -1, 500, AM_ERR_FORMAT },
        { "table offset", offsetof(ami_db_header, table_offset), -1, 128, AM_ERR_FORMAT },
        { "section offset", sizeof(ami_db_header) + 8, -1, 3, AM_ERR_FORMAT },
        { "missing section", sizeof(ami_db_header), -1, 1, AM_ERR_FORMAT },
    };
    for (size_t i = 0; i < sizeof patches / sizeof patches[0]; i++) {
        const patch *p = &patches[i];
        uint8_t *image = image_copy(db->image, db->image_size);
        size_t base = p->part < 0 ? 0 : (size_t)image_section(image, p->part)->offset;
        memcpy(image + base + p->at, &p->value, sizeof p->value);
        if (p->at + 4 <= 24 || p->part >= 0 || p->at >= sizeof(ami_db_header)) {
            image_sign(image);
        }
        am_db *bad = NULL;
        am_error err = { 0 };
        am_result result = am_db_from_memory(&bad, image, db->image_size, "bad.amdb", NULL, &err);
        if (result != p->code || bad) {
            fail_msg("%s: %s (%s)", p->what, am_result_name(result), err.text);
        }
        assert_string_equal(err.file, "bad.amdb");
        test_aligned_free(image);
    }
    am_db_close(db);
}

static void a_section_of_a_later_version_is_passed_over(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    uint8_t *image = image_copy(db->image, db->image_size);
    // Tag names are not needed when there are no tags: turn that section into one that nobody knows.
    ami_db_section *tags = image_section(image, AMI_PART_TAG_NAMES);
    tags->id = 0x7A7A7A7Au;
    ((ami_db_info *)(void *)(image + image_section(image, AMI_PART_INFO)->offset))->tag_count = 0;
    image_sign(image);
    am_db *back = NULL;
    am_error err = { 0 };
    check_ok(am_db_from_memory(&back, image, db->image_size, NULL, NULL, &err), &err);
    assert_int_equal(back->tag_count, 0);
    am_db_close(back);
    am_db_close(db);
    test_aligned_free(image);
}

static void a_crooked_address_is_refused(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    uint8_t *image = image_copy(db->image, db->image_size);
    memmove(image + 4, image, db->image_size);
    am_db *back = NULL;
    am_error err = { 0 };
    check_refused(am_db_from_memory(&back, image + 4, db->image_size, NULL, NULL, &err), AM_ERR_DEF);
    test_aligned_free(image);
    am_db_close(db);
}

static void verify_names_section_and_offset_of_a_damaged_body(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    uint8_t *image = image_copy(db->image, db->image_size);
    size_t at = (size_t)((const uint8_t *)db->rotations - (const uint8_t *)db->image);
    image[at + 1000] ^= 0x10;
    am_db *back = NULL;
    am_error err = { 0 };
    check_ok(am_db_from_memory(&back, image, db->image_size, NULL, NULL, &err), &err); // opening does not read bodies
    check_refused(am_db_verify(back, &err), AM_ERR_CHECKSUM);
    assert_true(err.offset == (int64_t)at);
    assert_non_null(strstr(err.text, "'rota'"));
    am_db_close(back);
    // A number that is not finite, under a right checksum.
    memcpy(image, db->image, db->image_size);
    float nan_value = NAN;
    memcpy(image + at + 1000, &nan_value, sizeof nan_value);
    image_sign(image);
    check_ok(am_db_from_memory(&back, image, db->image_size, NULL, NULL, &err), &err);
    check_refused(am_db_verify(back, &err), AM_ERR_NUMBER);
    assert_true(err.offset == (int64_t)at + 1000);
    am_db_close(back);
    test_aligned_free(image);
    am_db_close(db);
}

static void info_finds_a_damaged_body_and_says_where(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    char path[1200];
    snprintf(path, sizeof path, "%s/b.amdb", test_temp_dir("db_info"));
    am_error err = { 0 };
    check_ok(am_db_write(db, path, &err), &err);
    char out[4096];
    assert_int_equal(test_shell(out, sizeof out, "\"%s\" info \"%s\" --verify --json", test_command(), path), 0);
    assert_non_null(strstr(out, "\"kind\": \"database\""));
    assert_non_null(strstr(out, "\"verified\": true"));
    FILE *file = fopen(path, "r+b");
    fseek(file, (long)((const uint8_t *)db->x - (const uint8_t *)db->image) + 77, SEEK_SET);
    fputc(0x55, file);
    fclose(file);
    assert_int_equal(test_shell(out, sizeof out, "\"%s\" info \"%s\"", test_command(), path), 0);
    assert_int_equal(test_shell(out, sizeof out, "\"%s\" info \"%s\" --verify 2>&1", test_command(), path), 1);
    assert_non_null(strstr(out, "'feat'"));
    assert_non_null(strstr(out, "at byte"));
    am_db_close(db);
}

static void info_says_that_a_rebuild_makes_an_old_file_quicker(void **state)
{
    (void)state;
    am_db *db = image_make(false, AM_PRECISION_FLOAT);
    char path[1200];
    snprintf(path, sizeof path, "%s/new.amdb", test_temp_dir("db_old"));
    am_error err = { 0 };
    check_ok(am_db_write(db, path, &err), &err);
    char out[4096];
    assert_int_equal(test_shell(out, sizeof out, "\"%s\" info \"%s\"", test_command(), path), 0);
    assert_null(strstr(out, "build it again"));
    const char *old = AMBLE_SOURCE_DIR "/tests/runtime/data/golden/v1_synth.amdb";
    assert_int_equal(test_shell(out, sizeof out, "\"%s\" info \"%s\"", test_command(), old), 0);
    assert_non_null(strstr(out, "build it again"));
    am_db_close(db);
}

static am_result create_db(void *user, const am_alloc *alloc)
{
    am_db_def def = *(const am_db_def *)user;
    def.alloc = alloc;
    am_db *db = NULL;
    am_error err = { 0 };
    am_result result = am_db_create(&db, &def, &err);
    am_db_close(db);
    return refuse_checked(result, &err);
}

static void creating_survives_every_failed_allocation(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, true);
    for (int variant = 0; variant < 2; variant++) {
        w.schema.pca_count = variant ? 5 : 0;
        w.def.precision = variant ? AM_PRECISION_COMPACT : AM_PRECISION_FLOAT;
        assert_true(refuse_allocations(create_db, &w.def) > 4);
    }
    test_world_free(&w);
}

static void defs_are_refused_with_a_reason(void **state)
{
    (void)state;
    static test_world w;
    am_db *db = NULL;
    am_error err = { 0 };
    test_world_make(&w, true);
    am_db_def def = w.def;
    def.cookie = 0;
    check_refused(am_db_create(&db, &def, &err), AM_ERR_DEF);
    def = w.def;
    def.clip_count = 0;
    check_refused(am_db_create(&db, &def, &err), AM_ERR_EMPTY);
    def = w.def;
    def.roles.joint[AM_ROLE_RIGHT_TOE] = -1;
    check_refused(am_db_create(&db, &def, &err), AM_ERR_ROLE);
    assert_non_null(strstr(err.text, "right_toe"));
    def = w.def;
    def.tag_count = 6; // without "odd", which the schema wants
    check_refused(am_db_create(&db, &def, &err), AM_ERR_KEY);
    def = w.def;
    def.tag_count = 65;
    check_refused(am_db_create(&db, &def, &err), AM_ERR_LIMIT);
    const char *long_names[1] = { "a_tag_that_is_much_too_long_to_be_kept" };
    def = w.def;
    def.tag_names = long_names;
    def.tag_count = 1;
    check_refused(am_db_create(&db, &def, &err), AM_ERR_LIMIT);
    w.items[1].root_positions = NULL;
    check_refused(am_db_create(&db, &w.def, &err), AM_ERR_EMPTY);
    w.items[1].root_positions = w.positions[1];
    w.clips[1]->fps = 30.0f;
    check_refused(am_db_create(&db, &w.def, &err), AM_ERR_DEF);
    w.clips[1]->fps = w.clips[0]->fps;
    am_clip *other = test_random_clip(3, 9, 20, w.clips[0]->fps);
    w.items[1].clip = other;
    check_refused(am_db_create(&db, &w.def, &err), AM_ERR_SKELETON);
    am_clip_destroy(other);
    assert_null(db);
    test_world_free(&w);
}

static bool stop_at_once(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)stage;
    (void)done;
    (void)total;
    return --*(int *)user > 0;
}

static void a_cancelled_create_leaves_nothing(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    for (int calls = 1; calls < 5; calls++) {
        int left = calls;
        am_progress progress = { &left, stop_at_once };
        ami_budget budget = ami_budget_make(NULL);
        am_alloc alloc = ami_budget_alloc(&budget);
        w.def.alloc = &alloc;
        w.def.progress = &progress;
        am_db *db = NULL;
        am_error err = { 0 };
        check_refused(am_db_create(&db, &w.def, &err), AM_ERR_CANCELLED);
        assert_int_equal(budget.live_count, 0);
    }
    test_world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Old versions, and size

/// Written by version 1 when it was final: later versions must read it.
static void the_first_version_still_opens(void **state)
{
    (void)state;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_open(&db, AMBLE_SOURCE_DIR "/tests/runtime/data/golden/v1.amdb", NULL, &err), &err);
    check_ok(am_db_verify(db, &err), &err);
    assert_string_equal(db->name, "golden");
    assert_int_equal(db->frame_count, 12);
    assert_int_equal(db->joint_count, 5);
    assert_int_equal(db->features.count, 6);
    assert_int_equal(db->range_count, 2);
    check_near(ami_db_root(db, 7).translation.z, 0.25, 1e-6);
    am_db_close(db);
}

static double now_ms(void) { return 1e-3 * am_clock_us(); }

/// Perturbed copies of the walkers until the image has about 500 MB.
static void half_a_gigabyte_opens_in_no_time(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    size_t row = sizeof(am_vec3) * 2 + sizeof(am_quat) * (1 + (size_t)w.clips[0]->skeleton->joint_count) + 9 + 128;
    int frames = 0;
    for (int c = 0; c < test_clip_count; c++) {
        frames += w.clips[c]->frame_count;
    }
    size_t wanted = test_quick() ? 5000000 : 500000000;
    int copies = (int)(wanted / row / (size_t)frames) + 1;
    int count = copies * test_clip_count;
    am_db_clip *items = calloc((size_t)count, sizeof *items);
    am_vec3 **moved = calloc((size_t)count, sizeof *moved);
    am_rng rng = ami_rng_make(11);
    for (int i = 0; i < count; i++) {
        items[i] = w.items[i % test_clip_count];
        int n = items[i].clip->frame_count;
        moved[i] = calloc((size_t)n, sizeof(am_vec3));
        for (int f = 0; f < n; f++) { // the root wanders a little: other poses and features in every copy
            moved[i][f] = am_v3_add(items[i].root_positions[f], am_v3(am_rng_range(&rng, -0.01f, 0.01f), 0.0f, 0.0f));
        }
        items[i].root_positions = moved[i];
    }
    w.def.clips = items;
    w.def.clip_count = count;
    char path[1200];
    snprintf(path, sizeof path, "%s/large.amdb", test_temp_dir("db_large"));
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    check_ok(am_db_write(db, path, &err), &err);
    double megabytes = (double)db->image_size / 1e6;
    uint64_t hash = db->hash;
    am_db_close(db);
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = now_ms();
        check_ok(am_db_open(&db, path, NULL, &err), &err);
        double took = now_ms() - start;
        best = took < best ? took : best;
        assert_true(db->hash == hash);
        am_db_close(db);
    }
    printf("opening %.0f MB takes %.3f ms\n", megabytes, best);
    assert_true(megabytes > 0.9e-6 * (double)wanted);
    assert_true(best < 50.0); // 5 ms is the aim; a busy machine gets ten times that
    remove(path);
    for (int i = 0; i < count; i++) {
        free(moved[i]);
    }
    free(moved);
    free(items);
    test_world_free(&w);
}

TEST_SUITE(file)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_database_comes_back_from_its_file),
        cmocka_unit_test(poses_and_roots_give_the_clip_again),
        cmocka_unit_test(ranges_are_found_and_wall_off_their_frames),
        cmocka_unit_test(compact_poses_stay_within_their_error),
        cmocka_unit_test(one_and_several_threads_give_the_same_bytes),
        cmocka_unit_test(the_config_does_not_change_the_hash_but_a_tag_does),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(nonsense_with_right_checksums_is_refused_too),
        cmocka_unit_test(a_section_of_a_later_version_is_passed_over),
        cmocka_unit_test(a_crooked_address_is_refused),
        cmocka_unit_test(verify_names_section_and_offset_of_a_damaged_body),
        cmocka_unit_test(info_finds_a_damaged_body_and_says_where),
        cmocka_unit_test(info_says_that_a_rebuild_makes_an_old_file_quicker),
        cmocka_unit_test(creating_survives_every_failed_allocation),
        cmocka_unit_test(defs_are_refused_with_a_reason),
        cmocka_unit_test(a_cancelled_create_leaves_nothing),
        cmocka_unit_test(the_first_version_still_opens),
        cmocka_unit_test(half_a_gigabyte_opens_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

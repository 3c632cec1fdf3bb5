// Features against a plain slow reference, normalisation, PCA, and queries.
#include "runtime/data/support.h"

#include "data/database.h"
#include "data/kinematics.h"

// ---------------------------------------------------------------------------------------------
// The reference: forward kinematics of the source clip, frame by frame, straight from the definitions.

typedef struct slow {
    const am_db_clip *in;
    am_roles roles;
} slow;

static int slow_at(const slow *s, int frame, float seconds)
{
    int at = frame + (int)floor((double)seconds * (double)s->in->clip->fps + 0.5);
    return at < 0 ? 0 : at >= s->in->clip->frame_count ? s->in->clip->frame_count - 1 : at;
}

static am_transform slow_joint(const slow *s, int frame, int role)
{
    am_transform pose[AM_MAX_JOINTS];
    am_clip_local(s->in->clip, frame, pose);
    am_fk(pose, pose, s->in->clip->skeleton->parents, s->in->clip->skeleton->joint_count);
    return pose[s->roles.joint[role]];
}

static am_vec3 slow_velocity(const slow *s, int frame, int role)
{
    int a = frame > 0 ? frame - 1 : frame;
    int b = frame + 1 < s->in->clip->frame_count ? frame + 1 : frame;
    am_vec3 step = am_v3_sub(slow_joint(s, b, role).translation, slow_joint(s, a, role).translation);
    return am_v3_scale(step, s->in->clip->fps / (float)(b - a));
}

static am_vec3 slow_local(const slow *s, int frame, am_vec3 world)
{
    return am_quat_unrotate(s->in->root_rotations[frame], world);
}

static am_vec3 slow_point(const slow *s, int frame, am_vec3 world)
{
    return slow_local(s, frame, am_v3_sub(world, s->in->root_positions[frame]));
}

static void check_vec(const float *raw, am_vec3 want, int axes)
{
    check_near(raw[0], want.x, 2e-4);
    if (axes == 3) {
        check_near(raw[1], want.y, 2e-4);
    }
    check_near(raw[axes - 1], want.z, 2e-4);
}

static float slow_ground(const slow *s, am_vec3 p)
{
    double nearest = 1e30;
    float best = 0.0f;
    for (int f = 0; f < s->in->clip->frame_count; f++) {
        int role = s->in->contacts[f] & AM_CONTACT_LEFT ? AM_ROLE_LEFT_TOE : AM_ROLE_RIGHT_TOE;
        am_vec3 toe = slow_joint(s, f, role).translation;
        double d = ((double)toe.x - p.x) * ((double)toe.x - p.x) + ((double)toe.z - p.z) * ((double)toe.z - p.z);
        if (d < nearest) {
            nearest = d;
            best = toe.y - 0.02f;
        }
    }
    return best;
}

static const float *channel_of(const am_db *db, const float *raw, const char *name)
{
    int c = am_schema_find(db->features.schema, name);
    assert_true(c >= 0);
    return raw + db->features.schema->channels[c].first;
}

static void check_joint_kinds(const am_db *db, const slow *s, const float *raw, int f)
{
    check_vec(channel_of(db, raw, "left_foot_position"),
              slow_point(s, f, slow_joint(s, f, AM_ROLE_LEFT_FOOT).translation), 3);
    const float times[3] = { -0.1f, 0.0f, 0.25f };
    for (int t = 0; t < 3; t++) {
        check_vec(channel_of(db, raw, "right_toe_position") + 3 * t,
                  slow_point(s, f, slow_joint(s, slow_at(s, f, times[t]), AM_ROLE_RIGHT_TOE).translation), 3);
    }
    check_vec(channel_of(db, raw, "hips_velocity"), slow_local(s, f, slow_velocity(s, f, AM_ROLE_HIPS)), 3);
    am_vec3 look = am_quat_rotate(slow_joint(s, f, AM_ROLE_HEAD).rotation, am_v3(0.0f, 0.0f, 1.0f));
    look = am_v3_normalize_or(am_v3_ground(slow_local(s, f, look)), am_v3_zero());
    check_vec(channel_of(db, raw, "head_heading"), look, 2);
    const float *height = channel_of(db, raw, "hips_height");
    check_near(height[0], slow_joint(s, f, AM_ROLE_HIPS).translation.y, 1e-5);
    check_near(height[1], slow_joint(s, slow_at(s, f, 0.5f), AM_ROLE_HIPS).translation.y, 1e-5);
}

static void check_trajectory_kinds(const am_db *db, const slow *s, const float *raw, int f)
{
    const float times[3] = { -0.2f, 0.2f, 0.5f };
    for (int t = 0; t < 3; t++) {
        int at = slow_at(s, f, times[t]);
        check_vec(channel_of(db, raw, "trajectory_position") + 2 * t, slow_point(s, f, s->in->root_positions[at]), 2);
    }
    int at = slow_at(s, f, 0.3f);
    am_vec3 point = slow_point(s, f, s->in->root_positions[at]);
    point.y = slow_joint(s, at, AM_ROLE_HIPS).translation.y;
    check_vec(channel_of(db, raw, "high"), point, 3);
    point.y -= slow_joint(s, f, AM_ROLE_HIPS).translation.y;
    check_vec(channel_of(db, raw, "rel"), point, 3);
    at = slow_at(s, f, 0.2f);
    am_vec3 forward = am_v3(0.0f, 0.0f, 1.0f);
    check_vec(channel_of(db, raw, "trajectory_direction"),
              slow_local(s, f, am_quat_rotate(s->in->root_rotations[at], forward)), 2);
    am_vec3 hips = am_quat_rotate(slow_joint(s, at, AM_ROLE_HIPS).rotation, forward);
    check_vec(channel_of(db, raw, "pitch"), slow_local(s, f, hips), 3);
    am_vec3 way = am_v3_normalize_or(am_v3_ground(slow_velocity(s, at, AM_ROLE_HIPS)), forward);
    check_vec(channel_of(db, raw, "way"), slow_local(s, f, way), 2);
}

static void check_other_kinds(const am_db *db, const slow *s, const float *raw, int f)
{
    const float *tags = channel_of(db, raw, "tag");
    check_near(tags[0], (double)((s->in->tags[f] >> 6) & 1u), 0);
    check_near(tags[1], 1, 0);
    const float *ground = channel_of(db, raw, "terrain");
    float hips = slow_joint(s, f, AM_ROLE_HIPS).translation.y;
    check_near(ground[0], slow_ground(s, slow_joint(s, f, AM_ROLE_LEFT_TOE).translation) - hips, 1e-4);
    int later = slow_at(s, f, 0.25f);
    check_near(ground[3], slow_ground(s, slow_joint(s, later, AM_ROLE_RIGHT_TOE).translation) - hips, 1e-4);
    const float *props = channel_of(db, raw, "props");
    const float *given = s->in->custom + 3 * f;
    check_near(props[0], s->in->mirrored ? given[1] : given[0], 1e-5);
    check_near(props[2], s->in->mirrored ? -given[2] : given[2], 1e-5);
}

static void every_kind_agrees_with_the_slow_reference(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, true);
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    float raw[AM_MAX_FEATURES];
    for (int r = 0; r < db->range_count; r++) {
        slow s = { &w.items[r], w.def.roles };
        for (int f = 0; f < w.clips[r]->frame_count; f += 7) {
            ami_features_denormalise(&db->features, raw, am_db_x(db, db->ranges[r].start + f));
            check_joint_kinds(db, &s, raw, f);
            check_trajectory_kinds(db, &s, raw, f);
            check_other_kinds(db, &s, raw, f);
        }
    }
    am_db_close(db);
    test_world_free(&w);
}

static void every_kind_agrees_on_real_frames_too(void **state)
{
    (void)state;
    const char *folder = test_data_dir("locomotion");
    if (!folder) {
        skip();
    }
    char path[1200];
    snprintf(path, sizeof path, "%s/16_17.bvh", folder); // a walk with a turn of 90 degrees
    static test_world w;
    test_world_make(&w, true);
    am_clip *clip = test_load(path, TEST_CMU_UNIT);
    size_t frames = (size_t)clip->frame_count;
    am_vec3 *positions = calloc(frames, sizeof *positions);
    am_quat *rotations = calloc(frames, sizeof *rotations);
    uint8_t *contacts = calloc(frames, 1);
    uint64_t *tags = calloc(frames, sizeof *tags);
    float *custom = calloc(3 * frames, sizeof *custom);
    am_error err = { 0 };
    am_roles roles = test_roles(clip->skeleton);
    am_root_def root = am_root_def_default();
    check_ok(am_root_track(positions, rotations, clip, &roles, &root, NULL, &err), &err);
    for (size_t f = 0; f < frames; f++) {
        contacts[f] = (uint8_t)(f % 50 < 25 ? AM_CONTACT_LEFT : AM_CONTACT_RIGHT);
        tags[f] = (uint64_t)1 << AM_TAG_WALK;
    }
    am_db_clip item = { .clip = clip,
                        .root_positions = positions,
                        .root_rotations = rotations,
                        .contacts = contacts,
                        .tags = tags,
                        .custom = custom };
    w.def.clips = &item;
    w.def.clip_count = 1;
    w.def.roles = roles;
    am_db *db = NULL;
    check_ok(am_db_create(&db, &w.def, &err), &err);
    float raw[AM_MAX_FEATURES];
    slow s = { &item, roles };
    for (int f = 0; f < clip->frame_count; f += 13) {
        ami_features_denormalise(&db->features, raw, am_db_x(db, f));
        check_joint_kinds(db, &s, raw, f);
        check_trajectory_kinds(db, &s, raw, f);
        check_other_kinds(db, &s, raw, f);
    }
    am_db_close(db);
    free(positions);
    free(rotations);
    free(contacts);
    free(tags);
    free(custom);
    am_clip_destroy(clip);
    test_world_free(&w);
}

static void custom_numbers_that_nobody_gives_are_zero(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, true);
    for (int c = 0; c < test_clip_count; c++) {
        w.items[c].custom = NULL;
    }
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    float raw[AM_MAX_FEATURES];
    ami_features_denormalise(&db->features, raw, am_db_x(db, 17));
    const float *props = channel_of(db, raw, "props");
    assert_true(props[0] == 0.0f && props[1] == 0.0f && props[2] == 0.0f);
    am_db_close(db);
    test_world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Scaling

static void stored_features_have_unit_deviation_in_their_group(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, true);
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    const am_schema *schema = db->features.schema;
    for (int c = 0; c < schema->channel_count; c++) {
        const am_channel *channel = &schema->channels[c];
        if (channel->normalise == AM_NORMALISE_NONE) {
            continue;
        }
        double group = 0.0;
        for (int d = channel->first; d < channel->first + channel->dims; d++) {
            double sum = 0.0;
            double squares = 0.0;
            for (int f = 0; f < db->frame_count; f++) {
                double x = (double)am_db_x(db, f)[d];
                sum += x;
                squares += x * x;
            }
            check_near(sum / db->frame_count, 0.0, 1e-4);
            group += squares / db->frame_count;
            if (channel->normalise == AM_NORMALISE_DIMENSION) {
                check_near(sqrt(squares / db->frame_count), channel->weight, 1e-3);
            }
        }
        check_near(sqrt(group / channel->dims), channel->weight, 1e-3);
    }
    for (int f = 0; f < db->frame_count; f++) {
        for (int d = db->features.count; d < db->features.stride; d++) {
            assert_true(am_db_x(db, f)[d] == 0.0f);
        }
    }
    am_db_close(db);
    test_world_free(&w);
}

static void a_feature_that_never_varies_or_weighs_nothing_does_no_harm(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    test_parse_schema(&w.schema, "{\"channels\": [{\"kind\": \"tag\", \"tags\": [\"walk\"]},"
                                 "{\"kind\": \"position\", \"joint\": \"left_foot\", \"weight\": 0}]}");
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    check_near(db->features.scale[0], 1, 0);
    for (int f = 0; f < db->frame_count; f++) {
        for (int d = 0; d < 4; d++) {
            assert_true(am_db_x(db, f)[d] == 0.0f);
        }
    }
    float raw[AM_MAX_FEATURES];
    ami_features_denormalise(&db->features, raw, am_db_x(db, 3));
    check_near(raw[0], 1, 0);
    check_near(raw[1], db->features.offset[1], 0);
    check_ok(am_db_verify(db, &err), &err);
    am_db_close(db);
    test_world_free(&w);
}

static double distance2(const float *a, const float *b, int n)
{
    double sum = 0.0;
    for (int d = 0; d < n; d++) {
        sum += ((double)a[d] - (double)b[d]) * ((double)a[d] - (double)b[d]);
    }
    return sum;
}

static void pca_with_all_dimensions_keeps_distances(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    am_db *plain = NULL;
    am_db *turned = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&plain, &w.def, &err), &err);
    w.schema.pca_count = 27;
    check_ok(am_db_create(&turned, &w.def, &err), &err);
    am_rng rng = ami_rng_make(3);
    for (int i = 0; i < 200; i++) {
        int a = (int)am_rng_below(&rng, (uint32_t)plain->frame_count);
        int b = (int)am_rng_below(&rng, (uint32_t)plain->frame_count);
        double want = distance2(am_db_x(plain, a), am_db_x(plain, b), 27);
        check_near(distance2(am_db_x(turned, a), am_db_x(turned, b), 27), want, 1e-4 * (1.0 + want));
    }
    float raw[27];
    float raw_turned[27];
    ami_features_denormalise(&plain->features, raw, am_db_x(plain, 40));
    ami_features_denormalise(&turned->features, raw_turned, am_db_x(turned, 40));
    for (int d = 0; d < 27; d++) {
        check_near(raw_turned[d], raw[d], 1e-4);
    }
    // A query goes the same way as the rows did.
    float x[32];
    ami_query query = ami_query_default();
    query.current = raw;
    ami_query_make(&turned->features, x, &query);
    for (int d = 0; d < turned->features.stride; d++) {
        check_near(x[d], am_db_x(turned, 40)[d], 1e-4);
    }
    am_db_close(plain);
    am_db_close(turned);
    test_world_free(&w);
}

static void pca_finds_planted_directions(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, false);
    w.schema.pca_count = 6;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    assert_int_equal(db->features.count, 6);
    assert_int_equal(db->features.stride, 8);
    double last = 1e30;
    for (int k = 0; k < 6; k++) {
        for (int l = 0; l <= k; l++) {
            double dot = 0.0;
            for (int d = 0; d < 27; d++) {
                dot += (double)db->features.pca[k * 27 + d] * (double)db->features.pca[l * 27 + d];
            }
            check_near(dot, k == l ? 1.0 : 0.0, 1e-5);
        }
        double variance = 0.0;
        for (int f = 0; f < db->frame_count; f++) {
            variance += (double)am_db_x(db, f)[k] * (double)am_db_x(db, f)[k] / db->frame_count;
        }
        assert_true(variance <= last * 1.0001);
        last = variance;
    }
    am_db_close(db);
    test_world_free(&w);
}

// ---------------------------------------------------------------------------------------------
// Queries

static void a_query_that_wants_what_the_frame_does_is_that_frame(void **state)
{
    (void)state;
    static test_world w;
    test_world_make(&w, true);
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_create(&db, &w.def, &err), &err);
    // A frame whose whole trajectory lies within the clip, so that nothing is clamped.
    const am_db_clip *in = &w.items[1];
    int f = 45;
    int frame = db->ranges[1].start + f;
    slow s = { in, w.def.roles };
    am_query_point points[60];
    for (int i = 0; i < 60; i++) {
        int at = f - 20 + i;
        points[i].time = (float)(at - f) / db->fps;
        points[i].position = in->root_positions[at];
        points[i].position.y = slow_joint(&s, at, AM_ROLE_HIPS).translation.y;
        points[i].direction = am_quat_rotate(in->root_rotations[at], am_v3(0.0f, 0.0f, 1.0f));
        points[i].velocity = slow_velocity(&s, at, AM_ROLE_HIPS);
    }
    float raw[AM_MAX_FEATURES];
    float x[AM_MAX_FEATURES];
    ami_features_denormalise(&db->features, raw, am_db_x(db, frame));
    am_transform pose[AM_MAX_JOINTS];
    static am_velocity velocity[AM_MAX_JOINTS];
    am_db_pose(db, frame, pose);
    am_fk(pose, pose, db->skeleton->parents, db->joint_count);
    velocity[db->roles.joint[AM_ROLE_HIPS]].linear = slow_local(&s, f, slow_velocity(&s, f, AM_ROLE_HIPS));
    ami_query query = ami_query_default();
    query.current = raw;
    query.root = ami_db_root(db, frame);
    query.pose = pose;
    query.velocity = velocity;
    query.roles = &db->roles;
    query.trajectory = points;
    query.trajectory_count = 60;
    query.tags = &in->tags[f];
    query.terrain = channel_of(db, raw, "terrain");
    query.custom = channel_of(db, raw, "props");
    ami_query_make(&db->features, x, &query);
    int pitch = am_schema_find(db->features.schema, "pitch");
    const am_channel *skip_channel =
        &db->features.schema->channels[pitch]; // its target is the root's facing, not the hips'
    for (int d = 0; d < db->features.stride; d++) {
        if (d < skip_channel->first || d >= skip_channel->first + skip_channel->dims) {
            check_near(x[d], am_db_x(db, frame)[d], 2e-3);
        }
    }
    am_db_close(db);
    test_world_free(&w);
}

static void a_silent_query_repeats_the_current_features(void **state)
{
    (void)state;
    static am_schema schema;
    test_parse_schema(&schema, test_all_kinds);
    float current[AM_MAX_FEATURES];
    float out[AM_MAX_FEATURES];
    for (int d = 0; d < schema.raw_count; d++) {
        current[d] = (float)d + 0.5f;
    }
    ami_query query = ami_query_default();
    query.current = current;
    ami_query_raw(&schema, out, &query);
    assert_memory_equal(out, current, (size_t)schema.raw_count * sizeof(float));
    query.current = NULL;
    ami_query_raw(&schema, out, &query);
    for (int d = 0; d < schema.raw_count; d++) {
        assert_true(out[d] == 0.0f);
    }
}

static void desired_points_are_interpolated_and_held_at_the_ends(void **state)
{
    (void)state;
    static am_schema schema;
    test_parse_schema(&schema,
                      "{\"channels\": [{\"kind\": \"trajectory_position\", \"times\": [-1, 0, 0.25, 0.5, 9]},"
                      "{\"kind\": \"trajectory_direction\", \"times\": [0.5], \"direction\": \"velocity\"},"
                      "{\"kind\": \"heading\", \"joint\": \"hips\"},"
                      "{\"kind\": \"height\", \"joint\": \"hips\", \"times\": [0.25]},"
                      "{\"kind\": \"height\", \"joint\": \"head\"}]}");
    am_query_point points[2] = {
        { 0.0f, { 1.0f, 0.9f, 0.0f }, { 0.0f, 0.0f, 1.0f }, { 0.0f, 0.0f, 0.05f } },
        { 0.5f, { 1.0f, 0.7f, 2.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.05f } },
    };
    static am_transform pose[AM_MAX_JOINTS];
    am_roles roles = ami_roles_none();
    roles.joint[AM_ROLE_HEAD] = 2;
    pose[2].translation.y = 1.6f;
    ami_query query = ami_query_default();
    query.trajectory = points;
    query.trajectory_count = 2;
    query.root.translation = am_v3(1.0f, 0.0f, 0.0f);
    query.root.rotation = am_quat_from_heading(AM_PI / 2.0f); // faces +x
    query.pose = pose;
    query.roles = &roles;
    float out[AM_MAX_FEATURES];
    ami_query_raw(&schema, out, &query);
    const float along[5] = { 0.0f, 0.0f, -1.0f, -2.0f, -2.0f }; // world +z is to the right of +x: local -x
    for (int t = 0; t < 5; t++) {
        check_near(out[2 * t], along[t], 1e-5);
        check_near(out[2 * t + 1], 0.0, 1e-5);
    }
    check_near(out[11], 1.0, 1e-5);  // too slow to tell: the facing stands in, straight ahead
    check_near(out[12], -1.0, 1e-5); // faces world +z now
    check_near(out[14], 0.8, 1e-5);
    check_near(out[15], 1.6, 1e-5);
}

TEST_SUITE(features)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_agrees_with_the_slow_reference),
        cmocka_unit_test(every_kind_agrees_on_real_frames_too),
        cmocka_unit_test(custom_numbers_that_nobody_gives_are_zero),
        cmocka_unit_test(stored_features_have_unit_deviation_in_their_group),
        cmocka_unit_test(a_feature_that_never_varies_or_weighs_nothing_does_no_harm),
        cmocka_unit_test(pca_with_all_dimensions_keeps_distances),
        cmocka_unit_test(pca_finds_planted_directions),
        cmocka_unit_test(a_query_that_wants_what_the_frame_does_is_that_frame),
        cmocka_unit_test(a_silent_query_repeats_the_current_features),
        cmocka_unit_test(desired_points_are_interpolated_and_held_at_the_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Matching with the Decompressor instead of poses, and methods that are changed while a character runs.
#include "actor/get.h"
#include "train/tiny_walk.h"

static int train(void **state)
{
    (void)state;
    return tiny_train(2000);
}

/// A database with the latents of the tiny networks, with or without poses, and matching over it.
typedef struct decompressed {
    am_db *db;
    am_index *index;
    am_source *source;
} decompressed;

static void decompress_over(decompressed *d, bool drop, const am_model *model)
{
    am_error err = { 0 };
    am_db_copy_def copy = am_db_copy_def_default();
    copy.db = tiny.db;
    copy.z = tiny.z;
    copy.latent_count = tiny_latent;
    copy.drop_poses = drop;
    check_ok(am_db_copy(&d->db, &copy, &err), &err);
    ami_index_def index = ami_index_def_default();
    index.db = d->db;
    check_ok(ami_index_create(&d->index, &index, &err), &err);
    ami_match_def def = ami_match_def_default();
    def.db = d->db;
    def.index = d->index;
    def.decompressor = model;
    check_ok(ami_match_create(&d->source, &def, &err), &err);
}

static void decompressed_end(decompressed *d)
{
    ami_source_destroy(d->source);
    ami_index_destroy(d->index);
    am_db_close(d->db);
}

static void matching_without_poses_goes_the_way_of_matching_with_them(void **state)
{
    (void)state;
    decompressed with = { 0 }, without = { 0 };
    decompress_over(&with, false, NULL);
    decompress_over(&without, true, tiny.model);
    assert_true(without.db->image_size < with.db->image_size);
    assert_non_null(without.source->facts);
    am_actor *a = body(with.source);
    am_actor *b = body(without.source);
    check_near(ami_facts_of(a).hip_m, ami_facts_of(b).hip_m, 1e-6);
    assert_int_equal(ami_view_of(a).activities, ami_view_of(b).activities);
    double apart = 0.0;
    int same = 0;
    enum { frames = 240 };
    for (int i = 0; i < frames; i++) {
        am_intent intent = target(i < 120 ? 0.0f : 1.2f, 1.2f);
        am_actor_step(a, &intent, DT);
        am_actor_step(b, &intent, DT);
        am_actor_pose pa = ami_pose_of(a), pb = ami_pose_of(b);
        same += ami_view_of(a).output->frame == ami_view_of(b).output->frame;
        for (int j = 0; j < tiny.db->joint_count; j++) {
            am_vec3 ja = am_transform_point(am_transform_inv(pa.root), pa.world_raw[j].translation);
            am_vec3 jb = am_transform_point(am_transform_inv(pb.root), pb.world_raw[j].translation);
            apart += (double)am_v3_distance(ja, jb) / (frames * tiny.db->joint_count);
        }
    }
    assert_true(same > frames / 2);
    assert_true(apart < 0.05);
    assert_int_equal(ami_view_of(b).fallback_frames, 0);
    am_actor_destroy(a);
    am_actor_destroy(b);
    decompressed_end(&with);
    decompressed_end(&without);
}

static void a_decompressor_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    am_error err = { 0 };
    decompressed d = { 0 };
    decompress_over(&d, true, tiny.model);
    am_source *source = NULL;
    ami_match_def def = ami_match_def_default();
    def.db = d.db;
    def.index = d.index;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_SUPPORT); // no poses at all
    am_index *index = NULL;
    ami_index_def index_def = ami_index_def_default();
    index_def.db = tiny.db;
    check_ok(ami_index_create(&index, &index_def, &err), &err);
    def.db = tiny.db;
    def.index = index;
    def.decompressor = tiny.model;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_FORMAT); // no latents
    assert_non_null(strstr(err.text, "latents"));
    ami_index_destroy(index);
    // Another skeleton: the hips' children lie elsewhere.
    am_db *other = NULL;
    am_db_copy_def copy = am_db_copy_def_default();
    copy.db = d.db;
    check_ok(am_db_copy(&other, &copy, &err), &err);
    ((am_vec3 *)(uintptr_t)other->skeleton->offsets)[1].x += 0.1f;
    index_def.db = other;
    check_ok(ami_index_create(&index, &index_def, &err), &err);
    def.db = other;
    def.index = index;
    check_refused(ami_match_create(&source, &def, &err), AM_ERR_SKELETON);
    ami_index_destroy(index);
    am_db_close(other);
    assert_null(source);
    decompressed_end(&d);
}

/// Largest way and largest second difference of a joint in a frame, cm.
typedef struct shake {
    am_vec3 places[2][AM_MAX_JOINTS];
    int seen;
    float way, bend;
} shake;

static void watch(shake *s, const am_actor *c)
{
    am_actor_pose pose = ami_pose_of(c);
    for (int j = 0; j < tiny.db->joint_count; j++) {
        am_vec3 now = pose.world_raw[j].translation;
        am_vec3 *last = &s->places[(s->seen + 1) % 2][j];
        am_vec3 *before = &s->places[s->seen % 2][j];
        if (s->seen > 1) {
            am_vec3 step = am_v3_sub(now, *last);
            s->way = am_max(s->way, 100.0f * am_v3_length(step));
            s->bend = am_max(s->bend, 100.0f * am_v3_distance(step, am_v3_sub(*last, *before)));
        }
        *before = now;
    }
    s->seen++;
}

static void switching_the_method_while_running_keeps_the_pose_continuous(void **state)
{
    (void)state;
    decompressed mm = { 0 }, dmm = { 0 };
    decompress_over(&mm, false, NULL);
    decompress_over(&dmm, true, tiny.model);
    am_source *lmm = learned(tiny.model);
    const am_source *sources[3] = { mm.source, dmm.source, lmm };
    am_actor *bodies[3];
    am_error err = { 0 };
    for (int i = 0; i < 3; i++) {
        bodies[i] = body(sources[i]);
    }
    am_intent intent = target(0.0f, lmm->facts->walk_mps);
    walk(bodies[0], intent, 90, DT);
    static const int order[] = { 1, 2, 0, 2, 1, 0 };
    int now = 0;
    shake usual = { 0 }, switching = { 0 };
    for (int i = 0; i < 60; i++) {
        am_actor_step(bodies[0], &intent, DT);
        watch(&usual, bodies[0]);
        watch(&switching, bodies[0]);
    }
    for (size_t o = 0; o < sizeof order / sizeof order[0]; o++) {
        am_transform before = ami_pose_of(bodies[now]).root;
        check_ok(am_actor_take_over(bodies[order[o]], bodies[now], &err), &err);
        now = order[o];
        am_transform after = ami_pose_of(bodies[now]).root;
        assert_memory_equal(&before, &after, sizeof before);
        for (int i = 0; i < 40; i++) {
            am_actor_step(bodies[now], &intent, DT);
            watch(&switching, bodies[now]);
        }
        assert_int_equal(ami_view_of(bodies[now]).output->frame < 0, now == 2);
    }
    // No joint jumps: the largest way in a frame is that of walking, with some allowance.
    assert_true(switching.way < 2.0f * usual.way + 2.0f);
    assert_true(ami_pose_of(bodies[now]).root.translation.z > 3.0f);
    check_ok(am_actor_take_over(bodies[now], bodies[now], &err), &err);
    for (int i = 0; i < 3; i++) {
        am_actor_destroy(bodies[i]);
    }
    ami_source_destroy(lmm);
    decompressed_end(&mm);
    decompressed_end(&dmm);
}

TEST_SUITE(learned_match)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_without_poses_goes_the_way_of_matching_with_them),
        cmocka_unit_test(a_decompressor_that_does_not_fit_is_refused),
        cmocka_unit_test(switching_the_method_while_running_keeps_the_pose_continuous),
    };
    return cmocka_run_group_tests(tests, train, tiny_free);
}

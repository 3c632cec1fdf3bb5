// The character on procedural motion: goes where it is told, turns, stops, does the special motions, and is nothing
// but its bytes.
#include "actor/get.h"
#include "support/world.h"
#include "support/refuse.h"
#include "base/budget.h"
#include "data/database.h"

static void it_walks_where_the_keys_say(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    const struct {
        uint32_t key;
        float x, z;
    } ways[] = {
        { AM_KEY_W, 0.0f, 1.0f }, { AM_KEY_A, 1.0f, 0.0f }, { AM_KEY_S, 0.0f, -1.0f }, { AM_KEY_D, -1.0f, 0.0f }
    };
    for (int i = 0; i < 4; i++) {
        hold(&w, ways[i].key, 1.5f);
        am_vec3 before = place(&w);
        hold(&w, ways[i].key, 2.0f);
        am_vec3 way = am_v3_sub(place(&w), before);
        float along = way.x * ways[i].x + way.z * ways[i].z;
        float beside = way.x * ways[i].z - way.z * ways[i].x;
        assert_true(along > 2.0f * w.intent_def.walk_mps * 0.85f && along < 2.0f * w.intent_def.walk_mps * 1.15f);
        assert_true(am_abs(beside) < 0.15f);
    }
    free_world(&w);
}

static void it_stops_within_a_second(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W, 3.0f);
    hold(&w, 0, 1.0f);
    am_vec3 stopped = place(&w);
    assert_int_equal(activity(&w), AM_ACTIVITY_STAND);
    hold(&w, 0, 3.0f);
    assert_true(am_v3_distance(place(&w), stopped) < 0.05f);
    free_world(&w);
}

static void sprint_is_faster_than_walk(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W | AM_KEY_SHIFT, 2.0f);
    am_vec3 before = place(&w);
    hold(&w, AM_KEY_W | AM_KEY_SHIFT, 2.0f);
    assert_true((place(&w).z - before.z) / 2.0f > 0.85f * w.intent_def.sprint_mps);
    free_world(&w);
}

static void creep_keeps_low_and_ends_with_the_key(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W | AM_KEY_C, 3.0f);
    assert_int_equal(activity(&w), AM_ACTIVITY_CREEP);
    am_actor_facts facts = ami_facts_of(w.character);
    check_near(ami_pose_of(w.character).world[0].translation.y, facts.creep_hip_m, 0.08f);
    hold(&w, AM_KEY_W, 1.5f);
    assert_int_equal(activity(&w), AM_ACTIVITY_MOVE);
    check_near(ami_pose_of(w.character).world[0].translation.y, facts.hip_m, 0.1f);
    free_world(&w);
}

static void a_jump_rises_and_ends_by_itself(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W, 2.0f);
    float highest = 0.0f;
    bool over = false;
    for (int i = 0; i < 240; i++) {
        hold(&w, AM_KEY_W | AM_KEY_J, DT); // held down: one jump, not many
        over |= i > 10 && activity(&w) == AM_ACTIVITY_MOVE;
        assert_false(over && activity(&w) == AM_ACTIVITY_JUMP);
        highest = am_max(highest, ami_pose_of(w.character).world[0].translation.y);
    }
    assert_true(over);
    am_actor_facts facts = ami_facts_of(w.character);
    assert_true(highest > facts.hip_m + 0.5f * facts.jump_rise_m);
    free_world(&w);
}

/// A walking character never lands where walking ends at once: the next transition would be forced, and a bad one.
static void a_landed_character_may_play_on_for_two_searches(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    uint64_t special = 0;
    for (int t = 0; t < shared_db->tag_count; t++) {
        const char *name = shared_db->tag_names[t];
        bool is = strcmp(name, "creep") == 0 || strcmp(name, "jump") == 0 || strcmp(name, "dance") == 0;
        special |= is ? (uint64_t)1 << t : 0;
    }
    assert_true(special != 0);
    static const uint32_t keys[] = { AM_KEY_W, AM_KEY_W | AM_KEY_SHIFT, AM_KEY_A, AM_KEY_S, 0, AM_KEY_D };
    int landed = 0;
    for (int i = 0; i < 3600; i++) {
        hold(&w, keys[i / 90 % 6], DT);
        const am_source_output *out = ami_view_of(w.character).output;
        if (!out->transition || activity(&w) != AM_ACTIVITY_MOVE) {
            continue;
        }
        landed++;
        for (int f = 0; f <= 20; f++) {
            assert_true((shared_db->tags[ami_db_clamp(shared_db, out->frame, f)] & special) == 0);
        }
    }
    assert_true(landed > 50);
    free_world(&w);
}

static void a_snapshot_continues_bit_for_bit(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    am_error err = { 0 };
    hold(&w, AM_KEY_W, 2.2f);
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    uint8_t *bytes = malloc(size);
    am_actor_snapshot(w.character, bytes, size);
    uint64_t then = am_actor_hash(w.character);
    hold(&w, AM_KEY_A | AM_KEY_SHIFT, 3.0f);
    uint64_t first = am_actor_hash(w.character);
    assert_true(first != then);
    check_ok(am_actor_restore(w.character, bytes, size, &err), &err);
    assert_true(am_actor_hash(w.character) == then);
    hold(&w, AM_KEY_A | AM_KEY_SHIFT, 3.0f);
    assert_true(am_actor_hash(w.character) == first);
    free(bytes);
    free_world(&w);
}

static void a_dance_plays_through_and_gives_way_to_the_stick(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, 0, 1.0f);
    hold(&w, AM_KEY_P, 0.1f);
    assert_int_equal(activity(&w), AM_ACTIVITY_DANCE);
    hold(&w, 0, 1.5f);
    assert_int_equal(activity(&w), AM_ACTIVITY_DANCE); // at least two seconds are ahead when it begins
    hold(&w, 0, 20.0f);
    assert_int_equal(activity(&w), AM_ACTIVITY_STAND); // over by itself
    hold(&w, AM_KEY_P, 0.5f);
    hold(&w, AM_KEY_W, 0.5f);
    assert_int_equal(activity(&w), AM_ACTIVITY_MOVE);
    free_world(&w);
}

static void who_stands_stays_in_place(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, 0, 2.0f);
    am_vec3 before = place(&w);
    hold(&w, 0, 30.0f);
    assert_true(am_v3_distance(place(&w), before) < 0.1f);
    assert_int_equal(activity(&w), AM_ACTIVITY_STAND);
    free_world(&w);
}

static void the_right_stick_turns_the_body_while_the_left_one_leads(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    am_intent_state devices;
    am_intent_state_init(&devices, &w.intent_def);
    am_gamepad pad = { .left = { 0.0f, 1.0f }, .right = { -1.0f, 0.0f } }; // forward, facing left: +x
    for (int i = 0; i < 240; i++) {
        am_intent intent = ami_intent_from_gamepad(&devices, &w.intent_def, &pad, DT);
        check_near(intent.velocity.z, w.intent_def.walk_mps, 1e-4f);
        check_near(intent.facing.x, 1.0f, 1e-5f);
        am_actor_step(w.character, &intent, DT);
    }
    check_near(am_quat_heading(ami_pose_of(w.character).root.rotation), 90.0f * AM_DEG, 25.0f * AM_DEG);
    assert_true(place(&w).z > 1.5f && am_abs(place(&w).x) < 0.7f);
    free_world(&w);
}

static void any_step_size_leads_to_the_same_place(void **state)
{
    (void)state;
    am_vec3 ends[3];
    const float steps[3] = { 1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 144.0f };
    for (int i = 0; i < 3; i++) {
        world w;
        make_world(&w);
        hold_at(&w, AM_KEY_W, 3.0f, steps[i]);
        hold_at(&w, AM_KEY_A, 3.0f, steps[i]);
        ends[i] = place(&w);
        free_world(&w);
    }
    assert_true(am_v3_distance(ends[0], ends[1]) < 0.25f);
    assert_true(am_v3_distance(ends[2], ends[1]) < 0.25f);
}

static void all_three_roots_get_there(void **state)
{
    (void)state;
    for (int mode = 0; mode <= AM_ROOT_MIXED; mode++) {
        world w;
        am_error err = { 0 };
        am_actor_def def = open_world(&w);
        def.settings.root = (am_root_mode)mode;
        check_ok(am_actor_create(&w.character, &def, &err), &err);
        float widest = 0.0f;
        for (int i = 0; i < 300; i++) {
            hold(&w, i < 150 ? AM_KEY_W : AM_KEY_A, DT);
            am_vec3 point = am_v3_ground(ami_view_of(w.character).simulation.translation);
            widest = am_max(widest, am_v3_distance(point, place(&w)));
        }
        assert_true(place(&w).z > 1.5f && place(&w).x > 1.5f);
        assert_true(widest <= (mode == AM_ROOT_MIXED ? def.settings.clamp_m + 1e-4f : 1e-4f));
        free_world(&w);
    }
}

static void slow_motion_walks_a_fraction_of_the_way_in_the_same_steps(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    def.settings.time_scale = 0.5f;
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    w.intent_def.walk_mps *= 0.5f; // as fast as the slowed clips go
    hold(&w, AM_KEY_W, 3.0f);
    am_vec3 before = place(&w);
    hold(&w, AM_KEY_W, 2.0f);
    check_near(place(&w).z - before.z, 2.0f * w.intent_def.walk_mps, 0.3f * w.intent_def.walk_mps);
    free_world(&w);
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    am_actor_def def = open_world(&w);
    def.alloc = &alloc;
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    size_t made = budget.total_count;
    assert_true(made > 0);
    hold(&w, AM_KEY_W, 3.0f);
    hold(&w, AM_KEY_A | AM_KEY_J, 2.0f);
    hold(&w, AM_KEY_C, 1.0f);
    assert_int_equal(budget.total_count, made);
    am_actor_destroy(w.character);
    w.character = NULL;
    assert_int_equal(budget.live_count, 0);
    free_world(&w);
}

static am_result make_character(void *user, const am_alloc *alloc)
{
    am_actor_def def = *(const am_actor_def *)user;
    def.alloc = alloc;
    am_actor *made = NULL;
    am_error err = { 0 };
    am_result result = am_actor_create(&made, &def, &err);
    assert_true((result == AM_OK) == (made != NULL));
    am_actor_destroy(made);
    return refuse_checked(result, &err);
}

static void every_failing_allocation_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    world w;
    am_actor_def def = open_world(&w);
    assert_true(refuse_allocations(make_character, &def) > 5);
    free_world(&w);
}

static bool pose_is_good(const world *w)
{
    am_actor_pose pose = ami_pose_of(w->character);
    float sum = 0.0f;
    for (int j = 0; j < shared_db->joint_count; j++) {
        am_vec3 t = pose.world[j].translation;
        sum += (t.x + t.y + t.z) * 0.0f;
    }
    return sum == 0.0f;
}

static void what_is_not_a_number_keeps_the_last_target(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W, 2.0f);
    am_vec3 before = place(&w);
    const float bad[] = { NAN, INFINITY, -INFINITY };
    for (int i = 0; i < 60; i++) {
        am_intent intent = { .velocity = { bad[i % 3], 0.0f, 1.0f }, .facing = { 0.0f, 0.0f, bad[(i + 1) % 3] } };
        am_actor_step(w.character, &intent, DT);
        assert_true(pose_is_good(&w));
    }
    am_intent none = { 0 };
    am_actor_step(w.character, &none, NAN);
    am_actor_step(w.character, &none, 0.0f);
    am_actor_step(w.character, &none, -1.0f);
    assert_int_equal(ami_view_of(w.character).fallback_frames, 63);
    assert_true(place(&w).z - before.z > 0.7f * w.intent_def.walk_mps); // went on as last told
    am_intent huge = { .velocity = { 3e38f, 0.0f, 3e38f } };
    for (int i = 0; i < 30; i++) {
        am_actor_step(w.character, &huge, 1e9f);
        assert_true(pose_is_good(&w));
    }
    free_world(&w);
}

static void a_broken_database_keeps_the_last_good_pose(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W, 1.0f);
    uint64_t before = ami_view_of(w.character).fallback_frames;
    // The one place of the library where an asset may be written: to plant a fault.
    int joints = shared_db->joint_count;
    am_quat *rotations = (am_quat *)(uintptr_t)shared_db->rotations;
    am_quat *kept = malloc((size_t)shared_db->frame_count * sizeof *kept);
    for (int f = 0; f < shared_db->frame_count; f++) {
        kept[f] = rotations[(size_t)f * (size_t)joints + 3];
        rotations[(size_t)f * (size_t)joints + 3].w = NAN;
    }
    hold(&w, AM_KEY_W, 0.5f);
    assert_true(pose_is_good(&w));
    for (int f = 0; f < shared_db->frame_count; f++) {
        rotations[(size_t)f * (size_t)joints + 3] = kept[f];
    }
    free(kept);
    assert_int_equal(ami_view_of(w.character).fallback_frames - before, 30);
    hold(&w, AM_KEY_W, 0.5f);
    assert_true(pose_is_good(&w));
    assert_int_equal(ami_view_of(w.character).fallback_frames - before, 30);
    free_world(&w);
}

static void a_changed_or_foreign_snapshot_is_refused(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    am_error err = { 0 };
    hold(&w, AM_KEY_W, 1.0f);
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    uint8_t *bytes = malloc(size);
    am_actor_snapshot(w.character, bytes, size);
    uint64_t hash = am_actor_hash(w.character);
    for (size_t at = 0; at < size; at += 7) {
        bytes[at] ^= 0x10;
        am_result result = am_actor_restore(w.character, bytes, size, &err);
        assert_true(result == AM_ERR_FORMAT || result == AM_ERR_CHECKSUM);
        bytes[at] ^= 0x10;
    }
    check_refused(am_actor_restore(w.character, bytes, size - 1, &err), AM_ERR_FORMAT);
    check_refused(am_actor_restore(w.character, bytes, 0, &err), AM_ERR_FORMAT);
    assert_true(am_actor_hash(w.character) == hash);
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = w.source;
    def.path_points = 100;
    am_actor *other = NULL;
    check_ok(am_actor_create(&other, &def, &err), &err);
    check_refused(am_actor_restore(other, bytes, size, &err), AM_ERR_FORMAT);
    am_actor_destroy(other);
    free(bytes);
    free_world(&w);
}

static void a_snapshot_carries_settings_tags_and_weights(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    float weights[AM_MAX_CHANNELS];
    for (int i = 0; i < AM_MAX_CHANNELS; i++) {
        weights[i] = i % 2 == 0 ? 2.0f : 0.5f;
    }
    am_actor *plain = NULL;
    check_ok(am_actor_create(&plain, &def, &err), &err);
    def.tags[AM_ACTIVITY_MOVE] = "walk or idle";
    def.channel_weights = weights;
    def.settings.velocity_halflife = 0.3f;
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    hold(&w, AM_KEY_W, 1.0f);
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    uint8_t *bytes = malloc(size);
    assert_int_equal(am_actor_snapshot(w.character, bytes, size), size);
    check_ok(am_actor_restore(plain, bytes, size, &err), &err);
    am_actor *first = w.character;
    hold(&w, AM_KEY_W | AM_KEY_SHIFT, 3.0f);
    w.character = plain;
    hold(&w, AM_KEY_W | AM_KEY_SHIFT, 3.0f);
    assert_true(am_actor_hash(first) == am_actor_hash(plain));
    am_settings settings;
    am_actor_get_settings(plain, &settings);
    check_near(settings.velocity_halflife, 0.3f, 0.0f);
    am_actor_destroy(first);
    free(bytes);
    free_world(&w);
}

static void a_snapshot_of_another_source_is_refused(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    am_error err = { 0 };
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    uint8_t *bytes = malloc(size);
    am_actor_snapshot(w.character, bytes, size);
    ami_match_def match = ami_match_def_default();
    match.db = shared_db;
    match.index = w.index;
    match.search_every_s = 0.3f;
    am_source *slower = NULL;
    check_ok(ami_match_create(&slower, &match, &err), &err);
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = slower;
    am_actor *other = NULL;
    check_ok(am_actor_create(&other, &def, &err), &err);
    check_refused(am_actor_restore(other, bytes, size, &err), AM_ERR_FORMAT);
    am_actor_destroy(other);
    ami_source_destroy(slower);
    free(bytes);
    free_world(&w);
}

static void who_is_placed_is_there_at_once_and_goes_on(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    hold(&w, AM_KEY_W, 2.0f);
    am_vec3 hips = am_v3_sub(ami_pose_of(w.character).world[0].translation, place(&w));
    am_actor_place(w.character, &(am_vec3){ 5.0f, 0.0f, -3.0f }, 90.0f * AM_DEG);
    am_actor_pose pose = ami_pose_of(w.character);
    am_vec3 turned = am_v3_sub(pose.world[0].translation, pose.root.translation);
    check_near(pose.root.translation.x, 5.0f, 1e-6f);
    check_near(turned.x, hips.z, 0.05f); // it faced +z within a few degrees
    check_near(turned.y, hips.y, 1e-5f);
    check_near(am_v3_distance(pose.world_raw[0].translation, pose.world[0].translation), 0.0f, 0.05f);
    am_actor_view view = ami_view_of(w.character);
    assert_true(view.simulation_velocity.x > 0.5f && am_abs(view.simulation_velocity.z) < 0.3f);
    hold(&w, AM_KEY_A, 1.0f);
    assert_true(place(&w).x > 5.5f && am_abs(place(&w).z + 3.0f) < 0.4f);
    am_actor_place(w.character, &(am_vec3){ NAN, 0.0f, 0.0f }, 0.0f);
    assert_true(place(&w).x > 5.5f);
    free_world(&w);
}

static void tags_that_no_frame_has_are_told(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    def.tags[AM_ACTIVITY_MOVE] = "walk and run";
    def.tags[AM_ACTIVITY_DANCE] = "jump and idle and run";
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    uint32_t unmet = ami_facts_of(w.character).unmet;
    assert_int_equal(unmet, 1u << AM_ACTIVITY_MOVE | 1u << AM_ACTIVITY_DANCE);
    hold(&w, AM_KEY_W, 2.0f);
    assert_true(place(&w).z > 1.0f); // every frame is used
    free_world(&w);
}

static void one_target_speed_whatever_the_device(void **state)
{
    (void)state;
    am_intent_def def = ami_intent_def_default();
    am_intent_state devices;
    am_intent_state_init(&devices, &def);
    am_gamepad rest = { .left = { 0.1f, 0.05f } }; // a worn stick inside the dead zone
    am_gamepad ahead = { .left = { 0.0f, 1.0f }, .buttons = AM_KEY_UP };
    am_intent by_keys;
    am_intent_from_devices(&devices, &by_keys, &def, AM_KEY_W, &rest, 0.1f);
    check_near(by_keys.velocity.z, def.walk_mps, 1e-6f); // the keys are heard
    for (int i = 0; i < 5; i++) {
        am_intent_from_devices(&devices, &by_keys, &def, AM_KEY_A, &ahead, 0.1f); // the pad is touched: it counts
    }
    am_intent_from_devices(&devices, &by_keys, &def, AM_KEY_W, &rest, 0.1f);
    check_near(by_keys.velocity.z, def.walk_mps + 0.5f, 1e-5f);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    world w;
    am_error err = { 0 };
    am_actor_def good = open_world(&w);
    am_actor_def def = good;
    def.cookie = 0;
    check_refused(am_actor_create(&w.character, &def, &err), AM_ERR_DEF);
    def = good;
    def.source = NULL;
    check_refused(am_actor_create(&w.character, &def, &err), AM_ERR_DEF);
    def = good;
    def.settings.velocity_halflife = NAN;
    check_refused(am_actor_create(&w.character, &def, &err), AM_ERR_RANGE);
    def = good;
    def.settings.clamp_m = -1.0f;
    check_refused(am_actor_create(&w.character, &def, &err), AM_ERR_RANGE);
    def = good;
    def.position.x = INFINITY;
    check_refused(am_actor_create(&w.character, &def, &err), AM_ERR_DEF);
    def = good;
    def.tags[AM_ACTIVITY_MOVE] = "wlak";
    check_refused(am_actor_create(&w.character, &def, &err), AM_ERR_KEY);
    assert_non_null(strstr(err.text, "walk"));
    assert_null(w.character);
    free_world(&w);
}

TEST_SUITE(actor)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_where_the_keys_say),
        cmocka_unit_test(it_stops_within_a_second),
        cmocka_unit_test(sprint_is_faster_than_walk),
        cmocka_unit_test(creep_keeps_low_and_ends_with_the_key),
        cmocka_unit_test(a_jump_rises_and_ends_by_itself),
        cmocka_unit_test(a_landed_character_may_play_on_for_two_searches),
        cmocka_unit_test(a_snapshot_continues_bit_for_bit),
        cmocka_unit_test(a_dance_plays_through_and_gives_way_to_the_stick),
        cmocka_unit_test(who_stands_stays_in_place),
        cmocka_unit_test(the_right_stick_turns_the_body_while_the_left_one_leads),
        cmocka_unit_test(any_step_size_leads_to_the_same_place),
        cmocka_unit_test(all_three_roots_get_there),
        cmocka_unit_test(slow_motion_walks_a_fraction_of_the_way_in_the_same_steps),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(every_failing_allocation_is_an_error_and_leaves_nothing),
        cmocka_unit_test(what_is_not_a_number_keeps_the_last_target),
        cmocka_unit_test(a_broken_database_keeps_the_last_good_pose),
        cmocka_unit_test(a_changed_or_foreign_snapshot_is_refused),
        cmocka_unit_test(a_snapshot_carries_settings_tags_and_weights),
        cmocka_unit_test(a_snapshot_of_another_source_is_refused),
        cmocka_unit_test(who_is_placed_is_there_at_once_and_goes_on),
        cmocka_unit_test(tags_that_no_frame_has_are_told),
        cmocka_unit_test(one_target_speed_whatever_the_device),
        cmocka_unit_test(bad_defs_are_refused),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

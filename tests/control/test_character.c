// The character on procedural motion: goes where it is told, turns, stops, does the special motions, and is nothing
// but its bytes.
#include "support/check.h"
#include "support/synth_db.h"

#define DT (1.0f / 60.0f)

typedef struct world {
    am_db *db;
    am_index *index;
    am_source *source;
    am_character *character;
    am_intent_def intent_def;
} world;

static am_db *shared_db; // made once for all tests: it takes a second

static int make_db(void **state)
{
    (void)state;
    am_error err = { 0 };
    shared_db = synth_db_make(true, &err);
    return shared_db ? 0 : -1;
}

static int free_db(void **state)
{
    (void)state;
    am_db_close(shared_db);
    return 0;
}

static am_character_def open_world(world *w)
{
    am_error err = { 0 };
    memset(w, 0, sizeof *w);
    w->db = shared_db;
    am_index_def index = am_index_def_default();
    index.db = w->db;
    check_ok(am_index_create(&w->index, &index, &err), &err);
    am_match_def match = am_match_def_default();
    match.db = w->db;
    match.index = w->index;
    check_ok(am_match_create(&w->source, &match, &err), &err);
    w->intent_def = am_intent_def_of(w->db);
    am_character_def def = am_character_def_default();
    def.source = w->source;
    return def;
}

static void make_world(world *w)
{
    am_error err = { 0 };
    am_character_def def = open_world(w);
    check_ok(am_character_create(&w->character, &def, &err), &err);
}

static void free_world(world *w)
{
    am_character_destroy(w->character);
    am_source_destroy(w->source);
    am_index_destroy(w->index);
}

/// Holds keys for some seconds.
static void hold(world *w, uint32_t keys, float seconds)
{
    am_intent_state state = am_intent_state_make(&w->intent_def);
    int steps = (int)(seconds / DT + 0.5f);
    for (int i = 0; i < steps; i++) {
        am_intent intent = am_intent_from_keys(&state, &w->intent_def, keys, DT);
        am_character_step(w->character, &intent, DT);
    }
}

static am_vec3 place(const world *w) { return am_character_get_pose(w->character).root.translation; }
static am_activity activity(const world *w) { return am_character_get_view(w->character).activity; }

static void it_walks_where_the_keys_say(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    const struct {
        uint32_t key;
        float x, z;
    } ways[] = { { AM_KEY_W, 0.0f, 1.0f }, { AM_KEY_A, 1.0f, 0.0f }, { AM_KEY_S, 0.0f, -1.0f }, { AM_KEY_D, -1.0f, 0.0f } };
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
    am_character_facts facts = am_character_get_facts(w.character);
    check_near(am_character_get_pose(w.character).world[0].translation.y, facts.creep_hip_m, 0.08f);
    hold(&w, AM_KEY_W, 1.5f);
    assert_int_equal(activity(&w), AM_ACTIVITY_MOVE);
    check_near(am_character_get_pose(w.character).world[0].translation.y, facts.hip_m, 0.1f);
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
        highest = am_max(highest, am_character_get_pose(w.character).world[0].translation.y);
    }
    assert_true(over);
    am_character_facts facts = am_character_get_facts(w.character);
    assert_true(highest > facts.hip_m + 0.5f * facts.jump_rise_m);
    free_world(&w);
}

static void a_snapshot_continues_bit_for_bit(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    am_error err = { 0 };
    hold(&w, AM_KEY_W, 2.2f);
    size_t size = am_character_snapshot_size(w.character);
    uint8_t *bytes = malloc(size);
    am_character_snapshot(w.character, bytes);
    uint64_t then = am_character_hash(w.character);
    hold(&w, AM_KEY_A | AM_KEY_SHIFT, 3.0f);
    uint64_t first = am_character_hash(w.character);
    assert_true(first != then);
    check_ok(am_character_restore(w.character, bytes, size, &err), &err);
    assert_true(am_character_hash(w.character) == then);
    hold(&w, AM_KEY_A | AM_KEY_SHIFT, 3.0f);
    assert_true(am_character_hash(w.character) == first);
    free(bytes);
    free_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_walks_where_the_keys_say),
        cmocka_unit_test(it_stops_within_a_second),
        cmocka_unit_test(sprint_is_faster_than_walk),
        cmocka_unit_test(creep_keeps_low_and_ends_with_the_key),
        cmocka_unit_test(a_jump_rises_and_ends_by_itself),
        cmocka_unit_test(a_snapshot_continues_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

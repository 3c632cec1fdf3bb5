// What the file of a database says beside its frames is what a character would measure: the same facts, the same
// filters, the same bits of play. Files of version 1, which say nothing, play as they did.
#include "support/world.h"

#include "actor/actor.h"
#include "data/fast.h"
#include "method/match.h"

/// The same frames without what follows from them, as version 1 has them.
static am_db *without_facts(const am_db *db)
{
    am_db *plain = NULL;
    am_error err = { 0 };
    am_db_copy_def def = am_db_copy_def_default();
    def.db = db;
    def.contacts = db->contacts;
    check_ok(am_db_copy(&plain, &def, &err), &err);
    assert_null(plain->facts);
    assert_true(plain->hash == db->hash);
    return plain;
}

typedef struct player {
    am_index *index;
    am_source *source;
    ami_prepared *prepared;
} player;

static player open_player(const am_db *db, const char *tags)
{
    player p = { 0 };
    am_error err = { 0 };
    ami_index_def index = ami_index_def_default();
    index.db = db;
    check_ok(ami_index_create(&p.index, &index, &err), &err);
    ami_match_def match = ami_match_def_default();
    match.db = db;
    match.index = p.index;
    check_ok(ami_match_create(&p.source, &match, &err), &err);
    const char *const words[AM_ACTIVITY_COUNT] = { [AM_ACTIVITY_MOVE] = tags };
    am_alloc alloc = ami_alloc_or_default(NULL);
    check_ok(ami_prepared_create(&p.prepared, p.source, words, &alloc, &err), &err);
    return p;
}

static void close_player(player *p)
{
    ami_prepared_destroy(p->prepared);
    ami_source_destroy(p->source);
    ami_index_destroy(p->index);
}

static void check_same_filter(const am_filter *a, const am_filter *b)
{
    assert_int_equal(a != NULL, b != NULL);
    if (a) {
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->frames, b->frames, a->words * sizeof *a->frames);
        assert_memory_equal(a->nodes, b->nodes, a->node_words * sizeof *a->nodes);
    }
}

static void check_same_kit(const ami_prepared *a, const ami_prepared *b)
{
    for (int i = 0; i < AM_ACTIVITY_COUNT; i++) {
        check_same_filter(a->filters[i], b->filters[i]);
        check_same_filter(a->stays[i], b->stays[i]);
        assert_memory_equal(&a->queries[i], &b->queries[i], sizeof a->queries[i]);
    }
    check_same_filter(a->path_filter, b->path_filter);
    check_same_filter(a->path_stay, b->path_stay);
    assert_memory_equal(&a->facts, &b->facts, sizeof a->facts);
    assert_memory_equal(&a->limits, &b->limits, sizeof a->limits);
    assert_memory_equal(a->ranges, b->ranges, (size_t)shared_db->joint_count * sizeof *a->ranges);
    assert_int_equal(a->activities, b->activities);
}

static void a_file_says_what_a_character_would_measure(void **state)
{
    (void)state;
    am_db *plain = without_facts(shared_db);
    for (int own = 0; own < 2; own++) {
        const char *tags = own ? "walk or idle" : NULL;
        player known = open_player(shared_db, tags);
        player measured = open_player(plain, tags);
        assert_int_equal(known.prepared->stored, !own); // other words are not in the file
        assert_false(measured.prepared->stored);
        check_same_kit(known.prepared, measured.prepared);
        assert_non_null(known.prepared->path_filter);
        assert_int_equal(shared_db->facts->standing_frame, ami_find_standing(plain, measured.index));
        close_player(&known);
        close_player(&measured);
    }
    am_intent_def a = ami_intent_def_of(shared_db), b = ami_intent_def_of(plain);
    assert_memory_equal(&a, &b, sizeof a);
    am_db_close(plain);
}

static void the_roughness_of_every_frame_is_in_the_file(void **state)
{
    (void)state;
    am_db *plain = without_facts(shared_db);
    for (int f = 0; f < plain->frame_count; f++) {
        float measured = ami_roughness(plain, f), known = ami_roughness(shared_db, f);
        assert_memory_equal(&measured, &known, sizeof known);
    }
    am_db_close(plain);
}

/// Two seconds each of walking, creeping, jumping and standing; the hash of the state then.
static uint64_t play(const am_db *db)
{
    static const uint32_t keys[4] = { AM_KEY_W, AM_KEY_W | AM_KEY_C, AM_KEY_A | AM_KEY_J, 0 };
    player p = open_player(db, NULL);
    am_error err = { 0 };
    am_actor_def def;
    am_actor_def_init(&def, NULL);
    def.source = p.source;
    def.path_points = 16;
    am_actor *actor = NULL;
    check_ok(am_actor_create(&actor, &def, &err), &err);
    am_intent_def devices = ami_intent_def_of(db);
    am_intent_state held;
    am_intent_state_init(&held, &devices);
    for (int i = 0; i < 480; i++) {
        am_intent intent = ami_intent_from_keys(&held, &devices, keys[i / 120], DT);
        am_actor_step(actor, &intent, DT);
    }
    uint64_t hash = am_actor_hash(actor);
    am_actor_destroy(actor);
    close_player(&p);
    return hash;
}

static void play_has_the_same_bits_with_and_without_facts(void **state)
{
    (void)state;
    am_db *plain = without_facts(shared_db);
    assert_true(play(shared_db) == play(plain));
    am_db_close(plain);
}

/// Written by the last build of version 1 from procedural motion. The hash is what today's methods play from it.
static void a_file_of_version_1_plays_as_it_did(void **state)
{
    (void)state;
    am_db *db = NULL;
    am_error err = { 0 };
    check_ok(am_db_open(&db, AMBLE_SOURCE_DIR "/tests/runtime/data/golden/v1_synth.amdb", NULL, &err), &err);
    check_ok(am_db_verify(db, &err), &err);
    assert_null(db->facts);
    assert_true(play(db) == UINT64_C(0x231d4ab533931900));
    am_db_close(db);
}

TEST_SUITE(facts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_says_what_a_character_would_measure),
        cmocka_unit_test(the_roughness_of_every_frame_is_in_the_file),
        cmocka_unit_test(play_has_the_same_bits_with_and_without_facts),
        cmocka_unit_test(a_file_of_version_1_plays_as_it_did),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

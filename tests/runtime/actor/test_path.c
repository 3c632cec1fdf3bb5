// Drawn paths: how they are laid and shaped, how a character follows them, and what happens with strange ones.
#include "actor/get.h"
#include "support/world.h"
#include "actor/path_def.h"
#include "base/budget.h"
#include "report/metrics_parts.h"

#define MOST 4000

static am_path_sample drawing[MOST];

/// Draws from corner to corner at a speed, 60 places a second.
static int draw(const am_vec3 *corners, int count, float speed)
{
    int n = 0;
    float t = 0.0f;
    for (int c = 0; c + 1 < count; c++) {
        float length = am_v3_distance(corners[c], corners[c + 1]);
        int steps = (int)(length / speed * 60.0f + 0.5f);
        for (int i = 0; i < steps && n + 1 < MOST; i++, t += DT) {
            am_vec3 p = am_v3_lerp(corners[c], corners[c + 1], (float)i / (float)steps);
            drawing[n++] = (am_path_sample){ t, p.x, p.z };
        }
    }
    drawing[n++] = (am_path_sample){ t, corners[count - 1].x, corners[count - 1].z };
    return n;
}

static am_path_def path_of(int count)
{
    am_path_def def;
    am_path_def_init(&def);
    def.samples = drawing;
    def.count = count;
    return def;
}

typedef struct walk {
    am_vec3 hips[6000];
    int count;
} walk;
static walk walked;

/// Steps until the path is over and a second longer, or for most_s.
static void go(world *w, float most_s)
{
    am_intent none = { 0 };
    int after = 0;
    walked.count = 0;
    while (walked.count < (int)(most_s / DT) && walked.count < 6000 && after < 60) {
        am_actor_step(w->character, &none, DT);
        walked.hips[walked.count++] = am_v3_ground(ami_pose_of(w->character).world[0].translation);
        after += !ami_path_of(w->character).following;
    }
}

static am_path_metrics measure(const am_path_def *def)
{
    static am_vec3 points[MOST];
    for (int i = 0; i < def->count; i++) {
        points[i] = am_v3(def->samples[i].x, 0.0f, def->samples[i].z);
    }
    am_track track = { walked.hips, walked.count, DT };
    am_polyline line = { .points = points,
                         .count = def->count,
                         .duration_s = (def->samples[def->count - 1].t - def->samples[0].t) / def->scale };
    return am_path_measure(&track, &line);
}

/// A world whose character looks ahead and has room for paths.
static void make_path_world(world *w, int k, int l, int points)
{
    am_error err = { 0 };
    am_actor_def def = open_world(w);
    ami_source_destroy(w->source);
    ami_long_horizon_def ahead = ami_long_horizon_def_default();
    ahead.match.db = shared_db;
    ahead.match.index = w->index;
    ahead.k = k;
    ahead.l = l;
    check_ok(ami_long_horizon_create(&w->source, &ahead, &err), &err);
    def.source = w->source;
    def.path_points = points;
    check_ok(am_actor_create(&w->character, &def, &err), &err);
}

static const am_vec3 bend[] = { { 0, 0, 0 }, { 0, 0, 3 }, { 2, 0, 5 }, { 2, 0, 8 } };
static const am_vec3 crossing[] = { { 0, 0, 0 }, { 0, 0, 5 }, { 3, 0, 5 }, { 3, 0, 2 }, { -3, 0, 2 } };

static void a_drawn_path_is_followed_to_its_end(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    const struct {
        const am_vec3 *corners;
        int count;
    } courses[] = { { bend, 4 }, { crossing, 5 } };
    for (int i = 0; i < 2; i++) {
        am_path_def def = path_of(draw(courses[i].corners, courses[i].count, 1.3f));
        am_error err = { 0 };
        am_actor_place(w.character, &(am_vec3){ 0.0f, 0.0f, 0.0f }, 0.0f);
        check_ok(am_actor_follow(w.character, &def, &err), &err);
        go(&w, 60.0f);
        am_path_metrics m = measure(&def);
        assert_true(m.path_completed);
        assert_true(m.path_error_m < 0.08);
        assert_true(m.path_cover_max_m < 0.35);
        assert_true(m.path_end_m < 0.25);
        assert_true(ami_path_of(w.character).ended);
        assert_int_equal(activity(&w), AM_ACTIVITY_STAND);
    }
    free_world(&w);
}

/// Corners of 150 degrees: the target goes on soon, where a body that turns round would wait for it.
static void a_zigzag_takes_hardly_longer_than_its_drawing(void **state)
{
    (void)state;
    static const am_vec3 zigzag[] = { { 0, 0, 0 },        { 0, 0, 2.6f },    { 1.3f, 0, 0.35f },
                                      { 1.3f, 0, 2.95f }, { 2.6f, 0, 0.7f }, { 2.6f, 0, 3.3f } };
    world w;
    make_path_world(&w, 3, 3, 4000);
    double ratio = 0.0;
    for (int start = 0; start < 4; start++) {
        am_path_def def = path_of(draw(zigzag, 6, 1.2f));
        am_error err = { 0 };
        am_actor_place(w.character, &(am_vec3){ 0.0f, 0.0f, 0.0f }, 0.1f * (float)start);
        check_ok(am_actor_follow(w.character, &def, &err), &err);
        go(&w, 60.0f);
        double taken = measure(&def).path_time_ratio;
        ratio = taken > ratio ? taken : ratio;
    }
    assert_true(ratio < 1.12); // 1.15 when the target waited for 0.35 s
    free_world(&w);
}

static void local_paths_begin_where_the_character_stands(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    am_path_def def = path_of(draw(bend, 4, 1.3f));
    am_error err = { 0 };
    def.mode = AM_PATH_LOCAL;
    am_actor_place(w.character, &(am_vec3){ 7.0f, 0.0f, -3.0f }, 0.0f);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    am_path_view view = ami_path_of(w.character);
    check_near(view.points[0].x, 7.0, 0.02);
    check_near(view.points[0].z, -3.0, 0.02);
    go(&w, 60.0f);
    am_vec3 end = walked.hips[walked.count - 1];
    assert_true(am_v3_distance(end, am_v3(9.0f, 0.0f, 5.0f)) < 0.25f);
    free_world(&w);
}

static void global_paths_are_joined_by_a_straight_way(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    am_path_def def = path_of(draw(bend, 4, 1.3f));
    am_error err = { 0 };
    am_actor_place(w.character, &(am_vec3){ -3.0f, 0.0f, -1.0f }, 0.0f);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    am_path_view view = ami_path_of(w.character);
    check_near(view.points[0].x, -3.0, 0.02);
    check_near(view.points[0].z, -1.0, 0.02);
    go(&w, 60.0f);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], am_v3(2.0f, 0.0f, 8.0f)) < 0.25f);
    free_world(&w);
}

static void a_snapshot_knows_the_path(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    am_path_def def = path_of(draw(crossing, 5, 1.3f));
    am_error err = { 0 };
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 3.0f);
    size_t size = am_actor_snapshot(w.character, NULL, 0);
    void *snapshot = test_malloc(size);
    am_actor_snapshot(w.character, snapshot, size);
    go(&w, 4.0f);
    uint64_t hash = am_actor_hash(w.character);
    // Another path, then back to where the snapshot was made.
    am_path_def other = path_of(draw(bend, 4, 2.0f));
    check_ok(am_actor_follow(w.character, &other, &err), &err);
    go(&w, 1.0f);
    check_ok(am_actor_restore(w.character, snapshot, size, &err), &err);
    go(&w, 4.0f);
    assert_true(am_actor_hash(w.character) == hash);
    test_free(snapshot);
    free_world(&w);
}

static void a_new_path_takes_over(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    am_path_def def = path_of(draw(bend, 4, 1.3f));
    am_error err = { 0 };
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 2.0f);
    const am_vec3 away[] = { { -2, 0, 2 }, { -5, 0, 2 } };
    am_path_def next = path_of(draw(away, 2, 1.3f));
    check_ok(am_actor_follow(w.character, &next, &err), &err);
    go(&w, 30.0f);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], away[1]) < 0.25f);
    free_world(&w);
}

static void laps_go_on_for_ever(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 8000);
    const am_vec3 square[] = { { 0, 0, 0 }, { 0, 0, 3 }, { 3, 0, 3 }, { 3, 0, 0 } };
    am_path_def def = path_of(draw(square, 4, 1.3f));
    am_error err = { 0 };
    def.loop = true;
    am_actor_place(w.character, &(am_vec3){ -1.0f, 0.0f, 2.0f }, 0.0f);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 60.0f);
    am_path_view view = ami_path_of(w.character);
    assert_true(view.following);
    assert_true(view.laps >= 2);
    am_vec3 closed[5];
    memcpy(closed, square, sizeof square);
    closed[4] = square[0];
    double worst = 0.0;
    for (int i = 300; i < walked.count; i++) {
        double far = ami_polyline_distance(closed, 5, walked.hips[i]);
        worst = far > worst ? far : worst;
    }
    assert_true(worst < 0.35);
    free_world(&w);
}

static void a_path_is_bent_around_an_obstacle(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    const am_vec3 line[] = { { 0, 0, 0 }, { 0, 0, 8 } };
    am_path_def def = path_of(draw(line, 2, 1.3f));
    const am_path_obstacle tree = { 0.1f, 4.0f, 0.5f };
    def.obstacles = &tree;
    def.obstacle_count = 1;
    am_error err = { 0 };
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 30.0f);
    float nearest = 100.0f;
    for (int i = 0; i < walked.count; i++) {
        nearest = am_min(nearest, am_v3_distance(walked.hips[i], am_v3(tree.x, 0.0f, tree.z)));
    }
    assert_true(nearest > tree.radius);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], line[1]) < 0.25f);
    free_world(&w);
}

static void strange_paths_are_refused_or_survived(void **state)
{
    (void)state;
    world w;
    make_path_world(&w, 3, 3, 4000);
    am_error err = { 0 };
    am_path_def def = path_of(0);
    assert_int_equal(am_actor_follow(w.character, &def, &err), AM_ERR_RANGE);
    drawing[0] = (am_path_sample){ 0.0f, NAN, 0.0f };
    def = path_of(1);
    assert_int_equal(am_actor_follow(w.character, &def, &err), AM_ERR_RANGE);
    drawing[0] = (am_path_sample){ 1.0f, 0.0f, 0.0f };
    drawing[1] = (am_path_sample){ 0.5f, 0.0f, 1.0f };
    def = path_of(2);
    assert_int_equal(am_actor_follow(w.character, &def, &err), AM_ERR_RANGE);
    // One point, a metre away; the same point many times; nowhere at all.
    drawing[0] = (am_path_sample){ 0.0f, 0.0f, 2.0f };
    def = path_of(1);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 20.0f);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], am_v3(0.0f, 0.0f, 2.0f)) < 0.25f);
    for (int i = 0; i < 100; i++) {
        drawing[i] = (am_path_sample){ 0.0f, 1.0f, 2.0f };
    }
    def = path_of(100);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 20.0f);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], am_v3(1.0f, 0.0f, 2.0f)) < 0.25f);
    def.mode = AM_PATH_LOCAL;
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 5.0f);
    assert_true(ami_path_of(w.character).ended);
    // 100 m in a tenth of a second.
    drawing[0] = (am_path_sample){ 0.0f, 0.0f, 0.0f };
    drawing[1] = (am_path_sample){ 0.1f, 0.0f, 100.0f };
    def = path_of(2);
    am_actor_place(w.character, &(am_vec3){ 0.0f, 0.0f, 0.0f }, 0.0f);
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    go(&w, 100.0f);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], am_v3(0.0f, 0.0f, 100.0f)) < 0.3f);
    // More than there is room for.
    drawing[1] = (am_path_sample){ 1.0f, 0.0f, 1000.0f };
    assert_int_equal(am_actor_follow(w.character, &def, &err), AM_ERR_LIMIT);
    assert_false(ami_path_of(w.character).following);
    free_world(&w);
}

static void shift_runs_along_the_path(void **state)
{
    (void)state;
    const am_vec3 line[] = { { 0, 0, 0 }, { 0, 0, 14 } };
    int took[2] = { 0, 0 };
    for (int runs = 0; runs < 2; runs++) {
        world w;
        make_path_world(&w, 3, 3, 4000);
        am_path_def def = path_of(draw(line, 2, 1.0f));
        am_error err = { 0 };
        check_ok(am_actor_follow(w.character, &def, &err), &err);
        while (ami_path_of(w.character).following && took[runs] < 3000) {
            // Pressed a second after the beginning.
            am_intent intent = { .run = runs == 1 && took[runs] > 60 };
            am_actor_step(w.character, &intent, DT);
            took[runs]++;
        }
        assert_true(am_v3_distance(place(&w), line[1]) < 0.3f);
        free_world(&w);
    }
    assert_true(took[1] < took[0] * 3 / 4);
}

/// LHMM VI-B and IX: the speed limit, the tree and the style change while a path is walked.
static void settings_change_on_the_way(void **state)
{
    (void)state;
    const am_vec3 line[] = { { 0, 0, 0 }, { 0, 0, 14 } };
    world w;
    am_error err = { 0 };
    make_path_world(&w, 3, 3, 4000);
    am_path_def def = path_of(draw(line, 2, 1.8f));
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    float speeds[3] = { 0 };
    const float limits[3] = { 0.0f, 0.8f, 0.0f };
    for (int part = 0; part < 3; part++) {
        am_settings settings;
        am_actor_get_settings(w.character, &settings);
        settings.v_max = limits[part];
        settings.k = 3 + part;
        settings.l = 3 - part;
        check_ok(am_actor_set(w.character, &settings, &err), &err);
        go(&w, 1.5f);
        am_vec3 before = place(&w);
        go(&w, 1.0f);
        speeds[part] = am_v3_distance(place(&w), before);
        assert_true(ami_path_of(w.character).following);
    }
    assert_true(speeds[0] > 1.2f && speeds[1] < 1.0f && speeds[2] > 1.2f);
    check_ok(am_actor_set_tags(w.character, AM_ACTIVITY_MOVE, "walk", &err), &err);
    go(&w, 30.0f);
    assert_true(am_v3_distance(walked.hips[walked.count - 1], line[1]) < 0.3f);
    free_world(&w);
}

static void a_stick_turns_the_facing_on_the_way(void **state)
{
    (void)state;
    const am_vec3 line[] = { { 0, 0, 0 }, { 0, 0, 8 } };
    world w;
    make_path_world(&w, 3, 3, 4000);
    am_path_def def = path_of(draw(line, 2, 0.8f));
    def.facing = AM_PATH_FACING_JOYSTICK;
    am_error err = { 0 };
    check_ok(am_actor_follow(w.character, &def, &err), &err);
    am_intent left = { .facing = am_v3(1.0f, 0.0f, 0.0f) };
    am_intent none = { 0 };
    for (int i = 0; i < 240; i++) {
        am_actor_step(w.character, i < 30 ? &none : &left, DT);
    }
    am_actor_view view = ami_view_of(w.character);
    am_query_point last = view.trajectory[view.trajectory_count - 1];
    assert_true(last.direction.x > 0.9f);        // asked to face the left
    assert_true(view.simulation_velocity.z > 0); // while it goes on
    free_world(&w);
}

static void each_part_of_the_method_is_a_switch(void **state)
{
    (void)state;
    am_path_method methods[10];
    for (int i = 0; i < 10; i++) {
        methods[i] = ami_path_method_default();
    }
    methods[0].smooth = false;
    methods[1].speed_limit = false;
    methods[2].corners = true;
    methods[3].retime = false;
    methods[3].corners = true;
    methods[4].lead = false;
    methods[5].steer = false;
    methods[6].weigh = false;
    methods[7].recover = false;
    methods[8] = ami_path_method_paper();
    methods[9] = ami_path_method_paper();
    methods[9].desired = AM_PATH_DESIRED_FRAME;
    uint64_t hashes[10];
    for (int i = 0; i < 10; i++) {
        world w;
        make_path_world(&w, 3, 2, 4000);
        am_path_def def = path_of(draw(crossing, 5, 1.6f));
        def.method = methods[i];
        am_error err = { 0 };
        check_ok(am_actor_follow(w.character, &def, &err), &err);
        go(&w, 40.0f);
        hashes[i] = am_actor_hash(w.character);
        assert_true(am_v3_distance(walked.hips[walked.count - 1], crossing[4]) < (i < 8 ? 0.5f : 4.0f));
        free_world(&w);
    }
    assert_true(hashes[0] != hashes[3] && hashes[4] != hashes[5] && hashes[8] != hashes[9]);
}

/// What the paper's method leaves out of the search, and the paper's corners on a retimed path, change the walk.
static void switches_of_the_search_are_heard(void **state)
{
    (void)state;
    static const am_vec3 hairpins[] = { { 0, 0, 0 }, { 0, 0, 3 }, { 0.2f, 0, 0.2f }, { 0.4f, 0, 3 } };
    am_path_method methods[5] = { ami_path_method_paper(), ami_path_method_paper(), ami_path_method_paper(),
                                  ami_path_method_default(), ami_path_method_default() };
    methods[1].guard = true;
    methods[2].squares = true;
    methods[4].corners = true;
    static walk walks[5];
    for (int i = 0; i < 5; i++) {
        world w;
        make_path_world(&w, 3, 3, 4000);
        am_path_def def = path_of(i < 3 ? draw(crossing, 5, 1.6f) : draw(hairpins, 4, 1.6f));
        def.method = methods[i];
        am_error err = { 0 };
        check_ok(am_actor_follow(w.character, &def, &err), &err);
        go(&w, 8.0f);
        walks[i] = walked;
        free_world(&w);
    }
    const size_t compared = sizeof(am_vec3) * 300;
    assert_memory_not_equal(walks[0].hips, walks[1].hips, compared);
    assert_memory_not_equal(walks[0].hips, walks[2].hips, compared);
    assert_memory_not_equal(walks[3].hips, walks[4].hips, compared);
}

static void no_memory_for_planting_leaves_nothing_behind(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    def.alloc = &alloc;
    def.path_points = 400;
    am_result result = AM_ERR_MEMORY;
    int failures = 0;
    while (result == AM_ERR_MEMORY && failures < 200) {
        budget.fail_at = budget.total_count + (size_t)failures + 1;
        result = am_actor_create(&w.character, &def, &err);
        failures += result != AM_OK;
        assert_true(result == AM_OK || budget.live_count == 0);
    }
    check_ok(result, &err);
    assert_true(failures > 5); // the two filters of planting among them
    free_world(&w);
    assert_int_equal((int)budget.live_count, 0);
}

static void following_allocates_nothing(void **state)
{
    (void)state;
    ami_budget budget = ami_budget_make(NULL);
    am_alloc alloc = ami_budget_alloc(&budget);
    world w;
    am_error err = { 0 };
    am_actor_def def = open_world(&w);
    def.alloc = &alloc;
    def.path_points = 4000;
    check_ok(am_actor_create(&w.character, &def, &err), &err);
    size_t before = budget.total_count;
    am_path_def path = path_of(draw(crossing, 5, 1.3f));
    check_ok(am_actor_follow(w.character, &path, &err), &err);
    go(&w, 20.0f);
    check_ok(am_actor_follow(w.character, &path, &err), &err);
    go(&w, 2.0f);
    assert_int_equal((int)(budget.total_count - before), 0);
    free_world(&w);
    assert_int_equal((int)budget.live_count, 0);
}

// ---------------------------------------------------------------------------------------------
// Scripts

static const char script_text[] =
    "{\"database\": \"-\", \"controller\": \"long-horizon\", \"options\": {\"k\": 2, \"l\": 2}, \"characters\": ["
    "{\"path\": [{\"points\": [[0,0,0],[1,0,1.2],[2,0,2.4],[3,0.8,3.2]]},"
    " {\"t\": 6, \"mode\": \"local\", \"scale\": 0.5, \"obstacles\": [[9, 9, 0.5]],"
    " \"points\": [[0,5,5],[0.5,5,6.2],[1,6,7]]}]},"
    "{\"start\": {\"position\": [4, 0]}, \"path\": {\"points\": [[0,4,0],[2,4,2.5]], \"v_max\": 2}}]}";

static am_run *make_run(am_run_script *script, const char *text)
{
    am_error err = { 0 };
    am_run *run = NULL;
    check_ok(am_run_parse(script, text, strlen(text), "run", NULL, &err), &err);
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = shared_db;
    check_ok(am_run_create(&run, &def, &err), &err);
    return run;
}

static void a_run_with_paths_ends_with_them_and_is_measured(void **state)
{
    (void)state;
    am_run_script script;
    am_error err = { 0 };
    am_run *run = make_run(&script, script_text);
    assert_true(script.ends_with_paths);
    am_db_measures own;
    check_ok(am_db_measure(&own, shared_db, NULL, &err), &err);
    am_run_meter_def meter_def = am_run_meter_def_default();
    meter_def.run = run;
    meter_def.own = &own;
    am_run_meter *meter = NULL;
    check_ok(am_run_meter_create(&meter, &meter_def, &err), &err);
    int most = am_run_frame_count(run);
    am_run_observer observer = am_run_meter_observer(meter);
    check_ok(am_run_play(run, &observer, 1, NULL, &err), &err);
    assert_true(am_run_frame_count(run) < most);
    for (int i = 0; i < 2; i++) {
        am_metrics m = am_run_meter_result(meter, i);
        assert_int_equal(m.path_count, i == 0 ? 2 : 1);
        assert_true(m.path.path_completed);
        assert_true(m.path.path_error_m < 0.1);
        assert_true(m.path.path_end_m < 0.3);
        assert_int_equal(m.path_recoveries, 0);
    }
    am_json_writer *w = NULL;
    check_ok(am_json_writer_create(&w, 0, NULL, &err), &err);
    am_run_meter_write(w, meter);
    size_t size = 0;
    const char *text = am_json_text(w, &size);
    static const char *const keys[] = { "path_error_m", "path_cover_m",   "path_cover_max_m", "path_time_ratio",
                                        "path_end_m",   "path_completed", "path_recoveries",  "paths" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_non_null(strstr(text, keys[i]));
    }
    am_json_writer_destroy(w);
    am_run_meter_destroy(meter);
    am_run_destroy(run);
    am_run_script_free(&script);
}

static void a_recording_plays_the_same_paths(void **state)
{
    (void)state;
    am_run_script script, again;
    am_error err = { 0 };
    am_run *run = make_run(&script, script_text);
    am_recording *recording = NULL;
    check_ok(am_recording_create(&recording, run, NULL, &err), &err);
    while (am_run_step(run)) {
        for (int i = 0; i < 2; i++) {
            am_run_sample sample = am_run_get_sample(run, i);
            check_ok(am_recording_add(recording, &sample, &err), &err);
        }
    }
    am_bytes bytes = { 0 };
    check_ok(am_recording_write(&bytes, recording, NULL, &err), &err);
    uint64_t hash = am_run_hash(run);
    char *text = test_malloc(bytes.size + 1);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    am_run *replay = make_run(&again, text);
    while (am_run_step(replay)) {
    }
    assert_true(am_run_hash(replay) == hash);
    test_free(text);
    am_bytes_free(&bytes);
    am_recording_destroy(recording);
    am_run_destroy(replay);
    am_run_script_free(&again);
    am_run_destroy(run);
    am_run_script_free(&script);
}

static void no_room_no_path(void **state)
{
    (void)state;
    world w;
    make_world(&w);
    am_error err = { 0 };
    am_path_def def = path_of(draw(bend, 4, 1.3f));
    assert_int_equal(am_actor_follow(w.character, &def, &err), AM_ERR_DEF);
    am_actor_leave_path(w.character);
    assert_int_equal(ami_path_of(w.character).count, 0);
    free_world(&w);
}

TEST_SUITE(path)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawn_path_is_followed_to_its_end),
        cmocka_unit_test(a_zigzag_takes_hardly_longer_than_its_drawing),
        cmocka_unit_test(local_paths_begin_where_the_character_stands),
        cmocka_unit_test(global_paths_are_joined_by_a_straight_way),
        cmocka_unit_test(a_snapshot_knows_the_path),
        cmocka_unit_test(a_new_path_takes_over),
        cmocka_unit_test(laps_go_on_for_ever),
        cmocka_unit_test(a_path_is_bent_around_an_obstacle),
        cmocka_unit_test(strange_paths_are_refused_or_survived),
        cmocka_unit_test(shift_runs_along_the_path),
        cmocka_unit_test(settings_change_on_the_way),
        cmocka_unit_test(a_stick_turns_the_facing_on_the_way),
        cmocka_unit_test(each_part_of_the_method_is_a_switch),
        cmocka_unit_test(switches_of_the_search_are_heard),
        cmocka_unit_test(no_memory_for_planting_leaves_nothing_behind),
        cmocka_unit_test(following_allocates_nothing),
        cmocka_unit_test(a_run_with_paths_ends_with_them_and_is_measured),
        cmocka_unit_test(a_recording_plays_the_same_paths),
        cmocka_unit_test(no_room_no_path),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

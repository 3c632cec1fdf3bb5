// Film strips: what is drawn of a walk that is known, where its limbs and its planted feet are, and what is refused.
#include "support/check.h"
#include "support/refuse.h"
#include "support/world.h"

#include "report/strip.h"

/// A run that only says rate, skeleton and number of characters: the samples are made from a walk whose every frame
/// is known, so that no controller changes what is drawn.
static const char one[] = "{\"database\": \"x.amdb\", \"seconds\": 4, \"characters\": [{}]}";
static const char two[] = "{\"database\": \"x.amdb\", \"seconds\": 4, \"characters\": [{}, {}]}";

typedef struct stage {
    am_run_script script;
    am_run *run;
    am_synth walk;
} stage;

static void open_stage(stage *s, const char *text)
{
    am_error err = { 0 };
    memset(s, 0, sizeof *s);
    check_ok(am_run_parse(&s->script, text, strlen(text), "run.json", NULL, &err), &err);
    am_run_def def = am_run_def_default();
    def.script = &s->script;
    def.db = shared_db;
    check_ok(am_run_create(&s->run, &def, &err), &err);
    am_synth_def walk = am_synth_def_default();
    walk.kind = AM_SYNTH_WALK;
    walk.seconds = 4.0f;
    check_ok(am_synth_make(&s->walk, &walk, &err), &err);
    assert_int_equal(s->walk.clip->skeleton->joint_count, shared_db->joint_count);
}

static void close_stage(stage *s)
{
    am_synth_free(&s->walk);
    am_run_destroy(s->run);
    am_run_script_free(&s->script);
}

static void walk_pose(am_transform *joints, am_transform *root, const stage *s, int frame)
{
    am_clip_local(s->walk.clip, frame, joints);
    am_fk(joints, joints, s->walk.clip->skeleton->parents, s->walk.clip->skeleton->joint_count);
    *root = am_transform_identity();
    root->translation = am_v3_ground(joints[0].translation);
    float half = 0.5f * s->walk.truth[frame].heading;
    root->rotation = am_q(0.0f, am_sin(half), 0.0f, am_cos(half));
}

/// Shows the first `frames` frames of the walk to a strip; other characters walk backward in time.
static void show(am_strip *strip, const stage *s, int frames)
{
    am_transform joints[64];
    am_source_output output = { 0 };
    am_run_observer observer = am_strip_observer(strip);
    for (int i = 0; i < frames; i++) {
        for (int a = 0; a < am_run_actor_count(s->run); a++) {
            int frame = a == 0 ? i : frames - 1 - i;
            output.transition = i == 30;
            am_run_sample sample = { .actor = a, .frame = i, .time = (float)i / 60.0f, .dt = 1.0f / 60.0f };
            walk_pose(joints, &sample.pose.root, s, frame);
            sample.pose.world = joints;
            sample.pose.contacts = s->walk.truth[frame].contacts & (AM_CONTACT_LEFT | AM_CONTACT_RIGHT);
            sample.pose.locked = sample.pose.contacts;
            sample.view.output = &output;
            am_error err = { 0 };
            check_ok(observer.frame(observer.user, &sample, &err), &err);
        }
    }
}

static am_strip *make_strip(const stage *s, float from, float every, int count)
{
    am_error err = { 0 };
    am_strip *strip = NULL;
    am_strip_def def = am_strip_def_default();
    def.run = s->run;
    def.title = "a <walk>";
    def.from_s = from;
    def.every_s = every;
    def.count = count;
    check_ok(am_strip_create(&strip, &def, &err), &err);
    return strip;
}

/// The picture of the first `frames` frames as terminated text, malloc'ed.
static char *draw_text(const stage *s, float from, float every, int count, int frames, size_t *size)
{
    am_error err = { 0 };
    am_bytes out = { 0 };
    am_strip *strip = make_strip(s, from, every, count);
    show(strip, s, frames);
    check_ok(am_strip_write(&out, strip, true, &err), &err);
    am_strip_destroy(strip);
    char *text = malloc(out.size + 1);
    memcpy(text, out.data, out.size);
    text[out.size] = 0;
    *size = out.size;
    am_bytes_free(&out);
    return text;
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

static void a_small_strip_has_these_bytes(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, one);
    size_t size = 0;
    for (int again = 0; again < 2; again++) {
        char *text = draw_text(&s, 0.5f, 0.25f, 4, 120, &size);
        uint64_t hash = am_hash64(text, size, 0);
        free(text);
        // Changes with the drawing alone: look at the picture, then write the new one here.
        if (hash != 0x49e173a859e5ae23ull) {
            fail_msg("the strip's hash is %016llx", (unsigned long long)hash);
        }
    }
    close_stage(&s);
}

static void figures_are_at_their_moments(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, one);
    size_t size = 0;
    char *text = draw_text(&s, 0.5f, 0.25f, 4, 240, &size);
    static const char *const times[] = { ">0.50 s<", ">0.75 s<", ">1.00 s<", ">1.25 s<" };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(count_of(text, times[i]), 1);
    }
    assert_null(strstr(text, ">1.50 s<"));
    assert_non_null(strstr(text, "a &lt;walk&gt;"));
    // Speeds are those of the walk.
    char speed[32];
    snprintf(speed, sizeof speed, ">%.1f m/s<", (double)s.walk.truth[59].speed);
    assert_true(count_of(text, speed) >= 1);
    free(text);
    // Where the run ends earlier, there are fewer.
    text = draw_text(&s, 0.5f, 0.25f, 40, 61, &size);
    assert_int_equal(count_of(text, " m/s<"), 3);
    free(text);
    close_stage(&s);
}

static void all_characters_are_drawn_in_their_colours(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, two);
    size_t size = 0;
    char *text = draw_text(&s, 0.0f, 0.5f, 3, 120, &size);
    // Trunk and head, three views, three moments each.
    assert_true(count_of(text, "fill=\"#664499\" stroke") >= 18);
    assert_true(count_of(text, "fill=\"#228855\" stroke") >= 18);
    assert_int_equal(count_of(text, ">above<"), 2);
    free(text);
    close_stage(&s);
}

/// How many pixels of about this colour are in a square around a spot.
static int near_pixels(const ami_canvas *c, ami_spot at, int reach, uint32_t colour)
{
    int count = 0;
    for (int y = (int)at.y - reach; y <= (int)at.y + reach; y++) {
        for (int x = (int)at.x - reach; x <= (int)at.x + reach; x++) {
            const uint8_t *p = c->pixels + 3 * (y * c->width + x);
            count += x >= 0 && y >= 0 && x < c->width && y < c->height && p[0] == colour >> 16 &&
                     p[1] == (colour >> 8 & 255u) && p[2] == (colour & 255u);
        }
    }
    return count;
}

static void limbs_are_drawn_where_the_body_has_them(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, one);
    ami_rig rig = ami_rig_make(shared_db->skeleton, &shared_db->roles);
    check_near(rig.scale, 1.0f, 0.15f);
    am_transform joints[64], root;
    for (int frame = 0; frame < 120; frame += 13) {
        walk_pose(joints, &root, &s, frame);
        ami_strip_body body;
        ami_body_place(&body, &rig, joints);
        ami_canvas c;
        am_error err = { 0 };
        check_ok(ami_canvas_begin(&c, 240, 240, false, NULL, &err), &err);
        ami_view view = ami_view_make(ami_look_side, root.translation, s.walk.truth[frame].heading);
        ami_frame where = { { 120.0, 220.0 }, 110.0 };
        ami_body_draw(&c, &rig, &body, &view, &where, 0x445566);
        // The right side is near: nothing hides its leg. The left one is seen where the right one is not.
        ami_spot knee = ami_frame_spot(&where, &view, body.at[AM_ROLE_RIGHT_LEG]);
        ami_spot ankle = ami_frame_spot(&where, &view, body.at[AM_ROLE_RIGHT_FOOT]);
        assert_true(near_pixels(&c, knee, 1, ami_side_colours[1]) > 4);
        assert_true(near_pixels(&c, ankle, 1, ami_side_colours[1]) > 4);
        assert_true(near_pixels(&c, ami_frame_spot(&where, &view, body.at[ami_skull]), 2, 0x445566) > 20);
        // Not under the ground, not above the head, not a metre ahead.
        assert_int_equal(near_pixels(&c, (ami_spot){ 120.0, 234.0 }, 5, 0xFFFFFF), 121);
        assert_int_equal(near_pixels(&c, (ami_spot){ 230.0, 100.0 }, 9, 0xFFFFFF), 361);
        ami_canvas_free(&c);
    }
    close_stage(&s);
}

static void views_look_from_where_they_say(void **state)
{
    (void)state;
    // At (1, 0, 2), facing +x: ahead is +x, left is -z.
    ami_view side = ami_view_make(ami_look_side, am_v3(1.0f, 5.0f, 2.0f), 0.5f * AM_PI);
    ami_view front = ami_view_make(ami_look_front, am_v3(1.0f, 5.0f, 2.0f), 0.5f * AM_PI);
    ami_view above = ami_view_make(ami_look_above, am_v3(1.0f, 5.0f, 2.0f), 0.5f * AM_PI);
    am_vec3 point = am_v3(1.5f, 0.7f, 1.8f); // half a metre ahead, 0.2 to the left
    const am_vec3 wanted[3] = { { 0.5f, 0.7f, -0.2f }, { 0.2f, 0.7f, 0.5f }, { 0.5f, 0.2f, 0.7f } };
    const ami_view *views[3] = { &side, &front, &above };
    for (int i = 0; i < 3; i++) {
        check_near(am_v3_distance(ami_view_point(views[i], point), wanted[i]), 0.0f, 1e-5f);
    }
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, one);
    static const struct {
        float from, every;
        int count;
        const char *says;
    } bad[] = {
        { 0.0f, 0.2f, 0, "1 to 64" },        { 0.0f, 0.2f, 65, "1 to 64" },  { 0.0f, 0.0f, 5, "a frame every" },
        { 0.0f, 0.01f, 5, "a frame every" }, { -1.0f, 0.2f, 5, "0 to 4 s" }, { 4.5f, 0.2f, 5, "0 to 4 s" },
        { 0.0f, NAN, 5, "a frame every" },
    };
    am_strip_def def = am_strip_def_default();
    am_strip *strip = NULL;
    am_error err = { 0 };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        def.run = s.run;
        def.from_s = bad[i].from;
        def.every_s = bad[i].every;
        def.count = bad[i].count;
        check_refused(am_strip_create(&strip, &def, &err), AM_ERR_RANGE);
        assert_null(strip);
        assert_non_null(strstr(err.text, bad[i].says));
    }
    def = am_strip_def_default();
    check_refused(am_strip_create(&strip, &def, &err), AM_ERR_DEF);
    // A run that ended before the first figure.
    strip = make_strip(&s, 3.0f, 0.2f, 4);
    show(strip, &s, 60);
    am_bytes out = { 0 };
    check_refused(am_strip_write(&out, strip, false, &err), AM_ERR_RANGE);
    assert_non_null(strstr(err.text, "ended at 1 s"));
    am_strip_destroy(strip);
    close_stage(&s);
}

typedef struct writing {
    const stage *stage;
    bool svg;
} writing;

static am_result make_and_write(void *user, const am_alloc *alloc)
{
    const writing *w = user;
    am_error err = { 0 };
    am_strip *strip = NULL;
    am_bytes out = { 0 };
    am_strip_def def = am_strip_def_default();
    def.run = w->stage->run;
    def.alloc = alloc;
    def.count = 1;
    am_result result = am_strip_create(&strip, &def, &err);
    if (result == AM_OK) {
        show(strip, w->stage, 2);
        result = am_strip_write(&out, strip, w->svg, &err);
    }
    am_bytes_free(&out);
    am_strip_destroy(strip);
    return refuse_checked(result, &err);
}

static void no_memory_is_an_error(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, one);
    for (int svg = 0; svg < 2; svg++) {
        writing w = { &s, svg == 1 };
        assert_true(refuse_allocations(make_and_write, &w) >= 3);
    }
    close_stage(&s);
}

TEST_SUITE(strip)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_strip_has_these_bytes),
        cmocka_unit_test(figures_are_at_their_moments),
        cmocka_unit_test(all_characters_are_drawn_in_their_colours),
        cmocka_unit_test(limbs_are_drawn_where_the_body_has_them),
        cmocka_unit_test(views_look_from_where_they_say),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_db, free_db);
}

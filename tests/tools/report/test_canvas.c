// Pictures: pixels where a limb must be and none where not, smooth edges, rims, texts; the same as SVG.
#include "support/check.h"

#include "report/canvas.h"

static ami_canvas open_canvas(int width, int height, bool svg)
{
    ami_canvas c;
    am_error err = { 0 };
    check_ok(ami_canvas_begin(&c, width, height, svg, NULL, &err), &err);
    return c;
}

static uint32_t pixel(const ami_canvas *c, int x, int y)
{
    const uint8_t *p = c->pixels + 3 * (y * c->width + x);
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static int dark_pixels(const ami_canvas *c)
{
    int count = 0;
    for (int i = 0; i < c->width * c->height; i++) {
        count += c->pixels[3 * i] < 128;
    }
    return count;
}

static void a_limb_is_where_its_discs_and_their_hull_are(void **state)
{
    (void)state;
    ami_canvas c = open_canvas(100, 60, false);
    ami_limb limb = { { 20.0, 30.0 }, { 80.0, 30.0 }, 15.0, 5.0 };
    ami_canvas_shape(&c, &limb, 1, 0x112233, 0.0);
    static const int inside[][2] = {
        { 20, 30 }, { 80, 30 }, { 50, 30 }, { 6, 30 }, { 20, 16 }, { 50, 38 }, { 83, 30 }
    };
    static const int outside[][2] = {
        { 3, 30 }, { 87, 30 }, { 80, 20 }, { 80, 37 }, { 50, 18 }, { 8, 18 }, { 99, 59 }
    };
    for (int i = 0; i < 7; i++) {
        assert_int_equal(pixel(&c, inside[i][0], inside[i][1]), 0x112233);
        assert_int_equal(pixel(&c, outside[i][0], outside[i][1]), 0xFFFFFF);
    }
    // Its area is that of the hull, to a pixel's width along the edge.
    check_near(dark_pixels(&c), 1609.4, 8.0);
    ami_canvas_free(&c);
}

static void a_disc_inside_the_other_adds_nothing(void **state)
{
    (void)state;
    ami_canvas c = open_canvas(60, 60, false);
    ami_limb limb = { { 30.0, 30.0 }, { 33.0, 30.0 }, 20.0, 4.0 };
    ami_canvas_shape(&c, &limb, 1, 0, 0.0);
    check_near(dark_pixels(&c), 3.14159 * 400.0, 12.0);
    ami_canvas_free(&c);
}

static void edges_are_smooth(void **state)
{
    (void)state;
    ami_canvas c = open_canvas(40, 40, false);
    ami_canvas_segment(&c, (ami_spot){ 5.0, 20.25 }, (ami_spot){ 35.0, 20.25 }, 4.0, 0);
    // From 18.25 to 22.25: three quarters of row 18, a quarter of row 22.
    check_near(pixel(&c, 20, 18) & 255u, 64.0, 1.0);
    check_near(pixel(&c, 20, 22) & 255u, 191.0, 1.0);
    assert_int_equal(pixel(&c, 20, 20), 0);
    assert_int_equal(pixel(&c, 20, 17), 0xFFFFFF);
    ami_canvas_free(&c);
}

static void a_rim_parts_a_shape_from_what_is_behind(void **state)
{
    (void)state;
    ami_canvas c = open_canvas(60, 60, false);
    ami_limb behind = { { 10.0, 30.0 }, { 50.0, 30.0 }, 8.0, 8.0 };
    ami_limb front[] = { { { 30.0, 10.0 }, { 30.0, 30.0 }, 5.0, 5.0 }, { { 30.0, 30.0 }, { 30.0, 50.0 }, 5.0, 5.0 } };
    ami_canvas_shape(&c, &behind, 1, 0xFF0000, 0.0);
    ami_canvas_shape(&c, front, 2, 0x0000FF, 2.0);
    assert_int_equal(pixel(&c, 15, 30), 0xFF0000);
    assert_int_equal(pixel(&c, 23, 30), 0xFFFFFF);
    assert_int_equal(pixel(&c, 30, 34), 0x0000FF); // no rim between parts of one shape
    assert_int_equal(pixel(&c, 30, 25), 0x0000FF);
    ami_canvas_free(&c);
}

static void what_lies_beyond_the_picture_is_left_out(void **state)
{
    (void)state;
    ami_canvas c = open_canvas(20, 20, false);
    ami_canvas_segment(&c, (ami_spot){ -500.0, -500.0 }, (ami_spot){ -400.0, -400.0 }, 9.0, 0);
    ami_canvas_segment(&c, (ami_spot){ 500.0, 10.0 }, (ami_spot){ 900.0, 10.0 }, 9.0, 0);
    assert_int_equal(dark_pixels(&c), 0);
    ami_canvas_segment(&c, (ami_spot){ -500.0, 10.0 }, (ami_spot){ 900.0, 10.0 }, 4.0, 0);
    assert_int_equal(dark_pixels(&c), 80);
    ami_canvas_free(&c);
}

static void every_letter_has_strokes_and_texts_are_anchored(void **state)
{
    (void)state;
    for (const char *s = "0123456789abcxyzABZ.,-/_:()+="; *s; s++) {
        int width = 0;
        assert_true(strlen(ami_glyph(*s, &width)) >= 4);
        assert_true(width > 0);
    }
    int left[3];
    for (int anchor = 0; anchor < 3; anchor++) {
        ami_canvas c = open_canvas(200, 30, false);
        ami_canvas_text(&c, (ami_spot){ 100.0, 20.0 }, 20.0, (ami_anchor)anchor, 0, "1.2 m/s");
        assert_true(dark_pixels(&c) > 50);
        left[anchor] = 200;
        for (int i = 0; i < 200 * 30; i++) {
            left[anchor] = c.pixels[3 * i] < 128 && i % 200 < left[anchor] ? i % 200 : left[anchor];
        }
        ami_canvas_free(&c);
    }
    assert_true(left[0] > left[1] && left[1] > left[2]);
    check_near(left[0] - left[1], left[1] - left[2], 2.0);
}

static void svg_has_the_same_things_as_text(void **state)
{
    (void)state;
    am_error err = { 0 };
    am_bytes out = { 0 };
    ami_canvas c = open_canvas(100, 60, true);
    ami_limb limbs[] = { { { 20.0, 30.0 }, { 80.0, 30.0 }, 15.0, 5.0 }, { { 50.0, 9.0 }, { 50.0, 9.0 }, 4.0, 4.0 } };
    ami_canvas_shape(&c, limbs, 2, 0x0A0B0C, 1.5);
    ami_canvas_line(&c, &limbs[0].a, 1, 2.0, 0xFF0000);
    ami_canvas_text(&c, (ami_spot){ 1.0, 2.0 }, 9.0, ami_anchor_end, 0, "a < b & \"c\"");
    check_ok(ami_canvas_write(&out, &c, &err), &err);
    char *text = calloc(1, out.size + 1);
    memcpy(text, out.data, out.size);
    assert_non_null(strstr(text, "<path fill=\"#0a0b0c\" stroke=\"#fff\" stroke-width=\"3.0\""));
    assert_non_null(strstr(text, "A5.0 5.0 0 0 0"));   // the small end turns less than half a circle,
    assert_non_null(strstr(text, "A15.0 15.0 0 1 0")); // the large one more
    assert_non_null(strstr(text, "M46.0 9.0a4.0 4.0"));
    assert_non_null(strstr(text, "text-anchor=\"end\""));
    assert_non_null(strstr(text, "a &lt; b &amp; &quot;c&quot;"));
    assert_non_null(strstr(text, "</svg>\n"));
    free(text);
    am_bytes_free(&out);
    ami_canvas_free(&c);
}

static void tints_go_to_white(void **state)
{
    (void)state;
    assert_int_equal(ami_tint(0x204060, 1.0), 0x204060);
    assert_int_equal(ami_tint(0x204060, 0.0), 0xFFFFFF);
    assert_int_equal(ami_tint(0x000000, 0.5), 0x808080);
}

TEST_SUITE(canvas)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limb_is_where_its_discs_and_their_hull_are),
        cmocka_unit_test(a_disc_inside_the_other_adds_nothing),
        cmocka_unit_test(edges_are_smooth),
        cmocka_unit_test(a_rim_parts_a_shape_from_what_is_behind),
        cmocka_unit_test(what_lies_beyond_the_picture_is_left_out),
        cmocka_unit_test(every_letter_has_strokes_and_texts_are_anchored),
        cmocka_unit_test(svg_has_the_same_things_as_text),
        cmocka_unit_test(tints_go_to_white),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

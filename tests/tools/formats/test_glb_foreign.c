// GLB as other programs write it: integer components, strides, matrices, scale, sparse keys, trees without a skin;
// and each thing that is refused, with the code it is refused with.
#include "tools/formats/glb_make.h"

#include "formats/rate.h"

// ---------------------------------------------------------------------------------------------
// A small file that tests vary

/// Times 0, 0.5, 1 s; three rotations; three translations; bytes of other forms behind them.
typedef struct body {
    float times[3];            // at 0
    float rotations[3][4];     // at 12
    float places[3][3];        // at 60
    int16_t short_turns[3][4]; // at 96: normalised
    uint8_t byte_times[4];     // at 120
    float strided[3][5];       // at 124: a place and two other numbers
    float curve[9][3];         // at 184: in-tangent, value, out-tangent
} body;

#define H 0.70710678f

static body make_body(void)
{
    body b = { { 0.0f, 0.5f, 1.0f },
               { { 0, 0, 0, 1 }, { 0, H, 0, H }, { 0, 1, 0, 0 } },
               { { 0, 1, 0 }, { 0, 2, 0 }, { 0, 3, 4 } },
               { { 0, 0, 0, 32767 }, { 0, 23170, 0, 23170 }, { 0, 32767, 0, 0 } },
               { 0, 1, 2, 0 },
               { { 1, 0, 0, 9, 9 }, { 2, 0, 0, 9, 9 }, { 3, 0, 0, 9, 9 } },
               { { 0, 0, 0 },
                 { 0, 0, 0 },
                 { 0, 4, 0 },
                 { 0, 0, 0 },
                 { 0, 1, 0 },
                 { 0, 0, 0 },
                 { 0, 0, 0 },
                 { 0, 0, 0 },
                 { 0, 0, 0 } } };
    return b;
}

static const char *const accessors =
    "[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":0,\"byteOffset\":60,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
    "{\"bufferView\":0,\"byteOffset\":96,\"componentType\":5122,\"normalized\":true,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":0,\"byteOffset\":120,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
    "{\"bufferView\":0,\"byteOffset\":184,\"componentType\":5126,\"count\":9,\"type\":\"VEC3\"}]";

static const char *const views = "[{\"buffer\":0,\"byteLength\":292},"
                                 "{\"buffer\":0,\"byteOffset\":124,\"byteLength\":60,\"byteStride\":20}]";

static const char *const turn = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],"
                                "\"samplers\":[{\"input\":0,\"output\":1}]}";

/// Parts of the JSON; NULL takes the plain one.
typedef struct parts {
    const char *nodes, *skins, *animations, *accessors, *views;
} parts;

static am_result read_parts(am_clips *out, const parts *p, const body *b, am_error *err)
{
    char json[8192];
    body plain = make_body();
    int size = snprintf(json, sizeof json,
                        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":%s,%s%s%s\"animations\":[%s],\"accessors\":%s,"
                        "\"bufferViews\":%s,\"buffers\":[{\"byteLength\":292}]}",
                        p->nodes ? p->nodes : "[{\"name\":\"a\"}]", p->skins ? "\"skins\":" : "",
                        p->skins ? p->skins : "", p->skins ? "," : "", p->animations ? p->animations : turn,
                        p->accessors ? p->accessors : accessors, p->views ? p->views : views);
    assert_in_range(size, 1, sizeof json - 1);
    return glb_read_text(out, json, b ? b : &plain, sizeof plain, err);
}

static am_clip *read_one(am_clips *out, const parts *p)
{
    am_error err = { 0 };
    check_ok(read_parts(out, p, NULL, &err), &err);
    return out->items[0];
}

static void check_v3(am_vec3 v, float x, float y, float z, float tolerance)
{
    check_near(v.x, x, tolerance);
    check_near(v.y, y, tolerance);
    check_near(v.z, z, tolerance);
}

static am_vec3 position(const am_clip *clip, int frame, int joint)
{
    am_transform pose[AM_MAX_JOINTS];
    am_clip_local(clip, frame, pose);
    am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
    return pose[joint].translation;
}

/// Refused with `code`, nothing made, and a text that holds `word`.
static void check_parts_refused(const parts *p, const body *b, am_result code, const char *word)
{
    am_clips clips;
    am_error err = { 0 };
    check_refused(read_parts(&clips, p, b, &err), code);
    assert_null(clips.items);
    if (!strstr(err.text, word)) {
        fail_msg("'%s' does not speak of '%s'", err.text, word);
    }
    assert_string_equal(err.file, "hand.glb");
}

// ---------------------------------------------------------------------------------------------
// Forms of data

static void sparse_keys_are_sampled_at_60_hz(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(&clips, &(parts){ 0 });
    assert_int_equal(clip->frame_count, 61);
    assert_true(clip->fps == 60.0f);
    check_near(am_quat_angle(clip->rotations[0], clip->rotations[15]), AM_PI / 4.0f, 1e-5f);
    check_near(am_quat_angle(clip->rotations[0], clip->rotations[30]), AM_PI / 2.0f, 1e-5f);
    check_near(am_quat_angle(clip->rotations[0], clip->rotations[60]), AM_PI, 1e-3f);
    assert_string_equal(clip->name, "hand");
    am_clips_free(&clips);
}

static void steps_hold_and_curves_bend(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip =
        read_one(&clips, &(parts){ .animations = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
                                                 "\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":2,"
                                                 "\"interpolation\":\"STEP\"}]}" });
    assert_int_equal(clip->moving_count, 1);
    check_v3(clip->translations[29], 0, 1, 0, 0.0f);
    check_v3(clip->translations[30], 0, 2, 0, 0.0f);
    check_v3(clip->translations[60], 0, 3, 4, 0.0f);
    am_clips_free(&clips);
    clip = read_one(&clips, &(parts){ .animations = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
                                                    "\"translation\"}}],\"samplers\":[{\"input\":0,\"output\":6,"
                                                    "\"interpolation\":\"CUBICSPLINE\"}]}" });
    assert_true(clip->fps == 60.0f);
    check_v3(clip->translations[30], 0, 1, 0, 0.0f);
    // Halfway: 0.5 of the second value and span * 1/8 of the first out-tangent, 0.5 * 4 / 8.
    check_v3(clip->translations[15], 0, 0.75f, 0, 1e-6f);
    am_clips_free(&clips);
}

static void integers_and_strides_are_read(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(
        &clips,
        &(parts){ .animations =
                      "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},{\"sampler\":1,"
                      "\"target\":{\"node\":0,\"path\":\"translation\"}}],"
                      "\"samplers\":[{\"input\":4,\"output\":3},{\"input\":4,\"output\":5}]}" });
    assert_int_equal(clip->frame_count, 121); // byte times 0, 1, 2 s
    check_near(am_quat_angle(clip->rotations[0], clip->rotations[60]), AM_PI / 2.0f, 1e-3f);
    check_v3(clip->translations[60], 2, 0, 0, 0.0f);
    check_v3(clip->translations[90], 2.5f, 0, 0, 1e-6f);
    am_clips_free(&clips);
}

// ---------------------------------------------------------------------------------------------
// Trees

static void scale_and_turn_above_the_root_are_baked_in(void **state)
{
    (void)state;
    am_clips clips;
    // A z-up armature in centimetres, as modelling programs export it; the skin's one root is "hips".
    am_clip *clip = read_one(
        &clips,
        &(parts){ .nodes =
                      "[{\"name\":\"Armature\",\"rotation\":[-0.70710678,0,0,0.70710678],\"scale\":[0.01,0.01,0.01],"
                      "\"translation\":[0,0,5],\"children\":[1]},"
                      "{\"name\":\"hips\",\"translation\":[0,0,100],\"children\":[2]},"
                      "{\"name\":\"head\",\"translation\":[0,0,60]}]",
                  .skins = "[{\"joints\":[1,2]}]",
                  .animations = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}],"
                                "\"samplers\":[{\"input\":0,\"output\":1}]}" });
    assert_int_equal(clip->skeleton->joint_count, 2);
    assert_string_equal(clip->skeleton->names[0], "hips");
    check_v3(position(clip, 0, 0), 0, 1, 5, 1e-5f);
    check_v3(position(clip, 0, 1), 0, 1.6f, 5, 1e-5f);
    assert_int_equal(clip->moving_count, 0);
    am_clips_free(&clips);
}

static void an_animated_armature_moves_the_root(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(&clips, &(parts){ .nodes = "[{\"scale\":[2,2,2],\"children\":[1]},{\"translation\":[1,0,"
                                                        "0],\"children\":[2]},{\"translation\":[0,1,0]}]",
                                               .skins = "[{\"joints\":[1,2]}]" });
    // Node 0 turns by a right angle about y in half a second: +x goes to -z.
    assert_int_equal(clip->moving_count, 1);
    check_v3(position(clip, 0, 0), 2, 0, 0, 1e-5f);
    check_v3(position(clip, 30, 0), 0, 0, -2, 1e-5f);
    check_v3(position(clip, 30, 1), 0, 2, -2, 1e-5f);
    assert_string_equal(clip->skeleton->names[0], "node_1");
    am_clips_free(&clips);
}

static void matrices_are_split(void **state)
{
    (void)state;
    am_clips clips;
    // A quarter turn about z, three times as large, and moved.
    am_clip *clip =
        read_one(&clips, &(parts){ .nodes = "[{\"matrix\":[0,3,0,0,-3,0,0,0,0,0,3,0,7,8,9,1],\"children\":[1]},"
                                            "{\"translation\":[1,0,0]}]",
                                   .animations = "{\"channels\":[],\"samplers\":[]}" });
    assert_int_equal(clip->skeleton->joint_count, 2);
    assert_int_equal(clip->frame_count, 1);
    check_v3(position(clip, 0, 0), 7, 8, 9, 1e-6f);
    check_v3(position(clip, 0, 1), 7, 11, 9, 1e-5f);
    am_clips_free(&clips);
}

static void without_a_skin_the_animated_tree_counts(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(
        &clips,
        &(parts){ .nodes = "[{\"name\":\"scenery\",\"mesh\":0},{\"name\":\"world\",\"children\":[2]},"
                           "{\"name\":\"body\",\"children\":[3,4,5]},{\"name\":\"arm\",\"translation\":[1,0,0]},"
                           "{\"name\":\"shell\",\"mesh\":0},{\"name\":\"arm\",\"translation\":[-1,0,0]}]",
                  .animations = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"rotation\"}},"
                                "{\"sampler\":0,\"target\":{\"node\":5,\"path\":\"rotation\"}}],"
                                "\"samplers\":[{\"input\":0,\"output\":1}]}" });
    assert_int_equal(clip->skeleton->joint_count, 3);
    assert_string_equal(clip->skeleton->names[0], "body");
    assert_string_equal(clip->skeleton->names[1], "arm");
    assert_string_equal(clip->skeleton->names[2], "arm_2");
    am_clips_free(&clips);
}

static void children_before_parents_are_put_in_order(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(
        &clips,
        &(parts){ .nodes = "[{\"name\":\"tip\",\"translation\":[0,1,0]},{\"name\":\"middle\",\"translation\":"
                           "[0,1,0],\"children\":[0]},{\"name\":\"root\",\"children\":[1,3]},{\"name\":\"side\"}]",
                  .skins = "[{\"joints\":[0,1,2,3]}]" });
    const am_skeleton *s = clip->skeleton;
    assert_int_equal(s->joint_count, 4);
    const char *const wanted[4] = { "root", "middle", "tip", "side" };
    const int parents[4] = { -1, 0, 1, 0 };
    for (int j = 0; j < 4; j++) {
        assert_string_equal(s->names[j], wanted[j]);
        assert_int_equal(s->parents[j], parents[j]);
    }
    // The animation turns the tip by half a turn, whatever its number became.
    check_near(am_quat_angle(clip->rotations[2], clip->rotations[60 * 4 + 2]), AM_PI, 1e-3f);
    am_clips_free(&clips);
}

static void clothes_that_share_joints_belong_to_the_body(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(
        &clips,
        &(parts){ .nodes = "[{\"children\":[1,4]},{\"children\":[2]},{\"children\":[3]},{},{\"children\":[5]},{}]",
                  .skins = "[{\"joints\":[1,2]},{\"joints\":[2,3]},{\"joints\":[5]}]",
                  .animations = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}],"
                                "\"samplers\":[{\"input\":0,\"output\":1}]}" });
    assert_int_equal(clip->skeleton->joint_count, 3); // 1, 2, 3; the other figure is left out
    am_clips_free(&clips);
}

static void joints_without_a_common_joint_get_the_node_above_them(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(&clips, &(parts){ .nodes = "[{\"name\":\"rig\",\"children\":[1,2]},{\"name\":\"l\"},{"
                                                        "\"name\":\"m\",\"children\":[3]},{\"name\":\"r\"}]",
                                               .skins = "[{\"joints\":[1,3]}]" });
    assert_int_equal(clip->skeleton->joint_count, 4); // and what lies between
    assert_string_equal(clip->skeleton->names[0], "rig");
    am_clips_free(&clips);
}

static void harmless_channels_do_no_harm(void **state)
{
    (void)state;
    body b = make_body();
    for (int i = 0; i < 3; i++) { // a scale track that repeats the rest scale, a translation that repeats the offset
        b.places[i][0] = b.places[i][1] = b.places[i][2] = 1.0f;
    }
    am_clips clips;
    am_error err = { 0 };
    parts p = { .nodes = "[{\"children\":[1,2]},{\"translation\":[1,1,1],\"children\":[3]},{\"camera\":0},{}]",
                .animations = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},"
                              "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"scale\"}},"
                              "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"translation\"}},"
                              "{\"sampler\":1,\"target\":{\"node\":3,\"path\":\"weights\"}},"
                              "{\"sampler\":1,\"target\":{\"path\":\"translation\"}}],"
                              "\"samplers\":[{\"input\":0,\"output\":1},{\"input\":0,\"output\":2}]}" };
    check_ok(read_parts(&clips, &p, &b, &err), &err);
    assert_int_equal(clips.items[0]->moving_count, 0);
    assert_int_equal(clips.items[0]->skeleton->joint_count, 3);
    am_clips_free(&clips);
}

static void uneven_scale_on_a_leaf_only_swells_the_mesh(void **state)
{
    (void)state;
    am_clips clips;
    am_clip *clip = read_one(
        &clips, &(parts){ .nodes = "[{\"children\":[1]},{\"scale\":[1,2,-3]}]", .skins = "[{\"joints\":[0,1]}]" });
    assert_int_equal(clip->skeleton->joint_count, 2);
    am_clips_free(&clips);
}

// ---------------------------------------------------------------------------------------------
// Refusals

static void scale_that_cannot_be_baked_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *node;
        const char *word;
    } cases[] = { { "\"scale\":[1,2,1]", "differs by axis" },
                  { "\"scale\":[-1,-1,-1]", "mirroring" },
                  { "\"scale\":[0,0,0]", "zero" },
                  { "\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]", "shear" },
                  { "\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]", "mirroring" },
                  { "\"matrix\":[0,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]", "zero" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char nodes[256];
        snprintf(nodes, sizeof nodes, "[{%s,\"children\":[1]},{\"children\":[2]},{}]", cases[i].node);
        check_parts_refused(&(parts){ .nodes = nodes, .skins = "[{\"joints\":[0,1]}]" }, NULL, AM_ERR_SUPPORT,
                            cases[i].word);
        check_parts_refused(&(parts){ .nodes = nodes, .skins = "[{\"joints\":[1,2]}]" }, NULL, AM_ERR_SUPPORT,
                            cases[i].word);
    }
    check_parts_refused(&(parts){ .nodes = "[{\"children\":[1]},{}]",
                                  .skins = "[{\"joints\":[0,1]}]",
                                  .animations =
                                      "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}],"
                                      "\"samplers\":[{\"input\":0,\"output\":2}]}" },
                        NULL, AM_ERR_SUPPORT, "animated");
}

static void data_elsewhere_or_in_other_forms_is_refused(void **state)
{
    (void)state;
    const char *const outside = "[{\"buffer\":1,\"byteLength\":300}]";
    const char *const squeezed =
        "[{\"buffer\":0,\"byteLength\":292,\"extensions\":{\"EXT_meshopt_compression\":{}}}]";
    const char *const sparse =
        "[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\",\"sparse\":{}}]";
    const char *const nothing = "[{\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}]";
    const char *const one = "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],"
                            "\"samplers\":[{\"input\":0,\"output\":0}]}";
    check_parts_refused(&(parts){ .views = outside, .animations = one }, NULL, AM_ERR_SUPPORT, "one .glb");
    check_parts_refused(&(parts){ .views = squeezed, .animations = one }, NULL, AM_ERR_SUPPORT, "meshopt");
    check_parts_refused(&(parts){ .accessors = sparse, .animations = one }, NULL, AM_ERR_SUPPORT, "sparse");
    check_parts_refused(&(parts){ .accessors = nothing, .animations = one }, NULL, AM_ERR_SUPPORT, "no bufferView");
}

static void accessors_outside_the_data_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *accessors, *views;
        am_result code;
    } cases[] = {
        { "[{\"bufferView\":0,\"componentType\":5126,\"count\":74,\"type\":\"SCALAR\"}]", NULL, AM_ERR_TRUNCATED },
        { "[{\"bufferView\":0,\"byteOffset\":290,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}]", NULL,
          AM_ERR_TRUNCATED },
        { "[{\"bufferView\":0,\"byteOffset\":-4,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}]", NULL,
          AM_ERR_RANGE },
        { "[{\"bufferView\":0,\"byteOffset\":0.5,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}]", NULL,
          AM_ERR_RANGE },
        { "[{\"bufferView\":0,\"byteOffset\":\"4\",\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}]", NULL,
          AM_ERR_TYPE },
        { "[{\"bufferView\":7,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}]", NULL, AM_ERR_RANGE },
        { "[{\"bufferView\":0,\"componentType\":5124,\"count\":1,\"type\":\"SCALAR\"}]", NULL, AM_ERR_RANGE },
        { "[{\"bufferView\":0,\"componentType\":5126,\"count\":0,\"type\":\"SCALAR\"}]", NULL, AM_ERR_RANGE },
        { "[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC2\"}]", NULL, AM_ERR_TYPE },
        { NULL, "[{\"buffer\":0,\"byteLength\":9999}]", AM_ERR_TRUNCATED },
        { NULL, "[{\"buffer\":0,\"byteOffset\":4294967295,\"byteLength\":4294967295}]", AM_ERR_TRUNCATED },
        { NULL, "[{\"buffer\":0,\"byteLength\":292,\"byteStride\":2}]", AM_ERR_RANGE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_parts_refused(&(parts){ .accessors = cases[i].accessors, .views = cases[i].views }, NULL, cases[i].code,
                            "");
    }
}

static void bad_keys_are_refused(void **state)
{
    (void)state;
    body b = make_body();
    b.times[2] = 0.25f;
    check_parts_refused(&(parts){ 0 }, &b, AM_ERR_FORMAT, "go back");
    b = make_body();
    b.rotations[1][2] = NAN;
    check_parts_refused(&(parts){ 0 }, &b, AM_ERR_NUMBER, "not finite");
    b = make_body();
    b.times[2] = 1e9f;
    check_parts_refused(&(parts){ 0 }, &b, AM_ERR_LIMIT, "frames");
    const struct {
        const char *animation;
        am_result code;
    } cases[] = {
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,"
          "\"output\":3,"
          "\"interpolation\":\"CUBICSPLINE\"}]}",
          AM_ERR_FORMAT },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,"
          "\"output\":1,"
          "\"interpolation\":\"WOBBLE\"}]}",
          AM_ERR_RANGE },
        { "{\"channels\":[{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,"
          "\"output\":1}]}",
          AM_ERR_RANGE },
        { "{\"channels\":[{\"sampler\":0}],\"samplers\":[{\"input\":0,\"output\":1}]}", AM_ERR_KEY },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":9,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":0,"
          "\"output\":1}]}",
          AM_ERR_RANGE },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":\"a\",\"path\":\"rotation\"}}],\"samplers\":[{"
          "\"input\":0,\"output\":1}]}",
          AM_ERR_TYPE },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}},{\"sampler\":0,\"target\":{"
          "\"node\":0,\"path\":"
          "\"rotation\"}}],\"samplers\":[{\"input\":0,\"output\":1}]}",
          AM_ERR_FORMAT },
        { "{\"channels\":[7],\"samplers\":[]}", AM_ERR_TYPE },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}", AM_ERR_KEY },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}],\"samplers\":[{\"input\":1,"
          "\"output\":1}]}",
          AM_ERR_TYPE },
        { "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}},{\"sampler\":1,\"target\":"
          "{\"node\":0,\"path\":"
          "\"rotation\"}}],\"samplers\":[{\"input\":0,\"output\":2},{\"input\":0,\"output\":2}]}",
          AM_ERR_TYPE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_parts_refused(&(parts){ .animations = cases[i].animation }, NULL, cases[i].code, "");
    }
}

static void trees_that_are_none_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *nodes, *skins;
        am_result code;
    } cases[] = {
        { "[]", NULL, AM_ERR_EMPTY },
        { "{}", NULL, AM_ERR_TYPE },
        { "[7]", NULL, AM_ERR_TYPE },
        { "[{\"children\":[1]},{\"children\":[0]}]", NULL, AM_ERR_SKELETON },
        { "[{\"children\":[0]}]", NULL, AM_ERR_SKELETON },
        { "[{\"children\":[2]},{\"children\":[2]},{}]", NULL, AM_ERR_SKELETON },
        { "[{\"children\":[5]}]", NULL, AM_ERR_RANGE },
        { "[{\"children\":[\"x\"]}]", NULL, AM_ERR_TYPE },
        { "[{\"children\":3}]", NULL, AM_ERR_TYPE },
        { "[{\"translation\":[1,2]}]", NULL, AM_ERR_RANGE },
        { "[{\"rotation\":\"none\"}]", NULL, AM_ERR_TYPE },
        { "[{\"translation\":[3e38,0,0],\"scale\":[9,9,9],\"children\":[1]},{\"translation\":[3e38,0,0]}]",
          "[{\"joints\":[0,1]}]", AM_ERR_NUMBER },
        { "[{},{}]", "[{\"joints\":[0,1]}]", AM_ERR_SKELETON },
        { "[{},{}]", "[{\"joints\":[]}]", AM_ERR_EMPTY },
        { "[{},{}]", "[{\"joints\":[4]}]", AM_ERR_RANGE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_parts_refused(&(parts){ .nodes = cases[i].nodes, .skins = cases[i].skins }, NULL, cases[i].code, "");
    }
}

static void limits_are_kept(void **state)
{
    (void)state;
    am_bytes bytes = glb_make("{\"nodes\":[{\"children\":[1]},{\"children\":[2]},{}]}", NULL, 0);
    am_read_def def = am_read_def_default();
    am_clips clips;
    am_error err = { 0 };
    check_ok(am_glb_read(&clips, bytes.data, bytes.size, &def, &err), &err);
    assert_int_equal(clips.items[0]->skeleton->joint_count, 3);
    assert_int_equal(clips.items[0]->frame_count, 0);
    am_clips_free(&clips);
    def.max_joints = 2;
    check_refused(am_glb_read(&clips, bytes.data, bytes.size, &def, &err), AM_ERR_LIMIT);
    def.cookie = 0;
    check_refused(am_glb_read(&clips, bytes.data, bytes.size, &def, &err), AM_ERR_DEF);
    am_bytes_free(&bytes);
}

static void a_deep_chain_above_the_root_is_refused(void **state)
{
    (void)state;
    am_bytes json = ami_bytes_make(NULL);
    ami_put_text(&json, "{\"nodes\":[");
    for (int i = 0; i < 1500; i++) {
        ami_put_format(&json, "{\"children\":[%d]},", i + 1);
    }
    ami_put_format(&json, "{}],\"skins\":[{\"joints\":[1500]}]}");
    ami_put_u8(&json, 0);
    am_clips clips;
    am_error err = { 0 };
    check_refused(glb_read_text(&clips, (const char *)json.data, NULL, 0, &err), AM_ERR_LIMIT);
    am_bytes_free(&json);
}

static void containers_that_are_none_are_refused(void **state)
{
    (void)state;
    am_bytes good = glb_make("{\"nodes\":[{}]}", NULL, 0);
    am_read_def def = am_read_def_default();
    am_clips clips;
    const struct {
        size_t at;
        uint8_t value;
        am_result code;
    } cases[] = { { 0, 'G', AM_ERR_FORMAT },   { 4, 1, AM_ERR_VERSION },   { 9, 9, AM_ERR_TRUNCATED },
                  { 13, 9, AM_ERR_TRUNCATED }, { 16, 'j', AM_ERR_FORMAT }, { 20, '[', AM_ERR_SYNTAX } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t kept = good.data[cases[i].at];
        am_error err = { 0 };
        good.data[cases[i].at] = cases[i].value;
        check_refused(am_glb_read(&clips, good.data, good.size, &def, &err), cases[i].code);
        good.data[cases[i].at] = kept;
    }
    am_bytes_free(&good);
    am_error err = { 0 };
    check_refused(glb_read_text(&clips, "[]", NULL, 0, &err), AM_ERR_TYPE);
    check_refused(glb_read_text(&clips, "{\"nodes\":[{}],\"skins\":4}", NULL, 0, &err), AM_ERR_TYPE);
}

// ---------------------------------------------------------------------------------------------
// Rates

static float rate_of(const float *times, int count, float stated, bool smooth)
{
    ami_keys keys = { times, count };
    return ami_rate_find(&keys, 1, stated, smooth).fps;
}

static void rates_are_found_from_key_times(void **state)
{
    (void)state;
    float times[200];
    const float rates[] = { 12.0f, 24.0f, 29.97f, 30.0f, 60.0f, 100.0f, 119.88f, 120.0f };
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
        for (int i = 0; i < 200; i++) {
            times[i] = 3.0f + (float)i / rates[r];
        }
        check_near(rate_of(times, 200, 0.0f, false), rates[r], 1e-3f);
    }
    for (int i = 0; i < 50; i++) { // every third key of 30 Hz was dropped as redundant
        times[i] = (float)(i + i / 2) / 30.0f;
    }
    assert_true(rate_of(times, 50, 0.0f, false) == 30.0f);
    for (int i = 0; i < 10; i++) { // poses a second apart are no frames
        times[i] = (float)i;
    }
    assert_true(rate_of(times, 10, 0.0f, false) == 60.0f);
    assert_true(rate_of(times, 10, 50.0f, false) == 50.0f); // unless the file says which rate it means
    assert_true(rate_of(times, 10, 7.3f, false) == 60.0f);  // and does not lie
    for (int i = 0; i < 30; i++) {
        times[i] = (float)i / 15.0f;
    }
    assert_true(rate_of(times, 30, 0.0f, false) == 15.0f);
    assert_true(rate_of(times, 30, 0.0f, true) == 30.0f); // curves between keys need more of them
    for (int i = 0; i < 100; i++) {                       // off every grid
        times[i] = (float)i / 40.0f + 0.011f * (float)(i * i % 7);
    }
    assert_true(rate_of(times, 100, 0.0f, false) == 60.0f);
    assert_true(rate_of(times, 1, 0.0f, false) == 60.0f);
    assert_true(rate_of(times, 0, 0.0f, false) == 60.0f);
}

TEST_SUITE(glb_foreign)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_keys_are_sampled_at_60_hz),
        cmocka_unit_test(steps_hold_and_curves_bend),
        cmocka_unit_test(integers_and_strides_are_read),
        cmocka_unit_test(scale_and_turn_above_the_root_are_baked_in),
        cmocka_unit_test(an_animated_armature_moves_the_root),
        cmocka_unit_test(matrices_are_split),
        cmocka_unit_test(without_a_skin_the_animated_tree_counts),
        cmocka_unit_test(children_before_parents_are_put_in_order),
        cmocka_unit_test(clothes_that_share_joints_belong_to_the_body),
        cmocka_unit_test(joints_without_a_common_joint_get_the_node_above_them),
        cmocka_unit_test(harmless_channels_do_no_harm),
        cmocka_unit_test(uneven_scale_on_a_leaf_only_swells_the_mesh),
        cmocka_unit_test(scale_that_cannot_be_baked_is_refused),
        cmocka_unit_test(data_elsewhere_or_in_other_forms_is_refused),
        cmocka_unit_test(accessors_outside_the_data_are_refused),
        cmocka_unit_test(bad_keys_are_refused),
        cmocka_unit_test(trees_that_are_none_are_refused),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_deep_chain_above_the_root_is_refused),
        cmocka_unit_test(containers_that_are_none_are_refused),
        cmocka_unit_test(rates_are_found_from_key_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

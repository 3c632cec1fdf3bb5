// The BVH reader on small texts: what it understands, and what it says about what it does not.
#include "support/check.h"
#include "support/refuse.h"

#include "formats/bvh.h"

// A root with position and rotation, one joint below, a tip.
#define HEAD                                                                                                         \
    "HIERARCHY\nROOT Hips\n{\n\tOFFSET 1 2 3\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "       \
    "Xrotation\n"                                                                                                    \
    "\tJOINT Leg\n\t{\n\t\tOFFSET 0 -4 0\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n"                            \
    "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -5 0.5\n\t\t}\n\t}\n}\n"
#define MOTION(frames) "MOTION\nFrames: " #frames "\nFrame Time: 0.0333333\n"
#define ROW_A "10 20 30 0 0 0 90 0 0\n"
#define ROW_B "-1.5 2.25 .5 90 0 0 0 0 -90\n"

static am_result read_text(am_clip **clip, const char *text, am_error *err)
{
    am_read_def def = am_read_def_default();
    def.file = "dir/walk.bvh";
    memset(err, 0, sizeof *err);
    return am_bvh_read(clip, text, strlen(text), &def, err);
}

static am_clip *must_read(const char *text)
{
    am_clip *clip = NULL;
    am_error err;
    check_ok(read_text(&clip, text, &err), &err);
    return clip;
}

static am_vec3 model_position(const am_clip *clip, int frame, int joint)
{
    am_transform pose[AM_MAX_JOINTS];
    am_clip_local(clip, frame, pose);
    am_fk(pose, pose, clip->skeleton->parents, clip->skeleton->joint_count);
    return pose[joint].translation;
}

static void check_vec3(am_vec3 v, float x, float y, float z)
{
    check_near(v.x, x, 1e-5);
    check_near(v.y, y, 1e-5);
    check_near(v.z, z, 1e-5);
}

// ---------------------------------------------------------------------------------------------
// What a plain file holds

static void rows_beyond_the_announced_ones_are_counted(void **state)
{
    (void)state;
    am_clip *clip = must_read(HEAD MOTION(1) ROW_A ROW_B ROW_B "\n \n");
    assert_int_equal(clip->frame_count, 1);
    assert_int_equal(clip->unread_rows, 2);
    am_clip_destroy(clip);
    clip = must_read(HEAD MOTION(2) ROW_A ROW_B "\n\t\n");
    assert_int_equal(clip->unread_rows, 0);
    am_clip_destroy(clip);
}

static void a_plain_file_gives_skeleton_rate_and_motion(void **state)
{
    (void)state;
    am_clip *clip = must_read(HEAD MOTION(2) ROW_A ROW_B);
    const am_skeleton *s = clip->skeleton;
    assert_string_equal(clip->name, "walk");
    assert_int_equal(s->joint_count, 2);
    assert_int_equal(s->end_count, 1);
    assert_int_equal(clip->frame_count, 2);
    assert_int_equal(clip->moving_count, 1);
    assert_true(clip->fps == 30.0f);
    assert_string_equal(s->names[1], "Leg");
    check_vec3(s->offsets[1], 0, -4, 0);
    check_vec3(s->end_offsets[0], 0, -5, 0.5f);
    assert_int_equal(s->end_joints[0], 1);
    // Leg turned by 90 degrees about z in frame 0; the root by 90 in frame 1, which swings the leg to +x.
    check_vec3(am_quat_rotate(clip->rotations[1], am_v3(1, 0, 0)), 0, 1, 0);
    check_vec3(model_position(clip, 1, 1), -1.5f + 4.0f, 2.25f, 0.5f);
    am_clip_destroy(clip);
}

static void the_root_channels_are_absolute_and_its_offset_is_kept(void **state)
{
    (void)state;
    am_clip *clip = must_read(HEAD MOTION(1) ROW_A);
    check_vec3(clip->translations[0], 10, 20, 30);
    check_vec3(clip->skeleton->offsets[0], 1, 2, 3);
    am_clip_destroy(clip);
}

static void position_channels_of_a_joint_replace_its_offset(void **state)
{
    (void)state;
    am_clip *clip =
        must_read("HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation JOINT B { OFFSET 1 2 3 "
                  "CHANNELS 2 Yposition Xrotation End Site { OFFSET 0 1 0 } } } MOTION Frames: 1 "
                  "Frame Time: 0.01\n0 0 0 7 90");
    assert_int_equal(clip->moving_count, 1);
    assert_int_equal(clip->moving[0], 1);
    check_vec3(clip->translations[0], 1, 7, 3); // x and z have no channel
    check_vec3(am_quat_rotate(clip->rotations[1], am_v3(0, 1, 0)), 0, 0, 1);
    assert_true(clip->fps == 100.0f);
    am_clip_destroy(clip);
}

static void any_order_of_rotations_means_its_own_product(void **state)
{
    (void)state;
    static const char *const names[3] = { "Xrotation", "Yrotation", "Zrotation" };
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int a = 0; a < 6; a++) {
        for (int b = 0; b < 6; b++) { // another order in the joint below
            char text[1024];
            snprintf(
                text, sizeof text,
                "HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 3 %s %s %s JOINT B { OFFSET 0 1 0 CHANNELS 3 %s %s %s } }\n"
                "MOTION\nFrames: 1\nFrame Time: 0.1\n10 -20 30 40 50 -60\n",
                names[orders[a][0]], names[orders[a][1]], names[orders[a][2]], names[orders[b][0]],
                names[orders[b][1]], names[orders[b][2]]);
            am_clip *clip = must_read(text);
            const float degrees[6] = { 10, -20, 30, 40, 50, -60 };
            for (int j = 0; j < 2; j++) {
                am_quat q = am_quat_identity();
                for (int i = 0; i < 3; i++) {
                    int axis = j == 0 ? orders[a][i] : orders[b][i];
                    am_vec3 unit = am_v3(axis == 0, axis == 1, axis == 2);
                    q = am_quat_mul(q, am_quat_from_axis_angle(unit, degrees[3 * j + i] * AM_DEG));
                }
                check_near(am_quat_angle(q, clip->rotations[j]), 0, 1e-3);
            }
            am_clip_destroy(clip);
        }
    }
}

static void fewer_channels_leave_the_other_axes_still(void **state)
{
    (void)state;
    am_clip *clip =
        must_read("HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 1 Yrotation JOINT B { OFFSET 0 1 0 CHANNELS 2 "
                  "Zrotation Xrotation JOINT C { OFFSET 0 0 1 CHANNELS 0 JOINT D { OFFSET 1 0 0 } } } }\n"
                  "MOTION\nFrames: 1\nFrame Time: 0.5\n90 30 -45\n");
    assert_int_equal(clip->moving_count, 0);
    assert_int_equal(clip->skeleton->joint_count, 4);
    assert_int_equal(clip->skeleton->end_count, 0);
    check_near(am_quat_angle(clip->rotations[0], am_quat_from_euler("yzx", AM_PI / 2, 0, 0)), 0, 1e-3);
    check_near(am_quat_angle(clip->rotations[1], am_quat_from_euler("zxy", 30 * AM_DEG, -45 * AM_DEG, 0)), 0, 1e-3);
    assert_true(clip->rotations[2].w == 1.0f && clip->rotations[3].w == 1.0f);
    am_clip_destroy(clip);
}

// ---------------------------------------------------------------------------------------------
// Odd, but plain in meaning: all of these are the file of ROW_A and ROW_B

static void odd_spellings_read_like_the_plain_file(void **state)
{
    (void)state;
    static const char *const texts[] = {
        // CRLF, lone CR, tabs and many blanks, no newline at the end
        HEAD
        "MOTION\r\nFrames: 2\r\nFrame Time: 0.0333333\r\n10 20 30 0 0 0 90 0 0\r\n-1.5 2.25 .5 90 0 0 0 0 -90\r\n",
        HEAD "MOTION\rFrames: 2\rFrame Time: 0.0333333\r10 20 30 0 0 0 90 0 0\r-1.5 2.25 .5 90 0 0 0 0 -90\r",
        HEAD MOTION(2) "  10\t20   30 0\t\t0 0 90 0 0 \t \n-1.5 2.25 .5 90 0 0 0 0 -90",
        // exponents, plus signs, points at the ends, more digits than a float has
        HEAD MOTION(
            2) "1e1 +20 3.0E+1 0. 0 -0 900e-1 0.0 0\n-15e-1 2.250000000000000000001 .5 90 0 0 0 0 -90.00000000\n",
        // comments and blank lines
        "# made by hand\n" HEAD "// here it moves\n" MOTION(2) "\n# first\n" ROW_A "\n\n// second\n" ROW_B "# end\n",
        HEAD MOTION(2) "10 20 30 0 0 0 90 0 0 # standing\n" ROW_B,
        // case, braces on the same line, one line, byte order mark, no HIERARCHY
        "hierarchy\nroot Hips{\noffset 1 2 3\nchannels 6 XPOSITION yposition Zposition ZROTATION yrotation "
        "xRotation\n"
        "joint Leg{offset 0 -4 0 channels 3 Zrotation Yrotation Xrotation end site{offset 0 -5 .5}}}\n"
        "motion\nframes: 2\nframe time: .0333333\n" ROW_A ROW_B,
        "\xEF\xBB\xBF" HEAD MOTION(2) ROW_A ROW_B,
        "ROOT Hips { OFFSET 1 2 3 CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation JOINT Leg { "
        "OFFSET 0 "
        "-4 0 CHANNELS 3 Zrotation Yrotation Xrotation EndSite { OFFSET 0 -5 0.5 } } } " MOTION(2) ROW_A ROW_B,
        // the head of MOTION, oddly
        HEAD "MOTION\nFrames 2\nFrameTime:0.0333333\n" ROW_A ROW_B,
        HEAD "MOTION\nFRAME_TIME = 3.33333e-2\nframes : 2\n" ROW_A ROW_B,
        HEAD "MOTION Frames:\t2 \n Frame   Time  :\t0.03333 \n" ROW_A ROW_B,
        // more rows than announced
        HEAD MOTION(2) ROW_A ROW_B ROW_A "nonsense\n",
        // CHANNELS before OFFSET, channel names over two lines
        "HIERARCHY\nROOT Hips\n{\nCHANNELS 6 Xposition Yposition Zposition\nZrotation Yrotation Xrotation\nOFFSET 1 "
        "2 3\n"
        "JOINT Leg\n{\nCHANNELS 3 Zrotation Yrotation Xrotation\nOFFSET 0 -4 0\nEND SITE tip\n{\nOFFSET 0 -5 "
        "0.5\n}\n}\n}\n" MOTION(2) ROW_A ROW_B,
    };
    am_clip *plain = must_read(HEAD MOTION(2) ROW_A ROW_B);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        am_clip *clip = must_read(texts[i]);
        // -0 and 0 are the same angle but not the same bits, so the hash would be too strict.
        assert_true(am_skeleton_same_shape(clip->skeleton, plain->skeleton));
        assert_memory_equal(clip->skeleton->offsets, plain->skeleton->offsets, 2 * sizeof(am_vec3));
        assert_memory_equal(clip->skeleton->end_offsets, plain->skeleton->end_offsets, sizeof(am_vec3));
        assert_int_equal(clip->frame_count, 2);
        assert_true(clip->fps == plain->fps);
        assert_memory_equal(clip->translations, plain->translations, 2 * sizeof(am_vec3));
        for (int r = 0; r < 4; r++) {
            check_near(am_quat_angle(clip->rotations[r], plain->rotations[r]), 0, 1e-6);
        }
        am_clip_destroy(clip);
    }
    am_clip_destroy(plain);
}

static void names_are_made_unique(void **state)
{
    (void)state;
    am_clip *clip =
        must_read("HIERARCHY ROOT Bip01 Pelvis { OFFSET 0 0 0 CHANNELS 0 JOINT Leg { OFFSET 0 0 0 CHANNELS 0 JOINT\n"
                  "{ OFFSET 0 0 0 } } JOINT Leg // again\n { OFFSET 0 0 0 JOINT Leg\t{ OFFSET 0 0 0 } } "
                  "JOINT Leg_2 { OFFSET 0 0 0 } }\nMOTION\nFrames: 0\nFrame Time: 1\n");
    static const char *const names[] = { "Bip01 Pelvis", "Leg", "joint_2", "Leg_2", "Leg_3", "Leg_2_2" };
    assert_int_equal(clip->skeleton->joint_count, 6);
    for (int j = 0; j < 6; j++) {
        assert_string_equal(clip->skeleton->names[j], names[j]);
    }
    am_clip_destroy(clip);
}

static void odd_end_sites_are_understood(void **state)
{
    (void)state;
    // One without offset, one without braces, one with channels (a joint after all), one with a child.
    am_clip *clip = must_read(
        "HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 1 Yrotation JOINT B { OFFSET 0 1 0 End Site { } } JOINT C "
        "{ OFFSET 0 2 0 End Site\n } JOINT D { OFFSET 0 3 0 End Site { OFFSET 0 4 0 CHANNELS 1 Xrotation } } "
        "JOINT E { OFFSET 0 5 0 End Site { OFFSET 0 6 0 JOINT F { OFFSET 0 7 0 } } } "
        "End Site { OFFSET 1 0 0 } End Site { OFFSET 2 0 0 } }\n"
        "MOTION\nFrames: 1\nFrame Time: 1\n0 90\n");
    const am_skeleton *s = clip->skeleton;
    assert_int_equal(s->joint_count, 8);
    assert_string_equal(s->names[4], "D_end");
    assert_int_equal(s->parents[4], 3);
    check_vec3(s->offsets[4], 0, 4, 0);
    check_near(clip->rotations[4].x, sqrtf(0.5f), 1e-6);
    assert_string_equal(s->names[6], "E_end");
    assert_int_equal(s->parents[7], 6);
    assert_int_equal(s->end_count, 4);
    static const int carriers[4] = { 1, 2, 0, 0 };
    for (int e = 0; e < 4; e++) {
        assert_int_equal(s->end_joints[e], carriers[e]);
    }
    check_vec3(s->end_offsets[3], 2, 0, 0);
    am_clip_destroy(clip);
}

static void zero_length_bones_and_no_frames_are_fine(void **state)
{
    (void)state;
    am_clip *clip =
        must_read("HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition JOINT B { OFFSET 0 0 0 "
                  "CHANNELS 3 Zrotation Yrotation Xrotation } } MOTION Frames: 0 Frame Time: 0.02");
    assert_int_equal(clip->frame_count, 0);
    assert_true(clip->fps == 50.0f);
    am_clip_destroy(clip);
    // Nothing moves: the announced frames have no values, so there are none.
    clip = must_read("HIERARCHY ROOT A { OFFSET 0 0 0 } MOTION Frames: 1000000 Frame Time: 0.02");
    assert_int_equal(clip->frame_count, 0);
    am_clip_destroy(clip);
}

static void rates_snap_to_whole_numbers_nearby(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        float fps;
    } rates[] = {
        { "0.0166667", 60.0f },    { ".0083333", 120.0f },    { "0.033333", 30.0f },
        { "0.0333667", 30.0f },    { "0.0083", 120.481926f }, { "0.04", 25.0f },
        { "0.05", 20.0f },         { "2.5", 0.4f },           { "1", 1.0f },
        { "0.0107", 93.4579468f },
    };
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "ROOT A { OFFSET 0 0 0 } MOTION Frames: 0 Frame Time: %s", rates[i].time);
        am_clip *clip = must_read(text);
        check_near(clip->fps, rates[i].fps, 1e-4);
        am_clip_destroy(clip);
    }
}

// ---------------------------------------------------------------------------------------------
// Refusals

typedef struct refusal {
    const char *text;
    am_result code;
    int line;
    const char *says; ///< part of the message
} refusal;

static const refusal refusals[] = {
    { "", AM_ERR_FORMAT, 1, "not a BVH file" },
    { "\n\nVersion 1\n", AM_ERR_FORMAT, 3, "not a BVH file" },
    { "HIERARCHY\n", AM_ERR_TRUNCATED, 2, "before MOTION" },
    { "HIERARCHY\nMOTION\n", AM_ERR_EMPTY, 2, "no ROOT" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0", AM_ERR_TRUNCATED, 4, "number" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0 x\n", AM_ERR_SYNTAX, 4, "'x'" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0 nan\n", AM_ERR_NUMBER, 4, "finite" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0 1e39\n", AM_ERR_NUMBER, 4, "finite" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0 1e999\n", AM_ERR_NUMBER, 4, "finite" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0 1,5\n", AM_ERR_SYNTAX, 4, "'1,5'" },
    { "HIERARCHY\nROOT A\nOFFSET 0 0 0\n", AM_ERR_SYNTAX, 3, "braces" },
    { "HIERARCHY\nROOT A\n}\n", AM_ERR_SYNTAX, 3, "braces" },
    { "HIERARCHY\nROOT A\n{\n}\n}\n", AM_ERR_SYNTAX, 5, "closes nothing" },
    { "HIERARCHY\nROOT A\n{\n{\n", AM_ERR_SYNTAX, 4, "not expected" },
    { "HIERARCHY\nJOINT A\n{\n", AM_ERR_SYNTAX, 2, "must be a ROOT" },
    { "HIERARCHY\nROOT A\nJOINT B\n", AM_ERR_SYNTAX, 3, "JOINT" },
    { "HIERARCHY\nEnd Site\n", AM_ERR_SYNTAX, 2, "End Site" },
    { "HIERARCHY\nROOT A\n{\nOFSET 0 0 0\n", AM_ERR_SYNTAX, 4, "'OFSET'" },
    { "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\n}\nROOT B\n{\n}\n", AM_ERR_SUPPORT, 6, "second ROOT ('B')" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 1 Wrotation\n", AM_ERR_SYNTAX, 4, "'Wrotation' is not a channel" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 2 Xrotation\n}\n", AM_ERR_SYNTAX, 5, "'}' is not a channel" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 1 Xrotation Yrotation\n", AM_ERR_SYNTAX, 4, "one more channel" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 3 Zrotation Xrotation Zrotation\n", AM_ERR_SUPPORT, 4, "twice" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 7 Zrotation\n", AM_ERR_LIMIT, 4, "above the limit of 6" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 1.5 Zrotation\n", AM_ERR_RANGE, 4, "whole number" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS -1 Zrotation\n", AM_ERR_RANGE, 4, "whole number" },
    { "HIERARCHY\nROOT A\n{\nCHANNELS 1 Xrotation\nCHANNELS 1 Yrotation\n", AM_ERR_SYNTAX, 5, "once" },
    { "HIERARCHY\nROOT A\n{\nJOINT B\n{\nCHANNELS 1 Xrotation\n}\nCHANNELS 1 Yrotation\n", AM_ERR_SYNTAX, 8,
      "before its children" },
    { "HIERARCHY\nROOT A\n{\nJOINT B\n{\nMOTION\n", AM_ERR_SYNTAX, 6, "'B' are still open" },
    { HEAD "MOTION\n", AM_ERR_TRUNCATED, 17, "before 'Frames:'" },
    { HEAD "MOTION\nFrames: 2\n", AM_ERR_TRUNCATED, 18, "'Frame Time:'" },
    { HEAD "MOTION\nFrames: 2\nFrames: 2\n", AM_ERR_SYNTAX, 18, "must open with" },
    { HEAD "MOTION\nFrames: 2\nRate: 30\n", AM_ERR_SYNTAX, 18, "must open with" },
    { HEAD "MOTION\nFrames: 2\nA label that is far too long: 30\n", AM_ERR_SYNTAX, 18, "must open with" },
    { HEAD "MOTION\nFrames: -2\n", AM_ERR_RANGE, 17, "whole number" },
    { HEAD "MOTION\nFrames: 2.5\n", AM_ERR_RANGE, 17, "whole number" },
    { HEAD "MOTION\nFrames: 99999999\n", AM_ERR_LIMIT, 17, "above the limit" },
    { HEAD "MOTION\nFrames: 6e37\n", AM_ERR_LIMIT, 17, "above the limit" },
    { HEAD "MOTION\nFrames: two\n", AM_ERR_SYNTAX, 17, "must open with" },
    { HEAD "MOTION\nFrames: 2\nFrame Time: 0\n", AM_ERR_RANGE, 18, "Frame Time is 0" },
    { HEAD "MOTION\nFrames: 2\nFrame Time: -0.03\n", AM_ERR_RANGE, 18, "seconds between two frames" },
    { HEAD "MOTION\nFrames: 2\nFrame Time: 1e-9\n", AM_ERR_RANGE, 18, "seconds between two frames" },
    { HEAD "MOTION\nFrames: 2\nFrame Time: inf\n", AM_ERR_SYNTAX, 18, "must open with" },
    { HEAD MOTION(9999) ROW_A, AM_ERR_TRUNCATED, 20, "ends after 1 of 9999 frames" },
    { HEAD MOTION(2) ROW_A, AM_ERR_TRUNCATED, 20, "ends after 1 of 2 frames; set 'Frames: 1'" },
    { HEAD MOTION(3) "# a long comment in front of it\n" ROW_A ROW_B "\n", AM_ERR_TRUNCATED, 23,
      "ends after 2 of 3" },
    { HEAD MOTION(3) ROW_A ROW_B "\n", AM_ERR_TRUNCATED, 22, "ends after 2 of 3 frames; set 'Frames: 2'" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 5 6 7", AM_ERR_TRUNCATED, 20,
      "inside frame 1: row has 7 values, hierarchy names 9" },
    { HEAD MOTION(2) "1 2 3 4 5 6 7 8\n" ROW_B, AM_ERR_FORMAT, 19, "row has 8 values, hierarchy names 9 channels" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 5 6 7 8 9 10\n", AM_ERR_FORMAT, 20,
      "row has 10 values, hierarchy names 9 channels" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 5 6 7 8 9 10", AM_ERR_FORMAT, 20, "row has 10 values" },
    { HEAD MOTION(2) ROW_A "1 2 3\r4 5 6 7 8 9\n", AM_ERR_FORMAT, 20, "row has 3 values" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 nan 6 7 8 9\n", AM_ERR_NUMBER, 20, "value 5 of frame 1 is 'nan'" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 -1.#IND 6 7 8 9\n", AM_ERR_NUMBER, 20, "not a finite number" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 1e40 6 7 8 9\n", AM_ERR_NUMBER, 20, "not a finite number" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 five 6 7 8 9\n", AM_ERR_SYNTAX, 20, "'five', no number" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 1,5 6 7 8 9\n", AM_ERR_SYNTAX, 20, "no number" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 . 6 7 8 9\n", AM_ERR_SYNTAX, 20, "'.', no number" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 - 6 7 8 9\n", AM_ERR_SYNTAX, 20, "'-', no number" },
    { HEAD MOTION(2) ROW_A "1 2 3 4 1.2.3 6 7 8 9\n", AM_ERR_SYNTAX, 20, "no number" },
};

static void each_fault_is_named_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        am_clip *clip = NULL;
        am_error err;
        am_result result = read_text(&clip, r->text, &err);
        if (result != r->code || err.line != r->line || !strstr(err.text, r->says)) {
            fail_msg("text %zu: gave %s at line %lld (%s), wanted %s at line %d (%s)", i, am_result_name(result),
                     (long long)err.line, err.text, am_result_name(r->code), r->line, r->says);
        }
        assert_null(clip);
        assert_string_equal(err.file, "dir/walk.bvh");
    }
}

static void a_column_points_at_the_word(void **state)
{
    (void)state;
    am_clip *clip = NULL;
    am_error err;
    read_text(&clip, HEAD MOTION(1) "1 2 3 4 five 6 7 8 9 \n", &err);
    assert_int_equal(err.column, 9);
}

static void limits_are_kept_before_memory_is_asked_for(void **state)
{
    (void)state;
    const char *text = HEAD MOTION(2) ROW_A ROW_B;
    am_clip *clip = NULL;
    am_error err = { 0 };
    am_read_def def = am_read_def_default();
    def.max_joints = 1;
    check_refused(am_bvh_read(&clip, text, strlen(text), &def, &err), AM_ERR_LIMIT);
    assert_int_equal(err.line, 6);
    def.max_joints = 2;
    def.max_frames = 1;
    check_refused(am_bvh_read(&clip, text, strlen(text), &def, &err), AM_ERR_LIMIT);
    def.max_frames = 2;
    check_ok(am_bvh_read(&clip, text, strlen(text), &def, &err), &err);
    am_clip_destroy(clip);
    // The deepest chain that is allowed, and one more. No recursion, so no stack to run out of.
    for (int joints = AM_MAX_JOINTS; joints <= AM_MAX_JOINTS + 1; joints++) {
        size_t size = 0;
        char *deep = malloc((size_t)joints * 32 + 256);
        for (int j = 0; j < joints; j++) {
            size += (size_t)sprintf(deep + size, j == 0 ? "ROOT A {" : "JOINT A { CHANNELS 1 Xrotation ");
        }
        size += (size_t)sprintf(deep + size, "End Site { ");
        for (int j = 0; j <= joints; j++) {
            size += (size_t)sprintf(deep + size, "}");
        }
        size += (size_t)sprintf(deep + size, " MOTION Frames: 0 Frame Time: 1");
        def = am_read_def_default();
        am_result result = am_bvh_read(&clip, deep, size, &def, &err);
        check_refused(result, joints == AM_MAX_JOINTS ? AM_OK : AM_ERR_LIMIT);
        am_clip_destroy(clip);
        free(deep);
    }
}

static void too_many_end_sites_are_refused(void **state)
{
    (void)state;
    char *text = malloc(AM_MAX_JOINTS * 16 + 64);
    size_t size = (size_t)sprintf(text, "ROOT A {");
    for (int e = 0; e <= AM_MAX_JOINTS; e++) {
        size += (size_t)sprintf(text + size, "End Site\n{}");
    }
    am_read_def def = am_read_def_default();
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_refused(am_bvh_read(&clip, text, size, &def, &err), AM_ERR_LIMIT);
    free(text);
}

static void a_def_not_begun_from_its_default_is_refused(void **state)
{
    (void)state;
    am_clip *clip = NULL;
    am_error err = { 0 };
    am_read_def def = { 0 };
    check_refused(am_bvh_read(&clip, "", 0, &def, &err), AM_ERR_DEF);
    check_refused(am_bvh_read(&clip, "", 0, NULL, &err), AM_ERR_DEF);
    def = am_read_def_default();
    def.max_joints = AM_MAX_JOINTS + 1;
    check_refused(am_bvh_read(&clip, "", 0, &def, &err), AM_ERR_DEF);
    check_refused(
        am_bvh_read(&clip, NULL, 0, &(am_read_def){ .cookie = AM_COOKIE, .max_joints = 1, .max_frames = 1 }, NULL),
        AM_ERR_FORMAT);
}

static am_result read_for_refusal(void *user, const uint8_t *data, size_t size, const am_alloc *alloc)
{
    (void)user;
    am_read_def def = am_read_def_default();
    def.alloc = alloc;
    am_clip *clip = NULL, *plain = NULL;
    am_error err = { 0 };
    am_result result = am_bvh_read(&clip, data, size, &def, &err);
    def.alloc = NULL;
    if (result != AM_ERR_MEMORY) {
        // Whatever the damage, both readers must agree on it.
        am_error plain_err = { 0 };
        check_refused(ami_bvh_read_plain(&plain, data, size, &def, &plain_err), result);
        assert_int_equal(plain_err.line, err.line);
        if (result == AM_OK) {
            assert_true(am_clip_hash(plain) == am_clip_hash(clip));
        }
    }
    am_clip_destroy(plain);
    am_clip_destroy(clip);
    return refuse_checked(result, &err);
}

static void damaged_files_are_refused_or_read_without_a_trace(void **state)
{
    (void)state;
    static const char good[] = HEAD MOTION(4) "1.5 -20.25 300.125 0 12.5 -0.001 90 -179.999 0\n"
                                              "1.52 -20.26 300.1 0.001 12.51 -1e-3 91.123456 -179.9 0\n" ROW_A ROW_B;
    // A cut in the last number leaves a shorter number: the format has no end mark.
    refuse_options options = { .any_prefix = true, .seed = 7, .flips = 6000 };
    refuse_counts counts = refuse_loop(read_for_refusal, NULL, good, strlen(good), &options);
    assert_true(counts.refused_truncations > 300);
    assert_true(counts.refused_flips > 1000);
    assert_true(counts.failed_allocations >= 4);
}

TEST_SUITE(bvh)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_beyond_the_announced_ones_are_counted),
        cmocka_unit_test(a_plain_file_gives_skeleton_rate_and_motion),
        cmocka_unit_test(the_root_channels_are_absolute_and_its_offset_is_kept),
        cmocka_unit_test(position_channels_of_a_joint_replace_its_offset),
        cmocka_unit_test(any_order_of_rotations_means_its_own_product),
        cmocka_unit_test(fewer_channels_leave_the_other_axes_still),
        cmocka_unit_test(odd_spellings_read_like_the_plain_file),
        cmocka_unit_test(names_are_made_unique),
        cmocka_unit_test(odd_end_sites_are_understood),
        cmocka_unit_test(zero_length_bones_and_no_frames_are_fine),
        cmocka_unit_test(rates_snap_to_whole_numbers_nearby),
        cmocka_unit_test(each_fault_is_named_with_its_line),
        cmocka_unit_test(a_column_points_at_the_word),
        cmocka_unit_test(limits_are_kept_before_memory_is_asked_for),
        cmocka_unit_test(too_many_end_sites_are_refused),
        cmocka_unit_test(a_def_not_begun_from_its_default_is_refused),
        cmocka_unit_test(damaged_files_are_refused_or_read_without_a_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

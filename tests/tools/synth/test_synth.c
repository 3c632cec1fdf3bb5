// Synthetic motion: planted feet, tame knees, human joints, free fall in flight.
#include "tools/synth/synth_subject.h"

// ---------------------------------------------------------------------------------------------
// Feet

static void check_slide(const subject *s, const am_synth_def *def)
{
    (void)def;
    check_near(toe_slide(s), 0.0, 1e-4); // asked: under 1 mm
}

static void a_standing_toe_does_not_slide(void **state)
{
    (void)state;
    on_all(check_slide);
}

static void a_foot_that_slides_is_noticed(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.seconds = 2.0f;
    subject s = make(&def);
    for (int f = 0; f < s.frames; f++) {
        s.model[f * joints + role(&s, AM_ROLE_LEFT_TOE)].translation.x += 0.001f * (float)f;
    }
    assert_true(toe_slide(&s) > 0.005f);
    destroy(&s);
}

/// Lowest of heel, toe joint and tip of the toes in a frame.
static float lowest_point(const subject *s, int f)
{
    float low = 1.0f;
    for (int side = 0; side < 2; side++) {
        am_transform foot = s->model[f * joints + role(s, side ? AM_ROLE_RIGHT_FOOT : AM_ROLE_LEFT_FOOT)];
        am_transform toe = s->model[f * joints + role(s, side ? AM_ROLE_RIGHT_TOE : AM_ROLE_LEFT_TOE)];
        low = am_min(low, am_transform_point(foot, am_v3(0.0f, -0.06f, -0.045f)).y);
        low = am_min(low, toe.translation.y);
        low = am_min(low, am_transform_point(toe, am_v3(0.0f, 0.0f, 0.075f)).y);
    }
    return low;
}

static void check_floor(const subject *s, const am_synth_def *def)
{
    (void)def;
    for (int f = 0; f < s->frames; f++) {
        float low = lowest_point(s, f);
        if (low < SOLE_M - 0.001f) {
            fail_msg("%s frame %d: a foot is %.1f mm too low", s->name, f, (double)(SOLE_M - low) * 1000.0);
        }
    }
}

static void no_foot_goes_through_the_floor(void **state)
{
    (void)state;
    on_all(check_floor);
}

/// Agreement of contacts with the truth: F1 over both toes.
static double contact_f1(const subject *s, const uint8_t *found)
{
    int both = 0, only_found = 0, only_true = 0;
    for (int f = 0; f < s->frames; f++) {
        for (unsigned bit = 1; bit <= 2; bit <<= 1) {
            bool is_true = s->synth.truth[f].contacts & bit, is_found = found[f] & bit;
            both += is_true && is_found;
            only_found += is_found && !is_true;
            only_true += is_true && !is_found;
        }
    }
    return 2.0 * both / (2.0 * both + only_found + only_true);
}

static void contacts_are_found_where_they_are(void **state)
{
    (void)state;
    double sum = 0.0;
    for (int i = 0; i < case_count; i++) {
        am_synth_def def = def_of(i);
        subject s = make(&def);
        uint8_t *found = malloc((size_t)s.frames);
        am_contact_def contact = am_contact_def_default();
        am_error err = { 0 };
        check_ok(am_contacts_find(found, s.synth.clip, &s.synth.roles, &contact, NULL, &err), &err);
        double f1 = contact_f1(&s, found);
        if (f1 < 0.98) {
            fail_msg("contacts of %s: F1 %.4f", s.name, f1);
        }
        sum += f1;
        free(found);
        destroy(&s);
    }
    printf("contacts found on %d synthetic clips: mean F1 %.4f\n", (int)case_count, sum / case_count);
}

// ---------------------------------------------------------------------------------------------
// Joints

/// Largest bend, least bend and largest second difference of the knees, degrees and degrees a frame squared.
typedef struct knee_report {
    float least, most, jerk;
} knee_report;

static knee_report watch_knees(const subject *s)
{
    knee_report report = { 180.0f, 0.0f, 0.0f };
    for (int side = 0; side < 2; side++) {
        int knee = role(s, side ? AM_ROLE_RIGHT_LEG : AM_ROLE_LEFT_LEG);
        float before[2] = { 0.0f, 0.0f };
        for (int f = 0; f < s->frames; f++) {
            am_quat q = am_quat_abs(s->synth.clip->rotations[f * joints + knee]);
            assert_true(am_abs(q.y) < 2e-3f && am_abs(q.z) < 2e-3f); // a hinge, nothing else
            float bend = 2.0f * am_atan2(q.x, q.w) / AM_DEG;
            report.least = am_min(report.least, bend);
            report.most = am_max(report.most, bend);
            float jerk = f > 1 ? am_abs(bend - 2.0f * before[0] + before[1]) : 0.0f;
            report.jerk = am_max(report.jerk, jerk);
            before[1] = before[0];
            before[0] = bend;
        }
    }
    return report;
}

static void check_knees(const subject *s, const am_synth_def *def)
{
    (void)def;
    knee_report report = watch_knees(s);
    // CMU locomotion at 60 Hz: 4.3 degrees a frame squared in the median clip, 18.4 in the worst of 45.
    if (report.least < 3.0f || report.most > 145.0f || report.jerk > 17.0f) {
        fail_msg("%s: knees bend %.1f to %.1f degrees, second difference %.1f", s->name, (double)report.least,
                 (double)report.most, (double)report.jerk);
    }
}

static void knees_bend_one_way_and_do_not_pop(void **state)
{
    (void)state;
    on_all(check_knees);
}

static void a_knee_that_pops_is_noticed(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.seconds = 1.0f;
    subject s = make(&def);
    s.synth.clip->rotations[30 * joints + role(&s, AM_ROLE_LEFT_LEG)] =
        am_quat_from_axis_angle(am_v3(1.0f, 0.0f, 0.0f), 90.0f * AM_DEG);
    assert_true(watch_knees(&s).jerk > 17.0f);
    destroy(&s);
}

/// Largest second difference of a joint's position over the clip, m.
static float position_jerk(const subject *s, int joint)
{
    float worst = 0.0f;
    for (int f = 2; f < s->frames; f++) {
        am_vec3 ends = am_v3_add(place(s, f, joint), place(s, f - 2, joint));
        worst = am_max(worst, am_v3_length(am_v3_sub(ends, am_v3_scale(place(s, f - 1, joint), 2.0f))));
    }
    return worst;
}

static void check_continuity(const subject *s, const am_synth_def *def)
{
    (void)def;
    for (int j = 0; j < joints; j++) {
        // Millimetres a frame squared at 60 Hz: 1 mm is 3.6 m/s^2. Hips 2.9 g, head 8 g (a jump's landing), the
        // rest 21 g (a foot stopped by the floor at 5 m/s).
        float bound = j == role(s, AM_ROLE_HIPS) ? 8.0f : j == role(s, AM_ROLE_HEAD) ? 24.0f : 60.0f;
        float worst = position_jerk(s, j) * 1000.0f;
        if (worst > bound) {
            fail_msg("%s: %s jerks by %.1f mm", s->name, s->synth.clip->skeleton->names[j], (double)worst);
        }
    }
}

static void no_joint_jerks(void **state)
{
    (void)state;
    on_all(check_continuity);
}

/// Human ranges in degrees as turns about x (forward positive for the trunk), z and y, taken apart in that order.
/// Active ranges of the orthopaedic tables (AAOS), the ankle's as measured under load; signs are the left side's.
static const struct {
    am_role role;
    float x[2], z[2], y[2];
} ranges[] = {
    { AM_ROLE_SPINE, { -12.0f, 25.0f }, { -12.0f, 12.0f }, { -12.0f, 12.0f } },
    { AM_ROLE_CHEST, { -12.0f, 25.0f }, { -12.0f, 12.0f }, { -12.0f, 12.0f } },
    { AM_ROLE_NECK, { -30.0f, 25.0f }, { -20.0f, 20.0f }, { -35.0f, 35.0f } },
    { AM_ROLE_HEAD, { -35.0f, 25.0f }, { -20.0f, 20.0f }, { -40.0f, 40.0f } },
    { AM_ROLE_LEFT_SHOULDER, { -8.0f, 8.0f }, { -10.0f, 25.0f }, { -25.0f, 15.0f } },
    { AM_ROLE_LEFT_FOREARM, { -3.0f, 3.0f }, { -3.0f, 3.0f }, { -145.0f, 0.0f } },
    { AM_ROLE_LEFT_HAND, { -20.0f, 20.0f }, { -60.0f, 60.0f }, { -30.0f, 30.0f } },
    { AM_ROLE_LEFT_UP_LEG, { -120.0f, 32.0f }, { -30.0f, 45.0f }, { -45.0f, 45.0f } },
    { AM_ROLE_LEFT_LEG, { 0.0f, 145.0f }, { -1.0f, 1.0f }, { -1.0f, 1.0f } },
    { AM_ROLE_LEFT_FOOT, { -53.0f, 60.0f }, { -25.0f, 25.0f }, { -25.0f, 25.0f } },
    { AM_ROLE_LEFT_TOE, { -65.0f, 20.0f }, { -1.0f, 1.0f }, { -1.0f, 1.0f } },
};

static bool within(float angle, const float range[2]) { return angle >= range[0] && angle <= range[1]; }

/// The first joint of the table that leaves its range, or NULL; the right side is looked at in the mirror.
static const char *out_of_range(const subject *s, int *frame)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        for (int side = 0; side < (ranges[i].role > AM_ROLE_HEAD ? 2 : 1); side++) {
            int joint = role(s, (int)ranges[i].role + 4 * side);
            for (int f = 0; f < s->frames; f++) {
                am_quat q = s->synth.clip->rotations[f * joints + joint];
                float angles[3];
                q = side ? am_q(q.x, -q.y, -q.z, q.w) : q;
                am_quat_to_euler(angles, q, "xzy");
                if (!within(angles[0] / AM_DEG, ranges[i].x) || !within(angles[1] / AM_DEG, ranges[i].z) ||
                    !within(angles[2] / AM_DEG, ranges[i].y)) {
                    *frame = f;
                    return s->synth.clip->skeleton->names[joint];
                }
            }
        }
    }
    return NULL;
}

static void check_ranges(const subject *s, const am_synth_def *def)
{
    (void)def;
    int frame = 0;
    const char *name = out_of_range(s, &frame);
    if (name) {
        fail_msg("%s frame %d: %s leaves its range", s->name, frame, name);
    }
    // Upper arms by where they point in the chest's frame: back and forward, in and out.
    for (int side = 0; side < 2; side++) {
        int arm = role(s, side ? AM_ROLE_RIGHT_ARM : AM_ROLE_LEFT_ARM), chest = role(s, AM_ROLE_CHEST);
        for (int f = 0; f < s->frames; f++) {
            am_vec3 way = am_v3_sub(place(s, f, arm + 1), place(s, f, arm));
            way = am_quat_unrotate(s->model[f * joints + chest].rotation, am_v3_normalize_or(way, am_v3_zero()));
            float forward = am_atan2(way.z, -way.y) / AM_DEG, out = am_asin(side ? -way.x : way.x) / AM_DEG;
            assert_true(forward > -60.0f && forward < 170.0f && out > -15.0f && out < 60.0f);
        }
    }
}

static void joints_keep_human_ranges(void **state)
{
    (void)state;
    on_all(check_ranges);
}

// ---------------------------------------------------------------------------------------------
// Flight, speed, heading

static void check_flight(const subject *s, const am_synth_def *def)
{
    const am_synth_truth *t = s->synth.truth;
    float fps = s->synth.clip->fps;
    int flights = 0;
    for (int f = 2; f < s->frames; f++) {
        if (t[f].contacts || t[f - 1].contacts || t[f - 2].contacts) {
            continue;
        }
        float fall = (place(s, f, 0).y - 2.0f * place(s, f - 1, 0).y + place(s, f - 2, 0).y) * fps * fps;
        check_near(fall, -AM_SYNTH_GRAVITY, 0.02f * AM_SYNTH_GRAVITY); // asked: within 5 %
        flights++;
    }
    bool flies = def->kind == AM_SYNTH_RUN || def->kind == AM_SYNTH_JOG || def->kind == AM_SYNTH_JUMP;
    assert_true(flies ? flights > 50 : def->kind != AM_SYNTH_WALK || flights == 0);
}

static void hips_fall_freely_in_flight(void **state)
{
    (void)state;
    on_all(check_flight);
}

static void check_speed(const subject *s, const am_synth_def *def)
{
    const am_synth_truth *t = s->synth.truth;
    if (!(def->speed > 0.0f)) {
        return;
    }
    // The longest stretch at the speed asked for.
    int best = 0, last = 0, begun = 0;
    for (int f = 0; f < s->frames; f++) {
        begun = am_abs(t[f].speed - def->speed) < 0.002f ? begun : f + 1;
        if (f - begun > best) {
            best = f - begun;
            last = f;
        }
    }
    assert_true(best > 60);
    // Along the path; the pelvis' own sway is left out by measuring with the steps' period in mind: a second.
    double way = 0.0;
    int stride = (int)s->synth.clip->fps / 4;
    int count = best / stride;
    for (int k = 0; k < count; k++) {
        am_vec3 a = place(s, last - best + k * stride, 0), b = place(s, last - best + (k + 1) * stride, 0);
        am_vec3 step = am_v3_ground(am_v3_sub(b, a));
        float along = am_v3_length(t[last - best + k * stride + stride / 2].velocity);
        way += (double)am_v3_dot(step, am_v3_scale(t[last - best + k * stride + stride / 2].velocity, 1.0f / along));
    }
    double speed = way * (double)s->synth.clip->fps / (count * stride);
    check_near(speed / (double)def->speed, 1.0, 0.03);
}

static void the_root_goes_as_fast_as_asked(void **state)
{
    (void)state;
    on_all(check_speed);
}

static void check_heading(const subject *s, const am_synth_def *def)
{
    double sum = 0.0;
    for (int f = 0; f < s->frames; f++) {
        float off = am_wrap_angle(am_quat_heading(s->model[f * joints].rotation) - s->synth.truth[f].heading);
        sum += (double)off;
        assert_true(am_abs(off) < 16.0f * AM_DEG);
        assert_true(s->synth.truth[f].phase >= 0.0f && s->synth.truth[f].phase < 1.0f);
    }
    check_near(sum / s->frames, 0.0, 2.0f * AM_DEG);
    check_near(place(s, 0, 0).x, 0.0, 0.08);
    check_near(am_abs(s->synth.truth[0].heading), 0.0, 1e-5);
    if (def->kind == AM_SYNTH_CURVE && def->turn > 0.0f) {
        check_near(s->synth.truth[s->frames / 2].turn, def->side * def->turn, 1e-3);
    }
}

static void the_pelvis_faces_the_heading(void **state)
{
    (void)state;
    on_all(check_heading);
}

static void other_seeds_wander_as_well(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed < 8; seed++) {
        am_synth_def def = am_synth_def_default();
        def.kind = AM_SYNTH_WANDER;
        def.seed = seed;
        subject s = make(&def);
        check_slide(&s, &def);
        check_floor(&s, &def);
        check_flight(&s, &def);
        assert_true(watch_knees(&s).jerk < 20.0f);
        destroy(&s);
    }
}

static void arms_swing_against_the_legs(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    subject s = make(&def);
    double with = 0.0;
    for (int f = 0; f < s.frames; f++) {
        float hip = place(&s, f, role(&s, AM_ROLE_HIPS)).z;
        float foot = place(&s, f, role(&s, AM_ROLE_LEFT_FOOT)).z - hip;
        float hands = place(&s, f, role(&s, AM_ROLE_LEFT_HAND)).z - place(&s, f, role(&s, AM_ROLE_RIGHT_HAND)).z;
        with += (double)(foot * hands);
    }
    assert_true(with / s.frames < -0.01);
    destroy(&s);
}

TEST_SUITE(synth)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_standing_toe_does_not_slide),
        cmocka_unit_test(a_foot_that_slides_is_noticed),
        cmocka_unit_test(no_foot_goes_through_the_floor),
        cmocka_unit_test(contacts_are_found_where_they_are),
        cmocka_unit_test(knees_bend_one_way_and_do_not_pop),
        cmocka_unit_test(a_knee_that_pops_is_noticed),
        cmocka_unit_test(no_joint_jerks),
        cmocka_unit_test(joints_keep_human_ranges),
        cmocka_unit_test(hips_fall_freely_in_flight),
        cmocka_unit_test(the_root_goes_as_fast_as_asked),
        cmocka_unit_test(the_pelvis_faces_the_heading),
        cmocka_unit_test(other_seeds_wander_as_well),
        cmocka_unit_test(arms_swing_against_the_legs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

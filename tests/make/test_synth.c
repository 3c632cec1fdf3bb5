// Synthetic motion: planted feet, tame knees, human joints, free fall in flight, and truth that is true.
#include "support/check.h"

#include <amble/motion.h>
#include <amble/synth.h>

#define SOLE_M 0.025f // height of the toe joint in the rest pose

/// What the tests look at, for every kind at its default and at other speeds and sides.
static const struct {
    am_synth_kind kind;
    float speed, turn, side;
} cases[] = {
    { AM_SYNTH_STAND, 0.0f, 0.0f, 1.0f },      { AM_SYNTH_WALK, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_WALK, 0.5f, 0.0f, 1.0f },       { AM_SYNTH_WALK, 1.8f, 0.0f, 1.0f },
    { AM_SYNTH_JOG, 0.0f, 0.0f, 1.0f },        { AM_SYNTH_RUN, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_RUN, 5.0f, 0.0f, 1.0f },        { AM_SYNTH_TURN, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_TURN, 0.0f, 2.2f, -1.0f },      { AM_SYNTH_CURVE, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_CURVE, 3.0f, 0.8f, -1.0f },     { AM_SYNTH_STRAFE, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_STRAFE, 1.2f, 0.0f, -1.0f },    { AM_SYNTH_BACKWARD, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_BACKWARD, 1.2f, 0.0f, 1.0f },   { AM_SYNTH_START_STOP, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_START_STOP, 3.5f, 0.0f, 1.0f }, { AM_SYNTH_JUMP, 0.0f, 0.0f, 1.0f },
    { AM_SYNTH_CROUCH, 0.0f, 0.0f, 1.0f },     { AM_SYNTH_CROUCH, 1.3f, 0.0f, 1.0f },
    { AM_SYNTH_SIT, 0.0f, 0.0f, 1.0f },        { AM_SYNTH_WANDER, 0.0f, 0.0f, 1.0f },
};
enum { case_count = sizeof cases / sizeof cases[0], joints = 22 };

/// One clip with the model-space transforms of all its frames.
typedef struct subject {
    am_synth synth;
    am_transform *model; // [frame][joint]
    int frames;
    char name[64];
} subject;

static am_synth_def def_of(int index)
{
    am_synth_def def = am_synth_def_default();
    def.kind = cases[index].kind;
    def.speed = cases[index].speed;
    def.turn = cases[index].turn;
    def.side = cases[index].side;
    return def;
}

static subject make(const am_synth_def *def)
{
    subject s;
    am_error err = { 0 };
    check_ok(am_synth_make(&s.synth, def, &err), &err);
    s.frames = s.synth.clip->frame_count;
    assert_int_equal(s.synth.clip->skeleton->joint_count, joints);
    s.model = malloc((size_t)s.frames * joints * sizeof(am_transform));
    assert_non_null(s.model);
    for (int f = 0; f < s.frames; f++) {
        am_transform *row = s.model + (size_t)f * joints;
        am_clip_local(s.synth.clip, f, row);
        am_fk(row, row, s.synth.clip->skeleton->parents, joints);
    }
    snprintf(s.name, sizeof s.name, "%s %.1f m/s", am_synth_kind_name(def->kind), (double)def->speed);
    return s;
}

static void destroy(subject *s)
{
    free(s->model);
    am_synth_free(&s->synth);
}

static am_vec3 place(const subject *s, int frame, int joint) { return s->model[frame * joints + joint].translation; }

static int role(const subject *s, int which) { return s->synth.roles.joint[which]; }

/// Calls the check on every case.
static void on_all(void (*check)(const subject *s, const am_synth_def *def))
{
    for (int i = 0; i < case_count; i++) {
        am_synth_def def = def_of(i);
        subject s = make(&def);
        check(&s, &def);
        destroy(&s);
    }
}

// ---------------------------------------------------------------------------------------------
// Feet

/// Longest way of a toe joint from where its stance began.
static float toe_slide(const subject *s)
{
    float worst = 0.0f;
    for (int side = 0; side < 2; side++) {
        int toe = role(s, side ? AM_ROLE_RIGHT_TOE : AM_ROLE_LEFT_TOE), begun = -1;
        for (int f = 0; f < s->frames; f++) {
            if (!(s->synth.truth[f].contacts & (AM_SYNTH_LEFT_TOE << side))) {
                begun = -1;
                continue;
            }
            begun = begun < 0 ? f : begun;
            worst = am_max(worst, am_v3_distance(place(s, f, toe), place(s, begun, toe)));
        }
    }
    return worst;
}

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

// ---------------------------------------------------------------------------------------------
// Sameness, refusals, text

static uint64_t hash_of(const am_synth_def *def)
{
    subject s = make(def);
    uint64_t hash = am_clip_hash(s.synth.clip);
    for (int f = 0; f < s.frames; f++) {
        uint8_t contacts = s.synth.truth[f].contacts;
        hash = am_hash64(&contacts, 1, hash);
    }
    destroy(&s);
    return hash;
}

static void the_same_seed_gives_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < case_count; i++) {
        am_synth_def def = def_of(i);
        assert_true(hash_of(&def) == hash_of(&def));
    }
    am_synth_def a = am_synth_def_default(), b = a;
    a.kind = b.kind = AM_SYNTH_WANDER;
    b.seed = 2;
    assert_true(hash_of(&a) != hash_of(&b));
}

static void the_rate_does_not_change_the_motion(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_START_STOP;
    def.seconds = 4.0f;
    subject fine = make(&def);
    def.fps = 30.0f;
    subject coarse = make(&def);
    for (int f = 0; f < coarse.frames; f++) {
        for (int j = 0; j < joints; j++) {
            assert_true(am_v3_distance(place(&coarse, f, j), place(&fine, 2 * f, j)) < 1e-5f);
        }
    }
    destroy(&fine);
    destroy(&coarse);
}

static float uneven(void *user, float x, float z)
{
    (void)user;
    return x + z;
}

static void a_def_out_of_range_is_refused(void **state)
{
    (void)state;
    am_synth out;
    am_error err = { 0 };
    const am_synth_def good = am_synth_def_default();
    check_refused(am_synth_make(&out, NULL, &err), AM_ERR_DEF);
    am_synth_def def = good;
    def.cookie = 0;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_DEF);
    def = good;
    def.kind = AM_SYNTH_KIND_COUNT;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_DEF);
    def = good;
    def.body = AM_SYNTH_QUADRUPED;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_SUPPORT);
    def = good;
    def.ground = uneven;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_SUPPORT);
    static const float bad[] = { -1.0f, 1e9f, NAN };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        float *const fields[] = { &def.fps, &def.seconds, &def.speed, &def.turn, &def.side };
        for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
            def = good;
            *fields[k] = fields[k] == &def.side ? 0.5f * bad[i] : bad[i];
            check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
            assert_null(out.clip);
        }
    }
    def = good;
    def.kind = AM_SYNTH_STRAFE;
    def.speed = 3.0f;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
    def.kind = AM_SYNTH_CROUCH;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
    def.kind = AM_SYNTH_CURVE;
    def.turn = 2.0f;
    check_refused(am_synth_make(&out, &def, &err), AM_ERR_RANGE);
    am_synth_free(&out); // a refused one is empty
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static const am_synth_kind kinds[] = { AM_SYNTH_START_STOP, AM_SYNTH_JUMP, AM_SYNTH_SIT, AM_SYNTH_WANDER };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        am_result result = AM_ERR_MEMORY;
        for (size_t n = 1; result != AM_OK && n < 400; n++) {
            am_budget budget = am_budget_make(NULL);
            budget.fail_at = n;
            am_alloc alloc = am_budget_alloc(&budget);
            am_synth_def def = am_synth_def_default();
            def.alloc = &alloc;
            def.kind = kinds[k];
            def.seconds = 20.0f;
            am_synth out;
            am_error err = { 0 };
            am_bytes bytes = { 0 };
            result = am_synth_make(&out, &def, &err);
            if (result == AM_OK) {
                result = am_synth_truth_csv(&bytes, &out, &alloc, &err);
                am_bytes_free(&bytes);
            }
            if (result == AM_OK) {
                result = am_synth_tags_csv(&bytes, &out, &alloc, &err);
                am_bytes_free(&bytes);
            }
            am_synth_free(&out);
            assert_true(result == AM_OK || result == AM_ERR_MEMORY);
            assert_int_equal(budget.live_count, 0);
        }
        assert_int_equal(result, AM_OK);
    }
}

static void names_go_both_ways(void **state)
{
    (void)state;
    for (int k = 0; k < AM_SYNTH_KIND_COUNT; k++) {
        assert_int_equal(am_synth_kind_find(am_synth_kind_name((am_synth_kind)k)), k);
    }
    assert_int_equal(am_synth_kind_find("fly"), -1);
    assert_string_equal(am_synth_kind_name(AM_SYNTH_KIND_COUNT), "none");
    assert_string_equal(am_synth_tag_name(AM_SYNTH_TAG_CREEP), "creep");
    assert_string_equal(am_synth_tag_name(AM_SYNTH_TAG_COUNT), "none");
}

/// Minutes of the whole set, and whether every tag of it occurs.
static void the_set_covers_every_tag_in_a_few_minutes(void **state)
{
    (void)state;
    double seconds = 0.0;
    int seen[AM_SYNTH_TAG_COUNT] = { 0 };
    for (int i = 0; i < am_synth_all_count(); i++) {
        am_synth_def def = am_synth_all_item(i, 1);
        subject s = make(&def);
        assert_string_equal(s.synth.clip->name, def.name);
        assert_true(toe_slide(&s) < 1e-4f);
        seconds += (double)s.frames / 60.0;
        for (int f = 0; f < s.frames; f++) {
            seen[s.synth.truth[f].tag]++;
        }
        destroy(&s);
    }
    assert_true(seconds > 180.0 && seconds < 360.0);
    for (int t = 0; t < AM_SYNTH_TAG_COUNT; t++) {
        assert_true(seen[t] > 120); // two seconds
    }
    am_synth_def none = am_synth_all_item(-1, 1);
    assert_null(none.name);
}

static void truth_and_tags_are_written_as_text(void **state)
{
    (void)state;
    am_synth_def def = am_synth_def_default();
    def.kind = AM_SYNTH_CURVE;
    def.seconds = 1.0f;
    def.name = "bend";
    subject s = make(&def);
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_synth_truth_csv(&bytes, &s.synth, NULL, &err), &err);
    int lines = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        lines += bytes.data[i] == '\n';
    }
    assert_int_equal(lines, s.frames + 1);
    assert_memory_equal(bytes.data, "frame,left_toe,right_toe,", 25);
    am_bytes_free(&bytes);
    check_ok(am_synth_tags_csv(&bytes, &s.synth, NULL, &err), &err);
    assert_int_equal(bytes.size, strlen("bend, curve, 0, 60\nbend, walk, 0, 60\n"));
    assert_memory_equal(bytes.data, "bend, curve, 0, 60\nbend, walk, 0, 60\n", bytes.size);
    am_tag_sheet sheet;
    check_ok(am_tag_sheet_read(&sheet, (const char *)bytes.data, bytes.size, "tags.csv", NULL, &err), &err);
    assert_int_equal(sheet.row_count, 2);
    am_tag_sheet_free(&sheet);
    am_bytes_free(&bytes);
    destroy(&s);
}

static void the_command_writes_clips_truth_and_tags(void **state)
{
    (void)state;
    const char *dir = test_temp_dir("synth");
    static const char *const formats[] = { "bvh", "glb", "npz" };
    for (int i = 0; i < 3; i++) {
        char out[4096], path[512];
        int status = test_shell(out, sizeof out, "%s synth walk -o %s/%s --seconds 1 --format %s --json",
                                test_command(), dir, formats[i], formats[i]);
        assert_int_equal(status, 0);
        assert_non_null(strstr(out, "\"frames\""));
        snprintf(path, sizeof path, "%s/%s/walk.%s", dir, formats[i], formats[i]);
        am_clips clips;
        am_error err = { 0 };
        am_read_def read = am_read_def_default();
        check_ok(am_motion_read_file(&clips, path, &read, &err), &err);
        assert_int_equal(clips.items[0]->frame_count, 61);
        am_clips_free(&clips);
        snprintf(path, sizeof path, "%s/%s/walk.truth.csv", dir, formats[i]);
        free(test_read_file(path, NULL));
        snprintf(path, sizeof path, "%s/%s/tags.csv", dir, formats[i]);
        char *tags = test_read_file(path, NULL);
        assert_non_null(strstr(tags, "walk, walk, 0, 60"));
        free(tags);
    }
    assert_int_equal(test_shell(NULL, 0, "%s synth fly -o %s 2>/dev/null", test_command(), dir), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk 2>/dev/null", test_command()), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o %s --format fbx 2>/dev/null", test_command(), dir), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o %s --side up 2>/dev/null", test_command(), dir), 2);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o %s --speed 9 2>/dev/null", test_command(), dir), 1);
    assert_int_equal(test_shell(NULL, 0, "%s synth walk -o /proc/none/x 2>/dev/null", test_command()), 1);
}

int main(void)
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
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(the_rate_does_not_change_the_motion),
        cmocka_unit_test(a_def_out_of_range_is_refused),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(names_go_both_ways),
        cmocka_unit_test(the_set_covers_every_tag_in_a_few_minutes),
        cmocka_unit_test(truth_and_tags_are_written_as_text),
        cmocka_unit_test(the_command_writes_clips_truth_and_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

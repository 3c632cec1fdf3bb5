// The doctor on all of the real data: 782 files of two rigs, 23 known faults, and planted lies about the rate.
#include "support/motion.h"

enum { MOST_FILES = 400, MOST_FAULTS = 64 };

static const char *const sets[] = { "locomotion", "salsa",   "indian_dance", "basketball", "chair",  "jump",
                                    "low",        "terrain", "recovery",     "dance",      "styles", "pairs" };
enum { set_count = sizeof sets / sizeof sets[0] };

/// One row of FAULTS.tsv. Frames as there: -1 is the last, a negative first counts from the end.
typedef struct known_fault {
    char file[64];
    int first, last;
    char advice[16];
    bool found;
} known_fault;

static known_fault known[MOST_FAULTS];
static int known_count;

/// Reads a file as the command does.
static am_clip *read_clip(const char *path)
{
    am_read_def def = am_read_def_default();
    am_clips clips;
    am_error err = { 0 };
    check_ok(am_motion_read_file(&clips, path, &def, &err), &err);
    am_clip *clip = clips.items[0];
    clips.items[0] = NULL;
    am_clips_free(&clips);
    return clip;
}

static const char *joint_of(const am_clip *clip, const am_diagnosis *d, am_role role)
{
    return d->roles.joint[role] >= 0 ? clip->skeleton->names[d->roles.joint[role]] : "";
}

/// Unit, axes, facing, feet and sides of one file, each by itself. Returns how many are wrong.
static int check_file(const char *path, const am_clip *clip, const am_diagnosis *d, float unit, float fps)
{
    static const struct {
        am_role role;
        const char *name;
    } joints[] = {
        { AM_ROLE_HIPS, "Hips" },
        { AM_ROLE_HEAD, "Head" },
        { AM_ROLE_CHEST, "Spine1" },
        { AM_ROLE_NECK, "Neck" },
        { AM_ROLE_LEFT_UP_LEG, "LeftUpLeg" },
        { AM_ROLE_LEFT_LEG, "LeftLeg" },
        { AM_ROLE_LEFT_FOOT, "LeftFoot" },
        { AM_ROLE_LEFT_TOE, "LeftToeBase" },
        { AM_ROLE_RIGHT_FOOT, "RightFoot" },
        { AM_ROLE_RIGHT_TOE, "RightToeBase" },
        { AM_ROLE_LEFT_ARM, "LeftArm" },
        { AM_ROLE_RIGHT_HAND, "RightHand" },
    };
    int wrong = 0;
    for (int i = 0; i < (int)(sizeof joints / sizeof joints[0]); i++) {
        wrong += strcmp(joint_of(clip, d, joints[i].role), joints[i].name) != 0;
    }
    wrong += am_abs(d->unit_m - unit) > 1e-7f;
    wrong += strcmp(d->up, "+y") != 0;
    wrong += strcmp(d->facing, "+z") != 0;
    wrong += am_abs(d->fps - fps) > 0.01f * fps;
    if (wrong) {
        print_error("%s: unit %g, up %s, facing %s: %d fields wrong\n", path, (double)d->unit_m, d->up, d->facing,
                    wrong);
    }
    return wrong;
}

static bool is_serious(const am_diagnosis *d)
{
    for (int i = 0; i < d->finding_count; i++) {
        if (d->findings[i].serious) {
            return true;
        }
    }
    return false;
}

static known_fault *known_for(const char *file)
{
    for (int i = 0; i < known_count; i++) {
        if (strcmp(known[i].file, file) == 0) {
            return &known[i];
        }
    }
    return NULL;
}

/// At the right place: a fault that overlaps the listed stretch; for a whole file that should be left out, a serious
/// one. What the list says to repair or to look at need not be serious.
static bool is_found(const known_fault *k, const am_diagnosis *d, int frames)
{
    int first = k->first < 0 ? frames + k->first : k->first;
    int last = k->last < 0 ? frames - 1 : k->last;
    bool must = strcmp(k->advice, "exclude") == 0 || strcmp(k->advice, "cut") == 0;
    for (int i = 0; i < d->fault_count; i++) {
        const am_fault *f = &d->faults[i];
        if (f->first <= last && f->last >= first && (f->serious || !must)) {
            return true;
        }
    }
    return false;
}

typedef struct tally {
    int files, wrong, others, others_bad, false_rates;
} tally;

static void visit(tally *t, const char *set, const char *path, float unit, float fps)
{
    am_clip *clip = read_clip(path);
    am_diagnosis d;
    am_doctor_def def = am_doctor_def_default();
    am_error err = { 0 };
    check_ok(am_doctor_examine(&d, clip, &def, &err), &err);
    t->files++;
    t->wrong += check_file(path, clip, &d, unit, fps) > 0;
    t->false_rates += d.fps_true != d.fps;
    char file[1200];
    snprintf(file, sizeof file, "%s/%s", set, strrchr(path, '/') + 1);
    known_fault *k = known_for(file);
    if (k) {
        k->found = is_found(k, &d, clip->frame_count);
    } else {
        t->others++;
        t->others_bad += is_serious(&d);
    }
    am_diagnosis_free(&d);
    am_clip_destroy(clip);
}

static bool visit_set(tally *t, const char *set, float unit, float fps)
{
    const char *dir = test_data_dir(set);
    if (!dir) {
        return false;
    }
    static char *paths[MOST_FILES];
    int count = test_list(paths, MOST_FILES, dir);
    for (int i = 0; i < count; i++) {
        visit(t, set, paths[i], unit, fps);
        free(paths[i]);
    }
    return true;
}

/// FAULTS.tsv stands with the archives, beside the source tree. False when it is not there.
static bool read_known(void)
{
    FILE *file = fopen(AMBLE_SOURCE_DIR "/../shared/data/cmu/FAULTS.tsv", "r");
    if (!file) {
        printf("SKIPPED: ../shared/data/cmu/FAULTS.tsv is not here\n");
        return false;
    }
    char line[512];
    while (known_count < MOST_FAULTS && fgets(line, sizeof line, file)) {
        known_fault *k = &known[known_count];
        known_count += sscanf(line, "%63s %d %d %15s", k->file, &k->first, &k->last, k->advice) == 4;
    }
    fclose(file);
    return known_count > 0;
}

static void both_rigs_are_read_right_and_known_faults_are_found(void **state)
{
    (void)state;
    tally t = { 0 };
    if (!test_data_dir("locomotion") || !read_known()) {
        skip();
    }
    for (int s = 0; s < set_count; s++) {
        assert_true(visit_set(&t, sets[s], TEST_CMU_UNIT, 60.0f));
    }
    assert_true(visit_set(&t, "accad_male1", TEST_ACCAD_UNIT, 30.0f));
    int found = 0;
    for (int i = 0; i < known_count; i++) {
        found += known[i].found;
        if (!known[i].found) {
            printf("missed: %s %d %d %s\n", known[i].file, known[i].first, known[i].last, known[i].advice);
        }
    }
    printf("%d files; %d of %d known faults found; %d of %d other files called bad (%.1f %%); %d rates doubted\n",
           t.files, found, known_count, t.others_bad, t.others, 100.0 * t.others_bad / t.others, t.false_rates);
    assert_int_equal(t.files, 782);
    assert_int_equal(t.wrong, 0);
    assert_int_equal(known_count, 23);
    assert_true(found >= 22);                       // 18 are asked for
    assert_true(t.others_bad * 100 < t.others * 3); // 5 % is allowed
    assert_true(t.false_rates <= 6);
}

/// Headers that claim another rate than the 60 Hz of the capture.
static void lies_about_the_rate_of_jumps_are_all_found(void **state)
{
    (void)state;
    const char *dir = test_data_dir("jump");
    if (!dir) {
        skip();
    }
    static const float claims[] = { 120.0f, 30.0f, 24.0f };
    static char *paths[MOST_FILES];
    int count = test_list(paths, MOST_FILES, dir);
    int found[3] = { 0 };
    for (int i = 0; i < count; i++) {
        am_clip *clip = read_clip(paths[i]);
        for (int k = 0; k < 3; k++) {
            am_diagnosis d;
            am_doctor_def def = am_doctor_def_default();
            am_error err = { 0 };
            def.faults = false;
            clip->fps = claims[k];
            check_ok(am_doctor_examine(&d, clip, &def, &err), &err);
            found[k] += am_abs(d.fps_true - 60.0f) < 1.0f;
            am_diagnosis_free(&d);
        }
        am_clip_destroy(clip);
        free(paths[i]);
    }
    printf("of %d jump clips, lies found: 120 Hz %d, 30 Hz %d, 24 Hz %d\n", count, found[0], found[1], found[2]);
    for (int k = 0; k < 3; k++) {
        assert_true(found[k] * 100 >= count * 97);
    }
}

TEST_SUITE(doctor_data)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_rigs_are_read_right_and_known_faults_are_found),
        cmocka_unit_test(lies_about_the_rate_of_jumps_are_all_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

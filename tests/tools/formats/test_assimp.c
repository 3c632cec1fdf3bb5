// Import through Assimp in a child process: agreement with our own readers, other formats, and the child's misdeeds
// (crash, silence, endless work, too much output) as ordinary errors.
#include "support/check.h"
#include "support/motion.h"

#include "formats/assimp.h"
#include "base/child.h"
#include "base/budget.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODELS "/usr/share/assimp/models"

static bool have_helper(void)
{
    if (access(AMBLE_BINARY_DIR "/amble-assimp", X_OK) == 0) {
        return true;
    }
    printf("SKIPPED: this build has no amble-assimp (install libassimp-dev)\n");
    return false;
}

static bool have_models(void)
{
    if (access(MODELS, R_OK) == 0) {
        return have_helper();
    }
    printf("SKIPPED: Assimp's test models are not here (install assimp-testmodels)\n");
    return false;
}

static am_clips import(const char *path)
{
    am_read_def def = am_read_def_default();
    am_clips clips;
    am_error err = { 0 };
    check_ok(ami_assimp_read(&clips, path, &def, &err), &err);
    return clips;
}

/// Largest distance between joints of the same name in the same frame.
static float largest_gap(const am_clip *a, const am_clip *b, int *compared)
{
    float worst = 0.0f;
    *compared = 0;
    for (int j = 0; j < a->skeleton->joint_count; j++) {
        int k = am_skeleton_find(b->skeleton, a->skeleton->names[j]);
        for (int f = 0; k >= 0 && f < a->frame_count; f += 5) {
            worst = am_max(worst, am_v3_length(am_v3_sub(test_position(a, f, j), test_position(b, f, k))));
        }
        *compared += k >= 0;
    }
    return worst;
}

static void assimp_agrees_on_glb(void **state)
{
    (void)state;
    if (!have_helper()) {
        skip();
    }
    char path[1200];
    snprintf(path, sizeof path, "%s/walk.glb", test_temp_dir("assimp_glb"));
    am_clip *clip = test_walker(90);
    am_write_def def = am_write_def_default();
    am_bytes bytes;
    am_error err = { 0 };
    check_ok(am_glb_write(&bytes, (const am_clip *const *)&clip, 1, &def, &err), &err);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_clips seen = import(path);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.items[0]->frame_count, 90);
    assert_true(seen.items[0]->fps == clip->fps);
    int compared = 0;
    float gap = largest_gap(clip, seen.items[0], &compared);
    print_message("Assimp's view of our GLB: %.4f mm at most\n", 1000.0 * (double)gap);
    assert_int_equal(compared, clip->skeleton->joint_count);
    assert_true(gap < 1e-4f);
    am_clips_free(&seen);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
}

static void check_agrees_on_set(const char *set, float unit_m)
{
    const char *folder = test_data_dir(set);
    if (!folder || !have_helper()) {
        skip();
    }
    char *paths[4];
    int count = test_list(paths, 4, folder);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        am_clip *own = test_load(paths[i], 1.0f);
        am_clips seen = import(paths[i]);
        assert_int_equal(seen.items[0]->frame_count, own->frame_count);
        int compared = 0;
        float gap = largest_gap(own, seen.items[0], &compared) * unit_m;
        assert_int_equal(compared, own->skeleton->joint_count);
        assert_true(gap < 1e-4f); // 0.1 mm
        am_clips_free(&seen);
        am_clip_destroy(own);
        free(paths[i]);
    }
}

static void assimp_agrees_on_cmu(void **state)
{
    (void)state;
    check_agrees_on_set("locomotion", TEST_CMU_UNIT);
}

static void assimp_agrees_on_accad(void **state)
{
    (void)state;
    check_agrees_on_set("accad_male1", TEST_ACCAD_UNIT);
}

// ---------------------------------------------------------------------------------------------
// Other formats

static void fbx_comes_without_pivots_and_with_its_unit(void **state)
{
    (void)state;
    if (!have_models()) {
        skip();
    }
    am_clips clips = import(MODELS "/FBX/huesitos.fbx");
    const am_clip *clip = clips.items[0];
    assert_int_equal(clip->frame_count, 40);
    assert_int_equal(clip->skeleton->joint_count, 9);
    for (int j = 0; j < 9; j++) {
        assert_null(strstr(clip->skeleton->names[j], "AssimpFbx"));
    }
    assert_true(clips.unit_m == 0.01f);
    // Pivots multiplied out: bones keep their length, so only the root has translations.
    assert_int_equal(clip->moving_count, 1);
    am_clips_free(&clips);
}

static void collada_and_text_gltf_and_x_are_read(void **state)
{
    (void)state;
    if (!have_models()) {
        skip();
    }
    const struct {
        const char *path;
        int clips, joints, frames;
    } files[] = { { MODELS "/Collada/anims_with_full_rotations_between_keys.DAE", 1, 64, 717 },
                  { MODELS "/glTF2/simple_skin/simple_skin.gltf", 1, 2, 331 },
                  { MODELS "/X/Testwuson.X", 3, 38, 30 } };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        am_read_def def = am_read_def_default();
        am_clips clips;
        am_error err = { 0 };
        check_ok(am_motion_read_file(&clips, files[i].path, &def, &err), &err);
        assert_int_equal(clips.count, files[i].clips);
        assert_int_equal(clips.items[0]->skeleton->joint_count, files[i].joints);
        assert_int_equal(clips.items[0]->frame_count, files[i].frames);
        am_clips_free(&clips);
    }
}

typedef struct tally {
    int files, read, refused, crashed;
} tally;

static void try_file(tally *sum, const char *path)
{
    am_read_def def = am_read_def_default();
    am_clips clips;
    am_error err = { 0 };
    am_result result = ami_assimp_read(&clips, path, &def, &err);
    sum->files++;
    sum->read += result == AM_OK;
    sum->refused += result != AM_OK;
    sum->crashed += result == AM_ERR_CHILD;
    if (result != AM_OK) {
        assert_int_equal(err.code, result);
        assert_true(err.text[0] != '\0');
        assert_string_equal(err.file, path); // which file it was
        assert_null(clips.items);
    }
    am_clips_free(&clips);
}

static void try_folder(tally *sum, const char *folder, int depth)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry = open ? readdir(open) : NULL; entry; entry = readdir(open)) {
        char path[1200];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode) && depth < 5) {
            try_folder(sum, path, depth + 1);
        } else if (S_ISREG(info.st_mode)) {
            try_file(sum, path);
        }
    }
    if (open) {
        closedir(open);
    }
}

static void no_model_of_assimps_own_tests_harms_the_parent(void **state)
{
    (void)state;
    if (!have_models()) {
        skip();
    }
    // Folders with animated models, with damaged files, and one on which this Assimp crashes.
    const char *const folders[] = { "FBX", "Collada", "BVH", "MD5", "SMD", "X", "glTF2", "invalid", "ASE", "MDL" };
    tally sum = { 0 };
#if defined(__SANITIZE_ADDRESS__) // a child takes half a second to start
    bool quick = true;
#else
    bool quick = test_quick();
#endif
    for (size_t i = 0; i < (quick ? 2 : sizeof folders / sizeof folders[0]); i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", MODELS, folders[i]);
        try_folder(&sum, path, 0);
    }
    print_message("%d files: %d read, %d refused, of which %d crashed or stopped\n", sum.files, sum.read, sum.refused,
                  sum.crashed);
    assert_true(quick || (sum.files > 150 && sum.read >= 30));
}

// ---------------------------------------------------------------------------------------------
// Misdeeds

/// A helper that is a shell script, named by the environment.
static void plant_helper(const char *script)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/helper", test_temp_dir("assimp_helper"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(path, 0755);
    setenv("AMBLE_ASSIMP", path, 1);
}

static void misdeeds_of_the_child_are_ordinary_errors(void **state)
{
    (void)state;
    const struct {
        const char *script, *word;
        am_result code;
    } cases[] = { { "kill -SEGV $$", "crashed (signal 11)", AM_ERR_CHILD },
                  { "exit 1", "without a message", AM_ERR_CHILD },
                  { "echo no such bone >&2; exit 3", "no such bone", AM_ERR_CHILD },
                  { "echo cannot read it >&2; echo more >&2; exit 83", "cannot read it", AM_ERR_SUPPORT },
                  { "exit 0", "", AM_ERR_TRUNCATED },
                  { "echo nonsense that is long enough", "", AM_ERR_FORMAT },
                  { "exec sleep 20", "longer than", AM_ERR_CHILD } };
    setenv("AMBLE_ASSIMP_SECONDS", "0.7", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plant_helper(cases[i].script);
        am_read_def def = am_read_def_default();
        def.file = "model.fbx";
        am_clips clips;
        am_error err = { 0 };
        am_result result = ami_assimp_read(&clips, "/dev/null", &def, &err);
        if (result != cases[i].code || !strstr(err.text, cases[i].word)) {
            fail_msg("'%s' gave %s: %s", cases[i].script, am_result_name(result), err.text);
        }
        assert_string_equal(err.file, "model.fbx");
        assert_null(clips.items);
    }
    unsetenv("AMBLE_ASSIMP_SECONDS");
    unsetenv("AMBLE_ASSIMP");
}

static void a_missing_helper_or_file_is_said(void **state)
{
    (void)state;
    am_read_def def = am_read_def_default();
    am_clips clips;
    am_error err = { 0 };
    setenv("AMBLE_ASSIMP", "/nonexistent/helper", 1);
    check_refused(ami_assimp_read(&clips, "/dev/null", &def, &err), AM_ERR_SUPPORT);
    check_refused(ami_assimp_read(&clips, "/nonexistent/a.fbx", &def, &err), AM_ERR_OPEN);
    unsetenv("AMBLE_ASSIMP");
}

static void output_beyond_the_limit_stops_the_child(void **state)
{
    (void)state;
    const char *argv[] = { "/bin/sh", "-c", "while :; do echo 0123456789; done", NULL };
    ami_child child;
    am_error err = { 0 };
    check_refused(ami_child_run(&child, argv, 10.0, 10000, NULL, &err), AM_ERR_CHILD);
    assert_true(child.output.size <= 10000);
    am_bytes_free(&child.output);
    const char *missing[] = { "/nonexistent/program", NULL };
    check_refused(ami_child_run(&child, missing, 1.0, 100, NULL, &err), AM_ERR_CHILD);
    am_bytes_free(&child.output);
    ami_budget budget = ami_budget_make(NULL);
    budget.max_bytes = 1000;
    am_alloc alloc = ami_budget_alloc(&budget);
    check_refused(ami_child_run(&child, argv, 10.0, 100000, &alloc, &err), AM_ERR_MEMORY);
    am_bytes_free(&child.output);
    assert_int_equal(budget.live_count, 0);
}

static void both_streams_are_collected_to_the_end(void **state)
{
    (void)state;
    const char *argv[] = {
        "/bin/sh", "-c",
        "i=0; while [ $i -lt 2000 ]; do echo 0123456789; echo abcdefghi >&2; i=$((i+1)); done; exit 5", NULL
    };
    ami_child child;
    am_error err = { 0 };
    check_ok(ami_child_run(&child, argv, 20.0, 1 << 20, NULL, &err), &err);
    assert_int_equal(child.output.size, 22000);
    assert_int_equal(child.exit_code, 5);
    assert_int_equal(child.signal, 0);
    assert_int_equal(strlen(child.message), sizeof child.message - 1);
    am_bytes_free(&child.output);
}

TEST_SUITE(assimp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assimp_agrees_on_glb),
        cmocka_unit_test(assimp_agrees_on_cmu),
        cmocka_unit_test(assimp_agrees_on_accad),
        cmocka_unit_test(fbx_comes_without_pivots_and_with_its_unit),
        cmocka_unit_test(collada_and_text_gltf_and_x_are_read),
        cmocka_unit_test(no_model_of_assimps_own_tests_harms_the_parent),
        cmocka_unit_test(misdeeds_of_the_child_are_ordinary_errors),
        cmocka_unit_test(a_missing_helper_or_file_is_said),
        cmocka_unit_test(output_beyond_the_limit_stops_the_child),
        cmocka_unit_test(both_streams_are_collected_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

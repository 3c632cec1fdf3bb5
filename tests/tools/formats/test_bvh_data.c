// The BVH reader on the real motion capture: every file, with the frame counts of the data's own list, and the fast
// rows bit for bit like the plain ones.
#include "support/check.h"
#include "support/motion.h"

#include "formats/bvh.h"

enum { most_files = 400 };

static const char *const sets[] = { "accad_male1", "basketball", "chair",  "dance", "indian_dance",
                                    "jump",        "locomotion", "low",    "pairs", "recovery",
                                    "salsa",       "styles",     "terrain" };

static am_clip *read_file(const char *path,
                          am_result (*read)(am_clip **, const void *, size_t, const am_read_def *, am_error *))
{
    am_file file;
    am_error err = { 0 };
    check_ok(am_file_open(&file, path, &err), &err);
    am_read_def def = am_read_def_default();
    def.file = path;
    am_clip *clip = NULL;
    check_ok(read(&clip, file.data, file.size, &def, &err), &err);
    am_file_close(&file);
    return clip;
}

/// Frames by the shared list of a set, or -1 when the list is not here or does not name the file.
static int listed_frames(const char *list, const char *set, const char *path)
{
    const char *base = strrchr(path, '/') + 1;
    char key[300];
    snprintf(key, sizeof key, "\n%s/%s\t", set, base);
    const char *row = list ? strstr(list, key) : NULL;
    if (!row) {
        return -1;
    }
    // file set subject trial description frames ...
    const char *at = row + 1;
    for (int column = 0; column < 5 && at; column++) {
        at = strchr(at, '\t');
        at = at ? at + 1 : NULL;
    }
    return at ? atoi(at) : -1;
}

static char *load_list(const char *family)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/../shared/data/%s/MANIFEST.tsv", AMBLE_SOURCE_DIR, family);
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    fclose(file);
    return test_read_file(path, NULL);
}

static void every_file_reads_with_its_listed_frames(void **state)
{
    (void)state;
    char *accad = load_list("accad"), *cmu = load_list("cmu");
    int files = 0, frames = 0, listed = 0;
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        const char *folder = test_data_dir(sets[s]);
        static char *paths[most_files];
        int count = folder ? test_list(paths, most_files, folder) : 0;
        for (int i = 0; i < count; i++) {
            am_clip *clip = read_file(paths[i], am_bvh_read);
            bool is_accad = s == 0;
            assert_int_equal(clip->skeleton->joint_count, is_accad ? 22 : 31);
            assert_true(clip->fps == (is_accad ? 30.0f : 60.0f));
            int wanted = listed_frames(is_accad ? accad : cmu, sets[s], paths[i]);
            if (wanted >= 0) {
                assert_int_equal(clip->frame_count, wanted);
                listed++;
            }
            files++;
            frames += clip->frame_count;
            am_clip_destroy(clip);
            free(paths[i]);
        }
    }
    free(accad);
    free(cmu);
    if (files == 0) {
        skip();
    }
    print_message("%d files, %d frames, %d of them checked against the list\n", files, frames, listed);
    if (files == 782) {
        assert_int_equal(frames, 369544 + 12321); // CMU and ACCAD by their read-me files
    }
}

static void fast_rows_have_the_bits_of_plain_rows(void **state)
{
    (void)state;
    int files = 0;
    for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
        const char *folder = test_data_dir(sets[s]);
        char *paths[6];
        int count = folder ? test_list(paths, 6, folder) : 0;
        for (int i = 0; i < count; i++) {
            am_clip *fast = read_file(paths[i], am_bvh_read);
            am_clip *plain = read_file(paths[i], ami_bvh_read_plain);
            assert_true(am_clip_hash(fast) == am_clip_hash(plain));
            am_clip_destroy(fast);
            am_clip_destroy(plain);
            free(paths[i]);
            files++;
        }
    }
    if (files == 0) {
        skip();
    }
}

TEST_SUITE(bvh_data)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_reads_with_its_listed_frames),
        cmocka_unit_test(fast_rows_have_the_bits_of_plain_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

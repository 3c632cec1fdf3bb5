// amble bench load: reading BVH files, from the bytes of the file to a clip with rotations, on one thread.
//
// Variants: amble (map the file, read it, release it), strtof (only the numbers of MOTION, already in memory, through
// the C library, no rotations), assimp (aiImportFile without post-processing). All files of a set are read by each
// variant in turn within a round, so that a busy machine slows all of them alike.
#include "bench.h"
#include "places.h"
#include <amble/tools/doctor.h>
#include "base/os.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    some_files = 12, // spread over the set, unless --full
    some_rounds = 15,
    full_rounds = 5,
    most_rounds = 100,
};

typedef struct load_file {
    const char *path;
    char *motion; ///< the text behind the head of MOTION, terminated, for strtof
} load_file;

typedef struct load_set {
    const char *name;
    load_file *files;
    int count;
    int64_t frames;
    double us[3][most_rounds]; ///< amble, strtof, assimp
    uint64_t checksum[3];
} load_set;

static uint64_t mix(uint64_t sum, uint64_t value) { return sum * 0x9E3779B97F4A7C15u + value; }

/// Microseconds to read one file, or a negative number after printing why it failed.
static double time_amble(load_set *set, const char *path)
{
    am_error err = { 0 };
    am_clip *clip = NULL;
    am_file file;
    am_read_def def = am_read_def_default();
    def.file = path;
    double begun = bench_now_us();
    am_result result = am_file_open(&file, path, &err);
    if (result == AM_OK) {
        result = am_bvh_read(&clip, file.data, file.size, &def, &err);
        am_file_close(&file);
    }
    double us = bench_now_us() - begun;
    if (result != AM_OK) {
        cli_fail(&err);
        return -1.0;
    }
    set->checksum[0] = mix(set->checksum[0], am_clip_hash(clip));
    set->frames += clip->frame_count;
    am_clip_destroy(clip);
    return us;
}

static double time_strtof(load_set *set, const char *motion)
{
    double begun = bench_now_us();
    float sum = 0.0f;
    uint64_t count = 0;
    for (const char *at = motion;; count++) {
        char *end;
        float value = strtof(at, &end);
        if (end == at) {
            break;
        }
        sum += value;
        at = end;
    }
    double us = bench_now_us() - begun;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    set->checksum[1] = mix(mix(set->checksum[1], count), bits);
    return us;
}

static double time_assimp(load_set *set, bench_peer *peer, const char *path)
{
    char answer[256];
    double us = 0.0;
    unsigned long long checksum = 0;
    if (!bench_peer_ask(peer, answer, sizeof answer, path) || sscanf(answer, "%lf %llx", &us, &checksum) != 2) {
        return -1.0;
    }
    set->checksum[2] = mix(set->checksum[2], checksum);
    return us;
}

/// One round over the set. False when Amble could not read a file; a peer that fails is dropped.
static bool run_round(load_set *set, bench_peer **peer, bench *b, int round)
{
    double sum[3] = { 0.0, 0.0, 0.0 };
    memset(set->checksum, 0, sizeof set->checksum);
    set->frames = 0;
    for (int i = 0; i < set->count; i++) {
        double us = time_amble(set, set->files[i].path);
        if (us < 0.0) {
            return false;
        }
        sum[0] += us;
        sum[1] += time_strtof(set, set->files[i].motion);
        us = *peer ? time_assimp(set, *peer, set->files[i].path) : 0.0;
        if (us < 0.0) {
            bench_note(b, "peer assimp: failed on %s", set->files[i].path);
            bench_peer_stop(*peer);
            *peer = NULL;
        }
        sum[2] += us;
    }
    for (int v = 0; v < 3; v++) {
        set->us[v][round] = sum[v];
    }
    return true;
}

/// A terminated copy of what follows the line of the frame time; NULL without memory or without such a line.
static char *copy_motion(const char *path)
{
    am_file file;
    am_error err = { 0 };
    if (am_file_open(&file, path, &err) != AM_OK) {
        return NULL;
    }
    char *copy = malloc(file.size + 1);
    if (copy) {
        memcpy(copy, file.data, file.size);
        copy[file.size] = '\0';
        char *head = strstr(copy, "Frame Time");
        char *rows = head ? strchr(head, '\n') : NULL;
        memmove(copy, rows ? rows : "", rows ? strlen(rows) + 1 : 1);
    }
    am_file_close(&file);
    return copy;
}

static int run_set(bench *b, const char *name, const am_import *files, bench_peer **peer)
{
    static const char *const variants[3] = { "amble", "strtof", "assimp" };
    load_set set = { .name = name, .count = files->count };
    set.files = calloc((size_t)files->count, sizeof *set.files);
    bool ok = set.files != NULL;
    for (int i = 0; ok && i < files->count; i++) {
        set.files[i].path = files->clips[i].path;
        set.files[i].motion = copy_motion(files->clips[i].path);
        ok = set.files[i].motion != NULL;
    }
    int rounds = bench_rounds(b, bench_full(b) ? full_rounds : some_rounds, most_rounds);
    bool peer_stays = *peer != NULL;
    am_progress progress = cli_progress();
    // Round -1 warms caches and is not counted.
    for (int round = -1; ok && round < rounds; round++) {
        ok = run_round(&set, peer, b, round < 0 ? 0 : round);
        ok = ok && progress.report(progress.user, name, round + 1, rounds);
    }
    cli_progress_end();
    for (int v = 0; ok && v < (*peer && peer_stays ? 3 : 2); v++) {
        bench_row(b, "read bvh", variants[v], set.frames, name, set.us[v], rounds, set.checksum[v]);
    }
    for (int i = 0; set.files && i < files->count; i++) {
        free(set.files[i].motion);
    }
    free(set.files);
    return ok ? CLI_DONE : CLI_FAILED;
}

// ---------------------------------------------------------------------------------------------
// Made-up data, where there is no motion capture

/// A chain of joints that all swing, in numbers of a captured file's length.
static am_result make_clip(am_clip **out, int frames, am_error *err)
{
    enum { joints = 31 };
    int16_t parents[joints];
    am_vec3 offsets[joints];
    char names[joints][24];
    const char *name_list[joints];
    const int16_t moving[1] = { 0 };
    for (int j = 0; j < joints; j++) {
        parents[j] = (int16_t)(j - 1);
        offsets[j] = am_v3(0.0f, j > 0 ? 0.1f : 1.0f, 0.0f);
        snprintf(names[j], sizeof names[j], "joint%d", j);
        name_list[j] = names[j];
    }
    am_clip_def def = am_clip_def_default();
    def.joint_count = joints;
    def.frame_count = frames;
    def.moving_count = 1;
    def.parents = parents;
    def.offsets = offsets;
    def.names = name_list;
    def.moving = moving;
    am_result result = am_clip_create(out, &def, err);
    for (int i = 0; result == AM_OK && i < frames * joints; i++) {
        int frame = i / joints;
        float t = (float)frame / 60.0f, phase = (float)(i % joints);
        (*out)->rotations[i] =
            am_quat_from_euler("zyx", am_sin(t + phase), am_sin(2.0f * t + phase), am_sin(3.0f * t));
    }
    return result;
}

static int run_generated(bench *b, bench_peer **peer)
{
    char folder[512], path[600];
    bool made = ami_folder_make_temporary(folder, sizeof folder, "amble-bench");
    snprintf(path, sizeof path, "%s/generated.bvh", folder);
    am_error err = { 0 };
    am_clip *clip = NULL;
    am_bytes bytes = { 0 };
    am_write_def def = am_write_def_default();
    am_result result = make_clip(&clip, 1000, &err);
    result = result == AM_OK ? am_bvh_write(&bytes, clip, &def, &err) : result;
    result = result == AM_OK ? am_file_write(path, bytes.data, bytes.size, &err) : result;
    am_import files = am_import_begin(NULL);
    result = result == AM_OK ? am_import_add_file(&files, path, &err) : result;
    int status = CLI_FAILED;
    if (result == AM_OK) {
        status = run_set(b, "generated", &files, peer);
    } else {
        cli_fail(&err);
    }
    am_import_free(&files);
    am_bytes_free(&bytes);
    am_clip_destroy(clip);
    if (made) {
        ami_folder_remove(folder);
    }
    return status;
}

/// At most `most` files, evenly spread over the folder; none when it is not here.
static am_import list_files(const char *set, int most)
{
    char folder[1024];
    am_error err = { 0 };
    am_import files = am_import_begin(NULL);
    if (cli_data_find(folder, sizeof folder, set)) {
        am_import_add_folder(&files, folder, 0, &err);
    }
    const int count = files.count;
    files.count = count < most ? count : most;
    for (int i = 0; i < files.count; i++) {
        files.clips[i] = files.clips[(int64_t)i * count / files.count]; // only listed: it owns nothing yet
    }
    return files;
}

int bench_load(bench *b)
{
    static const char *const sets[2] = { "locomotion", "accad_male1" };
    bench_peer *peer = bench_peer_start(b, "load_assimp");
    int status = CLI_DONE, found = 0;
    for (int s = 0; s < 2 && status == CLI_DONE; s++) {
        am_import files = list_files(sets[s], bench_full(b) ? INT_MAX : some_files);
        if (files.count > 0) {
            found++;
            status = run_set(b, sets[s], &files, &peer);
        }
        am_import_free(&files);
    }
    if (found == 0) {
        bench_note(b,
                   "the shared motion capture was not found (AMBLE_DATA, build/data): measured on a generated file");
        status = run_generated(b, &peer);
    }
    bench_peer_stop(peer);
    return status == CLI_DONE ? bench_open(b) : status;
}

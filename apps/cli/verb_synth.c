// amble synth: procedural motion with known ground truth, as files.
#include "cli.h"

#include <amble/tools/synth.h>

#include <stdio.h>
#include <string.h>

/// Those that amble import reads again.
static const char *const extensions[] = { ".bvh", ".glb", ".npz" };

/// What the user asked for, and the results.
typedef struct synth_job {
    const char *out_dir, *format_word;
    double fps, seconds, speed;
    int seed;
    const am_motion_format *format;
    bool all;
    am_synth_def def;
    am_bytes tags;
    am_json_writer *json;
    int64_t frames;
    int clips;
} synth_job;

static void report_clip(synth_job *job, const am_synth *synth)
{
    const am_clip *clip = synth->clip;
    double seconds = (double)clip->frame_count / (double)clip->fps;
    job->frames += clip->frame_count;
    job->clips++;
    if (!job->json) {
        printf("%s%s%s%s: %d frames, %.1f s\n", job->out_dir, cli_slash(job->out_dir), clip->name,
               job->format->extension, clip->frame_count, seconds);
        return;
    }
    char file[300];
    snprintf(file, sizeof file, "%s%s", clip->name, job->format->extension);
    am_json_begin_object(job->json, NULL);
    am_json_string(job->json, "file", file);
    am_json_string(job->json, "kind", am_synth_kind_name(synth->kind));
    am_json_integer(job->json, "frames", clip->frame_count);
    am_json_number(job->json, "fps", (double)clip->fps);
    am_json_number(job->json, "seconds", seconds);
    am_json_end_object(job->json);
}

static am_result make_clip(synth_job *job, const am_synth_def *def, am_error *err)
{
    am_synth synth;
    am_result result = am_synth_make(&synth, def, err);
    if (result == AM_OK) {
        result = am_synth_write(&synth, job->out_dir, job->format, &job->tags, err);
    }
    if (result == AM_OK) {
        report_clip(job, &synth);
    }
    am_synth_free(&synth);
    return result;
}

static am_result make_all(synth_job *job, am_error *err)
{
    am_progress progress = cli_progress();
    int count = job->all ? am_synth_all_count() : 1;
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < count; i++) {
        am_synth_def def = job->def;
        if (job->all) {
            def = am_synth_all_item(i, (uint64_t)job->seed);
            def.fps = job->def.fps;
        }
        result = make_clip(job, &def, err);
        if (result == AM_OK && job->all && !progress.report(progress.user, "synth", i + 1, count)) {
            result = cli_error(err, AM_ERR_CANCELLED, NULL,
                               "stopped after %d of %d clips; every file written so far is complete", i + 1, count);
        }
    }
    cli_progress_end();
    if (result == AM_OK) {
        char path[1400];
        snprintf(path, sizeof path, "%s/tags.csv", job->out_dir);
        result = am_file_write(path, job->tags.data, job->tags.size, err);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------

/// Turns the words of the command line into the def; usage errors are reported here.
static int read_request(synth_job *job, int kind)
{
    job->all = kind == AM_SYNTH_KIND_COUNT;
    char extension[8];
    snprintf(extension, sizeof extension, ".%s", job->format_word);
    job->format = am_motion_format_find(extension);
    if (cli_find_word(extensions, CLI_COUNT(extensions), extension) < 0) {
        return cli_usage("synth: --format must be bvh, glb or npz, not '%s'", job->format_word);
    }
    if (job->seed < 0) {
        return cli_usage("synth: --seed must be 0 or more");
    }
    if (job->all && (job->seconds > 0.0 || job->speed > 0.0)) {
        return cli_usage("synth: the clips of 'all' have their own --seconds and --speed; name one kind to set them");
    }
    job->def.kind = job->all ? AM_SYNTH_STAND : (am_synth_kind)kind;
    job->def.fps = (float)job->fps;
    job->def.seconds = (float)job->seconds;
    job->def.speed = (float)job->speed;
    job->def.seed = (uint64_t)job->seed;
    return CLI_DONE;
}

static int finish(synth_job *job)
{
    if (!job->json) {
        printf("%d clips, %.1f s, with ground truth and tags in %s\n", job->clips, (double)job->frames / job->fps,
               job->out_dir);
        return CLI_DONE;
    }
    am_json_end_array(job->json);
    am_json_string(job->json, "folder", job->out_dir);
    am_json_string(job->json, "tags", "tags.csv");
    am_json_integer(job->json, "frames", job->frames);
    am_json_number(job->json, "seconds", (double)job->frames / job->fps);
    am_json_end_object(job->json);
    return cli_print_json(job->json);
}

int verb_synth(const cli_verb *verb, int argc, char **argv)
{
    synth_job job = { .format_word = "bvh", .fps = 60.0, .seed = 1 };
    job.def = am_synth_def_default();
    const cli_option options[] = {
        { "-o,--output", "DIR", "folder for clips, NAME.truth.csv and tags.csv", .text = &job.out_dir },
        { "--format", "FORMAT", "bvh (default), glb or npz", .text = &job.format_word },
        { "--fps", "N", "frames per second, 10 to 480 (default 60)", .number = &job.fps },
        { "--seconds", "S", "length (default: the kind's own)", .number = &job.seconds },
        { "--speed", "M/S", "speed (default: the kind's own)", .number = &job.speed },
        { "--seed", "N", "seed of the small variations (default 1)", .integer = &job.seed },
    };
    cli_word kinds[AM_SYNTH_KIND_COUNT + 1] = { [AM_SYNTH_KIND_COUNT] = { "all", NULL } };
    for (int k = 0; k < AM_SYNTH_KIND_COUNT; k++) {
        kinds[k].name = am_synth_kind_name((am_synth_kind)k);
    }
    cli_call call = { .words = kinds, .word_count = CLI_COUNT(kinds) };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    const int kind = cli_choose(&call, verb, argv);
    if (kind < 0 || !job.out_dir) {
        return kind < 0 ? CLI_USAGE : cli_usage("synth needs -o DIR; see amble synth --help");
    }
    int status = read_request(&job, kind);
    if (status != CLI_DONE) {
        return status;
    }
    am_error err = { 0 };
    if (!am_folder_make_all(job.out_dir)) {
        return cli_stop(job.out_dir, "is not a folder and cannot be created; choose another place");
    }
    if (call.common.json) {
        job.json = cli_json_begin(2);
        am_json_begin_array(job.json, "clips");
    }
    status = make_all(&job, &err) == AM_OK ? finish(&job) : cli_fail(&err);
    am_bytes_free(&job.tags);
    am_json_writer_destroy(job.json);
    return status;
}

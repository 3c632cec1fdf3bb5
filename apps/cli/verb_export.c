// amble export FILE -o OUT.{bvh,glb,npz,csv}: motion for other tools.
#include "cli.h"
#include "network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_job {
    const char *input, *output, *clip;
    double unit_m;   ///< 0 means as it is
    double from, to; ///< s: what is kept of the clip; to < 0 means its end
    bool contacts;
    const am_motion_format *format;
    am_clips clips;   ///< of the input
    int first, count; ///< those of them that are written
    uint8_t *marks;   ///< contacts of their frames, or NULL
    size_t bytes;
} export_job;

// ---------------------------------------------------------------------------------------------
// Input

/// The item that `word` names, by its name or its number from 0; -1 when there is none.
static int find_name(const char *const *names, int count, const char *word)
{
    int found = cli_find_word(names, count, word);
    char *end = NULL;
    long number = strtol(word, &end, 10);
    return found < 0 && *word && *end == '\0' && number >= 0 && number < count ? (int)number : found;
}

/// "walk, run, idle", for messages.
static void list_names(char *out, size_t size, const char *const *names, int count)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < count && used + 1 < size; i++) {
        int put = snprintf(out + used, size - used, "%s%s", i ? ", " : "", names[i]);
        used += put > 0 ? (size_t)put : 0;
    }
}

/// Which of a file's clips are written: the one that --clip names, else all.
static int choose_clips(export_job *job, const char *const *names, int count)
{
    char list[300];
    list_names(list, sizeof list, names, count);
    job->first = job->clip ? find_name(names, count, job->clip) : 0;
    job->count = job->clip ? 1 : count;
    if (job->first < 0) {
        return cli_usage("%s has no clip '%s'; it has: %s", job->input, job->clip, list);
    }
    if (job->count > 1 && job->format->one_clip) {
        return cli_usage("%s has %d clips and %s holds one; choose with --clip: %s", job->input, count,
                         job->format->extension, list);
    }
    return CLI_DONE;
}

/// The chosen ranges of a database as clips in world space.
static am_result load_ranges(export_job *job, const am_db *db, am_error *err)
{
    am_result result = am_db_clips_of(db, job->first, job->count, &job->clips, NULL, err);
    job->first = 0; // of those that were loaded
    return result;
}

/// Reads the clips of any file that holds motion, a database too, and chooses among them.
static int load_clips(export_job *job)
{
    am_db *db = NULL;
    am_error err = { 0 };
    am_read_def def = am_read_def_default();
    const bool database = cli_ends_with(job->input, ".amdb");
    if ((database ? am_db_open(&db, job->input, NULL, &err)
                  : am_motion_read_file(&job->clips, job->input, &def, &err)) != AM_OK) {
        return cli_fail(&err);
    }
    const int count = database ? db->range_count : job->clips.count;
    const char **names = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        names[i] = database ? db->ranges[i].name : job->clips.items[i]->name;
    }
    int status = names ? choose_clips(job, names, count) : cli_stop(NULL, "out of memory for %d clips", count);
    if (status == CLI_DONE && database && load_ranges(job, db, &err) != AM_OK) {
        status = cli_fail(&err);
    }
    free(names);
    am_db_close(db);
    return status;
}

// ---------------------------------------------------------------------------------------------
// Changes on the way

/// Lengths in metres, when --unit-m says what a unit is.
static am_result convert_clips(export_job *job, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; job->unit_m > 0.0 && i < job->count && result == AM_OK; i++) {
        am_clip **clip = &job->clips.items[job->first + i];
        am_clip *out = NULL;
        result = am_clip_convert(&out, *clip, (float)job->unit_m, am_quat_identity(), 0.0f, NULL, err);
        if (result == AM_OK) {
            am_clip_destroy(*clip);
            *clip = out;
        }
    }
    return result;
}

/// The frames between --from and --to.
static am_result trim_clip(export_job *job, am_error *err)
{
    am_clip **clip = &job->clips.items[job->first];
    if (job->from <= 0.0 && job->to < 0.0) {
        return AM_OK;
    }
    if (job->count != 1) {
        return cli_error(err, AM_ERR_RANGE, job->input,
                         "has %d clips; choose the one that --from and --to cut with --clip", job->count);
    }
    const double fps = (double)(*clip)->fps, last = (double)((*clip)->frame_count - 1);
    double first = job->from * fps + 0.5, stop = job->to < 0.0 ? last : job->to * fps + 0.5;
    if (!(first <= last + 0.5) || stop < first) {
        return cli_error(err, AM_ERR_RANGE, job->input, "clip '%s' lasts %.2f s; --from and --to leave nothing of it",
                         (*clip)->name, last / fps);
    }
    am_clip *out = NULL;
    am_result result = am_clip_trim(&out, *clip, (int)first, (int)(stop < last ? stop : last), NULL, err);
    if (result == AM_OK) {
        am_clip_destroy(*clip);
        *clip = out;
    }
    return result;
}

static am_result find_contacts(export_job *job, am_error *err)
{
    am_clip *const *clips = job->clips.items + job->first;
    size_t frames = 0;
    for (int i = 0; i < job->count; i++) {
        frames += (size_t)clips[i]->frame_count;
    }
    job->marks = calloc(frames + 1, 1);
    if (!job->marks) {
        return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the contacts of %zu frames", frames);
    }
    uint8_t *at = job->marks;
    am_contact_def def = am_contact_def_default();
    am_result result = AM_OK;
    for (int i = 0; i < job->count && result == AM_OK; i++) {
        am_roles roles = am_roles_guess(clips[i]->skeleton);
        result = am_contacts_find(at, clips[i], &roles, &def, NULL, err);
        at += clips[i]->frame_count;
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Output

static am_result write_out(export_job *job, am_error *err)
{
    am_write_def def = am_write_def_default();
    def.contacts = job->marks;
    am_bytes bytes = { 0 };
    const am_clip *const *clips = (const am_clip *const *)(job->clips.items + job->first);
    am_result result = job->format->write(&bytes, clips, job->count, &def, err);
    if (result == AM_OK && cli_interrupted()) {
        result = cli_error(err, AM_ERR_CANCELLED, job->output, "stopped; nothing was written");
    }
    job->bytes = bytes.size;
    return cli_write(job->output, &bytes, result, err);
}

static int report(const export_job *job, bool as_json)
{
    am_json_writer *w = as_json ? cli_json_begin(2) : NULL;
    if (w) {
        am_json_string(w, "file", job->input);
        am_json_string(w, "output", job->output);
        am_json_integer(w, "bytes", (int64_t)job->bytes);
        am_json_begin_array(w, "clips");
    }
    for (int i = 0; i < job->count; i++) {
        const am_clip *clip = job->clips.items[job->first + i];
        if (!w) {
            printf("%s: %d frames at %g Hz, %d joints\n", clip->name, clip->frame_count, (double)clip->fps,
                   clip->skeleton->joint_count);
            continue;
        }
        am_json_begin_object(w, NULL);
        am_json_string(w, "name", clip->name);
        am_json_integer(w, "frames", clip->frame_count);
        am_json_integer(w, "joints", clip->skeleton->joint_count);
        am_json_number(w, "fps", (double)clip->fps);
        am_json_end_object(w);
    }
    if (!w) {
        printf("wrote %s (%zu bytes)\n", job->output, job->bytes);
        return CLI_DONE;
    }
    am_json_end_array(w);
    return cli_json_end(w);
}

static int run_job(export_job *job, const cli_common *common)
{
    am_error err = { 0 };
    int status = load_clips(job);
    if (status != CLI_DONE) {
        return status;
    }
    am_result result = convert_clips(job, &err);
    result = result == AM_OK ? trim_clip(job, &err) : result;
    result = result == AM_OK && job->contacts ? find_contacts(job, &err) : result;
    result = result == AM_OK ? write_out(job, &err) : result;
    return result == AM_OK ? report(job, common->json) : cli_fail_in(&err, job->input);
}

int verb_export(const cli_verb *verb, int argc, char **argv)
{
    export_job job = { .to = -1.0 };
    network_export network = { 0 };
    const cli_option options[] = {
        { "-o,--output", "FILE", "file to write: .bvh, .glb, .npz or .csv; for a network .npz, .onnx or .amnet",
          .text = &job.output },
        { "--clip", "NAME", "export this clip, by name or by number from 0", .text = &job.clip },
        { "--from", "S", "begin at this second of that clip", .number = &job.from },
        { "--to", "S", "end at this second of that clip", .number = &job.to },
        { "--unit-m", "M", "metres in one unit of FILE; lengths are written in metres", .number = &job.unit_m },
        { "--contacts", NULL, "find toe contacts and write them too (.npz, .csv; metres, y up)",
          .flag = &job.contacts },
        { "--part", "NAME", "export only this part of a network", .text = &network.part },
        { "--weights", "NPZ", "replace a network's weights with those in this file", .text = &network.weights },
        { "--type", "TYPE", "type of the weights of an .amnet: fp32, fp16 or int8", .text = &network.type },
    };
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands != 1 || !job.output) {
        return cli_usage("export needs one FILE and -o OUT.{bvh,glb,npz,csv}; see amble export --help");
    }
    if (network_is(argv[0])) {
        if (cli_check_outputs(&job.output, 1) != CLI_DONE) {
            return CLI_FAILED;
        }
        network.input = argv[0];
        network.output = job.output;
        return network_write(&network, call.common.json);
    }
    job.format = cli_motion_format(job.output);
    if (!job.format) {
        return CLI_USAGE;
    }
    if (!(job.from >= 0.0)) {
        return cli_usage("--from must be a number of seconds from 0 on");
    }
    if (!(job.unit_m >= 0.0)) {
        return cli_usage("--unit-m must be a number above 0");
    }
    if (cli_check_outputs(&job.output, 1) != CLI_DONE) {
        return CLI_FAILED;
    }
    job.input = argv[0];
    cli_progress(); // Ctrl-C takes effect before the file is started, or after it is complete
    int status = run_job(&job, &call.common);
    free(job.marks);
    am_clips_free(&job.clips);
    return status;
}

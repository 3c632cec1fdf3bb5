// amble export FILE -o OUT.{bvh,glb,npz,csv}: motion for other tools.
#include "cli.h"
#include "network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum export_format {
    EXPORT_BVH,
    EXPORT_GLB,
    EXPORT_NPZ,
    EXPORT_CSV,
    EXPORT_COUNT,
} export_format;

static const char *const extensions[EXPORT_COUNT] = { ".bvh", ".glb", ".npz", ".csv" };

typedef struct export_job {
    const char *input, *output, *clip;
    double unit_m; // 0 means as it is
    bool contacts;
    export_format format;
    am_clips clips;   // of the input
    am_clip **chosen; // what is written: borrowed from clips, or converted copies
    int chosen_count;
    bool converted;
    uint8_t *marks; // contacts of all chosen frames, or NULL
    size_t bytes;
} export_job;

// ---------------------------------------------------------------------------------------------
// Input

/// The range that `word` names, by its name or its number from 0; -1 when there is none.
static int find_range(const am_db *db, const char *word)
{
    for (int r = 0; r < db->range_count; r++) {
        if (strcmp(db->ranges[r].name, word) == 0) {
            return r;
        }
    }
    char *end = NULL;
    long number = strtol(word, &end, 10);
    return *word && *end == '\0' && number >= 0 && number < db->range_count ? (int)number : -1;
}

/// Ranges of a database as clips in world space; only the one that --clip names where it does.
static am_result load_ranges(am_clips *out, const am_db *db, const char **word, am_error *err)
{
    int first = *word ? find_range(db, *word) : 0;
    int count = *word ? 1 : db->range_count;
    bool found = *word && first >= 0;
    if (first < 0) {
        first = 0; // the names of all ranges go into the message about the missing one
        count = db->range_count;
    }
    out->alloc = am_alloc_default();
    out->items = out->alloc.alloc(out->alloc.user, (size_t)count * sizeof(am_clip *), 16);
    if (!out->items) {
        *err = cli_error(AM_ERR_MEMORY, NULL, "out of memory for %d clips", count);
        return err->code;
    }
    memset(out->items, 0, (size_t)count * sizeof(am_clip *));
    out->count = count;
    for (int i = 0; i < count; i++) {
        am_result result = am_db_clip_of(db, first + i, &out->items[i], NULL, err);
        if (result != AM_OK) {
            am_clips_free(out);
            return result;
        }
    }
    *word = found ? out->items[0]->name : *word; // a number has done its work: from here on the name counts
    return AM_OK;
}

/// Reads the clips of any file that holds motion, databases too. Every kind of input goes through here.
static am_result load_clips(am_clips *out, const char *path, const char **word, am_error *err)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".amdb") == 0) {
        am_db *db = NULL;
        am_result result = am_db_open(&db, path, NULL, err);
        result = result == AM_OK ? load_ranges(out, db, word, err) : result;
        am_db_close(db);
        return result;
    }
    am_read_def def = am_read_def_default();
    def.file = path;
    return am_motion_read_file(out, path, &def, err);
}

static bool find_format(export_format *out, const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < EXPORT_COUNT; i++) {
        if (strcmp(dot, extensions[i]) == 0) {
            *out = (export_format)i;
            return true;
        }
    }
    return false;
}

/// The clip that --clip names, by its name or its number from 0; -1 when there is none.
static int find_clip(const am_clips *clips, const char *word)
{
    for (int i = 0; i < clips->count; i++) {
        if (strcmp(clips->items[i]->name, word) == 0) {
            return i;
        }
    }
    char *end = NULL;
    long number = strtol(word, &end, 10);
    return *word && *end == '\0' && number >= 0 && number < clips->count ? (int)number : -1;
}

/// "walk, run, idle" of a file's clips, for messages.
static void list_names(char *out, size_t size, const am_clips *clips)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < clips->count && used + 1 < size; i++) {
        int put = snprintf(out + used, size - used, "%s%s", i ? ", " : "", clips->items[i]->name);
        used += put > 0 ? (size_t)put : 0;
    }
}

static int choose_clips(export_job *job)
{
    char names[300];
    list_names(names, sizeof names, &job->clips);
    bool single = job->format == EXPORT_BVH || job->format == EXPORT_CSV;
    int at = job->clip ? find_clip(&job->clips, job->clip) : 0;
    if (at < 0) {
        return cli_usage("%s has no clip '%s'; it has: %s", job->input, job->clip, names);
    }
    if (!job->clip && single && job->clips.count > 1) {
        return cli_usage("%s has %d clips and %s holds one; choose with --clip: %s", job->input, job->clips.count,
                         extensions[job->format], names);
    }
    job->chosen_count = job->clip ? 1 : job->clips.count;
    job->chosen = calloc((size_t)job->chosen_count, sizeof(am_clip *));
    if (!job->chosen) {
        am_error err = cli_error(AM_ERR_MEMORY, NULL, "out of memory for %d clips", job->chosen_count);
        return cli_fail(&err);
    }
    memcpy(job->chosen, job->clips.items + at, (size_t)job->chosen_count * sizeof(am_clip *));
    return CLI_DONE;
}

// ---------------------------------------------------------------------------------------------
// Changes on the way

/// Lengths in metres, when --unit-m says what a unit is.
static am_result convert_clips(export_job *job, am_error *err)
{
    for (int i = 0; job->unit_m > 0.0 && i < job->chosen_count; i++) {
        am_clip *out = NULL;
        am_result result =
            am_clip_convert(&out, job->chosen[i], (float)job->unit_m, am_quat_identity(), 0.0f, NULL, err);
        if (result != AM_OK) {
            job->chosen_count = i; // earlier ones must be freed
            return result;
        }
        job->chosen[i] = out;
        job->converted = true;
    }
    return AM_OK;
}

static am_result find_contacts(export_job *job, am_error *err)
{
    size_t frames = 0;
    for (int i = 0; i < job->chosen_count; i++) {
        frames += (size_t)job->chosen[i]->frame_count;
    }
    job->marks = calloc(frames + 1, 1);
    if (!job->marks) {
        *err = cli_error(AM_ERR_MEMORY, NULL, "out of memory for the contacts of %zu frames", frames);
        return err->code;
    }
    size_t at = 0;
    am_contact_def def = am_contact_def_default();
    for (int i = 0; i < job->chosen_count; i++) {
        const am_clip *clip = job->chosen[i];
        am_roles roles = am_roles_guess(clip->skeleton);
        am_result result = am_contacts_find(job->marks + at, clip, &roles, &def, NULL, err);
        if (result != AM_OK) {
            return result;
        }
        at += (size_t)clip->frame_count;
    }
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Output

static am_result write_out(export_job *job, am_error *err)
{
    am_write_def def = am_write_def_default();
    def.contacts = job->marks;
    am_bytes bytes = { 0 };
    const am_clip *const *clips = (const am_clip *const *)job->chosen;
    am_result result = AM_OK;
    switch (job->format) {
    case EXPORT_BVH:
        result = am_bvh_write(&bytes, clips[0], &def, err);
        break;
    case EXPORT_GLB:
        result = am_glb_write(&bytes, clips, job->chosen_count, &def, err);
        break;
    case EXPORT_NPZ:
        result = am_npz_write(&bytes, clips, job->chosen_count, &def, err);
        break;
    default:
        result = am_csv_write(&bytes, clips[0], &def, err);
        break;
    }
    if (result == AM_OK && cli_interrupted()) {
        *err = cli_error(AM_ERR_CANCELLED, job->output, "stopped; nothing was written");
        result = err->code;
    }
    if (result == AM_OK) {
        job->bytes = bytes.size;
        result = am_file_write(job->output, bytes.data, bytes.size, err);
    }
    am_bytes_free(&bytes);
    return result;
}

static int report_json(const export_job *job)
{
    am_json_writer *json = NULL;
    am_error err = { 0 };
    if (am_json_writer_create(&json, 2, NULL, &err) != AM_OK) {
        return cli_fail(&err);
    }
    am_json_begin_object(json, NULL);
    am_json_string(json, "file", job->input);
    am_json_string(json, "output", job->output);
    am_json_integer(json, "bytes", (int64_t)job->bytes);
    am_json_begin_array(json, "clips");
    for (int i = 0; i < job->chosen_count; i++) {
        am_json_begin_object(json, NULL);
        am_json_string(json, "name", job->chosen[i]->name);
        am_json_integer(json, "frames", job->chosen[i]->frame_count);
        am_json_integer(json, "joints", job->chosen[i]->skeleton->joint_count);
        am_json_number(json, "fps", (double)job->chosen[i]->fps);
        am_json_end_object(json);
    }
    am_json_end_array(json);
    am_json_end_object(json);
    int status = cli_print_json(json);
    am_json_writer_destroy(json);
    return status;
}

static int run_job(export_job *job, const cli_common *common)
{
    am_error err = { 0 };
    if (load_clips(&job->clips, job->input, &job->clip, &err) != AM_OK) {
        return cli_fail(&err);
    }
    int status = choose_clips(job);
    if (status != CLI_DONE) {
        return status;
    }
    am_result result = convert_clips(job, &err);
    if (result == AM_OK && job->contacts) {
        result = find_contacts(job, &err);
    }
    if (result == AM_OK) {
        result = write_out(job, &err);
    }
    if (result != AM_OK) {
        if (!err.file[0]) {
            snprintf(err.file, sizeof err.file, "%s", job->input);
        }
        return cli_fail(&err);
    }
    if (common->json) {
        return report_json(job);
    }
    for (int i = 0; i < job->chosen_count; i++) {
        printf("%s: %d frames at %g Hz, %d joints\n", job->chosen[i]->name, job->chosen[i]->frame_count,
               (double)job->chosen[i]->fps, job->chosen[i]->skeleton->joint_count);
    }
    printf("wrote %s (%zu bytes)\n", job->output, job->bytes);
    return CLI_DONE;
}

static void free_job(export_job *job)
{
    for (int i = 0; job->converted && i < job->chosen_count; i++) {
        am_clip_destroy(job->chosen[i]);
    }
    free(job->chosen);
    free(job->marks);
    am_clips_free(&job->clips);
}

int verb_export(const cli_verb *verb, int argc, char **argv)
{
    export_job job = { 0 };
    network_export network = { 0 };
    const cli_option options[] = {
        { .name = "--output,-o",
          .value = "FILE",
          .help = "file to write: .bvh, .glb, .npz or .csv; for a network .npz, .onnx or .amnet",
          .text = &job.output },
        { .name = "--clip",
          .value = "NAME",
          .help = "export this clip, by name or by number from 0",
          .text = &job.clip },
        { .name = "--unit-m",
          .value = "M",
          .help = "metres in one unit of FILE; lengths are written in metres",
          .number = &job.unit_m },
        { .name = "--contacts",
          .help = "find toe contacts and write them too (.npz, .csv; metres, y up)",
          .flag = &job.contacts },
        { .name = "--part", .value = "NAME", .help = "one part of a network", .text = &network.part },
        { .name = "--weights",
          .value = "NPZ",
          .help = "replace a network's weights by those in this file",
          .text = &network.weights },
        { .name = "--type",
          .value = "TYPE",
          .help = "type of the weights of an .amnet: fp32, fp16 or int8",
          .text = &network.type },
    };
    cli_call call;
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands != 1 || !job.output) {
        return cli_usage("export needs one FILE and -o OUT.{bvh,glb,npz,csv}; see amble export --help");
    }
    const char *const outputs[] = { job.output };
    if (network_is(argv[0])) {
        if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
            return CLI_FAILED;
        }
        network.input = argv[0];
        network.output = job.output;
        return network_write(&network, call.common.json);
    }
    if (!find_format(&job.format, job.output)) {
        return cli_usage("cannot tell what to write from '%s'; end it in .bvh, .glb, .npz or .csv", job.output);
    }
    if (!(job.unit_m >= 0.0)) {
        return cli_usage("--unit-m must be a number above 0");
    }
    if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
        return CLI_FAILED;
    }
    job.input = argv[0];
    cli_progress(); // Ctrl-C takes effect before the file is started, or after it is complete
    int status = run_job(&job, &call.common);
    free_job(&job);
    return status;
}

// amble run RUN.json: characters play a script; motion, metrics, traces and recordings come out.
#include "cli.h"
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What one run writes, and the data collected for it.
typedef struct job {
    const char *out, *trace, *record, *metrics, *asked;
    const am_motion_format *format; ///< of out
    cli_script source;
    const char *reference_path; ///< captured motion to measure against; NULL: the run's own database
    am_reference *reference;
    am_clip **clips; ///< [actor_count]
    am_recording *recording;
    am_run_meter *meter;
    am_outfile *trace_file;
    am_bytes line;
    float *controls; ///< [control_count][control_width] of --asked
    int64_t control_count, control_room;
    int control_width;
    double step_us, search_us;
    int64_t steps, searches;
} job;

/// The control of a tick becomes one more row.
static am_result add_control(job *j, const am_source_output *out, am_error *err)
{
    if (out->asked_count == 0) {
        return AM_OK;
    }
    j->control_width = out->asked_count;
    const size_t row = (size_t)out->asked_count * sizeof *j->controls;
    if (j->control_count == j->control_room) {
        const int64_t room = j->control_room > 0 ? 2 * j->control_room : 1024;
        float *grown = realloc(j->controls, (size_t)room * row);
        if (!grown) {
            return cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %lld controls", (long long)room);
        }
        j->controls = grown;
        j->control_room = room;
    }
    memcpy(j->controls + j->control_count++ * out->asked_count, out->query, row);
    return AM_OK;
}

static am_result on_frame(void *user, const am_run_sample *sample, am_error *err)
{
    job *j = user;
    j->step_us += sample->step_us;
    j->steps++;
    if (sample->view.output->searched) {
        j->search_us += (double)sample->view.output->search_us;
        j->searches++;
    }
    if (j->clips) {
        am_run_clip_add(j->clips[sample->actor], sample);
    }
    am_result result = AM_OK;
    if (j->recording) {
        result = am_recording_add(j->recording, sample, err);
    }
    if (result == AM_OK && j->asked) {
        result = add_control(j, sample->view.output, err);
    }
    if (result == AM_OK && j->trace_file) {
        j->line.size = 0;
        result = am_run_trace(&j->line, j->source.run, sample, err);
        result = result == AM_OK ? am_outfile_put(j->trace_file, j->line.data, j->line.size, err) : result;
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Files

/// ".bvh" of a path, or its end.
static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? dot : path + strlen(path);
}

/// OUT.bvh, or OUT.0.bvh, OUT.1.bvh, ... for several characters.
static void name_output(char *path, size_t size, const job *j, int actor)
{
    const char *end = extension_of(j->out);
    if (am_run_actor_count(j->source.run) == 1) {
        snprintf(path, size, "%s", j->out);
    } else {
        snprintf(path, size, "%.*s.%d%s", (int)(end - j->out), j->out, actor, end);
    }
}

static am_result write_motion(const job *j, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < am_run_actor_count(j->source.run); i++) {
        char path[1024];
        name_output(path, sizeof path, j, i);
        am_bytes bytes = { 0 };
        am_write_def def = am_write_def_default();
        am_clip *played = NULL; // a run along paths may have been shorter than there was room for
        result = am_clip_trim(&played, j->clips[i], 0, am_run_frame_count(j->source.run) - 1, NULL, err);
        result = result == AM_OK ? j->format->write(&bytes, (const am_clip *const *)&played, 1, &def, err) : result;
        result = cli_write(path, &bytes, result, err);
        am_clip_destroy(played);
    }
    return result;
}

static am_result write_record(const job *j, am_error *err)
{
    am_bytes bytes = { 0 };
    return cli_write(j->record, &bytes, am_recording_write(&bytes, j->recording, j->record, err), err);
}

static am_result write_asked(const job *j, am_error *err)
{
    if (j->control_count == 0) {
        return cli_error(err, AM_ERR_EMPTY, NULL,
                         "no control was given to a network: --asked is for flow and segments");
    }
    am_bytes bytes = { 0 };
    const am_array asked = { "asked", j->control_count, j->control_width, j->controls };
    return cli_write(j->asked, &bytes, am_arrays_write(&bytes, &asked, 1, err), err);
}

/// The captured motion to measure against: the one asked for, or the run's own database where it is one.
static am_result open_reference(job *j, am_error *err)
{
    am_db *given = NULL;
    am_result result = j->reference_path ? am_db_open(&given, j->reference_path, NULL, err) : AM_OK;
    const am_db *own = am_run_db(j->source.run);
    bool captured = j->source.script.options.settings.method != AM_METHOD_LEARNED && own->has_poses;
    am_body body = am_body_find(own->skeleton, &own->roles);
    am_reference_def def = am_reference_def_default();
    def.db = given ? given : own;
    def.body = &body;
    if (result == AM_OK && (given || captured)) {
        result = am_reference_create(&j->reference, &def, err);
        // A rig without toes is no reason to fail, when nobody asked.
        result = result == AM_ERR_SUPPORT && !given ? AM_OK : result;
    }
    am_db_close(given);
    return result;
}

static am_result begin_metrics(job *j, am_error *err)
{
    am_db_measures own;
    am_result result = am_run_measure(&own, j->source.run, NULL, err);
    result = result == AM_OK ? open_reference(j, err) : result;
    am_run_meter_def def = am_run_meter_def_default();
    def.run = j->source.run;
    def.own = &own;
    def.reference = j->reference;
    return result == AM_OK ? am_run_meter_create(&j->meter, &def, err) : result;
}

static am_result write_metrics(const job *j, am_error *err)
{
    am_json_writer *w = NULL;
    am_result result = am_json_writer_create(&w, 2, NULL, err);
    if (result == AM_OK) {
        am_run_meter_write(w, j->meter);
        size_t size = 0;
        const char *text = am_json_text(w, &size);
        result = text ? am_file_write(j->metrics, text, size, err)
                      : cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for the metrics");
    }
    am_json_writer_destroy(w);
    return result;
}

/// Everything that may fail is started before the first frame.
static am_result begin_outputs(job *j, am_error *err)
{
    int count = am_run_actor_count(j->source.run);
    am_result result = AM_OK;
    if (j->out) {
        j->clips = calloc((size_t)count, sizeof *j->clips);
        for (int i = 0; j->clips && result == AM_OK && i < count; i++) {
            result = am_run_clip_create(&j->clips[i], j->source.run, "run", NULL, err);
        }
        if (!j->clips) {
            result = cli_error(err, AM_ERR_MEMORY, NULL, "out of memory for %d characters", count);
        }
    }
    if (result == AM_OK && j->record) {
        result = am_recording_create(&j->recording, j->source.run, NULL, err);
    }
    if (result == AM_OK && j->metrics) {
        result = begin_metrics(j, err);
    }
    if (result == AM_OK && j->trace) {
        result = am_outfile_begin(&j->trace_file, j->trace, err);
    }
    return result;
}

static am_result end_outputs(job *j, am_error *err)
{
    am_result result = j->out ? write_motion(j, err) : AM_OK;
    if (result == AM_OK && j->recording) {
        result = write_record(j, err);
    }
    if (result == AM_OK && j->asked) {
        result = write_asked(j, err);
    }
    if (result == AM_OK && j->meter) {
        result = write_metrics(j, err);
    }
    if (result == AM_OK && j->trace_file) {
        result = am_outfile_commit(j->trace_file, err);
        j->trace_file = NULL;
    }
    return result;
}

static void free_job(job *j)
{
    for (int i = 0; j->clips && i < am_run_actor_count(j->source.run); i++) {
        am_clip_destroy(j->clips[i]);
    }
    free(j->clips);
    am_recording_destroy(j->recording);
    am_run_meter_destroy(j->meter);
    am_reference_destroy(j->reference);
    am_outfile_abort(j->trace_file);
    am_bytes_free(&j->line);
    free(j->controls);
    cli_script_close(&j->source);
}

// ---------------------------------------------------------------------------------------------
// Output

static double mean(double sum, int64_t count) { return count > 0 ? sum / (double)count : 0.0; }

static void print_text(const job *j)
{
    for (int i = 0; i < am_run_actor_count(j->source.run); i++) {
        am_run_sample s = am_run_get_sample(j->source.run, i);
        am_vec3 at = s.pose.root.translation;
        printf("character %d: at (%.2f, %.2f) after %.1f s; %llu searches, %llu transitions, %llu fallback frames\n",
               i, (double)at.x, (double)at.z, (double)(s.time + s.dt), (unsigned long long)s.view.searches,
               (unsigned long long)s.view.transitions, (unsigned long long)s.view.fallback_frames);
    }
    printf("%d frames, %.1f us per step, %.1f us per search, hash %016llx\n", am_run_frame_count(j->source.run),
           mean(j->step_us, j->steps), mean(j->search_us, j->searches),
           (unsigned long long)am_run_hash(j->source.run));
}

static int print_json(const job *j)
{
    am_json_writer *w = cli_json_begin(2);
    am_json_integer(w, "frames", am_run_frame_count(j->source.run));
    am_json_hash(w, "hash", am_run_hash(j->source.run));
    am_json_number(w, "frame_us", mean(j->step_us, j->steps));
    am_json_number(w, "search_us", mean(j->search_us, j->searches));
    am_json_begin_array(w, "characters");
    for (int i = 0; i < am_run_actor_count(j->source.run); i++) {
        am_run_sample s = am_run_get_sample(j->source.run, i);
        char path[1024] = "";
        am_json_begin_object(w, NULL);
        if (j->out) {
            name_output(path, sizeof path, j, i);
            am_json_string(w, "file", path);
        }
        am_json_begin_array(w, "position");
        am_json_number(w, NULL, (double)s.pose.root.translation.x);
        am_json_number(w, NULL, (double)s.pose.root.translation.z);
        am_json_end_array(w);
        am_json_number(w, "heading", (double)am_quat_heading(s.pose.root.rotation));
        am_json_integer(w, "searches", (int64_t)s.view.searches);
        am_json_integer(w, "transitions", (int64_t)s.view.transitions);
        am_json_integer(w, "fallback_frames", (int64_t)s.view.fallback_frames);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    return cli_json_end(w);
}

static int play(job *j, const cli_common *common)
{
    am_error err = { 0 };
    j->source.trace = j->trace != NULL;
    am_result result = cli_script_open(&j->source, &err);
    if (result == AM_OK) {
        result = begin_outputs(j, &err);
    }
    if (result == AM_OK) {
        am_progress progress = cli_progress();
        am_run_observer observers[2] = { { j, on_frame } };
        if (j->meter) {
            observers[1] = am_run_meter_observer(j->meter);
        }
        result = am_run_play(j->source.run, observers, j->meter ? 2 : 1, &progress, &err);
        cli_progress_end();
    }
    if (result == AM_OK) {
        result = end_outputs(j, &err);
    }
    if (result != AM_OK) {
        return cli_fail(&err);
    }
    if (!common->json) {
        print_text(j);
        return CLI_DONE;
    }
    return print_json(j);
}

static int list_options(void)
{
    am_error err = { 0 };
    am_bytes text = { 0 };
    am_result result = am_run_options_table(&text, &err);
    if (result == AM_OK) {
        fwrite(text.data, 1, text.size, stdout);
    }
    am_bytes_free(&text);
    return result == AM_OK ? CLI_DONE : cli_fail(&err);
}

int verb_run(const cli_verb *verb, int argc, char **argv)
{
    job j = { 0 };
    bool list = false;
    const cli_option options[] = {
        { "-o,--output", "OUT.bvh",
          "write the motion (.bvh, .glb, .npz or .csv); OUT.0.bvh, OUT.1.bvh for several characters",
          .text = &j.out },
        { "--metrics", "M.json",
          "write foot slide, jitter, novelty, response times and more, beside the data's own values",
          .text = &j.metrics },
        { "--reference", "X.amdb", "with --metrics, measure against this captured motion, not the run's own database",
          .text = &j.reference_path },
        { "--trace", "T.jsonl", "write one line for each frame: what played and why", .text = &j.trace },
        { "--record", "R.json", "write the inputs as they happened, to run again", .text = &j.record },
        { "--asked", "A.npz", "flow, segments: write the controls that the network heard, to train on them",
          .text = &j.asked },
        { "--database", "X.amdb", "play with this database instead of the script's", .text = &j.source.database },
        { "--model", "X.amnet", "play with these networks instead; with --database, both", .text = &j.source.model },
        { "--options", NULL, "list the options of a script and stop", .flag = &list },
    };
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (list) {
        return list_options();
    }
    if (call.operands != 1) {
        return cli_usage("run needs one RUN.json; see amble run --help");
    }
    if (j.reference_path && !j.metrics) {
        return cli_usage("--reference is for --metrics M.json; see amble run --help");
    }
    // BVH without an extension, as in -o /dev/null.
    j.format = cli_motion_format(j.out && extension_of(j.out)[0] ? j.out : ".bvh");
    if (!j.format) {
        return CLI_USAGE;
    }
    const char *const outputs[] = { j.out, j.metrics, j.trace, j.record, j.asked };
    if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
        return CLI_FAILED;
    }
    j.source.path = argv[0];
    int status = play(&j, &call.common);
    free_job(&j);
    return status;
}

// amble run RUN.json: characters play a script; BVH, metrics, traces and recordings come out.
#include "cli.h"
#include "configs.h"
#include "database.h"
#include "models.h"

#if defined(AMBLE_HAS_PHYSICS)
#include <amble/physics.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What one run writes, and what it has gathered for that.
typedef struct job {
    const char *script_path, *out, *trace, *record, *metrics;
    const char *database, *model; ///< in place of the script's
    const char *reference_path;   ///< captured motion to measure against; NULL: the run's own database
    am_reference *reference;
    am_run_script script;
    am_run *run;
    am_model *direction; ///< shipped, when the script names no model
    am_clip **clips;     ///< [actor_count]
    am_recording *recording;
    am_run_meter *meter;
    am_outfile *trace_file;
    am_bytes line;
    double step_us, search_us;
    int64_t steps, searches;
} job;

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
    if (result == AM_OK && j->trace_file) {
        j->line.size = 0;
        result = am_run_trace(&j->line, j->run, sample, err);
        result = result == AM_OK ? am_outfile_put(j->trace_file, j->line.data, j->line.size, err) : result;
    }
    return result;
}

// ---------------------------------------------------------------------------------------------
// Files

/// OUT.bvh, or OUT.0.bvh, OUT.1.bvh, ... for several characters.
static void name_output(char *path, size_t size, const job *j, int actor)
{
    const char *dot = strrchr(j->out, '.');
    const char *slash = strrchr(j->out, '/');
    bool has_end = dot && (!slash || dot > slash);
    int stem = has_end ? (int)(dot - j->out) : (int)strlen(j->out);
    if (am_run_actor_count(j->run) == 1) {
        snprintf(path, size, "%s", j->out);
    } else {
        snprintf(path, size, "%.*s.%d%s", stem, j->out, actor, has_end ? dot : "");
    }
}

static am_result write_motion(const job *j, am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; result == AM_OK && i < am_run_actor_count(j->run); i++) {
        char path[1024];
        name_output(path, sizeof path, j, i);
        am_bytes bytes = { 0 };
        am_write_def def = am_write_def_default();
        am_clip *played = NULL; // a run along paths may have been shorter than there was room for
        result = am_clip_trim(&played, j->clips[i], 0, am_run_frame_count(j->run) - 1, NULL, err);
        result = result == AM_OK ? am_bvh_write(&bytes, played, &def, err) : result;
        am_clip_destroy(played);
        result = result == AM_OK ? am_file_write(path, bytes.data, bytes.size, err) : result;
        am_bytes_free(&bytes);
    }
    return result;
}

static am_result write_record(const job *j, am_error *err)
{
    // The recording may lie elsewhere than the script: a path from the root is right from everywhere.
    char here[1024];
    char whole[2048];
    const char *database = j->script.database ? j->script.database : "";
    bool relative = database[0] && !am_path_is_absolute(database) && am_folder_working(here, sizeof here);
    snprintf(whole, sizeof whole, "%s%s%s", relative ? here : "", relative ? "/" : "", database);
    am_bytes bytes = { 0 };
    am_result result = am_recording_write(&bytes, j->recording, database[0] ? whole : NULL, err);
    result = result == AM_OK ? am_file_write(j->record, bytes.data, bytes.size, err) : result;
    am_bytes_free(&bytes);
    return result;
}

/// The captured motion to measure against: the one asked for, or the run's own database where it is one.
static am_result open_reference(job *j, am_error *err)
{
    am_db *given = NULL;
    am_result result = j->reference_path ? am_db_open(&given, j->reference_path, NULL, err) : AM_OK;
    const am_db *own = am_run_db(j->run);
    bool captured = j->script.options.settings.method != AM_METHOD_LEARNED && own->has_poses;
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
    am_result result = am_run_measure(&own, j->run, NULL, err);
    result = result == AM_OK ? open_reference(j, err) : result;
    am_run_meter_def def = am_run_meter_def_default();
    def.run = j->run;
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
        if (!text) {
            err->code = result = AM_ERR_MEMORY;
            snprintf(err->text, sizeof err->text, "out of memory for the metrics");
        } else {
            result = am_file_write(j->metrics, text, size, err);
        }
    }
    am_json_writer_destroy(w);
    return result;
}

/// Everything that may fail is begun before the first frame.
static am_result begin_outputs(job *j, am_error *err)
{
    int count = am_run_actor_count(j->run);
    am_result result = AM_OK;
    if (j->out) {
        j->clips = calloc((size_t)count, sizeof *j->clips);
        for (int i = 0; j->clips && result == AM_OK && i < count; i++) {
            result = am_run_clip_create(&j->clips[i], j->run, "run", NULL, err);
        }
        if (!j->clips) {
            err->code = result = AM_ERR_MEMORY;
            snprintf(err->text, sizeof err->text, "out of memory for %d characters", count);
        }
    }
    if (result == AM_OK && j->record) {
        result = am_recording_create(&j->recording, j->run, NULL, err);
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
    for (int i = 0; j->clips && i < am_run_actor_count(j->run); i++) {
        am_clip_destroy(j->clips[i]);
    }
    free(j->clips);
    am_recording_destroy(j->recording);
    am_run_meter_destroy(j->meter);
    am_reference_destroy(j->reference);
    am_outfile_abort(j->trace_file);
    am_bytes_free(&j->line);
    am_run_destroy(j->run);
    am_model_close(j->direction);
    am_run_script_free(&j->script);
}

// ---------------------------------------------------------------------------------------------
// What is said about it

static double mean(double sum, int64_t count) { return count > 0 ? sum / (double)count : 0.0; }

static void print_text(const job *j)
{
    for (int i = 0; i < am_run_actor_count(j->run); i++) {
        am_run_sample s = am_run_get_sample(j->run, i);
        am_vec3 at = s.pose.root.translation;
        printf("character %d: at (%.2f, %.2f) after %.1f s; %llu searches, %llu transitions, %llu frames kept\n", i,
               (double)at.x, (double)at.z, (double)(s.time + s.dt), (unsigned long long)s.view.searches,
               (unsigned long long)s.view.transitions, (unsigned long long)s.view.fallback_frames);
    }
    printf("%d frames, %.1f us a step, %.1f us a search, hash %016llx\n", am_run_frame_count(j->run),
           mean(j->step_us, j->steps), mean(j->search_us, j->searches), (unsigned long long)am_run_hash(j->run));
}

static int print_json(const job *j)
{
    am_json_writer *w = NULL;
    am_error err = { 0 };
    if (am_json_writer_create(&w, 2, NULL, &err) != AM_OK) {
        return cli_fail(&err);
    }
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)am_run_hash(j->run));
    am_json_begin_object(w, NULL);
    am_json_integer(w, "frames", am_run_frame_count(j->run));
    am_json_string(w, "hash", hash);
    am_json_number(w, "frame_us", mean(j->step_us, j->steps));
    am_json_number(w, "search_us", mean(j->search_us, j->searches));
    am_json_begin_array(w, "characters");
    for (int i = 0; i < am_run_actor_count(j->run); i++) {
        am_run_sample s = am_run_get_sample(j->run, i);
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
    am_json_end_object(w);
    int status = cli_print_json(w);
    am_json_writer_destroy(w);
    return status;
}

/// Tags of the script that no frame has are no error, but the user should know.
static void warn_of_tags(job *j)
{
    am_actor_facts facts;
    am_actor_get_facts(am_run_character(j->run, 0), &facts);
    const uint32_t unmet = facts.unmet;
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        if ((unmet >> a & 1) != 0) {
            fprintf(stderr, "amble: no frame has the tags given for '%s'; %s\n", am_activity_name((am_activity)a),
                    a == AM_ACTIVITY_MOVE ? "all frames are used" : "it is left out");
        }
    }
}

/// The shipped network for paths that want one, when the script names no model.
static am_result open_direction(job *j, am_error *err)
{
    bool wanted = false;
    for (int a = 0; a < j->script.actor_count; a++) {
        for (int p = 0; p < j->script.actors[a].path_count; p++) {
            wanted |= j->script.actors[a].paths[p].def.facing == AM_PATH_FACING_NET;
        }
    }
    if (!wanted || j->script.model_count > 0 || !j->script.database) {
        return AM_OK;
    }
    am_db *db = NULL;
    am_result result = am_db_open(&db, j->script.database, NULL, err);
    result = result == AM_OK ? cli_direction_open(&j->direction, db->name, err) : result;
    am_db_close(db);
    return result;
}

/// What was given says how the script is played: a database by matching, a model alone by its networks. A script of
/// a motion field stays one.
static void take_given(job *j)
{
    am_run_script *s = &j->script;
    am_method *method = &s->options.settings.method;
    if (j->database) {
        s->database = j->database;
        *method = *method == AM_METHOD_LEARNED ? AM_METHOD_MATCH : *method;
    } else if (j->model && *method != AM_METHOD_FIELD) {
        s->database = NULL;
        *method = AM_METHOD_LEARNED;
    }
    if (j->model || (j->database && *method != AM_METHOD_FIELD)) {
        s->models = &j->model;
        s->model_count = j->model != NULL;
    }
}

/// Adds how to make the script's database when it is missing, or how to do without it.
static void advise(const job *j, am_error *err)
{
    const am_run_script *s = &j->script;
    char model[1024], otherwise[1100] = "";
    if (s->options.settings.method != AM_METHOD_FIELD && cli_model_find(model, sizeof model, "locomotion.amnet")) {
        snprintf(otherwise, sizeof otherwise, ", or play the script with the networks that ship: --model %s", model);
    }
    cli_database_advise(err, s->database ? s->database : "", otherwise);
}

static int play(job *j, const cli_common *common)
{
    am_error err = { 0 };
    am_clock clock = { NULL, cli_now_us };
    am_run_def def = am_run_def_default();
    def.script = &j->script;
    def.clock = &clock;
#if defined(AMBLE_HAS_PHYSICS)
    am_push_engine engine = am_physics_engine();
    def.engine = &engine;
#endif
    char path[1024];
    am_result result = cli_config_find(path, sizeof path, CLI_RUN, j->script_path, &err);
    result = result == AM_OK ? am_run_read(&j->script, path, NULL, &err) : result;
    if (result == AM_OK) {
        take_given(j);
        // A trace wants to know what else there was to choose from.
        int32_t *candidates = &j->script.options.settings.candidates;
        *candidates = j->trace && *candidates == 1 ? AM_MAX_CANDIDATES : *candidates;
        result = open_direction(j, &err);
    }
    if (result == AM_OK) {
        def.models = (const am_model *const *)&j->direction;
        def.model_count = j->direction != NULL;
        result = am_run_create(&j->run, &def, &err);
    }
    if (result == AM_OK) {
        warn_of_tags(j);
        result = begin_outputs(j, &err);
    }
    if (result == AM_OK) {
        am_progress progress = cli_progress();
        am_run_observer observers[2] = { { j, on_frame } };
        if (j->meter) {
            observers[1] = am_run_meter_observer(j->meter);
        }
        result = am_run_play(j->run, observers, j->meter ? 2 : 1, &progress, &err);
        cli_progress_end();
    }
    if (result == AM_OK) {
        result = end_outputs(j, &err);
    }
    if (result != AM_OK) {
        advise(j, &err);
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
        { .name = "--output,-o",
          .value = "OUT.bvh",
          .help = "write the motion; OUT.0.bvh, OUT.1.bvh for several characters",
          .text = &j.out },
        { .name = "--metrics",
          .value = "M.json",
          .help = "write feet, jitter, novelty, stands, steps, response times, beside the database's own",
          .text = &j.metrics },
        { .name = "--reference",
          .value = "X.amdb",
          .help = "with --metrics, measure against this captured motion instead of the run's own database",
          .text = &j.reference_path },
        { .name = "--trace",
          .value = "T.jsonl",
          .help = "write one line for each frame: what played and why",
          .text = &j.trace },
        { .name = "--record",
          .value = "R.json",
          .help = "write the inputs as they happened, to run again",
          .text = &j.record },
        { .name = "--database",
          .value = "X.amdb",
          .help = "play with this database instead of the script's",
          .text = &j.database },
        { .name = "--model",
          .value = "X.amnet",
          .help = "play with these networks instead; with --database, both",
          .text = &j.model },
        { .name = "--options", .help = "list the options of a script and stop", .flag = &list },
    };
    cli_call call;
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
    const char *const outputs[] = { j.out, j.metrics, j.trace, j.record };
    if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
        return CLI_FAILED;
    }
    j.script_path = argv[0];
    int status = play(&j, &call.common);
    free_job(&j);
    return status;
}

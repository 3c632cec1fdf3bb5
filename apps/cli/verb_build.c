// amble build CONFIG: clips to a database, with the time of each stage.
#include "cli.h"
#include "places.h"

#include <stdio.h>
#include <string.h>

static double total_of(const am_build_summary *summary)
{
    double total = 0.0;
    for (int s = 0; s < AM_BUILD_STEP_COUNT; s++) {
        total += summary->seconds[s];
    }
    return total;
}

static void print_text(const am_db *db, const am_build_summary *s, const char *out)
{
    double total = total_of(s);
    for (int i = 0; i < s->note_count; i++) {
        const am_build_note *note = &s->notes[i];
        if (note->first < 0) {
            fprintf(stderr, "left out: %s: %s\n", note->clip, note->why);
        } else {
            fprintf(stderr, "left out: %s frames %d to %d: %s\n", note->clip, note->first, note->last, note->why);
        }
    }
    for (int i = 0; i < AM_BUILD_STEP_COUNT; i++) {
        printf("%-9s %8.3f s\n", am_build_step_name((am_build_step)i), s->seconds[i]);
    }
    printf("%-9s %8.3f s\n", "total", total);
    printf("%s: %d frames at %g Hz in %d ranges, from %d of %d clips (%lld frames)\n", out, db->frame_count,
           (double)db->fps, db->range_count, s->clip_count, s->file_count, (long long)s->source_frames);
    printf("%d joints, %d features, %.1f MB, hash %016llx\n", db->joint_count, db->features.count,
           (double)db->image_size / 1e6, (unsigned long long)db->hash);
}

static int print_json(const am_db *db, const am_build_summary *s, const char *out)
{
    am_json_writer *w = cli_json_begin(2);
    am_json_string(w, "file", out);
    am_json_integer(w, "frames", db->frame_count);
    am_json_integer(w, "joints", db->joint_count);
    am_json_integer(w, "features", db->features.count);
    am_json_integer(w, "bytes", (int64_t)db->image_size);
    am_json_integer(w, "clips", s->clip_count);
    am_json_integer(w, "files", s->file_count);
    am_json_integer(w, "source_frames", s->source_frames);
    am_json_integer(w, "ranges", db->range_count);
    am_json_hash(w, "hash", db->hash);
    am_json_begin_object(w, "seconds");
    for (int i = 0; i < AM_BUILD_STEP_COUNT; i++) {
        am_json_number(w, am_build_step_name((am_build_step)i), s->seconds[i]);
    }
    am_json_number(w, "total", total_of(s));
    am_json_end_object(w);
    am_json_begin_array(w, "left_out");
    for (int i = 0; i < s->note_count; i++) {
        am_json_begin_object(w, NULL);
        am_json_string(w, "clip", s->notes[i].clip);
        am_json_integer(w, "first", s->notes[i].first);
        am_json_integer(w, "last", s->notes[i].last);
        am_json_string(w, "why", s->notes[i].why);
        am_json_end_object(w);
    }
    am_json_end_array(w);
    return cli_json_end(w);
}

/// Writes the database and, on request, the report.
static am_result write_files(const am_db *db, am_build_summary *summary, const char *out, const char *report,
                             am_error *err)
{
    double start = 1e-6 * cli_now_us(NULL);
    am_result result = am_db_write(db, out, err);
    summary->seconds[AM_BUILD_WRITE] = 1e-6 * cli_now_us(NULL) - start;
    if (result != AM_OK || !report) {
        return result;
    }
    am_bytes page = { 0 };
    am_report_def def = am_report_def_default();
    return cli_write(report, &page, am_report_write(&page, db, &def, err), err);
}

static int build(const cli_common *common, const am_build_def *def, const char *out, const char *report)
{
    am_db *db = NULL;
    am_build_summary summary = { 0 };
    am_error err = { 0 };
    am_result result = am_build(&db, &summary, def, &err);
    result = result == AM_OK ? write_files(db, &summary, out, report, &err) : result;
    cli_progress_end();
    int status = CLI_DONE;
    if (result != AM_OK) {
        status = cli_fail(&err);
    } else if (common->json) {
        status = print_json(db, &summary, out);
    } else {
        print_text(db, &summary, out);
    }
    am_db_close(db);
    am_build_summary_free(&summary);
    return status;
}

int verb_build(const cli_verb *verb, int argc, char **argv)
{
    const char *clips = NULL;
    const char *out = NULL;
    const char *report = NULL;
    const cli_option options[] = {
        { "-o,--output", "X.amdb", "the database to write", .text = &out },
        { "--clips", "DIR", "use the clips in this folder instead of the config's", .text = &clips },
        { "--report", "OUT.html", "write a page with coverage, speeds, contacts, duplicates and gaps",
          .text = &report },
    };
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (call.operands != 1 || !out) {
        return cli_usage("build needs one config and -o X.amdb; see amble build --help");
    }
    const char *const outputs[] = { out, report };
    if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
        return CLI_FAILED;
    }
    char config[1024];
    am_error err = { 0 };
    if (cli_config_find(config, sizeof config, CLI_DATABASE, argv[0], &err) != AM_OK) {
        return cli_fail(&err);
    }
    am_pool *pool = NULL;
    const am_tasks *tasks = cli_tasks(&call.common, &pool);
    am_progress progress = cli_progress();
    am_build_def def = am_build_def_default();
    def.tasks = tasks;
    def.progress = &progress;
    def.config_path = config;
    def.clips_dir = clips;
    def.find_set = cli_find_set;
    int status = build(&call.common, &def, out, report);
    am_pool_destroy(pool);
    return status;
}

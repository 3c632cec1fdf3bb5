// amble build: the stages one after another, with their times, and everything freed at the end.
#include "build/build_internal.h"

#include "base/error.h"
#include "base/os.h"
#include "base/tasks.h"

#include <string.h>

static const char *const stage_names[AM_BUILD_STEP_COUNT] = { "read",   "examine",  "clean", "retarget",
                                                              "mirror", "features", "write" };

const char *am_build_step_name(am_build_step stage)
{
    return (int)stage >= 0 && stage < AM_BUILD_STEP_COUNT ? stage_names[stage] : "none";
}

am_build_def am_build_def_default(void)
{
    am_build_def def = { .cookie = AM_COOKIE };
    return def;
}

void am_build_summary_free(am_build_summary *summary)
{
    if (summary->notes) {
        ami_release(&summary->alloc, summary->notes, (size_t)summary->note_count * sizeof *summary->notes);
    }
    memset(summary, 0, sizeof *summary);
}

static double now(void) { return 1e-6 * am_clock_us(); }

static am_result load_config(ami_building *b)
{
    am_file file;
    am_result result = am_file_open(&file, b->def->config_path, b->err);
    if (result != AM_OK) {
        return result;
    }
    // A terminated copy, which the database keeps as its provenance.
    b->config_size = file.size + 1;
    b->config_text = ami_alloc_zero(&b->alloc, b->config_size);
    if (b->config_text && file.size) {
        memcpy(b->config_text, file.data, file.size);
    }
    size_t size = file.size;
    am_file_close(&file);
    if (!b->config_text) {
        return ami_fail_memory(b->err, b->config_size);
    }
    return ami_build_config_parse(&b->config, b->config_text, size, b->def->config_path, &b->alloc, b->err);
}

static am_result prepare(ami_building *b)
{
    am_result result = ami_build_list(b);
    result = result == AM_OK ? ami_build_name_tags(b) : result;
    return result == AM_OK ? ami_build_read_sides(b) : result;
}

static int frames_of(const ami_building *b, float seconds) { return (int)floorf(seconds * b->fps + 0.5f); }

static am_result make_database(ami_building *b, am_db **out)
{
    size_t count = (size_t)b->piece_count;
    am_db_clip *clips = ami_alloc_array(&b->alloc, count, sizeof *clips);
    if (!clips) {
        return ami_fail_memory(b->err, count * sizeof *clips);
    }
    for (size_t i = 0; i < count; i++) {
        const ami_piece *p = &b->pieces[i];
        clips[i] = (am_db_clip){
            .clip = p->clip,
            .root_positions = p->root_positions,
            .root_rotations = p->root_rotations,
            .contacts = p->contacts,
            .tags = p->tags,
            .custom = p->custom,
            .name = p->name,
            .source = p->source,
            .source_first = p->source_first,
            .source_fps = b->import.clips[p->source].fps * (p->tempo > 0.0f ? p->tempo : 1.0f),
            .head = frames_of(b, b->config.ignore_start_s),
            .tail = frames_of(b, b->config.ignore_end_s),
            .mirrored = p->mirrored,
        };
    }
    const char *tag_names[AM_MAX_TAGS];
    for (int t = 0; t < b->tag_count; t++) {
        tag_names[t] = b->tag_names[t];
    }
    am_db_def def = am_db_def_default();
    def.alloc = &b->alloc;
    def.tasks = &b->tasks;
    def.progress = b->def->progress;
    def.clips = clips;
    def.clip_count = b->piece_count;
    def.roles = b->config.retarget ? b->roles : b->import.clips[b->reference].roles;
    def.schema = &b->config.schema;
    def.tag_names = tag_names;
    def.tag_count = b->tag_count;
    def.toe_floor_m = b->config.floor_m;
    def.precision = b->config.precision;
    def.name = b->config.name;
    def.config = b->config_text;
    am_result result = am_db_create(out, &def, b->err);
    ami_release(&b->alloc, clips, count * sizeof *clips);
    return result;
}

typedef am_result (*stage_fn)(ami_building *b);

static am_result run_stages(ami_building *b, am_db **out)
{
    static const stage_fn stages[AM_BUILD_FEATURES] = {
        [AM_BUILD_READ] = ami_build_read,     [AM_BUILD_EXAMINE] = ami_build_examine,
        [AM_BUILD_CLEAN] = ami_build_clean,   [AM_BUILD_RETARGET] = ami_build_retarget,
        [AM_BUILD_MIRROR] = ami_build_mirror,
    };
    am_result result = prepare(b);
    for (int s = 0; s < AM_BUILD_FEATURES && result == AM_OK; s++) {
        double start = now();
        result = stages[s](b);
        b->summary.seconds[s] = now() - start;
    }
    if (result == AM_OK) {
        double start = now();
        result = make_database(b, out);
        b->summary.seconds[AM_BUILD_FEATURES] = now() - start;
    }
    return result;
}

void ami_build_end(ami_building *b)
{
    if (!b) {
        return;
    }
    ami_build_free_sides(b);
    am_import_free(&b->import);
    for (int i = 0; i < b->piece_count; i++) {
        am_clip_destroy(b->pieces[i].clip);
        ami_release(&b->alloc, b->pieces[i].block, b->pieces[i].block_size);
    }
    ami_release(&b->alloc, b->pieces, b->piece_room * sizeof *b->pieces);
    am_clip_destroy(b->reference_clip);
    am_tag_sheet_free(&b->sheet);
    ami_build_config_free(&b->config);
    ami_release(&b->alloc, b->config_text, b->config_size);
    am_build_summary_free(&b->summary);
    am_alloc alloc = b->alloc;
    ami_release(&alloc, b, sizeof *b);
}

am_result ami_build_begin(ami_building **out, const am_build_def *def, am_error *err)
{
    *out = NULL;
    if (!def || def->cookie != AM_COOKIE || !def->config_path) {
        return ami_fail(err, AM_ERR_DEF, "initialise the build def with am_build_def_default() and give it a config");
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_building *b = ami_alloc_zero(&alloc, sizeof *b);
    if (!b) {
        return ami_fail_memory(err, sizeof *b);
    }
    b->def = def;
    b->alloc = alloc;
    b->tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    b->err = err;
    b->summary.alloc = alloc;
    b->import = am_import_begin(&alloc);
    b->import.tasks = &b->tasks;
    b->import.progress = def->progress;
    b->config.alloc = alloc;
    am_result result = load_config(b);
    b->config.alloc = alloc; // a refused config comes back empty
    if (result != AM_OK) {
        ami_build_end(b);
        b = NULL;
    }
    *out = b;
    return result;
}

am_result am_build(am_db **out, am_build_summary *summary, const am_build_def *def, am_error *err)
{
    *out = NULL;
    if (summary) {
        memset(summary, 0, sizeof *summary);
    }
    ami_building *b = NULL;
    am_result result = ami_build_begin(&b, def, err);
    if (!b) {
        return result;
    }
    result = result == AM_OK ? run_stages(b, out) : result;
    if (result == AM_OK && summary) {
        *summary = b->summary;
        memset(&b->summary, 0, sizeof b->summary); // the caller's now
    }
    ami_build_end(b);
    return result;
}

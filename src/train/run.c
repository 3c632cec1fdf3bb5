// am_train_run: a recipe from its first stage to the written model.
#include "train/run.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/os.h"

void am_train_def_init(am_train_def *def) { *def = (am_train_def){ .cookie = AM_COOKIE }; }

double ami_recipe_run_now(void) { return 1e-6 * am_clock_us(); }

// ---------------------------------------------------------------------------------------------
// Reading the recipe

/// Hash of a recipe's content: comments and blanks do not change it. Depth is limited by the parser.
static uint64_t hash_recipe(const am_json *value, uint64_t hash)
{
    const double fixed[3] = { (double)value->type, value->boolean ? 1.0 : 0.0, value->number };
    hash = am_hash64(fixed, sizeof fixed, hash);
    hash = value->key ? am_hash64(value->key, strlen(value->key), hash) : hash;
    hash = value->string ? am_hash64(value->string, strlen(value->string), hash) : hash;
    for (const am_json *item = value->first; item; item = item->next) {
        hash = hash_recipe(item, hash);
    }
    return am_hash64(&value->count, sizeof value->count, hash);
}

static am_result read_text(ami_recipe_run *run, am_error *err)
{
    am_file file;
    am_result result = am_file_open(&file, run->def->recipe, err);
    if (result != AM_OK) {
        return result;
    }
    run->text_size = file.size + 1;
    run->text = ami_alloc_zero(&run->alloc, run->text_size);
    if (run->text) {
        memcpy(run->text, file.data, file.size);
        result = am_json_parse(&run->doc, run->text, file.size, run->def->recipe, &run->alloc, err);
        run->recipe_hash = result == AM_OK ? hash_recipe(am_json_root(run->doc), 0) : 0;
    } else {
        result = ami_fail_memory(err, run->text_size);
    }
    am_file_close(&file);
    return result;
}

static const ami_kind *find_kind(const ami_recipe_run *run, const am_json *stage, am_error *err)
{
    const char *names[32];
    int which = 0;
    for (int i = 0; i < ami_kind_count; i++) {
        names[i] = ami_kinds[i]->name;
    }
    return am_json_read_choice(run->doc, stage, "kind", true, &which, names, ami_kind_count, err) == AM_OK
               ? ami_kinds[which]
               : NULL;
}

am_result ami_recipe_run_prepare(ami_recipe_run *run, ami_stage *stage, int number, am_error *err)
{
    *stage = (ami_stage){ .doc = run->doc,
                          .json = run->stages[number],
                          .def = run->def,
                          .folder = run->folder,
                          .alloc = run->alloc,
                          .finished = run->graphs,
                          .finished_count = run->graph_count,
                          .threads = run->def->threads,
                          .seed = run->seed + (uint64_t)number };
    stage->kind = find_kind(run, stage->json, err);
    return stage->kind ? ami_stage_read(stage, err) : err->code;
}

static am_result read_recipe(ami_recipe_run *run, am_error *err)
{
    static const char *const keys[] = { "seed", "stages", "about" };
    am_result result = read_text(run, err);
    if (result != AM_OK) {
        return result;
    }
    const am_json *root = am_json_root(run->doc);
    int seed = 1;
    result = am_json_only(run->doc, root, keys, 3, err);
    if (result == AM_OK) {
        result = am_json_read_int(run->doc, root, "seed", false, &seed, 0, 1 << 30, err);
    }
    if (result != AM_OK) {
        return result;
    }
    run->seed = (uint64_t)seed;
    const am_json *stages = am_json_get(root, "stages");
    if (!stages || stages->type != AM_JSON_ARRAY || stages->count < 1 || stages->count > AMI_MOST_STAGES) {
        return am_json_fail(run->doc, stages ? stages : root, AM_ERR_KEY, err,
                            "a recipe needs 'stages': a list of 1 to %d stages", (int)AMI_MOST_STAGES);
    }
    // All stages are read before the first is trained: a misspelt key must not show after hours.
    for (const am_json *item = stages->first; item && result == AM_OK; item = item->next) {
        ami_stage stage;
        run->stages[run->stage_count] = item;
        result = ami_recipe_run_prepare(run, &stage, run->stage_count, err);
        const char *name = result == AM_OK && stage.name ? stage.name : "";
        run->names[run->stage_count] = name;
        for (int s = 0; s < run->stage_count && result == AM_OK; s++) {
            if (strcmp(run->names[s], name) == 0) {
                result = am_json_fail(run->doc, item, AM_ERR_KEY, err,
                                      "two stages are called '%s'; give one of them another 'name'", name);
            }
        }
        run->beside[run->stage_count++] = stage.beside;
    }
    bool takes = !run->def->database;
    for (int s = 0; s < run->stage_count; s++) {
        takes |= am_json_get(run->stages[s], "database") != NULL;
    }
    return result != AM_OK || takes
               ? result
               : am_json_fail(run->doc, stages, AM_ERR_KEY, err, "no stage of this recipe learns from a database");
}

/// X.amnet -> X.checkpoint and so on; the recipe's folder.
static am_result name_files(ami_recipe_run *run, am_error *err)
{
    const char *recipe = run->def->recipe, *output = run->def->output;
    const char *slash = strrchr(recipe, '/');
    size_t stem = strlen(output);
    if (stem > 6 && strcmp(output + stem - 6, ".amnet") == 0) {
        stem -= 6;
    }
    if (stem > 1000 || strlen(recipe) > 1000) {
        return ami_fail(err, AM_ERR_LIMIT, "the path of the recipe or of the output is too long");
    }
    snprintf(run->folder, sizeof run->folder, "%.*s", slash ? (int)(slash - recipe) : 0, recipe);
    snprintf(run->checkpoint, sizeof run->checkpoint, "%.*s.checkpoint", (int)stem, output);
    snprintf(run->preview, sizeof run->preview, "%.*s.preview.amnet", (int)stem, output);
    snprintf(run->csv, sizeof run->csv, "%.*s.losses.csv", (int)stem, output);
    snprintf(run->html, sizeof run->html, "%.*s.losses.html", (int)stem, output);
    snprintf(run->times, sizeof run->times, "%.*s.times.json", (int)stem, output);
    return AM_OK;
}

// ---------------------------------------------------------------------------------------------
// Running it

static am_result train_all(ami_recipe_run *run, am_error *err)
{
    bool found = false;
    am_result result = run->def->resume ? ami_recipe_run_read_checkpoint(run, &found, err) : AM_OK;
    while (result == AM_OK && run->stage < run->stage_count) {
        if (!found) {
            result = ami_stage_threads_begin(run, err);
        }
        found = false;
        if (result == AM_OK) {
            result = ami_stage_threads_train(run, err);
        }
        if (result == AM_OK) {
            ami_stage_threads_keep(run);
        }
    }
    return result;
}

static void summarise(am_train_summary *out, const ami_recipe_run *run)
{
    *out = (am_train_summary){ .stage_count = run->stage_count, .seconds = ami_recipe_run_now() - run->begun };
    const ami_loss_curve *last = &run->curves[run->stage_count - 1];
    const int part = last->count / 100 > 0 ? last->count / 100 : 1;
    for (int i = 0; i < part && i < last->count; i++) {
        out->first_loss += last->points[i].loss / part;
        out->last_loss += last->points[last->count - 1 - i].loss / part;
    }
    for (int s = 0; s < run->stage_count; s++) {
        for (int i = 0; i < run->curves[s].count; i++) {
            out->iterations += run->curves[s].points[i].count;
        }
    }
}

static void free_run(ami_recipe_run *run)
{
    ami_stage_threads_end(run);
    for (int g = 0; g < run->graph_count; g++) {
        am_net_graph_destroy(run->graphs[g]);
    }
    for (int b = 0; b < run->blob_count; b++) {
        am_bytes_free(&run->blobs[b].bytes);
    }
    for (int s = 0; s < run->stage_count; s++) {
        ami_release(&run->alloc, run->curves[s].points, (size_t)run->curves[s].room * sizeof(ami_point));
    }
    am_json_free(run->doc);
    ami_release(&run->alloc, run->text, run->text_size);
    ami_condition_destroy(&run->moved);
    ami_mutex_destroy(&run->lock);
}

am_result am_train_run(am_train_summary *out, const am_train_def *def, am_error *err)
{
    am_error own = { 0 };
    err = err ? err : &own;
    memset(out, 0, sizeof *out);
    if (def->cookie != AM_COOKIE || !def->recipe || !def->output) {
        return ami_fail(err, AM_ERR_DEF, "a training run needs a recipe and an output file");
    }
    const am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_recipe_run *run = ami_alloc_zero(&alloc, sizeof *run);
    if (!run) {
        return ami_fail_memory(err, sizeof *run);
    }
    run->def = def;
    run->alloc = alloc;
    ami_mutex_init(&run->lock);
    ami_condition_init(&run->moved);
    run->begun = ami_recipe_run_now();
    am_result result = name_files(run, err);
    if (result == AM_OK) {
        result = read_recipe(run, err);
    }
    if (result == AM_OK) {
        result = train_all(run, err);
    }
    if (result == AM_OK) {
        result = ami_recipe_run_write_model(run, def->output, false, &out->hash, err);
    }
    if (result == AM_OK) {
        result = ami_recipe_run_write_curves(run, err);
    }
    if (result == AM_OK) {
        const uint64_t hash = out->hash;
        summarise(out, run);
        out->hash = hash;
        if (!def->group || def->group->rank == 0) { // files that were needed only during the run
            ami_os_remove(run->checkpoint);
            ami_os_remove(run->preview);
        }
    }
    free_run(run);
    ami_release(&alloc, run, sizeof *run);
    return result;
}

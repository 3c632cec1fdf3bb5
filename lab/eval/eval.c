// amble eval NAME: tables of how good a method is, as text, JSON and a page with plots.
#include "eval.h"

#include "base/tasks.h"
#include "lab.h"
#include <amble/tools/files.h>
#include <amble/tools/json.h>

#include <stdio.h>
#include <string.h>

typedef struct eval_item {
    const char *name;
    const char *summary;
    am_result (*run)(eval *e, am_error *err);
} eval_item;

// One line for each eval_NAME.c.
static const eval_item items[] = {
    { "matching", "motion matching on fixed courses: feet, jitter, response times, and what each part contributes",
      eval_matching },
    { "motion", "what an animator would see: novelty, starts, stops, standing, of every method", eval_motion },
    { "learned", "learned motion matching: memory, time, poses, drift and projections of its networks",
      eval_learned },
    { "fields", "motion fields and a graph-based controller: response times, value functions, ten minutes, rates",
      eval_fields },
    { "responsive", "every key of Responsive on its 33 features: as in the paper, and by Amble", eval_responsive },
    { "operators", "flow and segment networks: poses, raw roll-outs as in table 1 of the paper, every behaviour",
      eval_operators },
    { "paths", "drawn paths by long-horizon matching: the paper's tables 1 and 2, and what Amble adds", eval_paths },
};

enum { item_count = sizeof items / sizeof items[0] };

static int print_json(const eval *e)
{
    am_json_writer *w = NULL;
    am_error err = { 0 };
    if (am_json_writer_create(&w, 1, NULL, &err) != AM_OK) {
        return cli_fail(&err);
    }
    ami_tables_json(w, e->tables);
    int status = cli_print_json(w);
    am_json_writer_destroy(w);
    return status;
}

static int print_text(const eval *e)
{
    am_bytes text = { 0 };
    am_error err = { 0 };
    if (ami_tables_print(&text, e->tables, &err) != AM_OK) {
        return cli_fail(&err);
    }
    fwrite(text.data, 1, text.size, stdout);
    printf("%s\n", e->about);
    am_bytes_free(&text);
    return CLI_DONE;
}

void eval_without_capture(eval *e, const char *instead)
{
    snprintf(e->on, sizeof e->on, "%s: the motion capture was not found; docs/data.md says how to get it.", instead);
    FILE *to = e->json ? stderr : stdout;
    fprintf(to, "%s\n", e->on);
    fflush(to);
}

static am_result write_page(const eval *e, const char *path, am_error *err)
{
    am_bytes page = { 0 };
    char about[sizeof e->on + sizeof e->about];
    snprintf(about, sizeof about, "%s%s%s", e->on, e->on[0] ? " " : "", e->about);
    am_result result = ami_tables_page(&page, e->tables, e->title, about, err);
    result = result == AM_OK ? am_file_write(path, page.data, page.size, err) : result;
    am_bytes_free(&page);
    return result;
}

static int evaluate(const eval_item *item, eval *e, const cli_common *common, const char *page)
{
    am_error err = { 0 };
    am_result result = ami_tables_create(&e->tables, NULL, &err);
    if (result == AM_OK) {
        result = item->run(e, &err);
        cli_progress_end();
    }
    if (result == AM_OK && page) {
        result = write_page(e, page, &err);
    }
    if (result != AM_OK) {
        return cli_fail(&err);
    }
    return common->json ? print_json(e) : print_text(e);
}

int lab_eval(const cli_verb *verb, int argc, char **argv)
{
    const char *page = NULL;
    eval e = { 0 };
    const cli_option options[] = {
        { "--html", "OUT.html", "also write a page with plots", .text = &page },
        { "--config", "NAME", "use only the database of this config", .text = &e.config },
        { "--model", "X.amnet", "learned, paths, fields, operators: the networks or value functions to evaluate",
          .text = &e.model },
        { "--networks", "DIR/", "operators: the paper's tables of networks by configs/recipes/operators",
          .text = &e.networks },
        { "--compressor", "X.amnet", "learned: the model with the Compressor, if --model has none",
          .text = &e.compressor },
        { "--ablation", "X.amnet", "learned: another Compressor and Decompressor to compare with",
          .text = &e.ablation },
        { "--keep", "OUT.amnet",
          "learned, operators: write a copy of the networks with these results in their provenance",
          .text = &e.keep },
        { "--quick", NULL, "a few courses and variants only", .flag = &e.quick },
        { "--pushes", NULL, "fields: only the tables of pushes", .flag = &e.pushes },
        { "--timings", NULL, "also print timings, which differ from run to run", .flag = &e.timings },
    };
    cli_word words[item_count];
    for (int i = 0; i < item_count; i++) {
        words[i] = (cli_word){ items[i].name, items[i].summary };
    }
    cli_call call = { .words = words, .word_count = item_count };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    const int chosen = cli_choose(&call, verb, argv);
    if (chosen < 0) {
        return CLI_USAGE;
    }
    const char *const outputs[] = { page, e.keep };
    if (cli_check_outputs(outputs, CLI_COUNT(outputs)) != CLI_DONE) {
        return CLI_FAILED;
    }
    am_pool *pool = NULL;
    const am_tasks *tasks = cli_tasks(&call.common, &pool);
    const am_tasks serial = ami_tasks_serial();
    am_progress progress = cli_progress();
    e.json = call.common.json;
    e.tasks = tasks ? tasks : &serial;
    e.progress = &progress;
    int status = evaluate(&items[chosen], &e, &call.common, page);
    ami_tables_destroy(e.tables);
    am_pool_destroy(pool);
    return status;
}

// amble studio: serves the page on a port of this machine until Ctrl-C.
#include "cli.h"
#include "data.h"
#include "places.h"

#ifdef AMBLE_HAS_STUDIO
#include "studio.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Set by Ctrl-C; builds and the wait below check it.
static atomic_bool stop_asked;

static void on_stop(int signal_number)
{
    (void)signal_number;
    if (stop_asked) {
        _Exit(130); // the second Ctrl-C does not wait
    }
    stop_asked = true;
}

static bool go_on(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)user;
    (void)stage;
    (void)done;
    (void)total;
    return !stop_asked;
}

static int announce(const studio *server, const char *url, bool as_json)
{
    const studio_sets *sets = studio_get_sets(server);
    if (!as_json) {
        printf("The studio is at %s (Ctrl-C stops it)\n", url);
        for (int i = 0; i < sets->count; i++) {
            printf("  %-14s %s\n", sets->items[i].name, sets->items[i].title);
        }
        fflush(stdout);
        return CLI_DONE;
    }
    am_json_writer *w = NULL;
    am_error err = { 0 };
    if (am_json_writer_create(&w, 0, NULL, &err) != AM_OK) {
        return cli_fail(&err);
    }
    am_json_begin_object(w, NULL);
    am_json_string(w, "url", url);
    am_json_integer(w, "port", studio_port(server));
    am_json_begin_array(w, "sets");
    for (int i = 0; i < sets->count; i++) {
        am_json_string(w, NULL, sets->items[i].name);
    }
    am_json_end_array(w);
    am_json_end_object(w);
    int status = cli_print_json(w);
    fflush(stdout);
    am_json_writer_destroy(w);
    return status;
}

static int serve(const studio_def *def, bool open, bool as_json)
{
    am_error err = { 0 };
    studio *server = NULL;
    if (studio_start(&server, def, &err) != AM_OK) {
        return cli_fail(&err);
    }
    char url[64];
    snprintf(url, sizeof url, "http://localhost:%d", studio_port(server));
    int status = announce(server, url, as_json);
    if (open && status == CLI_DONE) {
        am_browser_open(url);
    }
    while (!stop_asked && status == CLI_DONE) {
        am_sleep_us(1e5);
    }
    studio_stop(server);
    return status;
}

/// `--db` may be repeated: each is removed, so that its file remains as an operand.
static int drop_db_words(int argc, char **argv)
{
    int kept = 0;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--db") != 0 || i + 1 >= argc) {
            argv[kept++] = argv[i];
        }
    }
    return kept;
}

int verb_studio(const cli_verb *verb, int argc, char **argv)
{
    studio_def def = studio_def_default();
    const char *db = NULL;
    bool no_open = false;
    char web[1200], wasm[1200], cache[1200], configs[1200], sets[1300], models[1200];
    cli_place_folder(web, sizeof web, CLI_WEB);
    cli_place_folder(wasm, sizeof wasm, CLI_WASM);
    cli_place_folder(configs, sizeof configs, CLI_CONFIGS);
    cli_place_folder(models, sizeof models, CLI_MODELS);
    cli_cache_folder(cache, sizeof cache, "studio");
    snprintf(sets, sizeof sets, "%s/databases", configs);
    def.web_dir = web;
    def.wasm_dir = wasm;
    def.cache_dir = cache;
    def.config_dir = sets;
    def.model_dir = models;
    const cli_option options[] = {
        { .name = "--port",
          .value = "N",
          .help = "port to listen on (default 8080; 0: any free one)",
          .integer = &def.port },
        { .name = "--no-open", .help = "do not open a browser", .flag = &no_open },
        { .name = "--db",
          .value = "X.amdb",
          .help = "serve this database (may be repeated) instead of the built sets",
          .text = &db },
        { .name = "--models", .value = "DIR", .help = "folder of the networks", .text = &def.model_dir },
        { .name = "--cache", .value = "DIR", .help = "folder for built databases", .text = &def.cache_dir },
        { .name = "--wasm",
          .value = "DIR",
          .help = "folder of the page's WebAssembly module",
          .text = &def.wasm_dir },
    };
    argc = drop_db_words(argc, argv);
    cli_call call;
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (def.port < 0 || def.port > 65535) {
        return cli_usage("--port must be 0 to 65535");
    }
    am_pool *pool = NULL;
    am_tasks tasks = cli_tasks(&call.common, &pool);
    am_progress progress = { NULL, go_on };
    def.tasks = &tasks;
    def.progress = &progress;
    def.find_set = cli_find_set;
    def.databases = (const char *const *)argv;
    def.database_count = call.operands;
    cli_make_folder(def.cache_dir); // where it fails, the first build says so
    am_interrupt_catch(on_stop);
    int status = serve(&def, !no_open, call.common.json);
    am_pool_destroy(pool);
    return status;
}
#else
int verb_studio(const cli_verb *verb, int argc, char **argv)
{
    cli_call call;
    if (!cli_begin(&call, verb, NULL, 0, argc, argv)) {
        return call.status;
    }
    am_error err = { .code = AM_ERR_SUPPORT,
                     .offset = -1,
                     .text =
                         "this build has no studio; install libcivetweb-dev and build again, or use ./run studio" };
    return cli_fail(&err);
}
#endif

// amble studio: serves the page on a port of this machine until Ctrl-C.
#include "cli.h"
#include "places.h"

#ifdef AMBLE_HAS_STUDIO
#include "studio.h"

#include <stdio.h>
#include <string.h>

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
    am_json_writer *w = cli_json_begin(0);
    am_json_string(w, "url", url);
    am_json_integer(w, "port", studio_port(server));
    am_json_begin_array(w, "sets");
    for (int i = 0; i < sets->count; i++) {
        am_json_string(w, NULL, sets->items[i].name);
    }
    am_json_end_array(w);
    return cli_json_end(w);
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
    while (!cli_interrupted() && status == CLI_DONE) {
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
        { "--port", "N", "port to listen on (default 8080; 0: any free one)", .integer = &def.port },
        { "--no-open", NULL, "do not open a browser", .flag = &no_open },
        { "--db", "X.amdb", "serve this database (may be repeated) instead of the built sets", .text = &db },
        { "--models", "DIR", "folder of the networks", .text = &def.model_dir },
        { "--cache", "DIR", "folder for built databases", .text = &def.cache_dir },
        { "--wasm", "DIR", "folder of the page's WebAssembly module", .text = &def.wasm_dir },
    };
    argc = drop_db_words(argc, argv);
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, options, CLI_COUNT(options), argc, argv)) {
        return call.status;
    }
    if (def.port < 0 || def.port > 65535) {
        return cli_usage("--port must be 0 to 65535");
    }
    am_pool *pool = NULL;
    def.tasks = cli_tasks(&call.common, &pool);
    (void)cli_progress(); // catches Ctrl-C
    am_progress progress = cli_quiet_progress();
    def.progress = &progress;
    def.find_set = cli_find_set;
    def.databases = (const char *const *)argv;
    def.database_count = call.operands;
    am_folder_make_all(def.cache_dir); // where it fails, the first build says so
    int status = serve(&def, !no_open, call.common.json);
    am_pool_destroy(pool);
    return status;
}
#else
int verb_studio(const cli_verb *verb, int argc, char **argv)
{
    cli_call call = { 0 };
    if (!cli_begin(&call, verb, NULL, 0, argc, argv)) {
        return call.status;
    }
    return cli_stop(NULL, "this build has no studio; install libcivetweb-dev and build again, or use ./run studio");
}
#endif

// The studio's web server: civetweb serves the page's files itself; the module, the list of sets and the databases
// have handlers here.
#include "studio.h"

#include <civetweb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct studio {
    studio_sets sets;
    char wasm_dir[1024];
    char complaint[256]; ///< civetweb's last message
    struct mg_context *http;
    int port;
};

studio_def studio_def_default(void)
{
    studio_def def = { .port = 8080 };
    return def;
}

int studio_port(const studio *server) { return server->port; }
const studio_sets *studio_get_sets(const studio *server) { return &server->sets; }

// ---------------------------------------------------------------------------------------------
// Answers

// The page is alone in its group, so that it may have threads later; browsers do not cache it, so that a rebuild
// takes effect.
static const char page_headers[] = "Cross-Origin-Opener-Policy: same-origin\r\n"
                                   "Cross-Origin-Embedder-Policy: require-corp\r\n"
                                   "Cross-Origin-Resource-Policy: same-origin";

static int answer_error(struct mg_connection *conn, int status, const am_error *err)
{
    char text[1024];
    am_error_format(err, text, sizeof text);
    fprintf(stderr, "amble: %s\n", text);
    mg_send_http_error(conn, status, "%s", text);
    return status;
}

typedef am_result (*tell_fn)(am_json_writer **out, const studio_sets *sets, am_error *err);

static int answer_json(struct mg_connection *conn, const studio *server, tell_fn tell)
{
    am_error err = { 0 };
    am_json_writer *json = NULL;
    if (tell(&json, &server->sets, &err) != AM_OK) {
        return answer_error(conn, 500, &err);
    }
    size_t size = 0;
    const char *text = am_json_text(json, &size);
    mg_send_http_ok(conn, "application/json", (long long)size);
    mg_write(conn, text, size);
    am_json_writer_destroy(json);
    return 200;
}

static int answer_sets(struct mg_connection *conn, void *user) { return answer_json(conn, user, studio_sets_json); }

static int answer_trainings(struct mg_connection *conn, void *user)
{
    return answer_json(conn, user, studio_trainings_json);
}

/// /training/NAME.preview.amnet, and /training/NAME.amnet when it has ended.
static int answer_training(struct mg_connection *conn, void *user)
{
    const studio *server = user;
    const char *file = mg_get_request_info(conn)->local_uri + strlen("/training/");
    char path[1300];
    if (!studio_training_path(&server->sets, file, path, sizeof path)) {
        mg_send_http_error(conn, 404, "no such training; /api/trainings lists them");
        return 404;
    }
    mg_send_mime_file(conn, path, "application/octet-stream");
    return 200;
}

/// /db/NAME.amdb, /db/NAME.amnet: only names of the list are files here.
static int answer_db(struct mg_connection *conn, void *user)
{
    studio *server = user;
    const char *uri = mg_get_request_info(conn)->local_uri;
    char name[64];
    const char *file = uri + strlen("/db/");
    size_t length = strlen(file);
    const studio_set *set = NULL;
    const char *dot = strrchr(file, '.');
    size_t stem = dot ? (size_t)(dot - file) : length;
    if (stem > 0 && stem < length && stem < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)stem, file);
        set = studio_sets_get(&server->sets, name);
    }
    if (!set || strcmp(dot, set->networks ? ".amnet" : ".amdb") != 0) {
        mg_send_http_error(conn, 404, "no such database; /api/sets lists them");
        return 404;
    }
    am_error err = { 0 };
    if (studio_set_ready(&server->sets, set, &err) != AM_OK) {
        return answer_error(conn, 500, &err);
    }
    mg_send_mime_file(conn, set->path, "application/octet-stream");
    return 200;
}

/// /models/NAME.amnet: only what the list of sets names.
static int answer_model(struct mg_connection *conn, void *user)
{
    studio *server = user;
    const char *file = mg_get_request_info(conn)->local_uri + strlen("/models/");
    const studio_sets *sets = &server->sets;
    for (int i = 0; i < sets->count; i++) {
        char name[100];
        char path[1300];
        bool is = studio_direction_of(sets, sets->items[i].name, name, sizeof name) && strcmp(name, file) == 0;
        is |= !is && studio_values_of(sets, sets->items[i].name, name, sizeof name) && strcmp(name, file) == 0;
        if (is) {
            snprintf(path, sizeof path, "%s/%s", sets->def.model_dir, name);
            mg_send_mime_file(conn, path, "application/octet-stream");
            return 200;
        }
    }
    mg_send_http_error(conn, 404, "no such network; /api/sets lists them");
    return 404;
}

static int answer_wasm(struct mg_connection *conn, void *user)
{
    studio *server = user;
    const char *uri = mg_get_request_info(conn)->local_uri;
    static const char *const files[] = { "amble_web.mjs", "amble_web.wasm" };
    static const char *const types[] = { "text/javascript", "application/wasm" };
    for (int i = 0; i < 2; i++) {
        if (strcmp(uri + strlen("/wasm/"), files[i]) == 0) {
            char path[1100];
            snprintf(path, sizeof path, "%s/%s", server->wasm_dir, files[i]);
            mg_send_mime_file(conn, path, types[i]);
            return 200;
        }
    }
    mg_send_http_error(conn, 404, "no such module");
    return 404;
}

// ---------------------------------------------------------------------------------------------
// Start and stop

static int keep_complaint(const struct mg_connection *conn, const char *message)
{
    // A connection finds its context through the context's user data.
    studio *server = mg_get_user_data(mg_get_context(conn));
    if (server) {
        snprintf(server->complaint, sizeof server->complaint, "%s", message);
    }
    return 1;
}

static bool is_file(const char *folder, const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return am_path_look(NULL, path) == AM_PATH_FILE;
}

static am_result check_page(const studio_def *def, am_error *err)
{
    static const char *const parts[] = { "index.html", "node_modules/three/build/three.module.js" };
    const char *missing = NULL;
    for (int i = 0; i < 2 && !missing; i++) {
        missing = is_file(def->web_dir, parts[i]) ? NULL : parts[i];
    }
    if (!missing && !is_file(def->wasm_dir, "amble_web.wasm")) {
        missing = "amble_web.wasm";
    }
    if (missing) {
        *err = (am_error){ .code = AM_ERR_OPEN, .offset = -1 };
        snprintf(err->text, sizeof err->text,
                 "the page is missing %s; ./run studio builds it, ./run install PREFIX builds and installs it",
                 missing);
        return AM_ERR_OPEN;
    }
    return AM_OK;
}

static am_result listen_on(studio *server, const studio_def *def, am_error *err)
{
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%d", def->port);
    const char *options[] = { "document_root",
                              def->web_dir,
                              "listening_ports",
                              address,
                              "num_threads",
                              "8",
                              "enable_directory_listing",
                              "no",
                              "static_file_max_age",
                              "0",
                              "extra_mime_types",
                              ".wasm=application/wasm,.mjs=text/javascript,.glb=model/gltf-binary",
                              "additional_header",
                              page_headers,
                              NULL };
    struct mg_callbacks callbacks = { .log_message = keep_complaint };
    server->http = mg_start(&callbacks, server, options);
    if (!server->http) {
        *err = (am_error){ .code = AM_ERR_OPEN, .offset = -1 };
        snprintf(err->text, sizeof err->text, "cannot listen on port %d%s%s; choose another with --port", def->port,
                 server->complaint[0] ? ": " : "", server->complaint);
        return AM_ERR_OPEN;
    }
    struct mg_server_port ports[4] = { 0 };
    server->port = mg_get_server_ports(server->http, 4, ports) > 0 ? ports[0].port : def->port;
    mg_set_request_handler(server->http, "/api/sets$", answer_sets, server);
    mg_set_request_handler(server->http, "/api/trainings$", answer_trainings, server);
    mg_set_request_handler(server->http, "/training/**$", answer_training, server);
    mg_set_request_handler(server->http, "/db/**$", answer_db, server);
    mg_set_request_handler(server->http, "/models/**$", answer_model, server);
    mg_set_request_handler(server->http, "/wasm/**$", answer_wasm, server);
    return AM_OK;
}

am_result studio_start(studio **out, const studio_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_page(def, err);
    if (result != AM_OK) {
        return result;
    }
    studio *server = calloc(1, sizeof *server);
    if (!server) {
        *err = (am_error){ .code = AM_ERR_MEMORY, .offset = -1, .text = "out of memory for the server" };
        return AM_ERR_MEMORY;
    }
    mg_init_library(MG_FEATURES_DEFAULT);
    snprintf(server->wasm_dir, sizeof server->wasm_dir, "%s", def->wasm_dir);
    result = studio_sets_find(&server->sets, def, err);
    // The port first: without one, the error should not wait for a build.
    result = result == AM_OK ? listen_on(server, def, err) : result;
    const bool first = server->sets.count > 0; // else a training alone
    result = result == AM_OK && first ? studio_set_ready(&server->sets, &server->sets.items[0], err) : result;
    if (result != AM_OK) {
        studio_stop(server);
        return result;
    }
    *out = server;
    return AM_OK;
}

void studio_stop(studio *server)
{
    if (!server) {
        return;
    }
    if (server->http) {
        mg_stop(server->http);
    }
    mg_exit_library();
    studio_sets_free(&server->sets);
    free(server);
}

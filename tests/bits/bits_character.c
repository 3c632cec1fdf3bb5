// Subjects of the bits program: characters by every method, and networks.
#include "bits/bits.h"
#include "bits/input_log.h"
#include "bits/learned_bits.h"
#include "support/direction_nets.h"
#include "support/flow_model.h"
#include "runtime/net/zoo_graph.h"
#include "support/synth_db.h"

// ---------------------------------------------------------------------------------------------
// Characters: two of them, 3,600 frames of a recorded input log on procedural motion, by springs and by the quintic

/// Plays a script to its end: two joints of each frame, and the run's own hash.
static bool play_script(digest *d, const am_run_script *script, const am_db *db, const am_model *learned,
                        am_error *err)
{
    am_run *run = NULL;
    am_run_def def = am_run_def_default();
    def.script = script;
    def.db = db;
    def.models = &learned;
    def.model_count = learned != NULL;
    bool good = am_run_create(&run, &def, err) == AM_OK;
    while (good && am_run_step(run)) {
        put_v3(d, am_run_get_sample(run, 0).pose.root.translation);
        put_v3(d, am_run_get_sample(run, 1).pose.world[5].translation);
    }
    put_u64(d, good ? am_run_hash(run) : 0);
    am_run_destroy(run);
    return good;
}

/// By matching over a database, or by a learned character.
static bool play_log(digest *d, const am_db *db, const am_model *learned, am_inertialise inertialise,
                     am_root_mode root, am_error *err)
{
    am_run_script script;
    if (am_run_parse(&script, input_log, strlen(input_log), "log", NULL, err) != AM_OK) {
        return false;
    }
    script.options.settings.inertialise = inertialise;
    script.options.settings.root = root;
    script.options.settings.method = learned ? AM_METHOD_LEARNED : AM_METHOD_MATCH;
    bool good = play_script(d, &script, db, learned, err);
    am_run_script_free(&script);
    return good;
}

/// The motion that most subjects play over, made once: it takes longer than they do. It lasts as long as the program.
static const am_db *shared_db(am_error *err)
{
    static am_db *made;
    made = made ? made : synth_db_make(false, err);
    return made;
}

static void play_over(digest *d, const am_db *db, am_inertialise inertialise, am_root_mode root, am_error *err)
{
    if (!db || !play_log(d, db, NULL, inertialise, root, err)) {
        fprintf(stderr, "bits: %s\n", err->text);
    }
}

void bits_character(digest *d)
{
    am_error err = { 0 };
    play_over(d, shared_db(&err), AM_INERTIALISE_SPRING, AM_ROOT_MIXED, &err);
}

void bits_character_high(digest *d)
{
    am_error err = { 0 };
    am_db *db = synth_db_make(true, &err);
    play_over(d, db, AM_INERTIALISE_QUINTIC, AM_ROOT_ANIMATION, &err);
    am_db_close(db);
}

/// A motion field: neighbours, greedy actions, integration, and the curve between the ticks.
void bits_field(digest *d)
{
    am_error err = { 0 };
    am_run_script script;
    const am_db *db = shared_db(&err);
    if (!db || am_run_parse(&script, input_log, strlen(input_log), "log", NULL, &err) != AM_OK) {
        fprintf(stderr, "bits: %s\n", err.text);
        return;
    }
    script.options.settings.root = AM_ROOT_ANIMATION;
    script.options.settings.method = AM_METHOD_FIELD;
    script.options.settings.policy = AM_FIELD_GREEDY;
    if (!play_script(d, &script, db, NULL, &err)) {
        fprintf(stderr, "bits: %s\n", err.text);
    }
    am_run_script_free(&script);
}

/// Learned motion matching with each kind of weights: packing, projecting, stepping, decompressing.
void bits_learned(digest *d)
{
    am_error err = { 0 };
    const am_db *db = shared_db(&err);
    for (int w = 0; db && w < 3; w++) {
        am_model *model = bits_learned_model(db, (am_net_weights)w, &err);
        if (!model || !play_log(d, NULL, model, AM_INERTIALISE_SPRING, AM_ROOT_MIXED, &err)) {
            fprintf(stderr, "bits: learned: %s\n", err.text);
        }
        put_u64(d, model ? model->hash : 0);
        am_model_close(model);
    }
}

/// Flow and segments of networks that know nothing, with each kind of weights: noise, Euler steps, guidance,
/// controls, seams, arrivals and standing.
void bits_flow(digest *d)
{
    static const char text[] =
        "{\"controller\": \"%s\", \"seconds\": 12, \"fps\": %d, \"characters\": [{\"goals\": [{\"t\": 0, \"values\": "
        "{\"target\": [2, 0, 3], \"style\": \"sad\"}}, {\"t\": 4, \"values\": {\"target\": [-30, 0, 1], \"facing\": "
        "[0, 0, "
        "-1]}}]}, {\"goals\": [{\"t\": 1, \"values\": {\"target\": [0.5, 0, 1]}}]}]}";
    static const flow_model_def defs[5] = { { .guided = true },
                                            { .segments = true, .weights = AM_NET_FP16 },
                                            { .velocity = true, .told = true, .weights = AM_NET_INT8 },
                                            { .puppet = true },
                                            { .puppet = true, .segments = false, .weights = AM_NET_FP16 } };
    am_error err = { 0 };
    const am_db *db = shared_db(&err);
    for (int i = 0; db && i < 5; i++) {
        char script_text[1024];
        am_run_script script = { 0 };
        am_model *model = flow_model_make(db, &defs[i], &err);
        snprintf(script_text, sizeof script_text, text, defs[i].segments ? "segments" : "flow", i % 2 ? 60 : 47);
        bool good = model && am_run_parse(&script, script_text, strlen(script_text), "goals", NULL, &err) == AM_OK &&
                    play_script(d, &script, NULL, model, &err);
        put_u64(d, good ? model->hash : 0);
        if (!good) {
            fprintf(stderr, "bits: flow: %s\n", err.text);
        }
        am_run_script_free(&script);
        am_model_close(model);
    }
}

/// A path whose facing a network tells, looking ahead.
void bits_direction(digest *d)
{
    static const char text[] =
        "{\"database\": \"-\", \"controller\": \"long-horizon\", \"seconds\": 12, \"characters\": [{\"path\": "
        "{\"facing\": \"net\", \"points\": [[0,0,0],[2,1,2],[4,0,4],[6,-2,4],[8,-2,1]]}}]}";
    am_error err = { 0 };
    am_run_script script = { 0 };
    am_run *run = NULL;
    const am_db *db = shared_db(&err);
    am_model *model = direction_net("direction", direction_crab, NULL);
    am_run_def def = am_run_def_default();
    def.script = &script;
    def.db = db;
    def.models = (const am_model *const *)&model;
    def.model_count = 1;
    bool good = db && model && am_run_parse(&script, text, strlen(text), "path", NULL, &err) == AM_OK &&
                am_run_create(&run, &def, &err) == AM_OK;
    while (good && am_run_step(run)) {
        put_v3(d, am_run_get_sample(run, 0).pose.root.translation);
        put_quat(d, am_run_get_sample(run, 0).pose.root.rotation);
    }
    put_u64(d, good ? am_run_hash(run) : 0);
    if (!good) {
        fprintf(stderr, "bits: direction: %s\n", err.text);
    }
    am_run_destroy(run);
    am_run_script_free(&script);
    am_model_close(model);
}

// ---------------------------------------------------------------------------------------------
// Networks: every operation, batches and single samples, each kind of weights

static void run_network(digest *d, const am_model *model, int batch, am_error *err)
{
    am_net *net = NULL;
    am_net_work *work = NULL;
    am_net_def def;
    am_net_def_init(&def);
    def.model = model;
    if (am_net_create(&net, &def, err) == AM_OK && am_net_work_create(&work, net, batch, NULL, err) == AM_OK) {
        for (int step = 0; step < 20; step++) {
            for (int s = 0; s < batch; s++) {
                float x[21], set[30], scalars[3], out[11];
                zoo_inputs(x, set, scalars, step + s);
                am_net_put(work, 0, s, x);
                am_net_put(work, 1, s, set);
                for (int i = 0; i < 3; i++) {
                    am_net_put(work, 2 + i, s, &scalars[i]);
                }
                am_net_get(work, 0, s, out);
                put_all(d, out, 11);
            }
            am_net_run(net, work, batch);
        }
    }
    am_net_work_destroy(work);
    am_net_destroy(net);
}

void bits_networks(digest *d)
{
    am_error err = { 0 };
    am_net_graph *graph = zoo_all(NULL);
    const am_net_graph *graphs[1] = { graph };
    for (int w = 0; graph && w < 3; w++) {
        am_net_weights weights = (am_net_weights)w;
        am_model_def def = ami_model_def_default();
        def.graphs = graphs;
        def.graph_count = 1;
        def.weights = &weights;
        am_model *model = NULL;
        if (am_model_create(&model, &def, &err) == AM_OK) {
            // The whole file, errors of smaller weights included.
            d->value = am_hash64(model->image, model->image_size, d->value);
            run_network(d, model, 1, &err);
            run_network(d, model, 7, &err);
        }
        am_model_close(model);
    }
    if (!graph || err.code != AM_OK) {
        fprintf(stderr, "bits: networks: %s\n", err.text);
    }
    am_net_graph_destroy(graph);
}

// Scripts to play: read, given another database or model, started.
#include "script.h"

#include "database.h"
#include "places.h"

#if defined(AMBLE_HAS_PHYSICS)
#include <amble/physics.h>
#endif

#include <stdio.h>

/// Tags of the script that no frame has are not an error, but the user should know.
static void warn_of_tags(const cli_script *s)
{
    am_actor_facts facts;
    am_actor_get_facts(am_run_character(s->run, 0), &facts);
    const uint32_t unmet = facts.unmet;
    for (int a = 0; a < AM_ACTIVITY_COUNT; a++) {
        if ((unmet >> a & 1) != 0) {
            fprintf(stderr, "amble: no frame matches the tags of '%s'; %s\n", am_activity_name((am_activity)a),
                    a == AM_ACTIVITY_MOVE ? "all frames are used" : "this activity is left out");
        }
    }
}

/// The shipped network for paths that need one, when the script names no model.
static am_result open_direction(cli_script *s, am_error *err)
{
    bool wanted = false;
    for (int a = 0; a < s->script.actor_count; a++) {
        for (int p = 0; p < s->script.actors[a].path_count; p++) {
            wanted |= s->script.actors[a].paths[p].def.facing == AM_PATH_FACING_NET;
        }
    }
    if (!wanted || s->script.model_count > 0 || !s->script.database) {
        return AM_OK;
    }
    am_db *db = NULL;
    am_result result = am_db_open(&db, s->script.database, NULL, err);
    result = result == AM_OK ? cli_direction_open(&s->direction, db->name, err) : result;
    am_db_close(db);
    return result;
}

/// The given files decide how the script is played: a database by matching, a model alone by its networks. A script
/// of a motion field stays one.
static void take_given(cli_script *s)
{
    am_run_script *script = &s->script;
    am_method *method = &script->options.settings.method;
    if (s->database) {
        script->database = s->database;
        *method = *method == AM_METHOD_LEARNED ? AM_METHOD_MATCH : *method;
    } else if (s->model && *method != AM_METHOD_FIELD) {
        script->database = NULL;
        *method = AM_METHOD_LEARNED;
    }
    if (s->model || (s->database && *method != AM_METHOD_FIELD)) {
        script->models = &s->model;
        script->model_count = s->model != NULL;
    }
}

/// Adds how to make the script's database when it is missing, or how to do without it.
static void advise(const cli_script *s, am_error *err)
{
    const am_run_script *script = &s->script;
    char model[1024], otherwise[1100] = "";
    if (script->options.settings.method != AM_METHOD_FIELD &&
        cli_model_find(model, sizeof model, "locomotion.amnet")) {
        snprintf(otherwise, sizeof otherwise, ", or play the script with the networks that ship: --model %s", model);
    }
    cli_database_advise(err, script->database ? script->database : "", otherwise);
}

static am_result read_script(cli_script *s, am_error *err)
{
    char path[1024];
    am_result result = cli_config_find(path, sizeof path, CLI_RUN, s->path, err);
    result = result == AM_OK ? am_run_read(&s->script, path, NULL, err) : result;
    if (result != AM_OK) {
        return result;
    }
    take_given(s);
    // A trace lists the other candidates.
    int32_t *candidates = &s->script.options.settings.candidates;
    *candidates = s->trace && *candidates == 1 ? AM_MAX_CANDIDATES : *candidates;
    return open_direction(s, err);
}

am_result cli_script_open(cli_script *s, am_error *err)
{
    static const am_clock clock = { NULL, cli_now_us };
    am_run_def def = am_run_def_default();
    def.script = &s->script;
    def.clock = &clock;
#if defined(AMBLE_HAS_PHYSICS)
    def.engine = am_physics_engine();
#endif
    am_result result = read_script(s, err);
    if (result == AM_OK) {
        def.models = (const am_model *const *)&s->direction;
        def.model_count = s->direction != NULL;
        result = am_run_create(&s->run, &def, err);
    }
    if (result == AM_OK) {
        warn_of_tags(s);
    } else {
        advise(s, err);
    }
    return result;
}

void cli_script_close(cli_script *s)
{
    am_run_destroy(s->run);
    am_model_close(s->direction);
    am_run_script_free(&s->script);
}

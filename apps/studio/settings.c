// The settings of the page's characters: every row of the run time's table of options, as JSON and by key.
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// People walk at about 1.3 m/s; captured sets have many slow steps, which make a sluggish default.
#define LEAST_WALK_MPS 1.2f

// ---------------------------------------------------------------------------------------------
// The page's own

/// The usual settings of a method on the page.
static am_settings defaults_of(am_method method)
{
    am_settings settings;
    am_settings_init(&settings, method);
    settings.task = WEB_TASK_SPEED;
    settings.candidates = method == AM_METHOD_FIELD ? AM_MAX_CANDIDATES : settings.candidates; // drawn as a fan
    return settings;
}

void web_scene_options(void)
{
    if (!web_now.options_set) {
        web_now.settings = defaults_of(AM_METHOD_MATCH);
        am_path_def_init(&web_now.path);
        web_now.options_set = true;
    }
}

am_settings web_settings_for(am_method method)
{
    int count;
    const am_option *table = am_options(&count);
    am_settings out = web_now.settings;
    am_settings from = defaults_of(out.method);
    am_settings to = defaults_of(method);
    for (int i = 0; i < count; i++) {
        const am_option *o = &table[i];
        if (o->type <= AM_OPTION_CHOICE && am_option_get(o, &out) == am_option_get(o, &from)) {
            am_option_put(o, &out, am_option_get(o, &to));
        }
    }
    out.method = method;
    return out;
}

void web_settings_weigh(const web_set *b, am_actor *character)
{
    am_error unused = { 0 };
    for (int c = 0; c < b->db->features.schema->channel_count; c++) {
        if (b->weighted[c]) {
            am_actor_set_weight(character, b->db->features.schema->channels[c].name, b->weights[c], &unused);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Telling

static void put_value(am_json_writer *w, const char *key, const am_option *o, const am_settings *settings)
{
    double value = am_option_get(o, settings);
    if (o->type == AM_OPTION_CHOICE) {
        am_json_string(w, key, o->choices[(int)value]);
    } else if (o->type == AM_OPTION_SWITCH) {
        am_json_bool(w, key, value != 0.0);
    } else {
        am_json_number(w, key, value);
    }
}

static void put_weights(am_json_writer *w)
{
    const web_set *open = &web_now.open;
    am_json_begin_object(w, "value");
    for (int c = 0; c < open->db->features.schema->channel_count; c++) {
        am_json_number(w, open->db->features.schema->channels[c].name,
                       open->weighted[c] ? (double)open->weights[c] : 1.0);
    }
    am_json_end_object(w);
}

static void put_option(am_json_writer *w, const am_option *o, const am_settings *settings)
{
    static const char *const types[] = { "number", "integer", "switch", "choice", "tags", "weights" };
    am_settings usual = defaults_of(settings->method);
    am_json_begin_object(w, NULL);
    am_json_string(w, "key", o->key);
    am_json_string(w, "type", types[o->type]);
    am_json_string(w, "label", o->label ? o->label : "");
    am_json_string(w, "unit", o->unit);
    am_json_string(w, "help", o->help);
    am_json_number(w, "low", (double)o->low);
    am_json_number(w, "usual", (double)o->usual);
    am_json_number(w, "high", (double)o->high);
    am_json_begin_array(w, "choices");
    for (int i = 0; i < o->choice_count; i++) {
        am_json_string(w, NULL, o->choices[i]);
    }
    am_json_end_array(w);
    if (o->type == AM_OPTION_WEIGHTS) {
        put_weights(w);
    } else if (o->type == AM_OPTION_TAGS) {
        am_json_string(w, "value", web_now.open.tags[o->offset] ? web_now.open.tags[o->offset] : "");
    } else {
        put_value(w, "default", o, &usual);
        put_value(w, "value", o, settings);
    }
    am_json_end_object(w);
}

const char *web_options(void)
{
    static am_json_writer *told; // callers read its text after the call
    am_json_writer_destroy(told);
    told = NULL;
    if (web_now.open.actor_count == 0 || am_json_writer_create(&told, 0, NULL, &web_now.error) != AM_OK) {
        return "{}";
    }
    int count;
    const am_option *table = am_options(&count);
    am_settings settings;
    am_actor_get_settings(web_chosen(), &settings);
    am_json_begin_object(told, NULL);
    am_json_string(told, "method", am_method_name(settings.method));
    am_json_begin_array(told, "options");
    for (int i = 0; i < count; i++) {
        if ((table[i].methods >> settings.method & 1) != 0) {
            put_option(told, &table[i], &settings);
        }
    }
    am_json_end_array(told);
    am_json_end_object(told);
    const char *text = am_json_text(told, NULL);
    return text ? text : "{}";
}

// ---------------------------------------------------------------------------------------------
// Taking

/// Gives all characters the page's settings.
static am_result give_settings(am_error *err)
{
    am_result result = AM_OK;
    for (int i = 0; i < web_now.open.actor_count && result == AM_OK; i++) {
        am_settings settings = web_scene_settings(&web_now.open, &web_now.lineup, i);
        result = am_actor_set(web_now.open.actors[i].character, &settings, err);
    }
    return result;
}

void web_settings_walk(void)
{
    am_error unused = { 0 };
    am_intent_def speeds;
    am_actor_get_speeds(web_now.open.actors[0].character, &speeds);
    web_now.settings.walk_mps = am_max(speeds.walk_mps, LEAST_WALK_MPS);
    give_settings(&unused);
    web_scene_devices(&web_now.open);
}

static am_result take_settings(const am_settings *settings)
{
    am_settings before = web_now.settings;
    web_now.settings = *settings;
    am_result result = give_settings(&web_now.error);
    if (result != AM_OK) {
        am_error unused = { 0 };
        web_now.settings = before;
        give_settings(&unused);
        return result;
    }
    am_intent_def speeds;
    am_actor_get_speeds(web_now.open.actors[0].character, &speeds);
    if (speeds.walk_mps != web_now.open.intent.walk_mps || speeds.sprint_mps != web_now.open.intent.sprint_mps) {
        web_scene_devices(&web_now.open);
    }
    return AM_OK;
}

/// An empty query means the data's own tags.
static am_result take_tags(am_activity activity, const char *query)
{
    const char *given = query && query[0] ? query : NULL;
    char *copy = given ? malloc(strlen(given) + 1) : NULL;
    am_result result = given && !copy ? AM_ERR_MEMORY : AM_OK;
    for (int i = 0; i < web_now.open.actor_count && result == AM_OK; i++) {
        result = am_actor_set_tags(web_now.open.actors[i].character, activity, given, &web_now.error);
    }
    if (result != AM_OK) {
        free(copy);
        return result;
    }
    if (copy) {
        memcpy(copy, given, strlen(given) + 1);
    }
    free(web_now.open.tags[activity]);
    web_now.open.tags[activity] = copy;
    return AM_OK;
}

static am_result take_weights(const am_json *weights)
{
    web_set *open = &web_now.open;
    am_result result = AM_OK;
    for (const am_json *item = weights ? weights->first : NULL; item && result == AM_OK; item = item->next) {
        for (int i = 0; i < open->actor_count && result == AM_OK; i++) {
            result = am_actor_set_weight(open->actors[i].character, item->key, (float)item->number, &web_now.error);
        }
        int channel = am_schema_find(open->db->features.schema, item->key);
        if (result == AM_OK && channel >= 0) {
            open->weights[channel] = (float)item->number;
            open->weighted[channel] = true;
        }
    }
    return result;
}

int web_set_options(const char *values)
{
    am_json_doc *doc = NULL;
    am_run_options next = { 0 };
    web_now.error = (am_error){ 0 };
    if (web_now.open.actor_count == 0) {
        return (int)AM_ERR_EMPTY;
    }
    next.settings = web_settings_for(web_scene_method(&web_now.lineup, web_now.chosen));
    memcpy(next.tags, web_now.open.tags, sizeof next.tags);
    am_result result = am_json_parse(&doc, values, strlen(values), NULL, NULL, &web_now.error);
    result = result == AM_OK ? am_run_options_read(&next, doc, am_json_root(doc), &web_now.error) : result;
    result = result == AM_OK ? take_settings(&next.settings) : result;
    for (int a = 0; a < AM_ACTIVITY_COUNT && result == AM_OK; a++) {
        result = next.tags[a] != web_now.open.tags[a] ? take_tags((am_activity)a, next.tags[a]) : AM_OK;
    }
    result = result == AM_OK ? take_weights(next.weights) : result;
    am_json_free(doc);
    web_now.error.line = web_now.error.column = 0; // of a text that nobody sees
    web_now.error.offset = -1;
    return (int)result;
}

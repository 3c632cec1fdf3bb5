/// What the module keeps between the page's calls: an open data set, the characters on the scene, and their options.
/// Internal to the module; the page calls bridge.h.
#ifndef AMBLE_STUDIO_SCENE_H
#define AMBLE_STUDIO_SCENE_H

#include "bridge.h"
#include "asks.h"
#include "path_track.h"
#include "fields.h"

typedef struct web_actor {
    am_actor *character;
    am_intent_state devices;
    web_path_track drawn;
    web_target target;
    web_asked ask;
    web_stroll stroll; ///< of those in a crowd that are not steered
} web_actor;

/// Bytes of a file that the page gave.
typedef struct web_bytes {
    void *data; ///< of web_alloc; NULL: none
    size_t size;
} web_bytes;

/// Everything that belongs to one data set. Each method has an asset of its own, since models arrive one after
/// another while characters move.
typedef struct web_set {
    web_bytes database, direction;
    web_bytes models[AM_METHOD_OWN]; ///< [method] what was given for it
    am_asset *assets[AM_METHOD_OWN]; ///< [method] NULL: not asked for yet, or another one plays it, too
    am_db *own_db;                   ///< of `database`
    const am_db *db;                 ///< that one, or where networks are all there is that of their start states
    web_actor actors[WEB_MOST_ACTORS];
    int actor_count;
    am_intent_def intent;
    const am_push_solver *solver;   ///< of pushes; NULL without an engine
    char *tags[AM_ACTIVITY_COUNT];  ///< queries that were set, or NULL
    float weights[AM_MAX_CHANNELS]; ///< [channel] factors
    bool weighted[AM_MAX_CHANNELS]; ///< those that were set
} web_set;

/// The characters on the scene and their starts.
typedef struct web_lineup {
    int count;
    bool ahead; ///< they follow paths; matching then looks ahead
    am_method method;
    bool pair;  ///< WEB_SIDE_BY_SIDE
    bool crowd; ///< the first is steered, the others stroll
    float places[WEB_MOST_ACTORS][3];
} web_lineup;

/// What is open, and the options that outlive it.
typedef struct web_page {
    web_set open;
    web_bytes next_direction; ///< of the data set that is opened next
    web_lineup lineup;
    int chosen; ///< the character that devices, view and paths refer to
    am_path_def path;
    am_path_obstacle obstacles[AM_MAX_PATH_OBSTACLES];
    am_settings settings; ///< as last set, for the method that they name
    bool options_set;     ///< path and settings have been set, at least to their defaults
    am_error error;       ///< the last error
} web_page;

extern web_page web_now;

/// Microseconds of a steady clock.
double web_microseconds(void);
/// The character that devices, view and paths refer to; there always is one.
am_actor *web_chosen(void);
/// Options that were not set yet get their defaults.
void web_scene_options(void);

/// Characters of a set. They continue from those of `before`; NULL means that all stand at their starts.
am_result web_scene_fill(web_set *b, const web_lineup *lineup, const web_set *before, am_error *err);
/// Replaces the characters. `before` is what is open, or NULL for a fresh start. Returns 0, or the error code with
/// nothing changed.
int web_scene_replace(const web_lineup *lineup, const web_set *before);
/// The same with models and assets of `next`, a copy of what is open.
int web_scene_exchange(web_set *next, const web_lineup *lineup, const web_set *before);
/// Devices at rest, with the speeds of the set.
void web_scene_devices(web_set *b);

/// What a character of a cast plays: the second of two side by side is learned.
am_method web_scene_method(const web_lineup *lineup, int number);
/// The page's settings for a method: what was not set has the method's own default.
am_settings web_settings_for(am_method method);
/// The settings of a character of a cast.
am_settings web_scene_settings(const web_set *b, const web_lineup *lineup, int number);
/// The walk of a new set: its own, or a brisker one.
void web_settings_walk(void);
/// Gives a character the set's weights, as far as its features have them.
void web_settings_weigh(const web_set *b, am_actor *character);
/// What can be asked of a character; NULL: nothing.
const am_control_schema *web_scene_schema(const web_set *b, const am_actor *character);
/// The asset of a method, or NULL.
am_asset *web_scene_asset(const web_set *b, am_method method);
/// Opens the asset of a method from its bytes where it is not open yet. Refuses those of another skeleton or
/// database, and methods that there is nothing for.
am_result web_scene_open(web_set *b, am_method method, am_error *err);
/// A body that can be pushed, where there is an engine. Data that give none (no poses, no legs) are steered only.
void web_scene_solver(web_set *b);
void web_scene_close_solver(web_set *b);
void web_scene_free(web_bytes *bytes);
/// Frees everything of a set.
void web_scene_close(web_set *b);

#endif

/// What the module keeps between the page's calls: an open data set, the characters on the scene, and their options.
/// Internal to the module; the page calls bridge.h.
#ifndef AMBLE_STUDIO_STAGE_H
#define AMBLE_STUDIO_STAGE_H

#include "bridge.h"
#include "drawn.h"
#include "fields.h"

typedef struct web_actor {
    am_actor *character;
    am_intent_state devices;
    web_drawn drawn;
    web_target target;
    web_stroll stroll; ///< of those in a crowd that are not steered
} web_actor;

/// Bytes of a file that the page gave.
typedef struct web_bytes {
    void *data; ///< of web_alloc; NULL: none
    size_t size;
} web_bytes;

/// What the page opens, each as an asset of its own: they arrive one after another, and moving characters continue.
enum { WEB_ASSET_MATCH, WEB_ASSET_LEARNED, WEB_ASSET_FIELD, WEB_ASSET_COUNT };

/// Everything that belongs to one data set.
typedef struct web_set {
    web_bytes database, networks, values, direction;
    am_asset *assets[WEB_ASSET_COUNT]; ///< NULL: nothing was given for it, or not asked for yet
    const am_db *db;                   ///< of matching, or where networks are all there is of their start states
    web_actor actors[WEB_MOST_ACTORS];
    int actor_count;
    am_intent_def intent;
    const am_push_solver *solver; ///< of pushes; NULL without an engine
} web_set;

/// The characters on the scene and their starts.
typedef struct web_lineup {
    int count;
    bool ahead; ///< they follow paths; matching then looks ahead
    int method; ///< WEB_MATCH, ...
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
    am_settings settings; ///< of all, but for the method
    bool options_set;     ///< path and settings have been set, at least to their defaults
    float walk_mps;       ///< 0 means the database's own
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
am_result web_scene_fill(web_set *b, const web_lineup *who, const web_set *before, am_error *err);
/// Replaces the characters. `before` is what is open, or NULL for a fresh start. Returns 0, or the error code with
/// nothing changed.
int web_scene_replace(const web_lineup *who, const web_set *before);
/// Devices at rest, with the speeds of the set.
void web_scene_devices(web_set *b);

/// The settings of the characters of a cast: the second of two side by side is learned.
am_settings web_scene_settings(const web_set *b, const web_lineup *who, int number);
/// Gives the characters the page's settings. Returns 0, or the error code with nothing changed.
int web_scene_set(void);
/// Opens an asset of a set from its bytes where it is not open yet. Refuses bytes for another skeleton or database.
am_result web_scene_open(web_set *b, int kind, am_error *err);
/// A body that can be pushed, where there is an engine. Data that give none (no poses, no legs) are steered only.
void web_scene_solver(web_set *b);
void web_scene_free(web_bytes *bytes);
/// Frees everything of a set.
void web_scene_close(web_set *b);

#endif

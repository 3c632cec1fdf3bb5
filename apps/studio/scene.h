/// What the module keeps between the page's calls: an open data set, the characters on the scene, and their options.
/// Internal to the module; the page calls bridge.h.
#ifndef AMBLE_STUDIO_STAGE_H
#define AMBLE_STUDIO_STAGE_H

#include "bridge.h"
#include "drawn.h"
#include "fields.h"

typedef struct web_actor {
    am_character *character;
    const am_source *source;
    am_intent_state devices;
    web_drawn drawn;
    web_target target;
    web_stroll stroll; ///< of those in a crowd that are not steered
} web_actor;

/// Everything that belongs to one open database.
typedef struct web_set {
    void *bytes;
    am_db *db;
    am_index *index;     ///< NULL where networks are all there is
    void *network_bytes; ///< of `networks`, when they are not `bytes`
    am_model *networks;  ///< of learned motion matching; NULL without
    am_source *source;   ///< matching; NULL when not in use
    am_source *learned;  ///< NULL when not in use
    web_fields fields;
    am_source *flow;      ///< of the field; NULL when not in use
    am_search_work *work; ///< that a crowd shares; NULL: each has its own
    web_actor actors[WEB_MOST_ACTORS];
    int actor_count;
    am_intent_def intent;
    void *model_bytes;
    am_model *model;
    am_net *direction;            ///< of the model; NULL without
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
    web_set next; ///< the model of the database that is opened next, and nothing else
    web_lineup lineup;
    int chosen; ///< the character that devices, view and paths refer to
    int task;   ///< of fields: WEB_TASK_SPEED, ...
    am_field_policy policy;
    am_path_def path;
    am_path_obstacle obstacles[AM_MAX_PATH_OBSTACLES];
    am_match_def match;
    am_character_def character;
    bool options_set; ///< path, match and character have their defaults or better
    float walk_mps;   ///< 0 means the database's own
    am_error error;   ///< what went wrong last
} web_page;

extern web_page web_now;

/// Microseconds of a steady clock.
double web_microseconds(void);
/// The character that devices, view and paths mean; there is one.
am_character *web_chosen(void);
/// Options that are not set yet get their defaults.
void web_scene_options(void);

/// Source and characters over an open database and index. They go on from those of `before`; NULL means that all
/// stand at their starts.
am_result web_scene_fill(web_set *b, const web_lineup *who, const web_set *before, am_error *err);
/// Puts new characters in the place of the old ones. `before` is what is open, or NULL: they begin anew. Gives 0 or
/// the error code; then all stays as it was.
int web_scene_replace(const web_lineup *who, const web_set *before);
/// Devices at rest, with the speeds of the set.
void web_scene_devices(web_set *b);

/// The source of learned matching over the set's networks. Refuses those of another skeleton.
am_result web_scene_learned(web_set *b, am_error *err);
/// A body that can be pushed, where there is an engine. Data that give none (no poses, no legs) are steered only.
void web_scene_solver(web_set *b);
/// The copy of a set has no sources: the owner of the original frees them.
void web_scene_forget(web_set *b);
void web_scene_close_model(web_set *b);
/// Frees everything of a set.
void web_scene_close(web_set *b);

#endif

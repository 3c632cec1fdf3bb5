/// What the parts of a run share.
#ifndef AMI_CONTROL_RUN_H
#define AMI_CONTROL_RUN_H

#include <amble/run.h>

/// One character with its devices.
typedef struct ami_player {
    am_character *character;
    am_intent_state devices;
    int next_key, next_pad; ///< events not yet due
    uint32_t keys;
    am_gamepad pad;
    am_intent intent;
    double step_us;
} ami_player;

struct am_run {
    am_alloc alloc;
    const am_run_script *script;
    const am_db *db;
    am_db *own_db;
    am_index *index;
    am_source *source;
    am_search_work *work;
    am_intent_def intent_def;
    const am_clock *clock;
    ami_player *players; ///< [actor_count]
    int actor_count;
    int frame, frame_count;
};

/// The document behind a script, for errors that name a place; NULL for scripts that were not parsed.
const am_json_doc *ami_run_doc(const am_run_script *script);

#endif

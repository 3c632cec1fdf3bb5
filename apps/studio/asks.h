/// What the page asks of a character whose networks have a control schema: a value by paths, as in the goals of
/// RUN.json.
#ifndef AMBLE_STUDIO_ASKS_H
#define AMBLE_STUDIO_ASKS_H

#include <amble/tools/tools.h>

/// A value that holds until the character is steered or asked for something else.
typedef struct web_asked {
    char *values;        ///< JSON object by paths, as given; NULL: nothing is asked
    am_control *control; ///< the same for the character's schema
    char list[80]; ///< path of a list of places, and facings where it has them, that the character's own trajectory
                   ///< fills in every step, so that keys and drawn paths steer while the rest holds
    float times[AM_MAX_TRAJECTORY]; ///< [points] s from now of its items, ascending
    int points;                     ///< 0: no such list
} web_asked;

/// Asks for `values` (NULL: nothing) by a schema. On an error nothing changes.
am_result web_asked_set(web_asked *ask, const am_control_schema *schema, const char *values, const char *list,
                        const float *times, int points, am_error *err);
/// What `from` asks, by another schema; nothing where that cannot be asked.
void web_asked_copy(web_asked *ask, const web_asked *from, const am_control_schema *schema);
void web_asked_clear(web_asked *ask);
/// The value of the step of `dt` seconds that comes next; NULL: none.
const am_control *web_asked_value(web_asked *ask, const am_actor *character, float dt);

/// "control": the schema as `amble info --json` prints it, or null.
void web_describe_control(am_json_writer *w, const am_control_schema *schema);

#endif

/// Motion fields on the page: the field of the open database with its value functions, where characters are sent, and
/// what the last tick chose among.
#ifndef AMBLE_STUDIO_FIELDS_H
#define AMBLE_STUDIO_FIELDS_H

#include <amble/tools/tools.h>

/// Tasks by the numbers that the page uses, in the order of am_field_task_name.
enum { WEB_TASK_DIRECTION, WEB_TASK_LINE, WEB_TASK_SPEED, WEB_TASK_POINT, WEB_TASK_COUNT };

typedef struct web_fields {
    am_field *field; ///< made when it is first asked for
    void *bytes;     ///< of the model
    am_model *model; ///< with value functions; NULL without
    am_field_value *values[WEB_TASK_COUNT];
} web_fields;

/// Takes the value functions of a model from its bytes, of web_alloc, which are the module's from then on. Refuses
/// those of another database; there are then none.
am_result web_fields_take(web_fields *fields, const am_db *db, void *bytes, size_t size, am_error *err);
/// A source over the field of a database, which is made where it is not there yet.
am_result web_fields_source(am_source **out, web_fields *fields, const am_db *db, int task, am_field_policy policy,
                            am_error *err);
void web_fields_close(web_fields *fields);

/// The field in JSON, or null: "field": {"states", "k", "bytes", "valueBytes", "values": [one of each task: ticks
/// between anchors, or 0 where there is none]}.
void web_fields_describe(am_json_writer *w, const web_fields *fields);

#define WEB_FIELD_NUMBERS 4
/// out(AM_MAX_CANDIDATES, WEB_FIELD_NUMBERS): weight, and how the ground root went on there in one tick (x, z, turn
/// in its own frame), of the neighbours of a tick, the chosen one first. Returns how many.
int web_fields_near(float *out, const web_fields *fields, const am_source_output *tick);

/// Where a character was sent.
enum { WEB_NOWHERE, WEB_LINE, WEB_POINT };
typedef struct web_target {
    int kind;
    am_vec3 point; ///< to go to, or on the line
    am_vec3 way;   ///< of the line, unit
} web_target;
/// The target of a character at `root` that goes there at a speed.
am_intent web_point_target(const web_target *target, am_transform root, float mps);

/// A character that is not steered: it walks from one point near the start to another, with pauses.
typedef struct web_stroll {
    am_rng rng;
    am_vec3 to;
    float rest_s;
} web_stroll;
web_stroll web_stroll_make(uint64_t seed, am_vec3 from);
am_intent web_stroll_target(web_stroll *stroll, am_transform root, float mps, float dt);

#endif

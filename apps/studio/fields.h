/// Motion fields on the page: the field of the open database with its value functions, where characters are sent, and
/// what the last tick chose among.
#ifndef AMBLE_STUDIO_FIELDS_H
#define AMBLE_STUDIO_FIELDS_H

#include <amble/tools/tools.h>

/// Tasks by the numbers that the page uses, in the order of the option `task`.
enum { WEB_TASK_DIRECTION, WEB_TASK_LINE, WEB_TASK_SPEED, WEB_TASK_POINT, WEB_TASK_COUNT };

/// The field of an asset (NULL: none) in JSON, or null: "field": {"states", "k", "bytes", "values":
/// [one of each task: ticks between anchors, or 0 where there is none]}.
void web_fields_describe(am_json_writer *w, const am_asset *asset);

/// Where a character was sent.
enum { WEB_NOWHERE, WEB_LINE, WEB_POINT };
typedef struct web_target {
    int kind;
    am_vec3 point; ///< to go to, or on the line
    am_vec3 way;   ///< of the line, unit; the facing at a point, zero for any
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

/// What a flow or segment model can be asked (Operators section 5), asked of many characters at once, and how well
/// they do it: errors against what was asked, beside novelty, steps and feet.
#ifndef AMBLE_LAB_BEHAVIOURS_H
#define AMBLE_LAB_BEHAVIOURS_H

#include "eval.h"

#include <amble/asset.h>
#include <amble/tools/metrics.h>

#include "data/facts.h"
#include "operators/control.h"
#include "report/reference.h"

typedef enum behaviour {
    BEHAVIOUR_TRAJECTORY, ///< a fixed array of places, and facings
    BEHAVIOUR_PATH,       ///< an array of places
    BEHAVIOUR_VELOCITY,
    BEHAVIOUR_TARGET,
    BEHAVIOUR_STYLED, ///< a trajectory beside a name
    BEHAVIOUR_JUMP,
    BEHAVIOUR_SIT,
    BEHAVIOUR_PICK_UP,
    BEHAVIOUR_COUNT
} behaviour;
const char *behaviour_name(behaviour b);

enum { behaviour_path = 96, behaviour_items = 8 };

/// Where a schema takes what a behaviour is asked by: paths of its parts, "" also where there is none.
typedef struct behaviour_parts {
    bool has;
    char place[behaviour_path];    ///< the array, the velocity, the target, spot, chair or object
    char facing[behaviour_path];   ///< beside it
    char extra[behaviour_path];    ///< style, time, get_up or hand
    const char *item;              ///< of an array: ".position" or ""
    const ami_control_node *names; ///< the names to choose from: of styles and hands
    int count;                     ///< items of an array
    float times[behaviour_items];  ///< s ahead, of a trajectory's places
    bool faced;                    ///< a trajectory's items have facings, others a facing beside their place
} behaviour_parts;

/// Finds what can be asked, by the names and the structure of parts as in configs/schemas, wherever they lie in the
/// schema; the times of a trajectory come from the runtime controls of the model (or NULL) where it has some.
am_result behaviours_find(behaviour_parts parts[BEHAVIOUR_COUNT], const am_control_schema *schema,
                          const am_model *model, am_error *err);

/// A model while it is measured.
typedef struct behaviours behaviours;
struct behaviours {
    const eval *e;
    const am_db *db; ///< the captured motion to compare with
    am_asset *asset;
    const am_control_schema *schema; ///< NULL: nothing can be asked
    am_method method;
    am_facts facts;
    am_reference *reference;
    am_body body;
    am_floor floor;
    behaviour_parts parts[BEHAVIOUR_COUNT];
    bool follows; ///< its runtime controls follow a trajectory: without a target, points are walked to by the plan
    double usual_p95[BEHAVIOUR_COUNT]; ///< novelty while the behaviour was asked for as in the data; 0: not yet
    void (*complete)(const behaviours *b, am_control *control, am_transform root); ///< after each asking, or NULL
};

am_result behaviours_open(behaviours *b, const eval *e, const am_db *db, const am_model *model, am_error *err);
void behaviours_close(behaviours *b);

// ---------------------------------------------------------------------------------------------
// Crowds

/// Some characters of one model with everything that they did.
typedef struct crowd {
    behaviours *b;
    int count, frames, room; ///< frames so far, and most
    am_actor **actors;
    am_control **controls;
    am_intent *intents;
    am_meter **meters;
    am_vec3 *points;     ///< [character][room][AM_POINT_COUNT]
    am_transform *roots; ///< [character][room] after each step
} crowd;

/// They stand at the origin and face +z.
am_result crowd_open(crowd *c, behaviours *b, int count, float seconds, bool plan, uint64_t seed, am_error *err);
void crowd_close(crowd *c);

/// What is asked of a character in the step that begins t seconds after the beginning; `control` is empty.
typedef void crowd_ask(void *user, int character, float t, am_transform root, am_control *control);
am_result crowd_play(crowd *c, float seconds, crowd_ask *ask, void *user, am_error *err);

static inline am_transform crowd_root(const crowd *c, int character, int frame)
{
    return c->roots[(ptrdiff_t)character * c->room + frame];
}
static inline am_vec3 crowd_point(const crowd *c, int character, int frame, am_point point)
{
    return c->points[((ptrdiff_t)character * c->room + frame) * AM_POINT_COUNT + point];
}
am_motion crowd_motion(const crowd *c, int character);

/// What animators see of a crowd.
typedef struct crowd_quality {
    double novelty_median, novelty_p95; ///< cm
    double slide_cm, jitter_cm;
    double odd_steps; ///< share of steps that nobody of that speed takes
    double glides;    ///< a minute: times without a planted foot
    double frozen;    ///< share of time in which the hips are slower than 0.1 m/s
    double floats;    ///< share of frames in which both toes are higher than 0.4 m above the floor
    double fastest;   ///< m/s over half a second
} crowd_quality;
crowd_quality crowd_measure(const crowd *c, float novelty_every_s);

// Numbers in order, for medians.
double sorted_part(float *values, int count, double part);

// ---------------------------------------------------------------------------------------------
// Asking

void ask_place(am_control *control, const char *path, am_vec3 v);
void ask_item(am_control *control, const char *array, int item, const char *part, am_vec3 v);

void behaviours_table(const behaviours *b); ///< begins the table `behaviours`
void behaviours_table_named(const behaviours *b, const char *name, const char *about);
/// One file each: rows of the tables.
am_result behaviours_courses(behaviours *b, am_error *err); ///< trajectory, path, velocity
am_result behaviours_goals(behaviours *b, am_error *err);   ///< target
am_result behaviours_objects(behaviours *b, am_error *err); ///< jump, sit, pick up
am_result behaviours_styles(behaviours *b, am_error *err);  ///< styled
am_result behaviours_beyond(behaviours *b, am_error *err);  ///< controls beyond the data, standing
/// A row of the table `behaviours`; NAN where a measure says nothing.
typedef struct behaviour_row {
    const char *name;
    int trials;
    double off_m, line_m;        ///< from the place at that time, and from the line
    double speed;                ///< error, share
    double within_25, within_15; ///< shares
    double median_m, facing_deg; ///< at the end
    double done;                 ///< share that did what was asked beside the place
    double time_s;
    double off_bound, line_bound, speed_bound, within_25_bound, within_15_bound, median_bound, facing_bound,
        done_bound, p95_bound; ///< 0: none
} behaviour_row;
behaviour_row behaviour_row_of(const char *name, int trials);
void behaviour_row_put(behaviours *b, const behaviour_row *row, const crowd_quality *q);

#endif

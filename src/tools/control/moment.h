/// The functions that training controls may call: what a clip shows around one of its frames, and draws.
///
/// Times are seconds in the clip. A clip here is a *span*: a range of the database, or what is left of it on one side
/// of an excluded stretch. Before its start and after its end everything is missing. Between frames, places are
/// interpolated.
#ifndef AMI_CONTROL_MOMENT_H
#define AMI_CONTROL_MOMENT_H

#include "data/database.h"
#include "operators/control.h"

/// Frames start .. stop - 1 of a database.
typedef struct ami_span {
    int start, stop;
} ami_span;

/// Spans in ascending order, without overlap.
typedef struct ami_spans {
    ami_span *items;
    int count;
} ami_spans;

/// What is known of a database before the first draw. Immutable.
typedef struct ami_motion {
    am_alloc alloc;
    const am_db *db;
    ami_spans spans;
    ami_spans tags[AM_MAX_TAGS]; ///< stretches that have a tag, cut where spans end
    ami_spans stands;            ///< where the root stands
    const char **joint_names;    ///< [joint_name_count]: root, roles, joints of the rig
    int16_t *name_joints;        ///< [joint_name_count]: -1 for root
    int joint_name_count;
    int16_t *moving;  ///< [joint]: its place among db->moving, -1 when its translation is constant
    am_quat *forward; ///< [joint]: inverse of its rest rotation in the skeleton's space
} ami_motion;

/// A root that stays slower than this for this long stands.
#define AMI_STAND_MPS 0.1f
#define AMI_STAND_S 0.25f

/// `excluded` [frame], or NULL for none.
am_result ami_motion_create(ami_motion **out, const am_db *db, const bool *excluded, const am_alloc *alloc,
                            am_error *err);
void ami_motion_destroy(ami_motion *motion);
/// The span that holds a frame, or NULL when it is excluded.
const ami_span *ami_motion_span(const ami_motion *motion, int frame);
/// The first stretch that ends behind `frame`, or -1.
int ami_spans_from(const ami_spans *spans, int frame);

/// Which tags the names of a part are.
typedef struct ami_part_tags {
    const char *const *names; ///< [count]
    const int8_t *tags;       ///< [count] -1: no tag
    int count;
} ami_part_tags;

/// A frame that is asked about: the context of the functions.
typedef struct ami_moment {
    const ami_motion *motion;
    int frame;
    int zero; ///< the range's first frame, from which times count, whatever is excluded
    ami_span span;
    am_rng *rng;                ///< NULL where nothing is drawn
    float earliest, latest;     ///< s: the times that were asked about, the frame's own among them
    const ami_part_tags *parts; ///< [node of the schema], or NULL: tag_of() is then missing
    const int *part;            ///< the node that is set
} ami_moment;
/// False when the frame is excluded.
bool ami_moment_at(ami_moment *out, const ami_motion *motion, int frame, am_rng *rng);
/// The frame's own time.
float ami_moment_now(const ami_moment *moment);
/// World transform of a joint (-1: the ground root) at a time. False when it is beyond the span.
bool ami_moment_joint(ami_moment *moment, int joint, float time, am_transform *out);
/// Its velocity in the world, m/s, over the frame before and after as far as the span goes.
bool ami_moment_velocity(ami_moment *moment, int joint, float time, am_vec3 *out);

/// The functions, whose context is an ami_moment, and the lists of joints and tags that they take.
const ami_expr_function *ami_moment_functions(int *count);
enum { ami_moment_list_count = 2 };
void ami_moment_lists(ami_expr_names out[ami_moment_list_count], const ami_motion *motion);

#endif

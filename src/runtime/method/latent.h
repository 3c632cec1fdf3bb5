/// What flow and segment characters share (Operators section 4): a model's parts and attachments, a state of latents
/// and pose vectors at fixed ticks, and poses between the ticks.
#ifndef AMI_METHOD_LATENT_H
#define AMI_METHOD_LATENT_H

#include <amble/source.h>

#include "data/facts.h"
#include "data/index.h"
#include "data/pose_vector.h"
#include "method/flow_file.h"
#include "method/sources.h"
#include "operators/pose_parts.h"

/// The parts of a model, in the order of the networks of a search work. The last is the controller itself.
enum { ami_latent_encoder, ami_latent_decoder, ami_latent_control, ami_latent_main, ami_latent_nets };
_Static_assert(ami_latent_nets <= AMI_WORK_NETS, "a work has memory for each network");

enum { ami_latent_inputs = 5 };
/// A part with the numbers of its inputs by the caller's list of names; -1: it does not read that.
typedef struct ami_latent_net {
    am_net *net;
    int in[ami_latent_inputs];
    int out;
} ami_latent_net;

typedef struct ami_latent_batch ami_latent_batch;

typedef struct ami_latent {
    am_source base;
    const am_model *model;
    ami_flow_latents data;
    am_db *character; ///< the start states
    am_facts facts;
    am_control_schema *schema;      ///< NULL: nothing can be asked
    am_control *empty;              ///< a value that asks nothing
    ami_runtime_controls *controls; ///< NULL: without a value nothing is asked
    ami_latent_net nets[ami_latent_nets];
    ami_pose_layout layout;
    int z, y, c; ///< latents; numbers of a pose, extras included; of an encoding
    int joints;
    float *starts;           ///< [start][y]
    int standing;            ///< the start state that a character begins with
    bool segments;           ///< as in ami_latent_kind
    int *places;             ///< [place_count] where locations and velocities lie in a vector
    ami_pose_part *features; ///< [feature_count]
    int place_count, feature_count;
    /// Fills the next latents of the listed members; `at_next` of each state.
    void (*solve)(ami_latent_batch *batch);
    // Offsets in floats of the parts of a state, behind its head: latents of the tick before, of the last tick and of
    // the next one; noise(z); pose vectors of both ticks; rotations of both ticks after blending, joints x 4; encoded
    // control; a segment.
    int at_before, at_last, at_next, at_noise, at_y[2], at_turn[2], at_encoding, at_segment;
    int state_floats;
} ami_latent;

/// Head of a state.
typedef struct ami_latent_head {
    float phase;    ///< of the way from the tick before to the last one, 0 to 1
    uint32_t ticks; ///< since it began
    int32_t played; ///< segments: latents of the segment that were taken; -1: there is no segment
    float reserved[5];
} ami_latent_head;

enum { ami_latent_crowd = 64 }; ///< characters that are stepped together

/// Some characters in one step.
struct ami_latent_batch {
    const ami_latent *latent;
    void *const *states;
    am_source_output *const *outs;
    const am_source_input *const *inputs;
    int count;
    am_net_work **nets;
    float *value;               ///< [value_count] scratch
    int list[ami_latent_crowd]; ///< members of the present tick
    int listed;
    am_transform moved[ami_latent_crowd]; ///< of the root since the step began
};

static inline const ami_latent *ami_latent_of(const am_source *source)
{
    return (const ami_latent *)(const void *)source;
}
static inline float *ami_latent_at(const ami_latent *l, void *state, int at)
{
    (void)l;
    return (float *)(void *)((ami_latent_head *)state + 1) + at;
}

/// How such a source is made.
typedef struct ami_latent_def {
    const am_alloc *alloc;
    const am_model *model; ///< borrowed
    am_net_mode mode;      ///< exact by default: the same bits everywhere
    const char *kernels;   ///< as in am_net_def
    uint32_t cookie;
} ami_latent_def;
ami_latent_def ami_latent_def_default(void);

/// A controller over such a model.
typedef struct ami_latent_kind {
    const am_source_interface *interface;
    const char *part;
    const char *inputs[ami_latent_inputs]; ///< NULL behind the last
    bool needed[ami_latent_inputs];
    const char *output;
    bool segments; ///< answers are segments of head.frames latents, with a transition where one begins
    void (*solve)(ami_latent_batch *batch);
} ami_latent_kind;
am_result ami_latent_create(am_source **out, const ami_latent_def *def, const ami_latent_kind *kind, am_error *err);

// The source interface, but for the name.
size_t ami_latent_state_size(const am_source *source);
void ami_latent_reset(const am_source *source, void *state, int frame, const am_settings *settings);
void ami_latent_pose(const am_source *source, const void *state, am_source_output *out, am_search_work *work);
void ami_latent_step(const am_source *source, void *state, am_source_output *out, const am_source_input *input,
                     am_search_work *work);
void ami_latent_step_batch(const am_source *source, void *const *states, am_source_output *const *outs,
                           const am_source_input *const *inputs, int count, am_search_work *work);
am_result ami_latent_make_work(const am_source *source, am_search_work *work, int most, const am_alloc *alloc,
                               am_error *err);
void ami_latent_destroy(am_source *source);

/// latent.c: scratch of a work for a control value.
float *ami_latent_value(am_search_work *work);
/// latent_step.c: runs a network for `count` samples of a batch.
static inline void ami_latent_run(ami_latent_batch *b, int net, int count)
{
    if (count > 0) {
        am_net_run(b->latent->nets[net].net, b->nets[net], count);
    }
}
/// latent_control.c: the encoded controls of the listed members into their states.
void ami_latent_ask(ami_latent_batch *batch);
/// latent_control.c: reads the schema and the runtime controls; fills places, features and empty.
am_result ami_latent_open_controls(ami_latent *latent, am_error *err);
void ami_latent_close_controls(ami_latent *latent);
/// latent_control.c: a vector brought within what was drawn in training; far places are pulled in along their
/// direction.
void ami_latent_limit(const ami_latent *latent, float *vector);

/// How near a goal counts as there.
typedef struct ami_near {
    float metres, radians;
} ami_near;
/// latent_control.c: whether a value asks a character at `root` to stand where it is: it has arrived at all places
/// below `target`, `path` and `trajectory`, faces as asked, and no velocity is asked for. No where a value names
/// other places or asks none of these.
bool ami_latent_rests(const am_source *source, const am_control *control, am_transform root, ami_near near);
/// latent_control.c: the place below `target` in a value and the facing there, zero for none; false without a place.
bool ami_latent_goal(const am_source *source, const am_control *control, am_vec3 *point, am_vec3 *facing);
/// What a value names for the body to meet (actor/objects.h), in the world.
typedef struct ami_things {
    bool sits, takes, jumps; ///< `chair`, `object`, `spot` are given
    am_vec3 chair, facing;   ///< facing: zero for none
    am_vec3 object;
    int hand; ///< of the object: 0 left, 1 right, -1 both
    am_vec3 spot;
} ami_things;
/// latent_control.c: the same in the value; nothing where there is none.
ami_things ami_latent_things(const am_source *source, const am_control *control);
/// latent_control.c: whether a root is near enough to a place, and to a facing unless that is zero, to stand there.
bool ami_is_there(am_transform root, am_vec3 point, am_vec3 facing, ami_near near);
/// latent_control.c: whether the source has runtime controls, which ask what the intent says.
bool ami_latent_hears_intent(const am_source *source);

/// The schema of a flow or segment source; NULL for others and where nothing can be asked.
const am_control_schema *ami_latent_schema(const am_source *source);
/// True for sources of this kind.
bool ami_is_latent(const am_source *source);

#endif

/// Control schemas from the inside: the tree of operators, the layout of values, the vector that the encoder reads,
/// and the encoder as a graph.
///
/// A schema lays out two flat arrays of floats of fixed sizes, so that values can be copied, drawn for training and
/// put into snapshots without pointers:
/// - the *value* (value_count): numbers as people give them, in the world. bool, number, index, one of: 1; location,
///   direction, velocity, scale: 3; rotation: 4; some of: a flag a name; height map: rows x columns. Before its parts
///   an `or` has 1 (the branch), an optional 1 (0 or 1), a set 1 (how many items), then room for all parts, all
///   branches, all items.
/// - the *vector* (vector_count): what the encoder's graph takes as its one input: the same in the same order, with
///   places in the character's frame, rotations as two axes (6), scales as logarithms, indices as x / n (eq. 8),
///   names as one-hot. Parts that are absent are 0. An `or` and an optional keep 1 number, a set its count and its
///   items.
#ifndef AMI_OPERATORS_CONTROL_H
#define AMI_OPERATORS_CONTROL_H

#include <amble/control.h>
#include <amble/tools/json.h>

#include "net/build.h"
#include "operators/expr.h"

/// The operators (section 3). What a person writes may be an alias (docs/operators.md has them all).
typedef enum ami_operator {
    AMI_OP_NULL,       ///< eq. 1
    AMI_OP_BOOL,       ///< eq. 2
    AMI_OP_NUMBER,     ///< a plain number divided by `scale`
    AMI_OP_LOCATION,   ///< eq. 3
    AMI_OP_ROTATION,   ///< eq. 4
    AMI_OP_SCALE,      ///< eq. 5
    AMI_OP_DIRECTION,  ///< eq. 6
    AMI_OP_VELOCITY,   ///< eq. 7
    AMI_OP_INDEX,      ///< eq. 8
    AMI_OP_ONE_OF,     ///< one-hot of names ("enum")
    AMI_OP_SOME_OF,    ///< flags ("flags")
    AMI_OP_HEIGHT_MAP, ///< a grid of heights through convolutions
    AMI_OP_ENCODE,     ///< eq. 9
    AMI_OP_AND,        ///< eq. 10 ("struct"); also transform, fixed array, character, prop, inclusive or
    AMI_OP_OR,         ///< eq. 11 ("exclusive union"); also optional and either
    AMI_OP_SET,        ///< eq. 12; also array and dictionary
    AMI_OP_COUNT
} ami_operator;

#define AMI_CONTROL_MOST_NODES 1024
#define AMI_CONTROL_MOST_NAMES 128 ///< of one operator
#define AMI_CONTROL_NAME_SIZE 32   ///< bytes of a part's name with its terminator

/// One operator. Composed operators are read into these, and keep the word that the person wrote for messages.
typedef struct ami_control_node {
    ami_operator kind;
    const char *word;         ///< as written: "optional", "transform", ...
    const char *name;         ///< of this part in its parent; "" for the root and items
    int parent;               ///< -1: the root
    int first, count;         ///< parts: nodes[first .. first + count - 1]
    int most;                 ///< set: items; index: n
    int heads, key, head;     ///< set: attention heads, width of keys, width of a head's value
    int width;                ///< encode and or: output width
    int activation;           ///< encode and height map: am_net_kind, or -1 for none
    float scale;              ///< number
    bool world;               ///< typed: false when `"space": "local"`: already in the character's frame
    bool optional;            ///< an `or` of null and one part: the value's number is whether it is given
    bool indexed;             ///< set: an array, whose items begin with index / most (eq. 18)
    bool numbered;            ///< and: a fixed array, whose parts are named by number
    int rows, columns;        ///< height map
    int channels[4], layers;  ///< height map: channels of each convolution
    const char *const *names; ///< [name_count] one of, some of
    int name_count;
    int value, value_count;   ///< in the value: its own number and its parts
    int vector, vector_count; ///< in the vector, of a set: one item's count times most, plus 1
    int out;                  ///< width of its encoding
} ami_control_node;

struct am_control_schema {
    am_alloc alloc;
    const char *name;
    const char *text; ///< the JSON that it was read from
    size_t text_size;
    ami_control_node *nodes; ///< [node_count] parents before parts; nodes[0] is the root
    int node_count;
    int value_count, vector_count;
    int width;     ///< of the encoding; 0 for null
    uint64_t hash; ///< of what decides layout and encoder
    struct am_control_schema_own *own;
};

struct am_control {
    am_alloc alloc;
    const am_control_schema *schema;
    float *numbers; ///< [value_count]
};

/// Called with one mistake of a schema.
typedef void (*ami_control_report)(void *user, const am_error *err);
/// Reads a schema for its mistakes alone: one of each part, instead of the first of all. Gives how many were
/// reported, -1 without memory.
int ami_control_schema_check(const char *text, size_t size, const char *file, const am_alloc *alloc,
                             ami_control_report report, void *user);

/// The node and the place in the value that a path names; items of sets by index, or [*] for all of them (then the
/// place is that of item 0). Gives the node's number or -1 with the error.
int ami_control_find(const am_control_schema *schema, const char *path, int *value, am_error *err);
/// What a node that a path names is about: optionals and encodes have no names of their own, so the part inside them.
int ami_control_inside(const am_control_schema *schema, int node);
/// True for operators that take numbers of their own: bool to height map.
static inline bool ami_control_is_typed(ami_operator kind)
{
    return kind >= AMI_OP_BOOL && kind <= AMI_OP_HEIGHT_MAP;
}
/// What holds a part (ami_control_find: node and its place) becomes present in a value: optionals are given, an `or`
/// is at this branch, a set has at least as many items. So does the part itself when it is an optional.
void ami_control_mark(const am_control_schema *schema, float *value, int node, int place);
/// The nearest of 0 .. count - 1, 0 for no number: how branches, counts and names are read.
static inline int ami_control_index(float x, int count)
{
    return !(x > 0.5f) ? 0 : x < (float)count - 0.5f ? (int)(x + 0.5f) : count - 1;
}
/// "walk.target.facing" of a node.
void ami_control_path(const am_control_schema *schema, int node, char *out, size_t size);

/// vector(vector_count): a value as the encoder reads it, for a character whose ground root is `root`. Numbers that
/// are not finite become 0.
void ami_control_flatten(const am_control_schema *schema, float *vector, const float *value,
                         const am_transform *root);

/// Numbers that training may change for a node itself, without its parts.
int64_t ami_control_parameters(const am_control_schema *schema, int node);
/// Adds the encoder of a schema to a graph that is being built. x: the graph's value with the vector. Gives the value
/// of the encoding, or -1 for a schema of width 0. The scales that normalise numbers are left at 1:
/// ami_control_encoder_scales sets them in the finished graph.
int ami_control_encoder(am_net_graph *graph, const am_control_schema *schema, int x);
/// Scales the typed numbers of the finished graph's encoder by what vectors[count][vector_count] have: one deviation
/// from 0 for each typed part, over the vectors in which it is present (never for flags, branches, counts and names).
/// Finds the graph's first normalisation of vector_count numbers.
void ami_control_encoder_scales(am_net_graph *graph, const am_control_schema *schema, const float *vectors,
                                int count);

// ---------------------------------------------------------------------------------------------
// Runtime controls: where the parts of a value come from while a person plays and no value is given.

/// What runtime controls may ask about. All in the world.
typedef struct ami_control_world {
    am_transform root;                ///< ground root before the step
    const am_query_point *trajectory; ///< [trajectory_count] desired, ascending
    int trajectory_count;
    am_vec3 velocity; ///< desired
    am_vec3 facing;   ///< desired; zero: along the velocity
    am_vec3 point;    ///< to go to
    bool has_point;
    bool jump, creep, dance, run;
    float time_s; ///< since the character was made
} ami_control_world;
typedef struct ami_runtime_controls ami_runtime_controls;
/// The section "training", "runtime" or "matching" of a file of controls; a file without it is AM_ERR_KEY.
am_result ami_control_section(const am_json_doc *doc, const am_json *root, const char *key, const am_json **out,
                              am_error *err);
/// Reads the section "runtime" of a file of controls: rules as in operators/fill.h, where a part whose expression is
/// missing is absent. Refuses paths and types that do not fit the schema.
am_result ami_runtime_controls_read(ami_runtime_controls **out, const am_control_schema *schema, const char *text,
                                    size_t size, const char *file, const am_alloc *alloc, am_error *err);
void ami_runtime_controls_destroy(ami_runtime_controls *controls);
/// The functions that they may call.
const ami_expr_function *ami_runtime_controls_functions(int *count);
/// value(value_count) of this moment. Allocates nothing.
void ami_runtime_controls_fill(const ami_runtime_controls *controls, float *value, const ami_control_world *world);

#endif

/// What the glb_*.c files share: an open GLB (its JSON and binary chunk), its node tree cut down to one rig, and the
/// tracks of an animation. Everything read from the file is checked here; see glTF 2.0, sections 3 and 4.
#ifndef AMI_IO_GLB_H
#define AMI_IO_GLB_H

#include <amble/tools/formats.h>
#include <amble/tools/json.h>

#include "base/memory.h"
#include "formats/clips.h"

#define AMI_GLB_MAGIC 0x46546C67u ///< "glTF"
#define AMI_GLB_JSON 0x4E4F534Au  ///< "JSON"
#define AMI_GLB_BIN 0x004E4942u   ///< "BIN" and a zero

/// Key, in a node's `extras`, that marks a bone's tip: not a joint, but the end site of its parent.
#define AMI_GLB_END_KEY "amble_end"
/// Key, in an animation's `extras`, with the exact frame rate.
#define AMI_GLB_FPS_KEY "amble_fps"
/// Key, in the asset's `extras`, with the metres in one unit.
#define AMI_GLB_UNIT_KEY "amble_unit_m"

/// The items of one of the file's top-level arrays.
typedef struct ami_glb_list {
    const am_json **items;
    int count;
} ami_glb_list;

typedef struct ami_glb {
    const am_read_def *def;
    am_json_doc *doc;
    const uint8_t *bin; ///< the binary chunk, NULL when the file has none
    size_t bin_size;
    size_t bin_at; ///< where it begins in the file, for errors
    ami_arena arena;
    ami_arena scratch;            ///< arrays of the animation that is being read
    struct ami_glb_array *loaded; ///< [accessor] those already read into scratch: times are shared by many channels
    ami_glb_list accessors, views, nodes, skins, animations;
} ami_glb;

am_result ami_glb_open(ami_glb *glb, const void *data, size_t size, const am_read_def *def, am_error *err);
void ami_glb_close(ami_glb *glb);
/// The items of an array, which must be objects; the list lives in `arena`.
am_result ami_glb_list_objects(ami_glb_list *out, const ami_glb *glb, const am_json *array, ami_arena *arena,
                               am_error *err);

/// values[count * width], converted to floats.
typedef struct ami_glb_array {
    float *values;
    int count;
} ami_glb_array;

/// Reads the accessor that `owner` names under `key`; its items must have `width` components. The values live until
/// ami_glb_forget.
am_result ami_glb_floats(ami_glb_array *out, ami_glb *glb, const am_json *owner, const char *key, int width,
                         am_error *err);
/// Frees the arrays that ami_glb_floats gave.
void ami_glb_forget(ami_glb *glb);

/// Why a node's scale cannot be baked away.
typedef enum ami_glb_fault {
    AMI_GLB_FINE,
    AMI_GLB_UNEVEN,
    AMI_GLB_NEGATIVE,
    AMI_GLB_SHEAR,
} ami_glb_fault;

typedef struct ami_glb_node {
    const am_json *json;
    int parent; ///< -1 for a root
    int depth;
    int root;
    int slot; ///< joint, or joint_count + place above joint 0, or -1: where its animation matters
    am_transform local;
    float scale; ///< uniform
    ami_glb_fault fault;
    bool animated; ///< some animation has a channel on it
    bool marked;   ///< belongs to the rig
    bool end;      ///< an end site
    bool has_children;
} ami_glb_node;

/// The file's nodes, and those of them that make up the skeleton.
typedef struct ami_glb_rig {
    ami_glb_node *nodes;
    int node_count;
    int *order; ///< [node] node numbers, parents first
    int root;   ///< node of joint 0
    int joint_count;
    int end_count;
    int *joint_nodes;     ///< [joint] parents first
    int16_t *node_joints; ///< [node] joint or -1
    float *joint_scales;  ///< [joint] scale of the space its translation is in
    int16_t *parents;     ///< [joint]
    am_vec3 *offsets;     ///< [joint]
    am_quat *rests;       ///< [joint]
    const char **names;   ///< [joint] unique
    int16_t *end_joints;  ///< [end]
    am_vec3 *end_offsets; ///< [end]
    int *chain;           ///< nodes above joint 0, outermost first
    float *chain_scales;  ///< scale of the space that each one's translation is in
    int chain_count;
    am_transform above; ///< rest transform of them all
} ami_glb_rig;

/// A value that must be the number of a node; `what` names it in the error.
am_result ami_glb_check_node(const ami_glb *glb, const am_json *item, const char *what, am_error *err);
/// The first item of an array of node numbers, all of them checked; NULL when there is none.
am_result ami_glb_node_list(const am_json **out, const ami_glb *glb, const am_json *owner, const char *key,
                            am_error *err);
/// Nodes, parents and depths, from the file's JSON.
am_result ami_glb_nodes_read(ami_glb_rig *rig, ami_glb *glb, am_error *err);
/// Marks the nodes of the rig and lays them out as a skeleton.
am_result ami_glb_rig_build(ami_glb_rig *rig, ami_glb *glb, am_error *err);
/// True when scale of this node changes where joints are.
bool ami_glb_scale_matters(const ami_glb_rig *rig, int node);

/// The clip of one animation, or of the skeleton alone (no frames) when `animation` is NULL.
am_result ami_glb_clip(am_clip **out, ami_glb *glb, const ami_glb_rig *rig, const am_json *animation, int index,
                       am_error *err);

#endif

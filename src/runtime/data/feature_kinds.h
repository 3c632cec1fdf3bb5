/// The small interface that every feature kind fills: how many numbers, from motion (bake), from a target (query),
/// and what each number is called. To add a kind: a file feature_NAME.c, an item of am_feature, and its line in the
/// list below.
#ifndef AMI_DATA_FEATURE_KINDS_H
#define AMI_DATA_FEATURE_KINDS_H

#include "data/features.h"

/// One stretch of motion, ready for baking: world transforms of the joints that the schema asks for.
typedef struct ami_bake {
    float fps;
    int frame_count;
    const am_vec3 *root_positions; ///< [frame]
    const am_quat *root_rotations; ///< [frame]
    int slot_count;
    int slots[AM_ROLE_COUNT];     ///< slot of each role, -1 when nothing asks for it
    am_quat rests[AM_ROLE_COUNT]; ///< [slot] model-space rest rotation
    const am_transform *world;    ///< [frame][slot]
    const uint64_t *tags;         ///< [frame] or NULL
    const float *custom;          ///< [frame][custom_count] or NULL
    int custom_count;
    bool mirrored;
    int print_count;       ///< foot prints, for the terrain kind
    const am_vec3 *prints; ///< [print_count] where toe joints stood
    float toe_floor;       ///< height of a toe joint above the ground it stands on
} ami_bake;

/// Keys that a kind reads from the schema's JSON, and what it measures.
enum {
    AMI_USES_JOINT = 1,
    AMI_USES_TIMES = 2,  ///< optional: now when not given
    AMI_USES_FUTURE = 4, ///< "times" must be given
    AMI_USES_AXES = 8,
    AMI_USES_DIRECTION = 16,
    AMI_USES_HEIGHT = 32,
    AMI_USES_TAGS = 64,
    AMI_USES_CUSTOM = 128,
    AMI_USES_FEET = 256, ///< needs toes and hips though it names no joint
    AMI_USES_BODY = 512  ///< measures the body as it is; the other kinds describe what is asked for
};

typedef struct ami_feature_kind {
    unsigned uses;
    int (*dims)(const am_channel *channel);
    /// out(dims) at `frame` of the stretch.
    void (*bake)(float *out, const am_channel *channel, const ami_bake *bake, int frame);
    /// out(dims) from the controller's target; false when the target says nothing about this channel.
    bool (*query)(float *out, const am_channel *channel, const ami_query *query);
    /// Words for dimension `dim`, e.g. "@0.333.x".
    void (*label)(char *out, size_t size, const am_channel *channel, int dim);
} ami_feature_kind;

/// All kinds: the item of am_feature, and the name, which is also that of the row in feature_NAME.c.
// clang-format off
#define AMI_FEATURE_KINDS(KIND)                                           \
    KIND(AM_FEATURE_POSITION, position)                                   \
    KIND(AM_FEATURE_VELOCITY, velocity)                                   \
    KIND(AM_FEATURE_HEADING, heading)                                     \
    KIND(AM_FEATURE_TRAJECTORY_POSITION, trajectory_position)             \
    KIND(AM_FEATURE_TRAJECTORY_DIRECTION, trajectory_direction)           \
    KIND(AM_FEATURE_HEIGHT, height)                                       \
    KIND(AM_FEATURE_TAG, tag)                                             \
    KIND(AM_FEATURE_TERRAIN, terrain)                                     \
    KIND(AM_FEATURE_CUSTOM, custom)
// clang-format on

#define AMI_DECLARE_KIND(item, name) extern const ami_feature_kind ami_feature_##name;
AMI_FEATURE_KINDS(AMI_DECLARE_KIND)
#undef AMI_DECLARE_KIND

const ami_feature_kind *ami_feature_of(int kind);
/// Names of all kinds, AM_FEATURE_COUNT of them.
const char *const *ami_feature_names(void);

/// Lays out the channels: first, dims, custom_first, raw_count, custom_count. AM_ERR_LIMIT when there are too many.
am_result ami_schema_place(am_schema *schema, am_error *err);
/// roles(AM_ROLE_COUNT) = whether the schema needs the joint of that role.
void ami_schema_roles(const am_schema *schema, bool *roles);
/// out(raw_count) = raw features at `frame` of a stretch.
void ami_bake_frame(float *out, const am_schema *schema, const ami_bake *bake, int frame);

/// The frame `seconds` away from `frame`, clamped to the stretch: beyond a clip's end its last frame is held, as is
/// usual in the field.
int ami_bake_at(const ami_bake *bake, int frame, float seconds);
/// World transform of a role's joint.
am_transform ami_bake_joint(const ami_bake *bake, int frame, int role);
/// World velocity of a role's joint: central difference inside, one-sided at the ends, zero for a single frame.
am_vec3 ami_bake_velocity(const ami_bake *bake, int frame, int role);
/// A world point or direction in the frame of the root at `frame`.
am_vec3 ami_bake_local_point(const ami_bake *bake, int frame, am_vec3 point);
am_vec3 ami_bake_local_vector(const ami_bake *bake, int frame, am_vec3 vector);

/// The desired point at a time: linear between points, the end points beyond them.
am_query_point ami_query_sample(const ami_query *query, float time);

/// Writes v as (x, z) or (x, y, z).
void ami_put_axes(float *out, am_vec3 v, int axes);
/// ".x", ".z" for `axes` 2; ".x", ".y", ".z" for 3; with "@time" before it when the channel has several times or
/// one that is not now.
void ami_label_times(char *out, size_t size, const am_channel *channel, int dim, int axes);

#endif

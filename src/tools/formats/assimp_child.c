// amble-assimp FILE: reads FILE with Assimp and writes its skeleton and animations to stdout as GLB.
//
// A program of its own, so that a crash inside Assimp ends only this process. The pose of every frame is taken from
// model-space matrices: whatever lies between two joints (Assimp's $AssimpFbx$ pivots, helper nodes, scale) is
// multiplied out, joints end up where the file puts them, and rotations carry only the direction of axes.
#include <amble/tools/formats.h>

#include "base/child.h"
#include "base/memory.h"
#include "formats/assimp_status.h"
#include "formats/rate.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file that makes the importer ask for more than this is broken or hostile.
#define MEMORY_LIMIT ((size_t)8 << 30)
#define FBX_HELPER "_$AssimpFbx$"

/// Says why on stderr and ends: the parent turns the status back into the code.
static _Noreturn void give_up(am_result code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    fflush(stderr);
    _Exit(AMI_ASSIMP_STATUS + (int)code); // without clean-up, which a half-read scene may not survive
}

// All memory of this program, freed by its end: what is read once and written once needs no more care.
static ami_arena memory;

static void *get_memory(size_t count, size_t size)
{
    void *block = count < SIZE_MAX / 4 / size ? ami_arena_get(&memory, count * size) : NULL;
    if (!block) {
        give_up(AM_ERR_MEMORY, "out of memory asking for %zu times %zu bytes", count, size);
    }
    return block;
}

// ---------------------------------------------------------------------------------------------
// Matrices

/// Rows of an affine matrix.
typedef struct affine {
    double m[3][4];
} affine;

static affine affine_from(const struct aiMatrix4x4 *a)
{
    affine out = { { { (double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4 },
                     { (double)a->b1, (double)a->b2, (double)a->b3, (double)a->b4 },
                     { (double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4 } } };
    return out;
}

static affine affine_mul(const affine *a, const affine *b)
{
    affine out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) {
            out.m[r][c] = a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] + a->m[r][2] * b->m[2][c] +
                          (c == 3 ? a->m[r][3] : 0.0);
        }
    }
    return out;
}

static affine affine_make(struct aiVector3D t, struct aiQuaternion q, struct aiVector3D s)
{
    double w = (double)q.w, x = (double)q.x, y = (double)q.y, z = (double)q.z;
    double scale[3] = { (double)s.x, (double)s.y, (double)s.z };
    affine out = { { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), (double)t.x },
                     { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), (double)t.y },
                     { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), (double)t.z } } };
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] *= scale[c];
        }
    }
    return out;
}

static am_vec3 column(const affine *a, int c)
{
    return am_v3((float)a->m[0][c], (float)a->m[1][c], (float)a->m[2][c]);
}

/// The nearest thing to a rigid transform: axes made orthonormal, mirroring undone by turning x round.
static am_transform affine_rigid(const affine *a)
{
    am_vec3 x = am_v3_normalize_or(column(a, 0), am_v3(1.0f, 0.0f, 0.0f));
    am_vec3 y = column(a, 1);
    y = am_v3_normalize_or(am_v3_sub(y, am_v3_scale(x, am_v3_dot(x, y))), am_v3(0.0f, 0.0f, 0.0f));
    if (am_v3_dot(y, y) < 0.5f) { // a collapsed axis: any one across x
        am_vec3 other = am_abs(x.y) < 0.9f ? am_v3(0.0f, 1.0f, 0.0f) : am_v3(0.0f, 0.0f, 1.0f);
        y = am_v3_normalize_or(am_v3_sub(other, am_v3_scale(x, am_v3_dot(x, other))), am_v3(0.0f, 0.0f, 1.0f));
    }
    am_vec3 z = am_v3_cross(x, y);
    if (am_v3_dot(z, column(a, 2)) < 0.0f) {
        x = am_v3_neg(x);
        z = am_v3_neg(z);
    }
    am_transform out = { am_quat_normalize(am_quat_from_columns(x, y, z)), column(a, 3) };
    return out;
}

// ---------------------------------------------------------------------------------------------
// Nodes

typedef struct node {
    const struct aiNode *ai;
    int parent;  // -1 for the root
    bool helper; // one of Assimp's FBX pivots
    bool joint;
    affine rest; // local
} node;

typedef struct rig {
    node *nodes; // parents first
    int node_count;
    int *joint_nodes;
    int16_t *parents;
    am_vec3 *offsets;
    am_quat *rests;
    const char **names;
    int joint_count;
} rig;

static int count_nodes(const struct aiNode *ai)
{
    int count = 1;
    for (unsigned i = 0; i < ai->mNumChildren; i++) {
        count += count_nodes(ai->mChildren[i]);
    }
    return count;
}

static void list_nodes(rig *r, const struct aiNode *ai, int parent)
{
    int index = r->node_count++;
    node *n = &r->nodes[index];
    n->ai = ai;
    n->parent = parent;
    n->helper = strstr(ai->mName.data, FBX_HELPER) != NULL;
    n->rest = affine_from(&ai->mTransformation);
    for (unsigned i = 0; i < ai->mNumChildren; i++) {
        list_nodes(r, ai->mChildren[i], index);
    }
}

static int find_node(const rig *r, const char *name, size_t length)
{
    for (int n = 0; n < r->node_count; n++) {
        if (strlen(r->nodes[n].ai->mName.data) == length && memcmp(r->nodes[n].ai->mName.data, name, length) == 0) {
            return n;
        }
    }
    return -1;
}

static bool mark_bones(rig *r, const struct aiScene *scene)
{
    bool any = false;
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        for (unsigned b = 0; b < scene->mMeshes[m]->mNumBones; b++) {
            const struct aiString *name = &scene->mMeshes[m]->mBones[b]->mName;
            int n = find_node(r, name->data, strlen(name->data));
            if (n >= 0) {
                r->nodes[n].joint = true;
                any = true;
            }
        }
    }
    return any;
}

/// Marks what the animations move; a pivot's channel counts for the node it belongs to.
static bool mark_animated(rig *r, const struct aiScene *scene)
{
    bool any = false;
    for (unsigned a = 0; a < scene->mNumAnimations; a++) {
        for (unsigned c = 0; c < scene->mAnimations[a]->mNumChannels; c++) {
            const char *name = scene->mAnimations[a]->mChannels[c]->mNodeName.data;
            const char *helper = strstr(name, FBX_HELPER);
            int n = find_node(r, name, helper ? (size_t)(helper - name) : strlen(name));
            if (n >= 0) {
                r->nodes[n].joint = true;
                any = true;
            }
        }
    }
    return any;
}

/// The lowest node above all joints, counting joints below each node from the leaves up.
static int find_top(const rig *r)
{
    int *below = get_memory((size_t)r->node_count, sizeof(int));
    int total = 0;
    for (int n = 0; n < r->node_count; n++) {
        below[n] = r->nodes[n].joint;
        total += below[n];
    }
    int top = 0;
    for (int n = r->node_count - 1; n > 0; n--) {
        if (below[n] == total) {
            top = n;
            break;
        }
        below[r->nodes[n].parent] += below[n];
    }
    return top;
}

/// Nodes below `top` that only carry a mesh are not joints; everything else is one when the file has no bones.
static void mark_below(rig *r, int top)
{
    bool *under = get_memory((size_t)r->node_count, sizeof(bool));
    for (int n = top; n < r->node_count; n++) {
        const struct aiNode *ai = r->nodes[n].ai;
        under[n] = n == top || (n > top && under[r->nodes[n].parent]);
        if (under[n] && (ai->mNumChildren > 0 || ai->mNumMeshes == 0)) {
            r->nodes[n].joint = true;
        }
    }
}

static void choose_joints(rig *r, const struct aiScene *scene)
{
    bool bones = mark_bones(r, scene);
    if (!bones && !mark_animated(r, scene)) {
        give_up(AM_ERR_EMPTY, "no skeleton and no animation in the file");
    }
    int top = find_top(r);
    if (!bones) {
        mark_below(r, top);
    }
    r->nodes[top].joint = true;
    for (int n = r->node_count - 1; n > top; n--) {
        if (r->nodes[n].joint) {
            r->nodes[r->nodes[n].parent].joint = true; // all that lies between joints is one
        }
    }
    for (int n = 0; n < r->node_count; n++) {
        r->nodes[n].joint = r->nodes[n].joint && n >= top && !r->nodes[n].helper;
    }
}

/// Joints in order, with the nearest joint above as the parent.
static void order_joints(rig *r)
{
    int *nearest = get_memory((size_t)r->node_count, sizeof(int));
    r->joint_nodes = get_memory((size_t)r->node_count, sizeof(int));
    r->parents = get_memory((size_t)r->node_count, sizeof(int16_t));
    r->names = get_memory((size_t)r->node_count, sizeof(char *));
    for (int n = 0; n < r->node_count; n++) {
        int above = r->nodes[n].parent >= 0 ? nearest[r->nodes[n].parent] : -1;
        nearest[n] = above;
        if (r->nodes[n].joint) {
            if (r->joint_count >= AM_MAX_JOINTS) {
                give_up(AM_ERR_LIMIT, "the skeleton has more than %d joints", AM_MAX_JOINTS);
            }
            if (above < 0 && r->joint_count > 0) {
                give_up(AM_ERR_SKELETON, "the joints have several roots; put them under one node");
            }
            nearest[n] = r->joint_count;
            r->parents[r->joint_count] = (int16_t)above;
            r->names[r->joint_count] = r->nodes[n].ai->mName.data;
            r->joint_nodes[r->joint_count++] = n;
        }
    }
    if (r->joint_count == 0) {
        give_up(AM_ERR_EMPTY, "no skeleton in the file");
    }
}

/// Local transforms of joints from the local matrices of all nodes.
static void pose_joints(am_transform *out, const rig *r, const affine *locals, affine *globals, am_transform *model)
{
    for (int n = 0; n < r->node_count; n++) {
        int parent = r->nodes[n].parent;
        globals[n] = parent >= 0 ? affine_mul(&globals[parent], &locals[n]) : locals[n];
    }
    for (int j = 0; j < r->joint_count; j++) {
        model[j] = affine_rigid(&globals[r->joint_nodes[j]]);
        int parent = r->parents[j];
        out[j] = parent >= 0 ? am_transform_mul(am_transform_inv(model[parent]), model[j]) : model[j];
        out[j].rotation = am_quat_normalize(out[j].rotation);
    }
}

/// Arrays that posing one frame needs.
typedef struct scratch {
    affine *locals, *globals;           // [node]
    am_transform *pose, *model;         // [joint]
    const struct aiNodeAnim **channels; // [node]
} scratch;

static void find_rest(rig *r, scratch *s)
{
    for (int n = 0; n < r->node_count; n++) {
        s->locals[n] = r->nodes[n].rest;
    }
    pose_joints(s->pose, r, s->locals, s->globals, s->model);
    r->offsets = get_memory((size_t)r->joint_count, sizeof(am_vec3));
    r->rests = get_memory((size_t)r->joint_count, sizeof(am_quat));
    for (int j = 0; j < r->joint_count; j++) {
        r->offsets[j] = s->pose[j].translation;
        r->rests[j] = s->pose[j].rotation;
    }
}

// ---------------------------------------------------------------------------------------------
// Animations

/// The key at or before `ticks` and how far it is to the next one.
static unsigned find_key(double (*time_of)(const void *, unsigned), const void *keys, unsigned count, double ticks,
                         float *part)
{
    unsigned low = 0, high = count - 1;
    while (low < high) {
        unsigned middle = (low + high + 1) / 2;
        if (time_of(keys, middle) <= ticks) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *part = 0.0f;
    if (low + 1 < count && ticks > time_of(keys, low)) {
        double span = time_of(keys, low + 1) - time_of(keys, low);
        *part = span > 0.0 ? (float)((ticks - time_of(keys, low)) / span) : 0.0f;
    }
    return low;
}

static double vector_time(const void *keys, unsigned i) { return ((const struct aiVectorKey *)keys)[i].mTime; }
static double quat_time(const void *keys, unsigned i) { return ((const struct aiQuatKey *)keys)[i].mTime; }

static struct aiVector3D sample_vector(const struct aiVectorKey *keys, unsigned count, double ticks,
                                       struct aiVector3D fallback)
{
    if (count == 0) {
        return fallback;
    }
    float part;
    unsigned k = find_key(vector_time, keys, count, ticks, &part);
    struct aiVector3D a = keys[k].mValue, b = keys[k + 1 < count ? k + 1 : k].mValue;
    struct aiVector3D out = { am_lerp(a.x, b.x, part), am_lerp(a.y, b.y, part), am_lerp(a.z, b.z, part) };
    return out;
}

static struct aiQuaternion sample_quat(const struct aiQuatKey *keys, unsigned count, double ticks,
                                       struct aiQuaternion fallback)
{
    if (count == 0) {
        return fallback;
    }
    float part;
    unsigned k = find_key(quat_time, keys, count, ticks, &part);
    struct aiQuaternion a = keys[k].mValue, b = keys[k + 1 < count ? k + 1 : k].mValue;
    am_quat q =
        am_quat_slerp(am_quat_normalize(am_q(a.x, a.y, a.z, a.w)), am_quat_normalize(am_q(b.x, b.y, b.z, b.w)), part);
    struct aiQuaternion out = { q.w, q.x, q.y, q.z };
    return out;
}

static affine sample_channel(const struct aiNodeAnim *channel, const struct aiMatrix4x4 *rest, double ticks)
{
    struct aiVector3D scale, place;
    struct aiQuaternion turn;
    aiDecomposeMatrix(rest, &scale, &turn, &place);
    place = sample_vector(channel->mPositionKeys, channel->mNumPositionKeys, ticks, place);
    turn = sample_quat(channel->mRotationKeys, channel->mNumRotationKeys, ticks, turn);
    scale = sample_vector(channel->mScalingKeys, channel->mNumScalingKeys, ticks, scale);
    return affine_make(place, turn, scale);
}

static float *key_seconds(double (*time_of)(const void *, unsigned), const void *keys, unsigned count, double rate)
{
    float *times = get_memory(count, sizeof(float));
    for (unsigned i = 0; i < count; i++) {
        times[i] = (float)(time_of(keys, i) / rate);
    }
    return times;
}

static ami_rate find_rate(const struct aiAnimation *animation, double ticks_per_second)
{
    size_t most = (size_t)animation->mNumChannels * 3;
    ami_keys *keys = get_memory(most, sizeof *keys);
    int count = 0;
    for (unsigned c = 0; c < animation->mNumChannels; c++) {
        const struct aiNodeAnim *ch = animation->mChannels[c];
        keys[count++] =
            (ami_keys){ key_seconds(vector_time, ch->mPositionKeys, ch->mNumPositionKeys, ticks_per_second),
                        (int)ch->mNumPositionKeys };
        keys[count++] = (ami_keys){ key_seconds(quat_time, ch->mRotationKeys, ch->mNumRotationKeys, ticks_per_second),
                                    (int)ch->mNumRotationKeys };
        keys[count++] = (ami_keys){ key_seconds(vector_time, ch->mScalingKeys, ch->mNumScalingKeys, ticks_per_second),
                                    (int)ch->mNumScalingKeys };
    }
    // Ticks are frames in some formats (BVH, MD5), milliseconds and less in others.
    double whole = floor(ticks_per_second + 0.5);
    double ticks =
        fabs(ticks_per_second - whole) < 1e-3 ? whole : ticks_per_second; // 59.9999 is a rounded frame time
    float stated = ticks >= 10.0 && ticks <= 240.0 ? (float)ticks : 0.0f;
    return ami_rate_find(keys, count, stated, false);
}

static bool bind_channels(const rig *r, scratch *s, const struct aiAnimation *animation)
{
    bool any = false;
    memset(s->channels, 0, (size_t)r->node_count * sizeof *s->channels);
    for (unsigned c = 0; c < animation->mNumChannels; c++) {
        const char *name = animation->mChannels[c]->mNodeName.data;
        int n = find_node(r, name, strlen(name));
        if (n >= 0) {
            s->channels[n] = animation->mChannels[c];
            any = true;
        }
    }
    return any;
}

static void pose_frame(const rig *r, scratch *s, double ticks)
{
    for (int n = 0; n < r->node_count; n++) {
        s->locals[n] = s->channels[n] ? sample_channel(s->channels[n], &r->nodes[n].ai->mTransformation, ticks)
                                      : r->nodes[n].rest;
    }
    pose_joints(s->pose, r, s->locals, s->globals, s->model);
}

/// Keeps translations only where they leave the offset by more than rounding.
static am_clip *pack(const am_clip_def *base, const am_transform *poses, int frames)
{
    am_clip_def def = *base;
    int16_t moving[AM_MAX_JOINTS];
    float longest = 0.0f;
    for (int j = 1; j < def.joint_count; j++) {
        longest = am_max(longest, am_v3_length(def.offsets[j]));
    }
    size_t joints = (size_t)def.joint_count;
    for (size_t j = 0; j < joints; j++) {
        bool moves = j == 0;
        for (size_t f = 0; f < (size_t)frames && !moves; f++) {
            moves = am_v3_length(am_v3_sub(poses[f * joints + j].translation, def.offsets[j])) > 1e-5f * longest;
        }
        if (moves) {
            moving[def.moving_count++] = (int16_t)j;
        }
    }
    def.moving = moving;
    def.frame_count = frames;
    am_clip *clip = NULL;
    am_error err = { 0 };
    am_result result = am_clip_create(&clip, &def, &err);
    if (result != AM_OK) {
        give_up(result, "%s", err.text);
    }
    for (size_t f = 0; f < (size_t)frames; f++) {
        for (size_t j = 0; j < joints; j++) {
            am_quat q = poses[f * joints + j].rotation;
            clip->rotations[f * joints + j] = f > 0 ? am_quat_nearest(q, clip->rotations[(f - 1) * joints + j]) : q;
        }
        for (int m = 0; m < def.moving_count; m++) {
            clip->translations[f * (size_t)def.moving_count + (size_t)m] =
                poses[f * joints + (size_t)moving[m]].translation;
        }
    }
    return clip;
}

static am_clip *read_animation(const rig *r, scratch *s, const am_clip_def *base, const struct aiAnimation *animation)
{
    if (!bind_channels(r, s, animation)) {
        return NULL; // it moves only meshes or cameras
    }
    double ticks_per_second =
        animation->mTicksPerSecond > 0.0 ? animation->mTicksPerSecond : 25.0; // Assimp's own default
    ami_rate rate = find_rate(animation, ticks_per_second);
    if (!(rate.frames <= 1e6)) {
        give_up(AM_ERR_LIMIT, "an animation of %g s is longer than Amble reads", rate.last - rate.first);
    }
    int frames = (int)rate.frames;
    size_t joints = (size_t)r->joint_count;
    am_transform *poses = get_memory((size_t)frames * joints, sizeof *poses);
    for (int f = 0; f < frames; f++) {
        double seconds = rate.first + (double)f / (double)rate.fps;
        // A little later than the frame, so that a key whose time was rounded up is not missed by a whole interval.
        pose_frame(r, s, (seconds + 1e-3 * AMI_RATE_SLACK / (double)rate.fps) * ticks_per_second);
        memcpy(poses + (size_t)f * joints, s->pose, joints * sizeof *poses);
    }
    am_clip_def def = *base;
    def.fps = rate.fps;
    def.name = animation->mName.data;
    am_clip *clip = pack(&def, poses, frames);
    return clip;
}

// ---------------------------------------------------------------------------------------------

static void write_out(const am_clip *const *clips, int count, float unit_m)
{
    am_write_def def = am_write_def_default();
    def.unit_m = unit_m;
    am_bytes bytes;
    am_error err = { 0 };
    am_result result = am_glb_write(&bytes, clips, count, &def, &err);
    if (result != AM_OK) {
        give_up(result, "%s", err.text);
    }
    if (fwrite(bytes.data, 1, bytes.size, stdout) != bytes.size || fflush(stdout) != 0) {
        give_up(AM_ERR_WRITE, "cannot write to the parent");
    }
    am_bytes_free(&bytes);
}

/// Metres in one unit where the file says so (FBX does, in centimetres), else -1: not known.
static float find_unit(const struct aiScene *scene)
{
    for (unsigned i = 0; scene->mMetaData && i < scene->mMetaData->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &scene->mMetaData->mValues[i];
        if (strcmp(scene->mMetaData->mKeys[i].data, "UnitScaleFactor") == 0) {
            double cm = entry->mType == AI_DOUBLE  ? *(const double *)entry->mData
                        : entry->mType == AI_FLOAT ? (double)*(const float *)entry->mData
                                                   : 0.0;
            return cm > 0.0 && cm < 1e6 ? (float)(cm * 0.01) : -1.0f;
        }
    }
    return -1.0f;
}

static void convert(const struct aiScene *scene)
{
    rig r = { 0 };
    r.nodes = get_memory((size_t)count_nodes(scene->mRootNode), sizeof(node));
    list_nodes(&r, scene->mRootNode, -1);
    choose_joints(&r, scene);
    order_joints(&r);
    size_t nodes = (size_t)r.node_count, joints = (size_t)r.joint_count;
    scratch s = { get_memory(nodes, sizeof(affine)), get_memory(nodes, sizeof(affine)),
                  get_memory(joints, sizeof(am_transform)), get_memory(joints, sizeof(am_transform)),
                  get_memory(nodes, sizeof(struct aiNodeAnim *)) };
    find_rest(&r, &s);
    am_clip_def base = am_clip_def_default();
    base.joint_count = r.joint_count;
    base.parents = r.parents;
    base.offsets = r.offsets;
    base.rests = r.rests;
    base.names = r.names;
    const am_clip **clips = get_memory((size_t)scene->mNumAnimations + 1, sizeof *clips);
    int count = 0;
    for (unsigned a = 0; a < scene->mNumAnimations; a++) {
        const am_clip *clip = read_animation(&r, &s, &base, scene->mAnimations[a]);
        if (clip) {
            clips[count++] = clip;
        }
    }
    if (count == 0) {
        clips[count++] = pack(&base, NULL, 0);
    }
    write_out(clips, count, find_unit(scene));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: amble-assimp FILE >OUT.glb (called by amble; see amble import --help)\n");
        return 2;
    }
    ami_child_limit(MEMORY_LIMIT);
    memory = ami_arena_make(NULL);
    // Without this Assimp gives files without a mesh one that has every node as a bone, its own scene root included.
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    const char *dot = strrchr(argv[1], '.');
    if (!dot || strchr(dot, '/') || aiIsExtensionSupported(dot) != AI_TRUE) {
        give_up(AM_ERR_SUPPORT,
                "Amble does not know this kind of file; it reads .bvh, .glb, .gltf, .fbx, .dae, .npz");
    }
    const struct aiScene *scene = aiImportFileExWithProperties(argv[1], 0, NULL, properties);
    if (!scene || !scene->mRootNode) {
        give_up(AM_ERR_SUPPORT, "%s", aiGetErrorString()[0] ? aiGetErrorString() : "Assimp cannot read the file");
    } else {
        convert(scene);
    }
    fflush(stdout);
    _Exit(0);
}

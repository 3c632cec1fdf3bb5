// Altering clips the way foreign rigs differ, for the doctor's matrix.
#include "support/alter.h"
#include "support/motion.h"
#include "base/rng.h"

/// A joint of the altered skeleton: an old one (from >= 0) or a new one that never turns.
typedef struct new_joint {
    int from;
    int parent;
    am_vec3 offset;
    char name[64];
} new_joint;

typedef struct new_tree {
    new_joint joints[AM_MAX_JOINTS];
    int count;
    int16_t to[AM_MAX_JOINTS]; // new joint of each old one, -1 when dropped
} new_tree;

static void take(altered *a, am_clip *clip)
{
    am_clip_destroy(a->clip);
    a->clip = clip;
}

altered alter_from(const am_clip *clip, const am_roles *roles)
{
    altered a = { NULL, *roles };
    am_error err = { 0 };
    am_clip_def def = am_clip_def_like(clip);
    def.frame_count = clip->frame_count;
    def.rotations = clip->rotations;
    def.translations = clip->translations;
    check_ok(am_clip_create(&a.clip, &def, &err), &err);
    return a;
}

static int add_joint(new_tree *t, const am_skeleton *s, int from, int parent, am_vec3 offset, const char *name)
{
    new_joint *j = &t->joints[t->count];
    j->from = from;
    j->parent = parent;
    j->offset = offset;
    snprintf(j->name, sizeof j->name, "%s", from >= 0 ? s->names[from] : name);
    if (from >= 0) {
        t->to[from] = (int16_t)t->count;
    }
    return t->count++;
}

static void translate_roles(altered *a, const new_tree *t)
{
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (a->roles.joint[r] >= 0) {
            a->roles.joint[r] = t->to[a->roles.joint[r]];
        }
    }
}

/// Builds the clip of a new tree. Joint 0 moves; when it is new it carries the old root's way on the ground.
static void rebuild(altered *a, const new_tree *t)
{
    const am_clip *old = a->clip;
    const am_skeleton *s = old->skeleton;
    int16_t parents[AM_MAX_JOINTS];
    am_vec3 offsets[AM_MAX_JOINTS];
    const char *names[AM_MAX_JOINTS];
    int16_t end_joints[2 * AM_MAX_JOINTS];
    am_vec3 end_offsets[2 * AM_MAX_JOINTS];
    int ends = 0;
    for (int j = 0; j < t->count; j++) {
        parents[j] = (int16_t)t->joints[j].parent;
        offsets[j] = t->joints[j].offset;
        names[j] = t->joints[j].name;
    }
    for (int e = 0; e < s->end_count; e++) {
        if (t->to[s->end_joints[e]] >= 0) {
            end_joints[ends] = t->to[s->end_joints[e]];
            end_offsets[ends++] = s->end_offsets[e];
        }
    }
    for (int j = 0; j < s->joint_count; j++) { // a dropped leaf leaves its place as end site
        if (t->to[j] < 0 && s->parents[j] >= 0 && t->to[s->parents[j]] >= 0) {
            end_joints[ends] = t->to[s->parents[j]];
            end_offsets[ends++] = s->offsets[j];
        }
    }
    bool carried = t->joints[0].from < 0;
    int16_t moving[2] = { 0, t->to[0] };
    am_clip_def def = am_clip_def_default();
    def.joint_count = t->count;
    def.end_count = ends;
    def.frame_count = old->frame_count;
    def.moving_count = carried ? 2 : 1;
    def.fps = old->fps;
    def.parents = parents;
    def.offsets = offsets;
    def.names = names;
    def.end_joints = end_joints;
    def.end_offsets = end_offsets;
    def.moving = moving;
    def.name = old->name;
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_create(&clip, &def, &err), &err);
    for (int f = 0; f < old->frame_count; f++) {
        for (int j = 0; j < t->count; j++) {
            if (t->joints[j].from >= 0) {
                clip->rotations[f * t->count + j] = old->rotations[f * s->joint_count + t->joints[j].from];
            }
        }
        am_vec3 root = old->translations[f * old->moving_count];
        if (carried) {
            clip->translations[f * 2] = am_v3_ground(root);
            clip->translations[f * 2 + 1] = am_v3(0.0f, root.y, 0.0f);
        } else {
            clip->translations[f] = root;
        }
    }
    translate_roles(a, t);
    take(a, clip);
}

// ---------------------------------------------------------------------------------------------
// Names

static const char *const role_words[NAMES_NONE][AM_ROLE_COUNT] = {
    [NAMES_BVH] = { "Hips",         "Spine",        "Spine1",      "Neck",        "Head",     "LeftUpLeg",
                    "LeftLeg",      "LeftFoot",     "LeftToeBase", "RightUpLeg",  "RightLeg", "RightFoot",
                    "RightToeBase", "LeftShoulder", "LeftArm",     "LeftForeArm", "LeftHand", "RightShoulder",
                    "RightArm",     "RightForeArm", "RightHand" },
    [NAMES_MIXAMO] = { "mixamorig:Hips",         "mixamorig:Spine",        "mixamorig:Spine2",
                       "mixamorig:Neck",         "mixamorig:Head",         "mixamorig:LeftUpLeg",
                       "mixamorig:LeftLeg",      "mixamorig:LeftFoot",     "mixamorig:LeftToeBase",
                       "mixamorig:RightUpLeg",   "mixamorig:RightLeg",     "mixamorig:RightFoot",
                       "mixamorig:RightToeBase", "mixamorig:LeftShoulder", "mixamorig:LeftArm",
                       "mixamorig:LeftForeArm",  "mixamorig:LeftHand",     "mixamorig:RightShoulder",
                       "mixamorig:RightArm",     "mixamorig:RightForeArm", "mixamorig:RightHand" },
    [NAMES_UNREAL] = { "pelvis",     "spine_01",   "spine_03", "neck_01",    "head",       "thigh_l",    "calf_l",
                       "foot_l",     "ball_l",     "thigh_r",  "calf_r",     "foot_r",     "ball_r",     "clavicle_l",
                       "upperarm_l", "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r", "lowerarm_r", "hand_r" },
    [NAMES_RIGIFY] = { "hips",        "spine",     "chest",   "neck",       "head",        "thigh.L",   "shin.L",
                       "foot.L",      "toe.L",     "thigh.R", "shin.R",     "foot.R",      "toe.R",     "shoulder.L",
                       "upper_arm.L", "forearm.L", "hand.L",  "shoulder.R", "upper_arm.R", "forearm.R", "hand.R" },
    [NAMES_ASF] = { "root",     "lowerback", "thorax", "lowerneck", "head",     "lfemur",  "ltibia",
                    "lfoot",    "ltoes",     "rfemur", "rtibia",    "rfoot",    "rtoes",   "lclavicle",
                    "lhumerus", "lradius",   "lhand",  "rclavicle", "rhumerus", "rradius", "rhand" },
    [NAMES_BIPED] = { "Bip01_Pelvis",    "Bip01_Spine",  "Bip01_Spine2",     "Bip01_Neck",       "Bip01_Head",
                      "Bip01_L_Thigh",   "Bip01_L_Calf", "Bip01_L_Foot",     "Bip01_L_Toe0",     "Bip01_R_Thigh",
                      "Bip01_R_Calf",    "Bip01_R_Foot", "Bip01_R_Toe0",     "Bip01_L_Clavicle", "Bip01_L_UpperArm",
                      "Bip01_L_Forearm", "Bip01_L_Hand", "Bip01_R_Clavicle", "Bip01_R_UpperArm", "Bip01_R_Forearm",
                      "Bip01_R_Hand" },
    [NAMES_VRM] = { "hips",          "spine",        "upperChest",    "neck",          "head",
                    "leftUpperLeg",  "leftLowerLeg", "leftFoot",      "leftToes",      "rightUpperLeg",
                    "rightLowerLeg", "rightFoot",    "rightToes",     "leftShoulder",  "leftUpperArm",
                    "leftLowerArm",  "leftHand",     "rightShoulder", "rightUpperArm", "rightLowerArm",
                    "rightHand" },
    [NAMES_OLD_BVH] = { "Hips",          "Chest",      "Chest2",       "Neck",      "Head",      "LeftHip",
                        "LeftKnee",      "LeftAnkle",  "LeftToe",      "RightHip",  "RightKnee", "RightAnkle",
                        "RightToe",      "LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist", "RightCollar",
                        "RightShoulder", "RightElbow", "RightWrist" },
    [NAMES_DAZ] = { "hip",        "abdomenLower", "chestUpper", "neckLower", "head",       "lThighBend",   "lShin",
                    "lFoot",      "lToe",         "rThighBend", "rShin",     "rFoot",      "rToe",         "lCollar",
                    "lShldrBend", "lForearmBend", "lHand",      "rCollar",   "rShldrBend", "rForearmBend", "rHand" },
    [NAMES_XSENS] = { "Pelvis",
                      "L5",
                      "T8",
                      "Neck",
                      "Head",
                      "LeftUpperLeg",
                      "LeftLowerLeg",
                      "LeftFoot",
                      "LeftToe",
                      "RightUpperLeg",
                      "RightLowerLeg",
                      "RightFoot",
                      "RightToe",
                      "LeftShoulder",
                      "LeftUpperArm",
                      "LeftForeArm",
                      "LeftHand",
                      "RightShoulder",
                      "RightUpperArm",
                      "RightForeArm",
                      "RightHand" },
    [NAMES_CC] = { "CC_Base_Hip",       "CC_Base_Spine01",    "CC_Base_Spine02",    "CC_Base_NeckTwist01",
                   "CC_Base_Head",      "CC_Base_L_Thigh",    "CC_Base_L_Calf",     "CC_Base_L_Foot",
                   "CC_Base_L_ToeBase", "CC_Base_R_Thigh",    "CC_Base_R_Calf",     "CC_Base_R_Foot",
                   "CC_Base_R_ToeBase", "CC_Base_L_Clavicle", "CC_Base_L_Upperarm", "CC_Base_L_Forearm",
                   "CC_Base_L_Hand",    "CC_Base_R_Clavicle", "CC_Base_R_Upperarm", "CC_Base_R_Forearm",
                   "CC_Base_R_Hand" },
};

void alter_names(altered *a, alter_names_of names)
{
    const am_skeleton *s = a->clip->skeleton;
    new_tree t = { .count = 0 };
    for (int j = 0; j < s->joint_count; j++) {
        add_joint(&t, s, j, s->parents[j], s->offsets[j], "");
        snprintf(t.joints[j].name, sizeof t.joints[j].name, names == NAMES_NONE ? "j%d" : "extra%d", j);
    }
    am_roles told = a->roles;
    for (int r = 0; r < AM_ROLE_COUNT && names != NAMES_NONE; r++) {
        int joint = told.joint[r];
        if (joint < 0) {
            continue;
        }
        int word = r;
        if (names == NAMES_SWAPPED && r >= AM_ROLE_LEFT_UP_LEG) {
            bool left = r <= AM_ROLE_LEFT_TOE || (r >= AM_ROLE_LEFT_SHOULDER && r <= AM_ROLE_LEFT_HAND);
            word = left ? r + 4 : r - 4;
        }
        snprintf(t.joints[joint].name, sizeof t.joints[joint].name, "%s",
                 role_words[names == NAMES_SWAPPED ? NAMES_BVH : names][word]);
    }
    rebuild(a, &t);
}

// ---------------------------------------------------------------------------------------------
// Space, joints, rest pose

static am_vec3 axis_of(const char *name)
{
    float sign = name[0] == '-' ? -1.0f : 1.0f;
    return am_v3(name[1] == 'x' ? sign : 0.0f, name[1] == 'y' ? sign : 0.0f, name[1] == 'z' ? sign : 0.0f);
}

void alter_space(altered *a, float unit_m, const char *up, const char *facing)
{
    am_vec3 y = axis_of(up);
    am_vec3 z = axis_of(facing);
    am_quat to_file = am_quat_from_columns(am_v3_cross(y, z), y, z);
    am_clip *clip = NULL;
    am_error err = { 0 };
    check_ok(am_clip_convert(&clip, a->clip, 1.0f / unit_m, to_file, 0.0f, NULL, &err), &err);
    take(a, clip);
}

void alter_add_ground_root(altered *a)
{
    const am_skeleton *s = a->clip->skeleton;
    new_tree t = { .count = 0 };
    add_joint(&t, s, -1, -1, am_v3_zero(), "reference");
    for (int j = 0; j < s->joint_count; j++) {
        add_joint(&t, s, j, j > 0 ? t.to[s->parents[j]] : 0, s->offsets[j], "");
    }
    rebuild(a, &t);
}

void alter_add_small_joints(altered *a)
{
    const am_skeleton *s = a->clip->skeleton;
    new_tree t = { .count = 0 };
    for (int j = 0; j < s->joint_count; j++) {
        int at = add_joint(&t, s, j, j > 0 ? t.to[s->parents[j]] : -1, s->offsets[j], "");
        const int16_t *r = a->roles.joint;
        for (int side = 0; side < 2; side++) {
            char name[64];
            const char *word = side ? "r" : "l";
            am_vec3 half = am_v3_scale(s->offsets[r[side ? AM_ROLE_RIGHT_LEG : AM_ROLE_LEFT_LEG]], 0.5f);
            if (j == r[side ? AM_ROLE_RIGHT_UP_LEG : AM_ROLE_LEFT_UP_LEG]) {
                snprintf(name, sizeof name, "thigh_twist_01_%s", word);
                add_joint(&t, s, -1, at, half, name);
            }
            if (j == r[side ? AM_ROLE_RIGHT_ARM : AM_ROLE_LEFT_ARM]) {
                snprintf(name, sizeof name, "upperarm_twist_01_%s", word);
                add_joint(&t, s, -1, at, am_v3_scale(half, 0.5f), name);
            }
            for (int k = 0; j == r[side ? AM_ROLE_RIGHT_HAND : AM_ROLE_LEFT_HAND] && k < 3; k++) {
                static const char *const fingers[] = { "thumb", "index", "middle" };
                snprintf(name, sizeof name, "%s_01_%s", fingers[k], word);
                add_joint(&t, s, -1, at, am_v3_scale(half, 0.2f + 0.1f * (float)k), name);
            }
        }
    }
    rebuild(a, &t);
}

void alter_drop_toes(altered *a)
{
    const am_skeleton *s = a->clip->skeleton;
    new_tree t = { .count = 0 };
    for (int j = 0; j < s->joint_count; j++) {
        bool toe = j == a->roles.joint[AM_ROLE_LEFT_TOE] || j == a->roles.joint[AM_ROLE_RIGHT_TOE];
        bool below = j > 0 && t.to[s->parents[j]] < 0;
        t.to[j] = -1;
        if (!toe && !below) {
            add_joint(&t, s, j, j > 0 ? t.to[s->parents[j]] : -1, s->offsets[j], "");
        }
    }
    rebuild(a, &t);
}

void alter_contort_rest(altered *a, uint64_t seed)
{
    const am_skeleton *s = a->clip->skeleton;
    am_rng rng = ami_rng_make(seed);
    am_quat model[AM_MAX_JOINTS];
    for (int j = 0; j < s->joint_count; j++) {
        am_vec3 axis = am_v3(am_rng_normal(&rng), am_rng_normal(&rng), am_rng_normal(&rng));
        am_quat turn = am_quat_from_axis_angle(am_v3_normalize_or(axis, am_v3(1.0f, 0.0f, 0.0f)),
                                               am_rng_range(&rng, 0.8f, 2.5f));
        model[j] = turn;
    }
    altered copy = alter_from(a->clip, &a->roles);
    am_vec3 *offsets = (am_vec3 *)copy.clip->skeleton->offsets;
    am_vec3 *ends = (am_vec3 *)copy.clip->skeleton->end_offsets;
    for (int j = 1; j < s->joint_count; j++) {
        offsets[j] = am_quat_unrotate(model[s->parents[j]], offsets[j]);
    }
    for (int e = 0; e < s->end_count; e++) {
        ends[e] = am_quat_unrotate(model[s->end_joints[e]], ends[e]);
    }
    for (int i = 0; i < copy.clip->frame_count * s->joint_count; i++) {
        int j = i % s->joint_count;
        am_quat q = am_quat_mul(copy.clip->rotations[i], model[j]);
        copy.clip->rotations[i] = j > 0 ? am_quat_mul(am_quat_inv(model[s->parents[j]]), q) : q;
    }
    take(a, copy.clip);
}

// ---------------------------------------------------------------------------------------------
// Text

typedef struct text_out {
    char *text;
    size_t size, room;
    const char *order;
    bool offset;
} text_out;

static void put(text_out *o, const char *format, ...) AM_PRINTF(2, 3);
static void put(text_out *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (o->size + 512 > o->room) {
        o->room = o->room * 2 + 65536;
        o->text = realloc(o->text, o->room);
        assert_non_null(o->text);
    }
    o->size += (size_t)vsnprintf(o->text + o->size, o->room - o->size, format, args);
    va_end(args);
}

static const char *order_of(const text_out *o, int joint)
{
    static const char *const all[] = { "xyz", "xzy", "yxz", "yzx", "zxy", "zyx" };
    return o->order ? o->order : all[joint % 6];
}

static void put_joint(text_out *o, const am_clip *clip, int joint)
{
    const am_skeleton *s = clip->skeleton;
    am_vec3 offset = joint == 0 && o->offset ? clip->translations[0] : s->offsets[joint];
    bool moves = false;
    for (int m = 0; m < clip->moving_count; m++) {
        moves = moves || clip->moving[m] == joint;
    }
    const char *order = order_of(o, joint);
    put(o, "%s %s\n{\nOFFSET %.9g %.9g %.9g\nCHANNELS %d", joint ? "JOINT" : "ROOT", s->names[joint],
        (double)offset.x, (double)offset.y, (double)offset.z, moves ? 6 : 3);
    put(o, "%s", moves ? " Xposition Yposition Zposition" : "");
    for (int i = 0; i < 3; i++) {
        put(o, " %crotation", order[i] - 'a' + 'A');
    }
    put(o, "\n");
    int children = 0;
    for (int c = joint + 1; c < s->joint_count; c++) {
        if (s->parents[c] == joint) {
            put_joint(o, clip, c);
            children++;
        }
    }
    for (int e = 0; e < s->end_count && children == 0; e++) {
        if (s->end_joints[e] == joint) {
            am_vec3 tip = s->end_offsets[e];
            put(o, "End Site\n{\nOFFSET %.9g %.9g %.9g\n}\n", (double)tip.x, (double)tip.y, (double)tip.z);
            break;
        }
    }
    put(o, "}\n");
}

static void put_values(text_out *o, const am_clip *clip, int frame, int joint)
{
    const am_skeleton *s = clip->skeleton;
    for (int m = 0; m < clip->moving_count; m++) {
        if (clip->moving[m] == joint) {
            am_vec3 p = clip->translations[frame * clip->moving_count + m];
            put(o, "%.6f %.6f %.6f ", (double)p.x, (double)p.y, (double)p.z);
        }
    }
    float angles[3];
    am_quat_to_euler(angles, clip->rotations[frame * s->joint_count + joint], order_of(o, joint));
    for (int i = 0; i < 3; i++) {
        put(o, "%.5f ", (double)(angles[i] / AM_DEG));
    }
    for (int c = joint + 1; c < s->joint_count; c++) {
        if (s->parents[c] == joint) {
            put_values(o, clip, frame, c);
        }
    }
}

void alter_through_text(altered *a, const char *order, bool offset)
{
    const am_clip *clip = a->clip;
    text_out o = { .order = order, .offset = offset };
    put(&o, "HIERARCHY\n");
    put_joint(&o, clip, 0);
    put(&o, "MOTION\nFrames: %d\nFrame Time: %.7f\n", clip->frame_count, 1.0 / (double)clip->fps);
    for (int f = 0; f < clip->frame_count; f++) {
        put_values(&o, clip, f, 0);
        put(&o, "\n");
    }
    am_read_def def = am_read_def_default();
    am_clip *made = NULL;
    am_error err = { 0 };
    check_ok(am_bvh_read(&made, o.text, o.size, &def, &err), &err);
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (a->roles.joint[r] >= 0) {
            a->roles.joint[r] = (int16_t)am_skeleton_find(made->skeleton, clip->skeleton->names[a->roles.joint[r]]);
        }
    }
    free(o.text);
    take(a, made);
}

void alter_write_walker(const char *path, bool lose_head)
{
    am_clip *clip = test_walker(300);
    am_roles roles = am_roles_guess(clip->skeleton);
    for (int f = 0; f < 300; f++) {
        am_quat *q = clip->rotations + f * clip->skeleton->joint_count;
        q[roles.joint[AM_ROLE_LEFT_UP_LEG]] =
            am_quat_mul(q[roles.joint[AM_ROLE_LEFT_UP_LEG]],
                        am_quat_from_axis_angle(am_v3(0.0f, 0.0f, 1.0f), 0.01f * am_sin(0.2f * (float)f)));
        if (lose_head && f >= 140 && f < 170) {
            q[roles.joint[AM_ROLE_HEAD]] = am_q(1.0f, 0.0f, 0.0f, 0.0f);
        }
    }
    altered a = alter_from(clip, &roles);
    alter_space(&a, 0.01f, "+z", "-y");
    am_bytes bytes = { 0 };
    am_write_def def = am_write_def_default();
    am_error err = { 0 };
    check_ok(am_bvh_write(&bytes, a.clip, &def, &err), &err);
    check_ok(am_file_write(path, bytes.data, bytes.size, &err), &err);
    am_bytes_free(&bytes);
    am_clip_destroy(a.clip);
    am_clip_destroy(clip);
}

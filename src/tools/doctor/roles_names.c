// Roles by joint names: a name is split into words, prefixes and sides are removed, and the rest is looked up in one
// table that covers the common vocabularies (BVH, ASF, Biped, Mixamo, Unreal, Rigify, VRM, Daz, Xsens).
#include "doctor/roles.h"
#include "data/kinematics.h"

#include <string.h>

enum { MAX_WORDS = 16, WORD_SIZE = 32 };

typedef enum part {
    PART_NONE,
    PART_HIPS,
    PART_HEAD,
    PART_UP_LEG,
    PART_LEG,
    PART_FOOT,
    PART_TOE,
    PART_SHOULDER,
    PART_ARM,
    PART_FOREARM,
    PART_HAND,
    PART_COUNT
} part;

typedef struct reading {
    part part;
    bool weak; // a word that other rigs use for a neighbour: "hip", "shoulder", "leg"
    int side;  // 0 left, 1 right, -1 none
} reading;

typedef struct words {
    char text[MAX_WORDS][WORD_SIZE];
    int count;
} words;

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A new word begins at `at`: after a separator, at a hump, between letters and digits.
static bool begins_word(const char *at, const char *start)
{
    if (at == start) {
        return true;
    }
    char before = at[-1];
    if (is_digit(*at) != is_digit(before)) {
        return true;
    }
    return is_upper(*at) && (is_lower(before) || (is_upper(before) && is_lower(at[1])));
}

static void split_words(words *out, const char *name)
{
    const char *start = name;
    for (const char *at = name; *at; at++) {
        if (*at == ':' || *at == '|') {
            start = at + 1; // a namespace says nothing about the joint
        }
    }
    out->count = 0;
    bool open = false;
    size_t size = 0;
    for (const char *at = start; *at; at++) {
        if (!is_upper(*at) && !is_lower(*at) && !is_digit(*at)) {
            open = false;
            continue;
        }
        if (!open || begins_word(at, start)) {
            if (out->count == MAX_WORDS) {
                return;
            }
            memset(out->text[out->count++], 0, WORD_SIZE);
            open = true;
            size = 0;
        }
        if (size + 1 < WORD_SIZE) {
            out->text[out->count - 1][size++] = is_upper(*at) ? (char)(*at - 'A' + 'a') : *at;
        }
    }
}

static bool in_list(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0) {
            return true;
        }
    }
    return false;
}

static void drop_word(words *w, int at)
{
    memmove(w->text[at], w->text[at + 1], (size_t)(w->count - at - 1) * WORD_SIZE);
    w->count--;
}

// "Bip01 L Thigh", "mixamorig:LeftLeg", "DEF-thigh.L", "J_Bip_L_UpperLeg", "CC_Base_L_Thigh", ...
static const char *const prefixes[] = { "mixamorig", "bip",       "biped", "valve", "def",      "org",      "mch",
                                        "j",         "b",         "bn",    "jnt",   "bone",     "joint",    "sk",
                                        "rig",       "character", "cc",    "base",  "armature", "skeleton", NULL };
// Words that add nothing.
static const char *const fillers[] = { "joint", "jnt", "bone", "bend", "bind", "skin", "rot", "rotation", NULL };
// Joints beside the body's own chain, and small parts.
static const char *const strangers[] = { "twist",   "roll",   "ik",     "fk",    "pole",       "target", "ctrl",
                                         "control", "end",    "nub",    "tip",   "site",       "helper", "effector",
                                         "prop",    "weapon", "attach", "share", "corrective", "null",   NULL };
static const char *const trifles[] = { "finger", "fingers",    "thumb",  "index",      "middle", "ring", "pinky",
                                       "little", "metacarpal", "carpal", "metatarsal", "palm",   "eye",  "eyes",
                                       "jaw",    "tongue",     "hair",   "breast",     "ear",    "brow", "lip",
                                       "tooth",  "teeth",      "tail",   "skirt",      "cloth",  NULL };
static const char *const lefts[] = { "left", "l", "lft", "lf", NULL };
static const char *const rights[] = { "right", "r", "rgt", "rt", NULL };

static const struct {
    const char *word;
    part part;
    bool weak;
} vocabulary[] = {
    { "hips", PART_HIPS, false },
    { "pelvis", PART_HIPS, false },
    { "hip", PART_UP_LEG, true },
    { "head", PART_HEAD, false },
    { "skull", PART_HEAD, false },
    { "upleg", PART_UP_LEG, false },
    { "upperleg", PART_UP_LEG, false },
    { "uppleg", PART_UP_LEG, false },
    { "thigh", PART_UP_LEG, false },
    { "femur", PART_UP_LEG, false },
    { "legupper", PART_UP_LEG, false },
    { "leg", PART_LEG, true },
    { "lowerleg", PART_LEG, false },
    { "lowleg", PART_LEG, false },
    { "leglower", PART_LEG, false },
    { "shin", PART_LEG, false },
    { "calf", PART_LEG, false },
    { "knee", PART_LEG, false },
    { "tibia", PART_LEG, false },
    { "foot", PART_FOOT, false },
    { "ankle", PART_FOOT, false },
    { "toe", PART_TOE, false },
    { "toes", PART_TOE, false },
    { "toebase", PART_TOE, false },
    { "ball", PART_TOE, false },
    { "forefoot", PART_TOE, false },
    { "balltoe", PART_TOE, false },
    { "clavicle", PART_SHOULDER, false },
    { "clav", PART_SHOULDER, false },
    { "collar", PART_SHOULDER, false },
    { "collarbone", PART_SHOULDER, false },
    { "shoulder", PART_SHOULDER, true },
    { "arm", PART_ARM, true },
    { "upperarm", PART_ARM, false },
    { "uparm", PART_ARM, false },
    { "armupper", PART_ARM, false },
    { "humerus", PART_ARM, false },
    { "shldr", PART_ARM, false },
    { "forearm", PART_FOREARM, false },
    { "lowerarm", PART_FOREARM, false },
    { "lowarm", PART_FOREARM, false },
    { "armlower", PART_FOREARM, false },
    { "elbow", PART_FOREARM, false },
    { "radius", PART_FOREARM, false },
    { "hand", PART_HAND, false },
    { "wrist", PART_HAND, false },
};

static int find_word(const char *key)
{
    for (int i = 0; i < (int)(sizeof vocabulary / sizeof vocabulary[0]); i++) {
        if (strcmp(vocabulary[i].word, key) == 0) {
            return i;
        }
    }
    return -1;
}

/// "lfemur", "leftfoot": the side is glued to a known word. Gives the rest of the word, or NULL.
static const char *glued_side(const char *word, int *side)
{
    static const char *const marks[] = { "left", "right", "l", "r" };
    for (int i = 0; i < 4; i++) {
        size_t size = strlen(marks[i]);
        const char *rest = word + size;
        if (strncmp(word, marks[i], size) == 0 && *rest && (find_word(rest) >= 0 || in_list(rest, trifles))) {
            *side = i % 2;
            return rest;
        }
    }
    return NULL;
}

static int take_side(words *w)
{
    for (int i = 0; i < w->count; i++) {
        int side = in_list(w->text[i], lefts) ? 0 : in_list(w->text[i], rights) ? 1 : -1;
        if (side >= 0) {
            drop_word(w, i);
            return side;
        }
    }
    int side = -1;
    const char *rest = w->count ? glued_side(w->text[0], &side) : NULL;
    if (rest) {
        memmove(w->text[0], rest, strlen(rest) + 1);
    }
    return side;
}

/// Cuts a name down to its telling words. False when one of them is in `unwanted`.
static bool telling_words(words *w, int *side, const char *name)
{
    split_words(w, name);
    while (w->count > 1 && (in_list(w->text[0], prefixes) || is_digit(w->text[0][0]))) {
        drop_word(w, 0);
    }
    *side = take_side(w);
    bool body = true;
    for (int i = w->count - 1; i >= 0; i--) {
        body = body && !in_list(w->text[i], strangers) && !in_list(w->text[i], trifles);
        if (in_list(w->text[i], fillers) || is_digit(w->text[i][0])) {
            drop_word(w, i);
        }
    }
    return body;
}

static reading read_name(const char *name)
{
    reading out = { PART_NONE, false, -1 };
    words w;
    if (!telling_words(&w, &out.side, name)) {
        return out;
    }
    char key[MAX_WORDS * WORD_SIZE] = "";
    size_t size = 0;
    for (int i = 0; i < w.count; i++) {
        size_t length = strlen(w.text[i]);
        memcpy(key + size, w.text[i], length + 1);
        size += length;
    }
    int found = find_word(key);
    if (found < 0) {
        return out;
    }
    out.part = vocabulary[found].part;
    out.weak = vocabulary[found].weak;
    if (strcmp(key, "hip") == 0 && out.side < 0) {
        out.part = PART_HIPS;
        out.weak = false;
    }
    bool middle = out.part == PART_HIPS || out.part == PART_HEAD;
    if (middle != (out.side < 0)) {
        out.part = PART_NONE; // a limb without a side, or half a pelvis
    }
    return out;
}

bool ami_joint_below(const am_skeleton *skeleton, int joint, int root)
{
    while (joint > root) {
        joint = skeleton->parents[joint];
    }
    return joint == root;
}

/// First joint of that part and side below `above` (or anywhere when it is -1), in tree order; strong words only
/// unless `weak`.
static int16_t first_of(const am_skeleton *s, const reading *readings, part wanted, int side, int above, bool weak)
{
    for (int j = 0; j < s->joint_count; j++) {
        const reading *r = &readings[j];
        if (r->part == wanted && r->side == side && (weak || !r->weak) && j != above &&
            (above < 0 || ami_joint_below(s, j, above))) {
            return (int16_t)j;
        }
    }
    return -1;
}

static void name_leg(am_roles *roles, const am_skeleton *s, const reading *readings, int side)
{
    int16_t *leg = &roles->joint[side == 0 ? AM_ROLE_LEFT_UP_LEG : AM_ROLE_RIGHT_UP_LEG];
    leg[0] = first_of(s, readings, PART_UP_LEG, side, -1, false);
    leg[1] = first_of(s, readings, PART_LEG, side, leg[0], leg[0] >= 0);
    if (leg[0] < 0 && leg[1] < 0) {
        leg[1] = first_of(s, readings, PART_LEG, side, -1, true);
    }
    if (leg[0] < 0 && leg[1] >= 0) {
        // "LeftHip LeftKnee", or "LeftLeg LeftShin": the weak word is the thigh when it carries the shin.
        int16_t hip = first_of(s, readings, PART_UP_LEG, side, -1, true);
        int16_t thigh = hip >= 0 ? hip : first_of(s, readings, PART_LEG, side, -1, true);
        leg[0] = thigh >= 0 && thigh != leg[1] && ami_joint_below(s, leg[1], thigh) ? thigh : -1;
    }
    leg[2] = leg[1] >= 0 ? first_of(s, readings, PART_FOOT, side, leg[1], true) : -1;
    leg[3] = leg[2] >= 0 ? first_of(s, readings, PART_TOE, side, leg[2], true) : -1;
    if (leg[2] >= 0 && leg[3] < 0) {
        leg[3] = first_of(s, readings, PART_FOOT, side, leg[2], true); // "ankle" then "foot"
    }
    if (leg[0] < 0 || leg[1] < 0 || leg[2] < 0) {
        leg[0] = leg[1] = leg[2] = leg[3] = -1; // half a leg is left to the shape
    }
}

static void name_arm(am_roles *roles, const am_skeleton *s, const reading *readings, int side)
{
    int16_t *arm = &roles->joint[side == 0 ? AM_ROLE_LEFT_SHOULDER : AM_ROLE_RIGHT_SHOULDER];
    arm[0] = first_of(s, readings, PART_SHOULDER, side, -1, false);
    arm[1] = first_of(s, readings, PART_ARM, side, arm[0], true);
    int16_t shoulder = first_of(s, readings, PART_SHOULDER, side, -1, true);
    if (arm[1] < 0) {
        // "LeftCollar LeftShoulder LeftElbow": the shoulder is the upper arm.
        int16_t weak = arm[0] >= 0 ? first_of(s, readings, PART_SHOULDER, side, arm[0], true) : shoulder;
        arm[1] = weak;
        arm[0] = arm[0] == weak ? -1 : arm[0];
    } else if (arm[0] < 0 && shoulder >= 0 && ami_joint_below(s, arm[1], shoulder)) {
        arm[0] = shoulder;
    }
    arm[2] = arm[1] >= 0 ? first_of(s, readings, PART_FOREARM, side, arm[1], true) : -1;
    arm[3] = arm[2] >= 0 ? first_of(s, readings, PART_HAND, side, arm[2], true) : -1;
    if (arm[1] < 0 || arm[2] < 0 || arm[3] < 0) {
        arm[0] = arm[1] = arm[2] = arm[3] = -1;
    }
}

am_roles ami_roles_by_names(const am_skeleton *skeleton)
{
    reading readings[AM_MAX_JOINTS];
    am_roles roles = ami_roles_none();
    for (int j = 0; j < skeleton->joint_count; j++) {
        readings[j] = read_name(skeleton->names[j]);
    }
    for (int side = 0; side < 2; side++) {
        name_leg(&roles, skeleton, readings, side);
        name_arm(&roles, skeleton, readings, side);
    }
    roles.joint[AM_ROLE_HIPS] = first_of(skeleton, readings, PART_HIPS, -1, -1, false);
    roles.joint[AM_ROLE_HEAD] = first_of(skeleton, readings, PART_HEAD, -1, -1, false);
    return roles;
}

// Finds the joint on the other side by its name: the side is a word (Left), a letter of its own (thigh_l, Bip01 L
// Thigh, UpperArm.L) or a letter stuck to the name (LHipJoint, lfemur, FootR). A partner counts only when a joint of
// that name exists and names this one in return.
#include <amble/tools/clip.h>

#include <string.h>

#define NAME_MAX_SIZE 256 ///< longer names are taken to have no side

// The C locale's rules without the locale.
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_letter(char c) { return is_lower(c) || is_upper(c); }
static char to_lower(char c) { return is_upper(c) ? (char)(c - 'A' + 'a') : c; }

static bool same_text(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && to_lower(a[i]) == to_lower(b[i])) {
        i++;
    }
    return to_lower(a[i]) == to_lower(b[i]);
}

static bool starts_with(const char *text, const char *word)
{
    for (; *word; text++, word++) {
        if (to_lower(*text) != *word) {
            return false;
        }
    }
    return true;
}

/// Swaps every "left" and "right"; false when there is none.
static bool swap_words(char *out, const char *name)
{
    bool found = false;
    size_t n = 0;
    while (*name && n + 6 < NAME_MAX_SIZE) {
        bool left = starts_with(name, "left");
        if (left || starts_with(name, "right")) {
            memcpy(out + n, left ? "right" : "left", left ? 5 : 4);
            n += left ? 5 : 4;
            name += left ? 4 : 5;
            found = true;
        } else {
            out[n++] = *name++;
        }
    }
    out[n] = '\0';
    return found && !*name;
}

static char other_letter(char c)
{
    switch (c) {
    case 'l':
        return 'r';
    case 'r':
        return 'l';
    case 'L':
        return 'R';
    case 'R':
        return 'L';
    default:
        return 0;
    }
}

/// Where a side letter is in a name, from the most to the least certain.
typedef enum letter_kind {
    LETTER_ALONE,   ///< no letter beside it: thigh_l, L_Foot, UpperArm.L, Bip01 L Thigh
    LETTER_CAPITAL, ///< a capital at a word's start or end: LHipJoint, FootR, upperArmLTwist
    LETTER_FIRST,   ///< lower case in front: lfemur, lFoot
    LETTER_KIND_COUNT
} letter_kind;

static bool letter_stands(letter_kind kind, char before, char letter, char after)
{
    switch (kind) {
    case LETTER_ALONE:
        return !is_letter(before) && !is_letter(after);
    case LETTER_CAPITAL:
        return is_upper(letter) && !is_upper(before) && !is_lower(after) && (is_letter(before) || is_letter(after));
    case LETTER_FIRST:
        return !is_letter(before) && is_letter(after);
    default:
        return false;
    }
}

static int find_name(const am_skeleton *skeleton, const char *name)
{
    for (int j = 0; j < skeleton->joint_count; j++) {
        if (same_text(skeleton->names[j], name)) {
            return j;
        }
    }
    return -1;
}

/// The joint whose name differs in one side letter of that kind, or -1.
static int find_letter(const am_skeleton *skeleton, const char *name, letter_kind kind)
{
    size_t size = strlen(name);
    char other[NAME_MAX_SIZE];
    memcpy(other, name, size + 1);
    for (size_t i = 0; i < size; i++) {
        char letter = other_letter(name[i]);
        if (letter && letter_stands(kind, i > 0 ? name[i - 1] : 0, name[i], name[i + 1])) {
            other[i] = letter;
            int joint = find_name(skeleton, other);
            if (joint >= 0) {
                return joint;
            }
            other[i] = name[i];
        }
    }
    return -1;
}

static int find_partner(const am_skeleton *skeleton, int joint)
{
    const char *name = skeleton->names[joint];
    if (strlen(name) >= NAME_MAX_SIZE) {
        return joint;
    }
    char other[NAME_MAX_SIZE];
    int partner = swap_words(other, name) ? find_name(skeleton, other) : -1;
    for (int kind = 0; partner < 0 && kind < LETTER_KIND_COUNT; kind++) {
        partner = find_letter(skeleton, name, (letter_kind)kind);
    }
    return partner < 0 ? joint : partner;
}

void am_mirror_map(int16_t *out, const am_skeleton *skeleton)
{
    for (int j = 0; j < skeleton->joint_count; j++) {
        out[j] = (int16_t)find_partner(skeleton, j);
    }
    // Only mutual pairs are kept, and the root is on neither side.
    for (int j = 0; j < skeleton->joint_count; j++) {
        int partner = out[j];
        if (partner != j && (out[partner] != j || partner == 0 || j == 0)) {
            out[j] = (int16_t)j;
        }
    }
}

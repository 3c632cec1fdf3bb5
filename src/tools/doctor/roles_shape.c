// Roles by shape: limbs come in pairs of equal chains. The pair on the pelvis is the legs, the pair further up the
// trunk is the arms; the two longest bones in a row are thigh and shin, or upper arm and forearm.
#include "doctor/roles.h"

#include <string.h>

enum { MAX_PAIRS = 8, MAX_CHAIN = 64 };

typedef struct limb_pair {
    int joint; // that both hang on
    int a, b;  // first joint of each
    float length;
} limb_pair;

typedef struct shape {
    const ami_figure *figure;
    float reach[AM_MAX_JOINTS];  // longest way to a tip below the joint
    float length[AM_MAX_JOINTS]; // from the parent
    bool in_limb[AM_MAX_JOINTS];
    float largest;
} shape;

/// Nodes of a limb without zero-length bones: joints at one place are one node.
typedef struct chain {
    int first[MAX_CHAIN], last[MAX_CHAIN];
    float bone[MAX_CHAIN]; // from the node to the next one, or to the tip
    int count;
} chain;

static void measure(shape *out, const ami_figure *figure)
{
    const am_skeleton *s = figure->skeleton;
    memset(out, 0, sizeof *out);
    out->figure = figure;
    for (int e = 0; e < s->end_count; e++) {
        float tip = am_v3_length(s->end_offsets[e]);
        int j = s->end_joints[e];
        out->reach[j] = am_max(out->reach[j], tip);
    }
    for (int j = s->joint_count - 1; j > 0; j--) {
        int p = s->parents[j];
        out->length[j] = am_v3_length(s->offsets[j]);
        out->reach[p] = am_max(out->reach[p], out->length[j] + out->reach[j]);
    }
    out->largest = out->reach[0];
}

/// The child along which the way to the tip is longest, or -1.
static int longest_child(const shape *sh, int joint)
{
    const am_skeleton *s = sh->figure->skeleton;
    int best = -1;
    float best_reach = -1.0f;
    for (int c = joint + 1; c < s->joint_count; c++) {
        if (s->parents[c] == joint && sh->length[c] + sh->reach[c] > best_reach) {
            best = c;
            best_reach = sh->length[c] + sh->reach[c];
        }
    }
    return best;
}

static void follow(chain *out, const shape *sh, int joint)
{
    float none = 0.02f * sh->largest; // shorter bones only tie two joints together
    out->count = 0;
    for (int j = joint; j >= 0; j = longest_child(sh, j)) {
        if (out->count > 0 && sh->length[j] < none) {
            out->last[out->count - 1] = j;
        } else if (out->count < MAX_CHAIN) {
            if (out->count > 0) {
                out->bone[out->count - 1] = sh->length[j];
            }
            out->first[out->count] = out->last[out->count] = j;
            out->bone[out->count] = 0.0f;
            out->count++;
        }
        if (out->count > 0) {
            out->bone[out->count - 1] = sh->reach[j]; // stands for the last node only: the tip
        }
    }
}

/// Equal chains: as many bones, of the same lengths.
static bool alike(const shape *sh, int a, int b)
{
    chain ca, cb;
    follow(&ca, sh, a);
    follow(&cb, sh, b);
    if (ca.count != cb.count || ca.count < 2) {
        return false;
    }
    float total = sh->length[a] + sh->reach[a];
    float difference = am_abs(sh->length[a] - sh->length[b]);
    for (int i = 0; i < ca.count; i++) {
        difference += am_abs(ca.bone[i] - cb.bone[i]);
    }
    return difference < 0.1f * total; // measured actors differ by a centimetre or two from side to side
}

static bool find_pair(limb_pair *out, const shape *sh, int joint)
{
    const am_skeleton *s = sh->figure->skeleton;
    *out = (limb_pair){ joint, joint, joint, 0.0f };
    for (int a = joint + 1; a < s->joint_count; a++) {
        float length = sh->length[a] + sh->reach[a];
        if (s->parents[a] != joint || length < 0.25f * sh->largest || length <= out->length) {
            continue;
        }
        for (int b = a + 1; b < s->joint_count; b++) {
            if (s->parents[b] == joint && alike(sh, a, b)) {
                *out = (limb_pair){ joint, a, b, length };
                break;
            }
        }
    }
    return out->length > 0.0f;
}

static int find_pairs(limb_pair *out, shape *sh)
{
    const am_skeleton *s = sh->figure->skeleton;
    int count = 0;
    for (int j = 0; j < s->joint_count && count < MAX_PAIRS; j++) {
        if (j > 0 && sh->in_limb[s->parents[j]]) {
            sh->in_limb[j] = true;
        }
        if (sh->in_limb[j] || !find_pair(&out[count], sh, j)) {
            continue;
        }
        sh->in_limb[out[count].a] = sh->in_limb[out[count].b] = true;
        count++;
    }
    return count;
}

/// The node from which the two longest bones in a row run; -1 when the chain is too short. Of nearly equal ones (up
/// to `share` of each other) the last: a wide collar and an upper arm are as long as upper arm and forearm.
static int longest_two(const chain *c, float share)
{
    int best = -1;
    for (int i = 0; i + 2 < c->count; i++) {
        if (best < 0 || c->bone[i] + c->bone[i + 1] > share * (c->bone[best] + c->bone[best + 1])) {
            best = i;
        }
    }
    return best;
}

static void shape_leg(int16_t *leg, const shape *sh, int joint)
{
    chain c;
    follow(&c, sh, joint);
    int at = longest_two(&c, 1.0f);
    if (at >= 0) {
        leg[0] = (int16_t)c.last[at];
        leg[1] = (int16_t)c.first[at + 1];
        leg[2] = (int16_t)c.first[at + 2];
        leg[3] = at + 3 < c.count ? (int16_t)c.first[at + 3] : -1;
    }
}

static void shape_arm(int16_t *arm, const shape *sh, int joint)
{
    chain c;
    follow(&c, sh, joint);
    int at = longest_two(&c, 0.85f);
    if (at >= 0) {
        arm[0] = at > 0 ? (int16_t)c.last[at - 1] : c.first[at] != c.last[at] ? (int16_t)c.first[at] : -1;
        arm[1] = (int16_t)c.last[at];
        arm[2] = (int16_t)c.first[at + 1];
        arm[3] = (int16_t)c.first[at + 2];
    }
}

static void shape_head(am_roles *roles, const shape *sh, int chest)
{
    const am_skeleton *s = sh->figure->skeleton;
    int neck = -1;
    for (int c = chest + 1; c < s->joint_count; c++) {
        if (s->parents[c] == chest && !sh->in_limb[c] &&
            (neck < 0 || sh->length[c] + sh->reach[c] > sh->length[neck] + sh->reach[neck])) {
            neck = c;
        }
    }
    if (neck < 0) {
        return;
    }
    int head = neck;
    for (int next = longest_child(sh, head); next >= 0; next = longest_child(sh, head)) {
        if (sh->reach[next] <= 0.01f * sh->largest && sh->length[next] > 0.08f * sh->largest) {
            break; // a joint that only marks the crown: skulls are longer than necks
        }
        head = next;
    }
    roles->joint[AM_ROLE_HEAD] = (int16_t)head;
}

/// The pair lower on the trunk is the legs; where neither hangs below the other, the longer one.
static void order_pairs(limb_pair *pairs, int count, const am_skeleton *s)
{
    int legs = 0;
    for (int i = 1; i < count; i++) {
        bool related = ami_joint_below(s, pairs[i].joint, pairs[legs].joint);
        if (!related && pairs[i].length > pairs[legs].length) {
            legs = i;
        }
    }
    limb_pair first = pairs[legs];
    pairs[legs] = pairs[0];
    pairs[0] = first;
    for (int i = 2; i < count; i++) {
        if (pairs[i].length > pairs[1].length) {
            limb_pair longer = pairs[i];
            pairs[i] = pairs[1];
            pairs[1] = longer;
        }
    }
}

/// The side on which a joint lies, when another limb's sides are known: the nearer of its two beginnings.
static bool nearer_first(const ami_figure *f, int a, int b, int left, int right)
{
    am_vec3 across = am_v3_sub(f->joints[left], f->joints[right]);
    return am_v3_dot(across, am_v3_sub(f->joints[a], f->joints[b])) >= 0.0f;
}

static void shape_arms(am_roles *roles, const shape *sh, const limb_pair *pair)
{
    int16_t *left = &roles->joint[AM_ROLE_LEFT_SHOULDER];
    int16_t *right = &roles->joint[AM_ROLE_RIGHT_SHOULDER];
    shape_arm(left, sh, pair->a);
    shape_arm(right, sh, pair->b);
    int ll = roles->joint[AM_ROLE_LEFT_UP_LEG];
    int rl = roles->joint[AM_ROLE_RIGHT_UP_LEG];
    if (left[1] >= 0 && right[1] >= 0 && ll >= 0 && rl >= 0 && !nearer_first(sh->figure, left[1], right[1], ll, rl)) {
        for (int i = 0; i < 4; i++) {
            int16_t swap = left[i];
            left[i] = right[i];
            right[i] = swap;
        }
    }
}

void ami_roles_by_shape(am_roles *roles, const ami_figure *figure)
{
    shape sh;
    limb_pair pairs[MAX_PAIRS];
    measure(&sh, figure);
    int count = find_pairs(pairs, &sh);
    if (count == 0) {
        return;
    }
    order_pairs(pairs, count, figure->skeleton);
    bool legs_known = roles->joint[AM_ROLE_LEFT_FOOT] >= 0 && roles->joint[AM_ROLE_RIGHT_FOOT] >= 0;
    bool arms_known = roles->joint[AM_ROLE_LEFT_HAND] >= 0 && roles->joint[AM_ROLE_RIGHT_HAND] >= 0;
    if (!legs_known) {
        shape_leg(&roles->joint[AM_ROLE_LEFT_UP_LEG], &sh, pairs[0].a);
        shape_leg(&roles->joint[AM_ROLE_RIGHT_UP_LEG], &sh, pairs[0].b);
    }
    if (count < 2) {
        return;
    }
    if (roles->joint[AM_ROLE_HEAD] < 0) {
        shape_head(roles, &sh, pairs[1].joint);
    }
    if (!arms_known) {
        shape_arms(roles, &sh, &pairs[1]);
    }
}

// am_bvh_write. BVH's pose without rotations is the offsets alone, and a joint's channels are its whole local
// rotation; so are a clip's rotations, whatever its rest pose, and they are written as they are. With `zero_rest`
// every joint's axes are first turned by its rest rotation in the skeleton's space, W: offsets and translations
// become W(parent) t, rotations W(parent) r W(joint)^-1, so that the rest pose is the one without rotations and every
// joint stays where it was.
#include "formats/clips.h"
#include "formats/defs.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <string.h>

enum {
    length_decimals = 6, // a micrometre in metres; 0.01 mm is left after a chain of ten joints
    degree_decimals = 5, // 2e-7 rad: about 0.001 mm at the end of an arm
    time_decimals = 12,  // the rate comes back to float precision
};

typedef struct writer {
    am_bytes *bytes;
    const am_clip *clip;
    bool failed;                   ///< an allocation did
    int count;                     ///< joints in `order`
    int16_t order[AM_MAX_JOINTS];  ///< depth first
    int16_t depth[AM_MAX_JOINTS];  ///< [joint]
    int16_t moving[AM_MAX_JOINTS]; ///< [joint] its place among the moving joints, -1 when it keeps its offset
    bool leaf[AM_MAX_JOINTS];      ///< [joint] neither children nor end sites
    bool bake;
    am_quat rest[AM_MAX_JOINTS];      ///< [joint] rest rotation in the skeleton's space, the identity without `bake`
    double degrees[AM_MAX_JOINTS][3]; ///< [joint] of the frame before
} writer;

static void put_text(writer *w, const char *text) { w->failed = !ami_put_text(w->bytes, text) || w->failed; }

static void put_number(writer *w, double value, int decimals)
{
    // Joints that never turn are common: writes a plain 0 for them.
    bool ok = value == 0.0 ? ami_put_u8(w->bytes, '0') : ami_put_fixed(w->bytes, value, decimals);
    w->failed = !ok || w->failed;
}

static void put_indent(writer *w, int depth)
{
    for (int i = 0; i < depth; i++) {
        put_text(w, "\t");
    }
}

// ---------------------------------------------------------------------------------------------
// Plan

/// Depth first, since braces nest: a skeleton only promises parents before children.
static void find_order(writer *w, const am_skeleton *s)
{
    int16_t child[AM_MAX_JOINTS], sibling[AM_MAX_JOINTS], stack[AM_MAX_JOINTS];
    memset(child, -1, sizeof child);
    for (int j = s->joint_count - 1; j > 0; j--) {
        sibling[j] = child[s->parents[j]];
        child[s->parents[j]] = (int16_t)j;
        w->leaf[j] = child[j] < 0;
    }
    w->leaf[0] = child[0] < 0;
    for (int e = 0; e < s->end_count; e++) {
        w->leaf[s->end_joints[e]] = false;
    }
    sibling[0] = -1;
    int size = 0;
    stack[size++] = 0;
    while (size > 0) {
        int16_t j = stack[--size];
        w->order[w->count++] = j;
        w->depth[j] = (int16_t)(j > 0 ? w->depth[s->parents[j]] + 1 : 0);
        if (sibling[j] >= 0) {
            stack[size++] = sibling[j];
        }
        if (child[j] >= 0) {
            stack[size++] = child[j];
        }
    }
}

static void find_rests(writer *w, const am_skeleton *s)
{
    for (int j = 0; j < s->joint_count; j++) {
        am_quat rest = w->bake ? s->rests[j] : am_quat_identity();
        w->rest[j] = j > 0 ? am_quat_mul(w->rest[s->parents[j]], rest) : rest;
    }
}

static void find_moving(writer *w)
{
    memset(w->moving, -1, sizeof w->moving);
    for (int m = 0; m < w->clip->moving_count; m++) {
        w->moving[w->clip->moving[m]] = (int16_t)m;
    }
}

static bool has_position(const writer *w, int joint) { return joint == 0 || w->moving[joint] >= 0; }

// ---------------------------------------------------------------------------------------------
// Hierarchy

static void put_name(writer *w, const char *name)
{
    for (const char *at = name; *at; at++) {
        // Most programs read a name up to the first blank, and braces have their own meaning.
        bool breaks = (unsigned char)*at <= ' ' || *at == '{' || *at == '}';
        w->failed = !ami_put_u8(w->bytes, breaks ? '_' : (uint8_t)*at) || w->failed;
    }
    put_text(w, *name ? "\n" : "joint\n");
}

static void put_offset(writer *w, int depth, am_vec3 v)
{
    put_indent(w, depth);
    put_text(w, "OFFSET ");
    put_number(w, (double)v.x, length_decimals);
    put_text(w, " ");
    put_number(w, (double)v.y, length_decimals);
    put_text(w, " ");
    put_number(w, (double)v.z, length_decimals);
    put_text(w, "\n");
}

static void put_end(writer *w, int depth, am_vec3 offset)
{
    put_indent(w, depth);
    put_text(w, "End Site\n");
    put_indent(w, depth);
    put_text(w, "{\n");
    put_offset(w, depth + 1, offset);
    put_indent(w, depth);
    put_text(w, "}\n");
}

/// Opens a joint's block; the next joint of the same depth or less closes it.
static void put_joint(writer *w, int j)
{
    const am_skeleton *s = w->clip->skeleton;
    int depth = w->depth[j];
    put_indent(w, depth);
    put_text(w, j == 0 ? "ROOT " : "JOINT ");
    put_name(w, s->names[j]);
    put_indent(w, depth);
    put_text(w, "{\n");
    put_offset(w, depth + 1, j == 0 ? am_v3_zero() : am_quat_rotate(w->rest[s->parents[j]], s->offsets[j]));
    put_indent(w, depth + 1);
    put_text(w, has_position(w, j) ? "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
                                   : "CHANNELS 3 Zrotation Yrotation Xrotation\n");
    for (int e = 0; e < s->end_count; e++) {
        if (s->end_joints[e] == j) {
            put_end(w, depth + 1, am_quat_rotate(w->rest[j], s->end_offsets[e]));
        }
    }
    if (w->leaf[j]) {
        put_end(w, depth + 1, am_v3_zero()); // the format wants one at every tip
    }
}

static void put_hierarchy(writer *w)
{
    put_text(w, "HIERARCHY\n");
    int open = 0;
    for (int i = 0; i <= w->count; i++) {
        int depth = i < w->count ? w->depth[w->order[i]] : 0;
        while (open > depth) {
            put_indent(w, --open);
            put_text(w, "}\n");
        }
        if (i < w->count) {
            put_joint(w, w->order[i]);
            open = depth + 1;
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Motion

/// Of the angles that turn by the same, within one turn of zero, the ones nearest to the frame before, so that
/// programs that interpolate channels do not see a joint spin.
static double nearest_turn(double angle, double before)
{
    double best = angle;
    for (int turn = -1; turn <= 1; turn++) {
        double other = angle + 360.0 * turn;
        double distance = other > before ? other - before : before - other;
        double to_best = best > before ? best - before : before - best;
        if (distance < to_best && other >= -360.0 && other <= 360.0) {
            best = other;
        }
    }
    return best;
}

static double distance3(const double a[3], const double b[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        sum += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
    }
    return sum;
}

/// The rotation's angles about z, y, x in degrees; `last` holds those of the frame before and gets the new ones.
static void find_degrees(double last[3], am_quat q)
{
    float angles[3];
    am_quat_to_euler(angles, q, "zyx");
    const double degree = 180.0 / 3.14159265358979323846;
    double one[3], other[3];
    for (int i = 0; i < 3; i++) {
        double angle = (double)angles[i] * degree;
        one[i] = nearest_turn(angle, last[i]);
        // Past the pole the same rotation has a second set of angles.
        other[i] = nearest_turn(i == 1 ? 180.0 - angle : angle + 180.0, last[i]);
    }
    memcpy(last, distance3(other, last) < distance3(one, last) ? other : one, sizeof one);
}

static void put_frame(writer *w, int frame)
{
    const am_clip *clip = w->clip;
    const am_skeleton *s = clip->skeleton;
    const am_quat *rotations = clip->rotations + (size_t)frame * (size_t)s->joint_count;
    const am_vec3 *translations = clip->translations + (size_t)frame * (size_t)clip->moving_count;
    for (int i = 0; i < w->count; i++) {
        int j = w->order[i];
        am_quat above = j > 0 ? w->rest[s->parents[j]] : am_quat_identity();
        if (has_position(w, j)) {
            am_vec3 t = w->moving[j] >= 0 ? translations[w->moving[j]] : s->offsets[j];
            t = am_quat_rotate(above, t);
            put_text(w, i > 0 ? " " : "");
            put_number(w, (double)t.x, length_decimals);
            put_text(w, " ");
            put_number(w, (double)t.y, length_decimals);
            put_text(w, " ");
            put_number(w, (double)t.z, length_decimals);
        }
        am_quat q = rotations[j];
        if (w->bake) {
            q = am_quat_mul(am_quat_mul(above, q), am_quat_inv(w->rest[j]));
        }
        find_degrees(w->degrees[j], q);
        for (int a = 0; a < 3; a++) {
            put_text(w, " ");
            put_number(w, w->degrees[j][a], degree_decimals);
        }
    }
    put_text(w, "\n");
}

static void put_motion(writer *w)
{
    const am_clip *clip = w->clip;
    put_text(w, "MOTION\nFrames: ");
    w->failed = !ami_put_integer(w->bytes, clip->frame_count) || w->failed;
    put_text(w, "\nFrame Time: ");
    put_number(w, 1.0 / (double)clip->fps, time_decimals);
    put_text(w, "\n");
    for (int frame = 0; frame < clip->frame_count && !w->failed; frame++) {
        put_frame(w, frame);
    }
}

am_result am_bvh_write(am_bytes *out, const am_clip *clip, const am_write_def *def, am_error *err)
{
    memset(out, 0, sizeof *out);
    am_result result = ami_write_def_check(def, err);
    result = result == AM_OK ? ami_clips_check(&clip, 1, err) : result;
    if (result != AM_OK) {
        return result;
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    writer *w = ami_alloc_zero(&alloc, sizeof *w);
    if (!w) {
        return ami_fail_memory(err, sizeof *w);
    }
    am_bytes bytes = ami_bytes_make(&alloc);
    w->bytes = &bytes;
    w->clip = clip;
    w->bake = def->zero_rest;
    find_order(w, clip->skeleton);
    find_rests(w, clip->skeleton);
    find_moving(w);
    put_hierarchy(w);
    put_motion(w);
    bool failed = w->failed;
    ami_release(&alloc, w, sizeof *w);
    if (failed) {
        result = ami_fail_memory(err, 2 * bytes.capacity);
        am_bytes_free(&bytes);
        return result;
    }
    *out = bytes;
    return AM_OK;
}

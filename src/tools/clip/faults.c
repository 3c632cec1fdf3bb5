// Bad stretches of a clip. Each detector has one robust rule with limits of the human body; the limits were set on
// 782 captured files, of which 23 were known to be bad: see docs/results/import.md.
#include "clip/faults.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static const char *const fault_names[AM_FAULT_KIND_COUNT] = { "step",  "frozen", "flip",  "range",
                                                              "floor", "origin", "number" };

const char *am_fault_name(am_fault_kind kind)
{
    return (int)kind >= 0 && kind < AM_FAULT_KIND_COUNT ? fault_names[kind] : "none";
}

int ami_fault_bridgeable(float fps)
{
    int frames = (int)(0.083f * fps + 0.5f);
    return frames > 1 ? frames : 1;
}

void ami_fault_add(ami_fault_scan *scan, am_fault fault)
{
    if (scan->count < scan->capacity) {
        scan->out[scan->count] = fault;
    }
    scan->count++;
}

void ami_fault_add_marked(ami_fault_scan *scan, am_fault_kind kind, int joint, int join)
{
    int most = ami_fault_bridgeable(scan->clip->fps);
    for (int f = 0; f < scan->frames; f++) {
        if (!scan->marks[f]) {
            continue;
        }
        int last = f;
        float amount = scan->values[f];
        for (int g = f; g < scan->frames && g - last <= join + 1; g++) {
            if (scan->marks[g]) {
                last = g;
                amount = am_max(amount, scan->values[g]);
            }
        }
        // A curve needs two good frames on either side.
        bool serious = last - f + 1 > most || f < 2 || last + 2 >= scan->frames;
        ami_fault_add(scan, (am_fault){ kind, f, last, joint, amount, serious });
        f = last;
    }
}

bool ami_fault_fit(const ami_fault_scan *scan, int first, int last)
{
    for (int f = first; f <= last; f++) {
        if (scan->bad[f]) {
            return false;
        }
    }
    return true;
}

static void find_numbers(ami_fault_scan *scan)
{
    for (int f = 0; f < scan->frames; f++) {
        scan->marks[f] = scan->bad[f];
        scan->values[f] = 1.0f;
    }
    ami_fault_add_marked(scan, AM_FAULT_NUMBER, -1, 0);
}

static float hips_distance(const ami_fault_scan *scan, int frame)
{
    return am_v3_length(scan->positions[(size_t)frame * (size_t)scan->joints]);
}

/// Hips that lie at the origin, at floor height, next to frames elsewhere: lost markers in many exporters.
static void find_origins(ami_fault_scan *scan)
{
    memset(scan->marks, 0, (size_t)scan->frames);
    for (int f = 0; f < scan->frames; f++) {
        if (scan->bad[f] || hips_distance(scan, f) > 0.01f) {
            continue;
        }
        int last = f;
        while (last + 1 < scan->frames && !scan->bad[last + 1] && hips_distance(scan, last + 1) <= 0.01f) {
            last++;
        }
        bool from = f > 0 && hips_distance(scan, f - 1) > 0.3f;
        bool to = last + 1 < scan->frames && hips_distance(scan, last + 1) > 0.3f;
        for (int g = f; g <= last; g++) {
            scan->marks[g] = from || to;
            scan->values[g] = 1.0f;
        }
        f = last;
    }
    ami_fault_add_marked(scan, AM_FAULT_ORIGIN, 0, 0);
}

static bool is_finite(float x) { return x - x == 0.0f; }

/// Model-space positions of every frame; frames with a number that is not finite become `bad`, at the origin.
static void place_joints(ami_fault_scan *scan)
{
    am_transform local[AM_MAX_JOINTS];
    for (int f = 0; f < scan->frames; f++) {
        am_clip_local(scan->clip, f, local);
        am_fk(local, local, scan->clip->skeleton->parents, scan->joints);
        am_vec3 *row = scan->positions + (size_t)f * (size_t)scan->joints;
        float sum = 0.0f;
        for (int j = 0; j < scan->joints; j++) {
            row[j] = local[j].translation;
            am_quat q = local[j].rotation;
            sum += row[j].x + row[j].y + row[j].z + q.x + q.y + q.z + q.w;
        }
        scan->bad[f] = !is_finite(sum);
        for (int j = 0; scan->bad[f] && j < scan->joints; j++) {
            row[j] = am_v3_zero();
        }
    }
}

static void mark_body(ami_fault_scan *scan)
{
    static const am_role fine[] = { AM_ROLE_LEFT_HAND, AM_ROLE_RIGHT_HAND, AM_ROLE_LEFT_TOE, AM_ROLE_RIGHT_TOE };
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        for (int j = scan->roles->joint[r]; j >= 0; j = scan->clip->skeleton->parents[j]) {
            scan->body[j] = true;
        }
    }
    for (int i = 0; i < 4; i++) {
        int joint = scan->roles->joint[fine[i]];
        if (joint >= 0) {
            scan->fine[joint] = true;
        }
    }
}

static void sort_faults(am_fault *faults, int count)
{
    for (int i = 1; i < count; i++) { // few, and nearly in order
        am_fault item = faults[i];
        int at = i;
        while (at > 0 && (faults[at - 1].first > item.first ||
                          (faults[at - 1].first == item.first && faults[at - 1].kind > item.kind))) {
            faults[at] = faults[at - 1];
            at--;
        }
        faults[at] = item;
    }
}

static am_result check_scan(const am_clip *clip, const am_roles *roles, int capacity, am_error *err)
{
    if (!clip || !roles || capacity < 0) {
        return ami_fail(err, AM_ERR_DEF, "finding faults needs a clip with roles");
    }
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        if (roles->joint[r] >= clip->skeleton->joint_count) {
            return ami_fail(err, AM_ERR_ROLE,
                            "the role %s names joint %d, but the clip has %d joints; give the roles of this clip",
                            am_role_name((am_role)r), roles->joint[r], clip->skeleton->joint_count);
        }
    }
    return AM_OK;
}

static void lay_out(ami_fault_scan *scan, ami_layout *layout)
{
    size_t frames = (size_t)scan->frames;
    size_t joints = (size_t)scan->joints;
    scan->positions = ami_layout_take(layout, frames * joints, sizeof(am_vec3));
    scan->body = ami_layout_take(layout, joints, sizeof(bool));
    scan->fine = ami_layout_take(layout, joints, sizeof(bool));
    scan->bad = ami_layout_take(layout, frames, sizeof(bool));
    scan->marks = ami_layout_take(layout, frames, 1);
    scan->values = ami_layout_take(layout, frames * 2, sizeof(float));
}

am_result am_faults_find(am_fault *out, int capacity, int *count, const am_clip *clip, const am_roles *roles,
                         const am_alloc *alloc, am_error *err)
{
    *count = 0;
    am_result result = check_scan(clip, roles, capacity, err);
    if (result != AM_OK) {
        return result;
    }
    ami_fault_scan scan = { .clip = clip,
                            .roles = roles,
                            .frames = clip->frame_count,
                            .joints = clip->skeleton->joint_count,
                            .out = out,
                            .capacity = capacity };
    am_alloc memory = ami_alloc_or_default(alloc);
    ami_layout measure = { 0 };
    lay_out(&scan, &measure);
    ami_layout place = ami_layout_room(&measure, &memory);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    lay_out(&scan, &place);
    place_joints(&scan);
    mark_body(&scan);
    find_numbers(&scan);
    find_origins(&scan);
    ami_faults_step(&scan);
    ami_faults_flip(&scan);
    ami_faults_frozen(&scan);
    ami_faults_range(&scan);
    ami_faults_floor(&scan);
    sort_faults(out, scan.count < capacity ? scan.count : capacity);
    *count = scan.count;
    ami_release(&memory, place.base, measure.size);
    return AM_OK;
}

// Creates a field: the motion states of a database at 30 Hz with their embedding (Fields section 3.1).
#include "method/field.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/tasks.h"

#include <string.h>

ami_field_def ami_field_def_default(void)
{
    float third = 0.57735027f; // 1 / sqrt 3
    ami_field_def def = { .fps = 30.0f,
                          .k = 15,
                          .delta = 0.1f,
                          .axis = { third, third, third },
                          .root_weight = 0.5f,
                          .turn_weight = 0.5f,
                          .cookie = AM_COOKIE };
    return def;
}

int ami_field_tick_frames(const am_db *db, float fps)
{
    float step = floorf(db->fps / fps + 0.5f);
    return step < 1.0f ? 1 : (int)step;
}

/// States of a range: those with two successors inside it.
static int states_of(const am_db_range *range, int step)
{
    int samples = (range->stop - range->start + step - 1) / step;
    return samples > 2 ? samples - 2 : 0;
}

static int count_states(const am_db *db, int step)
{
    int count = 0;
    for (int r = 0; r < db->range_count; r++) {
        count += states_of(&db->ranges[r], step);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------
// Bones and lanes

/// out(joint): the mean length of the bones that each joint turns, 0 for joints that turn none.
static void measure_bones(float *out, const am_skeleton *s)
{
    float lengths[AM_MAX_JOINTS] = { 0 };
    int counts[AM_MAX_JOINTS] = { 0 };
    for (int j = 1; j < s->joint_count; j++) {
        float length = am_v3_length(s->offsets[j]);
        if (length > 1e-4f) {
            lengths[s->parents[j]] += length;
            counts[s->parents[j]]++;
        }
    }
    for (int e = 0; e < s->end_count; e++) {
        float length = am_v3_length(s->end_offsets[e]);
        if (length > 1e-4f) {
            lengths[s->end_joints[e]] += length;
            counts[s->end_joints[e]]++;
        }
    }
    for (int j = 0; j < s->joint_count; j++) {
        out[j] = counts[j] > 0 ? lengths[j] / (float)counts[j] : 0.0f;
    }
}

static int count_bones(const am_skeleton *s)
{
    float lengths[AM_MAX_JOINTS];
    measure_bones(lengths, s);
    int bones = 0;
    for (int j = 1; j < s->joint_count; j++) {
        bones += lengths[j] > 0.0f;
    }
    return bones;
}

/// Joints that count come first, in their order, then the others; in eq. 1 the hips turn only the body itself.
static void assign_lanes(ami_field *field)
{
    const am_skeleton *s = field->db->skeleton;
    float lengths[AM_MAX_JOINTS];
    measure_bones(lengths, s);
    int counted = 0;
    int others = field->bones;
    for (int j = 0; j < s->joint_count; j++) {
        bool counts = j > 0 && lengths[j] > 0.0f;
        int lane = counts ? counted++ : others++;
        field->own->lane[j] = (int16_t)lane;
        field->own->bone_scale[lane] = counts ? sqrtf(lengths[j]) : 0.0f;
    }
}

// ---------------------------------------------------------------------------------------------
// States

static ami_field_step root_step(const am_db *db, int from, int to)
{
    am_quat facing = db->root_rotations[from];
    am_vec3 way = am_quat_unrotate(facing, am_v3_sub(db->root_positions[to], db->root_positions[from]));
    am_quat turn = am_quat_abs(am_quat_mul(am_quat_inv(facing), db->root_rotations[to]));
    ami_field_step step = { way.x, way.z, 2.0f * am_atan2(turn.y, turn.w) };
    return step;
}

/// Pose, both velocities and the embedding of one state.
static void fill_state(void *context, int state)
{
    ami_field *field = context;
    const am_db *db = field->db;
    struct ami_field_own *own = field->own;
    am_transform local[3][AM_MAX_JOINTS];
    float poses[2][3 * AM_MAX_JOINTS + 4 * AM_MAX_JOINTS];
    int frames[3];
    for (int i = 0; i < 3; i++) {
        frames[i] = own->frames[state] + i * own->step;
        am_db_pose(db, frames[i], local[i]);
    }
    float *x = own->x + (size_t)state * (size_t)field->pose_count;
    float *v = own->v + (size_t)state * (size_t)field->velocity_count;
    float *y = own->y + (size_t)state * (size_t)field->velocity_count;
    ami_field_pose_put(field, x, local[0]);
    ami_field_pose_put(field, poses[0], local[1]);
    ami_field_pose_put(field, poses[1], local[2]);
    ami_field_difference(field, v, x, poses[0], root_step(db, frames[0], frames[1]));
    ami_field_difference(field, y, poses[0], poses[1], root_step(db, frames[1], frames[2]));
    ami_field_embed(field, own->rows + (size_t)state * (size_t)field->stride, x, v);
}

static void list_states(ami_field *field)
{
    const am_db *db = field->db;
    struct ami_field_own *own = field->own;
    int state = 0;
    for (int r = 0; r < db->range_count; r++) {
        int count = states_of(&db->ranges[r], own->step);
        for (int i = 0; i < count; i++, state++) {
            own->frames[state] = db->ranges[r].start + i * own->step;
            own->ranges[state] = r;
            own->next[state] = i + 1 < count ? state + 1 : -1;
            own->contacts[state] = db->contacts[own->frames[state]];
        }
    }
}

/// Blocks of eight states, and boxes of those: eight at once.
static size_t blocks_of(int states) { return ((size_t)states + 7) / 8; }
static size_t boxes_of(int states)
{
    return (blocks_of(states) + 8 * ami_field_box_blocks - 1) / (8 * ami_field_box_blocks) * 8;
}

static void count_blocks(struct ami_field_own *own, int states)
{
    own->block_count = (int)blocks_of(states);
    own->box_count = (int)boxes_of(states);
}

static bool is_near(const ami_field *field, int a, int b, float distance)
{
    const float *p = ami_field_row(field, a);
    const float *q = ami_field_row(field, b);
    float d2 = 0.0f;
    for (int d = 0; d < field->dims; d++) {
        d2 += (p[d] - q[d]) * (p[d] - q[d]);
    }
    return d2 < distance * distance;
}

static void move_state(ami_field *field, int to, int from)
{
    struct ami_field_own *own = field->own;
    size_t a = (size_t)to, b = (size_t)from;
    size_t pose = (size_t)field->pose_count, velocity = (size_t)field->velocity_count, row = (size_t)field->stride;
    memmove(own->x + a * pose, own->x + b * pose, pose * sizeof(float));
    memmove(own->v + a * velocity, own->v + b * velocity, velocity * sizeof(float));
    memmove(own->y + a * velocity, own->y + b * velocity, velocity * sizeof(float));
    memmove(own->rows + a * row, own->rows + b * row, row * sizeof(float));
    own->frames[to] = own->frames[from];
    own->ranges[to] = own->ranges[from];
    own->contacts[to] = own->contacts[from];
    own->next[to] = -1;
}

/// Leaves out states of a range that are nearer than `distance` to the one taken before.
static void thin_out(ami_field *field, float distance)
{
    struct ami_field_own *own = field->own;
    int taken = 0;
    for (int s = 0; s < field->state_count; s++) {
        bool follows = taken > 0 && own->ranges[taken - 1] == own->ranges[s];
        if (follows && is_near(field, taken - 1, s, distance)) {
            continue;
        }
        move_state(field, taken, s);
        if (follows) {
            own->next[taken - 1] = taken;
        }
        taken++;
    }
    field->state_count = taken;
    field->k = field->k < taken ? field->k : taken;
    count_blocks(own, taken);
}

// ---------------------------------------------------------------------------------------------
// Making one

static am_result check_def(const ami_field_def *def, am_error *err)
{
    if (!def || def->cookie != AM_COOKIE || !def->db) {
        return ami_fail(err, AM_ERR_DEF,
                        "initialise the field def with ami_field_def_default() and give it a database");
    }
    if (!def->db->has_poses) {
        return ami_fail(err, AM_ERR_SUPPORT, "the database has no poses, which a motion field needs");
    }
    float length = am_v3_length(def->axis);
    if (!(def->fps >= 1.0f) || !(def->fps <= 1000.0f) || def->k < 1 || def->k > AMI_FIELD_MAX_K ||
        !(def->delta >= 0.0f) || !(def->delta < 1.0f) || !(am_abs(length - 1.0f) < 1e-3f) ||
        !(def->root_weight >= 0.0f) || !(def->turn_weight >= 0.0f) || !(def->root_weight < 1e6f) ||
        !(def->turn_weight < 1e6f) || !(def->thin >= 0.0f) || !(def->thin < 1e6f)) {
        return ami_fail(err, AM_ERR_DEF,
                        "field def: fps must be 1 to 1000, k 1 to %d, delta in [0, 1), the axis of unit length, "
                        "weights and thin at least 0",
                        AMI_FIELD_MAX_K);
    }
    return AM_OK;
}

/// The field and its arrays in one block.
static ami_field *lay_out(ami_layout *layout, const ami_field *sizes)
{
    size_t states = (size_t)sizes->state_count;
    size_t blocks = blocks_of(sizes->state_count);
    size_t boxes = boxes_of(sizes->state_count);
    ami_field *field = ami_layout_take(layout, 1, sizeof *field);
    struct ami_field_own *own = ami_layout_take(layout, 1, sizeof *own);
    struct ami_field_own at = {
        .lane = ami_layout_take(layout, (size_t)sizes->joint_count, sizeof(int16_t)),
        .bone_scale = ami_layout_take(layout, (size_t)sizes->lanes, sizeof(float)),
        .frames = ami_layout_take(layout, states, sizeof(int32_t)),
        .ranges = ami_layout_take(layout, states, sizeof(int32_t)),
        .next = ami_layout_take(layout, states, sizeof(int32_t)),
        .onward = ami_layout_take(layout, states, sizeof(int32_t)),
        .contacts = ami_layout_take(layout, states, 1),
        .rows = ami_layout_take(layout, states * (size_t)sizes->stride, sizeof(float)),
        .x = ami_layout_take(layout, states * (size_t)sizes->pose_count, sizeof(float)),
        .v = ami_layout_take(layout, states * (size_t)sizes->velocity_count, sizeof(float)),
        .y = ami_layout_take(layout, states * (size_t)sizes->velocity_count, sizeof(float)),
        .axes = ami_layout_take(layout, (size_t)ami_field_axes * (size_t)sizes->stride, sizeof(float)),
        .projected = ami_layout_take(layout, blocks * 8 * ami_field_axes, sizeof(float)),
        .low = ami_layout_take(layout, boxes * ami_field_first_axes, sizeof(float)),
        .high = ami_layout_take(layout, boxes * ami_field_first_axes, sizeof(float)),
    };
    if (field) {
        *own = at;
        *field = *sizes;
        field->own = own;
        count_blocks(own, field->state_count);
    }
    return field;
}

static ami_field sizes_of(const ami_field_def *def, int step)
{
    const am_db *db = def->db;
    ami_field s = { .db = db, .joint_count = db->joint_count, .state_count = count_states(db, step) };
    s.k = def->k < s.state_count ? def->k : s.state_count;
    s.lanes = (db->joint_count + 7) / 8 * 8;
    s.bones = count_bones(db->skeleton);
    s.pose_count = 3 * db->moving_count + 4 * s.lanes;
    s.velocity_count = 3 + s.pose_count;
    s.dims = 6 + 6 * s.bones;
    s.stride = (s.dims + 7) / 8 * 8;
    s.fps = db->fps / (float)step;
    // The same amount per second at any rate.
    s.delta = def->delta > 0.0f ? 1.0f - am_exp(am_log(1.0f - def->delta) * (30.0f / s.fps)) : 0.0f;
    s.axis = def->axis;
    s.root_scale = sqrtf(def->root_weight);
    s.turn_scale = sqrtf(def->turn_weight);
    const float numbers[] = { s.fps, s.delta, s.axis.x, s.axis.y, s.axis.z, s.root_scale, s.turn_scale, (float)s.k };
    s.hash = am_hash64(numbers, sizeof numbers, db->hash);
    s.hash = def->thin > 0.0f ? am_hash64(&def->thin, sizeof def->thin, s.hash) : s.hash;
    return s;
}

am_result ami_field_create(ami_field **out, const ami_field_def *def, am_error *err)
{
    *out = NULL;
    am_result result = check_def(def, err);
    if (result != AM_OK) {
        return result;
    }
    int step = ami_field_tick_frames(def->db, def->fps);
    ami_field sizes = sizes_of(def, step);
    const ami_kernels *kernels = def->kernels ? ami_kernels_named(def->kernels) : ami_kernels_pick();
    if (sizes.state_count < 1 || !kernels) {
        return kernels ? ami_fail(err, AM_ERR_RANGE, "the database has no range with three ticks of motion")
                       : ami_fail(err, AM_ERR_DEF, "this machine has no kernels called '%s'", def->kernels);
    }
    am_alloc alloc = ami_alloc_or_default(def->alloc);
    ami_layout measure = { 0 };
    lay_out(&measure, &sizes);
    ami_layout place = ami_layout_room(&measure, &alloc);
    if (!place.base) {
        return ami_fail_memory(err, measure.size);
    }
    ami_field *field = lay_out(&place, &sizes);
    struct ami_field_own *own = field->own;
    own->alloc = alloc;
    own->block_size = field->bytes = measure.size;
    own->kernels = kernels;
    own->step = step;
    field->lane = own->lane;
    field->bone_scale = own->bone_scale;
    field->frames = own->frames;
    field->ranges = own->ranges;
    field->next = own->next;
    field->onward = own->onward;
    field->contacts = own->contacts;
    field->rows = own->rows;
    field->x = own->x;
    field->v = own->v;
    field->y = own->y;
    assign_lanes(field);
    list_states(field);
    am_tasks tasks = def->tasks ? *def->tasks : ami_tasks_serial();
    tasks.run(tasks.user, field->state_count, fill_state, field);
    if (def->thin > 0.0f) {
        thin_out(field, def->thin);
    }
    tasks.run(tasks.user, field->state_count, ami_field_tie_end, field);
    result = ami_field_find_axes(field, err);
    if (result != AM_OK) {
        ami_field_destroy(field);
        return result;
    }
    *out = field;
    return AM_OK;
}

void ami_field_destroy(ami_field *field)
{
    if (field) {
        am_alloc alloc = field->own->alloc;
        ami_release(&alloc, field, field->own->block_size);
    }
}

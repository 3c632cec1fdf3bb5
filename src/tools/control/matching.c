// Matching functions: read from JSON, and the cost of one value answered by another.
#include "control/matching.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/database.h"

#include <string.h>

/// As much as being 10 m off.
#define ABSENT_COST 100.0f

typedef struct pose_part {
    int role;
    float position, velocity; ///< roots of weights
} pose_part;

struct ami_matching {
    am_alloc alloc;
    const am_control_schema *schema;
    float *weights; ///< [node] of typed nodes
    float *plain;   ///< [vector_count], or NULL
    float absent;   ///< for each weight that is asked for and not there
    pose_part pose[AM_ROLE_COUNT];
    int pose_count;
};

static const ami_control_node *node_of(const ami_matching *m, int node) { return &m->schema->nodes[node]; }

// ---------------------------------------------------------------------------------------------
// Reading

static void set_weight(ami_matching *m, int node, float weight)
{
    m->weights[node] = weight;
    for (int i = 0; i < node_of(m, node)->count; i++) {
        set_weight(m, node_of(m, node)->first + i, weight);
    }
}

static am_result read_weight(const am_json_doc *doc, const am_json *item, float *out, am_error *err)
{
    if (item->type != AM_JSON_NUMBER) {
        return am_json_fail(doc, item, AM_ERR_TYPE, err, "the weight of \"%.60s\" should be a number", item->key);
    }
    if (!(item->number >= 0.0) || item->number > 1e6) {
        return am_json_fail(doc, item, AM_ERR_RANGE, err, "the weight of \"%.60s\" should be from 0 to 1000000",
                            item->key);
    }
    *out = (float)item->number;
    return AM_OK;
}

static am_result need_object(const am_json_doc *doc, const am_json *item, const char *what, am_error *err)
{
    return item->type == AM_JSON_OBJECT
               ? AM_OK
               : am_json_fail(doc, item, AM_ERR_TYPE, err, "\"%s\" should be an object of %s", item->key, what);
}

/// "path[*].position": 2. Later ones count: name the whole before its parts.
static am_result read_parts(ami_matching *m, const am_json_doc *doc, const am_json *parts, am_error *err)
{
    am_result result = need_object(doc, parts, "paths and weights", err);
    for (const am_json *item = parts->first; item && result == AM_OK; item = item->next) {
        float weight = 0.0f;
        int value;
        am_error inner = { 0 };
        int node = ami_control_find(m->schema, item->key, &value, &inner);
        if (node < 0) {
            return am_json_fail(doc, item, inner.code, err, "%s", inner.text);
        }
        result = read_weight(doc, item, &weight, err);
        set_weight(m, node, weight);
    }
    return result;
}

static am_result read_pose(ami_matching *m, const am_json_doc *doc, const am_json *pose, am_error *err)
{
    static const char *const keys[] = { "position", "velocity" };
    const char *roles[AM_ROLE_COUNT];
    for (int r = 0; r < AM_ROLE_COUNT; r++) {
        roles[r] = am_role_name((am_role)r);
    }
    am_result result = need_object(doc, pose, "joints by role", err);
    result = result == AM_OK ? am_json_only(doc, pose, roles, AM_ROLE_COUNT, err) : result;
    for (const am_json *item = pose->first; item && result == AM_OK; item = item->next) {
        pose_part *part = &m->pose[m->pose_count++];
        part->role = am_role_find(item->key);
        result = am_json_only(doc, item, keys, 2, err);
        if (result == AM_OK) {
            result = am_json_read_float(doc, item, "position", false, &part->position, 0.0f, 1e6f, err);
        }
        if (result == AM_OK) {
            result = am_json_read_float(doc, item, "velocity", false, &part->velocity, 0.0f, 1e6f, err);
        }
        part->position = sqrtf(part->position);
        part->velocity = sqrtf(part->velocity);
    }
    return result;
}

/// A name that differs costs its weight once, although two numbers of its one-hot differ.
static float number_weight(const ami_matching *m, int node)
{
    return m->weights[node] * (node_of(m, node)->kind == AMI_OP_ONE_OF ? 0.5f : 1.0f);
}

static bool is_plain(const ami_matching *m)
{
    for (int i = 0; i < m->schema->node_count; i++) {
        if (node_of(m, i)->kind == AMI_OP_OR || node_of(m, i)->kind == AMI_OP_SET) {
            return false;
        }
    }
    return true;
}

static am_result make_plain(ami_matching *m, am_error *err)
{
    size_t count = (size_t)m->schema->vector_count;
    if (!is_plain(m)) {
        return AM_OK;
    }
    m->plain = ami_alloc_array(&m->alloc, count, sizeof *m->plain);
    if (!m->plain) {
        return ami_fail_memory(err, count * sizeof *m->plain);
    }
    for (int i = 0; i < m->schema->node_count; i++) {
        const ami_control_node *n = node_of(m, i);
        for (int k = 0; k < n->vector_count && ami_control_is_typed(n->kind); k++) {
            m->plain[n->vector + k] = number_weight(m, i);
        }
    }
    return AM_OK;
}

static am_result read_section(ami_matching *m, const am_json_doc *doc, const am_json *section, am_error *err)
{
    static const char *const keys[] = { "parts", "absent", "pose" };
    am_result result = am_json_only(doc, section, keys, 3, err);
    const am_json *parts = result == AM_OK ? am_json_get(section, "parts") : NULL;
    const am_json *pose = result == AM_OK ? am_json_get(section, "pose") : NULL;
    set_weight(m, 0, parts ? 0.0f : 1.0f);
    result = result == AM_OK && parts ? read_parts(m, doc, parts, err) : result;
    if (result == AM_OK) {
        m->absent = ABSENT_COST;
        result = am_json_read_float(doc, section, "absent", false, &m->absent, 0.0f, 1e6f, err);
    }
    result = result == AM_OK && pose ? read_pose(m, doc, pose, err) : result;
    return result == AM_OK ? make_plain(m, err) : result;
}

am_result ami_matching_read(ami_matching **out, const am_control_schema *schema, const am_json_doc *doc,
                            const am_json *json, const am_alloc *alloc, am_error *err)
{
    *out = NULL;
    am_alloc own = ami_alloc_or_default(alloc);
    ami_matching *m = ami_alloc_zero(&own, sizeof *m);
    if (!m) {
        return ami_fail_memory(err, sizeof *m);
    }
    m->alloc = own;
    m->schema = schema;
    m->weights = ami_alloc_array(&own, (size_t)schema->node_count, sizeof *m->weights);
    const am_json *section = NULL;
    if (!m->weights) {
        ami_matching_destroy(m);
        return ami_fail_memory(err, (size_t)schema->node_count * sizeof *m->weights);
    }
    am_result result = ami_control_section(doc, json, "matching", &section, err);
    result = result == AM_OK ? read_section(m, doc, section, err) : result;
    if (result != AM_OK) {
        ami_matching_destroy(m);
        return result;
    }
    *out = m;
    return AM_OK;
}

void ami_matching_destroy(ami_matching *m)
{
    if (m) {
        am_alloc alloc = m->alloc;
        ami_release(&alloc, m->weights, (size_t)m->schema->node_count * sizeof *m->weights);
        ami_release(&alloc, m->plain, (size_t)m->schema->vector_count * sizeof *m->plain);
        ami_release(&alloc, m, sizeof *m);
    }
}

const float *ami_matching_weights(const ami_matching *m) { return m->plain; }

// ---------------------------------------------------------------------------------------------
// Cost

/// Of a part that is asked for and not there: for each weight below it that is asked for, too.
static float absent_cost(const ami_matching *m, int node, const float *asked)
{
    const ami_control_node *n = node_of(m, node), *first = node_of(m, n->first);
    if (ami_control_is_typed(n->kind)) {
        return m->weights[node] * m->absent;
    }
    if (n->kind == AMI_OP_OR) {
        int branch = ami_control_index(asked[0], n->count);
        return absent_cost(m, n->first + branch, asked + (first[branch].vector - n->vector));
    }
    float cost = 0.0f;
    if (n->kind == AMI_OP_SET) {
        return asked[0] >= 0.5f ? absent_cost(m, n->first, asked + (first->vector - n->vector)) : 0.0f;
    }
    for (int i = 0; i < n->count; i++) {
        cost += absent_cost(m, n->first + i, asked + (first[i].vector - n->vector));
    }
    return cost;
}

static float node_cost(const ami_matching *m, int node, const float *asked, const float *offered);

static float branch_cost(const ami_matching *m, int node, const float *asked, const float *offered)
{
    const ami_control_node *n = node_of(m, node);
    int branch = ami_control_index(asked[0], n->count), part = n->first + branch;
    int ahead = node_of(m, part)->vector - n->vector;
    if (branch == ami_control_index(offered[0], n->count)) {
        return node_cost(m, part, asked + ahead, offered + ahead);
    }
    if (n->optional) {
        return branch == 0 ? 0.0f : absent_cost(m, part, asked + ahead);
    }
    // Another behaviour, which may have nothing of its own to ask for.
    return m->absent + absent_cost(m, part, asked + ahead);
}

/// Items in their order; the mean over those that are asked for.
static float set_cost(const ami_matching *m, int node, const float *asked, const float *offered)
{
    const ami_control_node *n = node_of(m, node), *item = node_of(m, n->first);
    int count = ami_control_index(asked[0], n->most + 1), there = ami_control_index(offered[0], n->most + 1);
    int step = item->vector_count + n->indexed, ahead = item->vector - n->vector;
    float cost = 0.0f;
    for (int i = 0; i < count; i++) {
        const float *a = asked + ahead + (ptrdiff_t)i * step, *o = offered + ahead + (ptrdiff_t)i * step;
        cost += i < there ? node_cost(m, n->first, a, o) : absent_cost(m, n->first, a);
    }
    return count > 0 ? cost / (float)count : 0.0f;
}

static float node_cost(const ami_matching *m, int node, const float *asked, const float *offered)
{
    const ami_control_node *n = node_of(m, node);
    float cost = 0.0f;
    if (n->kind == AMI_OP_OR) {
        return branch_cost(m, node, asked, offered);
    }
    if (n->kind == AMI_OP_SET) {
        return set_cost(m, node, asked, offered);
    }
    if (ami_control_is_typed(n->kind)) {
        for (int i = 0; i < n->vector_count; i++) {
            cost += (asked[i] - offered[i]) * (asked[i] - offered[i]);
        }
        return cost * number_weight(m, node);
    }
    for (int i = 0; i < n->count; i++) {
        int ahead = node_of(m, n->first + i)->vector - n->vector;
        cost += node_cost(m, n->first + i, asked + ahead, offered + ahead);
    }
    return cost;
}

float ami_matching_cost(const ami_matching *m, const float *asked, const float *offered)
{
    return node_cost(m, 0, asked, offered);
}

// ---------------------------------------------------------------------------------------------
// Pose

int ami_matching_pose_count(const ami_matching *m)
{
    int count = 0;
    for (int i = 0; i < m->pose_count; i++) {
        count += (m->pose[i].position > 0.0f ? 3 : 0) + (m->pose[i].velocity > 0.0f ? 3 : 0);
    }
    return count;
}

/// World places of all joints at a frame.
static void world_pose(am_transform *out, const am_db *db, int frame)
{
    am_db_pose(db, frame, out);
    out[0] = am_transform_mul(ami_db_root(db, frame), out[0]);
    am_fk(out, out, db->skeleton->parents, db->joint_count);
}

static float *put(float *row, am_vec3 v, float scale)
{
    row[0] = v.x * scale;
    row[1] = v.y * scale;
    row[2] = v.z * scale;
    return row + 3;
}

void ami_matching_pose_row(const ami_matching *m, float *row, const am_db *db, int frame)
{
    am_transform now[AM_MAX_JOINTS], before[AM_MAX_JOINTS], after[AM_MAX_JOINTS];
    int a = ami_db_clamp(db, frame, -1), b = ami_db_clamp(db, frame, 1);
    world_pose(now, db, frame);
    world_pose(before, db, a);
    world_pose(after, db, b);
    am_transform root = ami_db_root(db, frame);
    float rate = db->fps / (float)(b > a ? b - a : 1);
    for (int i = 0; i < m->pose_count; i++) {
        const pose_part *part = &m->pose[i];
        int joint = db->roles.joint[part->role];
        am_vec3 place = am_v3_zero(), velocity = am_v3_zero();
        if (joint >= 0) {
            place = am_quat_unrotate(root.rotation, am_v3_sub(now[joint].translation, root.translation));
            velocity = am_v3_scale(am_v3_sub(after[joint].translation, before[joint].translation), rate);
            velocity = am_quat_unrotate(root.rotation, velocity);
        }
        row = part->position > 0.0f ? put(row, place, part->position) : row;
        row = part->velocity > 0.0f ? put(row, velocity, part->velocity) : row;
    }
}

// From a value, in the world, to the vector that the encoder reads, in the character's frame (Operators 3.2.2).
#include "operators/control.h"

#include <string.h>

typedef struct frame {
    const am_control_schema *schema;
    const am_transform *root;
} frame;

static am_vec3 vec3_at(const float *x) { return am_v3(x[0], x[1], x[2]); }

static void put_vec3(float *out, am_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/// Four zeros, a rotation that nobody has set, are the character's own.
static am_quat rotation_at(const frame *f, const ami_control_node *n, const float *x)
{
    am_quat q = am_q(x[0], x[1], x[2], x[3]);
    if (!(am_quat_dot(q, q) > 1e-12f)) {
        return am_quat_identity();
    }
    q = am_quat_normalize(q);
    return n->world ? am_quat_mul(am_quat_inv(f->root->rotation), q) : q;
}

static void put_typed(const frame *f, const ami_control_node *n, float *vector, const float *value)
{
    am_vec3 v = { 0 };
    switch (n->kind) {
    case AMI_OP_BOOL:
        vector[0] = value[0] >= 0.5f ? 1.0f : 0.0f;
        break;
    case AMI_OP_NUMBER:
        vector[0] = value[0] / n->scale;
        break;
    case AMI_OP_LOCATION:
        v = vec3_at(value);
        put_vec3(vector, n->world ? am_quat_unrotate(f->root->rotation, am_v3_sub(v, f->root->translation)) : v);
        break;
    case AMI_OP_DIRECTION:
    case AMI_OP_VELOCITY:
        v = vec3_at(value);
        put_vec3(vector, n->world ? am_quat_unrotate(f->root->rotation, v) : v);
        break;
    case AMI_OP_ROTATION:
        am_quat_to_two_axis(rotation_at(f, n, value), vector);
        break;
    case AMI_OP_SCALE:
        for (int i = 0; i < 3; i++) {
            vector[i] = value[i] > 0.0f ? am_log(value[i]) : 0.0f;
        }
        break;
    case AMI_OP_INDEX:
        vector[0] = value[0] / (float)n->most;
        break;
    case AMI_OP_ONE_OF:
        vector[ami_control_index(value[0], n->name_count)] = 1.0f;
        break;
    case AMI_OP_SOME_OF:
        for (int i = 0; i < n->name_count; i++) {
            vector[i] = value[i] >= 0.5f ? 1.0f : 0.0f;
        }
        break;
    case AMI_OP_HEIGHT_MAP:
        for (int i = 0; i < n->value_count; i++) {
            vector[i] = value[i] - (n->world ? f->root->translation.y : 0.0f);
        }
        break;
    default:
        break;
    }
}

/// The places that are handed over are the node's own; parts of an item are as far behind it as in item 0.
static void put_node(const frame *f, int node, float *vector, const float *value)
{
    const ami_control_node *n = &f->schema->nodes[node], *first = &f->schema->nodes[n->first];
    if (n->kind == AMI_OP_OR) {
        int branch = ami_control_index(value[0], n->count);
        vector[0] = (float)branch;
        const ami_control_node *part = first + branch;
        put_node(f, n->first + branch, vector + (part->vector - n->vector), value + (part->value - n->value));
    } else if (n->kind == AMI_OP_SET) {
        int used = ami_control_index(value[0], n->most + 1);
        vector[0] = (float)used;
        float *item = vector + 1;
        for (int i = 0; i < used; i++, item += first->vector_count + n->indexed) {
            if (n->indexed) {
                item[0] = (float)i / (float)n->most;
            }
            put_node(f, n->first, item + n->indexed, value + 1 + (ptrdiff_t)i * first->value_count);
        }
    } else if (n->count) {
        for (int i = 0; i < n->count; i++) {
            const ami_control_node *part = first + i;
            put_node(f, n->first + i, vector + (part->vector - n->vector), value + (part->value - n->value));
        }
    } else {
        put_typed(f, n, vector, value);
    }
}

void ami_control_flatten(const am_control_schema *schema, float *vector, const float *value, const am_transform *root)
{
    const frame f = { schema, root };
    memset(vector, 0, (size_t)schema->vector_count * sizeof *vector);
    put_node(&f, 0, vector, value);
    for (int i = 0; i < schema->vector_count; i++) {
        vector[i] = vector[i] - vector[i] == 0.0f ? vector[i] : 0.0f;
    }
}

// Finds the parts of a schema that a character fills from its own body.
#include "operators/pose_parts.h"

#include <string.h>

int ami_control_pose(const am_control_schema *schema)
{
    const ami_control_node *root = &schema->nodes[0];
    for (int n = root->first; n < root->first + root->count; n++) {
        if (strcmp(schema->nodes[n].name, "pose") == 0) {
            return n;
        }
    }
    return -1;
}

/// By its own name in the rig or as a role, or by that of a part around it up to `top`.
static int joint_of(const am_control_schema *schema, int node, int top, const am_skeleton *skeleton,
                    const am_roles *roles)
{
    for (; node > top; node = schema->nodes[node].parent) {
        const char *name = schema->nodes[node].name;
        int joint = name[0] ? am_skeleton_find(skeleton, name) : -1;
        int role = am_role_find(name);
        joint = joint < 0 && role >= 0 ? roles->joint[role] : joint;
        if (joint >= 0) {
            return joint;
        }
    }
    return -1;
}

bool ami_control_in_pose(const am_control_schema *schema, int node)
{
    int top = ami_control_pose(schema);
    while (top >= 0 && node > top) {
        node = schema->nodes[node].parent;
    }
    return top >= 0 && node == top;
}

int ami_control_pose_parts(const am_control_schema *schema, const am_skeleton *skeleton, const am_roles *roles,
                           ami_pose_part *out)
{
    int count = 0, top = ami_control_pose(schema);
    for (int n = top; top >= 0 && n < schema->node_count; n++) {
        const ami_control_node *node = &schema->nodes[n];
        bool spatial =
            node->kind == AMI_OP_LOCATION || node->kind == AMI_OP_VELOCITY || node->kind == AMI_OP_DIRECTION;
        if (spatial && ami_control_in_pose(schema, n)) {
            if (out) {
                out[count] = (ami_pose_part){ node->value, node->kind, joint_of(schema, n, top, skeleton, roles),
                                              node->world };
            }
            count++;
        }
    }
    return count;
}

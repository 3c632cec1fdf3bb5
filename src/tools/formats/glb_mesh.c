// A skinned figure made from only the skeleton: one octahedron for each bone, as in modelling programs.
#include "formats/glb_mesh.h"

#include "base/memory.h"

#include <string.h>

// Shape of a bone, in parts of its length: where its waist is and how wide.
#define WAIST_AT 0.15f
#define WAIST_RADIUS 0.09f
// Bones shorter than this part of the longest one are joints in one place; drawing them gives specks.
#define SHORTEST 1e-3f

/// Room for one bone a joint, one an end site, and one for a skeleton that has no length at all.
static int most_corners(const am_skeleton *s) { return (s->joint_count + s->end_count + 1) * AMI_GLB_BONE_CORNERS; }

/// `size` is that of the bone: edges are brought to about 1 first, since the product of two tiny ones would vanish.
static void add_triangle(ami_glb_mesh *mesh, am_vec3 a, am_vec3 b, am_vec3 c, float size, int joint)
{
    am_vec3 corners[3] = { a, b, c };
    am_vec3 one = am_v3_scale(am_v3_sub(b, a), 1.0f / size);
    am_vec3 two = am_v3_scale(am_v3_sub(c, a), 1.0f / size);
    am_vec3 normal = am_v3_normalize_or(am_v3_cross(one, two), am_v3(0.0f, 1.0f, 0.0f));
    for (int i = 0; i < 3; i++) {
        mesh->positions[mesh->corner_count] = corners[i];
        mesh->normals[mesh->corner_count] = normal;
        mesh->joints[mesh->corner_count++] = (int16_t)joint;
    }
}

/// Any unit vector across `axis`.
static am_vec3 across(am_vec3 axis)
{
    am_vec3 other = am_abs(axis.y) < 0.9f ? am_v3(0.0f, 1.0f, 0.0f) : am_v3(1.0f, 0.0f, 0.0f);
    return am_v3_normalize_or(am_v3_cross(axis, other), am_v3(0.0f, 0.0f, 1.0f));
}

/// A bone from the joint's place to `tip`, given in the joint's own space.
static void add_bone(ami_glb_mesh *mesh, am_transform rest, am_vec3 tip, int joint)
{
    am_vec3 from = rest.translation;
    am_vec3 to = am_transform_point(rest, tip);
    am_vec3 along = am_v3_sub(to, from);
    float length = am_v3_length(along);
    am_vec3 axis = am_v3_scale(along, 1.0f / length);
    am_vec3 u = across(axis);
    am_vec3 v = am_v3_cross(axis, u);
    am_vec3 waist = am_v3_add(from, am_v3_scale(along, WAIST_AT));
    am_vec3 ring[4];
    for (int i = 0; i < 4; i++) {
        am_vec3 side = i % 2 == 0 ? u : v;
        ring[i] = am_v3_add(waist, am_v3_scale(side, (i < 2 ? WAIST_RADIUS : -WAIST_RADIUS) * length));
    }
    for (int i = 0; i < 4; i++) {
        am_vec3 a = ring[i], b = ring[(i + 1) % 4]; // counterclockwise seen from the tip
        add_triangle(mesh, a, b, to, length, joint);
        add_triangle(mesh, b, a, from, length, joint);
    }
}

static void find_bounds(ami_glb_mesh *mesh)
{
    mesh->min = mesh->max = mesh->positions[0];
    for (int i = 1; i < mesh->corner_count; i++) {
        am_vec3 p = mesh->positions[i];
        mesh->min = am_v3(am_min(mesh->min.x, p.x), am_min(mesh->min.y, p.y), am_min(mesh->min.z, p.z));
        mesh->max = am_v3(am_max(mesh->max.x, p.x), am_max(mesh->max.y, p.y), am_max(mesh->max.z, p.z));
    }
}

static void add_bones(ami_glb_mesh *mesh, const am_skeleton *s, const am_transform *rest)
{
    float longest = 0.0f;
    for (int j = 1; j < s->joint_count; j++) {
        longest = am_max(longest, am_v3_length(s->offsets[j]));
    }
    for (int e = 0; e < s->end_count; e++) {
        longest = am_max(longest, am_v3_length(s->end_offsets[e]));
    }
    float shortest = am_max(longest * SHORTEST, 1e-6f);
    for (int j = 1; j < s->joint_count; j++) {
        if (am_v3_length(s->offsets[j]) > shortest) {
            add_bone(mesh, rest[s->parents[j]], s->offsets[j], s->parents[j]);
        }
    }
    for (int e = 0; e < s->end_count; e++) {
        if (am_v3_length(s->end_offsets[e]) > shortest) {
            add_bone(mesh, rest[s->end_joints[e]], s->end_offsets[e], s->end_joints[e]);
        }
    }
    if (mesh->corner_count == 0) {
        add_bone(mesh, rest[0], am_v3(0.0f, 0.1f, 0.0f), 0); // a lone joint: something to see
    }
}

static void lay_out(ami_layout *layout, ami_glb_mesh *mesh, int corners)
{
    mesh->positions = ami_layout_take(layout, (size_t)corners, sizeof(am_vec3));
    mesh->normals = ami_layout_take(layout, (size_t)corners, sizeof(am_vec3));
    mesh->joints = ami_layout_take(layout, (size_t)corners, sizeof(int16_t));
}

bool ami_glb_mesh_make(ami_glb_mesh *out, const am_skeleton *skeleton, const am_transform *rest,
                       const am_alloc *alloc)
{
    memset(out, 0, sizeof *out);
    ami_layout layout = { 0 };
    lay_out(&layout, out, most_corners(skeleton));
    out->block_size = layout.size;
    void *block = ami_alloc_zero(alloc, layout.size);
    if (!block) {
        return false;
    }
    layout = (ami_layout){ block, 0, false };
    lay_out(&layout, out, most_corners(skeleton));
    add_bones(out, skeleton, rest);
    find_bounds(out);
    return true;
}

void ami_glb_mesh_free(ami_glb_mesh *mesh, const am_alloc *alloc)
{
    ami_release(alloc, mesh->positions, mesh->block_size); // first array of the block
    memset(mesh, 0, sizeof *mesh);
}

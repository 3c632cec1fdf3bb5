/// The figure that the GLB writer adds, so that any viewer shows something: a slim octahedron for each bone, skinned
/// to the joint at its start.
#ifndef AMI_IO_GLB_MESH_H
#define AMI_IO_GLB_MESH_H

#include <amble/tools/clip.h>

/// Corners of one bone: 8 flat triangles, nothing shared, so that faces look flat.
enum { AMI_GLB_BONE_CORNERS = 24 };

/// Corner arrays of all bones; what each corner belongs to is in `joints`.
typedef struct ami_glb_mesh {
    int corner_count;
    am_vec3 *positions; ///< [corner] in the skeleton's space, rest pose
    am_vec3 *normals;   ///< [corner] unit
    int16_t *joints;    ///< [corner]
    am_vec3 min, max;   ///< bounds of the positions
    size_t block_size;
} ami_glb_mesh;

/// rest(joint_count): model-space rest transforms. Free with ami_glb_mesh_free and the same allocator.
bool ami_glb_mesh_make(ami_glb_mesh *out, const am_skeleton *skeleton, const am_transform *rest,
                       const am_alloc *alloc);
void ami_glb_mesh_free(ami_glb_mesh *mesh, const am_alloc *alloc);

#endif

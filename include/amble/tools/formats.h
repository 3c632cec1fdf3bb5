/// Readers and writers of motion files. Readers take bytes and never trust them: every failure is
/// an am_error with a line or an offset. Clips come out in the file's own unit and axes.
#ifndef AMBLE_IO_H
#define AMBLE_IO_H

#include <amble/tools/clip.h>
#include <amble/tools/files.h>
#include <amble/tools/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Limits for untrusted input. Start from am_read_def_default().
typedef struct am_read_def {
    const am_alloc *alloc; ///< NULL means malloc/free
    const char *file;      ///< name for errors; NULL means none
    int max_joints;        ///< up to AM_MAX_JOINTS
    int max_frames;        ///< up to AM_MAX_FRAMES
    uint32_t cookie;
} am_read_def;
AM_API am_read_def am_read_def_default(void);

/// The clips of one file: one for BVH, any number for the others. Free with am_clips_free.
typedef struct am_clips {
    am_clip **items;
    int count;
    float unit_m; ///< metres in one unit where the file or its format says so, else 0
    am_alloc alloc;
} am_clips;
AM_API void am_clips_free(am_clips *clips);

/// BVH: any channel order per joint, 3 or 6 channels (or none), comments, CRLF, exponents.
AM_API am_result am_bvh_read(am_clip **out, const void *data, size_t size, const am_read_def *def, am_error *err);
/// GLB (binary glTF 2.0): the first skin's joints, or the node tree when there is none; every animation, sampled at
/// the rate that its key times suggest (60 when they suggest none). Nodes above the root joint, and uniform scale,
/// are baked in; other scale is AM_ERR_SUPPORT. Without an animation: one clip without frames.
AM_API am_result am_glb_read(am_clips *out, const void *data, size_t size, const am_read_def *def, am_error *err);
/// NPZ with the arrays that am_npz_write writes (stored or deflated).
AM_API am_result am_npz_read(am_clips *out, const void *data, size_t size, const am_read_def *def, am_error *err);
/// The motion files that are looked for in folders.
#define AM_MOTION_EXTENSIONS ".bvh .glb .gltf .fbx .dae .npz"
/// Reads a motion file by its contents and extension; other formats go through Assimp in a child
/// process where the build has it (AM_ERR_SUPPORT otherwise).
AM_API am_result am_motion_read_file(am_clips *out, const char *path, const am_read_def *def, am_error *err);

/// Start from am_write_def_default().
typedef struct am_write_def {
    const am_alloc *alloc;
    const uint8_t *contacts; ///< [frame of all clips] AM_CONTACT_* bits for NPZ and CSV, or NULL
    float unit_m;            ///< metres in one unit, which GLB notes; 0 the format's own (GLB: 1), -1 not known
    bool zero_rest;          ///< BVH: turn the joints' own axes so that zero rotations show the rest pose
    uint32_t cookie;
} am_write_def;
AM_API am_write_def am_write_def_default(void);

/// BVH with joint 0 as the 6-channel root (its OFFSET is zero, since programs disagree on whether to add it),
/// Zrotation Yrotation Xrotation, 6 channels also for other joints that move, end sites kept; in the clip's unit,
/// with 6 decimals for lengths and 5 for degrees. Joints come depth first; blanks in names become '_'. Local
/// rotations are written whole, so the motion is exact whatever the rest pose; BVH has no place for the rest pose
/// itself, unless `zero_rest` bakes it in: positions stay, the local rotations become those relative to the rest
/// pose.
AM_API am_result am_bvh_write(am_bytes *out, const am_clip *clip, const am_write_def *def, am_error *err);
/// One skeleton (that of the first clip) and one animation per clip; clips must share the shape. Holds a figure made
/// of the bones, so that any viewer shows something; end sites become leaf bones.
AM_API am_result am_glb_write(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def,
                              am_error *err);
/// positions (frames, joints, 3) and rotations wxyz (frames, joints, 4) local, parents, names, range_starts,
/// range_stops, contacts, fps, offsets: the arrays that researchers use. Clips must share the shape.
AM_API am_result am_npz_write(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def,
                              am_error *err);
/// One row per frame: time, then model-space position and local quaternion of each joint.
AM_API am_result am_csv_write(am_bytes *out, const am_clip *clip, const am_write_def *def, am_error *err);

/// A format that motion can be written in.
typedef struct am_motion_format {
    const char *extension; ///< ".bvh"
    bool one_clip;         ///< a file holds one clip: `write` takes the first
    am_result (*write)(am_bytes *out, const am_clip *const *clips, int count, const am_write_def *def, am_error *err);
} am_motion_format;
/// The format of a file to write, by its extension; NULL for none of them.
AM_API const am_motion_format *am_motion_format_find(const char *path);

// ---------------------------------------------------------------------------------------------
// Networks

/// Weights of graphs as NPZ: one fp32 array per tensor, PART.TENSOR ("decompressor.0.weight"), matrices (out, in) as
/// PyTorch has them, vectors flat.
AM_API am_result am_net_npz_write(am_bytes *out, const am_net_graph *const *graphs, int count, const am_alloc *alloc,
                                  am_error *err);
/// Reads them back into graphs of the same shapes: every tensor must be there (AM_ERR_KEY), have its shape
/// (AM_ERR_RANGE) and be finite (AM_ERR_NUMBER). Other arrays are ignored; after an error the graphs are unchanged.
AM_API am_result am_net_npz_read(am_net_graph *const *graphs, int count, const void *data, size_t size,
                                 const char *file, const am_alloc *alloc, am_error *err);
/// A graph as an ONNX file of standard operators (opset 17) with a free batch. States become inputs NAME and outputs
/// NAME_next.
AM_API am_result am_onnx_write(am_bytes *out, const am_net_graph *graph, const am_alloc *alloc, am_error *err);

#ifdef __cplusplus
}
#endif
#endif

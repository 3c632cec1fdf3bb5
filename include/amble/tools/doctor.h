/// The import doctor: examines a clip as read from a file, finds its unit, axes, facing, rest pose, roles, true rate,
/// floor and faults, and makes a clean clip from it.
#ifndef AMBLE_DOCTOR_H
#define AMBLE_DOCTOR_H

#include <amble/tools/formats.h>
#include <amble/tools/clip.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One finding of the doctor. Codes are stable words: "unit", "fps", "step", "frozen", "duplicate", ...
typedef struct am_finding {
    char code[24];
    char text[232]; ///< what it found, what it did, what the user must decide
    int frame;      ///< first frame concerned, -1 for the whole file
    int last;       ///< last frame, -1 for the whole file
    bool serious;   ///< bad data: leave out or cut
} am_finding;

/// What the doctor found in one clip. Free with am_diagnosis_free.
typedef struct am_diagnosis {
    float fps;         ///< the header's
    float fps_true;    ///< by gravity and step rate where they suffice, else the header's
    float unit_m;      ///< metres in one unit of the file
    char up[3];        ///< "+y", "+z", ...
    char facing[3];    ///< facing of the rest pose in file axes: "+z", "-y", ...
    am_quat axes;      ///< file axes -> Amble axes
    am_roles roles;    ///< joints of the file
    float floor_m;     ///< toe height in stance after conversion
    bool rest_is_pose; ///< the rest pose is no usable stance (zero rotations give a contorted figure)
    int rest_frame;    ///< a frame to take as the rest pose when rest_is_pose, else -1
    am_quat *rests;    ///< [rest_count] a standing pose as local rotations of the clean clip's joints, or NULL
    int rest_count; ///< joints of the clean clip when rests is not NULL; am_doctor_compare may copy them from another
                    ///< clip
    float rest_lean;    ///< how far that pose is from standing upright, feet together (0)
    float in_place_mps; ///< slide of the planted feet of a gait without root motion, which cleaning gives it; or 0
    int loop_frames;    ///< frames of one cycle of a loop, which cleaning unrolls; or 0
    uint64_t content;   ///< hash of the motion, for finding duplicates
    am_fault *faults;   ///< bad stretches, in frames of the file
    int fault_count;
    am_finding *findings;
    int finding_count;
    int finding_room; ///< findings that fit before the array must grow
    am_alloc alloc;
} am_diagnosis;

/// What is known beforehand. Start from am_doctor_def_default(); NAN, 0 or NULL means: find it.
typedef struct am_doctor_def {
    const am_alloc *alloc;
    float unit_m;
    float fps;
    const char *up; ///< "+y", ...
    const char *facing;
    const am_roles *roles;
    bool faults;   ///< also look for bad stretches (default true)
    bool in_place; ///< also look for gaits without root motion (default true)
    bool loops;    ///< also look for loops (default true)
    uint32_t cookie;
} am_doctor_def;
AM_API am_doctor_def am_doctor_def_default(void);

AM_API am_result am_doctor_examine(am_diagnosis *out, const am_clip *clip, const am_doctor_def *def, am_error *err);
AM_API void am_diagnosis_free(am_diagnosis *diagnosis);
/// Compares the clips of one batch: marks duplicates, and lets the majority decide where files of one rig disagree on
/// unit or axes; adds findings to the diagnoses.
AM_API am_result am_doctor_compare(am_diagnosis *diagnoses, const am_clip *const *clips, int count, am_error *err);

/// Joints of each role, by name first and by shape where names do not help. Any unit and axes.
AM_API am_roles am_roles_guess(const am_skeleton *skeleton);

/// How a clip is cleaned. Start from am_clean_def_default().
typedef struct am_clean_def {
    const am_alloc *alloc;
    bool cut;          ///< leave out serious stretches, keep the pieces between (default true)
    bool bridge;       ///< bridge short glitches (default true)
    float min_seconds; ///< shorter pieces are dropped (default 1)
    uint32_t cookie;
} am_clean_def;
AM_API am_clean_def am_clean_def_default(void);

/// Clean clips from one file: metres, y up, +z forward, hips as joint 0, true rate, rest pose usable, short
/// glitches bridged, serious stretches cut out. am_piece_name names the pieces; `first_frames` (room for `capacity`)
/// gets each piece's first frame in the file. `roles` are those of the clean clips. No piece left is AM_ERR_EMPTY.
AM_API am_result am_doctor_clean(am_clips *out, am_roles *roles, int *first_frames, int capacity, const am_clip *clip,
                                 const am_diagnosis *diagnosis, const am_clean_def *def, am_error *err);

/// The name of piece `piece` of `count` in out(size), size above 32: NAME alone, else NAME-a to NAME-z, NAME-a1, ...
/// A NAME that is too long is cut.
AM_API void am_piece_name(char *out, size_t size, const char *name, int piece, int count);

// ---------------------------------------------------------------------------------------------
// Files to clean clips: what amble import and amble build share

/// One clip on its way from a file to clean pieces.
typedef struct am_import_clip {
    char path[1024];
    char name[200];  ///< the file's stem, or STEM#CLIP when it has several clips; fit for a file name
    int file;        ///< which of the files that were added
    int clip_count;  ///< clips of that file
    bool trusted;    ///< set it before am_import_examine: bad stretches are not looked for
    bool told;       ///< for the caller: its error was reported
    bool finished;   ///< am_import_write wrote it, left it out or failed
    bool left_out;   ///< no good piece of it remained; the findings say why
    am_clip *raw;    ///< as read; may be destroyed and set to NULL once it is clean
    float fps;       ///< true rate once examined
    int frame_count; ///< of the file
    bool examined;
    am_diagnosis diagnosis;
    am_clips pieces;
    int *first_frames; ///< [pieces.count] in frames of the file
    size_t first_room;
    am_roles roles; ///< of the pieces
    am_error error; ///< code AM_OK while it can be used
} am_import_clip;

/// Clips of a batch. Start from am_import_begin(), then set what is known; free with am_import_free.
typedef struct am_import {
    am_import_clip *clips; ///< [count], files in the order they were added
    int count, room;
    am_alloc alloc;        ///< must be safe for the threads of `tasks`
    const am_tasks *tasks; ///< NULL means serial
    const am_progress *progress;
    am_doctor_def doctor;
    am_clean_def clean;
    uint32_t cookie;
} am_import;
AM_API am_import am_import_begin(const am_alloc *alloc);
AM_API void am_import_free(am_import *import);

/// Adds a file, whatever its name, or the motion files of a folder and of those below it, in byte order of their
/// names.
AM_API am_result am_import_add(am_import *import, const char *path, am_error *err);
AM_API am_result am_import_add_file(am_import *import, const char *path, am_error *err);
/// The motion files of a folder and of `depth` levels of folders below it.
AM_API am_result am_import_add_folder(am_import *import, const char *folder, int depth, am_error *err);

/// The stages, one after another. What is wrong with one file is its clip's error; the result is about the batch
/// alone: memory, or AM_ERR_CANCELLED. am_import_examine also compares the clips with each other.
AM_API am_result am_import_read(am_import *import, am_error *err);
AM_API am_result am_import_examine(am_import *import, am_error *err);
/// Between these two: leaves out a stretch. first < 0 counts from the end; last < 0 is the last frame.
AM_API am_result am_import_cut(am_import_clip *clip, int first, int last, am_error *err);
/// Called for each clip once it is clean or has failed (see its error), by the thread that cleaned it.
typedef void (*am_import_fn)(void *user, am_import_clip *clip, int index);
AM_API am_result am_import_clean(am_import *import, am_import_fn done, void *user, am_error *err);
/// The same, writing the pieces as FOLDER/PIECE.bvh: all of a clip or none. Clips whose files would have one name get
/// a number; a file that was read is never overwritten.
AM_API am_result am_import_write(am_import *import, const char *folder, am_error *err);

#ifdef __cplusplus
}
#endif
#endif

/// Film strips from the inside: what a run leaves behind for its picture, and the body that is drawn.
#ifndef AMI_REPORT_STRIP_H
#define AMI_REPORT_STRIP_H

#include <amble/tools/strip.h>

#include "report/canvas.h"

/// Points of a body that are drawn: the joints of roles, and beyond them heels and tips.
enum {
    ami_left_heel = AM_ROLE_COUNT,
    ami_right_heel,
    ami_left_tip, ///< of the toes
    ami_right_tip,
    ami_left_fingers,
    ami_right_fingers,
    ami_skull, ///< middle of the head
    ami_body_points
};

/// Where the points of a body are on a skeleton.
typedef struct ami_rig {
    int16_t joint[ami_body_points];  ///< -1: the rig has none
    am_vec3 offset[ami_body_points]; ///< in the joint's space
    float scale;                     ///< of thicknesses; 1 for legs of 0.85 m
} ami_rig;
ami_rig ami_rig_make(const am_skeleton *skeleton, const am_roles *roles);

/// A body in the world.
typedef struct ami_strip_body {
    am_vec3 at[ami_body_points];
} ami_strip_body;
void ami_body_place(ami_strip_body *out, const ami_rig *rig, const am_transform *world);

typedef enum ami_look { ami_look_side, ami_look_front, ami_look_above, ami_look_count } ami_look;

/// A camera without perspective: points relative to `origin`, seen by an onlooker of a body with this heading.
/// From the side it faces right, from above too, and from the front its left is on the right.
typedef struct ami_view {
    ami_look look;
    am_vec3 origin, ahead, left; ///< ahead and left on the ground
} ami_view;
ami_view ami_view_make(ami_look look, am_vec3 origin, float heading);
/// x to the right, y up, z towards the viewer, m.
am_vec3 ami_view_point(const ami_view *view, am_vec3 point);

/// Where a view is drawn: pixels of its origin, and of a metre.
typedef struct ami_frame {
    ami_spot at;
    double scale;
} ami_frame;
ami_spot ami_frame_spot(const ami_frame *frame, const ami_view *view, am_vec3 point);

extern const uint32_t ami_side_colours[2]; ///< left and right limbs

/// Draws a body: far parts behind near ones and paler, left and right limbs in their colours, the rest in `trunk`.
void ami_body_draw(ami_canvas *canvas, const ami_rig *rig, const ami_strip_body *body, const ami_view *view,
                   const ami_frame *frame, uint32_t trunk);

/// One frame of a character's track.
typedef struct ami_strip_frame {
    float time; ///< s
    float heading;
    float travelled; ///< along the facing, m
    float speed;     ///< m/s
    float hips;      ///< their height, m
    float bend;      ///< sharpest change of velocity of any point, m/s^2
    am_vec3 toe[2], heel[2], tip[2];
    uint8_t contacts; ///< AM_CONTACT_*
    uint8_t locked;   ///< those that the foot lock holds
    bool transition;
} ami_strip_frame;

enum { ami_strip_path_points = 1024 };

typedef struct ami_strip_figure {
    int frame; ///< of the track
    ami_strip_body body;
    bool pushed; ///< since the figure before
    am_vec3 push_at, push_force;
} ami_strip_figure;

typedef struct ami_strip_actor {
    ami_strip_frame *frames; ///< [frame_count]
    am_vec3 *roots;          ///< [frame_count] on the ground
    int frame_count;
    ami_strip_figure *figures; ///< [figure_count]
    int figure_count;
    ami_strip_body before[2]; ///< bodies of the last two frames, last first
    int seen;                 ///< frames since the run began
    float travelled;
    am_vec3 root;
    ami_strip_figure push; ///< waits for the next figure
    uint64_t pushes;       ///< seen so far
    am_vec3 *path;         ///< [path_count] the path of the last frame, thinned
    int path_count;
} ami_strip_actor;

struct am_strip {
    am_alloc alloc;
    size_t block_size;
    char title[256];
    ami_rig rig;
    float fps, from, every;
    int first, count; ///< frame of the first figure, figures
    int frame_room;
    ami_strip_actor *actors; ///< [actor_count]
    int actor_count;
    float end_s; ///< of what was seen
};

#endif

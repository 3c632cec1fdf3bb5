/// What the measures of motion share: points, speeds and feet of a body at a frame.
#ifndef AMI_REPORT_BODY_H
#define AMI_REPORT_BODY_H

#include <amble/tools/motion.h>

#define AMI_STAND_MPS 0.15f   ///< the hips of a body at rest are slower, over half a second
#define AMI_MOVE_MPS 0.4f     ///< those of one that goes somewhere faster
#define AMI_LOW_M 0.04f       ///< a foot touches the ground below this height above the floor
#define AMI_PLANT_MPS 0.3f    ///< and is planted when toe or heel is slower than this
#define AMI_PLANTED_S 0.06f   ///< a foot that is planted for so long has landed
#define AMI_PLANT_SHARE 0.15f ///< and this part of the body's speed: quick stances are short and never quite still

static inline am_vec3 ami_point(const am_motion *m, int frame, int point)
{
    return m->points[(size_t)frame * AM_POINT_COUNT + (size_t)point];
}

/// Frames of a time, at least one.
static inline int ami_frames(const am_motion *m, float seconds)
{
    int frames = (int)(seconds * m->fps + 0.5f);
    return frames > 0 ? frames : 1;
}

/// The frame at a time, within the motion.
static inline int ami_frame_at(const am_motion *m, float seconds)
{
    return (int)am_clamp(seconds * m->fps + 0.5f, 0.0f, (float)(m->frames - 1));
}

/// Velocity of a point along the ground, by its way from half a window before the frame to half a window after it.
am_vec3 ami_point_velocity(const am_motion *m, int frame, int point, float window_s);
/// Speed of the hips along the ground over half a second.
float ami_speed(const am_motion *m, int frame);
/// Height of a foot's lower end (toe or heel) above the floor; side 0 is left.
float ami_foot_height(const am_motion *m, int frame, int side);
bool ami_foot_planted(const am_motion *m, int frame, int side);
/// Neither foot touches the ground.
bool ami_in_flight(const am_motion *m, int frame);
/// Angle of the trunk (hips to the middle of the shoulders) from the vertical, rad.
float ami_trunk_lean(const am_motion *m, int frame);
/// Facing on the ground by hips and shoulders: a unit vector.
am_vec3 ami_facing(const am_vec3 *points, uint32_t has);

/// A foot that lands: follows one body from frame to frame.
typedef struct ami_walker {
    int planted[2];             ///< frames in a row
    am_vec3 place[2];           ///< where it was planted last
    float lift[2];              ///< height that it reached since
    bool landed[2];             ///< there is one
    int swing[2], supported[2]; ///< frames of its last swing, and those in which the other foot was planted
} ami_walker;
/// Takes the next frame. Returns the side (0 left, 1 right) of a foot that has landed in a new place, 2 for both in
/// the same frame, or -1.
int ami_walker_step(ami_walker *w, const am_motion *m, int frame);

/// Called with each step of a motion that is faster than AMI_MOVE_MPS: `side`, whether the other foot landed before,
/// length (m) from the other foot and speed (m/s).
typedef struct ami_step {
    int side;
    bool repeated;
    float length_m, speed_mps;
} ami_step;
typedef void (*ami_step_hook)(void *user, const ami_step *step);
void ami_steps_walk(const am_motion *m, ami_step_hook hook, void *user);
/// The bin of a speed, -1 below AMI_MOVE_MPS.
int ami_step_bin(float speed_mps);

/// Deviations over the 2 s window that begins with a frame: hips' height, hands and head over the hips, hips over the
/// feet; m.
typedef struct ami_life {
    double bob, hands, head, sway;
} ami_life;
ami_life ami_life_measure(const am_motion *m, int first, int count);

/// What a posture at rest is judged by; legs and degrees.
typedef struct ami_posture {
    float ankles, knee_deg, hips, trunk_deg;
} ami_posture;
ami_posture ami_posture_of(const am_motion *m, int frame);

#endif

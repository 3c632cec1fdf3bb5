/// Fixed courses that no network was trained on: places over 15 s at a walk, and the line through them.
#ifndef AMBLE_LAB_BEHAVIOURS_COURSES_H
#define AMBLE_LAB_BEHAVIOURS_COURSES_H

#include "behaviours.h"

enum { course_count = 6, course_frames = 1200 }; ///< of 1/60 s: some more than are played, for what lies ahead
#define COURSE_S 15.0f
#define COURSE_MPS 1.2f  ///< of most of them
#define WAY_POINT_S 0.4f ///< between way-points, as they were drawn on average in training

typedef struct course {
    const char *name;
    am_vec3 places[course_frames];
    float headings[course_frames];
} course;

/// All begin at the origin towards +z. `speed` is a factor; frames are played that many times faster.
void courses_make(course out[course_count], float speed);
am_vec3 course_place(const course *c, float t);
am_vec3 course_facing(const course *c, float t);
/// How far a place is from the line that the course takes within 1.5 s of t.
float course_off(const course *c, am_vec3 place, float t);

/// Which character is on which course, and what is asked of it.
typedef struct course_ask {
    const behaviour_parts *parts;
    const course *courses;
    int items;       ///< way-points that are given
    float every_s;   ///< between two of them
    float jump_m;    ///< 0: none; the course jumps this far aside every two seconds
    int first_style; ///< styled: of character 0, the next follow
} course_ask;
void ask_trajectory(void *user, int character, float t, am_transform root, am_control *control);
void ask_path(void *user, int character, float t, am_transform root, am_control *control);

#endif

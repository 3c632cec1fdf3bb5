/// Clips altered as foreign files differ: names, unit, axes, joints, rest pose, text form. Each function takes over a
/// clip and returns another in its place, with roles kept up to date; the test frees the last one.
#ifndef AMBLE_TEST_ALTER_H
#define AMBLE_TEST_ALTER_H

#include "support/check.h"

/// A clip and which joint is what in it: the truth that the doctor must find again.
typedef struct altered {
    am_clip *clip;
    am_roles roles;
} altered;

/// Vocabularies of joint names.
typedef enum alter_names_of {
    NAMES_BVH,     ///< LeftUpLeg LeftLeg LeftFoot LeftToeBase
    NAMES_MIXAMO,  ///< mixamorig:LeftUpLeg
    NAMES_UNREAL,  ///< thigh_l calf_l foot_l ball_l
    NAMES_RIGIFY,  ///< thigh.L shin.L foot.L toe.L
    NAMES_ASF,     ///< lfemur ltibia lfoot ltoes
    NAMES_BIPED,   ///< Bip01_L_Thigh
    NAMES_VRM,     ///< leftUpperLeg
    NAMES_OLD_BVH, ///< LeftHip LeftKnee LeftAnkle; LeftCollar LeftShoulder LeftElbow LeftWrist
    NAMES_DAZ,     ///< lThighBend lShin
    NAMES_XSENS,   ///< LeftUpperLeg LeftLowerLeg, L5 T8
    NAMES_CC,      ///< CC_Base_L_Thigh
    NAMES_NONE,    ///< j0 j1 j2 ...
    NAMES_SWAPPED, ///< as NAMES_BVH, but left and right lie
    NAMES_COUNT
} alter_names_of;

altered alter_from(const am_clip *clip, const am_roles *roles);
void alter_names(altered *a, alter_names_of names);
/// From metres, y up, +z forward to a file's unit and axes.
void alter_space(altered *a, float unit_m, const char *up, const char *facing);
/// A root on the ground above the hips, which carries the way over it.
void alter_add_ground_root(altered *a);
/// A leaf beside each thigh and upper arm, and three fingers on each hand.
void alter_add_small_joints(altered *a);
/// No toes: they become end sites of the feet.
void alter_drop_toes(altered *a);
/// Every joint's zero pose turned by some angle of its own: zero rotations give a contorted figure.
void alter_contort_rest(altered *a, uint64_t seed);
/// Written as BVH text with the rotations in `order` ("zyx", ...; NULL mixes all six over the joints), the hips'
/// first position also in its OFFSET when `offset`, and read again.
void alter_through_text(altered *a, const char *order, bool offset);

/// Writes 300 frames of a walker as a BVH file in centimetres, z up, facing -y; with `lose_head` the head is folded
/// over for half a second.
void alter_write_walker(const char *path, bool lose_head);

#endif

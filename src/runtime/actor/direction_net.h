/// DirectionNet (LHMM VI-G): how a person would face along a path. A small recurrent network reads a path point by
/// point with the facing so far, and continues with its own: side steps and back steps where the data have them.
///
/// The part `direction` of a model: inputs `point`(2), where a point lies seen from the one before it, and
/// `facing`(2), the facing at the one before, a unit vector; one state; output `direction`(2), along the facing at
/// the point. Both are x and z in the frame of the body at the window's present: place and heading do not matter.
#ifndef AMI_ACTOR_DIRECTION_NET_H
#define AMI_ACTOR_DIRECTION_NET_H

#include <amble/db.h>
#include <amble/net.h>
#include <amble/tools/network.h>

#define AMI_DIRECTION_HZ 30.0f ///< points a second
#define AMI_DIRECTION_KNOWN 60 ///< of a window: 2 s up to the present, whose facing is known
#define AMI_DIRECTION_STEPS 120
#define AMI_DIRECTION_AHEAD 12 ///< points that it sees beyond the one whose facing it predicts: 0.4 s
#define AMI_DIRECTION_POINTS (AMI_DIRECTION_STEPS + AMI_DIRECTION_AHEAD)

/// 4 s of a path about the present, which is point AMI_DIRECTION_KNOWN - 1. Where there is no past the first point is
/// repeated, with its facing.
typedef struct ami_direction_window {
    float x[AMI_DIRECTION_POINTS], z[AMI_DIRECTION_POINTS]; ///< m
    float facing[AMI_DIRECTION_STEPS];                      ///< rad; the known ones are given, the others written
} ami_direction_window;

/// The part `direction` of a model, ready to run in exact mode. AM_ERR_KEY when there is none, AM_ERR_FORMAT when it
/// does not have the inputs and outputs above.
am_result ami_direction_net_open(am_net **out, const am_model *model, const am_alloc *alloc, am_error *err);
/// Predicts steps more points (at most 60). `work` is for a batch of one. Allocates nothing.
void ami_direction_net_run(const am_net *net, am_net_work *work, ami_direction_window *window, int steps);

#endif

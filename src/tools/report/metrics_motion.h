/// The measures of amble/tools/motion.h of one character of a run.
#ifndef AMI_REPORT_METRICS_MOTION_H
#define AMI_REPORT_METRICS_MOTION_H

#include <amble/tools/metrics.h>

#include "base/memory.h"

enum { ami_most_events = 256, ami_most_stands = 256 };

/// When something happened, and what was desired.
typedef struct ami_event {
    float t;
    am_vec3 velocity;
} ami_event;

typedef struct ami_watched {
    am_body body;
    am_vec3 *points;  ///< [frame][AM_POINT_COUNT]
    am_vec3 *targets; ///< [frame] desired velocities; on a path, something that is no stand
    float *room;      ///< [frame]
    int frames;
    ami_event jumps[ami_most_events], pushes[ami_most_events];
    int jump_count, push_count;
    bool jumping;
    uint64_t push_total;
    am_stand_span stands[ami_most_stands]; ///< of the last measure
    int stand_count;
} ami_watched;

void ami_watched_place(ami_watched *w, ami_layout *layout, size_t frames);
void ami_watched_add(ami_watched *w, const am_run_sample *sample);
/// Fills out->motion, and what is odd about each response.
void ami_watched_measure(am_metrics *out, ami_watched *w, am_response *responses, am_reference *reference, float dt);
void ami_watched_write(am_json_writer *writer, ami_watched *w, const am_metrics *metrics,
                       const am_reference *reference, float dt);
/// The yardstick's own figures.
void ami_reference_write(am_json_writer *writer, const am_reference *reference);

#endif

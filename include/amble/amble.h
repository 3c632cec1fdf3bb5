/// Everything of libamble in one include.
#ifndef AMBLE_AMBLE_H
#define AMBLE_AMBLE_H

#include <amble/agility.h>
#include <amble/anim.h>
#include <amble/arrays.h>
#include <amble/base.h>
#include <amble/build.h>
#include <amble/control.h>
#include <amble/db.h>
#include <amble/direction.h>
#include <amble/doctor.h>
#include <amble/features.h>
#include <amble/field.h>
#include <amble/field_source.h>
#include <amble/field_task.h>
#include <amble/field_value.h>
#include <amble/index.h>
#include <amble/io.h>
#include <amble/json.h>
#include <amble/learned.h>
#include <amble/math.h>
#include <amble/metrics.h>
#include <amble/motion.h>
#include <amble/motion_graph.h>
#include <amble/net.h>
#include <amble/pose.h>
#include <amble/post.h>
#include <amble/push.h>
#include <amble/push_trials.h>
#include <amble/report.h>
#include <amble/run.h>
#include <amble/source.h>
#include <amble/synth.h>
#include <amble/tables.h>
#include <amble/tags.h>

#endif

/// Everything of libamble in one include.
#ifndef AMBLE_AMBLE_H
#define AMBLE_AMBLE_H

#include <amble/skeleton.h>
#include <amble/base.h>
#include <amble/actor.h>
#include <amble/asset.h>
#include <amble/control.h>
#include <amble/db.h>
#include <amble/direction.h>
#include <amble/features.h>
#include <amble/field.h>
#include <amble/field_source.h>
#include <amble/field_task.h>
#include <amble/field_value.h>
#include <amble/index.h>
#include <amble/json.h>
#include <amble/learned.h>
#include <amble/math.h>
#include <amble/net.h>
#include <amble/options.h>
#include <amble/pose.h>
#include <amble/post.h>
#include <amble/push.h>
#include <amble/source.h>
#include <amble/tags.h>

#endif

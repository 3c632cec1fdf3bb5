/// Everything of libamble in one include.
#ifndef AMBLE_AMBLE_H
#define AMBLE_AMBLE_H

#include <amble/skeleton.h>
#include <amble/base.h>
#include <amble/control.h>
#include <amble/actor.h>
#include <amble/asset.h>
#include <amble/db.h>
#include <amble/input.h>
#include <amble/math.h>
#include <amble/net.h>
#include <amble/options.h>
#include <amble/source.h>

#endif

/// All of libamble_tools: clips, files, databases, scripts, reports.
#ifndef AMBLE_TOOLS_H
#define AMBLE_TOOLS_H

#include <amble/amble.h>
#include <amble/tools/arrays.h>
#include <amble/tools/build.h>
#include <amble/tools/clip.h>
#include <amble/tools/controls.h>
#include <amble/tools/database.h>
#include <amble/tools/describe.h>
#include <amble/tools/doctor.h>
#include <amble/tools/files.h>
#include <amble/tools/formats.h>
#include <amble/tools/json.h>
#include <amble/tools/metrics.h>
#include <amble/tools/motion.h>
#include <amble/tools/network.h>
#include <amble/tools/os.h>
#include <amble/tools/report.h>
#include <amble/tools/schema.h>
#include <amble/tools/script.h>
#include <amble/tools/strip.h>
#include <amble/tools/synth.h>
#include <amble/tools/tags.h>

#endif

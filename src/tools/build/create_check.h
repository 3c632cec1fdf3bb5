/// Refusals of what a database is made of.
#ifndef AMI_BUILD_CREATE_CHECK_H
#define AMI_BUILD_CREATE_CHECK_H

#include <amble/tools/database.h>

/// What am_db_create can refuse before anything is made: the def itself, its clips, and the number of ranges and
/// tags.
am_result ami_db_def_check(const am_db_def *def, am_error *err);

#endif

/// "exclude" of training controls: clips, and stretches of clips, that are not drawn from.
#ifndef AMI_CONTROL_EXCLUDE_H
#define AMI_CONTROL_EXCLUDE_H

#include <amble/db.h>
#include <amble/tools/json.h>

/// Sets excluded[frame] for a list of names (with * and ?) and of objects {"clip", "first", "last", "why"}, whose
/// frames are those of the clip's file. A name means mirror images and pieces of the clip, too. A clip that the
/// database does not have is AM_ERR_KEY.
am_result ami_exclude_read(bool *excluded, const am_json_doc *doc, const am_json *list, const am_db *db,
                           am_error *err);
/// The frame of its clip's file that became a frame of the database.
int ami_source_frame(const am_db *db, const am_db_range *range, int frame);

#endif

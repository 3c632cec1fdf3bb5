/// A database in JSON for the page, as parts of the object that web_describe writes.
#ifndef AMBLE_STUDIO_DESCRIBE_H
#define AMBLE_STUDIO_DESCRIBE_H

#include <amble/tools/tools.h>

/// joints, ends, roles.
void web_describe_skeleton(am_json_writer *writer, const am_db *db);
/// channels, activities, keys. can: 1 << am_activity for each that the database has.
void web_describe_names(am_json_writer *writer, const am_db *db, uint32_t can);

#endif

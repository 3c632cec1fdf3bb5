/// Describes in JSON, for the page, what is open: parts of the object that web_describe writes.
#ifndef AMBLE_STUDIO_DESCRIBE_H
#define AMBLE_STUDIO_DESCRIBE_H

#include "scene.h"

/// joints, ends, roles.
void web_describe_skeleton(am_json_writer *writer, const am_db *db);
/// channels, activities, keys. can: 1 << am_activity for each that the database has.
void web_describe_names(am_json_writer *writer, const am_db *db, uint32_t can);
/// method: what plays. methods: the library's, with the size of the model that was given for each.
void web_describe_methods(am_json_writer *writer, const web_set *set, const web_lineup *lineup);

#endif

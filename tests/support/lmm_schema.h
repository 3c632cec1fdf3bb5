/// The 27 features of LMM: trajectory positions and directions at 20, 40 and 60 frames of 60 Hz, feet, hips velocity.
#ifndef AMBLE_TEST_LMM_SCHEMA_H
#define AMBLE_TEST_LMM_SCHEMA_H

#include <amble/tools/json.h>
#include <amble/tools/schema.h>

#include <string.h>

/// Without channels where there is no memory.
static inline am_schema lmm_schema(void)
{
    static const char text[] =
        "{ \"channels\": [ { \"kind\": \"trajectory_position\", \"times\": [0.33333334, 0.6666667, 1] },"
        "{ \"kind\": \"trajectory_direction\", \"times\": [0.33333334, 0.6666667, 1] },"
        "{ \"kind\": \"position\", \"joint\": \"left_foot\" }, { \"kind\": \"position\", \"joint\": \"right_foot\" },"
        "{ \"kind\": \"velocity\", \"joint\": \"left_foot\" }, { \"kind\": \"velocity\", \"joint\": \"right_foot\" },"
        "{ \"kind\": \"velocity\", \"joint\": \"hips\" } ] }";
    am_schema schema = { 0 };
    am_json_doc *doc = NULL;
    am_error err = { 0 };
    if (am_json_parse(&doc, text, strlen(text), "lmm", NULL, &err) == AM_OK) {
        am_schema_parse(&schema, doc, am_json_root(doc), &err);
        am_json_free(doc);
    }
    return schema;
}

#endif

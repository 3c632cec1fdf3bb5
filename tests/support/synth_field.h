/// A motion field over procedural motion, for tests: open with synth_field_open, close with synth_field_close.
#ifndef AMBLE_TEST_SYNTH_FIELD_H
#define AMBLE_TEST_SYNTH_FIELD_H

#include "support/synth_db.h"
#include "method/motion_field.h"

static am_db *db;
static ami_field *field;

static int synth_field_open(void **state)
{
    (void)state;
    am_error err = { 0 };
    db = synth_db_make(false, &err);
    ami_field_def def = ami_field_def_default();
    def.db = db;
    return db && ami_field_create(&field, &def, &err) == AM_OK ? 0 : -1;
}

static int synth_field_close(void **state)
{
    (void)state;
    ami_field_destroy(field);
    am_db_close(db);
    return 0;
}

#endif

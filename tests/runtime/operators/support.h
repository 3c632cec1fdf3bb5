/// Schemas for the tests of operators.
#ifndef AMBLE_TEST_OPERATORS_H
#define AMBLE_TEST_OPERATORS_H

#include "support/operators.h"
#include "support/refuse.h"

static inline am_control_schema *test_schema(const char *text) { return operators_schema(text); }

static inline am_control *test_control(const am_control_schema *schema)
{
    am_control *control = NULL;
    am_error err = { 0 };
    check_ok(am_control_create(&control, schema, NULL, &err), &err);
    return control;
}

#endif

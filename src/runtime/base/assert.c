// Where a failed AM_ASSERT ends. A file of its own, so that programs that never assert do not pull in stdio.
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

// Compiled in every build: parts of a program may be built with asserts against a library without.
_Noreturn void ami_assert_failed(const char *condition, const char *file, int line);

_Noreturn void ami_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "amble: %s:%d: misuse: %s does not hold\n", file, line, condition);
    abort();
}

// The version that the build gave this library.
#include <amble/base.h>

const char *am_version(void) { return AMI_VERSION; }

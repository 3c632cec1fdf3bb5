#!/bin/sh
# The checkers themselves: each must pass a clean tree and catch a planted fault.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
fail() { echo "test_checks: $*"; exit 1; }

mkdir -p "$tree/src/base" "$tree/src/db" "$tree/src/anim" "$tree/apps/cli" "$tree/include/amble"
echo '#include "base/memory.h"' >"$tree/src/db/file.c"
echo '#include <amble/amble.h>' >"$tree/apps/cli/main.c"
printf '#ifndef A_H\n#define A_H\n#include <stdint.h>\nstatic inline int32_t a(void) { return 1; }\n#endif\n' >"$tree/include/amble/a.h"
sh "$here/scripts/check_includes.sh" "$tree" >/dev/null || fail "includes: refused a clean tree"
sh "$here/scripts/check_headers.sh" "$tree" >/dev/null 2>&1 || fail "headers: refused a clean header"
sh "$here/scripts/check_text.sh" "$tree" >/dev/null || fail "text: refused a clean tree"

# plant FILE LINE CHECKER: the checker must refuse the tree with LINE in FILE.
plant() {
    printf '%s\n' "$2" >"$tree/$1"
    if sh "$here/scripts/$3" "$tree" >/dev/null 2>&1; then fail "$3 let '$2' in $1 pass"; fi
    rm "$tree/$1"
}
plant src/base/bad.c '#include "db/file.h"' check_includes.sh
plant src/anim/bad.c '#include "kernel/kernel.h"' check_includes.sh
plant src/db/bad.c '#include "file.h"' check_includes.sh
plant src/db/bad.h '#  include "make/doctor.h"' check_includes.sh
plant apps/cli/bad.c '#include "../../src/base/memory.h"' check_includes.sh
plant apps/cli/bad2.c '#include "base/memory.h"' check_includes.sh
plant include/amble/bad.h 'static inline size_t a(void) { return 1; }' check_headers.sh
plant include/amble/bad2.h '#include <stdint.h>
static inline int *b(void *class) { int *template = class; return template; }' check_headers.sh
plant src/base/bad.c '// TO''DO: later' check_text.sh
plant src/base/bad.c 'const char *p = "/ro''ot/x";' check_text.sh
head -c 300000 /dev/zero >"$tree/src/base/big.bin"
if sh "$here/scripts/check_text.sh" "$tree" >/dev/null; then fail "text: let a large file pass"; fi
echo "checkers catch all planted faults"

#!/bin/sh
# The checkers themselves: each must pass a clean tree and catch a planted fault.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
fail() { echo "test_checks: $*"; exit 1; }

mkdir -p "$tree/src/runtime/base" "$tree/src/runtime/data" "$tree/src/tools/build" "$tree/src/train" "$tree/src/physics" \
    "$tree/apps/cli" "$tree/lab/eval" "$tree/include/amble/tools"
printf '#include "base/memory.h"\n#include <amble/db.h>\n' >"$tree/src/runtime/data/file.c"
printf '#include "base/memory.h"\n#include <sys/stat.h>\n' >"$tree/src/runtime/base/file.c"
printf '#include "data/format.h"\n#include <amble/tools/clip.h>\n' >"$tree/src/tools/build/file.c"
echo '#include "method/match.h"' >"$tree/lab/eval/file.c"
echo '#include <amble/amble.h>' >"$tree/apps/cli/main.c"
printf '#ifndef A_H\n#define A_H\n#include <stdint.h>\nstatic inline int32_t a(void) { return 1; }\n#endif\n' >"$tree/include/amble/base.h"
printf '#include <amble/base.h>\n' >"$tree/include/amble/tools/clip.h"
sh "$here/scripts/check_includes.sh" "$tree" >/dev/null || fail "includes: refused a clean tree"
sh "$here/scripts/check_headers.sh" "$tree" >/dev/null 2>&1 || fail "headers: refused a clean header"
sh "$here/scripts/check_text.sh" "$tree" >/dev/null || fail "text: refused a clean tree"

# plant FILE LINE CHECKER: the checker must refuse the tree with LINE in FILE.
plant() {
    cp "$tree/$1" "$tree/before" 2>/dev/null || :
    printf '%s\n' "$2" >"$tree/$1"
    if sh "$here/scripts/$3" "$tree" >/dev/null 2>&1; then fail "$3 let '$2' in $1 pass"; fi
    rm "$tree/$1"
    [ ! -f "$tree/before" ] || mv "$tree/before" "$tree/$1"
}
plant src/runtime/base/bad.c '#include "data/file.h"' check_includes.sh
plant src/runtime/data/bad.c '#include "clip/clip.h"' check_includes.sh
plant src/runtime/data/bad.c '#include <amble/tools/clip.h>' check_includes.sh
plant src/runtime/data/bad.c '#include <amble/input.h>' check_includes.sh
plant src/runtime/data/bad.c '#include "file.h"' check_includes.sh
plant src/runtime/data/bad.h '#  include "doctor/roles.h"' check_includes.sh
plant src/tools/build/bad.c '#include "script/run.h"' check_includes.sh
plant src/tools/build/bad.c '#include "lab/eval/agility.h"' check_includes.sh
plant src/physics/bad.c '#include "clip/clip.h"' check_includes.sh
plant src/train/bad.c '#include "physics/body.h"' check_includes.sh
plant apps/cli/bad.c '#include "../../src/runtime/base/memory.h"' check_includes.sh
plant apps/cli/bad2.c '#include "base/memory.h"' check_includes.sh
plant include/amble/net.h '#include <amble/input.h>' check_includes.sh
plant include/amble/db.h '#include <amble/tools/clip.h>' check_includes.sh
plant include/amble/net.h '#include "base/memory.h"' check_includes.sh
plant include/amble/nobodys.h '#include <amble/base.h>' check_includes.sh
plant src/runtime/data/bad.c '#include <sys/stat.h>' check_includes.sh
plant src/train/bad.h '#include <pthread.h>' check_includes.sh
plant apps/cli/bad.c '# include <unistd.h>' check_includes.sh
plant lab/eval/bad.c '#include <windows.h>' check_includes.sh
plant include/amble/db.h '#include <time.h>' check_includes.sh
plant include/amble/tools/bad3.h 'static inline size_t a(void) { return 1; }' check_headers.sh
plant include/amble/bad.h 'static inline size_t a(void) { return 1; }' check_headers.sh
plant include/amble/bad2.h '#include <stdint.h>
static inline int *b(void *class) { int *template = class; return template; }' check_headers.sh
plant include/amble/bad.h 'typedef struct am_x { int a; } am_x;
#define AM_API
AM_API am_x am_x_make(void);' check_headers.sh
plant include/amble/bad.h 'typedef struct am_x { int a; } am_x;
#define AM_API
AM_API void am_x_use(int a,
                     const am_x x);' check_headers.sh
plant include/amble/bad.h 'typedef struct am_x { int a; } am_x;
typedef struct am_y { int (*use)(void *user, am_x x); } am_y;' check_headers.sh
plant include/amble/bad.h "$(printf '#define AM_API\n'; i=0; while [ $i -le 120 ]; do echo "AM_API void am_f$i(void);"; i=$((i + 1)); done)" check_headers.sh
plant src/runtime/base/bad.c '// TO''DO: later' check_text.sh
plant src/runtime/base/bad.c 'const char *p = "/ro''ot/x";' check_text.sh
head -c 300000 /dev/zero >"$tree/src/runtime/base/big.bin"
if sh "$here/scripts/check_text.sh" "$tree" >/dev/null; then fail "text: let a large file pass"; fi
echo "checkers catch all planted faults"

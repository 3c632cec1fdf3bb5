#!/bin/sh
# Every public header compiles alone, as C17 and as C++17. Usage: check_headers.sh [ROOT].
set -eu
cd "${1:-$(dirname "$0")/..}"
printf "%s\n" include/amble/*.h include/amble/tools/*.h | xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 sh -c '
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iinclude -fsyntax-only"
status=0
gcc -std=c17 $warnings -x c "$1" -Wno-pragma-once-outside-header || { echo "$1: does not compile alone as C17"; status=1; }
g++ -std=c++17 $warnings -x c++ "$1" || { echo "$1: does not compile alone as C++17"; status=1; }
exit $status' header

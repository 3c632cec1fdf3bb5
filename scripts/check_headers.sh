#!/bin/sh
# The public headers: each compiles alone, as C17 and as C++17; those of the run time declare at most 120 functions beside
# maths, and none gives a struct by value, which bindings could not call. Usage: check_headers.sh [ROOT].
# tests/scripts/test_checks.sh plants faults that it must catch.
set -eu
cd "${1:-$(dirname "$0")/..}"
runtime=$(printf "%s\n" include/amble/*.h | grep -v -E '/(math|train|physics)[.]h$')
# shellcheck disable=SC2086
awk -v most=120 '
/^(AM_API|static inline) / {
    count++
    # RESULT NAME(: a result that is no pointer and has a lower-case am_ name is a struct, unless it is an enum.
    if ($1 == "AM_API" && $2 ~ /^am_/ && $2 != "am_result" && $3 !~ /^[*]/) {
        printf "%s:%d: %s gives %s by value; write it through a pointer\n", FILENAME, FNR, $3, $2
        faults++
    }
}
END {
    if (count > most) {
        printf "include/amble: %d functions of the run time; at most %d are public: move some to src/runtime/FOLDER\n", count, most
        faults++
    }
    exit faults > 0
}' $runtime
printf "%s\n" include/amble/*.h include/amble/tools/*.h | xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 sh -c '
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iinclude -fsyntax-only"
status=0
gcc -std=c17 $warnings -x c "$1" -Wno-pragma-once-outside-header || { echo "$1: does not compile alone as C17"; status=1; }
g++ -std=c++17 $warnings -x c++ "$1" || { echo "$1: does not compile alone as C++17"; status=1; }
exit $status' header

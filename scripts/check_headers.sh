#!/bin/sh
# The public headers: each compiles alone, as C17 and as C++17; those of the run time declare at most 120 functions beside
# maths, and none takes or gives a struct by value, which bindings could not call. Usage: check_headers.sh [ROOT].
# tests/scripts/test_checks.sh plants faults that it must catch.
set -eu
cd "${1:-$(dirname "$0")/..}"
runtime=$(printf "%s\n" include/amble/*.h | grep -v -E '/(math|train|physics)[.]h$')
# shellcheck disable=SC2086
enums=$(sed -n 's/^typedef enum \(am_[a-z0-9_]*\).*/\1/p' $runtime | tr '\n' ' ')
# shellcheck disable=SC2086
awk -v most=120 -v enums="$enums am_result am_task_fn" '
BEGIN { split(enums, list, " "); for (i in list) { plain[list[i]] = 1 } }
/^(AM_API|static inline) / { count++ }
# Functions, and callbacks in structs: the whole declaration, then its result and each parameter. A type with a
# lower-case am_ name that is neither followed by * nor an enum is a struct by value.
/^AM_API |[(][*][a-z_]+[)][(]/ { declaration = ""; line = FNR; open = 1 }
open {
    sub(/[/][/].*/, "")
    declaration = declaration " " $0
    if ($0 !~ /;/) { next }
    open = 0
    sub(/^ *AM_API /, "(", declaration)
    while (match(declaration, /(^|[(,]) *(const )?am_[a-z0-9_]+ [a-z(]/)) {
        type = substr(declaration, RSTART, RLENGTH - 2)
        sub(/^.*[(, ]/, "", type)
        if (!(type in plain)) {
            printf "%s:%d: passes %s by value; use a pointer\n", FILENAME, line, type
            faults++
        }
        declaration = substr(declaration, RSTART + RLENGTH - 1)
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

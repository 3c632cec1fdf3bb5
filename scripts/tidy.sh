#!/bin/sh
# clang-tidy of one file, skipped when neither it nor any header changed since it was last clean.
set -eu
stamp=build/tidy/$(echo "$1" | tr / _)
sum=$(cat "$1" .clang-tidy $(git ls-files '*.h') | cksum)
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && exit 0
clang-tidy --quiet -p build/release "$1" 2>/dev/null
echo "$sum" >"$stamp"

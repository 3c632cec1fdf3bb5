#!/bin/sh
# Every public header compiles alone, as C17 and as C++17. Usage: check_headers.sh [ROOT].
set -eu
cd "${1:-$(dirname "$0")/..}"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iinclude -fsyntax-only"
status=0
for header in include/amble/*.h; do
    # shellcheck disable=SC2086
    gcc -std=c17 $warnings -x c "$header" -Wno-pragma-once-outside-header || { echo "$header: not alone as C17"; status=1; }
    # shellcheck disable=SC2086
    g++ -std=c++17 $warnings -x c++ "$header" || { echo "$header: not alone as C++17"; status=1; }
done
exit $status

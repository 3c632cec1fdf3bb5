#!/bin/sh
# The tests FOLDER.NAME of one file under valgrind; they count as one in build/log/counts and show their output on failure.
set -u
log=build/log/valgrind.$1
if AMBLE_QUICK=1 AMBLE_DATA=/nonexistent timeout 600 valgrind --quiet --error-exitcode=9 --leak-check=full \
    --errors-for-leak-kinds=definite,possible --trace-children=no "build/release/test_${1%%.*}" "${1#*.}" >"$log" 2>&1; then
    echo "1 0" >>build/log/counts
    rm "$log"
    exit 0
fi
echo "0 1" >>build/log/counts
cat "$log"
echo "valgrind: $1"
exit 1

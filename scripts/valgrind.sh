#!/bin/sh
# One test program under valgrind; it counts as one test in build/log/counts and shows its output when it fails.
set -u
log=build/log/valgrind.$(basename "$1")
if AMBLE_QUICK=1 AMBLE_DATA=/nonexistent timeout 600 valgrind --quiet --error-exitcode=9 --leak-check=full \
    --errors-for-leak-kinds=definite,possible --trace-children=no "$1" >"$log" 2>&1; then
    echo "1 0" >>build/log/counts
    rm "$log"
    exit 0
fi
echo "0 1" >>build/log/counts
cat "$log"
echo "valgrind: $1"
exit 1

#!/bin/sh
# The command as a Windows program under wine: paths with backslashes, and a word about what is absent.
# scripts/check_database.sh compares the databases that it builds.
set -eu
cd "$(dirname "$0")/../.."
work=build/windows/test-files/command
fail() { echo "test_windows: $*"; exit 1; }
rm -rf "$work"
mkdir -p "$work"
amble() { sh scripts/wine.sh build/windows/amble.exe "$@"; }
amble --help >"$work/help.txt" || fail "--help failed"
if amble info "$work\\none.amdb" >"$work/none.txt" 2>&1; then fail "info of no file passed"; fi
grep -q "$work/none.amdb: cannot open: no such file" "$work/none.txt" || fail "info of no file says: $(cat "$work/none.txt")"
if amble studio >"$work/studio.txt" 2>&1; then fail "studio passed"; fi
grep -q 'this build has no studio' "$work/studio.txt" || fail "studio says: $(cat "$work/studio.txt")"
echo "the command runs on Windows"

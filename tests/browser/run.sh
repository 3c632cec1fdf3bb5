#!/bin/sh
# run.sh BUILD_DIR WASM_DIR: installs the npm packages when they are missing or changed, then runs all browser tests.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 2 ] || { echo "usage: run.sh BUILD_DIR WASM_DIR" >&2; exit 2; }
AMBLE_BUILD=$(cd "$1" && pwd)
AMBLE_WASM=$(cd "$2" && pwd)
export AMBLE_BUILD AMBLE_WASM
cd "$here"
sh install.sh
# The studio's page has packages of its own.
sh ../../apps/studio/web/install.sh
# The C tests leave GLB files for the validator.
if [ -x "$AMBLE_BUILD/test_formats" ] && [ ! -d "$AMBLE_BUILD/test-files/glb" ]; then
    "$AMBLE_BUILD/test_formats" glb >/dev/null 2>&1
fi
# So do they networks for ONNX Runtime.
if [ -x "$AMBLE_BUILD/test_formats" ] && [ ! -d "$AMBLE_BUILD/test-files/onnx" ]; then
    "$AMBLE_BUILD/test_formats" networks >/dev/null 2>&1
fi
# And the networks of a small learned character.
if [ -x "$AMBLE_BUILD/test_train" ] && [ ! -f "$AMBLE_BUILD/test-files/learned_run/tiny.amnet" ]; then
    "$AMBLE_BUILD/test_train" learned >/dev/null 2>&1
fi
node prepare.mjs
# The installed tree has a test of its own (tests/scripts/test_install.sh).
files=$(ls -- *.test.mjs | grep -v '^installed\.')
# How many tests there are, for the progress line; then all files, as many at once as there are cores. Pushes go first
# and alone: a machine busy with other pages may be late with what the mouse does.
# shellcheck disable=SC2086
echo "1..$(cat $files | grep -c '\<test(') tests"
node --test --test-reporter=tap pushes.test.mjs
# shellcheck disable=SC2086
exec node --test --test-reporter=tap --test-concurrency="$(nproc 2>/dev/null || echo 2)" $(echo "$files" | grep -v '^pushes\.')

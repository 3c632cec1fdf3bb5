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
if [ -x "$AMBLE_BUILD/test_io_glb" ] && [ ! -d "$AMBLE_BUILD/test-files/glb" ]; then
    "$AMBLE_BUILD/test_io_glb" >/dev/null 2>&1
fi
# So do they networks for ONNX Runtime.
if [ -x "$AMBLE_BUILD/test_io_networks" ] && [ ! -d "$AMBLE_BUILD/test-files/onnx" ]; then
    "$AMBLE_BUILD/test_io_networks" >/dev/null 2>&1
fi
# And the networks of a small learned character.
if [ -x "$AMBLE_BUILD/test_train_learned" ] && [ ! -f "$AMBLE_BUILD/test-files/learned_run/tiny.amnet" ]; then
    "$AMBLE_BUILD/test_train_learned" >/dev/null 2>&1
fi
node --test onnx.test.mjs validate.test.mjs three.test.mjs wasm.test.mjs studio.test.mjs
# By itself: it takes the databases that the studio's tests have built.
node --test learned.test.mjs
node --test pushes.test.mjs
node --test fields.test.mjs
exec node --test paths.test.mjs

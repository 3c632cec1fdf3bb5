#!/bin/sh
# Installs into a folder, moves it out of this tree and checks what is there: nothing names this tree, a user's program
# builds against it three ways (pkg-config with the shared library, with the static one, the CMake package), and so do the
# examples, the command
# finds its configs by name, and the studio serves a character that walks. Needs the page's module (build/wasm).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/test-install
rm -rf "$work"
mkdir -p "$work/user"
sh "$root/apps/studio/web/install.sh"
cmake --install "$root/build/release" --prefix "$work/prefix" >/dev/null
moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
mv "$work/prefix" "$moved/prefix"
prefix=$moved/prefix
fail() { echo "test_install: $*"; exit 1; }
if grep -rlaF "$root" "$prefix"; then fail "the files above name the tree that they were built in"; fi
cat >"$work/user/main.c" <<'END'
#include <amble/amble.h>
#include <stdio.h>
int main(void)
{
    am_quat q = am_quat_from_axis_angle(am_v3(0.0f, 1.0f, 0.0f), AM_PI);
    printf("amble %s %.3f\n", am_version(), (double)am_quat_rotate(q, am_v3(1.0f, 0.0f, 0.0f)).x);
    return 0;
}
END
cat >"$work/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(amble 0.1 REQUIRED)
add_executable(user_static main.c)
target_link_libraries(user_static amble::static)
add_executable(user_shared main.c)
target_link_libraries(user_shared amble::shared)
if(TARGET amble::train)
    add_executable(user_train train.c)
    target_link_libraries(user_train amble::train)
endif()
END
cat >"$work/user/train.c" <<'END'
#include <amble/train.h>
#include <stdio.h>
int main(void)
{
    am_train_def def;
    am_train_def_init(&def);
    am_train_summary summary;
    am_error err = { 0 };
    def.recipe = "missing.json";
    def.output = "x.amnet";
    printf("%s\n", am_result_name(am_train_run(&summary, &def, &err)));
    return 0;
}
END
pc=$(dirname "$(find "$prefix" -name amble.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc"
want="amble $(pkg-config --modversion amble) -1.000"
expect() { [ "$("$@")" = "$want" ] || fail "$1 printed something else than '$want'"; }
# shellcheck disable=SC2046
gcc -std=c17 "$work/user/main.c" -o "$work/pc_shared" $(pkg-config --cflags --libs amble) -Wl,-rpath,"$lib"
expect "$work/pc_shared"
# shellcheck disable=SC2046
gcc -std=c17 "$work/user/main.c" -o "$work/pc_static" $(pkg-config --cflags amble) "$lib/libamble.a" -lpthread -lm
expect "$work/pc_static"
cmake -S "$work/user" -B "$work/user/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/user/build" >/dev/null
expect "$work/user/build/user_static"
expect "$work/user/build/user_shared"
if [ -x "$work/user/build/user_train" ]; then
    [ "$("$work/user/build/user_train")" = "cannot open" ] || fail "the training library does not work"
fi
"$prefix/bin/amble" --version | grep -q "^amble " || fail "the installed command does not run"
# Nothing internal leaks from the shared library.
if nm -D --defined-only "$lib/libamble.so" | awk '$2 ~ /[TDBR]/ { print $3 }' | grep -v '^am_'; then
    fail "the shared library exports names without am_"
fi

# The examples, built against the installed package alone: by the CMake package as C, and by pkg-config as C and as C++.
cp -R "$root/examples" "$moved/examples"
cmake -S "$moved/examples" -B "$moved/examples/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$moved/examples/build" >/dev/null || fail "the examples do not build"
for source in "$moved"/examples/*.c; do
    name=$(basename "$source" .c)
    case $name in own_rig) package=amble-tools ;; train) package=amble-train ;; *) package=amble ;; esac
    [ "$name" != train ] || pkg-config --exists $package || continue
    # shellcheck disable=SC2046
    gcc -std=c17 "$source" -o "$moved/examples/build/${name}_c" $(pkg-config --cflags --libs $package) -Wl,-rpath,"$lib" ||
        fail "example $name does not build as C with pkg-config"
    # shellcheck disable=SC2046
    g++ -std=c++20 -x c++ "$source" -x none -o "$moved/examples/build/${name}_cpp" \
        $(pkg-config --cflags --libs $package) -Wl,-rpath,"$lib" || fail "example $name does not build as C++ with pkg-config"
done
networks=$prefix/share/amble/models/locomotion.amnet
shows() {
    want=$1
    shift
    "$moved/examples/build/$@" >"$moved/said" 2>&1 || fail "example $1: $(cat "$moved/said")"
    grep -q "$want" "$moved/said" || fail "example $1 said '$(cat "$moved/said")', which lacks '$want'"
}
"$prefix/bin/amble" synth walk -o "$moved/rig" >/dev/null 2>&1
rig=$(ls "$moved"/rig/*.bvh | head -n 1)
for kind in "" _c _cpp; do
    shows 'walked to x -*0\.[0-9]*, z [3-8]\.' hello$kind "$networks"
    shows 'walked [6-9]\.[0-9] m and ended [0-9.]* m away\|walked 1[0-9]\.[0-9] m' stick_and_camera$kind "$networks"
    shows 'back after 1[0-9]\.[0-9] s, 0\.[0-5]' path$kind "$networks"
    shows '100 actors, the same bits on several cores' crowd$kind "$networks"
    shows '48[0-9] steps by networks alone, [0-2]\.[0-9] m from the start, 0 not finite' learned$kind "$networks"
    shows 'the same frames after [0-9]* bytes; the guess was wrong' rollback$kind "$networks"
    shows 'joints of .*hips at 0\.[89]\|hips at 1\.[01]' own_rig$kind "$rig" "$networks"
done
"$prefix/bin/amble" synth all -o "$moved/all" >/dev/null 2>&1
"$prefix/bin/amble" build synth_gaits --clips "$moved/all" -o "$moved/gaits.amdb" >/dev/null 2>&1
if [ -x "$moved/examples/build/train" ]; then
    shows 'stopped; run it again to continue' train "$prefix/share/amble/configs/recipes/synth.json" "$moved/gaits.amdb" "$moved/mine.amnet" 50
fi

# From a folder and a home of nothing.
files=$(find "$prefix" | sort | cksum)
mkdir "$moved/home"
cd "$moved/home"
amble() { env -i HOME="$moved/home" "$prefix/bin/amble" "$@"; }
says() {
    want=$1
    shift
    if amble "$@" >"$moved/said" 2>&1; then fail "amble $* should have failed"; fi
    grep -qF "$want" "$moved/said" || fail "amble $* said '$(cat "$moved/said")', which lacks '$want'"
}
amble synth all -o clips >/dev/null 2>&1
amble build synth --clips clips -o synth.amdb >/dev/null 2>&1 || fail "a config is not found by name"
amble eval matching 2>&1 | grep -q "needs amble-lab, which is not installed" || fail "amble eval does not say that its lab is not installed"
says "(nearest: 'locomotion'); those that ship are accad_male1, agile," build locomotive -o x.amdb
says "(nearest: 'spiral')" run spirl
says "there is no recipe config 'none'" train none -o x.amnet
says "agile.amdb" train direction -o x.amnet
mv "$prefix/share/amble/wasm" "$moved/wasm"
says "./run install PREFIX" studio --no-open --port 0
mv "$moved/wasm" "$prefix/share/amble/wasm"

sh "$root/tests/browser/install.sh"
AMBLE_PREFIX=$prefix node --test "$root/tests/browser/installed.test.mjs" || fail "the installed studio does not work"
[ "$(find "$prefix" | sort | cksum)" = "$files" ] || fail "the command wrote into its own prefix"
echo "installed: no path of the build, libraries link, configs have names, the studio's character walks"

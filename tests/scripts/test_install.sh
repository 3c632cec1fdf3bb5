#!/bin/sh
# Installs into a folder and builds a user's program against it three ways: pkg-config with the shared library,
# pkg-config with the static one, and the CMake package.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/test-install
rm -rf "$work"
mkdir -p "$work/user"
cmake --install "$root/build/release" --prefix "$work/prefix" >/dev/null
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
    am_optimiser optimiser = am_optimiser_default();
    am_train_def def = am_train_def_default();
    am_train_summary summary;
    am_error err = { 0 };
    def.recipe = "missing.json";
    def.output = "x.amnet";
    printf("%.3f %s\n", am_optimiser_rate(&optimiser, 0), am_result_name(am_train_run(&summary, &def, &err)));
    return 0;
}
END
pc=$(dirname "$(find "$work/prefix" -name amble.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc"
want="amble $(pkg-config --modversion amble) -1.000"
expect() { [ "$("$@")" = "$want" ] || { echo "test_install: $1 printed something else than '$want'"; exit 1; }; }
# shellcheck disable=SC2046
gcc -std=c17 "$work/user/main.c" -o "$work/pc_shared" $(pkg-config --cflags --libs amble) -Wl,-rpath,"$lib"
expect "$work/pc_shared"
# shellcheck disable=SC2046
gcc -std=c17 "$work/user/main.c" -o "$work/pc_static" $(pkg-config --cflags amble) "$lib/libamble.a" -lpthread -lm
expect "$work/pc_static"
cmake -S "$work/user" -B "$work/user/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/user/build" >/dev/null
expect "$work/user/build/user_static"
expect "$work/user/build/user_shared"
if [ -x "$work/user/build/user_train" ]; then
    [ "$("$work/user/build/user_train")" = "0.001 cannot open" ] || { echo "test_install: the training library does not work"; exit 1; }
fi
"$work/prefix/bin/amble" --version | grep -q "^amble " || { echo "test_install: the installed command does not run"; exit 1; }
"$work/prefix/bin/amble" info --verify "$work/prefix/share/amble/models/direction.amnet" >/dev/null || {
    echo "test_install: the networks are not installed"
    exit 1
}
# Nothing internal leaks from the shared library.
if nm -D --defined-only "$lib/libamble.so" | awk '$2 ~ /[TDBR]/ { print $3 }' | grep -v '^am_'; then
    echo "test_install: the shared library exports names without am_"
    exit 1
fi
echo "installed library works by pkg-config and CMake, shared and static"

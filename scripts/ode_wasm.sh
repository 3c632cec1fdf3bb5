#!/bin/sh
# Open Dynamics Engine for WebAssembly in build/ode-wasm (include/, lib/libode.a), from Debian's source package: pushes
# on the page. Needs no root: apt reads a list of its own. Usage: ode_wasm.sh; quick when it is there already. Exits 1
# when there is no network or no compiler: the page's module then builds without pushes.
set -eu
cd "$(dirname "$0")/.."
root=$PWD/build/ode-wasm
# One that names the folder it was built in would carry it into installed files: it is built again.
[ -f "$root/lib/libode.a" ] && ! grep -qF "$root" "$root/lib/libode.a" && exit 0
command -v emcc >/dev/null || { echo "ode_wasm: needs emscripten" >&2; exit 1; }
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
mkdir -p "$root/lists/partial" "$root/cache/archives/partial"
# The machine's own package lists, asked for sources.
mkdir -p "$root/parts"
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    case $list in
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" >"$root/parts/$(basename "$list")" ;;
    *.list) [ -f "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >"$root/parts/$(basename "$list")" ;;
    esac
done
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$root/parts" -o APT::Sandbox::User="$(id -un)" \
        -o Dir::State::lists="$root/lists" -o Dir::Cache="$root/cache" "$@" >&2
}
cd "$root"
if ! ls ode_*.orig.tar.gz >/dev/null 2>&1; then
    apt update
    apt source --download-only ode
fi
rm -rf source build lists cache parts
mkdir source
tar -xzf ode_*.orig.tar.gz -C source --strip-components=1
# Many files at once compile in a third of the time; these share names with others.
echo 'set_source_files_properties(ode/src/step.cpp ode/src/collision_space.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)' >>source/CMakeLists.txt
map="'-fmacro-prefix-map=$root/source/='" # quoted: the path may have spaces
# Threads and mesh collisions are left out; a processor that is not a PC's keeps its timer instructions out.
emcmake cmake -S source -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DODE_DOUBLE_PRECISION=ON \
    -DODE_NO_BUILTIN_THREADING_IMPL=ON -DODE_NO_THREADING_INTF=ON -DODE_WITH_DEMOS=OFF -DODE_WITH_TESTS=OFF \
    -DODE_WITH_OPCODE=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 -DEMSCRIPTEN_SYSTEM_PROCESSOR=wasm -DCMAKE_CXX_FLAGS="-D__linux__ -fno-exceptions -w $map" \
    -DCMAKE_C_FLAGS="-D__linux__ -w $map" -DCMAKE_INSTALL_PREFIX="$root" >&2
cmake --build build -j "$(nproc 2>/dev/null || echo 2)" >&2
cmake --install build >/dev/null
rm -rf source build

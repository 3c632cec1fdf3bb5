#!/bin/sh
# The same bits everywhere: runs the program of tests/bits as built by gcc, clang, without SIMD, for NEON (under qemu) and for
# WebAssembly (under node) and compares every line with tests/bits/golden.txt.
#   check_bits.sh             builds the program in build/{release,clang,scalar,neon,wasm} and runs all five
#   check_bits.sh PROGRAM...  runs the given ones (a .js under node, an AArch64 one under qemu, an .exe under wine)
#   check_bits.sh --update    rewrites golden.txt from build/release: only when results are meant to change
set -eu
cd "$(dirname "$0")/.."
golden=tests/bits/golden.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"

build() {
    [ -f "build/$1/build.ninja" ] || cmake --preset "$1" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
    cmake --build "build/$1" -j 2 --target amble_bits >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

# Runs a program by its kind.
run() {
    program=$1
    shift
    case $program in
    *.js) node "$program" "$@" ;;
    *.exe) sh scripts/wine.sh "$program" "$@" | tr -d '\r' ;;
    *neon*) qemu-aarch64 "$program" "$@" ;;
    *) "$program" "$@" ;;
    esac
}

# compare PROGRAM PREFIX: runs one program and shows the lines that differ from the golden ones.
compare() {
    run "$1" >"$2.out" 2>"$2.err" || { cat "$2.err"; echo "check_bits: $1 failed"; return 1; }
    if ! diff "$golden" "$2.out"; then
        echo "check_bits: $1 gives other bits than $golden"
        return 1
    fi
    echo "check_bits: $1: $(wc -l <"$golden") subjects equal ($(sed -n 's/^bits: //p' "$2.err"))"
}

if [ "${1:-}" = --update ]; then
    build release
    run build/release/bits >"$golden"
    exit 0
fi
result=0
if [ $# -eq 0 ]; then
    for preset in release clang scalar neon wasm; do
        build "$preset" || exit 1
    done
    set -- build/release/bits build/clang/bits build/scalar/bits build/neon/bits build/wasm/bits.js
fi
# All at once: the one under qemu takes longer than the others together.
for program in "$@"; do
    prefix=$work/$(echo "$program" | tr / _)
    (compare "$program" "$prefix" >"$prefix.log" 2>&1 || touch "$work/failed") &
done
wait
cat "$work"/*.log
[ -f "$work/failed" ] && result=1
# The planted fault: one changed bit in the first line must be seen.
head -n 1 "$golden" >"$work/first"
run "$1" --flip >"$work/flipped" 2>/dev/null
if [ "$(wc -l <"$work/flipped")" != 1 ] || diff -q "$work/first" "$work/flipped" >/dev/null; then
    echo "check_bits: a flipped bit went unnoticed"
    result=1
fi
exit $result

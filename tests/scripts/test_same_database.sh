#!/bin/sh
# One database, many builds: the same clips must give the same hash with 1 and 2 threads, gcc and clang, with and
# without SIMD, on ARM (under qemu) and in WebAssembly (under node). Builds that are not there are named, not hidden.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/test-same-database
rm -rf "$work"
mkdir -p "$work"
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
"$root/build/release/amble" synth all --seed 1 -o "$work/synth" >/dev/null 2>&1
status=0

# compare NAME CONFIG CLIPS: builds with every variant and compares with the first.
compare() {
    first=""
    while IFS='|' read -r label command; do
        program=$(echo "$command" | awk '{ print $NF }')
        if [ ! -e "$program" ]; then
            echo "SKIPPED: $label is not built ($program)"
            continue
        fi
        out=$work/$1-$(echo "$label" | tr ' ' _).amdb
        threads=1
        case $label in *"2 threads"*) threads=2 ;; esac
        # shellcheck disable=SC2086
        if ! $command build "$root/$2" --clips "$3" -o "$out" --threads $threads >"$work/log" 2>&1; then
            cat "$work/log"
            echo "$1: $label failed"
            status=1
            continue
        fi
        sum=$(sha256sum <"$out")
        [ -n "$first" ] || first=$sum
        if [ "$sum" = "$first" ]; then echo "$1: $label same"; else
            echo "$1: $label DIFFERS"
            status=1
        fi
        rm -f "$out"
    done <<END
gcc, 1 thread|$root/build/release/amble
gcc, 2 threads|$root/build/release/amble
clang|$root/build/clang/amble
no SIMD|$root/build/scalar/amble
sanitised|$root/build/asan/amble
ARM|qemu-aarch64 $root/build/neon/amble
WebAssembly|node $root/build/wasm/amble.js
END
}

compare synth configs/synth.json "$work/synth"
if [ -d "$root/build/data/locomotion" ]; then
    mkdir -p "$work/cmu"
    for clip in 02_01 02_03 07_01 16_35 35_22 69_01 91_01 127_03; do
        [ -f "$root/build/data/locomotion/$clip.bvh" ] && ln -s "$root/build/data/locomotion/$clip.bvh" "$work/cmu/"
    done
    compare cmu configs/locomotion.json "$work/cmu"
else
    echo "SKIPPED: the real data set 'locomotion' is not here"
fi
exit $status

#!/bin/sh
# The same database everywhere: builds one from the same clips with the command of every build and compares the hashes.
#   check_database.sh             the commands of build/{release,clang,scalar,neon,wasm} that are there
#   check_database.sh PROGRAM...  these (a .js runs under node, an AArch64 one under qemu, an .exe under wine)
# The first program also runs with one and with several threads. Real clips are used too where they are unpacked.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"

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

# hash_of PROGRAM ARGUMENTS...: the hash of the database that a program builds, in a folder of its own.
hash_of() {
    program=$1
    shift
    own=$(mktemp -d -p "$work")
    run "$program" build "$@" -o "$own/x.amdb" >"$own/out" 2>"$own/err" || { tail -n 5 "$own/err" | cut -c 1-300 >&2; return 1; }
    sed -n 's/.* hash \([0-9a-f]*\)$/\1/p' "$own/out"
    rm -r "$own"
}

if [ $# -eq 0 ]; then
    for program in build/release/amble build/clang/amble build/scalar/amble build/neon/amble build/wasm/amble.js; do
        if [ -f "$program" ]; then set -- "$@" "$program"; else echo "SKIPPED: $program is not built"; fi
    done
fi
first=$1
run "$first" synth all -o "$work/clips" >/dev/null 2>&1
sets="synth"
[ -d build/data/accad_male1 ] && sets="$sets accad_male1"
[ -d build/data/chair ] && [ -d build/data/locomotion ] && sets="$sets chair"
result=0
for set in $sets; do
    clips=""
    [ "$set" = synth ] && clips="--clips $work/clips"
    want=$(hash_of "$first" "configs/databases/$set.json" $clips --threads 1)
    # All at once: those under node and qemu take longer than the others together.
    number=0
    for program in "$@"; do
        number=$((number + 1))
        (hash_of "$program" "configs/databases/$set.json" $clips || echo none) >"$work/hash.$number" &
    done
    wait
    number=0
    for program in "$@"; do
        number=$((number + 1))
        got=$(cat "$work/hash.$number")
        if [ "$got" != "$want" ] || [ -z "$want" ]; then
            echo "check_database: $program builds $set as '$got', $first as '$want'"
            result=1
        fi
    done
    echo "check_database: $set: $want by $# builds"
done
# The planted fault: a missing clip must give another hash.
whole=$(hash_of "$first" configs/databases/synth.json --clips "$work/clips")
rm "$work/clips/walk_11.bvh"
if [ "$(hash_of "$first" configs/databases/synth.json --clips "$work/clips")" = "$whole" ]; then
    echo "check_database: a missing clip went unnoticed"
    result=1
fi
exit $result

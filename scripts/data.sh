#!/bin/sh
# Makes the data sets from copies of the public motion capture; ./run data calls it from the project's root.
#   scripts/data.sh DIR...      the BVH files may lie anywhere below the DIRs
set -eu
export LC_ALL=C
sets=build/data
jobs=$(nproc 2>/dev/null || echo 2)
say() { printf 'data: %s\n' "$*" >&2; }

[ $# -gt 0 ] || { say "name the folders of the public BVH files: ./run data DIR... (docs/data.md says where to get them)"; exit 2; }
for folder in "$@"; do
    [ -d "$folder" ] || { say "'$folder' is not a folder"; exit 2; }
done
mkdir -p "$sets"
work=$sets/.making
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT
pids=""
# shellcheck disable=SC2086
trap 'kill $pids 2>/dev/null || :; wait; exit 130' INT TERM

say "looking for BVH files"
for folder in "$@"; do find "$folder/" -name '*.bvh'; done >"$work/found"
# A source is the file whose path ends like it; failing that, one of its last folder and name, then of its name.
awk -F '\t' -v found="$work/found" -v missing="$work/missing" '
    BEGIN {
        while ((getline path <found) > 0) {
            n = split(path, part, "/")
            end = ""
            for (i = n; i > 0 && i > n - 3; i--) {
                end = part[i] (end == "" ? "" : "/" end)
                if (!(end in at)) at[end] = path
            }
        }
    }
    /^#/ || NF == 0 { next }
    {
        end = $3
        while (!(end in at) && end ~ "/") sub("^[^/]*/", "", end)
        if (end in at) print $0 "\t" at[end]
        else print >missing
    }' configs/data/*.tsv >"$work/plan"
touch "$work/missing"

absent=0
failed=0
for set in $(awk -F '\t' '!/^#/ && NF && !seen[$1]++ { print $1 }' configs/data/*.tsv); do
    awk -F '\t' -v set="$set" '$1 == set' "$work/missing" >"$work/lost"
    awk -F '\t' -v set="$set" '$1 == set' "$work/plan" >"$work/rows"
    lost=$(wc -l <"$work/lost")
    rows=$(wc -l <"$work/rows")
    absent=$((absent + lost))
    if [ "$rows" = 0 ]; then
        say "$set: none of its $lost source files found ($(cut -f 3 "$work/lost" | head -n 1), ...)"
        continue
    fi
    say "$set: $rows of $((rows + lost)) clips"
    awk -F '\t' '{ printf "data: %s: %s not found; %s is not made\n", $1, $3, $2 }' "$work/lost" >&2
    mkdir -p "$work/$set"
    share=0
    pids=""
    while [ $share -lt "$jobs" ]; do
        awk -v out="$work" -v share=$share -v shares="$jobs" -f scripts/data.awk "$work/rows" &
        pids="$pids $!"
        share=$((share + 1))
    done
    for pid in $pids; do
        # 1: a clip was refused, and counts as not made; else what was written may be half a file.
        wait "$pid" || [ $? = 1 ] || { say "$set: awk failed, as above; nothing of this set is kept"; exit 1; }
    done
    made=$(find "$work/$set" -name '*.bvh' | wc -l)
    failed=$((failed + rows - made))
    mkdir -p "$sets/$set"
    [ "$made" = 0 ] || mv "$work/$set"/*.bvh "$sets/$set/"
    # ./run unpacks no archive over a set that is complete.
    [ "$lost" != 0 ] || [ "$made" != "$rows" ] || touch "$sets/.$set"
done
if [ $((absent + failed)) -gt 0 ]; then
    say "not made: $absent clips without their source file, $failed with one that is not as expected"
    exit 1
fi
say "all sets are in $sets"

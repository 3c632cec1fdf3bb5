#!/bin/sh
# ./run data on small synthetic files: cuts, rates, bridges, thumbs, missing files, rubbish. With the curated archives
# beside the project and AMBLE_PUBLIC=DIR[:DIR...] naming copies of the public files, every set is compared byte for byte.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_data: $*"; exit 1; }
project="$work/a project"
public="$work/public files"
mkdir -p "$project/scripts" "$project/configs/data" "$public/data/001" "$public/flat"
cp "$here/run" "$project/"
cp "$here/scripts/data.sh" "$here/scripts/data.awk" "$project/scripts/"
list=$project/configs/data/test.tsv

# public_file FRAMES RATE LAST_VALUE: a root and a thumb, with CRLF as the public files have it. Frames 7 and 8 are spoilt.
public_file() {
    awk -v frames="$1" -v rate="$2" -v tie="$3" 'BEGIN {
        printf "HIERARCHY\r\nROOT Hips\n{\r\n\tOFFSET 0 0 0\r\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation \r\n"
        printf "\tJOINT LThumb\r\n\t{\r\n\t\tOFFSET 0 1 0\r\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\r\n"
        printf "\t\tEnd Site\r\n\t\t{\r\n\t\t\tOFFSET 0 1 0\r\n\t\t}\r\n\t}\r\n}\r\nMOTION\r\nFrames: %d\nFrame Time: %s\n", frames, rate
        for (f = 0; f < frames; f++) {
            if (f == 7 || f == 8) print "900 900 900 90 80 70 1 2 " tie
            else printf "%.4f %.4f %.4f %.3f %.3f %.3f %.3f 2.5 %s\n", f / 8, 17 + f * f / 64, -f, 50 + 9 * f, 30 * sin(f / 3), -20 * cos(f / 2), f, tie
        }
    }'
}
public_file 21 .0083333 -0.3725 >"$public/data/001/01_01.bvh"
public_file 21 .0083333 -10.2175 >"$public/flat/01_02.bvh"
public_file 5 .0333333 7 >"$public/flat/Male1_X.bvh"
row() { printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$list"; }
row walk 01_01a data/001/01_01.bvh 120 2 18 7-8
row walk 01_02 data/001/01_02.bvh 60 9 20 -
row whole Male1_X Male1_X.bvh 30 0 4 -

# A relative folder, from another folder than the project's.
(cd "$work" && "$project/run" data "public files") 2>"$work/log" || { cat "$work/log"; fail "a complete copy was refused"; }
[ -f "$project/build/data/.walk" ] && [ -f "$project/build/data/.whole" ] || fail "complete sets are not marked"
[ ! -e "$project/build/data/.making" ] || fail "the working folder was left"
cmp "$public/flat/Male1_X.bvh" "$project/build/data/whole/Male1_X.bvh" || fail "a whole file changed"
made=$project/build/data/walk/01_01a.bvh
grep -q "$(printf '\r')" "$made" && fail "CRLF was kept"
[ "$(sed -n '/^Frame/p' "$made" | tr '\n' ' ')" = "Frames: 9 Frame Time: 0.0166667 " ] || fail "wrong frame lines"
sed '1,/^Frame Time/d' "$project/build/data/walk/01_02.bvh" >"$work/rows"
[ "$(wc -l <"$work/rows")" = 12 ] || fail "60 Hz: wrong number of frames"
# The last digit is rounded as single precision has it.
awk '$7 != 9 || $8 != "2.5" || $9 != "-10.217" || $1 != (NR + 8) / 8 { exit 1 }' "$work/rows" || fail "60 Hz: wrong values or a moving thumb"

# The same bridge by matrices: rotation vectors in the parent's space, root position by components.
awk 'function matrix(M, z, y, x, cz, sz, cy, sy, cx, sx) {
        z *= d; y *= d; x *= d
        cz = cos(z); sz = sin(z); cy = cos(y); sy = sin(y); cx = cos(x); sx = sin(x)
        M[1] = cz * cy; M[2] = cz * sy * sx - sz * cx; M[3] = cz * sy * cx + sz * sx
        M[4] = sz * cy; M[5] = sz * sy * sx + cz * cx; M[6] = sz * sy * cx - cz * sx
        M[7] = -sy; M[8] = cy * sx; M[9] = cy * cx
    }
    function times(O, A, B, i, j) {
        for (i = 0; i < 3; i++) for (j = 1; j <= 3; j++) O[3 * i + j] = A[3 * i + 1] * B[j] + A[3 * i + 2] * B[3 + j] + A[3 * i + 3] * B[6 + j]
    }
    function add(v, From, To, weight, T, O, i, j, c, s, a) {
        for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) T[3 * i + j + 1] = From[3 * j + i + 1]
        times(O, To, T)
        c = (O[1] + O[5] + O[9] - 1) / 2
        s = sqrt((O[8] - O[6]) ^ 2 + (O[3] - O[7]) ^ 2 + (O[4] - O[2]) ^ 2) / 2
        a = weight * atan2(s, c) / (2 * s)
        v[1] += a * (O[8] - O[6]); v[2] += a * (O[3] - O[7]); v[3] += a * (O[4] - O[2])
    }
    function near(name, got, want, within) {
        if (got - want > within || want - got > within) { printf "%s: %s, expected %s\n", name, got, want; bad = 1 }
    }
    NR == FNR { if (rows) row[rows++ - 1] = $0; if (/^Frame Time/) rows = 1; next }
    /^Frame Time/ { begun = 1; next }
    begun {
        f = 2 + 2 * k++
        if (f != 8) {
            split(row[f], want)
            for (c = 1; c <= 6; c++) near("frame " f " channel " c, $c, want[c], c < 4 ? 0.00006 : 0.0006)
            if ($9 != "-0.373") near("tie", $9, -0.373, 0)
        } else {
            d = atan2(0, -1) / 180
            split(row[5], r0); split(row[6], ra); split(row[9], rb); split(row[10], r1)
            t = 2 / 3; h = 3 * t ^ 2 - 2 * t ^ 3; m0 = 3 * (t ^ 3 - 2 * t ^ 2 + t); m1 = 3 * (t ^ 3 - t ^ 2)
            for (c = 1; c <= 3; c++) near("bridged position", $c, (1 - h) * ra[c] + m0 * (ra[c] - r0[c]) + h * rb[c] + m1 * (r1[c] - rb[c]), 0.00006)
            matrix(A, r0[4], r0[5], r0[6]); matrix(B, ra[4], ra[5], ra[6]); matrix(C, rb[4], rb[5], rb[6]); matrix(D, r1[4], r1[5], r1[6])
            add(v, A, B, m0); add(v, B, C, h); add(v, C, D, m1)
            a = sqrt(v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2)
            x = v[1] / a; y = v[2] / a; z = v[3] / a; co = cos(a); si = sin(a); n = 1 - co
            E[1] = co + x * x * n; E[2] = x * y * n - z * si; E[3] = x * z * n + y * si
            E[4] = y * x * n + z * si; E[5] = co + y * y * n; E[6] = y * z * n - x * si
            E[7] = z * x * n - y * si; E[8] = z * y * n + x * si; E[9] = co + z * z * n
            times(W, E, B)
            matrix(G, $4, $5, $6)
            for (c = 1; c <= 9; c++) near("bridged rotation, entry " c, G[c], W[c], 0.00002)
        }
        if ($7 != 2 || $8 != "2.5") { print "frame " f ": the thumb moves"; bad = 1 }
    }
    END { exit bad || k != 9 }' "$public/data/001/01_01.bvh" "$made" || fail "120 Hz: wrong values"

# What cannot be made is named, the rest is made, and nothing is left half-written.
row walk 01_03 data/001/01_03.bvh 120 1 4 -
row run 01_04 data/001/01_04.bvh 120 1 4 -
rm -rf "$project/build"
if "$project/run" data "$public/data" "$public/flat" 2>"$work/log"; then fail "missing files were not noticed"; fi
grep -q 'walk: data/001/01_03.bvh not found' "$work/log" || fail "a missing file was not named"
grep -q 'run: none of its 1 source files found' "$work/log" || fail "a missing set was not named"
grep -q 'not made: 2 clips without their source file' "$work/log" || fail "missing files were not counted"
[ -f "$project/build/data/walk/01_01a.bvh" ] && [ -f "$project/build/data/.whole" ] || fail "what was there was not made"
[ ! -e "$project/build/data/.walk" ] || fail "an incomplete set was marked"

# spoil NAME MESSAGE SED_SCRIPT: the spoilt file must be refused with MESSAGE.
spoil() {
    rm -rf "$project/build"
    sed "$3" "$public/data/001/01_01.bvh" >"$work/rubbish/01_01.bvh"
    if "$project/run" data "$work/rubbish" 2>"$work/log"; then fail "$1 was let pass"; fi
    grep -q "$2" "$work/log" || { cat "$work/log"; fail "$1: no message '$2'"; }
    [ -z "$(find "$project/build" -name '*.bvh')" ] || fail "$1: a file was written"
}
mkdir "$work/rubbish"
: >"$list"
row walk 01_01a data/001/01_01.bvh 120 2 18 7-8
spoil "another format" "not a BVH file" '1s/.*/glTF/'
spoil "an empty file" "cannot be read" 'd'
spoil "a short file" "ends with frame 9" '29,$d'
spoil "a word among values" "not a number" '25s/^[^ ]*/nan/'
spoil "a short row" "row has 8 values, the hierarchy names 9 channels" '25s/^[^ ]* //'
spoil "another rate" "frames per second" 's/^Frame Time.*/Frame Time: 0.0166667/'
spoil "another order of channels" "channels in another order" 's/Zrotation Yrotation Xrotation/Zrotation Xrotation Yrotation/'
if "$project/run" data "$work/nowhere" 2>"$work/log"; then fail "a missing folder was accepted"; fi

found=""
for archive in "$here"/../shared/data/*/*.tar.xz; do [ -f "$archive" ] && found=1; done
if [ -z "$found" ] || [ -z "${AMBLE_PUBLIC:-}" ]; then
    echo "SKIPPED: sets are not compared with the curated ones (they lie beside the project, AMBLE_PUBLIC names public copies)"
else
    rm -rf "$project/build" "$project/configs"
    mkdir "$project/configs" "$work/curated"
    cp -R "$here/configs/data" "$project/configs/"
    (
        IFS=:
        # shellcheck disable=SC2086
        "$project/run" data $AMBLE_PUBLIC 2>"$work/log"
    ) || { tail "$work/log"; fail "the public copies are incomplete"; }
    for archive in "$here"/../shared/data/*/*.tar.xz; do tar -xJf "$archive" -C "$work/curated"; done
    files=0
    (cd "$work/curated" && find . -name '*.bvh') >"$work/names"
    while read -r name; do
        cmp "$work/curated/$name" "$project/build/data/$name" || fail "$name differs from the curated file"
        files=$((files + 1))
    done <"$work/names"
    [ "$files" = "$(find "$project/build/data" -name '*.bvh' | wc -l)" ] || fail "more files were made than there are curated ones"
    echo "$files files equal the curated ones byte for byte"
fi
echo "data sets are made as listed"

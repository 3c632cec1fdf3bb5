#!/bin/sh
# Runs every command of README.md, docs/*.md and docs/results/*.md as it is printed, each page in a fresh copy of the
# tree with nothing beside it. A line is run as it stands, with these exceptions, which a reader sees, too:
#   ./run ...                    is left out, but `./run studio ...` starts the studio, which must answer and is stopped
#   # ... minute(s) or hour(s)   is stopped after some seconds; a shipped network stands in for the -o X.amnet it owes
#   # needs motion capture: ...  must fail with "was not found" where there is no capture; else it is run for a while
# A block ```json title="FILE" is written to FILE, as a reader saves it.
# my_mocap/ is a folder of procedural clips. Pages run side by side, one on each core.
# Usage: test_docs.sh [--whole] [PAGE.md...]; --whole stops nothing. (--one PAGE.md: as a job of the others.)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$root/build/test-docs
jobs=$(nproc 2>/dev/null || echo 2)
whole=no
[ "${1:-}" = --whole ] && { whole=yes && shift; }
some_seconds=5
[ $whole = yes ] && some_seconds=36000

# The command lines of a page: those of its sh blocks, as PAGE:LINE<tab>COMMAND. Other blocks may hold none; those with
# a title are files.
commands() {
    awk -v page="$2" -v path="$1" '
        /^```json title="/ { title = $0; sub(/^[^"]*"/, "", title); sub(/".*/, "", title); first = NR + 1 }
        /^```$/ && title != "" {
            print page ":" first "\tsed -n \"" first "," NR - 1 "p\" \"" path "\" >" title
            title = ""
        }
        /^```/ { inside = !inside; kind = substr($0, 4); next }
        inside && kind == "" && /^(amble|build\/amble|\.\/run) / { print page ":" NR "\tfalse # a command outside a sh block" }
        inside && kind == "sh" && NF && !/^#/ { print page ":" NR "\t" $0 }' "$1"
}

# A tree as git has it, with the built command.
make_tree() {
    mkdir -p "$1/build/release" "$1/build/databases"
    (cd "$root" && git ls-files -z | xargs -0 cp --parents -t "$1" 2>/dev/null)
    for program in amble amble-lab amble-assimp; do
        [ -x "$root/build/release/$program" ] && cp "$root/build/release/$program" "$1/build/release/"
    done
    ln -s release/amble "$1/build/amble"
    for part in build/wasm apps/studio/web/node_modules; do
        [ -d "$root/$part" ] && ln -s "$root/$part" "$1/$part"
    done
    return 0
}

# Starts a studio on any free port, asks it for its page and stops it. The log is its standard output.
try_studio() {
    # shellcheck disable=SC2086
    build/amble studio $1 --no-open --port 0 --json >"$log" 2>&1 &
    server=$!
    for _ in $(seq 300); do
        grep -q '"port"' "$log" || ! kill -0 $server 2>/dev/null || { sleep 0.1 && continue; }
        break
    done
    port=$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$log" | head -n 1)
    answer=1
    if [ -n "$port" ]; then
        node -e "fetch('http://localhost:$port/').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
        answer=$?
    fi
    kill -INT $server 2>/dev/null
    wait $server
    return $answer
}

# A stopped training owes its -o X.amnet to the lines after it.
stand_in() {
    owed=$(printf '%s\n' "$1" | sed -n 's/.* -o \([^ ]*\.amnet\).*/\1/p')
    [ -z "$owed" ] || [ -f "$owed" ] || cp models/locomotion.amnet "$owed"
}

# Runs one line in the current folder; the log has what it said.
try_line() {
    case $1 in
    './run studio'*)
        arguments=${1#./run studio}
        if [ -d build/wasm ] && [ -d apps/studio/web/node_modules ]; then try_studio "${arguments%%#*}"; else
            echo "SKIPPED: the page is not built; '$1' was not started"
        fi
        ;;
    './run'*) ;;
    export*) eval "$1" ;;
    *'# needs motion capture'* | *'; needs motion capture'*)
        timeout -k 20 -s INT $((4 * some_seconds)) sh -c "$1" >"$log" 2>&1
        status=$?
        if [ "$capture" = no ]; then [ $status = 1 ] && grep -q 'was not found' "$log"; else
            [ $status = 0 ] || [ $status = 124 ]
        fi
        ;;
    *'#'*minute* | *'#'*hour*)
        timeout -k 20 -s INT $some_seconds sh -c "$1" >"$log" 2>&1
        status=$?
        stand_in "$1"
        [ $status = 0 ] || [ $status = 124 ]
        ;;
    *) sh -c "$1" >"$log" 2>&1 ;;
    esac
}

# All commands of a page; the status is 1 when one fails.
try_page() {
    tree=$work/tree
    log=$work/log
    rm -rf "$tree" "$work/commands"
    make_tree "$tree"
    cd "$tree" || exit 1
    [ "$2" = README.md ] || commands "$root/docs/index.md" docs/index.md >"$work/commands"
    commands "$1" "$2" >>"$work/commands"
    "$root/build/release/amble" synth walk -o my_mocap >/dev/null 2>&1
    failed=0
    while IFS='	' read -r place line; do
        begun=$(date +%s)
        if ! try_line "$line" </dev/null; then
            failed=1
            echo "$place: fails: $line"
            tail -n 5 "$log" | sed 's/^/    /'
        fi
        echo "$place $(($(date +%s) - begun)) s" >>"$work/times"
    done <"$work/commands"
    cd "$root" || exit 1
    return $failed
}

# plant STATUS LINE [FILE]: what a page with this line alone must give; FILE is the text of x.json.
plant() {
    : >"$work/planted.md"
    [ $# -lt 3 ] || printf '```json title="x.json"\n%s\n```\n' "$3" >"$work/planted.md"
    printf '```sh\n%s\n```\n' "$2" >>"$work/planted.md"
    (try_page "$work/planted.md" planted.md) >"$work/planted.txt"
    if [ $? != "$1" ]; then
        cat "$work/planted.txt"
        echo "test_docs: the planted line '$2' does not give $1"
        exit 1
    fi
}

capture=no
place=${AMBLE_DATA:-$root/build/data}
[ -d "$place/locomotion" ] && capture=yes && export AMBLE_DATA="$place"
if [ "${1:-}" = --one ]; then
    work=$work/$(echo "$2" | tr / _)
    mkdir -p "$work"
    echo "progress: $2"
    try_page "$root/$2" "$2"
    status=$?
    rm -rf "$work/tree"
    exit $status
fi
rm -rf "$work"
mkdir -p "$work"
if [ $# = 0 ]; then
    plant 0 'amble synth walk -o clips/ --speed 2'
    plant 1 'amble synth walk -o clips/ --speeed 2'
    plant 1 'amble train configs/recipes/synth.json --database none.amdb -o x.amnet    # 2 minutes'
    plant 0 'amble info x.json' '{ "control": "location" }'
    plant 1 'amble info x.json' '{ "control": "locaton" }'
    [ $capture = yes ] || plant 1 'amble synth walk -o clips/    # needs motion capture: docs/data.md'
    [ ! -d "$root/build/wasm" ] || plant 1 './run studio --db none.amdb'
    cd "$root" && set -- README.md docs/*.md docs/results/*.md
fi
rm -rf "$work/tree" "$work/times"
whole_option=""
[ $whole = no ] || whole_option=--whole
for page in "$@"; do
    [ -z "$(commands "$root/$page" "$page")" ] || echo "$page"
done | xargs -P "$jobs" -n 1 sh "$root/tests/scripts/test_docs.sh" $whole_option --one
result=$?
lines=$(cat "$work"/*/commands | wc -l)
cat "$work"/*/times | sort -k2 -n -r | head -n 5 | sed 's/^/slowest: /'
[ $result = 0 ] && echo "$lines commands of the documentation run as printed (motion capture: $capture)"
exit $result

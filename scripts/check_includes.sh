#!/bin/sh
# The order of the folders: a file may include headers of its own folder, of strictly lower ranks and the public
# headers; apps, bench and examples only the public ones. Usage: check_includes.sh [ROOT]; prints each fault and
# exits 1 when there is any. tests/scripts/test_checks.sh plants faults that it must catch.
set -eu
cd "${1:-$(dirname "$0")/..}"
find src apps bench examples -name '*.[ch]' 2>/dev/null | sort | xargs -r awk '
BEGIN {
    split("base:0 math:1 kernel:1 anim:2 net:2 io:3 db:3 post:3 operators:3 index:4 make:4 source:5 control:6 train:7 physics:7 measure:7", items, " ")
    for (i in items) { split(items[i], pair, ":"); rank[pair[1]] = pair[2] }
    # Where the table of docs/design.md narrows a rank: what each folder may not reach although it ranks lower.
    split("anim>kernel net>math index>io source>io source>post source>make control>io control>make train>io physics>io measure>io", narrow, " ")
    for (i in narrow) forbidden[narrow[i]] = 1
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    target = quoted[2]
    split(FILENAME, path, "/")
    if (path[1] != "src") {
        # An app includes its own headers by bare name and the library by <amble/...>.
        if (target ~ /\.\.\// || index(target, "/") > 0) fault("reaches into \"" target "\"; apps include <amble/...> only")
        next
    }
    folder = path[2]
    if (!(folder in rank)) { fault("unknown folder src/" folder); next }
    if (split(target, into, "/") != 2 || !(into[1] in rank)) { fault("\"" target "\" is not spelt FOLDER/FILE.h"); next }
    if (into[1] == folder) next
    if (rank[into[1]] >= rank[folder]) fault("src/" folder " (rank " rank[folder] ") includes src/" into[1] " (rank " rank[into[1]] ")")
    else if ((folder ">" into[1]) in forbidden) fault("src/" folder " may not include src/" into[1])
}
function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
END { exit faults > 0 }
'

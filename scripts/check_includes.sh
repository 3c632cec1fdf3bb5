#!/bin/sh
# The order of the folders (docs/design.md): a file includes internal headers of its own folder and of those before it, spelt
# FOLDER/FILE.h, and public headers of the same. Apps and examples include <amble/...> only; lab and tests may include
# internal headers; nothing includes lab/. Headers of the operating system stand in src/runtime/base alone, and in lab/peers,
# whose programs are not ours to move. Usage: check_includes.sh [ROOT]; prints each fault and exits 1 when there is any.
# tests/scripts/test_checks.sh plants faults that it must catch.
set -eu
cd "${1:-$(dirname "$0")/..}"
find src apps lab examples include -name '*.[ch]' 2>/dev/null | sort | xargs -r awk '
BEGIN {
    count = split("base math kernel net world data operators method actor clip formats doctor synth build control script report", order, " ")
    for (i = 1; i <= count; i++) { rank[order[i]] = i }
    rank["train"] = count + 1
    rank["physics"] = rank["actor"] + 0.5 # beside the tools: it may not use them
    system_header = "^(sys/.*|(unistd|pthread|dirent|signal|time|fcntl|poll|sched|spawn|dlfcn|termios|windows|io|direct|process|malloc)[.]h)$"
    # Public headers belong to a folder, too: that of the code that they declare.
    owner("base", "base tools/os tools/files tools/json"); owner("math", "math"); owner("net", "net tools/network"); owner("data", "skeleton db tools/schema")
    owner("operators", "control"); owner("method", "options source")
    owner("actor", "actor asset input amble")
    owner("formats", "tools/formats tools/arrays"); owner("build", "tools/build tools/database tools/tags"); owner("control", "tools/controls")
    owner("report", "tools/describe tools/report tools/metrics tools/motion tools/strip tools/tools")
    owner("clip", "tools/clip"); owner("doctor", "tools/doctor"); owner("synth", "tools/synth"); owner("script", "tools/script")
    owner("train", "train"); owner("physics", "physics")
}
function owner(folder, names, list, n, i) { n = split(names, list, " "); for (i = 1; i <= n; i++) public[list[i]] = folder }
function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
# The folder of a file whose includes are in order: src/runtime/X, src/tools/X, src/train, src/physics, or a public header.
function home(file, path, name) {
    split(file, path, "/")
    if (path[1] == "src") { return path[2] == "runtime" || path[2] == "tools" ? path[3] : path[2] }
    name = file
    if (sub(/^include\/amble\//, "", name) && sub(/\.h$/, "", name)) { return name in public ? public[name] : "unknown header" }
    return ""
}
function reach(folder, into, what) {
    if (!(folder in rank)) { fault(folder == "unknown header" ? "is not listed in scripts/check_includes.sh" : "unknown folder " folder) }
    else if (!(into in rank)) { fault(what " belongs to no folder") }
    else if (folder == into) { return }
    else if (into == "physics") { fault(folder " may not include " what ": the other libraries do without physics") }
    else if (rank[into] > rank[folder]) { fault(folder " comes before " into ": it may not include " what) }
}
/^[ \t]*#[ \t]*include[ \t]*</ {
    name = $0; sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
    if (name ~ system_header && FILENAME !~ /^(src\/runtime\/base|lab\/peers)\//) {
        fault("<" name "> is the operating system\047s; only src/runtime/base knows it (<amble/tools/os.h>)")
    }
    if (name !~ /^amble\//) { next }
    sub(/^amble\//, "", name); sub(/\.h$/, "", name)
    folder = home(FILENAME)
    if (!(name in public)) { fault("<amble/" name ".h> belongs to no folder; list it in scripts/check_includes.sh") }
    else if (folder != "") { reach(folder, public[name], "<amble/" name ".h>") }
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    target = quoted[2]
    split(FILENAME, path, "/")
    if (target ~ /^lab\// && path[1] != "lab") { fault("nothing includes lab/"); next }
    if (path[1] == "lab") { next }
    if (path[1] == "include") { fault("public headers include <amble/...> only"); next }
    if (path[1] != "src") {
        # An app includes its own headers by bare name and the library by <amble/...>.
        if (index(target, "/") > 0) { fault("reaches into \"" target "\"; apps include <amble/...> only") }
        next
    }
    if (split(target, into, "/") != 2) { fault("\"" target "\" is not spelt FOLDER/FILE.h"); next }
    reach(home(FILENAME), into[1], "\"" target "\"")
}
END { exit faults > 0 }
'

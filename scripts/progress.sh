# What ./run and its scripts share: one line that shows what is going on, and builds. Source it in the root of the
# tree.
jobs=$(nproc 2>/dev/null || echo 2)
# Emscripten's scripts look for their modules in Debian's folder when Node.js is not Debian's.
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
mkdir -p build/log
watcher=""

say() { printf '%s\n' "$*" >&2; }

# log_state LOG: where a log has come to, in the words of ninja, CTest, node --test, apt, or a line "progress: ...".
log_state() {
    awk '
    /^progress: / { state = substr($0, 11) }
    /^\[[1-9][0-9]*\/[0-9]+\]/ { split(substr($1, 2), n, /[\/\]]/); state = "compile " n[1] " of " n[2] " files" }
    /^Total Tests: / { all = $3; done = started = 0 }
    /^ *Start +[0-9]+: / { names[++started] = $3; running[$3] = 1; changed = 1 }
    /^ *[0-9]+\/[0-9]+ Test +#/ { done++; delete running[$4]; changed = 1 }
    changed {
        changed = 0
        state = "test " done "/" all
        for (i = 1; i <= started; i++) { if (names[i] in running) { state = state " " names[i] } }
    }
    /^1\.\.[0-9]+ tests$/ { all = substr($1, 4); done = 0 }
    /^ *# Subtest: / && !/\.mjs$/ { sub(/^ *# Subtest: /, ""); state = "test " done "/" all " " $0 }
    /^ *(not )?ok [0-9]+ - / && !/\.mjs$/ { done++ }
    / newly installed, / { all = $1 + $3; fetched = unpacked = ready = 0; state = all " packages" }
    /^Get:/ && all { state = "fetched " ++fetched " of " all " packages" }
    /^Unpacking / { state = "unpacked " ++unpacked " of " all " packages" }
    /^Setting up / { state = "set up " ++ready " of " all " packages" }
    END { print state }' "$1" 2>/dev/null
}

# watch_log LOG LABEL: from now until watch_end a line shows the progress of LOG. On a terminal it changes in place;
# elsewhere there is a new one every ten seconds.
watch_log() {
    : >"$1"
    (
        width=$(stty size <&2 2>/dev/null | cut -d' ' -f2)
        [ "${width:-0}" -gt 20 ] || width=80
        begun=$(date +%s)
        next=0
        while kill -0 $$ 2>/dev/null; do
            seconds=$(($(date +%s) - begun))
            state=$(log_state "$1")
            line="$2${state:+: $state}"
            if [ -t 2 ]; then
                printf '\r\033[K%s' "$(printf '%s' "$line ($seconds s)" | cut -c "1-$((width - 1))")" >&2
            elif [ "$seconds" -ge "$next" ]; then
                say "$line ($seconds s)"
                next=$((seconds + 10))
            fi
            sleep 1 2>/dev/null
        done
    ) >/dev/null &
    watcher=$!
}

watch_end() {
    [ -n "$watcher" ] || return 0
    # Not TERM: a shell that has just begun may lose it among the traps that it inherits.
    kill -KILL "$watcher" 2>/dev/null || :
    wait "$watcher" 2>/dev/null || :
    watcher=""
    [ ! -t 2 ] || printf '\r\033[K' >&2
}
trap 'watch_end; exit 130' INT
trap 'watch_end; exit 143' TERM

# phase NAME COMMAND...: runs a command as the next of $phases phases. What it prints goes to build/log/NAME.txt and is shown
# when it fails.
phase_number=0
phase() {
    phase_number=$((phase_number + 1))
    phase_name=$1
    phase_log=build/log/$(echo "$1" | tr ' ' _).txt
    shift
    phase_begun=$(date +%s)
    watch_log "$phase_log" "run: $phase_number/$phases $phase_name"
    set +e
    (
        set -e
        "$@"
    ) >"$phase_log" 2>&1
    phase_status=$?
    set -e
    watch_end
    if [ $phase_status != 0 ]; then
        grep -v '^\[[0-9]*/[0-9]*\]' "$phase_log" >&2 || : # there may be no lines
        say "run: $phase_number/$phases $phase_name failed; the whole log: $phase_log"
        exit $phase_status
    fi
    phase_seconds=$(($(date +%s) - phase_begun))
    [ $phase_seconds -lt 2 ] || say "run: $phase_number/$phases $phase_name: done in $phase_seconds s"
}

# configure PRESET [OPTION...]: once, and again when packages that the preset may use have come.
configure() {
    preset=$1
    shift
    [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" "$@"
}

# compile PRESET [TARGET...]: builds a preset, or only some of its targets.
compile() {
    configure "$1" || return 1
    preset=$1
    shift
    cmake --build "build/$preset" -j "$jobs" ${1:+--target} "$@"
}

# The command of the release preset, at build/amble.
link_command() {
    for program in amble amble-assimp; do
        [ ! -x "build/release/$program" ] || ln -sf "release/$program" "build/$program"
    done
}

# Open Dynamics Engine for the page; without it the module is made without pushes.
page_engine() {
    sh scripts/ode_wasm.sh || echo "SKIPPED: no Open Dynamics Engine for WebAssembly; the page goes without pushes"
    [ -f build/ode-wasm/lib/libode.a ] && ! grep -qs ode-wasm build/wasm/build.ninja && rm -f build/wasm/build.ninja
    return 0
}

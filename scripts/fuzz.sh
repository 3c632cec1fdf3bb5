#!/bin/sh
# Runs every fuzzer for SECONDS, one on each core; findings go to build/fuzz-findings. Exits 1 on any.
set -u
cd "$(dirname "$0")/.."
seconds=$1
jobs=$(nproc 2>/dev/null || echo 2)
findings=build/fuzz-findings
mkdir -p "$findings" build/log
fuzz_one() {
    name=$1
    corpus=build/fuzz-corpus/$name
    mkdir -p "$corpus"
    options=""
    [ -f "fuzz/$name.dict" ] && options="-dict=fuzz/$name.dict"
    # shellcheck disable=SC2086
    "build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 $options \
        -artifact_prefix="$findings/$name-" "$corpus" "fuzz/corpus/$name" >"build/log/fuzz_$name.txt" 2>&1
    status=$?
    runs=$(awk '/stat::number_of_executed_units/ { print $2 }' "build/log/fuzz_$name.txt")
    if [ $status = 0 ]; then echo "fuzz $name: no finding in ${runs:-0} runs"; else
        echo "fuzz $name: FOUND something; see build/log/fuzz_$name.txt"
        return 1
    fi
}
if [ $# -gt 1 ]; then fuzz_one "$2"; exit; fi
ls build/fuzz/fuzz_* | grep -v '\.' | sed 's|.*/fuzz_||' | xargs -P "$jobs" -n 1 sh "$0" "$seconds"

#!/bin/sh
# The tests, in steps; called by ./run test, which has installed what they need.
#   test.sh             release checks wasm browser, without evaluations and benches that take long (AMBLE_QUICK)
#   test.sh all         all steps, in full
#   test.sh STEP...     these steps, in full
# The log of each step is build/log/STEP.txt; a failed step shows its end. The last line counts all tests.
set -u
cd "$(dirname "$0")/.."
. scripts/progress.sh
: >build/log/counts
: >build/log/skipped
failed_steps=""

# Builds a preset with its tests, or only the targets named after it.
compile_tests() {
    grep -qs 'AMBLE_TESTS:BOOL=ON' "build/$1/CMakeCache.txt" || rm -f "build/$1/build.ninja"
    configure "$1" -DAMBLE_TESTS=ON && compile "$@"
}

# Builds a preset and runs its C tests; what they skipped goes to the closing list.
native() { compile_tests "$1" && run_tests "$@"; }

run_tests() {
    preset=$1
    shift
    ctest --test-dir "build/$preset" -N "$@" | grep '^Total Tests: ' # for the progress line
    ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --timeout 900 "$@"
    status=$?
    log=build/$preset/Testing/Temporary/LastTest.log
    grep -h 'SKIPPED:' "$log" 2>/dev/null | sort -u | sed "s/^/$preset: /" >>build/log/skipped
    passed=$(grep -c '^Test Passed\.' "$log")
    failed=$(grep -c '^Test Failed\.' "$log")
    echo "$passed $failed" >>build/log/counts
    return $status
}

# Hides the motion capture from all that a command runs. What its step skips for that reason is no news.
without_data() {
    AMBLE_DATA=/nonexistent "$@"
    status=$?
    sed -i "/^$preset: /d" build/log/skipped
    return $status
}

# The test programs of $folders in a configured preset.
test_programs() { ninja -C "build/$1" -t targets all | sed -nE "s/^(test_($folders)): .*/\1/p"; }

# Runs a check that counts as one test.
check() {
    echo "progress: $*"
    if "$@"; then echo "1 0" >>build/log/counts; else
        echo "0 1" >>build/log/counts
        return 1
    fi
}

# each COMMAND...: runs it for every line of the input, as many at once as there are cores, and says which one it runs.
each() {
    awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) { print i "/" NR; print line[i] } }' |
        xargs -P "$jobs" -n 2 sh -c "echo \"progress: \$1 \$2\"; $* \"\$2\"" each
}

formatted() { git ls-files -- '*.c' '*.h' | xargs -P "$jobs" -n 50 clang-format --dry-run --Werror; }

step_checks() {
    result=0
    check sh scripts/check_includes.sh || result=1
    check sh scripts/check_headers.sh || result=1
    check sh scripts/check_text.sh || result=1
    check sh tests/scripts/test_checks.sh || result=1
    check sh tests/scripts/test_data.sh || result=1
    check formatted || result=1
    return $result
}

# Evaluations and benches take most of the time and repeat what other tests check piece by piece: they are in `all`.
step_release() {
    [ -z "${AMBLE_QUICK:-}" ] || set -- -E '^cli\.(bench|eval)'
    native release "$@" && link_command
}
# Evaluations and benches only add up what other tests check by themselves: with gcc is enough.
step_clang() { native clang -E '^cli\.(bench|eval)'; }
# Plain C instead of vector instructions: the folders whose results could depend on it.
step_scalar() {
    folders='base|math|kernel|net|data|method|actor|script|train|bits'
    # shellcheck disable=SC2046
    configure scalar -DAMBLE_TESTS=ON && compile_tests scalar amble_bits $(test_programs scalar) && run_tests scalar -R "^($folders)\."
}
# Benches say nothing when they are sanitised, and what takes long there repeats what is quick.
step_asan() { (export AMBLE_QUICK=1 UBSAN_OPTIONS=print_stacktrace=1 && native asan -E '^cli\.(bench|eval_learned)'); }

# Debug build with coverage: these folders keep at least 90 % of their lines covered, by the tests of their own folders alone
# and without the real data: whatever else ran could only raise the figure, and takes minutes with counters in it.
step_coverage() {
    folders='base|math|kernel|net|data|clip|formats|doctor|build|synth'
    find build/coverage -name '*.gcda' -delete 2>/dev/null
    configure coverage -DAMBLE_TESTS=ON || return 1
    # shellcheck disable=SC2046
    compile_tests coverage $(test_programs coverage) || return 1
    AMBLE_QUICK=1 without_data run_tests coverage -R "^($folders)\." || return 1
    # Layers for AVX2 and AVX-512 are compiled twice, fused and not, with functions at other lines: gcovr 5.2 gives up on
    # such files. The kernels' own tests compare every one of them with the reference.
    check gcovr --root . --object-directory build/coverage --filter "src/(runtime|tools)/($folders)/" -j "$jobs" \
        --exclude 'src/tools/formats/assimp_child.c' --exclude 'src/runtime/kernel/layers_avx(2|512)\.h' --exclude-unreachable-branches --gcov-ignore-parse-errors --fail-under-line 90 --print-summary -s
}

step_lint() {
    configure release -DAMBLE_TESTS=ON || return 1
    result=0
    check cppcheck --quiet --std=c11 --max-configs=2 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem -j "$jobs" -Iinclude -Isrc/runtime -Isrc/tools -Isrc -Iapps/cli -Ilab -Ilab/eval -Ilab/bench -Ilab/baseline src apps lab || result=1
    # Only files that changed since their last clean run are read again.
    mkdir -p build/tidy
    git ls-files 'src/*.c' 'apps/*.c' 'lab/*.c' | grep -v lab/peers | grep -Ev 'kernel/(neon|wasm)\.c|_windows\.c|child_none\.c' >build/tidy/files
    check each sh scripts/tidy.sh <build/tidy/files || result=1
    return $result
}

# The pure parts, without the real data: what valgrind sees beyond the sanitizers is uninitialised memory.
step_valgrind() {
    compile_tests release || return 1
    ctest --test-dir build/release -N | sed -nE 's/^ *Test +#[0-9]+: ((base|math|data|formats)\..*)/\1/p' |
        grep -v 'assimp\|number\|elementary\|index' | each sh scripts/valgrind.sh
}

# What the page loads and what is compared with it.
compile_page() {
    page_engine
    compile wasm amble_web amble_bits amble_test_wasm
}

# The same bits in WebAssembly; the native builds compare theirs in their own steps.
step_wasm() { compile_page && check sh scripts/check_bits.sh build/wasm/bits.js; }

# The same bits on ARM (under qemu), and the same databases there and in WebAssembly.
step_bits() {
    compile_tests release && compile neon amble_bits amble_cli && compile wasm amble_cli || return 1
    result=0
    check sh scripts/check_bits.sh build/neon/bits || result=1
    check sh scripts/check_database.sh build/release/amble build/neon/amble build/wasm/amble.js || result=1
    return $result
}

# The same bits and databases on Windows (under wine), and the run time's tests there, without the motion capture.
step_windows() {
    compile_tests release && compile_tests windows || return 1
    result=0
    check sh scripts/check_bits.sh build/windows/bits.exe || result=1
    AMBLE_QUICK=1 without_data run_tests windows || result=1
    check sh scripts/check_database.sh build/release/amble build/windows/amble.exe || result=1
    check sh tests/scripts/test_windows.sh || result=1
    return $result
}

step_install() { compile_tests release && compile_page && check sh tests/scripts/test_install.sh; }

step_browser() { compile_tests release && compile_page && check sh tests/browser/run.sh build/release build/wasm; }

# Every command of README and the guides, in a copy of the tree with nothing beside it.
step_docs() { compile_tests release && compile_page && sh apps/studio/web/install.sh && check sh tests/scripts/test_docs.sh; }

fuzz_each() { ls build/fuzz/fuzz_* | grep -v '\.' | sed 's|.*/fuzz_||' | each sh scripts/fuzz.sh 10; }
step_fuzz() { compile fuzz fuzzers && check fuzz_each; }

# The same programs once more with the motion capture hidden, as on a machine with nothing beside the clone. A copy of
# CTest's list runs them in a folder of their own, so that no database of captured motion is found there either. Left out is
# what never looks for any.
step_nodata() {
    ls build/data/* >/dev/null 2>&1 || { echo "no motion capture here: release and browser ran without it"; return 0; }
    compile_tests release && compile_page || return 1
    rm -rf build/nodata
    mkdir -p build/nodata/build
    cp build/release/CTestTestfile.cmake build/nodata
    result=0
    without_data run_tests nodata -E '^(base|math|kernel|net|synth|physics|bits|train\.(lmm|learned|weights|direction|recipe))' || result=1
    AMBLE_OUT=$PWD/build/nodata/browser AMBLE_DATA=/nonexistent check sh tests/browser/run.sh build/release build/wasm || result=1
    AMBLE_DATA=/nonexistent check sh tests/scripts/test_docs.sh || result=1
    return $result
}

case $* in
"")
    export AMBLE_QUICK=1
    set -- release checks wasm browser
    ;;
all) set -- release checks wasm browser docs nodata asan clang scalar bits windows install coverage lint valgrind fuzz ;;
esac
for step in "$@"; do
    grep -q "^step_$step()" scripts/test.sh || { say "test: there is no step '$step'; see scripts/test.sh"; exit 2; }
done
count=$#
number=0
for step in "$@"; do
    number=$((number + 1))
    begun=$(date +%s)
    watch_log "build/log/$step.txt" "run: step $number/$count $step"
    if "step_$step" >"build/log/$step.txt" 2>&1; then verdict=passed; else
        verdict=FAILED
        failed_steps="$failed_steps $step"
    fi
    watch_end
    printf 'step %-9s ... %s (%d s)\n' "$step" "$verdict" "$(($(date +%s) - begun))"
    if [ "$verdict" = FAILED ]; then
        # Without progress and what node --test says of tests that passed.
        grep -v '^\(progress: \|\[[0-9]*/[0-9]*\]\|# \| *ok \|  \(---\|\.\.\.\|duration_ms:\)\)' "build/log/$step.txt" | tail -n 60 | sed 's/^/    /'
        echo "    (the whole log: build/log/$step.txt)"
    fi
done

for step in "$@"; do
    [ "$step" = nodata ] || grep -hE '^(# )?SKIPPED:' "build/log/$step.txt" 2>/dev/null | sed "s/^\(# \)*/$step: /" >>build/log/skipped
done
[ -z "${AMBLE_QUICK:-}" ] || echo "tests that take long were left out; ./run test all has them"
sort -u build/log/skipped | sed 's/^/skipped in /; s/SKIPPED: //'
skipped=$(sort -u build/log/skipped | wc -l)
awk -v steps="$failed_steps" -v skipped="$skipped" '{ passed += $1; failed += $2 }
    END { if (steps != "" && !failed) failed = 1; printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }' build/log/counts

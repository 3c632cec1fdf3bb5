#!/bin/sh
# All tests, in steps; called by ./run test, which has installed what they need. `scripts/test.sh STEP...` runs some.
# The log of each step is build/log/STEP.txt; a failed step shows its end. The last line counts all tests.
set -u
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
mkdir -p build/log
: >build/log/counts
: >build/log/skipped
failed_steps=""

configure() {
    [ -f "build/$1/build.ninja" ] && grep -q 'AMBLE_TESTS:BOOL=ON' "build/$1/CMakeCache.txt" && return 0
    case $1 in
    wasm | neon) [ -f "build/$1/build.ninja" ] || cmake --preset "$1" ;;
    *) cmake --preset "$1" -DAMBLE_TESTS=ON ;;
    esac
}

# Builds a preset, or only the targets named after it.
compile() {
    configure "$1" || return 1
    preset=$1
    shift
    cmake --build "build/$preset" -j "$jobs" ${1:+--target} "$@"
}

# Builds a preset and runs its C tests; what they skipped goes to the closing list.
native() { compile "$1" && run_tests "$@"; }

run_tests() {
    preset=$1
    shift
    ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --timeout 900 "$@"
    status=$?
    log=build/$preset/Testing/Temporary/LastTest.log
    grep -h 'SKIPPED:' "$log" 2>/dev/null | sort -u | sed "s/^/$preset: /" >>build/log/skipped
    passed=$(grep -c '^Test Passed\.' "$log")
    failed=$(grep -c '^Test Failed\.' "$log")
    echo "$passed $failed" >>build/log/counts
    return $status
}

# Runs a check that counts as one test.
check() {
    if "$@"; then echo "1 0" >>build/log/counts; else
        echo "0 1" >>build/log/counts
        return 1
    fi
}

sources() { git ls-files -- '*.c' '*.h' | grep -v '^tests/browser/'; }

step_checks() {
    result=0
    check sh scripts/check_includes.sh || result=1
    check sh scripts/check_headers.sh || result=1
    check sh scripts/check_text.sh || result=1
    check sh tests/scripts/test_checks.sh || result=1
    check sh tests/scripts/test_data.sh || result=1
    check sh -c "$(command -v clang-format) --dry-run --Werror \$(git ls-files -- '*.c' '*.h')" || result=1
    return $result
}

step_release() {
    native release || return 1
    ln -sf release/amble build/amble
    [ -x build/release/amble-assimp ] && ln -sf release/amble-assimp build/amble-assimp
    return 0
}
# Evaluations and benches only add up what other tests check by themselves: with gcc is enough.
step_clang() { native clang -E '^cli\.(bench|eval)'; }
step_scalar() { native scalar -E '^cli\.(bench|eval)'; }
# Benches say nothing when they are sanitised.
step_asan() { UBSAN_OPTIONS=print_stacktrace=1 native asan -E '^cli\.bench'; }

# Debug build with coverage: ranks 0-4 keep at least 90 % of their lines covered, by the tests of their own folders alone
# and without the real data: whatever else ran could only raise the figure, and takes minutes with counters in it.
step_coverage() {
    folders='base|math|kernel|anim|net|io|db|post|operators|index|make'
    find build/coverage -name '*.gcda' -delete 2>/dev/null
    configure coverage || return 1
    # shellcheck disable=SC2046
    compile coverage $(ninja -C build/coverage -t targets all | sed -nE "s/^(test_($folders)_[a-z0-9_]+): .*/\1/p") || return 1
    # Their data is missing on purpose: what they skip is no news.
    AMBLE_QUICK=1 AMBLE_DATA=/nonexistent run_tests coverage -R "^($folders)\." || return 1
    sed -i '/^coverage: /d' build/log/skipped
    # Layers for AVX2 and AVX-512 are compiled twice, fused and not, with functions at other lines: gcovr 5.2 gives up on
    # such files. The kernels' own tests compare every one of them with the reference.
    check gcovr --root . --object-directory build/coverage --filter "src/($folders)/" -j "$jobs" \
        --exclude 'src/io/assimp_child.c' --exclude 'src/kernel/layers_avx(2|512)\.h' --exclude-unreachable-branches --gcov-ignore-parse-errors --fail-under-line 90 --print-summary -s
}

step_lint() {
    configure release || return 1
    result=0
    check cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem -j "$jobs" -Iinclude -Isrc src apps || result=1
    # Only files that changed since their last clean run are read again.
    mkdir -p build/tidy
    git ls-files 'src/*.c' 'apps/*.c' | grep -Ev 'kernel/(neon|wasm)\.c' | xargs -P "$jobs" -n 1 sh scripts/tidy.sh || result=1
    [ $result = 0 ] && echo "1 0" >>build/log/counts || echo "0 1" >>build/log/counts
    return $result
}

# The pure parts, without the real data: what valgrind sees beyond the sanitizers is uninitialised memory.
step_valgrind() {
    compile release || return 1
    for program in build/release/test_base_* build/release/test_math_* build/release/test_db_* build/release/test_io_*; do
        case $program in *assimp* | *kernel* | *number* | *elementary*) continue ;; esac
        echo "$program"
    done | xargs -P "$jobs" -n 1 sh scripts/valgrind.sh
}

# Every command of README and the guides, in a copy of the tree with nothing beside it.
step_docs() { compile release && check sh tests/scripts/test_docs.sh; }

# Open Dynamics Engine for the page; without it the module is made without pushes.
page_engine() {
    sh scripts/ode_wasm.sh || echo "SKIPPED: no Open Dynamics Engine for WebAssembly; the page goes without pushes"
    [ -f build/ode-wasm/lib/libode.a ] && ! grep -qs ode-wasm build/wasm/build.ninja && rm -f build/wasm/build.ninja
    return 0
}

# The same bits on ARM (under qemu) and in WebAssembly; the native builds compare theirs in their own steps.
step_wasm() {
    page_engine
    compile wasm && compile neon || return 1
    result=0
    check sh scripts/check_bits.sh build/wasm/bits.js build/neon/bits || result=1
    check sh scripts/check_database.sh || result=1
    return $result
}

step_install() { page_engine && compile release && compile wasm amble_web && check sh tests/scripts/test_install.sh; }

step_browser() { page_engine && compile release && compile wasm && check sh tests/browser/run.sh build/release build/wasm; }

steps="${*:-release checks asan clang scalar wasm browser docs install coverage lint valgrind}"
for step in $steps; do
    begun=$(date +%s)
    printf 'step %-9s ... ' "$step"
    if "step_$step" >"build/log/$step.txt" 2>&1; then verdict=passed; else
        verdict=FAILED
        failed_steps="$failed_steps $step"
    fi
    printf '%s (%d s)\n' "$verdict" "$(($(date +%s) - begun))"
    if [ "$verdict" = FAILED ]; then
        tail -n 60 "build/log/$step.txt" | sed 's/^/    /'
        echo "    (the whole log: build/log/$step.txt)"
    fi
done

for step in $steps; do
    grep -h '^SKIPPED:' "build/log/$step.txt" 2>/dev/null | sed "s/^/$step: /" >>build/log/skipped
done
sort -u build/log/skipped | sed 's/^/skipped in /; s/SKIPPED: //'
skipped=$(sort -u build/log/skipped | wc -l)
awk -v steps="$failed_steps" -v skipped="$skipped" '{ passed += $1; failed += $2 }
    END { if (steps != "" && !failed) failed = 1; printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped; exit failed > 0 }' build/log/counts

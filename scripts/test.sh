#!/bin/sh
# Install what is missing, build in a fresh tree and run every test. The last
# line says "N passed, N failed"; the exit code is 0 when none failed.
#
#   RF_TEST_FLAGS   more flags for cmake, such as -DRF_SANITIZE=ON
#   RF_TEST_JOBS    how many at the same time (default: the processors)
set -u
cd "$(dirname "$0")/.." || exit 1
tree=build/test
jobs=${RF_TEST_JOBS:-$(nproc)}
PATH=$PATH:/usr/local/cuda/bin
export PATH

give_up() {
    echo "test: $*" >&2
    echo "0 passed, 1 failed"
    exit 1
}

scripts/deps.sh || give_up "packages are missing"
rm -rf "$tree"
mkdir -p build
echo "test: building in $tree"
# shellcheck disable=SC2086
cmake -S . -B "$tree" -G Ninja ${RF_TEST_FLAGS:-} >"$tree.log" 2>&1 ||
    { cat "$tree.log"; give_up "cmake failed"; }
ninja -C "$tree" -j "$jobs" >"$tree.log" 2>&1 ||
    { tail -n 40 "$tree.log"; give_up "the build failed"; }
echo "test: running"
ctest --test-dir "$tree" -j "$jobs" --output-on-failure --no-tests=error |
    tee "$tree.log"

# Count from the lines of the tests: "3/9 Test  #7: name ....   Passed".
count() {
    grep -cE "^ *[0-9]+/[0-9]+ Test +#.*$1" "$tree.log"
}
all=$(count '')
passed=$(count '\. +Passed')
skipped=$(count 'Skipped')
failed=$((all - passed - skipped))
[ "$all" -gt 0 ] || give_up "no test ran"
[ "$skipped" -eq 0 ] || echo "test: $skipped left out (see above for which)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

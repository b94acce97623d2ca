#!/bin/sh
# A time-bounded campaign of the fuzz targets with libFuzzer and the
# sanitizers. What crashes is left in build/fuzz/NAME-crash-*: make a seed of
# it in tests/fuzz/seeds/NAME.
#
#   scripts/fuzz.sh [SECONDS a target]      default: 60
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
tree=build/fuzz
for n in 22 21 20 19 18 17; do
    clang=$(command -v clang-$n || true)
    [ -z "$clang" ] || break
done
[ -n "$clang" ] || {
    echo "fuzz: clang is needed (scripts/deps.sh)" >&2
    exit 1
}
mkdir -p build
cmake -S . -B "$tree" -G Ninja -DCMAKE_C_COMPILER="$clang" -DRF_FUZZ=ON \
    -DRF_SANITIZE=ON -DRF_WERROR=OFF \
    -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link >"$tree.log"
ninja -C "$tree" fuzz_edit fuzz_config fuzz_lsp fuzz_database fuzz_fixes \
    fuzz_source >>"$tree.log" ||
    { tail -n 40 "$tree.log"; exit 1; }
code=0
for name in edit config lsp database fixes source; do
    mkdir -p "$tree/corpus-$name"
    echo "fuzz: $name for $seconds seconds"
    "$tree/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=2000 \
        -artifact_prefix="$tree/$name-" -print_final_stats=1 \
        "$tree/corpus-$name" "tests/fuzz/seeds/$name" 2>&1 |
        grep -E 'stat::number_of_exec|ERROR|SUMMARY|crash-' || true
    if ls "$tree/$name"-crash-* >/dev/null 2>&1; then
        echo "fuzz: $name crashed, see $tree/$name-crash-*"
        code=1
    fi
done
exit $code

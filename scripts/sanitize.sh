#!/bin/sh
# Every sample and every file of the corpora through the tool as it is built
# with AddressSanitizer, UBSan and LeakSanitizer. Nothing is written; what a
# sanitizer says, or a crash, is printed with the file that brought it about.
#
#   scripts/sanitize.sh [FILE.cu...]        default: all of them
set -eu
cd "$(dirname "$0")/.."
tree=build/sanitize
rf=$tree/tool/rf-rewrite
mkdir -p build
cmake -S . -B "$tree" -G Ninja -DRF_SANITIZE=ON -DBUILD_TESTING=OFF \
    >"$tree.log"
ninja -C "$tree" rf-rewrite >>"$tree.log" 2>&1 ||
    { tail -n 40 "$tree.log"; exit 1; }
[ $# -gt 0 ] || set -- samples/*.cu tests/refusals/*.cu tests/fusible/*.cu \
    tests/collectives/*.cu tests/teams/*.cu tests/chains/*.cu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
XDG_CACHE_HOME=$PWD/$tree/cache
export XDG_CACHE_HOME
bad=0
for file; do
    for action in --diff --explain; do
        code=0
        "$rf" $action --config= "$file" >"$log" 2>&1 || code=$?
        [ "$code" -gt 1 ] ||
            grep -qE 'Sanitizer|runtime error:|crashed' "$log" || continue
        bad=$((bad + 1))
        echo "$file: $action, exit code $code"
        grep -E -A12 'Sanitizer|runtime error:|crashed|usage' "$log" |
            head -n 20
    done
done
echo "sanitize: $# files, $bad runs with findings"
[ "$bad" -eq 0 ]

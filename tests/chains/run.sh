#!/bin/sh
# Chains of matrix products: files that fuse (with a DRIVE line) are rewritten,
# built with and without RF_REFERENCE, executed, and must leave the same
# memory (within a tolerance where sums were reordered); the others must be refused at the place that their last line names.
#
#   run.sh RF-REWRITE RF-RUN [file ...]       RF-RUN may be "": nothing is run
here=$(cd "$(dirname "$0")" && pwd)
rf=$1 rf_run=$2
shift 2
[ $# -gt 0 ] || set -- "$here"/*.cu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
mkdir -p "$work/tests/chains" "$work/tests/fusible"
cp "$here/../fusible/driver.h" "$work/tests/fusible/"
cp -r "$here/../../samples" "$work/"
cd "$work/tests/chains" || exit 1
failed=0
fail() {
    echo "$name: $*"
    failed=$((failed + 1))
}
for file; do
    name=$(basename "$file")
    cp "$file" .
    "$rf" "$name" >out 2>err
    want=$(sed -n 's,^// expect: ,,p' "$file")
    if [ -n "$want" ]; then
        place=${want% *}
        grep -q ":$place: warning: .*\[${want#* }\]" out || fail "not $want"
        cmp -s "$name" "$file" || fail "was changed"
        continue
    fi
    grep -q "// rf: fused" "$name" || { fail "$(head -n 1 out)"; continue; }
    "$rf" --check "$name" >out 2>err || fail "--check: $(cat out)"
    [ -n "$rf_run" ] || continue
    # What claims to be exact is compared bit by bit.
    tolerance=1e-3,1e-3
    ! grep -q "rf: fused.* exact," "$name" || tolerance=0
    "$rf_run" --compare --tolerance=$tolerance "$name" \
        -diag-suppress 20199,161 >out 2>&1 || fail "$(tail -n 3 out)"
done
[ "$failed" -eq 0 ] || echo "chains: $failed failed"
[ "$failed" -eq 0 ]

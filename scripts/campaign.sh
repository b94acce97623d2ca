#!/bin/sh
# The long tests: every file, every variant, many seeds, file by file.
#
#   scripts/campaign.sh [MINUTES] [BUILD]   default: 60, build/test
#
# What there is no time for is left out and said to be. A line a step goes to
# BUILD/campaign.txt, with what failed below it. Exit code: 0 if nothing did.
set -u
cd "$(dirname "$0")/.." || exit 1
end=$(($(date +%s) + ${1:-60} * 60))
tree=${2:-build/test}
rf=$tree/tool/rf-rewrite
run=$tree/tool/rf-run
result=$tree/campaign.txt
log=$(mktemp)
trap 'rm -f "$log"' EXIT
XDG_CACHE_HOME=$PWD/$tree/tests/corpus/cache
export XDG_CACHE_HOME
failed=0

[ -x "$rf" ] && [ -x "$run" ] ||
    { echo "campaign: build first: scripts/test.sh"; exit 2; }

say() {
    echo "$*" | tee -a "$result"
}

# step NAME COMMAND...: run it within the time that is left.
step() {
    name=$1
    shift
    begin=$(date +%s)
    if [ "$begin" -ge "$end" ]; then
        say "$name: left out, the time is up"
        return
    fi
    timeout $((end - begin)) "$@" >"$log" 2>&1
    code=$?
    took="$(($(date +%s) - begin)) s"
    case $code in
    0) say "$name: passed in $took: $(tail -n 1 "$log")" ;;
    124) say "$name: not finished in $took" ;;
    77) say "$name: $(tail -n 1 "$log")" ;;
    *)
        say "$name: FAILED in $took: $(tail -n 1 "$log")"
        grep '^FAILED' "$log" | sed 's/^/    /' | tee -a "$result"
        failed=$((failed + 1))
        ;;
    esac
}

runner() {
    name=$1
    shift
    step "$name" python3 "tests/corpus/$@"
}

echo "rf-rewrite, long tests, $(date -u '+%Y-%m-%d %H:%M') UTC," \
    "$("$rf" --version | head -n 1)," \
    "commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)" \
    >"$result"
cat "$result"
runner "refusals" refusals.py "$rf"
runner "rewrites of the samples" golden.py "$rf"
runner "samples, 25 seeds" samples.py "$rf" "$run" execute --seeds=25
runner "spellings, all properties, 50 seeds" \
    fusible.py "$rf" "$run" --all --seeds=50
runner "variants of the samples, 5 seeds" \
    samples.py "$rf" "$run" execute --vary=every --seeds=5
runner "collectives, 10 seeds" \
    fusible.py "$rf" "$run" --all --seeds=10 tests/collectives
runner "10,000 random cascades" \
    cascades.py "$rf" "$run" --count=10000 --first=1000000 --minutes=40
runner "chains of products, 5 seeds" \
    fusible.py "$rf" "$run" --all --seeds=5 tests/chains
runner "samples, compiled one by one" \
    samples.py "$rf" "$run" compile --alone
runner "variants, compiled" \
    samples.py "$rf" "$run" compile --vary=every
runner "spellings by rf-run --compare, one by one" \
    fusible.py "$rf" "$run" --alone
say "steps that failed: $failed"
[ "$failed" -eq 0 ]

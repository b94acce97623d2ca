#!/bin/sh
# The mutation campaign: every single change of the generated code of the
# samples. The proof over the text rejects it; what it does not reject is
# executed; what both let pass has to be listed with the reason why it means
# the same (tests/proof/mutants.c, tests/proof/chain.c, tests/corpus/mutants.py).
#
#     scripts/mutate.sh BUILD [part of a sample's name]
#
# RF_EVERY=N executes one in N of the mutants that no proof has seen (1: all).
# It takes an hour or so; docs/campaigns.md has the last result.
set -u
build=${1:?usage: scripts/mutate.sh BUILD [SAMPLE]}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0
touch "$out/list.txt"
RF_MUTANTS=${2:-all} RF_MUTANTS_OUT=$out nice "$build/tests/test_proof" \
    --filter 'mutants/*' --timeout 0 2>"$out/log" || failed=1
grep -E 'mutants:|FAIL' "$out/log"
nice python3 "$(dirname "$0")/../tests/corpus/mutants.py" "$out" \
    "$build/tool/rf-run" "--every=${RF_EVERY:-1}" || failed=1
if [ $# -lt 2 ]; then
    RF_MUTANTS=all nice "$build/tests/test_proof" \
        --filter 'chain_mutants/*' --timeout 0 2>"$out/log" || failed=1
    grep -E 'mutants of chains|FAIL|survives' "$out/log"
fi
exit $failed

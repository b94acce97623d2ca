#!/bin/sh
# The mutation campaign: every single change of the generated code of the
# samples, each of which the proof must reject.
#
#     scripts/mutate.sh BUILD [part of a sample's name]
set -eu
build=${1:?usage: scripts/mutate.sh BUILD [SAMPLE]}
RF_MUTANTS=${2:-all} exec "$build/tests/test_proof" --filter 'mutants/*'

#!/bin/sh
# Many files: order, counts, one crash.
. "$1"

list=
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do
    kernel k$i.cu refuse
    list="$list k$i.cu"
done
kernel k05.cu
kernel k06.cu wrong
# shellcheck disable=SC2086
run 1 $list
sed 's/\[rf.*//' out >one
cp err one.err
kernel k05.cu
# shellcheck disable=SC2086
run 1 -j 4 $list
sed 's/\[rf.*//' out >four
same four one
same err one.err
has err "12 marked regions in 12 files: 1 fused, 10 refused, 1 failed, 1 error"

kernel k03.cu crash
kernel k05.cu
# shellcheck disable=SC2086
ASAN_OPTIONS="${ASAN_OPTIONS:-}:handle_abort=0" "$RF" -j3 $list >out 2>err &&
    fail "a crash goes unnoticed"
has out "k03.cu: error: the analysis ended unexpectedly; the file was left as it was"
has out "k12.cu:3:1: warning"
has k05.cu "fused(1)"
run 0 --quiet k05.cu
[ ! -s err ] || fail "--quiet says something: $(cat err)"
# shellcheck disable=SC2086
kernel k03.cu
run 0 -j0 --diff k03.cu k05.cu
has out "--- a/k03.cu"
finish

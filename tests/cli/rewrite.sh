#!/bin/sh
# In place, idempotent, checked, reverted; byte for byte.
. "$1"

kernel a.cu launch
cp a.cu orig
run 1 --check a.cu
has out "[rf-cascade]"
has err "0 fused, 1 to be fused, 0 refused"
same a.cu orig
run 0 a.cu
has out "remark: cascade max -> sum"
has out "FIX-IT applied"
has err "1 marked region in 1 file: 1 fused, 0 refused, 0 errors"
has a.cu "#else  // rf: fused, 3 passes -> 1, proof 7/7, "
has a.cu "    fused(1); // one loop"
has a.cu "relaunch();"
cp a.cu once
run 0 a.cu
same a.cu once
has err "0 fused, 1 up to date, 0 refused"
run 0 --check a.cu
[ ! -s out ] || fail "--check of an up-to-date file says something"

# stale: another version of the generated code
RF_FAKE=2 "$RF" --check a.cu >out 2>err && fail "stale passes --check"
has out "the generated code is out of date [rf-stale]"
same a.cu once
RF_FAKE=2 "$RF" a.cu >out 2>err || fail "renewing failed"
has a.cu "fused(2);"
hasnt a.cu "fused(1);"
[ "$(grep -c ifdef a.cu)" -eq 2 ] || fail "guards are nested"

# edited by hand
sed 's/fused(2)/tuned(2)/' a.cu >b.cu
cp b.cu hand
run 1 --check b.cu
has out "edited by hand"
run 0 b.cu
same b.cu hand
has err "1 edited by hand"
run 0 --force b.cu
has b.cu "fused(1);"

# revert
run 0 --revert --diff a.cu
has out "-#ifdef RF_REFERENCE"
run 0 --revert a.cu b.cu
same a.cu orig
same b.cu orig
has err "4 guards taken away"
run 0 --revert a.cu
same a.cu orig

# the mark goes: so does its guard
run 0 a.cu
grep -v pragma a.cu >c.cu
grep -v pragma orig >c.want
run 1 --check c.cu
has out "no mark accounts for this guard [rf-stale]"
run 0 c.cu
same c.cu c.want

# refused although it has a guard: the author's code comes back
sed 's/cascade launch/cascade refuse/' once >d.cu
sed 's/cascade launch/cascade refuse/' orig >d.want
run 1 --check d.cu
run 0 d.cu
same d.cu d.want
has out "[rf-alias]"

# replace
kernel r.cu replace
run 0 r.cu
has r.cu "// rf: fused, 3 passes -> 1, proof 7/7"
hasnt r.cu "pragma"
cp r.cu once
run 0 r.cu
same r.cu once

# line ends, byte order mark, missing final newline
{
    printf '\357\273\277void f()\r\n#pragma rf cascade\r\n\tloop();\r\n}\r\n'
    printf '#pragma rf cascade\r\n\tloop();'
} >w.cu
cp w.cu w.orig
run 0 w.cu
[ "$(grep -c 'fused(1)' w.cu)" -eq 2 ] || fail "not both fused"
[ "$(tr -cd '\n' <w.cu | wc -c)" -eq "$(tr -cd '\r' <w.cu | wc -c)" ] ||
    fail "mixed line ends"
run 0 --check w.cu
run 0 --revert w.cu
same w.cu w.orig

# stdin and -o
run 0 a.cu
cp a.cu once
cp orig a.cu
run 0 - <orig
same out once
has out "fused(1);"
run 0 -o o.cu a.cu
has o.cu "fused(1);"
run 0 -o - a.cu
has out "fused(1);"
hasnt out "remark"
printf 'nothing here\n' >n.cu
run 0 - <n.cu
same out n.cu

# a second mark with an error: nothing is written
{
    cat orig
    echo '#pragma rf cascade wrong'
    echo 'x();'
} >e.cu
cp e.cu e.orig
run 1 e.cu
same e.cu e.orig
has out "error: unknown clause 'wrong' [rf-pragma]"
has err "2 marked regions in 1 file: 0 fused, 0 refused, 2 failed, 1 error"
run 1 - <e.cu
same out e.orig
no_strays
finish

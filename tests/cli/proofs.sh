#!/bin/sh
# Every obligation that has a certificate is answered unsat by z3 and by cvc5, of
# some samples, or of all with RF_ALL=1 in the environment; the manifest says
# what each is; a changed file is noticed.
. "$1"
RF=$2
command -v z3 >/dev/null && command -v cvc5 >/dev/null ||
    { echo "z3 and cvc5 are needed"; exit 77; }
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cp "$SOURCE/samples/check.h" .
for name in 01 04 07 08 10 11 14 24 42 50; do
    cp "$SOURCE/samples/$name"*.cu .
done
[ -z "${RF_ALL:-}" ] || cp "$SOURCE"/samples/*.cu .
run 0 -j0 --proof=proofs ./*.cu
"$RF" --proof-check=proofs >out 2>&1 || fail "$(cat out)"
cat out
n=$(ls proofs/*.smt2 | wc -l)
[ "$n" -gt 40 ] || fail "only $n certificates"
has out "z3: $n of $n unsat"
has out "cvc5: $n of $n unsat"
for word in '"equation": "T-6"' '"begin": ' '"result": "proven"' '"hash": "' \
    '"text_hash": "' '"source_hash": "' '"class": "rescaled"' '"gamma": "'; do
    has proofs/01_softmax_rows_7.json "$word"
done
# no name of the tool's own stands in what people read
grep -hE '"text": .*(inner|[^a-z_]d[0-9]+)\(' proofs/*.json >names &&
    fail "names of results: $(head -3 names)"
echo "; changed" >>proofs/01_softmax_rows_7_01.smt2
"$RF" --proof-check=proofs >out 2>&1 && fail "a changed file passes"
has out "was changed"
finish

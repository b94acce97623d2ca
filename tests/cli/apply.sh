#!/bin/sh
# --apply: the right bytes once, or nothing.
. "$1"

kernel a.cu launch
kernel b.cu
cp a.cu orig
cp b.cu b.orig
run 0 --export-fixes=f.yaml a.cu b.cu
cp a.cu want.cu
run 0 want.cu
run 0 --apply f.yaml
same a.cu want.cu
has err "2 files written, 0 left"
run 1 --apply f.yaml
same a.cu want.cu
has err "a.cu: error: not applied: it is not the content that was analysed"

# shifted by a line: refused; the other file is written
{
    echo
    cat orig
} >a.cu
cp a.cu shifted
cp b.orig b.cu
run 1 --apply f.yaml
same a.cu shifted
different b.cu b.orig
has err "1 file written, 1 left"

# the same fixes twice are one
cp orig a.cu
cp b.orig b.cu
cp f.yaml g.yaml
run 0 --apply f.yaml g.yaml
same a.cu want.cu

# overlap, outside, malformed, no hash
cp orig a.cu
broken() {
    printf '%s\n' "$1" >x.yaml
    run 1 --apply x.yaml
    has err "$2"
    same a.cu orig
}
hash=$(sed -n "s/# rf-content: \([^ ]*\) .*a.cu'/\1/p" f.yaml)
one() {
    echo "Diagnostics: [{DiagnosticMessage: {Replacements: [$1]}}]"
}
fix() {
    echo "{FilePath: '$PWD/a.cu', Offset: $1, Length: $2, ReplacementText: $3}"
}
head="# rf-content: $hash '$PWD/a.cu'"
broken "$head
$(one "$(fix 1 3 x), $(fix 2 1 y)")" "fixes overlap"
broken "$head
$(one "$(fix 9999 3 x)")" "fixes overlap"
broken "$(one "$(fix 1 3 x)")" "does not say which content"
broken "$head
$(one "$(fix 1 z x)")" "a replacement needs FilePath, Offset"
broken 'Diagnostics: [' "x.yaml:"
broken 'Other: 1' "there is no list of Diagnostics"
broken 'Diagnostics: [1]' "a diagnostic needs a DiagnosticMessage"
# 20,000 fixes: one pass over the file and the list
seq 20000 | sed 's/.*/x/' >big.cu
cp big.cu big.orig
run 0 --summary=s.json big.cu
hash=$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' s.json)
{
    echo "# rf-content: $hash '$PWD/big.cu'"
    echo "Diagnostics: [{DiagnosticMessage: {Replacements: ["
    seq 0 2 39998 | sed "s|.*|{FilePath: '$PWD/big.cu', Offset: &, Length: 1, \
        ReplacementText: yy},|"
    echo "]}}]"
} >big.yaml
run 0 --apply big.yaml
sed 's/x/yy/' big.orig >big.want
same big.cu big.want

run 1 --apply nope.yaml
has err "nope.yaml: error: cannot open it"
no_strays
finish

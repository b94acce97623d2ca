#!/bin/sh
# .rf-rewrite: the nearest above each file, inherited, wrong ones.
. "$1"

mkdir -p top/mid/low
kernel top/a.cu
kernel top/mid/b.cu refuse
kernel top/mid/low/c.cu refuse
echo "Form: replace" >top/.rf-rewrite
run 0 --diff top/a.cu
run 0 top/mid/b.cu
has out "[rf-alias]"
{
    echo "Checks: '-rf-alias'"
    echo "InheritParentConfig: true"
    echo "ExtraArgs: [-DLOW]"
} >top/mid/low/.rf-rewrite
{
    echo "WarningsAsErrors: '*'"
    echo "ExtraArgs:"
    echo "  - -DMID"
    echo "Strict: true"
} >top/mid/.rf-rewrite
run 1 top/mid/b.cu
has out "[rf-alias,-warnings-as-errors]"
run 0 top/mid/low/c.cu
hasnt out "rf-alias"
run 0 --dump=x --extra-arg=-DCMD top/mid/low/c.cu
[ "$(grep flag out | tr '\n' ' ')" = "x: 1 marks, 3 flags flag -DMID flag -DLOW \
flag -DCMD " ] || fail "flags: $(cat out)"
run 0 --dump-config top/mid/low/c.cu
has out "ExtraArgs: ['-DMID', '-DLOW']"
has out "Strict: true"
has out "WarningsAsErrors: '*'"
cp out round.yaml
run 0 --dump-config --config-file=round.yaml
same out round.yaml
run 0 --verify-config top/mid/low/c.cu

# the command line wins
run 0 --config="{Checks: '-*'}" top/mid/b.cu
[ ! -s out ] || fail "--config is not used: $(cat out)"

# wrong ones stop everything before it starts
wrong() {
    printf '%b' "$1" >top/.rf-rewrite
    cp top/a.cu top/orig
    run 2 top/a.cu
    has err "$2"
    same top/a.cu top/orig
}
wrong 'Form: keep\nChekcs: x\n' \
    "top/.rf-rewrite:2:1: error: unknown key 'Chekcs'; did you mean 'Checks'?"
wrong 'Zzz: x\n' ".rf-rewrite:1:1: error: unknown key 'Zzz'"
wrong 'Form: both\n' ":1:7: error: 'both' is not one of: keep replace"
wrong 'ExtraArgs: -DX\n' ":1:12: error: a list is expected here"
wrong 'ExtraArgs: [[a]]\n' ":1:13: error: a text is expected here"
wrong 'Checks: [a]\n' ":1:9: error: a text is expected here"
wrong '- a\n' ":1:1: error: 'Key: value' is expected here"
wrong 'a: [\n' "error: "
wrong '? [a]\n: b\n' "a key is expected here"
printf 'Strict: true' >top/.rf-rewrite
run 0 --verify-config top/a.cu
: >top/.rf-rewrite
run 0 --verify-config top/a.cu
run 2 --config-file=nope top/a.cu
has err "nope: error: cannot open it"
echo 'Arch: sm_x' >.rf-rewrite
kernel arch.cu
run 2 --check arch.cu
has err ".rf-rewrite:1:7: error: 'sm_x' is no architecture such as sm_90"
finish

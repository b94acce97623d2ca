#!/bin/sh
# Spellings, conflicts, wrong usage.
. "$1"

run 2
has err "no file given"
run 2 --chek a.cu
has err "unknown option '--chek'; did you mean '--check'?"
run 2 -O2 a.cu
has err "compiler flags come after '--'"
run 2 --diff --check a.cu
has err "'--diff' and '--check' exclude each other"
run 2 --level=blok a.cu
has err "--level: 'blok' is not one of: auto thread warp"
run 2 --arch=sm_x a.cu
has err "--arch: 'sm_x' is no architecture such as sm_90"
run 2 --use-color=perhaps a.cu
has err "--use-color: 'perhaps' is not one of: auto yes no"
run 2 --keep --replace a.cu
run 2 -o x a.cu b.cu
run 2 -o x --check a.cu
run 2 --output
has err "option '--output' needs a value"
run 2 --diff=yes a.cu
has err "option '--diff' takes no value"
run 2 -j x a.cu
has err "option '--jobs' needs a number"
run 2 --header-filter='(' a.cu
has err "'(' is not a regular expression"
run 0 --version
has out "rf-rewrite "
run 0 -help
has out "--export-fixes=FILE"
run 0 --list-checks
has out "    rf-alias"
hasnt out "rf-candidate"
run 0 -list-checks -checks='-*,rf-r*' -
has out "rf-race"
hasnt out "rf-alias"
awk 'length > 80 { bad = 1 } END { exit bad }' out || fail "wide help"

kernel a.cu
run 0 -dump=front -Iinc -DX=1 -D Y -std=c++17 --extra-arg=-last \
    -extra-arg-before=-first a.cu -- -O2 --odd
has out "front: 1 marks, 8 flags"
[ "$(grep '^flag' out | tr '\n' ' ')" = "flag -first flag -Iinc flag -DX=1 \
flag -DY flag -std=c++17 flag -O2 flag --odd flag -last " ] ||
    fail "flags: $(cat out)"
run 0 --explain a.cu
has out "## cascade"
hasnt a.cu "ifdef"
for shell in bash zsh fish; do
    run 0 --completion=$shell
    has out "export-fixes"
done
run 2 --completion=tcsh
run 0 --man
has out '.TH RF-REWRITE 1'
finish

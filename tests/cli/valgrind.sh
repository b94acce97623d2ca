#!/bin/sh
# No reads of what was not written, no leaks, on good and bad input.
. "$1"
command -v valgrind >/dev/null || exit 77
case $2 in *ON*) exit 77 ;; esac

check() {
    want=$1
    shift
    valgrind -q --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite "$RF" "$@" >out 2>err
    got=$?
    [ $got -eq "$want" ] || fail "exit $got: $* $(cat err)"
}
kernel a.cu launch
kernel b.cu refuse
kernel c.cu wrong
check 0 a.cu b.cu
check 0 --check a.cu
check 0 --revert --diff a.cu
check 0 --revert a.cu
check 1 --sarif=s --export-fixes=f --remarks=r --summary=j a.cu b.cu c.cu nope
printf '#pragma rf cascade\n' >d.cu
check 0 d.cu
printf '\300\n#pragma rf cascade\n' >e.cu
check 1 e.cu
: >f.cu
check 1 f.cu
check 2 --nonsense
finish

#!/bin/sh
# Whatever is wrong with the input: a clear error, exit 1, the file as it was.
. "$1"

run 1 nope.cu
has out "/nope.cu: error: cannot open it: No such file or directory [rf-error]"
has err "1 error"
mkdir folder
run 1 folder
has out "it is a folder"
mkfifo pipe
run 1 pipe
has out "it is not a regular file"
run 1 ''
has out "error: cannot open it"
ln -s circle circle
run 1 circle
has out "Too many levels of symbolic links"

if [ "$(id -u)" -ne 0 ]; then
    kernel u.cu
    chmod 000 u.cu
    run 1 u.cu
    has out "Permission denied"
fi

kernel latin.cu
printf '// caf\351\n' >>latin.cu
cp latin.cu orig
run 1 latin.cu
same latin.cu orig
has out "latin.cu:7:7: error: the file is not UTF-8: byte 0xe9 [rf-error]"
printf '// caf\351\n' >unmarked.cu
run 0 unmarked.cu

: >empty.cu
run 1 empty.cu
has out "error: the file is empty [rf-error]"
[ ! -s empty.cu ] || fail "an empty file grew"
: >empty.cuh
run 0 empty.cuh
: >empty.out
run 0 - <empty.out
[ ! -s out ] || fail "something came of nothing"

# 10 MB of one line, with and without a mark behind it
head -c 10000000 /dev/zero | tr '\0' 'x' >long.cu
cp long.cu orig
run 0 long.cu
same long.cu orig
printf '\n#pragma rf cascade refuse\nx();\n' >>long.cu
run 0 long.cu
has out "[rf-alias]"
printf '#pragma rf cascade refuse\n' >long2.cu
cat orig >>long2.cu
run 0 long2.cu
[ "$(wc -c <out)" -lt 2000 ] || fail "a long line is printed whole"
head -c 100000 /dev/zero >zero.cu
run 0 zero.cu

# nothing behind the mark, odd marks
printf '#pragma rf cascade' >end.cu
run 1 --check end.cu
printf '#pragma rfx\n#pragma\n# pragma\n' >odd.cu
cp odd.cu orig
run 0 odd.cu
same odd.cu orig

# damaged guards
kernel g.cu
run 0 g.cu
grep -v '#endif' g.cu >h.cu
cp h.cu orig
run 0 h.cu
same h.cu orig
has out "warning: not fused: the guard around this region has lost a directive"
run 1 h.cu --revert
same h.cu orig
has out "a guard has lost a directive"
no_strays
finish

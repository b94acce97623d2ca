#!/bin/sh
# --diff: git apply turns the old file into the new one.
. "$1"

try() {
    cp "$1" before.cu
    run 0 --diff "$1"
    cp out patch
    same "$1" before.cu
    run 0 -o want.cu "$1"
    git apply --whitespace=nowarn patch || fail "git apply refused: $(cat patch)"
    same "$1" want.cu
}

git init -q .
kernel a.cu launch
try a.cu
mkdir -p "sub dir"
kernel "sub dir/b c.cu"
try "sub dir/b c.cu"
printf '#pragma rf cascade\r\nloop();' >c.cu
try c.cu
{
    printf '\357\273\277#pragma rf cascade\n'
    printf 'loop();\n'
} >d.cu
try d.cu
run 0 --diff d.cu
[ ! -s out ] || fail "a patch of nothing"
finish

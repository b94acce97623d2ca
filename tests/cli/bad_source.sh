#!/bin/sh
# Input that is no program, or not as it should be: a line with the place, exit
# code 1, the file as it was.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# program TEXT: k.cu is TEXT, with \n for new lines.
program() {
    printf "$1" >k.cu
    cp k.cu orig
}

# refuses PLACE TEXT: k.cu is an error there and stays as it was.
refuses() {
    run 1 k.cu
    has out "/k.cu:$1: error: $2"
    same k.cu orig
    no_strays
}

run 1 nope.cu
has out "/nope.cu: error: cannot open it: No such file or directory"
mkdir folder.cu
run 1 folder.cu
has out "/folder.cu: error: it is a folder"
: >k.cu
cp k.cu orig
run 1 k.cu
has out "/k.cu: error: the file is empty"
same k.cu orig

program '#pragma rf cascade\n__global__ void k(int n)\n{\n    n = \351;\n}\n'
refuses 4:9 "the file is not UTF-8"
program '#pragma rf cascade\n__global__ void k(int n)\n{\n    n = ;\n}\n'
refuses 4:9 "expected expression"
program '#include "nowhere.h"\n#pragma rf cascade\n__global__ void k() {}\n'
refuses 1:10 "'nowhere.h' file not found"
program '__global__ void k() {}\n#pragma rf cascade\n'
refuses 2:1 ""
program '#pragma rf cascade levle(warp)\n__global__ void k() {}\n'
refuses 1:20 "unknown clause 'levle'"
has out "level"

# one line of 10 MB behind a mark
{
    printf '#pragma rf cascade\n__global__ void k() { /*'
    head -c 10000000 /dev/zero | tr '\0' 'x'
    printf '*/ }\n'
} >k.cu
cp k.cu orig
run 0 k.cu
same k.cu orig
[ "$(wc -c <out)" -lt 4000 ] || fail "a long line is printed whole"

# nowhere to write
cp "$SOURCE/samples/check.h" .
cp "$SOURCE/samples/07_cross_entropy.cu" k.cu
cp k.cu orig
"$RF" -o - k.cu 2>err >/dev/full
[ $? -eq 1 ] || fail "a full device is no error"
has err "No space left on device"
same k.cu orig
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked
    cp k.cu check.h locked
    chmod 500 locked
    run 1 locked/k.cu
    has out "Permission denied"
    same locked/k.cu orig
    chmod 000 k.cu
    run 1 k.cu
    has out "Permission denied"
fi
no_strays
finish

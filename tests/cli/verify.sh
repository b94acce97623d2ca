#!/bin/sh
# --verify runs both builds and writes only what computes the same.
. "$1"
RF=$2
command -v nvcc >/dev/null || { echo "no nvcc"; exit 77; }
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cp "$SOURCE/samples/13_log_softmax.cu" good.cu
cp "$SOURCE/samples/check.h" .
run 0 --verify good.cu -- -std=c++17
grep -q RF_REFERENCE good.cu || fail "a verified rewrite is written"
# a program that does not even build cannot be verified
sed 's/^int main/int undeclared = no_such_name;\nint main/' \
    "$SOURCE/samples/13_log_softmax.cu" >bad.cu
cp bad.cu before.cu
run 1 --verify bad.cu -- -std=c++17
same bad.cu before.cu
ls -A | grep -q rf-verify && fail "a temporary file is left"
finish

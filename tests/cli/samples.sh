#!/bin/sh
# The tool itself on the samples: a second run changes nothing, also after
# clang-format; --check agrees; --revert gives the author's bytes.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# keep FOLDER, compare FOLDER: all files as they are now, as they were then.
keep() {
    mkdir -p "$1"
    cp ./*.cu "$1/"
}
compare() {
    for f in *.cu; do
        same "$f" "$1/$f"
    done
}

cp "$SOURCE"/samples/*.cu "$SOURCE"/samples/*.h .
keep orig
run 0 -j0 ./*.cu
keep first
run 0 -j0 ./*.cu
compare first
has err ": 0 fused"
run 0 -j0 --check ./*.cu
run 0 -j0 --diff ./*.cu
[ ! -s out ] || fail "a patch of nothing"
if command -v clang-format >/dev/null; then
    clang-format --style=LLVM -i ./*.cu
    keep formatted
    run 0 -j0 ./*.cu
    compare formatted
    cp first/*.cu .
fi
run 0 -j0 --revert ./*.cu
compare orig
finish

#!/bin/sh
# The headers of a file, precompiled in the cache folder, are never trusted when
# they are stale: each change is seen at once.
. "$1"
RF=$2
export XDG_CACHE_HOME="$PWD/cache"
mkdir sys near
cat >m.cu <<'C'
// comments and blank lines

#include <cstdio>
#include "h.cuh" // the author's
/* several
   lines */ #include <s.h>

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < n; i++)
        s += f(x[i] - m) * SCALE;
    y[0] = s;
}
C

# header FILE TIME TEXT
header() {
    printf '%s\n' "$3" >"$1"
    touch -d "$2 minutes ago" "$1"
}
entries() {
    find cache -name '*.pch' | wc -l
}
fuses() {
    run 0 --diff m.cu -- -Inear -isystem sys
    has out "#else  // rf: fused"
}
refused() {
    run 0 --diff m.cu -- -Inear -isystem sys
    hasnt out "#else  // rf: fused"
}
product='__device__ inline float f(float x) { return expf(x); }'
square='__device__ inline float f(float x) { return x * x;   }'
[ ${#product} -eq ${#square} ] || fail "the lengths"

header near/h.cuh 60 "$product"
header sys/s.h 60 '#define SCALE 1.0f'
fuses
[ "$(entries)" -eq 2 ] || fail "kept: $(ls cache/*)"
cp out first
fuses
same out first
header near/h.cuh 50 "$square"
refused
header near/h.cuh 40 "$product"
fuses
same out first
header sys/s.h 30 '#define SCALE x[i]'
fuses
different out first
cp out second
mv near/h.cuh away
run 1 --diff m.cu -- -Inear -isystem sys
has err "m.cu:4:10: error: 'h.cuh' file not found"
# what is found first counts
header h.cuh 20 "$square"
mv away near/h.cuh
refused
rm h.cuh
fuses
same out second
# a header with an error; mended, it counts
header near/h.cuh 10 "$product int broken = ;"
run 0 --diff m.cu -- -Inear -isystem sys
header near/h.cuh 5 "$square"
refused
# one that may be written again within the second is not kept, nor one of a time
# to come
header near/h.cuh -60 "$product"
rm -r cache
fuses
[ "$(entries)" -eq 1 ] || fail "a fresh header is kept: $(ls cache/*)"
# damaged entries
header near/h.cuh 5 "$product"
fuses
for entry in cache/rf-rewrite/*.pch; do
    cp "$entry" whole
    head -c 5000 whole >"$entry"
    fuses
    same out second
    same "$entry" whole || fail "not mended: $entry"
done
# texts that begin with something else than includes
printf '#define SCALE 2.0f\n' | cat - m.cu >own.cu
run 0 --diff own.cu -- -Inear -isystem sys
has out "#else  // rf: fused"
printf '\357\273\277' | cat - m.cu | sed 's/$/\r/' >dos.cu
run 0 --diff dos.cu -- -Inear -isystem sys
has out "#else  // rf: fused"
# 70 different texts: 64 entries at most
i=0
while [ $i -lt 66 ]; do
    printf '%016x\n' $i >"cache/rf-rewrite/$(printf %016x $i).sum"
    touch -d '3 days ago' "cache/rf-rewrite/$(printf %016x $i).sum"
    i=$((i + 1))
done
sed 's/comments/other comments/' m.cu >other.cu
run 0 --diff other.cu -- -Inear -isystem sys
[ "$(find cache -name '*.sum' | wc -l)" -eq 64 ] || fail "not pruned"
[ "$(entries)" -eq 3 ] || fail "what is used was pruned: $(entries)"
finish

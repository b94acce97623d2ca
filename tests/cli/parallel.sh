#!/bin/sh
# Several runs on the same files at the same time: each file ends fused once.
. "$1"
n=0
while n=$((n + 1)) && [ $n -le 15 ]; do
    kernel a.cu
    kernel b.cu
    ln -sf a.cu link.cu
    "$RF" -q a.cu b.cu >/dev/null 2>&1 &
    one=$!
    "$RF" -q link.cu b.cu >/dev/null 2>&1 &
    two=$!
    "$RF" -q -j2 b.cu a.cu >/dev/null 2>&1 &
    wait "$one" "$two" "$!"
    run 0 --check a.cu b.cu
    [ "$(grep -c 'ifdef' a.cu)" -eq 1 ] || fail "a.cu: $(cat a.cu)"
    [ "$(grep -c 'ifdef' b.cu)" -eq 1 ] || fail "b.cu: $(cat b.cu)"
    no_strays
done
[ -L link.cu ] || fail "the link is gone"
finish

#!/bin/sh
# Writing: links, modes, read-only, full disks, kills.
. "$1"
FAULTS=$2

# with SPEC ARGS...: run with a fault.
with() {
    RF_FAULT=$1
    export RF_FAULT
    shift
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
        LD_PRELOAD=$FAULTS "$RF" "$@" >out 2>err
    code=$?
    unset RF_FAULT
    return $code
}

kernel a.cu
cp a.cu orig
cp a.cu want.cu
run 0 want.cu

# links are followed, modes kept
mkdir real
cp orig real/k.cu
chmod 754 real/k.cu
ln -s real/k.cu link.cu
ln -s link.cu link2.cu
run 0 link2.cu
[ -L link2.cu ] && [ -L link.cu ] || fail "a link was replaced"
same real/k.cu want.cu
[ "$(stat -c %a real/k.cu)" = 754 ] || fail "mode $(stat -c %a real/k.cu)"

# the same file under two names is handled once
cp orig real/k.cu
run 0 link.cu real/k.cu ./real/k.cu
has err "1 marked region in 1 file: 1 fused"

# read-only
cp orig ro.cu
chmod 444 ro.cu
run 1 ro.cu
same ro.cu orig
has out "error: it is read-only [rf-error]"
has err "0 fused, 0 refused, 1 failed, 1 error"

# outputs
run 1 -o /dev/full a.cu
has out "'/dev/full': cannot write it: No space left on device"
run 1 -o no/such/folder a.cu
has out "'no/such/folder': cannot write beside it: No such file or directory"
run 1 -o real a.cu
has out "'real': it is a folder"
run 1 --sarif=/dev/full a.cu
has err "'/dev/full'"
"$RF" --diff a.cu >/dev/full 2>err && fail "a full stdout goes unnoticed"
has err "cannot write to stdout"
same a.cu orig
no_strays

# every call that can fail does: ENOSPC 28, EIO 5, EROFS 30, EACCES 13
for spec in write:28 fsync:5 fchmod:5 fchown:5 linkat:30 rename:13 open:30 \
    tmpfile:13; do
    cp orig a.cu
    with $spec a.cu && fail "$spec goes unnoticed"
    same a.cu orig
    has out "[rf-error]"
    has err "1 failed"
    no_strays
done
# without O_TMPFILE (EOPNOTSUPP) and without /proc (ENOENT) it works all the
# same
for spec in tmpfile:95 linkat:2; do
    cp orig a.cu
    with $spec a.cu || fail "$spec is not got over: $(cat out err)"
    same a.cu want.cu
    no_strays
done

# killed before any call, with unnamed temporary files and without: the old
# file or the new one, and at most the one temporary file that the next run
# takes over
killed() {
    n=0
    left=0
    while n=$((n + 1)) && [ $n -lt 200 ]; do
        cp orig a.cu
        with "$1kill:$n" a.cu && break
        if ! cmp -s a.cu orig && ! cmp -s a.cu want.cu; then
            fail "killed at call $n: $(cat a.cu)"
        fi
        strays=$(ls -A | grep -vxF "$known")
        case $strays in
        '') ;;
        .a.cu.rf-tmp) left=$((left + 1)) ;;
        *) fail "killed at call $n, left: $strays" ;;
        esac
        cp orig a.cu
        run 0 a.cu
        same a.cu want.cu
        no_strays
    done
    [ $n -gt 5 ] && [ $n -lt 200 ] || fail "killed at $n calls"
    [ $left -gt 0 ] || fail "no kill came while the file had two names"
    same a.cu want.cu
    no_strays
}
known=$(ls -A)
killed ""
killed "tmpfile:95,"

# a small disk, where we may make one
mkdir disk
if mount -t tmpfs -o size=16k none disk 2>/dev/null; then
    cp orig disk/a.cu
    head -c 12000 /dev/zero >disk/fill 2>/dev/null
    run 1 disk/a.cu
    cmp -s disk/a.cu orig || fail "a full disk changed the file"
    has out "No space left on device"
    umount disk
fi
finish

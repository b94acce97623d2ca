#!/bin/sh
# The modes of rf-run: exit codes, --compare, --kernel, --edges, --report.
#
# usage: run.sh RF_RUN
set -u
rf_run=$1
cd "$(dirname "$0")" || exit 1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0

# expect CODE TEXT ARGUMENTS...: rf-run exits with CODE and prints TEXT.
expect() {
    code=$1
    text=$2
    shift 2
    timeout 120 "$rf_run" "$@" >"$out" 2>&1
    got=$?
    if [ $got -ne "$code" ] || ! grep -qF -- "$text" "$out"; then
        echo "FAILED: rf-run $*: exit $got, not $code, or no '$text'"
        sed 's/^/    /' "$out" | head -20
        failed=$((failed + 1))
    fi
}

expect 2 "usage: rf-run"
expect 0 "rf-run-race" --help
expect 0 "y[3] = 1" pair.cu
expect 7 "y[3] = 1" pair.cu -- 7
expect 1 "error" does-not-exist.cu
expect 0 '"bytes_loaded": 6000, "distinct_bytes_loaded": 4000' \
    --report=json pair.cu
expect 0 "bytes loaded                      6000" --report pair.cu

expect 1 "differs: buffer 2, element 5 (f32): reference 1.66666663" \
    --compare pair.cu
expect 0 "equal" --compare --tolerance=1e-6 pair.cu
expect 1 "buffer 2, element 77 (f32)" --compare --tolerance=1e-6 \
    -DDIFFERENCE pair.cu
expect 1 "new in the fused program: rf-run-race" --compare --tolerance=1e-6 \
    -DRACE pair.cu
expect 1 "[rf-run-race]" -DRACE pair.cu
expect 0 "y[3] = 1" --no-check race -DRACE pair.cu
expect 0 "equal" --compare --tolerance 1e-6 --schedule random --seed 7 \
    -arch=sm_80 pair.cu

expect 1 "8 of 11 records differ" --compare -std=c++17 rounding.cu

expect 0 "linked: 0 wrong, counter 37, total 500" \
    -rdc=true -std=c++17 link_a.cu link_b.cu

set_n="--set n=100"
shape="--launch grid=(n+63)/64,block=64"
expect 0 "argument 0, f32[100]: 0 2.5 5" --kernel scale \
    --args 'f32[n],f32[n]=ramp,f32=2.5,i32=n' $shape $set_n kernels.cu
expect 0 "warp instructions/s" --report --kernel softmax \
    --args 'f32[m*n],f32[m*n]=normal,i32=n' --launch grid=m,block=256 \
    --set m=16,n=1024 ../../../scripts/bench_softmax.cu
expect 0 "0 of 143 cases fail" --compare --edges --kernel scale \
    --args 'f32[n],f32[n]=normal,f32=2.5,i32=n' $shape $set_n kernels.cu
expect 1 "fill=-inf: buffer 2, element 0 (f32): reference -inf" \
    --compare --edges --kernel row_max \
    --args 'f32[4*n]=normal,f32[4],i32=n' --launch grid=4 $set_n kernels.cu
expect 1 "[rf-run-bounds]" --kernel past_the_end --args 'f32[8],i32=8' \
    --launch block=8 kernels.cu
expect 1 "no kernel missing" --kernel missing kernels.cu
expect 1 "the kernel has 2 parameters" --kernel past_the_end --args 'f32[8]' \
    kernels.cu

echo "modes of rf-run: $failed failures"
[ "$failed" -eq 0 ]

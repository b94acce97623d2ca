#!/bin/sh
# --device-table and DeviceTable: figures that are used, wrong ones refused.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
cp "$SOURCE/samples/01_softmax_rows.cu" "$SOURCE/samples/check.h" .

# figures that a file gives count, the others are those of the same device
cat >own.yaml <<'TABLE'
sm_90:
  name: a slow board
  dram: 1e9
  max_cluster: 2
TABLE
run 0 --explain --device-table=own.yaml 01_softmax_rows.cu
has out "on sm_90 (a slow board), by the model"
hasnt out "a cluster of 4"
cp out told
echo "DeviceTable: own.yaml" >.rf-rewrite
run 0 --explain 01_softmax_rows.cu
same out told
run 0 --explain --arch=sm_80 01_softmax_rows.cu
has out "on sm_80 (A100"
rm .rf-rewrite
run 0 --explain 01_softmax_rows.cu
has out "on sm_90 (H100 SXM)"

# a device that is not built in
printf 'sm_103: {name: next, sms: 160}\n' >own.yaml
run 0 --explain --arch=sm_103a --device-table=own.yaml 01_softmax_rows.cu
has out "on sm_103 (next)"

wrong() {
    printf '%b' "$1" >own.yaml
    cp 01_softmax_rows.cu orig
    run 2 --device-table=own.yaml 01_softmax_rows.cu
    has err "$2"
    same 01_softmax_rows.cu orig
}
wrong 'sm_90:\n  dramm: 1e12\n' \
    "own.yaml:2:3: error: unknown figure 'dramm'; did you mean 'dram'?"
wrong 'h100: {sms: 1}\n' "own.yaml:1:1: error: a device is named as sm_90 is"
wrong 'sm_90: {sms: many}\n' ":1:14: error: a number is expected here"
wrong 'sm_90: {sms: 1.5}\n' ":1:14: error: 'sms' must be a whole number"
wrong 'sm_90: {dram: -1}\n' ":1:15: error: 'dram' must be a number more than 0"
wrong 'sm_90: {dram: nan}\n' ":1:15: error: 'dram' must be a number more than"
wrong 'sm_90: {l2_bytes: 1e30}\n' "'l2_bytes' must be a whole number"
wrong 'sm_90: {dsm: [1, 2]}\n' ":1:14: error: a list of 5 numbers is expected"
wrong 'sm_90: {max_cluster: 3}\n' "'max_cluster' must be 1, 2, 4, 8 or 16"
wrong 'sm_90: 7\n' ":1:8: error: 'Key: value' is expected here"
run 2 --device-table=nope 01_softmax_rows.cu
has err "nope: error: cannot open it"
finish

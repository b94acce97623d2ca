#!/bin/sh
# --proven writes what is proven and refuses what is only tested.
. "$1"
RF=$2
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
for sample in 52_softmax_cluster_a_row 56_layer_norm_read_once; do
    cp "$SOURCE/samples/$sample.cu" .
done
cp "$SOURCE/samples/check.h" .
cp 52_softmax_cluster_a_row.cu before.cu
run 0 --proven 52_softmax_cluster_a_row.cu
has out "--proven was given"
same 52_softmax_cluster_a_row.cu before.cu
run 0 --proven 56_layer_norm_read_once.cu
has 56_layer_norm_read_once.cu ", proof "
run 0 52_softmax_cluster_a_row.cu
has 52_softmax_cluster_a_row.cu "tested only"
finish

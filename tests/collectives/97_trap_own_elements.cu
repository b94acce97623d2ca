// No barrier between the loops that share the row: each thread owns what it
// wrote.
#include "block.h"

#pragma rf cascade
__global__ void k(float *x, int n)
{
    float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        row[j] = expf(row[j] - m);
        s += row[j];
    }
    s = block_sum(s);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        row[j] /= s;
}

DRIVE(k<<<R, 128>>>(inout(R * L), L))
// fused: block 3 -> 2, barriers 4 -> 2

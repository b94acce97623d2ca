// The maximum is kept in an int: a shift, not the maximum.
#include "block.h"

__device__ int block_max_int(int v)
{
    __shared__ int cells[128];
    cells[threadIdx.x] = v;
    __syncthreads();
    for (int t = 0; t < blockDim.x; t++)
        v = max(v, cells[t]);
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    int m = -1000;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = max(m, (int)row[j]);
    m = block_max_int(m);
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128>>>(plain(R * L), out(R), L))
// fused: block 2 -> 1, barriers 4 -> 1

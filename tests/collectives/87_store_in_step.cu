// The slots are written in the step of a loop.
#include "block.h"

__device__ float all_sum(float v)
{
    __shared__ float slots[4];
    for (int o = 16; o > 0; v += __shfl_xor_sync(0xffffffff, v, o), o /= 2)
        ;
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = v;
    __syncthreads();
    float all = 0;
    for (int w = 0; w < 4; all += slots[w], w++)
        ;
    __syncthreads();
    return all;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY, s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    __shared__ float slots[128];
    for (int w = 0; w < 1; slots[threadIdx.x] = s, w++)
        ;
    __syncthreads();
    s = 0;
    for (int w = 0; w < 128; w++)
        s += slots[w];
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 128>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 3 -> 1

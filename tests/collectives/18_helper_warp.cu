// Helpers for a warp.
#include "team.h"

__device__ float warp_max(float v)
{
    for (int o = 16; o > 0; o /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(0xffffffff, v, o);
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * n;
    float m = -INFINITY;
    for (int j = threadIdx.x % 32; j < n; j += 32)
        m = fmaxf(m, row[j]);
    m = warp_max(m);
    float s = 0;
    for (int j = threadIdx.x % 32; j < n; j += 32)
        s += expf(row[j] - m);
    s = warp_sum(s);
    if (threadIdx.x % 32 == 0)
        y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = m + logf(s);
}

DRIVE(k<<<R / 4, 128>>>(in(R * L), out(R), L))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0

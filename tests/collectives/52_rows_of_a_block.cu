// A block of 32 by 4 threads: one warp along x for each row.
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
__global__ void k(const float *x, float *y, int n, int rows)
{
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    const float *row = x + r * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = warp_max(m);
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = warp_sum(s);
    if (threadIdx.x == 0)
        y[r] = m + logf(s);
}

DRIVE(k<<<(R + 3) / 4, dim3(32, 4)>>>(in(R * L), out(R), L, R))
// fused: 32 lanes 2 -> 1, barriers 0 -> 0

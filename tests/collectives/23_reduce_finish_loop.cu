// One slot a warp, thread 0 adds them up from zero.
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
    __shared__ float sm[8];
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = warp_max(m);
    if ((threadIdx.x & 31) == 0)
        sm[threadIdx.x >> 5] = m;
    __syncthreads();
    for (int w = 0; w < (blockDim.x + 31) / 32; w++)
        m = fmaxf(m, sm[w]);
    __syncthreads();
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0)
        sm[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0;
        for (int w = 0; w < (blockDim.x + 31) / 32; w++)
            s += sm[w];
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 256>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 3 -> 1

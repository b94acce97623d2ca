// One slot a warp, a second shuffle, a shared scalar.
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
    __shared__ float sm[32];
    __shared__ float top, total;
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    {
        float w = warp_max(m);
        if (threadIdx.x % 32 == 0)
            sm[threadIdx.x / 32] = w;
        __syncthreads();
        w = threadIdx.x < blockDim.x / 32 ? sm[threadIdx.x] : -INFINITY;
        if (threadIdx.x < 32)
            w = warp_max(w);
        if (threadIdx.x == 0)
            top = w;
        __syncthreads();
    }
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - top);
    {
        float w = warp_sum(s);
        if (threadIdx.x % 32 == 0)
            sm[threadIdx.x / 32] = w;
        __syncthreads();
        w = threadIdx.x < blockDim.x / 32 ? sm[threadIdx.x] : 0.0f;
        if (threadIdx.x < 32)
            w = warp_sum(w);
        if (threadIdx.x == 0)
            total = w;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = top + logf(total);
}

DRIVE(k<<<R, 256>>>(in(R * L), out(R), L); k<<<R, 1024>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 4 -> 1

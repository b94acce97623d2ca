// Block helpers, one of them a template; every warp repeats the second step.
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

template <typename T> __device__ T block_sum(T v)
{
    static __shared__ T part[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    v = lane < (blockDim.x >> 5) ? part[lane] : T(0);
    return warp_sum(v);
}

__device__ float block_max(float v)
{
    __shared__ float part[32];
    const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    v = warp_max(v);
    if (!lane)
        part[warp] = v;
    __syncthreads();
    v = lane < blockDim.x / warpSize ? part[lane] : -INFINITY;
    v = warp_max(v);
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int n)
{
    const float *row = x + blockIdx.x * n;
    float m = -INFINITY;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        m = fmaxf(m, row[j]);
    m = block_max(m);
    float s = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x)
        s += expf(row[j] - m);
    s = block_sum(s);
    if (threadIdx.x == 0)
        y[blockIdx.x] = m + logf(s);
}

DRIVE(k<<<R, 512>>>(in(R * L), out(R), L))
// fused: block 2 -> 1, barriers 3 -> 1

// The warps of a block counted by a division of floating point.
#include "team.h"

__device__ float warp_max(float v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int mask = 16; mask > 0; mask >>= 1)
        v += __shfl_xor_sync(0xffffffff, v, mask);
    return v;
}

__device__ float block_max(float v)
{
    __shared__ float cells[32];
    v = warp_max(v);
    if ((threadIdx.x & 31) == 0)
        cells[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32.0f ? cells[threadIdx.x & 31] : -INFINITY;
    return warp_max(v);
}

__device__ float block_sum(float v)
{
    __shared__ float cells[32];
    v = warp_sum(v);
    if ((threadIdx.x & 31) == 0)
        cells[threadIdx.x >> 5] = v;
    __syncthreads();
    v = threadIdx.x < 0.03125f * blockDim.x ? cells[threadIdx.x & 31] : 0;
    return warp_sum(v);
}

#pragma rf cascade
__global__ void k(const float *__restrict__ x, float *__restrict__ y, int n)
{
    __shared__ float top, total;
    x += blockIdx.x * n;
    float m = -INFINITY;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        m = fmaxf(m, x[i]);
    m = block_max(m);
    if (threadIdx.x == 0)
        top = m;
    __syncthreads();
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += expf(x[i] - top);
    s = block_sum(s);
    if (threadIdx.x == 0)
        total = s;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[blockIdx.x * n + i] = expf(x[i] - top) / total;
}

DRIVE(k<<<R, 96>>>(in(R * L), out(R * L), L))
// fused: block 3 -> 2, barriers 4 -> 1

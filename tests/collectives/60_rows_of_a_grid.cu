// Blocks take rows in turn: log-softmax, the slots are used again.
#include "team.h"

__device__ float block_max(float v, float *slots)
{
    for (int o = 16; o > 0; o /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, o));
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        v = fmaxf(v, slots[w]);
    __syncthreads();
    return v;
}

__device__ float block_sum(float v, float *slots)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_xor_sync(0xffffffff, v, o);
    if (threadIdx.x % 32 == 0)
        slots[threadIdx.x / 32] = v;
    __syncthreads();
    v = slots[0];
    for (int w = 1; w < blockDim.x / 32; w++)
        v += slots[w];
    __syncthreads();
    return v;
}

#pragma rf cascade assume(noalias)
__global__ void k(const float *x, float *y, int rows, int n)
{
    __shared__ float slots[32];
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        float m = -INFINITY;
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            m = fmaxf(m, x[row * n + j]);
        m = block_max(m, slots);
        float s = 0;
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            s += expf(x[row * n + j] - m);
        s = logf(block_sum(s, slots));
        for (int j = threadIdx.x; j < n; j += blockDim.x)
            y[row * n + j] = x[row * n + j] - m - s;
    }
}

DRIVE(k<<<4, 96>>>(in(R * L), out(R * L), R, L))
// fused: block 3 -> 2, barriers 4 -> 2
